/* failing.c - see failing.h. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE
#endif

#define SEEN_BY_ALL __attribute__((visibility("default")))
SEEN_BY_ALL void *malloc(size_t size);
SEEN_BY_ALL void *calloc(size_t count, size_t size);
SEEN_BY_ALL void *realloc(void *old, size_t size);

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);

static atomic_bool counting;
static atomic_long asked, failing;
static int shown;               /* a file that gets the calls to the one that fails; 0: none */
static failing_paths *recorded; /* NULL: nobody wants to know */

/* dlsym may ask for a little memory before it can say who gives it. */
static max_align_t early[256];
static size_t early_used;

static void *early_room(size_t size)
{
    const size_t units = (size + sizeof early[0] - 1) / sizeof early[0];
    if (units > sizeof early / sizeof early[0] - early_used)
        return NULL;
    void *room = &early[early_used];
    early_used += units;
    return room;
}

/* ISO C knows no conversion from an object's address to a function's. */
static void find_next(const char *name, void *function, size_t size)
{
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(function, &address, size);
}

static bool found_next(void)
{
    static bool finding;
    if (next_realloc)
        return true;
    if (finding)
        return false;
    finding = true;
    find_next("malloc", &next_malloc, sizeof next_malloc);
    find_next("calloc", &next_calloc, sizeof next_calloc);
    find_next("realloc", &next_realloc, sizeof next_realloc);
    return true;
}

/* The runtimes of OpenMP and MPI, and the loader. */
static bool ask_is_foreign(const void *caller)
{
    static const char *const foreign[] = {"/libgomp",  "/libomp",  "/libiomp", "/libmpi",
                                          "/libopen-", "/libpmix", "/ld-"};
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return true;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (strstr(info.dli_fname, foreign[i]))
            return true;
    return false;
}

/* dladdr searches; the callers are few. A clash of two threads costs one more search. */
static bool is_foreign(const void *caller)
{
    static struct {
        _Atomic(const void *) ours, foreign;
    } known[1024];
    const size_t slot = ((uintptr_t)caller >> 1) % (sizeof known / sizeof known[0]);
    if (known[slot].ours == caller || known[slot].foreign == caller)
        return known[slot].foreign == caller;
    const bool foreign = ask_is_foreign(caller);
    if (foreign)
        known[slot].foreign = caller;
    else
        known[slot].ours = caller;
    return foreign;
}

#define CALLS_MAX 32

/* Where the stack cannot be read, every allocation is of its own kind. */
static uint64_t path_here(long number)
{
    uint64_t hash = 1469598103934665603U; /* FNV-1a */
#ifdef HAVE_BACKTRACE
    void *calls[CALLS_MAX];
    const int count = backtrace(calls, CALLS_MAX);
    (void)number;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)calls[i]) * 1099511628211U;
#else
    hash += (uint64_t)number;
#endif
    return hash;
}

static void record(long number)
{
    counting = false; /* backtrace may allocate */
    if ((size_t)number <= sizeof recorded->path / sizeof recorded->path[0])
        recorded->path[number - 1] = path_here(number);
    recorded->count = (size_t)number;
    counting = true;
}

static bool fails(const void *caller)
{
    if (!counting || is_foreign(caller))
        return false;
    const long number = ++asked;
    if (recorded)
        record(number);
    if (number != failing)
        return false;
#ifdef HAVE_BACKTRACE
    if (shown) { /* addr2line -f says more of these */
        void *calls[CALLS_MAX];
        counting = false;
        backtrace_symbols_fd(calls, backtrace(calls, CALLS_MAX), shown);
        counting = true;
    }
#endif
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (!found_next())
        return early_room(size);
    return fails(__builtin_return_address(0)) ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!found_next())
        return early_room(count * size);
    return fails(__builtin_return_address(0)) ? NULL : next_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (!found_next())
        return early_room(size);
    return fails(__builtin_return_address(0)) ? NULL : next_realloc(old, size);
}

void failing_start(long fail, failing_paths *paths)
{
    (void)found_next();
    recorded = paths;
    asked = 0;
    failing = fail;
    counting = true;
}

void failing_show(int fd) { shown = fd; }

void failing_stop(void) { counting = false; }
