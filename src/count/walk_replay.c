/* walk_replay.c - see walk_replay.h. SPDX-License-Identifier: MIT */
#include "count/walk_replay.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "device/device_internal.h"
#include "expr/operate.h"
#include "kernel/program.h"
#include "launch/lanes.h"
#include "count/line_shelf.h"

#define CHUNKS 32          /* of a thread's loops, about */
#define CHUNKS_FINEST 1024 /* where long ones exceed the L1 */
#define WARPS_MOST 1250    /* that are replayed, in whole chunks */
#define ACCESSES_MOST 64   /* loads and stores of a kernel; with more it is not replayed */
/* runs of bytes that a warp loads with one access; further ones, of folded threads, are left out */
#define PIECES 32
#define SCHEDULERS 4 /* whose warps take turns to load */
#define UNROLLED 4   /* steps of a loop whose loads the assembler issues before the first is used */
/* Cycles. */
/* cycles between the loads of such steps: multiply-adds that wait for one another */
#define ARITHMETIC 60
#define LATER 0.7        /* a miss takes up to so much longer: the other half of the L2, queues */
#define START_CYCLES 300 /* from the end of a block to the first load of the next */
#define BLOCKS_APART 2   /* cycles between two blocks that start at the beginning of a launch */

/* ---- the loops, in chunks ---- */

/* A chunk is `steps` iterations of one loop, with all of those inside it. */
typedef struct chunks {
    int level;
    int64_t steps, count;
    /* of the loops outside `level`, and in chunks of `level` itself */
    int64_t extent[WL_LOOPS_MAX];
} chunks;

static chunks divide(const wl_kernel *k, int64_t pieces)
{
    chunks c = {.count = 1};
    for (c.level = 0; c.level < k->loop_count; c.level++) {
        const int64_t all = c.count * k->loop_extent[c.level];
        c.steps = wl_max(1, all / pieces);
        c.extent[c.level] = wl_ceil_div(k->loop_extent[c.level], c.steps);
        c.count *= c.extent[c.level];
        if (all >= pieces || c.level == k->loop_count - 1)
            break;
    }
    return c;
}

/* Where chunk n starts: iterations of each loop. */
static void start_of(const chunks *c, int64_t n, int64_t at[WL_LOOPS_MAX])
{
    memset(at, 0, WL_LOOPS_MAX * sizeof *at);
    for (int l = c->level; l >= 0; l--) {
        at[l] = n % c->extent[l] * (l == c->level ? c->steps : 1);
        n /= c->extent[l];
    }
}

/* ---- accesses ---- */

/* What one access does in a chunk. */
typedef struct walker {
    int kind; /* the first that goes from a line to the same others */
    /* of the first: how many do; a loop that the compiler has unrolled already has several */
    int alike;
    int field; /* -1: takes time alone, as shared memory and stores do */
    wl_program program;
    int64_t stride[WL_LOOPS_MAX]; /* bytes; 0: it does not name the loop */
    uint32_t loops;               /* that it names */
    int64_t executions;           /* in one chunk */
    /* bytes that the loops of a chunk add to each piece without a gap */
    int64_t before, beyond;
    int64_t lines_each; /* lines that stand for one: loops with larger strides */
    /* of what it loads: lines that several accesses share have one key */
    uint64_t name;
    double cycles, sectors; /* per execution by one warp */
} walker;

static void set_loops(walker *w, const wl_kernel *k, const chunks *c, const wl_bound *b, int64_t line)
{
    w->executions = w->lines_each = 1;
    w->loops = b->loops;
    for (int l = 0; l < k->loop_count; l++) {
        if (!(b->loops >> l & 1))
            continue;
        w->stride[l] = b->index_loops >> l & 1 ? b->loop_strides[l] * b->access->unit_bytes : 0;
        if (l < c->level)
            continue;
        const int64_t n = l == c->level ? wl_min(c->steps, k->loop_extent[l]) : k->loop_extent[l];
        w->executions *= n;
        if (w->stride[l] == 0)
            continue;
        if (w->stride[l] < line && w->stride[l] > -line) {
            /* it goes on in the same or the next line */
            w->beyond += wl_max(0, w->stride[l]) * (n - 1);
            w->before += wl_min(0, w->stride[l]) * (n - 1);
        } else {
            w->lines_each *= n;
        }
    }
}

/* ---- warps ---- */

/* The bytes that a warp loads with one access at the first step of all loops. */
typedef struct bytes {
    int count;
    int64_t lo[PIECES], hi[PIECES];
} bytes;

