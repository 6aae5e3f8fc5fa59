/* loops.cu - kernels that loop for long, stage tiles in shared memory or reduce in trees, as
 * libraries and textbooks write them: products, convolutions, transforms, stencils, factorizations,
 * wavelets, particles. SPDX-License-Identifier: MIT */

// tiled product, block of 32x32, as a template
template <int B> __global__ void k_matmul(float *c, const float *a, const float *b, int wa, int wb)
{
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int a0 = wa * B * by, a1 = a0 + wa - 1, as = B, b0 = B * bx, bs = B * wb;
    float s = 0;
    for (int i = a0, j = b0; i <= a1; i += as, j += bs) {
        __shared__ float sa[B][B], sb[B][B];
        sa[ty][tx] = a[i + wa * ty + tx];
        sb[ty][tx] = b[j + wb * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < B; ++k)
            s += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    c[wb * B * by + B * bx + wb * ty + tx] = s;
}
template __global__ void k_matmul<32>(float *, const float *, const float *, int, int);

// double-buffered product
__global__ void k_double(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float ta[2][16][16], tb[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float s = 0;
    int stage = 0;
    ta[0][ty][tx] = a[row * n + tx];
    tb[0][ty][tx] = b[ty * n + col];
    __syncthreads();
    for (int k = 16; k < n; k += 16) {
        ta[stage ^ 1][ty][tx] = a[row * n + k + tx];
        tb[stage ^ 1][ty][tx] = b[(k + ty) * n + col];
        for (int i = 0; i < 16; i++)
            s += ta[stage][ty][i] * tb[stage][i][tx];
        stage ^= 1;
        __syncthreads();
    }
    for (int i = 0; i < 16; i++)
        s += ta[stage][ty][i] * tb[stage][i][tx];
    c[row * n + col] = s;
}

// three stages of a ring
__global__ void k_ring(const float *__restrict__ a, float *__restrict__ c, int n)
{
    __shared__ float t[3][256];
    int tx = threadIdx.x;
    const float *p = a + (size_t)blockIdx.x * n * 256;
    float s = 0;
    int at = 0;
    t[0][tx] = p[tx];
    t[1][tx] = p[256 + tx];
    for (int k = 0; k < n - 2; k++) {
        int to = at + 2;
        if (to >= 3)
            to -= 3;
        t[to][tx] = p[(k + 2) * 256 + tx];
        __syncthreads();
        s += t[at][255 - tx];
        at = at == 2 ? 0 : at + 1;
        __syncthreads();
    }
    c[blockIdx.x * 256 + tx] = s;
}

// separable convolution, rows
#define RADIUS 8
#define RX 16
#define RY 4
#define STEPS 8
#define HALO 1
__constant__ float coefficients[2 * RADIUS + 1];
__global__ void k_conv_rows(float *dst, const float *src, int w, int h, int pitch)
{
    __shared__ float s[RY][(STEPS + 2 * HALO) * RX];
    const int bx = (blockIdx.x * STEPS - HALO) * RX + threadIdx.x, by = blockIdx.y * RY + threadIdx.y;
    src += by * pitch + bx;
    dst += by * pitch + bx;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++)
        s[threadIdx.y][threadIdx.x + i * RX] = src[i * RX];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        s[threadIdx.y][threadIdx.x + i * RX] = bx >= -i * RX ? src[i * RX] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++)
        s[threadIdx.y][threadIdx.x + i * RX] = w - bx > i * RX ? src[i * RX] : 0;
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += coefficients[RADIUS - j] * s[threadIdx.y][threadIdx.x + i * RX + j];
        dst[i * RX] = sum;
    }
}

#define CX 16
#define CY 8
__global__ void k_conv_cols(float *dst, const float *src, int w, int h, int pitch)
{
    __shared__ float s[CX][(STEPS + 2 * HALO) * CY + 1];
    const int bx = blockIdx.x * CX + threadIdx.x, by = (blockIdx.y * STEPS - HALO) * CY + threadIdx.y;
    src += by * pitch + bx;
    dst += by * pitch + bx;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++)
        s[threadIdx.x][threadIdx.y + i * CY] = src[i * CY * pitch];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        s[threadIdx.x][threadIdx.y + i * CY] = by >= -i * CY ? src[i * CY * pitch] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++)
        s[threadIdx.x][threadIdx.y + i * CY] = h - by > i * CY ? src[i * CY * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += coefficients[RADIUS - j] * s[threadIdx.x][threadIdx.y + i * CY + j];
        dst[i * CY * pitch] = sum;
    }
}

