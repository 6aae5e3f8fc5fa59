/* bench_cost.c - what one prediction of a kernel from PTX costs, from the text to the time: loops,
 * conditions, data that decides how long threads run.
 *
 * usage: bench_cost [SOURCE_ROOT]; "." otherwise. Prints seconds of processor time and the ratio to
 * the second that is asked for, and the peak memory of all; asserts nothing.
 * SPDX-License-Identifier: MIT */
#include "bench.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#define BAR 1.0      /* seconds for one prediction */
#define BAR_MB 256.0 /* peak memory */
#define ARGS_MAX 14
#define UNEVEN "validate/ptx/uneven.sm_90.ptx"
#define LOOPS "tests/ptx/loops_sm90.ptx"

typedef struct one {
    const char *name, *path, *entry, *args[ARGS_MAX];
    wl_launch launch;
    int64_t dynamic_shared;
} one;

#define LAUNCH(x, y, z, gx, gy, gz)                                                                                    \
    {                                                                                                                  \
        .block = {x, y, z}, .grid = {gx, gy, gz}, .fold = {1, 1, 1}, .registers = 32                                   \
    }
#define M1 "buf:1048576"
#define M4 "buf:4194304"
#define M16 "buf:16777216"
#define M64 "buf:67108864"

/* Contents that are no plain distribution; see load(). */
#define ROWS 131072
#define FIRST "buf:524292=rows"
#define COLUMN "buf:8388608=random:u32:0..131071"

static const one kernels[] = {
    {"product 64x64", UNEVEN, "_Z8k_gemm64", {M64, M64, M64, "4096"}, LAUNCH(16, 16, 1, 64, 64, 1), 0},
    {"wmma", UNEVEN, "_Z6k_wmma", {M16, M16, M16, "2048"}, LAUNCH(256, 1, 1, 2048, 1, 1), 0},
    {"attention", UNEVEN, "_Z11k_attentionP", {M4, M4, M4, M4, "1024", "64"}, LAUNCH(64, 1, 1, 1024, 8, 1), 264},
    {"attention rows", UNEVEN, "_Z15k_attention_row", {M4, M4, M4, M4, "1024"}, LAUNCH(128, 1, 1, 8, 8, 1), 0},
    {"softmax", UNEVEN, "_Z9k_softmax", {"buf:419430400", "buf:419430400", "1000"}, LAUNCH(128, 1, 1, 6400, 1, 1), 0},
    {"argmax", UNEVEN, "_Z8k_argmax", {"buf:131072000=random:f32", M1, "32000"}, LAUNCH(256, 1, 1, 1024, 1, 1), 0},
    {"particles 1000",
     UNEVEN,
     "_Z10k_particle",
     {"buf:4000=distribution", "buf:4000=random:f32", "buf:4000", "buf:4000", "1000"},
     LAUNCH(512, 1, 1, 2, 1, 1),
     0},
    {"particles 10000",
     UNEVEN,
     "_Z10k_particle",
     {"buf:40000=distribution", "buf:40000=random:f32", "buf:40000", "buf:40000", "10000"},
     LAUNCH(512, 1, 1, 20, 1, 1),
     0},
    {"forces in cells",
     UNEVEN,
     "_Z8k_forces",
     {"buf:16388=cells", "buf:6553600=random:f32", "buf:6553600", "16", "0.5"},
     LAUNCH(128, 1, 1, 16, 16, 16),
     0},
    {"sparse, a row each",
     UNEVEN,
     "_Z13k_rows_scalar",
     {FIRST, COLUMN, M16, M4, M4, "131072"},
     LAUNCH(256, 1, 1, 512, 1, 1),
     0},
    {"sparse, a warp each",
     UNEVEN,
     "_Z13k_rows_vector",
     {FIRST, COLUMN, M16, M4, M4, "131072"},
     LAUNCH(256, 1, 1, 16384, 1, 1),
     0},
    {"wavelet", UNEVEN, "_Z9k_wavelet", {M16, M16, "2048", "2048"}, LAUNCH(32, 8, 1, 32, 128, 1), 0},
    {"product, odd", LOOPS, "_Z10k_gemm_odd", {M16, M16, M16, "2000", "2000", "2000"}, LAUNCH(16, 16, 1, 32, 32, 1), 0},
    {"neighbour cells", LOOPS, "_Z6k_lava", {M4, M1, M4, "10", "100"}, LAUNCH(128, 1, 1, 1000, 1, 1), 0},
    {"sliding window", LOOPS, "_Z7k_slideILi192E", {M16, M16, "2048", "2048", "8"}, LAUNCH(192, 1, 1, 11, 32, 1), 0},
    {"hotspot",
     LOOPS,
     "_Z9k_hotspot",
     {"2", M4, M4, M4, "1024", "1024", "2", "2", "0.5", "1", "1", "1", "0.1"},
     LAUNCH(16, 16, 1, 86, 86, 1),
     0},
};

