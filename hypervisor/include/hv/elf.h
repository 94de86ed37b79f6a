/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the ELF64 format that loading a kernel needs. */
#ifndef HV_ELF_H
#define HV_ELF_H

#include <hv/types.h>

#define ELF_CLASS_64 2
#define ELF_DATA_LITTLE 1
#define ELF_MACHINE_X86_64 62
#define ELF_TYPE_EXEC 2
#define ELF_TYPE_DYN 3
#define ELF_PT_LOAD 1
#define ELF_PT_NOTE 4

struct elf64_header {
	u8 ident[16]; /* magic, class, data, version, ... */
	u16 type, machine;
	u32 version;
	u64 entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf64_program_header {
	u32 type, flags;
	u64 offset, vaddr, paddr, filesz, memsz, align;
};

struct elf_note {
	u32 namesz, descsz, type;
};

_Static_assert(sizeof(struct elf64_header) == 64, "file format");
_Static_assert(sizeof(struct elf64_program_header) == 56, "file format");

#endif
