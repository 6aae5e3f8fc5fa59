/* test_simulate_launch.c - the traffic of launches by simulation: small ones whole, where it can be
 * counted by hand; measured ones (NVIDIA H200, validate/data/h200_fit.csv and h200_fit2.csv), where
 * nothing is fitted.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache/simulate_launch.h"
#include "effort.h"
#include "warpline/predict.h"

static wl_device *device;

static int setup(void **state)
{
    wl_error err = {0};
    (void)state;
    return wl_device_builtin("h200", &device, &err) == WL_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    wl_device_free(device);
    return 0;
}

static wl_simulated simulate(const wl_kernel *kernel, const wl_launch *launch, const wl_simulate_options *options)
{
    wl_geometry geometry;
    wl_simulated out = {0};
    wl_error err = {0};
    if (wl_geometry_make(kernel, device, launch, &geometry, &err) != WL_OK ||
        wl_simulate_launch(kernel, device, &geometry, options, &out, &err) != WL_OK)
        fail_msg("%s", err.message);
    return out;
}

static wl_simulated simulate_update(const char *update, const char *domain, const wl_launch *launch, int64_t addresses)
{
    const wl_simulate_options options = {.addresses = addresses};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    assert_int_equal(wl_kernel_from_update(update, domain, "f64", &kernel, &err), WL_OK);
    const wl_simulated out = simulate(kernel, launch, &options);
    wl_kernel_free(kernel);
    return out;
}

/* Every byte once: 65536 elements of 8 bytes. */
static void test_stream(void **state)
{
    const wl_launch launch = {.block = {256, 1, 1}};
    const wl_simulated s = simulate_update("b[0] = 2*a[0]", "65536", &launch, 0);
    (void)state;
    assert_int_equal(s.simulated, s.blocks);
    assert_int_equal(s.simulated_sms, s.sms);
    assert_true(s.l1_load_sectors == 65536 / 4 && s.l1_load_hits == 0);
    assert_true(s.l2_load_bytes == 65536 * 8 && s.l2_store_bytes == 65536 * 8);
    assert_true(s.dram_load_bytes == 65536 * 8 && s.dram_store_bytes == 65536 * 8);
    assert_true(s.l2_load_hits == 0);
    assert_true(s.addresses == 2 * 65536);
}

/* One block: what it loads twice, it finds in its L1. Rows of 64 cells with a halo are padded to
 * 640 bytes. */
static void test_reuse(void **state)
{
    const wl_launch launch = {.block = {64, 16, 1}};
    const wl_simulated s = simulate_update("b[0,0] = a[0,-1] + a[0,1]", "64x16", &launch, 0);
    (void)state;
    assert_true(s.l1_load_sectors == 2 * 16 * 16);
    assert_true(s.l1_load_hits == 2 * 16 * 16 - 18 * 16);
    assert_true(s.l2_load_bytes == 18 * 64 * 8 && s.dram_load_bytes == 18 * 64 * 8);
}

/* Stores that do not fill a sector are completed in the L2 by the others. */
static void test_partial_stores(void **state)
{
    static const char text[] = "name: halves\ndomain: [4096]\nfields:\n  a: {type: f32, extent: [8192]}\n"
                               "stores: [\"a[2*x]\", \"a[2*x + 1]\"]\n";
    const wl_launch launch = {.block = {256, 1, 1}};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_kernel_parse("halves", text, strlen(text), NULL, &kernel, &err), WL_OK);
    const wl_simulated s = simulate(kernel, &launch, NULL);
    assert_true(s.l2_store_bytes == 2 * 8192 * 4); /* every sector twice, a half each time */
    assert_true(s.dram_store_bytes == 8192 * 4 && s.dram_load_bytes == 0);
    wl_kernel_free(kernel);
}

/* Every block loads the same line, of four sectors. */
static wl_simulated simulate_same_line(int64_t blocks, const wl_simulate_options *options)
{
    char text[160];
    const wl_launch launch = {.block = {32, 1, 1}};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)snprintf(text, sizeof text, "name: same\ndomain: [%lld]\nfields:\n  a: {type: f32}\nloads: [\"a[x%%32]\"]\n",
                   (long long)blocks * 32);
    assert_int_equal(wl_kernel_parse("same", text, strlen(text), NULL, &kernel, &err), WL_OK);
    const wl_simulated s = simulate(kernel, &launch, options);
    wl_kernel_free(kernel);
    return s;
}

