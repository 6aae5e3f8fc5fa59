/* walk_replay.c - see walk_replay.h. SPDX-License-Identifier: MIT */
#include "replay/walk_replay.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "cache/line_shelf.h"
#include "replay/warp_queue.h"
#include "device/device_internal.h"
#include "expr/operate.h"

#define CHUNKS 32          /* of a thread's loops, about */
#define CHUNKS_FINEST 1024 /* where long ones exceed the L1 */
#define WARPS_MOST 1250    /* that are replayed, in whole chunks */
/* Lines that the warps of a multiprocessor look up in its L1, about; an event costs as much as some
 * of them. */
#define LOOKUPS_MOST ((int64_t)1 << 17)
#define LOOKUPS_OF_EVENT 5
#define GENERATIONS 4     /* of resident blocks, for which loops are cut */
#define MULTIPROCESSORS 3 /* that are replayed, one after the other: they differ by chance */
#define AGAIN 1           /* of these with the data in the L2, where blocks differ less */
/* log2 of WL_STEPS_PER_WAIT, the lines that a warp waits for together; a literal, as libraries
 * round logarithms differently */
#define DOUBLINGS 2.415
#define DRAWN (1 << 16) /* different random numbers */
#define SEEN (1 << 14)  /* chunks of data whose first request is remembered, a power of two */

/* ---- what is replayed ---- */

typedef struct walking {
    int place;            /* of its block */
    int64_t chunk;        /* the next one */
    int64_t started;      /* blocks before its own */
    wl_walk_bytes *loads; /* by access */
    double *began;        /* by access: when the launch began to load the first piece of it */
} walking;

/* A chunk of data that comes from memory, and when the first warp wanted it. */
typedef struct seen {
    uint64_t key;
    double when;
} seen;

/* Sectors of one field: of the first blocks, and of later ones. */
typedef struct counted {
    double missed[2], requested[2];
    double from_memory[2];   /* missed while they were on the way from memory */
    double wanted, of_lines; /* of requests, and of all their lines */
} counted;

/* Where a chunk starts: iterations of each loop, and a bit for each that is not at its first. */
typedef struct moment {
    int64_t at[WL_LOOPS_MAX];
    uint32_t inside;
} moment;

/* What a warp does in a chunk, by the bits of its moment. */
typedef struct in_chunk {
    double cycles, waits;
} in_chunk;

typedef struct street {
    const wl_walk_input *in;
    int line_shift, sector_shift; /* both are powers of two */
    wl_walk_loops loops;
    int64_t pieces; /* chunks that were asked for */
    /* chunks of each warp that are replayed, the first ones; events of a multiprocessor */
    int64_t played, most_events;
    wl_touches touches;
    wl_shelf l1;
    int64_t l1_lines;
    walking *warps;
    int64_t warp_count, resident; /* warps; blocks */
    wl_warp_queue queue;
    moment *moments; /* by chunk */
    in_chunk sums[1 << WL_LOOPS_MAX];
    int64_t *left; /* warps of each resident block that have not ended */
    /* with barriers: when the last warp of each is there */
    double *barrier;
    int64_t *at_barrier;
    int64_t started, next;    /* blocks; number of the next */
    double *starts;           /* of all blocks that were started here */
    int64_t ended_everywhere; /* ends of blocks here that the other multiprocessors have had, too */
    double now;
    bool in_l2; /* all data, from the start */
    seen *seen;
    counted *fields;
    int64_t events, draws;
    wl_replay_size size;
    wl_error *err;
} street;

/* fmin and fmax are calls, and there are no NaNs here. */
static double earlier(double a, double b) { return a < b ? a : b; }
static double later_of(double a, double b) { return a > b ? a : b; }

/* ---- blocks ---- */

/* Granules, of 2^shift bytes each, that the bytes from `lo` to before `hi` touch. */
static int64_t granules(int64_t lo, int64_t hi, int shift) { return ((hi - 1) >> shift) - (lo >> shift) + 1; }

/* How much of its lines an instruction wants. */
static void count_wanted(street *s, const wl_walker *w, const wl_walk_bytes *b)
{
    for (int n = 0; n < b->count && w->field >= 0; n++) {
        const int64_t lines = granules(b->lo[n], b->hi[n], s->line_shift);
        s->fields[w->field].wanted += (double)granules(b->lo[n], b->hi[n], s->sector_shift);
        s->fields[w->field].of_lines += (double)(lines << (s->line_shift - s->sector_shift));
    }
}

