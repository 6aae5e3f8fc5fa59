/* bench_predict.c - time of one full prediction, over domain sizes and block shapes.
 *
 * Prints microseconds per prediction of the range-4 stencil (26 accesses, all metrics), the ratio
 * of the slowest to the fastest domain, and the ratio to the public Python tool, which needs 2 to
 * 30 s for the same. Each launch is predicted over and over by one predictor, which keeps what it
 * counted: bench_space and bench_rank measure launches that are met for the first time. */
#include <math.h>
#include <string.h>

#include "bench.h"

static double time_one(const wl_device *device, const char *kernel_name, const char *const sets[3],
                       const wl_launch *launch, wl_model_id model)
{
    const wl_predict_options how = {.model = model};
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel_name, &length);
    const wl_kernel_options options = {.sets = sets, .set_count = sets ? 3 : 0};
    must(wl_kernel_parse(kernel_name, text, length, &options, &kernel, &err), &err);
    must(wl_prediction_new(&prediction, &err), &err);
    must(wl_predictor_new(kernel, device, &predictor, &err), &err);
    double start = cpu_seconds();
    must(wl_predict(predictor, launch, &how, prediction, &err), &err);
    double best = cpu_seconds() - start;
    /* some kernels take a fraction of a second */
    const int repeats = (int)fmin(200, 1 + 0.01 / best);
    for (int round = 0; round < 15; round++) {
        start = cpu_seconds();
        for (int i = 0; i < repeats; i++)
            must(wl_predict(predictor, launch, &how, prediction, &err), &err);
        const double each = (cpu_seconds() - start) / repeats;
        best = each < best ? each : best;
    }
    wl_predictor_free(predictor);
    wl_prediction_free(prediction);
    wl_kernel_free(kernel);
    return best;
}

/* Built-in kernels; and what each model of intervals adds to the default one. */
static void time_kernels(void)
{
    wl_error err = {0};
    wl_device *device = NULL;
    double best = 0, by[WL_MODEL_COUNT] = {0};
    printf("\nother kernels on h200, block 64x4x1, microseconds: the default model, then by intervals\n%-16s %8s", "",
           "best");
    for (int m = WL_MODEL_GPUMECH; m < WL_MODEL_COUNT; m++)
        printf(" %9s", wl_model_name((wl_model_id)m));
    must(wl_device_builtin("h200", &device, &err), &err);
    for (size_t k = 0; k < wl_kernel_builtin_count(); k++) {
        const char *name = wl_kernel_builtin_name(k);
        const wl_launch launch = {.block = {64, 4, 1}, .registers = 32};
        const double usual = time_one(device, name, NULL, &launch, WL_MODEL_BEST);
        best += log(usual);
        printf("\n%-16s %8.1f", name, 1e6 * usual);
        for (int m = WL_MODEL_GPUMECH; m < WL_MODEL_COUNT; m++) {
            const double t = time_one(device, name, NULL, &launch, (wl_model_id)m);
            by[m] += log(t);
            printf(" %9.1f", 1e6 * t);
        }
    }
    printf("\n%-16s %8s", "added", "");
    for (int m = WL_MODEL_GPUMECH; m < WL_MODEL_COUNT; m++)
        printf(" %8.1f%%", 100 * (exp((by[m] - best) / (double)wl_kernel_builtin_count()) - 1));
    printf(" (bar: 20 %%)\n");
    wl_device_free(device);
}

#define FIRST_ROUNDS 60

/* The times of the first prediction of a predictor, of two launches in turns: what else the machine
 * does disturbs both alike. */
static void time_first(const wl_device *device, const char *kernel_name, const wl_launch *const launches[2],
                       double best[2])
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_prediction *prediction = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(kernel_name, &length);
    must(wl_kernel_parse(kernel_name, text, length, NULL, &kernel, &err), &err);
    must(wl_prediction_new(&prediction, &err), &err);
    best[0] = best[1] = 1;
    for (int round = 0; round < 2 * FIRST_ROUNDS; round++) {
        const int which = round / 4 % 2;
        wl_predictor *predictor = NULL;
        must(wl_predictor_new(kernel, device, &predictor, &err), &err);
        const double start = cpu_seconds();
        must(wl_predict(predictor, launches[which], NULL, prediction, &err), &err);
        best[which] = fmin(best[which], cpu_seconds() - start);
        wl_predictor_free(predictor);
    }
    wl_prediction_free(prediction);
    wl_kernel_free(kernel);
}

