/* profile.c - see profile.h. SPDX-License-Identifier: MIT */
#include "timeline/profile.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "device/device_internal.h"

#define WALKED 4 /* trips of a loop that are walked through, */
/* the last ones represent all others; two, because loads that are issued ahead of their use
 * alternate */
#define SETTLED 2
#define TWO_PLACES 2      /* for sums of products: one is computed while another is read */
#define BATCHES 8         /* of products of warp groups that may be in flight */
#define DEPTHS 16         /* of nested loops; deeper ones are walked like the deepest of these */
#define MORE_INTERVALS 32 /* room for later ones */
/* the most operations of a walk, where walking fewer trips can avoid more */
#define STEPS_MOST 1e6

/* When a register is ready, and what it waits for until then. */
typedef struct wl_ready {
    double at;
    int32_t op;    /* that writes it; -1: none */
    uint32_t loop; /* the loop whose further trips it has waited for */
} ready;

typedef struct walker {
    const wl_lives *lives;
    const wl_waits *waits;
    ready *registers;
    int32_t *slots;              /* by operation, and for the end: waits for memory, and others */
    wl_life_interval *intervals; /* sums; the first is not used */
    int32_t count, room;
    wl_arena *arena;
    double last;               /* when the last instruction was issued */
    ready pipe[WL_BUSY_COUNT]; /* when each is free, and what occupies it */
    double atomics[2];         /* when the first atomic was, and the last; below 0: none */
    wl_asking asking;
    double asked;    /* when it asked another block; below 0: it has told the next one */
    double waited;   /* when the last wait for copies ended; below 0: none has */
    int32_t awaited; /* the operation that waited; -1: none */
    /* when the products of warp groups that were issued so far end; and the last batches of them */
    double products, batches[BATCHES];
    double *met, *due, *loads; /* by operation, by field: see wl_walk_scratch */
    int32_t fields;
    /* what twice as many lines would add to the waits since the last barrier of its block */
    double spread;
    /* that come from the L2 and from DRAM, loaded since the last wait for memory */
    double lines[2];
    wl_life_interval now; /* instructions since the last stall, of all trips that it represents */
    double flying[2];     /* reads and misses of loads in flight that belong to no interval yet, */
    double arrives;       /* when the first of them arrives, */
    int32_t taker;        /* and the interval that had such loads last; 0: none */
    uint32_t loops;       /* walked through */
    int trips[DEPTHS];    /* of each loop: how many are walked through */
    bool failed;          /* no memory */
} walker;