// reductions: grid stride, interleaved shared tree, and shuffles
__global__ void k_reduce_tree(const float *a, float *o, unsigned n)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t, g = blockDim.x * 2 * gridDim.x;
    float v = 0;
    while (i < n) {
        v += a[i];
        if (i + blockDim.x < n)
            v += a[i + blockDim.x];
        i += g;
    }
    s[t] = v;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 32; d >>= 1) {
        if (t < d)
            s[t] = v = v + s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        v += s[t + 32];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
    }
    if (t == 0)
        o[blockIdx.x] = v;
}

__global__ void k_reduce_inter(const float *a, float *o, unsigned n)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned at = 2 * d * t;
        if (at < blockDim.x)
            s[at] += s[at + d];
        __syncthreads();
    }
    if (t == 0)
        o[blockIdx.x] = s[0];
}

__global__ void k_transpose(float *o, const float *a, int w, int h)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

__global__ void k_transpose_diag(float *o, const float *a, int w, int h)
{
    __shared__ float t[32][33];
    int bx, by;
    if (w == h) {
        by = blockIdx.x;
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int id = blockIdx.x + gridDim.x * blockIdx.y;
        by = id % gridDim.y;
        bx = (id / gridDim.y + by) % gridDim.x;
    }
    int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = by * 32 + threadIdx.x;
    y = bx * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

// 8x8 cosine transform, a block of 8x8 tiles of 8 columns
__global__ void k_dct(float *dst, const float *src, int stride)
{
    __shared__ float b[32][33];
    int ox = threadIdx.y * 8 + threadIdx.x % 8, oy = threadIdx.z * 8;
    src += (blockIdx.y * 32 + oy) * stride + blockIdx.x * 32 + ox;
    dst += (blockIdx.y * 32 + oy) * stride + blockIdx.x * 32 + ox;
    float *p = &b[oy][ox];
    for (int i = 0; i < 8; i++)
        p[i * 33] = src[i * stride];
    __syncthreads();
    float *q = &b[oy + threadIdx.x][threadIdx.y * 8];
    float v[8];
    for (int i = 0; i < 8; i++)
        v[i] = q[i];
    for (int i = 0; i < 4; i++) {
        float s = v[i] + v[7 - i], d = v[i] - v[7 - i];
        q[2 * i] = s * 0.35f;
        q[2 * i + 1] = d * 0.49f;
    }
    __syncthreads();
    for (int i = 0; i < 8; i++)
        v[i] = p[i * 33];
    for (int i = 0; i < 8; i++)
        dst[i * stride] = v[i] * 0.5f + v[7 - i] * .25f;
}

// Haar wavelet, levels in shared memory
__global__ void k_haar(const float *in, float *od, float *approx, int levels, int slength, int bdim)
{
    extern __shared__ float s[];
    const int tid = threadIdx.x, g = blockIdx.x * bdim + tid;
    unsigned half = slength >> 1;
    s[tid] = in[2 * blockIdx.x * bdim + tid];
    s[tid + bdim] = in[2 * blockIdx.x * bdim + tid + bdim];
    __syncthreads();
    float d0 = s[2 * tid], d1 = s[2 * tid + 1];
    __syncthreads();
    od[g + half] = (d0 - d1) * 0.7071f;
    unsigned atid = tid + (tid >> 4);
    s[atid] = (d0 + d1) * 0.7071f;
    __syncthreads();
    if (levels > 1) {
        unsigned off = 1, n = bdim, nh = n / 2;
        for (int i = 1; i < levels; i++) {
            if (tid < nh) {
                unsigned i0 = tid * 2 * off, i1 = i0 + off;
                i0 += i0 >> 4;
                i1 += i1 >> 4;
                float a = s[i0], b = s[i1];
                unsigned at = blockIdx.x * nh + tid + (half >> i);
                od[at] = (a - b) * .7071f;
                s[i0] = (a + b) * .7071f;
                off <<= 1;
                nh >>= 1;
            }
            __syncthreads();
        }
        if (tid == 0)
            approx[blockIdx.x] = s[0];
    }
}

// thermal stencil in pyramids
#define BS 16
__global__ void k_hotspot(int iterations, const float *power, const float *src, float *dst, int cols, int rows, int bc,
                          int br, float cap, float rx, float ry, float rz, float step)
{
    __shared__ float t[BS][BS], p[BS][BS], n[BS][BS];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int small_r = BS - iterations * 2, small_c = BS - iterations * 2, y0 = small_r * by - br, x0 = small_c * bx - bc,
        y1 = y0 + BS - 1, x1 = x0 + BS - 1, yi = y0 + ty, xi = x0 + tx, at = cols * yi + xi;
    if (yi >= 0 && yi <= rows - 1 && xi >= 0 && xi <= cols - 1) {
        t[ty][tx] = src[at];
        p[ty][tx] = power[at];
    }
    __syncthreads();
    int vy0 = y0 < 0 ? -y0 : 0, vy1 = y1 > rows - 1 ? BS - 1 - (y1 - rows + 1) : BS - 1, vx0 = x0 < 0 ? -x0 : 0,
        vx1 = x1 > cols - 1 ? BS - 1 - (x1 - cols + 1) : BS - 1;
    int N = ty - 1, S = ty + 1, W = tx - 1, E = tx + 1;
    N = N < vy0 ? vy0 : N;
    S = S > vy1 ? vy1 : S;
    W = W < vx0 ? vx0 : W;
    E = E > vx1 ? vx1 : E;
    bool computed = false;
    for (int i = 0; i < iterations; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= BS - i - 2 && ty >= i + 1 && ty <= BS - i - 2 && tx >= vx0 && tx <= vx1 && ty >= vy0 &&
            ty <= vy1) {
            computed = true;
            n[ty][tx] = t[ty][tx] + step / cap *
                                        (p[ty][tx] + (t[S][tx] + t[N][tx] - 2 * t[ty][tx]) / ry +
                                         (t[ty][E] + t[ty][W] - 2 * t[ty][tx]) / rx + (80.f - t[ty][tx]) / rz);
        }
        __syncthreads();
        if (i == iterations - 1)
            break;
        if (computed)
            t[ty][tx] = n[ty][tx];
        __syncthreads();
    }
    if (computed)
        dst[at] = n[ty][tx];
}

