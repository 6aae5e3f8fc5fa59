/* test_shortcuts.c - what is counted in few steps, against the plain way: warps as lines and banks
 * against lane by lane, runs by kind against run by run, residues cycle by cycle against move by
 * move, the tag hash by tables against bit by bit, blocks of many alignments in one sweep against
 * one by one. Random cases. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <string.h>

#include "base/ckd.h"
#include "count/pattern_table.h"
#include "count/view.h"
#include "device/device_internal.h"
#include "effort.h"
#include "warpline/warpline.h"

static uint64_t state = 1;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static wl_device *device_of(const char *name)
{
    wl_error err = {0};
    wl_device *device = NULL;
    check_ok(name, wl_device_builtin(name, &device, &err), &err);
    return device;
}

/* ---- warps ---- */

/* Rows of lanes as in blocks of odd shapes, some lanes missing; or anything. */
static void random_lanes(wl_arrangement *out)
{
    static const int32_t widths[] = {8, 4, 16, 2, 12, 8};
    const int64_t width = out->width = widths[below(6)];
    const int64_t rows = 1 + below(40), missing = below(4) ? 0 : 1 + below(9);
    const int64_t step = below(5) ? width : width * (below(7) - 3), pitch = width * (1 + below(2000)) + below(9) / 8;
    const bool wild = below(8) == 0;
    int64_t origin = 0;
    out->lanes = 0;
    for (int i = 0; i < 32; i++) {
        const int64_t at = wild ? width * below(600) : i % rows * step + i / rows * pitch;
        if (missing && i % (missing + 1) == missing)
            continue;
        if (out->lanes == 0)
            origin = at;
        out->lane[out->lanes] = (uint8_t)i;
        out->relative[out->lanes++] = at - origin;
    }
}

/* Other numbers of tag banks, and of words in a line, than any device has. */
static void random_rules(wl_l1_rules *rules)
{
    static const int tag_banks[] = {4, 4, 2, 8, 16};
    wl_device *device = device_of("h200");
    wl_l1_rules_make(device, rules);
    wl_device_free(device);
    rules->tag_banks = tag_banks[below(5)];
    for (int i = 0; i < 4 && rules->tag_banks != 4; i++)
        for (int k = 0; k < 1024; k++)
            rules->hash[i][k] = (uint8_t)below(rules->tag_banks);
    if (below(8) == 0) { /* a line is longer than a row of banks */
        rules->line *= 2;
        rules->line_shift++;
    }
    if (below(8) == 0) {
        rules->data.banks /= 2;
        rules->data.group_bytes /= 2;
    }
}

static void check_lanes(const wl_pattern_context *context, wl_pattern *p)
{
    for (int i = 0; i < 40; i++) {
        const int64_t at = (below(4) ? 4 * below((int64_t)1 << 40) : below(4096));
        wl_warp_access access = {.count = p->lanes.lanes, .width = p->lanes.width};
        memcpy(access.lane, p->lanes.lane, sizeof access.lane);
        for (int k = 0; k < access.count; k++)
            access.address[k] = at + p->lanes.relative[k];
        const wl_tag_cost got = wl_pattern_tag_cost(context, p, at), want = wl_warp_tag_cost(context->rules, &access);
        const int64_t alignment = at & (context->period - 1);
        const wl_warp_written *written = wl_pattern_written(context->rules, p, alignment);
        const wl_warp_written plain = wl_runs_write(context->rules, &p->runs, alignment);
        check_int("warp", "tag wavefronts", got.tag, want.tag);
        check_int("warp", "data wavefronts", got.cold, want.cold);
        check_int("warp", "data wavefronts of hits", wl_pattern_hit(context->rules, p, at),
                  wl_warp_hit_wavefronts(context->rules, &access));
        check_int("warp", "sectors", wl_pattern_sectors(context->rules, p, at),
                  wl_warp_sectors(context->rules, &access));
        check_true("warp", "what a store writes", memcmp(written, &plain, sizeof plain) == 0);
    }
}

