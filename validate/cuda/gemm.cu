// Product of matrices, C = alpha A B + beta C in f32, with the parameters of a published tuning space
// (validate/published/a100_gemm.csv), which are those of CLBlast's kernel: a block computes MWG x NWG results in steps of KWG,
// with MDIMC x NDIMC threads; tiles of A and B go to shared memory (SA, SB) by MDIMA and NDIMB threads along a row; KWI steps
// are written out; numbers are loaded VWM and VWN at a time; a thread's results are neighbours or MDIMC, NDIMC vectors apart
// (STRM, STRN). A has rows of m, B rows of n, C rows of m. Sizes are parameters, as in the kernel that was measured: with
// constants, loads from global memory in the inner loop need fewer instructions. validate/spaces/space.py instantiates it.
template <int V> struct alignas(V < 4 ? 4 * V : 16) vec { float at[V]; };
template <int MWG, int NWG, int KWG, int MDIMC, int NDIMC, int MDIMA, int NDIMB, int KWI, int VWM, int VWN, int STRM, int STRN, int SA, int SB>
__global__ void __launch_bounds__(MDIMC *NDIMC) k_gemm(const vec<VWM> *__restrict__ a, const vec<VWN> *__restrict__ b, vec<VWM> *__restrict__ c, int sizem, int sizen, int sizek, float alpha, float beta) {
  constexpr int MWI = MWG / MDIMC, NWI = NWG / NDIMC, KDIMA = MDIMC * NDIMC / MDIMA, KDIMB = MDIMC * NDIMC / NDIMB;
  constexpr int MV = MWI / VWM, NV = NWI / VWN; // vectors of a thread
  __shared__ vec<VWM> ta[SA ? KWG : 1][SA ? MWG / VWM : 1]; __shared__ vec<VWN> tb[SB ? KWG : 1][SB ? NWG / VWN : 1];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * MDIMC + tx, left = blockIdx.x * (MWG / VWM), top = blockIdx.y * (NWG / VWN);
  float sum[NWI][MWI] = {};
  for (int k = 0; k < sizek; k += KWG) {
    if (SA) {
      const int x = thread % MDIMA, y = thread / MDIMA;
#pragma unroll
      for (int i = 0; i < MWG / MDIMA / VWM; i++)
#pragma unroll
        for (int j = 0; j < KWG / KDIMA; j++) {
          const int m = STRM ? x + i * MDIMA : i + x * (MWG / MDIMA / VWM), row = j + y * (KWG / KDIMA);
          ta[row][m] = a[(k + row) * (sizem / VWM) + left + m];
        }
    }
    if (SB) {
      const int x = thread % NDIMB, y = thread / NDIMB;
#pragma unroll
      for (int i = 0; i < NWG / NDIMB / VWN; i++)
#pragma unroll
        for (int j = 0; j < KWG / KDIMB; j++) {
          const int n = STRN ? x + i * NDIMB : i + x * (NWG / NDIMB / VWN), row = j + y * (KWG / KDIMB);
          tb[row][n] = b[(k + row) * (sizen / VWN) + top + n];
        }
    }
    if (SA || SB) __syncthreads();
    for (int p = 0; p < KWG; p += KWI) {
#pragma unroll
      for (int q = 0; q < KWI; q++) {
        const int row = p + q; vec<VWM> pa[MV]; vec<VWN> pb[NV];
#pragma unroll
        for (int i = 0; i < MV; i++) { const int m = STRM ? tx + i * MDIMC : i + tx * MV; pa[i] = SA ? ta[row][m] : a[(k + row) * (sizem / VWM) + left + m]; }
#pragma unroll
        for (int i = 0; i < NV; i++) { const int n = STRN ? ty + i * NDIMC : i + ty * NV; pb[i] = SB ? tb[row][n] : b[(k + row) * (sizen / VWN) + top + n]; }
#pragma unroll
        for (int n = 0; n < NWI; n++)
#pragma unroll
          for (int m = 0; m < MWI; m++) sum[n][m] += pa[m / VWM].at[m % VWM] * pb[n / VWN].at[n % VWN];
      }
    }
    if (SA || SB) __syncthreads();
  }
#pragma unroll
  for (int n = 0; n < NWI; n++)
#pragma unroll
    for (int i = 0; i < MV; i++) {
      const int column = left + (STRM ? tx + i * MDIMC : i + tx * MV);
      const int row = blockIdx.y * NWG + (STRN ? n % VWN + ty * VWN + n / VWN * VWN * NDIMC : n + ty * NWI);
      vec<VWM> &out = c[row * (sizem / VWM) + column]; vec<VWM> result = out;
#pragma unroll
      for (int v = 0; v < VWM; v++) result.at[v] = alpha * sum[n][i * VWM + v] + beta * result.at[v];
      out = result;
    }
}
