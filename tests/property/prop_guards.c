/* prop_guards.c - accesses under affine conditions and of divided thread indices: what runs of
 * blocks touch, and tiles of blocks, against enumeration of every block, thread, folded cell and
 * loop step. prop_warps.c and prop_block_sums.c do the same for warps and blocks. launch_cases.h
 * says which launches. SPDX-License-Identifier: MIT */
#include "property/launch_cases.h"

#include "count/block_sum.h"
#include "count/buffer_limits.h"

static struct {
    int64_t runs, covered, tiles, sampled, pieces, limits;
} compared;

static void check_run(const trial *t, const wl_view *view, size_t field, wl_side side, blocks b, int64_t granule)
{
    const group g = trial_group(t, field, (int)side);
    const wl_region region = trial_region(t, b);
    wl_count got;
    wl_error err = {0};
    const wl_status status = wl_view_count(view, &counter, field, side, &region, granule, true, &got, &err);
    if (status != WL_OK)
        trial_fail(t, &err);
    enumerate(t, &g, b, &listed);
    const wl_count expected = count_enumerated(&listed, granule);
    compared.runs++;
    compared.covered += got.covered >= 0;
    if (expected.touched == got.touched && (got.covered < 0 || expected.covered == got.covered))
        return;
    trial_print(t);
    fail_msg(
        "blocks %lld to %lld, granules of %lld, field f%zu, side %d: expected %lld (%lld covered), got %lld (%lld)",
        (long long)b.first, (long long)b.last, (long long)granule, field, (int)side, (long long)expected.touched,
        (long long)expected.covered, (long long)got.touched, (long long)got.covered);
}

/* Blocks of a tile that lies anywhere in the grid, one after another. */
static void enumerate_tile(const trial *t, const group *g, const int64_t tile[3], const int64_t at[3])
{
    static addresses one;
    int64_t b[3];
    listed.count = 0;
    for (b[2] = at[2]; b[2] < at[2] + tile[2] && b[2] < t->grid[2]; b[2]++)
        for (b[1] = at[1]; b[1] < at[1] + tile[1] && b[1] < t->grid[1]; b[1]++)
            for (b[0] = at[0]; b[0] < at[0] + tile[0] && b[0] < t->grid[0]; b[0]++) {
                const int64_t n = b[0] + t->grid[0] * (b[1] + t->grid[1] * b[2]);
                enumerate(t, g, (blocks){n, n + 1}, &one);
                for (size_t i = 0; i < one.count; i++)
                    add_address(&listed, one.starts[i].start, one.starts[i].width);
            }
    if (listed.count)
        qsort(listed.starts, listed.count, sizeof *listed.starts, compare_references);
}

static void check_tiles(const trial *t, const wl_view *view, size_t field, wl_side side, const int64_t tile[3],
                        int64_t granule)
{
    const group g = trial_group(t, field, (int)side);
    const wl_block_sum_input in = {view, &counter, &t->geometry, field, side, false, 1, {granule}};
    wl_block_sum got;
    wl_error err = {0};
    double sum = 0, squares = 0;
    int64_t at[3];
    if (wl_tile_sum_make(&in, tile, &got, &err) != WL_OK)
        trial_fail(t, &err);
    for (at[2] = 0; at[2] < t->grid[2]; at[2] += tile[2])
        for (at[1] = 0; at[1] < t->grid[1]; at[1] += tile[1])
            for (at[0] = 0; at[0] < t->grid[0]; at[0] += tile[0]) {
                enumerate_tile(t, &g, tile, at);
                const double n = (double)count_enumerated(&listed, granule).touched;
                sum += n;
                squares += n * n;
            }
    compared.tiles++;
    compared.sampled += got.sampled;
    if (got.sampled || (sum == got.granules[0] && squares == got.squares[0]))
        return;
    trial_print(t);
    fail_msg("tiles of %lldx%lldx%lld blocks, granules of %lld, field f%zu, side %d: expected %.17g, got %.17g",
             (long long)tile[0], (long long)tile[1], (long long)tile[2], (long long)granule, field, (int)side, sum,
             got.granules[0]);
}

static wl_status stays_inside(const trial *t, const wl_view *view, size_t field, int64_t bytes)
{
    const wl_geometry busy = wl_geometry_busy(&t->geometry);
    wl_arena arena = {0};
    wl_error err = {0};
    t->kernel->fields[field].bytes = bytes;
    const wl_status status = wl_buffer_limits_check(view, &busy, &counter, &arena, &err);
    t->kernel->fields[field].bytes = 0;
    wl_arena_free(&arena);
    return status;
}

