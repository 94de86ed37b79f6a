/* SPDX-License-Identifier: Apache-2.0 */
/* 16550A (National Semiconductor data sheet). */
#include <arch/internal.h>
#include <arch/serial.h>
#include <arch/x86.h>

#define COM1 0x3f8
#define DATA (COM1 + 0)
#define IER (COM1 + 1)
#define FCR (COM1 + 2)
#define LCR (COM1 + 3)
#define MCR (COM1 + 4)
#define LSR (COM1 + 5)
#define SCR (COM1 + 7)
#define LSR_DATA 0x01
#define LSR_EMPTY 0x20
#define FIFO_BYTES 16
#define EMPTY_POLLS 1000000 /* then the line is given up for this byte */

static unsigned int fifo_left;

bool serial_init(void)
{
	outb(SCR, 0x5a);
	if (inb(SCR) != 0x5a)
		return false;
	outb(IER, 0);
	outb(LCR, 0x80);
	outb(DATA, 1); /* 115200 bit/s */
	outb(IER, 0);
	outb(LCR, 3); /* 8 bits, no parity */
	outb(FCR, 7); /* FIFOs on and empty, interrupt at each byte */
	outb(MCR, 0x0b);
	return true;
}

void serial_put(char c)
{
	/* After LSR_EMPTY the FIFO takes 16 bytes without another look. */
	if (!fifo_left) {
		for (unsigned int i = 0;
		     !(inb(LSR) & LSR_EMPTY) && i < EMPTY_POLLS; i++)
			;
		fifo_left = FIFO_BYTES;
	}
	fifo_left--;
	outb(DATA, (u8)c);
}

bool serial_get(char *c)
{
	if (!(inb(LSR) & LSR_DATA))
		return false;
	*c = (char)inb(DATA);
	return true;
}

void serial_enable_interrupt(void)
{
	outb(IER, 1);
	io_apic_route_isa(4, VEC_SERIAL);
}
