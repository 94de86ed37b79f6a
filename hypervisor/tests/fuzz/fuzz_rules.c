// SPDX-License-Identifier: Apache-2.0
/* Any bytes as rules and as a packet's key: what compiles is found by the
 * classifier exactly when its own values and masks say so, first one first. */
#include <stdint.h>
#include <string.h>

#include <hv/log.h>

#include "../../net/rule_table.h"

#define RULES_MAX 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool matches(const struct match_rule *m, const struct match_key *k)
{
	u16 source = (u16)(k->words[5] >> 16), target = (u16)k->words[5];

	for (int i = 0; i < MATCH_WORDS; i++)
		if ((k->words[i] ^ m->value.words[i]) & m->mask.words[i])
			return false;
	return !(k->words[5] & MATCH_HAS_PORTS) ||
	       (source >= m->source_first && source <= m->source_last &&
		target >= m->target_first && target <= m->target_last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u64 memory[8192];
	struct match_rule compiled[RULES_MAX];
	struct classifier c;
	struct packet_key k;
	struct match_key key;
	u32 n = 0, want = RULE_NONE, bad, steps = 0;
	u32 interface;

	if (size < sizeof(k) + sizeof(interface))
		return 0;
	memcpy(&k, data, sizeof(k));
	memcpy(&interface, data + sizeof(k), sizeof(interface));
	data += sizeof(k) + sizeof(interface);
	size -= sizeof(k) + sizeof(interface);
	for (; size >= sizeof(struct xeno_rule) && n < RULES_MAX; n++) {
		struct xeno_rule r;

		memcpy(&r, data, sizeof(r));
		data += sizeof(r);
		size -= sizeof(r);
		/* Seldom right by chance. */
		r.action %= 3;
		r.direction = (u8)(1 + r.direction % 3);
		r.family = (u8)(r.family % 3 ? 2 + 2 * (r.family % 3) : 0);
		r.source_prefix %= r.family == 4 ? 33 : r.family ? 129 : 1;
		r.target_prefix %= r.family == 4 ? 33 : r.family ? 129 : 1;
		r.domain_id %= 1024;
		r.vif = r.vif % 2 ? XENO_RULE_ANY_VIF : r.vif % 8;
		r.mbz = 0;
		if (rule_compile(&r, &compiled[n], &bad)) {
			CHECK(bad < sizeof(r));
			n--;
		}
	}
	CHECK(classifier_bytes(RULES_MAX) <= sizeof(memory));
	classifier_init(&c, memory, RULES_MAX);
	for (u32 i = n; i--;)
		classifier_insert(&c, &compiled[i], i);
	rule_key(&k, interface, k.flags & 1, &key);
	for (u32 i = n; i--;)
		if (matches(&compiled[i], &key))
			want = i;
	CHECK(classifier_first(&c, &key, RULE_NONE, &steps) == want);
	CHECK(steps <= classifier_steps(&c));
	return 0;
}
