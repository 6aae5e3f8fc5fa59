/* rt_device.c - what a program asks about the device: from the device file. Errors and versions.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_internal.h"
#include "world.h"

/* ---- numbers ---- */

static double key(const gpu_world *w, wl_device_key which, double otherwise)
{
    return wl_device_or(w->device, which, otherwise);
}

/* Of cudaDeviceGetAttribute; those of the driver have the same numbers. */
static double attribute(const gpu_world *w, int which)
{
    switch (which) {
    case 1: return key(w, WL_DEVICE_max_block, 1024);
    case 2:
    case 3: return 1024;
    case 4: return 64;
    case 5: return INT32_MAX;
    case 6:
    case 7: return 65535;
    case 8: return 48 << 10;
    case 9: return 64 << 10;
    case 10: return key(w, WL_DEVICE_warp_size, 32);
    case 11: return INT32_MAX;
    case 12:
    case 82: return key(w, WL_DEVICE_registers_per_sm, 65536);
    case 13: return key(w, WL_DEVICE_clock, 1.5e9) / 1e3; /* kHz */
    case 14: return 512;
    case 16: return key(w, WL_DEVICE_sm_count, 1);
    case 37: return 5120;
    case 36: return key(w, WL_DEVICE_dram_bandwidth, 1e12) / (2 * 5120 / 8) / 1e3; /* kHz, DDR */
    case 38: return key(w, WL_DEVICE_l2_size, 4 << 20);
    case 39: return key(w, WL_DEVICE_max_threads_per_sm, 2048);
    case 40: return 2;
    case 51: return 32;
    case 75: return gpu_architecture(w) / 10;
    case 76: return gpu_architecture(w) % 10;
    case 81: return key(w, WL_DEVICE_shared_per_sm, 228 << 10);
    case 87: return 2;
    case 97: return key(w, WL_DEVICE_shared_per_block, 227 << 10);
    case 106: return key(w, WL_DEVICE_max_blocks_per_sm, 32);
    case 111: return key(w, WL_DEVICE_shared_reserved, 1024);
    case 120: return gpu_architecture(w) / 10 >= 9;
    case 15: /* copies overlap */
    case 19: /* mapped memory */
    case 31: /* concurrent kernels */
    case 41: /* one address space */
    case 78: /* priorities */
    case 79:
    case 80: /* L1 */
    case 83: /* managed memory, */
    case 89: /* also while kernels run */
    case 90: /* preemption */
    case 95: /* cooperative launches */
    case 99: /* registered memory */
    case 115: /* pools */ return 1;
    default: return 0;
    }
}

/* ---- properties ---- */

/* One member after the other, as the struct of a version lays them out. */
typedef struct properties {
    uint8_t *out;
    size_t at;
} properties;

static void put(properties *p, const void *bytes, size_t count, size_t align)
{
    p->at = (p->at + align - 1) / align * align;
    memcpy(p->out + p->at, bytes, count);
    p->at += count;
}

static void put_int(properties *p, double value)
{
    const int32_t number = value > INT32_MAX ? INT32_MAX : (int32_t)value;
    put(p, &number, sizeof number, sizeof number);
}

static void put_size(properties *p, double value)
{
    const uint64_t number = (uint64_t)value;
    put(p, &number, sizeof number, sizeof number);
}

static void put_ints(properties *p, int count, double value)
{
    for (int i = 0; i < count; i++)
        put_int(p, value);
}

#define TEXTURE 32768 /* elements along a dimension of a texture or surface */

/* The members up to those of 3D textures. */
static void put_first(const gpu_world *w, int version, properties *p)
{
    char name[256] = {0};
    const char *title = wl_device_title(w->device);
    (void)snprintf(name, sizeof name, "%s", title ? title : wl_device_name(w->device));
    put(p, name, sizeof name, 1);
    put(p, (const uint8_t[24]){1}, 24, 1); /* identifiers */
    put_int(p, 0);
    put_size(p, (double)GPU_MEMORY_BYTES);
    put_size(p, attribute(w, 8));
    put_int(p, attribute(w, 12));
    put_int(p, attribute(w, 10));
    put_size(p, attribute(w, 11));
    put_int(p, attribute(w, 1));
    for (int d = 2; d <= 7; d++)
        put_int(p, attribute(w, d));
    if (version < 13)
        put_int(p, attribute(w, 13));
    put_size(p, attribute(w, 9));
    put_int(p, attribute(w, 75));
    put_int(p, attribute(w, 76));
    put_size(p, attribute(w, 14));
    put_size(p, attribute(w, 51));
    if (version < 13)
        put_int(p, 1); /* copies overlap */
    put_int(p, attribute(w, 16));
    if (version < 13)
        put_int(p, 0); /* no time limit of kernels */
    put_int(p, 0);     /* not integrated */
    put_int(p, 1);     /* maps host memory */
    if (version < 13)
        put_int(p, 0); /* for several programs */
    put_ints(p, 2, TEXTURE);
    if (version < 13)
        put_int(p, 1 << 27);                                     /* of a texture over memory */
    put_ints(p, 2 + 2 + 3 + 2 + 3 + 3 + 1 + 2 + 3 + 2, TEXTURE); /* textures */
    put_ints(p, 1 + 2 + 3 + 2 + 3 + 1 + 2, TEXTURE);             /* surfaces */
}

