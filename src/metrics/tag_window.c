/* tag_window.c - see tag_window.h. SPDX-License-Identifier: MIT */
#include "metrics/tag_window.h"

#include <stdlib.h>

#include "base/fail.h"

#define WINDOW_LINES 64
#define WINDOW_STEP 4 /* bytes between the positions told apart */
#define SPAN_LINES 4  /* the farthest apart two lanes may be */
#define CARRY_MAX 16  /* length of a carry chain beyond which it no longer matters */

/* Costs at one position, as a pattern keeps them. */
typedef struct slot {
    float tag, cold; /* tag 0: not computed yet */
    float split;     /* share with more than one tag wavefront */
} slot;
_Static_assert(sizeof(slot) == 3 * sizeof(float), "a window is an array of floats");

/* A pattern keeps one window. Windows of another length are rare: then it starts afresh. */
static wl_status keep_window(wl_pattern *p, int64_t bytes, wl_error *err)
{
    if (p->window_bytes == bytes)
        return WL_OK;
    free(p->window);
    p->window = calloc((size_t)(bytes / WINDOW_STEP), sizeof(slot));
    p->window_bytes = p->window ? bytes : 0;
    return p->window ? WL_OK : wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
}

wl_status wl_tag_window_open(const wl_pattern_context *context, const wl_executions *executions, bool *open,
                             wl_residues *positions, wl_error *err)
{
    const int64_t line = context->rules->line;
    wl_pattern *p = executions->warps->pattern;
    *open = false;
    if (p->span > SPAN_LINES * line || p->lanes.width % WINDOW_STEP != 0)
        return WL_OK;
    /* the longest window whose positions can be told apart */
    for (int64_t lines = WINDOW_LINES; lines >= 16 && !*open; lines /= 2)
        *open = wl_executions_positions(executions, lines * line, positions);
    return *open ? keep_window(p, positions->granule, err) : WL_OK;
}

/* The cost at one position. A chain of j carries beyond the window has probability 2^-(j+1). */
static slot cost_in_window(const wl_pattern_context *context, wl_pattern *p, int64_t at)
{
    const int chains = at + p->highest < p->window_bytes ? 1 : CARRY_MAX;
    double tag = 0, cold = 0, split = 0, probability = 1;
    for (int j = 0; j < chains; j++) {
        const wl_tag_cost t = wl_pattern_tag_cost(context, p, at + (((int64_t)1 << j) - 1) * p->window_bytes);
        if (j + 1 < chains)
            probability /= 2;
        tag += probability * t.tag;
        cold += probability * t.cold;
        split += probability * (t.tag > 1);
    }
    return (slot){(float)tag, (float)cold, (float)split};
}

wl_tag_total wl_tag_window_sum(const wl_pattern_context *context, const wl_residues *positions, wl_pattern *pattern,
                               int64_t offset)
{
    wl_tag_total total = {0};
    slot *window = (slot *)(void *)pattern->window;
    for (int i = 0; i < positions->count; i++) {
        if (!positions->weight[i])
            continue;
        const int64_t at = (wl_residue(positions, i) + offset) & (positions->granule - 1);
        slot *s = &window[at / WINDOW_STEP];
        const double weight = (double)positions->weight[i];
        if (s->tag == 0)
            *s = cost_in_window(context, pattern, at);
        total.tag += weight * (double)s->tag;
        total.cold += weight * (double)s->cold;
        total.split += weight * (double)s->split;
    }
    return total;
}
