// bulk_latency.cu - cycles of a bulk copy from the L2 to shared memory whose arrival is awaited
// before the next one, beside those of a load whose address is what the load before gave. Prints rows of
// validate/probes/h200_bulk_latency.csv. SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"

__global__ void __launch_bounds__(32) copy_chain(const uint8_t *in, long long *out, int bytes, int rounds)
{
    extern __shared__ __align__(128) uint8_t row[];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_barrier_init();
        long long begin = 0;
        for (int r = -rounds; r < rounds; r++) { // the first rounds bring the data into the L2
            if (r == 0)
                begin = clock64();
            barrier_expect(&full, bytes);
            load_row(row, in + (size_t)(r + rounds) % 16 * bytes, bytes, &full);
            barrier_wait(&full, r + rounds & 1);
        }
        out[0] = clock64() - begin;
    }
}
__global__ void __launch_bounds__(32) load_chain(const uint32_t *in, long long *out, int rounds)
{
    uint32_t at = 0;
    long long begin = 0;
    for (int r = -rounds; r < rounds; r++) {
        if (r == 0)
            begin = clock64();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(in + at));
    }
    out[0] = clock64() - begin;
    out[1] = at;
}
int main()
{
    uint8_t *in;
    long long *out;
    CHECK(cudaMalloc(&in, 1 << 20));
    CHECK(cudaMemset(in, 0, 1 << 20));
    CHECK(cudaMallocManaged(&out, 64));
    const int rounds = 1000;
    printf("what,bytes,cycles\n");
    load_chain<<<1, 32>>>((const uint32_t *)in, out, rounds);
    CHECK(cudaDeviceSynchronize());
    printf("load,4,%.1f\n", (double)out[0] / rounds);
    for (int bytes = 16; bytes <= 32768; bytes *= 2) {
        copy_chain<<<1, 32, bytes>>>(in, out, bytes, rounds);
        CHECK(cudaDeviceSynchronize());
        printf("bulk,%d,%.1f\n", bytes, (double)out[0] / rounds);
    }
    return 0;
}
