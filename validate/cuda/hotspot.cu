// Heat flow over a chip (the hotspot problem): T steps of time in one launch. A block holds its tile, T cells wider on every
// side, in shared memory, and computes a ring less in every step. The parameters are those of a published tuning space
// (validate/published/a100_hotspot.csv): threads of a block (BX, BY), cells of a thread (TX, TY), steps (T) and how many of
// them are written out (U), whether the power stays in shared memory, too (POWER), and the blocks that a multiprocessor must
// be able to hold (BLOCKS). validate/spaces/space.py instantiates it. What costs time is as in the kernel that was measured:
// its constant 2.0 is a double, so each cell is computed in double precision from values kept as floats; it asks for all
// loops over cells to be unrolled; cells outside of the arrays are 0 instead of copies of the edge; and only what it reads
// has room for 10 steps around the chip.
enum { WIDTH = 4096, HEIGHT = 4096, EDGE = 10, PITCH = WIDTH + 2 * EDGE, ROWS = HEIGHT + 2 * EDGE };
template <int BX, int BY, int TX, int TY, int T, int U, int POWER, int BLOCKS>
__global__ void __launch_bounds__(BX *BY, BLOCKS) k_hotspot(const float *power, const float *from, float *to, float rx, float ry, float rz, float step) {
  constexpr int W = BX * TX + 2 * T, H = BY * TY + 2 * T;
  constexpr float AMBIENT = 80.0f;
  __shared__ float heat[2][H][W]; __shared__ float source[POWER ? H : 1][POWER ? W : 1];
  const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * BX * TX, top = blockIdx.y * BY * TY;
  const float *watts = power + (EDGE - T) * (PITCH + 1), *degrees = from + (EDGE - T) * (PITCH + 1);
  int now = 1;
#pragma unroll
  for (int y = ty; y < H; y += BY)
#pragma unroll
    for (int x = tx; x < W; x += BX) {
      const bool there = left + x < PITCH && top + y < ROWS; const int at = (top + y) * PITCH + left + x;
      heat[now][y][x] = there ? degrees[at] : 0; if (!there) heat[1 - now][y][x] = 0;
      if (POWER) source[y][x] = there ? watts[at] : 0;
    }
  __syncthreads();
#pragma unroll U
  for (int t = 1; t <= T; t++) {
#pragma unroll
    for (int y = ty + t; y < H - t; y += BY)
#pragma unroll
      for (int x = tx + t; x < W - t; x += BX) {
        const float own = heat[now][y][x], column = heat[now][y + 1][x] + heat[now][y - 1][x], row = heat[now][y][x + 1] + heat[now][y][x - 1];
        float heated = 0;
        if (POWER) heated = source[y][x]; else if (left + x < PITCH && top + y < ROWS) heated = watts[(top + y) * PITCH + left + x];
        heat[1 - now][y][x] = own + step * (heated + (column - 2.0 * own) * ry + (row - 2.0 * own) * rx + (AMBIENT - own) * rz);
      }
    __syncthreads(); now = 1 - now;
  }
#pragma unroll
  for (int y = ty; y < BY * TY; y += BY)
#pragma unroll
    for (int x = tx; x < BX * TX; x += BX)
      if (left + x < WIDTH && top + y < HEIGHT) to[(top + y) * WIDTH + left + x] = heat[now][y + T][x + T];
}
