// A 2D convolution of 15 x 15 weights, with the parameters of two published tuning spaces
// (validate/published/rtx2080ti_convolution.csv, a100_convolution.csv): threads of a block (BX, BY), cells of a thread
// (TX, TY), a tile in shared memory or loads from the image itself (TILE), rows of the tile padded so that rows of a block
// start BX banks apart (PADDED), loads past the texture of old (READ_ONLY). validate/spaces/convolution_ptx.py writes the PTX
// that nvcc makes of it.
enum { RANGE = 7, WIDE = 2 * RANGE + 1, WIDTH = 4096, HEIGHT = 4096, ROW = WIDTH + 2 * RANGE, BANKS = 32 };
__constant__ float weights[WIDE * WIDE];
template <bool READ_ONLY> __device__ __forceinline__ float element(const float *at) { return READ_ONLY ? __ldg(at) : *at; }
template <int BX, int BY, int TX, int TY, bool TILE, bool PADDED, bool READ_ONLY> __global__ void k_convolve(float *out, const float *in) {
  constexpr bool whole = WIDTH % (BX * TX) == 0 && HEIGHT % (BY * TY) == 0; // else blocks at the edges are cut
  constexpr int COLUMNS = BX * TX + 2 * RANGE, ROWS = BY * TY + 2 * RANGE, PITCH = COLUMNS + (PADDED ? ((BX - COLUMNS) % BANKS + BANKS) % BANKS : 0);
  __shared__ float tile[TILE ? ROWS : 1][TILE ? PITCH : 1];
  const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * BX * TX, top = blockIdx.y * BY * TY;
  if (TILE) {
#pragma unroll
    for (int r = ty; r < ROWS; r += BY)
#pragma unroll
      for (int c = tx; c < COLUMNS; c += BX)
        if (whole || (top + r < HEIGHT + 2 * RANGE && left + c < ROW)) tile[r][c] = element<READ_ONLY>(in + (top + r) * ROW + left + c);
    __syncthreads();
  }
  float sum[TY][TX] = {};
#pragma unroll
  for (int i = 0; i < WIDE; i++)
#pragma unroll
    for (int j = 0; j < WIDE; j++)
#pragma unroll
      for (int a = 0; a < TY; a++)
#pragma unroll
        for (int b = 0; b < TX; b++) {
          const int x = tx + b * BX, y = ty + a * BY;
          if (TILE) sum[a][b] += tile[y + i][x + j] * weights[i * WIDE + j];
          else if (whole || (left + x < WIDTH && top + y < HEIGHT)) sum[a][b] += element<READ_ONLY>(in + (top + y + i) * ROW + left + x + j) * weights[i * WIDE + j];
        }
#pragma unroll
  for (int a = 0; a < TY; a++)
#pragma unroll
    for (int b = 0; b < TX; b++) {
      const int x = left + tx + b * BX, y = top + ty + a * BY;
      if (whole || (x < WIDTH && y < HEIGHT)) out[y * WIDTH + x] = sum[a][b];
    }
}
