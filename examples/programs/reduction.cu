// reduction.cu - a sum in a chain of ever smaller launches, with templates, shuffles and dynamic
// shared memory. SPDX-License-Identifier: MIT
#include "host_check.h"

template <typename T, int PER_THREAD> __global__ void reduce(const T *in, T *out, int count)
{
    extern __shared__ unsigned char memory[];
    T *part = (T *)memory;
    T sum = 0;
    for (int k = 0; k < PER_THREAD; k++) {
        const int i = (blockIdx.x * PER_THREAD + k) * blockDim.x + threadIdx.x;
        sum += i < count ? in[i] : 0;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            sum += part[w];
        out[blockIdx.x] = sum;
    }
}

template <typename T, int PER_THREAD> static T total(const std::vector<T> &values, int threads)
{
    T *in = to_device(values), *out;
    int count = (int)values.size();
    CHECK(cudaMalloc(&out, values.size() * sizeof(T)));
    while (count > 1) {
        const int each = threads * PER_THREAD, blocks = (count + each - 1) / each;
        reduce<T, PER_THREAD><<<blocks, threads, threads / 32 * sizeof(T)>>>(in, out, count);
        CHECK(cudaGetLastError());
        std::swap(in, out);
        count = blocks;
    }
    const T sum = to_host(in, 1)[0];
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return sum;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 100000;
    Random random = {11};
    std::vector<unsigned long long> whole(count);
    std::vector<float> real(count);
    unsigned long long sum = 0;
    double real_sum = 0;
    for (int i = 0; i < count; i++) {
        whole[i] = random.next();
        real[i] = (float)(random.next() % 4096) / 4096;
        sum += whole[i];
        real_sum += real[i];
    }
    const unsigned long long whole_total = total<unsigned long long, 4>(whole, 256);
    const float real_total = total<float, 8>(real, 128);
    printf("%d numbers: %llu, %.3f\n", count, whole_total, real_total);
    return finish(whole_total == sum && fabs(real_total - real_sum) < 1e-6 * real_sum);
}
