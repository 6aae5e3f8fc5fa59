/* test_laws.c - metrics/laws.h and metrics/l1_law.h: volumes worked out by hand, and the closed
 * form of the two L2 halves written once more. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "laws/l1_law.h"
#include "laws/traffic_laws.h"
#include "warpline/warpline.h"

#define NEAR 1e-12

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
static void bench_start(bench *b)
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
                          .combine_lines = 6,
                          .combine = {0.9, 0.3},
                          .combine_warps = {0.1, 0.4},
                          .partitions = 2,
                          .room = 30e6,
                          .steepness = 8}};
    b->traffic.fields = b->field;
}

static void bench_run(bench *b) { wl_volumes_by_laws(&b->traffic, &b->laws, b->volume, &b->out); }

/* Loads: 1600 sectors requested, 1000 distinct in each warp, 800 in each block, on 256 lines; one
 * step. */
static void add_loads(bench *b)
{
    wl_field_traffic *f = &b->field[0];
    f->loaded_too = true;
    f->requested = 1600;
    f->warp_sectors = f->step_warp_sectors[0] = 1000;
    f->block_sectors = f->step_sectors[0] = 800;
    f->block_units = 500;
    f->block_lines = f->warp_lines = 256;
    f->wave_sectors = 80; /* each read by one block of the wave */
    b->traffic.step_lines[0] = 2.56;
}

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
    b.field[0].step_warp_sectors[0] = 800;
    bench_run(&b);
    check_near("one warp", "capacity", b.out.total.l2_capacity, 0, 0);
    /* never more than was asked for again */
    b.field[0].step_warp_sectors[0] = 800 + 1e9;
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
    b.field[0].replayed = true;
    b.field[0].missed = 0.25;
    b.field[0].missed_units = 0.75;
    b.field[0].lone = 0.2;
    bench_run(&b);
    check_near("replayed", "volume", b.out.total.l2_compulsory + b.out.total.l2_capacity, 400 * 32, NEAR);
    check_near("replayed", "units", b.out.requests.read_units, 300, NEAR);
    check_near("replayed", "single sectors", b.out.requests.lone_units, 60, NEAR);
    b.field[0].block_lines = 800; /* a sector of each line, in the whole block */
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
        f->step_sectors[n] = sectors[n];
        b->traffic.step_lines[n] = n == 0 ? short_lines : n == 1 ? lines : all_lines;
        b->traffic.step_distinct[n] = 4 * b->traffic.step_lines[n];
        b->traffic.step_share[n] = n == 0 ? 1.0 / 16 : n == 1 ? 1.0 / 4 : 1;
    }
    f->step_warp_sectors[0] = 1500;
    f->block_lines = 1e6; /* so many that an empty cache at the start does not matter */
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
    b.field[0].step_warp_sectors[0] = b.field[0].step_sectors[0] = b.field[0].requested;
    b.field[0].step_sectors[1] = 800;
    bench_run(&b);
    check_near("passes", "miss rate", b.out.l1_miss_rate, 1, NEAR);
    /* a launch that does not fill the L1 evicts nothing, however often it passes over its data */
    b.field[0].block_lines = 256;
    b.traffic.step_lines[0] = b.traffic.step_lines[1] = 2.56;
    bench_run(&b);
    check_near("small", "miss rate", b.out.l1_miss_rate, 0, 0);
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
    f->step_warp_sectors[0] = f->step_sectors[0] = f->step_sectors[1] = f->requested;
    f->step_sectors[2] = 800;
    f->block_lines = 1e9;
    b.traffic.step_distinct[1] = b.traffic.step_distinct[2] = 4e6 / 32;
    /* a row of 4 MB a block, 40 MB a wave */
    b.traffic.step_lines[1] = b.traffic.step_lines[2] = 4e6 / 128;
    f->store_block_lines = 1e6 / 128 * 100;
    bench_run(&b);
    /* one reader: 3/4 of the lines are in a given partition; half of the stores of 10 MB a wave
     * pass meanwhile */
    const double volume = 0.75 * (40e6 + 5e6), gone = exp(-log(2) * pow(30e6 / volume, 8));
    check_near("rows of 4 MB", "all of the second pass misses the L1", b.out.l1_miss_rate, 1, 1e-6);
    check_near("rows of 4 MB", "and this much the L2", b.out.total.dram_capacity, 800 * 32 * gone, 1e-6);
    check_true("rows of 4 MB", "a part", gone > 0.3 && gone < 0.9);
    /* ten blocks read each line, which is fetched once for all of them, if at all */
    f->wave_sectors = 8;
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
        f->step_runs[n] = runs[n];
        f->step_sectors[n] = 800 + 10 * (runs[n] - 1);
        f->step_warp_sectors[n] = 0;
        /* all steps together are far too much for the L1 */
        b.traffic.step_lines[n] = n == 3 ? 1e6 : 1;
        b.traffic.step_distinct[n] = f->step_sectors[n] / runs[n];
    }
    f->requested = f->step_sectors[0];
    f->block_lines = 1e9; /* the first lines, which fill an empty cache, do not count */
    bench_run(&b);
    check_true("a window of one step", "hits", b.out.total.l2_capacity < 1);
    /* ends of runs of 16 cost 40: 30 of them come back only after 4 steps */
    f->step_sectors[0] += 10 * 3 * (16 - 4);
    f->step_sectors[1] += 10 * 3 * (16 - 4);
    f->requested = f->step_sectors[0];
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
        f->step_runs[n] = runs[n];
        f->step_sectors[n] = f->step_warp_sectors[n] = 800 + 10 * (runs[n] - 1);
        b.traffic.step_lines[n] = 1280;
        b.traffic.step_distinct[n] = f->step_sectors[n] / runs[n];
    }
    f->requested = f->step_sectors[0];
    f->block_lines = 1e9; /* the first lines, which fill an empty cache, do not count */
    bench_run(&b);
    check_near("a few steps", "misses", b.out.total.l2_capacity, 0, 0);
    f->step_warp_sectors[3] = 0; /* more steps than are issued at once */
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
    b.field[0].wave_sectors = 20;
    bench_run(&b);
    const double arrive = 1 - 0.08 * 0.75 * 0.75;
    check_near("merge", "compulsory", b.out.total.l2_compulsory, 800 * 32 * arrive, NEAR);
    check_near("merge", "capacity", b.out.total.l2_capacity, capacity * arrive, NEAR);
    check_near("merge", "units", b.out.requests.read_units, units * arrive, NEAR);
    b.field[0].wave_sectors = 200; /* fewer readers than one: a sample; nothing merges */
    bench_run(&b);
    check_near("one reader", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    /* neighbours that request the same at the same moment: one of four arrives */
    b.field[0].in_step = 0.75;
    bench_run(&b);
    check_near("in step", "compulsory", b.out.total.l2_compulsory, 200 * 32, NEAR);
    check_near("in step", "capacity", b.out.total.l2_capacity, capacity / 4, NEAR);
    b.field[0].in_step = 0;
    b.field[0].wave_sectors = 20;
    b.traffic.windows_known = false; /* the wave is not known either */
    bench_run(&b);
    check_near("unknown wave", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    check_true("unknown wave", "the L2 side is not known", !b.out.known);
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
    b.laws.reload[1] = 1e4; /* nothing is loaded again */
    b.laws.share[0] = 0.4;
    b.laws.share[1] = 3;
    b.field[0].wave_sectors = 8; /* as much as one block loads */
    bench_run(&b);
    check_near("not common", "compulsory", b.out.total.l2_compulsory, 800 * 32, NEAR);
    b.field[0].far_common = true;
    bench_run(&b);
    check_near("one group", "half of it, in two of three cases", b.out.total.l2_compulsory,
               800 * 32 * (1 - 2.0 / 3 * 1 / 2), NEAR);
    b.field[0].wave_sectors = 16;
    bench_run(&b);
    check_near("two groups", "a quarter, in half of the cases", b.out.total.l2_compulsory,
               800 * 32 * (1 - 1.0 / 2 * 1 / 4), NEAR);
    b.field[0].wave_sectors = 80;
    bench_run(&b);
    check_near("ten groups", "hardly any", b.out.total.l2_compulsory, 800 * 32 * (1 - 0.2 / 1.2 * 1 / 20), NEAR);
    check_done();
}

/* 1000 sectors written by 200 instructions, 800 of them distinct in each warp, 600 in each
 * block. */
static void add_stores(bench *b, double lines_per_store)
{
    wl_field_traffic *f = &b->field[0];
    f->store_inst = 200;
    f->written = 1000;
    f->written_lines = 200 * lines_per_store;
    f->written_units = 700;
    f->store_warp = 800;
    f->store_block = 600;
    f->store_block_lines = 300;
    f->stored = 600;
}

static void stores_combine(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double lines, warp_lines, within, between;
    } cases[] = {
        {"few lines, warps apart", 6, 0, 0.9, 0.1},       {"one line more", 6.01, 0, 0.3, 0.1},
        {"few lines, warps in step", 2, 1000, 0.9, 0.4},  {"half in step", 2, 200, 0.9, 0.25},
        {"many lines, warps in step", 32, 400, 0.3, 0.4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        bench_start(&b);
        add_stores(&b, cases[i].lines);
        /* no line is shared by warps: block_lines is 0 */
        b.field[0].warp_lines = cases[i].warp_lines;
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
         * another */
        {"all merge", 1, 400, 600, 600, 800, 220 / 1.7099759466766968},
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
        b.field[0].written_full = cases[i].written_full;
        b.field[0].store_warp_full = cases[i].warp_full;
        b.field[0].stored = cases[i].stored;
        bench_run(&b);
        check_near(cases[i].name, "sectors", b.out.total.l2_store / 32, cases[i].sectors, NEAR);
        check_near(cases[i].name, "pieces", b.out.requests.pieces, cases[i].pieces, NEAR);
    }
    /* what is not in pieces moves in units: here all 800 of 1000 */
    bench b;
    bench_start(&b);
    add_stores(&b, 5);
    b.field[0].written_full = b.field[0].store_warp_full = 1000;
    bench_run(&b);
    check_near("units", "written", b.out.requests.written_units, 700 * 0.8, NEAR);
    b.field[0].written_full = b.field[0].store_warp_full = 300;
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

/* ---- L2 ---- */

#define LAYER_LINES 200000.0 /* of 128 B, read by one layer of ten */
#define ALL_LINES 1100000.0
#define STORE_LINES 100000.0

/* Ten layers, each of which reads half of what the one before has read. */
static void add_layers(bench *b)
{
    wl_field_traffic *f = &b->field[0];
    b->traffic.blocks = 1000;
    b->traffic.window_count = 2;
    b->traffic.window_direction[0] = b->traffic.window_direction[1] = 2;
    b->traffic.window_blocks[0] = 100;
    b->traffic.window_blocks[1] = 1000;
    b->traffic.window_repeats[0] = 10;
    b->traffic.window_repeats[1] = 1;
    f->loaded_too = true;
    f->window_lines[0] = LAYER_LINES;
    f->window_lines[1] = ALL_LINES;
    f->window_units[0] = 2 * LAYER_LINES;
    f->window_units[1] = 2 * ALL_LINES;
    f->window_store_lines[0] = STORE_LINES;
    f->window_store_lines[1] = 10 * STORE_LINES;
    f->block_lines = 10 * LAYER_LINES * 1.25; /* 1.25 blocks per line */
    f->store_block_lines = 10 * STORE_LINES * 3;
}

/* Launch, layer: all layers load everything anew, less what is found again. */
static double measured_miss(const bench *b)
{
    const double compulsory = 10 * 2 * LAYER_LINES * 64, again = compulsory - 2 * ALL_LINES * 64;
    check_near("layers", "compulsory", b->out.total.dram_compulsory, compulsory, NEAR);
    return 1 + b->out.total.dram_reuse[2] / again;
}

/* Probability of a miss in P = 2 halves of capacity C and steepness n: the published form, with its
 * own names. */
static double published_miss(double L, double N, double S, double k, double kw, double C, double n)
{
    double s[9], E[2], q = 1 - pow(2, -k), rate[2] = {q, 0};
    for (int j = 1; j <= 8; j++) {
        const double T = L + (j - 1) * N;
        const double V = T * (1 - 0.5 * pow(2, -k * j * L / T)) + j * S * (1 - 0.5 * pow(2, -kw));
        s[j] = pow(0.5, pow(C / V, n));
    }
    for (int which = 0; which < 2; which++) { /* the copy, then the home */
        const double p = rate[which];
        E[which] = pow(1 - p, 7) * s[8];
        for (int j = 1; j < 8; j++)
            E[which] += p * pow(1 - p, j - 1) * s[j];
        rate[1] = 1 - (1 - q) * (1 - q * E[0]);
    }
    return E[1] / 2 + E[0] * s[1] / 2;
}

static void two_halves_are_the_published_form(void **state)
{
    (void)state;
    static const double rooms[] = {10e6, 20e6, 25e6, 30e6, 34e6, 40e6, 60e6}, steep[] = {2, 8, 12};
    for (size_t i = 0; i < COUNT_OF(rooms); i++)
        for (size_t j = 0; j < COUNT_OF(steep); j++)
            for (int narrow = 0; narrow < 2; narrow++) {
                bench b;
                bench_start(&b);
                add_layers(&b);
                b.laws.room = rooms[i];
                b.laws.steepness = steep[j];
                if (narrow)
                    b.field[0].block_lines *= 8;
                bench_run(&b);
                const double want = published_miss(LAYER_LINES * 128, ALL_LINES * 12.8, STORE_LINES * 128,
                                                   narrow ? 10 : 1.25, 3, rooms[i], steep[j]);
                check_near("two halves", "miss rate", measured_miss(&b), want, 1e-9);
                check_near("two halves", "hit rate", b.out.reuse[2].hit_rate, 1 - want, 1e-9);
            }
    check_done();
}

static void room_decides(void **state)
{
    (void)state;
    for (int partitions = 1; partitions <= 4; partitions++) {
        double before = 2;
        for (double room = 1e5; room < 1e10; room *= 1.3) {
            bench b;
            bench_start(&b);
            add_layers(&b);
            b.laws.partitions = partitions;
            b.laws.room = room;
            bench_run(&b);
            const double miss = measured_miss(&b);
            check_true("room", "miss rate is a probability", miss >= 0 && miss <= 1 + 1e-12);
            check_true("room", "more room never misses more", miss <= before + 1e-12);
            check_true("room", "tiny: all misses", room > 2e5 || miss > 1 - 1e-6);
            check_true("room", "huge: none", room < 5e9 || miss < 1e-6);
            before = miss;
        }
    }
    /* one partition, as many bytes as there is room: half of it is gone */
    bench b;
    bench_start(&b);
    add_layers(&b);
    b.laws.partitions = 1;
    b.laws.room = (LAYER_LINES + STORE_LINES) * 128;
    bench_run(&b);
    check_near("just full", "miss rate", measured_miss(&b), 0.5, 1e-9);
    check_near("just full", "oversubscription", b.out.reuse[2].oversubscription, 1, NEAR);
    check_near("just full", "overlap of a wave", b.out.reuse[2].overlap_bytes,
               (20 * LAYER_LINES - 2 * ALL_LINES) * 64 * 10 / 1000, NEAR);
    check_near("just full", "waves", b.out.waves, 100, NEAR);
    check_done();
}

static double dram_loads(bench *b)
{
    bench_run(b);
    return wl_volume_dram_loads(&b->out.total);
}

/* A cache behind the L2 changes no volume; what passes it is what an L2 of its size in one part
 * would load. */
static void a_cache_of_the_memory(void **state)
{
    (void)state;
    for (int partitions = 1; partitions <= 8; partitions *= 2) {
        bench b;
        bench_start(&b);
        add_layers(&b);
        b.laws.partitions = partitions;
        const double loads = dram_loads(&b);
        check_near("no cache", "cached", b.out.cached, 0, 0);
        double before = 0;
        for (double cache = 1e5; cache < 1e10; cache *= 1.3) {
            bench one, with = b;
            bench_start(&one);
            add_layers(&one);
            one.laws.partitions = 1;
            one.laws.room = cache;
            const double behind = dram_loads(&one);
            with.traffic.fields = with.field;
            with.laws.memory_cache = cache;
            check_near("cache", "loads", dram_loads(&with), loads, 0);
            check_near("cache", "cached", with.out.cached, fmax(0, loads - behind), 1e-9);
            check_true("cache", "more never holds less", with.out.cached >= before);
            before = with.out.cached;
        }
        check_true("huge", "holds all that comes back", partitions == 1 || before > 0);
    }
    bench unknown;
    bench_start(&unknown);
    add_layers(&unknown);
    unknown.traffic.windows_known = false;
    unknown.laws.memory_cache = 1e9;
    bench_run(&unknown);
    check_near("unknown windows", "cached", unknown.out.cached, 0, 0);
    check_done();
}

/* Rows in layers in the launch: what a row finds again is told apart from what a layer does. */
static void rows_and_layers(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    wl_field_traffic *f = &b.field[0];
    b.traffic.blocks = 1000;
    b.traffic.window_count = 3;
    const double blocks[] = {10, 100, 1000}, repeats[] = {100, 10, 1}, lines[] = {3000, 20000, 110000};
    for (int w = 0; w < 3; w++) {
        b.traffic.window_blocks[w] = blocks[w];
        b.traffic.window_repeats[w] = repeats[w];
        b.traffic.window_direction[w] = w + 1 > 2 ? 2 : w + 1;
        f->window_lines[w] = lines[w];
        f->window_units[w] = 2 * lines[w];
    }
    f->block_lines = 1000 * 300;
    b.laws.partitions = 1;
    b.laws.room = 3000 * 128 * 3; /* a row fits, a layer does not */
    b.laws.steepness = 20;
    bench_run(&b);
    check_near("rows", "compulsory", b.out.total.dram_compulsory, 100 * 6000 * 64, NEAR);
    check_near("rows", "y", b.out.total.dram_reuse[1], -(100 * 6000 - 10 * 40000) * 64.0, 1e-6);
    check_true("rows", "nothing is found again in z", fabs(b.out.total.dram_reuse[2]) < 10);
    b.laws.room = 1e12;
    bench_run(&b);
    check_near("all fits", "z", b.out.total.dram_reuse[2], -(10 * 40000 - 220000) * 64.0, NEAR);
    check_near("all fits", "everything once",
               b.out.total.dram_compulsory + b.out.total.dram_reuse[1] + b.out.total.dram_reuse[2], 220000 * 64, NEAR);
    check_true("all fits", "reuse in y and z, none in x",
               b.out.reuse[1].exists && b.out.reuse[2].exists && !b.out.reuse[0].exists);
    /* windows that find nothing again (blocks overlap less than their windows): no reuse, and
     * nothing negative */
    f->window_units[1] = 70000;
    bench_run(&b);
    check_near("grows", "y", b.out.total.dram_reuse[1], 0, 0);
    check_true("grows", "no reuse in y", !b.out.reuse[1].exists);
    check_done();
}

/* ---- stores in memory ---- */

/* One window: 10000 sectors stored by 100 blocks, ten at a time: a wave stores 1000. */
static void add_stored(bench *b)
{
    b->traffic.window_count = 1;
    b->traffic.window_repeats[0] = 1;
    b->traffic.window_blocks[0] = 100;
    b->field[0].stored = 10000;
    b->field[0].store_block = 12500;
    /* two blocks complete each of the others, which count once */
    b->field[0].store_block_full = 7500;
}

/* Four pieces of each of 10000 sectors, by blocks that are a quarter of the launch apart: a wave
 * stores to 4000. */
static void add_pieces(bench *b)
{
    wl_field_traffic *f = &b->field[0];
    add_stored(b);
    b->traffic.window_count = 2;
    b->traffic.window_blocks[0] = 10;
    b->traffic.window_repeats[0] = 10;
    b->traffic.window_blocks[1] = 100;
    b->traffic.window_repeats[1] = 1;
    f->store_block = 40000;
    f->store_block_full = 0;
    f->window_store_sectors[0] = 4000;
    f->window_store_sectors[1] = 10000;
    f->window_store_lines[0] = 4000;
    f->window_store_lines[1] = 10000;
    /* a wave stores 1000 sectors, if each counts once, and touches 4000 */
    b->laws.partial_room = 20000 * 32;
}

static void pieces_far_apart_are_evicted(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_pieces(&b);
    /* the L2 keeps all: cleaned by what 10000 / 4000 waves store, half of the room */
    b.laws.room = 1e12;
    bench_run(&b);
    check_near("kept", "reads", b.out.total.dram_partial, 10000 * 32 / 4.0, NEAR);
    check_near("kept", "writes", b.out.total.dram_store, (10000 + 30000 / 4.0) * 32, NEAR);
    check_near("kept", "cleaned", b.out.requests.cleaned, 10000 / 4.0, NEAR);
    b.laws.room = 1; /* keeps nothing: every piece is read and written alone */
    bench_run(&b);
    check_near("gone", "reads", b.out.total.dram_partial, 40000 * 32, NEAR);
    check_near("gone", "writes", b.out.total.dram_store, 40000 * 32, NEAR);
    check_near("gone", "cleaned", b.out.requests.cleaned, 0, 0);
    b.field[0].loaded_too = true; /* what is loaded is there when the piece comes */
    bench_run(&b);
    check_near("loaded", "reads", b.out.total.dram_partial, 0, 0);
    check_near("loaded", "writes", b.out.total.dram_store, 40000 * 32, NEAR);
    b.field[0].loaded_too = false;
    b.laws.room = 1e12;
    b.field[0].store_again = 5; /* counted: all that is stored in five waves passes */
    bench_run(&b);
    check_near("later", "reads", b.out.total.dram_partial, 10000 * 32, NEAR);
    check_done();
}

/* 500 loads find 300 of the units of a field: 300 = u (1 - exp(-500 / u)), by Newton's method. */
static double random_units(void)
{
    double u = 400;
    for (int i = 0; i < 50; i++) {
        const double gone = exp(-500 / u), slope = 1 - gone - 500 / u * gone;
        u -= (u * (1 - gone) - 300) / slope;
    }
    return u;
}

static void random_loads_find_what_the_l2_holds(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.field[0].random = true;
    b.traffic.window_count = 1;
    b.traffic.window_repeats[0] = 1;
    b.traffic.window_blocks[0] = 100;
    b.field[0].window_units[0] = 300;
    b.field[0].window_lines[0] = 250;
    const double units = random_units(), held = 0.25, hits[] = {0.25, 0.6 * 0.25 + 0.2 * 0.0625};
    b.laws.room = held * units * 64;
    b.laws.random_hits[0] = 1;
    for (int i = 0; i < 2; i++) { /* the L2 fills until it holds that share */
        bench_run(&b);
        const double filling = -log(1 - hits[i]) * units;
        check_near("large", "fetches", (b.out.total.dram_compulsory + b.out.total.dram_capacity) / 64,
                   hits[i] * units + (1 - hits[i]) * (500 - filling), 1e-9);
        b.laws.random_hits[0] = 0.6;
        b.laws.random_hits[1] = 0.2;
    }
    b.laws.room = 1e9;
    bench_run(&b);
    check_near("small", "capacity", b.out.total.dram_capacity, 0, 0);
    b.laws.room = 1;
    bench_run(&b);
    check_near("no room", "capacity", b.out.total.dram_capacity, 200 * 64, 1e-4);
    check_near("scattered", "bytes of a line, of other loads", b.out.requests.chunk, 128, NEAR);
    check_near("scattered", "lone", b.out.requests.lone_units, 0, 0); /* three sectors of a line */
    b.field[0].block_lines = 640;
    bench_run(&b);
    check_near("lone", "units", b.out.requests.lone_units, 0.75 * b.out.requests.read_units, NEAR);
    b.field[0].window_units[0] = 500; /* all different */
    bench_run(&b);
    check_near("all different", "capacity", b.out.total.dram_capacity, 0, 0);
    check_done();
}

static void sectors_are_cleaned_early(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_stored(&b);
    bench_run(&b);
    check_near("no number", "stores", b.out.total.dram_store, 10000 * 32, NEAR);
    check_near("no number", "partial", b.out.total.dram_partial, 0, 0);
    /* a wave fills half of it: a quarter of the incomplete quarter */
    b.laws.partial_room = 2000 * 32;
    bench_run(&b);
    check_near("half full", "partial", b.out.total.dram_partial, 10000 * 32 / 16.0, NEAR);
    check_near("half full", "stores", b.out.total.dram_store, 10000 * 32 * 17 / 16.0, NEAR);
    check_near("half full", "cleaned", b.out.requests.cleaned, 10000 / 16.0, NEAR);
    /* neighbours complete 3 of 4 sectors in the step that began them */
    b.field[0].store_steps = 10;
    b.field[0].store_in_step = 0.75;
    bench_run(&b);
    check_near("in step", "partial", b.out.total.dram_partial, 10000 * 32 / 16.0 * (0.25 + 0.75 / 100), NEAR);
    b.field[0].store_steps = b.field[0].store_in_step = 0;
    b.laws.partial_room = 100; /* never more than all of them */
    bench_run(&b);
    check_near("full", "partial", b.out.total.dram_partial, 10000 * 32 / 4.0, NEAR);
    b.field[0].stored_partly = 1000; /* never completed: read once, whatever happens */
    bench_run(&b);
    check_near("partly", "partial", b.out.total.dram_partial, 1000 * 32 + 1500 * 32, NEAR);
    check_near("partly", "stores", b.out.total.dram_store, 10000 * 32 + 1500 * 32, NEAR);
    b.field[0].store_block_full = 13000; /* samples that contradict each other */
    bench_run(&b);
    check_near("more than all", "cleaned", b.out.requests.cleaned, 0, 0);
    check_done();
}

/* A field of half the L1, times the share: exp(-(1 / 2)^n) of it stays, and every multiprocessor
 * loads that once. */
static void small_fields_stay(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.traffic.sms = 5;
    b.traffic.window_count = 1;
    b.traffic.window_repeats[0] = 1;
    b.field[0].window_units[0] = 10;
    b.field[0].window_lines[0] = 256; /* 32 KiB of 128 */
    bench_run(&b);
    const double all = b.out.total.l2_compulsory + b.out.total.l2_capacity;
    for (int n = 1; n <= 4; n++) {
        b.laws.field_share = 0.5;
        b.laws.field_steepness = n;
        bench_run(&b);
        const double stays = exp(-pow(0.5, n));
        check_near("half full", "L2 loads", b.out.total.l2_compulsory + b.out.total.l2_capacity,
                   all * (1 - stays) + stays * 5 * 10 * 64, NEAR);
    }
    check_done();
}

static void dirty_data_stays_behind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double most, per_share, reads, left;
    } cases[] = {
        {"none stays", 0, 0, 0, 0},
        {"at most so much", 100000, 1e9, 320000, 100000},
        {"in proportion to the stores", 1e9, 100000, 320000, 50000},
        {"in proportion, stores only", 1e9, 100000, 0, 100000},
        {"never more than there is", 1e9, 1e9, 0, 320000},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        bench_start(&b);
        add_stored(&b);
        b.field[0].store_block_full = 12000;
        b.field[0].window_units[0] = cases[i].reads / 64;
        b.laws.dirty[0] = cases[i].most;
        b.laws.dirty[1] = cases[i].per_share;
        bench_run(&b);
        check_near(cases[i].name, "stores", b.out.total.dram_store, 320000 - cases[i].left, NEAR);
        check_true(cases[i].name, "stores are not negative", b.out.total.dram_store >= 0);
    }
    /* two fields share what stays by what they store */
    bench b;
    bench_start(&b);
    add_stored(&b);
    b.traffic.field_count = 2;
    b.field[1] = b.field[0];
    b.field[1].stored = 30000;
    b.laws.dirty[0] = 128000;
    b.laws.dirty[1] = 1e9;
    bench_run(&b);
    check_near("two fields", "first", b.volume[0].dram_store, 320000 * 0.9, NEAR);
    check_near("two fields", "second", b.volume[1].dram_store, 960000 * 0.9, NEAR);
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
    const wl_l1_numbers n = {.extra = {9, 6, 3}, .split = 0.75};
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
    check_true("gtx970", "has no laws", !wl_laws_read(device, &laws));
    wl_device_free(device);
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    static const char *const sets[] = {"l1_reload_curve=[0.1,0.2,0.3]",
                                       "l2_merge=0.4",
                                       "l1_block_share=[0.15,2.5]",
                                       "store_combine_lines=5",
                                       "store_combine=[0.5,0.6]",
                                       "l2_reuse_room=700B",
                                       "store_combine_warps=[0.7,0.8]",
                                       "l2_reuse_steepness=9",
                                       "l1_field_share=0.75",
                                       "l1_field_steepness=3",
                                       "l1_own_steps=7",
                                       "l2_partial_room=1000B",
                                       "l2_dirty_rest=[1100,1200]",
                                       "l2_random_hits=[0.35,0.45]",
                                       "l2_walk_merge=[0.25,0.55]",
                                       "l2_partitions=3",
                                       "memory_cache=1300B"};
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        check_ok(sets[i], wl_device_set(device, sets[i], &err), &err);
    check_true("h200", "has laws", wl_laws_read(device, &laws));
    const wl_laws want = {{0.1, 0.2, 0.3}, 0.4,          {0.15, 2.5}, 5, {0.5, 0.6}, {0.7, 0.8},   3,   700, 9, 1000,
                          {1100, 1200},    {0.35, 0.45}, 0.75,        3, 7,          {0.25, 0.55}, 1300};
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
        cmocka_unit_test(passes_come_from_memory_again),
        cmocka_unit_test(a_sliding_window_comes_back_soon),
        cmocka_unit_test(what_a_warp_loads_again_must_outlive_the_others),
        cmocka_unit_test(blocks_that_load_the_same_walk_together),
        cmocka_unit_test(requests_of_several_blocks_merge),
        cmocka_unit_test(stores_combine),
        cmocka_unit_test(pieces_merge_when_another_follows),
        cmocka_unit_test(no_loads_and_no_stores),
        cmocka_unit_test(two_halves_are_the_published_form),
        cmocka_unit_test(room_decides),
        cmocka_unit_test(a_cache_of_the_memory),
        cmocka_unit_test(rows_and_layers),
        cmocka_unit_test(sectors_are_cleaned_early),
        cmocka_unit_test(pieces_far_apart_are_evicted),
        cmocka_unit_test(random_loads_find_what_the_l2_holds),
        cmocka_unit_test(small_fields_stay),
        cmocka_unit_test(dirty_data_stays_behind),
        cmocka_unit_test(wavefronts_by_hand),
        cmocka_unit_test(numbers_are_read_from_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