void wl_waits_read(const wl_device *d, wl_waits *out)
{
    static const struct {
        wl_op_kind kind;
        wl_device_key latency;
    } table[] = {{WL_OP_INT, WL_DEVICE_int32_latency},       {WL_OP_FP32, WL_DEVICE_fp32_latency},
                 {WL_OP_FP64, WL_DEVICE_fp64_latency},       {WL_OP_HALF, WL_DEVICE_fp32_latency},
                 {WL_OP_SPECIAL, WL_DEVICE_sfu_latency},     {WL_OP_CONVERT, WL_DEVICE_sfu_latency},
                 {WL_OP_SHUFFLE, WL_DEVICE_shared_latency},  {WL_OP_SHARED, WL_DEVICE_shared_latency},
                 {WL_OP_ATOMIC, WL_DEVICE_atomic_latency},   {WL_OP_BRANCH, WL_DEVICE_branch_latency},
                 {WL_OP_BARRIER, WL_DEVICE_barrier_latency}, {WL_OP_TENSOR, WL_DEVICE_tensor_latency}};
    double level[3] = {0, 0, 0};
    *out = (wl_waits){.fields = NULL};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        (void)wl_device_get(d, table[i].latency, &out->result[table[i].kind]);
    (void)wl_device_get(d, WL_DEVICE_l1_latency, &level[0]);
    (void)wl_device_get(d, WL_DEVICE_l2_latency, &level[1]);
    (void)wl_device_get(d, WL_DEVICE_dram_latency, &level[2]);
    out->level[0] = level[0];
    out->level[1] = fmax(0, level[1] - level[0]);
    out->level[2] = fmax(0, level[2] - fmax(level[0], level[1]));
    static const wl_device_key rates[] = {WL_DEVICE_sfu_rate, WL_DEVICE_fp64_rate, WL_DEVICE_int32_rate};
    const double lanes = wl_device_or(d, WL_DEVICE_sub_partitions, 0) * wl_device_or(d, WL_DEVICE_warp_size, 0);
    for (size_t p = 0; p < sizeof rates / sizeof rates[0]; p++) {
        const double rate = wl_device_or(d, rates[p], 0);
        out->pipe[p] = rate > 0 ? lanes / rate : 0;
    }
    wl_device_read_list(d, WL_DEVICE_bulk_latency, out->bulk, 2);
    wl_device_read_list(d, WL_DEVICE_dsmem, out->remote, 2);
    wl_device_read_list(d, WL_DEVICE_instruction_cache, out->code, 4);
#define WL_TENSOR_KIND(name, meaning)                                                                                  \
    (void)wl_device_get(d, WL_DEVICE_tensor_##name##_rate, &out->product_rate[WL_TENSOR_##name]);
#include "warpline/tensor.def"
    const double partitions = wl_device_or(d, WL_DEVICE_sub_partitions, 1),
                 share = wl_device_or(d, WL_DEVICE_tensor_warp_share, 1);
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        out->warp_rate[k] = out->product_rate[k] * (k == WL_TENSOR_f64 ? 1 : share) / partitions;
    (void)wl_device_get(d, WL_DEVICE_l2_line, &out->line);
    (void)wl_device_get(d, WL_DEVICE_l2_latency_spread, &out->spread[0]);
    (void)wl_device_get(d, WL_DEVICE_dram_latency_spread, &out->spread[1]);
}

/* ---- one operation ---- */

static const wl_field_waits *field_of(const walker *w, const wl_op *op)
{
    /* all miss, whole lines of four sectors */
    static const wl_field_waits unknown = {.l1_misses = 1, .l2_misses = 1, .reads = 4, .writes = 4, .missed = {1, 1}};
    return op->field >= 0 && (size_t)op->field < w->waits->field_count ? &w->waits->fields[op->field] : &unknown;
}

/* The leading warp of a common walk waits for sectors that it touches first: how many of these the
 * next load of an iteration touches. If an iteration touches less than one on average, its first
 * load does so in that share of all iterations. */
static double first_to_touch(const wl_field_waits *f, double loads, double fresh)
{
    const double before = ceil(loads * fresh / f->trip), behind = ceil((loads + 1) * fresh / f->trip);
    return fmin(1, fmin(behind, fresh) - fmin(before, fresh));
}

/* Whether a load misses. In a loop, with the miss rate of its field. Outside of loops a load is
 * executed once, and hits or misses: of the loads of a field, in program order, every n-th misses
 * if one in n does. */
static void meet_caches(walker *w, int32_t number, bool once)
{
    const wl_op *op = &w->lives->ops[number];
    const wl_field_waits *f = field_of(w, op);
    double *met = &w->met[2 * number];
    met[0] = f->l1_misses;
    met[1] = f->l1_misses * f->l2_misses;
    if (!once && op->field >= 0 && w->waits->leads && f->trip > 0) {
        const double loads = w->loads[op->field]++;
        met[1] = first_to_touch(f, loads, f->fresh[1]);
        met[0] = fmax(met[1], first_to_touch(f, loads, f->fresh[0]));
    }
    if (!once || op->field < 0)
        return;
    for (int l = 0; l < 2; l++) {
        double *due = &w->due[2 * op->field + l];
        const double before = floor(*due + 0.5);
        *due += met[l];
        met[l] = fmin(1, floor(*due + 0.5) - before);
    }
    met[0] = fmax(met[0], met[1]);
}

/* A copy arrives with the last of its lines: it waits for memory if one of them does. What it takes
 * longer than copies do on average is made up for while others are ahead of it. */
static double copy_misses(const walker *w, const wl_op *op, double misses)
{
    const double lines = op->bytes / fmax(1, w->waits->line), any = 1 - pow(1 - fmin(1, misses), fmax(1, lines));
    return misses + fmax(0, any - misses) / fmax(1, op->ahead);
}

/* The cycles that wait for each level, on average. A warp waits for the last of all lines that it
 * has requested: the more lines, the later the last one. */
static void levels_of(const walker *w, const wl_op *op, double level[3])
{
    const wl_field_waits *f = field_of(w, op);
    const double *misses = &w->met[2 * (op - w->lives->ops)];
    level[0] = w->waits->level[0] + fmax(0, f->lines - 1); /* the L1 takes a cycle for each line */
    if (op->awaits_copies && op->bytes > 0)
        level[0] += w->waits->bulk[0] + (w->waits->bulk[1] > 0 ? op->bytes / w->waits->bulk[1] : 0);
    for (int l = 0; l < 2; l++)
        level[l + 1] = (op->awaits_copies && op->bytes > 0 ? copy_misses(w, op, misses[l]) : misses[l]) *
                       (w->waits->level[l + 1] + w->waits->spread[l] * log2(fmax(1, w->lines[l])));
}

/* By how much its wait would grow with twice as many lines at once. */
static double spread_of(const walker *w, const wl_op *op)
{
    const double *misses = &w->met[2 * (op - w->lives->ops)];
    return op->kind == WL_OP_LOAD ? misses[0] * w->waits->spread[0] + misses[1] * w->waits->spread[1] : 0;
}

/* fmax is a call where it must tell numbers from what is none */
static inline double later(double a, double b) { return a > b ? a : b; }

static double latency_of(const walker *w, const wl_op *op)
{
    static const wl_op_kind step[3] = {WL_OP_SPECIAL, WL_OP_FP64, WL_OP_FP32};
    double level[3], sequence = 0;
    for (int i = 0; i < 3; i++)
        sequence += w->waits->result[step[i]] * op->steps[i];
    if (sequence > 0)
        return later(0, sequence - op->issue + 1); /* from its last instruction */
    if (op->kind == WL_OP_CONSTANT && op->field >= 0 && (size_t)op->field < w->waits->field_count)
        return w->waits->constant[0] + w->waits->constant[1] * later(0, w->waits->fields[op->field].lines - 1);
    if (op->kind != WL_OP_LOAD && !op->awaits_copies)
        return later(w->waits->result[op->kind], op->remote ? w->waits->remote[0] : 0) * op->chain;
    levels_of(w, op, level);
    return level[0] + level[1] + level[2];
}

static wl_stall cause_of(const wl_op *op)
{
    if (op->awaits_copies)
        return WL_STALL_MEMORY;
    switch (op->kind) {
    case WL_OP_LOAD:
    case WL_OP_ATOMIC: return WL_STALL_MEMORY;
    case WL_OP_SHARED:
    case WL_OP_CONSTANT:
    case WL_OP_SHUFFLE: return WL_STALL_SHARED;
    case WL_OP_BARRIER: return WL_STALL_BARRIER;
    default: return WL_STALL_DEPENDENCE;
    }
}

static void add(wl_life_interval *to, const wl_life_interval *one, double times)
{
    to->times += times;
    to->instructions += one->instructions;
    to->reads += one->reads;
    to->misses += one->misses;
    to->writes += one->writes;
    to->atomics += one->atomics;
    to->stall += times * one->stall;
    for (int l = 0; l < 3; l++)
        to->level[l] += times * one->level[l];
}

/* The sum of intervals that end at this operation; NULL: no memory. */
static wl_life_interval *interval_at(walker *w, int32_t slot)
{
    if (w->slots[slot] > 0)
        return &w->intervals[w->slots[slot]];
    if (w->count == w->room) {
        wl_life_interval *more = WL_ARENA_NEW(w->arena, wl_life_interval, 2 * w->room + MORE_INTERVALS);
        if (!more) {
            w->failed = true;
            return NULL;
        }
        if (w->count > 0)
            memcpy(more, w->intervals, (size_t)w->count * sizeof *more);
        w->intervals = more;
        w->room = 2 * w->room + MORE_INTERVALS;
        w->count += w->count == 0;
    }
    w->slots[slot] = w->count;
    return &w->intervals[w->count++];
}

/* Requests in flight together compete with each other, even with short stalls between their loads:
 * they belong to the interval that waits for memory, or to the one in which the first of them
 * arrives. */
static void take_flying(walker *w, int32_t interval)
{
    w->now.reads = w->flying[0];
    w->now.misses = w->flying[1];
    w->taker = w->flying[0] > 0 ? interval : w->taker;
    w->flying[0] = w->flying[1] = 0;
}

/* Ends the interval with a stall that waits for `producer`. */
static void end_interval(walker *w, int32_t op, int32_t producer, double stall, double times)
{
    const wl_op *from = producer >= 0 ? &w->lives->ops[producer] : NULL;
    const wl_stall cause = from ? cause_of(from) : WL_STALL_NONE;
    const int32_t slot = 2 * (op >= 0 ? op : w->lives->op_count) + (cause == WL_STALL_MEMORY);
    wl_life_interval *to = interval_at(w, slot);
    if (!to)
        return;
    if (cause == WL_STALL_MEMORY || op < 0 || w->arrives <= w->last + 1 + stall)
        take_flying(w, w->slots[slot]);
    w->now.stall = stall;
    if (from && (from->kind == WL_OP_LOAD || from->awaits_copies)) {
        double level[3];
        levels_of(w, from, level);
        const double all = level[0] + level[1] + level[2];
        for (int l = 0; l < 3; l++)
            w->now.level[l] = all > 0 ? stall * level[l] / all : 0;
    } else if (from && from->kind == WL_OP_ATOMIC) {
        w->now.level[1] = stall;
    }
    if (cause == WL_STALL_MEMORY) {
        w->spread = fmax(w->spread, spread_of(w, from));
        w->lines[0] = w->lines[1] = 0;
    }
    to->cause = cause;
    to->op = op;
    to->from = producer;
    add(to, &w->now, times);
    w->now = (wl_life_interval){0};
}

static void count_requests(walker *w, const wl_op *op, double times)
{
    const wl_field_waits *f = field_of(w, op);
    if (op->kind == WL_OP_LOAD) {
        for (int l = 0; l < 2; l++)
            w->lines[l] += f->lines * f->missed[l];
        w->arrives = w->flying[0] > 0 ? w->arrives : w->last + latency_of(w, op);
        w->flying[0] += times * f->reads * f->missed[0];
        w->flying[1] += times * f->reads * f->missed[1];
    } else if (op->kind == WL_OP_STORE || op->kind == WL_OP_ATOMIC) {
        w->now.writes += times * f->writes;
        w->now.atomics += op->kind == WL_OP_ATOMIC ? times : 0;
    }
}

/* Where lanes meet again (BSYNC), a warp waits for its last result and goes to the next instruction
 * as after a branch. */
static double rejoin(const walker *w, const wl_op *op)
{
    return op->rejoins ? w->waits->result[WL_OP_FP32] + w->waits->result[WL_OP_BRANCH] / 2 : 0;
}

/* Cycles until a barrier or branch is passed. At a barrier, warps wait for the last line of all of
 * them. */
static double wait_behind(walker *w, const wl_op *op)
{
    const double whole = w->waits->result[op->kind] * op->chain;
    double wait = (op->kind == WL_OP_BRANCH ? whole / 2 : whole) - 1;
    if (op->kind == WL_OP_BARRIER && op->remote)
        wait = fmax(wait, w->waits->remote[1] - 1);
    if (op->kind == WL_OP_BARRIER) {
        wait += w->spread * w->waits->doublings;
        w->spread = 0;
    }
    return fmax(0, wait);
}

/* Waits for copies that were issued some such waits before. In a steady state these are
 * equally far apart, so each takes its part of the latency. */
static void wait_for_copies(walker *w, int32_t number, double times)
{
    const wl_op *op = &w->lives->ops[number];
    const bool first = w->waited < 0;
    const double latency = latency_of(w, op);
    const double over = first || op->ahead <= 0 ? w->last + latency : w->waited + latency / op->ahead;
    if (over > w->last)
        end_interval(w, number, number, over - w->last, times);
    w->last = fmax(w->last, over);
    w->waited = w->last;
    w->awaited = number;
}

/* A fence waits until the copies in flight have arrived: the last ones were just issued. */
static void wait_at_fence(walker *w, int32_t number, double times)
{
    if (w->awaited < 0)
        return;
    const double latency = latency_of(w, &w->lives->ops[w->awaited]);
    end_interval(w, number, w->awaited, latency, times);
    w->last += latency;
}

/* A product begins when the one before it ends. */
static void issue_product(walker *w, const wl_op *op)
{
    const double rate = w->waits->product_rate[op->product];
    w->products = fmax(w->products, w->last) + (rate > 0 ? op->flops / rate : 0);
}

static void end_batch(walker *w)
{
    memmove(w->batches + 1, w->batches, (BATCHES - 1) * sizeof *w->batches);
    w->batches[0] = w->products + w->waits->result[WL_OP_TENSOR];
}

static void wait_for_products(walker *w, int32_t number, double times)
{
    const int32_t left = w->lives->ops[number].left;
    const double over = left < BATCHES ? w->batches[left] : 0;
    if (over > w->last)
        end_interval(w, number, number, over - w->last, times);
    w->last = fmax(w->last, over);
}

/* Waits for products that another warp issues, one after the other. The first ones begin when their
 * operands have arrived; later ones when those before them end, or, if there is only one place for
 * sums, when this warp has read them. */
static void wait_for_results(walker *w, int32_t number, double times)
{
    const wl_op *op = &w->lives->ops[number];
    const wl_waits *waits = w->waits;
    const double rate = waits->product_rate[op->product];
    const double arrive = waits->level[0] + waits->level[1] + waits->level[2] + waits->bulk[0];
    const bool first = w->products <= 0, one_place = op->ahead < TWO_PLACES;
    const double from = first ? arrive : one_place ? fmax(w->products, w->last) : w->products;
    w->products = from + (rate > 0 ? op->flops / rate : 0);
    const double over = w->products + waits->result[WL_OP_TENSOR];
    if (over > w->last)
        end_interval(w, number, number, over - w->last, times);
    w->last = fmax(w->last, over);
}

/* A warp that asks another block tells the next one by its first store, or atomic, behind that. */
static void ask(walker *w, const wl_op *op, double at, double times)
{
    if (op->polls && w->asked < 0) {
        w->asking.times += times;
        w->asking.latency = latency_of(w, op);
        w->asked = at;
    } else if (!op->polls && w->asked >= 0 && (op->kind == WL_OP_STORE || op->kind == WL_OP_ATOMIC)) {
        w->asking.cycles = at - w->asked;
        w->asked = -1;
    }
}

/* Cycles for which an operation keeps others from its scheduler's pipe. */
static double occupies(const walker *w, const wl_op *op, int pipe)
{
    if (pipe != WL_BUSY_TENSOR)
        return op->on[pipe] * w->waits->pipe[pipe];
    const double rate = w->waits->warp_rate[op->product];
    return rate > 0 ? op->flops / rate : 0;
}

static void walk_op(walker *w, int32_t number, bool once, double times)
{
    const wl_op *op = &w->lives->ops[number];
    /* of the latency of a branch, half is that of its condition: it is over early if that is known
     * early */
    const double decided = op->kind == WL_OP_BRANCH ? w->waits->result[WL_OP_BRANCH] / 2 : 0;
    double needed = w->last;
    int32_t producer = -1;
    for (int i = 0; i < op->reads; i++) {
        const ready *r = &w->registers[op->regs[i]];
        const double until = r->at > 0 ? r->at + decided : 0;
        if (until > needed) {
            needed = until;
            producer = r->op;
        }
    }
    for (int p = 0; p < WL_BUSY_COUNT; p++)
        if (op->on[p] > 0 && w->pipe[p].at > needed) {
            needed = w->pipe[p].at;
            producer = w->pipe[p].op;
        }
    if (op->group_step == WL_GROUP_BATCH)
        end_batch(w);
    /* no machine instruction: instructions that use its result wait for its operands */
    if (op->issue <= 0) {
        for (int i = 0; i < op->writes; i++)
            w->registers[op->regs[op->reads + i]] = (ready){needed, producer, 0};
        return;
    }
    const double stall = needed - (w->last + 1);
    if (stall > 0 && producer >= 0)
        end_interval(w, number, producer, stall, times);
    const double at = later(needed, w->last + 1);
    w->last = at + op->issue - 1;
    for (int p = 0; p < WL_BUSY_COUNT; p++)
        if (op->on[p] > 0)
            w->pipe[p] = (ready){fmax(w->pipe[p].at, at) + occupies(w, op, p), number, 0};
    w->now.instructions += times * op->issue;
    if (op->kind == WL_OP_LOAD || op->awaits_copies)
        meet_caches(w, number, once);
    if (op->fences)
        wait_at_fence(w, number, times);
    if (op->awaits_copies) {
        wait_for_copies(w, number, times);
        for (int i = 0; i < op->writes; i++)
            w->registers[op->regs[op->reads + i]] = (ready){w->last, number, 0};
        return;
    }
    if (op->group_step == WL_GROUP_PRODUCT)
        issue_product(w, op);
    if (op->in_turn)
        end_batch(w);
    if (op->group_step == WL_GROUP_WAIT || op->in_turn)
        wait_for_products(w, number, times);
    if (op->group_step == WL_GROUP_RESULT)
        wait_for_results(w, number, times);
    if (op->swaps && w->waits->swap > 0) { /* nothing issues until its last round has succeeded */
        end_interval(w, number, number, w->waits->swap, times);
        w->last += w->waits->swap;
    }
    count_requests(w, op, times);
    ask(w, op, at, times);
    if (op->kind == WL_OP_ATOMIC) {
        w->atomics[0] = w->atomics[0] < 0 ? at : w->atomics[0];
        w->atomics[1] = at;
    }
    for (int i = 0; i < op->writes; i++)
        w->registers[op->regs[op->reads + i]] = (ready){w->last + latency_of(w, op), number, 0};
    if (op->blocks) {
        const double wait = fmax(0, latency_of(w, op) - 1) + rejoin(w, op);
        end_interval(w, number, number, wait, times);
        w->last += wait;
    }
    if (op->kind == WL_OP_BARRIER || op->kind == WL_OP_BRANCH) {
        /* nothing issues until it is passed */
        const double wait = wait_behind(w, op);
        if (wait > 0)
            end_interval(w, number, number, wait, times);
        w->last += wait;
    }
}

/* ---- parts ---- */

static double steps_of(const walker *w, const wl_stretch *parts, int32_t count, int depth)
{
    double steps = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!parts[i].loop) {
            steps += parts[i].count;
            continue;
        }
        const double trips = fmin(w->trips[depth], ceil(parts[i].times));
        steps += trips * steps_of(w, parts + i + 1, parts[i].count, depth < DEPTHS - 1 ? depth + 1 : depth);
        i += parts[i].count;
    }
    return steps;
}