/* The 16 or 17 multiprocessors of a GPC share their way to the L2, where a request stands for up to
 * four of the same moment: four requests of 16, five of 17. Blocks that start later come alone, and
 * so do those of which one generation stands for several. */
static void test_requests_that_join(void **state)
{
    const int64_t line = 128, requests = 4 * 4 + 4 * 5, resident = 132 * 32;
    const wl_simulate_options little = {.addresses = 1};
    const wl_simulated together = simulate_same_line(132, NULL), later = simulate_same_line(3 * resident, NULL),
                       sampled = simulate_same_line(3 * resident, &little);
    wl_device *other = NULL;
    wl_error err = {0};
    (void)state;
    assert_true(together.l2_load_bytes == (double)(requests * line));
    assert_true(together.l1_load_sectors - together.l1_load_hits == 132 * 4);
    assert_true(together.dram_load_bytes == (double)line);
    assert_true(later.l2_load_bytes == together.l2_load_bytes); /* they find it in their L1 */
    assert_int_equal(sampled.generations, 1);
    assert_true(sampled.l2_load_bytes >= 132 * (double)line);
    /* has no number of joining requests */
    assert_int_equal(wl_device_builtin("v100", &other, &err), WL_OK);
    wl_device *const h200 = device;
    device = other;
    const wl_simulated apart = simulate_same_line(80, NULL);
    device = h200;
    wl_device_free(other);
    assert_true(apart.l2_load_bytes == 80 * (double)line);
}

/* A sample stands for the whole. */
static void test_sample(void **state)
{
    const wl_launch launch = {.block = {128, 1, 1}};
    const char *const update = "b[0,0] = a[0,-1] + a[0,0] + a[0,1]";
    const wl_simulated whole = simulate_update(update, "512x4096", &launch, 0),
                       part = simulate_update(update, "512x4096", &launch, 3000000),
                       few = simulate_update(update, "512x4096", &launch, 100000);
    (void)state;
    assert_int_equal(whole.simulated, whole.blocks);
    assert_true(part.simulated < part.blocks && part.simulated_sms == part.sms);
    assert_true(few.simulated_sms < few.sms);
    assert_true(part.l1_load_sectors == whole.l1_load_sectors);
    assert_true(part.l2_load_bytes > 0.95 * whole.l2_load_bytes && part.l2_load_bytes < 1.05 * whole.l2_load_bytes);
    assert_true(few.l1_load_sectors > 0.99 * whole.l1_load_sectors);
    assert_true(part.l2_store_bytes == whole.l2_store_bytes);
}

/* Fields add up to the launch, each with its own. */
static void test_fields(void **state)
{
    static const char text[] = "name: three\ndomain: [65536]\nfields:\n  a: {type: f64}\n  b: {type: f32}\n"
                               "  c: {type: f32}\nloads: [\"a[x]\", \"b[x]\", \"a[x + 1]\"]\nstores: [\"c[x]\"]\n";
    const wl_launch launch = {.block = {256, 1, 1}};
    wl_simulated_field fields[3] = {0};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_kernel_parse("three", text, strlen(text), NULL, &kernel, &err), WL_OK);
    const wl_simulate_options options = {.fields = fields};
    const wl_simulated s = simulate(kernel, &launch, &options);
    assert_true(fields[1].l2_load == 65536 * 4 && fields[1].dram_load == 65536 * 4 && fields[1].l2_store == 0);
    assert_true(fields[2].l2_load == 0 && fields[2].l2_store == 65536 * 4);
    assert_true(fields[0].dram_load >= 65537 * 8 && fields[0].l2_load > fields[0].dram_load);
    assert_true(fields[0].l2_load + fields[1].l2_load == s.l2_load_bytes);
    assert_true(fields[0].dram_load + fields[1].dram_load == s.dram_load_bytes);
    wl_kernel_free(kernel);
}

/* An L2 of 1 MiB is replaced once by a MiB more than it holds; one of 60 MiB is not. What of it is
 * dirty at the end is not more than it holds. */
