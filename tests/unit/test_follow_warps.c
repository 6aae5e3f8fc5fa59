/* test_follow_warps.c - model/follow_warps.h: how many lines a load touches, and how often it waits
 * for one of them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "model/follow_warps.h"

#define NEAR 1e-12
#define INSTRUCTIONS 100

static wl_status live(void *context, const wl_lives **out, wl_error *err)
{
    (void)err;
    *out = context;
    return WL_OK;
}

/* One field that a load and a store access. */
typedef struct accessed {
    double sectors, tags;             /* of a load */
    bool load_by_data, store_by_data; /* data decide the addresses */
    /* shares of the loaded sectors: from the L2, and of these from DRAM */
    double missed[2];
    int in_walk; /* loads that a loop leads on; 0: one load, without a loop */
} accessed;

#define LOADS_MAX 4

static wl_field_waits waits_of(const accessed *a, const wl_device *device, bool known)
{
    static const wl_l1_rules rules = {.warp_size = 32, .sector = 32, .line = 128, .line_shift = 7, .tag_banks = 4};
    wl_lives lives = {.op_count = 0};
    const wl_expr step = {.op = WL_EXPR_VAR, .var = WL_VAR_LOOP_0};
    const int loads = a->in_walk > 0 ? a->in_walk : 1;
    const double each = (double)INSTRUCTIONS / loads;
    wl_access accesses[1 + LOADS_MAX] = {{.store = true, .traced = a->store_by_data, .index = &step}};
    wl_access_cost cost[1 + LOADS_MAX] = {{.inst = INSTRUCTIONS, .sectors = INSTRUCTIONS * 3, .tag = INSTRUCTIONS * 9}};
    for (int i = 1; i <= loads; i++) {
        accesses[i] = (wl_access){.traced = a->load_by_data, .index = &step, .unit_bytes = 4};
        cost[i] = (wl_access_cost){.inst = each, .sectors = each * a->sectors, .tag = each * a->tags};
    }
    wl_field field = {.vector = 1};
    wl_kernel kernel = {.fields = &field,
                        .field_count = 1,
                        .accesses = accesses,
                        .access_count = (size_t)(1 + loads),
                        .loop_count = a->in_walk > 0,
                        .loop_extent = {100},
                        .source = {.context = &lives, .live = live}};
    const wl_costs costs = {.kernel = &kernel, .device = device, .rules = &rules, .access = cost};
    const wl_geometry launched = {.block = {64, 1, 1},
                                  .fold = {1, 1, 1},
                                  .grid = {10, 1, 1},
                                  .grid_dim = {10, 1, 1},
                                  .cells = {640, 1, 1},
                                  .blocks = 10,
                                  .threads = 64,
                                  .wave_blocks = 10};
    const double loaded = 32 * INSTRUCTIONS * a->sectors * a->missed[0];
    wl_volume volume = {.l2_compulsory = loaded, .dram_compulsory = loaded * a->missed[1]};
    const wl_volumes volumes = {.fields = &volume, .known = known};
    wl_arena arena = {0};
    wl_error err = {0};
    wl_followed followed;
    wl_field_waits out;
    wl_waits waits;
    check_ok("find", wl_follow_find(&costs, &launched, &(const wl_warps_result){0}, &arena, &followed, &err), &err);
    wl_follow_waits(&followed, device, &volumes, &out, &waits);
    check_true("waits", "are those of the fields", waits.fields == &out && waits.field_count == 1);
    check_near("a store", "requests", out.writes, 3, NEAR);
    wl_arena_free(&arena);
    return out;
}

static const struct {
    const char *name;
    double sectors, tags, lines;
} lines[] = {
    {"words of neighbours", 4, 1, 1},
    {"16 bytes each", 16, 1, 4},
    {"one word for all", 1, 1, 1},
    {"half of a line", 2, 1, 1},
    {"a line each", 32, 8, 29}, /* the first tag wavefront serves one line or four */
    {"some lines with a sector each", 8, 2, 5},
    {"no more lines than sectors", 8, 3, 8},
    {"no tags are known", 32, 0, 8},
    {"nothing", 0, 0, 0},
};

static void lines_of_a_load(void **state)
{
    wl_device *device = *state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        const accessed a = {lines[i].sectors, lines[i].tags, false, false, {1, 1}, 0};
        const wl_field_waits w = waits_of(&a, device, true);
        check_near(lines[i].name, "lines", w.lines, lines[i].lines, NEAR);
        check_near(lines[i].name, "requests", w.reads, lines[i].sectors, NEAR);
    }
    check_done();
}

/* Eight sectors of a load are two lines, of which half miss the L1, and half of these the L2. */
static const struct {
    const char *name;
    accessed of;
    bool unknown; /* what the L2 holds */
    double l1, l2;
} misses[] = {
    /* 1 - 0.5^2, 1 - 0.75^2 */
    {"by place", {8, 1, false, false, {0.5, 0.5}, 0}, false, 0.75, 0.4375 / 0.75},
    {"one load of a walk", {8, 1, false, false, {0.25, 0.5}, 1}, false, 0.25, 0.5},
    /* one of them comes first */
    {"three of a walk", {8, 1, false, false, {0.25, 0.5}, 3}, false, 0.75, 0.5},
    {"four, not one of which hits for all", {8, 1, false, false, {0.5, 0.25}, 4}, false, 1, 0.5},
    {"by data", {8, 1, true, false, {0.5, 0.5}, 0}, false, 0.75, 0.4375 / 0.75},
    {"stores by data", {8, 1, false, true, {0.5, 0.5}, 0}, false, 0.75, 0.4375 / 0.75},
    {"by data, one line", {4, 1, true, false, {0.5, 0.5}, 0}, false, 0.5, 0.5},
    {"by data, four lines", {16, 1, true, false, {0.5, 0.5}, 0}, false, 0.9375, (1 - 0.31640625) / 0.9375},
    {"by data, a part of a line", {1, 1, true, false, {0.5, 0.5}, 0}, false, 0.5, 0.5},
    {"by data, all miss", {8, 1, true, false, {1, 1}, 0}, false, 1, 1},
    {"by data, none does", {8, 1, true, false, {0, 0}, 0}, false, 0, 0},
    {"by data, nobody knows of the L2", {8, 1, true, false, {0.5, 0}, 0}, true, 0.75, 1},
};

static void a_load_waits_if_one_of_its_lines_misses(void **state)
{
    wl_device *device = *state;
    for (size_t i = 0; i < COUNT_OF(misses); i++) {
        const accessed *a = &misses[i].of;
        const wl_field_waits w = waits_of(a, device, !misses[i].unknown);
        check_near(misses[i].name, "waits for the L2", w.l1_misses, misses[i].l1, NEAR);
        check_near(misses[i].name, "of these for DRAM", w.l2_misses, misses[i].l2, NEAR);
        check_near(misses[i].name, "requests that miss the L1", w.missed[0], a->missed[0], NEAR);
        check_near(misses[i].name, "and the L2", w.missed[1], a->missed[0] * (misses[i].unknown ? 1 : a->missed[1]),
                   NEAR);
    }
    check_done();
}

static int setup(void **state)
{
    wl_error err = {0};
    return wl_device_builtin("h200", (wl_device **)state, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    wl_device_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_a_load),
                                       cmocka_unit_test(a_load_waits_if_one_of_its_lines_misses)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
