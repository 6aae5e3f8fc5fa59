/* cmd_ptx.c - warpline ptx: what a PTX or CUDA file holds, and how much of it is understood.
 * SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
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

static bool is_wanted(const options *o, const char *entry) { return !o->entry || strstr(entry, o->entry); }

static void print_entry(const ptx_unit *u, size_t entry)
{
    const wl_ptx *ptx = ptx_unit_module(u);
    const char *name = wl_ptx_entry_name(ptx, entry);
    const ptxas_entry *needs = ptx_unit_resources(u, name);
    printf("%s(", name);
    for (size_t i = 0; i < wl_ptx_param_count(ptx, entry); i++)
        printf("%s%s", i ? ", " : "", wl_ptx_param_type(ptx, entry, i));
    printf(")\n  %zu instructions; ", wl_ptx_instruction_count(ptx, entry));
    if (!needs) {
        printf("registers and shared memory are not known without ptxas\n");
        return;
    }
    printf("%lld registers, %lld B of static shared memory", (long long)needs->registers,
           (long long)needs->shared_bytes);
    if (needs->stack_bytes)
        printf(", %lld B of stack", (long long)needs->stack_bytes);
    if (needs->spill_store_bytes || needs->spill_load_bytes)
        printf(", spills %lld B of stores and %lld B of loads", (long long)needs->spill_store_bytes,
               (long long)needs->spill_load_bytes);
    printf("\n");
}

static json_t *entry_json(const ptx_unit *u, size_t entry)
{
    const wl_ptx *ptx = ptx_unit_module(u);
    const char *name = wl_ptx_entry_name(ptx, entry);
    const ptxas_entry *needs = ptx_unit_resources(u, name);
    json_t *params = json_array(), *object = json_object();
    for (size_t i = 0; i < wl_ptx_param_count(ptx, entry); i++)
        json_array_append_new(params, json_string(wl_ptx_param_type(ptx, entry, i)));
    json_object_set_new(object, "name", json_string(name));
    json_object_set_new(object, "params", params);
    json_object_set_new(object, "instructions", json_integer((json_int_t)wl_ptx_instruction_count(ptx, entry)));
    if (needs) {
        json_object_set_new(object, "registers", json_integer(needs->registers));
        json_object_set_new(object, "shared_bytes", json_integer(needs->shared_bytes));
        json_object_set_new(object, "stack_bytes", json_integer(needs->stack_bytes));
        json_object_set_new(object, "spill_store_bytes", json_integer(needs->spill_store_bytes));
        json_object_set_new(object, "spill_load_bytes", json_integer(needs->spill_load_bytes));
    }
    return object;
}

static void print_json(const options *o, const ptx_unit *u)
{
    json_t *list = json_array();
    const wl_ptx *ptx = ptx_unit_module(u);
    for (size_t i = 0; i < wl_ptx_entry_count(ptx); i++)
        if (is_wanted(o, wl_ptx_entry_name(ptx, i)))
            json_array_append_new(list, entry_json(u, i));
    json_t *root = json_pack("{s:s, s:s, s:o}", "schema", "warpline.ptx/1", "file", o->arguments[0], "entries", list);
    char *text = json_dumps(root, JSON_INDENT(1));
    puts(text ? text : "{}");
    free(text);
    json_decref(root);
}

static int print_entries(const options *o, const ptx_unit *u)
{
    const wl_ptx *ptx = ptx_unit_module(u);
    size_t wanted = 0;
    for (size_t i = 0; i < wl_ptx_entry_count(ptx); i++)
        wanted += is_wanted(o, wl_ptx_entry_name(ptx, i));
    if (wanted == 0) {
        usage_error("error: %s: there is no %sentry%s%s", o->arguments[0], o->entry ? "such " : "",
                    o->entry ? ": " : "", o->entry ? o->entry : "");
        return EXIT_INPUT;
    }
    if (option_format_is(o, "json")) {
        print_json(o, u);
        return EXIT_OK;
    }
    for (size_t i = 0; i < wl_ptx_entry_count(ptx); i++)
        if (is_wanted(o, wl_ptx_entry_name(ptx, i)))
            print_entry(u, i);
    return EXIT_OK;
}

/* ---- coverage ---- */

static int print_coverage(const options *o, const ptx_unit *u)
{
    wl_error err = {0};
    char *text = NULL;
    if (wl_ptx_coverage(ptx_unit_module(u), option_format_is(o, "json"), &text, &err) != WL_OK)
        return diag_report(&err);
    const size_t length = strlen(text);
    printf("%s%s", text, length > 0 && text[length - 1] == '\n' ? "" : "\n");
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
    as_given.no_ptxas = o->no_ptxas || o->coverage; /* nobody asks for registers */
    wl_status status = o->device ? load_device(o->device, o->with, o->with_count, &device, &err) : WL_OK;
    if (status == WL_OK)
        status = ptx_unit_open(&as_given, o->arguments[0], device, &unit, &err);
    code = status != WL_OK ? diag_report(&err) : o->coverage ? print_coverage(o, unit) : print_entries(o, unit);
    ptx_unit_free(unit);
    wl_device_free(device);
    load_forget();
    return code;
}
