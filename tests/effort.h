/* effort.h - how many random cases a test runs: all, or a fortieth of them where
 * WARPLINE_TEST_EFFORT=quick says so (`make test`; `make test-all` runs all).
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_EFFORT_H
#define WL_TESTS_EFFORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline bool effort_is_full(void)
{
    const char *effort = getenv("WARPLINE_TEST_EFFORT");
    return !effort || strcmp(effort, "quick") != 0;
}

static inline uint64_t effort_cases(uint64_t usual) { return effort_is_full() ? usual : (usual + 39) / 40; }

#endif /* WL_TESTS_EFFORT_H */
