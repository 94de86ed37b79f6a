// SPDX-License-Identifier: Apache-2.0
/* See leases.h. */
#include "network/leases.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 280

static void lease_path(char path[PATH_BYTES], const char *folder,
		       uint32_t domain_id, uint32_t vif)
{
	snprintf(path, PATH_BYTES, "%s/hosts/%u.%u", folder, domain_id, vif);
}

/* One that does not run will read everything when it starts. */
static void tell(const char *folder, int signal)
{
	char path[PATH_BYTES], line[16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/pid", folder);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(line, sizeof(line), f)) {
		long pid = strtol(line, NULL, 10);

		if (pid > 1)
			kill((pid_t)pid, signal);
	}
	fclose(f);
}

int lease_add(const char *folder, uint32_t domain_id, uint32_t vif,
	      const uint8_t mac[6], const uint8_t ipv4[4], struct error *err)
{
	char path[PATH_BYTES];
	FILE *f;
	int rc;

	if (!folder)
		return 0;
	lease_path(path, folder, domain_id, vif);
	f = fopen(path, "we");
	rc = f ? fprintf(f, "%02x:%02x:%02x:%02x:%02x:%02x,%u.%u.%u.%u\n",
			 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5],
			 ipv4[0], ipv4[1], ipv4[2], ipv4[3])
	       : -1;
	if (!f || fclose(f) || rc < 0)
		return error_set(err, ERR_SYSTEM, "%s: %s", path,
				 strerror(errno));
	tell(folder, SIGHUP);
	return 0;
}

void lease_remove(const char *folder, uint32_t domain_id, uint32_t vif)
{
	char path[PATH_BYTES];

	if (!folder)
		return;
	lease_path(path, folder, domain_id, vif);
	if (unlink(path) == 0)
		tell(folder, SIGTERM);
}
