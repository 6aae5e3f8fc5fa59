/* test_laws_l2.c - laws/traffic_laws.h at the L2 and in memory: volumes worked out by hand, and the
 * closed form of the two L2 halves written once more. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "unit/laws_bench.h"

#define NEAR 1e-12

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
    f->stores.loaded_too = true;
    f->windows.lines[0] = LAYER_LINES;
    f->windows.lines[1] = ALL_LINES;
    f->windows.units[0] = 2 * LAYER_LINES;
    f->windows.units[1] = 2 * ALL_LINES;
    f->windows.store_lines[0] = STORE_LINES;
    f->windows.store_lines[1] = 10 * STORE_LINES;
    f->loads.block_lines = 10 * LAYER_LINES * 1.25; /* 1.25 blocks per line */
    f->stores.block_lines = 10 * STORE_LINES * 3;
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
                    b.field[0].loads.block_lines *= 8;
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
        f->windows.lines[w] = lines[w];
        f->windows.units[w] = 2 * lines[w];
    }
    f->loads.block_lines = 1000 * 300;
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
    f->windows.units[1] = 70000;
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
    b->field[0].stores.sectors = 10000;
    b->field[0].stores.block = 12500;
    /* two blocks complete each of the others, which count once */
    b->field[0].stores.block_full = 7500;
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
    f->stores.block = 40000;
    f->stores.block_full = 0;
    f->windows.store_sectors[0] = 4000;
    f->windows.store_sectors[1] = 10000;
    f->windows.store_lines[0] = 4000;
    f->windows.store_lines[1] = 10000;
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
    b.field[0].stores.loaded_too = true; /* what is loaded is there when the piece comes */
    bench_run(&b);
    check_near("loaded", "reads", b.out.total.dram_partial, 0, 0);
    check_near("loaded", "writes", b.out.total.dram_store, 40000 * 32, NEAR);
    b.field[0].stores.loaded_too = false;
    b.laws.room = 1e12;
    b.field[0].stores.again = 5; /* counted: all that is stored in five waves passes */
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
    b.field[0].loads.random = true;
    b.traffic.window_count = 1;
    b.traffic.window_repeats[0] = 1;
    b.traffic.window_blocks[0] = 100;
    b.field[0].windows.units[0] = 300;
    b.field[0].windows.lines[0] = 250;
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
    b.field[0].loads.block_lines = 640;
    bench_run(&b);
    check_near("lone", "units", b.out.requests.lone_units, 0.75 * b.out.requests.read_units, NEAR);
    b.field[0].windows.units[0] = 500; /* all different */
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
    b.field[0].stores.steps = 10;
    b.field[0].stores.in_step = 0.75;
    bench_run(&b);
    check_near("in step", "partial", b.out.total.dram_partial, 10000 * 32 / 16.0 * (0.25 + 0.75 / 100), NEAR);
    b.field[0].stores.steps = b.field[0].stores.in_step = 0;
    b.laws.partial_room = 100; /* never more than all of them */
    bench_run(&b);
    check_near("full", "partial", b.out.total.dram_partial, 10000 * 32 / 4.0, NEAR);
    /* windows of 5 and 100 blocks: a wave of 10 stores to 2000 times 2 to the power of ln 5 / ln 20
     * sectors, each wave to some that others store to, too */
    b.traffic.window_count = 2;
    b.traffic.window_blocks[0] = 5;
    b.traffic.window_blocks[1] = 100;
    b.field[0].windows.store_sectors[0] = 2000;
    b.field[0].windows.store_sectors[1] = 10000;
    b.laws.partial_room = 10000 * 32;
    bench_run(&b);
    const double touched = 2000 * pow(2, log(5) / log(20));
    const double cleaned = 1 - pow(1 - pow(touched / 10000, 2), touched * 10 / 10000);
    check_near("in several waves", "partial", b.out.total.dram_partial, 2500 * 32 * cleaned, NEAR);
    b.traffic.window_count = 1;
    b.laws.partial_room = 100;
    b.field[0].stores.partly = 1000; /* never completed: read once, whatever happens */
    bench_run(&b);
    check_near("partly", "partial", b.out.total.dram_partial, 1000 * 32 + 1500 * 32, NEAR);
    check_near("partly", "stores", b.out.total.dram_store, 10000 * 32 + 1500 * 32, NEAR);
    b.field[0].stores.block_full = 13000; /* samples that contradict each other */
    bench_run(&b);
    check_near("more than all", "cleaned", b.out.requests.cleaned, 0, 0);
    check_done();
}

/* A field of a quarter of the L1: the share 1 - exp(-b exp(-c / 4)) of it stays, and every
 * multiprocessor loads that once. */
static void small_fields_stay(void **state)
{
    (void)state;
    bench b;
    bench_start(&b);
    add_loads(&b);
    b.traffic.sms = 5;
    b.traffic.window_count = 1;
    b.traffic.window_repeats[0] = 1;
    b.field[0].windows.units[0] = 10;
    b.field[0].windows.lines[0] = 256; /* 32 KiB of 128 */
    for (int n = 1; n <= 4; n++) {
        b.laws.reload[0] = 0; /* nothing is loaded again */
        b.laws.reload[1] = n;
        b.laws.reload[2] = 2;
        b.traffic.windows_known = false;
        bench_run(&b);
        const double all = b.out.total.l2_compulsory + b.out.total.l2_capacity, stays = 1 - exp(-n * exp(-0.5));
        b.traffic.windows_known = true;
        bench_run(&b);
        check_near("a quarter", "L2 loads", b.out.total.l2_compulsory + b.out.total.l2_capacity,
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
        b.field[0].stores.block_full = 12000;
        b.field[0].windows.units[0] = cases[i].reads / 64;
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
    b.field[1].stores.sectors = 30000;
    b.laws.dirty[0] = 128000;
    b.laws.dirty[1] = 1e9;
    bench_run(&b);
    check_near("two fields", "first", b.volume[0].dram_store, 320000 * 0.9, NEAR);
    check_near("two fields", "second", b.volume[1].dram_store, 960000 * 0.9, NEAR);
    check_done();
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_halves_are_the_published_form),
        cmocka_unit_test(room_decides),
        cmocka_unit_test(a_cache_of_the_memory),
        cmocka_unit_test(rows_and_layers),
        cmocka_unit_test(sectors_are_cleaned_early),
        cmocka_unit_test(pieces_far_apart_are_evicted),
        cmocka_unit_test(random_loads_find_what_the_l2_holds),
        cmocka_unit_test(small_fields_stay),
        cmocka_unit_test(dirty_data_stays_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
