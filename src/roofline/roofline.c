/* roofline.c - launches under the ceilings of a device. SPDX-License-Identifier: MIT */
#include "warpline/roofline.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "roofline/roofline_internal.h"

/* share of all instructions: some kernels execute one tensor instruction per warp without computing
 * a product */
#define FEW 0.001
#define SEEN 0.95 /* below this share, active lanes get a separate point */

static const char *const kind_names[WL_ROOFLINE_KIND_COUNT] = {"classic", "hierarchical", "instruction", "parallelism"};

const char *wl_roofline_kind_name(wl_roofline_kind kind) { return kind_names[kind]; }

bool wl_roofline_kind_find(const char *name, wl_roofline_kind *kind)
{
    for (int i = 0; i < WL_ROOFLINE_KIND_COUNT; i++)
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (wl_roofline_kind)i;
            return true;
        }
    return false;
}

const char *wl_series_name(wl_series series)
{
    static const char *const names[WL_SERIES_COUNT] = {"all", "thread", "global", "shared", "tensor"};
    return names[series];
}

double wl_roofline_bandwidth(const wl_roofline *r, wl_level level)
{
    const double bytes = r->kind != WL_ROOFLINE_INSTRUCTION ? 1
                         : level == WL_LEVEL_SHARED         ? r->ceilings.pass_bytes
                                                            : WL_TRANSACTION;
    return bytes > 0 ? r->ceilings.bandwidth[level] / bytes : 0;
}

/* ---- marks ---- */

typedef struct flat {
    wl_pipe pipe;
    double rate; /* 0: not known */
} flat;

/* Adds a mark for so many operations or instructions with so many transactions, unless one of the
 * two is 0. */
static int add_mark(const wl_roofline *r, wl_series series, wl_level level, double done, double moved, double time,
                    flat peak, wl_mark *out)
{
    if (!(done > 0) || !(moved > 0))
        return 0;
    const double x = done / moved, slope = wl_roofline_bandwidth(r, level) * x;
    *out = (wl_mark){.series = series, .level = level, .x = x, .y = done / time, .pipe = peak.pipe};
    out->under_flat = peak.rate > 0 && (!(slope > 0) || peak.rate < slope);
    out->ceiling = out->under_flat ? peak.rate : slope;
    return 1;
}

/* The peak of all types together, in their proportion: the pipe that takes longest determines
 * it. */
static flat flops_peak(const wl_roofline *r, const wl_tallies *t, double all)
{
    flat peak = {0};
    double longest = 0;
    for (int p = 0; p <= WL_PIPE_TENSOR_F64; p++) {
        double flops;
        if (!wl_pipe_amount(t, (wl_pipe)p, &flops) || !(r->ceilings.peak[p] > 0))
            continue;
        if (flops / r->ceilings.peak[p] > longest) {
            longest = flops / r->ceilings.peak[p];
            peak = (flat){(wl_pipe)p, all / longest};
        }
    }
    return peak;
}

static int mark_flops(const wl_roofline *r, const wl_tallies *t, wl_mark *out)
{
    double all, moved;
    int count = 0;
    (void)wl_all_flops(t, &all);
    for (int level = wl_roofline_has_levels(r) ? WL_LEVEL_L1 : WL_LEVEL_DRAM; level <= WL_LEVEL_DRAM; level++)
        if (wl_level_transactions(t, &r->ceilings, (wl_level)level, &moved))
            count += add_mark(r, WL_SERIES_ALL, (wl_level)level, all, moved * WL_TRANSACTION, t->value[WL_TALLY_time],
                              flops_peak(r, t, all), &out[count]);
    return count;
}

/* Instructions of a series at L1, L2 and DRAM. */
static int mark_levels(const wl_roofline *r, const wl_tallies *t, wl_series series, double instructions, wl_pipe pipe,
                       wl_mark *out)
{
    const flat peak = {pipe, r->ceilings.peak[pipe]};
    double moved;
    int count = 0;
    for (int level = WL_LEVEL_L1; level <= WL_LEVEL_DRAM; level++)
        if (wl_level_transactions(t, &r->ceilings, (wl_level)level, &moved))
            count +=
                add_mark(r, series, (wl_level)level, instructions, moved, t->value[WL_TALLY_time], peak, &out[count]);
    return count;
}

bool wl_has_products(const wl_tallies *t)
{
    const double tensor = t->value[WL_TALLY_inst_tensor];
    return t->known[WL_TALLY_inst_tensor] && tensor > 0 &&
           (!t->known[WL_TALLY_inst] || tensor >= FEW * t->value[WL_TALLY_inst]);
}

