/* advise_words.c - see advise_words.h. SPDX-License-Identifier: MIT */
#include "report/common/advise_words.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/print.h"
#include "report/common/words.h"
#include "search/advised.h"

bool wl_advice_has(const wl_advice *a, wl_change change) { return a->changes & 1u << change; }

bool wl_advice_lays_out(const wl_advice *a)
{
    return wl_advice_has(a, WL_CHANGE_ALIGNMENT) || wl_advice_has(a, WL_CHANGE_PADDING);
}

static void say(wl_advice_words *w, const char *format, ...) WL_PRINTF(2, 3);

static void say(wl_advice_words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (w->used > 0 && w->used + 2 < sizeof w->text) {
        memcpy(w->text + w->used, ", ", 3);
        w->used += 2;
    }
    const int n = wl_print_list(w->text + w->used, sizeof w->text - w->used, format, args);
    w->used += n > 0 ? (size_t)n : 0;
    if (w->used >= sizeof w->text)
        w->used = sizeof w->text - 1;
    va_end(args);
}

static void say_shape(wl_advice_words *w, const char *option, const int64_t extent[3])
{
    say(w, "%s %s", option, wl_shape_text(extent).text);
}

/* "--block 32x4x2, rows 32 bytes longer" */
void wl_advice_describe(const wl_advice *a, wl_advice_words *w)
{
    const wl_layout *l = &a->layout;
    *w = (wl_advice_words){.used = 0};
    const bool ordered = wl_advice_has(a, WL_CHANGE_SCHEDULE) && !wl_schedule_orders_blocks(&a->launch.schedule);
    if (wl_advice_has(a, WL_CHANGE_BLOCK) || wl_advice_has(a, WL_CHANGE_FOLD) || ordered)
        say_shape(w, "--block", a->launch.block);
    if (wl_advice_has(a, WL_CHANGE_FOLD))
        say_shape(w, "--fold", a->launch.fold);
    if (wl_advice_has(a, WL_CHANGE_SCHEDULE)) {
        char schedule[WL_SCHEDULE_TEXT_MAX];
        wl_schedule_print(&a->launch.schedule, schedule);
        say(w, "--schedule %s", schedule);
    }
    if (wl_advice_has(a, WL_CHANGE_REGISTERS))
        say(w, "--registers %lld", (long long)a->launch.registers);
    if (wl_advice_has(a, WL_CHANGE_SHARED))
        say(w, "--shared %lld", (long long)a->launch.shared_bytes);
    if (l->origin_multiple)
        say(w, "cell 0 of every field at a multiple of %lld bytes", (long long)l->origin_multiple);
    if (l->row_multiple == 1)
        say(w, "rows without padding");
    else if (l->row_multiple)
        say(w, "rows of a multiple of %lld bytes", (long long)l->row_multiple);
    if (l->row_padding)
        say(w, "rows %lld bytes longer", (long long)l->row_padding);
}

/* Calls `show` for every field that the advice lays out differently. */
wl_status wl_advice_fields(const wl_kernel *kernel, const wl_advice *a, wl_advice_field show, void *user, wl_error *err)
{
    wl_kernel *variant = NULL;
    const wl_status status = wl_kernel_with_layout(kernel, &a->layout, &variant, err);
    for (size_t f = 0; status == WL_OK && f < wl_kernel_field_count(variant); f++) {
        int64_t was[WL_FIELD_DIMS_MAX], strides[WL_FIELD_DIMS_MAX], origin_was, origin;
        const int dims = wl_kernel_field_layout(variant, f, strides, &origin);
        (void)wl_kernel_field_layout(kernel, f, was, &origin_was);
        if (origin != origin_was || memcmp(strides, was, sizeof was) != 0)
            show(user, wl_kernel_field_name(variant, f), dims, strides, origin);
    }
    wl_kernel_free(variant);
    return status;
}

void wl_advice_field_text(int dims, const int64_t *strides, int64_t origin, wl_buffer *out)
{
    wl_buffer_text(out, "{");
    for (int d = 0; d < dims; d++)
        wl_buffer_add(out, "%s%lld", d ? ", " : "strides: [", (long long)strides[d]);
    wl_buffer_add(out, "%sorigin: %lld}", dims ? "], " : "", (long long)origin);
}

/* Equal but for rounding: causes and changes are predicted in different ways. */
static bool same_time(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

bool wl_advice_is_cause(const wl_advised *r, const wl_advice *a)
{
    for (size_t i = 0; i < r->cause_count; i++) {
        const wl_cause *c = &r->causes[i];
        for (int k = 0; k < WL_CHANGE_COUNT; k++)
            if (c->change && a->changes == 1u << k && same_time(c->time_s, a->time_s) &&
                strcmp(wl_change_name((wl_change)k), wl_cause_name(c->id)) == 0)
                return true;
    }
    return false;
}

size_t wl_advice_left(const wl_advised *r)
{
    size_t left = 0;
    for (size_t i = 0; i < r->count; i++)
        left += !wl_advice_is_cause(r, &r->all[i]);
    return left;
}

uint32_t wl_advice_changes(const wl_advised *r)
{
    uint32_t changes = r->has_combination ? r->combination.changes : 0;
    for (size_t i = 0; i < r->count; i++)
        changes |= wl_advice_is_cause(r, &r->all[i]) ? 0 : r->all[i].changes;
    return changes;
}

bool wl_change_is_explained(const wl_advised *r, wl_change change)
{
    for (size_t i = 0; i < r->cause_count; i++)
        if (r->causes[i].change && strcmp(wl_change_name(change), wl_cause_name(r->causes[i].id)) == 0 &&
            strcmp(wl_change_caveat(change), wl_cause_caveat(r->causes[i].id)) == 0)
            return true;
    return false;
}
