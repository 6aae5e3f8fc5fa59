/* shape.c - see shape.h. SPDX-License-Identifier: MIT */
#include "footprint/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define CENTRE_MOST 8       /* steps between arms of a star that are joined through its centre */
#define ABOUT_AS_WIDE 8     /* gaps that are narrower by less than 1 / this count as equal */
#define HULL_PATCHES_MAX 64 /* joining patches across a covered gap is quadratic */

static wl_status too_far(const wl_access *a, wl_error *err)
{
    return wl_fail(err, WL_E_RANGE, a->loc, "the address of %.60s leaves the range +-2^60", a->text);
}

void wl_join_thread_and_block(wl_form *f, const wl_geometry *g)
{
    for (int d = 0; d < 3; d++) {
        int64_t *thread = &f->k[WL_VAR_THREAD_X + d], *block = &f->k[WL_VAR_BLOCK_X + d];
        if (g->fold[d] != 1 || (*thread == 0 && *block == 0))
            continue;
        if (g->block[d] == 1)
            *thread = *block; /* the thread index is always 0: any coefficient works */
        else if (g->grid[d] == 1)
            *block = *thread * g->block[d];
        if (*block != *thread * g->block[d])
            continue;
        f->k[WL_VAR_X + d] += *thread;
        *thread = *block = 0;
    }
}

/* Positions inside an expression are relative to the access: report that of the access. */
static wl_status place(const wl_access *access, wl_error *err, wl_status status)
{
    if (status != WL_OK && err)
        err->loc = access->loc;
    return status;
}

static wl_status bind_condition(const wl_access *access, const wl_ranges *ranges, wl_bound *out, wl_error *err)
{
    int holds = 1;
    if (access->when)
        WL_TRY(place(access, err, wl_expr_truth(access->when, ranges, &holds, err)));
    *out = (wl_bound){.access = access, .conditional = holds < 0, .never = holds == 0};
    return WL_OK;
}

wl_status wl_bind_address(const wl_kernel *kernel, const wl_access *access, const wl_geometry *geometry,
                          const wl_ranges *ranges, bool *affine, wl_form *f, wl_error *err)
{
    const int64_t base = kernel->fields[access->field].base_bytes;
    int64_t lo, hi, t;
    WL_TRY(place(access, err, wl_expr_form(access->index, ranges, affine, f, err)));
    if (!*affine)
        return WL_OK;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        if (!wl_mul(f->k[v], access->unit_bytes, &f->k[v]))
            return too_far(access, err);
    if (!wl_mul(f->c, access->unit_bytes, &t) || !wl_add(t, base, &f->c) || !wl_form_bounds(f, ranges, &lo, &hi))
        return too_far(access, err);
    if (wl_expr_depends_on_launch(access->index))
        wl_join_thread_and_block(f, geometry);
    /* a whole block must stay in range, also where the domain ends inside it */
    for (int d = 0; d < 3; d++)
        if (!wl_mul(f->k[WL_VAR_X + d], WL_MOST_CELLS_PER_BLOCK, &t) || !wl_add(t, f->k[WL_VAR_BLOCK_X + d], &t) ||
            !wl_add(t, f->k[WL_VAR_THREAD_X + d], &t))
            return too_far(access, err);
    return WL_OK;
}

static uint32_t loops_in(const wl_expr *e) { return wl_expr_vars(e) >> WL_VAR_LOOP_0 & ((1u << WL_LOOPS_MAX) - 1); }

static void bind_loops(const wl_access *access, wl_bound *out)
{
    const uint32_t when = access->when ? loops_in(access->when) : 0;
    out->index_loops = loops_in(access->index);
    out->loops = out->index_loops | when;
    out->even = !(out->conditional && when) && wl_expr_loop_strides(access->index, out->loop_strides);
}

