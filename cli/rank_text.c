/* rank_text.c - the best launches as a table, and what to make of it. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "diag.h"
#include "rank.h"
#include "shape.h"

size_t tie_group_of(tie_groups *g, const wl_ranked *launch)
{
    if (g->group == 0 || launch->time_s > g->start_s * g->tie) {
        g->group++;
        g->start_s = launch->time_s;
    }
    return g->group;
}

static void number(FILE *out, int width, int digits, double value)
{
    if (isnan(value))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, digits, value);
}

static void line(const ranked_space *s, size_t i, double most_warps, FILE *out)
{
    const wl_ranked *r = &s->launches[i];
    const double items = (double)wl_ranker_launch_items(s->ranker, r->index);
    char block[SHAPE_LENGTH], fold[SHAPE_LENGTH];
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    fprintf(out, "%4zu  %-11s %-6s %3d %4.0f%%", i + 1, shape_text(launch.block, block), shape_text(launch.fold, fold),
            (int)r->blocks_per_sm, 100.0 * (double)r->warps_per_sm / most_warps);
    number(out, 8, 3, r->values[WL_RANK_l1_wavefronts] / items);
    number(out, 7, 1, r->values[WL_RANK_l2_load_bytes] / items);
    number(out, 6, 1, r->values[WL_RANK_l2_store_bytes] / items);
    number(out, 7, 1, r->values[WL_RANK_dram_load_bytes] / items);
    number(out, 6, 1, r->values[WL_RANK_dram_store_bytes] / items);
    fprintf(out, " %#9.4g %#8.4g", 1e3 * r->time_s, 1e-9 * items / r->time_s);
    if (i == 0)
        fprintf(out, " %7s", "");
    else
        fprintf(out, " %+6.1f%%", 100 * (r->time_s / s->best_s - 1));
    if (i + 1 < s->count)
        fprintf(out, " %+6.1f%%", 100 * (s->launches[i + 1].time_s / r->time_s - 1));
    else
        fprintf(out, " %7s", "");
    fprintf(out, "  %s\n", wl_bound_name((wl_bound_id)r->limiter));
}

/* The most warps a multiprocessor of this device can hold; every device has these numbers. */
static double most_warps(const wl_device *device)
{
    double threads = 0, warp = 1;
    (void)wl_device_get(device, WL_DEVICE_max_threads_per_sm, &threads);
    (void)wl_device_get(device, WL_DEVICE_warp_size, &warp);
    return floor(threads / warp);
}

static void table(const ranked_space *s, size_t top, FILE *out)
{
    const double most = most_warps(wl_ranker_device(s->ranker));
    fprintf(out, "%4s  %-11s %-6s %3s %5s %8s %7s %6s %7s %6s %9s %8s %7s %7s\n", "", "", "", "blk", "", "L1 wavef",
            "L2 ld", "L2 st", "DRAM ld", "st", "time", "", "behind", "margin");
    fprintf(out, "%4s  %-11s %-6s %3s %5s %8s %7s %6s %7s %6s %9s %8s %7s %7s  %s\n", "rank", "block", "fold", "/SM",
            "warps", "per LUP", "B/LUP", "B/LUP", "B/LUP", "B/LUP", "ms", "GLUP/s", "best", "to next", "limiter");
    tie_groups groups = {.tie = s->tie};
    for (size_t i = 0, last = 1; i < s->count && i < top; i++) {
        const size_t group = tie_group_of(&groups, &s->launches[i]);
        if (group != last)
            fprintf(out, "%4s  -- slower than the first of the group above by more than the model's error --\n", "");
        last = group;
        line(s, i, most, out);
    }
}

size_t rank_within(const ranked_space *s, double ratio)
{
    size_t n = 0;
    while (n < s->ranking.count && s->launches[n].time_s <= s->best_s * ratio)
        n++;
    return n;
}

static void ties(const ranked_space *s, FILE *out)
{
    const size_t first = rank_within(s, s->tie);
    double ratio;
    if (s->ranking.count == 1)
        fputc('\n', out);
    if (first > 1)
        fprintf(out, "\nThe first %zu are as good as equal: they lie within the error of this model, %.1f %% (%s).\n",
                first, 100 * (s->tie - 1), s->trust.basis);
    else if (s->ranking.count > 1)
        fprintf(out, "\nThe first is ahead of all others by more than the error of this model, %.1f %% (%s).\n",
                100 * (s->tie - 1), s->trust.basis);
    if (s->chosen && s->chance > 0)
        fprintf(out, "To benchmark: these %zu. The true best is among them with a probability of %.0f %%.\n", s->count,
                100 * s->chance);
    else if (s->chosen)
        fprintf(out,
                "To benchmark: these %zu. The validation data does not say how likely the true best is among them.\n",
                s->count);
    else if (wl_trust_ratio(&s->trust, 0.8, &ratio) && rank_within(s, ratio) < s->count)
        fprintf(out, "To have the true best with a probability of 80 %%, benchmark the first %zu (--top-k 80%%).\n",
                rank_within(s, ratio));
}

static void left_out_text(const ranked_space *s, FILE *out)
{
    const int64_t *outcomes = s->ranking.outcomes;
    const char *condition;
    for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++)
        if (s->ranking.conditions[i] > 0)
            fprintf(out, "left out: %lld, %s: %s\n", (long long)s->ranking.conditions[i],
                    wl_outcome_text(WL_OUTCOME_WHERE), condition);
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        if (outcomes[o] > 0 && o != WL_OUTCOME_PREDICTED && o != WL_OUTCOME_WHERE)
            fprintf(out, "%s: %lld, %s\n", wl_outcome_cannot_run((wl_outcome)o) ? "cannot run" : "left out",
                    (long long)outcomes[o], wl_outcome_text((wl_outcome)o));
}

static void notes(const ranked_space *s, FILE *out)
{
    const char *note;
    for (size_t i = 0; (note = wl_ranker_note(s->ranker, i)); i++)
        fprintf(out, "note: %s\n", note);
    if (s->trust.assumed)
        fprintf(out, "note: the error of the model was not measured on this device; that of another is taken\n");
}

void rank_text(const ranked_space *spaces, size_t count, size_t top, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const ranked_space *s = &spaces[i];
        const wl_device *device = wl_ranker_device(s->ranker);
        char domain[SHAPE_LENGTH];
        fprintf(out, "%s%s on %s (%s)%s%s: %lld launch%s predicted%s\n\n", i ? "\n" : "",
                wl_kernel_name(wl_ranker_kernel(s->ranker)), wl_device_name(device), wl_device_title(device),
                s->dims ? ", domain " : "", s->dims ? shape_text(s->domain, domain) : "",
                (long long)s->ranking.outcomes[WL_OUTCOME_PREDICTED],
                s->ranking.outcomes[WL_OUTCOME_PREDICTED] == 1 ? "" : "es", s->ranking.stopped ? " (interrupted)" : "");
        if (s->count == 0)
            continue;
        table(s, top, out);
        ties(s, out);
        left_out_text(s, out);
        notes(s, out);
    }
}

int rank_nothing(const ranked_space *s)
{
    int64_t all = 0;
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        all += s->ranking.outcomes[o];
    if (all == 0)
        usage_error("error: the space is empty: no block or folding is left to try");
    else
        usage_error("error: none of the %lld launches is left to rank on %s:", (long long)all,
                    wl_device_name(wl_ranker_device(s->ranker)));
    left_out_text(s, stderr);
    return EXIT_INPUT;
}
