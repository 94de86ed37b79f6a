// SPDX-License-Identifier: Apache-2.0
/* libvirt's XML: files in the style of what others write, whatever a domain may
 * be on its way there and back, and what is hostile. LIBVIRT_SCHEMAS is the
 * folder of libvirt's schemas, LIBVIRT_FILES that of the files. */
#include <arpa/inet.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#include "libvirt/domain_xml.h"
#include "unit.h"
#include "util/ids.h"

#define ROUNDS 300

static struct domain_import got;
static struct violations wrong;
static struct error err;

static char *read_all(const char *folder, const char *name, size_t *bytes)
{
	static char text[65536];
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is not there", path);
	*bytes = fread(text, 1, sizeof(text) - 1, f);
	text[*bytes] = '\0';
	fclose(f);
	return text;
}

static int read_text(const char *text)
{
	wrong.count = 0;
	return domain_xml_read(text, strlen(text), &got, &wrong, &err);
}

static void read_file(const char *name)
{
	size_t bytes;
	char *text = read_all(getenv("LIBVIRT_FILES"), name, &bytes);

	if (read_text(text))
		fail_msg("%s: %s", name, err.message);
}

static void expect_list(const char *const *list, unsigned int count,
			const char *(*at)(unsigned int))
{
	for (unsigned int i = 0; i < count; i++)
		if (!list[i] || strcmp(at(i), list[i]) != 0)
			fail_msg("%u: %s, not %s", i, at(i), list[i]);
	assert_null(list[count]);
}

static const char *ignored_at(unsigned int i)
{
	return got.ignored[i];
}

static const char *field_at(unsigned int i)
{
	return wrong.list[i].field;
}

static void print_wrong(void)
{
	for (unsigned int i = 0; i < wrong.count; i++)
		print_message("%s is %s; it has to be %s\n",
			      wrong.list[i].field, wrong.list[i].value,
			      wrong.list[i].limit);
}

static void xl_style(void **state)
{
	static const char *const ignored[] = {
		"/domain/uuid",
		"/domain/os/kernel",
		"/domain/os/initrd",
		"/domain/clock/@offset",
		"/domain/devices/disk/source/@file",
		"/domain/devices/interface/source/@bridge",
		"/domain/devices/interface/script",
		"/domain/devices/interface/ip/@prefix",
		"/domain/currentMemory",
		NULL,
	};
	const struct domain_spec *s = &got.spec;

	(void)state;
	read_file("xl-style.xml");
	print_wrong();
	assert_int_equal(wrong.count, 0);
	expect_list(ignored, got.ignored_count, ignored_at);
	assert_string_equal(s->name, "mail");
	assert_string_equal(s->kernel, "vmlinuz-6.1");
	assert_string_equal(s->ramdisk, "initrd.img-6.1");
	assert_string_equal(s->command, "root=/dev/xvda ro console=hvc0");
	assert_int_equal(s->memory_bytes, 512 << 20);
	assert_int_equal(s->vcpus, 2);
	assert_int_equal(s->on_crash, END_RESTART);
	assert_int_equal(s->disk_count, 1);
	assert_string_equal(s->disks[0].image, "mail.img");
	assert_int_equal(s->disks[0].size_bytes, 1 << 30);
	assert_string_equal(s->nics[0].mac, "00:16:3e:66:12:b4");
	assert_string_equal(s->nics[0].addresses[0], "192.0.2.25");
	assert_string_equal(got.tenant, "");
}

