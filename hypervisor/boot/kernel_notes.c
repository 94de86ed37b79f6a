// SPDX-License-Identifier: Apache-2.0
/*
 * The notes with which a kernel says how it wants to be started (guest-abi
 * 1.2). Unknown types are skipped; a known one of a wrong size, or a number
 * that cannot be used, is an error, since guessing would only crash later.
 */
#include <hv/elf.h>
#include <hv/format.h>
#include <hv/kernel_image.h>
#include <hv/string.h>

#include <arch/layout.h>

#include <xen/elfnote.h>

#define FAIL(code, ...) (hv_snprintf(err, err_size, __VA_ARGS__), (code))

/* A canonical address outside the hypervisor's part. */
static bool address_usable(u64 va)
{
	if (va >= HV_VIRT_START && va < HV_VIRT_END)
		return false;
	return (u64)((s64)(va << 16) >> 16) == va;
}

static bool read_number(u64 *out, const u8 *desc, u32 size)
{
	u32 narrow;

	if (size == sizeof(*out)) {
		memcpy(out, desc, sizeof(*out));
		return true;
	}
	if (size == sizeof(narrow)) {
		memcpy(&narrow, desc, sizeof(narrow));
		*out = narrow;
		return true;
	}
	return false;
}

static bool read_string(char *out, size_t out_size, const u8 *desc, u32 size)
{
	size_t len = strnlen((const char *)desc, size);

	if (len >= out_size)
		return false;
	memcpy(out, desc, len);
	out[len] = '\0';
	return true;
}

/* False: malformed. */
static bool read_note(struct kernel_notes *n, u32 type, const u8 *desc,
		      u32 size)
{
	u64 number;

	switch (type) {
	case XEN_ELFNOTE_ENTRY:
		return read_number(&n->entry, desc, size);
	case XEN_ELFNOTE_HYPERCALL_PAGE:
		return read_number(&n->hypercall_page, desc, size);
	case XEN_ELFNOTE_VIRT_BASE:
		return read_number(&n->virt_base, desc, size);
	case XEN_ELFNOTE_PADDR_OFFSET:
		return read_number(&n->paddr_offset, desc, size);
	case XEN_ELFNOTE_HV_START_LOW:
		return read_number(&n->hv_start_low, desc, size);
	case XEN_ELFNOTE_INIT_P2M:
		return read_number(&n->init_p2m, desc, size);
	case XEN_ELFNOTE_SUPPORTED_FEATURES:
		return read_number(&n->supported_features, desc, size);
	case XEN_ELFNOTE_MOD_START_PFN:
		if (!read_number(&number, desc, size))
			return false;
		n->mod_start_pfn = number != 0;
		return true;
	case XEN_ELFNOTE_FEATURES:
		return read_string(n->features, sizeof(n->features), desc,
				   size);
	case XEN_ELFNOTE_GUEST_OS:
		return read_string(n->guest_os, sizeof(n->guest_os), desc,
				   size);
	case XEN_ELFNOTE_GUEST_VERSION:
		return read_string(n->guest_version, sizeof(n->guest_version),
				   desc, size);
	case XEN_ELFNOTE_LOADER:
		return read_string(n->loader, sizeof(n->loader), desc, size);
	default:
		return true;
	}
}

static enum kernel_status check_addresses(const struct kernel_notes *n,
					  char *err, size_t err_size)
{
	static const struct {
		const char *name;
		size_t offset;
		u32 type;
		bool whole_page;
	} rules[] = {
#define RULE(t, member, page)                                                  \
	{ #member, offsetof(struct kernel_notes, member), t, page }
		RULE(XEN_ELFNOTE_ENTRY, entry, false),
		RULE(XEN_ELFNOTE_HYPERCALL_PAGE, hypercall_page, true),
		RULE(XEN_ELFNOTE_VIRT_BASE, virt_base, true),
		RULE(XEN_ELFNOTE_INIT_P2M, init_p2m, true),
#undef RULE
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		u64 va;

		if (!kernel_note_present(n, rules[i].type))
			continue;
		memcpy(&va, (const u8 *)n + rules[i].offset, sizeof(va));
		if (!address_usable(va) ||
		    (rules[i].whole_page && (va & ~PAGE_MASK)))
			return FAIL(KERNEL_BAD_NOTE,
				    "Xen note %s=%lx is not a usable address",
				    rules[i].name, va);
	}
	return KERNEL_OK;
}

enum kernel_status kernel_notes_parse(struct kernel_notes *notes,
				      const u8 *data, u64 size_bytes, char *err,
				      size_t err_size)
{
	u64 at = 0;

	memset(notes, 0, sizeof(*notes));
	while (size_bytes - at >= sizeof(struct elf_note)) {
		struct elf_note head;
		u64 name, desc, end;

		memcpy(&head, data + at, sizeof(head));
		name = at + sizeof(head);
		desc = name + ALIGN_UP((u64)head.namesz, 4);
		end = desc + head.descsz;
		if (end > size_bytes)
			return FAIL(KERNEL_BAD_NOTE,
				    "an ELF note is cut short");
		/* The padding of the last one may be missing. */
		at = MIN(ALIGN_UP(end, 4), size_bytes);
		if (head.namesz != 4 || memcmp(data + name, "Xen", 4) != 0)
			continue;
		if (head.type > XEN_ELFNOTE_MAX)
			continue;
		if (!read_note(notes, head.type, data + desc, head.descsz))
			return FAIL(KERNEL_BAD_NOTE,
				    "Xen note %u has a bad size of %u bytes",
				    head.type, head.descsz);
		notes->present |= 1U << head.type;
	}
	if (!kernel_note_present(notes, XEN_ELFNOTE_ENTRY) ||
	    !kernel_note_present(notes, XEN_ELFNOTE_VIRT_BASE))
		return FAIL(
			KERNEL_NO_PV_ENTRY,
			"no Xen PV entry: the kernel is not built for paravirtual 64-bit domains");
	return check_addresses(notes, err, err_size);
}
