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

/* Jumps that may alternate: along a row, over elements that belong to another trip, and to the next
 * row. */
#define WL_PTX_JUMPS_KEPT 4

typedef struct wl_ptx_address_pattern {
    /* false: the next address has no predecessor, as at the start of a block */
    bool started;
    int64_t last;                     /* previous address */
    int64_t jumps[WL_PTX_JUMPS_KEPT]; /* the last ones, in bytes, in any order; 0: none */
    int next;                         /* which of them is the oldest */
    /* jumps of more than a cache line, by direction; addresses with a predecessor */
    double forward, back, all;
    double alike; /* jumps of the same distance as one of the last few */
} wl_ptx_address_pattern;

static inline void wl_ptx_address_pattern_add(wl_ptx_address_pattern *p, int64_t address)
{
    const int64_t line = 128, moved = address - p->last;
    const bool jumped = p->started && (moved > line || moved < -line);
    p->all += p->started;
    p->forward += jumped && moved > 0;
    p->back += jumped && moved < 0;
    bool known = false;
    for (int i = 0; i < WL_PTX_JUMPS_KEPT; i++)
        known = known || p->jumps[i] == moved;
    p->alike += jumped && known;
    if (jumped && !known) {
        p->jumps[p->next] = moved;
        p->next = (p->next + 1) % WL_PTX_JUMPS_KEPT;
    }
    p->started = true;
    p->last = address;
}

static inline bool wl_ptx_address_pattern_is_irregular(const wl_ptx_address_pattern *p)
{
    const double jumps = p->forward + p->back;
    return jumps > p->all / 64 && p->back > jumps / 4 && p->forward > jumps / 4 && p->alike < jumps / 4;
}

#endif /* WL_PTX_KERNEL_ADDRESS_PATTERN_H */
