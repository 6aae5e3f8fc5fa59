/* cu_device.c - the driver's calls about devices, contexts and errors, and how programs find its
 * functions by name. There is one device, and one context.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

cuda_error gpu_as_driver(cuda_error error)
{
    switch (error) {
    case CUDA_INVALID_CONFIGURATION:
    case CUDA_INVALID_PITCH:
    case CUDA_INVALID_DIRECTION: return CUDA_INVALID_VALUE;
    case CUDA_INVALID_FUNCTION:
    case CUDA_INVALID_SYMBOL: return CUDA_NOT_FOUND;
    default: return error;
    }
}

/* ---- devices ---- */

CUDA_CALL cuInit(unsigned flags);
CUDA_CALL cuDeviceGet(int *device, int number);
CUDA_CALL cuDeviceGetName(char *name, int length, int device);
CUDA_CALL cuDeviceTotalMem_v2(size_t *bytes, int device);
CUDA_CALL cuDeviceComputeCapability(int *major, int *minor, int device);
CUDA_CALL cuDeviceGetUuid(char *uuid, int device);
CUDA_CALL cuDeviceGetUuid_v2(char *uuid, int device);
CUDA_CALL cudaDeviceGetAttribute(int *value, int which, int device);
CUDA_CALL cudaDriverGetVersion(int *version);
CUDA_CALL cuDriverGetVersion(int *version);

SAME(cuDeviceGetAttribute, cudaDeviceGetAttribute, (int *value, int which, int device), (value, which, device))
SAME(cuDeviceGetCount, cudaGetDeviceCount, (int *count), (count))
SAME(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))
SAME(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId, (char *text, int length, int device), (text, length, device))
SAME(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (void **pool, int device), (pool, device))
SAME(cuDeviceGetMemPool, cudaDeviceGetMemPool, (void **pool, int device), (pool, device))

