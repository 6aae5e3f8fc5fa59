/* tile_sum.c - sums over blocks, or tiles of blocks, that touch different data because of
 * conditions; see block_sum.h and alike.h. SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "count/alike.h"
#include "count/block_sum.h"
#include "count/spread.h"
#include "footprint/residues.h"

#define GUARDS_MAX 64 /* different conditions of one side of a field */
/* positions of tiles with several sets of strides; beyond, tiles are sampled */
#define KINDS_MAX 256
#define SAMPLED_TILES 64 /* of a box */

typedef struct summer {
    const wl_block_sum_input *in;
    const wl_shape *shape;
    wl_block_sum *sum;
    wl_error *err;
    int64_t tile[3];
    int at; /* index of the current granule size */
} summer;

static void add_count(const summer *s, double weight, const wl_count *c)
{
    s->sum->granules[s->at] += weight * (double)c->touched;
    s->sum->squares[s->at] += weight * (double)c->touched * (double)c->touched;
    if (s->in->want_covered && s->at == 0)
        s->sum->covered += weight * (double)wl_max(0, c->covered);
}

static wl_region region_of(const summer *s, const int64_t at[3])
{
    const wl_view *v = s->in->view;
    wl_region r = {.geometry = s->in->geometry, .kernel = v->kernel, .steps = v->steps, .blocks = {.count = 1}};
    r.blocks.boxes[0] = wl_tile_blocks(s->in->geometry, s->tile, at);
    return r;
}

static int64_t tile_stride(const summer *s, int linear, int d)
{
    return s->tile[d] * wl_block_stride(&s->shape->linears[linear], s->in->geometry, d);
}

/* Do all addresses move alike from tile to tile along d? */
static bool moves_alike(const summer *s, int d)
{
    for (int l = 1; l < s->shape->linear_count; l++)
        if (tile_stride(s, l, d) != tile_stride(s, 0, d))
            return false;
    return true;
}

/* Adds the alignments of a box of tiles, relative to tile `origin`. False: too many. */
static bool add_alignments(const int64_t strides[3], const wl_tiles *t, const int64_t origin[3], wl_residues *out)
{
    wl_residues here, next;
    int64_t distance = 0;
    if (!wl_residues_start(0, out->granule, strides, 3, &here))
        return false;
    for (int d = 0; d < 3; d++) {
        distance += (t->first[d] - origin[d]) * strides[d];
        wl_residues_move(&here, strides[d], 0, t->count[d], &next);
        wl_residues_copy(&next, &here);
    }
    wl_residues_add(&here, distance, out);
    return true;
}

/* One kind of tiles whose addresses all move alike: only the alignment differs. */
static wl_status sum_by_alignment(const summer *s, const wl_tiles *list, size_t n, wl_laid *laid)
{
    const int64_t granule = s->in->granules[s->at];
    int64_t strides[3];
    wl_residues all;
    for (int d = 0; d < 3; d++)
        strides[d] = tile_stride(s, 0, d);
    if (!wl_residues_start(0, granule, strides, 3, &all))
        return WL_E_UNSUPPORTED;
    all.weight[0] = 0;
    for (size_t i = 0; i < n; i++)
        if (!add_alignments(strides, &list[i], list[0].first, &all))
            return WL_E_UNSUPPORTED;
    for (int i = 0; i < all.count; i++) {
        wl_count c;
        if (all.weight[i] == 0)
            continue;
        WL_TRY(wl_laid_count(s->in->counter, laid, wl_residue(&all, i), granule, s->in->want_covered && s->at == 0, &c,
                             s->err));
        add_count(s, (double)all.weight[i], &c);
    }
    return WL_OK;
}

static wl_status add_tile(const summer *s, const wl_tiles *t, const int64_t offset[3], double weight)
{
    const int64_t at[3] = {t->first[0] + offset[0], t->first[1] + offset[1], t->first[2] + offset[2]};
    const wl_region region = region_of(s, at);
    wl_count c;
    WL_TRY(wl_shape_count(s->in->counter, s->shape, &region, s->in->granules[s->at], s->in->want_covered && s->at == 0,
                          &c, s->err));
    add_count(s, weight, &c);
    return WL_OK;
}

/* A box of tiles whose addresses do not all move alike: where they do, the coordinate matters only
 * modulo the period of their alignment. */
