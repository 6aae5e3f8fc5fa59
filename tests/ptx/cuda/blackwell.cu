/* blackwell.cu - what compute capability 10.0 brought, without its architecture-specific part: wide loads, packed
 * arithmetic, three-input extremes. SPDX-License-Identifier: MIT */
__global__ void k_wide_loads(const float *in, float *out)
{
    float v[8];
    asm volatile("ld.global.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7])
                 : "l"(in + 8 * threadIdx.x));
    asm volatile("st.global.L1::no_allocate.v8.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" ::"l"(out + 8 * threadIdx.x), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]), "f"(v[6]), "f"(v[7]));
}

__global__ void k_packed_floats(unsigned long long *w, float *f)
{
    asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(w[0]) : "l"(w[1]), "l"(w[2]), "l"(w[3]));
    asm("add.rn.f32x2 %0, %1, %2;" : "=l"(w[4]) : "l"(w[5]), "l"(w[6]));
    asm("max.f32 %0, %1, %2, %3;" : "=f"(f[0]) : "f"(f[1]), "f"(f[2]), "f"(f[3]));
    asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(f[4]) : "f"(f[5]), "f"(f[6]));
}
