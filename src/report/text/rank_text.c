/* rank_text.c - the best launches as a table, and how to use it.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/rank_report.h"
#include "report/common/words.h"
#include "search/ranker.h"

#define SCHEDULE_WIDTH 12

/* The columns behind those of the launch. */
enum { PLACES = 9 };
static const wl_cell_place places[PLACES] = {{8, true},  {7, true},  {6, true},  {7, false}, {6, true},
                                             {9, false}, {8, false}, {7, false}, {7, true}};

/* Empty if all launches are linear. */
static void schedule_cell(const wl_ranked_space *s, const wl_launch *launch, wl_buffer *out)
{
    if (!wl_ranker_has_schedules(s->ranker))
        return;
    wl_buffer_add(out, "%-*s ", SCHEDULE_WIDTH, wl_schedule_words(&launch->schedule).text);
}

static void line(const wl_ranked_space *s, size_t i, double most_warps, wl_buffer *out)
{
    const wl_ranked *r = &s->launches[i];
    const double items = (double)wl_ranker_launch_items(s->ranker, r->index);
    const double next = i + 1 < s->count ? s->launches[i + 1].time_s : 0;
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    wl_mark_if(out, i == 0, WL_MARK_BEST);
    wl_buffer_add(out, "%4zu  %-11s %-6s ", i + 1, wl_shape_text(launch.block).text, wl_shape_text(launch.fold).text);
    schedule_cell(s, &launch, out);
    wl_buffer_add(out, "%3d %4.0f%%", (int)r->blocks_per_sm, 100.0 * (double)r->warps_per_sm / most_warps);
    wl_cells(out, places, PLACES,
             (const char *[]){wl_cell_number("%.3f", r->values[WL_RANK_l1_wavefronts] / items).text,
                              wl_cell_number("%.1f", r->values[WL_RANK_l2_load_bytes] / items).text,
                              wl_cell_number("%.1f", r->values[WL_RANK_l2_store_bytes] / items).text,
                              wl_cell_number("%.1f", r->values[WL_RANK_dram_load_bytes] / items).text,
                              wl_cell_number("%.1f", r->values[WL_RANK_dram_store_bytes] / items).text,
                              wl_cell_number("%#.4g", 1e3 * r->time_s).text,
                              wl_cell_number("%#.4g", 1e-9 * items / r->time_s).text,
                              i > 0 ? wl_cell_number("%+.1f%%", 100 * (r->time_s / s->best_s - 1)).text : "",
                              next > 0 ? wl_cell_number("%+.1f%%", 100 * (next / r->time_s - 1)).text : ""});
    wl_buffer_add(out, "  %s", wl_bound_name((wl_bound_id)r->limiter));
    wl_mark_if(out, i == 0, WL_MARK_END);
    wl_buffer_text(out, "\n");
}

/* The most warps a multiprocessor of this device can hold; every device has these numbers. */
static double most_warps(const wl_device *device)
{
    const double threads = wl_device_or(device, WL_DEVICE_max_threads_per_sm, 0);
    const double warp = wl_device_or(device, WL_DEVICE_warp_size, 1);
    return floor(threads / warp);
}

static void table(const wl_ranked_space *s, size_t top, wl_buffer *out)
{
    const double most = most_warps(wl_ranker_device(s->ranker));
    const int wide = wl_ranker_has_schedules(s->ranker) ? SCHEDULE_WIDTH + 1 : 0;
    const wl_unit_heads h = wl_unit_heads_of(wl_kernel_work_unit(wl_ranker_kernel(s->ranker)));
    wl_buffer_add(out, "%4s  %-11s %-6s %*s%3s %5s", "", "", "", wide, "", "blk", "");
    wl_cells(out, places, PLACES,
             (const char *[]){"L1 wavef", "L2 ld", "L2 st", "DRAM ld", "st", "time", "", "behind", "margin"});
    wl_buffer_add(out, "\n%4s  %-11s %-6s %-*s/%2s %5s", "rank", "block", "fold", wide, wide ? "schedule" : "",
                  wl_device_sm_word(wl_ranker_device(s->ranker)), "warps");
    wl_cells(out, places, PLACES,
             (const char *[]){h.per, h.bytes, h.bytes, h.bytes, h.bytes, "ms", h.rate, "best", "to next"});
    wl_buffer_text(out, "  limiter\n");
    wl_tie_groups groups = {.tie = s->tie};
    for (size_t i = 0, last = 1; i < s->count && i < top; i++) {
        const size_t group = wl_tie_group_of(&groups, &s->launches[i]);
        if (group != last)
            wl_line(out, 9, "%4s  -- slower than the first of the group above by more than the model's error --\n", "");
        last = group;
        line(s, i, most, out);
    }
}

