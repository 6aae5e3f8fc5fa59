/* tally_names.c - the table of tallies. SPDX-License-Identifier: MIT */
#include "warpline/tallies.h"

static const struct {
    const char *name, *unit, *ncu, *nvprof, *meaning;
} table[WL_TALLY_COUNT] = {
#define WL_TALLY(name, unit, ncu, nvprof, meaning) {#name, unit, ncu, nvprof, meaning},
#include "warpline/tallies.def"
};

const char *wl_tally_name(wl_tally tally) { return table[tally].name; }
const char *wl_tally_unit(wl_tally tally) { return table[tally].unit; }
const char *wl_tally_ncu(wl_tally tally) { return table[tally].ncu; }
const char *wl_tally_nvprof(wl_tally tally) { return table[tally].nvprof; }
const char *wl_tally_meaning(wl_tally tally) { return table[tally].meaning; }
