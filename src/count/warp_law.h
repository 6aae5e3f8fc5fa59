/* warp_law.h - the cost of one warp-wide memory instruction in the L1: coalescing, bank conflicts,
 * tag conflicts.
 *
 * There are two laws. With a measured tag hash: a tag wavefront takes at most one distinct line per
 * tag bank, scanning lanes in order and skipping conflicting lines; the data stage serves fixed
 * groups of lanes, one word per bank and wavefront, separately for every tag wavefront whose lines
 * miss. Without one, the rule of Ernst et al. 2022, section 4.2: the same groups and banks, but
 * addresses farther apart than a distance do not share a wavefront. Shared memory has banks of its
 * own and no tags: neither the hash nor the distance matters there.
 *
 * Layer  count (uses base, device). Units: byte addresses; counts per instruction.
 * Oracle  tests/unit/test_warp_law.c: measured patterns; the paper's three loads
 * SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARP_LAW_H
#define WL_COUNT_WARP_LAW_H

#include "kernel/expr.h"
#include "warpline/device.h"

/* Banks that each deliver one word per wavefront. */
typedef struct wl_banks {
    int banks, bank_shift; /* how many; log2 of their width */
    int64_t group_bytes;   /* at most served by one wavefront */
} wl_banks;

#define WL_SHARED_WORD_MAX 16 /* bytes of a bank of shared memory */

#define WL_HASH_BITS 10 /* of a line number per table */

/* With four tag banks: the ways in which a few lines can share banks, whichever banks they are. */
#define WL_FEW_LINES 5
#define WL_SHARINGS_MAX 96

typedef struct wl_l1_rules {
    int warp_size;
    int64_t sector, line; /* bytes, powers of two */
    int sector_shift, line_shift;
    wl_banks data, shared; /* of the L1 and of shared memory */
    /* log2 of the unit in which the L2 serves requests; a sector if unknown */
    int unit_shift;
    bool has_hash;
    int tag_banks;
    /* a line's tag bank is the XOR of one entry per ten bits of its number */
    uint8_t hash[4][1 << WL_HASH_BITS];
    /* how a few lines share four tag banks: indexed by the XOR of each line's bank with the first
     * one's, two bits each; the bits of absent lines are ignored, but must be equal */
    uint8_t sharing[1 << 2 * (WL_FEW_LINES - 1)];
    int64_t pair_distance;             /* 0: no distance rule */
    int broadcast;                     /* factor of lanes that read wide words at once */
    int slice_lines;                   /* neighbouring lines that one slice of the L2 serves */
    int local_lanes, local_word_shift; /* lanes with interleaved local memory; log2 of a word */
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

/* What a store writes: distinct sectors, lines and L2 units, and sectors it fills. */
typedef struct wl_warp_written {
    int16_t sectors, lines, units, full;
} wl_warp_written;
wl_warp_written wl_warp_write(const wl_l1_rules *rules, const wl_warp_access *access);

/* The bytes of an access as ascending runs: sectors and what a store writes depend on these
 * alone. */
typedef struct wl_runs {
    int count;
    int64_t first[WL_LANES_MAX], last[WL_LANES_MAX];
} wl_runs;
void wl_runs_make(const wl_warp_access *access, wl_runs *out);

/* Runs so far apart that they share no granule: what each costs depends on its length and its place
 * in the largest granule alone. */
typedef struct wl_run_kinds {
    int count; /* of kinds; 0: runs are too close */
    uint8_t runs[WL_LANES_MAX];
    wl_runs kinds; /* one of each */
} wl_run_kinds;
void wl_run_kinds_make(const wl_l1_rules *rules, const wl_runs *runs, wl_run_kinds *out);
wl_warp_written wl_run_kinds_write(const wl_l1_rules *rules, const wl_run_kinds *kinds, int64_t moved);

/* As for the access, with all addresses moved by some bytes. */
int wl_runs_sectors(const wl_l1_rules *rules, const wl_runs *runs, int64_t moved);
wl_warp_written wl_runs_write(const wl_l1_rules *rules, const wl_runs *runs, int64_t moved);

/* Data wavefronts if every line hits (or by the paper's rule): depend only on the addresses modulo
 * group_bytes and on their distances. */
int wl_warp_hit_wavefronts(const wl_l1_rules *rules, const wl_warp_access *access);

/* Wavefronts of an access to shared memory: bank conflicts only. A load serves more lanes of 8 or
 * 16 bytes at once if all neighbours, or all next but one, read the same
 * address: validate/cuda/wide.cu. Depend only on the addresses modulo a word of the banks and on
 * their distances. */
int wl_warp_shared_wavefronts(const wl_l1_rules *rules, const wl_warp_access *access, bool load);

/* What the cache of constants serves one after the other: distinct addresses, not words; and how
 * many of its lines they are in. Measured: validate/probes/h200_constants.csv. */
typedef struct wl_constant_cost {
    int passes, lines;
} wl_constant_cost;
#define WL_CONSTANT_LINE 64    /* bytes */
#define WL_CONSTANT_LINES 1024 /* of a variable */
wl_constant_cost wl_warp_constant_cost(const wl_warp_access *access);

/* Packets of an atomic on the shared memory of other blocks of a cluster: one for each sector, and
 * as many as lanes change its busiest word. Measured: validate/probes/h200_clusters.csv. */
int wl_warp_atomic_packets(const wl_l1_rules *rules, const wl_warp_access *access);

/* A texture or surface instruction: every `lanes` lanes make a request, which asks for its own
 * distinct sectors and returns a sector's worth of texels per wavefront. */
typedef struct wl_texture_cost {
    int sectors, wavefronts;
} wl_texture_cost;
wl_texture_cost wl_warp_texture_cost(const wl_l1_rules *rules, const wl_warp_access *access, int lanes);

/* By the tag-hash law: tag wavefronts, and data wavefronts if every line misses. */
typedef struct wl_tag_cost {
    int tag, cold;
} wl_tag_cost;
wl_tag_cost wl_warp_tag_cost(const wl_l1_rules *rules, const wl_warp_access *access);

static inline int wl_l1_tag_bank(const wl_l1_rules *r, int64_t line)
{
    const uint64_t n = (uint64_t)line;
    return r->hash[0][n & 1023] ^ r->hash[1][n >> 10 & 1023] ^ r->hash[2][n >> 20 & 1023] ^ r->hash[3][n >> 30 & 1023];
}

/* How the tag bank of a line differs from that of another: the hash is linear, so only the bits in
 * which the lines differ matter, and of close ones these are few. */
static inline int wl_l1_tag_difference(const wl_l1_rules *r, int64_t line, int64_t other)
{
    const uint64_t changed = (uint64_t)line ^ (uint64_t)other;
    return changed >> WL_HASH_BITS == 0 ? r->hash[0][changed] : wl_l1_tag_bank(r, (int64_t)changed);
}

/* How many lanes of a warp are served together. */
int wl_lanes_per_group(const wl_banks *banks, int warp_size, int32_t width);

#endif /* WL_COUNT_WARP_LAW_H */
