/* cmd_schedule.c - warpline schedule: orders of threads and blocks side by side.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "output.h"
#include "progress.h"

#define BLOCK_DEFAULT "256"
#define WIDTHS_MAX 32
#define WIDTH_MOST ((int64_t)1 << 40)

typedef struct chosen {
    job job;
    int64_t widths[WIDTHS_MAX];
    wl_choice_options options;
    wl_choice *result;
} chosen;

/* "16,32,48" */
static bool read_widths(const char *text, chosen *c)
{
    const char *p = text;
    for (;; p++) {
        char *end = NULL;
        const long long width = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : 0;
        if (!end || width < 1 || width > WIDTH_MOST || (*end != '\0' && *end != ',')) {
            option_error("--widths", text, (int)(p - text) + 1, "whole numbers from 1 on are needed, as in 16,32,48");
            return false;
        }
        if (c->options.width_count == WIDTHS_MAX) {
            option_error("--widths", text, (int)(p - text) + 1, "at most %d widths", WIDTHS_MAX);
            return false;
        }
        c->widths[c->options.width_count++] = width;
        p = end;
        if (*p == '\0')
            return true;
    }
}

/* The names of wl_schedule_kind, in its order. */
static const char *const orders[WL_SCHEDULE_KIND_COUNT] = {"linear",  "column", "zigzag", "tile",
                                                           "hilbert", "morton", "swizzle"};

/* "column,tile" */
static bool read_orders(const char *text, chosen *c)
{
    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");
        size_t k = 0;
        while (k < WL_SCHEDULE_KIND_COUNT && (strlen(orders[k]) != length || strncmp(orders[k], p, length) != 0))
            k++;
        if (k == WL_SCHEDULE_KIND_COUNT) {
            option_error("--orders", text, (int)(p - text) + 1,
                         "an order is one of: linear column zigzag tile hilbert morton swizzle");
            return false;
        }
        c->options.orders |= 1u << k;
        p += length;
        if (*p == '\0')
            return true;
    }
}

static wl_status choose(const options *o, chosen *c, wl_error *err)
{
    wl_status status = job_load(o, o->update ? NULL : o->arguments[0], o->device, &c->job, err);
    if (status != WL_OK)
        return status;
    c->options.predict = c->job.options;
    c->options.predict.complete = option_complete(o);
    c->options.widths = c->widths;
    progress_wait();
    status = wl_choose_schedule(c->job.kernel, c->job.device, &c->job.launches[0], &c->options, &c->result, err);
    progress_wait_end();
    if (status != WL_OK)
        job_show_option(o, o->block[0], err);
    return status;
}

static int run(const options *o, chosen *c)
{
    wl_error err = {0};
    char *text = NULL;
    const int code = job_read_launches(o, &c->job);
    if (code != EXIT_OK)
        return code;
    if ((o->widths && !read_widths(o->widths, c)) || (o->orders && !read_orders(o->orders, c)))
        return EXIT_INPUT;
    if (choose(o, c, &err) != WL_OK ||
        wl_choice_render(c->result, c->job.kernel, c->job.device, option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    output_print(text, option_format(o), stdout);
    free(text);
    return EXIT_OK;
}

int cmd_schedule(const options *given)
{
    options own = *given;
    if (own.block_count == 0)
        own.block[own.block_count++] = BLOCK_DEFAULT;
    if (!job_launch_usage(&own))
        return EXIT_USAGE;
    chosen *c = calloc(1, sizeof *c);
    if (!c)
        return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
    const int code = run(&own, c);
    wl_choice_free(c->result);
    job_free(&c->job);
    free(c);
    return code;
}