// LU: diagonal, perimeter, internal
__global__ void k_lud_diagonal(float *m, int dim, int offset)
{
    __shared__ float s[16][16];
    int at = offset * dim + offset;
    for (int i = 0; i < 16; i++) {
        s[i][threadIdx.x] = m[at + threadIdx.x];
        at += dim;
    }
    __syncthreads();
    for (int i = 0; i < 15; i++) {
        if (threadIdx.x > i) {
            for (int j = 0; j < i; j++)
                s[threadIdx.x][i] -= s[threadIdx.x][j] * s[j][i];
            s[threadIdx.x][i] /= s[i][i];
        }
        __syncthreads();
        if (threadIdx.x > i)
            for (int j = 0; j < i + 1; j++)
                s[i + 1][threadIdx.x] -= s[i + 1][j] * s[j][threadIdx.x];
        __syncthreads();
    }
    at = (offset + 1) * dim + offset;
    for (int i = 1; i < 16; i++) {
        m[at + threadIdx.x] = s[i][threadIdx.x];
        at += dim;
    }
}

__global__ void k_lud_perimeter(float *m, int dim, int offset)
{
    __shared__ float dia[16][16], row[16][16], col[16][16];
    int at, idx;
    if (threadIdx.x < 16) {
        idx = threadIdx.x;
        at = offset * dim + offset;
        for (int i = 0; i < 8; i++) {
            dia[i][idx] = m[at + idx];
            at += dim;
        }
        at = offset * dim + offset;
        for (int i = 0; i < 16; i++) {
            row[i][idx] = m[at + (blockIdx.x + 1) * 16 + idx];
            at += dim;
        }
    } else {
        idx = threadIdx.x - 16;
        at = (offset + 8) * dim + offset;
        for (int i = 8; i < 16; i++) {
            dia[i][idx] = m[at + idx];
            at += dim;
        }
        at = (offset + (blockIdx.x + 1) * 16) * dim + offset;
        for (int i = 0; i < 16; i++) {
            col[i][idx] = m[at + idx];
            at += dim;
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        idx = threadIdx.x;
        for (int i = 1; i < 16; i++)
            for (int j = 0; j < i; j++)
                row[i][idx] -= dia[i][j] * row[j][idx];
    } else {
        idx = threadIdx.x - 16;
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < i; j++)
                col[idx][i] -= col[idx][j] * dia[j][i];
            col[idx][i] /= dia[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        idx = threadIdx.x;
        at = (offset + 1) * dim + offset;
        for (int i = 1; i < 16; i++) {
            m[at + (blockIdx.x + 1) * 16 + idx] = row[i][idx];
            at += dim;
        }
    } else {
        idx = threadIdx.x - 16;
        at = (offset + (blockIdx.x + 1) * 16) * dim + offset;
        for (int i = 0; i < 16; i++) {
            m[at + idx] = col[i][idx];
            at += dim;
        }
    }
}

__global__ void k_lud_internal(float *m, int dim, int offset)
{
    __shared__ float row[16][16], col[16][16];
    int r = offset + (blockIdx.y + 1) * 16, c = offset + (blockIdx.x + 1) * 16;
    row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * dim + c + threadIdx.x];
    col[threadIdx.y][threadIdx.x] = m[(r + threadIdx.y) * dim + offset + threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 16; i++)
        s += col[threadIdx.y][i] * row[i][threadIdx.x];
    m[(r + threadIdx.y) * dim + c + threadIdx.x] -= s;
}

