/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the xen_version operations answer, and refuse what is wrong?
 * Rule:     version 4.17; features as for a PV Domain 0 without writable page
 *           tables or auto-translation; unknown operations -ENOSYS, submaps
 *           past the first -EINVAL or empty.
 * Source:   guest-abi.md 3.4 and 3.5.
 * Expected: 0x40011, the guest's own page size, no forbidden feature bit.
 */
#include "xt.h"

void test_main(void)
{
	struct xen_feature_info fi = { .submap_idx = 0 };
	struct xen_platform_parameters pp;
	static char text[1024];
	u32 forbidden = 1 << XENFEAT_writable_page_tables |
			1 << XENFEAT_auto_translated_physmap |
			1 << XENFEAT_supervisor_mode_kernel |
			1 << XENFEAT_hvm_callback_vector;

	check_eq(xen_version(XENVER_version, NULL), 4 << 16 | 17);
	check_eq(xen_version(XENVER_extraversion, text), 0);
	check(text[0] == '.', "extraversion %s", text);
	check_eq(xen_version(XENVER_capabilities, text), 0);
	check(!memcmp(text, "xen-3.0-x86_64", 14), "capabilities %s", text);
	check_eq(xen_version(XENVER_changeset, text), 0);
	check_eq(xen_version(XENVER_platform_parameters, &pp), 0);
	check(pp.virt_start == HV_START, "virt_start %lx", pp.virt_start);
	check_eq(xen_version(XENVER_get_features, &fi), 0);
	check(fi.submap & 1 << XENFEAT_dom0 && !(fi.submap & forbidden),
	      "features %x", fi.submap);
	check(fi.submap & 1 << XENFEAT_mmu_pt_update_preserve_ad, "features %x",
	      fi.submap);
	check_eq(xen_version(XENVER_pagesize, NULL), 4096);
	check_eq(xen_version(XENVER_guest_handle, text), 0);
	check_eq(xen_version(XENVER_commandline, text), 0);
	check_eq(xen_version(99, text), -XEN_ENOSYS);
	check_eq(xen_version(-1, text), -XEN_ENOSYS);
	fi.submap_idx = 1;
	check_eq(xen_version(XENVER_get_features, &fi), -XEN_EINVAL);
	fi.submap_idx = 0xffffffff;
	check_eq(xen_version(XENVER_get_features, &fi), -XEN_EINVAL);
	fi.submap_idx = 0;
	xen_version(XENVER_get_features, &fi);
	pass("features %x", fi.submap);
}