/* Stencils under a schedule, against the linear launch of as many threads: asked again, as above,
 * and for the first time. */
static void time_schedules(void)
{
    static const char *const orders[] = {"column:32", "column:64", "swizzle:8", "tile:32x8", "column:31", "column:48",
                                         "zigzag:32", "zigzag:31", "tile:31x7", "hilbert",   "morton"};
    static const char *const kernels[] = {"star3d_7pt", "star2d_5pt", "star3d_r4"};
    wl_error err = {0};
    wl_device *device = NULL;
    double again = 0, first = 0, slowest = 0, fastest = 1;
    must(wl_device_builtin("h200", &device, &err), &err);
    printf(
        "\nscheduled predictions on h200, blocks of 256 (swizzle: 32x8), ratio to linear: asked again, first time\n");
    printf("%-10s", "");
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        printf(" %18s", kernels[k]);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        wl_schedule schedule;
        must(wl_schedule_parse(orders[i], &schedule, &err), &err);
        const bool blocks = wl_schedule_orders_blocks(&schedule);
        printf("\n%-10s", orders[i]);
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            const wl_launch linear = {.block = {blocks ? 32 : 256, blocks ? 8 : 1, 1}};
            wl_launch launch = linear;
            launch.schedule = schedule;
            const double kept = time_one(device, kernels[k], NULL, &launch, WL_MODEL_BEST) /
                                time_one(device, kernels[k], NULL, &linear, WL_MODEL_BEST);
            double firsts[2];
            time_first(device, kernels[k], (const wl_launch *const[]){&linear, &launch}, firsts);
            const double plain = firsts[0], ordered = firsts[1], new = ordered / plain;
            slowest = fmax(slowest, ordered);
            fastest = fmin(fastest, plain);
            printf(" %8.1f %9.1f", kept, new);
            again = fmax(again, kept);
            first = fmax(first, new);
        }
    }
    printf("\nworst: %.1f asked again, %.1f the first time (bar: 10); first time: linear from %.0f us, scheduled up to "
           "%.0f us\n",
           again, first, 1e6 * fastest, 1e6 * slowest);
    wl_device_free(device);
}

int main(void)
{
    static const wl_launch launches[] = {{.block = {32, 4, 2}},  {.block = {512, 2, 1}},
                                         {.block = {16, 2, 32}}, {.block = {4, 16, 4}},
                                         {.block = {1, 512, 1}}, {.block = {64, 4, 2}, .fold = {1, 1, 2}}};
    static const char *const devices[] = {"a100-40gb", "h200"};
    const int sizes[] = {64, 256, 512, 1024, 4096};
    printf("range-4 stencil, microseconds per full prediction, asked again\n%-12s %-14s", "device", "block");
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        printf(" %6d^3", sizes[s]);
    printf("   slowest/fastest\n");
    double worst = 0;
    for (size_t d = 0; d < 2; d++) {
        wl_error err = {0};
        wl_device *device = NULL;
        must(wl_device_builtin(devices[d], &device, &err), &err);
        for (size_t l = 0; l < sizeof launches / sizeof launches[0]; l++) {
            const wl_launch *launch = &launches[l];
            char label[40];
            snprintf(label, sizeof label, "%dx%dx%d%s", (int)launch->block[0], (int)launch->block[1],
                     (int)launch->block[2], launch->fold[2] > 1 ? " 2z" : "");
            printf("%-12s %-14s", devices[d], label);
            double slow = 0, fast = 1;
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                char text[3][24];
                for (int i = 0; i < 3; i++)
                    snprintf(text[i], sizeof text[i], "n%c=%d", "xyz"[i], sizes[s]);
                const char *sets[3] = {text[0], text[1], text[2]};
                const double t = time_one(device, "star3d_r4", sets, launch, WL_MODEL_BEST);
                slow = t > slow ? t : slow;
                fast = t < fast ? t : fast;
                printf(" %8.1f", 1e6 * t);
            }
            printf("   %.2f\n", slow / fast);
            worst = slow > worst ? slow : worst;
        }
        wl_device_free(device);
    }
    printf("slowest: %.1f us (bar: 100); the public Python tool's 2 s are %.0f times as long\n", 1e6 * worst,
           2 / worst);
    time_kernels();
    time_schedules();
    return 0;
}
