// row_distance.cu - loads of 128 bytes from each of many rows, by the distance of the rows, width, kind of load, blocks on a
// multiprocessor and room for shared memory. Only the width and how many are in flight matter. SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <algorithm>
#include <vector>
#define RT(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t r_ = (x);                                                                                          \
        if (r_) {                                                                                                      \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(r_));                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
enum { LD, CA, CG };
template <int W> struct word;
template <> struct word<2> {
    typedef unsigned short t;
    static __device__ unsigned sum(t x) { return x; }
};
template <> struct word<4> {
    typedef unsigned t;
    static __device__ unsigned sum(t x) { return x; }
};
template <> struct word<8> {
    typedef uint2 t;
    static __device__ unsigned sum(t x) { return x.x ^ x.y; }
};
template <> struct word<16> {
    typedef uint4 t;
    static __device__ unsigned sum(t x) { return x.x ^ x.y ^ x.z ^ x.w; }
};
template <int W, int MODE, int BATCH>
__global__ void __launch_bounds__(128) k_rows(const char *base, long pitch, int steps, unsigned *cycles, unsigned *sink)
{
    extern __shared__ char tile[];
    typedef typename word<W>::t word_t;
    const int t = threadIdx.x, column = t % (128 / W) * W, row0 = t / (128 / W);
    const char *from = base + row0 * pitch + column + (long)blockIdx.x * steps * 128;
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile) + t * W;
    unsigned sum = 0;
    __syncthreads();
    const unsigned start = clock();
    for (int s = 0; s < steps; s++) {
        if (MODE == LD) {
#pragma unroll 1
            for (int first = 0; first < 128 / W; first += BATCH) {
                word_t v[BATCH];
#pragma unroll
                for (int i = 0; i < BATCH; i++)
                    v[i] = *reinterpret_cast<const word_t *>(from + (long)(first + i) * W * pitch + s * 128);
#pragma unroll
                for (int i = 0; i < BATCH; i++)
                    sum ^= word<W>::sum(v[i]);
            }
        } else {
#pragma unroll 1
            for (int first = 0; first < 128 / W; first += BATCH)
#pragma unroll
                for (int i = 0; i < BATCH; i++) {
                    const char *at = from + (long)(first + i) * W * pitch + s * 128;
                    const unsigned there = to + (first + i) * 128 * W;
                    if (MODE == CG)
                        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(at));
                    else
                        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(at),
                                     "n"(W < 4 ? 4 : W));
                }
            asm volatile("cp.async.commit_group;");
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
    }
    cycles[blockIdx.x * 4 + t / 32] = clock() - start;
    if (sum == 12345)
        *sink = sum;
}

struct Run {
    const char *kind;
    int width, batch;
    void (*f)(const char *, long, int, unsigned *, unsigned *);
};
int main()
{
    static const Run runs[] = {{"ld", 2, 8, k_rows<2, LD, 8>},   {"ld", 2, 32, k_rows<2, LD, 32>},
                               {"ld", 4, 8, k_rows<4, LD, 8>},   {"ld", 4, 32, k_rows<4, LD, 32>},
                               {"ld", 8, 8, k_rows<8, LD, 8>},   {"ld", 16, 8, k_rows<16, LD, 8>},
                               {"ca", 4, 8, k_rows<4, CA, 8>},   {"ca", 8, 8, k_rows<8, CA, 8>},
                               {"ca", 16, 8, k_rows<16, CA, 8>}, {"cg", 16, 8, k_rows<16, CG, 8>}};
    static const long pitches[] = {1024, 4096, 32768, 32768 + 128};
    static const int grids[] = {1, 132, 528}, shareds[] = {16384, 49152, 98304, 204800};
    const int steps = 4;
    char *data;
    unsigned *cycles, *sink;
    RT(cudaMalloc(&data, 65536L * 128 + 528L * steps * 128 + 65536));
    RT(cudaMemset(data, 1, 65536L * 128 + 528L * steps * 128 + 65536));
    RT(cudaMalloc(&cycles, 528 * 16));
    RT(cudaMalloc(&sink, 4));
    cudaEvent_t e0, e1;
    RT(cudaEventCreate(&e0));
    RT(cudaEventCreate(&e1));
    printf("kind,width,batch,pitch,grid,shared,blocks_per_sm,cycles_per_load,cycles_block,us\n");
    for (const Run &r : runs)
        for (int shared : shareds) {
            RT(cudaFuncSetAttribute(r.f, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
            int per = 0;
            RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, r.f, 128, shared));
            for (long pitch : pitches)
                for (int grid : grids) {
                    std::vector<double> all;
                    float us = 0;
                    for (int k = 0; k < 4; k++) {
                        RT(cudaEventRecord(e0));
                        r.f<<<grid, 128, shared>>>(data, pitch, steps, cycles, sink);
                        RT(cudaEventRecord(e1));
                        RT(cudaDeviceSynchronize());
                        std::vector<unsigned> c(grid * 4);
                        RT(cudaMemcpy(c.data(), cycles, grid * 16, cudaMemcpyDeviceToHost));
                        double sum = 0;
                        for (unsigned x : c)
                            sum += x;
                        all.push_back(sum / c.size());
                        float ms;
                        RT(cudaEventElapsedTime(&ms, e0, e1));
                        us = ms * 1e3f;
                    }
                    std::sort(all.begin() + 1, all.end());
                    const double loads = steps * (128.0 / r.width),
                                 on = std::min((double)per, std::max(1.0, grid / 132.0));
                    printf("%s,%d,%d,%ld,%d,%d,%d,%.2f,%.0f,%.1f\n", r.kind, r.width, r.batch, pitch, grid, shared, per,
                           all[2] / loads / 4 / on, all[2], us);
                }
        }
}
