/* record.c - see record.h. SPDX-License-Identifier: MIT */
#include "ptx/life/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define BODIES_MAX 8

/* A segment, or a loop over the items of a body. */
typedef struct item {
    const wl_ptx_segment *segment; /* NULL: a loop */
    struct sequence *body;
    double times;
} item;

typedef struct sequence {
    item *list;
    int32_t count, room;
} sequence;

/* A loop that a warp is in; the outermost level is the warp's life itself. */
typedef struct level {
    int32_t function, loop, depth;
    sequence trip;
    sequence *bodies[BODIES_MAX];
    double trips[BODIES_MAX];
    int count;
} level;

typedef struct warp_record {
    level *levels; /* nested loops, also across calls */
    int32_t open, room;
    const wl_ptx_segment *last; /* appended last */
} warp_record;

struct wl_ptx_record {
    const wl_ptx_segments *segments;
    warp_record *warps;
    int32_t count;
    bool failed;
};

/* ---- sequences ---- */

static void sequence_clear(sequence *s);

static void sequence_free(sequence *s)
{
    if (!s)
        return;
    sequence_clear(s);
    free(s->list);
    free(s);
}

static void sequence_clear(sequence *s)
{
    for (int32_t i = 0; i < s->count; i++)
        sequence_free(s->list[i].body);
    s->count = 0;
}

static bool append(sequence *s, item one)
{
    if (s->count == s->room) {
        const int32_t room = 2 * s->room + 8;
        item *list = realloc(s->list, (size_t)room * sizeof *list);
        if (!list)
            return false;
        s->list = list;
        s->room = room;
    }
    s->list[s->count++] = one;
    return true;
}

/* Whether two trips have the same control flow, apart from the trip counts of inner loops. */
static bool are_alike(const sequence *a, const sequence *b)
{
    bool same = a->count == b->count;
    for (int32_t i = 0; i < a->count && same; i++) {
        const item *x = &a->list[i], *y = &b->list[i];
        same = x->segment == y->segment && (x->segment || are_alike(x->body, y->body));
    }
    return same;
}

/* Averages two similar sequences. */
static void average(sequence *a, double weight, const sequence *b, double more)
{
    for (int32_t i = 0; i < a->count; i++) {
        item *x = &a->list[i];
        const item *y = &b->list[i];
        if (!x->segment)
            average(x->body, weight * x->times, y->body, more * y->times);
        x->times = (x->times * weight + y->times * more) / (weight + more);
    }
}

static double length_of(const sequence *s)
{
    double length = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const item *one = &s->list[i];
        length += one->segment ? one->segment->to - one->segment->from : one->times * length_of(one->body);
    }
    return length;
}

/* ---- loops ---- */

static bool keep_body(level *l, double times)
{
    sequence *body = calloc(1, sizeof *body);
    if (!body)
        return false;
    *body = l->trip;
    l->trip = (sequence){0};
    l->trips[l->count] = times;
    l->bodies[l->count++] = body;
    return true;
}

/* Trips with yet another control flow count as the recorded body of about the same length: as more
 * or fewer trips, so that the total of instructions is right. */
static void add_to_nearest(level *l, double times)
{
    const double length = length_of(&l->trip);
    double nearest = 0;
    int best = 0;
    for (int i = 0; i < l->count; i++) {
        const double other = length_of(l->bodies[i]);
        if (i == 0 || fabs(other - length) < fabs(nearest - length)) {
            best = i;
            nearest = other;
        }
    }
    l->trips[best] += nearest > 0 ? times * length / nearest : times;
}

static void end_trip(wl_ptx_record *r, level *l, double times)
{
    if (l->trip.count == 0)
        return;
    int found = -1;
    for (int i = 0; i < l->count && found < 0; i++)
        found = are_alike(l->bodies[i], &l->trip) ? i : -1;
    if (found >= 0) {
        average(l->bodies[found], l->trips[found], &l->trip, times);
        l->trips[found] += times;
    } else if (l->count < BODIES_MAX) {
        r->failed = !keep_body(l, times) || r->failed;
        return;
    } else {
        add_to_nearest(l, times);
    }
    sequence_clear(&l->trip);
}

