/* residence.h - how long the blocks of a multiprocessor are resident: their work, plus the waits
 * that the work of others does not hide.
 *
 * Layer  model. Units: cycles. Maths docs/model.md, "The life of a warp". Oracle:
 * tests/unit/test_residence.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_RESIDENCE_H
#define WL_MODEL_RESIDENCE_H

#include "model/turnover.h"

/* Blocks as the multiprocessor sees them. */
typedef struct wl_residents {
    double blocks, own; /* at once; cycles of the busiest unit for one of them */
    double l1;          /* of these: cycles of the L1 */
    double in_step;     /* cycles by which its warps delay one another */
    double warps;       /* of a block on one scheduler; 0: not known */
    /* share of its waits in which its warps do not wait for one another: 0 with barriers; without,
     * warps start together and drift apart as they loop */
    double apart;
} wl_residents;

/* From the start of these blocks to their end, if all end together. `wait` is that of a block that
 * is alone. */
double wl_residence(const wl_turnover *numbers, const wl_residents *blocks, double wait);

/* How much later the last of them ends, as they do not end together. */
double wl_end_apart(const wl_turnover *numbers, const wl_residents *blocks, double wait);

#endif /* WL_MODEL_RESIDENCE_H */
