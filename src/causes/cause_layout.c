/* cause_layout.c - causes in the layout of data: partly used sectors, bank conflicts.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/answers.h"
#include "causes/inquiry.h"
#include "causes/relayout.h"
#include "device/device_internal.h"
#include "model/stacks.h"

/* A gather is named if it leaves more than this share of its sectors unused .. */
#define MOSTLY_UNUSED 0.5
#define NOTED_SECTORS 0.1 /* .. and requests at least this share of all sectors; */
#define WORTH_SAYING 0.05 /* its gain is stated from this share of the time on */
/* wavefronts of an access with bank conflicts / least wavefronts: more than rounding */
#define MORE_THAN_LEAST 1.01

static const wl_field *field_of(const wl_inquiry *q, size_t access)
{
    return &q->kernel->fields[q->kernel->accesses[access].field];
}

/* ---- sectors ---- */

static bool is_global(const wl_inquiry *q, size_t access)
{
    return !field_of(q, access)->shared && field_of(q, access)->reached == WL_BY_LOADS &&
           !q->kernel->accesses[access].atomic;
}

/* The share of each sector that a warp does not use if its lanes access different elements. */
static double unused(const wl_inquiry *q, size_t access)
{
    const wl_access_cost *c = &q->costs[access];
    const double sector = (double)wl_device_int(q->device, WL_DEVICE_l1_sector);
    if (!(c->inst > 0) || !(c->sectors > 0) || !is_global(q, access))
        return 0;
    return fmax(0, 1 - c->inst * q->lanes * q->kernel->accesses[access].width_bytes / (c->sectors * sector));
}

static double wasted(const wl_inquiry *q, size_t access) { return q->costs[access].sectors * unused(q, access); }

/* The access of a field that leaves most bytes of sectors unused; WL_NO_ACCESS: none does. */
static size_t most_wasteful(const wl_inquiry *q, size_t field)
{
    size_t most = WL_NO_ACCESS;
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (q->kernel->accesses[a].field == field && wasted(q, a) > (most == WL_NO_ACCESS ? 0 : wasted(q, most)))
            most = a;
    return most;
}

static wl_cause_id kind_of(const wl_inquiry *q, size_t access)
{
    return q->kernel->accesses[access].store ? WL_CAUSE_STORES : WL_CAUSE_SECTORS;
}

static wl_status try_contiguous(wl_inquiry *q, size_t access, int64_t stride, wl_tried *best, wl_error *err)
{
    const wl_access *a = &q->kernel->accesses[access];
    const int64_t line = wl_device_int(q->device, WL_DEVICE_l1_line);
    const wl_relayout how = {a->field, llabs(stride), 0, wl_max(1, line / a->unit_bytes)};
    wl_kernel *variant = NULL;
    int64_t rows;
    bool done, better;
    WL_TRY(wl_variant_make(q, &variant, err));
    WL_TRY(wl_relay_out(q, &how, variant, &rows, &done, err));
    return done ? wl_try_variant(q, variant, &q->launch, best, &better, err) : WL_OK;
}

/* Do gaps between lanes come from folding: each thread computes several neighbouring cells? */
static bool is_folded(const wl_inquiry *q, const wl_form *f, int64_t stride)
{
    const int64_t fold = q->geometry.fold[0];
    const bool gridded = q->launch.grid[0] || q->launch.grid[1] || q->launch.grid[2];
    return fold > 1 && !gridded && llabs(f->k[WL_VAR_X]) == 1 && llabs(stride) == fold;
}

static wl_status blame_stride(wl_inquiry *q, size_t access, const wl_form *form, int64_t stride, wl_error *err)
{
    char text[120];
    wl_tried best = {0};
    bool better;
    const bool folded = is_folded(q, form, stride);
    (void)wl_print(text, sizeof text, "%.0f %% of each sector unused: stride %lld%s", 100 * unused(q, access),
                   (long long)stride, folded ? ", from cells folded in x" : "");
    if (!folded) {
        WL_TRY(try_contiguous(q, access, stride, &best, err));
        return wl_blame(q, kind_of(q, access), access, &best, text, "contiguous", err);
    }
    wl_launch launch = q->launch;
    launch.fold[0] = 1;
    WL_TRY(wl_try_launch(q, &launch, &best, &better, err));
    return wl_blame(q, kind_of(q, access), access, &best, text, "no cells folded in x", err);
}

