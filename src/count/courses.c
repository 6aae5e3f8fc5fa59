/* courses.c - see courses.h. SPDX-License-Identifier: MIT */
#include "count/courses.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"

#define NOTES ((double)(1 << 17)) /* lines to note, about */
#define WARPS_MAX 4               /* of a block that are followed */
#define PART_LEAST (1.0 / 64)     /* of a life: less would say nothing about it */
#define STEADY 2                  /* halves of a life differ less, by such a factor */

/* A line that some block loads at some time. */
typedef struct note {
    uint64_t line;
    uint32_t field, time;
} note;

typedef struct follower {
    const wl_traffic_input *in;
    const wl_traffic *traffic;
    wl_error *err;
    bool *wanted; /* by field: its lines are noted */
    /* by field, in the block that is looked at: when it is loaded, and whether all the time */
    struct habit {
        uint32_t first, last;
        bool steady;
    } * habits;
    int warps[WARPS_MAX];
    int warp_count;
    double length; /* of the lives of these warps in one block, in steps */
    wl_line_sample sample;
    int64_t most; /* instructions of a warp; what comes after them is left out */
    int64_t time; /* of the last load of the warp that is followed */
    bool enough, unknown;
    note *notes;
    size_t count, room;
} follower;

/* ---- which warps ---- */

/* Fields of which all loads are traced, to addresses that do not depend on data. */
static void choose_fields(follower *f)
{
    const wl_kernel *k = f->in->view->kernel;
    for (size_t i = 0; i < f->traffic->field_count; i++)
        f->wanted[i] = f->traffic->fields[i].stores.loaded_too && !f->in->view->fields[i][WL_LOADS].random;
    for (size_t a = 0; a < k->access_count; a++)
        if (!k->accesses[a].store && !k->accesses[a].traced)
            f->wanted[k->accesses[a].field] = false;
}

/* The warp that loads most of a field: it stands for the others, which load other parts of the same
 * tiles. `bytes`: by warp and field. */
static void choose_warp(follower *f, const double *bytes, size_t warps, size_t field)
{
    const size_t fields = f->traffic->field_count;
    size_t best = 0;
    bool known = false;
    for (size_t w = 1; w < warps; w++)
        best = bytes[w * fields + field] > bytes[best * fields + field] ? w : best;
    for (int w = 0; w < f->warp_count; w++)
        known = known || f->warps[w] == (int)best;
    if (bytes[best * fields + field] <= 0 || (!known && f->warp_count == WARPS_MAX))
        f->wanted[field] = false;
    else if (!known)
        f->warps[f->warp_count++] = (int)best;
}

/* Looks at one block: which warps load, and how much. */
static wl_status choose_warps(follower *f, const int64_t block[3])
{
    const wl_kernel *k = f->in->view->kernel;
    const size_t fields = f->traffic->field_count,
                 warps = (size_t)wl_ceil_div(f->in->geometry->threads, k->source.warp_size);
    const wl_block_trace *trace = NULL;
    WL_TRY(k->source.trace_block(k->source.context, block, &trace, f->err));
    double *bytes = calloc(warps * fields + 1, sizeof *bytes), followed = 0;
    if (!bytes)
        return wl_fail_memory(f->err);
    for (size_t i = 0; i < trace->count; i++) {
        const wl_execution *e = &trace->executions[i];
        const wl_access *a = &k->accesses[e->access];
        if (!a->store && e->warp < warps && f->wanted[a->field])
            bytes[e->warp * fields + a->field] += (double)(__builtin_popcountll(e->lanes) * a->width_bytes);
    }
    for (size_t i = 0; i < fields; i++)
        if (f->wanted[i])
            choose_warp(f, bytes, warps, i);
    for (int w = 0; w < f->warp_count; w++)
        for (size_t i = 0; i < fields; i++)
            followed += bytes[(size_t)f->warps[w] * fields + i];
    free(bytes);
    const double lines =
        followed / (double)f->sample.bytes * (double)wl_min(f->in->geometry->blocks, 2 * f->in->geometry->wave_blocks);
    while (lines / (double)f->sample.one_in > NOTES)
        f->sample.one_in *= 2;
    return WL_OK;
}

/* ---- following ---- */

static wl_status add_line(follower *f, const wl_load_touch *t, uint64_t line, wl_error *err)
{
    if (!wl_line_is_sampled(&f->sample, line * f->sample.bytes))
        return WL_OK;
    if (!WL_ROOM(f->notes, f->count + 1, f->room))
        return wl_fail_memory(err);
    f->notes[f->count++] = (note){line, (uint32_t)t->field, (uint32_t)t->time};
    return WL_OK;
}

