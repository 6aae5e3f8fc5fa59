/* ptx_fixture.h - runs a PTX text in the emulator and reads back what a block wrote.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_PTX_FIXTURE_H
#define WL_TESTS_UNIT_PTX_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

#include "ptx/emulate/emulate_internal.h"
#include "ptx/read/read_module.h"

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

typedef struct ptx_run {
    wl_ptx_module *module;
    const wl_ptx_function *entry;
    wl_arena arena;
    wl_ptx_arguments arguments;
    wl_ptx_launch launch;
    wl_ptx_emulator *emulator;
    wl_ptx_profile profile;
    wl_error err;
} ptx_run;

/* What a file named in an argument has. */
typedef struct ptx_file {
    const void *bytes;
    size_t length;
} ptx_file;
static ptx_file ptx_contents;

static inline wl_status ptx_load_file(void *user, const char *path, const uint8_t **bytes, size_t *length,
                                      wl_error *err)
{
    const ptx_file *file = user;
    if (strcmp(path, "missing") == 0) {
        *err = (wl_error){.code = WL_E_IO, .message = "no such file"};
        return WL_E_IO;
    }
    *bytes = file->bytes;
    *length = file->length;
    return WL_OK;
}

/* Reads the text and the arguments and makes an emulator. */
static inline wl_status ptx_start(ptx_run *r, const char *text, const char *const *args, size_t count,
                                  const int64_t block[3], const int64_t grid[3])
{
    const wl_ptx_given given = {.args = args, .arg_count = count, .load = ptx_load_file, .user = &ptx_contents};
    *r = (ptx_run){0};
    wl_status status = wl_ptx_module_parse("test.ptx", text, strlen(text), &r->module, &r->err);
    if (status == WL_OK)
        status = wl_ptx_find_entry(r->module, NULL, &r->entry, &r->err);
    if (status == WL_OK)
        status = wl_ptx_arguments_make(r->module, r->entry, &given, &r->arena, &r->arguments, &r->err);
    if (status == WL_OK)
        status = wl_ptx_profile_make(r->module, &r->arena, &r->profile, &r->err);
    if (status != WL_OK)
        return status;
    r->launch = (wl_ptx_launch){
        .module = r->module, .entry = r->entry, .arguments = &r->arguments, .budget = 1000000, .everything = true};
    memcpy(r->launch.block, block, sizeof r->launch.block);
    memcpy(r->launch.grid, grid, sizeof r->launch.grid);
    return wl_ptx_emulator_new(&r->launch, &r->emulator, &r->err);
}

static inline void ptx_end(ptx_run *r)
{
    wl_ptx_emulator_free(r->emulator);
    wl_arena_free(&r->arena);
    wl_ptx_module_free(r->module);
}

/* What the last block wrote to a buffer; *known: all of it, and from known values. */
static inline uint64_t ptx_written(ptx_run *r, int buffer, int64_t at, int bytes, bool *known)
{
    const uint64_t address = r->arguments.buffers[buffer].base + (uint64_t)at;
    const wl_ptx_page *page = wl_ptx_pages_find(&r->emulator->machine.pages, address);
    uint64_t value = 0;
    *known = page != NULL;
    for (int k = 0; page && k < bytes; k++) {
        *known = *known && page->state[address % WL_PTX_PAGE_BYTES + (size_t)k] == 1;
        memcpy((uint8_t *)&value + k, page->data + address % WL_PTX_PAGE_BYTES + k, 1);
    }
    return value;
}

/* Executions of the instruction on a line of the text. */
static inline int32_t ptx_on_line(const ptx_run *r, int32_t line)
{
    for (int32_t f = 0; f < r->module->function_count; f++)
        for (int32_t i = 0; i < r->module->functions[f].instruction_count; i++)
            if (r->module->functions[f].instructions[i].line == line)
                return r->profile.first[f] + i;
    return -1;
}

static inline bool ptx_assumed(const ptx_run *r, wl_ptx_assumed what)
{
    for (size_t k = 0; k < wl_ptx_assumption_count(r->emulator); k++)
        if (wl_ptx_assumption_at(r->emulator, k).what == what)
            return true;
    return false;
}

#endif /* WL_TESTS_UNIT_PTX_FIXTURE_H */
