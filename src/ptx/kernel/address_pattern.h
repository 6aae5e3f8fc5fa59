/* address_pattern.h - classifies the addresses of consecutive threads: regular, or irregular.
 *
 * Consecutive threads usually touch neighbouring addresses or move through memory in one
 * direction. An irregular pattern jumps back and forth by varying distances, as a gather through
 * random indices does. Caches then hit at random, and another law applies (`random: true`).
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_ADDRESS_PATTERN_H
#define WL_PTX_KERNEL_ADDRESS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wl_ptx_address_pattern {
    /* false: the next address has no predecessor, as at the start of a block */
    bool started;
    int64_t last, last_jump; /* previous address; previous jump in bytes */
    /* jumps of more than a cache line, by direction; addresses with a predecessor */
    double forward, back, all;
    double alike; /* jumps of the same distance as the one before */
} wl_ptx_address_pattern;

static inline void wl_ptx_address_pattern_add(wl_ptx_address_pattern *p, int64_t address)
{
    const int64_t line = 128, moved = address - p->last;
    const bool jumped = p->started && (moved > line || moved < -line);
    p->all += p->started;
    p->forward += jumped && moved > 0;
    p->back += jumped && moved < 0;
    p->alike += jumped && moved == p->last_jump;
    p->last_jump = jumped ? moved : p->last_jump;
    p->started = true;
    p->last = address;
}

static inline bool wl_ptx_address_pattern_is_irregular(const wl_ptx_address_pattern *p)
{
    const double jumps = p->forward + p->back;
    return jumps > p->all / 64 && p->back > jumps / 4 && p->forward > jumps / 4 && p->alike < jumps / 4;
}

#endif /* WL_PTX_KERNEL_ADDRESS_PATTERN_H */
