// tile_copy.cu - the tensor memory accelerator (Hopper and later): boxes of a matrix, which a tensor
// map of the driver describes, are copied to shared memory and transposed.
// SPDX-License-Identifier: MIT
#include "host_check.h"
#include <cuda.h>

#define BOX 32

__device__ static unsigned address_of(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

__global__ void transpose(const __grid_constant__ CUtensorMap map, float *out, int height)
{
    __shared__ alignas(128) float box[BOX][BOX];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned at = address_of(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"((int)sizeof box)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(address_of(box)),
                     "l"(&map), "r"(blockIdx.x * BOX), "r"(blockIdx.y * BOX), "r"(at)
                     : "memory");
    }
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(at)
                 : "memory");
    const int column = threadIdx.x % BOX;
    for (int row = threadIdx.x / BOX; row < BOX; row += blockDim.x / BOX)
        out[(blockIdx.x * BOX + row) * height + blockIdx.y * BOX + column] = box[column][row];
}

int main(int argc, char **argv)
{
    const int width = 128, height = argc > 1 ? atoi(argv[1]) / BOX * BOX : 192;
    std::vector<float> matrix(width * height);
    for (int i = 0; i < width * height; i++)
        matrix[i] = (float)i;
    float *in = to_device(matrix), *out;
    CHECK(cudaMalloc(&out, matrix.size() * sizeof(float)));
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    if (!entry || found != cudaDriverEntryPointSuccess)
        return finish(false);
    CUtensorMap map;
    const cuuint64_t extent[] = {(cuuint64_t)width, (cuuint64_t)height}, stride[] = {width * sizeof(float)};
    const cuuint32_t box[] = {BOX, BOX}, step[] = {1, 1};
    const CUresult error = ((decltype(&cuTensorMapEncodeTiled))entry)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS)
        return finish(false);
    transpose<<<dim3(width / BOX, height / BOX), 256>>>(map, out, height);
    CHECK(cudaGetLastError());
    const std::vector<float> transposed = to_host(out, matrix.size());
    bool right = true;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            right = right && transposed[x * height + y] == matrix[y * width + x];
    printf("%d x %d: digest %08x\n", width, height, digest(transposed));
    return finish(right);
}
