/* accuracy_report.c - the accuracy report: `make validate`, and the regression test `accuracy`.
 *
 *   warpline_report write [options] COMPARISON.json...    report to standard output, baseline and
 *                                                         plot data to files
 *   warpline_report check --baseline FILE [--without FAMILY]... COMPARISON.json...
 *
 * Exit codes: 0 ok, 1 something became worse, 2 usage, 3 bad input. SPDX-License-Identifier: MIT */
#include <string.h>

#include "accuracy.h"

#define ARGUMENTS_MAX 64

typedef struct arguments {
    report_options report;
    const char *baseline;
    const char *without[ARGUMENTS_MAX], *limiter[ARGUMENTS_MAX], *files[ARGUMENTS_MAX];
    size_t without_count, limiter_count, file_count;
} arguments;

static bool read_arguments(int argc, char **argv, arguments *out)
{
    const struct {
        const char *name, **one, **many;
        size_t *count;
    } options[] = {{"--date", &out->report.date, NULL, NULL},
                   {"--fit", &out->report.fit, NULL, NULL},
                   {"--explanations", &out->report.explanations, NULL, NULL},
                   {"--map", &out->report.map, NULL, NULL},
                   {"--plots", &out->report.plots, NULL, NULL},
                   {"--baseline", &out->baseline, NULL, NULL},
                   {"--without", NULL, out->without, &out->without_count},
                   {"--limiter", NULL, out->limiter, &out->limiter_count}};
    for (int i = 2; i < argc; i++) {
        size_t o = 0;
        while (o < sizeof options / sizeof options[0] && strcmp(options[o].name, argv[i]) != 0)
            o++;
        if (strcmp(argv[i], "--drawn") == 0)
            out->report.drawn = true;
        else if (o == sizeof options / sizeof options[0] && argv[i][0] != '-' && out->file_count < ARGUMENTS_MAX)
            out->files[out->file_count++] = argv[i];
        else if (o == sizeof options / sizeof options[0] || i + 1 == argc ||
                 (options[o].many && *options[o].count == ARGUMENTS_MAX))
            return false;
        else if (options[o].many)
            options[o].many[(*options[o].count)++] = argv[++i];
        else
            *options[o].one = argv[++i];
    }
    return out->file_count > 0;
}

static int write(const rows *all, const arguments *a)
{
    if ((a->baseline && !baseline_write(all, a->baseline)) || (a->report.plots && !plotdata_write(all, &a->report)))
        return 3;
    return report_write(all, &a->report, stdout) && fflush(stdout) == 0 ? 0 : 3;
}

static int check(const rows *all, const arguments *a)
{
    const int worse = baseline_check(all, a->baseline, a->without, a->without_count);
    return worse < 0 ? 3 : worse > 0;
}

int main(int argc, char **argv)
{
    arguments a = {0};
    const bool writes = argc > 1 && strcmp(argv[1], "write") == 0, checks = argc > 1 && strcmp(argv[1], "check") == 0;
    if ((!writes && !checks) || !read_arguments(argc, argv, &a) || (checks && !a.baseline)) {
        fputs("usage: warpline_report write [--date D] [--fit F] [--limiter F].. [--explanations F] [--map F --plots "
              "FOLDER "
              "[--drawn]] [--baseline F] COMPARISON..\n       warpline_report check --baseline F [--without FAMILY].. "
              "COMPARISON..\n",
              stderr);
        return 2;
    }
    static rows all;
    bool ok = true;
    for (size_t i = 0; i < a.file_count; i++)
        ok = ok && rows_read(&all, a.files[i]);
    for (size_t i = 0; i < a.limiter_count; i++)
        ok = ok && rows_read_limiter(&all, a.limiter[i]);
    const int code = !ok ? 3 : writes ? write(&all, &a) : check(&all, &a);
    rows_free(&all);
    return code;
}
