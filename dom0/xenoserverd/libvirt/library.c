// SPDX-License-Identifier: Apache-2.0
/* How libxml2 begins, and what it is linked with instead of ICU. It asks ICU
 * for encodings that it does not know itself. Here a text is UTF-8, whatever it
 * says of itself, so none is ever needed: it is linked in without ICU, whose
 * tables would take 30 MiB of a node's memory. */
#include <libxml/parser.h>
#include <pthread.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>

#include "libvirt/tree.h"

void library_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, xmlInitParser);
}

UConverter *ucnv_open(const char *name, UErrorCode *error)
{
	(void)name;
	*error = U_FILE_ACCESS_ERROR;
	return NULL;
}

void ucnv_close(UConverter *converter)
{
	(void)converter;
}

/* NOLINTNEXTLINE(readability-function-size): ICU says what it gets */
void ucnv_convertEx(UConverter *to, UConverter *from, char **target,
		    const char *target_end, const char **source,
		    const char *source_end, UChar *pivot, UChar **pivot_source,
		    UChar **pivot_target, const UChar *pivot_end, UBool reset,
		    UBool flush, UErrorCode *error)
{
	(void)to;
	(void)from;
	(void)target;
	(void)target_end;
	(void)source;
	(void)source_end;
	(void)pivot;
	(void)pivot_source;
	(void)pivot_target;
	(void)pivot_end;
	(void)reset;
	(void)flush;
	*error = U_UNSUPPORTED_ERROR;
}

void ucnv_setFromUCallBack(UConverter *converter, UConverterFromUCallback new,
			   const void *new_context,
			   UConverterFromUCallback *old,
			   const void **old_context, UErrorCode *error)
{
	(void)converter;
	(void)new;
	(void)new_context;
	(void)old;
	(void)old_context;
	*error = U_UNSUPPORTED_ERROR;
}

void ucnv_setToUCallBack(UConverter *converter, UConverterToUCallback new,
			 const void *new_context, UConverterToUCallback *old,
			 const void **old_context, UErrorCode *error)
{
	(void)converter;
	(void)new;
	(void)new_context;
	(void)old;
	(void)old_context;
	*error = U_UNSUPPORTED_ERROR;
}

/* NOLINTNEXTLINE(readability-identifier-naming): ICU's */
void UCNV_FROM_U_CALLBACK_STOP(const void *context,
			       UConverterFromUnicodeArgs *arguments,
			       const UChar *units, int32_t length,
			       UChar32 point, UConverterCallbackReason reason,
			       UErrorCode *error)
{
	(void)context;
	(void)arguments;
	(void)units;
	(void)length;
	(void)point;
	(void)reason;
	*error = U_UNSUPPORTED_ERROR;
}

/* NOLINTNEXTLINE(readability-identifier-naming): ICU's */
void UCNV_TO_U_CALLBACK_STOP(const void *context,
			     UConverterToUnicodeArgs *arguments,
			     const char *units, int32_t length,
			     UConverterCallbackReason reason, UErrorCode *error)
{
	(void)context;
	(void)arguments;
	(void)units;
	(void)length;
	(void)reason;
	*error = U_UNSUPPORTED_ERROR;
}
