/* fit_text.c - a fit for people: the numbers, how well they predict, how far rankings can be
 * trusted.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/fit_internal.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "model/trust_level.h"

static bool is_wanted(const wl_fit *all, int target)
{
    bool any = false;
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        any = any || all->targets[t];
    return !any || all->targets[target];
}

static void add_numbers(const wl_fit *all, wl_buffer *out)
{
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        if (!is_wanted(all, t))
            continue;
        wl_buffer_add(out, "\n%s: %zu launches, mean error %.1f %% (families weigh alike; before: %.1f %%)\n",
                      wl_fit_target_name((wl_fit_target)t), all->result.used[t], 100 * all->result.after[t],
                      100 * all->result.before[t]);
        wl_buffer_add(out, "  %-26s %12s %12s %8s\n", "number", "start", "fitted", "+-");
        for (size_t i = 0; i < all->result.number_count; i++) {
            const wl_fit_number *n = &all->result.numbers[i];
            char name[64];
            if ((int)n->target != t)
                continue;
            const bool list = wl_device_list_length(all->device, n->key) > 1;
            snprintf(name, sizeof name, list ? "%s[%zu]" : "%s", wl_device_key_name(n->key), n->index);
            wl_buffer_add(out, "  %-26s %12.4g %12.4g", name, n->start, n->fitted);
            if (n->deviation > 0)
                wl_buffer_add(out, " %7.1f%%\n", 100 * n->deviation);
            else
                wl_buffer_add(out, " %8s\n", "-"); /* no launch decides it */
        }
    }
}

static void add_score(const wl_fit_score *s, int t, wl_buffer *out)
{
    if (s->count[t] == 0)
        wl_buffer_add(out, "%16s", "-");
    else
        wl_buffer_add(out, "  %6.1f%% %+5.1f%%", 100 * s->error[t], 100 * s->bias[t]);
}

static void add_scores(const wl_fit *all, wl_buffer *out)
{
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++) {
        if (!is_wanted(all, t))
            continue;
        wl_buffer_add(out, "\n%-18s %5s  %14s  %14s%s\n", wl_fit_target_name((wl_fit_target)t), "n", "before   bias",
                      "fitted   bias", all->options.cross_validate ? "   left out   bias" : "");
        for (size_t f = 0; f < all->family_count; f++) {
            if (all->after[f].count[t] == 0)
                continue;
            wl_buffer_add(out, "  %-16s %5zu", all->families[f], all->after[f].count[t]);
            add_score(&all->before[f], t, out);
            add_score(&all->after[f], t, out);
            if (all->options.cross_validate)
                add_score(&all->left_out[f], t, out);
            wl_buffer_text(out, "\n");
        }
    }
}

/* Of the contests of one family: how many, the largest ratio, the mean error. False when there are
 * none. */
static bool sum_up(const wl_contest_list *list, const char *family, size_t *count, double *ratio, double *error)
{
    *count = 0;
    *ratio = *error = 0;
    for (size_t i = 0; i < list->count; i++) {
        const wl_contest *c = &list->contests[i];
        if (strcmp(c->family, family) != 0)
            continue;
        ++*count;
        *ratio = fmax(*ratio, c->ratio);
        *error += c->error;
    }
    *error = exp(*error / fmax(1, (double)*count));
    return *count > 0;
}

static void add_ranking(const wl_fit *all, size_t r, wl_buffer *out)
{
    const wl_ranking_fit *k = &all->rankings[r];
    wl_buffer_text(out, "\n");
    wl_line(out, 2, "ranking by %s: %zu searches over %zu kernel families, %zu launches (%zu to %zu each); ",
            wl_model_name(k->model), k->contests, k->families, k->launches, k->smallest, k->largest);
    wl_buffer_add(out, "closer than a factor of %.3f is a tie\n", k->error);
    wl_buffer_add(out, "  %-26s %8s %8s %9s\n", "the fastest is inside with", "ratio", "launches", "left out");
    for (size_t i = 0; i < k->level_count; i++) {
        wl_buffer_add(out, "  %24.0f %% %8.3f %7.0f%%", 100 * wl_trust_level(i), k->ratio[i], 100 * k->within[i]);
        if (i < k->covered_count)
            wl_buffer_add(out, " %8.0f%%\n", 100 * k->coverage[i]);
        else
            wl_buffer_add(out, " %9s\n", "-");
    }
    wl_buffer_add(out, "  %-20s %8s %13s %8s\n", "family", "searches", "largest ratio", "error");
    for (size_t f = 0; f < all->family_count; f++) {
        size_t count;
        double ratio, error;
        if (sum_up(&all->contests[r], all->families[f], &count, &ratio, &error))
            wl_buffer_add(out, "  %-20s %8zu %13.3f %8.3f\n", all->families[f], count, ratio, error);
    }
}

void wl_fit_text(const void *result, wl_buffer *out)
{
    const wl_fit_report *of = result;
    const wl_fit *all = of->fit;
    wl_buffer_add(out, "%s, %zu launches of %zu families\n", of->origin, all->count, all->family_count);
    if (all->options.fits) {
        add_numbers(all, out);
        add_scores(all, out);
    }
    for (size_t r = 0; r < all->ranking_count; r++)
        add_ranking(all, r, out);
}
