/* units.h - the only place that converts units. Inside the library every quantity is in its base
 * unit: bytes, Hz, bytes per second, cycles, seconds, per cycle, or a plain count.
 *
 * Layer  base. Oracle: tests/unit/test_units.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_UNITS_H
#define WL_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

typedef enum wl_dimension {
    WL_DIM_COUNT,
    WL_DIM_RATIO,
    WL_DIM_FREQUENCY,
    WL_DIM_BYTES,
    WL_DIM_BANDWIDTH,
    WL_DIM_CYCLES,
    WL_DIM_TIME,
    WL_DIM_PER_CYCLE,
    WL_DIM_RATE
} wl_dimension;

/* Base units per `unit`; false when the unit does not measure this dimension. */
bool wl_unit_scale(wl_dimension dimension, const char *unit, double *scale);

/* value * scale; a product that is an integer but for rounding (4.1 MB) becomes one. */
double wl_unit_convert(double value, double scale);

/* The base unit of a dimension ("B", "Hz", ...), and all units accepted for it as one text. */
const char *wl_unit_base(wl_dimension dimension);
void wl_unit_choices(wl_dimension dimension, char *text, size_t size);

/* Reads "80MiB" or "80 MiB"; a bare number is in base units. False on anything else. */
bool wl_quantity_parse(wl_dimension dimension, const char *text, double *value);

/* A short text as a value: printf takes wl_scaled(x).text, which lives to the end of the call. */
typedef struct wl_short {
    char text[32];
} wl_short;

/* What a format gives, cut off where it is too long. */
wl_short wl_short_of(const char *format, ...) WL_PRINTF(1, 2);
/* A value with a suitable prefix and three or four digits: "1.56 TB/s", "40 MiB", "108". */
wl_short wl_quantity(wl_dimension dimension, double value);

/* The unit with that prefix, for several values in the same one, and what it is in base units; ""
 * and 1 for numbers without a unit. */
const char *wl_quantity_unit(wl_dimension dimension, double value, double *scale);

/* 1.23e9 as "1.23 G", 20 as "20 ": a unit may follow; or without it: "20". */
wl_short wl_scaled(double value);
wl_short wl_scaled_bare(double value);

#endif /* WL_BASE_UNITS_H */
