/* checks.h - the checks of table-driven tests: a failure names its case and both values, the loop
 * goes on, and
 * check_done() fails the test at the end. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_CHECK_H
#define WL_TESTS_UNIT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warpline/status.h"

static int check_failures;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline void check_true(const char *name, const char *what, bool ok)
{
    if (!ok) {
        print_error("%s: %s does not hold\n", name, what);
        check_failures++;
    }
}

static inline void check_int(const char *name, const char *what, int64_t got, int64_t want)
{
    if (got != want) {
        print_error("%s: %s is %lld, not %lld\n", name, what, (long long)got, (long long)want);
        check_failures++;
    }
}

/* Equal within a relative tolerance; 0 asks for the same double. */
static inline void check_near(const char *name, const char *what, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want))) {
        print_error("%s: %s is %.17g, not %.17g\n", name, what, got, want);
        check_failures++;
    }
}

static inline void check_text(const char *name, const char *what, const char *got, const char *want)
{
    const bool same = got && want ? strcmp(got, want) == 0 : got == want;
    if (!same) {
        print_error("%s: %s is '%s', not '%s'\n", name, what, got ? got : "(none)", want ? want : "(none)");
        check_failures++;
    }
}

static inline void check_ok(const char *name, wl_status status, const wl_error *err)
{
    if (status != WL_OK) {
        print_error("%s: failed with \"%s\" (%s) at %d:%d, not ok\n", name, err->message, wl_status_name(status),
                    err->loc.line, err->loc.col);
        check_failures++;
    }
}

/* What a failure must look like: the code, a part of the message, the place (line 0: none). */
typedef struct expected_error {
    wl_status code;
    const char *fragment;
    int32_t line, col;
} expected_error;

static inline void check_error(const char *name, wl_status status, const wl_error *err, const expected_error *want)
{
    if (status != want->code || err->code != want->code) {
        print_error("%s: the status is '%s' (error '%s', \"%s\"), not '%s'\n", name, wl_status_name(status),
                    wl_status_name(err->code), err->message, wl_status_name(want->code));
        check_failures++;
    }
    if (!strstr(err->message, want->fragment)) {
        print_error("%s: the message is \"%s\", without \"%s\"\n", name, err->message, want->fragment);
        check_failures++;
    }
    if (strchr(err->message, '\n') || (status != WL_OK && err->message[0] == '\0')) {
        print_error("%s: the message \"%s\" is not one sentence\n", name, err->message);
        check_failures++;
    }
    if (err->loc.line != want->line || err->loc.col != want->col) {
        print_error("%s: the place is %d:%d, not %d:%d (\"%s\")\n", name, err->loc.line, err->loc.col, want->line,
                    want->col, err->message);
        check_failures++;
    }
}

/* Ends a test: fails if any check did. */
static inline void check_done(void)
{
    const int failures = check_failures;
    check_failures = 0;
    if (failures)
        fail_msg("%d checks failed", failures);
}

/* A small generator of its own, so that a seed gives the same cases everywhere (splitmix64). */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* lo..hi, both included. */
static inline int64_t check_random_in(uint64_t *state, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(check_random(state) % (uint64_t)(hi - lo + 1));
}

#endif /* WL_TESTS_UNIT_CHECK_H */
