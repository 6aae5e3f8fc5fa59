/* schedule_text.c - schedules as text: "column:32", "tile:32x8", "hilbert".
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"
#include "warpline/schedule.h"

static const struct {
    const char *name;
    const char *sizes[2]; /* what the numbers after the colon are; NULL: there are none */
    const char *example;
} kinds[WL_SCHEDULE_KIND_COUNT] = {
    [WL_SCHEDULE_LINEAR] = {"linear", {0}, "linear"},
    [WL_SCHEDULE_COLUMN] = {"column", {"width"}, "column:32"},
    [WL_SCHEDULE_ZIGZAG] = {"zigzag", {"width"}, "zigzag:32"},
    [WL_SCHEDULE_TILE] = {"tile", {"width", "height"}, "tile:32x8"},
    [WL_SCHEDULE_HILBERT] = {"hilbert", {0}, "hilbert"},
    [WL_SCHEDULE_MORTON] = {"morton", {0}, "morton"},
    [WL_SCHEDULE_SWIZZLE] = {"swizzle", {"number of rows"}, "swizzle:8"},
};

static wl_loc at(const char *text, const char *where)
{
    const size_t column = (size_t)(where - text), length = strlen(where);
    return (wl_loc){1, (int32_t)column + 1, (int32_t)(length > 0 ? length : 1)};
}

static wl_status read_kind(const char *text, size_t length, wl_schedule_kind *kind, wl_error *err)
{
    const char *names[WL_SCHEDULE_KIND_COUNT];
    for (int k = 0; k < WL_SCHEDULE_KIND_COUNT; k++) {
        names[k] = kinds[k].name;
        *kind = (wl_schedule_kind)k;
        if (strlen(names[k]) == length && memcmp(names[k], text, length) == 0)
            return WL_OK;
    }
    char word[WL_SCHEDULE_TEXT_MAX];
    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (!wl_nearest_name(word, names, WL_SCHEDULE_KIND_COUNT))
        return wl_fail(err, WL_E_INPUT, at(text, text),
                       "a schedule is linear, column:W, zigzag:W, tile:WxH, hilbert, morton or swizzle:G");
    return wl_fail_unknown(err, (wl_loc){1, 1, (int32_t)length}, "there is no schedule", text, length, names,
                           WL_SCHEDULE_KIND_COUNT);
}

/* Digits of a number from 1 to 2^60 - 1; `text` is the whole text, to locate an error. */
static wl_status read_size(const char *text, const char **p, wl_schedule_kind kind, int i, int64_t *value,
                           wl_error *err)
{
    const char *start = *p;
    *value = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        if (!wl_mul(*value, 10, value) || !wl_add(*value, **p - '0', value))
            return wl_fail(err, WL_E_INPUT, at(text, start), "this number is too large: it has to be below 2^60");
    if (*p == start)
        return wl_fail(err, WL_E_INPUT, at(text, start), "a whole number above 0 is needed here, as in %s",
                       kinds[kind].example);
    if (*value == 0)
        return wl_fail(err, WL_E_INPUT, at(text, start), "a %s of 0 visits nothing: the minimum is 1",
                       kinds[kind].sizes[i]);
    return WL_OK;
}

static wl_status read_sizes(const char *text, const char *p, wl_schedule *s, wl_error *err)
{
    const char *name = kinds[s->kind].name, *const *sizes = kinds[s->kind].sizes;
    int64_t *const value[2] = {&s->width, &s->height};
    int i = 0;
    for (; i < 2 && sizes[i]; i++) {
        if (*p != ":x"[i])
            return wl_fail(err, WL_E_INPUT, at(text, p), "%s needs a %s%s%s, as in %s", name, sizes[0],
                           sizes[1] ? " and a " : "", sizes[1] ? sizes[1] : "", kinds[s->kind].example);
        p++;
        WL_TRY(read_size(text, &p, s->kind, i, value[i], err));
    }
    if (*p != '\0' && i == 0)
        return wl_fail(err, WL_E_INPUT, at(text, p), "%s has no width or other number", name);
    if (*p != '\0')
        return wl_fail(err, WL_E_INPUT, at(text, p), "nothing may follow the %s of %s", sizes[i - 1], name);
    return WL_OK;
}

wl_status wl_schedule_parse(const char *text, wl_schedule *out, wl_error *err)
{
    wl_schedule s = {0};
    const size_t length = strcspn(text, ":");
    WL_TRY(read_kind(text, length, &s.kind, err));
    WL_TRY(read_sizes(text, text + length, &s, err));
    *out = s;
    return WL_OK;
}

void wl_schedule_print(const wl_schedule *s, char text[WL_SCHEDULE_TEXT_MAX])
{
    const bool known = (unsigned)s->kind < WL_SCHEDULE_KIND_COUNT;
    const char *name = known ? kinds[s->kind].name : "?";
    const long long width = s->width, height = s->height;
    if (known && kinds[s->kind].sizes[1])
        (void)snprintf(text, WL_SCHEDULE_TEXT_MAX, "%s:%lldx%lld", name, width, height);
    else if (known && kinds[s->kind].sizes[0])
        (void)snprintf(text, WL_SCHEDULE_TEXT_MAX, "%s:%lld", name, width);
    else
        (void)snprintf(text, WL_SCHEDULE_TEXT_MAX, "%s", name);
}
