// SPDX-License-Identifier: Apache-2.0
/* Any line as boot options: an accepted one leaves every option within its
 * limits or at its default; a refused one has a message. */
#include <stdlib.h>
#include <string.h>

#include <hv/options.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	struct options o;
	char err[128] = "";
	size_t i;
	int rc;

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	rc = options_parse(&o, line, err, sizeof(err));
	free(line);
	if (rc) {
		if (err[0] == '\0' || strnlen(err, sizeof(err)) == sizeof(err))
			abort();
		return 0;
	}
	for (i = 0; i < option_count; i++) {
		const struct option *opt = &option_table[i];
		u64 value;

		memcpy(&value, (const char *)&o + opt->offset, sizeof(value));
		if (value != opt->initial &&
		    (value < opt->least || value > opt->most))
			abort();
	}
	return 0;
}
