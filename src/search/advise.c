/* advise.c - tries changes to a launch, one by one and together. SPDX-License-Identifier: MIT */
#include "search/advised.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/find_causes.h"
#include "search/changes.h"
#include "kernel/kernel_internal.h"

/* a change that takes more effort is suggested if its time is at most this share of the easier
 * one's */
#define EASIER 0.995
#define ADVICE_MOST 5   /* causes and changes listed at most, in all */
#define NOTEWORTHY 0.01 /* smaller changes of a value are not reported */

/* A setting and its prediction. */
typedef struct trial {
    wl_setting setting;
    wl_prediction p;
} trial;

/* ---- predicting settings ---- */

/* Clears what a prediction borrows from its predictor, which is about to be freed. */
static void drop_borrowed(wl_prediction *p)
{
    p->kernel = NULL;
    p->fields = p->accesses = NULL;
    p->replayed = NULL;
    p->lines = NULL;
    p->line_count = 0;
}

static wl_status predict_kernel(const wl_study *s, const wl_kernel *kernel, const wl_launch *launch, wl_prediction *out,
                                wl_error *err)
{
    wl_predictor *predictor = NULL;
    WL_TRY(wl_predictor_new(kernel, s->device, &predictor, err));
    const wl_status status = wl_predict(predictor, launch, &s->options.predict, out, err);
    wl_predictor_free(predictor);
    drop_borrowed(out);
    return status;
}

/* The kernel with this layout: the one given, or a variant owned by *owned. */
static wl_status kernel_of(const wl_study *s, const wl_layout *layout, const wl_kernel **kernel, wl_kernel **owned,
                           wl_error *err)
{
    *owned = NULL;
    if (!wl_layout_is_plain(layout))
        WL_TRY(wl_kernel_with_layout(s->kernel, layout, owned, err));
    *kernel = *owned ? *owned : s->kernel;
    return WL_OK;
}

static wl_status predict_setting(const wl_study *s, const wl_setting *setting, wl_prediction *out, wl_error *err)
{
    const wl_kernel *kernel;
    wl_kernel *owned;
    WL_TRY(kernel_of(s, &setting->layout, &kernel, &owned, err));
    const wl_status status = predict_kernel(s, kernel, &setting->launch, out, err);
    wl_kernel_free(owned);
    return status;
}

/* ---- the best setting one change away ---- */

/* WL_OK with *found false if there is no such launch, or none that can be predicted. */
static wl_status search_block(const wl_study *s, const trial *from, bool same_fold, wl_setting *out, bool *found,
                              wl_error *err)
{
    const wl_kernel *kernel;
    wl_kernel *owned;
    *found = false;
    *out = from->setting;
    if (!wl_block_is_free(s->kernel, &from->setting.launch))
        return WL_OK;
    WL_TRY(kernel_of(s, &from->setting.layout, &kernel, &owned, err));
    const wl_status status =
        wl_fastest_block(s, kernel, s->device, &from->setting.launch, same_fold, &out->launch, found, err);
    wl_kernel_free(owned);
    return status;
}

static bool same_fields(const wl_kernel *a, const wl_kernel *b)
{
    for (size_t f = 0; f < wl_kernel_field_count(a); f++) {
        int64_t x[WL_FIELD_DIMS_MAX], y[WL_FIELD_DIMS_MAX], x_origin, y_origin;
        (void)wl_kernel_field_layout(a, f, x, &x_origin);
        (void)wl_kernel_field_layout(b, f, y, &y_origin);
        if (x_origin != y_origin || memcmp(x, y, sizeof x) != 0)
            return false;
    }
    return true;
}

/* Does the setting change anything? Fields that are aligned already, or have no rows, stay as they
 * are. */
static wl_status is_another(const wl_study *s, const wl_setting *from, const wl_setting *to, bool *another,
                            wl_error *err)
{
    const wl_kernel *a, *b;
    wl_kernel *owned_a, *owned_b;
    *another = true;
    if (memcmp(&from->layout, &to->layout, sizeof from->layout) == 0)
        return WL_OK;
    WL_TRY(kernel_of(s, &from->layout, &a, &owned_a, err));
    const wl_status status = kernel_of(s, &to->layout, &b, &owned_b, err);
    if (status == WL_OK)
        *another = !same_fields(a, b);
    wl_kernel_free(owned_a);
    wl_kernel_free(owned_b);
    return status;
}

static bool is_searched(wl_change change) { return change == WL_CHANGE_BLOCK || change == WL_CHANGE_FOLD; }

