/* probe.c - a library between the recorder and the driver, which asks for what follows it.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

__attribute__((visibility("default"))) int probe_next(void);
/* 1: the answer is that for this library, not for another one. */
int probe_next(void) { return dlsym(RTLD_NEXT, "probe_next") == NULL; }
