/* SPDX-License-Identifier: Apache-2.0 */
/* See hv/domain_meter.h. */
#include <hv/domain_meter.h>

#include <xeno/domain.h>

_Static_assert(XENO_DOMAIN_BUILDING == (int)DOMAIN_BUILDING &&
		       XENO_DOMAIN_RUNNING == (int)DOMAIN_RUNNING &&
		       XENO_DOMAIN_SHUT_DOWN == (int)DOMAIN_SHUT_DOWN &&
		       XENO_DOMAIN_DYING == (int)DOMAIN_DYING,
	       "the ABI's states are ours");

void domain_meter_state(struct domain *d)
{
	u64 *to = &d->meter_page->state, seen = READ_ONCE(*to), state;

	/* Of two changes at once the later must stay: look after writing. */
	do {
		state = (u64)READ_ONCE(d->shutdown_code) << 32 |
			READ_ONCE(d->state);
		if (__atomic_compare_exchange_n(to, &seen, state, false,
						__ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			seen = state;
	} while (seen != state || (u32)state != READ_ONCE(d->state));
}

static struct xeno_meter_vbd *choose(struct xeno_meter_page *page, u32 vbd)
{
	struct xeno_meter_vbd *found = NULL;

	for (u32 i = 0; i < XENO_VBDS_PER_DOMAIN; i++) {
		struct xeno_meter_vbd *m = &page->vbds[i];

		if (m->in_use)
			continue;
		if (m->vbd == vbd)
			return m;
		if (!found || (found->vbd && !m->vbd))
			found = m;
	}
	return found;
}

struct xeno_meter_vbd *domain_meter_vbd_get(struct domain *d, u32 vbd)
{
	struct xeno_meter_vbd *m = choose(d->meter_page, vbd);

	if (!m)
		return NULL;
	domain_meter_begin(&m->sequence);
	if (m->vbd != vbd) {
		m->vbd = vbd;
		m->read_requests = m->read_bytes = 0;
		m->write_requests = m->write_bytes = 0;
		m->errors = 0;
	}
	m->in_use = 1;
	domain_meter_end(&m->sequence);
	return m;
}

void domain_meter_vbd_put(struct xeno_meter_vbd *m)
{
	WRITE_ONCE(m->in_use, 0);
}

struct xeno_meter_vif *domain_meter_vif_get(struct domain *d, u32 vif)
{
	struct xeno_meter_vif *m = &d->meter_page->vifs[vif];

	WRITE_ONCE(m->in_use, 1);
	return m;
}

void domain_meter_vif_put(struct xeno_meter_vif *m)
{
	WRITE_ONCE(m->in_use, 0);
}
