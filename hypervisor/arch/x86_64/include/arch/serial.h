/* SPDX-License-Identifier: Apache-2.0 */
/* The first serial port (16550A at 3f8h, IRQ 4), polled output. */
#ifndef ARCH_SERIAL_H
#define ARCH_SERIAL_H

#include <hv/types.h>

bool serial_init(void); /* false: no such port */
void serial_put(char c);
bool serial_get(char *c);
void serial_enable_interrupt(void);

#endif
