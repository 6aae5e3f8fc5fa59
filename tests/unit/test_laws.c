/* test_laws.c - laws/traffic_laws.h at the L1, and laws/l1_law.h: volumes worked out by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "laws/l1_law.h"
#include "unit/laws_bench.h"
#include "warpline/warpline.h"

#define NEAR 1e-12

/* ---- L1: loads ---- */

static void nothing_is_loaded_again_in_a_large_l1(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.laws.reload[1] = 1e4; /* exp(-1e4): nothing */
    bench_run(&b);
    check_near("large", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    check_near("large", "capacity", b.out.total.l2_capacity, 0, 0);
    check_near("large", "miss rate", b.out.l1_miss_rate, 0, 0);
    check_near("large", "lines of the resident blocks", b.out.l1_alloc_bytes, 256 * 128 / 100.0 * 2, NEAR);
    check_near("large", "oversubscription", b.out.l1_oversubscription, 256 * 128 / 100.0 * 2 / (128 * 1024), NEAR);
    check_near("large", "units", b.out.requests.read_units, 500, NEAR);
    check_near("large", "bytes of a line", b.out.requests.chunk, 32 * 800 / 256.0, NEAR);
    check_done();
}

/* O = 512 lines x 128 B x 2 blocks / 128 KiB = 1: 0.5 exp(-24 exp(-2.7)) of sqrt(800 x 200) = 400
 * sectors. */
static void the_reload_curve_at_a_given_point(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.traffic.step_lines[0] = 512;
    bench_run(&b);
    const double again = 400 * 0.5 * exp(-24 * exp(-2.7));
    check_near("O = 1", "capacity", b.out.total.l2_capacity, again * 32, NEAR);
    check_near("O = 1", "value", again, 39.858, 1e-4);
    check_near("O = 1", "miss rate", b.out.l1_miss_rate, again / 800, NEAR);
    check_near("O = 1", "units", b.out.requests.read_units, 500 + again * 500 / 800, NEAR);
    /* what is requested again by the same warp only never misses */
    b.field[0].loads.step_warp_sectors[0] = 800;
    bench_run(&b);
    check_near("one warp", "capacity", b.out.total.l2_capacity, 0, 0);
    /* never more than was asked for again */
    b.field[0].loads.step_warp_sectors[0] = 800 + 1e9;
    b.laws.reload[0] = 1;
    b.traffic.step_lines[0] = 1e6;
    bench_run(&b);
    check_near("all", "miss rate", b.out.l1_miss_rate, 1, NEAR);
    check_done();
}

/* Replayed loads: a quarter of 1600 sectors misses, 3 units for 4 of them, a fifth of which are
 * single sectors. What the block requests in all, 5 units for 8 sectors, does not matter. */
static void replayed_loads_tell_their_requests(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.traffic.windows_known = false;
    b.field[0].replay.replayed = true;
    b.field[0].replay.missed = 0.25;
    b.field[0].replay.units = 0.75;
    b.field[0].replay.lone = 0.2;
    bench_run(&b);
    check_near("replayed", "volume", b.out.total.l2_compulsory + b.out.total.l2_capacity, 400 * 32, NEAR);
    check_near("replayed", "units", b.out.requests.read_units, 300, NEAR);
    check_near("replayed", "single sectors", b.out.requests.lone_units, 60, NEAR);
    b.field[0].loads.block_lines = 800; /* a sector of each line, in the whole block */
    bench_run(&b);
    check_near("a sector of a line", "single sectors", b.out.requests.lone_units, 60, NEAR);
    check_done();
}

/* Runs of 1, 4 and 16 steps, which request 1600 sectors and have 1400, 1000 and 800 distinct
 * ones. */
static void add_steps(bench *b, double short_lines, double lines, double all_lines)
{
    const double sectors[] = {1400, 1000, 800};
    wl_field_traffic *f = &b->field[0];
    b->traffic.step_count = 3;
    for (int n = 0; n < 3; n++) {
        f->loads.step_sectors[n] = sectors[n];
        b->traffic.step_lines[n] = n == 0 ? short_lines : n == 1 ? lines : all_lines;
        b->traffic.step_distinct[n] = 4 * b->traffic.step_lines[n];
        b->traffic.step_share[n] = n == 0 ? 1.0 / 16 : n == 1 ? 1.0 / 4 : 1;
    }
    f->loads.step_warp_sectors[0] = 1500;
    f->loads.block_lines = 1e6; /* so many that an empty cache at the start does not matter */
}

/* What a run has from shorter ones is lost by the lines of these, which have passed since: the
 * share
 * tanh(sqrt(fresh) O)^2, where as many are fresh as the prediction says in the end. */
static void loops_are_judged_run_by_run(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    add_steps(&b, 250, 450, 700);
    bench_run(&b);
    const double again = b.out.total.l2_capacity / 32, unit = 128 * 2 / b.traffic.l1_bytes;
    const double first = 0.5 * exp(-24 * exp(-2.7 * 250 * unit)) * sqrt(200.0 * 100.0);
    const double evict = 1 - b.traffic.l1_bytes / ((800 + again) / 800 * 1e6 / 5 * 128);
    const double second = tanh(sqrt(fmin(1, (800 + again) / 1400) * evict) * 250 * unit),
                 third = tanh(sqrt(fmin(1, (800 + again) / 1000) * evict) * 450 * unit);
    check_near("steps", "capacity", again, first + 400 * second * second + 200 * third * third, 1e-9);
    check_near("steps", "miss rate", b.out.l1_miss_rate, again / 800, 1e-9);
    check_true("steps", "something is lost, not all", again > 100 && again < 700);
    /* passes over rows that are far larger than the L1: each loads all of it again */
    b.traffic.step_count = 2;
    b.traffic.step_lines[0] = b.traffic.step_lines[1] = 1e6;
    b.field[0].loads.step_warp_sectors[0] = b.field[0].loads.step_sectors[0] = b.field[0].loads.requested;
    b.field[0].loads.step_sectors[1] = 800;
    bench_run(&b);
    check_near("passes", "miss rate", b.out.l1_miss_rate, 1, NEAR);
    /* a launch that does not fill the L1 evicts nothing, however often it passes over its data */
    b.field[0].loads.block_lines = 256;
    b.traffic.step_lines[0] = b.traffic.step_lines[1] = 2.56;
    bench_run(&b);
    check_near("small", "miss rate", b.out.l1_miss_rate, 0, 0);
    check_done();
}

/* 800 sectors of blocks. Of 3200 that warps load, three quarters are those of others, at another
 * step; or at the same one, as in a matrix product. */
static void what_warps_share_at_other_steps(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    wl_field_traffic *f = &b.field[0];
    f->loads.warp_sectors = 3200;
    f->loads.step_warp_sectors[0] = 0;
    bench_run(&b);
    check_near("not counted", "share", b.out.requests.shared_later, 0, 0);
    b.traffic.step_count = 1;
    f->loads.step_warp_sectors[0] = f->loads.step_sectors[0] = 5000;
    bench_run(&b);
    check_near("other steps", "share", b.out.requests.shared_later, 0.75, NEAR);
    check_near("other steps", "warps in step", b.out.requests.group, 1, NEAR);
    f->loads.step_sectors[0] = 5000.0 / 4;
    bench_run(&b);
    check_near("the same step", "share", b.out.requests.shared_later, 0, NEAR);
    check_near("the same step", "warps in step", b.out.requests.group, 4, NEAR);
    f->loads.step_sectors[0] = 5000.0 / 2;
    bench_run(&b);
    check_near("two by two", "share", b.out.requests.shared_later, 0.5, NEAR);
    check_near("two by two", "warps in step", b.out.requests.group, 2, NEAR);
    f->loads.step_sectors[0] = 5000 * 0.8;
    bench_run(&b);
    check_near("sectors at the edges", "warps in step", b.out.requests.group, 1, NEAR);
    check_done();
}

/* Two passes over rows: what the L1 has lost is in the L2 unless that has been filled since, by
 * what it saw: the lines that missed the L1, and stores. */
static void passes_come_from_memory_again(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    wl_field_traffic *f = &b.field[0];
    b.traffic.step_count = 3; /* a step, one pass, both */
    b.traffic.step_share[1] = 0.5;
    b.traffic.step_share[2] = 1;
    /* 1600: two passes over 800 */
    f->loads.step_warp_sectors[0] = f->loads.step_sectors[0] = f->loads.step_sectors[1] = f->loads.requested;
    f->loads.step_sectors[2] = 800;
    f->loads.block_lines = 1e9;
    b.traffic.step_distinct[1] = b.traffic.step_distinct[2] = 4e6 / 32;
    /* a row of 4 MB a block, 40 MB a wave */
    b.traffic.step_lines[1] = b.traffic.step_lines[2] = 4e6 / 128;
    f->stores.block_lines = 1e6 / 128 * 100;
    bench_run(&b);
    /* one reader: 3/4 of the lines are in a given partition; half of the stores of 10 MB a wave
     * pass meanwhile */
    const double volume = 0.75 * (40e6 + 5e6), gone = exp(-log(2) * pow(30e6 / volume, 8));
    check_near("rows of 4 MB", "all of the second pass misses the L1", b.out.l1_miss_rate, 1, 1e-6);
    check_near("rows of 4 MB", "and this much the L2", b.out.total.dram_capacity, 800 * 32 * gone, 1e-6);
    check_true("rows of 4 MB", "a part", gone > 0.3 && gone < 0.9);
    /* ten blocks read each line, which is fetched once for all of them, if at all */
    f->loads.wave_sectors = 8;
    bench_run(&b);
    check_near("shared rows", "nothing", b.out.total.dram_capacity, 0, 1e-6);
    check_done();
}

/* A stencil that walks: an end of a run costs 10 sectors whatever its length, for they come back
 * one step later. */
static void a_sliding_window_comes_back_soon(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    wl_field_traffic *f = &b.field[0];
    const double runs[] = {64, 16, 4, 1};
    b.traffic.step_count = 4;
    for (int n = 0; n < 4; n++) {
        f->loads.step_runs[n] = runs[n];
        f->loads.step_sectors[n] = 800 + 10 * (runs[n] - 1);
        f->loads.step_warp_sectors[n] = 0;
        /* all steps together are far too much for the L1 */
        b.traffic.step_lines[n] = n == 3 ? 1e6 : 1;
        b.traffic.step_distinct[n] = f->loads.step_sectors[n] / runs[n];
    }
    f->loads.requested = f->loads.step_sectors[0];
    f->loads.block_lines = 1e9; /* the first lines, which fill an empty cache, do not count */
    bench_run(&b);
    check_true("a window of one step", "hits", b.out.total.l2_capacity < 1);
    /* ends of runs of 16 cost 40: 30 of them come back only after 4 steps */
    f->loads.step_sectors[0] += 10 * 3 * (16 - 4);
    f->loads.step_sectors[1] += 10 * 3 * (16 - 4);
    f->loads.requested = f->loads.step_sectors[0];
    b.traffic.step_lines[1] = 1e6;
    bench_run(&b);
    check_near("a longer window", "misses", b.out.total.l2_capacity, 10 * 3 * (16 - 4) * 32, 1e-4);
    check_done();
}

/* 64 steps, each of 2.5 times the L1: what a warp loads again a step later is gone, unless the loop
 * is unrolled. */
static void what_a_warp_loads_again_must_outlive_the_others(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    wl_field_traffic *f = &b.field[0];
    const double runs[] = {64, 16, 4, 1};
    b.traffic.step_count = 4;
    for (int n = 0; n < 4; n++) {
        f->loads.step_runs[n] = runs[n];
        f->loads.step_sectors[n] = f->loads.step_warp_sectors[n] = 800 + 10 * (runs[n] - 1);
        b.traffic.step_lines[n] = 1280;
        b.traffic.step_distinct[n] = f->loads.step_sectors[n] / runs[n];
    }
    f->loads.requested = f->loads.step_sectors[0];
    f->loads.block_lines = 1e9; /* the first lines, which fill an empty cache, do not count */
    bench_run(&b);
    check_near("a few steps", "misses", b.out.total.l2_capacity, 0, 0);
    f->loads.step_warp_sectors[3] = 0; /* more steps than are issued at once */
    bench_run(&b);
    check_near("a walk", "misses", b.out.total.l2_capacity, 630 * 32 * pow(tanh(2.5), 2), 1e-2);
    check_done();
}

static void requests_of_several_blocks_merge(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.traffic.step_lines[0] = 512;
    bench_run(&b);
    const double capacity = b.out.total.l2_capacity, units = b.out.requests.read_units;
    b.laws.merge = 0.08;
    b.field[0].loads.wave_sectors = 20;
    bench_run(&b);
    const double arrive = 1 - 0.08 * 0.75 * 0.75;
    check_near("merge", "compulsory", b.out.total.l2_compulsory, 800 * 32 * arrive, NEAR);
    check_near("merge", "capacity", b.out.total.l2_capacity, capacity * arrive, NEAR);
    check_near("merge", "units", b.out.requests.read_units, units * arrive, NEAR);
    b.field[0].loads.wave_sectors = 200; /* fewer readers than one: a sample; nothing merges */
    bench_run(&b);
    check_near("one reader", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    /* neighbours that request the same at the same moment: one of four arrives */
    b.field[0].loads.in_step = 0.75;
    bench_run(&b);
    check_near("in step", "compulsory", b.out.total.l2_compulsory, 200 * 32, NEAR);
    check_near("in step", "capacity", b.out.total.l2_capacity, capacity / 4, NEAR);
    b.field[0].loads.in_step = 0;
    b.field[0].loads.wave_sectors = 20;
    b.traffic.windows_known = false; /* the wave is not known either */
    bench_run(&b);
    check_near("unknown wave", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    check_true("unknown wave", "the L2 side is not known", !b.out.known);
    check_done();
}

/* Bulk copies of what neighbours copy, too: all join in the first of four waves; later, as long as
 * products do not hide what blocks wait for. */
static void copies_join_wave_by_wave(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    wl_field_traffic none = {.windows = b.field[0].windows};
    wl_traffic of_l1 = b.traffic;
    of_l1.fields = &none;
    of_l1.field_count = 1;
    b.traffic.of_l1 = &of_l1;
    b.traffic.field_count = 1;
    b.traffic.blocks = 4 * b.traffic.wave_blocks;
    b.field[0].loads.copied = true;
    const double share[] = {0.25, 0.55, 0.8, 100, 2};
    memcpy(b.laws.walk_merge, share, sizeof share);
    bench_run(&b);
    const double all = b.out.total.l2_compulsory + b.out.total.l2_capacity;
    b.field[0].loads.in_step = 0.75;
    const struct {
        const char *name;
        double ring, rounds, joined;
    } cases[] = {{"waits", 0, 0, (1 + 3 * 0.8) / 4},
                 {"hides half", 100, 0, (1 + 3 * 0.4) / 4},
                 {"hides all", 1e9, 0, 1.0 / 4},
                 {"blocks that stay", 1e9, 10, 1.0 / 10}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        b.traffic.ring_cycles = cases[i].ring;
        b.traffic.rounds = cases[i].rounds;
        bench_run(&b);
        check_near(cases[i].name, "loads", b.out.total.l2_compulsory + b.out.total.l2_capacity,
                   all * (1 - 0.75 * cases[i].joined), NEAR);
    }
    check_done();
}

/* ---- L1: stores ---- */

/* Blocks of several waves that load the same: two on each multiprocessor, of one, two or ten
 * groups. */
static void blocks_that_load_the_same_walk_together(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.laws.reload[1] = 1e4;            /* nothing is loaded again */
    b.field[0].loads.wave_sectors = 8; /* as much as one block loads */
    bench_run(&b);
    check_near("not common", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    b.field[0].loads.far_common = true;
    bench_run(&b);
    check_near("one group", "half of it, in two of three cases", b.out.total.l2_compulsory,
               800 * 32 * (1 - 2.0 / 3 * 1 / 2), NEAR);
    b.field[0].loads.wave_sectors = 16;
    bench_run(&b);
    check_near("two groups", "a quarter, in half of the cases", b.out.total.l2_compulsory,
               800 * 32 * (1 - 1.0 / 2 * 1 / 4), NEAR);
    b.field[0].loads.wave_sectors = 80;
    bench_run(&b);
    check_near("ten groups", "hardly any", b.out.total.l2_compulsory, 800 * 32 * (1 - 0.2 / 1.2 * 1 / 20), NEAR);
    check_done();
}

/* 1000 sectors written by 200 instructions, 800 of them distinct in each warp, 600 in each
 * block. */
static void add_stores(bench *b, double lines_per_store)
{
    wl_field_traffic *f = &b->field[0];
    f->stores.inst = 200;
    f->stores.written = 1000;
    f->stores.written_lines = 200 * lines_per_store;
    f->stores.written_units = 700;
    f->stores.warp = 800;
    f->stores.block = 600;
    f->stores.block_lines = 300;
    f->stores.sectors = 600;
}

static void stores_combine(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double lines, warp_lines, within, between;
    } cases[] = {
        {"few lines, warps apart", 6, 0, 0.9, 0.1},
        {"one line more", 6.01, 0, 0.3, 0.1},
        {"few lines, warps in step", 2, 1000, 0.9, 0.4},
        {"half in step", 2, 200, 0.9, 0.25},
        /* every other warp stores to 32 lines: the stage holds 6 of 16 */
        {"many lines, warps in step", 32, 400, 0.3, 0.1 + 0.3 * 6 / 16},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        bench_start(&b);
        add_stores(&b, cases[i].lines);
        /* no line is shared by warps: block_lines is 0 */
        b.field[0].loads.warp_lines = cases[i].warp_lines;
        bench_run(&b);
        const double sectors = 1000 - cases[i].within * 200 - cases[i].between * 200;
        check_near(cases[i].name, "bytes", b.out.total.l2_store, 32 * sectors, NEAR);
        check_near(cases[i].name, "bytes of a line", b.out.requests.write_chunk, 32 * 600 / 300.0, NEAR);
    }
    check_done();
}

/* Written sectors are whole, or come in pieces that meet in the L2. */
static void pieces_merge_when_another_follows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double lines, written_full, warp_full, stored, sectors, pieces;
    } cases[] = {
        /* 1000 - 0.9 * 200 - 0.1 * 200 = 800 arrive; 400 are whole at once, 0.9 of 200 more within
         * the warp: 220 are pieces of 600 - 600 -> at least 1 sector: all of them are followed by
         * another. A line has five sectors, 1.375 of them pieces */
        {"all merge", 1, 400, 600, 600, 800, 220 / 1.111990045284658},
        /* 800 arrive, none whole, into 400 sectors: two pieces each, one request spared for each */
        {"two pieces each", 5, 0, 0, 400, 800, 800},
        {"three pieces into two", 5, 0, 0, 800 / 1.5, 800, 800 * 0.5},
        {"nothing follows", 5, 0, 0, 800, 800, 0},
        {"fewer pieces than sectors", 5, 0, 0, 1000, 800, 0},
        {"not known what is stored", 5, 0, 0, 0, 800, 800},
        {"whole", 5, 1000, 1000, 600, 800, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        bench_start(&b);
        add_stores(&b, cases[i].lines);
        b.field[0].stores.written_full = cases[i].written_full;
        b.field[0].stores.warp_full = cases[i].warp_full;
        b.field[0].stores.sectors = cases[i].stored;
        bench_run(&b);
        check_near(cases[i].name, "sectors", b.out.total.l2_store / 32, cases[i].sectors, NEAR);
        check_near(cases[i].name, "pieces", b.out.requests.pieces, cases[i].pieces, NEAR);
    }
    check_done();
}

/* A piece that is alone in its line overlaps with nothing, unless few lines of the warp's other
 * stores lie between it and the next: here two stores of a warp, of so many lines each. */
static void lone_pieces_wait_behind_other_stores(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double lines, together, lone;
    } cases[] = {
        {"five lines of one piece", 5, 1, 1 - 0.36},
        {"three lines", 3, 5 / 3.0, 0},
        {"two pieces a line", 2.5, 2, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        bench_start(&b);
        add_stores(&b, cases[i].lines);
        b.field[0].stores.sectors = 400;
        b.traffic.warps = 100;
        bench_run(&b);
        const double pieces = 800 / cbrt(cases[i].together);
        check_near(cases[i].name, "pieces", b.out.requests.pieces, pieces, NEAR);
        check_near(cases[i].name, "lone", b.out.requests.lone_pieces, pieces * cases[i].lone, NEAR);
    }
    check_done();
}

static void whole_sectors_move_in_units(void **state)
{
    (void)state;
    /* here all 800 of 1000 */
    bench b;
    bench_start(&b);
    add_stores(&b, 5);
    b.field[0].stores.written_full = b.field[0].stores.warp_full = 1000;
    bench_run(&b);
    check_near("units", "written", b.out.requests.written_units, 700 * 0.8, NEAR);
    b.field[0].stores.written_full = b.field[0].stores.warp_full = 300;
    bench_run(&b);
    check_near("units of the whole ones", "written", b.out.requests.written_units, 700 * 0.3, NEAR);
    check_done();
}

static void no_loads_and_no_stores(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    b.traffic.window_count = 1;
    b.traffic.window_repeats[0] = 1;
    b.traffic.window_blocks[0] = 100;
    bench_run(&b);
    check_near("nothing", "loads", b.out.total.l2_compulsory + b.out.total.l2_capacity, 0, 0);
    check_near("nothing", "stores", b.out.total.l2_store + b.out.total.dram_store, 0, 0);
    check_near("nothing", "bytes of a line", b.out.requests.chunk, 128, 0);
    check_near("nothing", "bytes of a written line", b.out.requests.write_chunk, 128, 0);
    check_near("nothing", "miss rate", b.out.l1_miss_rate, 0, 0);
    check_done();
}
/* ---- L1 wavefronts ---- */

static void wavefronts_by_hand(void **state)
{
    (void)state;
    const wl_l1_totals t = {.load_inst = 700,
                            .store_inst = 100,
                            .load_hit = 1400,
                            .load_cold = 1500,
                            .store_hit = 200,
                            .store_split = 40,
                            .warps = 100,
                            .loads_per_warp = 7};
    const wl_l1_numbers n = {.extra = {9, 6, 3}, .split = {0.75, 8}};
    wl_l1_wavefronts w = wl_l1_law(&t, &n);
    check_near("seven loads", "loads", w.loads, 1500, 0);
    check_near("seven loads", "stores", w.stores, 230, NEAR);
    check_near("seven loads", "extra", w.load_store, 100 * 9 * (1 - exp(-7.0 / 6)) * 2 / 5, NEAR);
    wl_l1_totals only = t;
    only.store_inst = only.store_hit = 0;
    check_near("loads only", "extra", wl_l1_law(&only, &n).load_store, 0, 0);
    only = t;
    only.load_inst = 0;
    check_near("stores only", "extra", wl_l1_law(&only, &n).load_store, 0, 0);
    check_near("device without", "extra", wl_l1_law(&t, &(wl_l1_numbers){0}).load_store, 0, 0);
    check_done();
}

static void numbers_are_read_from_the_device(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_laws laws;
    assert_int_equal(wl_device_builtin("gtx970", &device, &err), WL_OK);
    check_true("gtx970", "has the laws of its architecture", wl_laws_read(device, &laws));
    check_ok("none", wl_device_set(device, "l1_reload_curve=none", &err), &err);
    check_true("none", "has no laws", !wl_laws_read(device, &laws));
    wl_device_free(device);
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    static const char *const sets[] = {"l1_reload_curve=[0.1,0.2,0.3]",
                                       "l2_merge=0.4",
                                       "l2_merge_blocks=5",
                                       "store_combine=[0.5,0.6,5]",
                                       "l2_reuse_room=700B",
                                       "store_combine_warps=[0.7,0.8]",
                                       "l2_reuse_steepness=9",
                                       "l2_partial_room=1000B",
                                       "l2_dirty_rest=[1100,1200]",
                                       "l2_random_hits=[0.35,0.45]",
                                       "l2_walk_merge=[0.25,0.55,0.5,100,2]",
                                       "l2_partitions=3",
                                       "gpcs=11",
                                       "memory_cache=1300B"};
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        check_ok(sets[i], wl_device_set(device, sets[i], &err), &err);
    check_true("h200", "has laws", wl_laws_read(device, &laws));
    const wl_laws want = {{0.1, 0.2, 0.3},
                          0.4,
                          {0.5, 0.6, 5},
                          {0.7, 0.8},
                          3,
                          700,
                          9,
                          1000,
                          {1100, 1200},
                          {0.35, 0.45},
                          {0.25, 0.55, 0.5, 100, 2},
                          5,
                          12,
                          1300};
    const double *got = (const double *)&laws, *wanted = (const double *)&want;
    for (size_t i = 0; i < sizeof laws / sizeof(double); i++)
        check_near("h200", "number", got[i], wanted[i], NEAR);
    wl_device_free(device);
    check_done();
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_loaded_again_in_a_large_l1),
        cmocka_unit_test(the_reload_curve_at_a_given_point),
        cmocka_unit_test(replayed_loads_tell_their_requests),
        cmocka_unit_test(loops_are_judged_run_by_run),
        cmocka_unit_test(what_warps_share_at_other_steps),
        cmocka_unit_test(passes_come_from_memory_again),
        cmocka_unit_test(a_sliding_window_comes_back_soon),
        cmocka_unit_test(what_a_warp_loads_again_must_outlive_the_others),
        cmocka_unit_test(blocks_that_load_the_same_walk_together),
        cmocka_unit_test(requests_of_several_blocks_merge),
        cmocka_unit_test(copies_join_wave_by_wave),
        cmocka_unit_test(stores_combine),
        cmocka_unit_test(pieces_merge_when_another_follows),
        cmocka_unit_test(lone_pieces_wait_behind_other_stores),
        cmocka_unit_test(whole_sectors_move_in_units),
        cmocka_unit_test(no_loads_and_no_stores),
        cmocka_unit_test(wavefronts_by_hand),
        cmocka_unit_test(numbers_are_read_from_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
