// SPDX-License-Identifier: Apache-2.0
/* The network cards there are (contract in hv/uplink.h). */
#include <hv/errno.h>
#include <hv/uplink.h>

static struct uplink *uplinks[UPLINKS_MAX];
static u32 uplink_count;

int uplink_register(struct uplink *u)
{
	if (uplink_count == UPLINKS_MAX)
		return -ENOSPC;
	u->id = uplink_count;
	uplinks[uplink_count++] = u;
	return 0;
}

struct uplink *uplink_find(u32 id)
{
	return id < uplink_count ? uplinks[id] : NULL;
}