static void test_filled_l2(void **state)
{
    const wl_launch launch = {.block = {256, 1, 1}};
    wl_device *small = NULL, *large = device;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_device_builtin("h200", &small, &err), WL_OK);
    assert_int_equal(wl_device_set(small, "l2_size=1MiB", &err), WL_OK);
    device = small;
    const wl_simulated full = simulate_update("b[0] = 2*a[0]", "4194304", &launch, 1500000);
    device = large;
    const wl_simulated empty = simulate_update("b[0] = 2*a[0]", "4194304", &launch, 1500000);
    wl_device_free(small);
    assert_true(full.simulated < full.blocks && full.l2_filled && !empty.l2_filled);
    assert_true(full.dirty_bytes > 0 && full.dirty_bytes <= 1 << 20);
    assert_true(full.dram_load_bytes > 0.99 * 4194304 * 8 && full.dram_load_bytes < 1.01 * 4194304 * 8);
    /* but for a set or two that was full */
    const double stored = (double)empty.simulated * 256 * 8;
    assert_true(empty.dirty_bytes <= stored && empty.dirty_bytes > 0.99 * stored);
}

/* One multiprocessor's blocks of 2^30 steps. */
static void test_too_long(void **state)
{
    static const char text[] = "name: long\ndomain: [65536]\nfields:\n  a: {type: f32}\nloops: {i: 1073741824}\n"
                               "loads: [\"a[x + i]\"]\n";
    const wl_launch launch = {.block = {256, 1, 1}};
    wl_geometry geometry;
    wl_simulated out;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_kernel_parse("long", text, strlen(text), NULL, &kernel, &err), WL_OK);
    assert_int_equal(wl_geometry_make(kernel, device, &launch, &geometry, &err), WL_OK);
    assert_int_equal(wl_simulate_launch(kernel, device, &geometry, NULL, &out, &err), WL_E_LIMIT);
    wl_kernel_free(kernel);
}

/* ---- predictions ---- */

typedef struct volumes {
    double l2_load, l2_store, dram_load, dram_store, time;
} volumes;

static volumes predict(const char *update, const char *domain, int64_t addresses)
{
    const wl_predict_options options = {.simulate = addresses};
    const wl_launch launch = {.block = {64, 16, 1}};
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    wl_error err = {0};
    volumes v = {0};
    assert_int_equal(wl_kernel_from_update(update, domain, "f64", &kernel, &err), WL_OK);
    assert_int_equal(wl_predictor_new(kernel, device, &predictor, &err), WL_OK);
    assert_int_equal(wl_prediction_new(&p, &err), WL_OK);
    assert_int_equal(wl_predict(predictor, &launch, &options, p, &err), WL_OK);
    assert_int_equal(wl_prediction_clamped(p), 0);
    assert_true(wl_prediction_metric(p, WL_METRIC_l2_load_bytes, &v.l2_load) &&
                wl_prediction_metric(p, WL_METRIC_l2_store_bytes, &v.l2_store) &&
                wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &v.dram_load) &&
                wl_prediction_metric(p, WL_METRIC_dram_store_bytes, &v.dram_store));
    v.time = wl_prediction_time(p);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    return v;
}

/* A whole launch has the simulator's volumes; all that is stored still is in the L2. */
static void test_predicted(void **state)
{
    const volumes v = predict("b[0,0] = a[0,-1] + a[0,1]", "64x16", -1);
    (void)state;
    assert_true(v.l2_load == 18 * 64 * 8 && v.dram_load == 18 * 64 * 8);
    assert_true(v.l2_store == 16 * 64 * 8 && v.dram_store == 0);
    assert_true(v.time > 0);
}

/* A sample that does not fill the L2 leaves DRAM volumes as they are. */
static void test_predicted_sample(void **state)
{
    const char *const update = "b[0,0] = a[0,-1] + a[0,0] + a[0,1]", *const domain = "4096x8192";
    const volumes model = predict(update, domain, 0), sample = predict(update, domain, 3000000);
    (void)state;
    assert_true(sample.dram_load == model.dram_load && sample.dram_store == model.dram_store);
    assert_true(sample.l2_load != model.l2_load && sample.l2_load > 0.9 * model.l2_load &&
                sample.l2_load < 1.1 * model.l2_load);
}

/* ---- measured launches ---- */

