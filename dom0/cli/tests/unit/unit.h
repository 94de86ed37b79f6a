/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka wants these before it, in this order. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
/* clang-format on */

#endif