/* When the first block of the launch that loads these bytes started. The other multiprocessors
 * start as many blocks as this one. */
static double began(street *s, int access, const wl_walk_bytes *b, int64_t number, double when)
{
    if (b->count == 0)
        return when;
    const int64_t first = wl_touches_first(&s->touches, access, b->lo[0], b->hi[0], number) / s->in->sms;
    return first < s->started ? earlier(when, s->starts[first]) : when;
}

static void enqueue(street *s, const walking *warp, double ready, bool loads)
{
    const wl_queued w = {.ready = ready, .age = warp->started, .warp = (int32_t)(warp - s->warps), .loads = loads};
    wl_warp_queue_add(&s->queue, &w);
}

static wl_status start_block(street *s, int place, int64_t number, double when)
{
    /* the first loads of its warps differ by up to the time in which the block starts */
    const int64_t per_block = s->loops.warps_per_block, spread = wl_max(1, (int64_t)s->in->turnover);
    for (int64_t w = 0; w < per_block; w++) {
        walking *warp = &s->warps[place * per_block + w];
        const double ready = when + (double)wl_random_below(number * WL_LANES_MAX + w, spread);
        *warp = (walking){.place = place, .started = s->started, .loads = warp->loads, .began = warp->began};
        enqueue(s, warp, ready, false);
        for (int i = 0; i < s->loops.walker_count; i++)
            warp->loads[i].count = 0;
        WL_TRY(wl_walk_gather(&s->loops, number, w, warp->loads, s->err));
        for (int i = 0; i < s->loops.walker_count; i++) {
            count_wanted(s, &s->loops.walkers[i], &warp->loads[i]);
            warp->began[i] = s->in_l2 ? when : began(s, i, &warp->loads[i], number, when);
        }
    }
    s->left[place] = per_block;
    s->at_barrier[place] = 0;
    s->barrier[place] = 0;
    s->starts[s->started++] = when;
    return WL_OK;
}

/* Blocks of all multiprocessors that have ended, when this one ends its next. The others, which
 * wait for the same data, end theirs within the time that it takes from the L2. */
static int64_t ends_before(street *s)
{
    const double width = s->in->miss;
    const int64_t ends = s->started - s->resident;
    const double *end = s->starts + s->resident; /* a turnover later */
    while (s->ended_everywhere < ends && end[s->ended_everywhere] - s->in->turnover + width < s->now)
        s->ended_everywhere++;
    double others = (double)s->ended_everywhere;
    for (int64_t i = s->ended_everywhere; i < ends; i++)
        others += later_of(0, earlier(1, (s->now - end[i] + s->in->turnover) / width));
    return ends + (int64_t)(others * (double)(s->in->sms - 1));
}

/* Ends a warp; after the last one of its block the next block comes. Blocks are handed out in
 * order, some to each GPC in turn. */
static wl_status end_warp(street *s, walking *warp)
{
    if (--s->left[warp->place] > 0)
        return WL_OK;
    const int64_t sent = s->resident * s->in->sms + ends_before(s);
    s->next = wl_max(s->next + 1, sent + wl_random_below(s->started, s->in->gpc_sms));
    return s->next < s->in->geometry->blocks ? start_block(s, warp->place, s->next, s->now + s->in->turnover) : WL_OK;
}

/* ---- chunks ---- */

/* A chunk of a warp, while its lines are loaded. */
typedef struct load {
    const wl_walker *walker;
    int64_t lo, hi;  /* bytes */
    uint64_t stream; /* names the data, chunk by chunk */
    int64_t chunk;
    double waits, began;
    int later; /* not of the first blocks */
} load;

/* When data of a chunk arrives that comes from memory; 0: it was in the L2. The first warp of the
 * launch to want it waits for memory once for each unit that is fetched, the others until then. If
 * the block that was first has passed it, on whichever multiprocessor, it is there: a chunk takes
 * as long as its waits for memory, or as the mean of all so far. */
static double from_memory(street *s, const load *l)
{
    const wl_walk_input *in = s->in;
    const double units = l->walker->lines_each > 1 ? (double)l->walker->lines_each
                                                   : later_of(1, (double)(l->hi - l->lo) / (double)in->fetch);
    const double far = earlier(l->waits, units), takes = far * in->memory + (l->waits - far) * in->miss;
    const uint64_t key = wl_hash_add(l->stream, (uint64_t)l->chunk + 1);
    seen *first = &s->seen[wl_hash_end(key) & (SEEN - 1)];
    if (first->key != key) {
        const double mean = s->events > 2 * s->warp_count ? s->now * (double)s->warp_count / (double)s->events : 0;
        const bool passed = l->began + (double)(l->chunk + 1) * later_of(takes, mean) < s->now;
        *first = (seen){key, passed ? -INFINITY : s->now};
    }
    return later_of(0, first->when + takes);
}

