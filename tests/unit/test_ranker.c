/* test_ranker.c - warpline/rank.h: which launches a space has on a device, and what becomes of
 * them.
 * SPDX-License-Identifier: MIT */
#include "unit/rank_fixture.h"

#include "base/ckd.h"
#include "device/device_internal.h"
#include "search/ranker.h"

/* ---- which launches there are ---- */

static const struct {
    const char *update, *domain;
    const char *set[11];
    const char *want;
} spaces[] = {
    {star2d,
     "256x256",
     {"block.x", "32,64", "block.y", "1,2", "block.z", "1", "fold", "1x1,1x2"},
     "32x1x1/1x1x1 32x1x1/1x2x1 32x2x1/1x1x1 32x2x1/1x2x1 64x1x1/1x1x1 64x1x1/1x2x1 64x2x1/1x1x1 64x2x1/1x2x1"},
    {star2d,
     "256x256",
     {"block.x", "32", "block.y", "1", "block.z", "1", "fold.y", "1,2", "fold.z", "1,2"},
     "32x1x1/1x1x1 32x1x1/1x1x2 32x1x1/1x2x1 32x1x1/1x2x2"},
    {star2d,
     "256x256",
     {"block.x", "32", "block.y", "1", "fold.y", "2,4", "fold", "1x4,2x1,1x1"},
     "32x1x1/1x2x1 32x1x1/1x4x1 32x1x1/2x1x1 32x1x1/1x1x1"},
    {star3d, "64x64x64", {"block.x", "48", "block.y", "3", "block.z", "5", "fold", "1"}, "48x3x5/1x1x1"},
    /* what is not given is chosen so that warps are whole ... */
    {star2d, "256x8", {"block.x", "16", "fold", "1"}, "16x2x1/1x1x1 16x4x1/1x1x1 16x8x1/1x1x1"},
    {star2d,
     "256x5",
     {"block.y", "4", "fold", "1", "where", "1"},
     "8x4x1/1x1x1 16x4x1/1x1x1 32x4x1/1x1x1 64x4x1/1x1x1 96x4x1/1x1x1 128x4x1/1x1x1 160x4x1/1x1x1 192x4x1/1x1x1 "
     "224x4x1/1x1x1 256x4x1/1x1x1"},
    /* ... but not where there is nothing to choose, or no block would be left */
    {star1d, "4096", {"block.x", "7,32"}, "7x1x1/1x1x1 32x1x1/1x1x1"},
    {star1d, "8", {NULL}, "1x1x1/1x1x1 2x1x1/1x1x1 4x1x1/1x1x1 8x1x1/1x1x1"},
    {star2d, "3x2", {"fold", "1"}, "1x1x1/1x1x1 1x2x1/1x1x1 2x1x1/1x1x1 2x2x1/1x1x1 4x1x1/1x1x1 4x2x1/1x1x1"},
    {star2d, "256x3", {"block.x", "33", "fold", "1"}, "33x1x1/1x1x1 33x2x1/1x1x1 33x4x1/1x1x1"},
    {star1d, "100", {"threads", "4,64,100"}, "4x1x1/1x1x1 64x1x1/1x1x1"},
    {star1d, "4096", {"block.x", "1..1024", "threads", "33,1000"}, "33x1x1/1x1x1 1000x1x1/1x1x1"},
    /* nothing */
    {star1d, "4096", {"block.x", "2048"}, ""},
    {star1d, "4096", {"block.x", "32", "fold", "65"}, ""},
};

static void test_launches(void **state)
{
    wl_device *device = device_of("h200");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(spaces); i++) {
        const char *settings[COUNT_OF(spaces[0].set) + 1] = {0};
        char got[4096];
        memcpy(settings, spaces[i].set, sizeof spaces[i].set);
        wl_kernel *kernel = kernel_of(spaces[i].update, spaces[i].domain);
        wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
        describe(ranker, got, sizeof got);
        check_text(spaces[i].domain, "launches", got, spaces[i].want);
        wl_ranker_free(ranker);
        wl_kernel_free(kernel);
    }
    wl_device_free(device);
    check_done();
}

static int64_t get(const wl_device *device, wl_device_key key)
{
    double value = 0;
    assert_true(wl_device_get(device, key, &value));
    return (int64_t)value;
}