static void close_level(wl_ptx_record *r, warp_record *w)
{
    level *l = &w->levels[--w->open];
    sequence *around = &w->levels[w->open - 1].trip;
    end_trip(r, l, 1);
    for (int i = 0; i < l->count; i++)
        if (!append(around, (item){.body = l->bodies[i], .times = l->trips[i]})) {
            sequence_free(l->bodies[i]);
            r->failed = true;
        }
    sequence_clear(&l->trip);
    free(l->trip.list);
    *l = (level){0};
    w->last = NULL;
}

static bool is_in(const wl_ptx_record *r, const level *l, const wl_ptx_ran *ran, int32_t block)
{
    if (l->depth != ran->depth)
        return ran->depth > l->depth;
    return l->function == ran->function && wl_ptx_flow_in_loop(&r->segments[ran->function].flow, l->loop, block);
}

static bool is_open(const warp_record *w, const wl_ptx_ran *ran, int32_t loop)
{
    for (int32_t k = w->open - 1; k > 0 && w->levels[k].depth == ran->depth; k--)
        if (w->levels[k].function == ran->function && w->levels[k].loop == loop)
            return true;
    return false;
}

static bool open_level(warp_record *w, level one)
{
    if (w->open == w->room) {
        const int32_t room = 2 * w->room + 4;
        level *levels = realloc(w->levels, (size_t)room * sizeof *levels);
        if (!levels)
            return false;
        w->levels = levels;
        w->room = room;
    }
    w->levels[w->open++] = one;
    w->last = NULL;
    return true;
}

/* The loop and those around it, the outermost first. */
static void open_loops(wl_ptx_record *r, warp_record *w, const wl_ptx_ran *ran, int32_t loop)
{
    if (loop < 0 || is_open(w, ran, loop))
        return;
    open_loops(r, w, ran, r->segments[ran->function].flow.loops[loop].parent);
    r->failed = r->failed || !open_level(w, (level){.function = ran->function, .loop = loop, .depth = ran->depth});
}

/* ---- runs ---- */

static void enter_block(wl_ptx_record *r, warp_record *w, const wl_ptx_ran *ran, int32_t block)
{
    const wl_ptx_flow *flow = &r->segments[ran->function].flow;
    while (w->open > 1 && !is_in(r, &w->levels[w->open - 1], ran, block))
        close_level(r, w);
    open_loops(r, w, ran, flow->loop_of[block]);
    level *top = &w->levels[w->open - 1];
    if (w->open > 1 && top->depth == ran->depth && top->function == ran->function &&
        flow->loops[top->loop].header == block) {
        end_trip(r, top, 1);
        w->last = NULL;
    }
}

static void add_run(wl_ptx_record *r, warp_record *w, const wl_ptx_ran *ran)
{
    const wl_ptx_segments *s = &r->segments[ran->function];
    for (int32_t i = ran->from; i < ran->to && !r->failed; i++) {
        const int32_t block = s->flow.block_of[i];
        const bool starts = s->flow.first[block] == i;
        if (starts || i == ran->from)
            if (starts || w->open == 1 || !is_in(r, &w->levels[w->open - 1], ran, block))
                enter_block(r, w, ran, block);
        const wl_ptx_segment *segment = &s->list[s->of[i]];
        /* a predicated body, or what follows it */
        const bool goes_on = w->last && segment == w->last && i != segment->from;
        if (i != segment->from && (i != ran->from || goes_on))
            continue;
        r->failed = !append(&w->levels[w->open - 1].trip, (item){.segment = segment, .times = 1}) || r->failed;
        w->last = segment;
    }
}

/* Leaves the loops inside the one that begins with this block. NULL: it is not open. */
static level *find_level(wl_ptx_record *r, warp_record *w, const wl_ptx_ran *ran)
{
    const wl_ptx_flow *flow = &r->segments[ran->function].flow;
    const int32_t block = flow->block_of[ran->header];
    int32_t at = w->open - 1;
    while (at > 0 && (w->levels[at].depth != ran->depth || w->levels[at].function != ran->function ||
                      flow->loops[w->levels[at].loop].header != block))
        at--;
    while (at > 0 && w->open - 1 > at)
        close_level(r, w);
    return at > 0 ? &w->levels[at] : NULL;
}

void wl_ptx_record_visit(void *user, const wl_ptx_ran *ran)
{
    wl_ptx_record *r = user;
    if (r->failed || ran->warp >= r->count)
        return;
    warp_record *w = &r->warps[ran->warp];
    add_run(r, w, ran);
    if (ran->trips > 0) {
        level *l = find_level(r, w, ran);
        if (l)
            end_trip(r, l, (double)ran->trips);
        w->last = NULL;
    }
}