cuda_error cuInit(unsigned flags)
{
    (void)gpu_enter();
    gpu_leave();
    return flags == 0 ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cuDriverGetVersion(int *version) { return cudaDriverGetVersion(version); }

cuda_error cuDeviceGet(int *device, int number)
{
    *device = 0;
    return number == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuDeviceGetName(char *name, int length, int device)
{
    const gpu_world *w = gpu_enter();
    const char *title = wl_device_title(w->device);
    (void)snprintf(name, length > 0 ? (size_t)length : 0, "%s", title ? title : wl_device_name(w->device));
    gpu_leave();
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = GPU_MEMORY_BYTES;
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuDeviceComputeCapability(int *major, int *minor, int device)
{
    (void)cudaDeviceGetAttribute(minor, 76, device);
    return cudaDeviceGetAttribute(major, 75, device);
}

cuda_error cuDeviceGetUuid(char *uuid, int device)
{
    memset(uuid, 0, 16);
    uuid[0] = 1;
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuDeviceGetUuid_v2(char *uuid, int device) { return cuDeviceGetUuid(uuid, device); }

/* ---- contexts ---- */

static char context;
static _Thread_local void *current;

CUDA_CALL cuCtxCreate_v2(void **out, unsigned flags, int device);
CUDA_CALL cuCtxCreate_v3(void **out, const void *params, int count, unsigned flags, int device);
CUDA_CALL cuCtxCreate_v4(void **out, const void *params, unsigned flags, int device);
CUDA_CALL cuDevicePrimaryCtxRetain(void **out, int device);
CUDA_CALL cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
CUDA_CALL cuCtxGetCurrent(void **out);
CUDA_CALL cuCtxSetCurrent(void *wanted);
CUDA_CALL cuCtxPushCurrent_v2(void *wanted);
CUDA_CALL cuCtxPopCurrent_v2(void **out);
CUDA_CALL cuCtxGetDevice(int *device);
CUDA_CALL cuCtxGetApiVersion(void *wanted, unsigned *version);

ACCEPTED(cuCtxDestroy_v2)
ACCEPTED(cuDevicePrimaryCtxRelease_v2)
ACCEPTED(cuDevicePrimaryCtxReset_v2)
ACCEPTED(cuDevicePrimaryCtxSetFlags_v2)
ACCEPTED(cuCtxSetCacheConfig)
ACCEPTED(cuCtxSetSharedMemConfig)
ACCEPTED(cuProfilerStart)
ACCEPTED(cuProfilerStop)
SAME(cuCtxSynchronize, cudaDeviceSynchronize, (void), ())
SAME(cuCtxGetLimit, cudaDeviceGetLimit, (size_t * value, int limit), (value, limit))
SAME(cuCtxSetLimit, cudaDeviceSetLimit, (int limit, size_t value), (limit, value))
SAME(cuCtxGetFlags, cudaGetDeviceFlags, (unsigned *flags), (flags))
SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))

static cuda_error make_current(void **out, int device)
{
    *out = current = &context;
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuCtxCreate_v2(void **out, unsigned flags, int device)
{
    (void)flags;
    return make_current(out, device);
}

cuda_error cuCtxCreate_v3(void **out, const void *params, int count, unsigned flags, int device)
{
    (void)params, (void)count, (void)flags;
    return make_current(out, device);
}

cuda_error cuCtxCreate_v4(void **out, const void *params, unsigned flags, int device)
{
    (void)params, (void)flags;
    return make_current(out, device);
}

cuda_error cuDevicePrimaryCtxRetain(void **out, int device)
{
    *out = &context;
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = current != NULL;
    return device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE;
}

cuda_error cuCtxGetCurrent(void **out)
{
    *out = current;
    return CUDA_OK;
}

cuda_error cuCtxSetCurrent(void *wanted)
{
    current = wanted;
    return CUDA_OK;
}

cuda_error cuCtxPushCurrent_v2(void *wanted) { return cuCtxSetCurrent(wanted); }

cuda_error cuCtxPopCurrent_v2(void **out)
{
    if (out)
        *out = current;
    current = NULL;
    return CUDA_OK;
}

cuda_error cuCtxGetDevice(int *device)
{
    *device = 0;
    return CUDA_OK;
}

cuda_error cuCtxGetApiVersion(void *wanted, unsigned *version)
{
    (void)wanted;
    *version = 3020;
    return CUDA_OK;
}

/* ---- errors ---- */

CUDA_EXPORT const char *cudaGetErrorString(cuda_error error);
CUDA_EXPORT const char *cudaGetErrorName(cuda_error error);
CUDA_CALL cuGetErrorString(cuda_error error, const char **text);
CUDA_CALL cuGetErrorName(cuda_error error, const char **text);

cuda_error cuGetErrorString(cuda_error error, const char **text)
{
    *text = cudaGetErrorString(error);
    return CUDA_OK;
}

/* The names that differ from those of the runtime in more than their form have their text. */
cuda_error cuGetErrorName(cuda_error error, const char **text)
{
    *text = error == CUDA_OK              ? "CUDA_SUCCESS"
            : error == CUDA_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
            : error == CUDA_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
            : error == CUDA_NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED"
                                          : cudaGetErrorName(error);
    return CUDA_OK;
}

/* ---- functions by name ---- */

CUDA_CALL cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
CUDA_CALL cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
CUDA_CALL cudaGetDriverEntryPoint(const char *name, void **out, uint64_t flags, int *status);
CUDA_CALL cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, uint64_t flags, int *status);

/* Calls whose variants have other parameters: the one of a version of the interface. Of all others,
 * the latest is taken. */
static const struct {
    const char *name;
    int version;
    const char *symbol;
} variants[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 0, "cuCtxCreate_v2"},        {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"}, {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
};

/* The double itself, of all libraries that have a function of a name. */
static void *own_library(void)
{
    static void *library;
    Dl_info info;
    if (!library && dladdr(&context, &info))
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void *function_of(const char *name, int version)
{
    char symbol[128];
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(name, variants[i].name) == 0 && version >= variants[i].version)
            return dlsym(own_library(), variants[i].symbol);
    (void)snprintf(symbol, sizeof symbol, "%s_v2", name);
    void *found = dlsym(own_library(), symbol);
    return found ? found : dlsym(own_library(), name);
}

static cuda_error find(const char *name, void **out, int version, int *status)
{
    void *found = own_library() && strncmp(name, "cu", 2) == 0 ? function_of(name, version) : NULL;
    *out = found;
    if (status)
        *status = found ? 0 : 1; /* found, symbol not found */
    return found ? CUDA_OK : CUDA_NOT_FOUND;
}

cuda_error cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    (void)flags;
    return find(name, out, version, status);
}

cuda_error cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    (void)flags;
    return find(name, out, version, NULL);
}

cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, uint64_t flags, int *status)
{
    (void)flags;
    (void)gpu_enter();
    const cuda_error error = find(name, out, (int)version, status);
    return gpu_end(status || error == CUDA_OK ? CUDA_OK : CUDA_NOT_FOUND);
}

cuda_error cudaGetDriverEntryPoint(const char *name, void **out, uint64_t flags, int *status)
{
    int version;
    (void)cudaDriverGetVersion(&version);
    return cudaGetDriverEntryPointByVersion(name, out, (unsigned)version, flags, status);
}
