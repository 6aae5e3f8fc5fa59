/* test_ptx_measured.c - launches measured on an H200, emulated from their PTX: requests and
 * sectors equal the measured counts, machine instructions are within a quarter.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../validate/cuda/inputs.h"
#include "count/warp_law.h"
#include "ptx/cost/cost.h"
#include "ptx/emulate/emulate.h"
#include "ptx/module/shared_vectors.h"
#include "ptx/read/read_module.h"
#include "warpline/warpline.h"

typedef struct launch_row {
    const char *name, *program, *entry, *arguments;
    int64_t block[3], grid[3], dynamic, blocks;
    double tolerance;
    double measured[6];
} launch_row;

static const launch_row rows_measured[] = {
#include "unit/ptx_measured.def"
};

enum { INST, THREAD_INST, LOADS, SECTORS_LOADED, STORES, SECTORS_STORED, COUNTS };
static const char *const names[COUNTS] = {"instructions",   "thread instructions", "load requests",
                                          "sectors loaded", "store requests",      "sectors stored"};

/* ---- inputs ---- */

typedef struct input {
    void *bytes;
    size_t length;
} input;

static input list_of(uint32_t count, uint32_t (*at)(uint32_t))
{
    input out = {malloc(count * sizeof(uint32_t)), count * sizeof(uint32_t)};
    for (uint32_t i = 0; i < count; i++)
        ((uint32_t *)out.bytes)[i] = at(i);
    return out;
}

static input part_of_rows(rows r, bool first)
{
    const input out =
        first ? (input){r.first, (r.count + 1) * sizeof(uint32_t)} : (input){r.column, r.entries * sizeof(uint32_t)};
    free(first ? r.column : r.first);
    return out;
}

static input levels_of(int32_t depth)
{
    rows graph = graph_make();
    const input out = {levels_make(&graph, depth), graph.count * sizeof(int32_t)};
    free(graph.first);
    free(graph.column);
    return out;
}

static input pattern(void)
{
    input out = {malloc(4096), 4096};
    for (uint32_t i = 0; i < 1024; i++)
        ((float *)out.bytes)[i] = 0.5f + (float)((i * 2654435761u) & 1023) / 2048.0f;
    return out;
}

static input make_input(const char *name)
{
    const bool first = strstr(name, "_first") != NULL;
    if (strstr(name, "pattern1024"))
        return pattern();
    if (strstr(name, "index_uniform"))
        return list_of(GATHER_COUNT, index_uniform);
    if (strstr(name, "index_clustered"))
        return list_of(GATHER_COUNT, index_clustered);
    if (strstr(name, "binned_random"))
        return list_of(BINNED_COUNT, binned_random);
    if (strstr(name, "collatz"))
        return list_of(COLLATZ_COUNT, collatz_start);
    if (strstr(name, "switch"))
        return list_of(COLLATZ_COUNT, switch_case);
    if (strstr(name, "matrix_constant"))
        return part_of_rows(rows_make(MATRIX_ROWS, length_constant, 15), first);
    if (strstr(name, "matrix_uniform"))
        return part_of_rows(rows_make(MATRIX_ROWS, length_uniform, 16), first);
    if (strstr(name, "graph_level"))
        return levels_of(name[strlen("graph_level")] - '0');
    assert_true(strstr(name, "graph_") != NULL);
    return part_of_rows(graph_make(), first);
}

typedef struct kept_inputs {
    input all[8];
    int count;
} kept_inputs;

static wl_status load_input(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    (void)err;
    kept_inputs *kept = user;
    assert_true(kept->count < 8);
    kept->all[kept->count] = make_input(path);
    *bytes = kept->all[kept->count].bytes;
    *length = kept->all[kept->count++].length;
    return WL_OK;
}

/* ---- emulation ---- */

typedef struct tally {
    wl_l1_rules rules;
    double counts[COUNTS];
} tally;

static wl_status visit(void *user, const wl_ptx_touch *touch, wl_error *err)
{
    (void)err;
    tally *t = user;
    wl_warp_access a = {.width = touch->bytes};
    if (touch->space != WL_PTX_GLOBAL || touch->atomic)
        return WL_OK;
    for (int lane = 0; lane < WL_PTX_LANES; lane++)
        if (touch->lanes >> lane & 1) {
            a.lane[a.count] = (uint8_t)lane;
            a.address[a.count++] = (int64_t)touch->address[lane];
        }
    t->counts[touch->store ? STORES : LOADS] += a.count > 0;
    t->counts[touch->store ? SECTORS_STORED : SECTORS_LOADED] += a.count > 0 ? wl_warp_sectors(&t->rules, &a) : 0;
    return WL_OK;
}

