# SPDX-License-Identifier: Apache-2.0
# What every makefile that can be the first needs: where to build, with what,
# and how to say so. V=1 shows commands.

BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif

.DELETE_ON_ERROR:
SHELL := /bin/bash

ifdef V
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif
