/* record.c - the recorder: passes calls of the CUDA driver on to the driver, and writes modules,
 * launches with their memory, copies and fills into a recording.
 *
 * Programs reach the driver through the runtime, which asks for each function by name
 * (cuGetProcAddress), or by linking it: both find ours first. Everything else is the driver's own.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "world.h"

#define POINTED_MAX 256 /* allocations that one launch can reach */

/* ---- the driver ---- */

typedef void *(*dlsym_call)(void *, const char *);

static dlsym_call real_dlsym(void)
{
    static dlsym_call found;
    if (!found) /* by version: a plain question would find ours */
        for (const char *const *v = (const char *const[]){"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", NULL};
             *v && !found; v++) {
            void *at = dlvsym(RTLD_NEXT, "dlsym", *v);
            memcpy(&found, &at, sizeof found);
        }
    return found;
}

static void *driver(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    return library ? real_dlsym()(library, name) : NULL;
}

/* The driver's own function of this name, once. */
#define DRIVER(name, parameters)                                                                                       \
    static cuda_error(*real) parameters;                                                                               \
    if (!real) {                                                                                                       \
        void *at = driver(name);                                                                                       \
        memcpy(&real, &at, sizeof real);                                                                               \
    }                                                                                                                  \
    if (!real)                                                                                                         \
    return CUDA_NOT_FOUND

typedef uint64_t device_pointer;

static cuda_error range_of(uint64_t address, uint64_t *base, size_t *bytes)
{
    DRIVER("cuMemGetAddressRange_v2", (device_pointer *, size_t *, device_pointer));
    return real(base, bytes, address);
}

static cuda_error fetch(void *to, uint64_t from, size_t bytes)
{
    DRIVER("cuMemcpyDtoH_v2", (void *, device_pointer, size_t));
    return real(to, from, bytes);
}

static cuda_error synchronize(void)
{
    DRIVER("cuCtxSynchronize", (void));
    return real();
}

static bool is_capturing(void *stream)
{
    static cuda_error (*real)(void *, int *);
    int status = 0;
    if (!real) {
        void *at = driver("cuStreamIsCapturing");
        memcpy(&real, &at, sizeof real);
    }
    return real && real(stream, &status) == CUDA_OK && status != 0;
}

/* ---- handles of the driver, and what they stand for ---- */

typedef struct handle {
    const void *of;
    gpu_module *module;
    gpu_function *function; /* NULL: a module or library */
    bool is_library;
} handle;
static handle *handles;
static size_t handle_count, handle_room;

static void remember(handle h)
{
    if (WL_ROOM(handles, handle_count + 1, handle_room))
        handles[handle_count++] = h;
}

static handle *recall(const void *of)
{
    for (size_t i = handle_count; i-- > 0;)
        if (handles[i].of == of)
            return &handles[i];
    return NULL;
}

#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC 0xba55ed50u

/* A wrapper of nvcc, a fatbin, or PTX as text. */
static void new_module(const void *of, const void *image, bool is_library)
{
    gpu_world *w = gpu_enter();
    w->foreign = true;
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    const void *fatbin = image;
    if (magic == WRAPPER_MAGIC)
        memcpy(&fatbin, (const char *)image + 8, sizeof fatbin);
    const bool text = magic != WRAPPER_MAGIC && magic != FATBIN_MAGIC && magic != 0x464c457fu;
    gpu_module *m = text ? gpu_module_add(w, NULL, image, strlen(image)) : gpu_module_add(w, fatbin, NULL, 0);
    if (m)
        remember((handle){of, m, NULL, is_library});
    gpu_leave();
}

static void new_function(const void *of, const void *module, const char *name)
{
    gpu_world *w = gpu_enter();
    const handle *h = recall(module);
    gpu_module *m = h ? h->module : NULL; /* handles may move */
    gpu_function *f = m && !recall(of) ? gpu_function_add(w, m, of, name) : NULL;
    if (f)
        remember((handle){of, m, f, false});
    gpu_leave();
}

/* ---- the memory that a launch can reach ---- */

static void forget_memory(gpu_world *w)
{
    for (size_t i = 0; i < w->memory_count; i++)
        free(w->memory[i].contents);
    w->memory_count = 0;
}

static void add_range(gpu_world *w, uint64_t address);

