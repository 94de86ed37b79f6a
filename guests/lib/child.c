/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - building further domains (contract in child.h).
 *
 * PFNs of a child: its image where ours is, and at the end of its memory the
 * start information, the p2m list, and the page tables, L4 first.
 */
#include "child.h"

#include <xeno/node.h>

#define WINDOW ((u8 *)0x610000000000UL)
#define P2M_PAGES (CHILD_PAGES * 8 / 4096)
#define LINEAR_L1S (CHILD_PAGES / 512)
#define TABLES (6 + LINEAR_L1S) /* L4, twice L3 and L2, L1 of the p2m */
#define FIRST_TABLE (CHILD_PAGES - TABLES)
#define FIRST_P2M (FIRST_TABLE - P2M_PAGES)
#define START_INFO (FIRST_P2M - 1)
#define P2M_VIRT 0x8000000000UL

extern const u8 image_start[], bss_start[], image_end[], child_entry[];
void child_begin(struct start_info *si, void (*fn)(void));

bool is_child;
u8 mailbox[PAGE_SIZE] __attribute__((aligned(4096)));

__asm__(".pushsection .text\n"
	".globl child_entry\n"
	"child_entry:\n"
	"	lea	cpu_stacks+32768(%rip), %rsp\n"
	"	xchg	%rdi, %rsi\n"
	"	xor	%ebp, %ebp\n"
	"	call	child_begin\n"
	"	ud2\n"
	".popsection\n");

void child_begin(struct start_info *si, void (*fn)(void))
{
	is_child = true;
	guest_begin(si);
	fn();
	fail("the child's function returned");
}

/* ---- control hypercalls ---- */

long domctl(struct xen_domctl *op)
{
	op->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
	return hypercall(__HYPERVISOR_domctl, op);
}

long domctl_on(u32 cmd, u16 domid)
{
	struct xen_domctl op = { .cmd = cmd, .domain = domid };

	return domctl(&op);
}

long sysctl(struct xen_sysctl *op)
{
	op->interface_version = XEN_SYSCTL_INTERFACE_VERSION;
	return hypercall(__HYPERVISOR_sysctl, op);
}

struct frame_counts frame_counts(void)
{
	struct xeno_frames f = { .first_mfn = 0 };
	struct frame_counts sum = { 0, 0, 0 };

	do {
		f.head = (struct xeno_envelope){ XENO_FRAMES_VERSION,
						 XENO_OP_FRAMES, sizeof(f), 0 };
		f.first_mfn = f.next_mfn;
		check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &f), 0);
		sum.free = f.free;
		sum.domains += f.domains;
		sum.hypervisor += f.hypervisor;
	} while (f.next_mfn);
	return sum;
}

/* ---- foreign memory ---- */

long map_foreign(void *va, u16 domid, u64 pte)
{
	return hypercall(__HYPERVISOR_update_va_mapping_otherdomain, va, pte,
			 UVMF_INVLPG, domid);
}

static void *window(const struct child *c, u32 pfn)
{
	static bool made;

	if (!made)
		map_at((unsigned long)WINDOW, 0);
	made = true;
	check_eq(map_foreign(WINDOW, c->id, mk_pte(c->mfn[pfn], PTE_KERNEL)),
		 0);
	return WINDOW;
}

void *child_page(const struct child *c, const void *va)
{
	return window(c, (u32)va_to_pfn(va));
}

void child_page_done(void)
{
	check_eq(update_va_mapping(WINDOW, 0, UVMF_INVLPG), 0);
}

/* ---- building ---- */

long child_create(u16 wanted_id, u32 vcpus)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_createdomain,
		.domain = wanted_id,
	};
	long rc;

	op.u.createdomain.max_vcpus = vcpus;
	op.u.createdomain.max_evtchn_port = 1023;
	op.u.createdomain.max_grant_frames = -1;
	op.u.createdomain.max_maptrack_frames = -1;
	rc = domctl(&op);
	return rc ? rc : op.domain;
}

static void give_memory(struct child *c)
{
	struct xen_memory_reservation res = {
		.domid = c->id,
		.nr_extents = CHILD_PAGES,
	};
	struct xen_domctl op = { .cmd = XEN_DOMCTL_max_mem, .domain = c->id };

	op.u.max_mem.max_memkb = CHILD_PAGES * 4;
	check_eq(domctl(&op), 0);
	for (u32 pfn = 0; pfn < CHILD_PAGES; pfn++)
		c->mfn[pfn] = pfn;
	set_xen_guest_handle(res.extent_start, (xen_pfn_t *)c->mfn);
	check_eq(memory_op(XENMEM_populate_physmap, &res), CHILD_PAGES);
}

static void copy_image(const struct child *c)
{
	for (const u8 *va = image_start; va < bss_start; va += PAGE_SIZE)
		memcpy(child_page(c, va), va, PAGE_SIZE);
}

static u64 table_pte(const struct child *c, u32 table)
{
	return mk_pte(c->mfn[FIRST_TABLE + table], PTE_KERNEL);
}

