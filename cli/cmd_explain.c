/* cmd_explain.c - warpline explain, and warpline kernels. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

static int print(wl_status status, char *text, const wl_error *err)
{
    if (status == WL_OK)
        fputs(text, stdout);
    free(text);
    return status == WL_OK ? EXIT_OK : diag_report(err);
}

static void unknown_metric(const char *word)
{
    const char *names[WL_METRIC_COUNT];
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        names[m] = wl_metric_name((wl_metric)m);
    usage_error("error: no metric is called '%s'%s ('warpline explain' lists them)", word,
                did_you_mean(word, names, WL_METRIC_COUNT));
}

int cmd_explain(const options *o)
{
    wl_metric metric;
    wl_error err = {0};
    char *text = NULL;
    int code = EXIT_OK;
    if (o->argument_count == 0) {
        const wl_status status = wl_metrics_text(&text, &err);
        return print(status, text, &err);
    }
    for (size_t i = 0; i < o->argument_count; i++) {
        if (!wl_metric_find(o->arguments[i], &metric)) {
            unknown_metric(o->arguments[i]);
            return EXIT_INPUT;
        }
    }
    for (size_t i = 0; i < o->argument_count && code == EXIT_OK; i++) {
        (void)wl_metric_find(o->arguments[i], &metric);
        text = NULL;
        const wl_status status = wl_metric_text(metric, &text, &err);
        code = print(status, text, &err);
    }
    return code;
}

int cmd_kernels(const options *o)
{
    if (o->argument_count == 0 || (o->argument_count == 1 && strcmp(o->arguments[0], "list") == 0)) {
        for (size_t i = 0; i < wl_kernel_builtin_count(); i++) {
            size_t length = 0;
            const char *text = wl_kernel_builtin_text(wl_kernel_builtin_name(i), &length);
            const char *comment = text[0] == '#' ? text + 1 + (text[1] == ' ') : ""; /* the file's first line */
            printf("%-16s %.*s\n", wl_kernel_builtin_name(i), (int)strcspn(comment, "\n"), comment);
        }
        return EXIT_OK;
    }
    if (o->argument_count == 2 && strcmp(o->arguments[0], "show") == 0) {
        size_t length = 0;
        const char *text = wl_kernel_builtin_text(o->arguments[1], &length);
        if (!text) {
            usage_error("error: no built-in kernel is called '%s'%s ('warpline kernels' lists them)", o->arguments[1],
                        similar_kernel(o->arguments[1]));
            return EXIT_INPUT;
        }
        fwrite(text, 1, length, stdout);
        return EXIT_OK;
    }
    usage_error("usage: warpline kernels [list | show NAME]");
    return EXIT_USAGE;
}