/* ---- parts ---- */

typedef struct writer {
    wl_stretch *list;
    size_t count;
    uint64_t signature;
} writer;

#define SAME_TRIPS 16   /* fractions of a trip that are distinguished */
#define MANY_TRIPS 1e15 /* more are not distinguished */

static void sign(writer *w, uint64_t word) { w->signature = wl_hash_word(w->signature ^ word); }

/* What identifies a loop: its trip count, rounded, and the end of its body. */
static void sign_loop(writer *w, const item *loop)
{
    sign(w, (uint64_t)llround(fmin(loop->times, MANY_TRIPS) * SAME_TRIPS) << 20);
    sign(w, ~(uint64_t)(uint32_t)loop->body->count);
}

static void sign_segment(writer *w, const wl_ptx_segment *s) { sign(w, (uint64_t)(uint32_t)s->first); }

static size_t parts_of(const sequence *s)
{
    size_t n = 0;
    for (int32_t i = 0; i < s->count; i++)
        n += s->list[i].segment ? 1 : 3 + parts_of(s->list[i].body);
    return n;
}

/* A loop of one segment that the assembler unrolls: copies of four trips, then the rest in two
 * copies. */
static bool write_unrolled(writer *w, const item *loop)
{
    const wl_ptx_segment *s = loop->body->count == 1 ? loop->body->list[0].segment : NULL;
    if (!s || s->many_count == 0)
        return false;
    sign_segment(w, s);
    const double full = floor(loop->times / WL_PTX_ROUND), rest = loop->times - WL_PTX_ROUND * full;
    if (full > 0) {
        w->list[w->count++] = (wl_stretch){.loop = true, .count = 1, .times = full};
        w->list[w->count++] = (wl_stretch){.first = s->many, .count = s->many_count, .times = 1};
    }
    if (rest > 0) {
        w->list[w->count++] = (wl_stretch){.loop = true, .count = 1, .times = rest};
        w->list[w->count++] = (wl_stretch){.first = s->first, .count = s->count, .times = 1};
    }
    return true;
}

static void write_parts(writer *w, const sequence *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        const item *one = &s->list[i];
        if (one->segment) {
            w->list[w->count++] = (wl_stretch){.first = one->segment->first, .count = one->segment->count, .times = 1};
            sign_segment(w, one->segment);
            continue;
        }
        sign_loop(w, one);
        if (write_unrolled(w, one))
            continue;
        const size_t at = w->count++;
        write_parts(w, one->body);
        w->list[at] = (wl_stretch){.loop = true, .count = (int32_t)(w->count - at - 1), .times = one->times};
    }
}

const wl_stretch *wl_ptx_record_parts(wl_ptx_record *r, int32_t warp, wl_arena *arena, size_t *count,
                                      uint64_t *signature, bool *failed)
{
    warp_record *w = &r->warps[warp];
    while (w->open > 1)
        close_level(r, w);
    writer to = {.signature = 1};
    *failed = r->failed;
    if (r->failed || w->levels[0].trip.count == 0)
        return NULL;
    to.list = WL_ARENA_NEW(arena, wl_stretch, 2 * parts_of(&w->levels[0].trip) + 1);
    *failed = !to.list;
    if (!to.list)
        return NULL;
    write_parts(&to, &w->levels[0].trip);
    *count = to.count;
    *signature = to.signature;
    return to.list;
}

wl_ptx_record *wl_ptx_record_new(const wl_ptx_segments *segments, int32_t warps)
{
    wl_ptx_record *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->segments = segments;
    r->count = warps;
    r->warps = calloc((size_t)warps, sizeof *r->warps);
    if (!r->warps) {
        free(r);
        return NULL;
    }
    for (int32_t i = 0; i < warps; i++)
        if (!open_level(&r->warps[i], (level){.function = -1, .loop = -1})) {
            wl_ptx_record_free(r);
            return NULL;
        }
    return r;
}

void wl_ptx_record_free(wl_ptx_record *r)
{
    if (!r)
        return;
    for (int32_t i = 0; i < r->count; i++) {
        for (int32_t k = 0; k < r->warps[i].open; k++) {
            level *l = &r->warps[i].levels[k];
            sequence_clear(&l->trip);
            free(l->trip.list);
            for (int b = 0; b < l->count; b++)
                sequence_free(l->bodies[b]);
        }
        free(r->warps[i].levels);
    }
    free(r->warps);
    free(r);
}
