// boxes.cu - what a ring of copies through a tensor map costs: boxes of rows of 128 bytes that arrive
// at one or, by multicast, at several blocks of a cluster, from the L2 or from DRAM, one against many
// in flight, by one block or on all multiprocessors. Prints rows of validate/probes/h200_boxes.csv:
// cycles of a step (the slowest and the mean block) and microseconds of the launch.
// SPDX-License-Identifier: MIT
#include "harness.h"

#include "hopper.h"
#include "tensor_maps.h"


constexpr int ROW = 128;

struct How {
    int cluster, mode;      // 0: each block loads all it needs, 1: each a share for all, 2: the first all for all
    int rows, own;          // rows of a step that the cluster has in common, rows of each block alone
    int stages, steps;
    int readers;            // so many clusters next to each other read the same rows
    int handshake;          // a stage is refilled when all blocks of the cluster have released it
    int resident;           // a few boxes again and again, which the L2 holds; else steps walk along rows
    int walk, tiles, own_tiles; // columns of 128 bytes of a tile; tiles of the array
};

template <int CLUSTER> static __device__ __forceinline__ void ring_of_boxes(const CUtensorMap *map, const CUtensorMap *own_map,
                                                                           long long *out, How how)
{
    extern __shared__ uint8_t raw[];
    uint8_t *tile = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~(uintptr_t)1023);
    __shared__ uint64_t full[16], empty[16];
    const int bytes = (how.rows + how.own) * ROW;
    const uint32_t rank = CLUSTER > 1 ? cluster_rank() : 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < how.stages; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], how.handshake ? CLUSTER : 1);
        }
        fence_barrier_init();
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    const int cluster = blockIdx.x / CLUSTER, share = how.mode == 1 ? how.rows / CLUSTER : how.rows;
    if (threadIdx.x == 0) { // loads
        int stage = 0;
        uint32_t phase = 0;
        for (int step = 0; step < how.steps; step++) {
            barrier_wait(&empty[stage], phase ^ 1);
            barrier_expect(&full[stage], bytes);
            uint8_t *to = tile + stage * bytes;
            const int x = step % how.walk * (ROW / 4), t = how.resident ? 0 : step / how.walk;
            const int groups = (gridDim.x / CLUSTER + how.readers - 1) / how.readers;
            const int y = (cluster / how.readers + t * groups) % how.tiles * how.rows;
            if (how.own)
                load_tile(to + how.rows * ROW, own_map, x,
                          (int)(blockIdx.x + t * gridDim.x) % how.own_tiles * how.own, &full[stage]);
            if (how.rows) {
                if (CLUSTER == 1 || how.mode == 0)
                    load_tile(to, map, x, y, &full[stage]);
                else if (how.mode == 1)
                    load_tile_to_all(to + rank * share * ROW, map, x, y + (int)rank * share, &full[stage],
                                     (uint16_t)((1 << CLUSTER) - 1));
                else if (rank == 0)
                    load_tile_to_all(to, map, x, y, &full[stage], (uint16_t)((1 << CLUSTER) - 1));
            }
            if (++stage == how.stages) {
                stage = 0;
                phase ^= 1;
            }
        }
    } else if (threadIdx.x == 32) { // releases
        int stage = 0;
        uint32_t phase = 0;
        long long begin = 0;
        for (int step = 0; step < how.steps; step++) {
            if (step == how.steps / 4)
                begin = clock64();
            barrier_wait(&full[stage], phase);
            if (how.handshake)
                for (int r = 0; r < CLUSTER; r++)
                    barrier_arrive_at(&empty[stage], r);
            else
                barrier_arrive(&empty[stage]);
            if (++stage == how.stages) {
                stage = 0;
                phase ^= 1;
            }
        }
        out[blockIdx.x] = clock64() - begin;
    }
    if (CLUSTER > 1)
        cluster_sync();
}
#define BOXES(NAME, CLUSTER, DIMS)                                                                                     \
    __global__ void DIMS __launch_bounds__(64) NAME(const __grid_constant__ CUtensorMap map,                           \
                                                    const __grid_constant__ CUtensorMap own, long long *out, How how)  \
    {                                                                                                                  \
        ring_of_boxes<CLUSTER>(&map, &own, out, how);                                                                  \
    }
BOXES(k_boxes_1, 1, )
BOXES(k_boxes_2, 2, __cluster_dims__(2, 1, 1))
BOXES(k_boxes_4, 4, __cluster_dims__(4, 1, 1))

