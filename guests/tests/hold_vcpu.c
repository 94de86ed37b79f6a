/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last for what a vCPU can have at most?
 * Rule:     descriptor tables, trap tables, ports and first contexts are
 *           bounded, and a context's page tables are validated in pieces.
 * Source:   checklist 43.
 * Expected: the largest of each accepted; the bound is judged from what a
 *           LATENCY=1 build prints.
 *
 * test: vcpus=2
 */
#include "xt.h"

#define GDT_PAGES	14
#define LDT_PAGES	16
#define L1_TABLES	64
#define PORTS		4095

static u64 descriptors[GDT_PAGES + LDT_PAGES][512]
	__attribute__((aligned(4096)));
static u64 l1[L1_TABLES][512] __attribute__((aligned(4096)));
static struct trap_info traps[257];

static void largest_tables(void)
{
	unsigned long frames[GDT_PAGES];
	struct mmuext_op op = { .cmd = MMUEXT_SET_LDT };

	for (unsigned int i = 0; i < GDT_PAGES + LDT_PAGES; i++) {
		for (unsigned int k = 0; k < 512; k++)
			descriptors[i][k] = 0x00cff3000000ffffUL;
		check_eq(map_ro(descriptors[i]), 0);
	}
	/* The library's own descriptors stay in front. */
	for (unsigned int i = 0; i < GDT_PAGES; i++)
		frames[i] = va_to_mfn(descriptors[i]);
	check_eq(set_gdt(frames, GDT_PAGES * 512), 0);
	op.arg1.linear_addr = HC_ARG(descriptors[GDT_PAGES]);
	op.arg2.nr_ents = LDT_PAGES * 512;
	check_eq(mmuext_op(&op, 1, NULL, DOMID_SELF), 0);
	op.arg2.nr_ents = 0;
	check_eq(mmuext_op(&op, 1, NULL, DOMID_SELF), 0);
}

static void all_ports(void)
{
	struct evtchn_alloc_unbound a = { .dom = DOMID_SELF,
					  .remote_dom = DOMID_SELF };
	struct evtchn_reset reset = { .dom = DOMID_SELF };
	unsigned int n = 0;

	while (n < PORTS && !event_op(EVTCHNOP_alloc_unbound, &a))
		n++;
	check(n > 4000, "%u ports", n);
	check_eq(event_op(EVTCHNOP_reset, &reset), 0);
}

static void second(void)
{
}

/* A context whose L4 nobody has validated: 64 full tables below it. */
static void big_context(void)
{
	struct vcpu_guest_context *ctx = vcpu_context(1, second);
	u64 *l4 = clone_l4(), *l3 = alloc_page(), *l2 = alloc_page();
	u64 pte = mk_pte(va_to_mfn(alloc_page()), PTE_RO);

	for (unsigned int i = 0; i < L1_TABLES; i++) {
		for (unsigned int k = 0; k < 512; k++)
			l1[i][k] = pte;
		l2[i] = mk_pte(va_to_mfn(l1[i]), PTE_KERNEL);
		check_eq(map_ro(l1[i]), 0);
	}
	l3[0] = mk_pte(va_to_mfn(l2), PTE_KERNEL);
	check_eq(map_ro(l2), 0);
	check_eq(map_ro(l3), 0);
	check_eq(map_rw(l4), 0);
	l4[L4_INDEX(0x600000000000UL)] = mk_pte(va_to_mfn(l3), PTE_KERNEL);
	check_eq(map_ro(l4), 0);
	ctx->ctrlreg[3] = va_to_mfn(l4) << PAGE_SHIFT;
	check_eq(vcpu_op(VCPUOP_initialise, 1, ctx), 0);
}

void test_main(void)
{
	for (unsigned int i = 0; i < 256; i++)
		traps[i] = (struct trap_info){ .vector = (u8)i, .cs = 0xe033,
					       .address = HC_ARG(test_main) };
	big_context();
	all_ports();
	largest_tables();
	check_eq(set_trap_table(traps), 0);
	pass("%u ports, %u descriptors", PORTS, (GDT_PAGES + LDT_PAGES) * 512);
}
