/* l1_law.h - L1 data wavefronts of a launch from those of its instructions.
 *
 * A load costs as much as if every line missed (cold); a store costs its bank conflicts (hit), plus
 * a surcharge if two of its lines have a tag conflict, or as much as a load if many have. A load
 * that repeats the address of an earlier loop step and hits also costs only its bank conflicts. A
 * warp that both loads and stores has an additional cost that saturates; it grows with its loads
 * and with the wavefronts per access. That term is measured, not derived.
 *
 * Layer  laws. Units: wavefronts per launch. Oracle: tests/unit/test_laws.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_L1_LAW_H
#define WL_LAWS_L1_LAW_H

#include "warpline/device.h"

/* Launch totals. */
typedef struct wl_l1_totals {
    double load_inst, store_inst;
    double load_hit, load_cold, store_hit, store_split;
    /* the part of load_cold - load_hit from repeated addresses */
    double load_again;
    double load_found;                 /* and from other loads whose lines the L1 holds: replayed */
    double warps;                      /* with work */
    double loads_per_warp;             /* executed */
    double thread_index;               /* wavefronts of reading thread indices */
    double barriers;                   /* wavefronts of barriers */
    double atomics;                    /* wavefronts of atomics on global memory */
    double texture_inst, surface_inst; /* instructions on textures and surfaces */
    double surface_stores, texture;    /* stores among them; wavefronts of all */
    /* shared memory: loads and stores, atomics; wavefronts of all */
    double shared_inst[2], shared_atomics, shared;
} wl_l1_totals;

typedef struct wl_l1_numbers {
    double extra[3]; /* l1_warp_extra */
    double split[2]; /* l1_store_split */
    double repeats;  /* share of the loads that repeat an address and hit */
} wl_l1_numbers;

typedef struct wl_l1_wavefronts {
    double loads, stores, load_store;
} wl_l1_wavefronts;

void wl_l1_numbers_read(const wl_device *device, wl_l1_numbers *out);

/* Share of the loads with a repeated address that hit in the L1, and so take the data stage only
 * once; `miss_rate`: the share of possible hits that miss. */
double wl_l1_repeats_that_hit(double miss_rate);

/* `numbers->repeats` is taken as the share that hits. */
wl_l1_wavefronts wl_l1_law(const wl_l1_totals *totals, const wl_l1_numbers *numbers);

/* The same with the numbers of a device, if this share of possible hits misses. */
wl_l1_wavefronts wl_l1_law_on(const wl_l1_totals *totals, const wl_device *device, double miss_rate);

#endif /* WL_LAWS_L1_LAW_H */
