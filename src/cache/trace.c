/* trace.c - see trace_internal.h. SPDX-License-Identifier: MIT */
#include "cache/trace_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/room.h"

#define USES_MAX ((int64_t)1 << 23)  /* lines used by all tasks together: takes seconds */
#define EVENTS_MAX ((size_t)1 << 22) /* of a window */
#define WINDOW_TASKS 4096            /* drawn by default */
#define KNOWN_MIN 1024               /* initial room for lines */
#define ELEMENT_BYTES 4              /* of the examples */
#define STENCIL 7                    /* cells in x and in y, as in the paper */

/* A line that was used. */
typedef struct known_line {
    uint64_t line;
    int64_t task[2]; /* the last to load it, and the last to store to it; -1: none */
    bool there;      /* in the table */
    bool drawn;
    uint32_t number; /* in the window, once it is there */
} known_line;

typedef struct recorder {
    wl_trace *trace;
    wl_cache *cache;
    known_line *known; /* hash table */
    size_t known_count, known_room;
    size_t line_room, event_room;
    bool full;   /* too many events: the window ends */
    bool enough; /* too many tasks: the rest is left out */
} recorder;

/* ---- lines that are known ---- */

static known_line *place_of(known_line *table, size_t room, uint64_t line)
{
    size_t at = wl_hash_word(line) & (room - 1);
    while (table[at].there && table[at].line != line)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static known_line *make_table(size_t room) { return calloc(room, sizeof(known_line)); }

static bool enlarge(recorder *r)
{
    const size_t room = r->known_room ? 2 * r->known_room : KNOWN_MIN;
    known_line *table = make_table(room);
    if (!table)
        return false;
    for (size_t i = 0; i < r->known_room; i++)
        if (r->known[i].there)
            *place_of(table, room, r->known[i].line) = r->known[i];
    free(r->known);
    r->known = table;
    r->known_room = room;
    return true;
}

/* NULL: out of memory. The place is valid until the next line is looked for. */
static known_line *know(recorder *r, uint64_t line)
{
    if (2 * r->known_count >= r->known_room && !enlarge(r))
        return NULL;
    known_line *k = place_of(r->known, r->known_room, line);
    if (!k->there) {
        *k = (known_line){.line = line, .task = {-1, -1}, .there = true};
        r->known_count++;
    }
    return k;
}

/* ---- the window ---- */

static wl_status draw_line(recorder *r, known_line *k, wl_error *err)
{
    wl_trace *t = r->trace;
    if (k->drawn)
        return WL_OK;
    if (!WL_ROOM(t->lines, t->line_count + 1, r->line_room))
        return wl_fail_memory(err);
    k->drawn = true;
    k->number = (uint32_t)t->line_count;
    t->lines[t->line_count++] = k->line;
    return WL_OK;
}

static wl_status add_event(recorder *r, known_line *k, int64_t task, wl_trace_kind kind, wl_error *err)
{
    wl_trace *t = r->trace;
    WL_TRY(draw_line(r, k, err));
    if (!WL_ROOM(t->events, t->event_count + 1, r->event_room))
        return wl_fail_memory(err);
    t->events[t->event_count++] = (wl_trace_event){task, k->number, kind};
    return WL_OK;
}

/* Lines that are there when the window begins; the order of the table is the same on every
 * machine. */
static wl_status begin_window(recorder *r, int64_t task, wl_error *err)
{
    for (size_t i = 0; i < r->known_room; i++)
        if (r->known[i].there && wl_cache_holds(r->cache, r->known[i].line))
            WL_TRY(add_event(r, &r->known[i], task, WL_TRACE_STAYS, err));
    return WL_OK;
}

static bool in_window(const recorder *r, int64_t task)
{
    return !r->full && task >= r->trace->first && task < r->trace->first + r->trace->count;
}

/* ---- tasks ---- */

static wl_status add_evicted(recorder *r, int64_t task, int count, wl_error *err)
{
    for (int i = 0; i < count; i++)
        WL_TRY(add_event(r, place_of(r->known, r->known_room, wl_cache_evicted(r->cache)[i].line), task,
                         WL_TRACE_EVICTED, err));
    return WL_OK;
}

static wl_status use_line(recorder *r, int64_t task, const wl_line_use *use, wl_error *err)
{
    wl_trace_counts *c = &r->trace->counts;
    known_line *k = know(r, use->line);
    if (!k)
        return wl_fail_memory(err);
    if (k->task[use->store] == task)
        return WL_OK;
    const wl_touched touched =
        use->store ? wl_cache_store(r->cache, use->line, 1, NULL) : wl_cache_load(r->cache, use->line, 1);
    c->uses++;
    c->stores += use->store;
    c->least += !use->store && k->task[0] < 0;
    c->fetches += touched.missing != 0;
    k->task[use->store] = task;
    if (!in_window(r, task))
        return WL_OK;
    WL_TRY(add_event(r, k, task, touched.missing ? WL_TRACE_FETCHED : WL_TRACE_USED, err));
    return add_evicted(r, task, touched.evicted, err);
}

static wl_status visit(void *user, int64_t task, const wl_line_use *uses, size_t count, wl_error *err)
{
    recorder *r = user;
    wl_trace *t = r->trace;
    if (task == t->first)
        WL_TRY(begin_window(r, task, err));
    if (in_window(r, task) && t->event_count > EVENTS_MAX) {
        r->full = true;
        t->count = task - t->first;
    }
    for (size_t i = 0; i < count; i++)
        WL_TRY(use_line(r, task, &uses[i], err));
    t->counts.simulated = task + 1;
    r->enough = t->counts.uses > USES_MAX && task + 1 >= t->first + t->count;
    return r->enough ? WL_E_LIMIT : WL_OK;
}

/* ---- order of lines ---- */

typedef struct numbered {
    uint64_t line;
    uint32_t before; /* its number in order of use */
} numbered;

static int by_address(const void *p, const void *q)
{
    const numbered *a = p, *b = q;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Numbers lines by address instead of by use. */
static wl_status sort_lines(wl_trace *t, wl_error *err)
{
    const size_t n = t->line_count;
    numbered *sorted = malloc((n + 1) * sizeof *sorted);
    uint32_t *number = malloc((n + 1) * sizeof *number);
    if (!sorted || !number) {
        free(sorted);
        free(number);
        return wl_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = (numbered){t->lines[i], (uint32_t)i};
    qsort(sorted, n, sizeof *sorted, by_address);
    for (size_t i = 0; i < n; i++) {
        t->lines[i] = sorted[i].line;
        number[sorted[i].before] = (uint32_t)i;
    }
    for (size_t i = 0; i < t->event_count; i++)
        t->events[i].line = number[t->events[i].line];
    free(sorted);
    free(number);
    return WL_OK;
}

/* ---- a trace ---- */

static wl_status simulate(wl_trace *t, const wl_tasks *tasks, wl_error *err)
{
    const wl_trace_options *o = &t->options;
    const wl_cache_shape shape = {
        .lines = o->lines, .ways = o->ways, .sectors = 1, .policy = t->policy, .seed = o->seed, .tells_evicted = true};
    recorder r = {.trace = t};
    WL_TRY(wl_cache_new(&shape, &r.cache, err));
    wl_status status = tasks->visit(tasks->context, 0, tasks->count, visit, &r, err);
    if (r.enough)
        status = WL_OK;
    t->counts.evictions = wl_cache_count(r.cache).evicted_lines;
    wl_cache_free(r.cache);
    free(r.known);
    return status == WL_OK ? sort_lines(t, err) : status;
}

/* A trace outlives its kernel. */
static wl_status copy_names(wl_trace *t, const wl_tasks *tasks, wl_error *err)
{
    const char **names = WL_ARENA_NEW(&t->arena, const char *, wl_max(1, tasks->field_count));
    for (int f = 0; names && f < tasks->field_count; f++) {
        names[f] = wl_arena_text(&t->arena, tasks->fields[f], strlen(tasks->fields[f]));
        if (!names[f])
            return wl_fail_memory(err);
    }
    t->fields = names;
    return names ? WL_OK : wl_fail_memory(err);
}

static wl_status run(wl_trace *t, const wl_tasks *tasks, wl_error *err)
{
    const wl_trace_options *o = &t->options;
    t->counts.tasks = tasks->count;
    t->field_count = tasks->field_count;
    WL_TRY(copy_names(t, tasks, err));
    t->first = o->first;
    t->count = wl_min(o->count ? o->count : WINDOW_TASKS, tasks->count - o->first);
    if (t->first < 0 || t->count < 1)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there are tasks 0 to %lld", (long long)tasks->count - 1);
    WL_TRY(simulate(t, tasks, err));
    t->whole = t->count == tasks->count;
    return WL_OK;
}

static wl_status check_options(const wl_trace_options *o, wl_policy *policy, wl_error *err)
{
    *policy = WL_POLICY_LRU;
    if (o->policy && !wl_policy_find(o->policy, policy))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no such policy: lru, random or random4 (not '%.40s')",
                       o->policy);
    if (o->by < 0 || o->by > WL_LANES_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "1 to %d threads make a task", WL_LANES_MAX);
    return WL_OK;
}

static wl_status make(const wl_trace_options *o, const char *name, wl_trace **out, wl_error *err)
{
    wl_policy policy;
    *out = NULL;
    WL_TRY(check_options(o, &policy, err));
    wl_trace *t = calloc(1, sizeof *t);
    if (!t)
        return wl_fail_memory(err);
    t->options = *o;
    t->options.by = o->by ? o->by : 1;
    t->options.policy = wl_policy_name(policy);
    t->policy = policy;
    wl_print(t->name, sizeof t->name, "%.60s", name);
    *out = t;
    return WL_OK;
}

static wl_status finish(wl_trace **t, wl_status status)
{
    if (status != WL_OK) {
        wl_trace_free(*t);
        *t = NULL;
    }
    return status;
}

void wl_trace_free(wl_trace *t)
{
    if (!t)
        return;
    wl_arena_free(&t->arena);
    free(t->lines);
    free(t->events);
    free(t);
}

wl_trace_counts wl_trace_count(const wl_trace *t) { return t->counts; }

/* ---- examples ---- */

/* The numbers after the colon of "stencil:7x5"; false: malformed, or more than `most`. */
static bool read_numbers(const char *text, int most, int64_t *numbers, int *count)
{
    for (*count = 0; *text && *count < most; text++) {
        int64_t n = 0;
        int digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 7; text++, digits++)
            n = 10 * n + (*text - '0');
        if (digits == 0 || n < 1 || (*text && *text != 'x'))
            return false;
        numbers[(*count)++] = n;
        if (!*text)
            return true;
    }
    return false;
}

/* Does the schedule walk tiles, of these extents? */
static bool tile_of(const wl_schedule *s, const int64_t domain[3], wl_tile *tile)
{
    *tile = (wl_tile){domain[0], domain[1]};
    if (s->kind == WL_SCHEDULE_COLUMN || s->kind == WL_SCHEDULE_TILE)
        tile->width = wl_min(s->width, domain[0]);
    if (s->kind == WL_SCHEDULE_TILE)
        tile->height = wl_min(s->height, domain[1]);
    return s->kind == WL_SCHEDULE_LINEAR || s->kind == WL_SCHEDULE_COLUMN || s->kind == WL_SCHEDULE_TILE;
}

static bool has_closed_form(const wl_trace *t)
{
    return t->policy == WL_POLICY_LRU && !t->options.ways && t->options.by == 1;
}

static wl_status trace_stencil(wl_trace *t, const char *extents, const int64_t domain[3], wl_error *err)
{
    int64_t box[2] = {STENCIL, STENCIL};
    int count = 0;
    wl_tile tile;
    wl_tasks tasks;
    if (*extents && (!read_numbers(extents, 2, box, &count) || count != 2 || box[0] % 2 == 0 || box[1] % 2 == 0))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a stencil has two odd extents, as in stencil:7x7 (not '%.40s')",
                       extents);
    t->as_linear = wl_schedule_is_linear(&t->options.schedule, domain);
    const wl_stencil s = {domain[0], domain[1], {box[0] / 2, box[1] / 2}, t->options.line_bytes / ELEMENT_BYTES};
    WL_TRY(wl_tasks_of_stencil(&s, &t->options.schedule, t->options.by, &t->arena, &tasks, err));
    if (has_closed_form(t) && tile_of(&t->options.schedule, domain, &tile))
        t->closed_form = wl_stencil_fetches(&s, tile, t->options.lines);
    wl_print(t->name, sizeof t->name, "stencil %lldx%lld", (long long)box[0], (long long)box[1]);
    return run(t, &tasks, err);
}