/* Cycles of a wait for the L2. Half of the lines take a spread longer, half of these another, and
 * so on: then the last of twice as many lines takes one spread longer, as was measured. */
static double miss_cycles(street *s)
{
    const uint32_t drawn = (uint32_t)wl_random_below(s->draws++, DRAWN) | DRAWN;
    return s->in->miss + s->in->miss_spread * (double)__builtin_ctz(drawn);
}

/* Loads the lines of a piece; returns when the last is there. */
static double load_lines(street *s, const load *l)
{
    const wl_walker *w = l->walker;
    const int64_t line = s->in->line;
    counted *count = &s->fields[w->field];
    double there = 0, memory = -1;
    for (int64_t n = l->lo >> s->line_shift, start = n * line; start < l->hi; n++, start += line) {
        const int64_t from = wl_max(l->lo - start, 0) >> s->sector_shift,
                      to = (wl_min(l->hi - start, line) - 1) >> s->sector_shift;
        const uint32_t wanted = (2u << to) - (1u << from);
        wl_shelf_piece *p = wl_shelf_use(&s->l1, wl_hash_add(w->name, (uint64_t)n), w->lines_each);
        const uint32_t missing = wanted & ~p->sectors;
        if (missing) {
            const double sectors = (double)(__builtin_popcount(missing) * w->lines_each);
            if (memory < 0)
                memory = s->in_l2 ? 0 : from_memory(s, l);
            if (memory > s->now + l->waits * s->in->miss)
                count->from_memory[l->later] += sectors;
            count->missed[l->later] += sectors;
            p->sectors |= wanted;
            p->there = later_of(later_of(p->there, memory), s->now + l->waits * miss_cycles(s));
        }
        there = later_of(there, p->there);
    }
    return there;
}

/* The same of loads that leave the L1 alone: every request, of so many sectors in all, goes to the
 * L2. */
static double load_past_l1(street *s, const load *l, double sectors)
{
    counted *count = &s->fields[l->walker->field];
    const double memory = s->in_l2 ? 0 : from_memory(s, l);
    if (memory > s->now + l->waits * s->in->miss)
        count->from_memory[l->later] += sectors;
    count->missed[l->later] += sectors;
    return later_of(memory, s->now + l->waits * miss_cycles(s));
}

/* All warps of a block wait for the last at a barrier. */
static void wait_at_barrier(street *s, const walking *warp, double ready)
{
    const int place = warp->place;
    s->barrier[place] = later_of(s->barrier[place], ready);
    if (++s->at_barrier[place] < s->left[place])
        return;
    for (int64_t w = 0; w < s->loops.warps_per_block; w++)
        enqueue(s, &s->warps[place * s->loops.warps_per_block + w], s->barrier[place], true);
    s->at_barrier[place] = 0;
    s->barrier[place] = 0;
}

/* The next chunk of a warp: its wavefronts, then its waits. */
static void play(street *s, walking *warp)
{
    const wl_walk_loops *loops = &s->loops;
    const moment *m = &s->moments[warp->chunk];
    const in_chunk *sum = &s->sums[m->inside];
    load l = {.chunk = warp->chunk, .waits = sum->waits, .later = warp->started >= s->resident};
    double there = 0;
    for (int i = 0; i < loops->walker_count; i++) {
        const wl_walker *w = &loops->walkers[i];
        const wl_walk_bytes *b = &warp->loads[i];
        if (w->field < 0 || !wl_walker_runs(w, m->inside))
            continue;
        int64_t offset = 0;
        for (int n = 0; n < WL_LOOPS_MAX; n++)
            offset += m->at[n] * w->stride[n];
        const double sectors = b->count ? (double)w->executions * w->sectors : 0;
        l.walker = w;
        l.began = warp->began[i];
        for (int n = 0; n < b->count; n++) {
            l.lo = b->lo[n] + offset + w->before;
            l.hi = b->hi[n] + offset + w->beyond;
            l.stream = wl_hash_add(w->name, (uint64_t)(b->lo[n] >> s->line_shift));
            const double arrives =
                w->program.access->bypasses_l1 ? load_past_l1(s, &l, sectors / b->count) : load_lines(s, &l);
            there = later_of(there, arrives);
        }
        s->fields[w->field].requested[l.later] += sectors;
    }
    s->now += sum->cycles;
    const double ready = later_of(there, s->now + l.waits * s->in->hit);
    warp->chunk++;
    s->events++;
    if (s->in->view->kernel->barriers > 0)
        wait_at_barrier(s, warp, ready);
    else
        enqueue(s, warp, ready, true);
}

