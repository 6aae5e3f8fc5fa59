/* rt_register.c - what the start of a program tells the runtime: its device code, kernels and
 * variables.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#define WRAPPER_MAGIC 0x466243b1

/* As nvcc writes it beside every fatbin. */
typedef struct wrapper {
    int32_t magic, version;
    const void *fatbin;
    void *file;
} wrapper;

CUDA_EXPORT void **__cudaRegisterFatBinary(void *handle);
CUDA_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
CUDA_EXPORT void __cudaUnregisterFatBinary(void **handle);
CUDA_EXPORT char __cudaInitModule(void **handle);
CUDA_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                                        void *a, void *b, void *c, void *d, int *e);
CUDA_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                                   size_t bytes, int constant, int global);
CUDA_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern,
                                          size_t bytes, int constant, int global);
CUDA_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
CUDA_EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table);

void **__cudaRegisterFatBinary(void *handle)
{
    const wrapper *w = handle;
    gpu_world *world = gpu_enter();
    gpu_module *m = w && w->magic == WRAPPER_MAGIC ? gpu_module_add(world, w->fatbin, NULL, 0) : NULL;
    gpu_leave();
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
/* Other destructors of the program may still use it. */
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

/* Managed variables have their address before the program reads it. */
char __cudaInitModule(void **handle)
{
    gpu_world *w = gpu_enter();
    gpu_module *m = (gpu_module *)handle;
    for (size_t i = 0; m && i < m->variable_count; i++)
        if (m->variables[i].managed && !*m->variables[i].managed)
            (void)gpu_module_variable(w, m, m->variables[i].name);
    gpu_leave();
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *a,
                            void *b, void *c, void *d, int *e)
{
    (void)device, (void)threads, (void)a, (void)b, (void)c, (void)d, (void)e;
    gpu_world *w = gpu_enter();
    if (handle)
        (void)gpu_function_add(w, (gpu_module *)handle, host, name);
    gpu_leave();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    (void)gpu_enter();
    if (handle)
        (void)gpu_variable_add((gpu_module *)handle, host, name, bytes, NULL);
    gpu_leave();
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern, size_t bytes,
                              int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    (void)gpu_enter();
    if (handle)
        (void)gpu_variable_add((gpu_module *)handle, host, name, bytes, host);
    gpu_leave();
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}
void __cudaRegisterUnifiedTable(void **handle, void *table) { (void)handle, (void)table; }
