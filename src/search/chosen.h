/* chosen.h - the result of wl_choose_schedule.
 *
 * Layer  search. Oracle: tests/unit/test_choice.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_CHOSEN_H
#define WL_SEARCH_CHOSEN_H

#include "metrics/prediction.h"
#include "warpline/advise.h"

#define WL_CHOICE_NOTES_MAX 16

struct wl_choice {
    wl_prediction *rows; /* the given launch first; they borrow nothing */
    size_t count;
    size_t fastest; /* of the others; 0: there are none */
    wl_trust trust; /* for the model that predicted the times */
    double least_gain;
    int note_count;
    char notes[WL_CHOICE_NOTES_MAX][WL_WARNING_LENGTH];
};

/* Time saved by a row: 1 - its time / that of the given launch. */
double wl_choice_gain(const wl_choice *choice, size_t index);
/* Share of loaded sectors that hit the L1; false: unknown. */
bool wl_l1_hit_rate(const wl_prediction *prediction, const wl_device *device, double *rate);

#endif /* WL_SEARCH_CHOSEN_H */