static void look_for_pointers(gpu_world *w, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + 8 <= count; at += 8) {
        uint64_t address;
        memcpy(&address, bytes + at, sizeof address);
        if (address >= 4096 && address < (uint64_t)1 << 57)
            add_range(w, address);
    }
}

#define SCANNED_MAX ((size_t)1 << 20)

static void add_range(gpu_world *w, uint64_t address)
{
    uint64_t base = 0;
    size_t bytes = 0;
    if (w->memory_count >= POINTED_MAX || gpu_find(w, address) >= 0 || range_of(address, &base, &bytes) != CUDA_OK ||
        bytes == 0)
        return;
    uint8_t *contents = (int64_t)bytes <= w->settings.bytes ? malloc(bytes) : NULL;
    const bool known = contents && fetch(contents, base, bytes) == CUDA_OK;
    if (!known) {
        free(contents);
        contents = NULL;
    }
    if (!WL_ROOM(w->memory, w->memory_count + 1, w->memory_room) ||
        !WL_ROOM(w->about, w->memory_count + 1, w->about_room)) {
        free(contents);
        return;
    }
    size_t at = w->memory_count++;
    for (; at > 0 && w->memory[at - 1].address > base; at--) {
        w->memory[at] = w->memory[at - 1];
        w->about[at] = w->about[at - 1];
    }
    w->memory[at] = (wl_ptx_memory){base, (int64_t)bytes, contents};
    w->about[at] = (gpu_allocation){.kind = GPU_DEVICE, .unknown = !known};
    if (known && bytes <= SCANNED_MAX)
        look_for_pointers(w, contents, bytes);
}

/* Where the driver has the variables of a module. */
static void find_variables(gpu_module *m)
{
    static cuda_error (*of_module)(device_pointer *, size_t *, const void *, const char *);
    static cuda_error (*of_library)(device_pointer *, size_t *, const void *, const char *);
    if (!of_module) {
        void *at = driver("cuModuleGetGlobal_v2");
        memcpy(&of_module, &at, sizeof of_module);
        at = driver("cuLibraryGetGlobal");
        memcpy(&of_library, &at, sizeof of_library);
    }
    for (size_t i = 0; i < m->variable_count; i++)
        for (size_t k = 0; k < handle_count && !m->variables[i].address; k++) {
            if (handles[k].module != m || handles[k].function)
                continue;
            device_pointer address = 0;
            size_t bytes = 0;
            cuda_error (*get)(device_pointer *, size_t *, const void *, const char *) =
                handles[k].is_library ? of_library : of_module;
            if (get && get(&address, &bytes, handles[k].of, m->variables[i].name) == CUDA_OK)
                m->variables[i].address = address;
        }
}

/* ---- launches ---- */

typedef struct driver_launch {
    const void *function;
    unsigned grid[3], block[3], cluster[3], shared;
    void *stream, **params, **extra;
    bool cooperative;
} driver_launch;

/* CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE */
static const uint8_t *whole_params(void **extra, size_t *bytes)
{
    const uint8_t *params = NULL;
    for (; extra && extra[0]; extra += 2)
        if (extra[0] == (void *)1)
            params = extra[1];
        else if (extra[0] == (void *)2)
            *bytes = *(size_t *)extra[1];
    return params;
}

/* Parameters, what they point to, and variables, as they are before the launch. */
static void keep_whole(gpu_world *w, gpu_launch *l, const driver_launch *d, bool capturing)
{
    const gpu_module *m = l->function->module;
    size_t bytes = 0;
    int64_t like = -1;
    uint8_t *own = NULL;
    l->params = whole_params(d->extra, &bytes);
    if (!l->params)
        l->params = own = gpu_params(w, l->function, d->params, &bytes);
    const bool kept = l->params && gpu_keeps(w, l, &like);
    if (kept && !capturing && synchronize() == CUDA_OK) {
        look_for_pointers(w, l->params, bytes);
        for (size_t i = 0; i < m->variable_count; i++)
            if (m->variables[i].address)
                add_range(w, m->variables[i].address);
    }
    if (l->params)
        gpu_record_launch(w, l, kept ? -1 : like);
    forget_memory(w);
    free(own);
}

