/* test_ptx_census.c - the census of a launch against every block of it, emulated in full.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"
#include "unit/read_file.h"

#include "ptx/emulate/emulate_internal.h"
#include "ptx/kernel/census.h"
#include "ptx/read/read_module.h"

#define ROWS 4096
#define BLOCKS 512
#define THREADS 64

/* What the arguments hold. */
static int32_t few[BLOCKS];      /* trip counts: nearly all 0 */
static uint32_t first[ROWS + 1]; /* rows of a matrix: some are long */
static uint32_t columns[ROWS * 64];
static float rising[ROWS], wanted[ROWS];
static int32_t kept[ROWS];

static uint32_t draw(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static void fill(void)
{
    uint32_t state = 7;
    for (int i = 0; i < BLOCKS; i++)
        few[i] = i % 97 == 41 ? 1 + (int32_t)(draw(&state) % 40) : 0;
    for (int i = 0; i < ROWS; i++) {
        const uint32_t length = draw(&state) % 64 == 0 ? 60 : draw(&state) % 5;
        first[i + 1] = first[i] + length;
        rising[i] = (float)(i + 1) / ROWS;
        wanted[i] = (float)(draw(&state) % ROWS) / ROWS;
        kept[i] = draw(&state) % 16 == 0;
    }
    for (int i = 0; i < ROWS * 64; i++)
        columns[i] = draw(&state) % ROWS;
}

static wl_status load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    static const struct {
        const char *name;
        const void *bytes;
        size_t length;
    } files[] = {
        {"few", few, sizeof few},          {"first", first, sizeof first},    {"columns", columns, sizeof columns},
        {"rising", rising, sizeof rising}, {"wanted", wanted, sizeof wanted}, {"kept", kept, sizeof kept}};
    (void)user, (void)err;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (strcmp(files[i].name, path) == 0) {
            *bytes = files[i].bytes;
            *length = files[i].length;
            return WL_OK;
        }
    return WL_E_IO;
}

typedef struct launch_case {
    const char *entry;
    int64_t block[3], grid[3];
    const char *args[6];
    bool reads_data;  /* control flow depends on it */
    bool thin;        /* and not on everything that is computed */
    const char *file; /* of tests/ptx; NULL: that of the others */
} launch_case;

static const launch_case cases[] = {
    {"counts",
     {THREADS, 1, 1},
     {BLOCKS, 1, 1},
     {"buf:2048=few", "buf:131072", "buf:131072", "32768"},
     true,
     true,
     NULL},
    {"rows",
     {THREADS, 1, 1},
     {ROWS / THREADS + 3, 1, 1},
     {"buf:16388=first", "buf:1048576=columns", "buf:1048576", "buf:16384", "buf:16384", "4096"},
     true,
     true,
     NULL},
    {"triangle", {32, 8, 1}, {8, 32, 1}, {"buf:262144", "buf:262144", "250"}, false, true, NULL},
    {"corner", {4, 4, 1}, {32, 32, 1}, {"buf:400", "buf:400", "9"}, false, true, NULL},
    {"find",
     {THREADS, 1, 1},
     {6, 1, 1},
     {"buf:16384=rising", "buf:16384=wanted", "buf:16384", "buf:16384", "350"},
     true,
     true,
     NULL},
    {"compact", {256, 1, 1}, {ROWS / 256, 1, 1}, {"buf:16384=kept", "buf:16384", "buf:4", "4090"}, true, true, NULL},
    {"k_mma", {32, 1, 1}, {64, 1, 1}, {"buf:64K", "buf:64K", "buf:64K"}, false, true, "tensor_sm80.ptx"},
};

typedef struct run {
    wl_ptx_module *module;
    wl_arena arena;
    wl_ptx_arguments arguments;
    wl_ptx_launch launch;
    wl_ptx_emulator *thin, *full;
} run;

