/* test_fit_lives.c - fits over kernels from PTX, whose warps are followed: counts that are kept
 * predict as the kernel does, with any numbers, and the numbers of waits are found again.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device_internal.h"
#include "fit/fit_internal.h"
#include "fit/numbers.h"
#include "measure/row.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

#define TEXT_MAX (1 << 21)
#define ARRAY "buf:2147483648"

/* ---- launches ---- */

/* Kernels of validate/cuda/waiting.cu: with barriers and without, that wait for DRAM or not. */
typedef struct kind {
    const char *family, *entry;
    const char *args[6];
    size_t arg_count;
    int64_t threads, blocks; /* of the grid; one of them follows from the block */
} kind;

static const kind kinds[] = {
    {"softmax", "k_softmax_block", {ARRAY, ARRAY, "4096"}, 3, 0, 16384},
    {"softmax", "k_softmax_block", {ARRAY, ARRAY, "1024"}, 3, 0, 65536},
    {"layernorm", "k_layernorm", {ARRAY, ARRAY, ARRAY, ARRAY, "4096"}, 5, 0, 16384},
    {"argmax", "k_argmax", {ARRAY, ARRAY, "4096"}, 3, 0, 16384},
    {"scan", "k_scan_step", {ARRAY, ARRAY}, 2, 67108864, 0},
    {"scan", "k_scan_tree", {ARRAY, ARRAY}, 2, 33554432, 0},
    {"shared", "k_reduce_shared", {ARRAY, ARRAY, "134217728"}, 3, 0, 1056},
    {"shared", "k_reduce_shared", {ARRAY, ARRAY, "16777216"}, 3, 0, 264},
    {"shuffle", "k_reduce_shuffle", {ARRAY, ARRAY, "134217728"}, 3, 0, 1056},
    {"shuffle", "k_reduce_shuffle", {ARRAY, ARRAY, "16777216"}, 3, 0, 264},
    {"update", "k_update", {ARRAY, ARRAY ":536870912", ARRAY ":1073741824", ARRAY, "0.001", "134217728"}, 6, 0, 264},
    {"update", "k_update", {ARRAY, ARRAY ":536870912", ARRAY ":1073741824", ARRAY, "0.001", "134217728"}, 6, 0, 1056},
};
static const int64_t blocks[] = {64, 128, 256, 512, 1024};

#define CASES_MAX 80

typedef struct table {
    size_t count;
    wl_counted *counted[CASES_MAX];
    /* by the kernel itself, on the h200 and with other latencies */
    double time[CASES_MAX], other[CASES_MAX];
    wl_measurement measured[CASES_MAX];
    struct wl_measured_values values[CASES_MAX];
    wl_fit_case cases[CASES_MAX];
} table;

static table all;
static wl_ptx *module;
static char text[TEXT_MAX];

static wl_device *device_of(const char *name)
{
    wl_error err = {0};
    wl_device *device = NULL;
    assert_int_equal(wl_device_builtin(name, &device, &err), WL_OK);
    return device;
}

static const char *const others[] = {"l1_latency=50", "l2_latency=400", "dram_latency=1500", "barrier_latency=100",
                                     "fp32_latency=9"};

static wl_device *device_with(const char *const *sets, size_t count)
{
    wl_error err = {0};
    wl_device *device = device_of("h200");
    for (size_t i = 0; i < count; i++)
        check_ok(sets[i], wl_device_set(device, sets[i], &err), &err);
    return device;
}

static void read_module(void)
{
    wl_error err = {0};
    FILE *f = fopen(SOURCE_DIR "/validate/ptx/waiting.sm_90.ptx", "rb");
    assert_non_null(f);
    const size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    check_ok("waiting", wl_ptx_parse("waiting.sm_90.ptx", text, length, &module, &err), &err);
}

static double predicted(const wl_kernel *kernel, const wl_launch *launch, const wl_device *device, wl_counted **counted)
{
    static wl_prediction p;
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok("predict", wl_predict(predictor, launch, NULL, &p, &err), &err);
    if (counted)
        check_ok("count", wl_counted_make(predictor, launch, NULL, counted, &err), &err);
    wl_predictor_free(predictor);
    return p.model.time_s;
}

static void add_launch(const kind *k, int64_t block, const wl_device *device, const wl_device *other)
{
    const wl_ptx_options options = {.entry = k->entry,
                                    .args = k->args,
                                    .arg_count = k->arg_count,
                                    .launch = {.block = {block, 1, 1},
                                               .grid = {k->threads ? k->threads / block : k->blocks, 1, 1},
                                               .registers = 32}};
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    const size_t i = all.count++;
    check_ok(k->entry, wl_kernel_from_ptx(module, &options, &kernel, &err), &err);
    all.time[i] = predicted(kernel, &options.launch, device, &all.counted[i]);
    all.other[i] = predicted(kernel, &options.launch, other, NULL);
    all.cases[i] = (wl_fit_case){all.counted[i], &all.measured[i], k->family};
    wl_kernel_free(kernel);
}

