// host_check.h - what the programs of this folder share: errors of calls end the program, and
// results can be compared on any machine.
// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>

#define CHECK(call) check(call, #call, __LINE__)
static inline void check(cudaError_t error, const char *call, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(error));
    exit(1);
}

// FNV-1a
template <typename T> static inline uint32_t digest(const std::vector<T> &values)
{
    uint32_t hash = 2166136261u;
    for (const T &value : values)
        for (size_t i = 0; i < sizeof(T); i++)
            hash = (hash ^ ((const unsigned char *)&value)[i]) * 16777619u;
    return hash;
}

template <typename T> static inline T *to_device(const std::vector<T> &values)
{
    T *device;
    CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T> static inline std::vector<T> to_host(const T *device, size_t count)
{
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// The same numbers on every machine.
struct Random {
    uint32_t state;
    uint32_t next() { return (state = state * 1664525u + 1013904223u) >> 8; }
    float unit() { return next() / 16777216.0f; }
};

static inline int finish(bool right)
{
    printf("%s\n", right ? "right" : "WRONG");
    return !right;
}
