/* cmd_ptx.c - warpline ptx: the device code of an executable or library; the entries of a PTX or
 * CUDA file, and how much of it is supported. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"
#include "output.h"
#include "ptx_unit.h"

static bool check_usage(const options *o)
{
    const char *path = o->argument_count == 1 ? o->arguments[0] : NULL;
    size_t length;
    if (!path)
        usage_error("which file? Give one, as in warpline ptx kernel.ptx");
    else if (access(path, F_OK) != 0 && !wl_kernel_builtin_text(path, &length))
        return true; /* reading it says so */
    else if (!ptx_is_source(path))
        usage_error("'%s' is neither a .ptx nor a .cu file, nor an executable, object, library, fatbin or cubin", path);
    else if (o->coverage && (o->entries || o->entry))
        usage_error("--coverage is of the whole file: give either it or --entries");
    else if (o->extract && (o->entries || o->coverage))
        usage_error("--extract prints the PTX itself: give either it or %s", o->entries ? "--entries" : "--coverage");
    else if (o->extract && o->format)
        usage_error("--extract prints PTX: it has no --format");
    else
        return ptx_usage(o, path);
    return false;
}

/* ---- device code of executables ---- */

/* Without a question about a module, its contents are listed. */
static bool lists_modules(const options *o)
{
    return !o->entries && !o->entry && !o->coverage && !o->extract && !o->module && binary_is(o->arguments[0]);
}

static int print_modules(const options *o)
{
    wl_error err = {0};
    binary_file file;
    char *text = NULL;
    wl_status status = binary_open(o->arguments[0], &file, &err);
    if (status == WL_OK)
        status = wl_binary_render(file.binary, o->arguments[0], option_format(o), &text, &err);
    const int code = status == WL_OK ? output_write(o->output, text, option_format(o)) : diag_report(&err);
    free(text);
    binary_close(&file);
    return code;
}

/* ---- entries ---- */

static wl_status find_needs(ptx_unit *u, wl_ptx_needs *needs, wl_error *err)
{
    const ptx_modules *modules = ptx_unit_modules(u);
    for (size_t m = 0; m < modules->count; m++)
        for (size_t i = 0; i < wl_ptx_entry_count(modules->ptx[m]); i++, needs++) {
            const ptxas_entry *e = NULL;
            const wl_status status = ptx_unit_resources(u, m, wl_ptx_entry_symbol(modules->ptx[m], i), &e, err);
            if (status != WL_OK)
                return status;
            if (e)
                *needs = (wl_ptx_needs){true,           e->registers,         e->shared_bytes,
                                        e->stack_bytes, e->spill_store_bytes, e->spill_load_bytes};
        }
    return WL_OK;
}

static int print_entries(const options *o, ptx_unit *u)
{
    const ptx_modules *modules = ptx_unit_modules(u);
    size_t count = 0;
    for (size_t m = 0; m < modules->count; m++)
        count += wl_ptx_entry_count(modules->ptx[m]);
    wl_ptx_needs *needs = calloc(count + 1, sizeof *needs);
    const wl_ptx_report report = {modules->ptx, modules->count, o->arguments[0], o->entry, needs};
    wl_error err = {0};
    char *text = NULL;
    wl_status status = needs ? find_needs(u, needs, &err) : diag_no_memory(&err);
    if (status == WL_OK)
        status = wl_ptx_render(&report, option_format(o), &text, &err);
    const int code = status == WL_OK ? output_write(o->output, text, option_format(o)) : diag_report(&err);
    free(text);
    free(needs);
    return code;
}

/* ---- one module ---- */

/* The only one, or that of --kernel. */
static wl_status choose_module(const options *o, const ptx_unit *u, size_t *module, wl_error *err)
{
    const ptx_modules *modules = ptx_unit_modules(u);
    size_t entry = 0, used = 0;
    char numbers[80] = "";
    *module = 0;
    if (o->entry)
        return ptx_unit_find(u, o->entry, false, module, &entry, err);
    if (modules->count == 1)
        return WL_OK;
    for (size_t m = 0; m < modules->count && used + 24 < sizeof numbers; m++)
        used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%zu", m ? ", " : "", modules->at[m].number);
    *err = (wl_error){.code = WL_E_INPUT};
    (void)snprintf(err->input, sizeof err->input, "%s", o->arguments[0]);
    (void)snprintf(err->message, sizeof err->message,
                   "there are kernels in several modules; give one: --module %s%s, or --kernel NAME", numbers,
                   used + 24 < sizeof numbers ? "" : ", ..");
    return WL_E_INPUT;
}

static int print_module(const options *o, const ptx_unit *u)
{
    wl_error err = {0};
    char *text = NULL;
    size_t module = 0;
    const ptx_modules *modules = ptx_unit_modules(u);
    wl_status status = choose_module(o, u, &module, &err);
    if (status == WL_OK && o->extract)
        return output_write(o->output, modules->at[module].text, WL_FORMAT_TEXT);
    if (status == WL_OK)
        status = wl_ptx_coverage(modules->ptx[module], option_format(o), &text, &err);
    const int code = status == WL_OK ? output_write(o->output, text, option_format(o)) : diag_report(&err);
    free(text);
    return code;
}

int cmd_ptx(const options *o)
{
    wl_error err = {0};
    ptx_request request = {0};
    wl_device *device = NULL;
    ptx_unit *unit = NULL;
    if (!check_usage(o))
        return EXIT_USAGE;
    if (lists_modules(o))
        return print_modules(o);
    int code = ptx_request_read(o, &request);
    if (code != EXIT_OK)
        return code;
    wl_status status = o->device ? load_device(o->device, o->with, o->with_count, &device, &err) : WL_OK;
    if (status == WL_OK)
        status = ptx_unit_open(o, o->arguments[0], device, &unit, &err);
    if (status != WL_OK)
        code = diag_report(&err);
    else
        code = o->coverage || o->extract ? print_module(o, unit) : print_entries(o, unit);
    ptx_unit_free(unit);
    wl_device_free(device);
    load_forget();
    return code;
}