static void keep(const driver_launch *d)
{
    gpu_world *w = gpu_enter();
    const handle *h = recall(d->function);
    const bool capturing = is_capturing(d->stream);
    gpu_launch l = {.function = h ? h->function : NULL,
                    .grid = {d->grid[0], d->grid[1], d->grid[2]},
                    .block = {d->block[0], d->block[1], d->block[2]},
                    .cluster = {d->cluster[0], d->cluster[1], d->cluster[2]},
                    .shared = d->shared,
                    .stream = (cuda_stream_t)d->stream,
                    .cooperative = d->cooperative,
                    .graph = -1};
    if (!l.function) {
        gpu_say("a launch of a kernel that was not seen when it was loaded is left out");
    } else if (gpu_function_ready(w, l.function)) {
        if (capturing)
            gpu_say("launches that become part of a graph are kept once, without their memory");
        else
            find_variables(l.function->module);
        keep_whole(w, &l, d, capturing);
    }
    gpu_leave();
}

/* ---- the calls that are recorded ---- */

CUDA_CALL cuModuleLoadData(void **module, const void *image);
CUDA_CALL cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values);
CUDA_CALL cuModuleLoadFatBinary(void **module, const void *image);
CUDA_CALL cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                            int *library_options, void **library_values, unsigned library_count);
CUDA_CALL cuModuleGetFunction(void **function, void *module, const char *name);
CUDA_CALL cuLibraryGetKernel(void **kernel, void *library, const char *name);
CUDA_CALL cuLibraryGetModule(void **module, void *library);
CUDA_CALL cuKernelGetFunction(void **function, void *kernel);
CUDA_CALL cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void *stream, void **params, void **extra);
CUDA_CALL cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *stream, void **params, void **extra);
CUDA_CALL cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, void *stream, void **params);

cuda_error cuModuleLoadData(void **module, const void *image)
{
    DRIVER("cuModuleLoadData", (void **, const void *));
    const cuda_error error = real(module, image);
    if (error == CUDA_OK)
        new_module(*module, image, false);
    return error;
}

cuda_error cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
    DRIVER("cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **));
    const cuda_error error = real(module, image, count, options, values);
    if (error == CUDA_OK)
        new_module(*module, image, false);
    return error;
}

cuda_error cuModuleLoadFatBinary(void **module, const void *image)
{
    DRIVER("cuModuleLoadFatBinary", (void **, const void *));
    const cuda_error error = real(module, image);
    if (error == CUDA_OK)
        new_module(*module, image, false);
    return error;
}

cuda_error cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                             int *library_options, void **library_values, unsigned library_count)
{
    DRIVER("cuLibraryLoadData", (void **, const void *, int *, void **, unsigned, int *, void **, unsigned));
    const cuda_error error =
        real(library, image, options, values, count, library_options, library_values, library_count);
    if (error == CUDA_OK)
        new_module(*library, image, true);
    return error;
}

cuda_error cuModuleGetFunction(void **function, void *module, const char *name)
{
    DRIVER("cuModuleGetFunction", (void **, void *, const char *));
    const cuda_error error = real(function, module, name);
    if (error == CUDA_OK)
        new_function(*function, module, name);
    return error;
}

cuda_error cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    DRIVER("cuLibraryGetKernel", (void **, void *, const char *));
    const cuda_error error = real(kernel, library, name);
    if (error == CUDA_OK)
        new_function(*kernel, library, name);
    return error;
}

cuda_error cuLibraryGetModule(void **module, void *library)
{
    DRIVER("cuLibraryGetModule", (void **, void *));
    const cuda_error error = real(module, library);
    (void)gpu_enter();
    const handle *h = error == CUDA_OK ? recall(library) : NULL;
    if (h && !recall(*module))
        remember((handle){*module, h->module, NULL, false});
    gpu_leave();
    return error;
}

cuda_error cuKernelGetFunction(void **function, void *kernel)
{
    DRIVER("cuKernelGetFunction", (void **, void *));
    const cuda_error error = real(function, kernel);
    (void)gpu_enter();
    const handle *h = error == CUDA_OK ? recall(kernel) : NULL;
    if (h && !recall(*function))
        remember((handle){*function, h->module, h->function, false});
    gpu_leave();
    return error;
}

#define LAUNCH (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)