/* ---- time ---- */

static void forget(street *s)
{
    wl_warp_queue_clear(&s->queue);
    memset(s->seen, 0, SEEN * sizeof *s->seen);
    wl_shelf_clear(&s->l1, s->l1_lines);
    s->started = s->events = s->ended_everywhere = 0;
    s->now = 0;
}

/* One multiprocessor, from the beginning of the launch. */
static wl_status walk(street *s, int64_t sm)
{
    forget(s);
    for (int64_t b = 0; b < s->resident; b++)
        if (sm + b * s->in->sms < s->in->geometry->blocks)
            WL_TRY(start_block(s, (int)b, sm + b * s->in->sms, (double)(b * s->in->sms) * s->in->apart));
    s->next = sm + (s->resident - 1) * s->in->sms;
    while (s->events < s->most_events) {
        const int32_t next = wl_warp_queue_next(&s->queue, &s->now);
        if (next < 0)
            break;
        walking *warp = &s->warps[next];
        if (warp->chunk < s->played)
            play(s, warp);
        else
            WL_TRY(end_warp(s, warp));
    }
    return WL_OK;
}

/* ---- all of it ---- */

/* All lines of a chunk are loaded at once, so the chunks of all warps should fit into the L1, if
 * two load the same: longer ones would evict each other's lines, where step by step warps that are
 * not far apart share them. */
static wl_status choose_chunks(street *s, wl_arena *arena)
{
    const double room = (double)s->in->geometry->occupancy.l1_bytes / (double)s->in->line;
    s->pieces = CHUNKS;
    WL_TRY(wl_walk_loops_make(s->in, s->pieces, arena, &s->loops, s->err));
    while (s->pieces < CHUNKS_FINEST && s->loops.chunks.steps > 1 &&
           wl_walk_lines(&s->loops) * (double)s->warp_count > 2 * room) {
        s->pieces *= 2;
        WL_TRY(wl_walk_loops_make(s->in, s->pieces, arena, &s->loops, s->err));
    }
    return WL_OK;
}

/* Lines that a warp looks up in a chunk, of a block in the middle of the launch, and the event. */
static wl_status count_lookups(street *s, int64_t *lines)
{
    wl_walk_bytes bytes[WL_WALK_ACCESSES];
    for (int i = 0; i < s->loops.walker_count; i++)
        bytes[i].count = 0;
    WL_TRY(wl_walk_gather(&s->loops, s->in->geometry->blocks / 2, 0, bytes, s->err));
    *lines = LOOKUPS_OF_EVENT;
    for (int i = 0; i < s->loops.walker_count; i++)
        for (int n = 0; n < bytes[i].count; n++)
            *lines += granules(bytes[i].lo[n] + s->loops.walkers[i].before, bytes[i].hi[n] + s->loops.walkers[i].beyond,
                               s->line_shift);
    return WL_OK;
}

/* Long walks are replayed in part: without the last blocks, and if chunks are many and short,
 * without the last chunks of each block; but with all of loops in loops, which may come back to the
 * same data. */
static wl_status limit_events(street *s)
{
    const wl_walk_chunks *c = &s->loops.chunks;
    int64_t lines;
    WL_TRY(count_lookups(s, &lines));
    const int64_t most = LOOKUPS_MOST / lines;
    s->played = c->level > 0 ? c->count : wl_min(c->count, wl_max(CHUNKS, most / (GENERATIONS * s->warp_count)));
    s->most_events = wl_min(s->pieces * WARPS_MOST, wl_max(most, 2 * s->played * s->warp_count));
    return WL_OK;
}

/* Cycles that a warp issues for, and loads that it issues, until it waits for them. */
static void between_waits(const wl_walk_loops *l, double *cycles, double *loads)
{
    double waits = 1;
    *cycles = *loads = 0;
    for (int i = 0; i < l->walker_count; i++) {
        const wl_walker *w = &l->walkers[i];
        *cycles += (double)w->executions * w->cycles;
        *loads += w->field < 0 ? 0 : (double)w->executions;
        waits = later_of(waits, wl_walker_waits(l, w));
    }
    *cycles /= waits;
    *loads /= waits;
}

