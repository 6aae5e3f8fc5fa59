/* work_unit.h - what outputs call a unit of work: a lattice update (LUP) of a stencil or lattice
 * method, else a cell.
 *
 * Layer  kernel (uses base, expr).
 * Oracle  tests/unit/test_work_unit.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_WORK_UNIT_H
#define WL_KERNEL_WORK_UNIT_H

#include "warpline/kernel.h"

typedef enum wl_work_unit { WL_WORK_CELL, WL_WORK_UPDATE } wl_work_unit;

typedef struct wl_unit_words {
    const char *name; /* the unit of JSON: "LUP", "cell" */
    /* in rates and heads of tables: "GLUP/s", "B/elem" */
    const char *brief;
    const char *one;          /* in sentences: "per update" */
    const char *many;         /* "4096 updates" */
    const char *explained[2]; /* "1 lattice update (LUP)", "4096 lattice updates (LUP)" */
} wl_unit_words;

/* Lattice updates if accesses to one field differ by a few cells: a cell reads, or writes, the same
 * data as its neighbours. */
wl_work_unit wl_kernel_work_unit(const wl_kernel *kernel);
const wl_unit_words *wl_work_unit_words(wl_work_unit unit);
/* The words after the number where the unit is explained. */
const char *wl_work_unit_explained(wl_work_unit unit, int64_t items);
/* From its name in JSON; cells, which suit every kernel, if the name is unknown. */
wl_work_unit wl_work_unit_named(const char *name);

#endif /* WL_KERNEL_WORK_UNIT_H */