static wl_status visit(void *user, const wl_load_touch *t, wl_error *err)
{
    follower *f = user;
    if (!f->wanted[t->field])
        return WL_OK;
    f->unknown = t->unknown || t->time > UINT32_MAX;
    f->enough = t->time > f->most;
    if (f->unknown || f->enough)
        return WL_E_LIMIT; /* ends the warp */
    f->time = t->time;
    const uint64_t bytes = f->sample.bytes;
    uint64_t before = UINT64_MAX;
    for (int i = 0, lanes = __builtin_popcountll(t->lanes); i < lanes; i++) {
        const uint64_t from = (uint64_t)t->address[i], to = from + (uint64_t)t->bytes - 1;
        if (before != UINT64_MAX && from - before * bytes < bytes && to - before * bytes < bytes)
            continue; /* the same line, which is found without a division */
        const uint64_t first = from / bytes, last = to / bytes;
        for (uint64_t line = first; line <= last; line++)
            if (line != before)
                WL_TRY(add_line(f, t, before = line, err));
    }
    return WL_OK;
}

static wl_status follow_warp(follower *f, const int64_t block[3], int warp)
{
    const wl_source *s = &f->in->view->kernel->source;
    wl_error stopped = {0};
    f->time = 0;
    f->enough = f->unknown = false;
    const wl_status status = s->visit_warp(s->context, block, warp, &f->sample, visit, f, &stopped);
    return status == WL_OK || f->enough || f->unknown ? WL_OK
                                                      : wl_fail(f->err, status, stopped.loc, "%s", stopped.message);
}

static int by_line(const void *p, const void *q)
{
    const note *a = p, *b = q;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->time > b->time) - (a->time < b->time);
}

static bool same_line(const note *a, const note *b) { return a->field == b->field && a->line == b->line; }

/* Counts the lines of one block, whose notes are those from `first` on. */
static void count_own(follower *f, size_t first, wl_field_course *out)
{
    if (f->count > first)
        qsort(f->notes + first, f->count - first, sizeof *f->notes, by_line);
    for (size_t i = first; i < f->count; i++)
        out[f->notes[i].field].own += i == first || !same_line(&f->notes[i - 1], &f->notes[i]);
}

/* The notes from `first` on are of one run of blocks, which start together; the longest ends at
 * `end`. */
static void cut_into_sections(follower *f, size_t first, uint64_t end, uint32_t run)
{
    for (size_t i = first; i < f->count; i++)
        f->notes[i].time =
            run * WL_COURSE_SECTIONS + (uint32_t)(f->notes[i].time * (uint64_t)WL_COURSE_SECTIONS / (end + 1));
}

static wl_status follow_run(follower *f, int64_t start, int64_t end, uint32_t run, wl_field_course *out)
{
    const size_t first = f->count;
    int64_t longest = 0;
    for (int64_t b = start; b < end && !f->unknown; b++) {
        const size_t own = f->count;
        int64_t block[3];
        wl_block_at(f->in->geometry, b, block);
        for (int w = 0; w < f->warp_count && !f->unknown; w++) {
            WL_TRY(follow_warp(f, block, f->warps[w]));
            longest = wl_max(longest, f->time);
        }
        count_own(f, own, out);
    }
    cut_into_sections(f, first, (uint64_t)longest, run);
    return WL_OK;
}

static void count_together(follower *f, wl_field_course *out)
{
    if (f->count > 0)
        qsort(f->notes, f->count, sizeof *f->notes, by_line);
    for (size_t i = 0; i < f->count; i++) {
        const note *n = &f->notes[i], *before = n - 1;
        wl_field_course *c = &out[n->field];
        const bool fresh = i == 0 || !same_line(before, n);
        c->distinct += fresh;
        for (int w = 0; w < WL_COURSE_WINDOWS; w++)
            c->together[w] += fresh || before->time >> w != n->time >> w;
    }
}

/* Does the beginning of lives tell how a field is loaded? */
static bool is_seen_in_part(const follower *f, size_t field)
{
    const struct habit *h = &f->habits[field];
    return h->last <= f->most || (h->steady && h->first <= f->most / 2);
}

