/* prop_ptx_life.c - the lives of the warps of random kernels, every block of them.
 *
 * The instructions of the lives of a block are those that it executes; lives are the same every
 * time; a walk through them passes all of their instructions, and one more trip of a loop that is
 * walked through, not multiplied, changes nothing once trips are alike.
 *
 *   WL_SEED=N WL_ITERATIONS=M prop_ptx_life    M programs from seed N on
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "effort.h"
#include "property/program_arguments.h"
#include "property/ptx_print.h"
#include "property/random_program.h"
#include "ptx/life/record.h"
#include "ptx/read/read_module.h"
#include "timeline/profile.h"

#define PROGRAMS 6000
#define BLOCKS_MOST 6
#define BUDGET 20000 /* warp instructions of a block; longer ones are left out */
/* relative difference of walks that are not settled after the trips that are walked through, */
#define WALK_MOST 1e-9
#define UNSETTLED_MOST 0.01 /* and how many of those with loops may not be */

typedef struct trial {
    program program;
    ptx_text text;
    program_arguments arguments;
    wl_arena arena;
    wl_ptx_module *module;
    wl_ptx_arguments made;
    wl_ptx_launch launch;
    wl_ptx_emulator *emulator;
    wl_ptx_ops ops;
    wl_ptx_segments *segments;
    const char *failed;
    double got, want;
} trial;

static struct {
    uint64_t programs, left_out, lives, loops, unsettled;
} tally;
static wl_waits waits;

static void expect(trial *t, const char *what, double got, double want, double tolerance)
{
    if (fabs(got - want) <= tolerance * fabs(want) || t->failed)
        return;
    t->failed = what;
    t->got = got;
    t->want = want;
}

/* ---- one program ---- */

static bool start(trial *t, wl_error *err)
{
    const wl_ptx_function *entry = NULL;
    make_arguments(&t->program, &t->arguments);
    print_program(&t->program, &t->text);
    const wl_ptx_given given = {
        .args = t->arguments.list, .arg_count = PROGRAM_BUFFERS + 1, .load = load_counts, .user = &t->arguments};
    if (wl_ptx_module_parse("k.ptx", t->text.text, t->text.length, &t->module, err) != WL_OK ||
        wl_ptx_find_entry(t->module, NULL, &entry, err) != WL_OK ||
        wl_ptx_arguments_make(t->module, entry, &given, &t->arena, &t->made, err) != WL_OK)
        return false;
    t->launch = (wl_ptx_launch){.module = t->module, .entry = entry, .arguments = &t->made, .budget = BUDGET};
    memcpy(t->launch.block, t->program.block, sizeof t->program.block);
    memcpy(t->launch.grid, t->program.grid, sizeof t->program.grid);
    return wl_ptx_emulator_new(&t->launch, &t->emulator, err) == WL_OK;
}

/* Every instruction of PTX is one of the machine. */
static bool find_segments(trial *t, wl_error *err)
{
    const wl_ptx_module *m = t->module;
    t->segments = WL_ARENA_NEW(&t->arena, wl_ptx_segments, m->function_count + 1);
    for (int32_t f = 0; f < m->function_count; f++) {
        double *ones = WL_ARENA_NEW(&t->arena, double, m->functions[f].instruction_count + 1);
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++)
            ones[i] = 1;
        const wl_ptx_life_input in = {.module = m, .function = &m->functions[f], .weight = ones};
        if (wl_ptx_segments_make(&in, &t->arena, &t->ops, &t->segments[f], err) != WL_OK)
            return false;
    }
    return true;
}

static void end(trial *t)
{
    wl_ptx_emulator_free(t->emulator);
    wl_ptx_module_free(t->module);
    wl_arena_free(&t->arena);
}

/* ---- walks ---- */

static double cycles_of(trial *t, const wl_life *life, double *instructions)
{
    const wl_lives lives = {
        .ops = t->ops.list, .op_count = t->ops.count, .register_count = t->ops.registers, .list = life, .count = 1};
    wl_arena arena = {0};
    wl_walk_scratch scratch;
    wl_life_profile p = {0};
    wl_error err = {0};
    double cycles = 0;
    *instructions = 0;
    if (wl_walk_scratch_make(&lives, &arena, &scratch, &err) != WL_OK ||
        wl_life_walk(&lives, life, &waits, &scratch, &arena, &p, &err) != WL_OK)
        expect(t, "walked", 0, 1, 0);
    for (size_t i = 0; i < p.count; i++) {
        *instructions += p.list[i].times * p.list[i].instructions;
        cycles += p.list[i].times * (p.list[i].instructions + p.list[i].stall);
    }
    wl_arena_free(&arena);
    return cycles;
}

