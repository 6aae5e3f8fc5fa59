/* roofs.c - the lines of a picture: roofs and walls. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/print.h"
#include "roofline/roofline_internal.h"

const char *wl_roofline_rate_unit(const wl_roofline *r)
{
    return r->kind == WL_ROOFLINE_INSTRUCTION ? "instructions/s" : "FLOP/s";
}

const char *wl_roofline_intensity_unit(const wl_roofline *r)
{
    return r->kind == WL_ROOFLINE_INSTRUCTION ? "instructions/transaction" : "FLOP/byte";
}

void wl_roofline_number_text(double value, int digits, wl_buffer *out)
{
    if (fabs(value) >= pow(10, digits))
        wl_buffer_add(out, "%.0f", value);
    else
        wl_buffer_add(out, "%.*g", digits, value);
}

bool wl_roofline_has_levels(const wl_roofline *r)
{
    return r->kind != WL_ROOFLINE_CLASSIC && r->kind != WL_ROOFLINE_PARALLELISM;
}

static bool has_series(const wl_roofline *r, wl_series series)
{
    for (size_t i = 0; i < r->mark_count; i++)
        if (r->marks[i].series == series)
            return true;
    return false;
}

static bool some_launch_uses(const wl_roofline *r, wl_pipe pipe)
{
    double amount;
    for (size_t i = 0; i < r->launch_count; i++)
        if (wl_pipe_amount(&r->launches[i].tallies, pipe, &amount) && amount > 0)
            return true;
    return false;
}

/* Does a launch need the roof of the pipe? */
static bool needs_pipe(const wl_roofline *r, wl_pipe pipe)
{
    if (r->kind == WL_ROOFLINE_INSTRUCTION)
        return pipe == WL_PIPE_ISSUE || (pipe == WL_PIPE_TENSOR_INSTRUCTION && has_series(r, WL_SERIES_TENSOR));
    return pipe < WL_PIPE_ISSUE && some_launch_uses(r, pipe);
}

/* Is the roof of the pipe drawn? With levels, also that of tensor cores for a type that is computed
 * without them. */
static bool shows_pipe(const wl_roofline *r, wl_pipe pipe)
{
    if (needs_pipe(r, pipe))
        return true;
    return r->kind == WL_ROOFLINE_HIERARCHICAL && ((pipe == WL_PIPE_TENSOR_F16 && some_launch_uses(r, WL_PIPE_F16)) ||
                                                   (pipe == WL_PIPE_TENSOR_TF32 && some_launch_uses(r, WL_PIPE_F32)) ||
                                                   (pipe == WL_PIPE_TENSOR_F64 && some_launch_uses(r, WL_PIPE_F64)));
}

static bool shows_level(const wl_roofline *r, wl_level level)
{
    switch (level) {
    case WL_LEVEL_DRAM: return true;
    case WL_LEVEL_SHARED: return r->kind == WL_ROOFLINE_INSTRUCTION && has_series(r, WL_SERIES_SHARED);
    default: return wl_roofline_has_levels(r);
    }
}

/* Without instruction- and thread-level parallelism: of a type, and of DRAM with loads of the
 * widest type. */
static int add_alone(const wl_roofline *r, wl_pipe pipe, wl_roof *out)
{
    static const double bytes[] = {[WL_PIPE_F16] = 2, [WL_PIPE_F32] = 4, [WL_PIPE_F64] = 8};
    const bool typed = pipe <= WL_PIPE_F64, widest = typed && (pipe == WL_PIPE_F64 || !shows_pipe(r, pipe + 1));
    int count = 0;
    if (typed && r->ceilings.alone[pipe] > 0)
        out[count++] = (wl_roof){.pipe = pipe, .rate = r->ceilings.alone[pipe], .unfused = true, .alone = true};
    if (widest && r->ceilings.alone_dram > 0)
        out[count++] = (wl_roof){.slanted = true,
                                 .level = WL_LEVEL_DRAM,
                                 .rate = r->ceilings.alone_dram * bytes[pipe],
                                 .unfused = true,
                                 .alone = true};
    return count;
}