static wl_status best_change(const wl_study *s, wl_change change, const trial *from, trial *best, wl_error *err)
{
    wl_setting settings[WL_SETTINGS_MAX];
    bool found = false;
    size_t count = 0;
    *best = *from;
    if (is_searched(change)) {
        WL_TRY(search_block(s, from, change == WL_CHANGE_BLOCK, &settings[0], &found, err));
        count = found;
    } else {
        count = wl_settings_of(s, change, &from->setting, &from->p, settings);
    }
    for (size_t i = 0; i < count; i++) {
        wl_prediction p;
        wl_error own = {0};
        bool another = false;
        wl_status status = is_another(s, &from->setting, &settings[i], &another, &own);
        if (status == WL_OK && another)
            status = predict_setting(s, &settings[i], &p, &own);
        if (status == WL_E_NOMEM)
            return wl_fail(err, status, WL_NOWHERE, "%s", own.message);
        if (status == WL_OK && another && p.model.time_s < EASIER * best->p.model.time_s) {
            best->setting = settings[i];
            best->p = p;
        }
    }
    return WL_OK;
}

/* ---- what moved ---- */

/* How much a bound explains a change: its reduction; the old limiter comes before all others. */
static double relief(const wl_prediction *before, const wl_prediction *after, wl_bound_id bound)
{
    const double was = before->model.bound_s[bound], fall = was - after->model.bound_s[bound];
    if (!before->model.bound_known[bound] || fall < NOTEWORTHY * was)
        return 0;
    return bound == before->model.limiter ? INFINITY : fall;
}

/* The metric behind a bound that fell most. A bound without metrics is about latency hiding: more
 * resident blocks, or fewer blocks. */
static wl_moved behind(wl_bound_id bound, const wl_prediction *before, const wl_prediction *after)
{
    wl_moved moved = {0};
    wl_metric m;
    double most = NOTEWORTHY;
    size_t i = 0;
    for (; wl_bound_metric(bound, i, &m); i++) {
        const wl_value *a = &before->metrics[m], *b = &after->metrics[m];
        const double fall = a->known && b->known && a->value > 0 ? 1 - b->value / a->value : 0;
        if (fall <= most)
            continue;
        most = fall;
        moved = (wl_moved){wl_metric_name(m), wl_metric_unit(m), true, a->value / (double)before->items,
                           b->value / (double)after->items};
    }
    if (i > 0)
        return moved;
    const double warps = (double)before->occupancy.warps_per_sm, warps_after = (double)after->occupancy.warps_per_sm;
    if (warps_after > warps)
        return (wl_moved){"warps_per_sm", "", false, warps, warps_after};
    if (after->blocks < before->blocks)
        return (wl_moved){"blocks", "", false, (double)before->blocks, (double)after->blocks};
    return moved;
}

static wl_moved moved_of(const wl_prediction *before, const wl_prediction *after)
{
    double left[WL_BOUND_COUNT];
    wl_moved moved = {0};
    for (int b = 0; b < WL_BOUND_COUNT; b++)
        left[b] = relief(before, after, (wl_bound_id)b);
    for (int round = 0; round < WL_BOUND_COUNT && !moved.name; round++) {
        int most = 0;
        for (int b = 1; b < WL_BOUND_COUNT; b++)
            most = left[b] > left[most] ? b : most;
        if (left[most] <= 0)
            break;
        left[most] = 0;
        moved = behind((wl_bound_id)most, before, after);
    }
    return moved;
}

/* ---- combining ---- */

static wl_advice advice_of(const trial *given, const trial *t, uint32_t changes)
{
    wl_advice a = {.changes = changes, .launch = t->p.launch, .layout = t->setting.layout};
    memcpy(a.launch.grid, t->setting.launch.grid, sizeof a.launch.grid);
    a.time_s = t->p.model.time_s;
    a.gain = 1 - t->p.model.time_s / given->p.model.time_s;
    a.limiter = t->p.model.limiter;
    a.next = t->p.model.next;
    a.blocks_per_sm = t->p.occupancy.blocks_per_sm;
    a.moved = moved_of(&given->p, &t->p);
    return a;
}

static int by_gain(const void *a, const void *b)
{
    const wl_advice *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return x->changes < y->changes ? -1 : x->changes > y->changes;
}

/* Tries every change on `from`; the best one replaces *next, and *which becomes its kind. On entry
 * *which is the change that led to `from`: the fastest block need not be searched twice in a
 * row. */
