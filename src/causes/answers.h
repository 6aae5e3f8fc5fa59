/* answers.h - the source of a variant: answers like the kernel's own source, except for what the
 * variant changes.
 *
 * Layer  causes (uses kernel).
 * SPDX-License-Identifier: MIT */
#ifndef WL_CAUSES_ANSWERS_H
#define WL_CAUSES_ANSWERS_H

#include "base/arena.h"
#include "kernel/source.h"

typedef struct wl_answers {
    const wl_source *inner;
    wl_arena *arena;  /* for what is answered, */
    wl_arena *traced; /* and for the latest trace */
    /* By access: bytes per lane if its lanes are changed to access consecutive words, else 0; NULL:
     * no access is changed. */
    const int32_t *in_a_row;
    /* above 0: no branch diverges, so many lanes of a warp are active, and .. */
    double lanes;
    double instructions; /* .. a warp executes this share of its instructions */
} wl_answers;

/* A source that answers like `inner`, for the launch that `inner` was made for; all zeros if
 * `inner` is. The caller may change the result of wl_answers_of, which is NULL if the kernel has no
 * source. */
wl_status wl_answers_make(const wl_source *inner, wl_arena *arena, wl_arena *traced, wl_source *out, wl_error *err);
wl_answers *wl_answers_of(const wl_source *source);

#endif /* WL_CAUSES_ANSWERS_H */
