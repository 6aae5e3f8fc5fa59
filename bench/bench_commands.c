/* bench_commands.c - the slowest commands on built-in kernels.
 *
 * Runs predict, stack, roofline, report, rank and advise of every built-in kernel, on some devices,
 * or on those that are given (`bench_commands all`: on every built-in one, minutes). Prints the
 * ratio of the slowest to the bar of 2 s, and the slowest ones with their wall-clock and processor
 * time; asserts nothing. SPDX-License-Identifier: MIT */

#include "bench.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAR 2.0 /* seconds of a command */
#define SLOWEST 10
#define NAME_LENGTH 96

typedef struct command {
    char name[NAME_LENGTH];
    double wall_s, cpu_s;
} command;

/* Of all children so far. */
static double cpu_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* False: it failed, as launches do that do not fit. */
static bool run(char *const *arguments, command *out)
{
    int status = 0;
    const double start = wall_seconds(), cpu = cpu_of_children();
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        execv(arguments[0], arguments);
        _exit(1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    out->wall_s = wall_seconds() - start;
    out->cpu_s = cpu_of_children() - cpu;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void keep_slowest(command *slowest, const command *one)
{
    int at = SLOWEST - 1;
    if (one->wall_s <= slowest[at].wall_s)
        return;
    for (; at > 0 && slowest[at - 1].wall_s < one->wall_s; at--)
        slowest[at] = slowest[at - 1];
    slowest[at] = *one;
}

static int run_all(const char *device, command *slowest)
{
    static const char *const commands[] = {"predict", "stack", "roofline", "report", "rank", "advise"};
    int ran = 0;
    for (size_t k = 0; k < wl_kernel_builtin_count(); k++) {
        for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++) {
            char words[10][NAME_LENGTH] = {"", "", "", "--device", "", "--block", "32x8"};
            char *arguments[11] = {TOOL};
            int n = 7;
            command one;
            (void)snprintf(words[1], NAME_LENGTH, "%s", commands[c]);
            (void)snprintf(words[2], NAME_LENGTH, "%s", wl_kernel_builtin_name(k));
            (void)snprintf(words[4], NAME_LENGTH, "%s", device);
            if (strcmp(commands[c], "rank") == 0)
                n = 5; /* its own blocks */
            if (strcmp(commands[c], "report") == 0) {
                (void)snprintf(words[n++], NAME_LENGTH, "-o");
                (void)snprintf(words[n++], NAME_LENGTH, "/dev/null");
            }
            for (int i = 1; i < n; i++)
                arguments[i] = words[i];
            (void)snprintf(one.name, NAME_LENGTH, "%.20s %.30s --device %.30s", words[1], words[2], device);
            if (run(arguments, &one)) {
                keep_slowest(slowest, &one);
                ran++;
            }
        }
    }
    return ran;
}

int main(int argc, char **argv)
{
    static const char *const some[] = {"h200", "a100-40gb", "rx6900xt", "mi300x"};
    command slowest[SLOWEST] = {0};
    const bool all = argc == 2 && strcmp(argv[1], "all") == 0;
    const size_t count = all ? wl_device_builtin_count() : argc > 1 ? (size_t)argc - 1 : sizeof some / sizeof some[0];
    int ran = 0;
    for (size_t d = 0; d < count; d++)
        ran += run_all(all ? wl_device_builtin_name(d) : argc > 1 ? argv[d + 1] : some[d], slowest);
    printf("commands: %d on built-in kernels, the slowest takes %.2f of %.0f s\n", ran, slowest[0].wall_s / BAR, BAR);
    for (int i = 0; i < SLOWEST && slowest[i].wall_s > 0; i++)
        printf("  %6.2f s, processors %6.2f s  %s\n", slowest[i].wall_s, slowest[i].cpu_s, slowest[i].name);
    return 0;
}