int wl_roofline_roofs(const wl_roofline *r, wl_roof out[WL_ROOFS_MAX])
{
    int count = 0;
    for (int l = 0; l < WL_LEVEL_COUNT; l++)
        if (shows_level(r, (wl_level)l) && wl_roofline_bandwidth(r, (wl_level)l) > 0)
            out[count++] =
                (wl_roof){.slanted = true, .level = (wl_level)l, .rate = wl_roofline_bandwidth(r, (wl_level)l)};
    for (int p = 0; p < WL_PIPE_COUNT; p++) {
        if (!shows_pipe(r, (wl_pipe)p) || !(r->ceilings.peak[p] > 0))
            continue;
        out[count++] = (wl_roof){.pipe = (wl_pipe)p, .rate = r->ceilings.peak[p]};
        if (p <= WL_PIPE_F64 && (r->kind == WL_ROOFLINE_HIERARCHICAL || r->kind == WL_ROOFLINE_PARALLELISM))
            out[count++] = (wl_roof){.pipe = (wl_pipe)p, .rate = r->ceilings.peak[p] / 2, .unfused = true};
        if (r->kind == WL_ROOFLINE_PARALLELISM)
            count += add_alone(r, (wl_pipe)p, out + count);
    }
    return count;
}

bool wl_roofline_lacks(const wl_roofline *r, size_t index, const char **roof, wl_device_key *key)
{
    for (int l = 0; l < WL_LEVEL_COUNT; l++)
        if (shows_level(r, (wl_level)l) && !(wl_roofline_bandwidth(r, (wl_level)l) > 0) && index-- == 0) {
            *roof = wl_level_name((wl_level)l);
            *key = wl_level_key((wl_level)l);
            return true;
        }
    for (int p = 0; p < WL_PIPE_COUNT; p++)
        if (needs_pipe(r, (wl_pipe)p) && !(r->ceilings.peak[p] > 0) && index-- == 0) {
            *roof = wl_pipe_name((wl_pipe)p);
            *key = wl_pipe_key((wl_pipe)p);
            return true;
        }
    return false;
}

void wl_roof_text(const wl_roof *roof, char *text, size_t size)
{
    if (roof->slanted)
        (void)wl_print(text, size, "%s%s", wl_level_name(roof->level), roof->alone ? " without ILP, TLP" : "");
    else
        (void)wl_print(text, size, "%s%s", wl_pipe_name(roof->pipe),
                       roof->pipe > WL_PIPE_F64 ? ""
                       : roof->alone            ? " without FMA, ILP, TLP"
                       : roof->unfused          ? " without FMA"
                                                : " FMA");
}

/* ---- walls ---- */

/* Does a launch move elements of about so many bytes? */
static bool some_launch_moves(const wl_roofline *r, double bytes)
{
    for (size_t i = 0; i < r->launch_count; i++) {
        const wl_tallies *t = &r->launches[i].tallies;
        if (t->known[WL_TALLY_element_bytes] && fabs(log2(t->value[WL_TALLY_element_bytes] / bytes)) < 0.5)
            return true;
    }
    return false;
}

static int add_global_walls(const wl_roofline *r, wl_wall *out)
{
    static const struct {
        const char *name;
        double bytes;
        bool always;
    } units[] = {{"unit stride, 2 B", 2, false},
                 {"unit stride, 4 B", 4, true},
                 {"unit stride, 8 B", 8, true},
                 {"unit stride, 16 B", 16, false}};
    const wl_ceilings *c = &r->ceilings;
    int count = 0;
    out[count++] = (wl_wall){.x = WL_TRANSACTION / c->sector, .name = "stride 0"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].always || some_launch_moves(r, units[i].bytes))
            out[count++] = (wl_wall){.x = WL_TRANSACTION / (c->lanes * units[i].bytes), .name = units[i].name};
    out[count++] = (wl_wall){.x = WL_TRANSACTION / (c->sector * c->lanes), .name = "a transaction per thread"};
    return count;
}

/* A word of 4 bytes per lane: one pass if there are enough banks, at worst one pass per lane. */
static int add_shared_walls(const wl_roofline *r, wl_wall *out)
{
    const double word = 4, at_once = r->ceilings.pass_bytes / (word * r->ceilings.lanes);
    out[0] = (wl_wall){.shared = true, .x = fmin(1, at_once), .name = "no bank conflict"};
    out[1] = (wl_wall){.shared = true,
                       .x = 1 / r->ceilings.lanes,
                       .name = r->ceilings.lanes > 32 ? "64-way bank conflict" : "32-way bank conflict"};
    return 2;
}

int wl_roofline_walls(const wl_roofline *r, wl_wall out[WL_WALLS_MAX])
{
    int count = 0;
    if (r->kind != WL_ROOFLINE_INSTRUCTION)
        return 0;
    if (has_series(r, WL_SERIES_GLOBAL))
        count += add_global_walls(r, out);
    if (has_series(r, WL_SERIES_SHARED))
        count += add_shared_walls(r, out + count);
    return count;
}
