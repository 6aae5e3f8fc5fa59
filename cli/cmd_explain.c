/* cmd_explain.c - warpline explain, and warpline kernels. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "load.h"
#include "options.h"
#include "output.h"
#include "wrap.h"

static int print(wl_status status, char *text, const wl_error *err)
{
    if (status == WL_OK)
        output_print(text, WL_FORMAT_MARKED, stdout);
    free(text);
    return status == WL_OK ? EXIT_OK : diag_report(err);
}

/* Looks up all words first: if one is unknown, nothing is printed. */
static int explain(const options *o, size_t count, const wl_prediction *example)
{
    char *texts[MANY_MAX] = {NULL};
    wl_error err = {0};
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = wl_explain(o->arguments[i], example, WL_FORMAT_MARKED, &texts[i], &err);
    for (size_t i = 0; i < count; i++) {
        if (status == WL_OK)
            output_print(texts[i], WL_FORMAT_MARKED, stdout);
        free(texts[i]);
    }
    const size_t length = strlen(err.message);
    if (status == WL_E_INPUT)
        (void)snprintf(err.message + length, sizeof err.message - length, " ('warpline explain' lists all words)");
    return status == WL_OK ? EXIT_OK : diag_report(&err);
}

/* The last argument is a kernel; its prediction has the numbers. */
static int explain_by_example(const options *o, job *j)
{
    wl_error err = {0};
    wl_prediction *p = NULL;
    const size_t words = o->argument_count - 1;
    const int code = job_read_launches(o, j);
    if (code != EXIT_OK)
        return code;
    wl_status status = job_load(o, o->arguments[words], o->device, j, &err);
    if (status == WL_OK)
        status = wl_prediction_new(&p, &err);
    if (status == WL_OK)
        status = wl_predict(j->predictor, &j->launches[0], &j->options, p, &err);
    if (status != WL_OK)
        job_show_option(o, o->block[0], &err);
    const int explained = status == WL_OK ? explain(o, words, p) : diag_report(&err);
    wl_prediction_free(p);
    return explained;
}

int cmd_explain(const options *o)
{
    wl_error err = {0};
    char *text = NULL;
    if (o->argument_count == 0) {
        const wl_status status = wl_metrics_text(&text, &err);
        return print(status, text, &err);
    }
    if (!o->device && o->block_count == 0)
        return explain(o, o->argument_count, NULL);
    if (!o->device || o->block_count != 1 || o->argument_count < 2) {
        usage_error("for numbers of a kernel: warpline explain WORD.. KERNEL --device D --block XxYxZ");
        return EXIT_USAGE;
    }
    job j = {0};
    const int code = explain_by_example(o, &j);
    job_free(&j);
    return code;
}

#define KERNEL_INDENT 17

/* The comment at the top of a kernel file: its first line, and what follows up to the end of a
 * sentence. */
static void first_sentences(const char *text, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    while (text[0] == '#') {
        const char *line = text + 1 + (text[1] == ' ');
        const size_t length = strcspn(line, "\n");
        const int n = snprintf(out + used, size - used, "%s%.*s", used ? " " : "", (int)length, line);
        used += n > 0 ? (size_t)n : 0;
        text = line + length + (line[length] == '\n');
        if (used + 1 >= size || (length > 0 && line[length - 1] == '.'))
            return;
    }
}

int cmd_kernels(const options *o)
{
    if (o->argument_count == 0 || (o->argument_count == 1 && strcmp(o->arguments[0], "list") == 0)) {
        for (size_t i = 0; i < wl_kernel_builtin_count(); i++) {
            size_t length = 0;
            const char *text = wl_kernel_builtin_text(wl_kernel_builtin_name(i), &length);
            char summary[512];
            first_sentences(text, summary, sizeof summary);
            wrap_print(summary, printf("%-16s ", wl_kernel_builtin_name(i)), KERNEL_INDENT, wrap_terminal_columns());
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