/* A buffer that ends with the last byte accessed is large enough, and one that ends a byte before
 * it is not. */
static void check_limits(const trial *t, const wl_view *view, size_t field, blocks all)
{
    const group g = trial_group(t, field, WL_BOTH);
    int64_t first = INT64_MAX, end = INT64_MIN;
    enumerate(t, &g, all, &listed);
    for (size_t i = 0; i < listed.count; i++) {
        first = wl_min(first, listed.starts[i].start);
        end = wl_max(end, listed.starts[i].start + listed.starts[i].width);
    }
    const int64_t base = t->kernel->fields[field].base_bytes;
    if (listed.count == 0 || end - base < 2)
        return;
    compared.limits++;
    const wl_status enough = stays_inside(t, view, field, end - base),
                    short_of = stays_inside(t, view, field, end - base - 1);
    if (enough == (first < base ? WL_E_BOUNDS : WL_OK) && short_of == WL_E_BOUNDS)
        return;
    trial_print(t);
    fail_msg("field f%zu, bytes %lld to %lld: %s in a buffer of that size, %s in one that is a byte shorter", field,
             (long long)first, (long long)end, wl_status_name(enough), wl_status_name(short_of));
}

static void check_field(random_source *r, const trial *t, const wl_view *view, size_t field)
{
    static const int64_t granules[] = {16, 32, 64, 128, 4096};
    const int64_t n = t->grid[0] * t->grid[1] * t->grid[2], first = random_in(r, 0, n - 1);
    const int64_t last = random_in(r, first + 1, n), granule = RANDOM_OF(r, granules);
    const wl_side side = (wl_side)random_in(r, 0, 2);
    const int64_t tiles[][3] = {{t->grid[0], 1, 1},
                                {t->grid[0], t->grid[1], 1},
                                {random_in(r, 1, 3), random_in(r, 1, 3), random_in(r, 1, 2)},
                                {t->grid[0], t->grid[1], t->grid[2]}};
    const int64_t *tile = tiles[random_in(r, 0, 3)];
    if (!view->fields[field][side].has_shape)
        return;
    for (size_t i = 0; i < view->fields[field][side].count; i++)
        compared.pieces += view->fields[field][side].accesses[i]->piece_count > 0;
    check_run(t, view, field, side, (blocks){0, n}, granule);
    check_run(t, view, field, side, (blocks){first, last}, granule);
    if (view->fields[field][WL_BOTH].has_shape && !view->nearly)
        check_limits(t, view, field, (blocks){0, n});
    check_tiles(t, view, field, side, tile, granule);
}

static void check_cases(uint64_t usual)
{
    for (uint64_t i = 0; i < iterations(usual); i++) {
        random_source r;
        const wl_device *device;
        if (start_case(run.seed + i, &r, &device)) {
            wl_arena arena = {0};
            const wl_view view = make_view(&current, &arena);
            for (size_t f = 0; f < current.kernel->field_count; f++)
                check_field(&r, &current, &view, f);
            wl_arena_free(&arena);
        }
        trial_end(&current);
    }
}

static void footprints_under_conditions_agree_with_enumeration(void **state)
{
    (void)state;
    run.guards = true;
    check_cases(8000);
    run.guards = false;
    if (!run.iterations)
        assert_true(compared.tiles > (int64_t)iterations(4000) && compared.limits > (int64_t)iterations(4000));
}

static void footprints_of_divided_threads_agree_with_enumeration(void **state)
{
    (void)state;
    const int64_t before = compared.pieces;
    run.quotients = true;
    check_cases(4000);
    run.guards = true;
    check_cases(4000);
    run.quotients = run.guards = false;
    if (!run.iterations)
        assert_true(compared.pieces - before > (int64_t)iterations(400));
}

static int end(void **state)
{
    (void)state;
    if (getenv("WL_STATISTICS"))
        print_message("%lld cases, %lld too large; %lld runs, of %lld what is covered, too; %lld sums over tiles, %lld "
                      "sampled; %lld accesses in pieces; %lld buffers\n",
                      (long long)run.cases, (long long)run.too_large, (long long)compared.runs,
                      (long long)compared.covered, (long long)compared.tiles, (long long)compared.sampled,
                      (long long)compared.pieces, (long long)compared.limits);
    end_run();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(footprints_under_conditions_agree_with_enumeration),
                                       cmocka_unit_test(footprints_of_divided_threads_agree_with_enumeration)};
    return cmocka_run_group_tests(tests, start_run, end);
}