static const char *root = ".";

/* ---- contents ---- */

static int32_t rows[ROWS + 1], cells[16 * 16 * 16 + 1];
static float distribution[10000];

/* Most rows are short, a few very long; cells of 100 particles; an even distribution. */
static void make_contents(void)
{
    for (int i = 0; i < ROWS; i++)
        rows[i + 1] = rows[i] + 4 + (i % 97 == 0 ? 64 : 0) + (i % 8191 == 0 ? 4096 : 0);
    for (int i = 0; i < 16 * 16 * 16; i++)
        cells[i + 1] = cells[i] + 100;
    for (int i = 0; i < 10000; i++)
        distribution[i] = (float)(i + 1) / 10000;
}

static wl_status load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    (void)user, (void)err;
    if (strcmp(path, "rows") == 0) {
        *bytes = (const uint8_t *)rows;
        *length = sizeof rows;
    } else if (strcmp(path, "cells") == 0) {
        *bytes = (const uint8_t *)cells;
        *length = sizeof cells;
    } else {
        *bytes = (const uint8_t *)distribution;
        *length = sizeof distribution;
    }
    return WL_OK;
}

/* ---- one prediction ---- */

static char *read_text(const char *name, size_t *length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 21) : NULL;
    if (!text) {
        fprintf(stderr, "bench_cost: cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, (1 << 21) - 1, f);
    fclose(f);
    return text;
}

static double predict(const one *k, const char *text, size_t length, const wl_device *device)
{
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    wl_ptx_options options = {
        .entry = k->entry, .args = k->args, .launch = k->launch, .dynamic_shared = k->dynamic_shared, .load = load};
    while (options.arg_count < ARGS_MAX && k->args[options.arg_count])
        options.arg_count++;
    const double start = cpu_seconds();
    must(wl_ptx_parse(k->path, text, length, &ptx, &err), &err);
    must(wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    must(wl_prediction_new(&prediction, &err), &err);
    must(wl_predictor_new(kernel, device, &predictor, &err), &err);
    must(wl_predict(predictor, &k->launch, NULL, prediction, &err), &err);
    const double seconds = cpu_seconds() - start;
    wl_predictor_free(predictor);
    wl_prediction_free(prediction);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    return seconds;
}

int main(int argc, char **argv)
{
    root = argc > 1 ? argv[1] : ".";
    wl_error err = {0};
    wl_device *device = NULL;
    struct rusage usage;
    double worst = 0;
    make_contents();
    must(wl_device_builtin("h200", &device, &err), &err);
    printf("%-20s %10s\n", "one prediction", "of 1 s");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        size_t length = 0;
        char *text = read_text(kernels[i].path, &length);
        const double seconds = predict(&kernels[i], text, length, device) / BAR;
        printf("%-20s %10.2f\n", kernels[i].name, seconds);
        worst = fmax(worst, seconds);
        free(text);
    }
    wl_device_free(device);
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 1;
    printf("%-20s %10.2f, peak memory %.2f of %.0f MB\n", "worst", worst, (double)usage.ru_maxrss / 1024 / BAR_MB,
           BAR_MB);
    return 0;
}
