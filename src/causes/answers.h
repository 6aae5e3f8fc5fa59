/* answers.h - the source of a variant: what the kernel's own source answers, but for what is
 * changed.
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
    /* By access: bytes per lane if its lanes take one word after another, else 0; NULL: all as
     * they are. */
    const int32_t *in_a_row;
    double lanes;        /* above 0: no branch diverges, so many lanes are active, and .. */
    double instructions; /* .. a warp executes this share of its instructions */
} wl_answers;

/* A source that answers like `inner`, and serves the launch that one was made for. All zeros
 * where that is. The caller may change what wl_answers_of gives; NULL where the kernel has no
 * source. */
wl_status wl_answers_make(const wl_source *inner, wl_arena *arena, wl_arena *traced, wl_source *out, wl_error *err);
wl_answers *wl_answers_of(const wl_source *source);

#endif /* WL_CAUSES_ANSWERS_H */
