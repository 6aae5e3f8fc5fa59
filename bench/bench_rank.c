/* bench_rank.c - speed and memory of searches: predictions per second on one core and on two, a
 * space of a million launches, and the paper's 168 launches with the start of the process.
 *
 * usage: bench_rank [WARPLINE]; the binary is found beside this program otherwise. Prints ratios to
 * what is asked for; asserts nothing. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static double resident_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

typedef struct setting {
    const char *key, *text;
} setting;

static wl_kernel *stencil(const char *const *sets, size_t count)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);
    const wl_kernel_options options = {sets, count};
    must(wl_kernel_parse("star3d_r4", text, length, &options, &kernel, &err), &err);
    return kernel;
}

/* Seconds for the whole space; *size gets the launches predicted. */
static double search(const char *device_name, const wl_kernel *kernel, const setting *settings, int threads,
                     int64_t *size)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    wl_ranked best[10];
    wl_ranking ranking;
    const wl_rank_options options = {.threads = threads};
    must(wl_device_builtin(device_name, &device, &err), &err);
    must(wl_space_new(&space, &err), &err);
    for (; settings->key; settings++)
        must(wl_space_set(space, settings->key, settings->text, &err), &err);
    must(wl_ranker_new(kernel, device, space, &options, &ranker, &err), &err);
    const double start = wall_seconds();
    must(wl_rank(ranker, best, 10, &ranking, &err), &err);
    const double seconds = wall_seconds() - start;
    *size = ranking.outcomes[WL_OUTCOME_PREDICTED];
    wl_ranker_free(ranker);
    wl_space_free(space);
    wl_device_free(device);
    return seconds;
}

static double shortest(const char *device, const wl_kernel *kernel, const setting *settings, int threads, int64_t *size)
{
    double best = 1e9;
    for (int i = 0; i < 7; i++) {
        const double t = search(device, kernel, settings, threads, size);
        best = t < best ? t : best;
    }
    return best;
}

/* All powers of two, five foldings. */
static const setting powers[] = {{"block.x", "1..1024:x2"},
                                 {"block.y", "1..1024:x2"},
                                 {"block.z", "1..64:x2"},
                                 {"threads", "32..1024"},
                                 {"fold", "1x1x1,1x2x1,1x1x2,1x1x4,1x2x2"},
                                 {NULL, NULL}};
static const setting by_default[] = {{NULL, NULL}};

static void bench_speed(void)
{
    static const char *const devices[] = {"h200", "a100-40gb"};
    wl_kernel *kernel = stencil(NULL, 0);
    printf("range-4 stencil 640x512x512, all metrics: launches per second (asked: 20,000 per core, two cores 1.8 "
           "times)\n");
    printf("%-10s %-28s %9s %10s %8s %10s %8s\n", "device", "space", "launches", "one core", "ratio", "two cores",
           "ratio");
    for (size_t d = 0; d < 2; d++) {
        for (int s = 0; s < 2; s++) {
            int64_t size = 0;
            const setting *settings = s ? powers : by_default;
            const double one = shortest(devices[d], kernel, settings, 1, &size);
            const double two = shortest(devices[d], kernel, settings, 2, &size);
            printf("%-10s %-28s %9lld %10.0f %8.2f %10.0f %8.2f\n", devices[d],
                   s ? "powers of two, 5 foldings" : "the default", (long long)size, (double)size / one,
                   (double)size / one / 20000, (double)size / two, one / two);
        }
    }
    wl_kernel_free(kernel);
}

static void bench_domains(void)
{
    printf("\ncost per launch over the domain (h200, default space, one core), us:");
    double slow = 0, fast = 1e9;
    for (int n = 128; n <= 4096; n *= 2) {
        char text[3][24];
        const char *sets[3] = {text[0], text[1], text[2]};
        int64_t size = 0;
        for (int i = 0; i < 3; i++)
            snprintf(text[i], sizeof text[i], "n%c=%d", "xyz"[i], n);
        wl_kernel *kernel = stencil(sets, 3);
        const double each = shortest("h200", kernel, by_default, 1, &size) / (double)size;
        wl_kernel_free(kernel);
        printf(" %d^3 %.1f", n, 1e6 * each);
        slow = each > slow ? each : slow;
        fast = each < fast ? each : fast;
    }
    printf("; slowest/fastest %.2f\n", slow / fast);
}

