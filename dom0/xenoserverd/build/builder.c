// SPDX-License-Identifier: Apache-2.0
/* See builder.h. All that can be known to be wrong is found out before the
 * hypervisor is asked for anything. */
#include "build/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hv/guest_layout.h>
#include <hv/hypercall_page.h>

#include <xen/elfnote.h>

#include "build/kernel_loader.h"
#include "build/page_tables.h"
#include "build/start_info.h"

/* Pages of the ramdisk read and written at a time. */
#define CHUNK_PAGES 128UL

struct builder {
	struct hv *hv;
	const struct build_request *request;
	struct loaded_kernel kernel;
	int ramdisk_fd;
	u64 ramdisk_bytes;
	struct guest_layout layout;
	u64 nr_pages;
	u64 *p2m; /* in whole pages, as the domain gets it */
	size_t p2m_bytes;
	struct built_domain *out;
};

static void *map_zeroed(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int open_ramdisk(struct builder *b, struct error *err)
{
	const char *path = b->request->ramdisk;
	struct stat st;

	if (!*path)
		return 0;
	b->ramdisk_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->ramdisk_fd < 0 || fstat(b->ramdisk_fd, &st))
		return error_set(err, ERR_MISSING_RAMDISK, "ramdisk %s: %s",
				 path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return error_set(err, ERR_MISSING_RAMDISK,
				 "ramdisk %s: empty, or not a file", path);
	b->ramdisk_bytes = (u64)st.st_size;
	return 0;
}

static int compute_layout(struct builder *b, struct error *err)
{
	struct layout_request r = {
		.notes = &b->kernel.notes,
		.start_paddr = b->kernel.start_paddr,
		.end_paddr = b->kernel.end_paddr,
		.initrd_bytes = b->ramdisk_bytes,
		.nr_pages = b->nr_pages,
		.with_rings = true,
	};
	char message[160];
	int rc = guest_layout_compute(&b->layout, &r, message, sizeof(message));

	if (rc)
		return error_set(err,
				 rc == -ENOMEM ? ERR_TOO_LITTLE_MEMORY
					       : ERR_BAD_NOTE,
				 "%s", message);
	return 0;
}

/* Without the hypervisor. */
static int prepare(struct builder *b, struct error *err)
{
	const struct build_request *r = b->request;

	b->nr_pages = r->memory_bytes / PAGE_SIZE;
	if (r->max_memory_bytes < r->memory_bytes)
		return error_set(err, ERR_INVALID,
				 "less memory allowed than given");
	if (open_ramdisk(b, err) || kernel_load(&b->kernel, r->kernel, err) ||
	    compute_layout(b, err))
		return -1;
	b->p2m_bytes = b->layout.p2m_data_pages * PAGE_SIZE;
	b->p2m = map_zeroed(b->p2m_bytes);
	if (!b->p2m)
		return error_set(err, ERR_SYSTEM, "no memory for a p2m");
	return 0;
}

static int write_pages(struct builder *b, u64 pfn, u64 count, const void *pages,
		       struct error *err)
{
	return hv_memory_write(b->hv, b->out->id, b->p2m + pfn, count, pages,
			       err);
}

/* New memory is zeroed: only what the file had is written. */
static int write_kernel(struct builder *b, struct error *err)
{
	const struct loaded_kernel *k = &b->kernel;

	for (u32 i = 0; i < k->segment_count; i++) {
		const struct kernel_segment *s = &k->segments[i];
		u64 first = ALIGN_DOWN(s->paddr, PAGE_SIZE) - k->start_paddr;
		u64 end = ALIGN_UP(s->paddr + s->file_bytes, PAGE_SIZE) -
			  k->start_paddr;

		if (s->file_bytes && write_pages(b,
						 b->layout.kernel_start_pfn +
							 (first >> PAGE_SHIFT),
						 (end - first) >> PAGE_SHIFT,
						 k->bytes + first, err))
			return -1;
	}
	return 0;
}

static int write_hypercall_page(struct builder *b, struct error *err)
{
	const struct kernel_notes *n = &b->kernel.notes;
	u8 page[PAGE_SIZE];

	if (!kernel_note_present(n, XEN_ELFNOTE_HYPERCALL_PAGE))
		return 0;
	hypercall_page_fill(page);
	return write_pages(b, (n->hypercall_page - n->virt_base) >> PAGE_SHIFT,
			   1, page, err);
}

/* size bytes of the file, or as many as there are; the rest is zeroed. */
static int read_fully(int fd, u8 *buffer, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, buffer + done, size - done,
				  offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	memset(buffer + done, 0, size - done);
	return 0;
}

static int copy_ramdisk(struct builder *b, u8 *buffer, struct error *err)
{
	const struct guest_layout *l = &b->layout;

	for (u64 at = 0; at < l->initrd_pages; at += CHUNK_PAGES) {
		u64 count = MIN(CHUNK_PAGES, l->initrd_pages - at);

		if (read_fully(b->ramdisk_fd, buffer, count * PAGE_SIZE,
			       (off_t)(at * PAGE_SIZE)))
			return error_set(err, ERR_SYSTEM, "ramdisk: %s",
					 strerror(errno));
		if (write_pages(b, l->initrd_pfn + at, count, buffer, err))
			return -1;
	}
	return 0;
}

static int write_ramdisk(struct builder *b, struct error *err)
{
	u8 *buffer = malloc(CHUNK_PAGES * PAGE_SIZE);
	int rc;

	if (!buffer)
		return error_set(err, ERR_SYSTEM, "no memory");
	rc = copy_ramdisk(b, buffer, err);
	free(buffer);
	return rc;
}

static int write_tables(struct builder *b, struct error *err)
{
	const struct guest_layout *l = &b->layout;
	u64 outside = l->p2m_mapped ? 0 : l->p2m_pages - l->p2m_data_pages;
	size_t bytes = (l->pt_pages + outside) * PAGE_SIZE;
	u64 *tables = map_zeroed(bytes);
	u64 *p2m_tables = tables + l->pt_pages * (PAGE_SIZE / sizeof(u64));
	int rc;

	if (!tables)
		return error_set(err, ERR_SYSTEM, "no memory for page tables");
	page_tables_fill(l, b->p2m, tables, p2m_tables);
	rc = write_pages(b, l->pt_base_pfn, l->pt_pages, tables, err);
	if (!rc && outside)
		rc = write_pages(b, l->p2m_pfn + l->p2m_data_pages, outside,
				 p2m_tables, err);
	munmap(tables, bytes);
	return rc;
}

static int write_start_info(struct builder *b, struct error *err)
{
	struct built_domain *out = b->out;
	u8 page[PAGE_SIZE] = { 0 };
	struct hv_domain info;
	struct start_facts facts = {
		.layout = &b->layout,
		.p2m = b->p2m,
		.nr_pages = b->nr_pages,
		.initrd_bytes = b->ramdisk_bytes,
		.command_line = b->request->command_line,
	};

	if (hv_domain_info(b->hv, out->id, &info, err) ||
	    hv_port_alloc(b->hv, out->id, &out->store_port, err) ||
	    hv_port_alloc(b->hv, out->id, &out->console_port, err))
		return -1;
	if (hv_events_mask(b->hv, out->id, info.shared_info_mfn, err))
		return -1;
	facts.shared_info_mfn = info.shared_info_mfn;
	facts.store_port = out->store_port;
	facts.console_port = out->console_port;
	if (start_info_fill(page, &facts, err))
		return -1;
	return write_pages(b, b->layout.start_info_pfn, 1, page, err);
}

/* Rings start empty, whoever had these frames before. */
static int write_rings(struct builder *b, struct error *err)
{
	static const u8 zeros[PAGE_SIZE];

	if (write_pages(b, b->layout.store_pfn, 1, zeros, err))
		return -1;
	return write_pages(b, b->layout.console_pfn, 1, zeros, err);
}

/* With the hypervisor, once the domain exists. */
static int fill_domain(struct builder *b, struct error *err)
{
	const struct guest_layout *l = &b->layout;
	struct built_domain *out = b->out;
	struct hv_start start = {
		.entry = b->kernel.notes.entry,
		.stack_end = layout_va(l, l->stack_pfn + 1),
		.start_info = layout_va(l, l->start_info_pfn),
	};

	if (hv_memory_populate(b->hv, out->id, 0, b->nr_pages, b->p2m, err))
		return -1;
	out->store_frame = b->p2m[l->store_pfn];
	out->console_frame = b->p2m[l->console_pfn];
	start.l4_mfn = b->p2m[l->pt_base_pfn];
	if (write_kernel(b, err) || write_hypercall_page(b, err) ||
	    write_ramdisk(b, err) || write_start_info(b, err) ||
	    write_rings(b, err) ||
	    write_pages(b, l->p2m_pfn, l->p2m_data_pages, b->p2m, err) ||
	    write_tables(b, err) ||
	    hv_grants_seed(b->hv, out->id, out->console_frame, out->store_frame,
			   err) ||
	    hv_tables_pin(b->hv, out->id, start.l4_mfn, err))
		return -1;
	return hv_vcpu_set_start(b->hv, out->id, &start, err);
}

static int create_and_fill(struct builder *b, struct error *err)
{
	struct error ignored;

	if (hv_domain_create(b->hv, b->request->vcpus,
			     b->request->max_memory_bytes / PAGE_SIZE,
			     &b->out->id, err))
		return -1;
	if (fill_domain(b, err) == 0)
		return 0;
	hv_domain_destroy(b->hv, b->out->id, &ignored);
	return -1;
}

int build_domain(struct hv *hv, const struct build_request *r,
		 struct built_domain *out, struct error *err)
{
	struct builder b = {
		.hv = hv, .request = r, .ramdisk_fd = -1, .out = out
	};
	int rc = prepare(&b, err);

	if (rc == 0)
		rc = create_and_fill(&b, err);
	kernel_unload(&b.kernel);
	if (b.p2m)
		munmap(b.p2m, b.p2m_bytes);
	if (b.ramdisk_fd >= 0)
		close(b.ramdisk_fd);
	return rc;
}
