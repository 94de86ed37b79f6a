// SPDX-License-Identifier: Apache-2.0
/* See meters.h. */
#include "meters.h"

#include <stddef.h>

#define NS_PER_S 1000000000

static const struct acct_meter_info meters[ACCT_METERS] = {
	[ACCT_VCPU] = { "vcpu", "ns", "ns", "ns", 1, false },
	[ACCT_MEMORY] = { "memory", "bytes", "byte-ns", "byte-seconds",
			  NS_PER_S, true },
	[ACCT_DISK] = { "disk", "bytes", "byte-ns", "byte-seconds", NS_PER_S,
			true },
	[ACCT_READ_REQUESTS] = { "read-requests", "requests", "requests",
				 "requests", 1, false },
	[ACCT_READ_BYTES] = { "read-bytes", "bytes", "bytes", "bytes", 1,
			      false },
	[ACCT_WRITE_REQUESTS] = { "write-requests", "requests", "requests",
				  "requests", 1, false },
	[ACCT_WRITE_BYTES] = { "write-bytes", "bytes", "bytes", "bytes", 1,
			       false },
	[ACCT_NET_SENT] = { "net-sent", "bytes", "bytes", "bytes", 1, false },
	[ACCT_NET_RECEIVED] = { "net-received", "bytes", "bytes", "bytes", 1,
				false },
};

const struct acct_meter_info *acct_meter_info(uint32_t meter)
{
	return meter && meter < ACCT_METERS ? &meters[meter] : NULL;
}
