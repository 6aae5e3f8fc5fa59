// heat.cu - one step of the heat equation on a plane: a five-point stencil as people write it. heat.ptx is what
// "nvcc -ptx -lineinfo -arch=sm_80 heat.cu" makes of it. SPDX-License-Identifier: MIT
__global__ void heat(double *__restrict__ next, const double *__restrict__ now, int nx, int ny, double rate)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        const int i = y * nx + x;
        next[i] = now[i] + rate * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4 * now[i]);
    }
}