// anisotropic diffusion
__global__ void k_srad(const float *J, float *C, float *dN, float *dS, float *dW, float *dE, int cols, int rows,
                       float q0)
{
    __shared__ float t[16][16], north[16][16], south[16][16], east[16][16], west[16][16];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int at = cols * 16 * by + 16 * bx + cols * ty + tx, n = cols * 16 * by + 16 * bx + tx - cols,
        s = cols * 16 * by + 16 * bx + cols * 16 + tx, w = cols * 16 * by + 16 * bx + cols * ty - 1,
        e = cols * 16 * by + 16 * bx + cols * ty + 16;
    if (by == 0)
        north[ty][tx] = J[16 * bx + tx];
    else
        north[ty][tx] = J[n];
    if (by == gridDim.y - 1)
        south[ty][tx] = J[cols * 16 * (gridDim.y - 1) + 16 * bx + cols * 15 + tx];
    else
        south[ty][tx] = J[s];
    __syncthreads();
    if (bx == 0)
        west[ty][tx] = J[cols * 16 * by + cols * ty];
    else
        west[ty][tx] = J[w];
    if (bx == gridDim.x - 1)
        east[ty][tx] = J[cols * 16 * by + 16 * (gridDim.x - 1) + cols * ty + 15];
    else
        east[ty][tx] = J[e];
    __syncthreads();
    t[ty][tx] = J[at];
    __syncthreads();
    float jc = t[ty][tx];
    float N = (ty == 0 ? north[ty][tx] : t[ty - 1][tx]) - jc, S = (ty == 15 ? south[ty][tx] : t[ty + 1][tx]) - jc,
          W = (tx == 0 ? west[ty][tx] : t[ty][tx - 1]) - jc, E = (tx == 15 ? east[ty][tx] : t[ty][tx + 1]) - jc;
    float g = (N * N + S * S + W * W + E * E) / (jc * jc), c = 1 / (1 + (g - q0) / (q0 * (1 + q0)));
    c = c < 0 ? 0 : c > 1 ? 1 : c;
    C[at] = c;
    dN[at] = N;
    dS[at] = S;
    dW[at] = W;
    dE[at] = E;
}

