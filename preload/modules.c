/* modules.c - device code of a program: fatbins and PTX, kernels and variables. Code is read when a
 * kernel or variable of it is first used.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "binary/fatbin.h"
#include "device/device_internal.h"
#include "ptx/emulate/arguments.h"
#include "ptx/kernel/ptx_file.h"
#include "world.h"

gpu_module *gpu_module_add(gpu_world *w, const void *fatbin, const char *text, size_t length)
{
    gpu_module *m = calloc(1, sizeof *m);
    if (!m || !WL_ROOM(w->modules, w->module_count + 1, w->module_room)) {
        free(m);
        return NULL;
    }
    m->number = (int)w->module_count;
    m->fatbin = fatbin;
    if (text) {
        m->text = malloc(length + 1);
        if (!m->text) {
            free(m);
            return NULL;
        }
        memcpy(m->text, text, length);
        m->text[length] = '\0';
        m->length = length;
    }
    w->modules[w->module_count++] = m;
    return m;
}

#define ANY_ARCHITECTURE 90 /* of a device without CUDA: any PTX will do */

int gpu_architecture(const gpu_world *w)
{
    const int own = w->architecture > 0 ? w->architecture : wl_device_capability(w->device);
    return own > 0 ? own : ANY_ARCHITECTURE;
}

/* For which architectures a fatbin has machine code. */
static void name_sass(gpu_module *m, wl_bytes fatbin)
{
    wl_fatbin_entry entry = {0};
    bool found = true;
    size_t length = 0;
    while (wl_fatbin_next(fatbin, &entry, &found, NULL) == WL_OK && found && length + 16 < sizeof m->sass)
        if (entry.code.kind == WL_BINARY_SASS)
            length += (size_t)snprintf(m->sass + length, sizeof m->sass - length, "%ssm_%d", length ? " " : "",
                                       entry.code.arch);
}

/* Reads the PTX of a fatbin in memory, which says how long it is. */
static bool read_fatbin(const gpu_world *w, gpu_module *m)
{
    wl_error err = {0};
    wl_bytes fatbin;
    const wl_bytes all = {m->fatbin, (size_t)1 << 40};
    if (wl_fatbin_find(all, &fatbin, &err) == WL_OK &&
        wl_fatbin_ptx(fatbin, gpu_architecture(w), &m->text, &m->length, &err) == WL_OK)
        return true;
    (void)snprintf(m->why, sizeof m->why, "%s", err.message);
    if (wl_fatbin_find(all, &fatbin, NULL) == WL_OK)
        name_sass(m, fatbin);
    return false;
}

bool gpu_module_open(gpu_world *w, gpu_module *m)
{
    if (m->opened)
        return !m->failed;
    wl_error err = {0};
    char name[32];
    m->opened = true;
    (void)snprintf(name, sizeof name, "module %d", m->number);
    if (!m->text && !read_fatbin(w, m)) {
        m->failed = true;
    } else if (wl_ptx_parse(name, m->text, m->length, &m->ptx, &err) != WL_OK) {
        (void)snprintf(m->why, sizeof m->why, "%s:%d: %s", name, err.loc.line, err.message);
        m->failed = true;
    }
    if (m->failed)
        gpu_say("device code cannot be read: %s", m->why);
    return !m->failed;
}

/* ---- kernels ---- */

gpu_function *gpu_function_add(gpu_world *w, gpu_module *module, const void *host, const char *name)
{
    gpu_function *f = calloc(1, sizeof *f);
    if (!f || !WL_ROOM(w->functions, w->function_count + 1, w->function_room) || !(f->name = strdup(name))) {
        free(f);
        return NULL;
    }
    f->module = module;
    f->host = host;
    w->functions[w->function_count++] = f;
    return f;
}

static bool is_of(const gpu_function *f, const void *handle)
{
    return f->host == handle || f == handle || &f->made == handle;
}

gpu_function *gpu_function_of(gpu_world *w, const void *host)
{
    static gpu_function *found; /* the last one: programs launch the same kernel again */
    if (found && is_of(found, host))
        return found;
    for (size_t i = 0; host && i < w->function_count; i++)
        if (is_of(w->functions[i], host))
            return found = w->functions[i];
    return NULL;
}

/* ---- variables ---- */

bool gpu_variable_add(gpu_module *m, const void *host, const char *name, size_t bytes, void **managed)
{
    char *own = strdup(name);
    if (!own || !WL_ROOM(m->variables, m->variable_count + 1, m->variable_room)) {
        free(own);
        return false;
    }
    m->variables[m->variable_count++] = (gpu_variable){host, own, bytes, 0, managed};
    m->placed = false;
    return true;
}

static const wl_ptx_variable *in_ptx(const gpu_module *m, const char *name)
{
    const wl_ptx_module *module = m->ptx->module;
    for (int32_t v = 0; v < module->variable_count; v++)
        if (strcmp(module->variables[v].name, name) == 0 &&
            (module->variables[v].space == WL_PTX_GLOBAL || module->variables[v].space == WL_PTX_CONST))
            return &module->variables[v];
    return NULL;
}

/* Variables that the program does not name but the code has. */
static bool add_hidden(gpu_module *m)
{
    const wl_ptx_module *module = m->ptx->module;
    for (int32_t v = 0; v < module->variable_count; v++) {
        const wl_ptx_variable *variable = &module->variables[v];
        bool known = (variable->space != WL_PTX_GLOBAL && variable->space != WL_PTX_CONST) || variable->bytes <= 0;
        for (size_t i = 0; i < m->variable_count && !known; i++)
            known = strcmp(m->variables[i].name, variable->name) == 0;
        if (!known && !gpu_variable_add(m, NULL, variable->name, (size_t)variable->bytes, NULL))
            return false;
    }
    return true;
}

