/* reasons.c - why one prediction is slower than another, in sentences. Every number in them comes
 * from the predictions.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/units.h"
#include "judge/difference.h"

#define NUMBER_LENGTH 40

/* The difference as seen from the slower side. */
typedef struct story {
    wl_diff *diff;
    const wl_prediction *slow, *fast;
    const char *slow_name, *fast_name;
} story;

static void say(wl_diff *d, const char *format, ...) WL_PRINTF(2, 3);
static void say(wl_diff *d, const char *format, ...)
{
    va_list args;
    if (d->reason_count == WL_REASONS_MAX)
        return;
    va_start(args, format);
    (void)wl_print_list(d->reasons[d->reason_count++], WL_REASON_LENGTH, format, args);
    va_end(args);
}

/* Time of the launch, or per unit of work if the launches differ in work. */
static const char *seconds(const story *s, const wl_prediction *p, double value, char *text)
{
    if (s->diff->same_work)
        (void)wl_print(text, NUMBER_LENGTH, "%s", wl_quantity(WL_DIM_TIME, value).text);
    else
        (void)wl_print(text, NUMBER_LENGTH, "%.4g ps per %s", 1e12 * value / (double)p->items,
                       wl_diff_unit(s->diff)->one);
    return text;
}

static double bound_ratio(const story *s, wl_bound_id bound)
{
    return s->fast->model.bound_s[bound] / (double)s->fast->items /
           (s->slow->model.bound_s[bound] / (double)s->slow->items);
}

/* "l1 (L1 data stage) is 1.2 ms of its 1.5 ms; in B it is 0.6 ms, 0.5 times as much" */
static void say_limiter(const story *s)
{
    const wl_model_result *m = &s->slow->model, *f = &s->fast->model;
    char bound[NUMBER_LENGTH], time[NUMBER_LENGTH], other[NUMBER_LENGTH];
    seconds(s, s->slow, m->bound_s[m->limiter], bound);
    seconds(s, s->slow, m->time_s, time);
    if (!f->bound_known[m->limiter]) {
        say(s->diff, "%s is limited by %s (%s): %s of its %s. %s has no such bound.", s->slow_name,
            wl_bound_name(m->limiter), wl_bound_meaning(m->limiter), bound, time, s->fast_name);
        return;
    }
    seconds(s, s->fast, f->bound_s[m->limiter], other);
    say(s->diff, "%s is limited by %s (%s): %s of its %s. In %s that bound is %s, %.3g times as much.", s->slow_name,
        wl_bound_name(m->limiter), wl_bound_meaning(m->limiter), bound, time, s->fast_name, other,
        bound_ratio(s, m->limiter));
}

static void say_other_bound(const story *s)
{
    const wl_bound_id b = s->diff->cause.bound;
    char slow[NUMBER_LENGTH], fast[NUMBER_LENGTH];
    seconds(s, s->slow, s->slow->model.bound_s[b], slow);
    seconds(s, s->fast, s->fast->model.bound_s[b], fast);
    if (b == s->slow->model.limiter)
        say(s->diff, "That is %.0f %% of the difference, and no other bound explains more.",
            100 * s->diff->cause.share);
    else
        say(s->diff,
            "That does not explain the difference. The bound that differs most is %s (%s): %s in %s, %s in %s.",
            wl_bound_name(b), wl_bound_meaning(b), slow, s->slow_name, fast, s->fast_name);
}

static bool same_device(const wl_diff *d) { return strcmp(d->a.device, d->b.device) == 0; }

/* The part per unit of work; negligible values count as 0. */
static double part_rate(const wl_prediction *p, wl_metric m, const char *name)
{
    const double part = wl_value_part(&p->metrics[m], name);
    return fabs(part) < 1e-6 * p->metrics[m].value ? 0 : wl_diff_rate(p, m, part);
}

/* "dram_load_bytes is 11.9 B per cell in A and 8.2 B in B (0.69 times), mostly by capacity (3.1
 * -> 0.2)" */
static void say_metric(const story *s)
{
    const wl_diff_cause *c = &s->diff->cause;
    const wl_metric m = c->metric;
    const double slow = wl_diff_rate(s->slow, m, s->slow->metrics[m].value);
    const double fast = wl_diff_rate(s->fast, m, s->fast->metrics[m].value);
    const char *unit = wl_metric_unit(m)[0] == 'b' ? " B" : "";
    char part[96] = "", against[112] = "", each[16] = "";
    if (c->part)
        (void)wl_print(part, sizeof part, ", by its part %s (%.4g and %.4g)", c->part, part_rate(s->slow, m, c->part),
                       part_rate(s->fast, m, c->part));
    if (c->part && c->against)
        (void)wl_print(against, sizeof against, "; %s has the opposite effect (%.4g and %.4g)", c->against,
                       part_rate(s->slow, m, c->against), part_rate(s->fast, m, c->against));
    if (wl_metric_scope(m) == WL_SCOPE_LAUNCH)
        (void)snprintf(each, sizeof each, " per %s", wl_diff_unit(s->diff)->one);
    say(s->diff, "Behind %s is %s: %.4g%s%s in %s, %.4g%s in %s, %.3g times as much%s%s.%s", wl_bound_name(c->bound),
        wl_metric_name(m), slow, unit, each, s->slow_name, fast, unit, s->fast_name, fast / slow, part, against,
        c->metric_share >= 0.5 ? ""
        : same_device(s->diff) ? " That explains a part of it; the rest is how the data is requested."
                               : " That explains a part of it; the rest is how the data is requested, and the device.");
}

