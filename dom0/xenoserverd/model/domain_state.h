/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a domain, as a table: its states, what may be asked for in which
 * state, and which state may follow which.
 *
 *   defined --> building --> running <--> paused
 *      ^           |          |   \         |
 *      |           v          v    v        v
 *      +------- (failed)  shutting_down -> stopped, crashed --> building
 *
 * A stopped or crashed domain is still there, with its disks and its claim on
 * the node; destroyed is the end, of which only the row remains.
 */
#ifndef MODEL_DOMAIN_STATE_H
#define MODEL_DOMAIN_STATE_H

#include <stdbool.h>

enum domain_state {
	DOMAIN_DEFINED,
	DOMAIN_BUILDING,
	DOMAIN_RUNNING,
	DOMAIN_PAUSED,
	DOMAIN_SHUTTING_DOWN,
	DOMAIN_STOPPED,
	DOMAIN_CRASHED,
	DOMAIN_DESTROYED,
	DOMAIN_STATES
};

/* What an operation does. */
enum domain_action {
	ACTION_CREATE,
	ACTION_START,
	ACTION_PAUSE,
	ACTION_RESUME,
	ACTION_SHUTDOWN,
	ACTION_REBOOT,
	ACTION_DESTROY, /* ends it at once; what it is remains */
	ACTION_UPDATE,
	ACTION_DELETE, /* what it is goes too */
	DOMAIN_ACTIONS
};

const char *domain_state_word(enum domain_state s);
/* false: no such word. */
bool domain_state_parse(enum domain_state *out, const char *word);
const char *domain_action_word(enum domain_action a);
bool domain_action_parse(enum domain_action *out, const char *word);

bool domain_action_legal(enum domain_action a, enum domain_state s);
bool domain_may_become(enum domain_state from, enum domain_state to);

#endif
