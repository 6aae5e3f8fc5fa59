/* bench_ptx.c - what reading a kernel from PTX costs: parsing, recovery of its addresses,
 * prediction and ranking beside the same kernel as a kernel file.
 *
 * usage: bench_ptx [SOURCE_ROOT]; "." otherwise. Prints the best of some rounds and the ratio to
 * what is asked for; asserts nothing. SPDX-License-Identifier: MIT */
#include "bench.h"

#include <string.h>

#define ROUNDS 9
#define RECOVERY_BAR 50e-3 /* seconds, for the range-4 stencil */
#define STAR "buf:5872025600:11203712"
#define LATTICE "buf:5872025600:596864"
#define ARRAY "buf:5872025600"

typedef struct one {
    const char *name, *entry, *args[10], *file; /* file: the hand-written kernel */
    const char *sets[8];
    wl_launch launch;
} one;

static const one kernels[] = {
    {"star3d",
     "_Z8k_star3dIdLi4ELi1ELi1E",
     {STAR, STAR, "640", "512", "512", "672", "349440"},
     "star3d",
     {NULL},
     {.block = {32, 4, 2}, .grid = {20, 128, 256}, .fold = {1, 1, 1}, .registers = 31}},
    {"star3d, 2 in y",
     "_Z8k_star3dIdLi4ELi2ELi1E",
     {STAR, STAR, "640", "512", "512", "672", "349440"},
     "star3d",
     {NULL},
     {.block = {32, 4, 2}, .grid = {20, 64, 256}, .fold = {1, 2, 1}, .registers = 40}},
    {"lbm_d3q15_pf",
     "k_lbm_d3q15_pf",
     {LATTICE, LATTICE, "buf:153365632:596864", "256", "256", "256", "288", "74304", "19170688"},
     "lbm_d3q15_pf",
     {NULL},
     {.block = {64, 4, 2}, .grid = {4, 64, 128}, .fold = {1, 1, 1}, .registers = 70}},
    {"transpose tiled",
     "_Z17k_transpose_tiledILi0E",
     {ARRAY, ARRAY, "8192"},
     "transpose_tiled",
     {"w=8192"},
     {.block = {32, 8, 1}, .grid = {256, 256, 1}, .fold = {1, 1, 1}, .registers = 24}},
    {"box2d_col",
     "k_box2d_col",
     {ARRAY, ARRAY, "4096", "4096", "16"},
     "box2d_col",
     {"w=4096", "h=4096", "col=16"},
     {.block = {256, 1, 1}, .grid = {65536, 1, 1}, .fold = {1, 1, 1}, .registers = 32}},
    {"matmul_col",
     "k_matmul_col",
     {ARRAY, ARRAY, "buf:138457088", "1024", "1024", "1024", "16"},
     "matmul_col",
     {"w=1024", "h=1024", "depth=1024", "col=16"},
     {.block = {256, 1, 1}, .grid = {4096, 1, 1}, .fold = {1, 1, 1}, .registers = 32}},
};

static const char *root = ".";

static char *read_text(const char *folder, const char *name, size_t *length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/validate/%s/%s", root, folder, name);
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 21) : NULL;
    if (!text) {
        fprintf(stderr, "bench_ptx: cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, (1 << 21) - 1, f);
    fclose(f);
    return text;
}

static size_t count_of(const char *const *list, size_t most)
{
    size_t n = 0;
    while (n < most && list[n])
        n++;
    return n;
}

static double best(double seconds, double so_far) { return seconds < so_far ? seconds : so_far; }

static void bench_parse(void)
{
    static const char *const files[] = {"fit.sm_90.ptx", "fit2.sm_90.ptx", "data.sm_90.ptx"};
    for (size_t i = 0; i < 3; i++) {
        size_t length = 0;
        char *text = read_text("ptx", files[i], &length);
        double shortest = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            wl_error err = {0};
            wl_ptx *ptx = NULL;
            const double start = cpu_seconds();
            must(wl_ptx_parse(files[i], text, length, &ptx, &err), &err);
            shortest = best(cpu_seconds() - start, shortest);
            wl_ptx_free(ptx);
        }
        printf("parse %-16s %7.0f KB  %6.2f ms  %6.1f MB/s\n", files[i], (double)length / 1e3, 1e3 * shortest,
               (double)length / shortest * 1e-6);
        free(text);
    }
}

static wl_kernel *from_ptx(const one *k, const wl_ptx *ptx)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    const wl_ptx_options options = {
        .entry = k->entry, .args = k->args, .arg_count = count_of(k->args, 10), .launch = k->launch};
    must(wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    return kernel;
}

static wl_kernel *from_file(const one *k)
{
    char name[64];
    size_t length = 0;
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    snprintf(name, sizeof name, "%s.yaml", k->file);
    char *text = read_text("kernels", name, &length);
    const wl_kernel_options options = {k->sets, count_of(k->sets, 8)};
    must(wl_kernel_parse(name, text, length, &options, &kernel, &err), &err);
    free(text);
    return kernel;
}