static void choose_trips(walker *w, const wl_life *life)
{
    for (int d = 0; d < DEPTHS; d++)
        w->trips[d] = WALKED;
    for (int d = DEPTHS - 1; d >= 0; d--)
        while (w->trips[d] > 1 && steps_of(w, life->parts, (int32_t)life->count, 0) > STEPS_MOST)
            w->trips[d]--;
}

static void walk_parts(walker *w, const wl_stretch *parts, int32_t count, int depth, double times);

/* Registers written in the last trip become ready as long after its end as after the end of the
 * trips that it represents. */
static void delay_results(walker *w, const wl_stretch *loop, double cycles)
{
    w->loops++;
    for (int32_t i = 1; i <= loop->count; i++)
        for (int32_t o = loop[i].first; o < loop[i].first + loop[i].count && !loop[i].loop; o++) {
            const wl_op *op = &w->lives->ops[o];
            for (int k = op->reads; k < op->reads + op->writes; k++) {
                ready *r = &w->registers[op->regs[k]];
                r->at += r->loop == w->loops ? 0 : cycles;
                r->loop = w->loops;
            }
        }
    w->last += cycles;
    w->arrives += cycles;
    w->waited += w->waited < 0 ? 0 : cycles;
    w->products += cycles;
    for (int i = 0; i < BATCHES; i++)
        w->batches[i] += cycles;
}