wl_status wl_bind(const wl_kernel *kernel, const wl_access *access, const wl_geometry *geometry,
                  const wl_ranges *ranges, wl_bound *out, wl_error *err)
{
    WL_TRY(bind_condition(access, ranges, out, err));
    if (access->traced || out->never)
        return WL_OK;
    if (kernel->loop_count > 0)
        bind_loops(access, out);
    if (!out->conditional)
        return wl_bind_address(kernel, access, geometry, ranges, &out->affine, &out->form, err);
    wl_error ignored = {0}; /* threads that the condition excludes may be out of range */
    if (wl_bind_address(kernel, access, geometry, ranges, &out->linear, &out->form, &ignored) != WL_OK)
        out->linear = false;
    return WL_OK;
}

void wl_linear_make(const wl_bound *bound, const wl_geometry *g, wl_linear *out)
{
    const wl_form *f = &bound->form;
    memset(out, 0, sizeof *out);
    for (int d = 0; d < 3; d++) {
        const int64_t cell = f->k[WL_VAR_X + d], thread = f->k[WL_VAR_THREAD_X + d], block = f->k[WL_VAR_BLOCK_X + d];
        out->split[d] = thread != 0 || block != 0 || (bound->guard && bound->guard->split[d]);
        if (!out->split[d]) {
            out->stride[WL_AXIS_CELL + d] = cell;
            continue;
        }
        out->stride[WL_AXIS_BLOCK + d] = block + cell * g->fold[d] * g->block[d];
        out->stride[WL_AXIS_THREAD + d] = thread + cell * g->fold[d];
        out->stride[WL_AXIS_FOLD + d] = cell;
    }
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        out->stride[WL_AXIS_LOOP + i] = f->k[WL_VAR_LOOP_0 + i];
}

int64_t wl_thread_stride(const wl_linear *l, const wl_geometry *g, int d)
{
    return l->split[d] ? l->stride[WL_AXIS_THREAD + d] : l->stride[WL_AXIS_CELL + d] * g->fold[d];
}

int64_t wl_block_stride(const wl_linear *l, const wl_geometry *g, int d)
{
    return l->split[d] ? l->stride[WL_AXIS_BLOCK + d] : l->stride[WL_AXIS_CELL + d] * g->fold[d] * g->block[d];
}

/* ---- levels ---- */

static bool add_level(wl_shape *s, int64_t stride)
{
    int at = s->level_count;
    for (int i = 0; i < s->level_count; i++)
        if (s->stride[i] == stride)
            return true;
    if (s->level_count == WL_LEVELS_MAX)
        return false;
    for (; at > 0 && s->stride[at - 1] > stride; at--)
        s->stride[at] = s->stride[at - 1];
    s->stride[at] = stride;
    s->level_count++;
    return true;
}

static void map_levels(const wl_shape *s, wl_linear *linear)
{
    for (int a = 0; a < WL_AXIS_COUNT; a++) {
        linear->level[a] = -1;
        for (int i = 0; i < s->level_count; i++)
            if (s->stride[i] == llabs(linear->stride[a]))
                linear->level[a] = (int8_t)i;
    }
}

static int find_linear(wl_shape *s, const wl_linear *linear)
{
    for (int i = 0; i < s->linear_count; i++)
        if (memcmp(s->linears[i].stride, linear->stride, sizeof linear->stride) == 0 &&
            memcmp(s->linears[i].split, linear->split, sizeof linear->split) == 0)
            return i;
    s->linears[s->linear_count] = *linear;
    return s->linear_count++;
}

static int by_value(const void *p, const void *q)
{
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    return (a > b) - (a < b);
}

/* Where to cut the remainders of constants after multiples of a level's stride are taken out.
 * Rounding to nearest keeps small offsets small, unless it separates what belongs together, such as
 * the second cell of a thread that computes two, half a stride away. Then the widest gap between
 * remainders is the cut. `residues` is scratch. */
static int64_t first_rest(const int64_t *rests, size_t n, int64_t stride, int64_t *residues)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const int64_t nearest = rests[i] - wl_floor_div(rests[i] + stride / 2, stride) * stride;
        least = wl_min(least, nearest);
        most = wl_max(most, nearest);
        residues[i] = wl_floor_mod(rests[i], stride);
    }
    if (n == 0 || most - least < stride / 2)
        return -(stride / 2);
    qsort(residues, n, sizeof *residues, by_value);
    int64_t widest = residues[0] + stride - residues[n - 1];
    for (size_t i = 1; i < n; i++)
        widest = wl_max(widest, residues[i] - residues[i - 1]);
    if (stride - widest >= most - least)
        return -(stride / 2);
    int64_t first = residues[0] > 0 ? residues[0] - stride : 0;
    /* among gaps of about equal width, prefer the one followed by most of a stride */
    for (size_t i = n; i-- > 1;)
        if (residues[i] - residues[i - 1] > widest - widest / ABOUT_AS_WIDE)
            return residues[i] - stride;
    return first;
}

