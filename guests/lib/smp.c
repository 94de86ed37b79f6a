/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smp.c - guest start-up and further vCPUs.
 *
 * Each vCPU owns one stack of cpu_stacks[], whose low end is its struct cpu.
 */
#include "xt.h"

#define MAX_CPUS 4

void guest_start(struct start_info *si);
void vcpu_main(void (*fn)(void));
extern const u8 vcpu_entry[];

u8 cpu_stacks[MAX_CPUS][STACK_SIZE] __attribute__((aligned(32768)));
struct entry_regs entry_regs;
struct start_info *start_info;
static u8 shared_page[PAGE_SIZE] __attribute__((aligned(4096)));
struct shared_info *shared_info = (struct shared_info *)shared_page;

static void setup_cpu(unsigned int id)
{
	struct cpu *cpu = (struct cpu *)cpu_stacks[id];

	cpu->id = id;
	cpu->vi = &shared_info->vcpu_info[id];
}

void guest_begin(struct start_info *si)
{
	start_info = si;
	setup_cpu(0);
	check_eq(update_va_mapping(shared_page, si->shared_info | PTE_KERNEL,
				   UVMF_INVLPG),
		 0);
	install_traps();
}

void guest_start(struct start_info *si)
{
	guest_begin(si);
	test_main();
	fail("test_main() returned");
}

void vcpu_main(void (*fn)(void))
{
	fn();
	vcpu_op(VCPUOP_down, this_cpu()->id, NULL);
	fail("vCPU %u survived VCPUOP_down", this_cpu()->id);
}

struct vcpu_guest_context *vcpu_context(unsigned int id, void (*fn)(void))
{
	static struct vcpu_guest_context ctx[MAX_CPUS];
	struct vcpu_guest_context *c = &ctx[id];

	setup_cpu(id);
	memset(c, 0, sizeof(*c));
	c->flags = VGCF_IN_KERNEL;
	c->user_regs.rip = (unsigned long)vcpu_entry;
	c->user_regs.rdi = (unsigned long)fn;
	c->user_regs.rsp = (unsigned long)cpu_stacks[id + 1];
	c->user_regs.rflags = 0x200;
	c->user_regs.cs = USER_CS;
	c->user_regs.ss = USER_SS;
	c->kernel_ss = USER_SS;
	c->kernel_sp = (unsigned long)cpu_stacks[id + 1];
	for (unsigned int v = 0; v < 256; v++)
		c->trap_ctxt[v] = trap_gate(v, 4);
	c->ctrlreg[3] = va_to_mfn(current_l4()) << PAGE_SHIFT;
	c->event_callback_eip = (unsigned long)event_entry;
	c->failsafe_callback_eip = (unsigned long)failsafe_entry;
	c->syscall_callback_eip = (unsigned long)syscall_entry;
	return c;
}

long init_vcpu(unsigned int id, void (*fn)(void))
{
	return vcpu_op(VCPUOP_initialise, id, vcpu_context(id, fn));
}

void start_vcpu(unsigned int id, void (*fn)(void))
{
	check_eq(init_vcpu(id, fn), 0);
	check_eq(vcpu_op(VCPUOP_up, id, NULL), 0);
}

unsigned int vcpus_available(void)
{
	unsigned int n = 0;

	while (n < MAX_CPUS && vcpu_op(VCPUOP_is_up, n, NULL) >= 0)
		n++;
	return n;
}

/* All parties meet here; the last to come opens the gate for the rest. */
void rendezvous(unsigned int parties)
{
	static u32 arrived;
	static u32 round;
	u32 my_round = READ_ONCE(round);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == parties) {
		WRITE_ONCE(arrived, 0);
		__atomic_store_n(&round, my_round + 1, __ATOMIC_SEQ_CST);
		return;
	}
	while (READ_ONCE(round) == my_round)
		__asm__ volatile("pause" ::: "memory");
}