static float *array;
static long long *out;
static CUtensorMap map_of(int width, int height, int box, bool swizzled, int promotion)
{
    CUtensorMap map;
    const cuuint64_t extents[2] = {(cuuint64_t)width, (cuuint64_t)height}, strides[1] = {(cuuint64_t)width * 4};
    const cuuint32_t sizes[2] = {ROW / 4, (cuuint32_t)std::max(box, 1)}, steps[2] = {1, 1};
    const CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, array, extents, strides, sizes, steps,
                              CU_TENSOR_MAP_INTERLEAVE_NONE,
                              swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                              (CUtensorMapL2promotion)promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(1);
    }
    return map;
}
// pitch: bytes between rows; promotion: 0 none, 1: 64 bytes, 2: 128, 3: 256
struct Launch {
    How how;
    int blocks, pitch, swizzled, promotion;
};
constexpr size_t ROOM = (size_t)1 << 30; // bytes of the array
static void measure(const char *what, Launch l, bool once)
{
    const int height = (int)(ROOM / l.pitch);
    How how = l.how;
    how.walk = how.resident ? std::min(2, l.pitch / ROW) : l.pitch / ROW;
    how.tiles = height / std::max(how.rows, 1);
    how.own_tiles = height / std::max(how.own, 1);
    const int box = how.mode == 1 ? how.rows / how.cluster : how.rows;
    const CUtensorMap map = map_of(l.pitch / 4, height, box, l.swizzled, l.promotion);
    const CUtensorMap own = map_of(l.pitch / 4, height, how.own, l.swizzled, l.promotion);
    const size_t shared = (size_t)(how.rows + how.own) * ROW * how.stages + 1024;
    auto kernel = how.cluster == 4 ? k_boxes_4 : how.cluster == 2 ? k_boxes_2 : k_boxes_1;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024));
    // one block per multiprocessor
    const size_t room = std::max(shared, (size_t)116 * 1024);
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    float best = 1e9f, ms;
    for (int r = 0; r < (once ? 1 : 4); r++) {
        CHECK(cudaEventRecord(a));
        kernel<<<l.blocks, 64, room>>>(map, own, out, how);
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        CHECK(cudaEventElapsedTime(&ms, a, b));
        best = std::min(best, ms);
    }
    long long most = 0;
    double sum = 0;
    for (int i = 0; i < l.blocks; i++) {
        most = std::max(most, out[i]);
        sum += (double)out[i];
    }
    const double steps = how.steps - how.steps / 4;
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f,%.2f\n", what, l.blocks, how.cluster, how.mode, how.rows,
           how.own, how.stages, how.readers, how.handshake, how.resident, l.pitch, l.swizzled, l.promotion,
           (double)most / steps, sum / l.blocks / steps, 1e3 * best);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const bool prof = argc > 1 && !strcmp(argv[1], "prof");
    find_encode();
    array = device_array<float>(ROOM / sizeof(float));
    CHECK(cudaMallocManaged(&out, 132 * sizeof *out));
    printf("what,blocks,cluster,mode,rows,own,stages,readers,handshake,resident,pitch,swizzled,promotion,most,mean,us\n");
    const How usual = {2, 1, 128, 0, 4, 512, 16, 1, 1};
    const Launch base = {usual, 132, 8192, 1, 0};
    Launch l;
    if (prof) { // a few, with counters
        for (int mode : {0, 1})
            for (int readers : {1, 16}) {
                l = base;
                l.how.mode = mode;
                l.how.readers = readers;
                measure("prof", l, true);
            }
        for (int stages : {1, 4}) {
            l = base;
            l.how = {1, 0, 256, 0, stages, 512, 1, 0, 0};
            measure("prof", l, true);
        }
        return 0;
    }
    // latency: one box at a time, by size; by one block and by all, from the L2 and from DRAM
    for (int resident : {1, 0})
        for (int blocks : {1, 132})
            for (int rows : {1, 8, 32, 64, 128, 256})
                for (int stages : {1, 2, 3, 4}) {
                    if ((stages > 1 && rows < 128) || rows * stages > 1536)
                        continue;
                    l = base;
                    l.how = {1, 0, rows, 0, stages, 512, 1, 0, resident};
                    l.blocks = blocks;
                    measure("ring", l, false);
                }
    for (int readers : {4, 16, 132}) // the same rows for several blocks
        for (int stages : {1, 2, 4})
            for (int resident : {1, 0}) {
                l = base;
                l.how = {1, 0, 256, 0, stages, 512, readers, 0, resident};
                measure("shared", l, false);
            }
    for (int pitch : {128, 256, 1024, 8192, 8320}) // how far rows are apart
        for (int stages : {1, 4}) {
            l = base;
            l.how = {1, 0, 256, 0, stages, 512, 1, 0, 1};
            l.pitch = pitch;
            measure("pitch", l, false);
        }
    // multicast
    for (int cluster : {2, 4})
        for (int mode : {0, 1, 2})
            for (int rows : {32, 64, 128, 256})
                for (int stages : {1, 4, 6}) {
                    l = base;
                    l.how.cluster = cluster;
                    l.how.mode = mode;
                    l.how.rows = rows;
                    l.how.stages = stages;
                    l.how.readers = 32 / cluster;
                    measure("multicast", l, false);
                }
    for (int mode : {0, 1, 2})
        for (int readers : {1, 4, 16, 66}) {
            l = base;
            l.how.mode = mode;
            l.how.readers = readers;
            measure("readers", l, false);
        }
    for (int mode : {0, 1, 2})
        for (int handshake : {0, 1})
            for (int blocks : {2, 132}) {
                if (mode == 2 && !handshake)
                    continue; // the second block would get more bytes than it expects
                l = base;
                l.how.mode = mode;
                l.how.handshake = handshake;
                l.blocks = blocks;
                measure("handshake", l, false);
            }
    for (int mode : {0, 1})
        for (int promotion : {0, 1, 2, 3})
            for (int swizzled : {0, 1}) {
                l = base;
                l.how.mode = mode;
                l.promotion = promotion;
                l.swizzled = swizzled;
                measure("promotion", l, false);
            }
    for (int mode : {0, 1})
        for (int pitch : {128, 1024, 8192, 8320, 16384})
            for (int rows : {64, 128, 256}) {
                l = base;
                l.how.mode = mode;
                l.how.rows = rows;
                l.pitch = pitch;
                measure("multicast_pitch", l, false);
            }
    for (int mode : {0, 1}) // as in a product: rows of each block beside those of the cluster
        for (int rows : {64, 128, 256})
            for (int resident : {1, 0})
                for (int stages : {2, 4}) {
                    if ((rows + 128) * stages > 1600)
                        continue;
                    l = base;
                    l.how.mode = mode;
                    l.how.rows = rows;
                    l.how.own = 128;
                    l.how.stages = stages;
                    l.how.resident = resident;
                    measure("product", l, false);
                }
    return 0;
}
