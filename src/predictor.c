/* predictor.c - see predictor.h. SPDX-License-Identifier: MIT */
#include "predictor.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/found_schedule.h"

#define PAGE ((int64_t)2 << 20) /* bytes: memory that one translation entry covers */

/* A kernel that depends on the launch is analysed only once there is one. */
static wl_status make_predictor(const wl_kernel *kernel, const wl_device *device, bool complete, wl_predictor **out,
                                wl_error *err)
{
    wl_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return wl_fail_memory(err);
    p->kernel = kernel;
    p->device = device;
    p->work_unit = wl_kernel_work_unit(kernel);
    p->counter.row_budget = WL_ROW_BUDGET;
    wl_l1_rules_make(device, &p->rules);
    wl_l1_numbers_read(device, &p->l1);
    p->has_laws = wl_laws_read(device, &p->laws);
    p->page_bytes = PAGE;
    p->costs = WL_ARENA_NEW(&p->fixed_arena, wl_access_cost, kernel->access_count);
    p->field_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->field_count);
    p->replayed = WL_ARENA_NEW(&p->fixed_arena, bool, kernel->field_count);
    p->access_shares = WL_ARENA_NEW(&p->fixed_arena, wl_share, kernel->access_count);
    wl_status status = wl_estimates_read(&p->estimates, err);
    if (!p->costs || !p->field_shares || !p->access_shares || !p->replayed)
        status = wl_fail_memory(err);
    p->has_fixed_view = p->counter.keep = complete && wl_view_is_fixed(kernel);
    if (status == WL_OK && p->has_fixed_view)
        status = wl_view_make(kernel, NULL, &p->fixed_arena, &p->fixed_view, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, kernel->input);
        wl_predictor_free(p);
        return status;
    }
    *out = p;
    return WL_OK;
}

/* A kernel over one dimension whose index arithmetic is a schedule, as the kernel over the cells.
 * Blocks that are traced or visited are named by their numbers: those stay as they are. */
static wl_status find_columns(wl_predictor *p, wl_error *err)
{
    const wl_source *source = &p->kernel->source;
    wl_found_schedule found;
    bool is_schedule = false;
    if (p->kernel->dims != 1 || !p->fixed_view.opaque || source->population || source->visit_loads ||
        source->visit_local)
        return WL_OK;
    WL_TRY(wl_schedule_find(p->kernel, &p->fixed_arena, &found, &is_schedule, err));
    if (!is_schedule)
        return WL_OK;
    wl_kernel *cells = WL_ARENA_NEW(&p->fixed_arena, wl_kernel, 1);
    if (!cells)
        return wl_fail_memory(err);
    *cells = *p->kernel;
    cells->dims = 2;
    cells->domain[0] = found.extent[0];
    cells->domain[1] = found.extent[1];
    cells->accesses = found.accesses;
    WL_TRY(make_predictor(cells, p->device, true, &p->columns, err));
    p->columns->schedule = found.schedule;
    return WL_OK;
}

/* A kernel that computes a schedule is predicted as that where threads are a row, with a cell
 * each. */
static wl_predictor *by_cells(wl_predictor *p, const wl_launch *l)
{
    const bool flat = l->schedule.kind == WL_SCHEDULE_LINEAR && l->block[1] <= 1 && l->block[2] <= 1 &&
                      l->grid[1] <= 1 && l->grid[2] <= 1 && l->fold[0] <= 1 && l->fold[1] <= 1 && l->fold[2] <= 1;
    return p->columns && flat ? p->columns : p;
}

static wl_status make_complete(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err)
{
    WL_TRY(make_predictor(kernel, device, true, out, err));
    const wl_status status = find_columns(*out, err);
    if (status == WL_OK)
        return WL_OK;
    wl_predictor_free(*out);
    *out = NULL;
    return status;
}

/* Compiled code is that of one vendor: another compiler makes other instructions, registers and
 * warps of the source. */