// layers of a network: partial sums in a tree
__global__ void k_backprop(const float *input, float *w, float *partial, int in, int hid)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y,
        at = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1), in_at = 16 * by + ty + 1;
    __shared__ float node[16], m[16][16];
    if (tx == 0)
        node[ty] = input[in_at];
    __syncthreads();
    m[ty][tx] = w[at];
    __syncthreads();
    m[ty][tx] *= node[ty];
    __syncthreads();
    for (int i = 1; i <= 4; i++) {
        int power = 1 << i;
        if (ty % power == 0)
            m[ty][tx] += m[ty + power / 2][tx];
        __syncthreads();
    }
    w[at] = m[ty][tx];
    __syncthreads();
    if (tx == 0)
        partial[by * hid + ty] = m[tx][ty];
}

// 5/3 wavelet by a sliding window: columns of a tile, halves of rows interleaved
template <int SX, int SY> struct Window {
    int b[(SY * 2 + 7) * (SX + 5) * 2];
};
template <int SX, int SY>
__global__ void k_slide(const int *__restrict__ in, int *__restrict__ out, int sx, int sy, int steps)
{
    __shared__ Window<SX, SY> t;
    constexpr int stride = SX / 2 + 4, rows = SY + 3,
                  half = stride * rows + ((stride * rows) & 31 ? 32 - ((stride * rows) & 31) : 0);
    int cx = (threadIdx.x % 2) * half + threadIdx.x / 2 + 1; // even and odd columns apart
    int x = blockIdx.x * SX + threadIdx.x, y = blockIdx.y * SY * steps;
    auto mirror = [](int v, int n) {
        v = v < 0 ? -v : v;
        int top = n - 1;
        return v > top ? 2 * top - v : v;
    };
    for (int i = 0; i < 3; i++)
        t.b[cx + i * stride] = in[mirror(y + i - 2, sy) * sx + mirror(x, sx)];
    int hx = 0, hcol = 0;
    if (threadIdx.x < 3) {
        hx = threadIdx.x < 2 ? threadIdx.x - 2 : SX;
        hcol = (((hx + 2) & 1) ? half : 0) + (hx + 2) / 2;
        for (int i = 0; i < 3; i++)
            t.b[hcol + i * stride] = in[mirror(y + i - 2, sy) * sx + mirror(blockIdx.x * SX + hx, sx)];
    }
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int i = 0; i < SY; i++)
            t.b[cx + (i + 3) * stride] = in[mirror(y + 1 + i, sy) * sx + mirror(x, sx)];
        if (threadIdx.x < 3)
            for (int i = 0; i < SY; i++)
                t.b[hcol + (i + 3) * stride] = in[mirror(y + 1 + i, sy) * sx + mirror(blockIdx.x * SX + hx, sx)];
        __syncthreads();
        for (int i = threadIdx.x; i < (SX / 2 + 1) * SY; i += SX) {
            int r = i / (SX / 2 + 1) + 3, c = i % (SX / 2 + 1);
            t.b[half + c + r * stride] -= (t.b[c + r * stride] + t.b[c + 1 + r * stride]) / 2;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < (SX / 2) * SY; i += SX) {
            int r = i / (SX / 2) + 3, c = i % (SX / 2) + 1;
            t.b[c + r * stride] += (t.b[half + c - 1 + r * stride] + t.b[half + c + r * stride] + 2) / 4;
        }
        __syncthreads();
#pragma unroll
        for (int i = 1; i < SY; i += 2)
            t.b[cx + (i + 1) * stride] -= (t.b[cx + i * stride] + t.b[cx + (i + 2) * stride]) / 2;
#pragma unroll
        for (int i = 0; i < SY; i += 2)
            t.b[cx + (i + 1) * stride] += (t.b[cx + i * stride] + t.b[cx + (i + 2) * stride] + 2) / 4;
        int ox = x / 2 + (x & 1 ? (sx + 1) / 2 : 0);
