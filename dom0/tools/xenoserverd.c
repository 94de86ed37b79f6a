// SPDX-License-Identifier: Apache-2.0
/*
 * xenoserverd: looks after domains until it is ended; they go on without it.
 *
 *   -s SOCKET    for xeno-dom            -a SOCKET    of the API
 *   -l FOLDER    logs of consoles        -e FOLDER    leases
 *   -d FILE      the store               -b FOLDER    kernels and ramdisks
 *   -p FOLDER    the pool of volumes     -i FOLDER    images
 *   -t ADDRESS:PORT, -c CERTIFICATE, -k KEY           TCP, see api/service.h
 *   -g GROUP     its number: operators besides root
 *   -m SECONDS   how often meters are read; 60
 *   -u CURRENCY  of a new ledger; EUR
 *   -o FILE      an operator's token that is taken in, see api/service.h
 *
 * The pool has to be on a file system on one of the node's disks. Such a disk
 * is one of those that this very process serves to Domain 0, so the API is
 * opened when the store's folder is there: once somebody has mounted it.
 *
 * The exit status is 3 when the node was asked to stop, and all its domains
 * have: the machine is to be powered off then.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/service.h"
#include "serve/guest_machine.h"
#include "serve/server.h"
#include "util/await_folder.h"
#include "util/log.h"

#define MIB (1ULL << 20)

/* Of what the hypervisor has free: for what Domain 0 and it may yet need. */
#define NODE_MEMORY_BYTES (64 * MIB)
#define NODE_CPU_PERMILLE 250
#define DOMAIN_OVERHEAD_BYTES (2 * MIB)
#define END_TIMEOUT_MS 120000
#define OPEN_AGAIN_S 5
/* Who asks more often gets what was read before, so that asking does not fill
 * the ledger. */
#define METER_AGE_MS 5000
#define METER_EVERY_S_MOST 86400
#define EXIT_POWER_OFF 3

struct everything {
	struct server_options server;
	struct service_options service;
	struct guest_machine_options machine_options;
	struct machine machine;
	atomic_bool stopped;
};

/* Guests are looked after meanwhile, and so are Domain 0's own disks. */
static void *open_service(void *context)
{
	struct everything *e = context;
	struct service *service;
	struct error err;

	log_info("op=serve state=waiting store=%s",
		 e->service.orchestration.store_path);
	while (await_folder_of(e->service.orchestration.store_path, &err) ||
	       service_open(&service, &e->service, &err)) {
		log_failure("op=serve message=\"%s\"", err.message);
		sleep(OPEN_AGAIN_S);
	}
	return NULL;
}

static int extend(void *context, struct reactor *reactor, struct guests *guests,
		  struct error *err)
{
	struct everything *e = context;
	pthread_t opener;

	e->machine_options.reactor = reactor;
	e->machine_options.guests = guests;
	if (guest_machine_open(&e->machine, &e->machine_options, err))
		return -1;
	return pthread_create(&opener, NULL, open_service, e)
		       ? error_set(err, ERR_SYSTEM, "no thread")
		       : 0;
}

/* In the worker's thread. The reactor's gets the signal, and ends. */
static void stopped(void *context)
{
	struct everything *e = context;

	atomic_store(&e->stopped, true);
	kill(getpid(), SIGTERM);
}

static int read_option(struct everything *e, int letter, const char *value)
{
	const struct {
		char letter;
		const char **place;
	} options[] = {
		{ 's', &e->server.socket_path },
		{ 'l', &e->server.log_folder },
		{ 'e', &e->server.lease_folder },
		{ 'a', &e->service.socket_path },
		{ 't', &e->service.tcp_address },
		{ 'c', &e->service.certificate_path },
		{ 'k', &e->service.key_path },
		{ 'd', &e->service.orchestration.store_path },
		{ 'b', &e->machine_options.folders.kernels },
		{ 'p', &e->machine_options.folders.pool },
		{ 'i', &e->machine_options.images },
		{ 'u', &e->service.orchestration.currency },
		{ 'o', &e->service.operator_token_path },
	};
	char *end;
	long seconds;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].letter == letter) {
			*options[i].place = value;
			return 0;
		}
	if (letter == 'm') {
		seconds = strtol(value, &end, 10);
		e->service.orchestration.meter_interval_ms = seconds * 1000;
		return *end || seconds < 1 || seconds > METER_EVERY_S_MOST ? -1
									   : 0;
	}
	if (letter != 'g')
		return -1;
	e->service.operator_group = (gid_t)strtoul(value, &end, 10);
	return *value && !*end ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct everything e = {
		.server = { .socket_path = "/run/xeno-dom.socket" },
		.service = {
			.socket_path = "/run/xenoserver/api.sock",
			.operator_group = (gid_t)-1,
			.orchestration = {
				.store_path = "/var/lib/xenoserver/state.db",
				.node_memory_bytes = NODE_MEMORY_BYTES,
				.node_cpu_permille = NODE_CPU_PERMILLE,
				.domain_overhead_bytes = DOMAIN_OVERHEAD_BYTES,
				.end_timeout_ms = END_TIMEOUT_MS,
				.meter_age_ms = METER_AGE_MS,
			},
		},
		.machine_options = {
			.folders = { .kernels = "/boot",
				     .pool = "/var/lib/xenoserver/pool" },
			.images = "/var/lib/xenoserver/images",
		},
	};
	struct error err;
	int letter;

	while ((letter = getopt(argc, argv,
				"s:l:e:a:t:c:k:d:b:p:i:g:o:m:u:")) != -1)
		if (read_option(&e, letter, optarg))
			return 2;
	if (optind != argc)
		return 2;
	e.service.orchestration.machine = &e.machine;
	e.service.image_folders[IMAGE_BOOT] = e.machine_options.folders.kernels;
	e.service.image_folders[IMAGE_DISK] = e.machine_options.images;
	e.service.orchestration.stopped = stopped;
	e.service.orchestration.stopped_context = &e;
	e.server.extend = extend;
	e.server.extend_context = &e;
	if (server_run(&e.server, &err)) {
		fprintf(stderr, "xenoserverd: %s\n", err.message);
		_exit(1);
	}
	/* The service's threads may be anywhere: they are made to be killed. */
	_exit(atomic_load(&e.stopped) ? EXIT_POWER_OFF : 0);
}
