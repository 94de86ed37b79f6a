// SPDX-License-Identifier: Apache-2.0
/*
 * Who asks. Over the Unix socket the kernel says who the peer is, and root and
 * the operators' group are operators; everywhere a token says it:
 * xs_<id>_<secret>, of which the store has the id and the secret's digest.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "api/problem.h"
#include "util/clock.h"

#define BEARER "Bearer "
#define TOKEN_PREFIX "xs_"

static int refuse(struct request *r, struct answer *a)
{
	/* The same for all reasons: who guesses learns nothing. */
	answer_problem(r, a, PROBLEM_UNAUTHENTICATED, NULL,
		       "there is no token, or it is not valid any more");
	return -1;
}

static int check_token(struct request *r, const char *text, struct answer *a)
{
	char id[ID_MAX], digest[DIGEST_MAX];
	const char *secret = strrchr(text, '_');
	size_t length;
	struct token t;
	struct error err;

	if (strncmp(text, TOKEN_PREFIX, strlen(TOKEN_PREFIX)) != 0)
		return refuse(r, a);
	text += strlen(TOKEN_PREFIX);
	length = secret > text ? (size_t)(secret - text) : 0;
	if (!length || length >= sizeof(id))
		return refuse(r, a);
	memcpy(id, text, length);
	id[length] = '\0';
	digest_make(digest, secret + 1, strlen(secret + 1));
	if (token_find(r->db, id, &t, &err)) {
		if (err.code == ERR_NOT_FOUND)
			return refuse(r, a);
		answer_error(r, a, &err);
		return -1;
	}
	if (!digest_equal(digest, t.secret_digest) || t.revoked_wall_ms ||
	    t.expires_wall_ms <= wall_now_ms())
		return refuse(r, a);
	r->caller.role = t.role;
	memcpy(r->caller.tenant, t.tenant, sizeof(r->caller.tenant));
	snprintf(r->caller.actor, sizeof(r->caller.actor), "%s", t.id);
	return 0;
}

static int check_peer(struct request *r, struct answer *a)
{
	gid_t group = r->api->options.operator_group;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (!info ||
	    getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return refuse(r, a);
	if (peer.uid != 0 && (group == (gid_t)-1 || peer.gid != group)) {
		answer_problem(r, a, PROBLEM_FORBIDDEN, NULL,
			       "user %u is no operator of this node", peer.uid);
		return -1;
	}
	r->caller.role = ROLE_OPERATOR;
	snprintf(r->caller.actor, sizeof(r->caller.actor), "uid:%u", peer.uid);
	return 0;
}

int authenticate(struct request *r, struct answer *a)
{
	const char *header = request_header(r, "Authorization");

	if (header && strncasecmp(header, BEARER, strlen(BEARER)) == 0)
		return check_token(r, header + strlen(BEARER), a);
	if (header || !r->local)
		return refuse(r, a);
	return check_peer(r, a);
}