static wl_status sum_by_position(const summer *s, const wl_tiles *t)
{
    const int64_t granule = s->in->granules[s->at];
    int64_t period[3], kinds = 1;
    for (int d = 0; d < 3; d++) {
        period[d] = t->count[d];
        if (moves_alike(s, d))
            period[d] = wl_min(period[d], granule / wl_gcd(granule, tile_stride(s, 0, d)));
        kinds *= wl_min(period[d], KINDS_MAX + 1);
    }
    const bool sample = kinds > KINDS_MAX;
    const int64_t n = sample ? SAMPLED_TILES : kinds, *extent = sample ? t->count : period;
    const int64_t tiles = t->count[0] * t->count[1] * t->count[2];
    s->sum->sampled = wl_smaller_sample(s->sum->sampled, sample ? n : 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = sample ? wl_sample_block(i, n, tiles) : i;
        const int64_t at[3] = {number % extent[0], number / extent[0] % extent[1], number / extent[0] / extent[1]};
        double weight = sample ? (double)tiles / (double)n : 1;
        for (int d = 0; d < 3 && !sample; d++)
            weight *= (double)((t->count[d] - at[d] - 1) / period[d] + 1);
        WL_TRY(add_tile(s, t, at, weight));
    }
    return WL_OK;
}

static wl_status sum_kind(summer *s, const wl_tiles *list, size_t n)
{
    const wl_region first = region_of(s, list[0].first);
    bool alike = moves_alike(s, 0) && moves_alike(s, 1) && moves_alike(s, 2);
    wl_laid laid;
    wl_shape_lay(s->in->counter, s->shape, &first, &laid);
    for (s->at = 0; s->at < s->in->granule_count; s->at++) {
        wl_status status = alike ? sum_by_alignment(s, list, n, &laid) : WL_E_UNSUPPORTED;
        if (status != WL_E_UNSUPPORTED) {
            WL_TRY(status);
            continue;
        }
        alike = false; /* as at every larger granule */
        for (size_t i = 0; i < n; i++)
            WL_TRY(sum_by_position(s, &list[i]));
    }
    return WL_OK;
}

/* The different conditions of a shape; false: too many. */
static bool list_guards(const wl_shape *shape, const wl_guard *guards[GUARDS_MAX], int *count, bool *anywhere)
{
    *count = 0;
    *anywhere = false;
    for (int p = 0; p < shape->patch_count; p++) {
        const wl_guard *guard = shape->patches[p].guard;
        int i = 0;
        *anywhere = *anywhere || !guard;
        while (i < *count && guards[i] != guard)
            i++;
        if (!guard || i < *count)
            continue;
        if (*count == GUARDS_MAX)
            return false;
        guards[(*count)++] = guard;
    }
    return true;
}

bool wl_tile_sum_can(const wl_shape *shape)
{
    const wl_guard *guards[GUARDS_MAX];
    int count;
    bool anywhere;
    return list_guards(shape, guards, &count, &anywhere);
}

static wl_status sum_all(summer *s, wl_arena *arena)
{
    const wl_guard *guards[GUARDS_MAX];
    const wl_kernel *kernel = s->in->view->kernel;
    wl_alike_input in = {.geometry = s->in->geometry, .guards = guards};
    wl_alike alike;
    if (!list_guards(s->shape, guards, &in.guard_count, &in.anywhere))
        return wl_fail(s->err, WL_E_LIMIT, WL_NOWHERE, "a field has accesses under more than %d conditions",
                       GUARDS_MAX);
    for (int d = 0; d < 3; d++)
        in.tile[d] = s->tile[d];
    for (int l = 0; l < kernel->loop_count; l++)
        in.steps[l] = s->in->view->steps ? s->in->view->steps[l] : kernel->loop_extent[l];
    WL_TRY(wl_alike_find(&in, arena, &alike, s->err));
    for (size_t k = 0; k < alike.kinds; k++)
        WL_TRY(sum_kind(s, alike.list + alike.first[k], alike.first[k + 1] - alike.first[k]));
    return WL_OK;
}

wl_status wl_tile_sum_make(const wl_block_sum_input *input, const int64_t tile[3], wl_block_sum *out, wl_error *err)
{
    const wl_field_side *f = &input->view->fields[input->field][input->side];
    summer s = {.in = input, .shape = &f->shape, .sum = out, .err = err};
    wl_arena arena = {0};
    for (int d = 0; d < 3; d++)
        s.tile[d] = tile[d];
    *out = (wl_block_sum){0};
    if (f->count == 0)
        return WL_OK;
    const wl_status status = sum_all(&s, &arena);
    wl_arena_free(&arena);
    return status;
}