/* The first trip of each outermost loop by itself. */
static wl_life peel(trial *t, const wl_life *life, bool *peeled)
{
    wl_stretch *parts = WL_ARENA_NEW(&t->arena, wl_stretch, 2 * life->count + 1);
    wl_life out = *life;
    out.parts = parts;
    out.count = 0;
    for (size_t i = 0; i < life->count; i++) {
        const wl_stretch *at = &life->parts[i];
        const size_t length = at->loop ? (size_t)at->count : 0;
        if (at->loop && at->times > 1) {
            memcpy(parts + out.count, at + 1, length * sizeof *parts);
            out.count += length;
            *peeled = true;
        }
        memcpy(parts + out.count, at, (length + 1) * sizeof *parts);
        parts[out.count].times -= at->loop && at->times > 1;
        out.count += length + 1;
        i += length;
    }
    return out;
}

static double check_life(trial *t, const wl_stretch *parts, size_t count)
{
    const wl_life life = {.parts = parts, .count = count, .warps = 1};
    bool peeled = false;
    const wl_life more = peel(t, &life, &peeled);
    double issued, again;
    const double cycles = cycles_of(t, &life, &issued), with = cycles_of(t, &more, &again);
    expect(t, "instructions of a life, with a trip peeled", again, issued, 1e-9);
    expect(t, "cycles, at least those that issue", fmin(cycles, issued), issued, 1e-9);
    tally.lives++;
    tally.loops += peeled;
    tally.unsettled += fabs(with - cycles) > WALK_MOST * cycles;
    return issued;
}

/* ---- blocks ---- */

typedef struct followed_block {
    double issued;
    uint64_t signature;
    int64_t executed;
} followed_block;

static bool follow(trial *t, const int64_t block[3], followed_block *out, wl_error *err)
{
    const int64_t size = t->launch.block[0] * t->launch.block[1] * t->launch.block[2];
    const int32_t warps = (int32_t)((size + WL_PTX_LANES - 1) / WL_PTX_LANES);
    wl_ptx_record *record = wl_ptx_record_new(t->segments, warps);
    wl_ptx_followed followed;
    *out = (followed_block){0};
    wl_ptx_on_run(t->emulator, wl_ptx_record_visit, record);
    const wl_status status = wl_ptx_follow_block(t->emulator, block, &followed, err);
    for (int32_t w = 0; w < warps && status == WL_OK; w++) {
        size_t count = 0;
        uint64_t signature = 0;
        bool failed = false;
        const wl_stretch *parts = wl_ptx_record_parts(record, w, &t->arena, &count, &signature, &failed);
        if (failed || !parts)
            continue;
        out->issued += check_life(t, parts, count);
        out->signature = out->signature * 31 + signature;
    }
    wl_ptx_record_free(record);
    wl_ptx_on_run(t->emulator, NULL, NULL);
    out->executed = status == WL_OK ? followed.instructions : 0;
    return status == WL_OK;
}

static void try_blocks(trial *t)
{
    const int64_t *grid = t->launch.grid, blocks = grid[0] * grid[1] * grid[2];
    const int64_t count = blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
    for (int64_t i = 0; i < count && !t->failed; i++) {
        const int64_t n = i * (blocks - 1) / (count > 1 ? count - 1 : 1);
        const int64_t block[3] = {n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]};
        followed_block one, again;
        wl_error err = {0};
        if (!follow(t, block, &one, &err) || !follow(t, block, &again, &err)) {
            tally.left_out++;
            expect(t, "no error but the budget", err.code == WL_E_LIMIT, 1, 0);
            return;
        }
        expect(t, "instructions of the lives of a block", one.issued, (double)one.executed, 1e-9);
        expect(t, "the same lives again", one.signature == again.signature, 1, 0);
    }
}

static bool try_seed(trial *t, uint64_t seed)
{
    wl_error err = {0};
    const program_arguments kept = t->arguments;
    memset(t, 0, sizeof *t);
    t->arguments = kept;
    draw_program(seed, &t->program);
    if (!start(t, &err) || !find_segments(t, &err))
        expect(t, err.message, 0, 1, 0);
    else
        try_blocks(t);
    tally.programs++;
    if (t->failed)
        print_error("%s%s: %.17g, not %.17g\n// again with: WL_SEED=%llu WL_ITERATIONS=1\n", t->text.text, t->failed,
                    t->got, t->want, (unsigned long long)seed);
    end(t);
    return !t->failed;
}

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : usual;
}

static void random_programs(void **unused)
{
    (void)unused;
    trial *t = calloc(1, sizeof *t);
    wl_device *device = NULL;
    wl_error err = {0};
    bool holds = true;
    assert_non_null(t);
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    wl_waits_read(device, &waits);
    const uint64_t first = setting("WL_SEED", 1), count = setting("WL_ITERATIONS", effort_cases(PROGRAMS));
    for (uint64_t seed = first; seed < first + count && holds; seed++)
        holds = try_seed(t, seed);
    print_message("%llu programs, %llu left out, %llu lives, %llu with loops, %llu of them not settled\n",
                  (unsigned long long)tally.programs, (unsigned long long)tally.left_out,
                  (unsigned long long)tally.lives, (unsigned long long)tally.loops,
                  (unsigned long long)tally.unsettled);
    free_arguments(&t->arguments);
    free(t);
    wl_device_free(device);
    assert_true(holds);
    assert_true((double)tally.unsettled <= UNSETTLED_MOST * (double)tally.loops + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
