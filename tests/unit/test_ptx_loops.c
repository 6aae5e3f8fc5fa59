/* test_ptx_loops.c - loops that recovery keeps, against the same loops executed iteration by
 * iteration; and kernels with long loops that must be recovered wholly.
 * SPDX-License-Identifier: MIT */
#include "effort.h"
#include "unit/checks.h"
#include "unit/read_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "ptx/read/read_module.h"
#include "ptx/recover/loop_rolling.h"
#include "warpline/predict.h"
#include "warpline/ptx.h"

/* ---- kept and unrolled loops ---- */

#define WORK (1 << 16) /* instructions; kernels that need more are not compared */

typedef struct outcome {
    wl_ptx_recovery recovery;
    wl_ptx_rolled_loops rolled;
} outcome;

typedef struct totals {
    int kernels, compared, with_loops;
    int64_t kept;
} totals;

static wl_status run(const wl_ptx_launch *launch, const double *weights, wl_arena *arena, outcome *out, wl_error *err)
{
    const wl_status status = wl_ptx_recover(launch, arena, &out->recovery, err);
    return status == WL_OK ? wl_ptx_roll(launch, &out->recovery, weights, arena, &out->rolled, err) : status;
}

static bool same_access(const wl_ptx_access *a, const wl_ptx_access *b)
{
    int64_t of_a[WL_PTX_PLACES_MAX], of_b[WL_PTX_PLACES_MAX];
    const wl_ptx_thread_access *p = a->step, *q = b->step;
    if (p->instruction != q->instruction || p->store != q->store || p->space != q->space || a->steps != b->steps ||
        a->buffer != b->buffer || a->bytes != b->bytes || a->loop_count != b->loop_count ||
        p->address->skeleton != q->address->skeleton || !p->when != !q->when ||
        (p->when && p->when->skeleton != q->when->skeleton))
        return false;
    const int n = wl_ptx_constants_of(p->address, p->when, of_a);
    if (n != wl_ptx_constants_of(q->address, q->when, of_b) || (n > 0 && memcmp(of_a, of_b, (size_t)n * 8) != 0))
        return false;
    for (int l = 0; l < a->loop_count; l++)
        if (a->loops[l] != b->loops[l] || a->place_count != b->place_count ||
            memcmp(a->growth[l], b->growth[l], (size_t)a->place_count * 8) != 0)
            return false;
    return true;
}

static bool same(const wl_ptx_function *f, const outcome *kept, const outcome *unrolled)
{
    const wl_ptx_recovery *a = &kept->recovery, *b = &unrolled->recovery;
    bool equal = a->uniform == b->uniform && a->barriers == b->barriers &&
                 a->symbols.launch_bound == b->symbols.launch_bound && kept->rolled.count == unrolled->rolled.count &&
                 memcmp(&kept->rolled.table, &unrolled->rolled.table, sizeof kept->rolled.table) == 0;
    for (int32_t i = 0; i < f->instruction_count; i++)
        equal = equal && a->traced[i] == b->traced[i] && a->executed[i] == b->executed[i] && a->on[i] == b->on[i] &&
                (!a->traced[i] || a->cause[i].why == b->cause[i].why);
    for (size_t i = 0; i < kept->rolled.count && equal; i++)
        equal = same_access(&kept->rolled.accesses[i], &unrolled->rolled.accesses[i]);
    return equal;
}

/* Buffers for addresses; numbers that make loops long. */
static size_t make_args(const wl_ptx_module *m, const wl_ptx_function *f, const char *number, const char **args)
{
    for (int i = 0; i < f->param_count; i++) {
        const wl_ptx_variable *v = &m->variables[f->params[i]];
        if (v->elements > 1 || v->bytes > 8)
            return 0;
        args[i] = v->bytes == 8 ? "buf:64M" : v->bytes < 4 ? "1" : number;
    }
    return (size_t)f->param_count;
}