static wl_status try_all(const wl_study *s, const trial *given, const trial *from, wl_advice all[WL_CHANGE_COUNT],
                         trial *next, wl_change *which, wl_error *err)
{
    const bool searched = is_searched(*which);
    trial *t = malloc(sizeof *t);
    wl_status status = t ? WL_OK : wl_fail_memory(err);
    *next = *from;
    *which = WL_CHANGE_COUNT;
    for (int c = 0; c < WL_CHANGE_COUNT && status == WL_OK; c++) {
        if (searched && is_searched((wl_change)c))
            continue;
        status = best_change(s, (wl_change)c, from, t, err);
        if (status != WL_OK)
            break;
        all[c] = advice_of(given, t, 1u << c);
        if (t->p.model.time_s < next->p.model.time_s) {
            *next = *t;
            *which = (wl_change)c;
        }
    }
    /* if the same folding is as fast, do not suggest another */
    if (status == WL_OK && !searched && all[WL_CHANGE_FOLD].time_s > EASIER * all[WL_CHANGE_BLOCK].time_s)
        all[WL_CHANGE_FOLD].gain = 0;
    free(t);
    return status;
}

/* Keeps the best change and continues from there while the gain is large enough. trials: given,
 * current, next. */
static wl_status combine(const wl_study *s, trial trials[3], wl_change which, wl_advised *out, wl_error *err)
{
    const trial *given = &trials[0];
    trial *now = &trials[1], *next = &trials[2];
    wl_advice ignored[WL_CHANGE_COUNT];
    uint32_t changes = 0;
    *now = *given;
    for (int round = 0; round < 2 * WL_CHANGE_COUNT && which != WL_CHANGE_COUNT; round++) {
        if (next->p.model.time_s > (1 - out->least_gain) * now->p.model.time_s)
            break;
        changes |= 1u << which;
        *now = *next;
        WL_TRY(try_all(s, given, now, ignored, next, &which, err));
    }
    out->has_combination = (changes & (changes - 1)) != 0;
    if (out->has_combination)
        out->combination = advice_of(given, now, changes);
    return WL_OK;
}

/* ---- notes ---- */

static void note(wl_advised *out, const char *format, ...) WL_PRINTF(2, 3);

static void note(wl_advised *out, const char *format, ...)
{
    if (out->note_count == WL_ADVICE_NOTES_MAX)
        return;
    va_list args;
    va_start(args, format);
    (void)wl_print_list(out->notes[out->note_count++], WL_WARNING_LENGTH, format, args);
    va_end(args);
}

/* Fields of one dimension have no rows. */
static void note_rows(const wl_kernel *k, wl_advised *out)
{
    char names[100] = "";
    size_t used = 0;
    for (size_t f = 0; f < wl_kernel_field_count(k) && used < sizeof names; f++) {
        int64_t strides[WL_FIELD_DIMS_MAX], origin;
        if (!wl_kernel_field_has_rows(k, f) && wl_kernel_field_layout(k, f, strides, &origin) != 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     wl_kernel_field_name(k, f));
    }
    if (used)
        note(out, "the rows of %s%s stay as they are: addressed by element index, across rows, or in shared memory",
             names, used < sizeof names ? "" : " ..");
}

static void add_notes(const wl_study *s, const wl_launch *launch, wl_advised *out)
{
    int64_t registers, domain[3];
    if (launch->grid[0] || launch->grid[1] || launch->grid[2])
        note(out, "the grid is given: block and folding stay as they are");
    else if (launch->shared_bytes)
        note(out, "shared memory is given, which belongs to the block: block and folding stay as they are");
    else if (wl_kernel_domain(s->kernel, domain) <= 0)
        note(out, "which cells the kernel computes is not known (no check of their bounds was found), so another block "
                  "may compute others: block and folding stay as they are");
    else if (!wl_block_is_free(s->kernel, launch))
        note(out, "the kernel depends on its block (it names threads or uses shared memory), and no 'where' says which "
                  "others work: block and folding stay as they are");
    else if (s->costly)
        note(out, "the accesses have no closed form, so predictions take long: only blocks of " WL_COSTLY_THREADS
                  " threads were tried");
    note_rows(s->kernel, out);
    if (!launch->registers && !wl_kernel_registers(s->kernel, &registers))
        note(out, "registers per thread are not given: fewer were not tried");
}

