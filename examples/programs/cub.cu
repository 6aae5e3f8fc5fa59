// cub.cu - a library of templates: CUB sorts keys with their values, sums them up and selects some.
// SPDX-License-Identifier: MIT
#include "host_check.h"
#include <cub/cub.cuh>

struct IsEven {
    __device__ bool operator()(unsigned key) const { return key % 2 == 0; }
};

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 3000;
    Random random = {9};
    std::vector<unsigned> keys(n), values(n);
    for (int i = 0; i < n; i++) {
        keys[i] = random.next() % 100000;
        values[i] = (unsigned)i;
    }
    unsigned *in = to_device(keys), *in_values = to_device(values), *out, *out_values, *sums, *selected;
    int *count;
    void *memory = nullptr;
    size_t bytes = 0, most = 0;
    for (unsigned **p : {&out, &out_values, &sums, &selected})
        CHECK(cudaMalloc(p, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, most, in, out, in_values, out_values, n));
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, out, sums, n));
    most = std::max(most, bytes);
    CHECK(cub::DeviceSelect::If(nullptr, bytes, out, selected, count, n, IsEven()));
    most = std::max(most, bytes);
    CHECK(cudaMalloc(&memory, most));
    bytes = most;
    CHECK(cub::DeviceRadixSort::SortPairs(memory, bytes, in, out, in_values, out_values, n));
    bytes = most;
    CHECK(cub::DeviceScan::InclusiveSum(memory, bytes, out, sums, n));
    bytes = most;
    CHECK(cub::DeviceSelect::If(memory, bytes, out, selected, count, n, IsEven()));
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> order(values), even;
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    const std::vector<unsigned> sorted = to_host(out, n), sum = to_host(sums, n);
    bool right = to_host(out_values, n) == order;
    unsigned total = 0;
    for (int i = 0; i < n; i++) {
        right = right && sorted[i] == keys[order[i]] && sum[i] == (total += sorted[i]);
        if (sorted[i] % 2 == 0)
            even.push_back(sorted[i]);
    }
    const int found = to_host(count, 1)[0];
    right = right && to_host(selected, found) == even;
    printf("%d keys: digest %08x, sum %u, %d even\n", n, digest(sorted), total, found);
    return finish(right);
}
