/* budget.c - quantities that can have a budget, and limits as text; see warpline/check.h.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "judge/findings.h"

#define PER_ITEM "/item"

/* Quantities that are not metrics. */
static const struct special {
    const char *name, *unit;
    wl_subject_kind kind;
    wl_dimension dimension;
} specials[] = {
    {"time", "s", WL_SUBJECT_TIME, WL_DIM_TIME},
    {"occupancy", "1", WL_SUBJECT_OCCUPANCY, WL_DIM_RATIO},
    {"items_per_s", "1/s", WL_SUBJECT_ITEMS_PER_S, WL_DIM_RATE},
};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

static const struct special *special_of(wl_subject_kind kind)
{
    for (size_t i = 0; i < SPECIALS; i++)
        if (specials[i].kind == kind)
            return &specials[i];
    return NULL;
}

static wl_dimension dimension_of(wl_subject q)
{
    if (q.kind != WL_SUBJECT_METRIC)
        return special_of(q.kind)->dimension;
    return strcmp(wl_metric_unit(q.metric), "bytes") == 0 ? WL_DIM_BYTES : WL_DIM_COUNT;
}

void wl_subject_name(wl_subject q, char *text, size_t size)
{
    const char *name = q.kind == WL_SUBJECT_METRIC ? wl_metric_name(q.metric) : special_of(q.kind)->name;
    (void)snprintf(text, size, "%s%s", name, q.per_item ? PER_ITEM : "");
}

const char *wl_subject_unit(wl_subject q)
{
    return q.kind == WL_SUBJECT_METRIC ? wl_metric_unit(q.metric) : special_of(q.kind)->unit;
}

bool wl_subject_is_gain(wl_subject q) { return q.kind == WL_SUBJECT_OCCUPANCY || q.kind == WL_SUBJECT_ITEMS_PER_S; }

static bool occupancy(const wl_prediction *p, const wl_device *device, double *value)
{
    double threads = 0, warp = 0;
    if (!wl_device_get(device, WL_DEVICE_max_threads_per_sm, &threads) ||
        !wl_device_get(device, WL_DEVICE_warp_size, &warp))
        return false;
    *value = (double)p->occupancy.warps_per_sm * warp / threads;
    return true;
}

bool wl_subject_value(wl_subject q, const wl_prediction *p, const wl_device *device, double *value)
{
    switch (q.kind) {
    case WL_SUBJECT_METRIC:
        if (!p->metrics[q.metric].known)
            return false;
        *value = p->metrics[q.metric].value;
        break;
    case WL_SUBJECT_TIME: *value = p->model.time_s; break;
    case WL_SUBJECT_OCCUPANCY: return occupancy(p, device, value);
    case WL_SUBJECT_ITEMS_PER_S: *value = p->model.items_per_s; break;
    }
    if (q.per_item)
        *value /= (double)p->items;
    return true;
}

wl_short wl_subject_value_text(wl_subject q, double value)
{
    static const char *const units[] = {[WL_DIM_BYTES] = "B", [WL_DIM_RATE] = "/s"};
    const wl_dimension dimension = dimension_of(q);
    if (dimension == WL_DIM_TIME || dimension == WL_DIM_RATIO)
        return wl_quantity(dimension, value);
    if (dimension == WL_DIM_COUNT)
        return wl_scaled_bare(value);
    return wl_short_of("%s%s", wl_scaled(value).text, units[dimension]);
}

/* ---- text ---- */

/* A position in the text of one option. */
static wl_loc at(size_t column, size_t length) { return (wl_loc){1, (int32_t)column + 1, (int32_t)length}; }

static wl_status find_subject(const char *text, size_t length, wl_subject *out, wl_error *err)
{
    const char *names[WL_METRIC_COUNT + SPECIALS];
    const size_t suffix = strlen(PER_ITEM);
    *out = (wl_subject){.per_item = length > suffix && memcmp(text + length - suffix, PER_ITEM, suffix) == 0};
    const size_t base = length - (out->per_item ? suffix : 0);
    for (size_t i = 0; i < SPECIALS; i++) {
        names[i] = specials[i].name;
        out->kind = specials[i].kind;
        if (strlen(names[i]) == base && memcmp(names[i], text, base) == 0)
            return WL_OK;
    }
    out->kind = WL_SUBJECT_METRIC;
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        const char *name = names[SPECIALS + i] = wl_metric_name((wl_metric)i);
        out->metric = (wl_metric)i;
        if (strlen(name) == base && memcmp(name, text, base) == 0)
            return WL_OK;
    }
    return wl_fail_unknown(err, at(0, base), "no metric is called", text, base, names, sizeof names / sizeof names[0]);
}