/* Accesses to a field whose addresses, or whose loop's bounds, depend on data. A compiler that
 * unrolls the loop makes several of one. */
typedef struct gather {
    double sectors, used;          /* requested; bytes of lanes in sectors */
    double wavefronts, contiguous; /* of the L1, now and if lanes access neighbouring elements */
    /* of lanes that walk through a row each: bytes that come from the L2 more than once */
    double excess;
} gather;

/* Does each lane walk through elements of its own? Most of its sectors are then in the L1, from the
 * step before, and no element is read twice; other gathers read elements anywhere. */
static bool is_walk(const wl_inquiry *q, size_t field, const gather *g, double sector)
{
    const double bytes = (double)q->kernel->fields[field].bytes;
    return q->now.fields && q->now.fields[field].l2_load_bytes < MOSTLY_UNUSED * g->sectors * sector &&
           (bytes == 0 || g->used * sector <= bytes);
}

static gather gather_of(const wl_inquiry *q, size_t access)
{
    const double sector = (double)wl_device_int(q->device, WL_DEVICE_l1_sector);
    const double line = (double)wl_device_int(q->device, WL_DEVICE_l1_line);
    gather g = {0};
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *other = &q->kernel->accesses[a];
        const wl_access_cost *c = &q->costs[a];
        wl_form form;
        if (other->field != q->kernel->accesses[access].field || kind_of(q, a) != kind_of(q, access) ||
            !(c->inst > 0) || !is_global(q, a) || wl_index_form(q, a, &form))
            continue;
        const double bytes = q->lanes * other->width_bytes;
        g.sectors += c->sectors;
        g.used += c->inst * bytes / sector;
        g.wavefronts += c->hit;
        g.contiguous += c->inst * ceil(bytes / line);
    }
    const size_t field = q->kernel->accesses[access].field;
    if (is_walk(q, field, &g, sector))
        g.excess = fmax(0, q->now.fields[field].l2_load_bytes - g.used * sector);
    return g;
}

/* The time if neighbouring lanes accessed neighbouring elements: fewer wavefronts in the L1; of
 * walks, from the L2 what lanes use, once. Unknown: the model has no stack. */
static wl_tried without_gather(const wl_inquiry *q, const gather *g)
{
    const double all = q->now.metrics[WL_METRIC_l1_wavefronts].value;
    double factors[WL_STACK_PART_COUNT];
    wl_model_result without;
    for (int p = 0; p < WL_STACK_PART_COUNT; p++)
        factors[p] = 1;
    if (!q->now.stacks || q->now.model.id != WL_MODEL_TURNOVER || !(all > 0))
        return (wl_tried){0};
    factors[WL_STACK_L1_QUEUE] = fmax(g->contiguous / all, 1 - (g->wavefronts - g->contiguous) / all);
    const double loaded = q->now.metrics[WL_METRIC_l2_load_bytes].value;
    if (loaded > 0)
        factors[WL_STACK_NOC] = 1 - g->excess / loaded;
    if (!wl_stacks_what_if(q->now.stacks, factors, &without))
        return (wl_tried){0};
    return (wl_tried){true, without.time_s, without.limiter};
}

static bool is_worth_saying(const wl_inquiry *q, const wl_tried *tried)
{
    return tried->known && tried->time_s <= (1 - WORTH_SAYING) * q->now.model.time_s;
}

/* Fields with gathers of one kind: the same change, a warp for each row, cures all of them. */
typedef struct gathers {
    wl_cause_id kind;
    size_t access[WL_CAUSES_MAX]; /* of each field that gains by itself, the most wasteful one */
    size_t count;
    gather sum;
} gathers;

static void add_gather(gathers *all, size_t access, const gather *g)
{
    all->access[all->count++] = access;
    all->sum.sectors += g->sectors;
    all->sum.used += g->used;
    all->sum.wavefronts += g->wavefronts;
    all->sum.contiguous += g->contiguous;
    all->sum.excess += g->excess;
}

