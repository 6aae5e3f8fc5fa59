/* test_replay.c - loads replayed through an L1: streams, tables, what neighbours share.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "replay/l1_replay.h"

#define LINE 128
#define SECTOR 32
#define L1_LINES 1024

/* What a block loads: `loads` instructions of each of `warps` warps, of which `together` are issued
 * at once, those with odd numbers after the others if they wait for them. */
typedef struct pattern {
    int warps, loads;
    int64_t (*address)(int64_t block, int warp, int load, int lane);
    int together;
    bool odd_wait;
    bool bypasses_l1;
} pattern;

static int64_t loads_visited;

static wl_status visit_loads(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err)
{
    const pattern *p = context;
    for (int w = 0; w < p->warps; w++) {
        bool enough = false;
        for (int i = 0; i < p->loads && !enough; i++) {
            int64_t address[32];
            for (int lane = 0; lane < 32; lane++)
                address[lane] = p->address(block[0], w, i, lane);
            const uint32_t group = (uint32_t)(1 + (p->together ? i / p->together : i));
            const wl_load_touch touch = {.warp = (uint32_t)w,
                                         .bytes = 4,
                                         .lanes = UINT32_MAX,
                                         .address = address,
                                         .group = group,
                                         .depth = p->odd_wait && i % 2 ? 2 : 1,
                                         .bypasses_l1 = p->bypasses_l1,
                                         .enough = &enough};
            loads_visited++;
            WL_TRY(visit(user, &touch, err));
        }
    }
    return WL_OK;
}

typedef struct shares {
    double missed, units, lone;
} shares;

/* Of requested sectors those that miss; units for each of these; single sectors among the units. */
static shares replay(pattern p, int64_t blocks, int64_t resident, int64_t latency)
{
    wl_kernel kernel = {.field_count = 1, .source = {.context = &p, .visit_loads = visit_loads}};
    const wl_geometry g = {.grid = {blocks, 1, 1},
                           .blocks = blocks,
                           .occupancy = {.blocks_per_sm = resident, .l1_bytes = L1_LINES * LINE}};
    const wl_replay_input in = {&kernel, &g, 10, LINE, SECTOR, 4, 0, (double)latency, 1000, 0};
    wl_arena arena = {0};
    wl_replay out;
    wl_error err = {0};
    check_ok("replay", wl_replay_loads(&in, &arena, &out, &err), &err);
    check_true("replay", "known", out.known && out.replayed[0]);
    const shares s = {out.missed[0], out.units[0], out.lone[0]};
    wl_arena_free(&arena);
    return s;
}

static double missed(pattern p, int64_t blocks, int64_t resident, int64_t latency)
{
    return replay(p, blocks, resident, latency).missed;
}

static int64_t stream(int64_t block, int warp, int load, int lane)
{
    return ((block * 8 + warp) * 64 + load) * LINE + 4 * lane;
}

static int64_t twice(int64_t block, int warp, int load, int lane) { return stream(block, warp, load / 2, lane); }

/* 16 lines that all blocks read again and again */
static int64_t small_table(int64_t block, int warp, int load, int lane)
{
    (void)block;
    return (warp + load) % 16 * LINE + 4 * lane;
}

/* each warp walks its own 512 lines four times: 8 warps have four times what the L1 holds */
static int64_t large_set(int64_t block, int warp, int load, int lane)
{
    return ((block * 8 + warp) * 512 + load % 512) * LINE + 4 * lane;
}

/* one sector of a line per load */
static int64_t sectors(int64_t block, int warp, int load, int lane)
{
    return ((block * 8 + warp) * 64 + load / 4) * LINE + load % 4 * SECTOR + lane / 4 * 4;
}

