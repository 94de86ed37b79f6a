// SPDX-License-Identifier: Apache-2.0
/* Tests of xenstore/device.c, vbd_device.c and vif_device.c: a front end's
 * states played against a fake xenstore and a fake hypervisor. */
#include "../fake/fake_hv.h"
#include "../fake/fake_store.h"
#include "unit.h"
#include "xenstore/device.h"

#define FRONT "/local/domain/3/device/vbd/51712"
#define BACK "/local/domain/0/hvback/vbd/3/51712"
#define VIF_FRONT "/local/domain/3/device/vif/0"
#define VIF_BACK "/local/domain/0/hvback/vif/3/0"

struct world {
	struct store store;
	struct hv hv;
	struct device disk, vif;
};

static struct world w;

static void write_node(const char *path, const char *value)
{
	struct error err;

	assert_int_equal(store_write(&w.store, path, value, &err), 0);
}

static int set_up(void **state)
{
	struct error err;

	(void)state;
	memset(&w, 0, sizeof(w));
	w.disk = (struct device){ .kind = DEVICE_VBD,
				  .domain_id = 3,
				  .number = 51712,
				  .sectors = 2048,
				  .can_flush = true,
				  .physical_block_bytes = 4096,
				  .queues_max = 2 };
	w.vif = (struct device){ .kind = DEVICE_VIF,
				 .domain_id = 3,
				 .mac = { 2, 0, 0, 0xaa, 0xbb, 0xcc } };
	assert_int_equal(device_publish(&w.disk, &w.store, &err), 0);
	assert_int_equal(device_publish(&w.vif, &w.store, &err), 0);
	return 0;
}

static void expect(const char *path, const char *value)
{
	const char *found = fake_value(&w.store, path);

	if (!found)
		fail_msg("no node %s", path);
	assert_string_equal(found, value);
}

