// SPDX-License-Identifier: Apache-2.0
/*
 * System calls, signals and processes. null_call is getppid; null_io is a read
 * of /dev/zero and a write to /dev/null; slct_tcp waits on 100 idle sockets;
 * exec_proc starts a static program, sh_proc a shell that starts one.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "micro.h"

#define SOCKETS 100
#define FILE_NAME WORK_DIR "/f"

static int zero_fd, null_fd, highest_socket;
static fd_set sockets;

/* No kernel at all: the control. */
static void user_loop(int count)
{
	for (volatile int i = 0; i < count; i++)
		;
}

static void null_call(int count)
{
	while (count--)
		syscall(SYS_getppid);
}

static void null_io(int count)
{
	char c = 0;

	while (count--) {
		CHECK(read(zero_fd, &c, 1) == 1);
		CHECK(write(null_fd, &c, 1) == 1);
	}
}

static void stat_file(int count)
{
	struct stat st;

	while (count--)
		CHECK(stat(FILE_NAME, &st) == 0);
}

static void open_close(int count)
{
	while (count--)
		close(open(FILE_NAME, O_RDONLY));
}

static void slct_tcp(int count)
{
	while (count--) {
		fd_set set = sockets;
		struct timeval none = { 0, 0 };

		select(highest_socket + 1, NULL, &set, NULL, &none);
	}
}

static void on_usr1(int number)
{
	(void)number;
}

static void sig_inst(int count)
{
	struct sigaction action = { .sa_handler = on_usr1 };

	while (count--)
		sigaction(SIGUSR1, &action, NULL);
}

static void sig_hndl(int count)
{
	pid_t self = getpid();

	while (count--)
		kill(self, SIGUSR1);
}

static void fork_proc(int count)
{
	while (count--) {
		if (!fork())
			_exit(0);
		reap();
	}
}

static void exec_proc(int count)
{
	while (count--) {
		if (!fork()) {
			execl("/bin/hello", "hello", NULL);
			_exit(1);
		}
		reap();
	}
}

static void sh_proc(int count)
{
	while (count--) {
		if (!fork()) {
			execl("/bin/sh", "sh", "-c", "/bin/hello; :", NULL);
			_exit(1);
		}
		reap();
	}
}

const struct row process_rows[] = {
	{ "user_loop", user_loop, 1000000 }, { "null_call", null_call, 20000 },
	{ "null_io", null_io, 5000 },        { "stat", stat_file, 5000 },
	{ "open_close", open_close, 2000 },  { "slct_tcp", slct_tcp, 500 },
	{ "sig_inst", sig_inst, 10000 },     { "sig_hndl", sig_hndl, 3000 },
	{ "fork_proc", fork_proc, 40 },      { "exec_proc", exec_proc, 20 },
	{ "sh_proc", sh_proc, 12 },
};
const size_t process_row_count = sizeof(process_rows) / sizeof(process_rows[0]);

void process_set_up(void)
{
	struct sigaction action = { .sa_handler = on_usr1 };
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = open(FILE_NAME, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	close(fd);
	zero_fd = open("/dev/zero", O_RDONLY);
	null_fd = open("/dev/null", O_WRONLY);
	CHECK(zero_fd >= 0 && null_fd >= 0);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < SOCKETS; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(fd >= 0);
		CHECK(bind(fd, (void *)&address, sizeof(address)) == 0);
		CHECK(listen(fd, 1) == 0);
		FD_SET(fd, &sockets);
		highest_socket = fd;
	}
}