/* Names of fields, "a and b"; none where an instruction of PTX does not name its array. */
static void name_fields(const wl_inquiry *q, const gathers *all, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < all->count; i++) {
        const char *field = q->kernel->accesses[all->access[i]].traced ? field_of(q, all->access[i])->name : "";
        const char *before = used == 0 ? " of " : i + 1 < all->count ? ", " : " and ";
        if (field[0] && used + strlen(field) + strlen(before) < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", before, field);
    }
}

static void gather_text(const wl_inquiry *q, const gathers *all, char *text, size_t size)
{
    char fields[80];
    name_fields(q, all, fields, sizeof fields);
    (void)wl_print(text, size,
                   "%.0f %% of each sector%s unused: no fixed stride, addresses depend on data or conditions",
                   100 * (1 - all->sum.used / all->sum.sectors), fields);
}

/* Says what is known of a field's gather: nothing, that it is there, or, together with others, what
 * it costs. */
static wl_status look_at_gather(wl_inquiry *q, size_t access, gathers *all, wl_error *err)
{
    char text[200];
    const bool stores = kind_of(q, access) == WL_CAUSE_STORES;
    const wl_value *requested = &q->now.metrics[stores ? WL_METRIC_l1_sectors_st : WL_METRIC_l1_sectors_ld];
    const gather g = gather_of(q, access);
    const double left = g.sectors > 0 ? 1 - g.used / g.sectors : 0;
    if (left < MOSTLY_UNUSED || g.sectors < NOTED_SECTORS * requested->value)
        return WL_OK;
    const wl_tried tried = without_gather(q, &g);
    if (is_worth_saying(q, &tried) && all[stores].count < WL_CAUSES_MAX) {
        add_gather(&all[stores], access, &g);
        return WL_OK;
    }
    gathers alone = {.kind = kind_of(q, access)};
    add_gather(&alone, access, &g);
    gather_text(q, &alone, text, sizeof text);
    return wl_suspect(q, alone.kind, access, text, err);
}

static wl_status blame_gathers(wl_inquiry *q, const gathers *all, wl_error *err)
{
    char text[200];
    if (all->count == 0)
        return WL_OK;
    const wl_tried tried = without_gather(q, &all->sum);
    gather_text(q, all, text, sizeof text);
    return wl_blame(q, all->kind, all->access[0], &tried, text,
                    all->kind == WL_CAUSE_STORES
                        ? "neighbouring lanes store neighbouring elements (sorted or transposed data, a warp for each "
                          "long row)"
                        : "neighbouring lanes load neighbouring elements (sorted or transposed data, a warp for each "
                          "long row)",
                    err);
}

wl_status wl_cause_sectors(wl_inquiry *q, wl_error *err)
{
    gathers all[2] = {{.kind = WL_CAUSE_SECTORS}, {.kind = WL_CAUSE_STORES}};
    for (size_t f = 0; f < q->kernel->field_count && q->can_vary; f++) {
        const size_t access = most_wasteful(q, f);
        wl_form form;
        if (access == WL_NO_ACCESS)
            continue;
        if (!wl_index_form(q, access, &form)) {
            WL_TRY(look_at_gather(q, access, all, err));
            continue;
        }
        const int64_t stride = wl_lane_stride(q, &form);
        if (llabs(stride) > 1)
            WL_TRY(blame_stride(q, access, &form, stride, err));
    }
    WL_TRY(blame_gathers(q, &all[0], err));
    return blame_gathers(q, &all[1], err);
}

/* ---- banks ---- */

/* The least wavefronts of an access: bytes of a warp / bytes of all banks. */
static double least_wavefronts(const wl_inquiry *q, size_t access)
{
    return fmax(1, q->lanes * q->kernel->accesses[access].width_bytes / (double)(WL_SHARED_BANKS * WL_BANK_WORD));
}

static bool has_conflicts(const wl_inquiry *q, size_t access)
{
    const wl_access_cost *c = &q->costs[access];
    return field_of(q, access)->shared && c->inst > 0 &&
           c->hit > MORE_THAN_LEAST * c->inst * ceil(least_wavefronts(q, access));
}

