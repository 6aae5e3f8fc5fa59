/* warp_law.h - what one warp-wide memory instruction costs in the L1.
 *
 * Two laws stand side by side. Where the device's tag hash is known (measured): a tag wavefront takes at most one
 * distinct line per tag bank, lanes being scanned in order and conflicting lines skipped; the data stage serves fixed
 * groups of lanes, one bank word per bank and wavefront, separately for every tag wavefront whose lines are absent.
 * Elsewhere the rule of Ernst et al. 2022, section 4.2: the same groups and banks, and addresses farther apart than
 * a distance do not pair.
 *
 * Layer   count (uses base, device)
 * Units   addresses in bytes, counts per instruction
 * Oracle  tests/unit/test_warp_law.c: measured patterns; the paper's three loads
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARP_LAW_H
#define WL_COUNT_WARP_LAW_H

#include "kernel/expr.h"
#include "warpline/device.h"

typedef struct wl_l1_rules {
    int warp_size;
    int64_t sector, line; /* bytes, powers of two */
    int sector_shift, line_shift;
    int banks, bank_shift; /* data banks; log2 of their width */
    int64_t group_bytes;   /* served by one wavefront at most */
    int unit_shift;        /* log2 of the unit in which the L2 serves requests; that of a sector where not known */
    bool has_hash;
    int tag_banks;
    uint8_t hash[4][1024]; /* a line's tag bank is the exclusive or of one entry per ten bits of its number */
    int64_t pair_distance; /* 0: no distance rule */
    int broadcast;         /* shared_broadcast */
    int local_lanes, local_word_shift; /* lanes whose words of local memory lie side by side; log2 of a word */
} wl_l1_rules;

void wl_l1_rules_make(const wl_device *device, wl_l1_rules *out);

/* The active lanes of one instruction, in lane order. */
typedef struct wl_warp_access {
    int count;
    int32_t width; /* bytes per lane */
    uint8_t lane[WL_LANES_MAX];
    int64_t address[WL_LANES_MAX];
} wl_warp_access;

/* Distinct sectors. */
int wl_warp_sectors(const wl_l1_rules *rules, const wl_warp_access *access);

/* What a store writes: distinct sectors, lines and L2 units, and the sectors it fills. */
typedef struct wl_warp_written {
    int16_t sectors, lines, units, full;
} wl_warp_written;
wl_warp_written wl_warp_write(const wl_l1_rules *rules, const wl_warp_access *access);

/* The bytes of an access in ascending order, neighbours together: sectors and what a store writes depend on these. */
typedef struct wl_runs {
    int count;
    int64_t first[WL_LANES_MAX], last[WL_LANES_MAX];
} wl_runs;
void wl_runs_make(const wl_warp_access *access, wl_runs *out);

/* The same as for the access, all addresses moved by some bytes. */
int wl_runs_sectors(const wl_l1_rules *rules, const wl_runs *runs, int64_t moved);
wl_warp_written wl_runs_write(const wl_l1_rules *rules, const wl_runs *runs, int64_t moved);

/* Data wavefronts with every line present (or by the paper's rule): depends on the addresses modulo group_bytes and on
 * their distances only. */
int wl_warp_hit_wavefronts(const wl_l1_rules *rules, const wl_warp_access *access);

/* Data wavefronts of a load from shared memory. Lanes that read 8 or 16 bytes are served more at a time
 * (shared_broadcast) where all neighbours, or all next but one, read the same: validate/cuda/wide.cu. */
int wl_warp_shared_wavefronts(const wl_l1_rules *rules, const wl_warp_access *access);

/* By the tag-hash law: tag wavefronts, and data wavefronts with every line absent. */
typedef struct wl_tag_cost {
    int tag, cold;
} wl_tag_cost;
wl_tag_cost wl_warp_tag_cost(const wl_l1_rules *rules, const wl_warp_access *access);

static inline int wl_l1_tag_bank(const wl_l1_rules *r, int64_t line)
{
    const uint64_t n = (uint64_t)line;
    return r->hash[0][n & 1023] ^ r->hash[1][n >> 10 & 1023] ^ r->hash[2][n >> 20 & 1023] ^ r->hash[3][n >> 30 & 1023];
}

/* How many lanes are served together. */
int wl_l1_lanes_per_group(const wl_l1_rules *rules, int32_t width);

#endif /* WL_COUNT_WARP_LAW_H */