typedef struct measured {
    const char *kernel, *sets;
    wl_launch launch;
    double l1_sectors, l2_sectors;
} measured;

static const measured rows[] = {
    {"star3d.yaml",
     "nx=640 ny=512 nz=512 sy=672 sz=349440 origin=1400464",
     {.block = {2, 256, 2}, .fold = {1, 1, 1}, .grid = {320, 2, 256}, .registers = 31, .shared_bytes = 0},
     2264924160,
     962028876},
    {"star3d.yaml",
     "nx=640 ny=512 nz=512 sy=672 sz=349440 origin=1400464",
     {.block = {1, 256, 4}, .fold = {1, 1, 1}, .grid = {640, 2, 128}, .registers = 31, .shared_bytes = 0},
     4194304000,
     1616595466},
    {"star3d.yaml",
     "nx=640 ny=512 nz=512 sy=672 sz=349440 origin=1400464",
     {.block = {2, 32, 16}, .fold = {1, 1, 2}, .grid = {320, 16, 16}, .registers = 44, .shared_bytes = 0},
     1929379840,
     372584655},
    {"star3d.yaml",
     "nx=640 ny=512 nz=512 sy=672 sz=349440 origin=1400464",
     {.block = {4, 4, 64}, .fold = {1, 1, 2}, .grid = {160, 128, 4}, .registers = 44, .shared_bytes = 0},
     1132462080,
     239073590},
    {"star7_f64.yaml",
     "nx=511 ny=387 nz=301 sy=513 sz=199557 origin=200071",
     {.block = {4, 4, 16}, .fold = {1, 1, 1}, .grid = {128, 97, 19}, .registers = 24, .shared_bytes = 0},
     182447541,
     49095946},
    {"star7_f32.yaml",
     "nx=511 ny=387 nz=301 sy=513 sz=199557 origin=200071",
     {.block = {2, 64, 2}, .fold = {1, 2, 1}, .grid = {256, 4, 151}, .registers = 28, .shared_bytes = 0},
     234735707,
     88623631},
    {"star7_f32.yaml",
     "nx=511 ny=387 nz=301 sy=513 sz=199557 origin=200071",
     {.block = {16, 16, 1}, .fold = {1, 2, 1}, .grid = {32, 13, 301}, .registers = 28, .shared_bytes = 0},
     74915675,
     33503798},
    {"star7_f32.yaml",
     "nx=511 ny=387 nz=301 sy=513 sz=199557 origin=200071",
     {.block = {8, 4, 8}, .fold = {1, 1, 2}, .grid = {64, 97, 19}, .registers = 28, .shared_bytes = 0},
     97747099,
     25356601},
    {"box9_f32.yaml",
     "nx=8191 ny=8190 nz=1 sy=8193 sz=67117056 origin=8194",
     {.block = {4, 256, 1}, .fold = {1, 1, 1}, .grid = {2048, 32, 1}, .registers = 23, .shared_bytes = 0},
     207558661,
     27062832},
    {"box9_f64.yaml",
     "nx=8191 ny=8190 nz=1 sy=8208 sz=67239936 origin=8224",
     {.block = {1, 1024, 1}, .fold = {1, 1, 1}, .grid = {8191, 8, 1}, .registers = 30, .shared_bytes = 0},
     603758610,
     114726927},
    {"box9_f64.yaml",
     "nx=8191 ny=8190 nz=1 sy=8193 sz=67117056 origin=8194",
     {.block = {64, 16, 1}, .fold = {1, 1, 1}, .grid = {128, 512, 1}, .registers = 30, .shared_bytes = 0},
     165092101,
     20276146},
    {"box9_f64.yaml",
     "nx=8191 ny=8190 nz=1 sy=8193 sz=67117056 origin=8194",
     {.block = {256, 1, 1}, .fold = {1, 1, 1}, .grid = {32, 8190, 1}, .registers = 30, .shared_bytes = 0},
     165092101,
     47236159},
    {"lbm_d3q15_pf.yaml",
     "nx=256 ny=256 nz=256 sy=288 sz=74304 origin=74608 sf=19170688",
     {.block = {128, 4, 1}, .fold = {1, 1, 1}, .grid = {2, 64, 256}, .registers = 70, .shared_bytes = 0},
     98566144,
     78827838},
    {"lbm_d3q15_pf.yaml",
     "nx=256 ny=256 nz=256 sy=288 sz=74304 origin=74608 sf=19170688",
     {.block = {8, 32, 2}, .fold = {1, 1, 1}, .grid = {32, 8, 128}, .registers = 70, .shared_bytes = 0},
     117440512,
     96852543},
    {"lbm_d3q15_pf.yaml",
     "nx=256 ny=256 nz=256 sy=288 sz=74304 origin=74608 sf=19170688",
     {.block = {4, 2, 64}, .fold = {1, 1, 1}, .grid = {64, 128, 4}, .registers = 70, .shared_bytes = 0},
     142606336,
     121932581},
    {"box2d_col.yaml",
     "col=512 w=4096 h=4096",
     {.block = {64, 1, 1}, .fold = {1, 1, 1}, .grid = {262144, 1, 1}, .registers = 32, .shared_bytes = 0},
     207323136,
     21984347},
    {"box2d_col.yaml",
     "col=32 w=4096 h=4096",
     {.block = {128, 1, 1}, .fold = {1, 1, 1}, .grid = {131072, 1, 1}, .registers = 32, .shared_bytes = 0},
     207323136,
     9267415},
    {"box2d_col.yaml",
     "col=96 w=4096 h=4096",
     {.block = {32, 1, 1}, .fold = {1, 1, 1}, .grid = {524288, 1, 1}, .registers = 32, .shared_bytes = 0},
     207323136,
     27309004},
};

