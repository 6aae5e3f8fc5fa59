/* solid.c - see solid.h. SPDX-License-Identifier: MIT */
#include "footprint/solid.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/room.h"
#include "footprint/boxes.h"

#define PIECES_MAX 4096 /* combs or runs of one row */

static bool reserve(wl_solid *s, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count >= PIECES_MAX)
        return false;
    if (count < *capacity || wl_room(items, size, count + 1, capacity))
        return true;
    s->out_of_memory = true;
    return false;
}

void wl_solid_start(wl_solid *s, int64_t stride, int64_t granule)
{
    s->stride = stride;
    s->granule = granule;
    s->run_count = s->comb_count = s->point_count = 0;
    s->out_of_memory = false;
}

bool wl_solid_add_run(wl_solid *s, int64_t first, int64_t last)
{
    if (!reserve(s, &s->runs, s->run_count, &s->run_capacity, sizeof *s->runs))
        return false;
    s->runs[s->run_count++] = (wl_run){first, last};
    return true;
}

/* Teeth that touch form a run. */
static bool add_comb(wl_solid *s, int64_t lo, int64_t hi, int64_t first, int64_t last)
{
    if (hi - lo == 1 || last - first + 1 >= s->stride)
        return wl_solid_add_run(s, first + lo * s->stride, last + (hi - 1) * s->stride);
    if (!reserve(s, &s->combs, s->comb_count, &s->comb_capacity, sizeof *s->combs))
        return false;
    const int64_t moved = wl_floor_div(first, s->stride);
    s->combs[s->comb_count++] = (wl_comb){lo + moved, hi + moved, first - moved * s->stride, last - moved * s->stride};
    return true;
}

bool wl_solid_add_box(wl_solid *s, const wl_shape *shape, const wl_point_box *box, int collapsed)
{
    int64_t at[WL_LEVELS_MAX];
    for (int i = 1; i < collapsed; i++)
        at[i] = box->lo[i];
    for (;;) {
        int64_t moved = 0;
        for (int i = 1; i < collapsed; i++)
            moved += at[i] * shape->stride[i];
        if (!add_comb(s, box->lo[0], box->hi[0], box->byte_lo + moved, box->byte_hi - 1 + moved))
            return false;
        int i = 1;
        for (; i < collapsed && ++at[i] == box->hi[i]; i++)
            at[i] = box->lo[i];
        if (i >= collapsed)
            return true;
    }
}

static bool add_point(wl_solid *s, int64_t point)
{
    if (!reserve(s, &s->points, s->point_count, &s->point_capacity, sizeof *s->points))
        return false;
    s->points[s->point_count++] = point;
    return true;
}

static int compare_points(const void *p, const void *q)
{
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    return (a > b) - (a < b);
}

static int compare_runs(const void *p, const void *q)
{
    const wl_run *a = p, *b = q;
    return (a->first > b->first) - (a->first < b->first);
}

static bool is_active(const wl_comb *comb, int64_t lo, int64_t hi) { return comb->lo <= lo && hi <= comb->hi; }

/* Do the teeth of the active combs fill every byte of a step? A tooth may reach into the next
 * step. */
static bool fills_step(const wl_solid *s, int64_t lo, int64_t hi)
{
    int64_t filled = 0;
    for (bool grew = true; grew && filled < s->stride;) {
        grew = false;
        for (size_t i = 0; i < s->comb_count; i++) {
            const wl_comb *c = &s->combs[i];
            for (int64_t moved = 0; is_active(c, lo, hi) && moved <= s->stride; moved += s->stride) {
                if (c->first - moved > filled || c->last - moved < filled)
                    continue;
                filled = c->last - moved + 1;
                grew = true;
            }
        }
    }
    return filled >= s->stride;
}

static bool lay_out(wl_solid *s, int64_t lo, int64_t hi, int64_t from, int64_t to)
{
    for (size_t i = 0; i < s->comb_count; i++)
        for (int64_t c = from; is_active(&s->combs[i], lo, hi) && c < to; c++)
            if (!wl_solid_add_run(s, s->combs[i].first + c * s->stride, s->combs[i].last + c * s->stride))
                return false;
    return true;
}

/* Steps lo .. hi - 1, where the same combs are active throughout and each run covers either all of
 * it but its ends, or nothing. A tooth ends less than two strides after its step begins, so nothing
 * else fills a hole at lo + 1 or later. No granule fits between two holes, and teeth between the
 * first and the last hole do not matter. */
static bool add_slab(wl_solid *s, int64_t lo, int64_t hi)
{
    const int64_t margin = 2;
    if (hi - lo <= 2 * margin)
        return lay_out(s, lo, hi, lo, hi);
    if (!lay_out(s, lo, hi, lo, lo + margin) || !lay_out(s, lo, hi, hi - margin, hi))
        return false;
    return !fills_step(s, lo, hi) || wl_solid_add_run(s, (lo + 1) * s->stride, hi * s->stride - 1);
}

static void merge(wl_solid *s)
{
    size_t merged = 0;
    if (s->run_count)
        qsort(s->runs, s->run_count, sizeof *s->runs, compare_runs);
    for (size_t i = 0; i < s->run_count; i++) {
        if (merged > 0 && s->runs[i].first <= s->runs[merged - 1].last + 1)
            s->runs[merged - 1].last = wl_max(s->runs[merged - 1].last, s->runs[i].last);
        else
            s->runs[merged++] = s->runs[i];
    }
    s->run_count = merged;
}

bool wl_solid_finish(wl_solid *s)
{
    merge(s);
    if (s->comb_count == 0)
        return true;
    for (size_t i = 0; i < s->comb_count; i++)
        if (!add_point(s, s->combs[i].lo) || !add_point(s, s->combs[i].hi))
            return false;
    for (size_t i = 0; i < s->run_count; i++)
        if (!add_point(s, wl_floor_div(s->runs[i].first, s->stride)) ||
            !add_point(s, wl_floor_div(s->runs[i].last, s->stride) + 1))
            return false;
    qsort(s->points, s->point_count, sizeof *s->points, compare_points);
    for (size_t i = 0; i + 1 < s->point_count; i++)
        if (s->points[i] < s->points[i + 1] && !add_slab(s, s->points[i], s->points[i + 1]))
            return false;
    merge(s);
    return true;
}

void wl_solid_free(wl_solid *s)
{
    free(s->runs);
    free(s->combs);
    free(s->points);
    *s = (wl_solid){0};
}
