/* cmd_explain.c - warpline explain, and warpline kernels. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "options.h"

static const char *scope_text(wl_scope_of scope)
{
    return scope == WL_SCOPE_LAUNCH ? "total of one launch"
           : scope == WL_SCOPE_SM   ? "one multiprocessor at a time"
                                    : "one wave: the blocks resident at once";
}

/* Breaks at blanks, `width` columns. */
static void print_wrapped(const char *text, int width)
{
    int column = 0;
    for (const char *word = text; *word;) {
        const int length = (int)strcspn(word, " ");
        if (column > 0 && column + 1 + length > width) {
            putchar('\n');
            column = 0;
        }
        printf("%s%.*s", column ? " " : "  ", length, word);
        column += length + (column > 0);
        word += length + (word[length] == ' ');
    }
    putchar('\n');
}

int cmd_explain(const options *o)
{
    wl_metric metric;
    if (o->argument_count == 0) {
        for (int i = 0; i < WL_METRIC_COUNT; i++)
            printf("%-18s %-12s %s\n", wl_metric_name((wl_metric)i), wl_metric_unit((wl_metric)i),
                   scope_text(wl_metric_scope((wl_metric)i)));
        return EXIT_OK;
    }
    for (size_t i = 0; i < o->argument_count; i++) {
        if (!wl_metric_find(o->arguments[i], &metric)) {
            usage_error("error: no metric is called '%s'; 'warpline explain' lists them", o->arguments[i]);
            return EXIT_INPUT;
        }
    }
    for (size_t i = 0; i < o->argument_count; i++) {
        (void)wl_metric_find(o->arguments[i], &metric);
        printf("%s [%s], %s\n", wl_metric_name(metric), wl_metric_unit(metric), scope_text(wl_metric_scope(metric)));
        print_wrapped(wl_metric_meaning(metric), 100);
        printf("  counter: %s\n", wl_metric_counter(metric)[0] ? wl_metric_counter(metric) : "none");
    }
    return EXIT_OK;
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
            usage_error("error: no built-in kernel is called '%s'; 'warpline kernels' lists them", o->arguments[1]);
            return EXIT_INPUT;
        }
        fwrite(text, 1, length, stdout);
        return EXIT_OK;
    }
    usage_error("kernels [list | show NAME]");
    return EXIT_USAGE;
}