static void fill_tables(const struct child *c)
{
	/* L4, L3 and L2 of the linear map, its L1s, then those of the p2m. */
	const u32 p2m = 3 + LINEAR_L1S;
	u64 *t;

	t = window(c, FIRST_TABLE);
	t[L4_INDEX(VIRT_BASE)] = table_pte(c, 1);
	t[L4_INDEX(P2M_VIRT)] = table_pte(c, p2m);
	t = window(c, FIRST_TABLE + 1);
	t[L3_INDEX(VIRT_BASE)] = table_pte(c, 2);
	t = window(c, FIRST_TABLE + 2);
	for (u32 i = 0; i < LINEAR_L1S; i++)
		t[i] = table_pte(c, 3 + i);
	for (u32 pfn = 0; pfn < CHILD_PAGES; pfn++) {
		if (pfn % 512 == 0)
			t = window(c, FIRST_TABLE + 3 + pfn / 512);
		t[pfn % 512] = mk_pte(c->mfn[pfn],
				      pfn < FIRST_TABLE ? PTE_KERNEL : PTE_RO);
	}
	t = window(c, FIRST_TABLE + p2m);
	t[0] = table_pte(c, p2m + 1);
	t = window(c, FIRST_TABLE + p2m + 1);
	t[0] = table_pte(c, p2m + 2);
	t = window(c, FIRST_TABLE + p2m + 2);
	for (u32 i = 0; i < P2M_PAGES; i++)
		t[i] = mk_pte(c->mfn[FIRST_P2M + i], PTE_KERNEL);
	for (u32 i = 0; i < P2M_PAGES; i++)
		memcpy(window(c, FIRST_P2M + i), &c->mfn[i * 512], PAGE_SIZE);
}

static struct xen_domctl_getdomaininfo info_of(u16 domid)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_getdomaininfo,
		.domain = domid,
	};

	if (domctl(&op) || op.domain != domid)
		op.u.getdomaininfo.flags = ~0U;
	return op.u.getdomaininfo;
}

static void fill_start_info(const struct child *c)
{
	struct start_info *si = window(c, START_INFO);

	memcpy(si->magic, "xen-3.0-x86_64", 15);
	si->nr_pages = CHILD_PAGES;
	si->shared_info = info_of(c->id).shared_info_frame << PAGE_SHIFT;
	si->pt_base = VIRT_BASE + FIRST_TABLE * PAGE_SIZE;
	si->nr_pt_frames = TABLES;
	si->mfn_list = P2M_VIRT;
	si->first_p2m_pfn = FIRST_P2M;
	si->nr_p2m_frames = P2M_PAGES + 3;
}

static void set_context(const struct child *c, void (*fn)(void))
{
	static struct vcpu_guest_context ctx;
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_setvcpucontext,
		.domain = c->id,
	};

	memset(&ctx, 0, sizeof(ctx));
	ctx.flags = VGCF_IN_KERNEL | VGCF_online;
	ctx.user_regs.rip = (unsigned long)child_entry;
	ctx.user_regs.rdi = (unsigned long)fn;
	ctx.user_regs.rsi = VIRT_BASE + START_INFO * PAGE_SIZE;
	ctx.user_regs.cs = KERNEL_CS;
	ctx.user_regs.ss = KERNEL_SS;
	ctx.kernel_ss = KERNEL_SS;
	ctx.ctrlreg[3] = c->mfn[FIRST_TABLE] << PAGE_SHIFT;
	set_xen_guest_handle(op.u.vcpucontext.ctxt, &ctx);
	check_eq(domctl(&op), 0);
}

void child_build(struct child *c, void (*fn)(void))
{
	struct xen_domctl vcpus = { .cmd = XEN_DOMCTL_max_vcpus };
	struct mmuext_op pin = { .cmd = MMUEXT_PIN_L4_TABLE };
	long id = child_create(0, 1);

	check(id > 0, "createdomain: %ld", id);
	c->id = (u16)id;
	vcpus.domain = c->id;
	vcpus.u.max_vcpus.max = 1;
	check_eq(domctl(&vcpus), 0);
	give_memory(c);
	copy_image(c);
	fill_tables(c);
	fill_start_info(c);
	child_page_done();
	pin.arg1.mfn = c->mfn[FIRST_TABLE];
	check_eq(mmuext_op(&pin, 1, NULL, c->id), 0);
	set_context(c, fn);
}

/* ---- living ---- */

void child_start(const struct child *c)
{
	check_eq(domctl_on(XEN_DOMCTL_unpausedomain, c->id), 0);
}

u32 child_flags(u16 domid)
{
	return info_of(domid).flags;
}

u32 child_wait(const struct child *c, u32 flags)
{
	u64 end = now_ns() + MS(20000);
	u32 now;

	for (;;) {
		now = child_flags(c->id);
		if (flags ? now != ~0U && (now & flags) : now == ~0U)
			return now;
		check(now_ns() < end, "domain %u: flags %x, waits for %x",
		      c->id, now, flags);
		sched_op(SCHEDOP_yield, NULL);
	}
}

void child_passed(const struct child *c)
{
	static char text[MAILBOX_TEXT];
	u32 flags = child_wait(c, XEN_DOMINF_shutdown);

	memcpy(text, child_page(c, mailbox), sizeof(text) - 1);
	child_page_done();
	check(text[0] == 'P', "child, flags %x: %s", flags, text);
}

long child_destroy(const struct child *c)
{
	return domctl_on(XEN_DOMCTL_destroydomain, c->id);
}
