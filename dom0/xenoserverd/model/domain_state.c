// SPDX-License-Identifier: Apache-2.0
/* See domain_state.h. */
#include "model/domain_state.h"

#include <string.h>

#define BIT(s) (1U << DOMAIN_##s)
#define AT_REST (BIT(DEFINED) | BIT(STOPPED) | BIT(CRASHED))
#define ALIVE (BIT(RUNNING) | BIT(PAUSED) | BIT(SHUTTING_DOWN))

static const char *const state_words[DOMAIN_STATES] = {
	[DOMAIN_DEFINED] = "defined",
	[DOMAIN_BUILDING] = "building",
	[DOMAIN_RUNNING] = "running",
	[DOMAIN_PAUSED] = "paused",
	[DOMAIN_SHUTTING_DOWN] = "shutting_down",
	[DOMAIN_STOPPED] = "stopped",
	[DOMAIN_CRASHED] = "crashed",
	[DOMAIN_DESTROYED] = "destroyed",
};

static const unsigned int successors[DOMAIN_STATES] = {
	/* Running: found to be so. */
	[DOMAIN_DEFINED] = BIT(BUILDING) | BIT(RUNNING) | BIT(DESTROYED),
	[DOMAIN_BUILDING] = BIT(RUNNING) | AT_REST | BIT(DESTROYED),
	[DOMAIN_RUNNING] =
		BIT(PAUSED) | BIT(SHUTTING_DOWN) | BIT(STOPPED) | BIT(CRASHED),
	[DOMAIN_PAUSED] = BIT(RUNNING) | BIT(STOPPED) | BIT(CRASHED),
	[DOMAIN_SHUTTING_DOWN] =
		BIT(RUNNING) | BIT(PAUSED) | BIT(STOPPED) | BIT(CRASHED),
	[DOMAIN_STOPPED] = BIT(BUILDING) | BIT(RUNNING) | BIT(DESTROYED),
	[DOMAIN_CRASHED] =
		BIT(BUILDING) | BIT(RUNNING) | BIT(STOPPED) | BIT(DESTROYED),
	[DOMAIN_DESTROYED] = 0,
};

static const struct {
	const char *word;
	unsigned int legal_in;
} actions[DOMAIN_ACTIONS] = {
	[ACTION_CREATE] = { "create", BIT(DEFINED) },
	[ACTION_START] = { "start", AT_REST },
	[ACTION_PAUSE] = { "pause", BIT(RUNNING) },
	[ACTION_RESUME] = { "resume", BIT(PAUSED) },
	[ACTION_SHUTDOWN] = { "shutdown", BIT(RUNNING) },
	[ACTION_REBOOT] = { "reboot", BIT(RUNNING) },
	/* A crashed one may be kept for who wants to look at it. */
	[ACTION_DESTROY] = { "destroy", ALIVE | BIT(CRASHED) },
	[ACTION_UPDATE] = { "update", AT_REST | BIT(RUNNING) | BIT(PAUSED) },
	[ACTION_DELETE] = { "delete", AT_REST },
};

const char *domain_state_word(enum domain_state s)
{
	return state_words[s];
}

bool domain_state_parse(enum domain_state *out, const char *word)
{
	for (unsigned int i = 0; i < DOMAIN_STATES; i++)
		if (strcmp(word, state_words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

const char *domain_action_word(enum domain_action a)
{
	return actions[a].word;
}

bool domain_action_parse(enum domain_action *out, const char *word)
{
	for (unsigned int i = 0; i < DOMAIN_ACTIONS; i++)
		if (strcmp(word, actions[i].word) == 0) {
			*out = i;
			return true;
		}
	return false;
}

bool domain_action_legal(enum domain_action a, enum domain_state s)
{
	return actions[a].legal_in & 1U << s;
}

bool domain_may_become(enum domain_state from, enum domain_state to)
{
	return successors[from] & 1U << to;
}