static wl_status check_per_item(wl_subject q, size_t length, wl_error *err)
{
    if (!q.per_item)
        return WL_OK;
    if (wl_subject_is_gain(q))
        return wl_fail(err, WL_E_INPUT, at(0, length), "%s has no value per item", special_of(q.kind)->name);
    if (q.kind == WL_SUBJECT_METRIC && wl_metric_scope(q.metric) != WL_SCOPE_LAUNCH)
        return wl_fail(err, WL_E_INPUT, at(0, length), "%s is not a total of the launch: it has no value per item",
                       wl_metric_name(q.metric));
    return WL_OK;
}

/* A number with its unit. */
static wl_status read_limit(const char *text, size_t column, wl_subject q, double *limit, wl_error *err)
{
    char copy[80], choices[128];
    const wl_dimension dimension = dimension_of(q);
    const size_t length = strlen(text);
    (void)snprintf(copy, sizeof copy, "%s", text);
    if (length >= sizeof copy)
        return wl_fail(err, WL_E_INPUT, at(column, length), "no number is that long");
    const bool percent = q.kind == WL_SUBJECT_OCCUPANCY && length > 0 && copy[length - 1] == '%';
    if (percent)
        copy[length - 1] = '\0';
    wl_unit_choices(dimension, choices, sizeof choices);
    if (!wl_quantity_parse(dimension, copy, limit))
        return wl_fail(err, WL_E_INPUT, at(column, length),
                       dimension == WL_DIM_COUNT   ? "a limit is a number"
                       : dimension == WL_DIM_RATIO ? "a limit of the occupancy is a number up to 1, or as 50%%"
                                                   : "a limit is a number, with one of the units %s or none",
                       choices);
    if (dimension == WL_DIM_TIME && *limit > 0 && strspn(copy, "0123456789.eE+-") == length)
        return wl_fail(err, WL_E_INPUT, at(column, length), "a time needs a unit: %s%s, %sms or %ss?", copy, "us", copy,
                       copy);
    if (percent)
        *limit /= 100;
    if (*limit < 0)
        return wl_fail(err, WL_E_INPUT, at(column, length), "a limit is not negative");
    if (q.kind == WL_SUBJECT_OCCUPANCY && *limit > 1)
        return wl_fail(err, WL_E_INPUT, at(column, length), "no occupancy is above 1");
    return WL_OK;
}

wl_status wl_budget_parse(const char *text, wl_budget *out, wl_error *err)
{
    const size_t name = strcspn(text, "<>=");
    const bool least = text[name] == '>', two = text[name] != '\0' && text[name] != '=';
    const size_t value = name + 1 + two;
    *out = (wl_budget){0};
    if (name == 0 || text[name] == '\0' || (two && text[name + 1] != '='))
        return wl_fail(err, WL_E_INPUT, at(name, 1), "a budget is NAME<=LIMIT or NAME=LIMIT, as in time=1.5ms");
    WL_TRY(find_subject(text, name, &out->subject, err));
    WL_TRY(check_per_item(out->subject, name, err));
    const bool gain = wl_subject_is_gain(out->subject);
    if (gain != least)
        return wl_fail(err, WL_E_INPUT, at(name, 1 + two),
                       gain ? "more is better: the limit is a lower one, >="
                            : "less is better: the limit is an upper one, <= or =");
    return read_limit(text + value, value, out->subject, &out->limit, err);
}

wl_status wl_tolerance_parse(const char *text, double *tolerance, wl_error *err)
{
    char number[32];
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    (void)snprintf(number, sizeof number, "%.*s", (int)(length - percent), text);
    if (length >= sizeof number || !wl_text_number(number, tolerance) || *tolerance < 0 ||
        (!percent && *tolerance >= 1))
        return wl_fail(err, WL_E_INPUT, at(0, length), "a tolerance is 0 or more, as 2%% or 0.02");
    if (percent)
        *tolerance /= 100;
    return WL_OK;
}
