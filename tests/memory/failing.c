/* failing.c - see failing.h. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#if __has_include(<execinfo.h>) && __has_include(<unwind.h>)
#include <execinfo.h>
#include <unwind.h>
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

#ifdef HAVE_BACKTRACE
/* The calls that lead to an allocation, and where the stack holds their return addresses. */
typedef struct call_path {
    const void *caller, *frame; /* of the allocation */
    uintptr_t below;            /* the end of the frame that was read last */
    int count;
    bool held; /* does every place hold its return address? */
    uintptr_t call[CALLS_MAX], place[CALLS_MAX];
    uint64_t hash;
} call_path;

static uintptr_t word_at(uintptr_t place)
{
    uintptr_t word;
    memcpy(&word, (const void *)place, sizeof word); /* NOLINT: a place on the stack */
    return word;
}

/* Where a function keeps its return address: at the end of its frame; on aarch64 mostly at the
 * beginning, behind the frame pointer of its caller. */
static uintptr_t place_of_return(uintptr_t first, uintptr_t end, uintptr_t call)
{
#ifdef __aarch64__
    for (uintptr_t place = first; place < end; place += sizeof place)
        if (word_at(place) == call)
            return place;
#endif
    (void)first, (void)call;
    return end - sizeof end;
}

static _Unwind_Reason_Code add_call(struct _Unwind_Context *context, void *user)
{
    call_path *p = user;
    const uintptr_t call = _Unwind_GetIP(context), end = _Unwind_GetCFA(context);
    const uintptr_t place = place_of_return(p->below ? p->below : end, end, call);
    p->below = end;
    if (call == 0) /* what started the program */
        return _URC_END_OF_STACK;
    /* the calls of this file are the same every time */
    if (place < (uintptr_t)p->frame)
        return _URC_NO_REASON;
    p->call[p->count] = call;
    p->place[p->count] = place;
    p->hash = (p->hash ^ (uint64_t)call) * 1099511628211U; /* FNV-1a */
    p->held = p->held && word_at(place) == call;
    return ++p->count < CALLS_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static bool is_same_path(const call_path *p, const void *caller, const void *frame)
{
    if (p->caller != caller || p->frame != frame || !p->held)
        return false;
    for (int i = 0; i < p->count; i++)
        if (word_at(p->place[i]) != p->call[i])
            return false;
    return true;
}

/* Reading a stack takes microseconds, and commands allocate a hundred thousand times. A stack that
 * has the return addresses of an earlier one in the same places was made by the same calls. Where
 * a machine keeps them elsewhere, every stack is read. */
static uint64_t path_here(const void *caller, const void *frame, long number)
{
    static call_path known[2048];
    const uintptr_t mixed = ((uintptr_t)caller ^ (uintptr_t)frame << 7) * (uintptr_t)0x9E3779B97F4A7C15u;
    call_path *p = &known[mixed >> 20 & (sizeof known / sizeof known[0] - 1)];
    (void)number;
    if (!is_same_path(p, caller, frame)) {
        *p = (call_path){.caller = caller, .frame = frame, .held = true, .hash = 1469598103934665603U};
        _Unwind_Backtrace(add_call, p);
    }
    return p->hash;
}
#else
/* Where the stack cannot be read, every allocation is of its own kind. */
static uint64_t path_here(const void *caller, const void *frame, long number)
{
    (void)caller, (void)frame;
    return (uint64_t)number;
}
#endif

static void record(const void *caller, const void *frame, long number)
{
    counting = false; /* reading the stack may allocate */
    if ((size_t)number <= sizeof recorded->path / sizeof recorded->path[0])
        recorded->path[number - 1] = path_here(caller, frame, number);
    recorded->count = (size_t)number;
    counting = true;
}

static bool fails(const void *caller, const void *frame)
{
    if (!counting || is_foreign(caller))
        return false;
    const long number = ++asked;
    if (recorded)
        record(caller, frame, number);
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
    return fails(__builtin_return_address(0), __builtin_frame_address(0)) ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!found_next())
        return early_room(count * size);
    return fails(__builtin_return_address(0), __builtin_frame_address(0)) ? NULL : next_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (!found_next())
        return early_room(size);
    return fails(__builtin_return_address(0), __builtin_frame_address(0)) ? NULL : next_realloc(old, size);
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