static void compare_kernel(const char *file, wl_ptx_module *m, const wl_ptx_function *f, const char *number, totals *t)
{
    const char *args[64];
    if (f->param_count > 64 || f->param_count == 0 || make_args(m, f, number, args) == 0)
        return;
    wl_arena arena = {0};
    wl_error err = {0};
    wl_ptx_arguments arguments = {0};
    const wl_ptx_given given = {.args = args, .arg_count = (size_t)f->param_count, .dynamic_shared = 4096};
    outcome kept = {0}, unrolled = {0};
    if (wl_ptx_arguments_make(m, f, &given, &arena, &arguments, &err) == WL_OK) {
        wl_ptx_launch launch = {.module = m,
                                .entry = f,
                                .arguments = &arguments,
                                .block = {32, 4, 1},
                                .grid = {8, 4, 2},
                                .dynamic_shared = 4096,
                                .budget = WORK};
        double *weights = WL_ARENA_NEW(&arena, double, f->instruction_count + 1);
        assert_non_null(weights);
        for (int32_t i = 0; i < f->instruction_count; i++)
            weights[i] = 1;
        check_true(f->name, "kept loops are executed", run(&launch, weights, &arena, &kept, &err) == WL_OK);
        launch.unroll = true;
        check_true(f->name, "unrolled loops are executed", run(&launch, weights, &arena, &unrolled, &err) == WL_OK);
        t->kernels++;
        t->kept += kept.recovery.loop_count;
        if (!unrolled.recovery.gave_up) {
            char name[400];
            (void)snprintf(name, sizeof name, "%s of %s with %s", f->name, file, number);
            t->compared++;
            t->with_loops += kept.recovery.loop_count > 0;
            check_true(name, "kept loops are what they are iteration by iteration", same(f, &kept, &unrolled));
            check_true(name, "a kept loop never makes recovery give up", !kept.recovery.gave_up);
        }
    }
    wl_ptx_recovery_free(&kept.recovery);
    wl_ptx_recovery_free(&unrolled.recovery);
    wl_arena_free(&arena);
}

static void compare_file(const char *path, totals *t)
{
    static const char *const numbers[] = {"200", "37"};
    char *text = read_file(path, NULL);
    wl_ptx_module *m = NULL;
    wl_error err = {0};
    if (wl_ptx_module_parse(path, text, strlen(text), &m, &err) == WL_OK)
        for (int32_t f = 0; f < m->function_count; f++)
            for (size_t n = 0; n < COUNT_OF(numbers) && m->functions[f].is_entry; n++)
                if (effort_is_full() || (f % 4 == 0 && n == (size_t)f % COUNT_OF(numbers)))
                    compare_kernel(strrchr(path, '/') + 1, m, &m->functions[f], numbers[n], t);
    wl_ptx_module_free(m);
    free(text);
}

static void compare_folder(const char *folder, totals *t)
{
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (const struct dirent *e; (e = readdir(files));) {
        char path[1024];
        if (!strstr(e->d_name, ".ptx"))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        compare_file(path, t);
    }
    (void)closedir(files);
}

static void same_as_unrolled(void **unused)
{
    (void)unused;
    totals t = {0};
    compare_folder(SOURCE_DIR "/tests/ptx", &t);
    compare_folder(SOURCE_DIR "/validate/ptx", &t);
    print_message("%d kernels and launches, %d compared, %d of them with %lld kept loops\n", t.kernels, t.compared,
                  t.with_loops, (long long)t.kept);
    const int least = effort_is_full() ? 600 : 75;
    check_true("kernels", "there are many, with many loops", t.compared > least && t.with_loops > least / 12);
    check_done();
}

/* ---- kernels that must be recovered wholly ---- */

#define MB "buf:16777216"
#define BIG "buf:67108864"
#define LOOPS "/tests/ptx/loops_sm90.ptx"
#define UNEVEN "/validate/ptx/uneven.sm_90.ptx"

static const struct {
    const char *file, *entry;
    int64_t block[3], grid[3];
    const char *args[9];
    const char *loops; /* of the kernel file; NULL: none */
} whole[] = {
    {LOOPS, "k_matmul", {32, 32, 1}, {64, 64, 1}, {MB, MB, MB, "2048", "2048"}, "{i: 64, j: 2, k: 32}"},
    {LOOPS, "k_double", {16, 16, 1}, {128, 128, 1}, {MB, MB, MB, "2048"}, "{i: 128, j: 64, k: 32}"},
    {LOOPS, "k_ring", {256, 1, 1}, {528, 1, 1}, {"buf:138412032", MB, "256"}, "{i: 256, j: 85, k: 84}"},
    {LOOPS, "k_conv_rows", {16, 4, 1}, {16, 512, 1}, {MB, MB, "2048", "2048", "2048"}, NULL},
    {LOOPS, "k_conv_cols", {16, 8, 1}, {128, 32, 1}, {MB, MB, "2048", "2048", "2048"}, NULL},
    {LOOPS, "k_reduce_inter", {256, 1, 1}, {4096, 1, 1}, {MB, MB, "1048576"}, NULL},
    {LOOPS, "k_dct", {8, 4, 4}, {64, 64, 1}, {MB, MB, "2048"}, NULL},
    {LOOPS, "k_lud_perimeter", {32, 1, 1}, {63, 1, 1}, {MB, "1024", "0"}, "{i: 4, j: 3, k: 2}"},
    {LOOPS, "k_slideILi192E", {192, 1, 1}, {11, 32, 1}, {MB, MB, "2048", "2048", "8"}, "{i: 8, j: 63, k: 2}"},
    {LOOPS, "k_lava", {128, 1, 1}, {1000, 1, 1}, {MB, MB, MB, "10", "100"}, "{i: 27, j: 100}"},
    {LOOPS, "k_rownorm", {256, 1, 1}, {512, 1, 1}, {MB, MB, "5000"}, "{i: 2, j: 19}"},
    {LOOPS, "k_gemm_odd", {16, 16, 1}, {32, 32, 1}, {MB, MB, MB, "2000", "2000", "2000"}, "{i: 250, j: 2, k: 8}"},
    /* 262144 accesses of a thread, too many to be listed */
    {LOOPS, "k_nbody", {256, 1, 1}, {1024, 1, 1}, {MB, MB, "262144"}, "{i: 1024, j: 256}"},
    /* fragments of matrices; the measured launch of h200_data.csv */
    {"/validate/ptx/data.sm_90.ptx", "k_wmma", {256, 1, 1}, {512, 1, 1}, {MB, MB, MB, "1024"}, "{i: 64, j: 2, k: 2}"},
    {UNEVEN, "k_gemm64", {16, 16, 1}, {64, 64, 1}, {BIG, BIG, BIG, "4096"}, "{i: 256, j: 4, k: 16}"},
    {UNEVEN, "k_attention_row", {128, 1, 1}, {8, 8, 1}, {MB, MB, MB, MB, "1024"}, "{i: 65536}"},
    /* addresses of shared memory that are negative without their offset */
    {UNEVEN, "k_needle", {16, 1, 1}, {64, 1, 1}, {MB, MB, "1025", "10", "64"}, NULL},
    {UNEVEN, "k_path", {256, 1, 1}, {463, 1, 1}, {BIG, MB, MB, "100000", "20", "0", "1"}, NULL},
    {UNEVEN, "k_wavelet", {32, 8, 1}, {32, 128, 1}, {MB, MB, "2048", "2048"}, NULL},
};