/* Constants as level coordinates: divide by the largest stride first, pass the remainder on. */
static wl_status decompose(wl_shape *s, const wl_bound *const *accesses, size_t count, wl_arena *arena, wl_error *err)
{
    int64_t *rests = WL_ARENA_NEW(arena, int64_t, count), *scratch = WL_ARENA_NEW(arena, int64_t, count);
    if (!rests || !scratch)
        return wl_fail_memory(err);
    for (size_t k = 0; k < count; k++)
        rests[k] = accesses[k]->form.c - s->base;
    for (int i = s->level_count; i-- > 0;) {
        const int64_t first = first_rest(rests, count, s->stride[i], scratch);
        for (size_t k = 0; k < count; k++) {
            const int64_t q = wl_floor_div(rests[k] - first, s->stride[i]);
            s->patches[k].lo[i] = q;
            s->patches[k].hi[i] = q + 1;
            rests[k] -= q * s->stride[i];
        }
    }
    for (size_t k = 0; k < count; k++) {
        s->patches[k].byte_lo = rests[k];
        s->patches[k].byte_hi = rests[k] + accesses[k]->access->width_bytes;
    }
    return WL_OK;
}

/* ---- patches ---- */

/* Equal except on one level (level -1: except for the bytes)? */
static bool differ_only_in(const wl_patch *p, const wl_patch *q, int level, int level_count)
{
    if (p->linear != q->linear || p->guard != q->guard)
        return false;
    if (level >= 0 && (p->byte_lo != q->byte_lo || p->byte_hi != q->byte_hi))
        return false;
    for (int i = 0; i < level_count; i++)
        if (i != level && (p->lo[i] != q->lo[i] || p->hi[i] != q->hi[i]))
            return false;
    return true;
}

static int64_t low(const wl_patch *p, int level) { return level < 0 ? p->byte_lo : p->lo[level]; }
static int64_t high(const wl_patch *p, int level) { return level < 0 ? p->byte_hi : p->hi[level]; }

static void widen(wl_patch *p, const wl_patch *q, int level)
{
    int64_t *lo = level < 0 ? &p->byte_lo : &p->lo[level], *hi = level < 0 ? &p->byte_hi : &p->hi[level];
    *lo = wl_min(*lo, low(q, level));
    *hi = wl_max(*hi, high(q, level));
}

/* Joins patches that touch or overlap along one level. */
static void join_along(wl_shape *s, int level)
{
    for (int i = 0; i < s->patch_count; i++) {
        for (int j = i + 1; j < s->patch_count; j++) {
            wl_patch *p = &s->patches[i], *q = &s->patches[j];
            if (!differ_only_in(p, q, level, s->level_count) || low(q, level) > high(p, level) ||
                low(p, level) > high(q, level))
                continue;
            widen(p, q, level);
            *q = s->patches[--s->patch_count];
            j = i; /* p grew: check the others again */
        }
    }
}

static bool contains(const wl_patch *outer, const wl_patch *inner, int level_count)
{
    if (outer->linear != inner->linear || (outer->guard && outer->guard != inner->guard) ||
        outer->byte_lo > inner->byte_lo || outer->byte_hi < inner->byte_hi)
        return false;
    for (int i = 0; i < level_count; i++)
        if (outer->lo[i] > inner->lo[i] || outer->hi[i] < inner->hi[i])
            return false;
    return true;
}

