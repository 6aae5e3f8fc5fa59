/* bench_space.c - predictions per second over a whole space of launches of the range-4 stencil.
 *
 * Blocks of all powers of two and some that are not, each with several foldings, all metrics. Each
 * round predicts the space with a new predictor, so that nothing is kept from one round to the
 * next; the shortest time of each launch counts. Prints ratios to the bar of 20,000 predictions per
 * second and core, and to 100 us per block of odd shape, and the slowest launches; asserts
 * nothing. */

#include "bench.h"

#define BAR 20000.0   /* predictions per second */
#define ODD_BAR 100.0 /* us per prediction, for blocks that are no powers of two */
#define ROUNDS 9
#define LAUNCHES_MAX 4096
#define SLOWEST 10

typedef struct timed {
    wl_launch launch;
    double seconds;
} timed;

static size_t add_foldings(timed *space, size_t n, int64_t x, int64_t y, int64_t z)
{
    static const int64_t folds[][3] = {{1, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 1, 4}, {1, 2, 2}};
    for (size_t f = 0; f < sizeof folds / sizeof folds[0] && n < LAUNCHES_MAX; f++)
        space[n++] = (timed){{.block = {x, y, z}, .fold = {folds[f][0], folds[f][1], folds[f][2]}}, 1};
    return n;
}

static size_t powers_of_two(timed *space, size_t n)
{
    for (int64_t z = 1; z <= 64; z *= 2)
        for (int64_t y = 1; y <= 1024; y *= 2)
            for (int64_t x = 1; x <= 1024; x *= 2)
                if (x * y * z >= 32 && x * y * z <= 1024)
                    n = add_foldings(space, n, x, y, z);
    return n;
}

static size_t other_blocks(timed *space, size_t n)
{
    static const int64_t blocks[][3] = {{96, 3, 2},  {48, 5, 4},  {7, 9, 11},  {33, 3, 3},  {100, 2, 5}, {24, 24, 1},
                                        {320, 3, 1}, {160, 1, 6}, {12, 12, 6}, {40, 8, 3},  {640, 1, 1}, {20, 5, 10},
                                        {5, 5, 5},   {3, 100, 3}, {1, 33, 31}, {31, 1, 33}, {17, 13, 2}, {72, 7, 2}};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        n = add_foldings(space, n, blocks[i][0], blocks[i][1], blocks[i][2]);
    return n;
}

static void predict_space(const wl_kernel *kernel, const wl_device *device, timed *space, size_t n)
{
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    must(wl_prediction_new(&prediction, &err), &err);
    must(wl_predictor_new(kernel, device, &predictor, &err), &err);
    for (size_t i = 0; i < n; i++) {
        const double start = cpu_seconds();
        must(wl_predict(predictor, &space[i].launch, NULL, prediction, &err), &err);
        const double seconds = cpu_seconds() - start;
        space[i].seconds = seconds < space[i].seconds ? seconds : space[i].seconds;
    }
    wl_predictor_free(predictor);
    wl_prediction_free(prediction);
}

static int slower_first(const void *p, const void *q)
{
    const timed *a = p, *b = q;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static double mean_us(const timed *space, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += space[i].seconds;
    return 1e6 * sum / (double)n;
}

static void bench(const char *device_name, const wl_kernel *kernel)
{
    static timed space[LAUNCHES_MAX];
    wl_error err = {0};
    wl_device *device = NULL;
    must(wl_device_builtin(device_name, &device, &err), &err);
    const size_t powers = powers_of_two(space, 0), n = other_blocks(space, powers);
    for (int round = 0; round < ROUNDS; round++)
        predict_space(kernel, device, space, n);
    const double mean = mean_us(space, n);
    printf("%s: %zu launches, %.1f us on average (powers of two %.1f, others %.1f), %.0f predictions per second, "
           "%.2f times the bar of %.0f; others %.2f of %.0f us\n",
           device_name, n, mean, mean_us(space, powers), mean_us(space + powers, n - powers), 1e6 / mean,
           1e6 / mean / BAR, BAR, mean_us(space + powers, n - powers) / ODD_BAR, ODD_BAR);
    qsort(space, n, sizeof *space, slower_first);
    printf("  slowest, us:");
    for (size_t i = 0; i < SLOWEST; i++) {
        const wl_launch *l = &space[i].launch;
        printf("%s %dx%dx%d/%dx%dx%d %.1f", i % 5 ? "," : "\n   ", (int)l->block[0], (int)l->block[1], (int)l->block[2],
               (int)l->fold[0], (int)l->fold[1], (int)l->fold[2], 1e6 * space[i].seconds);
    }
    printf("\n");
    wl_device_free(device);
}

int main(void)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);
    must(wl_kernel_parse("star3d_r4", text, length, NULL, &kernel, &err), &err);
    bench("h200", kernel);
    bench("a100-40gb", kernel);
    wl_kernel_free(kernel);
    return 0;
}