/* The default extents in dimension d by their definition. */
static bool is_default_extent(int64_t v, int d, int64_t warp, int64_t most, int64_t domain)
{
    int64_t filled = 1;
    while (filled < domain)
        filled *= 2;
    return v <= most && v <= filled && (wl_is_pow2(v) || (d == 0 && v % warp == 0));
}

/* Every block of the default space is one by definition, ascending in x, then y, then z, and none
 * is missing. */
static void check_default_blocks(const char *name, const wl_ranker *ranker, const wl_device *device,
                                 const int64_t domain[3], int64_t folds)
{
    const int64_t warp = get(device, WL_DEVICE_warp_size), threads = wl_most_threads(device);
    int64_t most[3];
    for (size_t d = 0; d < 3; d++)
        most[d] = (int64_t)wl_device_list_value(device, WL_DEVICE_max_block, d);
    int64_t n = 0;
    for (int64_t x = 1; x <= threads; x++)
        for (int64_t y = 1; x * y <= threads && is_default_extent(x, 0, warp, most[0], domain[0]); y++)
            for (int64_t z = 1; x * y * z <= threads && is_default_extent(y, 1, warp, most[1], domain[1]); z++) {
                if (!is_default_extent(z, 2, warp, most[2], domain[2]) || x * y * z % warp != 0)
                    continue;
                wl_launch l = {0};
                if (n * folds < wl_ranker_size(ranker))
                    wl_ranker_launch(ranker, n * folds, &l);
                check_true(name, "the next block",
                           l.block[0] == x && l.block[1] == y && l.block[2] == z && l.fold[0] == 1);
                n++;
            }
    check_true(name, "there are blocks", n > 0);
    check_int(name, "size", wl_ranker_size(ranker), n * folds);
}

