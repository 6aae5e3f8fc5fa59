/* units.c - see units.h. One table; tests/unit/test_units.c walks it.
 * SPDX-License-Identifier: MIT */
#include "base/units.h"

#include <stdarg.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "warpline/status.h"

static const struct unit {
    wl_dimension dimension;
    const char *name;
    double scale;
    bool print; /* used when printing a value */
} units[] = {
    {WL_DIM_COUNT, "1", 1, false},
    {WL_DIM_COUNT, "sm", 1, false},
    {WL_DIM_COUNT, "lanes", 1, false},
    {WL_DIM_COUNT, "threads", 1, false},
    {WL_DIM_COUNT, "blocks", 1, false},
    {WL_DIM_COUNT, "warps", 1, false},
    {WL_DIM_COUNT, "registers", 1, false},
    {WL_DIM_COUNT, "banks", 1, false},
    {WL_DIM_COUNT, "bank", 1, false},
    {WL_DIM_COUNT, "partitions", 1, false},
    {WL_DIM_COUNT, "schedulers", 1, false},
    {WL_DIM_COUNT, "entries", 1, false},
    {WL_DIM_RATIO, "1", 1, false},
    {WL_DIM_FREQUENCY, "Hz", 1, true},
    {WL_DIM_FREQUENCY, "kHz", 1e3, true},
    {WL_DIM_FREQUENCY, "MHz", 1e6, true},
    {WL_DIM_FREQUENCY, "GHz", 1e9, true},
    {WL_DIM_BYTES, "B", 1, true},
    {WL_DIM_BYTES, "kB", 1e3, false},
    {WL_DIM_BYTES, "MB", 1e6, false},
    {WL_DIM_BYTES, "GB", 1e9, false},
    {WL_DIM_BYTES, "KiB", 1024.0, true},
    {WL_DIM_BYTES, "MiB", 1048576.0, true},
    {WL_DIM_BYTES, "GiB", 1073741824.0, true},
    {WL_DIM_BANDWIDTH, "B/s", 1, true},
    {WL_DIM_BANDWIDTH, "kB/s", 1e3, true},
    {WL_DIM_BANDWIDTH, "MB/s", 1e6, true},
    {WL_DIM_BANDWIDTH, "GB/s", 1e9, true},
    {WL_DIM_BANDWIDTH, "TB/s", 1e12, true},
    {WL_DIM_BANDWIDTH, "KiB/s", 1024.0, false},
    {WL_DIM_BANDWIDTH, "MiB/s", 1048576.0, false},
    {WL_DIM_BANDWIDTH, "GiB/s", 1073741824.0, false},
    {WL_DIM_BANDWIDTH, "TiB/s", 1099511627776.0, false},
    {WL_DIM_CYCLES, "cycles", 1, true},
    {WL_DIM_TIME, "s", 1, true},
    {WL_DIM_TIME, "ms", 1e-3, true},
    {WL_DIM_TIME, "us", 1e-6, true},
    {WL_DIM_TIME, "ns", 1e-9, true},
    {WL_DIM_PER_CYCLE, "1/cycle", 1, true},
    {WL_DIM_RATE, "1/s", 1, true},
    {WL_DIM_RATE, "1/us", 1e6, false},
    {WL_DIM_RATE, "1/ns", 1e9, true},
};
static const size_t unit_count = sizeof units / sizeof units[0];

/* Other spellings that are read, as people write sizes. */
static const struct {
    const char *name;
    double scale;
} sizes[] = {{"KB", 1e3},         {"K", 1024.0},       {"k", 1024.0},   {"M", 1048576.0},   {"m", 1048576.0},
             {"G", 1073741824.0}, {"g", 1073741824.0}, {"kiB", 1024.0}, {"miB", 1048576.0}, {"giB", 1073741824.0}};

static bool size_scale(wl_dimension dimension, const char *unit, double *scale)
{
    for (size_t i = 0; dimension == WL_DIM_BYTES && i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(sizes[i].name, unit) == 0) {
            *scale = sizes[i].scale;
            return true;
        }
    }
    return false;
}