/* Rows of shared memory, padded by a word; their length is a coefficient of the index. */
typedef struct padding {
    int64_t row;
    wl_tried best;
} padding;

static wl_status try_padded(wl_inquiry *q, size_t access, int64_t row, padding *p, wl_error *err)
{
    const wl_access *a = &q->kernel->accesses[access];
    const wl_relayout how = {a->field, row, wl_max(1, WL_BANK_WORD / a->unit_bytes), 1};
    wl_launch launch = q->launch;
    wl_kernel *variant = NULL;
    int64_t rows;
    bool done, better = false;
    WL_TRY(wl_variant_make(q, &variant, err));
    WL_TRY(wl_relay_out(q, &how, variant, &rows, &done, err));
    launch.shared_bytes = q->geometry.shared_bytes + rows * how.pad * a->unit_bytes;
    if (done)
        WL_TRY(wl_try_variant(q, variant, &launch, &p->best, &better, err));
    if (better)
        p->row = row;
    return WL_OK;
}

static wl_status try_paddings(wl_inquiry *q, size_t access, padding *p, wl_error *err)
{
    wl_form form;
    if (!wl_index_form(q, access, &form))
        return WL_OK;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        const int64_t row = llabs(form.k[v]);
        bool seen = row < 2;
        for (int u = 0; u < v; u++)
            seen = seen || llabs(form.k[u]) == row;
        if (!seen)
            WL_TRY(try_padded(q, access, row, p, err));
    }
    return WL_OK;
}

/* For addresses without a known form, or where padding does not help: as if consecutive lanes
 * accessed consecutive words. */
static wl_status try_in_a_row(wl_inquiry *q, size_t field, wl_tried *best, wl_error *err)
{
    wl_kernel *variant = NULL;
    bool better;
    WL_TRY(wl_variant_make(q, &variant, err));
    int32_t *widths = WL_ARENA_NEW(&q->scratch, int32_t, variant->access_count + 1);
    if (!widths)
        return wl_fail_memory(err);
    const wl_form thread = {.k = {[WL_VAR_THREAD_X] = 1,
                                  [WL_VAR_THREAD_Y] = q->geometry.block[0],
                                  [WL_VAR_THREAD_Z] = q->geometry.block[0] * q->geometry.block[1]}};
    for (size_t a = 0; a < variant->access_count; a++) {
        wl_access *access = &variant->accesses[a];
        if (access->field != field || !has_conflicts(q, a))
            continue;
        widths[a] = access->width_bytes;
        if (!access->traced)
            WL_TRY(wl_form_expr(&q->scratch, &thread, access->loc, &access->index, err));
    }
    wl_answers *answers = wl_answers_of(&variant->source);
    if (answers)
        answers->in_a_row = widths;
    return wl_try_variant(q, variant, &q->launch, best, &better, err);
}

static size_t most_conflicts(const wl_inquiry *q, size_t field)
{
    size_t most = WL_NO_ACCESS;
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (q->kernel->accesses[a].field == field && has_conflicts(q, a) && !q->kernel->accesses[a].swaps &&
            (most == WL_NO_ACCESS || q->costs[a].hit > q->costs[most].hit))
            most = a;
    return most;
}

wl_status wl_cause_banks(wl_inquiry *q, wl_error *err)
{
    for (size_t f = 0; f < q->kernel->field_count && q->can_vary; f++) {
        const size_t access = most_conflicts(q, f);
        char text[120], change[80] = "no two lanes in the same bank";
        padding p = {0};
        if (access == WL_NO_ACCESS)
            continue;
        const wl_access_cost *c = &q->costs[access];
        (void)wl_print(text, sizeof text, "bank conflicts: %.3g wavefronts per access, %.3g without", c->hit / c->inst,
                       ceil(least_wavefronts(q, access)));
        WL_TRY(try_paddings(q, access, &p, err));
        if (p.best.known && p.best.time_s < q->now.model.time_s)
            (void)snprintf(change, sizeof change, "rows of %lld elements padded by a word", (long long)p.row);
        else
            WL_TRY(try_in_a_row(q, f, &p.best, err));
        WL_TRY(wl_blame(q, WL_CAUSE_BANKS, access, &p.best, text, change, err));
    }
    return WL_OK;
}
