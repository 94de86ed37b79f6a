// SPDX-License-Identifier: Apache-2.0
/*
 * xenoserverd [-s SOCKET] [LOG-FOLDER [LEASE-FOLDER]]: looks after domains,
 * until ended. What their consoles say goes to files of LOG-FOLDER too. See
 * xeno-dom.c for how it is asked.
 */
#include <stdio.h>
#include <string.h>

#include "serve/server.h"

#define DEFAULT_SOCKET "/run/xeno-dom.socket"

int main(int argc, char **argv)
{
	struct server_options options = { .socket_path = DEFAULT_SOCKET };
	struct error err;

	argv++;
	argc--;
	if (argc >= 2 && strcmp(argv[0], "-s") == 0) {
		options.socket_path = argv[1];
		argv += 2;
		argc -= 2;
	}
	if (argc > 2) {
		fprintf(stderr, "usage: xenoserverd [-s SOCKET] "
				"[LOG-FOLDER [LEASE-FOLDER]]\n");
		return 2;
	}
	if (argc > 0)
		options.log_folder = argv[0];
	if (argc > 1)
		options.lease_folder = argv[1];
	if (server_run(&options, &err)) {
		fprintf(stderr, "xenoserverd: %s\n", err.message);
		return 1;
	}
	return 0;
}
