/* SPDX-License-Identifier: Apache-2.0 */
/* One line per event on stderr: level=... op=... and what the caller says,
 * as key=value words. */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

void log_event(const char *level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_info(...) log_event("info", __VA_ARGS__)
#define log_warning(...) log_event("warning", __VA_ARGS__)
#define log_failure(...) log_event("error", __VA_ARGS__)

#endif