/* The members behind those of surfaces. */
static void put_second(const gpu_world *w, int version, properties *p)
{
    put_size(p, 512);
    put_int(p, 1);     /* concurrent kernels */
    put_ints(p, 5, 0); /* ECC, PCI, driver */
    put_int(p, attribute(w, 40));
    put_int(p, 1); /* one address space */
    if (version < 13)
        put_int(p, attribute(w, 36));
    put_int(p, attribute(w, 37));
    put_int(p, attribute(w, 38));
    put_int(p, attribute(w, 38) / 2); /* that may persist */
    put_int(p, attribute(w, 39));
    put_ints(p, 3, 1); /* priorities, L1 */
    put_size(p, attribute(w, 81));
    put_int(p, attribute(w, 82));
    put_int(p, 1); /* managed memory */
    put_ints(p, 3, 0);
    if (version < 13)
        put_int(p, attribute(w, 87));
    put_int(p, 0); /* pageable memory */
    put_int(p, 1); /* managed memory while kernels run */
    put_int(p, 1); /* preemption */
    put_int(p, 0);
    put_int(p, 1); /* cooperative launches */
    if (version < 13)
        put_int(p, 0); /* on several devices */
    put_size(p, attribute(w, 97));
    put_ints(p, 2, 0);
    put_int(p, attribute(w, 106));
    put_int(p, 0);
    put_size(p, attribute(w, 111));
    if (version < 12)
        return;
    put_int(p, 1); /* registered memory */
    put_ints(p, 3, 0);
    put_int(p, 1); /* pools */
    put_ints(p, 6, 0);
    put_int(p, attribute(w, 120));
    put_int(p, 0);
}

#define PROPERTIES_MAX 2048

/* A struct of the program, of the size that its version has: what we do not know stays 0. */
static cuda_error get_properties(void *out, int device, int version)
{
    const gpu_world *w = gpu_enter();
    uint8_t bytes[PROPERTIES_MAX] = {0};
    properties p = {bytes, 0};
    if (device != 0 || !out)
        return gpu_end(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    put_first(w, version, &p);
    put_second(w, version, &p);
    memcpy(out, bytes, p.at);
    return gpu_end(CUDA_OK);
}

static int find_runtime(struct dl_phdr_info *info, size_t size, void *version)
{
    (void)size;
    const char *name = strstr(info->dlpi_name, "libcudart.so.");
    if (name && *(int *)version == 0)
        *(int *)version = atoi(name + strlen("libcudart.so."));
    return 0;
}

/* Which libcudart the program was linked with. */
static int runtime_version(void)
{
    static int version;
    if (version == 0)
        (void)dl_iterate_phdr(find_runtime, &version);
    return version > 0 ? version : 13;
}

CUDA_CALL cudaGetDeviceProperties(void *out, int device);
CUDA_CALL cudaGetDeviceProperties_v2(void *out, int device);
CUDA_CALL cudaDeviceGetAttribute(int *value, int which, int device);
CUDA_CALL cudaGetDeviceCount(int *count);
CUDA_CALL cudaGetDevice(int *device);
CUDA_CALL cudaSetDevice(int device);
CUDA_CALL cudaInitDevice(int device, unsigned a, unsigned b);
CUDA_CALL cudaChooseDevice(int *device, const void *wanted);
CUDA_CALL cudaSetDeviceFlags(unsigned flags);
CUDA_CALL cudaGetDeviceFlags(unsigned *flags);
CUDA_CALL cudaDeviceReset(void);
CUDA_CALL cudaDeviceSetCacheConfig(int config);
CUDA_CALL cudaDeviceSetSharedMemConfig(int config);
CUDA_CALL cudaDeviceGetLimit(size_t *value, int limit);
CUDA_CALL cudaDeviceSetLimit(int limit, size_t value);
CUDA_CALL cudaDeviceCanAccessPeer(int *can, int device, int peer);
CUDA_CALL cudaDeviceGetPCIBusId(char *text, int length, int device);
CUDA_CALL cudaDriverGetVersion(int *version);
CUDA_CALL cudaRuntimeGetVersion(int *version);
CUDA_CALL cudaProfilerStart(void);
CUDA_CALL cudaProfilerStop(void);
CUDA_CALL cudaGetLastError(void);
CUDA_CALL cudaPeekAtLastError(void);
CUDA_EXPORT const char *cudaGetErrorString(cuda_error error);
CUDA_EXPORT const char *cudaGetErrorName(cuda_error error);

cuda_error cudaGetDeviceProperties(void *out, int device)
{
    const int version = runtime_version();
    return get_properties(out, device, version >= 13 ? 13 : 11);
}

cuda_error cudaGetDeviceProperties_v2(void *out, int device) { return get_properties(out, device, 12); }

cuda_error cudaDeviceGetAttribute(int *value, int which, int device)
{
    const gpu_world *w = gpu_enter();
    *value = (int)attribute(w, which);
    return gpu_end(device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE);
}

cuda_error cudaGetDeviceCount(int *count)
{
    *count = 1;
    return CUDA_OK;
}

cuda_error cudaGetDevice(int *device)
{
    *device = 0;
    return CUDA_OK;
}

cuda_error cudaSetDevice(int device)
{
    (void)gpu_enter();
    return gpu_end(device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE);
}

cuda_error cudaInitDevice(int device, unsigned a, unsigned b)
{
    (void)a, (void)b;
    return cudaSetDevice(device);
}

cuda_error cudaChooseDevice(int *device, const void *wanted)
{
    (void)wanted;
    return cudaGetDevice(device);
}

cuda_error cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return CUDA_OK;
}