typedef struct walking {
    bool active;
    int place;     /* of its block */
    int64_t chunk; /* that comes next */
    double ready;
    int64_t started; /* blocks before its own */
    bytes *loads;    /* by access */
} walking;

typedef struct street {
    const wl_walk_input *in;
    int line_shift, sector_shift; /* both are powers of two */
    chunks chunks;
    int64_t pieces; /* chunks that were asked for */
    walker walkers[ACCESSES_MOST];
    int walker_count;
    wl_shelf l1;
    walking *warps;
    int64_t per_block, warp_count, resident; /* warps of a block, of all; blocks */
    int64_t *left;                           /* warps of each resident block that have not ended */
    /* with barriers: when the last warp of each is there */
    double *waiting;
    int64_t *waiting_count;
    int64_t started, next;                 /* blocks; number of the next */
    double now, *missed[2], *requested[2]; /* by field: of the first blocks, and of later ones */
    double *wanted, *lines;                /* by field: sectors of requests, and of their lines */
    int64_t events, draws;
    int turn;
    wl_error *err;
} street;

/* Where add_bytes puts the bytes of an access, `width` per lane. */
typedef struct gatherer {
    bytes *to;
    int64_t width;
} gatherer;

static wl_status add_bytes(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    const gatherer *g = context;
    bytes *b = g->to;
    (void)which;
    (void)err;
    for (int i = 0; i < lanes; i++) {
        int at = 0;
        /* in it, or right behind it */
        while (at < b->count && (addresses[i] > b->hi[at] || addresses[i] < b->lo[at]))
            at++;
        if (at == PIECES)
            continue;
        if (at == b->count) {
            b->lo[at] = b->hi[at] = addresses[i];
            b->count++;
        }
        b->hi[at] = wl_max(b->hi[at], addresses[i] + g->width);
    }
    return WL_OK;
}

/* Granules, of 2^shift bytes each, that the bytes from `lo` to before `hi` touch. */
static int64_t granules(int64_t lo, int64_t hi, int shift) { return ((hi - 1) >> shift) - (lo >> shift) + 1; }

/* How much of its lines an instruction wants. */
static void count_wanted(street *s, const walker *w, const bytes *b)
{
    for (int n = 0; n < b->count && w->field >= 0; n++) {
        const int64_t lines = granules(b->lo[n], b->hi[n], s->line_shift);
        s->wanted[w->field] += (double)granules(b->lo[n], b->hi[n], s->sector_shift);
        s->lines[w->field] += (double)(lines << (s->line_shift - s->sector_shift));
    }
}

/* What a warp loads at the first step of all loops, with all cells of its threads. */
static wl_status gather(street *s, const wl_warp_id *id, walking *warp)
{
    const wl_geometry *g = s->in->geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    int64_t f[3];
    for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
        for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
            for (f[0] = 0; f[0] < g->fold[0]; f[0]++) {
                const bool any = wl_lanes_fill(g, id, (int)s->in->warp_size, f, &values, lane) > 0;
                for (int i = 0; i < s->walker_count && any; i++) {
                    gatherer to = {&warp->loads[i], s->walkers[i].program.access->width_bytes};
                    if (s->walkers[i].field >= 0)
                        WL_TRY(wl_program_run_first(&s->walkers[i].program, &values, add_bytes, &to, s->err));
                }
            }
    return WL_OK;
}

static wl_status start_block(street *s, int place, int64_t number, double when)
{
    const wl_geometry *g = s->in->geometry;
    int64_t block[3];
    wl_block_at(g, number, block);
    for (int64_t w = 0; w < s->per_block; w++) {
        walking *warp = &s->warps[place * s->per_block + w];
        const wl_warp_id id = {{block[0], block[1], block[2]}, w * s->in->warp_size};
        *warp = (walking){true,       place,      0, when + (double)wl_random_below(number * WL_LANES_MAX + w, 200),
                          s->started, warp->loads};
        for (int i = 0; i < s->walker_count; i++)
            warp->loads[i].count = 0;
        WL_TRY(gather(s, &id, warp));
        for (int i = 0; i < s->walker_count; i++)
            count_wanted(s, &s->walkers[i], &warp->loads[i]);
    }
    s->left[place] = s->per_block;
    s->waiting_count[place] = 0;
    s->waiting[place] = 0;
    s->started++;
    return WL_OK;
}

/* Is an access executed in the chunk that starts there? Once where it does not name a loop. */
static bool is_executed(const walker *w, const int64_t at[WL_LOOPS_MAX])
{
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        if (at[l] > 0 && !(w->loops >> l & 1))
            return false;
    return true;
}

