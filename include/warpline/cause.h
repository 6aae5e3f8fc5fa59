/* cause.h - what makes a launch slower than it could be: each cause with the time predicted
 * without it.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CAUSE_H
#define WL_CAUSE_H

#include "warpline/predict.h"

typedef enum wl_cause_id {
#define WL_CAUSE(id, name, caveat) WL_CAUSE_##id,
#include "warpline/causes.def"
    WL_CAUSE_COUNT
} wl_cause_id;
WL_API const char *wl_cause_name(wl_cause_id cause);
/* What the prediction without the cause takes for granted: one clause, no full stop. */
WL_API const char *wl_cause_caveat(wl_cause_id cause);

typedef struct wl_cause {
    wl_cause_id id;
    const char *text;   /* what is wrong: "75 % of each sector unused: stride 4" */
    const char *change; /* what was predicted instead: "contiguous"; NULL: nothing could be */
    /* the access that it concerns, as written: "b[4*x]"; NULL: none in particular */
    const char *access;
    const char *file; /* where that is; NULL: not known, or the kernel file */
    int32_t line;     /* 0: not known */
    double time_s;    /* with that change */
    double gain;      /* 1 - time_s / the time of the launch; 0 without a change */
    wl_bound_id limiter;
} wl_cause;

#endif /* WL_CAUSE_H */