static bool place(gpu_world *w, gpu_module *m, gpu_variable *v)
{
    if (v->address || w->foreign)
        return true;
    const wl_ptx_variable *ptx = in_ptx(m, v->name);
    const size_t bytes = ptx && (size_t)ptx->bytes > v->bytes ? (size_t)ptx->bytes : v->bytes;
    uint8_t *memory = gpu_allocate(w, bytes, v->managed ? GPU_MANAGED : GPU_VARIABLE);
    if (!memory)
        return false;
    if (ptx && ptx->initial)
        memcpy(memory, ptx->initial, (size_t)ptx->bytes);
    v->address = (uint64_t)(uintptr_t)memory;
    if (v->managed)
        *v->managed = memory;
    return true;
}

/* Addresses of variables and functions inside of initial values. */
static void link_variables(gpu_module *m)
{
    const wl_ptx_module *module = m->ptx->module;
    for (size_t i = 0; i < m->variable_count; i++) {
        const wl_ptx_variable *variable = in_ptx(m, m->variables[i].name);
        for (int32_t k = 0; variable && k < variable->link_count; k++) {
            const wl_ptx_link *link = &variable->links[k];
            uint64_t address = (uint64_t)link->addend;
            if (link->function >= 0)
                address += WL_PTX_FUNCTION_WINDOW + 16 * (uint64_t)link->function;
            for (size_t j = 0; link->variable >= 0 && j < m->variable_count; j++)
                if (strcmp(m->variables[j].name, module->variables[link->variable].name) == 0)
                    address += m->variables[j].address;
            if (link->at >= 0 && link->bytes > 0 && link->bytes <= 8 && link->at + link->bytes <= variable->bytes)
                memcpy((uint8_t *)(uintptr_t)m->variables[i].address + link->at, &address, (size_t)link->bytes);
        }
    }
}

/* Gives all variables of a module memory. */
static bool place_all(gpu_world *w, gpu_module *m)
{
    if (m->placed)
        return true;
    if (!gpu_module_open(w, m) || !add_hidden(m))
        return false;
    bool fresh = true;
    for (size_t i = 0; i < m->variable_count; i++) {
        fresh = fresh && !m->variables[i].address;
        if (!place(w, m, &m->variables[i]))
            return false;
    }
    if (fresh && !w->foreign)
        link_variables(m);
    free(m->symbols);
    m->symbols = calloc(m->variable_count + 1, sizeof *m->symbols);
    if (!m->symbols)
        return false;
    for (size_t i = 0; i < m->variable_count; i++)
        m->symbols[i] = (wl_ptx_symbol){m->variables[i].name, m->variables[i].address};
    return m->placed = true;
}

gpu_variable *gpu_variable_of(gpu_world *w, const void *host)
{
    for (size_t k = 0; host && k < w->module_count; k++)
        for (size_t i = 0; i < w->modules[k]->variable_count; i++)
            if (w->modules[k]->variables[i].host == host)
                return place_all(w, w->modules[k]) ? &w->modules[k]->variables[i] : NULL;
    return NULL;
}

int64_t gpu_module_variable(gpu_world *w, gpu_module *m, const char *name)
{
    if (!place_all(w, m))
        return -1;
    for (size_t i = 0; i < m->variable_count; i++)
        if (strcmp(m->variables[i].name, name) == 0)
            return (int64_t)i;
    return -1;
}

bool gpu_function_ready(gpu_world *w, gpu_function *f)
{
    wl_error err = {0};
    if (!place_all(w, f->module))
        return false;
    if (!f->runner && wl_ptx_runner_new(f->module->ptx, f->name, &f->runner, &err) != WL_OK) {
        gpu_say("%s", err.message);
        return false;
    }
    return true;
}

/* ---- parameters ---- */

typedef struct packing {
    uint8_t *to;
    void **from;
} packing;

static void pack(void *user, int number, int64_t offset, int64_t bytes)
{
    const packing *p = user;
    if (p->from)
        memcpy(p->to + offset, p->from[number], (size_t)bytes);
}

uint8_t *gpu_params(gpu_world *w, gpu_function *f, void **arguments, size_t *bytes)
{
    if (!gpu_function_ready(w, f))
        return NULL;
    *bytes = (size_t)wl_ptx_runner_params(f->runner, NULL, NULL);
    uint8_t *params = calloc(*bytes + 1, 1);
    packing p = {params, arguments};
    if (params)
        (void)wl_ptx_runner_params(f->runner, pack, &p);
    return params;
}

/* CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE */
uint8_t *gpu_driver_params(gpu_world *w, gpu_function *f, void **arguments, void **extra, size_t *bytes)
{
    const uint8_t *given = NULL;
    size_t count = 0;
    for (; extra && extra[0]; extra += 2)
        if (extra[0] == (void *)1)
            given = extra[1];
        else if (extra[0] == (void *)2)
            memcpy(&count, extra[1], sizeof count);
    uint8_t *params = gpu_params(w, f, given ? NULL : arguments, bytes);
    if (params && given)
        memcpy(params, given, count < *bytes ? count : *bytes);
    return params;
}

void gpu_take_attribute(gpu_launch *l, const cuda_launch_attribute *a)
{
    if (a->id == CUDA_ATTRIBUTE_CLUSTER)
        memcpy(l->cluster, a->value.cluster, sizeof l->cluster);
    if (a->id == CUDA_ATTRIBUTE_COOPERATIVE)
        l->cooperative = a->value.flag;
}