/* The blocks of `run` blocks each in the middle of the launch, up to so many steps of each life. */
static wl_status follow_blocks(follower *f, int64_t run, int64_t blocks, double part, wl_field_course *out)
{
    const wl_geometry *g = f->in->geometry;
    const int64_t start = (g->blocks - blocks) / 2 / run * run, end = start + blocks;
    uint32_t number = 0;
    f->count = 0;
    f->most = part < 1 ? (int64_t)(f->length * part / f->warp_count) : INT64_MAX;
    for (size_t i = 0; i < f->traffic->field_count; i++)
        if (f->wanted[i])
            out[i] = (wl_field_course){0};
    for (int64_t b = start; b < end && !f->unknown; b += run)
        WL_TRY(follow_run(f, b, wl_min(end, b + run), number++, out));
    if (f->unknown)
        return WL_OK;
    count_together(f, out);
    for (size_t i = 0; i < f->traffic->field_count; i++) {
        if (!f->wanted[i] || out[i].own <= 0)
            continue;
        if (part < 1 && !is_seen_in_part(f, i))
            continue;
        out[i].run = run;
        out[i].whole = blocks == g->blocks;
        out[i].timed = part >= 1 && run == g->wave_blocks;
        f->wanted[i] = false;
    }
    return WL_OK;
}

static bool wants_any(const follower *f)
{
    bool any = false;
    for (size_t i = 0; i < f->traffic->field_count; i++)
        any = any || f->wanted[i];
    return any;
}

/* All blocks if they are affordable, else two waves in the middle, to their end or only for a
 * while; fewer blocks if they differ, or to see fields that are loaded later on. */
static wl_status follow_launch(follower *f, wl_field_course *out)
{
    const wl_geometry *g = f->in->geometry;
    const wl_population *p = f->in->view->kernel->source.population;
    const double affordable = p->courses / (f->length + 1);
    const bool whole = affordable >= (double)g->blocks || g->blocks <= 2 * g->wave_blocks;
    const int64_t blocks = whole ? g->blocks : 2 * g->wave_blocks;
    /* of their lives */
    const double least = wl_kinds_differ(p->kinds, p->kind_count) ? 1 : PART_LEAST;
    if (affordable >= least * (double)blocks)
        WL_TRY(follow_blocks(f, g->wave_blocks, blocks, affordable / (double)blocks, out));
    const int64_t run = wl_min((int64_t)(affordable / 2), g->wave_blocks);
    if (affordable < (double)blocks && run > 0 && 2 * run <= g->blocks && wants_any(f))
        WL_TRY(follow_blocks(f, run, 2 * run, 1, out));
    return WL_OK;
}

/* Fills the habits from the notes of one block. */
static void find_habits(follower *f)
{
    for (size_t i = 0; i < f->traffic->field_count; i++) {
        struct habit *h = &f->habits[i];
        double early = 0, late = 0;
        *h = (struct habit){UINT32_MAX, 0, false};
        for (size_t n = 0; n < f->count; n++)
            if (f->notes[n].field == i) {
                h->first = f->notes[n].time < h->first ? f->notes[n].time : h->first;
                h->last = f->notes[n].time > h->last ? f->notes[n].time : h->last;
            }
        for (size_t n = 0; n < f->count; n++)
            if (f->notes[n].field == i)
                *(f->notes[n].time - h->first < h->last - f->notes[n].time ? &early : &late) += 1;
        h->steady = early < STEADY * late && late < STEADY * early;
    }
}

static wl_status find(follower *f, wl_field_course *out)
{
    const int64_t *grid = f->in->geometry->grid;
    int64_t block[3];
    /* in the middle of each dimension: blocks at edges often do less */
    wl_block_at(f->in->geometry, grid[0] / 2 + grid[0] * (grid[1] / 2 + grid[1] * (grid[2] / 2)), block);
    choose_fields(f);
    if (!wants_any(f))
        return WL_OK;
    WL_TRY(choose_warps(f, block));
    for (int w = 0; w < f->warp_count && !f->unknown; w++) {
        WL_TRY(follow_warp(f, block, f->warps[w]));
        f->length += (double)f->time;
    }
    find_habits(f);
    if (f->warp_count > 0 && !f->unknown)
        WL_TRY(follow_launch(f, out));
    return WL_OK;
}

wl_status wl_courses_find(const wl_traffic_input *input, const wl_traffic *traffic, wl_field_course *out, wl_error *err)
{
    const wl_source *s = &input->view->kernel->source;
    follower f = {.in = input,
                  .traffic = traffic,
                  .err = err,
                  .sample = {.bytes = (uint64_t)traffic->l2_line, .one_in = 1},
                  .most = INT64_MAX};
    for (size_t i = 0; i < traffic->field_count; i++)
        out[i] = (wl_field_course){0};
    if (!s->visit_warp || !s->population || s->population->courses <= 0)
        return WL_OK;
    f.wanted = calloc(traffic->field_count + 1, sizeof *f.wanted);
    f.habits = calloc(traffic->field_count + 1, sizeof *f.habits);
    const wl_status status = f.wanted && f.habits ? find(&f, out) : wl_fail_memory(err);
    free(f.wanted);
    free(f.habits);
    free(f.notes);
    return status;
}
