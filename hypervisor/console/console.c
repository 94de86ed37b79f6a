/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/console.h>
#include <hv/domain.h>
#include <hv/event.h>
#include <hv/lock.h>
#include <hv/log.h>

#include <arch/serial.h>

#define RING_BYTES 16384 /* a power of two */
#define INPUT_BYTES 256
#define SWITCH_CHAR 1 /* Ctrl-A */
#define SWITCH_COUNT 3
#define DEBUG_KEYS 16

static struct spinlock lock = SPINLOCK_INIT(RANK_LOG);
static bool serial_present;
static char ring[RING_BYTES];
static u64 ring_written;
static char input[INPUT_BYTES];
static u32 input_in, input_out;

static struct debug_key {
	char key;
	const char *help;
	void (*fn)(void);
} debug_keys[DEBUG_KEYS];
static bool input_to_us;
static unsigned int switch_seen;

void console_init(bool serial)
{
	serial_present = serial && serial_init();
}

void console_break_lock(void)
{
	lock.locked = 0;
	lock.holder = 0;
}

static void put(char c)
{
	ring[ring_written++ % RING_BYTES] = c;
	if (!serial_present)
		return;
	if (c == '\n')
		serial_put('\r');
	serial_put(c);
}

void console_write(const char *text, size_t bytes)
{
	spin_lock(&lock);
	while (bytes--)
		put(*text++);
	spin_unlock(&lock);
}

size_t console_ring_read(u64 *pos, char *buf, size_t size)
{
	size_t n = 0;

	spin_lock(&lock);
	if (ring_written > RING_BYTES && *pos < ring_written - RING_BYTES)
		*pos = ring_written - RING_BYTES;
	while (n < size && *pos < ring_written)
		buf[n++] = ring[(*pos)++ % RING_BYTES];
	spin_unlock(&lock);
	return n;
}

/* ---- input ---- */

void console_debug_key(char key, const char *help, void (*fn)(void))
{
	for (unsigned int i = 0; i < DEBUG_KEYS; i++) {
		if (debug_keys[i].fn)
			continue;
		debug_keys[i] = (struct debug_key){ key, help, fn };
		return;
	}
}

void console_press_debug_key(char c)
{
	for (unsigned int i = 0; i < DEBUG_KEYS && debug_keys[i].fn; i++) {
		if (debug_keys[i].key == c) {
			debug_keys[i].fn();
			return;
		}
	}
	for (unsigned int i = 0; i < DEBUG_KEYS && debug_keys[i].fn; i++)
		log_info("key %c: %s", debug_keys[i].key, debug_keys[i].help);
}

/* True when c goes to Domain 0. */
static bool take(char c)
{
	if (c == SWITCH_CHAR) {
		if (++switch_seen < SWITCH_COUNT)
			return !input_to_us;
		switch_seen = 0;
		input_to_us = !input_to_us;
		log_info("console input goes to %s (three Ctrl-A switch)",
			 input_to_us ? "the hypervisor" : "domain 0");
		return false;
	}
	switch_seen = 0;
	if (input_to_us) {
		console_press_debug_key(c);
		return false;
	}
	return true;
}

void console_interrupt(void)
{
	bool got = false;
	char c;

	while (serial_get(&c)) {
		if (!take(c))
			continue;
		spin_lock(&lock);
		if (input_in - input_out < INPUT_BYTES)
			input[input_in++ % INPUT_BYTES] = c;
		spin_unlock(&lock);
		got = true;
	}
	if (got && domain0)
		event_virq_global(domain0, VIRQ_CONSOLE);
}

void console_start_input(void)
{
	if (serial_present)
		serial_enable_interrupt();
}

size_t console_read(char *buf, size_t size)
{
	size_t n = 0;

	spin_lock(&lock);
	while (n < size && input_out != input_in)
		buf[n++] = input[input_out++ % INPUT_BYTES];
	spin_unlock(&lock);
	return n;
}