/* The default space over so many domains that there are as many launches; seconds per million. */
static double bench_domains_of(const char *device, int64_t launches, int threads, int64_t *all)
{
    *all = 0;
    const double start = wall_seconds();
    for (int n = 128; *all < launches; n++) {
        char text[3][24];
        const char *sets[3] = {text[0], text[1], text[2]};
        int64_t size = 0;
        for (int i = 0; i < 3; i++)
            snprintf(text[i], sizeof text[i], "n%c=%d", "xyz"[i], i == 0 ? 4 * n : n);
        wl_kernel *kernel = stencil(sets, 3);
        (void)search(device, kernel, by_default, threads, &size);
        wl_kernel_free(kernel);
        *all += size;
    }
    return 1e6 / (double)*all * (wall_seconds() - start);
}

/* A million launches on two cores, and what one core takes for a part of them. */
static void bench_million(const char *device)
{
    int64_t all = 0, some = 0;
    double one = 1e9, two = 1e9;
    for (int i = 0; i < 5; i++) {
        const double with_one = bench_domains_of(device, 20000, 1, &some),
                     with_two = bench_domains_of(device, 20000, 2, &some);
        one = with_one < one ? with_one : one;
        two = with_two < two ? with_two : two;
    }
    printf("%-10s the default space over few domains: %.1f s per million on one core, %.1f on two, %.2f times as fast "
           "(asked: 1.8)\n",
           device, one, two, one / two);
    const double seconds = bench_domains_of(device, 1000000, 2, &all);
    printf("%-10s the default space over many domains: %lld launches, %.1f s per million (%.2f of the 30 s asked "
           "for)\n",
           device, (long long)all, seconds, seconds / 30);
}

/* All blocks there are, with 18 foldings. */
static void bench_all_blocks(const char *device)
{
    static const setting settings[] = {
        {"block.x", "1..1024"}, {"block.y", "1..1024"}, {"block.z", "1..64"}, {"threads", "32..1024"},
        {"fold.x", "1,2"},      {"fold.y", "1,2,4"},    {"fold.z", "1,2,4"},  {NULL, NULL}};
    int64_t size = 0;
    wl_kernel *kernel = stencil(NULL, 0);
    const double seconds = search(device, kernel, settings, 2, &size);
    printf("%-10s every block of any extents: %lld launches in %.1f s (%.2f of 60 s per million), resident %.1f MiB\n",
           device, (long long)size, seconds, 1e6 / (double)size * seconds / 60, resident_mib());
    wl_kernel_free(kernel);
}

static double run_process(char *const arguments[])
{
    fflush(stdout);
    const double start = wall_seconds();
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        return -1;
    return wall_seconds() - start;
}

static void bench_process(char *binary)
{
    char *arguments[] = {binary,       "rank",      "star3d_r4", "--device",  "a100-40gb",  "--device",
                         "h200",       "--threads", "1024",      "--block-x", "1..1024:x2", "--block-y",
                         "1..1024:x2", "--block-z", "1..64:x2",  "--fold",    "1x1x1",      "--fold",
                         "1x2x1",      "--fold",    "1x1x2",     NULL};
    double best = 1e9;
    for (int i = 0; i < 15; i++) {
        const double t = run_process(arguments);
        if (t < 0) {
            printf("\ncannot run %s\n", binary);
            return;
        }
        best = t < best ? t : best;
    }
    printf(
        "\nthe paper's 168 launches on a100-40gb and h200, process start included: %.1f ms (asked: 30; %.2f of it)\n",
        1e3 * best, best / 0.030);
}

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", argv[0]);
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash : path, sizeof path - (size_t)(slash ? slash - path : 0), "/../warpline");
    bench_speed();
    bench_domains();
    bench_process(argc > 1 ? argv[1] : path);
    printf("\nlarge spaces on two cores (under 64 MiB)\n");
    bench_million("h200");
    bench_all_blocks("a100-40gb");
    bench_all_blocks("h200");
    return 0;
}
