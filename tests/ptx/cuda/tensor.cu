/* tensor.cu - tensor cores by wmma and mma, asynchronous copies, matrix loads. SPDX-License-Identifier: MIT */
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

__global__ void k_wmma(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 4; k++) {
        wmma::load_matrix_sync(fa, a + 16 * k, 64);
        wmma::load_matrix_sync(fb, b + 16 * k, 64);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void k_wmma_int(const signed char *a, const signed char *b, int *c)
{
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::fill_fragment(fc, 1);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

#if __CUDA_ARCH__ >= 800
__global__ void k_mma(const unsigned *a, const unsigned *b, float *c)
{
    __shared__ unsigned tile[1024];
    unsigned r[4];
    float d[4] = {0, 0, 0, 0};
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], a + 4 * t, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[512 + t], b + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const unsigned from = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0,%1}, [%2+64];" : "=r"(r[2]), "=r"(r[3]) : "r"(from));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b[t]), "r"(b[t + 32]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b[t]), "r"(b[t + 32]));
    for (int i = 0; i < 4; i++)
        c[4 * t + i] = d[i];
    double x = c[0], y = c[1];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(x), "+d"(y) : "d"(x), "d"(y));
    c[0] = (float)(x + y);
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8, 4;" ::"r"(from), "l"(a));
    asm volatile("cp.async.wait_all;");
    unsigned m;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[0]));
    c[1] = (float)m;
}
#endif
