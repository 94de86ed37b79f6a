// SPDX-License-Identifier: Apache-2.0
/*
 * flush-check DEVICE: writes numbered blocks all over its first 4 MiB, and
 * after each flush that has succeeded says on standard output which number it
 * covers:
 *
 *   ACK 128
 *
 * Write I goes to block I * 167 % 1024, and fills it with 64-bit words, each
 * I * 2^16 + the word's number. Whoever finds the device after a power cut can
 * thus tell whether anything is lost that was said to be safe.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define BLOCKS 1024
#define STRIDE 167
#define WRITES_PER_FLUSH 8
#define WORDS (BLOCK_BYTES / sizeof(uint64_t))

int main(int argc, char **argv)
{
	uint64_t *block;
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_DIRECT) : -1;

	if (fd < 0 || posix_memalign((void **)&block, BLOCK_BYTES, BLOCK_BYTES))
		return 2;
	for (uint64_t i = 1;; i++) {
		off_t at = (off_t)(i * STRIDE % BLOCKS * BLOCK_BYTES);

		for (unsigned int w = 0; w < WORDS; w++)
			block[w] = i << 16 | w;
		if (pwrite(fd, block, BLOCK_BYTES, at) != BLOCK_BYTES) {
			perror("write");
			return 1;
		}
		if (i % WRITES_PER_FLUSH)
			continue;
		if (fdatasync(fd)) {
			perror("flush");
			return 1;
		}
		printf("ACK %llu\n", (unsigned long long)i);
		fflush(stdout);
	}
}