static void start(run *r, const launch_case *c)
{
    wl_error err = {0};
    size_t length, args = 0;
    char path[256];
    (void)snprintf(path, sizeof path, SOURCE_DIR "/tests/ptx/%s", c->file ? c->file : "population_sm80.ptx");
    char *text = read_file(path, &length);
    *r = (run){0};
    while (args < COUNT_OF(c->args) && c->args[args])
        args++;
    const wl_ptx_given given = {.args = c->args, .arg_count = args, .load = load};
    check_ok(c->entry, wl_ptx_module_parse("uneven", text, length, &r->module, &err), &err);
    r->launch = (wl_ptx_launch){.module = r->module, .arguments = &r->arguments};
    check_ok(c->entry, wl_ptx_find_entry(r->module, c->entry, &r->launch.entry, &err), &err);
    check_ok(c->entry, wl_ptx_arguments_make(r->module, r->launch.entry, &given, &r->arena, &r->arguments, &err), &err);
    memcpy(r->launch.block, c->block, sizeof c->block);
    memcpy(r->launch.grid, c->grid, sizeof c->grid);
    check_ok(c->entry, wl_ptx_emulator_new(&r->launch, &r->thin, &err), &err);
    r->launch.everything = true;
    check_ok(c->entry, wl_ptx_emulator_new(&r->launch, &r->full, &err), &err);
    free(text);
}

static void end(run *r)
{
    wl_ptx_emulator_free(r->thin);
    wl_ptx_emulator_free(r->full);
    wl_arena_free(&r->arena);
    wl_ptx_module_free(r->module);
}

static int64_t blocks_of(const launch_case *c) { return c->grid[0] * c->grid[1] * c->grid[2]; }

static wl_status hash_touch(void *user, const wl_ptx_touch *t, wl_error *err)
{
    uint64_t *hash = user;
    (void)err;
    *hash = *hash * 31 + (uint64_t)t->instruction;
    *hash = *hash * 31 + t->lanes;
    for (int i = 0; i < WL_PTX_LANES; i++)
        *hash = *hash * 31 + (t->lanes >> i & 1 ? t->address[i] : 0);
    return WL_OK;
}

static void compare(const char *name, const char *what, const wl_ptx_profile *a, const wl_ptx_profile *b)
{
    for (int32_t i = 0; i < a->count; i++)
        if (a->warps[i] != b->warps[i] || a->warps_on[i] != b->warps_on[i] || a->threads[i] != b->threads[i] ||
            a->threads_on[i] != b->threads_on[i] || a->diverged[i] != b->diverged[i])
            check_true(name, what, false);
}

/* All blocks in full. */
static void emulate_all(const launch_case *c, run *r, wl_ptx_profile *total, uint64_t *hash)
{
    wl_error err = {0};
    for (int64_t n = 0; n < blocks_of(c); n++) {
        int64_t block[3];
        wl_ptx_block_of(&r->launch, n, block);
        check_ok(c->entry, wl_ptx_emulate_block(r->full, block, -1, total, hash_touch, hash, &err), &err);
    }
}

/* What is not needed makes no difference to what is executed and touched. */
static void test_thin(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const launch_case *c = &cases[i];
        wl_ptx_profile full, thin, flow;
        wl_error err = {0};
        uint64_t touched = 0, touched_thin = 0;
        int64_t steps = 0, instructions = 0;
        run r;
        start(&r, c);
        check_ok(c->entry, wl_ptx_profile_make(r.module, &r.arena, &full, &err), &err);
        check_ok(c->entry, wl_ptx_profile_make(r.module, &r.arena, &thin, &err), &err);
        check_ok(c->entry, wl_ptx_profile_make(r.module, &r.arena, &flow, &err), &err);
        emulate_all(c, &r, &full, &touched);
        for (int64_t n = 0; n < blocks_of(c); n++) {
            wl_ptx_followed followed;
            int64_t block[3];
            wl_ptx_block_of(&r.launch, n, block);
            check_ok(c->entry, wl_ptx_emulate_block(r.thin, block, -1, &thin, hash_touch, &touched_thin, &err), &err);
            check_ok(c->entry, wl_ptx_follow_block(r.thin, block, &followed, &err), &err);
            steps += followed.steps;
            instructions += followed.instructions;
            wl_ptx_collect(r.thin, 1, &flow);
        }
        compare(c->entry, "counts with addresses", &thin, &full);
        compare(c->entry, "counts without addresses", &flow, &full);
        check_true(c->entry, "addresses", touched == touched_thin);
        check_true(c->entry, "data decides", wl_ptx_flow_reads_data(r.thin) == c->reads_data);
        check_true(c->entry, "something is left out", !c->thin || blocks_of(c) < 64 || steps < instructions + 100000);
        end(&r);
    }
    check_done();
}

