/* choice_words.c - see choice_words.h. SPDX-License-Identifier: MIT */
#include "report/common/choice_words.h"

#include <math.h>

#include "base/print.h"
#include "kernel/kernel_internal.h"

#define PERCENT 100.0
/* volumes within this ratio of the least count as the least: the uncertainty of enumerated waves */
#define AS_LITTLE 1.05

wl_schedule_name wl_choice_name(const wl_choice *choice, const wl_kernel *kernel, size_t row)
{
    const wl_schedule *s = &choice->rows[row].launch.schedule;
    if (s->kind != WL_SCHEDULE_LINEAR && !wl_schedule_orders_blocks(s) &&
        wl_schedule_is_linear(s, wl_kernel_extent(kernel)))
        return (wl_schedule_name){"linear 1-D"};
    return wl_schedule_words(s);
}

void wl_choice_columns(wl_row *out, const wl_choice_report *r, size_t row, const wl_metric *metrics, size_t count)
{
    const wl_prediction *p = &r->choice->rows[row];
    double hits;
    if (out->csv)
        wl_row_add(out, "kernel:s device:s", wl_kernel_name(r->kernel), wl_device_name(r->device));
    wl_row_add(out, "schedule:w block:x", wl_schedule_words(&p->launch.schedule).text, p->launch.block);
    if (out->json)
        wl_row_add(out, "grid:x", p->launch.grid);
    wl_row_add(out, "time_s:r gain:r limiter:w next_limiter:w", p->model.time_s, wl_choice_gain(r->choice, row),
               wl_bound_name(p->model.limiter), wl_bound_name(p->model.next));
    if (out->csv)
        wl_row_add(out, "recommended:w", row == wl_choice_best(r->choice) ? "yes" : "no");
    wl_row_add(out, "l1_hit_rate:r? metrics:{", wl_l1_hit_rate(p, r->device, &hits) ? hits : NAN);
    for (size_t m = 0; m < count; m++)
        wl_row_number(out, wl_metric_name(metrics[m]),
                      p->metrics[metrics[m]].known ? p->metrics[metrics[m]].value : NAN);
    wl_row_add(out, "}");
}

/* ---- what to use ---- */

static void say_gain(const wl_choice *c, const wl_kernel *kernel, char *out)
{
    const wl_schedule_name name = wl_choice_name(c, kernel, c->fastest);
    const double gain = wl_choice_gain(c, c->fastest), least = PERCENT * c->least_gain;
    if (wl_choice_best(c))
        (void)wl_print(out, WL_CHOICE_LENGTH, "recommended: %s, which takes %.1f %% less time than linear", name.text,
                       PERCENT * gain);
    else if (gain > 0)
        (void)wl_print(out, WL_CHOICE_LENGTH,
                       "measure both: %s, the fastest, takes %.1f %% less time than linear; the model does not tell "
                       "less than %.1f %% from nothing",
                       name.text, PERCENT * gain, least);
    else
        (void)wl_print(out, WL_CHOICE_LENGTH,
                       "no gain here: linear is the fastest; %s is next, with %.1f %% more time%s", name.text,
                       -PERCENT * gain, -gain < c->least_gain ? ", a tie" : "");
}

/* ---- why ---- */

static size_t least_row(const wl_choice *c, wl_metric metric)
{
    size_t least = 0;
    for (size_t i = 1; i < c->count; i++)
        if (c->rows[i].metrics[metric].known && c->rows[i].metrics[metric].value < c->rows[least].metrics[metric].value)
            least = i;
    return least;
}

/* "L2-L1 loads: already the least, 8.04 B per cell" */
static int say_volume(const wl_choice *c, const wl_kernel *kernel, wl_metric metric, const char *what, char *out)
{
    const wl_value *linear = &c->rows[0].metrics[metric];
    const double items = (double)c->rows[0].items;
    const char *unit = wl_work_unit_words(c->rows[0].work_unit)->one;
    const size_t row = least_row(c, metric), shown = wl_choice_best(c) ? wl_choice_best(c) : row;
    if (!linear->known || items <= 0)
        return 0;
    if (linear->value <= AS_LITTLE * c->rows[row].metrics[metric].value)
        (void)wl_print(out, WL_CHOICE_LENGTH, "%s: linear already has the least of all, %.4g B per %s", what,
                       linear->value / items, unit);
    else
        (void)wl_print(out, WL_CHOICE_LENGTH, "%s: linear %.4g B per %s, %s %.4g%s", what, linear->value / items, unit,
                       wl_choice_name(c, kernel, shown).text, c->rows[shown].metrics[metric].value / items,
                       shown == row ? ", the least" : "");
    return 1;
}

static void say_limits(const wl_choice *c, const wl_kernel *kernel, char *out)
{
    const wl_model_result *linear = &c->rows[0].model, *other = &c->rows[c->fastest].model;
    if (linear->limiter == other->limiter && linear->next == other->next)
        (void)wl_print(out, WL_CHOICE_LENGTH, "limits: linear and %s both %s, then %s",
                       wl_choice_name(c, kernel, c->fastest).text, wl_bound_name(linear->limiter),
                       wl_bound_name(linear->next));
    else
        (void)wl_print(out, WL_CHOICE_LENGTH, "limits: linear %s, then %s; %s %s, then %s",
                       wl_bound_name(linear->limiter), wl_bound_name(linear->next),
                       wl_choice_name(c, kernel, c->fastest).text, wl_bound_name(other->limiter),
                       wl_bound_name(other->next));
}

int wl_choice_words(const wl_choice *c, const wl_kernel *kernel, char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH])
{
    int n = 0;
    if (c->fastest == 0) {
        (void)wl_print(words[n++], WL_CHOICE_LENGTH, "no gain here: no other order is left to try");
        return n;
    }
    say_gain(c, kernel, words[n++]);
    n += say_volume(c, kernel, WL_METRIC_l2_load_bytes, "L2-L1 loads", words[n]);
    n += say_volume(c, kernel, WL_METRIC_dram_load_bytes, "DRAM loads", words[n]);
    say_limits(c, kernel, words[n++]);
    return n;
}