static void ties(const wl_ranked_space *s, wl_buffer *out)
{
    const size_t first = wl_rank_within(s, s->tie);
    double ratio;
    wl_buffer_text(out, "\n");
    if (first > 1)
        wl_line(out, 2, "The first %zu are a tie: they are within the error of this model, %.1f %% (%s).\n", first,
                100 * (s->tie - 1), s->trust.basis);
    else if (s->ranking.count > 1)
        wl_line(out, 2, "The first is faster than all others by more than the error of this model, %.1f %% (%s).\n",
                100 * (s->tie - 1), s->trust.basis);
    if (s->chosen && s->chance > 0)
        wl_line(out, 2, "To benchmark: these %zu. The true best is among them with a probability of %.0f %%.\n",
                s->count, 100 * s->chance);
    else if (s->chosen)
        wl_line(out, 2, "To benchmark: these %zu. How likely the true best is among them is not known.\n", s->count);
    else if (wl_trust_ratio(&s->trust, 0.8, &ratio) && wl_rank_within(s, ratio) == 1 && s->count > 1)
        wl_line(out, 2, "The first is the true best with a probability of 80 %% or more.\n");
    else if (wl_trust_ratio(&s->trust, 0.8, &ratio) && wl_rank_within(s, ratio) < s->count)
        wl_line(out, 2, "To find the true best with a probability of 80 %%, benchmark the first %zu (--top-k 80%%).\n",
                wl_rank_within(s, ratio));
}

static void left_out_text(const wl_ranked_space *s, wl_buffer *out)
{
    const int64_t *outcomes = s->ranking.outcomes;
    const char *condition;
    for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++)
        if (s->ranking.conditions[i] > 0)
            wl_line(out, 2, "left out: %lld, %s: %s\n", (long long)s->ranking.conditions[i],
                    wl_outcome_text(WL_OUTCOME_WHERE), condition);
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        if (outcomes[o] > 0 && o != WL_OUTCOME_PREDICTED && o != WL_OUTCOME_WHERE)
            wl_line(out, 2, "%s: %lld, %s\n", wl_outcome_cannot_run((wl_outcome)o) ? "cannot run" : "left out",
                    (long long)outcomes[o], wl_outcome_text((wl_outcome)o));
}

static void notes(const wl_ranked_space *s, wl_buffer *out)
{
    const char *note;
    for (size_t i = 0; (note = wl_ranker_note(s->ranker, i)); i++)
        wl_note_line(out, "", "%s", note);
    if (s->trust.assumed)
        wl_note_line(out, "", "the error of the model was not measured on this device; that of another device is used");
}

static void add_spaces(const wl_ranked_space *spaces, size_t count, size_t top, wl_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const wl_ranked_space *s = &spaces[i];
        const wl_device *device = wl_ranker_device(s->ranker);
        const wl_kernel *kernel = wl_ranker_kernel(s->ranker);
        wl_buffer_text(out, i ? "\n" : "");
        const char *gap;
        for (size_t g = 0; (gap = wl_kernel_gap(kernel, g)); g++)
            wl_gap_line(gap, out);
        wl_mark_line(out, 2);
        wl_kernel_headline(out, kernel, device);
        wl_buffer_add(out, "%s%s", s->dims ? ", domain " : "", s->dims ? wl_shape_text(s->domain).text : "");
        wl_unit_explain(", ", wl_kernel_work_unit(kernel), wl_ranker_items(s->ranker), out);
        wl_buffer_add(out, ": %lld launch%s predicted%s\n\n", (long long)s->ranking.outcomes[WL_OUTCOME_PREDICTED],
                      s->ranking.outcomes[WL_OUTCOME_PREDICTED] == 1 ? "" : "es",
                      s->ranking.stopped ? " (interrupted)" : "");
        if (s->count == 0)
            continue;
        table(s, top, out);
        ties(s, out);
        left_out_text(s, out);
        notes(s, out);
    }
}

wl_status wl_rank_text(const wl_ranked_space *spaces, size_t count, size_t top, wl_format format, char **out,
                       wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    add_spaces(spaces, count, top, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_rank_left_out(const wl_ranked_space *space, char **out, wl_error *err)
{
    wl_buffer text = {0};
    left_out_text(space, &text);
    return wl_buffer_take(&text, out, err);
}