static void weigh_profile(const wl_ptx_module *module, const wl_ptx_profile *p, wl_arena *arena, double counts[COUNTS])
{
    wl_error err = {0};
    wl_ptx_costs *costs = NULL;
    check_ok("costs", wl_ptx_costs_builtin(module->target, &costs, &err), &err);
    for (int32_t f = 0; f < module->function_count; f++) {
        const double *weight = NULL;
        wl_ptx_counting counting;
        assert_int_equal(wl_ptx_weigh(costs, module, &module->functions[f], arena, &weight, &counting, &err), WL_OK);
        for (int32_t i = 0; i < module->functions[f].instruction_count; i++) {
            counts[INST] += weight[i] * p->warps[p->first[f] + counting.as[i]];
            counts[THREAD_INST] += weight[i] * p->threads[p->first[f] + counting.as[i]];
        }
    }
    wl_ptx_costs_free(costs);
}

static int64_t block_number(int64_t k, int64_t count, int64_t blocks)
{
    /* golden ratio: never in step with an extent of the grid */
    const double part = 0.5 + (double)k * 0.6180339887498949;
    return count == blocks ? k : (int64_t)((double)blocks * (part - floor(part)));
}

static void emulate(const wl_ptx_launch *launch, wl_arena *arena, int64_t count, tally *t)
{
    wl_error err = {0};
    wl_ptx_emulator *emulator = NULL;
    wl_ptx_profile profile;
    const int64_t *grid = launch->grid, blocks = grid[0] * grid[1] * grid[2], n = count > 0 ? count : blocks;
    if (wl_ptx_emulator_new(launch, &emulator, &err) != WL_OK ||
        wl_ptx_profile_make(launch->module, arena, &profile, &err) != WL_OK)
        fail_msg("%s", err.message);
    for (int64_t k = 0; k < n; k++) {
        const int64_t b = block_number(k, n, blocks);
        const int64_t block[3] = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
        if (wl_ptx_emulate_block(emulator, block, -1, &profile, visit, t, &err) != WL_OK)
            fail_msg("%s", err.message);
    }
    weigh_profile(launch->module, &profile, arena, t->counts);
    for (int c = 0; c < COUNTS; c++)
        t->counts[c] *= (double)blocks / (double)n;
    wl_ptx_emulator_free(emulator);
}

static wl_ptx_module *read_module(const char *program)
{
    char path[1024];
    snprintf(path, sizeof path, SOURCE_DIR "/validate/ptx/%s.sm_90.ptx", program);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static char text[1 << 20];
    const size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    wl_error err = {0};
    wl_ptx_module *module = NULL;
    if (wl_ptx_module_parse(path, text, length, &module, &err) != WL_OK || wl_ptx_join_shared(module, &err) != WL_OK)
        fail_msg("%s", err.message);
    return module;
}

static int compare(const launch_row *row, const double counts[COUNTS])
{
    int wrong = 0;
    for (int c = 0; c < COUNTS; c++) {
        const double want = row->measured[c], tolerance = c <= THREAD_INST ? 0.25 : row->tolerance;
        if (want >= 0 && fabs(counts[c] - want) > tolerance * want + 0.5) {
            print_error("%s: %s %.0f, measured %.0f (%.3f)\n", row->name, names[c], counts[c], want, counts[c] / want);
            wrong++;
        }
    }
    return wrong;
}

static int check_row(const launch_row *row, const wl_ptx_module *module, const wl_l1_rules *rules)
{
    wl_error err = {0};
    wl_arena arena = {0};
    kept_inputs kept = {0};
    wl_ptx_arguments arguments = {0};
    tally t = {.rules = *rules};
    char words[512];
    const char *args[16];
    size_t count = 0;
    snprintf(words, sizeof words, "%s", row->arguments);
    for (char *rest = words, *word = strtok_r(words, " ", &rest); word && count < 16; word = strtok_r(NULL, " ", &rest))
        args[count++] = word;
    const wl_ptx_given given = {.args = args, .arg_count = count, .load = load_input, .user = &kept};
    wl_ptx_launch launch = {
        .module = module, .arguments = &arguments, .dynamic_shared = row->dynamic, .budget = 1 << 30};
    memcpy(launch.block, row->block, sizeof launch.block);
    memcpy(launch.grid, row->grid, sizeof launch.grid);
    if (wl_ptx_find_entry(module, row->entry, &launch.entry, &err) != WL_OK ||
        wl_ptx_arguments_make(module, launch.entry, &given, &arena, &arguments, &err) != WL_OK)
        fail_msg("%s: %s", row->name, err.message);
    emulate(&launch, &arena, row->blocks, &t);
    for (int i = 0; i < kept.count; i++)
        free(kept.all[i].bytes);
    wl_arena_free(&arena);
    return compare(row, t.counts);
}

static void launches_are_as_measured(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_l1_rules rules;
    int wrong = 0;
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    wl_l1_rules_make(device, &rules);
    wl_device_free(device);
    const char *loaded = "";
    wl_ptx_module *module = NULL;
    for (size_t i = 0; i < sizeof rows_measured / sizeof *rows_measured; i++) {
        if (strcmp(loaded, rows_measured[i].program) != 0) {
            wl_ptx_module_free(module);
            module = read_module(loaded = rows_measured[i].program);
        }
        wrong += check_row(&rows_measured[i], module, &rules);
    }
    wl_ptx_module_free(module);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches_are_as_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