cuda_error cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **params, void **extra)
{
    DRIVER("cuLaunchKernel", LAUNCH);
    keep(&(driver_launch){.function = function,
                          .grid = {gx, gy, gz},
                          .block = {bx, by, bz},
                          .shared = shared,
                          .stream = stream,
                          .params = params,
                          .extra = extra});
    return real(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

cuda_error cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
    DRIVER("cuLaunchKernel_ptsz", LAUNCH);
    keep(&(driver_launch){.function = function,
                          .grid = {gx, gy, gz},
                          .block = {bx, by, bz},
                          .shared = shared,
                          .stream = stream,
                          .params = params,
                          .extra = extra});
    return real(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

cuda_error cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream, void **params)
{
    DRIVER("cuLaunchCooperativeKernel",
           (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **));
    keep(&(driver_launch){.function = function,
                          .grid = {gx, gy, gz},
                          .block = {bx, by, bz},
                          .shared = shared,
                          .stream = stream,
                          .params = params,
                          .cooperative = true});
    return real(function, gx, gy, gz, bx, by, bz, shared, stream, params);
}

/* CUlaunchConfig */
typedef struct driver_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    cuda_launch_attribute *attributes;
    unsigned count;
} driver_config;

static void keep_config(const driver_config *c, void *function, void **params, void **extra)
{
    driver_launch d = {
        .function = function, .shared = c->shared, .stream = c->stream, .params = params, .extra = extra};
    memcpy(d.grid, c->grid, sizeof d.grid);
    memcpy(d.block, c->block, sizeof d.block);
    for (unsigned i = 0; i < c->count; i++) {
        if (c->attributes[i].id == CUDA_ATTRIBUTE_CLUSTER)
            memcpy(d.cluster, c->attributes[i].value.cluster, sizeof d.cluster);
        d.cooperative =
            d.cooperative || (c->attributes[i].id == CUDA_ATTRIBUTE_COOPERATIVE && c->attributes[i].value.flag);
    }
    keep(&d);
}

CUDA_CALL cuLaunchKernelEx(const driver_config *config, void *function, void **params, void **extra);
CUDA_CALL cuLaunchKernelEx_ptsz(const driver_config *config, void *function, void **params, void **extra);

cuda_error cuLaunchKernelEx(const driver_config *config, void *function, void **params, void **extra)
{
    DRIVER("cuLaunchKernelEx", (const driver_config *, void *, void **, void **));
    keep_config(config, function, params, extra);
    return real(config, function, params, extra);
}

cuda_error cuLaunchKernelEx_ptsz(const driver_config *config, void *function, void **params, void **extra)
{
    DRIVER("cuLaunchKernelEx_ptsz", (const driver_config *, void *, void **, void **));
    keep_config(config, function, params, extra);
    return real(config, function, params, extra);
}

/* ---- copies and fills ---- */

static void keep_copy(const char *direction, size_t bytes, void *stream)
{
    gpu_world *w = gpu_enter();
    gpu_record_copy(w, direction, bytes, (cuda_stream_t)stream);
    gpu_leave();
}

static void keep_fill(size_t bytes, void *stream)
{
    gpu_world *w = gpu_enter();
    gpu_record_memset(w, bytes, (cuda_stream_t)stream);
    gpu_leave();
}

#define COPY(name, direction, to_type, from_type)                                                                      \
    CUDA_CALL name(to_type to, from_type from, size_t bytes);                                                          \
    cuda_error name(to_type to, from_type from, size_t bytes)                                                          \
    {                                                                                                                  \
        DRIVER(#name, (to_type, from_type, size_t));                                                                   \
        keep_copy(direction, bytes, NULL);                                                                             \
        return real(to, from, bytes);                                                                                  \
    }
#define COPY_ASYNC(name, direction, to_type, from_type)                                                                \
    CUDA_CALL name(to_type to, from_type from, size_t bytes, void *stream);                                            \
    cuda_error name(to_type to, from_type from, size_t bytes, void *stream)                                            \
    {                                                                                                                  \
        DRIVER(#name, (to_type, from_type, size_t, void *));                                                           \
        keep_copy(direction, bytes, stream);                                                                           \
        return real(to, from, bytes, stream);                                                                          \
    }
COPY(cuMemcpyHtoD_v2, "htod", device_pointer, const void *)
COPY(cuMemcpyDtoH_v2, "dtoh", void *, device_pointer)
COPY(cuMemcpyDtoD_v2, "dtod", device_pointer, device_pointer)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, "htod", device_pointer, const void *)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, "dtoh", void *, device_pointer)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, "dtod", device_pointer, device_pointer)