/* fmin and fmax are calls, and there are no NaNs here. */
static double earlier(double a, double b) { return a < b ? a : b; }
static double later_of(double a, double b) { return a > b ? a : b; }

/* Loads the lines from `lo` to before `hi`; returns when the last is there. */
static double load_lines(street *s, const walker *w, int64_t lo, int64_t hi, double waits, int later)
{
    const int64_t line = s->in->line;
    double there = 0;
    for (int64_t l = lo >> s->line_shift, start = l * line; start < hi; l++, start += line) {
        const int64_t from = wl_max(lo - start, 0) >> s->sector_shift,
                      to = (wl_min(hi - start, line) - 1) >> s->sector_shift;
        const uint32_t wanted = (2u << to) - (1u << from);
        wl_shelf_piece *p = wl_shelf_use(&s->l1, wl_hash_add(w->name, (uint64_t)l), w->lines_each);
        const uint32_t missing = wanted & ~p->sectors;
        if (missing) {
            const double late = LATER * (double)wl_random_below(s->draws++, 1000) / 1000;
            s->missed[later][w->field] += (double)(__builtin_popcount(missing) * w->lines_each);
            p->sectors |= wanted;
            p->there = later_of(p->there, s->now + waits * s->in->miss * (1 + late));
        }
        there = later_of(there, p->there);
    }
    return there;
}

/* The next chunk of a warp: its wavefronts, then its waits. */
static void play(street *s, walking *warp)
{
    const int later = warp->started >= s->resident;
    const bool barriers = s->in->view->kernel->barriers > 0;
    int64_t at[WL_LOOPS_MAX];
    double cycles = 0, there = 0, waits = 1;
    start_of(&s->chunks, warp->chunk, at);
    for (int i = 0; i < s->walker_count; i++) {
        const walker *w = &s->walkers[i];
        if (!is_executed(w, at))
            continue;
        cycles += (double)w->executions * w->cycles * s->in->wavefront;
        if (w->field < 0)
            continue;
        const int64_t together = barriers ? 1 : wl_max(1, UNROLLED / s->walkers[w->kind].alike);
        waits = later_of(waits, (double)w->executions / (double)together);
    }
    for (int i = 0; i < s->walker_count; i++) {
        const walker *w = &s->walkers[i];
        const bytes *b = &warp->loads[i];
        if (w->field < 0 || !is_executed(w, at))
            continue;
        int64_t offset = 0;
        for (int l = 0; l < WL_LOOPS_MAX; l++)
            offset += at[l] * w->stride[l];
        for (int n = 0; n < b->count; n++)
            there = later_of(
                there, load_lines(s, w, b->lo[n] + offset + w->before, b->hi[n] + offset + w->beyond, waits, later));
        s->requested[later][w->field] += b->count ? (double)w->executions * w->sectors : 0;
    }
    s->now += cycles;
    warp->ready = later_of(there, s->now + waits * s->in->hit) + waits * ARITHMETIC;
    warp->chunk++;
    s->events++;
    if (!barriers)
        return;
    s->waiting[warp->place] = later_of(s->waiting[warp->place], warp->ready);
    warp->ready = INFINITY;
    if (++s->waiting_count[warp->place] < s->left[warp->place])
        return;
    for (int64_t w = 0; w < s->per_block; w++) /* all are at the barrier */
        s->warps[warp->place * s->per_block + w].ready = s->waiting[warp->place];
    s->waiting_count[warp->place] = 0;
    s->waiting[warp->place] = 0;
}

/* Of the oldest block that has a warp ready, the one that has been so for longest, scheduler by
 * scheduler. NULL: none is; *soon is when the first will be. */
static walking *choose(street *s, double *soon)
{
    *soon = INFINITY;
    for (int d = 0; d < SCHEDULERS; d++) {
        walking *best = NULL;
        const int64_t first = (s->turn + d) % SCHEDULERS;
        for (int64_t i = first; i < s->warp_count; i += SCHEDULERS) {
            walking *w = &s->warps[i];
            if (!w->active)
                continue;
            *soon = earlier(*soon, w->ready);
            if (w->ready <= s->now &&
                (!best || w->started < best->started || (w->started == best->started && w->ready < best->ready)))
                best = w;
        }
        if (best) {
            s->turn = (int)first + 1;
            return best;
        }
    }
    return NULL;
}

/* Ends a warp; after the last one of its block the next block comes. */
static wl_status end_warp(street *s, walking *warp)
{
    warp->active = false;
    if (--s->left[warp->place] > 0)
        return WL_OK;
    /* the other multiprocessors take their blocks meanwhile, about one each */
    s->next += 1 + wl_random_below(s->next, 2 * s->in->sms - 1);
    return s->next < s->in->geometry->blocks ? start_block(s, warp->place, s->next, s->now + START_CYCLES) : WL_OK;
}