/* What follows from the loops alone, once for all warps. */
static void prepare_chunks(street *s)
{
    const wl_walk_loops *l = &s->loops;
    for (int64_t n = 0; n < l->chunks.count; n++) {
        moment *m = &s->moments[n];
        m->inside = wl_walk_chunk_start(&l->chunks, n, m->at);
    }
    for (uint32_t inside = 0; inside < 1u << WL_LOOPS_MAX; inside++) {
        in_chunk *sum = &s->sums[inside];
        *sum = (in_chunk){.waits = 1};
        for (int i = 0; i < l->walker_count; i++) {
            const wl_walker *w = &l->walkers[i];
            if (!wl_walker_runs(w, inside))
                continue;
            sum->cycles += (double)w->executions * w->cycles;
            sum->waits = later_of(sum->waits, wl_walker_waits(l, w));
        }
    }
}

static void place_warps(street *s)
{
    const wl_geometry *g = s->in->geometry;
    s->resident = wl_min(g->occupancy.blocks_per_sm, wl_ceil_div(g->blocks, s->in->sms));
    s->warp_count = wl_ceil_div(g->threads, s->in->warp_size) * s->resident;
}

static wl_status make_street(street *s, wl_arena *arena)
{
    const int64_t walkers = wl_max(1, s->loops.walker_count),
                  blocks = s->most_events / (s->played * s->loops.warps_per_block);
    s->warps = WL_ARENA_NEW(arena, walking, s->warp_count);
    s->left = WL_ARENA_NEW(arena, int64_t, s->resident);
    s->barrier = WL_ARENA_NEW(arena, double, s->resident);
    s->at_barrier = WL_ARENA_NEW(arena, int64_t, s->resident);
    s->moments = WL_ARENA_NEW(arena, moment, s->loops.chunks.count);
    s->starts = WL_ARENA_NEW(arena, double, blocks + 2 * s->resident + 1);
    s->seen = WL_ARENA_NEW(arena, seen, SEEN);
    s->fields = WL_ARENA_NEW(arena, counted, s->in->view->kernel->field_count);
    bool ok = s->warps && s->moments && wl_warp_queue_make(&s->queue, s->warp_count, s->in->schedulers, arena) &&
              s->left && s->barrier && s->at_barrier && s->starts && s->seen && s->fields &&
              wl_shelf_make(&s->l1, s->l1_lines, WL_SHELF_LRU, arena);
    for (int64_t i = 0; i < s->warp_count && ok; i++) {
        s->warps[i].loads = WL_ARENA_NEW(arena, wl_walk_bytes, walkers);
        s->warps[i].began = WL_ARENA_NEW(arena, double, walkers);
        ok = s->warps[i].loads && s->warps[i].began;
    }
    if (!ok)
        return wl_fail_memory(s->err);
    prepare_chunks(s);
    return wl_touches_make(&s->loops, arena, &s->touches, s->err);
}

/* The share of the requested sectors, a mean over the blocks of a launch: the first start together,
 * in lockstep; they represent themselves, later ones the rest. `unknown`: if none were
 * requested. */
static double mean_of_blocks(const street *s, const counted *c, const double sectors[2], double unknown)
{
    const double first = fmin(1, (double)(s->resident * s->in->sms) / (double)s->in->geometry->blocks);
    double sum = 0, weights = 0;
    for (int later = 0; later < 2; later++) {
        const double weight = later ? 1 - first : first;
        if (c->requested[later] <= 0 || weight <= 0)
            continue;
        sum += weight * fmin(1, sectors[later] / c->requested[later]);
        weights += weight;
    }
    return weights > 0 ? sum / weights : unknown;
}

/* Some multiprocessors, one after the other, as they differ by chance. */
static wl_status walk_all(street *s, bool in_l2)
{
    s->in_l2 = in_l2;
    s->draws = 0;
    s->queue.turn = 0;
    memset(s->fields, 0, s->in->view->kernel->field_count * sizeof *s->fields);
    const int64_t count = in_l2 ? AGAIN : MULTIPROCESSORS;
    s->size = (wl_replay_size){.multiprocessors = count, .steps = (double)s->played / (double)s->loops.chunks.count};
    for (int64_t n = 0; n < count; n++) {
        WL_TRY(walk(s, (2 * n + 1) * s->in->sms / (2 * count)));
        s->size.blocks += s->started;
    }
    return WL_OK;
}

