// Heat flow over a chip (the hotspot problem): T steps of time in one launch. A block holds its tile, T cells wider on every
// side, in shared memory, and computes a ring less in every step. The parameters are those of a published tuning space
// (validate/published/a100_hotspot.csv): threads of a block (BX, BY), cells of a thread (TX, TY), steps (T) and how many of
// them are written out (U), whether the power stays in shared memory, too (POWER), and the blocks that a multiprocessor must
// be able to hold (BLOCKS). validate/spaces/space.py instantiates it.
enum { WIDTH = 4096, HEIGHT = 4096, EDGE = 10, PITCH = WIDTH + 2 * EDGE }; // arrays have room for 10 steps around the chip
template <int BX, int BY, int TX, int TY, int T, int U, int POWER, int BLOCKS>
__global__ void __launch_bounds__(BX *BY, BLOCKS) k_hotspot(const float *__restrict__ power, const float *__restrict__ from, float *__restrict__ to, float rx, float ry, float rz, float step) {
  constexpr int W = BX * TX + 2 * T, H = BY * TY + 2 * T;
  constexpr float AMBIENT = 80.0f;
  __shared__ float heat[2][H][W]; __shared__ float source[POWER ? H : 1][POWER ? W : 1];
  const int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * BX * TX - T, top = blockIdx.y * BY * TY - T;
  const size_t corner = (size_t)(top + EDGE) * PITCH + left + EDGE;
  for (int y = ty; y < H; y += BY)
    for (int x = tx; x < W; x += BX) {
      if (blockIdx.x * BX * TX + x >= WIDTH + 2 * T || blockIdx.y * BY * TY + y >= HEIGHT + 2 * T) continue;
      heat[0][y][x] = from[corner + (size_t)y * PITCH + x];
      if (POWER) source[y][x] = power[corner + (size_t)y * PITCH + x];
    }
  const int first_x = max(0, -left), last_x = min(W - 1, WIDTH - 1 - left), first_y = max(0, -top), last_y = min(H - 1, HEIGHT - 1 - top);
  __syncthreads();
  int now = 0;
#pragma unroll U
  for (int t = 1; t <= T; t++) {
    for (int y = ty + t; y < H - t; y += BY)
      for (int x = tx + t; x < W - t; x += BX) {
        const int n = max(y - 1, first_y), s = min(y + 1, last_y), w = max(x - 1, first_x), e = min(x + 1, last_x);
        const float own = heat[now][y][x], heated = POWER ? source[y][x] : power[corner + (size_t)y * PITCH + x];
        heat[1 - now][y][x] = own + step * (heated + (heat[now][s][x] + heat[now][n][x] - 2.0f * own) * ry + (heat[now][y][e] + heat[now][y][w] - 2.0f * own) * rx + (AMBIENT - own) * rz);
      }
    __syncthreads(); now = 1 - now;
  }
  for (int y = ty; y < BY * TY; y += BY)
    for (int x = tx; x < BX * TX; x += BX)
      if (left + T + x < WIDTH && top + T + y < HEIGHT) to[(size_t)(top + T + y + EDGE) * PITCH + left + T + x + EDGE] = heat[now][y + T][x + T];
}