static wl_status trace_product(wl_trace *t, const char *extents, const int64_t domain[3], wl_error *err)
{
    int64_t depth = domain[0];
    int count = 0;
    wl_tile tile;
    wl_tasks tasks;
    if (*extents && !read_numbers(extents, 1, &depth, &count))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a product has one depth, as in matmul:16 (not '%.40s')", extents);
    t->as_linear = wl_schedule_is_linear(&t->options.schedule, domain);
    const wl_product p = {domain[0], domain[1], depth, t->options.line_bytes / ELEMENT_BYTES};
    WL_TRY(wl_tasks_of_product(&p, &t->options.schedule, t->options.by, &t->arena, &tasks, err));
    if (has_closed_form(t) && tile_of(&t->options.schedule, domain, &tile))
        t->closed_form = wl_product_fetches(&p, tile, t->options.lines);
    wl_print(t->name, sizeof t->name, "matrix product of depth %lld", (long long)depth);
    return run(t, &tasks, err);
}

static wl_status check_example(const int64_t domain[3], const wl_trace_options *o, wl_error *err)
{
    const int64_t most = (int64_t)1 << 20;
    if (domain[0] < 1 || domain[1] < 1 || domain[2] > 1 || domain[0] > most || domain[1] > most)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the domain of an example has two extents up to %lld",
                       (long long)most);
    if (o->line_bytes < ELEMENT_BYTES || o->line_bytes % ELEMENT_BYTES != 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a line of an example holds elements of %d bytes", ELEMENT_BYTES);
    if (wl_schedule_orders_blocks(&o->schedule))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "examples have no blocks to order");
    return WL_OK;
}