static wl_status walk(street *s)
{
    const int64_t sm = s->in->sms / 2;
    for (int64_t b = 0; b < s->resident; b++)
        if (sm + b * s->in->sms < s->in->geometry->blocks)
            WL_TRY(start_block(s, (int)b, sm + b * s->in->sms, (double)(b * s->in->sms * BLOCKS_APART)));
    s->next = s->resident * s->in->sms;
    while (s->events < s->pieces * WARPS_MOST) {
        double soon;
        walking *warp = choose(s, &soon);
        if (!warp && isinf(soon))
            break;
        if (!warp) {
            s->now = soon;
            continue;
        }
        play(s, warp);
        if (warp->chunk == s->chunks.count)
            WL_TRY(end_warp(s, warp));
    }
    return WL_OK;
}

/* ---- all of it ---- */

static bool can_walk(const wl_walk_input *in)
{
    const wl_kernel *k = in->view->kernel;
    if (k->loop_count == 0 || k->access_count > ACCESSES_MOST || in->warp_size > PIECES || in->line / in->sector > 31)
        return false;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_bound *b = &in->view->bounds[i];
        if (!b->never && !b->access->store && !k->fields[b->access->field].shared &&
            (b->access->traced || !b->even || b->access->atomic || wl_expr_is_random(b->access->index)))
            return false;
    }
    return true;
}

static bool go_alike(const walker *a, const walker *b)
{
    return a->field == b->field && a->lines_each == b->lines_each &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

static wl_status make_walkers(street *s, wl_arena *arena)
{
    const wl_kernel *k = s->in->view->kernel;
    s->chunks = divide(k, s->pieces);
    s->walker_count = 0;
    const double warps =
        (double)s->in->geometry->blocks * (double)wl_ceil_div(s->in->geometry->threads, s->in->warp_size);
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_bound *b = &s->in->view->bounds[i];
        const bool loads = !b->access->store && !k->fields[b->access->field].shared;
        walker *w = &s->walkers[s->walker_count];
        if (b->never || s->in->costs[i].inst <= 0)
            continue;
        const double all = warps * wl_access_steps(k, b->access);
        *w = (walker){.field = loads ? (int)b->access->field : -1,
                      .cycles = fmax(s->in->costs[i].hit, s->in->costs[i].tag) / all,
                      .sectors = s->in->costs[i].sectors / all};
        WL_TRY(wl_program_make(k, b->access, arena, &w->program, s->err));
        w->program.one_block = true;
        if (!b->conditional)
            wl_program_always(&w->program);
        set_loops(w, k, &s->chunks, b, s->in->line);
        while (w->kind < s->walker_count && !go_alike(&s->walkers[w->kind], w))
            w->kind++;
        s->walkers[w->kind].alike++;
        w->name = wl_hash_add((uint64_t)w->field, w->lines_each > 1 ? (uint64_t)w->kind + 1 : 0);
        s->walker_count++;
    }
    return WL_OK;
}

/* Lines that a warp loads in one chunk, about. */
static double lines_of_chunk(const street *s)
{
    const double line = (double)s->in->line;
    double lines = 0;
    for (int i = 0; i < s->walker_count; i++) {
        const walker *w = &s->walkers[i];
        if (w->field >= 0 && w->kind == i)
            lines += (double)w->lines_each * fmax(1, w->sectors * (double)s->in->sector / line) +
                     (double)(w->beyond - w->before) / line;
    }
    return lines;
}

/* All lines of a chunk are loaded at once, so chunks of all warps must fit into the L1: longer ones
 * would evict each other's lines, where step by step warps that are not far apart share them. */
static wl_status choose_chunks(street *s, wl_arena *arena)
{
    const double room = (double)s->in->geometry->occupancy.l1_bytes / (double)s->in->line;
    s->pieces = CHUNKS;
    WL_TRY(make_walkers(s, arena));
    while (!s->in->long_chunks && s->pieces < CHUNKS_FINEST && s->chunks.steps > 1 &&
           lines_of_chunk(s) * (double)s->warp_count > room) {
        s->pieces *= 2;
        WL_TRY(make_walkers(s, arena));
    }
    return WL_OK;
}

static void place_warps(street *s)
{
    const wl_geometry *g = s->in->geometry;
    s->per_block = wl_ceil_div(g->threads, s->in->warp_size);
    s->resident = wl_min(g->occupancy.blocks_per_sm, wl_ceil_div(g->blocks, s->in->sms));
    s->warp_count = s->per_block * s->resident;
}

