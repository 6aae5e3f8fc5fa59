/* tallies.h - what rooflines are made of: counts of one launch, predicted or measured.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TALLIES_H
#define WL_TALLIES_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

typedef enum wl_tally {
#define WL_TALLY(name, unit, ncu, nvprof, meaning) WL_TALLY_##name,
#include "warpline/tallies.def"
    WL_TALLY_COUNT
} wl_tally;
WL_API const char *wl_tally_name(wl_tally tally);
WL_API const char *wl_tally_unit(wl_tally tally);
WL_API const char *wl_tally_ncu(wl_tally tally); /* counters as a sum, "a + 2 * b"; "": none */
WL_API const char *wl_tally_nvprof(wl_tally tally);
WL_API const char *wl_tally_meaning(wl_tally tally);

/* Launch totals. An unknown value has known == false; the texts are borrowed. */
typedef struct wl_tallies {
    const char *kernel, *launch; /* its name, demangled; "32x8, grid 64x64" or "" */
    bool measured;               /* else predicted */
    /* measured: the launch of the same picture it belongs to, from 1; 0: to none */
    size_t of;
    /* predicted: what limits it, what would help (constant texts), and its share of the time */
    const char *limit, *remedy;
    double limit_share;
    /* its kernel's share of the time of a program: points are as large; 0: not said */
    double weight;
    bool known[WL_TALLY_COUNT];
    double value[WL_TALLY_COUNT];
} wl_tallies;

#endif /* WL_TALLIES_H */