wl_status wl_trace_example(const char *example, const int64_t domain[3], const wl_trace_options *options,
                           wl_trace **out, wl_error *err)
{
    const char *colon = strchr(example, ':'), *rest = colon ? colon + 1 : "";
    const size_t length = colon ? (size_t)(colon - example) : strlen(example);
    *out = NULL;
    WL_TRY(check_example(domain, options, err));
    WL_TRY(make(options, example, out, err));
    if (length == strlen("stencil") && strncmp(example, "stencil", length) == 0)
        return finish(out, trace_stencil(*out, rest, domain, err));
    if (length == strlen("matmul") && strncmp(example, "matmul", length) == 0)
        return finish(out, trace_product(*out, rest, domain, err));
    return finish(out, wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no such example: stencil or matmul (not '%.40s')",
                               example));
}

/* ---- kernels ---- */

/* The default cache: the part of the L1 that the shared memory of the launch leaves, or all of
 * it. */
static wl_status choose_cache(wl_trace *t, const wl_device *device, const wl_geometry *geometry, wl_error *err)
{
    wl_trace_options *o = &t->options;
    double line = 0, size = 0;
    if (device && !(wl_device_get(device, WL_DEVICE_l1_line, &line) && wl_device_get(device, WL_DEVICE_l1_size, &size)))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the device file has no size of the L1");
    if (geometry)
        size = (double)geometry->occupancy.l1_bytes;
    o->line_bytes = o->line_bytes ? o->line_bytes : (int64_t)line;
    if (o->line_bytes < 1 || (!o->lines && !device))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a cache needs a number of lines and a size of each, or a device");
    o->lines = o->lines ? o->lines : wl_max(1, (int64_t)size / o->line_bytes);
    if (o->ways)
        o->lines -= o->lines % o->ways;
    return WL_OK;
}

