// Threads that load, store, and load again. What is stored may be what is loaded next, for all the compiler knows, so
// each step waits for its own loads. Steps of 1 to 4 loads and a store: to another array, or to the first one of those
// that were loaded; at three occupancies, in memory and in the L2; and in pieces of a line, which different blocks own.
#include "harness.h"

template <int STEPS, int EACH, bool IN> __global__ void k_steps(float *a, float *o, int nx, int ny, long n, int shift) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; long i = (long)y * nx + x + shift;
  if (x >= nx || y >= ny) return;
#pragma unroll
  for (int s = 0; s < STEPS; s++) {
    float v = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) v += a[(s * EACH + k) * n + i];
    (IN ? a + s * EACH * n : o + s * n)[i] = v;
  }
}

// Arrays of n floats each, nx wide; at most `warps` of them on a multiprocessor, kept down by shared memory.
struct Field { float *a, *o; int nx, ny; long n; };
template <int STEPS, int EACH, bool IN> static void add(std::vector<Config> &cs, const char *family, Field f, dim3 block, int shift, int warps) {
  char p[128], v[64]; size_t smem = warps >= 64 ? 0 : (size_t)(228 * 1024 / (warps * 32 / (block.x * block.y)) - 2048);
  snprintf(p, sizeof p, "nx=%d;ny=%d;n=%ld;shift=%d;warps=%d", f.nx, f.ny, f.n, shift, warps); snprintf(v, sizeof v, "%dx%d_%s", STEPS, EACH, IN ? "in" : "out");
  dim3 grid(up(f.nx, block.x), up(f.ny, block.y)); const void *kernel = (const void *)k_steps<STEPS, EACH, IN>;
  if (smem > 48 * 1024) CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  cs.push_back({family, v, p, grid, block, (double)f.nx * f.ny, kernel, smem, [=] { k_steps<STEPS, EACH, IN><<<grid, block, smem>>>(f.a, f.o, f.nx, f.ny, f.n, shift); }});
}

int main(int argc, char **argv) {
  std::vector<Config> cs; const long most = 24L << 20; float *a = device_array<float>(12 * most + 1024), *o = device_array<float>(6 * most + 1024);
  for (int size = 0; size < 2; size++) {
    Field f = {a, o, size ? 1024 : 4096, size ? 512 : 6144, size ? 1L << 19 : most};
    for (int warps : {64, 32, 16}) {
      dim3 b(256);
      add<1, 1, false>(cs, "steps", f, b, 0, warps); add<2, 1, false>(cs, "steps", f, b, 0, warps); add<3, 1, false>(cs, "steps", f, b, 0, warps); add<4, 1, false>(cs, "steps", f, b, 0, warps);
      add<6, 1, false>(cs, "steps", f, b, 0, warps); add<1, 2, false>(cs, "steps", f, b, 0, warps); add<2, 2, false>(cs, "steps", f, b, 0, warps); add<3, 2, false>(cs, "steps", f, b, 0, warps);
      add<6, 2, false>(cs, "steps", f, b, 0, warps); add<1, 4, false>(cs, "steps", f, b, 0, warps); add<2, 4, false>(cs, "steps", f, b, 0, warps); add<3, 4, false>(cs, "steps", f, b, 0, warps);
    }
  }
  Field f = {a, o, 4096, 6144, most};
  for (int bx : {4, 8, 16, 32, 64}) {
    dim3 b(bx, 256 / bx);
    add<1, 1, false>(cs, "parts", f, b, 0, 64); add<1, 1, true>(cs, "parts", f, b, 0, 64); add<2, 1, false>(cs, "parts", f, b, 0, 64); add<2, 1, true>(cs, "parts", f, b, 0, 64); add<3, 1, false>(cs, "parts", f, b, 0, 64); add<3, 1, true>(cs, "parts", f, b, 0, 64);
    add<1, 2, false>(cs, "parts", f, b, 0, 64); add<1, 2, true>(cs, "parts", f, b, 0, 64); add<3, 2, false>(cs, "parts", f, b, 0, 64); add<3, 2, true>(cs, "parts", f, b, 0, 64); add<1, 4, true>(cs, "parts", f, b, 0, 64); add<1, 4, false>(cs, "parts", f, b, 0, 64);
  }
  for (int shift : {1, 8, 16}) for (int bx : {32, 256}) {
    dim3 b(bx, 256 / bx); add<1, 1, false>(cs, "shifted", f, b, shift, 64); add<1, 1, true>(cs, "shifted", f, b, shift, 64); add<3, 1, false>(cs, "shifted", f, b, shift, 64); add<3, 1, true>(cs, "shifted", f, b, shift, 64);
  }
  return run(argc, argv, cs);
}
