/* advised.h - the result of wl_advise.
 *
 * Layer  search. Oracle: tests/unit/test_advise.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_ADVISED_H
#define WL_SEARCH_ADVISED_H

#include "base/arena.h"
#include "metrics/prediction.h"
#include "warpline/advise.h"

#define WL_ADVICE_NOTES_MAX 8

struct wl_advised {
    wl_prediction given; /* borrows nothing */
    wl_trust trust;      /* for the model that predicted the times */
    double least_gain;
    bool costly;
    wl_advice all[WL_CHANGE_COUNT]; /* most helpful first */
    size_t count;                   /* of these: how many gain enough */
    bool has_combination;
    wl_advice combination;
    wl_arena arena; /* of the causes */
    const wl_cause *causes;
    size_t cause_count;
    int note_count;
    char notes[WL_ADVICE_NOTES_MAX][WL_WARNING_LENGTH];
};

#endif /* WL_SEARCH_ADVISED_H */
