// SPDX-License-Identifier: Apache-2.0
/* See entry.h. */
#include "entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The longest: 4 texts, 2 hashes' digits, 20 numbers, and line ends. */
#define ENTRY_TEXT 1024

bool acct_source_equal(const struct acct_source *a, const struct acct_source *b)
{
	return a->incarnation == b->incarnation && a->meter == b->meter &&
	       a->device == b->device && !strcmp(a->domain, b->domain);
}

bool acct_note_valid(const char *note)
{
	size_t length = strnlen(note, ACCT_NOTE_MAX + 1);

	if (!length || length > ACCT_NOTE_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((uint8_t)note[i] < ' ' || note[i] == 0x7f)
			return false;
	return true;
}

static bool source_empty(const struct acct_entry *e)
{
	return !e->source.incarnation && !e->source.meter && !e->source.device;
}

/* Of kinds that name a moment, and of OPEN the first value. */
static bool one_moment(const struct acct_usage *u)
{
	return u->start_ns >= 0 && u->start_ns == u->end_ns &&
	       u->start_value == u->end_value &&
	       u->start_value <= ACCT_VALUE_MAX && !u->flags;
}

static bool money_empty(const struct acct_entry *e)
{
	return !e->price.micro && !e->price.per && !e->carry_in &&
	       !e->carry_out;
}

static const char *usage_wrong(const struct acct_entry *e)
{
	const char *wrong = acct_usage_wrong(e->source.meter, &e->usage);
	struct acct_charge charge;
	struct acct_error err;

	if (wrong)
		return wrong;
	if (e->refers_to || *e->note)
		return "it has fields of another kind";
	wrong = acct_price_wrong(&e->price);
	if (wrong)
		return wrong;
	if (!e->tariff && !money_empty(e))
		return "it has a price and no tariff";
	if (!e->price.per && e->carry_in)
		return "it carries a remainder without a price";
	if (acct_rate(e->source.meter, &e->usage, &e->price, e->carry_in,
		      &charge, &err))
		return "its amount cannot be computed";
	if (charge.amount_micro != e->amount_micro ||
	    charge.carry_out != e->carry_out)
		return "its amount is not used x price / per";
	return NULL;
}

static const char *other_wrong(const struct acct_entry *e)
{
	if (!one_moment(&e->usage))
		return "it is not of one moment";
	if (!money_empty(e))
		return "it has fields of another kind";
	switch (e->kind) {
	case ACCT_TARIFF:
		if (*e->account || *e->source.domain || !source_empty(e) ||
		    e->usage.start_value || e->amount_micro || e->refers_to)
			return "it has fields of another kind";
		return e->tariff && acct_note_valid(e->note)
			       ? NULL
			       : "it names no tariff";
	case ACCT_OPEN:
		return e->tariff || e->amount_micro || e->refers_to || *e->note
			       ? "it has fields of another kind"
			       : NULL;
	default:
		if (!source_empty(e) || e->usage.start_value || e->tariff)
			return "it has fields of another kind";
		return acct_note_valid(e->note) ? NULL : "it says no reason";
	}
}

const char *acct_entry_wrong(const struct acct_entry *e)
{
	bool of_source = e->kind == ACCT_OPEN || e->kind == ACCT_USAGE;

	if (e->kind < ACCT_TARIFF || e->kind > ACCT_ADJUSTMENT)
		return "it is of no known kind";
	if (e->kind != ACCT_TARIFF && !acct_id_valid(e->account))
		return "its account is no identifier";
	if ((of_source || *e->source.domain) &&
	    !acct_id_valid(e->source.domain))
		return "its domain is no identifier";
	if (of_source && !acct_meter_info(e->source.meter))
		return "no such meter";
	return e->kind == ACCT_USAGE ? usage_wrong(e) : other_wrong(e);
}

void acct_genesis_hash(const struct acct_ledger_info *info,
		       uint8_t hash[ACCT_HASH_BYTES])
{
	char text[2 * ACCT_ID_MAX];
	int length = snprintf(text, sizeof(text), "xeno-ledger-1\n%s\n%s\n",
			      info->id, info->currency);

	acct_sha256(text, (size_t)length, hash);
}

void acct_entry_hash(const struct acct_entry *e,
		     const uint8_t previous[ACCT_HASH_BYTES],
		     uint8_t hash[ACCT_HASH_BYTES])
{
	char text[ENTRY_TEXT], hex[ACCT_HASH_TEXT];
	char in[ACCT_U128_TEXT], out[ACCT_U128_TEXT];
	int length;

	length = snprintf(
		text, sizeof(text),
		"xeno-entry-1\n%s\n%" PRIu64 "\n%u\n%s\n%s\n%" PRIu64
		"\n%u\n%" PRIu32 "\n%" PRIu32 "\n%" PRId64 "\n%" PRId64
		"\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu32 "\n%" PRId64 "\n%" PRId64
		"\n%s\n%s\n%" PRId64 "\n%" PRIu64 "\n%s\n",
		acct_hash_text(previous, hex), e->seq, e->kind, e->account,
		e->source.domain, e->source.incarnation, e->source.meter,
		e->source.device, e->usage.flags, e->usage.start_ns,
		e->usage.end_ns, e->usage.start_value, e->usage.end_value,
		e->tariff, e->price.micro, e->price.per,
		acct_u128_text(e->carry_in, in),
		acct_u128_text(e->carry_out, out), e->amount_micro,
		e->refers_to, e->note);
	acct_sha256(text, (size_t)length, hash);
}