/* Loads in flight after the last trip were also in flight after each trip that it represents. All
 * of them but one arrived during the next trip, at the point where this one arrived during the last
 * trip. */
static void settle_flying(walker *w, double share)
{
    if (w->taker == 0)
        return;
    wl_life_interval *taker = &w->intervals[w->taker];
    taker->reads += w->flying[0] * (1 - share);
    taker->misses += w->flying[1] * (1 - share);
    w->flying[0] *= share;
    w->flying[1] *= share;
}

static void walk_loop(walker *w, const wl_stretch *loop, int depth, double times)
{
    const double alone = fmax(0, fmin(w->trips[depth] - SETTLED, loop->times));
    const double settled = loop->times - alone, last = fmin(fmin(SETTLED, w->trips[depth]), ceil(settled));
    const int inner = depth < DEPTHS - 1 ? depth + 1 : depth;
    double from = w->last;
    const double before = w->atomics[1];
    const int first = (int)ceil(alone);
    const int32_t taker = w->taker;
    for (int trip = 0; trip < first + (int)last; trip++) {
        const double stands = trip < first ? fmin(1, alone - trip) : settled / last;
        from = trip == first ? w->last : from;
        w->taker = trip == first ? 0 : w->taker;
        memset(w->loads, 0, (size_t)w->fields * sizeof *w->loads);
        walk_parts(w, loop + 1, loop->count, inner, times * stands);
    }
    if (settled > last) {
        const double further = (settled / last - 1) * (w->last - from);
        delay_results(w, loop, further);
        w->atomics[1] += w->atomics[1] > before ? further : 0;
        settle_flying(w, last / settled);
    }
    w->taker = w->taker > 0 ? w->taker : taker;
}