static void virt_manager(void **state)
{
	static const char *const ignored[] = {
		"/domain/@id",
		"/domain/uuid",
		"/domain/title",
		"/domain/metadata/libosinfo:libosinfo",
		"/domain/vcpu/@cpuset",
		"/domain/cputune/shares",
		"/domain/features",
		"/domain/clock/@adjustment",
		"/domain/devices/emulator",
		"/domain/devices/disk[1]/source/@file",
		"/domain/devices/disk[1]/boot",
		"/domain/devices/disk[2]/iotune",
		"/domain/devices/controller",
		"/domain/devices/interface[1]/source/@network",
		"/domain/devices/interface[1]/model",
		"/domain/devices/interface[1]/bandwidth",
		"/domain/devices/interface[1]/target",
		"/domain/devices/console/@tty",
		"/domain/devices/console/source",
		"/domain/devices/input[1]",
		"/domain/devices/input[2]",
		"/domain/devices/graphics",
		"/domain/devices/video",
		"/domain/devices/disk[2]/source/@pool",
		"/domain/devices/disk[2]/source/@volume",
		NULL,
	};
	const struct domain_spec *s = &got.spec;

	(void)state;
	read_file("virt-manager.xml");
	print_wrong();
	assert_int_equal(wrong.count, 0);
	expect_list(ignored, got.ignored_count, ignored_at);
	assert_string_equal(got.tenant, "acme");
	assert_int_equal(s->memory_bytes, 2LL << 30);
	assert_int_equal(s->cpu_reservation_permille, 250);
	assert_int_equal(s->cpu_cap_permille, 2000);
	assert_string_equal(s->command,
			    "console=hvc0 root=/dev/xvda quiet=\"a & b\"");
	assert_int_equal(s->disk_count, 2);
	assert_true(s->disks[0].writable);
	assert_false(s->disks[1].writable);
	assert_string_equal(s->disks[0].image, "debian12");
	assert_string_equal(s->disks[1].image, "");
	assert_int_equal(s->nic_count, 2);
	assert_string_equal(s->nics[0].mac, "00:16:3e:0f:01:02");
	assert_string_equal(s->labels[0].value, "shop");
}

/* What is not there has libvirt's default, or else the node's. */
static void least(void **state)
{
	static const char *const ignored[] = { NULL };

	(void)state;
	read_file("least.xml");
	print_wrong();
	assert_int_equal(wrong.count, 0);
	expect_list(ignored, got.ignored_count, ignored_at);
	assert_int_equal(got.spec.memory_bytes, 16777216 + 4096);
	assert_int_equal(got.spec.vcpus, 1);
	assert_int_equal(got.spec.cpu_reservation_permille, SPEC_CPU_USUAL);
	assert_int_equal(got.spec.on_poweroff, END_DESTROY);
	assert_int_equal(got.spec.on_reboot, END_RESTART);
	assert_int_equal(got.spec.on_crash, END_DESTROY);
}

static void refused(void **state)
{
	static const char *const hvm[] = {
		"/domain/os/type",
		"/domain/os/type/@machine",
		"/domain/os/loader",
		"/domain/devices/disk[1]/@type",
		"/domain/devices/disk[2]/@device",
		"/domain/devices/hostdev",
		"/domain/devices/tpm",
		"/domain/os/kernel",
		NULL,
	};
	static const char *const pygrub[] = {
		"/domain/bootloader",
		"/domain/on_crash",
		"/domain/devices/disk/driver/@type",
		"/domain/devices/disk/target/@bus",
		"/domain/devices/disk/shareable",
		"/domain/devices/interface[1]/@type",
		"/domain/devices/interface[2]/vlan",
		"/domain/devices/interface[2]/filterref/@filter",
		"/domain/devices/filesystem",
		"/domain/os/kernel",
		"/domain/metadata/xs:xenoserver/xs:disk[@device='sda']",
		"/domain/devices/disk[1]/target/@dev",
		"/domain/devices/interface[1]/mac/@address",
		"/domain/devices/interface[1]/ip[1]/@address",
		NULL,
	};
	static const char *const kvm[] = {
		"/domain/@type",
		"/domain/name[2]",
		"/domain/memory",
		"/domain/cputune/period",
		"/domain/cputune/quota",
		"/domain/os/type/@arch",
		"/domain/os/type/@machine",
		"/domain/name",
		"/domain/os/kernel",
		"/domain/vcpu",
		NULL,
	};

	(void)state;
	read_file("hvm.xml");
	print_wrong();
	expect_list(hvm, wrong.count, field_at);
	read_file("pygrub.xml");
	print_wrong();
	expect_list(pygrub, wrong.count, field_at);
	read_file("kvm.xml");
	print_wrong();
	expect_list(kvm, wrong.count, field_at);
}