/* Shows what is recovered from a launch. */
static char *shown(size_t i)
{
    char path[256], *yaml = NULL;
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    wl_ptx_options options = {.entry = whole[i].entry, .args = whole[i].args, .dynamic_shared = 1024};
    (void)snprintf(path, sizeof path, SOURCE_DIR "%s", whole[i].file);
    char *text = read_file(path, NULL);
    while (options.arg_count < COUNT_OF(whole[i].args) && whole[i].args[options.arg_count])
        options.arg_count++;
    memcpy(options.launch.block, whole[i].block, sizeof whole[i].block);
    memcpy(options.launch.grid, whole[i].grid, sizeof whole[i].grid);
    if (wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err) != WL_OK ||
        wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK || wl_kernel_show(kernel, &yaml, &err) != WL_OK)
        fail_msg("%s: %s", whole[i].entry, err.message);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    free(text);
    return yaml;
}

static void recovered_wholly(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(whole); i++) {
        char expected[64], *yaml = shown(i);
        (void)snprintf(expected, sizeof expected, "\nloops: %s\n", whole[i].loops ? whole[i].loops : "");
        check_true(whole[i].entry, "no access is emulated", !strstr(yaml, "emulated"));
        check_true(whole[i].entry, "has the loops it should have", !whole[i].loops || strstr(yaml, expected) != NULL);
        free(yaml);
    }
    check_done();
}

/* ---- counts that were measured ---- */

static void fragments(void **unused)
{
    (void)unused;
    static const char *const args[] = {MB, MB, MB, "1024"};
    static const struct {
        wl_metric metric;
        double measured, within; /* h200_data.csv, family wmma */
    } counts[] = {{WL_METRIC_inst_global_ld, 2097152, 0},
                  {WL_METRIC_inst_global_st, 16384, 0},
                  {WL_METRIC_l1_sectors_ld, 16777216, 0},
                  {WL_METRIC_l1_sectors_st, 131072, 0},
                  {WL_METRIC_l2_load_bytes, 32.0 * 3081122, 0.11}};
    char *text = read_file(SOURCE_DIR "/validate/ptx/data.sm_90.ptx", NULL);
    wl_device *device = NULL;
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction prediction;
    wl_error err = {0};
    const wl_ptx_options options = {
        .entry = "k_wmma", .args = args, .arg_count = 4, .launch = {.block = {256, 1, 1}, .grid = {512, 1, 1}}};
    const wl_launch launch = {.block = {256, 1, 1}, .grid = {512, 1, 1}, .registers = 40};
    if (wl_device_builtin("h200", &device, &err) != WL_OK ||
        wl_ptx_parse("data.ptx", text, strlen(text), &ptx, &err) != WL_OK ||
        wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, device, &predictor, &err) != WL_OK ||
        wl_predict(predictor, &launch, NULL, &prediction, &err) != WL_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        check_near("wmma", wl_metric_name(counts[i].metric), prediction.metrics[counts[i].metric].value,
                   counts[i].measured, counts[i].within);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(device);
    free(text);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_unrolled), cmocka_unit_test(recovered_wholly),
                                       cmocka_unit_test(fragments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