static void walk_parts(walker *w, const wl_stretch *parts, int32_t count, int depth, double times)
{
    for (int32_t i = 0; i < count; i++) {
        if (parts[i].loop) {
            walk_loop(w, &parts[i], depth, times);
            i += parts[i].count;
            continue;
        }
        for (int32_t op = 0; op < parts[i].count; op++)
            walk_op(w, parts[i].first + op, depth == 0, times);
    }
}

static void average(wl_life_interval *i)
{
    const double times = i->times;
    i->instructions /= times;
    i->stall /= times;
    i->reads /= times;
    i->misses /= times;
    i->writes /= times;
    i->atomics /= times;
    for (int l = 0; l < 3; l++)
        i->level[l] /= times;
}

wl_status wl_walk_scratch_make(const wl_lives *lives, wl_arena *arena, wl_walk_scratch *out, wl_error *err)
{
    out->registers = WL_ARENA_NEW(arena, ready, lives->register_count + 1);
    out->slots = WL_ARENA_NEW(arena, int32_t, 2 * ((size_t)lives->op_count + 1));
    int32_t fields = 0;
    for (int32_t i = 0; i < lives->op_count; i++)
        fields = lives->ops[i].field >= fields ? lives->ops[i].field + 1 : fields;
    out->fields = fields;
    out->met = WL_ARENA_NEW(arena, double, 2 * ((size_t)lives->op_count + 1));
    out->due = WL_ARENA_NEW(arena, double, 2 * ((size_t)fields + 1));
    out->loads = WL_ARENA_NEW(arena, double, (size_t)fields + 1);
    return out->registers && out->slots && out->met && out->due && out->loads ? WL_OK : wl_fail_memory(err);
}

