// SPDX-License-Identifier: Apache-2.0
/* See volume.h. */
#include "model/volume.h"

#include <string.h>

static const char *const words[VOLUME_STATES] = {
	[VOLUME_CREATING] = "creating", [VOLUME_AVAILABLE] = "available",
	[VOLUME_GROWING] = "growing",   [VOLUME_DELETING] = "deleting",
	[VOLUME_DELETED] = "deleted",
};

const char *volume_state_word(enum volume_state s)
{
	return words[s];
}

bool volume_state_parse(enum volume_state *out, const char *word)
{
	for (unsigned int i = 0; i < VOLUME_STATES; i++)
		if (strcmp(word, words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

bool is_volume_id(const char *id)
{
	return strncmp(id, "vol_", 4) == 0;
}
