/* real.c - the driver's own functions, and how programs find ours in their place.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

/* Tells the double of `warpline run`, where it is the driver, who writes the recording. */
CUDA_EXPORT extern const char warpline_recorder;
const char warpline_recorder = 1;

bool gpu_is_recorder(void) { return true; }

dlsym_call real_dlsym(void)
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

void *real_function(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    return library ? real_dlsym()(library, name) : NULL;
}

/* ---- calls that have one of ours before them ---- */

typedef enum hook_kind {
    NO_STREAM, /* one form */
    STREAMED   /* others for default streams of threads: _ptsz, _ptds */
} hook_kind;
typedef struct hook {
    const char *name, *symbol; /* as a program asks for it; as it is called */
    hook_kind kind;
} hook;
static const hook hooks[] = {
    {"cuGetProcAddress", "cuGetProcAddress_v2", NO_STREAM},
    {"cuGetProcAddress_v2", "cuGetProcAddress_v2", NO_STREAM},
    {"cuModuleLoad", "cuModuleLoad", NO_STREAM},
    {"cuModuleLoadData", "cuModuleLoadData", NO_STREAM},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", NO_STREAM},
    {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", NO_STREAM},
    {"cuModuleUnload", "cuModuleUnload", NO_STREAM},
    {"cuModuleGetFunction", "cuModuleGetFunction", NO_STREAM},
    {"cuLibraryLoadData", "cuLibraryLoadData", NO_STREAM},
    {"cuLibraryLoadFromFile", "cuLibraryLoadFromFile", NO_STREAM},
    {"cuLibraryUnload", "cuLibraryUnload", NO_STREAM},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", NO_STREAM},
    {"cuLibraryGetModule", "cuLibraryGetModule", NO_STREAM},
    {"cuKernelGetFunction", "cuKernelGetFunction", NO_STREAM},
    {"cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", NO_STREAM},
    {"cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2col", NO_STREAM},
    {"cuTexObjectCreate", "cuTexObjectCreate", NO_STREAM},
    {"cuTexObjectDestroy", "cuTexObjectDestroy", NO_STREAM},
    {"cuSurfObjectCreate", "cuSurfObjectCreate", NO_STREAM},
    {"cuSurfObjectDestroy", "cuSurfObjectDestroy", NO_STREAM},
    {"cuLaunchKernel", "cuLaunchKernel", STREAMED},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", STREAMED},
    {"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel", STREAMED},
    {"cuMemcpy", "cuMemcpy", STREAMED},
    {"cuMemcpyAsync", "cuMemcpyAsync", STREAMED},
    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2", STREAMED},
    {"cuMemcpyDtoH", "cuMemcpyDtoH_v2", STREAMED},
    {"cuMemcpyDtoD", "cuMemcpyDtoD_v2", STREAMED},
    {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", STREAMED},
    {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", STREAMED},
    {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", STREAMED},
    {"cuMemcpy2D", "cuMemcpy2D_v2", STREAMED},
    {"cuMemcpy2DUnaligned", "cuMemcpy2DUnaligned_v2", STREAMED},
    {"cuMemcpy2DAsync", "cuMemcpy2DAsync_v2", STREAMED},
    {"cuMemsetD8", "cuMemsetD8_v2", STREAMED},
    {"cuMemsetD16", "cuMemsetD16_v2", STREAMED},
    {"cuMemsetD32", "cuMemsetD32_v2", STREAMED},
    {"cuMemsetD8Async", "cuMemsetD8Async", STREAMED},
    {"cuMemsetD16Async", "cuMemsetD16Async", STREAMED},
    {"cuMemsetD32Async", "cuMemsetD32Async", STREAMED},
    {"cuCtxSynchronize", "cuCtxSynchronize", NO_STREAM},
    {"cuStreamSynchronize", "cuStreamSynchronize", STREAMED},
    {"cuStreamWaitEvent", "cuStreamWaitEvent", STREAMED},
    {"cuEventRecord", "cuEventRecord", STREAMED},
    {"cuEventRecordWithFlags", "cuEventRecordWithFlags", STREAMED},
    {"cuEventSynchronize", "cuEventSynchronize", NO_STREAM},
    {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", STREAMED},
    {"cuStreamEndCapture", "cuStreamEndCapture", STREAMED},
    {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", NO_STREAM},
    {"cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", NO_STREAM},
    {"cuGraphInstantiateWithParams", "cuGraphInstantiateWithParams", STREAMED},
    {"cuGraphLaunch", "cuGraphLaunch", STREAMED},
    {"cuGraphExecDestroy", "cuGraphExecDestroy", NO_STREAM},
};

/* Our function of this name; the libraries that we use may have one, too. */
static void *own_function(const char *symbol)
{
    static void *library, *base;
    Dl_info info;
    if (!library && dladdr(&warpline_recorder, &info)) {
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        base = info.dli_fbase;
    }
    void *found = library ? real_dlsym()(library, symbol) : NULL;
    return found && dladdr(found, &info) && info.dli_fbase == base ? found : NULL;
}

#define PER_THREAD 2      /* a flag: the variant for default streams of threads */
#define FIRST_FLAGS 12000 /* from this version on, cuGraphInstantiate is the one WithFlags */

static void *hooked(const char *name, int version, uint64_t flags)
{
    static const char *const variants[] = {"_ptsz", "_ptds"};
    char symbol[64];
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (strcmp(hooks[i].name, name) != 0)
            continue;
        if (strcmp(name, "cuGraphInstantiate") == 0 && version < FIRST_FLAGS)
            return own_function("cuGraphInstantiate_v2");
        for (size_t v = 0; v < 2 && hooks[i].kind == STREAMED && flags & PER_THREAD; v++) {
            (void)snprintf(symbol, sizeof symbol, "%s%s", hooks[i].symbol, variants[v]);
            void *found = own_function(symbol);
            if (found)
                return found;
        }
        return hooks[i].kind == STREAMED && flags & PER_THREAD ? NULL : own_function(hooks[i].symbol);
    }
    return NULL;
}

CUDA_CALL cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
CUDA_CALL cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);

cuda_error cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    DRIVER("cuGetProcAddress_v2", (const char *, void **, int, uint64_t, int *));
    const cuda_error error = real(name, out, version, flags, status);
    void *ours = error == CUDA_OK && out && *out ? hooked(name, version, flags) : NULL;
    if (ours)
        *out = ours;
    return error;
}

cuda_error cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    DRIVER("cuGetProcAddress", (const char *, void **, int, uint64_t));
    const cuda_error error = real(name, out, version, flags);
    void *ours = error == CUDA_OK && out && *out ? hooked(name, version, flags) : NULL;
    if (ours)
        *out =
            strcmp(name, "cuGetProcAddress") == 0 && version < FIRST_FLAGS ? (void *)(uintptr_t)cuGetProcAddress : ours;
    return error;
}

/* A program that opens the driver by itself asks for its first function here; of other libraries,
 * the question is passed on as it is. RTLD_NEXT means what follows the caller: the call must not
 * come from us, so it is a jump. */
#if defined(__clang__)
#define JUMP __attribute__((musttail)) return
#define JUMPS
#else
#define JUMP return
#define JUMPS __attribute__((optimize("O2", "no-stack-protector")))
#endif

static void *hook_of(void *library, const char *name)
{
    if (strncmp(name, "cu", 2) != 0 || library == RTLD_NEXT || library == RTLD_DEFAULT)
        return NULL;
    bool known = strcmp(name, "cuGetProcAddress") == 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks && !known; i++)
        known = strncmp(hooks[i].symbol, name, strlen(hooks[i].symbol)) == 0;
    void *found = known ? real_dlsym()(library, name) : NULL;
    return found ? own_function(name) : NULL;
}

CUDA_EXPORT JUMPS void *dlsym(void *library, const char *name);
void *dlsym(void *library, const char *name)
{
    void *ours = hook_of(library, name);
    if (ours)
        return ours;
    const dlsym_call real = real_dlsym();
    JUMP real(library, name);
}