static double predict(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch)
{
    double shortest = 1e9;
    for (int round = 0; round < 3; round++) {
        wl_error err = {0};
        wl_predictor *predictor = NULL;
        wl_prediction *prediction = NULL;
        const double start = cpu_seconds();
        must(wl_prediction_new(&prediction, &err), &err);
        must(wl_predictor_new(kernel, device, &predictor, &err), &err);
        must(wl_predict(predictor, launch, NULL, prediction, &err), &err);
        shortest = best(cpu_seconds() - start, shortest);
        wl_predictor_free(predictor);
        wl_prediction_free(prediction);
    }
    return shortest;
}

static void bench_recovery(const wl_ptx *ptx, const wl_device *device)
{
    printf("\n%-16s %12s %16s %17s\n", "kernel", "recovery", "predict, PTX", "kernel file");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const one *k = &kernels[i];
        double shortest = 1e9;
        wl_kernel *kernel = NULL;
        for (int round = 0; round < ROUNDS; round++) {
            wl_kernel_free(kernel);
            const double start = cpu_seconds();
            kernel = from_ptx(k, ptx);
            shortest = best(cpu_seconds() - start, shortest);
        }
        wl_kernel *file = from_file(k);
        wl_launch launch = k->launch;
        /* the kernel file's cells may be several to a thread */
        memset(launch.grid, 0, sizeof launch.grid);
        wl_launch plain = k->launch;
        for (int d = 0; d < 3; d++)
            plain.fold[d] = 1;
        const double ours = predict(kernel, device, &plain);
        const double theirs = predict(file, device, &launch);
        printf("%-16s %9.2f ms %13.2f ms %14.2f ms", k->name, 1e3 * shortest, 1e3 * ours, 1e3 * theirs);
        printf(i < 2 ? "   recovery: %.2f of the bar of 50 ms\n" : "\n", shortest / RECOVERY_BAR);
        wl_kernel_free(kernel);
        wl_kernel_free(file);
    }
}

/* Launches per second on one core, over the default space. */
static double search(const wl_kernel *kernel, const wl_device *device, const int64_t fold[3], int64_t *size)
{
    double shortest = 1e9;
    char text[64];
    snprintf(text, sizeof text, "%lldx%lldx%lld", (long long)fold[0], (long long)fold[1], (long long)fold[2]);
    for (int round = 0; round < 3; round++) {
        wl_error err = {0};
        wl_space *space = NULL;
        wl_ranker *ranker = NULL;
        wl_ranked first[10];
        wl_ranking ranking;
        const wl_rank_options options = {.threads = 1};
        must(wl_space_new(&space, &err), &err);
        must(wl_space_set(space, "fold", text, &err), &err);
        must(wl_ranker_new(kernel, device, space, &options, &ranker, &err), &err);
        const double start = cpu_seconds();
        must(wl_rank(ranker, first, 10, &ranking, &err), &err);
        shortest = best(cpu_seconds() - start, shortest);
        *size = ranking.outcomes[WL_OUTCOME_PREDICTED];
        wl_ranker_free(ranker);
        wl_space_free(space);
    }
    return (double)*size / shortest;
}

static void bench_rank(const wl_ptx *ptx, const wl_device *device)
{
    static const int64_t plain[3] = {1, 1, 1};
    printf("\n%-16s %9s %20s %20s %8s\n", "rank, one core", "launches", "PTX, per second", "kernel file", "ratio");
    for (int i = 0; i < 3; i++) { /* the regular kernels */
        const one *k = &kernels[i];
        wl_error err = {0};
        wl_kernel *kernel = NULL, *file = from_file(k);
        wl_ptx_options options = {
            .entry = k->entry, .args = k->args, .arg_count = count_of(k->args, 10), .launch = k->launch};
        wl_kernel_domain(file, options.domain);
        for (int d = 0; d < 3; d++) { /* threads, not cells */
            options.domain[d] /= k->launch.fold[d];
            options.launch.grid[d] = 0;
        }
        must(wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
        int64_t sizes[2] = {0, 0};
        const double ours = search(kernel, device, plain, &sizes[0]);
        const double theirs = search(file, device, k->launch.fold, &sizes[1]);
        printf("%-16s %4lld/%4lld %20.0f %20.0f %8.3f\n", k->name, (long long)sizes[0], (long long)sizes[1], ours,
               theirs, ours / theirs);
        wl_kernel_free(kernel);
        wl_kernel_free(file);
    }
}

int main(int argc, char **argv)
{
    root = argc > 1 ? argv[1] : ".";
    wl_error err = {0};
    wl_device *device = NULL;
    wl_ptx *ptx = NULL;
    size_t length = 0;
    char *text = read_text("ptx", "fit.sm_90.ptx", &length);
    must(wl_device_builtin("h200", &device, &err), &err);
    must(wl_ptx_parse("fit.sm_90.ptx", text, length, &ptx, &err), &err);
    bench_parse();
    bench_recovery(ptx, device);
    bench_rank(ptx, device);
    wl_ptx_free(ptx);
    wl_device_free(device);
    free(text);
    return 0;
}
