// SPDX-License-Identifier: Apache-2.0
/* Tests of storage/pool.c, in a folder of the host. */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/pool.h"
#include "unit.h"

#define MIB (1U << 20)

static char folder[64], images[80];
static struct pool pool = { folder, images };
static struct error err;

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pool-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(images, sizeof(images), "%s/images", folder);
	return mkdir(images, 0700);
}

static int remove_one(const char *path, const struct stat *s, int type,
		      struct FTW *at)
{
	(void)s;
	(void)type;
	(void)at;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void in_folder(char out[160], const char *name)
{
	snprintf(out, 160, "%s/%s", folder, name);
}

static void make_image(const char *name, size_t bytes)
{
	char path[160], text[64];
	FILE *f;

	snprintf(text, sizeof(text), "images/%s", name);
	in_folder(path, text);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < bytes; i++)
		fputc('x', f);
	fclose(f);
}

static void volume_has_the_image_and_zeros_behind(void **state)
{
	static char got[3 * MIB];
	char path[160];
	FILE *f;

	(void)state;
	make_image("debian", MIB + 5);
	assert_int_equal(
		pool_create(&pool, "dom_1", "xvda", 3 * MIB, "debian", &err),
		0);
	in_folder(path, "dom_1.xvda");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got), f), sizeof(got));
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
	for (size_t i = 0; i < sizeof(got); i++)
		assert_int_equal(got[i], i < MIB + 5 ? 'x' : 0);
}

static void one_that_is_there_is_kept(void **state)
{
	char path[160];
	struct stat before, after;

	(void)state;
	in_folder(path, "dom_1.xvda");
	assert_int_equal(pool_create(&pool, "dom_1", "xvda", MIB, "", &err), 0);
	assert_int_equal(stat(path, &before), 0);
	/* All of its blocks are there. */
	assert_true(before.st_blocks * 512 >= MIB);
	assert_int_equal(pool_create(&pool, "dom_1", "xvda", MIB, "", &err), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(pool_create(&pool, "dom_1", "xvda", 2 * MIB, "", &err),
			 -1);
	assert_int_equal(err.code, ERR_EXISTS);
}

static void what_cannot_be_made_leaves_nothing(void **state)
{
	char path[160];

	(void)state;
	make_image("large", MIB + 1);
	assert_int_equal(
		pool_create(&pool, "dom_1", "xvda", MIB, "large", &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_int_equal(pool_create(&pool, "dom_1", "xvda", MIB, "none", &err),
			 -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	/* More than any file system has. */
	assert_int_equal(
		pool_create(&pool, "dom_1", "xvda", 1ULL << 62, "", &err), -1);
	assert_int_equal(err.code, ERR_SYSTEM);
	in_folder(path, "dom_1.xvda");
	assert_int_equal(access(path, F_OK), -1);
	in_folder(path, "dom_1.xvda.unfinished");
	assert_int_equal(access(path, F_OK), -1);
}

static void removal_takes_what_was_cut_short_too(void **state)
{
	char path[160];

	(void)state;
	in_folder(path, "dom_1.xvda.unfinished");
	fclose(fopen(path, "w"));
	assert_int_equal(pool_create(&pool, "dom_1", "xvdb", MIB, "", &err), 0);
	assert_int_equal(pool_remove(&pool, "dom_1", "xvda", &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(pool_remove(&pool, "dom_1", "xvdb", &err), 0);
	assert_int_equal(pool_remove(&pool, "dom_1", "xvdb", &err), 0);
	in_folder(path, "dom_1.xvdb");
	assert_int_equal(access(path, F_OK), -1);
}

static void size_counts_what_is_used_and_what_is_left(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(pool_size(&pool, &bytes, &err), 0);
	assert_true(bytes > MIB);
	pool.folder = "/nonexistent";
	assert_int_equal(pool_size(&pool, &bytes, &err), -1);
	pool.folder = folder;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

/* Also over what an attempt that was cut short has left there. */
static void growth_is_zeros(void **state)
{
	char path[160], bytes[4096], zeros[4096] = { 0 };
	FILE *f;

	(void)state;
	make_image("deb", 4096);
	assert_int_equal(pool_create(&pool, "vol_1", "disk", MIB, "deb", &err),
			 0);
	in_folder(path, "vol_1.disk");
	f = fopen(path, "r+");
	fseek(f, MIB, SEEK_SET);
	fputs("of somebody else", f);
	fclose(f);
	for (int i = 0; i < 2; i++) {
		struct stat st;

		assert_int_equal(
			pool_grow(&pool, "vol_1", "disk", MIB, 2 * MIB, &err),
			0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 2 * MIB);
		assert_true(st.st_blocks * 512 >= 2 * MIB);
	}
	f = fopen(path, "r");
	assert_int_equal(fread(bytes, 1, sizeof(bytes), f), sizeof(bytes));
	assert_int_equal(bytes[4095], 'x');
	fseek(f, MIB, SEEK_SET);
	for (unsigned int i = 0; i < MIB / 4096; i++) {
		assert_int_equal(fread(bytes, 1, sizeof(bytes), f),
				 sizeof(bytes));
		assert_memory_equal(bytes, zeros, sizeof(bytes));
	}
	fclose(f);
	assert_int_equal(pool_grow(&pool, "vol_1", "disk", MIB, MIB, &err), 0);
	assert_int_equal(pool_grow(&pool, "vol_2", "disk", MIB, 2 * MIB, &err),
			 -1);
	assert_int_equal(
		pool_grow(&pool, "vol_1", "disk", 2 * MIB, 1ULL << 60, &err),
		-1);
	assert_int_equal(pool_remove(&pool, "vol_1", "disk", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(volume_has_the_image_and_zeros_behind),
		TEST(one_that_is_there_is_kept),
		TEST(what_cannot_be_made_leaves_nothing),
		TEST(removal_takes_what_was_cut_short_too),
		TEST(size_counts_what_is_used_and_what_is_left),
		TEST(growth_is_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
