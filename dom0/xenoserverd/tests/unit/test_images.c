// SPDX-License-Identifier: Apache-2.0
/* Tests of storage/images.c, in a folder of the host. */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/images.h"
#include "unit.h"

static char folder[64];
static struct error err;
static const atomic_bool go_on;

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/images-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
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

static void make_file(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static unsigned int files(void)
{
	char command[100];
	unsigned int count = 0;
	FILE *f;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%u", &count), 1);
	pclose(f);
	return count;
}

static void upload_has_its_name_when_it_is_whole(void **state)
{
	char digest[DIGEST_MAX], again[DIGEST_MAX], whole[DIGEST_MAX];
	struct image_upload *u;
	struct image i, found;

	(void)state;
	make_file("deb", "old");
	assert_int_equal(image_upload_open(&u, folder, "deb", "1", &err), 0);
	assert_int_equal(image_upload_write(u, "hello ", 6, &err), 0);
	assert_int_equal(image_upload_write(u, "world", 5, &err), 0);
	assert_int_equal(image_find(folder, "deb", &found, &err), 0);
	assert_int_equal(found.bytes, 3);
	assert_int_equal(image_upload_sync(u, &err), 0);
	assert_int_equal(image_upload_finish(u, &i, digest, &err), 0);
	image_upload_close(u);
	assert_int_equal(i.bytes, 11);
	assert_false(image_same(&i, &found));
	assert_int_equal(image_find(folder, "deb", &found, &err), 0);
	assert_true(image_same(&i, &found));
	digest_make(whole, "hello world", 11);
	assert_string_equal(digest, whole);
	assert_int_equal(image_digest(folder, &found, again, &go_on, &err), 0);
	assert_string_equal(again, whole);
	assert_int_equal(files(), 1);
}

static void upload_that_is_given_up_leaves_nothing(void **state)
{
	struct image_upload *u;
	struct image i;

	(void)state;
	assert_int_equal(image_upload_open(&u, folder, "deb", "1", &err), 0);
	assert_int_equal(image_upload_write(u, "x", 1, &err), 0);
	assert_int_equal(files(), 1);
	assert_int_equal(image_find(folder, "deb", &i, &err), -1);
	image_upload_close(u);
	assert_int_equal(files(), 0);
	image_upload_close(NULL);
	/* What a process has left that was killed, and nothing else. */
	make_file(".2.upload", "");
	make_file(".upload", "");
	make_file("deb.upload", "");
	images_clean(folder);
	assert_int_equal(files(), 2);
	assert_int_equal(image_find(folder, "deb.upload", &i, &err), 0);
}

static void names_lead_nowhere_else(void **state)
{
	static const char *const names[] = { "",    ".",  "..", "../etc",
					     "a/b", ".a", "a b" };
	struct image_upload *u;
	struct image i;

	(void)state;
	for (unsigned int n = 0; n < sizeof(names) / sizeof(*names); n++) {
		assert_int_equal(image_find(folder, names[n], &i, &err), -1);
		assert_int_equal(err.code, ERR_NOT_FOUND);
		assert_int_equal(image_remove(folder, names[n], &err), -1);
		assert_int_equal(
			image_upload_open(&u, folder, names[n], "1", &err), -1);
	}
	assert_int_equal(files(), 0);
}

static void folder_is_listed_by_name(void **state)
{
	static const char *const names[] = { "c",       "a", "b.img",
					     ".hidden", "d", "e" };
	struct image *list;
	char path[100];

	(void)state;
	for (unsigned int n = 0; n < 6; n++)
		make_file(names[n], names[n]);
	snprintf(path, sizeof(path), "%s/folder", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(images_list(folder, &list, &err), 5);
	assert_string_equal(list[0].name, "a");
	assert_string_equal(list[1].name, "b.img");
	assert_int_equal(list[1].bytes, 5);
	assert_string_equal(list[4].name, "e");
	free(list);
	assert_int_equal(image_remove(folder, "a", &err), 0);
	assert_int_equal(image_remove(folder, "a", &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(images_list(path, &list, &err), 0);
	assert_null(list);
	assert_int_equal(images_list("/nowhere", &list, &err), 0);
}

static void digest_is_given_up_when_it_is_asked_to(void **state)
{
	static const atomic_bool stop = true;
	char digest[DIGEST_MAX];
	struct image i;

	(void)state;
	make_file("deb", "x");
	assert_int_equal(image_find(folder, "deb", &i, &err), 0);
	assert_int_equal(image_digest(folder, &i, digest, &stop, &err), -1);
	assert_int_equal(image_digest(folder, &i, digest, &go_on, &err), 0);
}

static void room_is_what_the_file_system_has(void **state)
{
	(void)state;
	assert_true(images_have_room(folder, 0));
	assert_false(images_have_room(folder, 1ULL << 60));
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(upload_has_its_name_when_it_is_whole),
		TEST(upload_that_is_given_up_leaves_nothing),
		TEST(names_lead_nowhere_else),
		TEST(folder_is_listed_by_name),
		TEST(digest_is_given_up_when_it_is_asked_to),
		TEST(room_is_what_the_file_system_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
