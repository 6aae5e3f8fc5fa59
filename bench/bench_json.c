/* bench_json.c - how fast results become JSON: lines of `predict --batch`, in and out, and rankings
 * of 10^5 launches.
 *
 * usage: bench_json [WARPLINE]; the binary is found beside this program otherwise. Prints ratios to
 * what is asked for; asserts nothing. SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digits.h"
#include "bench.h"

#define LINE_BAR 60.0   /* us of a line, the prediction included */
#define SPEED_BAR 100.0 /* MB/s of a ranking */
#define RANKED 100000
#define REPEATS 5

static double least(double a, double b) { return a < b ? a : b; }

/* ---- numbers ---- */

static double values[4096];

static void fill_values(void)
{
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (double)(state >> 11) * (i % 2 ? 1e-20 : 1e-6);
    }
}

/* Nanoseconds of one number. */
static double time_numbers(bool by_printf)
{
    double best = 1e9;
    size_t length = 0;
    for (int i = 0; i < REPEATS; i++) {
        const double start = cpu_seconds();
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            char text[WL_DIGITS_ROOM];
            length += by_printf ? (size_t)snprintf(text, sizeof text, "%.15g", values[k])
                                : wl_digits_real(values[k], 15, text);
        }
        best = least(best, cpu_seconds() - start);
    }
    return length > 0 ? best / (double)(sizeof values / sizeof values[0]) * 1e9 : 0;
}

static void bench_numbers(void)
{
    fill_values();
    const double own = time_numbers(false), libc = time_numbers(true);
    printf("a double with 15 digits: %.0f ns, printf %.0f ns, %.1f times as long\n\n", own, libc, libc / own);
}

/* ---- batches ---- */

/* times that each launch is asked for, so that starting the program weighs little */
#define ASKED 8

typedef struct launch_list {
    wl_launch all[1024];
    size_t count;
} launch_list;

/* Powers of two in all shapes; or any x from 8 on with a few y and z. */
static void fill_launches(launch_list *l, bool powers)
{
    l->count = 0;
    for (int x = 1; x <= 1024; x = powers ? 2 * x : x + 7)
        for (int y = 1; y <= 1024; y = powers ? 2 * y : y + 3)
            for (int z = 1; z <= 64; z *= 2) {
                const int threads = x * y * z;
                if (threads < 32 || threads > 1024 || (!powers && (x < 8 || y > 16 || z > 4)))
                    continue;
                l->all[l->count++] = (wl_launch){.block = {x, y, z}, .registers = 31};
            }
}

static void write_lines(const launch_list *l, int repeats, FILE *f)
{
    for (int repeat = 0; repeat < repeats; repeat++)
        for (size_t i = 0; i < l->count; i++) {
            const int64_t *b = l->all[i].block;
            fprintf(f,
                    "{\"kernel\": \"star3d_r4\", \"set\": {\"nx\": 640}, \"block\": [%d,%d,%d], "
                    "\"fold\": [1,1,1], \"schedule\": \"linear\", \"registers\": 31, \"device\": \"h200\"}\n",
                    (int)b[0], (int)b[1], (int)b[2]);
        }
}

/* CPU seconds of the predictions alone: of all, and of the first ones of a new predictor. */
static double predict_only(const launch_list *l, double *first)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);
    const char *const sets[] = {"nx=640"};
    const wl_kernel_options options = {sets, 1};
    must(wl_kernel_parse("star3d_r4", text, length, &options, &kernel, &err), &err);
    must(wl_device_builtin("h200", &device, &err), &err);
    must(wl_predictor_new(kernel, device, &predictor, &err), &err);
    must(wl_prediction_new(&prediction, &err), &err);
    const double start = cpu_seconds();
    for (int repeat = 0; repeat < ASKED; repeat++) {
        for (size_t i = 0; i < l->count; i++)
            must(wl_predict(predictor, &l->all[i], NULL, prediction, &err), &err);
        if (repeat == 0)
            *first = cpu_seconds() - start;
    }
    const double seconds = cpu_seconds() - start;
    wl_prediction_free(prediction);
    wl_predictor_free(predictor);
    wl_device_free(device);
    wl_kernel_free(kernel);
    return seconds;
}

/* CPU seconds of a child that reads `lines` on one core. */
static double run_batch(const char *warpline, const char *lines)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)setenv("OMP_NUM_THREADS", "1", 1);
        if (freopen("/dev/null", "w", stdout))
            execl(warpline, warpline, "predict", "--batch", lines, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    getrusage(RUSAGE_CHILDREN, &after);
    if (status != 0) {
        fprintf(stderr, "%s predict --batch failed\n", warpline);
        exit(1);
    }
    const double user = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                        1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    return user + (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
           1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
}

/* CPU seconds of lines that ask for each launch so many times. */
static double time_lines(const char *warpline, const launch_list *l, int repeats)
{
    char path[] = "/tmp/bench_json.XXXXXX";
    const int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) {
        perror("bench_json");
        exit(1);
    }
    write_lines(l, repeats, f);
    fclose(f);
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++)
        best = least(best, run_batch(warpline, path));
    unlink(path);
    return best;
}

