/* cuda_abi.h - numbers and structs of the CUDA runtime and driver interfaces, as far as the
 * double answers them. No CUDA header is needed to build it.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_CUDA_ABI_H
#define WL_PRELOAD_CUDA_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers that programs see; those of the runtime and of the driver agree where both exist. */
typedef enum cuda_error {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NOT_INITIALIZED = 3,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_PITCH = 12,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_TEXTURE = 18,
    CUDA_INVALID_DIRECTION = 21,
    CUDA_INVALID_FUNCTION = 98,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_IMAGE = 200,
    CUDA_NO_BINARY = 209,
    CUDA_INVALID_PTX = 218,
    CUDA_FILE_NOT_FOUND = 301,
    CUDA_INVALID_HANDLE = 400,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_FAILURE = 719,
    CUDA_COOPERATIVE_TOO_LARGE = 720,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_UNKNOWN = 999
} cuda_error;

/* What the double exports. */
#define CUDA_CALL __attribute__((visibility("default"))) cuda_error
#define CUDA_EXPORT __attribute__((visibility("default")))

typedef struct cuda_dim3 {
    unsigned x, y, z;
} cuda_dim3;

typedef enum cuda_direction {
    CUDA_HOST_TO_HOST,
    CUDA_HOST_TO_DEVICE,
    CUDA_DEVICE_TO_HOST,
    CUDA_DEVICE_TO_DEVICE,
    CUDA_DEFAULT_DIRECTION
} cuda_direction;

typedef struct cuda_stream *cuda_stream_t; /* NULL, 1 and 2: the default streams */
typedef struct cuda_event *cuda_event_t;
typedef struct cuda_graph *cuda_graph_t;
typedef struct gpu_function *cuda_function_t;

/* cudaLaunchConfig_t */
typedef struct cuda_launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        unsigned cluster[3];
        int flag;
    } value;
} cuda_launch_attribute;
#define CUDA_ATTRIBUTE_COOPERATIVE 2
#define CUDA_ATTRIBUTE_CLUSTER 4
typedef struct cuda_launch_config {
    cuda_dim3 grid, block;
    size_t shared;
    cuda_stream_t stream;
    cuda_launch_attribute *attributes;
    unsigned count;
} cuda_launch_config;
/* CUlaunchConfig */
typedef struct cuda_driver_config {
    unsigned grid[3], block[3], shared;
    cuda_stream_t stream;
    cuda_launch_attribute *attributes;
    unsigned count;
} cuda_driver_config;
/* CUDA_KERNEL_NODE_PARAMS_v2 */
typedef struct cuda_driver_node {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context; /* kernel: where function is NULL */
} cuda_driver_node;

/* CUDA_MEMCPY2D_v2; a kind of memory is 1: host, 2: device, 3: array, 4: found by its address */
typedef struct cuda_copy_side {
    size_t x, y;
    int kind;
    void *host;
    uint64_t device;
    struct cuda_array *array;
    size_t pitch;
} cuda_copy_side;
typedef struct cuda_driver_copy_2d {
    cuda_copy_side from, to;
    size_t width, height;
} cuda_driver_copy_2d;

typedef struct cuda_function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int threads_max, registers, ptx_version, binary_version, cache_mode, dynamic_shared_max, carveout;
    int cluster_needed, cluster_width, cluster_height, cluster_depth, cluster_policy, cluster_not_portable;
    int reserved[16];
} cuda_function_attributes;

typedef struct cuda_pointer_attributes {
    int type; /* 0: not registered, 1: host, 2: device, 3: managed */
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
} cuda_pointer_attributes;

/* CUDA_ARRAY3D_DESCRIPTOR */
typedef struct cuda_driver_array {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} cuda_driver_array;
/* CUDA_MEMCPY3D_v2 */
typedef struct cuda_side_3d {
    size_t x, y, z, level;
    int kind; /* as in cuda_copy_side */
    void *host;
    uint64_t device;
    struct cuda_array *array;
    void *reserved;
    size_t pitch, height;
} cuda_side_3d;
typedef struct cuda_driver_copy_3d {
    cuda_side_3d from, to;
    size_t width, height, depth;
} cuda_driver_copy_3d;
/* CUDA_RESOURCE_DESC; a kind is 0: array, 1: of mipmaps, 2: linear, 3: pitched */
typedef struct cuda_driver_resource {
    int kind;
    union {
        struct cuda_array *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
} cuda_driver_resource;
/* CUDA_TEXTURE_DESC; filter 1: linear; flags 1: integers stay so, 2: normalized coordinates */
typedef struct cuda_driver_texture {
    int modes[3], filter;
    unsigned flags, anisotropy;
    float rest[8];
    int reserved[12];
} cuda_driver_texture;

typedef struct cuda_extent {
    size_t width, height, depth;
} cuda_extent;
typedef struct cuda_pitched {
    void *pointer;
    size_t pitch, width, height;
} cuda_pitched;
typedef struct cuda_position {
    size_t x, y, z;
} cuda_position;
typedef struct cuda_copy_3d {
    struct cuda_array *from_array;
    cuda_position from_at;
    cuda_pitched from;
    struct cuda_array *to_array;
    cuda_position to_at;
    cuda_pitched to;
    cuda_extent extent;
    int direction;
} cuda_copy_3d;

#endif /* WL_PRELOAD_CUDA_ABI_H */
