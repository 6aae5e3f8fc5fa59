/* cmd_stack.c - warpline stack: where the cycles of one launch go. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "options.h"
#include "output.h"
#include "progress.h"

static wl_status predict(const options *o, job *j, wl_prediction *prediction, char **text, wl_error *err)
{
    progress_wait();
    const wl_status status = wl_predict(j->predictor, &j->launches[0], &j->options, prediction, err);
    progress_wait_end();
    if (status != WL_OK) {
        job_show_option(o, o->block[0], err);
        return status;
    }
    return wl_stack_render(prediction, j->kernel, j->device, option_every_model(o), option_format(o), text, err);
}

static int run(const options *o, job *j)
{
    wl_error err = {0};
    wl_prediction *prediction = NULL;
    char *text = NULL;
    options named = *o;
    named.model = option_every_model(o) ? NULL : o->model;
    int code = job_read_launches(&named, j);
    if (code != EXIT_OK)
        return code;
    if (job_load(o, o->update ? NULL : o->arguments[0], o->device, j, &err) != WL_OK)
        return diag_report(&err);
    j->options.emulate = j->options.stacks = true;
    wl_status status = wl_prediction_new(&prediction, &err);
    if (status == WL_OK)
        status = predict(o, j, prediction, &text, &err);
    code = status == WL_OK ? output_write(o->output, text, option_format(o)) : diag_report(&err);
    free(text);
    wl_prediction_free(prediction);
    return code;
}

int cmd_stack(const options *o)
{
    if (!job_launch_usage(o))
        return EXIT_USAGE;
    job j = {0};
    const int code = run(o, &j);
    job_free(&j);
    return code;
}