static void what_misses(void **state)
{
    (void)state;
    check_near("stream", "missed", missed((pattern){8, 64, stream, 1, false, false}, 100, 4, 0), 1, 0);
    check_near("again at once", "missed", missed((pattern){8, 64, twice, 1, false, false}, 100, 4, 0), 0.5, 0.01);
    check_near("one sector at a time", "missed", missed((pattern){8, 64, sectors, 1, false, false}, 100, 4, 0), 1, 0);
    const pattern past_l1 = {8, 64, small_table, 1, false, true};
    check_near("past the L1", "missed", missed(past_l1, 100, 4, 0), 1, 0);
    /* the first generation, 4 blocks of each multiprocessor, loads the table: 16 lines for 4 x 8 x
     * 64 loads */
    check_near("table", "one generation", missed((pattern){8, 64, small_table, 1, false, false}, 40, 4, 0),
               16. / (4 * 8 * 64), 0);
    check_near("table", "ten generations", missed((pattern){8, 64, small_table, 1, false, false}, 400, 4, 0),
               16. / (4 * 8 * 64) / 10, 0);
    /* random replacement would keep some of it, the least recently used nothing */
    const double large = missed((pattern){8, 2048, large_set, 1, false, false}, 20, 1, 0);
    check_true("a set four times the L1", "misses mostly", large > 0.8 && large < 1);
    check_done();
}

/* Each lane walks through lines of its own, a word at a time: 8 warps hold 256 lines, four blocks
 * as many as the L1. */
static int64_t own_lines(int64_t block, int warp, int load, int lane)
{
    return (((block * 8 + warp) * 32 + lane) * 4 + load / 32) * LINE + load % 32 * 4;
}

/* A walk, and between its steps what depends on it: elsewhere each time. */
static int64_t own_lines_and_far(int64_t block, int warp, int load, int lane)
{
    const int64_t far = ((block * 8 + warp) * 128 + load) * 32 + lane;
    return load % 2 ? (1 << 30) + far * LINE : own_lines(block, warp, load / 2, lane);
}

/* Lines that threads walk along leave the L1 between two steps if too many are alive; what is
 * loaded together needs them once. */
static void live_lines(void **state)
{
    (void)state;
    const double one = missed((pattern){8, 128, own_lines, 1, false, false}, 400, 16, 0),
                 four = missed((pattern){8, 128, own_lines, 4, false, false}, 400, 16, 0);
    check_true("four times the L1", "most steps load the line again", one > 0.8);
    check_near("four times the L1", "four steps at once", four / one, 0.25, 0.05);
    check_near("a quarter of the L1", "a sector once", missed((pattern){8, 128, own_lines, 1, false, false}, 40, 1, 0),
               0.125, 0.01);
    /* loads that wait for others of their group come after them: two walks by four steps, and 2048
     * far lines each */
    const double walk = missed((pattern){8, 128, own_lines_and_far, 8, true, false}, 400, 16, 0),
                 alone = missed((pattern){8, 128, own_lines_and_far, 1, true, false}, 400, 16, 0);
    check_near("and far lines", "four steps at once", walk, (1 + 0.25) / 2, 0.02);
    check_true("and far lines", "one by one", alone > 0.9);
    check_done();
}

/* Neighbouring lanes share a line, each with its own of these sectors. Sectors 0 and 1 are a unit,
 * 2 and 3 another. */
static int64_t in_lines(int64_t block, int warp, int load, int lane, const int *sectors, int count)
{
    const int64_t line = (block * 8 + warp) * 64 + load;
    return (line * 32 + lane / count) * LINE + sectors[lane % count] * SECTOR;
}

static int64_t lone_sectors(int64_t block, int warp, int load, int lane)
{
    return in_lines(block, warp, load, lane, (const int[]){2}, 1);
}

static int64_t units(int64_t block, int warp, int load, int lane)
{
    return in_lines(block, warp, load, lane, (const int[]){2, 3}, 2);
}

static int64_t far_halves(int64_t block, int warp, int load, int lane)
{
    return in_lines(block, warp, load, lane, (const int[]){1, 2}, 2);
}

static int64_t three_of_four(int64_t block, int warp, int load, int lane)
{
    return in_lines(block, warp, load, lane, (const int[]){0, 2, 3, 3}, 4);
}

/* One sector in every other load, a unit in the others. */
static int64_t by_turns(int64_t block, int warp, int load, int lane)
{
    return (load % 2 ? units : lone_sectors)(block, warp, load, lane);
}

