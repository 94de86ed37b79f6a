// SPDX-License-Identifier: Apache-2.0
/*
 * rest-server FOLDER [TCP-ADDRESS [CERTIFICATE KEY]]: the real service with the
 * fake machine, for tests over HTTP. FOLDER has api.sock, state.db, the folders
 * boot and images, the fake machine's world, and may have a first
 * operator.token. When the node was asked to stop, and has, it ends with status
 * 3.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/fake_machine.h"
#include "api/service.h"

#define PATH_BYTES 256

static atomic_bool is_stopped;

static void stopped(void *context)
{
	(void)context;
	atomic_store(&is_stopped, true);
	kill(getpid(), SIGTERM);
}

int main(int argc, char **argv)
{
	static char socket_path[PATH_BYTES], store[PATH_BYTES],
		world[PATH_BYTES], boot[PATH_BYTES], images[PATH_BYTES],
		token[PATH_BYTES];
	struct machine machine;
	struct service_options options = {
		.orchestration = {
			.store_path = store,
			.machine = &machine,
			.node_memory_bytes = 1ULL << 30,
			.node_cpu_permille = 250,
			.domain_overhead_bytes = 1 << 20,
			.end_timeout_ms = 1500,
			.stopped = stopped,
		},
		.socket_path = socket_path,
		.operator_group = (gid_t)-1,
		.operator_token_path = token,
		.tcp_address = argc > 2 ? argv[2] : NULL,
		.certificate_path = argc > 4 ? argv[3] : NULL,
		.key_path = argc > 4 ? argv[4] : NULL,
		.image_folders = { [IMAGE_BOOT] = boot, [IMAGE_DISK] = images },
	};
	struct error err;

	if (argc < 2)
		return 2;
	snprintf(socket_path, sizeof(socket_path), "%s/api.sock", argv[1]);
	snprintf(store, sizeof(store), "%s/state.db", argv[1]);
	snprintf(world, sizeof(world), "%s/world", argv[1]);
	snprintf(token, sizeof(token), "%s/operator.token", argv[1]);
	snprintf(boot, sizeof(boot), "%s/boot", argv[1]);
	snprintf(images, sizeof(images), "%s/images", argv[1]);
	mkdir(world, 0700);
	mkdir(boot, 0700);
	mkdir(images, 0700);
	fake_machine_open(&machine, world);
	if (service_run(&options, &err)) {
		fprintf(stderr, "rest-server: %s\n", err.message);
		return 1;
	}
	return atomic_load(&is_stopped) ? 3 : 0;
}