/* What was counted of a launch is kept: a launch that was asked for before takes less. */
static void bench_batch(const char *warpline, bool powers)
{
    static launch_list l, one;
    double alone = 1e9, alone_first = 1e9;
    fill_launches(&l, powers);
    one.all[0] = l.all[0];
    one.count = 1;
    const double start = time_lines(warpline, &one, 1), once = time_lines(warpline, &l, 1),
                 all = time_lines(warpline, &l, ASKED);
    for (int i = 0; i < REPEATS; i++) {
        double first = 0;
        alone = least(alone, predict_only(&l, &first));
        alone_first = least(alone_first, first);
    }
    const double us = 1e6 / (double)l.count, first = (once - start) * us, again = (all - once) * us / (ASKED - 1);
    printf("--batch, range-4 stencil on h200, %s, us per line (of which predict); bar: %.0f\n"
           "  for the first time %6.1f (%.1f), %.2f of the bar; again %6.1f (%.1f), %.2f of the bar\n",
           powers ? "powers of two" : "odd blocks", LINE_BAR, first, alone_first * us, first / LINE_BAR, again,
           (alone - alone_first) * us / (ASKED - 1), again / LINE_BAR);
}

/* ---- rankings ---- */

static wl_status count_bytes(void *user, const char *text, size_t length, wl_error *err)
{
    (void)text;
    (void)err;
    *(size_t *)user += length;
    return WL_OK;
}

/* A few thousand launches are predicted, and written again and again. */
static void rank_all(wl_ranked_space *s, wl_ranked *launches)
{
    wl_error err = {0};
    must(wl_rank(s->ranker, launches, RANKED, &s->ranking, &err), &err);
    for (size_t i = s->ranking.count; i < RANKED; i++)
        launches[i] = launches[i - s->ranking.count];
    s->launches = launches;
    s->count = RANKED;
    s->tie = 1.05;
    s->best_s = launches[0].time_s;
}

static void print_speed(const wl_ranked_space *s, wl_format format)
{
    double best = 1e9;
    size_t bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        wl_error err = {0};
        bytes = 0;
        wl_rank_writer w = {.format = format, .sink = count_bytes, .user = &bytes};
        const double start = cpu_seconds();
        must(wl_rank_write_sorted(&w, s, s->count, &err), &err);
        must(wl_rank_write_end(&w, &err), &err);
        best = least(best, cpu_seconds() - start);
    }
    const double speed = (double)bytes / best / 1e6;
    printf("rank, %zu launches as %-4s: %.0f MB at %.0f MB/s, %.1f times the bar (%.0f)\n", s->count,
           format == WL_FORMAT_CSV ? "CSV" : "JSON", (double)bytes / 1e6, speed, speed / SPEED_BAR, SPEED_BAR);
}

static void bench_rankings(void)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_space *space = NULL;
    wl_ranked_space s = {0};
    wl_ranked *launches = calloc(RANKED, sizeof *launches);
    const wl_rank_options options = {0};
    const char *const update = "dst[0,0] = (src[1,0] + src[-1,0] + src[0,1] + src[0,-1]) / 4";
    if (!launches)
        exit(1);
    must(wl_kernel_from_update(update, "4096x4096", "f64", &kernel, &err), &err);
    must(wl_device_builtin("h200", &device, &err), &err);
    must(wl_space_new(&space, &err), &err);
    must(wl_space_set(space, "block.x", "32..1024:8", &err), &err);
    must(wl_space_set(space, "block.y", "1..1024", &err), &err);
    must(wl_space_set(space, "threads", "32..1024", &err), &err);
    must(wl_ranker_new(kernel, device, space, &options, &s.ranker, &err), &err);
    rank_all(&s, launches);
    print_speed(&s, WL_FORMAT_JSON);
    print_speed(&s, WL_FORMAT_CSV);
    wl_ranker_free(s.ranker);
    wl_space_free(space);
    wl_device_free(device);
    wl_kernel_free(kernel);
    free(launches);
}

int main(int argc, char **argv)
{
    char beside[4096];
    const char *slash = strrchr(argv[0], '/');
    (void)snprintf(beside, sizeof beside, "%.*s/../warpline", slash ? (int)(slash - argv[0]) : 1,
                   slash ? argv[0] : ".");
    const char *warpline = argc > 1 ? argv[1] : beside;
    bench_numbers();
    bench_batch(warpline, true);
    bench_batch(warpline, false);
    bench_rankings();
    return 0;
}