bool wl_unit_scale(wl_dimension dimension, const char *unit, double *scale)
{
    for (size_t i = 0; i < unit_count; i++) {
        if (units[i].dimension == dimension && strcmp(units[i].name, unit) == 0) {
            *scale = units[i].scale;
            return true;
        }
    }
    return false;
}

const char *wl_unit_base(wl_dimension dimension)
{
    for (size_t i = 0; i < unit_count; i++)
        if (units[i].dimension == dimension && units[i].scale == 1.0)
            return units[i].name;
    return "1";
}

void wl_unit_choices(wl_dimension dimension, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < unit_count && used < size; i++) {
        if (units[i].dimension != dimension)
            continue;
        const int n = snprintf(text + used, size - used, "%s%s", used ? " " : "", units[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

double wl_unit_convert(double value, double scale)
{
    const double v = value * scale, whole = round(v);
    return fabs(v - whole) <= 4 * DBL_EPSILON * fabs(v) ? whole : v;
}

bool wl_quantity_parse(wl_dimension dimension, const char *text, double *value)
{
    char number[64];
    size_t n = strspn(text, "+-0123456789.");
    /* "1e9" has an exponent; the E of a unit is one only if digits follow */
    if ((text[n] == 'e' || text[n] == 'E') && n > 0) {
        const size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
        const size_t digits = strspn(text + n + 1 + sign, "0123456789");
        if (digits > 0)
            n += 1 + sign + digits;
    }
    if (n == 0 || n >= sizeof number)
        return false;
    memcpy(number, text, n);
    number[n] = '\0';
    double v = 0, scale = 1;
    if (!wl_text_number(number, &v))
        return false;
    const char *unit = text + n + strspn(text + n, " ");
    if (*unit != '\0' && !wl_unit_scale(dimension, unit, &scale) && !size_scale(dimension, unit, &scale))
        return false;
    *value = wl_unit_convert(v, scale);
    return isfinite(*value);
}

bool wl_quantity_read(const char *unit, const char *text, double *value)
{
    return wl_quantity_parse(strcmp(unit, "s") == 0 ? WL_DIM_TIME : WL_DIM_BYTES, text, value);
}

/* The unit to print a value in; NULL: a plain number. */
static const struct unit *unit_of(wl_dimension dimension, double value)
{
    const struct unit *best = NULL;
    for (size_t i = 0; i < unit_count; i++) {
        const struct unit *u = &units[i];
        if (u->dimension != dimension || !u->print)
            continue;
        const bool fits = fabs(value) >= u->scale;
        if (!best || (fits && (u->scale > best->scale || fabs(value) < best->scale)) ||
            (!fits && fabs(value) < best->scale && u->scale < best->scale))
            best = u;
    }
    return best;
}

const char *wl_quantity_unit(wl_dimension dimension, double value, double *scale)
{
    const struct unit *best = unit_of(dimension, value);
    *scale = best ? best->scale : 1;
    return best ? best->name : "";
}

wl_short wl_short_of(const char *format, ...)
{
    wl_short out = {""};
    va_list args;
    va_start(args, format);
    (void)wl_print_list(out.text, sizeof out.text, format, args);
    va_end(args);
    return out;
}

wl_short wl_quantity(wl_dimension dimension, double value)
{
    wl_short out = {""};
    const struct unit *best = unit_of(dimension, value);
    if (!best)
        (void)wl_print(out.text, sizeof out.text, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
    else
        (void)wl_print(out.text, sizeof out.text, "%.4g %s", value / best->scale, best->name);
    return out;
}

wl_short wl_scaled(double value)
{
    wl_short out = {""};
    static const struct {
        double scale;
        const char *prefix;
    } prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t i = 0;
    while (i < sizeof prefixes / sizeof prefixes[0] - 1 && !(value >= prefixes[i].scale))
        i++;
    (void)wl_print(out.text, sizeof out.text, "%.4g %s", value / prefixes[i].scale, prefixes[i].prefix);
    return out;
}

wl_short wl_scaled_bare(double value)
{
    wl_short out = wl_scaled(value);
    const size_t length = strlen(out.text);
    if (length > 0 && out.text[length - 1] == ' ')
        out.text[length - 1] = '\0';
    return out;
}
