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

/* Runs a load in a loop over k, if `when` ("": always), in full and then as `find` permits: the
 * same addresses. Returns the program for what was found out; its memory is gone. */
static inline wl_program visited_compare(const char *address, const char *when, bool (*find)(wl_program *, wl_arena *),
                                         void (*run)(wl_program *, visited *), visited *all, visited *one)
{
    char text[400], condition[100] = "";
    wl_arena arena = {0};
    wl_program p;
    wl_error err = {0};
    if (when[0])
        snprintf(condition, sizeof condition, " if %s", when);
    snprintf(text, sizeof text,
             "name: p\ndomain: [64, 8]\nfields:\n  a: {type: i8}\nloops: {k: %d}\nloads: [\"a[%s]%s\"]\nflops: 0\n",
             VISITED_STEPS, address, condition);
    wl_kernel *kernel = given_kernel(text);
    check_ok(address, wl_program_make(kernel, &kernel->accesses[0], &arena, &p, &err), &err);
    run(&p, all);
    check_true(address, "memory", find(&p, &arena));
    run(&p, one);
    check_true(address, "addresses", memcmp(all->seen, one->seen, sizeof all->seen) == 0);
    wl_arena_free(&arena);
    wl_kernel_free(kernel);
    return p;
}

#endif /* WL_TESTS_UNIT_VISITED_H */
