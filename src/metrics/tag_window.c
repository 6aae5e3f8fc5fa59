/* tag_window.c - see tag_window.h. SPDX-License-Identifier: MIT */
#include "metrics/tag_window.h"

#include <string.h>

#include "base/ckd.h"

#define SPAN_LINES 4 /* the farthest apart two lanes may be */
#define CARRY_MAX 16 /* length of a carry chain beyond which it no longer matters */

void wl_tag_window_open(const wl_pattern_context *context, const wl_executions *executions, wl_tag_window *out)
{
    const int64_t line = context->rules->line;
    out->open = false;
    if (executions->pattern->span > SPAN_LINES * line || executions->group->width % WL_WINDOW_STEP != 0)
        return;
    /* the longest window whose positions can be told apart */
    for (int64_t lines = WL_WINDOW_LINES; lines >= 16 && !out->open; lines /= 2)
        out->open = wl_executions_positions(executions, lines * line, &out->positions);
    if (out->open)
        memset(out->tag, 0, (size_t)(out->positions.granule / WL_WINDOW_STEP) * sizeof *out->tag);
}

/* The cost at one position. A chain of j carries beyond the window has probability 2^-(j+1). */
static void cost_in_window(const wl_pattern_context *context, wl_tag_window *w, wl_pattern *p, int32_t width,
                           int64_t at)
{
    const int64_t slot = at / WL_WINDOW_STEP, bytes = w->positions.granule;
    int64_t highest = 0;
    for (int i = 0; i < p->lanes; i++)
        highest = wl_max(highest, p->relative[i]);
    const int chains = at + highest < bytes ? 1 : CARRY_MAX;
    double tag = 0, cold = 0, split = 0, probability = 1;
    for (int j = 0; j < chains; j++) {
        const wl_tag_cost t = wl_pattern_tag_cost(context, p, width, at + (((int64_t)1 << j) - 1) * bytes);
        if (j + 1 < chains)
            probability /= 2;
        tag += probability * t.tag;
        cold += probability * t.cold;
        split += probability * (t.tag > 1);
    }
    w->tag[slot] = (float)tag;
    w->cold[slot] = (float)cold;
    w->split[slot] = (float)split;
}

wl_tag_total wl_tag_window_sum(const wl_pattern_context *context, wl_tag_window *w, wl_pattern *pattern, int32_t width,
                               int64_t offset)
{
    wl_tag_total total = {0};
    for (int i = 0; i < w->positions.count; i++) {
        if (!w->positions.weight[i])
            continue;
        const int64_t at = (wl_residue(&w->positions, i) + offset) & (w->positions.granule - 1);
        const int64_t slot = at / WL_WINDOW_STEP;
        const double weight = (double)w->positions.weight[i];
        if (w->tag[slot] == 0)
            cost_in_window(context, w, pattern, width, at);
        total.tag += weight * (double)w->tag[slot];
        total.cold += weight * (double)w->cold[slot];
        total.split += weight * (double)w->split[slot];
    }
    return total;
}
