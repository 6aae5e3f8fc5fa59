/* laws_bench.h - traffic and laws with round numbers, for volumes worked out by hand.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TEST_LAWS_BENCH_H
#define WL_TEST_LAWS_BENCH_H

#include "laws/traffic_laws.h"

/* One field, and a place for what comes out. */
typedef struct bench {
    wl_field_traffic field[2];
    wl_volume volume[2];
    wl_traffic traffic;
    wl_laws laws;
    wl_volumes out;
} bench;

/* 100 blocks of 4 warps, ten at a time, two on each multiprocessor; nothing is loaded or stored
 * yet. */
static inline void bench_start(bench *b)
{
    *b = (bench){.traffic = {.field_count = 1,
                             .blocks = 100,
                             .wave_blocks = 10,
                             .warps = 400,
                             .resident = 2,
                             .sms = 5,
                             .l1_bytes = 128 * 1024,
                             .sector = 32,
                             .line = 128,
                             .unit = 64,
                             .fetch = 64,
                             .l2_line = 128,
                             .step_count = 1,
                             .windows_known = true},
                 .laws = {.reload = {0.5, 24, 2.7},
                          .combine = {0.9, 0.3, 6},
                          .combine_warps = {0.1, 0.4},
                          .partitions = 2,
                          .room = 30e6,
                          .steepness = 8}};
    b->traffic.fields = b->field;
}

static inline void bench_run(bench *b) { wl_volumes_by_laws(&b->traffic, &b->laws, b->volume, &b->out); }

/* Loads: 1600 sectors requested, 1000 distinct in each warp, 800 in each block, on 256 lines; one
 * step. */
static inline void add_loads(bench *b)
{
    wl_field_traffic *f = &b->field[0];
    f->stores.loaded_too = true;
    f->loads.requested = 1600;
    f->loads.warp_sectors = f->loads.step_warp_sectors[0] = 1000;
    f->loads.block_sectors = f->loads.step_sectors[0] = 800;
    f->loads.block_units = 500;
    f->loads.block_lines = f->loads.warp_lines = 256;
    f->loads.wave_sectors = 80; /* each read by one block of the wave */
    b->traffic.step_lines[0] = 2.56;
}

#endif /* WL_TEST_LAWS_BENCH_H */