static wl_status make_street(street *s, wl_arena *arena)
{
    const wl_geometry *g = s->in->geometry;
    const size_t fields = s->in->view->kernel->field_count;
    s->warps = WL_ARENA_NEW(arena, walking, s->warp_count);
    s->left = WL_ARENA_NEW(arena, int64_t, s->resident);
    s->waiting = WL_ARENA_NEW(arena, double, s->resident);
    s->waiting_count = WL_ARENA_NEW(arena, int64_t, s->resident);
    bool ok = s->warps && s->left && s->waiting && s->waiting_count &&
              wl_shelf_make(&s->l1, wl_max(1, g->occupancy.l1_bytes / s->in->line), arena);
    for (int later = 0; later < 2 && ok; later++) {
        s->missed[later] = WL_ARENA_NEW(arena, double, fields);
        s->requested[later] = WL_ARENA_NEW(arena, double, fields);
        ok = s->missed[later] && s->requested[later];
    }
    s->wanted = WL_ARENA_NEW(arena, double, fields);
    s->lines = WL_ARENA_NEW(arena, double, fields);
    ok = ok && s->wanted && s->lines;
    for (int64_t i = 0; i < s->warp_count && ok; i++) {
        s->warps[i].loads = WL_ARENA_NEW(arena, bytes, wl_max(1, s->walker_count));
        ok = s->warps[i].loads != NULL;
    }
    return ok ? WL_OK : wl_fail_memory(s->err);
}

/* The first blocks start together, in lockstep; they represent themselves, later ones the rest. */
static void mean_of_blocks(const street *s, wl_walked *out)
{
    const double first = fmin(1, (double)(s->resident * s->in->sms) / (double)s->in->geometry->blocks);
    for (size_t f = 0; f < s->in->view->kernel->field_count; f++) {
        double share = 0, weights = 0;
        for (int later = 0; later < 2; later++) {
            const double weight = later ? 1 - first : first;
            if (s->requested[later][f] <= 0 || weight <= 0)
                continue;
            share += weight * fmin(1, s->missed[later][f] / s->requested[later][f]);
            weights += weight;
        }
        out->missed[f] = weights > 0 ? share / weights : 1;
        out->whole_lines[f] = s->lines[f] > 0 ? s->wanted[f] / s->lines[f] : 0;
    }
}

wl_status wl_walk_replay(const wl_walk_input *in, wl_arena *arena, wl_walked *out, wl_error *err)
{
    *out = (wl_walked){0};
    if (!can_walk(in))
        return WL_OK;
    street *s = WL_ARENA_NEW(arena, street, 1);
    out->missed = WL_ARENA_NEW(arena, double, in->view->kernel->field_count);
    out->whole_lines = WL_ARENA_NEW(arena, double, in->view->kernel->field_count);
    if (!s || !out->missed || !out->whole_lines)
        return wl_fail_memory(err);
    s->in = in;
    s->err = err;
    s->line_shift = wl_log2(in->line);
    s->sector_shift = wl_log2(in->sector);
    place_warps(s);
    WL_TRY(choose_chunks(s, arena));
    WL_TRY(make_street(s, arena));
    WL_TRY(walk(s));
    mean_of_blocks(s, out);
    out->known = true;
    return WL_OK;
}

bool wl_walk_read(const wl_device *d, wl_walk_input *out)
{
    static const double h200[3] = {32, 280, 1}; /* where a file says nothing */
    double given[3] = {0}, rate = 0;
    out->sms = wl_device_int(d, WL_DEVICE_sm_count);
    out->warp_size = wl_device_int(d, WL_DEVICE_warp_size);
    out->line = wl_device_int(d, WL_DEVICE_l1_line);
    out->sector = wl_device_int(d, WL_DEVICE_l1_sector);
    out->hit = h200[0];
    out->miss = h200[1];
    out->wavefront = h200[2];
    out->long_chunks = wl_device_list_length(d, WL_DEVICE_walk_cycles) == 3;
    if (out->long_chunks) {
        wl_device_read_list(d, WL_DEVICE_walk_cycles, given, 3);
        out->hit = given[0];
        out->miss = given[1];
        out->wavefront = given[2];
        return true;
    }
    const bool hit = wl_device_get(d, WL_DEVICE_l1_latency, &out->hit),
               miss = wl_device_get(d, WL_DEVICE_l2_latency, &out->miss),
               wavefront = wl_device_get(d, WL_DEVICE_l1_wavefront_rate, &rate);
    if (wavefront)
        out->wavefront = 1 / rate;
    return hit && miss && wavefront;
}
