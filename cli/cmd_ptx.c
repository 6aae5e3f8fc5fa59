/* cmd_ptx.c - warpline ptx: the entries of a PTX or CUDA file, and how much of it is supported.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "output.h"
#include "ptx_unit.h"

static bool check_usage(const options *o)
{
    if (o->argument_count != 1)
        usage_error("which file? Give one, as in warpline ptx kernel.ptx");
    else if (!ptx_is_source(o->arguments[0]))
        usage_error("'%s' is neither a .ptx nor a .cu file", o->arguments[0]);
    else if (o->coverage && (o->entries || o->entry))
        usage_error("--coverage is of the whole file: give either it or --entries");
    else
        return ptx_usage(o, o->arguments[0]);
    return false;
}

/* ---- entries ---- */

static int print_entries(const options *o, const ptx_unit *u)
{
    const wl_ptx *ptx = ptx_unit_module(u);
    wl_ptx_needs *needs = calloc(wl_ptx_entry_count(ptx) + 1, sizeof *needs);
    wl_ptx_report report = {.ptx = ptx, .file = o->arguments[0], .part = o->entry, .needs = needs};
    wl_error err = {0};
    char *text = NULL;
    for (size_t i = 0; needs && i < wl_ptx_entry_count(ptx); i++) {
        const ptxas_entry *e = ptx_unit_resources(u, wl_ptx_entry_symbol(ptx, i));
        if (e)
            needs[i] = (wl_ptx_needs){true,           e->registers,         e->shared_bytes,
                                      e->stack_bytes, e->spill_store_bytes, e->spill_load_bytes};
    }
    if (!needs)
        (void)diag_no_memory(&err);
    const bool ok = needs && wl_ptx_render(&report, option_format(o), &text, &err) == WL_OK;
    if (ok)
        output_print(text, option_format(o), stdout);
    free(text);
    free(needs);
    return ok ? EXIT_OK : diag_report(&err);
}

/* ---- coverage ---- */

static int print_coverage(const options *o, const ptx_unit *u)
{
    wl_error err = {0};
    char *text = NULL;
    if (wl_ptx_coverage(ptx_unit_module(u), option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    output_print(text, option_format(o), stdout);
    free(text);
    return EXIT_OK;
}

int cmd_ptx(const options *o)
{
    wl_error err = {0};
    ptx_request request = {0};
    wl_device *device = NULL;
    ptx_unit *unit = NULL;
    if (!check_usage(o))
        return EXIT_USAGE;
    int code = ptx_request_read(o, &request);
    if (code != EXIT_OK)
        return code;
    options as_given = *o;
    as_given.no_ptxas = o->no_ptxas || o->coverage; /* registers are not needed here */
    wl_status status = o->device ? load_device(o->device, o->with, o->with_count, &device, &err) : WL_OK;
    if (status == WL_OK)
        status = ptx_unit_open(&as_given, o->arguments[0], device, &unit, &err);
    code = status != WL_OK ? diag_report(&err) : o->coverage ? print_coverage(o, unit) : print_entries(o, unit);
    ptx_unit_free(unit);
    wl_device_free(device);
    load_forget();
    return code;
}