#pragma unroll
        for (int i = 0; i < SY; i++) {
            int oy = y + i;
            if (x < sx && oy < sy)
                out[(oy / 2 + (oy & 1 ? (sy + 1) / 2 : 0)) * sx + ox] = t.b[cx + (i + 1) * stride];
        }
        __syncthreads();
        for (int i = 0; i < 3; i++)
            t.b[cx + i * stride] = t.b[cx + (SY + i) * stride];
        if (threadIdx.x < 3)
            for (int i = 0; i < 3; i++)
                t.b[hcol + i * stride] = t.b[hcol + (SY + i) * stride];
        __syncthreads();
        y += SY;
    }
}
template __global__ void k_slide<192, 8>(const int *, int *, int, int, int);
template __global__ void k_slide<64, 8>(const int *, int *, int, int, int);

// boxes of particles, neighbours in a fixed lattice
__global__ void k_lava(const float4 *__restrict__ rv, const float *__restrict__ qv, float4 *__restrict__ fv, int nb,
                       int per)
{
    __shared__ float4 ra[100], rb[100];
    __shared__ float qb[100];
    int bx = blockIdx.x, x = bx % nb, y = bx / nb % nb, z = bx / nb / nb;
    for (int i = threadIdx.x; i < per; i += 128)
        ra[i] = rv[bx * per + i];
    __syncthreads();
    for (int k = 0; k < 27; k++) {
        int ox = (x + k % 3 - 1 + nb) % nb, oy = (y + k / 3 % 3 - 1 + nb) % nb, oz = (z + k / 9 - 1 + nb) % nb,
            other = (oz * nb + oy) * nb + ox;
        for (int i = threadIdx.x; i < per; i += 128) {
            rb[i] = rv[other * per + i];
            qb[i] = qv[other * per + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < per; i += 128) {
            float4 f = fv[bx * per + i];
            for (int j = 0; j < per; j++) {
                float r2 = ra[i].x + rb[j].x - (ra[i].y * rb[j].y + ra[i].z * rb[j].z), u = __expf(-r2) * qb[j];
                f.x += u;
                f.y += u * rb[j].y;
                f.z += u * rb[j].z;
                f.w += u * rb[j].w;
            }
            fv[bx * per + i] = f;
        }
        __syncthreads();
    }
}

// one thread per row, n not a multiple of anything; two passes
__global__ void k_rownorm(const float *__restrict__ a, float *__restrict__ o, int n)
{
    const float *r = a + (size_t)blockIdx.x * n;
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += r[i] * r[i];
    __shared__ float p[32];
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        p[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int i = 0; i < blockDim.x / 32; i++)
        s += p[i];
    s = rsqrtf(s / n);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        o[(size_t)blockIdx.x * n + i] = r[i] * s;
}

// register-blocked product with a remainder
__global__ void k_gemm_odd(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
                           int n, int k)
{
    __shared__ float ta[8][64], tb[8][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row = blockIdx.y * 64, col = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        for (int i = t; i < 512; i += 256) {
            int kk = k0 + i % 8, r = row + i / 8;
            ta[i % 8][i / 8] = kk < k && r < m ? a[(size_t)r * k + kk] : 0;
            int kb = k0 + i / 64, cc = col + i % 64;
            tb[i / 64][i % 64] = kb < k && cc < n ? b[(size_t)kb * n + cc] : 0;
        }
        __syncthreads();
        for (int kk = 0; kk < 8; kk++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) {
                ra[i] = ta[kk][ty * 4 + i];
                rb[i] = tb[kk][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row + ty * 4 + i, cc = col + tx * 4 + j;
            if (r < m && cc < n)
                c[(size_t)r * n + cc] = acc[i][j];
        }
}

// large n-body: every particle with every other, tiles in shared memory
__global__ void k_nbody(const float4 *__restrict__ p, float4 *__restrict__ v, int n)
{
    __shared__ float4 s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = p[i], f = {0, 0, 0, 0};
    for (int t = 0; t < n / 256; t++) {
        s[threadIdx.x] = p[t * 256 + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z,
                  w = s[j].w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            f.x += w * dx;
            f.y += w * dy;
            f.z += w * dz;
        }
        __syncthreads();
    }
    v[i] = f;
}

// triangular loop
__global__ void k_tri(const float *__restrict__ a, float *__restrict__ x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k <= j; k++)
            s += a[(size_t)k * n + i];
    x[i] = s;
}
