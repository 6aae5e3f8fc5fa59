/* failing.h - allocations that are counted, one of which fails.
 *
 * malloc, calloc and realloc of the whole program go through failing.c. It counts those of the
 * command line, the library, the libraries they read and write with, and the C library on their
 * behalf; what the runtimes of OpenMP and MPI take for themselves is not counted: they end the
 * program when they get nothing. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_MEMORY_FAILING_H
#define WL_TESTS_MEMORY_FAILING_H

#include <stddef.h>
#include <stdint.h>

/* Who asked for each allocation: a hash of the calls that led there. */
typedef struct failing_paths {
    size_t count; /* may be more than there is room for */
    uint64_t path[1 << 19];
} failing_paths;

/* Counts from 0 on from here; allocation number `fail` (from 1) fails, once. 0: none does. `paths`,
 * unless NULL, gets who asked. */
void failing_start(long fail, failing_paths *paths);
/* Writes the calls that led to the allocation that fails. */
void failing_show(int fd);
/* Stops. */
void failing_stop(void);

#endif /* WL_TESTS_MEMORY_FAILING_H */
