/* bench_run.c - a program with 10,000 launches of 5 kernels, run without a GPU, recorded and
 * profiled. Prints wall-clock time and memory of the whole, and the ratios to the bars of 10 s and
 * 512 MB; the time of a recorder's part of each launch, with the double as the driver. Asserts
 * nothing. SPDX-License-Identifier: MIT */
#include "bench.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAR_SECONDS 10.0
#define BAR_MEGABYTES 512.0
#define LAUNCHES "10000"

/* Seconds; the largest process of all children so far is in *megabytes. */
static double run(char *const *words, double *megabytes)
{
    int status = 0;
    struct rusage used;
    const double start = wall_seconds();
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execv(words[0], words);
        _exit(1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s failed\n", words[0]);
        exit(1);
    }
    getrusage(RUSAGE_CHILDREN, &used);
    *megabytes = (double)used.ru_maxrss / 1024;
    return wall_seconds() - start;
}

int main(void)
{
    char file[] = "/tmp/warpline-bench-XXXXXX";
    double megabytes, more;
    const int made = mkstemp(file);
    if (made < 0)
        return 1;
    (void)close(made);
    char *run_it[] = {TOOL, "run", "--device", "h200", "--", PROGRAM, LAUNCHES, NULL};
    const double seconds = run(run_it, &megabytes);
    printf("run: %s launches of 5 kernels, profiled: %.2f s (%.2f of the bar), %.0f MB (%.2f of the bar)\n", LAUNCHES,
           seconds, seconds / BAR_SECONDS, megabytes, megabytes / BAR_MEGABYTES);
    (void)setenv("LD_LIBRARY_PATH", PRELOAD, 1);
    /* threads that wait for each other would be measured */
    (void)setenv("OMP_NUM_THREADS", "1", 1);
    char *alone[] = {PROGRAM, LAUNCHES, NULL};
    char *record_it[] = {TOOL, "record", "-o", file, "--", PROGRAM, LAUNCHES, NULL};
    const double without = run(alone, &more), with = run(record_it, &more);
    printf("record: %.1f us a launch, the start included, beside %.1f us that the double takes for it\n",
           1e6 * (with - without) / atof(LAUNCHES), 1e6 * without / atof(LAUNCHES));
    (void)unlink(file);
    return 0;
}
