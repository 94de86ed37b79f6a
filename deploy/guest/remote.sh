#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# For tests, run by busybox's web server: performs the posted script and answers
# with what it prints and a last line, STATUS and its exit status.

export PATH=/bin HOME=/root
printf 'Content-Type: text/plain\r\n\r\n'
head -c "${CONTENT_LENGTH:-0}" >/tmp/script.$$
sh /tmp/script.$$ 2>&1
echo "STATUS $?"
rm /tmp/script.$$
