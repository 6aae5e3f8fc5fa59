/* cmd_occupancy.c - warpline occupancy. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

typedef struct question {
    const wl_device *device;
    int64_t threads, registers, shared;
} question;

static void print_json(const question *q, const wl_occupancy *o, const wl_occupancy_step *next)
{
    json_t *limits = json_object(), *step = json_object();
    for (int i = 0; i < WL_LIMIT_COUNT; i++)
        if (o->limits[i] != INT64_MAX)
            json_object_set_new(limits, wl_occupancy_limit_name((wl_occupancy_limit)i), json_integer(o->limits[i]));
    if (next->registers >= 0)
        json_object_set_new(step, "registers", json_integer(next->registers));
    if (next->shared_bytes >= 0)
        json_object_set_new(step, "shared_bytes", json_integer(next->shared_bytes));
    if (next->threads >= 0)
        json_object_set_new(step, "threads", json_integer(next->threads));
    json_t *root = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:I, s:o}", "schema", "warpline.occupancy/1", "device",
        wl_device_name(q->device), "threads", (json_int_t)q->threads, "registers", (json_int_t)q->registers,
        "shared_bytes", (json_int_t)q->shared, "blocks_per_sm", (json_int_t)o->blocks_per_sm, "warps_per_sm",
        (json_int_t)o->warps_per_sm, "threads_per_sm", (json_int_t)o->threads_per_sm, "limiter",
        wl_occupancy_limit_name(o->limiter), "limits", limits, "l1_bytes", (json_int_t)o->l1_bytes, "next", step);
    char *text = json_dumps(root, JSON_INDENT(1));
    puts(text ? text : "{}");
    free(text);
    json_decref(root);
}

static void print_text(const question *q, const wl_occupancy *o, const wl_occupancy_step *next)
{
    double most = 0;
    (void)wl_device_get(q->device, WL_DEVICE_max_threads_per_sm, &most);
    printf("%s: blocks of %lld threads, %lld registers each, %lld B of shared memory\n", wl_device_name(q->device),
           (long long)q->threads, (long long)q->registers, (long long)q->shared);
    printf("  %lld blocks, %lld warps, %lld threads per SM (%.0f %% of its threads); limited by %s\n",
           (long long)o->blocks_per_sm, (long long)o->warps_per_sm, (long long)o->threads_per_sm,
           100 * (double)o->threads_per_sm / most, wl_occupancy_limit_name(o->limiter));
    printf("  blocks each resource would allow:");
    for (int i = 0; i < WL_LIMIT_COUNT; i++) {
        if (o->limits[i] == INT64_MAX)
            printf(" %s any", wl_occupancy_limit_name((wl_occupancy_limit)i));
        else
            printf(" %s %lld", wl_occupancy_limit_name((wl_occupancy_limit)i), (long long)o->limits[i]);
        printf("%s", i + 1 < WL_LIMIT_COUNT ? "," : "\n");
    }
    printf("  a warp takes %lld registers, a block %lld B of shared memory; %lld KiB of L1 remain\n",
           (long long)o->registers_allocated, (long long)o->shared_allocated, (long long)o->l1_bytes / 1024);
    printf("  for %lld blocks per SM:", (long long)o->blocks_per_sm + 1);
    if (next->registers >= 0)
        printf(" at most %lld registers;", (long long)next->registers);
    if (next->shared_bytes >= 0)
        printf(" at most %lld B of shared memory;", (long long)next->shared_bytes);
    if (next->threads >= 0)
        printf(" at most %lld threads per block;", (long long)next->threads);
    if (next->registers < 0 && next->shared_bytes < 0 && next->threads < 0)
        printf(" no change of one resource alone is enough;");
    printf("\n");
}

int cmd_occupancy(const options *o)
{
    question q = {0};
    wl_error err = {0};
    wl_occupancy occupancy;
    wl_occupancy_step next;
    wl_device *device = NULL;
    if (!o->device || !o->threads || !o->registers || o->argument_count) {
        usage_error("occupancy needs --device, --threads and --registers");
        return EXIT_USAGE;
    }
    if (!option_integer("--threads", o->threads, 1, 1 << 20, &q.threads) ||
        !option_integer("--registers", o->registers, 1, 4096, &q.registers) ||
        (o->shared && !option_integer("--shared", o->shared, 0, (int64_t)1 << 30, &q.shared)))
        return EXIT_INPUT;
    if (load_device(o->device, o->with, o->with_count, &device, &err) != WL_OK)
        return diag_report(&err);
    q.device = device;
    int code = EXIT_OK;
    if (wl_occupancy_compute(device, q.threads, q.registers, q.shared, &occupancy, &err) != WL_OK ||
        wl_occupancy_next(device, q.threads, q.registers, q.shared, &next, &err) != WL_OK)
        code = diag_report(&err);
    else if (o->format && strcmp(o->format, "json") == 0)
        print_json(&q, &occupancy, &next);
    else
        print_text(&q, &occupancy, &next);
    wl_device_free(device);
    load_forget();
    return code;
}