/* By operation, the end last; of one operation, waits for memory last. Clears the scratch. */
static void sort_intervals(walker *w, wl_life_profile *out)
{
    wl_life_interval *list = WL_ARENA_NEW(w->arena, wl_life_interval, w->count);
    w->failed = w->failed || !list;
    for (int32_t slot = 0; slot < 2 * (w->lives->op_count + 1); slot++) {
        if (w->slots[slot] > 0 && list) {
            list[out->count] = w->intervals[w->slots[slot]];
            average(&list[out->count++]);
        }
        w->slots[slot] = 0;
    }
    out->list = list;
}

/* ---- instructions ---- */

static double issued(const wl_lives *lives, const wl_stretch *part)
{
    double sum = 0;
    for (int32_t o = 0; o < part->count; o++)
        sum += lives->ops[part->first + o].issue;
    return sum;
}

/* The different instructions of some parts that no loop in them has fetched again and again. Adds
 * what the trips of loops wait that do not fit into a cache: in each trip, each of their
 * instructions has been replaced before. */
static double fetched(const walker *w, const wl_stretch *parts, int32_t count, double times, double *waited)
{
    const double *code = w->waits->code;
    double size = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!parts[i].loop) {
            size += issued(w->lives, &parts[i]);
            continue;
        }
        const double body = fetched(w, parts + i + 1, parts[i].count, times * parts[i].times, waited);
        const bool large = code[0] > 0 && body > code[0];
        if (large)
            *waited += body * times * fmax(0, parts[i].times - 1) * code[body > code[1] ? 3 : 2];
        size += large ? 0 : body;
        i += parts[i].count;
    }
    return size;
}