/* The causes of bounds that have no metrics. */
static void say_launch(const story *s)
{
    const wl_prediction *a = s->slow, *b = s->fast;
    if (s->diff->cause.bound == WL_BOUND_LATENCY)
        say(s->diff,
            "It is the wait of a block times the number of waves: %.0f cycles and %.4g waves in %s (blocks per %s: "
            "%lld), %.0f cycles and %.4g waves in %s (%lld).",
            a->model.wait_cycles, a->waves, s->slow_name, wl_diff_sm_word(s->diff),
            (long long)a->occupancy.blocks_per_sm, b->model.wait_cycles, b->waves, s->fast_name,
            (long long)b->occupancy.blocks_per_sm);
    else if (s->diff->cause.bound == WL_BOUND_LAUNCH)
        say(s->diff, "It is the number of blocks: %lld in %s, %lld in %s.", (long long)a->blocks, s->slow_name,
            (long long)b->blocks, s->fast_name);
}

static void say_no_metric(const story *s)
{
    const wl_bound_id bound = s->diff->cause.bound;
    char names[160] = "";
    size_t used = 0;
    wl_metric m = WL_METRIC_COUNT;
    for (size_t i = 0; wl_bound_metric(bound, i, &m); i++) {
        if (!s->slow->metrics[m].known || !s->fast->metrics[m].known)
            continue;
        const int n = snprintf(names + used, sizeof names - used, "%s%s", used ? " or " : "", wl_metric_name(m));
        used = n > 0 && used + (size_t)n < sizeof names ? used + (size_t)n : used;
    }
    if (used > 0)
        say(s->diff, "There is hardly more of %s: what differs is how it is requested%s.", names,
            same_device(s->diff) ? "" : ", or the device");
    else if (wl_bound_metric(bound, 0, &m))
        say(s->diff, "The metric behind it (%s) is not known on both sides.", wl_metric_name(m));
    else
        say_launch(s);
}

static void say_no_bound(const story *s)
{
    const wl_model_result *m = &s->slow->model, *f = &s->fast->model;
    if (m->own_cycles > 0 && f->own_cycles > 0)
        say(s->diff,
            "No bound explains the difference: blocks hide less of each other's latency. In %s a block works %.0f "
            "cycles and "
            "waits %.0f, with %lld per %s; in %s it works %.0f and waits %.0f, with %lld.",
            s->slow_name, m->own_cycles, m->wait_cycles, (long long)s->slow->occupancy.blocks_per_sm,
            wl_diff_sm_word(s->diff), s->fast_name, f->own_cycles, f->wait_cycles,
            (long long)s->fast->occupancy.blocks_per_sm);
    else
        say(s->diff, "No single bound explains the difference.");
}

static void say_equal(const story *s)
{
    const wl_diff *d = s->diff;
    const double apart = fmax(d->speedup, 1 / d->speedup) - 1;
    if (apart < 1e-9)
        say(s->diff, "The two are predicted to take the same time.");
    else
        say(s->diff, "The two are a tie: %.1f %% is within the error of the model.", 100 * apart);
    if (s->slow->model.limiter == s->fast->model.limiter)
        say(s->diff, "Both are limited by %s (%s).", wl_bound_name(s->slow->model.limiter),
            wl_bound_meaning(s->slow->model.limiter));
    else
        say(s->diff, "%s is limited by %s (%s), %s by %s (%s).", s->slow_name, wl_bound_name(s->slow->model.limiter),
            wl_bound_meaning(s->slow->model.limiter), s->fast_name, wl_bound_name(s->fast->model.limiter),
            wl_bound_meaning(s->fast->model.limiter));
}

static void say_next(const story *s)
{
    const wl_model_result *f = &s->fast->model;
    char bound[NUMBER_LENGTH], time[NUMBER_LENGTH];
    if (f->limiter == s->slow->model.limiter)
        return;
    say(s->diff, "%s is limited by %s (%s): %s of its %s.", s->fast_name, wl_bound_name(f->limiter),
        wl_bound_meaning(f->limiter), seconds(s, s->fast, f->bound_s[f->limiter], bound),
        seconds(s, s->fast, f->time_s, time));
}

void wl_diff_explain(wl_diff *d)
{
    const story s = d->b_faster ? (story){d, d->a.prediction, d->b.prediction, "A", "B"}
                                : (story){d, d->b.prediction, d->a.prediction, "B", "A"};
    d->reason_count = 0;
    if (d->equal) {
        say_equal(&s);
        return;
    }
    say_limiter(&s);
    if (!d->cause.bound_known) {
        say_no_bound(&s);
    } else {
        if (!d->cause.limits)
            say_other_bound(&s);
        if (d->cause.metric_known)
            say_metric(&s);
        else
            say_no_metric(&s);
    }
    say_next(&s);
}