static int setup(void **state)
{
    (void)state;
    wl_device *device = device_of("h200"), *other = device_with(others, COUNT_OF(others));
    read_module();
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t b = 0; b < COUNT_OF(blocks); b++)
            add_launch(&kinds[k], blocks[b], device, other);
    wl_ptx_free(module); /* what was counted needs neither kernel nor text */
    memset(text, 0, sizeof text);
    wl_device_free(device);
    wl_device_free(other);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.count; i++)
        wl_counted_free(all.counted[i]);
    return 0;
}

static double time_of(size_t i, const wl_device *device)
{
    static wl_prediction p;
    wl_error err = {0};
    check_ok("predict", wl_counted_predict(all.counted[i], device, WL_MODEL_TURNOVER, &p, &err), &err);
    return p.model.time_s;
}

/* ---- kept counts ---- */

static void counts_predict_as_kernels_do(void **state)
{
    (void)state;
    wl_device *device = device_of("h200"), *other = device_with(others, COUNT_OF(others));
    size_t matter = 0;
    for (size_t i = 0; i < all.count; i++) {
        check_near(all.cases[i].family, "time", time_of(i, device), all.time[i], 0);
        /* replayed loops load a little more or less with other latencies, and with the spread that
         * follows them; kept counts do not */
        check_near(all.cases[i].family, "time with other latencies", time_of(i, other), all.other[i], 1e-5);
        check_near(all.cases[i].family, "time with the first again", time_of(i, device), all.time[i], 0);
        matter += all.other[i] != all.time[i];
    }
    check_true("latencies", "matter", matter > all.count / 2);
    wl_device_free(device);
    wl_device_free(other);
    check_done();
}

/* ---- recovery ---- */

static void measure(const wl_device *truth)
{
    for (size_t i = 0; i < all.count; i++)
        all.measured[i] = (wl_measurement){
            .time_known = true, .time_of_profiler = true, .time_s = time_of(i, truth), .values = &all.values[i]};
}

static const wl_fit_number *number_of(const wl_fit_result *r, wl_device_key key)
{
    for (size_t i = 0; i < r->number_count; i++)
        if (r->numbers[i].key == key)
            return &r->numbers[i];
    return NULL;
}

static wl_fit_result fit(wl_device *device, const wl_fit_case *cases, size_t count, const char *without)
{
    const wl_number_options options = {.targets = {[WL_FIT_TIME] = true}, .without = without};
    wl_fit_result result;
    wl_error err = {0};
    check_ok("fit", wl_fit_numbers(device, cases, count, &options, &result, &err), &err);
    return result;
}

static void waits_are_found_again(void **state)
{
    (void)state;
    static const double truths[][2] = {{300, 3.5}, {1800, 5}, {900, 4.5}};
    static const wl_device_key keys[] = {WL_DEVICE_dram_wait_write, WL_DEVICE_bound_norm};
    for (size_t t = 0; t < COUNT_OF(truths); t++) {
        wl_device *device = device_of("h200"), *truth = device_of("h200");
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            truth->entries[keys[k]].values[0] = truths[t][k];
        measure(truth);
        const wl_fit_result r = fit(device, all.cases, all.count, NULL);
        for (size_t k = 0; k < COUNT_OF(keys); k++) {
            const wl_fit_number *n = number_of(&r, keys[k]);
            assert_non_null(n);
            check_near(wl_device_key_name(keys[k]), "fitted", n->fitted, truths[t][k], 0.05);
            check_true(wl_device_key_name(keys[k]), "launches decide", n->deviation > 0 && n->deviation < 0.2);
            check_near(wl_device_key_name(keys[k]), "the device has it", device->entries[keys[k]].values[0], n->fitted,
                       0);
        }
        check_true("time", "error", r.after[WL_FIT_TIME] < 0.005);
        wl_device_free(truth);
        wl_device_free(device);
    }
    check_done();
}

/* Cases of so many families, several times each: a fit needs more launches than numbers. */
static size_t choose(const char *const *families, size_t count, wl_fit_case *out)
{
    size_t chosen = 0;
    for (int times = 0; times < 3; times++)
        for (size_t i = 0; i < all.count; i++)
            for (size_t f = 0; f < count; f++)
                if (strcmp(all.cases[i].family, families[f]) == 0)
                    out[chosen++] = all.cases[i];
    return chosen;
}

/* No block of theirs changes lines that another block changes, too. */
static void what_no_launch_shows_is_kept(void **state)
{
    (void)state;
    static const char *const families[] = {"update", "scan"};
    static wl_fit_case cases[3 * CASES_MAX];
    wl_device *device = device_of("h200");
    const double own = device->entries[WL_DEVICE_in_place_wait].values[0];
    measure(device);
    const wl_fit_result r = fit(device, cases, choose(families, 2, cases), NULL);
    check_true("in_place_wait", "is not fitted", !number_of(&r, WL_DEVICE_in_place_wait));
    check_near("in_place_wait", "is kept", device->entries[WL_DEVICE_in_place_wait].values[0], own, 0);
    check_true("bound_norm", "is fitted", number_of(&r, WL_DEVICE_bound_norm) != NULL);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_predict_as_kernels_do),
                                       cmocka_unit_test(waits_are_found_again),
                                       cmocka_unit_test(what_no_launch_shows_is_kept)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
