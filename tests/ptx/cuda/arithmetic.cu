/* arithmetic.cu - arithmetic of all widths: carry chains, halves, conversions with every rounding, special functions,
 * dot products, funnel shifts, video instructions. SPDX-License-Identifier: MIT */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

__global__ void k_wide(const unsigned __int128 *a, const unsigned __int128 *b, unsigned __int128 *out)
{
    const int i = threadIdx.x;
    out[3 * i] = a[i] + b[i];
    out[3 * i + 1] = a[i] - b[i];
    out[3 * i + 2] = a[i] * b[i];
}

__global__ void k_carry(const unsigned *a, const unsigned *b, unsigned *out)
{
    asm volatile("{\n\t"
                 "add.cc.u32 %0, %4, %8;\n\t"
                 "addc.cc.u32 %1, %5, %9;\n\t"
                 "addc.u32 %2, %6, %10;\n\t"
                 "sub.cc.u32 %3, %7, %11;\n\t"
                 "subc.u32 %3, %3, 0;\n\t"
                 "mad.lo.cc.u32 %0, %4, %5, %0;\n\t"
                 "madc.hi.u32 %1, %4, %5, %1;\n\t"
                 "}"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

__global__ void k_halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2)
{
    const int i = threadIdx.x;
    h[i] = __hfma(h[i], h[i + 1], __float2half(1.5f));
    h2[i] = __hadd2(__hmul2(h2[i], h2[i + 1]), __hmax2(h2[i + 2], h2[i + 3]));
    h2[i + 4] = h2exp2(h2[i + 5]);
    b[i] = __hsub(b[i], __float2bfloat16(0.25f));
    b2[i] = __hfma2(b2[i], b2[i + 1], __float2bfloat162_rn(2.0f));
    h[i + 9] = __hlt(h[i], h[i + 1]) ? hsqrt(h[i]) : hrcp(h[i + 2]);
    h[i + 10] = __float2half(__half2float(h[i]) + __bfloat162float(b[i]));
}

__global__ void k_conversions(float *f, double *d, int *i, unsigned *u, long long *l, unsigned long long *w, short *s)
{
    const int t = threadIdx.x;
    i[t] = __float2int_rn(f[t]) + __float2int_rz(f[t + 1]) + __float2int_rd(f[t + 2]) + __float2int_ru(f[t + 3]);
    u[t] = __double2uint_rn(d[t]) + __float2uint_rz(f[t]) + (unsigned)s[t];
    l[t] = __double2ll_rd(d[t]) + (long long)f[t] + i[t];
    w[t] = __float2ull_ru(f[t]) + (unsigned long long)d[t + 1];
    f[t + 4] = __int2float_rd(i[t]) + __double2float_rz(d[t]) + __ull2float_rn(w[t]) + (float)s[t];
    d[t + 2] = __ll2double_ru(l[t]) + f[t] + u[t];
    f[t + 5] = floorf(f[t]) + ceilf(f[t + 1]) + truncf(f[t + 2]) + rintf(f[t + 3]) + roundf(f[t + 4]);
    d[t + 3] = floor(d[t]) + rint(d[t + 1]);
    f[t + 6] = __int_as_float(i[t]) + __saturatef(f[t]);
    d[t + 4] = __hiloint2double(i[t], i[t + 1]) + __longlong_as_double(l[t]);
    s[t + 1] = (short)i[t] + (signed char)i[t + 1];
}

__global__ void k_rounding(float *f, double *d)
{
    const int t = threadIdx.x;
    f[t] = __fadd_rz(f[t], 1.0f) + __fmul_rd(f[t], 3.0f) + __fmaf_ru(f[t], f[t + 1], f[t + 2]) + __fdiv_rn(f[t], f[t + 3]);
    f[t + 1] = __frcp_rn(f[t]) + __fsqrt_rn(f[t + 1]) + __frsqrt_rn(f[t + 2]) + __fdividef(f[t], f[t + 1]);
    d[t] = __dadd_rd(d[t], 1.0) + __dmul_ru(d[t], 3.0) + __fma_rz(d[t], d[t + 1], d[t + 2]) + __ddiv_rn(d[t], d[t + 3]);
    d[t + 1] = __drcp_rn(d[t]) + __dsqrt_rn(d[t + 1]) + rsqrt(d[t + 2]) + copysign(d[t], d[t + 1]);
    f[t + 2] = fminf(f[t], f[t + 1]) + fmaxf(f[t + 2], f[t + 3]) + fabsf(f[t]) + fmodf(f[t], f[t + 1]);
    f[t + 3] = isnan(f[t]) + isinf(f[t + 1]) + signbit(f[t + 2]) + (isfinite(d[t]) ? 1.0f : 2.0f);
}

__global__ void k_special(float *f, double *d)
{
    const int t = threadIdx.x;
    f[t] = __sinf(f[t]) + __cosf(f[t + 1]) + __expf(f[t + 2]) + __logf(f[t + 3]) + __powf(f[t], 2.5f) + exp2f(f[t]) + tanhf(f[t]);
    f[t + 1] = sinf(f[t]) + expf(f[t + 1]) + erff(f[t + 2]);
    d[t] = exp(d[t]) + log(d[t + 1]);
}

__global__ void k_bits(unsigned *u, int *i, unsigned long long *w)
{
    const int t = threadIdx.x;
    u[t] = __funnelshift_l(u[t], u[t + 1], i[t]) ^ __funnelshift_rc(u[t], u[t + 1], i[t]) ^ __byte_perm(u[t], u[t + 1], 0x3210 + i[t]);
    i[t] = __mulhi(i[t], i[t + 1]) + __mul24(i[t], 7) + __sad(i[t], i[t + 1], u[t]) + __dp4a(i[t], i[t + 1], i[t + 2]);
    u[t + 1] = __dp4a(u[t], u[t + 1], u[t + 2]) + __umul24(u[t], 3) + __umulhi(u[t], u[t + 1]) + __dp2a_lo(u[t], u[t + 1], u[t + 2]);
    w[t] = __umul64hi(w[t], w[t + 1]) + __brevll(w[t]) + __popcll(w[t]) + __clzll(w[t]) + __ffsll(w[t]);
    u[t + 2] = (u[t] & u[t + 1]) | (~u[t + 2] & 0xf0f0) ^ (u[t] >> 5 & 0xff);
    i[t + 1] = min(i[t], 5) + max(i[t], -5) + abs(i[t]) + i[t] / 7 + i[t] % 10 + (int)(w[t] / 13);
    u[t + 3] = __vadd4(u[t], u[t + 1]) + __vabsdiffu4(u[t], u[t + 1]) + __vmaxs2(u[t], u[t + 1]) + __vsetgtu2(u[t], 3);
}

__global__ void k_video(unsigned *u, int *i)
{
    int r;
    asm("vadd.s32.u32.s32.sat %0, %1.b0, %2.h1;" : "=r"(r) : "r"(u[0]), "r"(i[0]));
    i[1] = r;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(u[1]) : "r"(u[2]), "r"(u[3]), "r"(u[4]));
    asm("vmad.u32.u32.u32.shr7 %0, %1.b3, %2.b2, %3;" : "=r"(u[5]) : "r"(u[6]), "r"(u[7]), "r"(u[8]));
    asm("bfe.u32 %0, %1, 3, 5;\n\tbfi.b32 %0, %2, %0, 8, 4;" : "=r"(u[9]) : "r"(u[10]), "r"(u[11]));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u[12]) : "r"(u[13]), "r"(u[14]), "r"(u[15]));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(u[16]) : "r"(u[17]));
    asm("{.reg .pred p, q;\n\t"
        "setp.lt.or.s32 p|q, %1, %2, q;\n\t"
        "selp.s32 %0, 1, 0, p;}"
        : "=r"(i[2])
        : "r"(i[3]), "r"(i[4]));
}