cuda_error cudaGetDeviceFlags(unsigned *flags)
{
    *flags = 0;
    return CUDA_OK;
}

cuda_error cudaDeviceReset(void) { return CUDA_OK; }

cuda_error cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return CUDA_OK;
}

cuda_error cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return CUDA_OK;
}

cuda_error cudaDeviceGetLimit(size_t *value, int limit)
{
    *value = limit == 0 ? 1024 : limit == 1 ? 1 << 20 : 8 << 20; /* stack, printf, heap */
    return CUDA_OK;
}

cuda_error cudaDeviceSetLimit(int limit, size_t value)
{
    (void)limit, (void)value;
    return CUDA_OK;
}

cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    (void)device, (void)peer;
    *can = 0;
    return CUDA_OK;
}

cuda_error cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    (void)device;
    (void)snprintf(text, (size_t)length, "0000:00:00.0");
    return CUDA_OK;
}

cuda_error cudaDriverGetVersion(int *version)
{
    *version = 1000 * runtime_version();
    return CUDA_OK;
}

cuda_error cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }
cuda_error cudaProfilerStart(void) { return CUDA_OK; }
cuda_error cudaProfilerStop(void) { return CUDA_OK; }
cuda_error cudaGetLastError(void) { return gpu_last_error(true); }
cuda_error cudaPeekAtLastError(void) { return gpu_last_error(false); }

/* ---- errors ---- */

static const struct {
    cuda_error error;
    const char *name, *text;
} errors[] = {
    {CUDA_OK, "cudaSuccess", "no error"},
    {CUDA_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CUDA_OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {CUDA_NOT_INITIALIZED, "cudaErrorInitializationError", "initialization error"},
    {CUDA_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {CUDA_INVALID_PITCH, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {CUDA_INVALID_SYMBOL, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {CUDA_INVALID_TEXTURE, "cudaErrorInvalidTexture", "invalid texture reference"},
    {CUDA_INVALID_DIRECTION, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {CUDA_INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {CUDA_NO_DEVICE, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {CUDA_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {CUDA_INVALID_IMAGE, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {CUDA_NO_BINARY, "cudaErrorNoKernelImageForDevice", "no kernel image is available for the device"},
    {CUDA_INVALID_PTX, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    {CUDA_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {CUDA_NOT_FOUND, "cudaErrorSymbolNotFound", "named symbol not found"},
    {CUDA_NOT_READY, "cudaErrorNotReady", "device not ready"},
    {CUDA_ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {CUDA_LAUNCH_FAILURE, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {CUDA_COOPERATIVE_TOO_LARGE, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {CUDA_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
    {CUDA_CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {CUDA_UNKNOWN, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorString(cuda_error error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cuda_error error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}
