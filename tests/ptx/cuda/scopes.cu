/* scopes.cu - inline PTX with scopes of its own: names and labels that come again, branches inside, special registers.
 * SPDX-License-Identifier: MIT */
__device__ __forceinline__ int spin(int n)
{
    int r;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .s32 i, t<3>;\n\t"
                 "mov.s32 i, 0;\n\t"
                 "mov.u32 %0, 0;\n"
                 "LOOP:\n\t"
                 "setp.ge.s32 p, i, %1;\n\t"
                 "@p bra DONE;\n\t"
                 "add.s32 t0, i, 1;\n\t"
                 "mov.s32 t2, t0;\n\t"
                 "add.s32 %0, %0, t2;\n\t"
                 "mov.s32 i, t0;\n\t"
                 "bra.uni LOOP;\n"
                 "DONE:\n\t"
                 "}"
                 : "=&r"(r)
                 : "r"(n));
    return r;
}

__global__ void k_scopes(int *x)
{
    x[0] = spin(x[1]);
    x[2] = spin(x[3]);
    asm volatile("{ .reg .b32 r; { .reg .b64 r; mov.u64 r, 5; } mov.u32 r, %%smid; mov.u32 %0, r; }" : "=r"(x[4]));
}

__global__ void k_special_registers(unsigned *u, unsigned long long *w)
{
#define READ32(index, name) asm volatile("mov.u32 %0, %" name ";" : "=r"(u[index]))
#define READ64(index, name) asm volatile("mov.u64 %0, %" name ";" : "=l"(w[index]))
    READ32(0, "%laneid");
    READ32(1, "%warpid");
    READ32(2, "%nwarpid");
    READ32(3, "%smid");
    READ32(4, "%nsmid");
    READ32(5, "%lanemask_eq");
    READ32(6, "%lanemask_le");
    READ32(7, "%lanemask_ge");
    READ32(8, "%lanemask_gt");
    READ32(9, "%clock_hi");
    READ32(10, "%dynamic_smem_size");
    READ32(11, "%total_smem_size");
    READ32(12, "%pm0");
    READ32(13, "%envreg3");
    READ32(14, "%globaltimer_hi");
    READ64(0, "%gridid");
    READ64(1, "%globaltimer");
    READ64(2, "%clock64");
}

__global__ void k_vector_registers(float *f)
{
    asm volatile("{\n\t"
                 ".reg .v4 .f32 v;\n\t"
                 ".reg .f32 s;\n\t"
                 ".reg .b64 a;\n\t"
                 "cvta.to.global.u64 a, %0;\n\t"
                 "ld.global.v4.f32 v, [a + 16 - 4*4 + 0x10];\n\t"
                 "add.f32 s, v.x, v.w;\n\t"
                 "mul.f32 s, s, 0f3F800000;\n\t"
                 "mul.f32 s, s, 2.5;\n\t"
                 "st.global.v4.f32 [a], {s, v.y, v.z, s};\n\t"
                 "}" ::"l"(f)
                 : "memory");
}

__global__ void k_packed(unsigned long long *w, unsigned *u)
{
    unsigned lo, hi;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(w[0]));
    asm("mov.b64 %0, {%1, %2};" : "=l"(w[1]) : "r"(hi), "r"(lo));
    unsigned short a, b;
    asm("mov.b32 {%0, %1}, %2;" : "=h"(a), "=h"(b) : "r"(u[0]));
    u[1] = a + b;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(u));
}