static int mark_instructions(const wl_roofline *r, const wl_tallies *t, wl_mark *out)
{
    const flat issue = {WL_PIPE_ISSUE, r->ceilings.peak[WL_PIPE_ISSUE]};
    const double *v = t->value, time = v[WL_TALLY_time];
    const wl_tally threads = t->known[WL_TALLY_thread_inst_on] ? WL_TALLY_thread_inst_on : WL_TALLY_thread_inst;
    const double lanes_on = v[threads] / r->ceilings.lanes;
    int count = 0;
    if (t->known[WL_TALLY_inst])
        count += mark_levels(r, t, WL_SERIES_ALL, v[WL_TALLY_inst], WL_PIPE_ISSUE, out);
    if (t->known[WL_TALLY_inst] && t->known[threads] && lanes_on < SEEN * v[WL_TALLY_inst])
        count += mark_levels(r, t, WL_SERIES_THREAD, lanes_on, WL_PIPE_ISSUE, out + count);
    if (t->known[WL_TALLY_inst_global] && t->known[WL_TALLY_global_transactions])
        count += add_mark(r, WL_SERIES_GLOBAL, WL_LEVEL_L1, v[WL_TALLY_inst_global], v[WL_TALLY_global_transactions],
                          time, issue, out + count);
    if (t->known[WL_TALLY_inst_shared] && t->known[WL_TALLY_shared_transactions])
        count += add_mark(r, WL_SERIES_SHARED, WL_LEVEL_SHARED, v[WL_TALLY_inst_shared],
                          v[WL_TALLY_shared_transactions], time, issue, out + count);
    if (wl_has_products(t))
        count += mark_levels(r, t, WL_SERIES_TENSOR, v[WL_TALLY_inst_tensor], WL_PIPE_TENSOR_INSTRUCTION, out + count);
    return count;
}

int wl_roofline_mark(const wl_roofline *r, const wl_tallies *t, wl_mark *out)
{
    return r->kind == WL_ROOFLINE_INSTRUCTION ? mark_instructions(r, t, out) : mark_flops(r, t, out);
}

/* ---- the object ---- */

wl_status wl_roofline_new(wl_roofline_kind kind, const wl_device *device, wl_roofline **out, wl_error *err)
{
    wl_roofline *r = calloc(1, sizeof *r);
    if (!r)
        return wl_fail_memory(err);
    r->kind = kind;
    wl_ceilings_read(device, &r->ceilings);
    r->device = strdup(wl_device_name(device));
    r->title = strdup(wl_device_title(device));
    if (!r->device || !r->title) {
        wl_roofline_free(r);
        return wl_fail_memory(err);
    }
    *out = r;
    return WL_OK;
}

void wl_roofline_free(wl_roofline *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->launch_count; i++) {
        free(r->launches[i].kernel);
        free(r->launches[i].launch);
    }
    free(r->launches);
    free(r->marks);
    free(r->device);
    free(r->title);
    free(r);
}

/* WL_OK if the launch can be shown, else why not. */
static wl_status check(const wl_roofline *r, const wl_tallies *t, int marks, wl_error *err)
{
    double flops;
    const char *name = t->kernel;
    if (!t->known[WL_TALLY_time] || !(t->value[WL_TALLY_time] > 0))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%.120s has no time, so no rate", name);
    if (r->kind == WL_ROOFLINE_INSTRUCTION && marks == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "%.120s: no instructions with transactions are known; an instruction roofline has no place for "
                       "it",
                       name);
    if (r->kind == WL_ROOFLINE_INSTRUCTION)
        return WL_OK;
    if (!wl_all_flops(t, &flops) || !(flops > 0))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "%.120s %s: a roofline of flops has no place for it; --kind instruction has", name,
                       wl_all_flops(t, &flops) ? "does no floating-point operations"
                                               : "has an unknown number of flops");
    if (marks == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%.120s: its memory volume is %s, so it has no intensity",
                       name, t->known[WL_TALLY_dram_transactions] ? "0" : "not known");
    return WL_OK;
}

/* Grows both lists; what cannot grow stays as it is. */
static bool make_room(wl_roofline *r, int marks)
{
    void *more = realloc(r->launches, (r->launch_count + 1) * sizeof *r->launches);
    if (!more)
        return false;
    r->launches = more;
    more = realloc(r->marks, (r->mark_count + (size_t)marks) * sizeof *r->marks);
    if (!more)
        return false;
    r->marks = more;
    return true;
}

wl_status wl_roofline_add(wl_roofline *r, const wl_tallies *t, wl_error *err)
{
    wl_mark marks[WL_MARKS_MAX];
    const bool timed = t->known[WL_TALLY_time] && t->value[WL_TALLY_time] > 0;
    const int count = timed ? wl_roofline_mark(r, t, marks) : 0;
    WL_TRY(check(r, t, count, err));
    char *kernel = strdup(t->kernel ? t->kernel : ""), *launch = strdup(t->launch ? t->launch : "");
    if (!kernel || !launch || !make_room(r, count)) {
        free(kernel);
        free(launch);
        return wl_fail_memory(err);
    }
    wl_roofline_launch *l = &r->launches[r->launch_count];
    *l = (wl_roofline_launch){*t, kernel, launch};
    l->tallies.kernel = kernel;
    l->tallies.launch = launch;
    for (int i = 0; i < count; i++) {
        marks[i].launch = r->launch_count;
        r->marks[r->mark_count++] = marks[i];
    }
    r->launch_count++;
    return WL_OK;
}