static void follow(struct device *d, const char *front, const char *state)
{
	char path[STORE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/state", front);
	write_node(path, state);
	device_follow(d, &w.store, &w.hv);
}

static void front_end_may_write_only_its_own_directory(void **state)
{
	(void)state;
	assert_int_equal(fake_owner(&w.store, FRONT), 3);
	assert_int_equal(fake_owner(&w.store, BACK), 0);
	expect(FRONT "/backend", BACK);
	expect(FRONT "/backend-id", "32512");
	expect(BACK "/state", "2");
	expect(BACK "/feature-flush-cache", "1");
	expect(BACK "/feature-discard", "0");
	expect(VIF_FRONT "/mac", "02:00:00:aa:bb:cc");
	assert_int_equal(w.store.watches, 2);
}

static void another_process_goes_on_with_a_device(void **state)
{
	struct device disk = w.disk, vif = w.vif;
	struct error err;

	(void)state;
	/* Connected: it stays so, and the rings with it. */
	write_node(BACK "/state", "4");
	disk.state = DEVICE_UNKNOWN;
	disk.physical_block_bytes = 0;
	assert_int_equal(device_adopt(&disk, &w.store, &w.hv, &err), 0);
	assert_int_equal(disk.state, DEVICE_CONNECTED);
	assert_int_equal(disk.physical_block_bytes, 4096);
	assert_int_equal(w.hv.vbd_disconnects, 0);
	follow(&disk, FRONT, "4");
	assert_int_equal(w.hv.vbd_connects, 0);
	/* Perhaps half connected: begins again. */
	vif.state = DEVICE_UNKNOWN;
	assert_int_equal(device_adopt(&vif, &w.store, &w.hv, &err), 0);
	assert_int_equal(vif.state, DEVICE_INIT_WAIT);
	assert_int_equal(w.hv.vif_disconnects, 1);
	assert_int_equal(w.store.watches, 4);
	/* Never published. */
	store_remove(&w.store, BACK);
	assert_int_equal(device_adopt(&disk, &w.store, &w.hv, &err), 0);
	expect(BACK "/state", "2");
}

static void disk_connects_when_its_ring_is_there(void **state)
{
	(void)state;
	follow(&w.disk, FRONT, "1");
	assert_int_equal(w.hv.vbd_connects, 0);
	write_node(FRONT "/ring-ref", "8");
	write_node(FRONT "/event-channel", "17");
	follow(&w.disk, FRONT, "3");
	assert_int_equal(w.hv.vbd_connects, 1);
	assert_int_equal(w.hv.vbd[0].ring_refs[0], 8);
	assert_int_equal(w.hv.vbd[0].ring_pages, 1);
	assert_int_equal(w.hv.vbd[0].port, 17);
	expect(BACK "/sectors", "2048");
	expect(BACK "/info", "4");
	expect(BACK "/state", "4");
	/* The driver's own Connected changes nothing. */
	follow(&w.disk, FRONT, "4");
	assert_int_equal(w.hv.vbd_connects, 1);
}

static void disk_connects_each_queue_with_all_its_pages(void **state)
{
	(void)state;
	write_node(FRONT "/multi-queue-num-queues", "2");
	write_node(FRONT "/ring-page-order", "1");
	write_node(FRONT "/queue-0/ring-ref0", "8");
	write_node(FRONT "/queue-0/ring-ref1", "9");
	write_node(FRONT "/queue-0/event-channel", "17");
	write_node(FRONT "/queue-1/ring-ref0", "10");
	write_node(FRONT "/queue-1/ring-ref1", "11");
	write_node(FRONT "/queue-1/event-channel", "18");
	follow(&w.disk, FRONT, "3");
	assert_int_equal(w.hv.vbd_connects, 2);
	assert_int_equal(w.hv.vbd[1].ring_refs[1], 11);
	assert_int_equal(w.hv.vbd[1].ring_pages, 2);
	assert_int_equal(w.hv.vbd[1].port, 18);
}

static void refused(const char *node, const char *value)
{
	set_up(NULL);
	write_node(FRONT "/ring-ref", "8");
	write_node(FRONT "/event-channel", "17");
	write_node(node, value);
	follow(&w.disk, FRONT, "3");
	expect(BACK "/state", "6");
}

static void nonsense_closes_the_disk(void **state)
{
	(void)state;
	refused(FRONT "/multi-queue-num-queues", "3");
	refused(FRONT "/multi-queue-num-queues", "0");
	refused(FRONT "/ring-page-order", "5");
	refused(FRONT "/ring-page-order", "1");
	refused(FRONT "/event-channel", "x");
	refused(FRONT "/protocol", "x86_32-abi");
}

static void refusal_of_the_hypervisor_closes_the_disk(void **state)
{
	(void)state;
	w.hv.refuse_connects = true;
	write_node(FRONT "/ring-ref", "8");
	write_node(FRONT "/event-channel", "17");
	follow(&w.disk, FRONT, "3");
	expect(BACK "/state", "6");
	assert_int_equal(w.hv.vbd_disconnects, 1);
}

static void closed_disk_can_be_opened_again(void **state)
{
	disk_connects_when_its_ring_is_there(state);
	follow(&w.disk, FRONT, "5");
	expect(BACK "/state", "5");
	assert_int_equal(w.hv.vbd_disconnects, 1);
	follow(&w.disk, FRONT, "6");
	expect(BACK "/state", "6");
	follow(&w.disk, FRONT, "1");
	expect(BACK "/state", "2");
	follow(&w.disk, FRONT, "3");
	assert_int_equal(w.hv.vbd_connects, 2);
	expect(BACK "/state", "4");
}

static void interface_connects_at_connected(void **state)
{
	(void)state;
	write_node(VIF_FRONT "/tx-ring-ref", "768");
	write_node(VIF_FRONT "/rx-ring-ref", "769");
	write_node(VIF_FRONT "/event-channel-tx", "20");
	write_node(VIF_FRONT "/event-channel-rx", "21");
	write_node(VIF_FRONT "/request-rx-copy", "1");
	write_node(VIF_FRONT "/feature-sg", "1");
	write_node(VIF_FRONT "/feature-gso-tcpv4", "1");
	follow(&w.vif, VIF_FRONT, "4");
	assert_int_equal(w.hv.vif_connects, 1);
	assert_int_equal(w.hv.vif.tx_ref, 768);
	assert_int_equal(w.hv.vif.rx_ref, 769);
	assert_int_equal(w.hv.vif.tx_port, 20);
	assert_int_equal(w.hv.vif.rx_port, 21);
	assert_int_equal(w.hv.vif.features, XENO_VIF_SG | XENO_VIF_GSO_TCPV4 |
						    XENO_VIF_CSUM_BLANK);
	expect(VIF_BACK "/state", "4");
}

static void withdrawn_device_leaves_nothing(void **state)
{
	(void)state;
	device_withdraw(&w.disk, &w.store);
	device_withdraw(&w.vif, &w.store);
	assert_int_equal(w.store.count, 0);
	assert_int_equal(w.store.watches, 0);
}

static void token_tells_the_device(void **state)
{
	enum device_kind kind;
	uint32_t id, number;

	(void)state;
	assert_true(device_token_parse("vif 12 3", &id, &kind, &number));
	assert_int_equal(kind, DEVICE_VIF);
	assert_int_equal(id, 12);
	assert_int_equal(number, 3);
	assert_false(device_token_parse("ended", &id, &kind, &number));
}

#define T(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(front_end_may_write_only_its_own_directory),
		T(another_process_goes_on_with_a_device),
		T(disk_connects_when_its_ring_is_there),
		T(disk_connects_each_queue_with_all_its_pages),
		T(nonsense_closes_the_disk),
		T(refusal_of_the_hypervisor_closes_the_disk),
		T(closed_disk_can_be_opened_again),
		T(interface_connects_at_connected),
		T(withdrawn_device_leaves_nothing),
		T(token_tells_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
