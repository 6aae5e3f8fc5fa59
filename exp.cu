extern "C" __global__ void k_window(float *o, int n) {   // open, decided, open
  int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (k >= t && k < t + 150) { o[k * 32 + t] = 1; __syncthreads(); }
  }
}
extern "C" __global__ void k_gap(float *o, int n) {   // open, dead, open
  int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (k < t || k >= t + 60) { o[k * 32 + t] = 1; __syncthreads(); }
  }
}
extern "C" __global__ void k_periodic(float *o, int n) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (((t + 16 * k) & 63) < 32) { o[k * 32 + t] = 1; __syncthreads(); }
  }
}
extern "C" __global__ void k_corner(float *o, int n) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll 1
    for (int j = 0; j < n; j++)
      if (i + j >= 15) { o[(i * n + j) * 32 + t] = 1; __syncthreads(); }
}
extern "C" __global__ void k_cornert(float *o, int n) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll 1
    for (int j = 0; j < n; j++)
      if (i + j >= 15 + t) { o[(i * n + j) * 32 + t] = 1; __syncthreads(); }
}
extern "C" __global__ void k_diag(float *o, int n) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll 1
    for (int j = 0; j < n; j++)
      if (i == j) { o[(i * n + j) * 32 + t] = 1; __syncthreads(); }
}