/* The second sector of a unit one load after the first: two requests. */
static int64_t one_by_one(int64_t block, int warp, int load, int lane)
{
    return in_lines(block, warp, load / 2, lane, (const int[]){load % 2}, 1);
}

/* Each request of an instruction tells whether its missing sectors share a unit or a line, whatever
 * else its block requests of that line. */
static void what_is_requested_together(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t (*address)(int64_t block, int warp, int load, int lane);
        double units, lone;
    } cases[] = {{"lines", stream, 0.5, 0},
                 {"lone sectors", lone_sectors, 1, 1},
                 {"units", units, 0.5, 0},
                 {"two units of a line", far_halves, 1, 0},
                 {"three sectors", three_of_four, 2 / 3.0, 0},
                 {"by turns", by_turns, 48 / 64.0, 32 / 48.0},
                 {"one by one", one_by_one, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int warps = 1; warps <= 8; warps *= 8) { /* small blocks and large ones are alike */
            const shares s = replay((pattern){warps, 8, cases[i].address, 1, false, false}, 100, 1, 0);
            check_near(cases[i].name, "missed", s.missed, 1, 0);
            check_near(cases[i].name, "units for a sector", s.units, cases[i].units, 1e-12);
            check_near(cases[i].name, "lone ones", s.lone, cases[i].lone, 1e-12);
        }
    check_near("table", "hits request nothing", replay((pattern){8, 64, small_table, 1, false, false}, 40, 4, 0).units,
               0.5, 1e-12);
    check_done();
}

/* Two multiprocessors that load the same at the same time request it once. */
static void neighbours(void **state)
{
    (void)state;
    const pattern table = {8, 64, small_table, 1, false, false};
    check_near("in step", "requested once", missed(table, 40, 4, 300) / missed(table, 40, 4, 0), 0.5, 0);
    check_near("streams", "never", missed((pattern){8, 64, stream, 1, false, false}, 100, 4, 300), 1, 0);
    check_done();
}

/* With few blocks affordable, each has its part of the cache. */
static void few_blocks(void **state)
{
    (void)state;
    pattern p = {8, 64, twice, 1, false, false};
    wl_kernel kernel = {.field_count = 1, .source = {.context = &p, .visit_loads = visit_loads}};
    const wl_geometry g = {
        .grid = {100, 1, 1}, .blocks = 100, .occupancy = {.blocks_per_sm = 16, .l1_bytes = L1_LINES * LINE}};
    for (int64_t blocks = 1; blocks <= 5; blocks++) {
        const wl_replay_input in = {&kernel, &g, 10, LINE, SECTOR, 4, 0, 0, (double)blocks, 0};
        wl_arena arena = {0};
        wl_replay out;
        wl_error err = {0};
        check_ok("few", wl_replay_loads(&in, &arena, &out, &err), &err);
        check_near("few", "missed", out.missed[0], 0.5, 0.01);
        wl_arena_free(&arena);
    }
    check_done();
}

/* Only block 57 loads much, and that twice. */
static int64_t mostly_one(int64_t block, int warp, int load, int lane)
{
    return block == 57 ? twice(block, warp, load, lane) : stream(block, warp, 0, lane);
}

/* Multiprocessors are replayed where blocks load something. */
static void drawn_blocks(void **state)
{
    (void)state;
    pattern p = {8, 64, mostly_one, 1, false, false};
    wl_population population = {.replayed = 1000};
    wl_kernel kernel = {.field_count = 1,
                        .source = {.context = &p, .visit_loads = visit_loads, .population = &population}};
    const wl_geometry g = {
        .grid = {400, 1, 1}, .blocks = 400, .occupancy = {.blocks_per_sm = 1, .l1_bytes = L1_LINES * LINE}};
    const wl_replay_input in = {&kernel, &g, 100, LINE, SECTOR, 4, 0, 0, 1000, 0};
    for (int drawn = 0; drawn <= 1; drawn++) {
        wl_arena arena = {0};
        wl_replay out;
        wl_error err = {0};
        for (population.drawn_count = 0; population.drawn_count < drawn * WL_DRAWN_MAX;)
            population.drawn[population.drawn_count++] = 57;
        check_ok("drawn", wl_replay_loads(&in, &arena, &out, &err), &err);
        /* others miss once in 64 loads, this block in half of its loads; its pair has 8 blocks */
        check_near("drawn", "missed", out.missed[0], drawn ? (7 / 64.0 + 0.5) / 8 : 1 / 64.0, 0.005);
        wl_arena_free(&arena);
    }
    check_done();
}

