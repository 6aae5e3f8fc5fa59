/* jumps.h - do the addresses of neighbouring threads jump about?
 *
 * Threads that follow one another mostly touch neighbouring places, or move on through memory. Where they jump to and
 * fro instead, caches are met at random, and that is another law. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_JUMPS_H
#define WL_PTX_JUMPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wl_ptx_jumps {
    bool started;
    int64_t last;              /* address */
    double forward, back, all; /* jumps of more than a line; lanes looked at */
} wl_ptx_jumps;

static inline void wl_ptx_jumps_add(wl_ptx_jumps *j, int64_t address)
{
    const int64_t line = 128, moved = address - j->last;
    j->all += j->started;
    j->forward += j->started && moved > line;
    j->back += j->started && moved < -line;
    j->started = true;
    j->last = address;
}

static inline bool wl_ptx_jumps_about(const wl_ptx_jumps *j)
{
    const double jumps = j->forward + j->back;
    return jumps > j->all / 64 && j->back > jumps / 4 && j->forward > jumps / 4;
}

#endif /* WL_PTX_JUMPS_H */