static wl_kernel *load(const measured *m)
{
    char path[512], sets[512];
    const char *list[32];
    size_t count = 0;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    static char text[1 << 16];
    (void)snprintf(path, sizeof path, "%s/validate/kernels/%s", SOURCE_DIR, m->kernel);
    (void)snprintf(sets, sizeof sets, "%s", m->sets);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    for (char *at = sets; *at && count < 32;) {
        char *blank = strchr(at, ' ');
        list[count++] = at;
        if (!blank)
            break;
        *blank = '\0';
        at = blank + 1;
    }
    const wl_kernel_options options = {list, count};
    if (wl_kernel_parse(path, text, length, &options, &kernel, &err) != WL_OK)
        fail_msg("%s: %s", path, err.message);
    return kernel;
}

/* Sectors between L2 and L1: within 15 % on average. */
static void test_measured(void **state)
{
    const wl_simulate_options options = {.addresses = effort_is_full() ? 8000000 : 2500000};
    const size_t count = sizeof rows / sizeof rows[0], step = effort_is_full() ? 1 : 2;
    double sum = 0, worst = 0;
    int n = 0;
    (void)state;
    for (size_t i = 0; i < count; i += step, n++) {
        wl_kernel *kernel = load(&rows[i]);
        const wl_simulated s = simulate(kernel, &rows[i].launch, &options);
        const double error = s.l2_load_bytes / 32 / rows[i].l2_sectors - 1, size = error < 0 ? -error : error;
        /* folded threads load once what their cells share; here each cell asks for it */
        const double asked = s.l1_load_sectors / rows[i].l1_sectors;
        const int64_t *fold = rows[i].launch.fold;
        assert_true(asked > 0.8 && (asked < 1.25 || fold[0] * fold[1] * fold[2] > 1));
        print_message("%-20s %4lldx%lldx%lld %+6.1f %%\n", rows[i].kernel, (long long)rows[i].launch.block[0],
                      (long long)rows[i].launch.block[1], (long long)rows[i].launch.block[2], 100 * error);
        sum += size;
        worst = size > worst ? size : worst;
        wl_kernel_free(kernel);
    }
    print_message("mean error %.1f %%, largest %.1f %%\n", 100 * sum / n, 100 * worst);
    assert_true(sum / n < 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stream),         cmocka_unit_test(test_reuse),
                                       cmocka_unit_test(test_partial_stores), cmocka_unit_test(test_requests_that_join),
                                       cmocka_unit_test(test_sample),         cmocka_unit_test(test_fields),
                                       cmocka_unit_test(test_filled_l2),      cmocka_unit_test(test_too_long),
                                       cmocka_unit_test(test_predicted),      cmocka_unit_test(test_predicted_sample),
                                       cmocka_unit_test(test_measured)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
