// bfs.cu - breadth-first search: one launch per level, as large as the frontier, until the host
// finds it empty. SPDX-License-Identifier: MIT
#include "host_check.h"

__global__ void visit(const int *first, const int *edges, int *level, const int *frontier, int size, int *next,
                      int *next_size, int depth)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    const int node = frontier[i];
    for (int e = first[node]; e < first[node + 1]; e++)
        if (atomicCAS(&level[edges[e]], -1, depth) == -1)
            next[atomicAdd(next_size, 1)] = edges[e];
}

static std::vector<int> search(const std::vector<int> &first, const std::vector<int> &edges, int nodes)
{
    std::vector<int> level(nodes, -1), queue = {0};
    level[0] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (int e = first[queue[i]]; e < first[queue[i] + 1]; e++)
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[queue[i]] + 1;
                queue.push_back(edges[e]);
            }
    return level;
}

int main(int argc, char **argv)
{
    const int nodes = argc > 1 ? atoi(argv[1]) : 20000;
    Random random = {1};
    std::vector<int> first(nodes + 1), edges;
    for (int node = 0; node < nodes; node++) {
        const int degree = random.next() % 7;
        for (int e = 0; e < degree; e++)
            edges.push_back(random.next() % nodes);
        edges.push_back((node + 1) % nodes);
        first[node + 1] = (int)edges.size();
    }
    std::vector<int> start(nodes, -1);
    start[0] = 0;
    int *d_first = to_device(first), *d_edges = to_device(edges), *level = to_device(start);
    int *frontier, *next, *d_size, size = 1, depth = 0;
    CHECK(cudaMalloc(&frontier, nodes * sizeof(int)));
    CHECK(cudaMalloc(&next, nodes * sizeof(int)));
    CHECK(cudaMalloc(&d_size, sizeof(int)));
    CHECK(cudaMemset(frontier, 0, sizeof(int)));
    while (size > 0) {
        CHECK(cudaMemset(d_size, 0, sizeof(int)));
        visit<<<(size + 127) / 128, 128>>>(d_first, d_edges, level, frontier, size, next, d_size, ++depth);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&size, d_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    const std::vector<int> found = to_host(level, nodes);
    printf("%d nodes, %zu edges: %d levels, digest %08x\n", nodes, edges.size(), depth, digest(found));
    return finish(found == search(first, edges, nodes));
}