static void test_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const launch_case *c = &cases[i];
        const wl_ptx_recovery nothing = {0};
        wl_ptx_profile full;
        wl_ptx_census census;
        wl_error err = {0};
        uint64_t touched = 0;
        double blocks = 0, instructions = 0, all = 0;
        run r;
        start(&r, c);
        check_ok(c->entry, wl_ptx_profile_make(r.module, &r.arena, &full, &err), &err);
        emulate_all(c, &r, &full, &touched);
        check_ok(c->entry, wl_ptx_census_take(r.thin, &r.launch, &nothing, 1e12, &census, &err), &err);
        check_true(c->entry, "complete", census.complete && census.error == 0);
        compare(c->entry, "totals", &census.total, &full);
        for (int k = 0; k < census.kind_count; k++) {
            blocks += census.kinds[k].blocks;
            instructions += census.kinds[k].blocks * census.kinds[k].instructions;
            check_true(c->entry, "longest first",
                       !k || census.kinds[k].instructions <= census.kinds[k - 1].instructions);
        }
        for (int32_t n = 0; n < full.count; n++)
            all += full.warps[n];
        check_near(c->entry, "blocks of all kinds", blocks, (double)blocks_of(c), 0);
        check_near(c->entry, "instructions of all kinds", instructions, all, 1e-9);
        wl_ptx_census_free(&census);
        end(&r);
    }
    check_done();
}

/* Whatever some block executes, a witness does. */
static void test_witnesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const launch_case *c = &cases[i];
        const wl_ptx_recovery nothing = {0};
        wl_ptx_profile seen;
        wl_ptx_census census;
        wl_error err = {0};
        run r;
        start(&r, c);
        check_ok(c->entry, wl_ptx_profile_make(r.module, &r.arena, &seen, &err), &err);
        check_ok(c->entry, wl_ptx_census_take(r.thin, &r.launch, &nothing, 1e12, &census, &err), &err);
        for (size_t w = 0; w < census.witness_count; w++) {
            int64_t block[3];
            wl_ptx_block_of(&r.launch, census.witness[w], block);
            check_ok(c->entry, wl_ptx_emulate_block(r.full, block, -1, &seen, NULL, NULL, &err), &err);
        }
        for (int32_t n = 0; n < seen.count; n++)
            check_true(c->entry, "seen", (seen.warps_on[n] > 0) == (census.total.warps_on[n] > 0));
        check_true(c->entry, "few witnesses", census.witness_count < 24);
        wl_ptx_census_free(&census);
        end(&r);
    }
    check_done();
}

/* A sample is near the truth, measured by the error it states. */
static void test_sampled(void **state)
{
    const launch_case *c = &cases[1];
    const wl_ptx_recovery nothing = {0};
    launch_case larger = *c;
    (void)state;
    larger.block[0] = 32;
    larger.grid[0] = ROWS / 32;
    for (int i = 0; i < 3; i++) {
        wl_ptx_census census, all;
        wl_error err = {0};
        double got = 0, want = 0;
        run r;
        start(&r, &larger);
        check_ok("sample", wl_ptx_census_take(r.thin, &r.launch, &nothing, 1e12, &all, &err), &err);
        check_ok("sample", wl_ptx_census_take(r.thin, &r.launch, &nothing, all.work * 0.2 * (i + 1), &census, &err),
                 &err);
        for (int32_t n = 0; n < all.total.count; n++) {
            got += census.total.warps[n];
            want += all.total.warps[n];
        }
        check_true("sample", "incomplete", !census.complete && census.count < all.count);
        check_true("sample", "has an error", census.error > 0 && census.error < 0.5);
        check_true("sample", "within three times its error", fabs(got / want - 1) < 3 * census.error);
        check_true("sample", "as much work as allowed", census.work < all.work * 0.3 * (i + 1));
        wl_ptx_census_free(&census);
        wl_ptx_census_free(&all);
        end(&r);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thin), cmocka_unit_test(test_complete),
                                       cmocka_unit_test(test_witnesses), cmocka_unit_test(test_sampled)};
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