wl_status wl_walk_replay(const wl_walk_input *in, wl_arena *arena, wl_walked *out, wl_error *err)
{
    const size_t fields = in->view->kernel->field_count;
    double cycles, loads;
    *out = (wl_walked){0};
    if (!wl_walk_loops_known(in))
        return WL_OK;
    street *s = WL_ARENA_NEW(arena, street, 1);
    wl_readers *readers = WL_ARENA_NEW(arena, wl_readers, fields);
    out->missed = WL_ARENA_NEW(arena, double, fields);
    out->fields = WL_ARENA_NEW(arena, wl_replayed_walk, fields);
    if (!s || !readers || !out->missed || !out->fields)
        return wl_fail_memory(err);
    s->in = in;
    s->err = err;
    s->line_shift = wl_log2(in->line);
    s->sector_shift = wl_log2(in->sector);
    s->l1_lines = wl_max(1, in->geometry->occupancy.l1_bytes / in->line);
    place_warps(s);
    WL_TRY(choose_chunks(s, arena));
    WL_TRY(limit_events(s));
    WL_TRY(make_street(s, arena));
    between_waits(&s->loops, &cycles, &loads);
    s->queue.most_waiting = (int64_t)fmax(1, fmin((double)s->warp_count + 1, in->in_flight / fmax(1, loads)));
    WL_TRY(wl_touches_readers(&s->touches, readers, err));
    WL_TRY(walk_all(s, false));
    out->size = s->size;
    for (size_t f = 0; f < fields; f++) {
        const counted *c = &s->fields[f];
        wl_replayed_walk *w = &out->fields[f];
        const double missed = mean_of_blocks(s, c, c->missed, 1);
        out->missed[f] = missed;
        w->lockstep = missed > 0 ? fmin(1, mean_of_blocks(s, c, c->from_memory, 0) / missed) : 0;
        w->within = cycles * (double)s->warp_count;
        w->whole_lines = c->of_lines > 0 ? c->wanted / c->of_lines : 0;
        w->readers = readers[f];
        w->missed_again = missed;
    }
    if (in->repeats) {
        WL_TRY(walk_all(s, true));
        for (size_t f = 0; f < fields; f++)
            out->fields[f].missed_again = mean_of_blocks(s, &s->fields[f], s->fields[f].missed, 1);
    }
    out->known = true;
    return WL_OK;
}

bool wl_walk_read(const wl_device *d, wl_walk_input *out)
{
    double rate = 1, spread = 0, clock = 0;
    out->sms = wl_device_int(d, WL_DEVICE_sm_count);
    out->warp_size = wl_device_int(d, WL_DEVICE_warp_size);
    out->gpc_sms = wl_max(1, out->sms / wl_device_int(d, WL_DEVICE_gpcs));
    out->schedulers = wl_device_int(d, WL_DEVICE_sub_partitions);
    out->line = wl_device_int(d, WL_DEVICE_l1_line);
    out->sector = wl_device_int(d, WL_DEVICE_l1_sector);
    out->fetch = wl_device_int(d, WL_DEVICE_dram_fetch);
    if (!wl_device_get(d, WL_DEVICE_l1_latency, &out->hit) || !wl_device_get(d, WL_DEVICE_l2_latency, &out->miss) ||
        !wl_device_get(d, WL_DEVICE_l1_wavefront_rate, &rate))
        return false;
    out->wavefront = 1 / rate;
    out->memory = out->miss;
    (void)wl_device_get(d, WL_DEVICE_dram_latency, &out->memory);
    /* a warp waits for the last of several lines */
    out->miss_spread = 0;
    (void)wl_device_get(d, WL_DEVICE_l2_latency_spread, &out->miss_spread);
    (void)wl_device_get(d, WL_DEVICE_dram_latency_spread, &spread);
    out->memory += spread * DOUBLINGS;
    /* until its first loads, a block waits about as long as for a hit of the L1 and one of the L2;
     * block_turnover would make counts depend on a number that fits change */
    out->turnover = out->hit + out->miss;
    if (wl_device_get(d, WL_DEVICE_block_rate, &rate) && wl_device_get(d, WL_DEVICE_clock, &clock))
        out->apart = clock / rate;
    out->in_flight = INFINITY;
    (void)wl_device_get(d, WL_DEVICE_l1_mshr, &out->in_flight);
    return true;
}
