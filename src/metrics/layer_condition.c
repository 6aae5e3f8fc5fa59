/* layer_condition.c - the layer condition of sequential sweeps (Ernst et al. 2022, sections 4.4.2
 * and 5.7): does the L2 hold all layers that a stencil reads?
 *
 * Oracle  tests/unit/test_paper.c
 * SPDX-License-Identifier: MIT */
#include "metrics/layer_condition.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/view.h"
#include "device/device_internal.h"

/* Layers that one field's loads span: the extent of its patches along the outermost dimension. */
static int64_t layers_of(const wl_shape *s, int dimension)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int i = 0; i < s->patch_count; i++) {
        const int level = s->linears[s->patches[i].linear].level[WL_AXIS_CELL + dimension];
        if (level < 0)
            continue;
        lo = wl_min(lo, s->patches[i].lo[level]);
        hi = wl_max(hi, s->patches[i].hi[level]);
    }
    return hi > lo ? hi - lo : 0;
}

/* Populations of a lattice lie far apart in one field: counts the layers of each cluster of offsets
 * separately. */
/* `done` has one entry, false, per patch. */
static int64_t clustered_layers(const wl_shape *s, int dimension, int64_t extent, bool *done, double *sum)
{
    int64_t most = 0;
    *sum = 0;
    for (int i = 0; i < s->patch_count; i++) {
        const int level = s->linears[s->patches[i].linear].level[WL_AXIS_CELL + dimension];
        if (done[i] || level < 0)
            continue;
        int64_t lo = s->patches[i].lo[level], hi = s->patches[i].hi[level];
        for (int j = i + 1; j < s->patch_count; j++) {
            const wl_patch *p = &s->patches[j];
            if (s->linears[p->linear].level[WL_AXIS_CELL + dimension] != level || llabs(p->lo[level] - lo) >= extent)
                continue;
            lo = wl_min(lo, p->lo[level]);
            hi = wl_max(hi, p->hi[level]);
            done[j] = true;
        }
        most = wl_max(most, hi - lo);
        *sum += (double)(hi - lo);
    }
    return most;
}

static wl_status check(const wl_kernel *kernel, const wl_view *view, const wl_device *device, wl_arena *arena,
                       wl_layer_condition *out, wl_error *err)
{
    const int outer = kernel->dims - 1;
    *out = (wl_layer_condition){0};
    for (size_t f = 0; f < kernel->field_count; f++) {
        const wl_field_side *loads = &view->fields[f][WL_LOADS];
        if (loads->count == 0)
            continue;
        if (!loads->has_shape)
            return wl_fail(err, WL_E_UNSUPPORTED, kernel->fields[f].loc, "loads of '%s' are not affine",
                           kernel->fields[f].name);
        double sum = 0, layer = (double)wl_field_cell_bytes(&kernel->fields[f]);
        for (int d = 0; d < outer; d++)
            layer *= (double)(kernel->domain[d] - kernel->first[d]);
        const int64_t extent = kernel->domain[outer] - kernel->first[outer];
        int64_t layers = layers_of(&loads->shape, outer);
        if (layers > extent) {
            bool *done = WL_ARENA_NEW(arena, bool, loads->shape.patch_count);
            if (!done)
                return wl_fail_memory(err);
            layers = clustered_layers(&loads->shape, outer, extent, done, &sum);
        }
        out->layers = wl_max(out->layers, layers);
        out->needed_bytes += layer * (sum > 0 ? sum : (double)layers);
    }
    out->room_bytes =
        (double)wl_device_int(device, WL_DEVICE_l2_size) / (double)wl_device_int(device, WL_DEVICE_l2_partitions) / 2;
    out->holds = out->needed_bytes < out->room_bytes;
    return WL_OK;
}

static wl_status view_and_check(const wl_kernel *kernel, const wl_device *device, wl_arena *arena,
                                wl_layer_condition *out, wl_error *err)
{
    wl_view view;
    if (!wl_view_is_fixed(kernel))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the layer condition needs a domain and accesses over x, y, z");
    WL_TRY(wl_view_make(kernel, NULL, arena, &view, err));
    return check(kernel, &view, device, arena, out, err);
}

wl_status wl_layer_condition_check(const wl_kernel *kernel, const wl_device *device, wl_layer_condition *out,
                                   wl_error *err)
{
    wl_arena arena = {0};
    const wl_status status = view_and_check(kernel, device, &arena, out, err);
    wl_arena_free(&arena);
    return status;
}

wl_status wl_layer_condition_of(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                                wl_layer_condition *out, wl_error *err)
{
    wl_arena arena = {0};
    if (!prediction->fixed_view || prediction->kernel != kernel)
        return wl_layer_condition_check(kernel, device, out, err);
    const wl_status status = check(kernel, prediction->fixed_view, device, &arena, out, err);
    wl_arena_free(&arena);
    return status;
}