/* Is the gap between p and q along a level covered, step by step, by other patches? */
static bool gap_covered(const wl_shape *s, const wl_patch *p, const wl_patch *q, int level)
{
    wl_patch step = *p;
    for (int64_t at = p->hi[level]; at < q->lo[level]; at++) {
        bool inside = false;
        step.lo[level] = at;
        step.hi[level] = at + 1;
        for (int i = 0; i < s->patch_count && !inside; i++)
            inside = contains(&s->patches[i], &step, s->level_count);
        if (!inside)
            return false;
    }
    return true;
}

/* The arms of a star meet in a centre that belongs to another arm: join them through it. */
static void join_across_centre(wl_shape *s, int level)
{
    for (int i = 0; i < s->patch_count; i++) {
        for (int j = 0; j < s->patch_count; j++) {
            wl_patch *p = &s->patches[i], *q = &s->patches[j];
            if (i == j || !differ_only_in(p, q, level, s->level_count) || q->lo[level] <= p->hi[level] ||
                q->lo[level] - p->hi[level] > CENTRE_MOST || !gap_covered(s, p, q, level))
                continue;
            widen(p, q, level);
            s->patches[j] = s->patches[--s->patch_count];
            j = -1;
            if (i >= s->patch_count)
                return;
        }
    }
}

static void drop_contained(wl_shape *s)
{
    for (int i = 0; i < s->patch_count; i++) {
        for (int j = 0; j < s->patch_count; j++) {
            if (i != j && contains(&s->patches[j], &s->patches[i], s->level_count)) {
                s->patches[i--] = s->patches[--s->patch_count];
                break;
            }
        }
    }
}

static void join_patches(wl_shape *s)
{
    for (int level = -1; level < s->level_count; level++)
        join_along(s, level);
    if (s->patch_count <= HULL_PATCHES_MAX)
        for (int level = 0; level < s->level_count; level++)
            join_across_centre(s, level);
    drop_contained(s);
}

/* Replaces accesses by their pieces. */
static wl_status take_apart(const wl_bound *const **accesses, size_t *count, wl_arena *arena, wl_error *err)
{
    size_t all = 0, n = 0;
    for (size_t i = 0; i < *count; i++)
        all += (*accesses)[i]->piece_count ? (size_t)(*accesses)[i]->piece_count : 1;
    if (all == *count)
        return WL_OK;
    const wl_bound **parts = WL_ARENA_NEW(arena, const wl_bound *, all);
    if (!parts)
        return wl_fail_memory(err);
    for (size_t i = 0; i < *count; i++) {
        const wl_bound *b = (*accesses)[i];
        for (int p = 0; p < b->piece_count; p++)
            parts[n++] = &b->pieces[p];
        if (b->piece_count == 0)
            parts[n++] = b;
    }
    *accesses = parts;
    *count = all;
    return WL_OK;
}

wl_status wl_shape_make(const wl_bound *const *accesses, size_t count, const wl_geometry *geometry, wl_arena *arena,
                        wl_shape *out, wl_error *err)
{
    wl_shape *s = out;
    WL_TRY(take_apart(&accesses, &count, arena, err));
    *s = (wl_shape){.base = count ? accesses[0]->form.c : 0};
    s->linears = WL_ARENA_NEW(arena, wl_linear, count);
    s->patches = WL_ARENA_NEW(arena, wl_patch, count);
    if (!s->linears || !s->patches)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        wl_linear linear;
        wl_linear_make(accesses[i], geometry, &linear);
        s->patches[i].linear = find_linear(s, &linear);
        s->patches[i].guard = accesses[i]->guard;
        s->guarded = s->guarded || (accesses[i]->guard && accesses[i]->guard->placed);
    }
    for (int i = 0; i < s->linear_count; i++)
        for (int a = 0; a < WL_AXIS_COUNT; a++)
            if (s->linears[i].stride[a] != 0 && !add_level(s, llabs(s->linears[i].stride[a])))
                return wl_fail(err, WL_E_UNSUPPORTED, accesses[0]->access->loc,
                               "more than %d different strides in one field", WL_LEVELS_MAX);
    for (int i = 0; i < s->linear_count; i++)
        map_levels(s, &s->linears[i]);
    WL_TRY(decompose(s, accesses, count, arena, err));
    s->patch_count = (int)count;
    join_patches(s);
    return WL_OK;
}