static int64_t same_for_all_warps(int64_t block, int warp, int load, int lane)
{
    (void)warp;
    return (block * 60000 + load) * LINE + 4 * lane;
}

/* A block that is cut short keeps what its warps share. */
static void long_blocks(void **state)
{
    (void)state;
    pattern p = {8, 60000, same_for_all_warps, 1, false, false};
    wl_kernel kernel = {.field_count = 1, .source = {.context = &p, .visit_loads = visit_loads, .warp_size = 32}};
    const wl_geometry g = {
        .grid = {2, 1, 1}, .blocks = 2, .threads = 256, .occupancy = {.blocks_per_sm = 1, .l1_bytes = L1_LINES * LINE}};
    const wl_replay_input in = {&kernel, &g, 10, LINE, SECTOR, 4, 0, 0, 1000, 0};
    wl_arena arena = {0};
    wl_replay out;
    wl_error err = {0};
    check_ok("long", wl_replay_loads(&in, &arena, &out, &err), &err);
    check_near("long", "missed", out.missed[0], 1 / 8.0, 0);
    wl_arena_free(&arena);
    check_done();
}

static void no_loads(void **state)
{
    (void)state;
    wl_kernel kernel = {.field_count = 1};
    const wl_geometry g = {.blocks = 1, .occupancy = {.blocks_per_sm = 1, .l1_bytes = 1024}};
    const wl_replay_input in = {&kernel, &g, 10, LINE, SECTOR, 4, 0, 0, 1, 0};
    wl_arena arena = {0};
    wl_replay out;
    wl_error err = {0};
    check_ok("no source", wl_replay_loads(&in, &arena, &out, &err), &err);
    check_true("no source", "not known", !out.known);
    wl_arena_free(&arena);
    check_done();
}

/* Blocks too long to be replayed: a part of each that is resident tells what they find in the cache
 * that they share. Here, all read a table of half its size, in an order of their own. */
static int64_t large_table(int64_t block, int warp, int load, int lane)
{
    (void)lane;
    return (load * 7 + block * 131 + warp * 17) % (L1_LINES / 2) * LINE;
}

static void parts_of_long_blocks(void **state)
{
    (void)state;
    pattern p = {.address = large_table, .warps = 8, .loads = 200000};
    wl_field field = {.name = "f"};
    const wl_kernel kernel = {
        .fields = &field, .field_count = 1, .source = {.context = &p, .visit_loads = visit_loads, .warp_size = 32}};
    const wl_geometry g = {.grid = {20, 1, 1},
                           .blocks = 20,
                           .threads = 256,
                           .occupancy = {.blocks_per_sm = 2, .l1_bytes = L1_LINES * LINE}};
    const wl_replay_input in = {&kernel, &g, 10, LINE, SECTOR, 4, 0, 0, 0.02, 8 * 200000};
    wl_arena arena = {0};
    wl_replay out;
    wl_error err = {0};
    loads_visited = 0;
    check_ok("parts", wl_replay_loads(&in, &arena, &out, &err), &err);
    check_true("parts", "most is not visited", loads_visited > 0 && loads_visited < 8 * 200000 / 20);
    check_true("parts", "what all share stays", out.missed[0] < 0.02);
    check_near("parts", "found", out.found[0], 1, 0.05);
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_misses),  cmocka_unit_test(parts_of_long_blocks),
                                       cmocka_unit_test(live_lines),   cmocka_unit_test(what_is_requested_together),
                                       cmocka_unit_test(neighbours),   cmocka_unit_test(few_blocks),
                                       cmocka_unit_test(drawn_blocks), cmocka_unit_test(long_blocks),
                                       cmocka_unit_test(no_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