/* Nothing is expanded, nothing is fetched, nothing is read beside the text. */
static void hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"<",
		"<domain type='xen'>",
		"<domain type='xen'/><domain/>",
		"<domain>&undefined;</domain>",
		"<!DOCTYPE domain><domain type='xen'/>",
		"<!DOCTYPE domain SYSTEM 'http://127.0.0.1:9/x.dtd'>"
		"<domain type='xen'/>",
		"<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
		"<domain type='xen'><name>&a;</name></domain>",
		"<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'>"
		"<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
		"<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"
		"<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"
		"<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'>"
		"<!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>]>"
		"<domain type='&f;'><name>&f;</name></domain>",
		"<other type='xen'/>",
		"<x:domain xmlns:x='urn:x' type='xen'/>",
		"<domain type='xen'><name>\xff\xfe</name></domain>",
	};
	static char deep[60000];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (read_text(texts[i]) == 0)
			fail_msg("accepted: %s", texts[i]);
	for (size_t i = 0; i + 3 < sizeof(deep); i += 3)
		memcpy(deep + i, "<a>", 3);
	assert_int_equal(read_text(deep), -1);
	/* An encoding that is declared does not change how it is read. */
	assert_int_equal(read_text("<?xml version='1.0' encoding='UTF-16'?>"
				   "<domain type='xen'/>"),
			 0);
	/* xi:include is an element like any other. */
	assert_int_equal(
		read_text("<domain type='xen' xmlns:xi="
			  "'http://www.w3.org/2001/XInclude'><name>"
			  "<xi:include href='/etc/hostname' parse='text'/>"
			  "</name></domain>"),
		0);
	assert_string_equal(got.spec.name, "");
}

/* More than there is room for changes nothing beyond it. */
static void many(void **state)
{
	struct strbuf text = { .text = NULL };

	(void)state;
	strbuf_add(&text, "<domain type='xen'><devices>");
	for (int i = 0; i < 200; i++)
		strbuf_add(&text, "<disk><target dev='xvda'/></disk>"
				  "<interface/><sound model='x'/>");
	strbuf_add(&text, "</devices><metadata><x:xenoserver xmlns:x='%s'>",
		   "urn:xenoserver:domain:1.0");
	for (int i = 0; i < 100; i++)
		strbuf_add(&text,
			   "<x:label key='k%d' value=''/>"
			   "<x:disk device='xvda' size_bytes='1'/>",
			   i);
	strbuf_add(&text, "</x:xenoserver></metadata></domain>");
	assert_int_equal(read_text(text.text), 0);
	assert_int_equal(got.spec.disk_count, CONFIG_DISKS_MAX);
	assert_int_equal(got.spec.nic_count, CONFIG_VIFS_MAX);
	assert_int_equal(got.spec.label_count, SPEC_LABELS_MAX);
	assert_int_equal(got.ignored_count, XML_IGNORED_MAX);
	assert_int_equal(wrong.count, VIOLATIONS_MAX);
	strbuf_clear(&text);
}

static unsigned int seed = 1;

static unsigned int below(unsigned int limit)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % limit;
}

static void make_text(char *out, unsigned int most, const char *letters)
{
	unsigned int length = below(most + 1);

	for (unsigned int i = 0; i < length; i++)
		out[i] = letters[below((unsigned int)strlen(letters))];
	out[length] = '\0';
}

static const char name_letters[] = "abcXYZ019._-";

static void make_name(char *out, unsigned int most)
{
	out[0] = "aZ3"[below(3)];
	make_text(out + 1, most - 1, name_letters);
}

static void make_nic(struct nic_spec *n)
{
	if (below(2))
		snprintf(n->mac, sizeof(n->mac),
			 "%02x:%02x:%02x:%02x:%02x:%02x", below(128) * 2,
			 below(256), below(256), below(256), below(256),
			 below(256));
	n->address_count = below(CONFIG_ADDRESSES_MAX + 1);
	for (unsigned int i = 0; i < n->address_count; i++) {
		uint8_t bytes[16] = { 0 };

		for (unsigned int j = 0; j < 16; j++)
			bytes[j] = (uint8_t)(below(3) ? below(256) : 0);
		inet_ntop(below(2) ? AF_INET : AF_INET6, bytes, n->addresses[i],
			  SPEC_ADDRESS_MAX);
	}
}

