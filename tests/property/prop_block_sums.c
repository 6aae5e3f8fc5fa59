/* prop_block_sums.c - distinct granules of each block and each warp, summed over a launch, against
 * enumeration of every block, thread, folded cell and loop step. launch_cases.h says which
 * launches. SPDX-License-Identifier: MIT */
#include "property/launch_cases.h"

#include "count/block_sum.h"
#include "property/warp_oracle.h"

static struct {
    int64_t sums, sampled;
    int64_t of_warps, of_blocks; /* compared */
} compared;

/* ---- sums over blocks ---- */

static void check_sum(const trial *t, const wl_view *view, size_t field, wl_side side, int64_t granule)
{
    const group g = trial_group(t, field, (int)side);
    int64_t expected = 0;
    wl_block_sum got;
    wl_error err = {0};
    const wl_geometry geometry = some_geometry(t);
    if (wl_block_sum_make(&(wl_block_sum_input){view, &counter, &geometry, field, side, false, 1, {granule}}, &got,
                          &err) != WL_OK)
        trial_fail(t, &err);
    for (int64_t n = 0; n < t->grid[0] * t->grid[1] * t->grid[2] && g.count; n++) {
        enumerate(t, &g, (blocks){n, n + 1}, &listed);
        expected += count_enumerated(&listed, granule).touched;
    }
    compared.sums++;
    compared.sampled += got.sampled;
    if (got.sampled || (double)expected == got.granules[0])
        return;
    trial_print(t);
    fail_msg("distinct granules of %lld bytes of each block, %s of field f%zu: expected %lld, got %.17g",
             (long long)granule,
             side == WL_LOADS    ? "loads"
             : side == WL_STORES ? "stores"
                                 : "all accesses",
             field, (long long)expected, got.granules[0]);
}

static void block_sums_agree_with_enumeration(void **state)
{
    (void)state;
    static const int64_t granules[] = {32, 64, 128};
    for (uint64_t i = 0; i < iterations(8000); i++) {
        random_source r;
        const wl_device *device;
        if (start_case(run.seed + i, &r, &device)) {
            wl_arena arena = {0};
            const wl_view view = make_view(&current, &arena);
            for (size_t f = 0; f < current.kernel->field_count; f++) {
                const wl_side side = (wl_side)random_in(&r, 0, 2);
                check_sum(&current, &view, f, side, RANDOM_OF(&r, granules));
            }
            wl_arena_free(&arena);
        }
        trial_end(&current);
    }
}

/* ---- several granules at once, and sums over warps ---- */

/* Distinct granules of each run of `threads` threads, summed; the last run of a block may be
 * shorter. */
static void sum_of_runs(const trial *t, const group *g, int64_t threads, const int64_t *granules, int n, double *sums,
                        double *covered)
{
    const wl_launch *l = &t->input.launch;
    const int64_t in_block = l->block[0] * l->block[1] * l->block[2];
    *covered = 0;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t b = 0; b < t->grid[0] * t->grid[1] * t->grid[2]; b++)
        for (int64_t first = 0; first < in_block; first += threads) {
            enumerate_threads(t, g, b, first, first + threads < in_block ? first + threads : in_block);
            for (int i = 0; i < n; i++) {
                const wl_count c = count_enumerated(&listed, granules[i]);
                sums[i] += (double)c.touched;
                *covered += i == 0 ? (double)c.covered : 0;
            }
        }
}

static void expect_sum(const trial *t, const wl_block_sum_input *in, const char *what, double expected, double got)
{
    if (expected == got)
        return;
    trial_print(t);
    fail_msg("%s of field f%zu, side %d: expected %.17g, got %.17g", what, in->field, (int)in->side, expected, got);
}

static void check_sums(random_source *r, const trial *t, const wl_device *device, const wl_view *view, size_t field,
                       bool warps)
{
    static const int64_t sets[][3] = {{32, 64, 128}, {32, 128, 128}, {16, 32, 4096}, {64, 128, 256}};
    const int64_t *granules = RANDOM_OF(r, sets);
    const wl_geometry geometry = some_geometry(t);
    wl_block_sum_input in = {.view = view, .counter = &counter, .geometry = &geometry, .field = field};
    in.side = (wl_side)random_in(r, 0, 2);
    in.want_covered = random_chance(r, 50);
    in.granule_count = (int)random_in(r, 1, 3);
    memcpy(in.granules, granules, 3 * sizeof *granules);
    const group g = trial_group(t, field, (int)in.side);
    const int64_t warp = number_of(device, WL_DEVICE_warp_size);
    double sums[3] = {0}, covered = 0;
    wl_block_sum got;
    wl_error err = {0};
    const wl_status status = warps ? wl_warp_sum_make(&in, (int)warp, &got, &err) : wl_block_sum_make(&in, &got, &err);
    if (status != WL_OK)
        trial_fail(t, &err);
    compared.sums++;
    compared.sampled += got.sampled;
    if (g.count)
        sum_of_runs(t, &g, warps ? warp : t->geometry.threads, in.granules, in.granule_count, sums, &covered);
    if (got.sampled)
        return;
    *(warps ? &compared.of_warps : &compared.of_blocks) += g.count > 0;
    for (int i = 0; i < in.granule_count; i++)
        expect_sum(t, &in, warps ? "granules of each warp" : "granules of each block", sums[i], got.granules[i]);
    expect_sum(t, &in, warps ? "covered by each warp" : "covered by each block", in.want_covered ? covered : 0,
               got.covered);
}

static void sums_of_several_granules_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(1500); i++) {
        random_source r;
        const wl_device *device;
        if (start_case(run.seed + i, &r, &device)) {
            wl_arena arena = {0};
            const wl_view view = make_view(&current, &arena);
            for (size_t f = 0; f < current.kernel->field_count; f++)
                for (int warps = 0; warps < 2; warps++)
                    check_sums(&r, &current, device, &view, f, warps == 1);
            wl_arena_free(&arena);
        }
        trial_end(&current);
    }
    if (!run.iterations)
        assert_true(compared.of_warps > (int64_t)iterations(800) && compared.of_blocks > (int64_t)iterations(800));
}

static void sums_under_conditions_agree_with_enumeration(void **state)
{
    run.guards = true;
    block_sums_agree_with_enumeration(state);
    sums_of_several_granules_agree_with_enumeration(state);
    run.guards = false;
}

static void sums_of_divided_threads_agree_with_enumeration(void **state)
{
    run.quotients = true;
    block_sums_agree_with_enumeration(state);
    sums_of_several_granules_agree_with_enumeration(state);
    run.quotients = false;
}

static int end(void **state)
{
    (void)state;
    if (getenv("WL_STATISTICS"))
        print_message("%lld cases, %lld too large; %lld sums, %lld sampled; several granules: %lld warp sums, "
                      "%lld block sums\n",
                      (long long)run.cases, (long long)run.too_large, (long long)compared.sums,
                      (long long)compared.sampled, (long long)compared.of_warps, (long long)compared.of_blocks);
    end_run();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sums_agree_with_enumeration),
        cmocka_unit_test(sums_of_several_granules_agree_with_enumeration),
        cmocka_unit_test(sums_under_conditions_agree_with_enumeration),
        cmocka_unit_test(sums_of_divided_threads_agree_with_enumeration),
    };
    return cmocka_run_group_tests(tests, start_run, end);
}