static wl_status trace_kernel(wl_trace *t, const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                              wl_error *err)
{
    wl_geometry geometry;
    wl_tasks tasks;
    wl_kernel_tasks wanted = {.kernel = kernel, .schedule = t->options.schedule, .by = t->options.by};
    if (launch) {
        wl_launch ordered = *launch;
        ordered.schedule = t->options.schedule;
        WL_TRY(wl_geometry_make(kernel, device, &ordered, &geometry, err));
        wanted.geometry = &geometry;
        if (t->options.by > 1 && geometry.threads % t->options.by != 0)
            return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "blocks of %lld threads do not end with a warp",
                           (long long)geometry.threads);
    }
    t->as_linear = wl_schedule_is_linear(
        &wanted.schedule, wl_schedule_orders_blocks(&wanted.schedule) && launch ? geometry.grid : kernel->domain);
    WL_TRY(choose_cache(t, device, wanted.geometry, err));
    wanted.line_bytes = t->options.line_bytes;
    WL_TRY(wl_tasks_of_kernel(&wanted, &t->arena, &tasks, err));
    return run(t, &tasks, err);
}

wl_status wl_trace_kernel(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                          const wl_trace_options *options, wl_trace **out, wl_error *err)
{
    WL_TRY(make(options, kernel->name, out, err));
    return finish(out, trace_kernel(*out, kernel, device, launch, err));
}