static wl_status check_vendor(const wl_kernel *kernel, const wl_device *device, wl_error *err)
{
    const bool compiled = kernel->source.count_instructions || kernel->source.at_launch;
    if (!compiled || strcmp(device->vendor, "amd") != 0)
        return WL_OK;
    return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                   "PTX and CUDA are code for NVIDIA GPUs, and %s is an AMD GPU: give a kernel file or a stencil "
                   "('warpline show' writes a kernel of PTX as a kernel file)",
                   device->name);
}

wl_status wl_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err)
{
    WL_TRY(check_vendor(kernel, device, err));
    return kernel->source.at_launch ? make_predictor(kernel, device, false, out, err)
                                    : make_complete(kernel, device, out, err);
}

static void forget_launch(wl_predictor *p)
{
    wl_predictor_free(p->own);
    wl_kernel_free(p->own_kernel);
    p->own = NULL;
    p->own_kernel = NULL;
}

/* Member by member where there is padding between them. */
static bool is_same(const wl_launch *a, const wl_launch *b)
{
    return memcmp(a, b, offsetof(wl_launch, schedule)) == 0 && a->schedule.kind == b->schedule.kind &&
           a->schedule.width == b->schedule.width && a->schedule.height == b->schedule.height;
}

wl_status wl_predictor_at(wl_predictor *p, const wl_launch *launch, wl_predictor **out, wl_error *err)
{
    *out = by_cells(p, launch);
    if (!p->kernel->source.at_launch)
        return WL_OK;
    if (!p->own || !is_same(&p->launch, launch)) {
        forget_launch(p);
        WL_TRY(p->kernel->source.at_launch(p->kernel->source.context, launch, &p->own_kernel, err));
        WL_TRY(make_complete(p->own_kernel ? p->own_kernel : p->kernel, p->device, &p->own, err));
        p->launch = *launch;
    }
    *out = by_cells(p->own, launch);
    return WL_OK;
}

void wl_predictor_free(wl_predictor *predictor)
{
    if (!predictor)
        return;
    forget_launch(predictor);
    wl_predictor_free(predictor->columns);
    wl_counter_free(&predictor->counter);
    wl_warps_scratch_free(&predictor->warps);
    for (size_t i = 0; i < WL_FOLDINGS_KEPT; i++)
        wl_arena_free(&predictor->foldings[i].arena);
    wl_kept_counts_free(&predictor->launches);
    wl_arena_free(&predictor->launch_arena);
    wl_arena_free(&predictor->fixed_arena);
    free(predictor);
}

wl_status wl_predictor_view(wl_predictor *p, const wl_geometry *launched, const wl_view **out, wl_error *err)
{
    *out = &p->fixed_view;
    if (p->has_fixed_view && !wl_threads_are_ordered(launched))
        return WL_OK;
    wl_view *own = WL_ARENA_NEW(&p->launch_arena, wl_view, 1);
    if (!own)
        return wl_fail_memory(err);
    *out = own;
    return wl_view_make(p->kernel, launched, &p->launch_arena, own, err);
}

wl_status wl_predictor_instructions(wl_predictor *p, const wl_view *view, const wl_geometry *g, wl_instructions *out,
                                    wl_error *err)
{
    if (!p->has_fixed_view || wl_threads_are_ordered(g))
        return wl_instructions_make(p->kernel, g, view->bounds, &p->launch_arena, out, err);
    for (size_t i = 0; i < WL_FOLDINGS_KEPT; i++) {
        const wl_kept_instructions *kept = &p->foldings[i];
        if (memcmp(kept->fold, g->fold, sizeof g->fold) == 0) {
            *out = kept->instructions;
            return WL_OK;
        }
    }
    wl_kept_instructions *kept = &p->foldings[p->next_folding++ % WL_FOLDINGS_KEPT];
    wl_arena_free(&kept->arena);
    memset(kept->fold, 0, sizeof kept->fold);
    WL_TRY(wl_instructions_make(p->kernel, g, view->bounds, &kept->arena, &kept->instructions, err));
    memcpy(kept->fold, g->fold, sizeof kept->fold);
    *out = kept->instructions;
    return WL_OK;
}
