/* values.c - see values.h. SPDX-License-Identifier: MIT */
#include "search/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static wl_loc at(const char *text, const char *p) { return (wl_loc){1, (int32_t)(p - text) + 1, 1}; }

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* A number from 1 to the maximum; moves *p past it. */
static bool take_number(const char **p, int64_t *value)
{
    int64_t v = 0;
    const char *q = *p;
    for (; *q >= '0' && *q <= '9' && v <= WL_VALUES_MAX; q++)
        v = 10 * v + (*q - '0');
    if (q == *p || v < 1 || v > WL_VALUES_MAX)
        return false;
    *p = q;
    *value = v;
    return true;
}

/* One number or one range: first, last, step. */
typedef struct range {
    int64_t first, last, step;
    bool multiply;
} range;

static wl_status take_range(const char *text, const char **p, range *r, wl_error *err)
{
    static const char number[] = "a whole number from 1 to 65536 is needed, as in 16,32,64 or 1..64 or 1..1024:x2";
    *r = (range){.step = 1};
    if (!take_number(p, &r->first))
        return wl_fail(err, WL_E_INPUT, at(text, *p), "%s", number);
    r->last = r->first;
    if (strncmp(*p, "..", 2) != 0)
        return WL_OK;
    const char *second = *p += 2;
    if (!take_number(p, &r->last))
        return wl_fail(err, WL_E_INPUT, at(text, *p), "%s", number);
    if (r->last < r->first)
        return wl_fail(err, WL_E_INPUT, at(text, second), "the range ends before it starts");
    if (**p != ':')
        return WL_OK;
    ++*p;
    r->multiply = **p == 'x';
    *p += r->multiply;
    const char *step = *p;
    if (!take_number(p, &r->step) || (r->multiply && r->step < 2))
        return wl_fail(err, WL_E_INPUT, at(text, step), "a step is needed, as in 32..1024:32, or a factor: 1..1024:x2");
    return WL_OK;
}

static int ascending(const void *a, const void *b)
{
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

/* Collects values; duplicates are removed at the end. */
typedef struct bag {
    bool in[WL_VALUES_MAX + 1];
} bag;

static wl_status take_all(const bag *b, wl_arena *arena, wl_values *out, wl_error *err)
{
    size_t n = 0;
    for (int v = 1; v <= WL_VALUES_MAX; v++)
        n += b->in[v];
    *out = (wl_values){WL_ARENA_NEW(arena, int64_t, n), 0};
    if (!out->at)
        return wl_fail_memory(err);
    for (int v = 1; v <= WL_VALUES_MAX; v++)
        if (b->in[v])
            out->at[out->count++] = v;
    return WL_OK;
}

static void put(bag *b, const range *r)
{
    for (int64_t v = r->first; v <= r->last; v = r->multiply ? v * r->step : v + r->step)
        b->in[v] = true;
}

static wl_status parse_into(const char *text, bag *b, wl_error *err)
{
    const char *p = text;
    for (;;) {
        range r;
        p = skip_blanks(p);
        WL_TRY(take_range(text, &p, &r, err));
        put(b, &r);
        p = skip_blanks(p);
        if (*p == '\0')
            return WL_OK;
        if (*p != ',')
            return wl_fail(err, WL_E_INPUT, at(text, p), "a comma or the end is expected here");
        p++;
    }
}

wl_status wl_values_parse(const char *text, wl_arena *arena, wl_values *out, wl_error *err)
{
    bag *b = calloc(1, sizeof *b);
    if (!b)
        return wl_fail_memory(err);
    wl_status status = parse_into(text, b, err);
    if (status == WL_OK)
        status = take_all(b, arena, out, err);
    free(b);
    return status;
}

wl_status wl_values_range(int64_t first, int64_t last, int64_t step, wl_arena *arena, wl_values *out, wl_error *err)
{
    size_t n = 0;
    for (int64_t v = first; v <= last; v = step ? v + step : 2 * v)
        n++;
    *out = (wl_values){WL_ARENA_NEW(arena, int64_t, n + 1), 0};
    if (!out->at)
        return wl_fail_memory(err);
    for (int64_t v = first; v <= last; v = step ? v + step : 2 * v)
        out->at[out->count++] = v;
    return WL_OK;
}

wl_status wl_values_merge(const wl_values *a, const wl_values *b, wl_arena *arena, wl_values *out, wl_error *err)
{
    wl_values all = {WL_ARENA_NEW(arena, int64_t, a->count + b->count + 1), 0};
    if (!all.at)
        return wl_fail_memory(err);
    for (size_t i = 0; i < a->count + b->count; i++)
        all.at[i] = i < a->count ? a->at[i] : b->at[i - a->count];
    qsort(all.at, a->count + b->count, sizeof *all.at, ascending);
    for (size_t i = 0; i < a->count + b->count; i++)
        if (all.count == 0 || all.at[all.count - 1] != all.at[i])
            all.at[all.count++] = all.at[i];
    *out = all;
    return WL_OK;
}

bool wl_values_contain(const wl_values *values, int64_t value)
{
    return bsearch(&value, values->at, values->count, sizeof value, ascending) != NULL;
}

size_t wl_shape_parse(const char *text, int64_t extent[3])
{
    const char *p = text;
    extent[0] = extent[1] = extent[2] = 1;
    for (int d = 0; d < 3; d++) {
        if (!take_number(&p, &extent[d]))
            return 0;
        if (*p != 'x' || d == 2)
            break;
        p++;
    }
    return (size_t)(p - text);
}