static void test_default_space(void **state)
{
    static const struct {
        const char *device, *update, *domain;
        int64_t extent[3];
        const char *folds; /* of the first block */
    } cases[] = {
        {"h200", star1d, "1000000", {1000000, 1, 1}, "1x1x1"},
        {"h200", star1d, "100", {100, 1, 1}, "1x1x1"},
        {"h200", star2d, "4096x4096", {4096, 4096, 1}, "1x1x1 1x2x1"},
        {"h200", star2d, "4096x20", {4096, 20, 1}, "1x1x1 1x2x1"},
        {"h200", star2d, "4096x1", {4096, 1, 1}, "1x1x1"},
        {"h200", star3d, "512x512x512", {512, 512, 512}, "1x1x1 1x2x1 1x1x2"},
        {"h200", star3d, "512x512x1", {512, 512, 1}, "1x1x1 1x2x1"},
        {"h200", star3d, "40x12x9", {40, 12, 9}, "1x1x1 1x2x1 1x1x2"},
        {"mi210", star1d, "1000000", {1000000, 1, 1}, "1x1x1"},
        {"mi210", star2d, "4096x4096", {4096, 4096, 1}, "1x1x1 1x2x1"},
        {"mi210", star3d, "256x256x256", {256, 256, 256}, "1x1x1 1x2x1 1x1x2"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char name[64], folds[64] = "";
        wl_device *device = device_of(cases[i].device);
        wl_kernel *kernel = kernel_of(cases[i].update, cases[i].domain);
        wl_ranker *ranker = ranker_of(kernel, device, NULL, NULL);
        snprintf(name, sizeof name, "%s on %s", cases[i].domain, cases[i].device);
        int64_t count = 0;
        for (wl_launch first, l; count < wl_ranker_size(ranker); count++) {
            wl_ranker_launch(ranker, 0, &first);
            wl_ranker_launch(ranker, count, &l);
            if (memcmp(first.block, l.block, sizeof l.block) != 0)
                break;
            snprintf(folds + strlen(folds), sizeof folds - strlen(folds), "%s%lldx%lldx%lld", count ? " " : "",
                     (long long)l.fold[0], (long long)l.fold[1], (long long)l.fold[2]);
        }
        check_text(name, "foldings", folds, cases[i].folds);
        check_default_blocks(name, ranker, device, cases[i].extent, count);
        check_int(name, "left out beforehand", left_before(ranker), 0);
        wl_ranker_free(ranker);
        wl_kernel_free(kernel);
        wl_device_free(device);
    }
    check_done();
}

/* A kernel that says itself what a thread computes is not folded. */
static void test_unfoldable(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = builtin_kernel("transpose_tiled");
    wl_ranker *ranker = ranker_of(kernel, device, NULL, NULL);
    (void)state;
    check_true("transpose_tiled", "there are launches", wl_ranker_size(ranker) > 1);
    for (int64_t i = 0; i < wl_ranker_size(ranker); i++) {
        wl_launch l;
        wl_ranker_launch(ranker, i, &l);
        check_int("transpose_tiled", "cells", l.fold[0] * l.fold[1] * l.fold[2], 1);
    }
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- registers ---- */

#define STATED (-1) /* what the kernel file says */

static void test_registers(void **state)
{
    static const char unknown[] = "registers per thread are not given", taken[] = "no more registers than the kernel";
    static const struct {
        const char *name, *kernel; /* NULL: the update, which states no registers */
        const char *registers;
        int64_t want[3]; /* of foldings 1x1x1, 1x2x1, 1x4x1 */
        const char *note;
    } cases[] = {
        {"nothing known", NULL, NULL, {0, 0, 0}, unknown},
        {"one for all", NULL, "40", {40, 40, 40}, NULL},
        {"some", NULL, "1x2x1:48", {0, 48, 0}, unknown},
        {"one first", NULL, "40,1x2x1:48", {40, 48, 40}, NULL},
        {"one last", NULL, "1x2x1:48,40", {40, 48, 40}, NULL},
        {"each", NULL, "1x1:32,1x2:40,1x4:56", {32, 40, 56}, NULL},
        {"other foldings", NULL, "8x1x1:99,40", {40, 40, 40}, NULL},
        {"the kernel's", "star3d_r4", NULL, {STATED, STATED, STATED}, taken},
        {"the kernel's for one", "star3d_r4", "1x2x1:128,1x4x1:200", {STATED, 128, 200}, NULL},
        {"the kernel's for a folded one", "star3d_r4", "1x2x1:128", {STATED, 128, STATED}, taken},
        {"instead of the kernel's", "star3d_r4", "64", {64, 64, 64}, NULL},
    };
    wl_device *device = device_of("h200");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *settings[] = {"block.x",
                                  "32",
                                  "block.y",
                                  "4",
                                  "block.z",
                                  "1",
                                  "fold",
                                  "1,1x2,1x4",
                                  cases[i].registers ? "registers" : NULL,
                                  cases[i].registers,
                                  NULL};
        wl_kernel *kernel = cases[i].kernel ? builtin_kernel(cases[i].kernel) : kernel_of(star2d, "64x64");
        wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
        int64_t stated = 0;
        check_int(cases[i].name, "the kernel states", wl_kernel_registers(kernel, &stated), cases[i].kernel != NULL);
        check_int(cases[i].name, "size", wl_ranker_size(ranker), 3);
        for (int64_t f = 0; f < 3; f++) {
            wl_launch l;
            wl_ranker_launch(ranker, f, &l);
            check_int(cases[i].name, "registers", l.registers, cases[i].want[f] == STATED ? stated : cases[i].want[f]);
        }
        const char *note = wl_ranker_note(ranker, 0);
        check_true(cases[i].name, "note", cases[i].note ? note && strstr(note, cases[i].note) : !note);
        check_true(cases[i].name, "one note", wl_ranker_note(ranker, 1) == NULL);
        wl_ranker_free(ranker);
        wl_kernel_free(kernel);
    }
    wl_device_free(device);
    check_done();
}

/* ---- outcomes ---- */

typedef struct axis {
    int64_t first, last, step;
} axis;

/* What the lists leave out is counted without looking at it: against looking at all of it. */
static void test_bulk_counts(void **state)
{
    static const struct {
        const char *name;
        axis block[3], fold[3];
        const char *settings[17];
        int64_t threads; /* 0: any; else only multiples of 64 up to this */
    } cases[] = {
        {"everything too large",
         {{1, 2000, 37}, {1, 1500, 131}, {1, 100, 9}},
         {{1, 1, 1}, {1, 90, 30}, {1, 70, 23}},
         {"block.x", "1..2000:37", "block.y", "1..1500:131", "block.z", "1..100:9", "fold.y", "1..90:30", "fold.z",
          "1..70:23"},
         0},
        {"long in all dimensions",
         {{1025, 1030, 1}, {1025, 1026, 1}, {65, 66, 1}},
         {{1, 2, 1}, {1, 1, 1}, {1, 1, 1}},
         {"block.x", "1025..1030", "block.y", "1025,1026", "block.z", "65,66", "fold.x", "1,2"},
         0},
        {"threads",
         {{8, 512, 8}, {1, 40, 3}, {1, 80, 7}},
         {{1, 5, 2}, {1, 1, 1}, {1, 64, 21}},
         {"block.x", "8..512:8", "block.y", "1..40:3", "block.z", "1..80:7", "fold.x", "1..5:2", "fold.z", "1..64:21",
          "threads", "64..512:64"},
         512},
        {"only foldings",
         {{32, 32, 1}, {1, 2, 1}, {1, 1, 1}},
         {{60, 70, 1}, {1, 2, 1}, {1, 1, 1}},
         {"block.x", "32", "block.y", "1,2", "block.z", "1", "fold.x", "60..70", "fold.y", "1,2"},
         0},
    };
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star3d, "64x64x64");
    (void)state;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        const axis *b = cases[c].block, *f = cases[c].fold;
        int64_t want[WL_OUTCOME_COUNT] = {0}, size = 0, all = 0;
        for (int64_t x = b[0].first; x <= b[0].last; x += b[0].step)
            for (int64_t y = b[1].first; y <= b[1].last; y += b[1].step)
                for (int64_t z = b[2].first; z <= b[2].last; z += b[2].step)
                    for (int64_t i = f[0].first; i <= f[0].last; i += f[0].step)
                        for (int64_t j = f[1].first; j <= f[1].last; j += f[1].step)
                            for (int64_t k = f[2].first; k <= f[2].last; k += f[2].step) {
                                const int64_t t = x * y * z;
                                all++;
                                if (x > 1024 || y > 1024 || z > 64)
                                    want[WL_OUTCOME_EXTENT]++;
                                else if (t > 1024)
                                    want[WL_OUTCOME_THREADS]++;
                                else if (cases[c].threads && (t % 64 != 0 || t > cases[c].threads))
                                    want[WL_OUTCOME_COUNT_OF]++;
                                else if (i * j * k > 64)
                                    want[WL_OUTCOME_FOLD]++;
                                else
                                    size++;
                            }
        wl_ranker *ranker = ranker_of(kernel, device, cases[c].settings, NULL);
        wl_ranking ranking;
        wl_ranking_start(ranker, NULL, 0, &ranking);
        check_int(cases[c].name, "size", wl_ranker_size(ranker), size);
        for (int o = 0; o < WL_OUTCOME_COUNT; o++)
            check_int(cases[c].name, wl_outcome_text((wl_outcome)o), ranking.outcomes[o], want[o]);
        check_int(cases[c].name, "all", sum_of(&ranking) + wl_ranker_size(ranker), all);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* The largest lists there can be: made quickly, and no count wraps around. */
static void test_largest_lists(void **state)
{
    static const char *const settings[] = {"block.x",  "1..65536", "block.y",  "1..65536", "block.z",
                                           "1..65536", "fold.x",   "1..65536", "fold.y",   "1..65536",
                                           "fold.z",   "1..65536", NULL};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star3d, "64x64x64");
    wl_rank_options options = {.threads = 1};
    wl_ranker *ranker = ranker_of(kernel, device, settings, &options);
    wl_ranking ranking;
    (void)state;
    wl_ranking_start(ranker, NULL, 0, &ranking);
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        check_true(wl_outcome_text((wl_outcome)o), "0 or more", ranking.outcomes[o] >= 0);
    check_true("largest", "extents", ranking.outcomes[WL_OUTCOME_EXTENT] > (int64_t)1 << 50);
    check_true("largest", "foldings", ranking.outcomes[WL_OUTCOME_FOLD] > (int64_t)1 << 50);
    check_true("largest", "size", wl_ranker_size(ranker) > 1000000);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static const struct {
    const char *name;
    wl_launch launch;
    wl_outcome want;
} listed[] = {
    {"plain", {.block = {32, 4, 1}}, WL_OUTCOME_PREDICTED},
    {"nothing given", {.block = {0}}, WL_OUTCOME_PREDICTED},
    {"folded", {.block = {32, 4, 1}, .fold = {1, 8, 8}}, WL_OUTCOME_PREDICTED},
    {"a grid", {.block = {32, 4, 1}, .grid = {32, 250, 1}}, WL_OUTCOME_PREDICTED},
    {"a grid too small for the domain", {.block = {32, 4, 1}, .grid = {8, 64, 1}}, WL_OUTCOME_PARTIAL},
    {"a negative block", {.block = {32, -4, 1}}, WL_OUTCOME_INVALID},
    {"a negative fold", {.block = {32, 4, 1}, .fold = {-1, 1, 1}}, WL_OUTCOME_INVALID},
    {"a negative grid", {.block = {32, 4, 1}, .grid = {-1, 1, 1}}, WL_OUTCOME_NO_BLOCKS},
    {"long in x", {.block = {1025, 1, 1}}, WL_OUTCOME_EXTENT},
    {"long in y", {.block = {1, 1025, 1}}, WL_OUTCOME_EXTENT},
    {"long in z", {.block = {1, 1, 65}}, WL_OUTCOME_EXTENT},
    {"immense", {.block = {INT64_MAX, INT64_MAX, INT64_MAX}, .fold = {INT64_MAX, 2, 3}}, WL_OUTCOME_EXTENT},
    {"long and large", {.block = {1024, 2, 65}}, WL_OUTCOME_EXTENT},
    {"large", {.block = {1024, 2, 1}}, WL_OUTCOME_THREADS},
    {"largest", {.block = {1024, 1024, 64}}, WL_OUTCOME_THREADS},
    {"folded once too often", {.block = {32, 4, 1}, .fold = {65, 1, 1}}, WL_OUTCOME_FOLD},
    {"folded in two", {.block = {32, 4, 1}, .fold = {1, 9, 8}}, WL_OUTCOME_FOLD},
    {"folded immensely", {.block = {1024, 1, 1}, .fold = {INT64_MAX, INT64_MAX, 1}}, WL_OUTCOME_FOLD},
    {"a grid too long in y", {.block = {32, 4, 1}, .grid = {1, 65536, 1}}, WL_OUTCOME_GRID},
    {"a grid too long in x", {.block = {1, 1, 1}, .grid = {(int64_t)1 << 31, 1, 1}}, WL_OUTCOME_GRID},
    {"too many registers", {.block = {32, 1, 1}, .registers = 256}, WL_OUTCOME_REGISTERS},
    {"registers of a large block", {.block = {1024, 1, 1}, .registers = 128}, WL_OUTCOME_REGISTERS},
    {"shared memory", {.block = {32, 1, 1}, .shared_bytes = 300000}, WL_OUTCOME_SHARED},
};

static void test_listed(void **state)
{
    wl_launch launches[COUNT_OF(listed)];
    wl_ranked records[COUNT_OF(listed)], best[COUNT_OF(listed)];
    int64_t want[WL_OUTCOME_COUNT] = {0};
    wl_error err = {0};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "1000x1000");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(listed); i++) {
        launches[i] = listed[i].launch;
        want[listed[i].want]++;
    }
    wl_ranker *ranker = ranker_of_list(kernel, device, launches, COUNT_OF(listed), NULL);
    check_int("list", "size", wl_ranker_size(ranker), (int64_t)COUNT_OF(listed));
    check_ok("evaluate", wl_ranker_evaluate(ranker, 0, (int64_t)COUNT_OF(listed), records, &err), &err);
    for (size_t i = 0; i < COUNT_OF(listed); i++) {
        check_int(listed[i].name, "index", records[i].index, (int64_t)i);
        check_text(listed[i].name, "outcome", wl_outcome_text((wl_outcome)records[i].outcome),
                   wl_outcome_text(listed[i].want));
        const bool cannot = listed[i].want != WL_OUTCOME_PREDICTED && listed[i].want != WL_OUTCOME_PARTIAL;
        check_int(listed[i].name, "cannot run", wl_outcome_cannot_run((wl_outcome)records[i].outcome), cannot);
    }
    wl_ranking ranking;
    check_ok("rank", wl_rank(ranker, best, COUNT_OF(best), &ranking, &err), &err);
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        check_int("list", wl_outcome_text((wl_outcome)o), ranking.outcomes[o], want[o]);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* Conditions see the launch as it will be; of immense ones, something large. */
static void test_condition_values(void **state)
{
    static const wl_launch launches[] = {
        {.block = {32, 4, 2}, .fold = {1, 2, 3}, .registers = 40},
        {.block = {INT64_MAX, INT64_MAX, 1},
         .fold = {INT64_MAX, 1, 1},
         .grid = {INT64_MAX, 1, 1},
         .registers = INT64_MAX},
    };
    static const char *const conditions[] = {
        "block.x == 32 && block.y == 4 && block.z == 2",
        "fold.x == 1 && fold.y == 2 && fold.z == 3",
        "tile.x == 32 && tile.y == 8 && tile.z == 6",
        "grid.x == 4 && grid.y == 13 && grid.z == 2",
        "domain.x == 100 && domain.y == 99 && domain.z == 7",
        "threads == 256 && warps == 8",
        "cells == 6 && registers == 40",
    };
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star3d, "100x99x7");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(conditions); i++) {
        const char *settings[] = {"where", conditions[i], NULL};
        wl_ranked records[2];
        wl_error err = {0};
        wl_ranker *ranker = ranker_of_list(kernel, device, launches, 2, settings);
        check_ok(conditions[i], wl_ranker_evaluate(ranker, 0, 2, records, &err), &err);
        check_int(conditions[i], "outcome", records[0].outcome, WL_OUTCOME_PREDICTED);
        /* the domain alone does not depend on the launch */
        const wl_outcome second = strstr(conditions[i], "domain") ? WL_OUTCOME_EXTENT : WL_OUTCOME_WHERE;
        check_int(conditions[i], "outcome of the immense one", records[1].outcome, second);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* The kernel file's own conditions come first, then the space's; each launch counts for the first
 * that fails. */
static void test_conditions(void **state)
{
    static const char *const settings[] = {"where", "block.x != 64", "where", "threads <= 256", NULL};
    static const char text[] = "name: k\ndomain: [256, 256]\nfields: {A: {type: f32}}\nwhere: block.y == 4\n"
                               "loads: [\"A[y*256 + x]\"]\nstores: [\"A[y*256 + x]\"]\n";
    wl_device *device = device_of("h200");
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    wl_ranking ranking;
    int64_t want[4] = {0};
    (void)state;
    assert_int_equal(wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err), WL_OK);
    wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
    check_text("1", "condition", wl_ranker_condition(ranker, 0), "block.y == 4");
    check_text("2", "condition", wl_ranker_condition(ranker, 1), "block.x != 64");
    check_text("3", "condition", wl_ranker_condition(ranker, 2), "threads <= 256");
    check_text("4", "condition", wl_ranker_condition(ranker, 3), NULL);
    for (int64_t i = 0; i < wl_ranker_size(ranker); i++) {
        wl_launch l;
        wl_ranker_launch(ranker, i, &l);
        const int64_t threads = l.block[0] * l.block[1] * l.block[2];
        want[l.block[1] != 4 ? 0 : l.block[0] == 64 ? 1 : threads > 256 ? 2 : 3]++;
    }
    wl_ranked *best = rank_all(ranker, &ranking);
    for (int i = 0; i < 3; i++) {
        check_int("conditions", "left out", ranking.conditions[i], want[i]);
        check_true("conditions", "each leaves some out", want[i] > 0);
    }
    check_int("conditions", "predicted", ranking.outcomes[WL_OUTCOME_PREDICTED], want[3]);
    check_true("conditions", "some are left", want[3] > 0);
    check_int("conditions", "count", (int64_t)ranking.count, want[3]);
    check_int("conditions", "left out by all", ranking.outcomes[WL_OUTCOME_WHERE], want[0] + want[1] + want[2]);
    for (size_t i = 0; i < ranking.count; i++) {
        wl_launch l;
        wl_ranker_launch(ranker, best[i].index, &l);
        check_true("conditions", "hold", l.block[1] == 4 && l.block[0] != 64);
    }
    free(best);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static void test_condition_errors(void **state)
{
    static const struct {
        const char *condition;
        expected_error want;
    } cases[] = {
        {"threads / (block.x - 32) > 1", {WL_E_INPUT, "division by zero", 1, 9}},
        {"1 + 1152921504606846975 * block.x", {WL_E_RANGE, "2^60", 1, 25}},
    };
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "256x256");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const settings[] = {"block.x", "32,64", "where", cases[i].condition, NULL};
        wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
        wl_ranking ranking;
        wl_ranked best[1];
        wl_error err = {0};
        const wl_status status = wl_rank(ranker, best, 1, &ranking, &err);
        check_error(cases[i].condition, status, &err, &cases[i].want);
        check_text(cases[i].condition, "input", err.input, cases[i].condition);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* Of several errors it is always that of the first launch that is told. */
static void test_first_error(void **state)
{
    static const char condition[] = "(block.x == 40 || 1 / (block.x - 64) < 9) && 1 % (block.x - 40) < 9";
    static const char *const settings[] = {"block.x", "1..512", "block.y", "1", "where", condition, NULL};
    const expected_error want = {WL_E_INPUT, "division by zero", 1, 48};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "256x256");
    (void)state;
    for (int i = 0; i < 30; i++) {
        const wl_rank_options options = {.threads = 1 + i % 4};
        wl_ranker *ranker = ranker_of(kernel, device, settings, &options);
        wl_ranking ranking;
        wl_ranked best[1];
        wl_error err = {0};
        check_error("the first", wl_rank(ranker, best, 1, &ranking, &err), &err, &want);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* One condition of the kernel file and 64 of the space are too many together. */
static void test_too_many_conditions(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = builtin_kernel("transpose_tiled");
    wl_space *space = space_of(NULL);
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    const expected_error want = {WL_E_LIMIT, "at most 64 conditions", 0, 0};
    (void)state;
    for (int i = 0; i < 64; i++)
        check_ok("where", wl_space_set(space, "where", "1", &err), &err);
    check_error("65", wl_ranker_new(kernel, device, space, NULL, &ranker, &err), &err, &want);
    check_true("65", "no ranker", ranker == NULL);
    wl_space_free(space);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- without a domain ---- */

static void test_no_domain(void **state)
{
    static const char text[] = "name: k\nfields: {A: {type: f32}}\n"
                               "loads: [\"A[blockIdx.x*blockDim.x + threadIdx.x]\"]\n"
                               "stores: [\"A[blockIdx.x*blockDim.x + threadIdx.x]\"]\n";
    static const wl_launch launches[] = {{.block = {128, 1, 1}, .grid = {1000, 1, 1}}, {.block = {128, 1, 1}}};
    const expected_error want = {WL_E_UNSUPPORTED, "the kernel has no domain", 0, 0};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = NULL;
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    wl_space *space = space_of(NULL);
    wl_ranked records[2];
    (void)state;
    check_ok("parse", wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &err), &err);
    check_error("blocks", wl_ranker_new(kernel, device, space, NULL, &ranker, &err), &err, &want);
    check_true("blocks", "no ranker", ranker == NULL);
    wl_space_free(space);
    ranker = ranker_of_list(kernel, device, launches, 2, NULL);
    err = (wl_error){0};
    check_ok("list", wl_ranker_evaluate(ranker, 0, 2, records, &err), &err);
    check_int("with a grid", "outcome", records[0].outcome, WL_OUTCOME_PREDICTED);
    check_int("without a grid", "outcome", records[1].outcome, WL_OUTCOME_INVALID);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),    cmocka_unit_test(test_default_space),
        cmocka_unit_test(test_unfoldable),  cmocka_unit_test(test_registers),
        cmocka_unit_test(test_bulk_counts), cmocka_unit_test(test_largest_lists),
        cmocka_unit_test(test_listed),      cmocka_unit_test(test_condition_values),
        cmocka_unit_test(test_conditions),  cmocka_unit_test(test_condition_errors),
        cmocka_unit_test(test_first_error), cmocka_unit_test(test_too_many_conditions),
        cmocka_unit_test(test_no_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
