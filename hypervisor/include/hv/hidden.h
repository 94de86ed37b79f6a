/* SPDX-License-Identifier: Apache-2.0 */
/* Included before everything else by the build: every symbol is of this one
 * image, so position-independent code reaches it without a GOT. */
#pragma GCC visibility push(hidden)