/* Several addresses at once, of equal alignment or not. */
static void check_together(const wl_pattern_context *context, wl_pattern *p)
{
    enum { ADDRESSES = 9 };
    int64_t address[ADDRESSES];
    wl_tag_cost got[ADDRESSES];
    address[0] = 4 * below((int64_t)1 << 30);
    for (int i = 1; i < ADDRESSES; i++)
        address[i] = address[i - 1] + (below(3) ? context->period * below(5000) : 4 * below(100));
    wl_pattern_tag_costs(context, p, address, ADDRESSES, got);
    for (int i = 0; i < ADDRESSES; i++) {
        const wl_tag_cost want = wl_pattern_tag_cost(context, p, address[i]);
        check_int("together", "tag wavefronts", got[i].tag, want.tag);
        check_int("together", "data wavefronts", got[i].cold, want.cold);
    }
}

/* The sum over many or a few addresses of equal alignment. */
static void check_sum(const wl_pattern_context *context, wl_pattern *p)
{
    enum { ADDRESSES = 20 };
    int64_t address[ADDRESSES];
    const int64_t n = 1 + below(ADDRESSES), offset = 4 * (below(4000) - 2000);
    wl_tag_sum got = {0}, want = {0};
    for (int64_t i = 0; i < n; i++) {
        wl_warp_access access = {.count = p->lanes.lanes, .width = p->lanes.width};
        address[i] = i > 0 ? address[i - 1] + context->period * below(5000) : 4 * below((int64_t)1 << 30);
        memcpy(access.lane, p->lanes.lane, sizeof access.lane);
        for (int k = 0; k < access.count; k++)
            access.address[k] = address[i] + offset + p->lanes.relative[k];
        wl_tag_sum_add(&want, wl_warp_tag_cost(context->rules, &access));
    }
    wl_pattern_add_tags(context, p, address, n, offset, &got);
    check_int("sum", "tag wavefronts", got.tag, want.tag);
    check_int("sum", "data wavefronts", got.cold, want.cold);
    check_int("sum", "warps of several tag wavefronts", got.split, want.split);
}

static void patterns_cost_what_lanes_cost(void **unused)
{
    int64_t placed = 0;
    (void)unused;
    for (int i = 0; i < 60; i++) {
        static wl_pattern_table table;
        wl_l1_rules rules;
        random_rules(&rules);
        const wl_pattern_context context = {NULL, &rules, wl_max(rules.line, rules.data.group_bytes), &table};
        for (int k = 0; k < 40; k++) {
            wl_arrangement lanes;
            random_lanes(&lanes);
            wl_pattern *p = wl_pattern_table_get(&table, &rules, &lanes);
            assert_non_null(p);
            check_lanes(&context, p);
            check_together(&context, p);
            check_sum(&context, p);
            placed += p->segments.count > 0;
        }
        wl_pattern_table_free(&table);
    }
    check_true("patterns", "many are placed by lines, many lane by lane", placed > 1000 && placed < 2000);
    check_done();
}

static void hash_tables_are_the_hash(void **unused)
{
    wl_l1_rules rules;
    wl_device *device = device_of("h200");
    (void)unused;
    wl_l1_rules_make(device, &rules);
    for (int i = 0; i < 5000; i++) {
        const int64_t line = below((int64_t)1 << 31) << below(10);
        int bank = 0;
        for (size_t k = 0; k < wl_device_list_length(device, WL_DEVICE_l1_tag_hash); k++)
            if (line >> k & 1)
                bank ^= (int)wl_device_list_value(device, WL_DEVICE_l1_tag_hash, k);
        check_int("line", "tag bank", wl_l1_tag_bank(&rules, line), bank);
    }
    wl_device_free(device);
    check_done();
}

/* ---- residues ---- */

static void random_residues(int shift, wl_residues *out)
{
    const int64_t stride = (int64_t)1 << below(shift);
    (void)wl_residues_start(below(1 << shift), (int64_t)1 << shift, &stride, 1, out);
    for (int i = 0; i < out->count; i++)
        out->weight[i] = below(3) ? below(1000) : 0;
}