#define FILL(name, type, size)                                                                                         \
    CUDA_CALL name(device_pointer to, type value, size_t count, void *stream);                                         \
    cuda_error name(device_pointer to, type value, size_t count, void *stream)                                         \
    {                                                                                                                  \
        DRIVER(#name, (device_pointer, type, size_t, void *));                                                         \
        keep_fill((size)*count, stream);                                                                               \
        return real(to, value, count, stream);                                                                         \
    }
FILL(cuMemsetD8Async, unsigned char, 1)
FILL(cuMemsetD32Async, unsigned, 4)

/* ---- how programs find them ---- */

CUDA_CALL cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
CUDA_CALL cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);

#define PER_THREAD 2 /* a flag: the variant for default streams of threads */

typedef struct hook {
    const char *name, *symbol; /* as a program asks for it; as ours is called */
    bool per_thread;           /* has a variant for default streams of threads, or needs none */
} hook;
static const hook hooks[] = {
    {"cuGetProcAddress", "cuGetProcAddress_v2", true},
    {"cuGetProcAddress_v2", "cuGetProcAddress_v2", true},
    {"cuModuleLoadData", "cuModuleLoadData", true},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", true},
    {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", true},
    {"cuLibraryLoadData", "cuLibraryLoadData", true},
    {"cuModuleGetFunction", "cuModuleGetFunction", true},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", true},
    {"cuLibraryGetModule", "cuLibraryGetModule", true},
    {"cuKernelGetFunction", "cuKernelGetFunction", true},
    {"cuLaunchKernel", "cuLaunchKernel", true},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", true},
    {"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel", false},
    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2", false},
    {"cuMemcpyDtoH", "cuMemcpyDtoH_v2", false},
    {"cuMemcpyDtoD", "cuMemcpyDtoD_v2", false},
    {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", false},
    {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", false},
    {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", false},
    {"cuMemsetD8Async", "cuMemsetD8Async", false},
    {"cuMemsetD32Async", "cuMemsetD32Async", false},
};

static void *hooked(const char *name, bool per_thread)
{
    char symbol[64];
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (strcmp(hooks[i].name, name) != 0 || (per_thread && !hooks[i].per_thread))
            continue;
        const bool variant = per_thread && strncmp(name, "cuLaunchKernel", strlen("cuLaunchKernel")) == 0;
        (void)snprintf(symbol, sizeof symbol, "%s%s", hooks[i].symbol, variant ? "_ptsz" : "");
        return real_dlsym()(RTLD_DEFAULT, symbol);
    }
    return NULL;
}

cuda_error cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    DRIVER("cuGetProcAddress_v2", (const char *, void **, int, uint64_t, int *));
    const cuda_error error = real(name, out, version, flags, status);
    void *ours = error == CUDA_OK && out && *out ? hooked(name, flags & PER_THREAD) : NULL;
    if (ours)
        *out = ours;
    return error;
}

cuda_error cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    DRIVER("cuGetProcAddress", (const char *, void **, int, uint64_t));
    const cuda_error error = real(name, out, version, flags);
    void *ours = error == CUDA_OK && out && *out ? hooked(name, flags & PER_THREAD) : NULL;
    if (ours)
        *out = strcmp(name, "cuGetProcAddress") == 0 && version < 12000 ? (void *)(uintptr_t)cuGetProcAddress : ours;
    return error;
}

/* A program that opens the driver by itself asks for its first function here. */
CUDA_EXPORT void *dlsym(void *library, const char *name);
void *dlsym(void *library, const char *name)
{
    void *found = real_dlsym()(library, name);
    if (!found || strncmp(name, "cu", 2) != 0 || library == RTLD_NEXT || library == RTLD_DEFAULT)
        return found;
    if (strcmp(name, "cuGetProcAddress") == 0)
        return (void *)(uintptr_t)cuGetProcAddress;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (strcmp(hooks[i].symbol, name) == 0)
            return real_dlsym()(RTLD_DEFAULT, name);
    return found;
}

/* ---- what only the double needs ---- */

int64_t gpu_stream_number(cuda_stream_t stream)
{
    static const void *seen[256];
    static int64_t count;
    if ((uintptr_t)stream <= 2)
        return 0;
    for (int64_t i = 0; i < count; i++)
        if (seen[i] == stream)
            return i + 1;
    if (count == 256)
        return 256;
    seen[count++] = stream;
    return count;
}