/* All of them. */
static double code_of(const wl_lives *lives, const wl_life *life)
{
    double size = 0;
    for (size_t i = 0; i < life->count; i++)
        size += life->parts[i].loop ? 0 : issued(lives, &life->parts[i]);
    return size;
}

wl_status wl_life_walk(const wl_lives *lives, const wl_life *life, const wl_waits *waits, wl_walk_scratch *scratch,
                       wl_arena *arena, wl_life_profile *out, wl_error *err)
{
    walker w = {.lives = lives,
                .waits = waits,
                .registers = scratch->registers,
                .slots = scratch->slots,
                .met = scratch->met,
                .due = scratch->due,
                .loads = scratch->loads,
                .fields = scratch->fields,
                .arena = arena,
                .atomics = {-1, -1},
                .asked = -1,
                .waited = -1,
                .awaited = -1};
    for (int32_t i = 0; i <= lives->register_count; i++)
        w.registers[i] = (ready){.op = -1};
    for (int32_t i = 0; i < 2 * scratch->fields; i++)
        w.due[i] = 0;
    choose_trips(&w, life);
    walk_parts(&w, life->parts, (int32_t)life->count, 0, 1);
    end_interval(&w, -1, -1, 0, 1);
    *out = (wl_life_profile){.warps = life->warps, .atomics = w.last > 0 ? (w.atomics[1] - w.atomics[0]) / w.last : 0};
    out->asking = w.asking;
    out->code = code_of(lives, life);
    (void)fetched(&w, life->parts, (int32_t)life->count, 1, &out->fetch);
    sort_intervals(&w, out);
    return w.failed ? wl_fail_memory(err) : WL_OK;
}
