/* address_pattern.h - do the addresses of neighbouring threads jump about?
 *
 * Threads that follow one another mostly touch neighbouring places, or move on through memory. Where they jump to and
 * fro instead, caches are met at random, and that is another law. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_ADDRESS_PATTERN_H
#define WL_PTX_KERNEL_ADDRESS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wl_ptx_address_pattern {
    bool started;              /* false: what follows has nothing to do with what came before, as in another block */
    int64_t last, last_jump;   /* address, distance */
    double forward, back, all; /* jumps of more than a line; lanes looked at */
    double alike;              /* jumps as far as the one before */
} wl_ptx_address_pattern;

static inline void wl_ptx_address_pattern_add(wl_ptx_address_pattern *j, int64_t address)
{
    const int64_t line = 128, moved = address - j->last;
    const bool jumped = j->started && (moved > line || moved < -line);
    j->all += j->started;
    j->forward += jumped && moved > 0;
    j->back += jumped && moved < 0;
    j->alike += jumped && moved == j->last_jump;
    j->last_jump = jumped ? moved : j->last_jump;
    j->started = true;
    j->last = address;
}

static inline bool wl_ptx_address_pattern_is_irregular(const wl_ptx_address_pattern *j)
{
    const double jumps = j->forward + j->back;
    return jumps > j->all / 64 && j->back > jumps / 4 && j->forward > jumps / 4 && j->alike < jumps / 4;
}

#endif /* WL_PTX_KERNEL_ADDRESS_PATTERN_H */
