/* visited.h - which addresses a program visits, for tests of loops that need not be run in full.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_VISITED_H
#define WL_TESTS_UNIT_VISITED_H

#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>
#include <string.h>

#include "kernel/program.h"

#define VISITED_STEPS 720

typedef struct visited {
    bool seen[8192];
    int64_t visits, lanes; /* of all visits */
} visited;

static inline wl_status visited_note(void *context, const int64_t *address, const uint8_t *which, int lanes,
                                     wl_error *err)
{
    visited *v = context;
    (void)which;
    (void)err;
    for (int i = 0; i < lanes; i++) {
        assert_true(address[i] >= 0 && address[i] < (int64_t)COUNT_OF(v->seen));
        v->seen[address[i]] = true;
    }
    v->visits++;
    v->lanes += lanes;
    return WL_OK;
}

static inline bool visited_same(const visited *a, const visited *b)
{
    return memcmp(a->seen, b->seen, sizeof a->seen) == 0;
}

/* A kernel with one load in a loop over k; `when` "": always. */
static inline wl_kernel *visited_kernel(const char *address, const char *when)
{
    char text[400], condition[100] = "";
    if (when[0])
        snprintf(condition, sizeof condition, " if %s", when);
    snprintf(text, sizeof text,
             "name: p\ndomain: [64, 8]\nfields:\n  a: {type: i8}\nloops: {k: %d}\nloads: [\"a[%s]%s\"]\nflops: 0\n",
             VISITED_STEPS, address, condition);
    return given_kernel(text);
}

#endif /* WL_TESTS_UNIT_VISITED_H */
