/* iterate.cu - iterates until a test holds: a few blocks do most of the work. SPDX-License-Identifier: MIT */
extern "C" __global__ void iterate(int *out, int nx, int ny, float x0, float y0, float step, int most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny)
        return;
    const float cx = x0 + i * step, cy = y0 + j * step;
    float x = 0, y = 0;
    int n = 0;
    for (; n < most && x * x + y * y < 4; n++) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    out[j * nx + i] = n;
}
