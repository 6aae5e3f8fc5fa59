// filter.cu - an image in an array that is read through textures with two ways to treat its
// border, weights in constant memory, a table in linear memory, and a surface that takes the result.
// SPDX-License-Identifier: MIT
#include "host_check.h"

#define RADIUS 2

__constant__ int weight[2 * RADIUS + 1];
__constant__ struct {
    int low, high;
} range;

__global__ void filter(cudaTextureObject_t image, cudaTextureObject_t table, cudaSurfaceObject_t out, int width,
                       int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            sum += weight[dx + RADIUS] * weight[dy + RADIUS] * tex2D<int>(image, x + dx + 0.5f, y + dy + 0.5f);
    const int mapped = tex1Dfetch<int>(table, min(max(sum >> 8, range.low), range.high));
    surf2Dwrite(mapped, out, x * (int)sizeof(int), y);
}

static cudaTextureObject_t over(cudaArray_t array, cudaTextureAddressMode mode)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    texture.addressMode[0] = texture.addressMode[1] = mode;
    texture.filterMode = cudaFilterModePoint;
    texture.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 100, height = 60, entries = 256;
    const int weights[2 * RADIUS + 1] = {1, 4, 6, 4, 1}, limits[2] = {10, 240};
    std::vector<int> image(width * height), table(entries), result(width * height);
    Random random = {13};
    for (int &value : image)
        value = random.next() % 256;
    for (int i = 0; i < entries; i++)
        table[i] = i * i % 251;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t in, out;
    CHECK(cudaMallocArray(&in, &format, width, height));
    CHECK(cudaMallocArray(&out, &format, width, height, cudaArraySurfaceLoadStore));
    const size_t row = width * sizeof(int);
    CHECK(cudaMemcpy2DToArray(in, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(weight, weights, sizeof weights));
    CHECK(cudaMemcpyToSymbol(range, limits, sizeof limits));
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t lookup;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = to_device(table);
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = entries * sizeof(int);
    CHECK(cudaCreateTextureObject(&lookup, &resource, &texture, nullptr));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = out;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    bool right = true;
    for (const bool clamps : {true, false}) {
        const cudaTextureObject_t object = over(in, clamps ? cudaAddressModeClamp : cudaAddressModeBorder);
        filter<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(object, lookup, surface, width, height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy2DFromArray(result.data(), row, out, 0, 0, row, height, cudaMemcpyDeviceToHost));
        for (int i = 0; i < width * height; i++) {
            int sum = 0;
            for (int dy = -RADIUS; dy <= RADIUS; dy++)
                for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                    const int x = i % width + dx, y = i / width + dy;
                    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
                    const int u = std::min(std::max(x, 0), width - 1), v = std::min(std::max(y, 0), height - 1);
                    sum += weights[dx + RADIUS] * weights[dy + RADIUS] * (inside || clamps ? image[v * width + u] : 0);
                }
            right = right && result[i] == table[std::min(std::max(sum >> 8, limits[0]), limits[1])];
        }
        printf("%s: digest %08x\n", clamps ? "clamp" : "border", digest(result));
        CHECK(cudaDestroyTextureObject(object));
    }
    return finish(right);
}
