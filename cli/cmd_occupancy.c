/* cmd_occupancy.c - warpline occupancy. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "launch_text.h"
#include "load.h"
#include "options.h"
#include "output.h"

#define THREADS_MOST (1 << 20)
#define REGISTERS_MOST 4096

typedef struct request {
    int64_t threads, registers, shared;
} request;

/* --block 32x8:regs=40 gives all settings at once. */
static int read_block(const options *o, request *r)
{
    launch_text text = {.launch = {.registers = r->registers, .shared_bytes = r->shared}};
    const int code = launch_text_read("--block", o->block[0], &text);
    if (code != EXIT_OK)
        return code;
    const int64_t *b = text.launch.block;
    r->threads = b[0] <= THREADS_MOST && b[1] <= THREADS_MOST && b[2] <= THREADS_MOST ? b[0] * b[1] : 0;
    r->threads = r->threads > 0 && r->threads <= THREADS_MOST ? r->threads * b[2] : 0;
    r->registers = text.launch.registers;
    r->shared = text.launch.shared_bytes;
    if (r->threads > 0 && r->threads <= THREADS_MOST)
        return EXIT_OK;
    option_error("--block", o->block[0], 1, "no block has that many threads");
    return EXIT_INPUT;
}

static int read_request(const options *o, request *r)
{
    if ((o->threads && !option_integer("--threads", o->threads, 1, THREADS_MOST, &r->threads)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, REGISTERS_MOST, &r->registers)) ||
        (o->shared && !option_bytes("--shared", o->shared, 0, (int64_t)1 << 30, &r->shared)))
        return EXIT_INPUT;
    return o->block_count ? read_block(o, r) : EXIT_OK;
}

int cmd_occupancy(const options *o)
{
    wl_error err = {0};
    wl_device *device = NULL;
    char *text = NULL;
    request r = {0};
    if (!o->device || o->argument_count || o->block_count > 1 || !o->threads == !o->block_count) {
        usage_error(
            "occupancy needs --device, --registers, and --threads or one --block, as in --device h200 --threads 256 "
            "--registers 64");
        return EXIT_USAGE;
    }
    int code = read_request(o, &r);
    if (code != EXIT_OK)
        return code;
    if (!r.registers) {
        usage_error("occupancy needs --registers, or registers with the block, as in --block 32x8:regs=40");
        return EXIT_USAGE;
    }
    if (load_device(o->device, o->with, o->with_count, &device, &err) != WL_OK)
        return diag_report(&err);
    if (wl_occupancy_render(device, r.threads, r.registers, r.shared, option_format(o), &text, &err) == WL_OK)
        output_print(text, option_format(o), stdout);
    else
        code = diag_report(&err);
    free(text);
    wl_device_free(device);
    load_forget();
    return code;
}