static void residues_move_as_one_by_one(void **unused)
{
    (void)unused;
    for (uint64_t i = 0; i < effort_cases(20000); i++) {
        wl_residues in, out, sum;
        int64_t want[WL_RESIDUES_MAX] = {0};
        random_residues(1 + (int)below(8), &in);
        const int64_t stride = (below(4000) - 2000) * in.step, from = below(5) ? below(600) : -below(600);
        const int64_t n = below(600), moved = below(1 << 20) * in.step;
        for (int64_t c = from; c < from + n; c++)
            for (int k = 0; k < in.count; k++)
                want[wl_floor_mod(k + c * (stride / in.step), in.count)] += in.weight[k];
        wl_residues_convolve(&in, stride, from, n, &out);
        check_true("moves", "weights", memcmp(out.weight, want, (size_t)in.count * sizeof *want) == 0);
        sum = out;
        wl_residues_add(&in, moved, &sum);
        for (int k = 0; k < in.count; k++)
            want[wl_floor_mod(k + moved / in.step, in.count)] += in.weight[k];
        check_true("added", "weights", memcmp(sum.weight, want, (size_t)in.count * sizeof *want) == 0);
    }
    check_done();
}

/* ---- blocks ---- */

/* Warps and blocks of odd shapes of a stencil, moved by multiples of its elements. */
static wl_region random_region(const wl_kernel *kernel, wl_geometry *g)
{
    wl_region r = {.geometry = g, .kernel = kernel, .blocks = {.count = 1 + (int)below(3)}};
    for (int d = 0; d < 3; d++) {
        g->block[d] = g->fold[d] = 1;
        g->grid[d] = g->cells[d] = kernel->domain[d];
    }
    int64_t z = below(5);
    for (int b = 0; b < r.blocks.count; b++) {
        wl_box3 *box = &r.blocks.boxes[b];
        for (int d = 0; d < 3; d++) {
            box->lo[d] = d == 2 ? z : below(9);
            box->hi[d] = box->lo[d] + 1 + below(d == 2 ? 3 : 20);
        }
        z = box->hi[2]; /* boxes of a set do not overlap */
    }
    return r;
}

static void moves_are_summed_in_one_sweep(void **unused)
{
    static const char *const sets[] = {"nx=77", "ny=43", "nz=39"};
    const wl_kernel_options options = {.sets = sets, .set_count = 3};
    wl_arena arena = {0};
    wl_error err = {0};
    wl_view view;
    wl_kernel *kernel = NULL;
    wl_counter counter = {.row_budget = WL_ROW_BUDGET};
    size_t length = 0;
    int64_t summed = 0;
    (void)unused;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);
    check_ok("kernel", wl_kernel_parse("star3d_r4", text, length, &options, &kernel, &err), &err);
    check_ok("view", wl_view_make(kernel, NULL, &arena, &view, &err), &err);
    for (int i = 0; i < 1500; i++) {
        wl_geometry g = {0};
        const wl_region region = random_region(kernel, &g);
        const wl_side side = (wl_side)below(WL_SIDE_COUNT);
        const wl_shape *shape = &view.fields[side == WL_STORES][side].shape;
        const int64_t granule = (int64_t)32 << below(4), step = (int64_t)8 << below(3);
        const bool covered = below(2);
        wl_count sum = {0}, got = {0}, one;
        wl_residues moves;
        wl_laid laid;
        bool done = false;
        (void)wl_residues_start(below(4) * 8, granule, &step, 1, &moves);
        for (int k = 0; k < moves.count; k++)
            moves.weight[k] = below(50);
        wl_shape_lay(&counter, shape, &region, &laid);
        check_ok("sum", wl_laid_sum(&counter, &laid, &moves, granule, covered, &done, &got, &err), &err);
        if (!done)
            continue;
        summed++;
        for (int k = 0; k < moves.count; k++) {
            check_ok("one", wl_laid_count(&counter, &laid, wl_residue(&moves, k), granule, covered, &one, &err), &err);
            sum.touched += moves.weight[k] * one.touched;
            sum.covered += covered ? moves.weight[k] * one.covered : 0;
        }
        check_int("sum", "touched", got.touched, sum.touched);
        check_int("sum", "covered", covered ? got.covered : 0, sum.covered);
    }
    check_true("sums", "most are made in one sweep", summed > 1000);
    wl_counter_free(&counter);
    wl_arena_free(&arena);
    wl_kernel_free(kernel);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_cost_what_lanes_cost),
        cmocka_unit_test(hash_tables_are_the_hash),
        cmocka_unit_test(residues_move_as_one_by_one),
        cmocka_unit_test(moves_are_summed_in_one_sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