static void make_spec(struct domain_spec *s)
{
	static char printable[96];

	for (int c = 0x20; c < 0x7f; c++)
		printable[c - 0x20] = (char)c;
	memset(s, 0, sizeof(*s));
	make_name(s->name, 47);
	make_name(s->kernel, 63);
	if (below(2))
		make_name(s->ramdisk, 63);
	make_text(s->command, 200, printable);
	s->memory_bytes = SPEC_MEMORY_LEAST + 4096ULL * below(1000000);
	s->vcpus = 1 + below(CONFIG_VCPUS_MAX);
	s->cpu_reservation_permille = 1 + below(s->vcpus * 1000);
	if (below(2))
		s->cpu_cap_permille =
			s->cpu_reservation_permille +
			below(SPEC_CAP_MOST + 1 - s->cpu_reservation_permille);
	s->on_poweroff = below(3);
	s->on_reboot = below(3);
	s->on_crash = below(3);
	s->disk_count = below(CONFIG_DISKS_MAX + 1);
	for (unsigned int i = 0; i < s->disk_count; i++) {
		struct disk_spec *d = &s->disks[i];

		snprintf(d->device, sizeof(d->device), "xvd%c", 'a' + (char)i);
		d->writable = below(2);
		if (!below(4)) {
			make_name(d->volume, CONFIG_NAME_MAX - 1);
			continue;
		}
		d->size_bytes = SPEC_DISK_LEAST +
				512ULL * below(1U << 23) * (1 + below(9));
		if (below(2))
			make_name(d->image, 63);
	}
	s->nic_count = below(CONFIG_VIFS_MAX + 1);
	for (unsigned int i = 0; i < s->nic_count; i++)
		make_nic(&s->nics[i]);
	s->label_count = below(SPEC_LABELS_MAX + 1);
	for (unsigned int i = 0; i < s->label_count; i++) {
		snprintf(s->labels[i].key, SPEC_LABEL_MAX, "%u/k", i);
		make_text(s->labels[i].key + strlen(s->labels[i].key), 40,
			  name_letters);
		make_text(s->labels[i].value, 63, name_letters);
	}
}

static xmlRelaxNG *schema;

static int load_schema(void **state)
{
	xmlRelaxNGParserCtxt *c;
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/domain.rng",
		 getenv("LIBVIRT_SCHEMAS"));
	c = xmlRelaxNGNewParserCtxt(path);
	schema = xmlRelaxNGParse(c);
	xmlRelaxNGFreeParserCtxt(c);
	return schema ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	xmlRelaxNGFree(schema);
	xmlCleanupParser();
	return 0;
}

static bool valid(const char *text)
{
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL, 0);
	xmlRelaxNGValidCtxt *c = xmlRelaxNGNewValidCtxt(schema);
	bool is = doc && xmlRelaxNGValidateDoc(c, doc) == 0;

	xmlRelaxNGFreeValidCtxt(c);
	xmlFreeDoc(doc);
	return is;
}

static void round_trips(void **state)
{
	static struct domain d;
	struct violations none;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct strbuf text = { .text = NULL };

		id_make(d.id, "dom");
		d.number = below(3);
		make_name(d.tenant, 47);
		make_spec(&d.spec);
		none.count = 0;
		domain_spec_check(&d.spec, &none);
		assert_int_equal(none.count, 0);
		domain_xml_write(&text, &d);
		if (!valid(text.text))
			fail_msg("not valid:\n%s", text.text);
		assert_int_equal(read_text(text.text), 0);
		print_wrong();
		assert_int_equal(wrong.count, 0);
		assert_string_equal(got.tenant, d.tenant);
		if (memcmp(&got.spec, &d.spec, sizeof(d.spec)) != 0)
			fail_msg("another one comes back:\n%s", text.text);
		strbuf_clear(&text);
	}
}

/* What others write is libvirt's, and what becomes of it, too. */
static void files_are_valid(void **state)
{
	static const char *const names[] = { "xl-style.xml",
					     "virt-manager.xml" };
	static struct domain d = { .id = "dom_01M8Q5397R0YR6H0V41WPSB7N3" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct strbuf text = { .text = NULL };
		size_t bytes;

		assert_true(valid(
			read_all(getenv("LIBVIRT_FILES"), names[i], &bytes)));
		read_file(names[i]);
		d.spec = got.spec;
		domain_xml_write(&text, &d);
		assert_true(valid(text.text));
		strbuf_clear(&text);
	}
	assert_false(valid("<domain type='xenoserver'/>"));
}

static void uuids(void **state)
{
	char text[XML_UUID_BYTES];

	(void)state;
	domain_xml_uuid(text, "dom_00000000000000000000000001");
	assert_string_equal(text, "00000000-0000-0000-0000-000000000001");
	domain_xml_uuid(text, "dom_7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
	assert_string_equal(text, "ffffffff-ffff-ffff-ffff-ffffffffffff");
	domain_xml_uuid(text, "dom_01ARZ3NDEKTSV4RRFFQ69G5FAV");
	assert_string_equal(text, "01563e3a-b5d3-d676-4c61-efb99302bd5b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xl_style),
		cmocka_unit_test(virt_manager),
		cmocka_unit_test(least),
		cmocka_unit_test(refused),
		cmocka_unit_test(hostile),
		cmocka_unit_test(many),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(files_are_valid),
		cmocka_unit_test(uuids),
	};

	return cmocka_run_group_tests(tests, load_schema, free_schema);
}