/* Times closer than the error of their model are a tie. */
static wl_status set_trust(const wl_study *s, wl_advised *out, wl_error *err)
{
    WL_TRY(wl_trust_of(s->device, out->given.model.id, &out->trust, err));
    out->least_gain = 1 - exp(-out->trust.error);
    return WL_OK;
}

static wl_status find_causes(const wl_study *s, const wl_launch *launch, wl_predictor *predictor, wl_advised *out,
                             wl_error *err)
{
    const wl_questioned what = {.kernel = s->kernel,
                                .device = s->device,
                                .predictor = predictor,
                                .launch = *launch,
                                .options = s->options.predict,
                                .block_is_free = wl_block_is_free(s->kernel, launch)};
    return wl_causes_find(&what, &out->arena, &out->causes, &out->cause_count, err);
}

/* Of causes and changes, each most helpful first, those that gain most. */
static void keep_most_helpful(wl_advised *out)
{
    size_t causes = 0, changes = 0;
    while (causes + changes < ADVICE_MOST && (causes < out->cause_count || changes < out->count)) {
        const bool change =
            causes == out->cause_count || (changes < out->count && out->all[changes].gain > out->causes[causes].gain);
        changes += change;
        causes += !change;
    }
    out->cause_count = causes;
    out->count = changes;
}

/* The launch as given, and what slows it down: by one predictor, so that it is counted once. */
static wl_status look_at_given(wl_study *s, const wl_launch *launch, wl_prediction *given, wl_advised *out,
                               wl_error *err)
{
    wl_predictor *predictor = NULL;
    WL_TRY(wl_predictor_new(s->kernel, s->device, &predictor, err));
    wl_status status = wl_predict(predictor, launch, &s->options.predict, given, err);
    if (status == WL_OK) {
        drop_borrowed(given);
        out->given = *given;
        out->costly = s->costly = wl_is_costly(&out->given);
        s->given = out->given.launch;
        status = set_trust(s, out, err);
    }
    if (status == WL_OK)
        status = find_causes(s, launch, predictor, out, err);
    wl_predictor_free(predictor);
    return status;
}

static wl_status advise(wl_study *s, const wl_launch *launch, trial trials[3], wl_advised *out, wl_error *err)
{
    wl_change which = WL_CHANGE_COUNT;
    trials[0].setting.launch = *launch;
    WL_TRY(look_at_given(s, launch, &trials[0].p, out, err));
    add_notes(s, launch, out);
    WL_TRY(try_all(s, &trials[0], &trials[0], out->all, &trials[2], &which, err));
    WL_TRY(combine(s, trials, which, out, err));
    qsort(out->all, WL_CHANGE_COUNT, sizeof *out->all, by_gain);
    while (out->count < WL_CHANGE_COUNT && out->all[out->count].gain >= out->least_gain)
        out->count++;
    keep_most_helpful(out);
    return WL_OK;
}

wl_status wl_advise(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                    const wl_advise_options *options, wl_advised **out, wl_error *err)
{
    wl_study s = {.kernel = kernel, .device = device};
    if (options)
        s.options = *options;
    s.options.predict.per_access = s.options.predict.per_line = s.options.predict.stacks = false;
    wl_advised *a = calloc(1, sizeof *a);
    trial *trials = calloc(3, sizeof *trials);
    const wl_status status = a && trials ? advise(&s, launch, trials, a, err) : wl_fail_memory(err);
    free(trials);
    if (status != WL_OK)
        wl_advised_free(a);
    else
        *out = a;
    return status;
}

/* ---- results ---- */

void wl_advised_free(wl_advised *a)
{
    if (a)
        wl_arena_free(&a->arena);
    free(a);
}

const wl_prediction *wl_advised_given(const wl_advised *a) { return &a->given; }
const wl_trust *wl_advised_trust(const wl_advised *a) { return &a->trust; }
double wl_advised_least_gain(const wl_advised *a) { return a->least_gain; }
bool wl_advised_costly(const wl_advised *a) { return a->costly; }
const wl_advice *wl_advised_advice(const wl_advised *a, size_t i) { return i < a->count ? &a->all[i] : NULL; }
const wl_cause *wl_advised_cause(const wl_advised *a, size_t i) { return i < a->cause_count ? &a->causes[i] : NULL; }
const wl_advice *wl_advised_combination(const wl_advised *a) { return a->has_combination ? &a->combination : NULL; }
const char *wl_advised_note(const wl_advised *a, size_t i) { return i < (size_t)a->note_count ? a->notes[i] : NULL; }
