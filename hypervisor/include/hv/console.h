/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's console: the serial line, a ring of what was written, input
 * for Domain 0 and, after three Ctrl-A, for the hypervisor's debug keys.
 */
#ifndef HV_CONSOLE_H
#define HV_CONSOLE_H

#include <hv/types.h>

void console_init(bool serial);
/* Input and VIRQ_CONSOLE from now on (needs interrupts and Domain 0). */
void console_start_input(void);
void console_interrupt(void);
void console_write(const char *text, size_t bytes);
/* Takes up to size bytes of input meant for Domain 0. */
size_t console_read(char *buf, size_t size);
/* The last bytes written, oldest first, from position *pos on (a count of
 * bytes since boot, moved on). */
size_t console_ring_read(u64 *pos, char *buf, size_t size);
/* Registers what a debug key does. */
void console_debug_key(char key, const char *help, void (*fn)(void));
/* Runs what is registered for key; lists all when there is none. */
void console_press_debug_key(char key);
/* Panics take the line from whoever holds it. */
void console_break_lock(void);

#endif
