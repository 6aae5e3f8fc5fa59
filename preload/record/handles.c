/* handles.c - handles of the driver, and the modules and kernels that they stand for.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "binary/fatbin.h"
#include "record.h"

typedef struct handle {
    const void *of;
    gpu_module *module;
    gpu_function *function; /* NULL: a module or library */
    bool is_library;
} handle;
static handle *handles;
static size_t handle_count, handle_room;

/* The places of handles that were asked for last: programs launch the same kernels again. */
#define RECENT 256
static size_t recent[RECENT];

static size_t slot_of(const void *of) { return ((uintptr_t)of >> 4 ^ (uintptr_t)of >> 12) % RECENT; }

static handle *recall(const void *of)
{
    size_t *slot = &recent[slot_of(of)];
    if (*slot < handle_count && handles[*slot].of == of)
        return &handles[*slot];
    for (size_t i = handle_count; i-- > 0;)
        if (handles[i].of == of) {
            *slot = i;
            return &handles[i];
        }
    return NULL;
}

/* A handle that was given again stands for what it was given for last. */
static void remember(handle h)
{
    handle *before = recall(h.of);
    if (before)
        *before = h;
    else if (WL_ROOM(handles, handle_count + 1, handle_room))
        handles[handle_count++] = h;
}

#define WRAPPER_MAGIC 0x466243b1u
#define ELF_MAGIC 0x464c457fu
#define FILE_BYTES_MAX ((size_t)1 << 28)

/* What the compiler has put into the program stays; other images may be freed once they are
 * loaded. */
void handle_new_module(const void *of, const void *image, bool is_library)
{
    gpu_world *w = gpu_enter();
    gpu_module *m = NULL;
    wl_bytes fatbin;
    wl_error err = {0};
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC) {
        const void *inside;
        memcpy(&inside, (const char *)image + 8, sizeof inside);
        m = gpu_module_add(w, inside, NULL, 0);
    } else if (wl_fatbin_is((wl_bytes){image, WL_FATBIN_HEADER_BYTES})) {
        if (wl_fatbin_find((wl_bytes){image, (size_t)1 << 40}, &fatbin, &err) == WL_OK) {
            void *own = malloc(fatbin.size);
            if (own)
                m = gpu_module_add(w, memcpy(own, image, fatbin.size), NULL, 0);
        }
    } else if (magic == ELF_MAGIC) {
        m = gpu_module_add(w, NULL, "", 0); /* machine code alone */
    } else {
        m = gpu_module_add(w, NULL, image, strlen(image));
    }
    if (m)
        remember((handle){of, m, NULL, is_library});
    gpu_leave();
}

void handle_new_file(const void *of, const char *path, bool is_library)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? calloc(1, FILE_BYTES_MAX) : NULL;
    if (bytes && fread(bytes, 1, FILE_BYTES_MAX - 1, file) > WL_FATBIN_HEADER_BYTES)
        handle_new_module(of, bytes, is_library);
    free(bytes);
    if (file)
        (void)fclose(file);
}

void handle_new_function(const void *of, const void *module, const char *name)
{
    gpu_world *w = gpu_enter();
    const handle *h = recall(module), *before = recall(of);
    gpu_module *m = h ? h->module : NULL;
    const bool is_library = h && h->is_library;
    const bool same = before && before->module == m && before->function && strcmp(before->function->name, name) == 0;
    gpu_function *f = m && !same ? gpu_function_add(w, m, of, name) : NULL;
    if (f)
        remember((handle){of, m, f, is_library}); /* handles may move */
    gpu_leave();
}

void handle_is_module_of(const void *module, const void *library)
{
    (void)gpu_enter();
    const handle *h = recall(library);
    if (h)
        remember((handle){module, h->module, NULL, false});
    gpu_leave();
}

void handle_is_function_of(const void *function, const void *kernel)
{
    (void)gpu_enter();
    const handle *h = recall(kernel);
    if (h)
        remember((handle){function, h->module, h->function, false});
    gpu_leave();
}

void handle_forget_module(const void *module)
{
    (void)gpu_enter();
    const handle *h = recall(module);
    const gpu_module *m = h ? h->module : NULL;
    size_t kept = 0;
    for (size_t i = 0; i < handle_count && m; i++)
        if (handles[i].module != m)
            handles[kept++] = handles[i];
    if (m)
        handle_count = kept;
    gpu_leave();
}

bool handle_made(const void *kernel, const void **function)
{
    REAL("cuKernelGetFunction", (const void **, const void *), false);
    return real(function, kernel) == CUDA_OK;
}

/* The driver makes a function of a library's kernel by itself, too: nodes of graphs have that. */
static const handle *find_made(const void *of)
{
    const void *function = NULL;
    for (size_t i = 0; i < handle_count; i++)
        if (handles[i].is_library && handles[i].function && handle_made(handles[i].of, &function) && function == of) {
            remember((handle){of, handles[i].module, handles[i].function, false});
            return recall(of);
        }
    return NULL;
}

gpu_function *handle_function(const void *of)
{
    const handle *h = recall(of);
    if (!h)
        h = find_made(of);
    return h ? h->function : NULL;
}

bool handle_is_kernel(const void *of)
{
    const handle *h = recall(of);
    return h && h->function && h->is_library;
}

static cuda_error in_module(device_pointer *address, size_t *bytes, const void *module, const char *name)
{
    DRIVER("cuModuleGetGlobal_v2", (device_pointer *, size_t *, const void *, const char *));
    return real(address, bytes, module, name);
}

static cuda_error in_library(device_pointer *address, size_t *bytes, const void *library, const char *name)
{
    DRIVER("cuLibraryGetGlobal", (device_pointer *, size_t *, const void *, const char *));
    return real(address, bytes, library, name);
}

void handle_find_variables(gpu_module *m)
{
    for (size_t i = 0; i < m->variable_count; i++)
        for (size_t k = 0; k < handle_count && !m->variables[i].address; k++) {
            const handle *h = &handles[k];
            device_pointer address = 0;
            size_t bytes = 0;
            if (h->module != m || h->function)
                continue;
            if ((h->is_library ? in_library : in_module)(&address, &bytes, h->of, m->variables[i].name) == CUDA_OK)
                m->variables[i].address = address;
        }
}
