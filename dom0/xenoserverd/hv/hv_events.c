// SPDX-License-Identifier: Apache-2.0
/* Event channels and grants that Domain 0 uses for itself. */
#include <sys/mman.h>

#include "hv/hv_private.h"

int hv_port_alloc(struct hv *hv, uint32_t id, uint32_t *port, struct error *err)
{
	int rc = xc_evtchn_alloc_unbound(hv->xc, id, 0);

	if (rc < 0)
		return hv_fail(err, "an event channel for the domain");
	*port = (uint32_t)rc;
	return 0;
}

int hv_event_fd(const struct hv *hv)
{
	return xenevtchn_fd(hv->events);
}

int hv_event_bind(struct hv *hv, uint32_t id, uint32_t remote_port,
		  uint32_t *port, struct error *err)
{
	xenevtchn_port_or_error_t rc =
		xenevtchn_bind_interdomain(hv->events, id, remote_port);

	if (rc < 0)
		return hv_fail(err, "the domain's event channel");
	*port = (uint32_t)rc;
	return 0;
}

void hv_event_unbind(struct hv *hv, uint32_t port)
{
	xenevtchn_unbind(hv->events, port);
}

void hv_event_notify(struct hv *hv, uint32_t port)
{
	xenevtchn_notify(hv->events, port);
}

int hv_event_next(struct hv *hv)
{
	xenevtchn_port_or_error_t port = xenevtchn_pending(hv->events);

	if (port >= 0)
		xenevtchn_unmask(hv->events, (evtchn_port_t)port);
	return port;
}

void *hv_grant_map(struct hv *hv, uint32_t id, uint32_t ref, struct error *err)
{
	void *page = xengnttab_map_grant_ref(hv->grants, id, ref,
					     PROT_READ | PROT_WRITE);

	if (!page)
		hv_fail(err, "a page granted by the domain");
	return page;
}

void hv_grant_unmap(struct hv *hv, void *page)
{
	xengnttab_unmap(hv->grants, page, 1);
}
