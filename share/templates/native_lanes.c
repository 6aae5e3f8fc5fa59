/* native_lanes.c - what kernels in machine code are made of: it stands before the text that
 * src/ptx/emulate/native_text.c writes. The 32 lanes of a warp are two vectors of words, or four of
 * double words; a predicate is a mask. Results are those of src/ptx/emulate/alu_*.c, bit for bit.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, unused))
/* Large kernels are compiled twice as fast, and run a little slower, with fewer copies of these. */
#ifdef COMPACT
#define SHARED_COPY APART
#else
#define SHARED_COPY INLINE
#endif
#define ALL 0xffffffffu

typedef uint32_t W __attribute__((vector_size(64)));
typedef int32_t WS __attribute__((vector_size(64)));
typedef float WF __attribute__((vector_size(64)));
typedef uint64_t D __attribute__((vector_size(64)));
typedef int64_t DS __attribute__((vector_size(64)));
typedef double DF __attribute__((vector_size(64)));
typedef struct {
    W a, b;
} I;
typedef struct {
    D a, b, c, d;
} L;
typedef uint32_t P;
/* the same, lane by lane */
typedef union {
    I all;
    uint32_t u[32];
    int32_t s[32];
    float f[32];
} IE;
typedef union {
    L all;
    uint64_t u[32];
    int64_t s[32];
    double f[32];
} LE;
#define EACH for (int i = 0; i < 32; i++)

/* ---- constants, registers, slots ---- */

INLINE I i_set(uint32_t v)
{
    const W z = {0};
    return (I){z + v, z + v};
}
INLINE L l_set(uint64_t v)
{
    const D z = {0};
    return (L){z + v, z + v, z + v, z + v};
}
INLINE I i_get(const uint8_t *at)
{
    I v;
    memcpy(&v, at, sizeof v);
    return v;
}
INLINE L l_get(const uint8_t *at)
{
    L v;
    memcpy(&v, at, sizeof v);
    return v;
}
INLINE P p_get(const uint8_t *at)
{
    P v;
    memcpy(&v, at, sizeof v);
    return v;
}
INLINE void i_put(uint8_t *at, I v) { memcpy(at, &v, sizeof v); }
INLINE void l_put(uint8_t *at, L v) { memcpy(at, &v, sizeof v); }
INLINE void p_put(uint8_t *at, P v, P mask)
{
    v = (p_get(at) & ~mask) | (v & mask);
    memcpy(at, &v, sizeof v);
}

#ifdef __AVX512DQ__
#define M(v) ((__m512i)(v))
#define MF(v) ((__m512)(v))
#define MD(v) ((__m512d)(v))
#define PART(mask, k) ((__mmask8)((mask) >> 8 * (k)))
INLINE I i_sel(P m, I x, I y)
{
    return (I){(W)_mm512_mask_blend_epi32((__mmask16)m, M(y.a), M(x.a)),
               (W)_mm512_mask_blend_epi32((__mmask16)(m >> 16), M(y.b), M(x.b))};
}
INLINE L l_sel(P m, L x, L y)
{
    return (L){
        (D)_mm512_mask_blend_epi64(PART(m, 0), M(y.a), M(x.a)), (D)_mm512_mask_blend_epi64(PART(m, 1), M(y.b), M(x.b)),
        (D)_mm512_mask_blend_epi64(PART(m, 2), M(y.c), M(x.c)), (D)_mm512_mask_blend_epi64(PART(m, 3), M(y.d), M(x.d))};
}
INLINE void i_mput(uint8_t *at, I v, P m)
{
    _mm512_mask_storeu_epi32(at, (__mmask16)m, M(v.a));
    _mm512_mask_storeu_epi32(at + 64, (__mmask16)(m >> 16), M(v.b));
}
INLINE void l_mput(uint8_t *at, L v, P m)
{
    _mm512_mask_storeu_epi64(at, PART(m, 0), M(v.a));
    _mm512_mask_storeu_epi64(at + 64, PART(m, 1), M(v.b));
    _mm512_mask_storeu_epi64(at + 128, PART(m, 2), M(v.c));
    _mm512_mask_storeu_epi64(at + 192, PART(m, 3), M(v.d));
}
#define NARROW(x, y)                                                                                                   \
    (W) _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(M(x))), _mm512_cvtepi64_epi32(M(y)), 1)
INLINE I i_from_l(L x) { return (I){NARROW(x.a, x.b), NARROW(x.c, x.d)}; }
#define HALF(x, k) _mm512_extracti64x4_epi64(M(x), k)
#define WIDEN(T, how, x)                                                                                               \
    (L) { (T) how(HALF(x.a, 0)), (T)how(HALF(x.a, 1)), (T)how(HALF(x.b, 0)), (T)how(HALF(x.b, 1)) }
INLINE L l_from_u(I x) { return WIDEN(D, _mm512_cvtepu32_epi64, x); }
INLINE L l_from_s(I x) { return WIDEN(D, _mm512_cvtepi32_epi64, x); }
INLINE L d_from_f(I x)
{
    return (L){(D)_mm512_cvtps_pd((__m256)HALF(x.a, 0)), (D)_mm512_cvtps_pd((__m256)HALF(x.a, 1)),
               (D)_mm512_cvtps_pd((__m256)HALF(x.b, 0)), (D)_mm512_cvtps_pd((__m256)HALF(x.b, 1))};
}
#define FNARROW(x, y)                                                                                                  \
    (W) _mm512_inserti64x4(_mm512_castsi256_si512((__m256i)_mm512_cvtpd_ps(MD(x))), (__m256i)_mm512_cvtpd_ps(MD(y)), 1)
INLINE I f_from_d(L x) { return (I){FNARROW(x.a, x.b), FNARROW(x.c, x.d)}; }
#else
INLINE I i_sel(P m, I x, I y)
{
    IE p = {x}, q = {y};
    EACH q.u[i] = m >> i & 1 ? p.u[i] : q.u[i];
    return q.all;
}
INLINE L l_sel(P m, L x, L y)
{
    LE p = {x}, q = {y};
    EACH q.u[i] = m >> i & 1 ? p.u[i] : q.u[i];
    return q.all;
}
INLINE void i_mput(uint8_t *at, I v, P m) { i_put(at, i_sel(m, v, i_get(at))); }
INLINE void l_mput(uint8_t *at, L v, P m) { l_put(at, l_sel(m, v, l_get(at))); }
INLINE I i_from_l(L x)
{
    LE p = {x};
    IE r;
    EACH r.u[i] = (uint32_t)p.u[i];
    return r.all;
}
INLINE L l_from_u(I x)
{
    IE p = {x};
    LE r;
    EACH r.u[i] = p.u[i];
    return r.all;
}
INLINE L l_from_s(I x)
{
    IE p = {x};
    LE r;
    EACH r.s[i] = p.s[i];
    return r.all;
}
INLINE L d_from_f(I x)
{
    IE p = {x};
    LE r;
    EACH r.f[i] = (double)p.f[i];
    return r.all;
}
INLINE I f_from_d(L x)
{
    LE p = {x};
    IE r;
    EACH r.f[i] = (float)p.f[i];
    return r.all;
}
#endif
INLINE I i_slot(wl_native *x, int slot) { return i_from_l(l_get((const uint8_t *)x->value[slot])); }
INLINE L l_slot(wl_native *x, int slot) { return l_get((const uint8_t *)x->value[slot]); }
INLINE P p_slot(wl_native *x, int slot) { return (P)x->value[slot][0]; }
INLINE void i_out(wl_native *x, int slot, I v) { l_put((uint8_t *)x->value[slot], l_from_u(v)); }
INLINE void l_out(wl_native *x, int slot, L v) { l_put((uint8_t *)x->value[slot], v); }
INLINE void p_out(wl_native *x, int slot, P v) { x->value[slot][0] = v; }

/* ---- arithmetic: in terms of p, q and r ---- */

#define I1(name, T, e)                                                                                                 \
    INLINE I name(I x)                                                                                                 \
    {                                                                                                                  \
        I z;                                                                                                           \
        {                                                                                                              \
            const T p = (T)x.a;                                                                                        \
            z.a = (W)(e);                                                                                              \
        }                                                                                                              \
        {                                                                                                              \
            const T p = (T)x.b;                                                                                        \
            z.b = (W)(e);                                                                                              \
        }                                                                                                              \
        return z;                                                                                                      \
    }
#define I2(name, T, e)                                                                                                 \
    INLINE I name(I x, I y)                                                                                            \
    {                                                                                                                  \
        I z;                                                                                                           \
        {                                                                                                              \
            const T p = (T)x.a, q = (T)y.a;                                                                            \
            z.a = (W)(e);                                                                                              \
        }                                                                                                              \
        {                                                                                                              \
            const T p = (T)x.b, q = (T)y.b;                                                                            \
            z.b = (W)(e);                                                                                              \
        }                                                                                                              \
        return z;                                                                                                      \
    }
#define L_PART(T, k, e)                                                                                                \
    {                                                                                                                  \
        const T p = (T)x.k;                                                                                            \
        z.k = (D)(e);                                                                                                  \
    }
#define L1(name, T, e)                                                                                                 \
    INLINE L name(L x)                                                                                                 \
    {                                                                                                                  \
        L z;                                                                                                           \
        L_PART(T, a, e) L_PART(T, b, e) L_PART(T, c, e) L_PART(T, d, e) return z;                                      \
    }
#define L_PARTS(T, k, e)                                                                                               \
    {                                                                                                                  \
        const T p = (T)x.k, q = (T)y.k;                                                                                \
        z.k = (D)(e);                                                                                                  \
    }
#define L2(name, T, e)                                                                                                 \
    INLINE L name(L x, L y)                                                                                            \
    {                                                                                                                  \
        L z;                                                                                                           \
        L_PARTS(T, a, e) L_PARTS(T, b, e) L_PARTS(T, c, e) L_PARTS(T, d, e) return z;                                  \
    }
#define ONE(name, e) I1(i_##name, W, e) L1(l_##name, D, e)
#define BOTH(name, e) I2(i_##name, W, e) L2(l_##name, D, e)
BOTH(add, p + q)
BOTH(sub, p - q)
BOTH(mul, p *q)
BOTH(and, p &q)
BOTH(or, p | q)
BOTH(xor, p ^ q)
ONE(not, ~p)
ONE(neg, -p)
I2(i_shl, W, (p << (q & 31)) & (W)(q < 32))
I2(i_shru, W, (p >> (q & 31)) & (W)(q < 32))
I2(i_shrs, W, (W)((WS)p >> (WS)(((q & 31) & (W)(q < 32)) | (31 & (W)(q >= 32)))))
L2(l_shl, D, (p << (q & 63)) & (D)(q < 64))
L2(l_shru, D, (p >> (q & 63)) & (D)(q < 64))
L2(l_shrs, D, (D)((DS)p >> (DS)(((q & 63) & (D)(q < 64)) | (63 & (D)(q >= 64)))))
#define BY(name, k, T, e)                                                                                              \
    INLINE I i_##name(I x, int n)                                                                                      \
    {                                                                                                                  \
        I z;                                                                                                           \
        {                                                                                                              \
            const T p = (T)x.a;                                                                                        \
            z.a = (W)(e);                                                                                              \
        }                                                                                                              \
        {                                                                                                              \
            const T p = (T)x.b;                                                                                        \
            z.b = (W)(e);                                                                                              \
        }                                                                                                              \
        return z;                                                                                                      \
    }
#define LBY(name, T, e)                                                                                                \
    INLINE L l_##name(L x, int n)                                                                                      \
    {                                                                                                                  \
        L z;                                                                                                           \
        L_PART(T, a, e) L_PART(T, b, e) L_PART(T, c, e) L_PART(T, d, e) return z;                                      \
    }
BY(shl_by, k, W, p << n)
BY(shru_by, k, W, p >> n)
BY(shrs_by, k, WS, p >> n)
LBY(shl_by, D, p << n)
LBY(shru_by, D, p >> n)
LBY(shrs_by, DS, p >> n)
INLINE I i_u8(I x) { return i_and(x, i_set(0xff)); }
INLINE I i_s8(I x) { return i_shrs_by(i_shl_by(x, 24), 24); }
INLINE I i_u16(I x) { return i_and(x, i_set(0xffff)); }
INLINE I i_s16(I x) { return i_shrs_by(i_shl_by(x, 16), 16); }
INLINE I i_mad(I x, I y, I z) { return i_add(i_mul(x, y), z); }
INLINE L l_mad(L x, L y, L z) { return l_add(l_mul(x, y), z); }
/* products of words */
#ifdef __AVX512DQ__
#define WIDE(name, from, mul)                                                                                          \
    INLINE L name(I x, I y)                                                                                            \
    {                                                                                                                  \
        const L p = from(x), q = from(y);                                                                              \
        return (L){(D)mul(M(p.a), M(q.a)), (D)mul(M(p.b), M(q.b)), (D)mul(M(p.c), M(q.c)), (D)mul(M(p.d), M(q.d))};    \
    }
WIDE(l_wideu, l_from_u, _mm512_mul_epu32)
WIDE(l_wides, l_from_u, _mm512_mul_epi32)
#else
INLINE L l_wideu(I x, I y) { return l_mul(l_from_u(x), l_from_u(y)); }
INLINE L l_wides(I x, I y) { return l_mul(l_from_s(x), l_from_s(y)); }
#endif
INLINE I i_hiu(I x, I y) { return i_from_l(l_shru_by(l_wideu(x, y), 32)); }
INLINE I i_his(I x, I y) { return i_from_l(l_shru_by(l_wides(x, y), 32)); }
/* both words shifted: the upper ones of a left shift, the lower ones of a right shift */
INLINE L l_join(I low, I high) { return l_or(l_from_u(low), l_shl_by(l_from_u(high), 32)); }
INLINE I i_funnel_left(I low, I high, I n) { return i_from_l(l_shru_by(l_shl(l_join(low, high), l_from_u(n)), 32)); }
INLINE I i_funnel_right(I low, I high, I n) { return i_from_l(l_shru(l_join(low, high), l_from_u(n))); }

#define LOOP_I(name, T, e)                                                                                             \
    APART I name(I x, I y)                                                                                             \
    {                                                                                                                  \
        IE p_ = {x}, q_ = {y}, z;                                                                                      \
        EACH                                                                                                           \
        {                                                                                                              \
            const T p = (T)p_.u[i], q = (T)q_.u[i];                                                                    \
            (void)q;                                                                                                   \
            z.u[i] = (uint32_t)(e);                                                                                    \
        }                                                                                                              \
        return z.all;                                                                                                  \
    }
#define LOOP_L(name, T, e)                                                                                             \
    APART L name(L x, L y)                                                                                             \
    {                                                                                                                  \
        LE p_ = {x}, q_ = {y}, z;                                                                                      \
        EACH                                                                                                           \
        {                                                                                                              \
            const T p = (T)p_.u[i], q = (T)q_.u[i];                                                                    \
            (void)q;                                                                                                   \
            z.u[i] = (uint64_t)(e);                                                                                    \
        }                                                                                                              \
        return z.all;                                                                                                  \
    }
#ifdef __AVX512DQ__
/* exact: doubles hold all words, and a quotient that is no whole number is far enough from one */
#define QUOTIENT(name, from, to)                                                                                       \
    INLINE W name(W x, W y)                                                                                            \
    {                                                                                                                  \
        const __m256i low = to(_mm512_div_pd(from(_mm512_castsi512_si256(M(x))), from(_mm512_castsi512_si256(M(y))))); \
        const __m256i high =                                                                                           \
            to(_mm512_div_pd(from(_mm512_extracti64x4_epi64(M(x), 1)), from(_mm512_extracti64x4_epi64(M(y), 1))));     \
        return (W)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);                                            \
    }
QUOTIENT(quotient_u, _mm512_cvtepu32_pd, _mm512_cvttpd_epu32)
QUOTIENT(quotient_s, _mm512_cvtepi32_pd, _mm512_cvttpd_epi32)
#define DIVISION(sign)                                                                                                 \
    INLINE I i_div##sign(I x, I y)                                                                                     \
    {                                                                                                                  \
        const __mmask16 a = _mm512_testn_epi32_mask(M(y.a), M(y.a)), b = _mm512_testn_epi32_mask(M(y.b), M(y.b));      \
        const __m512i ones = _mm512_set1_epi32(-1);                                                                    \
        return (I){(W)_mm512_mask_mov_epi32(M(quotient_##sign(x.a, y.a)), a, ones),                                    \
                   (W)_mm512_mask_mov_epi32(M(quotient_##sign(x.b, y.b)), b, ones)};                                   \
    }                                                                                                                  \
    INLINE I i_rem##sign(I x, I y) { return i_sub(x, i_mul(i_div##sign(x, y), y)); }
DIVISION(u)
DIVISION(s)
#else
LOOP_I(i_divu, uint32_t, q ? p / q : ALL)
LOOP_I(i_remu, uint32_t, q ? p % q : p)
LOOP_I(i_divs, int32_t, q == 0 ? -1 : q == -1 ? (int32_t)(0u - (uint32_t)p) : p / q)
LOOP_I(i_rems, int32_t, q == 0 ? p : q == -1 ? 0 : p % q)
#endif
LOOP_L(l_divu, uint64_t, q ? p / q : ~(uint64_t)0)
LOOP_L(l_remu, uint64_t, q ? p % q : p)
LOOP_L(l_divs, int64_t, q == 0 ? -1 : q == -1 ? (int64_t)(0 - (uint64_t)p) : p / q)
LOOP_L(l_rems, int64_t, q == 0 ? p : q == -1 ? 0 : p % q)
LOOP_I(i_popc, uint32_t, (uint32_t)__builtin_popcount(p) + 0 * q)
LOOP_I(i_clz, uint32_t, (p ? (uint32_t)__builtin_clz(p) : 32) + 0 * q)
LOOP_L(l_hiu, uint64_t, (uint64_t)((unsigned __int128)p *q >> 64))
LOOP_L(l_his, int64_t, (uint64_t)((__int128)p *q >> 64))
INLINE I l_popc(L x)
{
    LE p = {x};
    IE z;
    EACH z.u[i] = (uint32_t)__builtin_popcountll(p.u[i]);
    return z.all;
}
INLINE I l_clz(L x)
{
    LE p = {x};
    IE z;
    EACH z.u[i] = p.u[i] ? (uint32_t)__builtin_clzll(p.u[i]) : 64;
    return z.all;
}
INLINE I i_brev(I x)
{
    const I m1 = i_set(0x55555555), m2 = i_set(0x33333333), m4 = i_set(0x0f0f0f0f), m8 = i_set(0x00ff00ff);
    x = i_or(i_and(i_shru_by(x, 1), m1), i_shl_by(i_and(x, m1), 1));
    x = i_or(i_and(i_shru_by(x, 2), m2), i_shl_by(i_and(x, m2), 2));
    x = i_or(i_and(i_shru_by(x, 4), m4), i_shl_by(i_and(x, m4), 4));
    x = i_or(i_and(i_shru_by(x, 8), m8), i_shl_by(i_and(x, m8), 8));
    return i_or(i_shru_by(x, 16), i_shl_by(x, 16));
}

/* ---- comparisons: eq ne lt le gt ge, then the same or unordered, then num and nan ---- */

#ifdef __AVX512DQ__
#define I_COMPARE(name, cmp)                                                                                           \
    INLINE P name##_eq(I x, I y) { return cmp(x, y, 0); }                                                              \
    INLINE P name##_ne(I x, I y) { return cmp(x, y, 4); }                                                              \
    INLINE P name##_lt(I x, I y) { return cmp(x, y, 1); }                                                              \
    INLINE P name##_le(I x, I y) { return cmp(x, y, 2); }                                                              \
    INLINE P name##_gt(I x, I y) { return cmp(x, y, 6); }                                                              \
    INLINE P name##_ge(I x, I y) { return cmp(x, y, 5); }
#define L_COMPARE(name, cmp)                                                                                           \
    INLINE P name##_eq(L x, L y) { return cmp(x, y, 0); }                                                              \
    INLINE P name##_ne(L x, L y) { return cmp(x, y, 4); }                                                              \
    INLINE P name##_lt(L x, L y) { return cmp(x, y, 1); }                                                              \
    INLINE P name##_le(L x, L y) { return cmp(x, y, 2); }                                                              \
    INLINE P name##_gt(L x, L y) { return cmp(x, y, 6); }                                                              \
    INLINE P name##_ge(L x, L y) { return cmp(x, y, 5); }
#define ICMP(f, x, y, h) ((P)f(M(x.a), M(y.a), h) | (P)f(M(x.b), M(y.b), h) << 16)
#define FOUR(f, C, x, y, h)                                                                                            \
    ((P)f(C(x.a), C(y.a), h) | (P)f(C(x.b), C(y.b), h) << 8 | (P)f(C(x.c), C(y.c), h) << 16 |                          \
     (P)f(C(x.d), C(y.d), h) << 24)
#define ICMPU(x, y, h) ICMP(_mm512_cmp_epu32_mask, x, y, h)
#define ICMPS(x, y, h) ICMP(_mm512_cmp_epi32_mask, x, y, h)
#define LCMPU(x, y, h) FOUR(_mm512_cmp_epu64_mask, M, x, y, h)
#define LCMPS(x, y, h) FOUR(_mm512_cmp_epi64_mask, M, x, y, h)
#define FCMP(x, y, h) ((P)_mm512_cmp_ps_mask(MF(x.a), MF(y.a), h) | (P)_mm512_cmp_ps_mask(MF(x.b), MF(y.b), h) << 16)
#define DCMP(x, y, h) FOUR(_mm512_cmp_pd_mask, MD, x, y, h)
#define FLOATS(T, name, cmp)                                                                                           \
    INLINE P name##_eq(T x, T y) { return cmp(x, y, 0x00); }                                                           \
    INLINE P name##_ne(T x, T y) { return cmp(x, y, 0x0c); }                                                           \
    INLINE P name##_lt(T x, T y) { return cmp(x, y, 0x11); }                                                           \
    INLINE P name##_le(T x, T y) { return cmp(x, y, 0x12); }                                                           \
    INLINE P name##_gt(T x, T y) { return cmp(x, y, 0x1e); }                                                           \
    INLINE P name##_ge(T x, T y) { return cmp(x, y, 0x1d); }                                                           \
    INLINE P name##_equ(T x, T y) { return cmp(x, y, 0x08); }                                                          \
    INLINE P name##_neu(T x, T y) { return cmp(x, y, 0x04); }                                                          \
    INLINE P name##_ltu(T x, T y) { return cmp(x, y, 0x19); }                                                          \
    INLINE P name##_leu(T x, T y) { return cmp(x, y, 0x1a); }                                                          \
    INLINE P name##_gtu(T x, T y) { return cmp(x, y, 0x16); }                                                          \
    INLINE P name##_geu(T x, T y) { return cmp(x, y, 0x15); }                                                          \
    INLINE P name##_num(T x, T y) { return cmp(x, y, 0x07); }                                                          \
    INLINE P name##_nan(T x, T y) { return cmp(x, y, 0x03); }
#else
#define MASK_OF(E, T, k, e)                                                                                            \
    E p_ = {x}, q_ = {y};                                                                                              \
    P z = 0;                                                                                                           \
    EACH                                                                                                               \
    {                                                                                                                  \
        const T p = p_.k[i], q = q_.k[i];                                                                              \
        z |= (P)(e) << i;                                                                                              \
    }                                                                                                                  \
    return z;
#define WHOLE(V, E, name, T, k)                                                                                        \
    INLINE P name##_eq(V x, V y){MASK_OF(E, T, k, p == q)} INLINE P name##_ne(V x, V y){                               \
        MASK_OF(E, T, k, p != q)} INLINE P name##_lt(V x, V y){MASK_OF(E, T, k, p < q)} INLINE P name##_le(V x, V y){  \
        MASK_OF(E, T, k, p <= q)} INLINE P name##_gt(V x, V y){MASK_OF(E, T, k, p > q)} INLINE P name##_ge(V x, V y)   \
    {                                                                                                                  \
        MASK_OF(E, T, k, p >= q)                                                                                       \
    }
#define I_COMPARE(name, form) form(name)
#define L_COMPARE(name, form) form(name)
#define ICMPU(name) WHOLE(I, IE, name, uint32_t, u)
#define ICMPS(name) WHOLE(I, IE, name, int32_t, s)
#define LCMPU(name) WHOLE(L, LE, name, uint64_t, u)
#define LCMPS(name) WHOLE(L, LE, name, int64_t, s)
#define FLOATS(V, name, cmp)                                                                                           \
    INLINE P name##_eq(V x, V y){cmp(p == q)} INLINE P name##_ne(V x, V y){cmp(p < q || p > q)} INLINE P name##_lt(    \
        V x, V y){cmp(p < q)} INLINE P name##_le(V x, V y){cmp(p <= q)} INLINE P name##_gt(V x, V y){                  \
        cmp(p > q)} INLINE P name##_ge(V x, V y){cmp(p >= q)} INLINE P name##_equ(V x, V y){                           \
        cmp(!(p < q || p > q))} INLINE P name##_neu(V x, V y){cmp(p != q)} INLINE P name##_ltu(V x, V y){              \
        cmp(!(p >= q))} INLINE P name##_leu(V x, V y){cmp(!(p > q))} INLINE P name##_gtu(V x, V y){                    \
        cmp(!(p <= q))} INLINE P name##_geu(V x, V y){cmp(!(p < q))} INLINE P name##_num(V x, V y){                    \
        cmp(p == p && q == q)} INLINE P name##_nan(V x, V y)                                                           \
    {                                                                                                                  \
        cmp(p != p || q != q)                                                                                          \
    }
#define FCMP(e) MASK_OF(IE, float, f, e)
#define DCMP(e) MASK_OF(LE, double, f, e)
#endif
I_COMPARE(iu, ICMPU)
I_COMPARE(is, ICMPS)
L_COMPARE(lu, LCMPU)
L_COMPARE(ls, LCMPS)
FLOATS(I, f, FCMP)
FLOATS(L, d, DCMP)
INLINE I i_minu(I x, I y) { return i_sel(iu_lt(x, y), x, y); }
INLINE I i_mins(I x, I y) { return i_sel(is_lt(x, y), x, y); }
INLINE I i_maxu(I x, I y) { return i_sel(iu_gt(x, y), x, y); }
INLINE I i_maxs(I x, I y) { return i_sel(is_gt(x, y), x, y); }
INLINE L l_minu(L x, L y) { return l_sel(lu_lt(x, y), x, y); }
INLINE L l_mins(L x, L y) { return l_sel(ls_lt(x, y), x, y); }
INLINE L l_maxu(L x, L y) { return l_sel(lu_gt(x, y), x, y); }
INLINE L l_maxs(L x, L y) { return l_sel(ls_gt(x, y), x, y); }
INLINE I i_abs(I x) { return i_sel(is_lt(x, i_set(0)), i_neg(x), x); }
INLINE L l_abs(L x) { return l_sel(ls_lt(x, l_set(0)), l_neg(x), x); }
#ifdef __AVX512DQ__
#define i_lop3(x, y, z, table)                                                                                         \
    ((I){(W)_mm512_ternarylogic_epi32(M((x).a), M((y).a), M((z).a), table),                                            \
         (W)_mm512_ternarylogic_epi32(M((x).b), M((y).b), M((z).b), table)})
#else
INLINE I i_lop3(I x, I y, I z, int table)
{
    I all = i_set(0);
    for (int k = 0; k < 8; k++)
        if (table >> k & 1)
            all = i_or(all, i_and(i_and(k & 4 ? x : i_not(x), k & 2 ? y : i_not(y)), k & 1 ? z : i_not(z)));
    return all;
}
#endif

/* ---- floating point ---- */

I2(f_add, WF, p + q)
I2(f_sub, WF, p - q)
I2(f_mul, WF, p *q)
I2(f_div, WF, p / q)
L2(d_add, DF, p + q)
L2(d_sub, DF, p - q)
L2(d_mul, DF, p *q)
L2(d_div, DF, p / q)
INLINE I f_neg(I x) { return i_xor(x, i_set(0x80000000u)); }
INLINE I f_abs(I x) { return i_and(x, i_set(0x7fffffffu)); }
INLINE L d_neg(L x) { return l_xor(x, l_set((uint64_t)1 << 63)); }
INLINE L d_abs(L x) { return l_and(x, l_set(~((uint64_t)1 << 63))); }
INLINE I f_flush(I x) { return i_sel(iu_ne(i_and(x, i_set(0x7f800000u)), i_set(0)), x, i_and(x, i_set(0x80000000u))); }
#ifdef __AVX512DQ__
#define F3(name, f)                                                                                                    \
    INLINE I name(I x, I y, I z) { return (I){(W)f(MF(x.a), MF(y.a), MF(z.a)), (W)f(MF(x.b), MF(y.b), MF(z.b))}; }
#define D3(name, f)                                                                                                    \
    INLINE L name(L x, L y, L z)                                                                                       \
    {                                                                                                                  \
        return (L){(D)f(MD(x.a), MD(y.a), MD(z.a)), (D)f(MD(x.b), MD(y.b), MD(z.b)), (D)f(MD(x.c), MD(y.c), MD(z.c)),  \
                   (D)f(MD(x.d), MD(y.d), MD(z.d))};                                                                   \
    }
F3(f_fma, _mm512_fmadd_ps)
D3(d_fma, _mm512_fmadd_pd)
INLINE I f_sqrt(I x) { return (I){(W)_mm512_sqrt_ps(MF(x.a)), (W)_mm512_sqrt_ps(MF(x.b))}; }
INLINE L d_sqrt(L x)
{
    return (L){(D)_mm512_sqrt_pd(MD(x.a)), (D)_mm512_sqrt_pd(MD(x.b)), (D)_mm512_sqrt_pd(MD(x.c)),
               (D)_mm512_sqrt_pd(MD(x.d))};
}
#else
INLINE I f_fma(I x, I y, I z)
{
    IE p = {x}, q = {y}, r = {z};
    EACH r.f[i] = fmaf(p.f[i], q.f[i], r.f[i]);
    return r.all;
}
INLINE L d_fma(L x, L y, L z)
{
    LE p = {x}, q = {y}, r = {z};
    EACH r.f[i] = fma(p.f[i], q.f[i], r.f[i]);
    return r.all;
}
INLINE I f_sqrt(I x)
{
    IE p = {x};
    EACH p.f[i] = sqrtf(p.f[i]);
    return p.all;
}
INLINE L d_sqrt(L x)
{
    LE p = {x};
    EACH p.f[i] = sqrt(p.f[i]);
    return p.all;
}
#endif
INLINE I f_rcp(I x) { return f_div(i_set(0x3f800000u), x); }
INLINE L d_rcp(L x) { return d_div(l_set(0x3ff0000000000000u), x); }
INLINE L d_rsqrt(L x) { return d_rcp(d_sqrt(x)); }
INLINE I f_rsqrt(I x) { return f_from_d(d_rsqrt(d_from_f(x))); }
/* a number wins over NaN; -0 is less than +0 */
INLINE I f_min(I x, I y)
{
    const I z = i_sel(f_lt(x, y) | (f_eq(x, y) & is_lt(x, i_set(0))), x, y);
    return i_sel(f_nan(x, x), y, i_sel(f_nan(y, y), x, z));
}
INLINE I f_max(I x, I y)
{
    const I z = i_sel(f_gt(x, y) | (f_eq(x, y) & is_lt(y, i_set(0))), x, y);
    return i_sel(f_nan(x, x), y, i_sel(f_nan(y, y), x, z));
}
INLINE L d_min(L x, L y)
{
    const L z = l_sel(d_lt(x, y) | (d_eq(x, y) & ls_lt(x, l_set(0))), x, y);
    return l_sel(d_nan(x, x), y, l_sel(d_nan(y, y), x, z));
}
INLINE L d_max(L x, L y)
{
    const L z = l_sel(d_gt(x, y) | (d_eq(x, y) & ls_lt(y, l_set(0))), x, y);
    return l_sel(d_nan(x, x), y, l_sel(d_nan(y, y), x, z));
}

/* ---- conversions ---- */

#define II(name, to, e)                                                                                                \
    INLINE I name(I x)                                                                                                 \
    {                                                                                                                  \
        IE p = {x}, z;                                                                                                 \
        EACH z.to[i] = (e);                                                                                            \
        return z.all;                                                                                                  \
    }
#define LL(name, to, e)                                                                                                \
    INLINE L name(L x)                                                                                                 \
    {                                                                                                                  \
        LE p = {x}, z;                                                                                                 \
        EACH z.to[i] = (e);                                                                                            \
        return z.all;                                                                                                  \
    }
#define IL(name, to, e)                                                                                                \
    INLINE I name(L x)                                                                                                 \
    {                                                                                                                  \
        LE p = {x};                                                                                                    \
        IE z;                                                                                                          \
        EACH z.to[i] = (e);                                                                                            \
        return z.all;                                                                                                  \
    }
#define LI(name, to, e)                                                                                                \
    INLINE L name(I x)                                                                                                 \
    {                                                                                                                  \
        IE p = {x};                                                                                                    \
        LE z;                                                                                                          \
        EACH z.to[i] = (e);                                                                                            \
        return z.all;                                                                                                  \
    }
II(f_from_u32, f, (float)p.u[i])
II(f_from_s32, f, (float)p.s[i])
IL(f_from_u64, f, (float)p.u[i])
IL(f_from_s64, f, (float)p.s[i])
LI(d_from_u32, f, (double)p.u[i])
LI(d_from_s32, f, (double)p.s[i])
LL(d_from_u64, f, (double)p.u[i])
LL(d_from_s64, f, (double)p.s[i])
II(f_floor, f, floorf(p.f[i]))
II(f_ceil, f, ceilf(p.f[i]))
II(f_trunc, f, truncf(p.f[i]))
INLINE double within(double x, double low, double high) { return !(x >= low) ? low : x <= high ? x : high; }
INLINE double as_s32(double x) { return within(x == x ? x : 0, -2147483648.0, 2147483647.0); }
INLINE double as_u32(double x) { return within(x, 0, 4294967295.0); }
INLINE double nearest(double x) { return (x + 6755399441055744.0) - 6755399441055744.0; }
IL(s32_rz_d, s, (int32_t)as_s32(p.f[i]))
IL(u32_rz_d, u, (uint32_t)(int64_t)as_u32(p.f[i]))
IL(s32_rn_d, s, (int32_t)nearest(as_s32(p.f[i])))
IL(u32_rn_d, u, (uint32_t)(int64_t)nearest(as_u32(p.f[i])))
II(s32_rz_f, s, (int32_t)as_s32((double)p.f[i]))
II(u32_rz_f, u, (uint32_t)(int64_t)as_u32((double)p.f[i]))
II(s32_rn_f, s, (int32_t)nearest(as_s32((double)p.f[i])))
II(u32_rn_f, u, (uint32_t)(int64_t)nearest(as_u32((double)p.f[i])))

/* ---- lanes of each other ---- */

enum { UP, DOWN, BFLY, IDX };
APART I shuffle(I v, I b, I c, P mask, int mode, P *ranged)
{
    const IE a = {v}, at = {b}, bounds = {c};
    IE z;
    *ranged = 0;
    EACH
    {
        const uint32_t lane = (uint32_t)i, segment = bounds.u[i] >> 8 & 31, b5 = at.u[i] & 31;
        const uint32_t lowest = lane & segment, highest = lowest | (bounds.u[i] & 31 & ~segment);
        const uint32_t from = mode == UP     ? lane - b5
                              : mode == DOWN ? lane + b5
                              : mode == BFLY ? lane ^ b5
                                             : lowest | (b5 & ~segment);
        const int inside = mode == UP ? (int32_t)from >= (int32_t)highest : from <= highest;
        const uint32_t source = inside ? from & 31 : lane;
        *ranged |= (P)inside << i;
        z.u[i] = mask >> source & 1 ? a.u[source] : 0;
    }
    return z.all;
}

/* ---- memory ---- */

enum { NOWHERE, SAME, ROWS, ANY };
/* Rows: one element after the other in lanes 0 to 15, from `first` on, and in lanes 16 to 31, from
 * `second` on, as in blocks of 16 threads in a row. Distances are those from `data`. */
typedef struct {
    uint64_t first, second;
    int how;
} reach;
typedef struct {
    uint8_t *data;
    L at;
    reach is;
} span;
#define FOUR_FROM(n) n, (n) + 1, (n) + 2, (n) + 3
#define LANES16 FOUR_FROM(0), FOUR_FROM(4), FOUR_FROM(8), FOUR_FROM(12)
static const uint32_t half_word[16] = {LANES16};
static const uint64_t half_number[32] = {LANES16, LANES16};
static const uint64_t lane_number[32] = {LANES16, FOUR_FROM(16), FOUR_FROM(20), FOUR_FROM(24), FOUR_FROM(28)};

/* Where the lanes of a mask reach, of which there are some. Distances are rotated, so that one that
 * is not aligned is too large. */
APART reach find_some(const uint64_t *at, uint64_t most, P mask, int size)
{
    const int shift = __builtin_ctz((unsigned)size), lane = __builtin_ctz(mask);
    const int low = mask & 0xffff ? lane : 0, high = mask >> 16 ? __builtin_ctz(mask >> 16) : 0;
    uint64_t r[32];
    uint32_t outside = 0, row = 0, same = 0;
    EACH r[i] = at[i] >> shift | (shift ? at[i] << (64 - shift) : 0);
    const uint64_t first = r[low] - (uint64_t)low, second = r[16 + high] - (uint64_t)high;
#ifdef __AVX512DQ__
    const __m512i limit = _mm512_set1_epi64((long long)most), one = _mm512_set1_epi64((long long)r[lane]);
    for (int k = 0; k < 4; k++) {
        const __m512i here = _mm512_loadu_si512(r + 8 * k),
                      begin = _mm512_set1_epi64((long long)(k < 2 ? first : second));
        const __m512i beside = _mm512_add_epi64(begin, _mm512_loadu_si512(half_number + 8 * k));
        outside |= (uint32_t)_mm512_cmpgt_epu64_mask(here, limit) << 8 * k;
        row |= (uint32_t)_mm512_cmpneq_epi64_mask(here, beside) << 8 * k;
        same |= (uint32_t)_mm512_cmpneq_epi64_mask(here, one) << 8 * k;
    }
#else
    EACH
    {
        outside |= (uint32_t)(r[i] > most) << i;
        row |= (uint32_t)(r[i] != (i < 16 ? first : second) + half_number[i]) << i;
        same |= (uint32_t)(r[i] != r[lane]) << i;
    }
#endif
    if (outside & mask)
        return (reach){0, 0, NOWHERE};
    if (!(same & mask))
        return (reach){r[lane] << shift, 0, SAME};
    return (reach){first << shift, second << shift, !(row & mask) ? ROWS : ANY};
}

SHARED_COPY span find(const wl_native_piece *piece, L at, P mask, const int size)
{
    const uint64_t most = (piece->bytes - (uint64_t)size) >> __builtin_ctz((unsigned)size);
    span s = {piece->data, l_sub(at, l_set(piece->begin)), {0, 0, NOWHERE}};
    if (!piece->data || piece->bytes < (uint64_t)size)
        return s;
#ifdef __AVX512DQ__
    if (mask == ALL) {
        const __m512i by = _mm512_set1_epi64(__builtin_ctz((unsigned)size)), limit = _mm512_set1_epi64((long long)most);
        const __m512i a = _mm512_rorv_epi64(M(s.at.a), by), b = _mm512_rorv_epi64(M(s.at.b), by),
                      c = _mm512_rorv_epi64(M(s.at.c), by), d = _mm512_rorv_epi64(M(s.at.d), by);
        const __m512i top = _mm512_max_epu64(_mm512_max_epu64(a, b), _mm512_max_epu64(c, d));
        if (_mm512_cmpgt_epu64_mask(top, limit))
            return s;
        const __m512i first = _mm512_broadcastq_epi64(_mm512_castsi512_si128(a)),
                      second = _mm512_broadcastq_epi64(_mm512_castsi512_si128(c));
#define BESIDE(v, from, k) _mm512_xor_si512(_mm512_sub_epi64(v, from), _mm512_loadu_si512(half_number + 8 * (k)))
        const __m512i row = _mm512_or_si512(_mm512_or_si512(BESIDE(a, first, 0), BESIDE(b, first, 1)),
                                            _mm512_or_si512(BESIDE(c, second, 2), BESIDE(d, second, 3)));
        s.is = (reach){s.at.a[0], s.at.c[0], ROWS};
        if (_mm512_test_epi64_mask(row, row)) {
            const __m512i same =
                _mm512_or_si512(_mm512_or_si512(_mm512_xor_si512(a, first), _mm512_xor_si512(b, first)),
                                _mm512_or_si512(_mm512_xor_si512(c, first), _mm512_xor_si512(d, first)));
            s.is.how = _mm512_test_epi64_mask(same, same) ? ANY : SAME;
        }
        return s;
    }
#endif
    uint64_t each[32];
    l_put((uint8_t *)each, s.at);
    s.is = find_some(each, most, mask, size);
    return s;
}

/* The same of addresses of 32 bits, as of shared memory. */
typedef struct {
    uint8_t *data;
    I at;
    reach is;
} span32;
INLINE span wide(span32 s) { return (span){s.data, l_from_u(s.at), s.is}; }
SHARED_COPY span32 find32(const wl_native_piece *piece, I at, P mask, const int size)
{
    const uint64_t most = (piece->bytes - (uint64_t)size) >> __builtin_ctz((unsigned)size);
    span32 s = {piece->data, at, {0, 0, NOWHERE}};
    if (!piece->data || piece->bytes < (uint64_t)size)
        return s;
#ifdef __AVX512DQ__
    if (mask == ALL) {
        const __m512i by = _mm512_set1_epi32(__builtin_ctz((unsigned)size)), limit = _mm512_set1_epi32((int)most);
        const __m512i a = _mm512_rorv_epi32(M(s.at.a), by), b = _mm512_rorv_epi32(M(s.at.b), by);
        if (_mm512_cmpgt_epu32_mask(_mm512_max_epu32(a, b), limit))
            return s;
        const __m512i first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(a)),
                      second = _mm512_broadcastd_epi32(_mm512_castsi512_si128(b)),
                      lanes = _mm512_loadu_si512(half_word);
        const __m512i row = _mm512_or_si512(_mm512_xor_si512(_mm512_sub_epi32(a, first), lanes),
                                            _mm512_xor_si512(_mm512_sub_epi32(b, second), lanes));
        s.is = (reach){s.at.a[0], s.at.b[0], ROWS};
        if (_mm512_test_epi32_mask(row, row)) {
            const __m512i same = _mm512_or_si512(_mm512_xor_si512(a, first), _mm512_xor_si512(b, first));
            s.is.how = _mm512_test_epi32_mask(same, same) ? ANY : SAME;
        }
        return s;
    }
#endif
    uint64_t each[32];
    l_put((uint8_t *)each, l_from_u(at));
    s.is = find_some(each, most, mask, size);
    return s;
}

/* Each lane has a part of local memory of its own. */
INLINE span find_local(const wl_native *x, L at, P mask, const int size)
{
    span s = find(&x->local, at, mask, size);
    L lanes;
    memcpy(&lanes, lane_number, sizeof lanes);
    s.at = l_add(at, l_mul(lanes, l_set(x->local_lane)));
    s.is.how = s.is.how == NOWHERE ? NOWHERE : ANY;
    return s;
}

/* Element e of `elements` in lanes of a mask; others may be anything. Rows of vectors are taken
 * lane by lane. */
INLINE L places(const span *s, P mask, int bytes)
{
    if (s->is.how == ANY || mask == ALL)
        return s->at;
    L at, half;
    memcpy(&at, half_number, sizeof at);
    at = l_mul(at, l_set(s->is.how == SAME ? 0 : (uint64_t)bytes));
    half = l_sel(0xffffu, l_set(s->is.first), l_set(s->is.how == SAME ? s->is.first : s->is.second));
    return l_add(at, half);
}

#define LOADS(T)                                                                                                       \
    APART void load_##T(const uint8_t *from, const uint64_t *at, P mask, T *to)                                        \
    {                                                                                                                  \
        for (P m = mask; m; m &= m - 1)                                                                                \
            memcpy(&to[__builtin_ctz(m)], from + at[__builtin_ctz(m)], sizeof *to);                                    \
    }
LOADS(uint8_t)
LOADS(int8_t)
LOADS(uint16_t)
LOADS(int16_t)
LOADS(uint32_t)
LOADS(uint64_t)
#define NARROW_LOAD(name, T)                                                                                           \
    APART void name##_apart(const span *s, P mask, int e, int elements, IE *z)                                         \
    {                                                                                                                  \
        uint64_t at[32];                                                                                               \
        T v[32];                                                                                                       \
        const uint8_t *from = s->data + (size_t)e * sizeof(T);                                                         \
        if (s->is.how == ROWS && elements == 1 && mask == ALL) {                                                       \
            memcpy(v, from + s->is.first, sizeof v / 2);                                                               \
            memcpy(v + 16, from + s->is.second, sizeof v / 2);                                                         \
        } else {                                                                                                       \
            l_put((uint8_t *)at, places(s, mask, elements *(int)sizeof(T)));                                           \
            load_##T(from, at, mask, v);                                                                               \
        }                                                                                                              \
        EACH z->s[i] = v[i];                                                                                           \
    }                                                                                                                  \
    INLINE I name(span s, P mask, int e, int elements)                                                                 \
    {                                                                                                                  \
        IE z;                                                                                                          \
        name##_apart(&s, mask, e, elements, &z);                                                                       \
        return z.all;                                                                                                  \
    }
NARROW_LOAD(load_u8, uint8_t)
NARROW_LOAD(load_s8, int8_t)
NARROW_LOAD(load_u16, uint16_t)
NARROW_LOAD(load_s16, int16_t)
#ifdef __AVX512DQ__
APART void gather_u32(const uint8_t *from, const uint64_t *at, P mask, uint32_t *to)
{
    for (int k = 0; k < 4; k++)
        _mm256_storeu_si256((__m256i *)(to + 8 * k),
                            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), PART(mask, k),
                                                        _mm512_loadu_si512(at + 8 * k), from, 1));
}
APART void gather_u64(const uint8_t *from, const uint64_t *at, P mask, uint64_t *to)
{
    for (int k = 0; k < 4; k++)
        _mm512_storeu_si512(to + 8 * k, _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), PART(mask, k),
                                                                    _mm512_loadu_si512(at + 8 * k), from, 1));
}
INLINE I masked_u32(const uint8_t *a, const uint8_t *b, P m)
{
    return (I){(W)_mm512_maskz_loadu_epi32((__mmask16)m, a), (W)_mm512_maskz_loadu_epi32((__mmask16)(m >> 16), b)};
}
INLINE L masked_u64(const uint8_t *a, const uint8_t *b, P m)
{
    return (L){(D)_mm512_maskz_loadu_epi64(PART(m, 0), a), (D)_mm512_maskz_loadu_epi64(PART(m, 1), a + 64),
               (D)_mm512_maskz_loadu_epi64(PART(m, 2), b), (D)_mm512_maskz_loadu_epi64(PART(m, 3), b + 64)};
}
#define ROWS_ARE_LOADED 1
#else
#define gather_u32 load_uint32_t
#define gather_u64 load_uint64_t
#define masked_u32(a, b, m) i_set(0)
#define masked_u64(a, b, m) l_set(0)
#define ROWS_ARE_LOADED (mask == ALL)
#endif
/* What is not one row, or one address. */
#define OTHER_LOAD(name, T, gather)                                                                                    \
    APART void name(const span *s, P mask, int e, int elements, T *to)                                                 \
    {                                                                                                                  \
        uint64_t at[32];                                                                                               \
        l_put((uint8_t *)at, places(s, mask, elements *(int)sizeof(T)));                                               \
        gather(s->data + (size_t)e * sizeof(T), at, mask, to);                                                         \
    }
OTHER_LOAD(other_u32, uint32_t, gather_u32)
OTHER_LOAD(other_u64, uint64_t, gather_u64)
#define WORD_LOADS(load_32, load_64, S, WIDE)                                                                          \
    SHARED_COPY I load_32(S s, P mask, int e, int elements)                                                            \
    {                                                                                                                  \
        const uint8_t *from = s.data + (size_t)e * 4, *a = from + s.is.first, *b = from + s.is.second;                 \
        uint32_t v[32];                                                                                                \
        if (s.is.how == SAME) {                                                                                        \
            memcpy(v, a, sizeof *v);                                                                                   \
            return i_set(v[0]);                                                                                        \
        }                                                                                                              \
        if (s.is.how == ROWS && elements == 1 && ROWS_ARE_LOADED) {                                                    \
            I z;                                                                                                       \
            if (mask != ALL)                                                                                           \
                return masked_u32(a, b, mask);                                                                         \
            memcpy(&z.a, a, sizeof z.a);                                                                               \
            memcpy(&z.b, b, sizeof z.b);                                                                               \
            return z;                                                                                                  \
        }                                                                                                              \
        const span copy = WIDE(s);                                                                                     \
        other_u32(&copy, mask, e, elements, v);                                                                        \
        return i_get((const uint8_t *)v);                                                                              \
    }                                                                                                                  \
    SHARED_COPY L load_64(S s, P mask, int e, int elements)                                                            \
    {                                                                                                                  \
        const uint8_t *from = s.data + (size_t)e * 8, *a = from + s.is.first, *b = from + s.is.second;                 \
        uint64_t v[32];                                                                                                \
        if (s.is.how == SAME) {                                                                                        \
            memcpy(v, a, sizeof *v);                                                                                   \
            return l_set(v[0]);                                                                                        \
        }                                                                                                              \
        if (s.is.how == ROWS && elements == 1 && ROWS_ARE_LOADED) {                                                    \
            L z;                                                                                                       \
            if (mask != ALL)                                                                                           \
                return masked_u64(a, b, mask);                                                                         \
            memcpy(&z.a, a, 2 * sizeof z.a);                                                                           \
            memcpy(&z.c, b, 2 * sizeof z.c);                                                                           \
            return z;                                                                                                  \
        }                                                                                                              \
        const span copy = WIDE(s);                                                                                     \
        other_u64(&copy, mask, e, elements, v);                                                                        \
        return l_get((const uint8_t *)v);                                                                              \
    }
WORD_LOADS(load_u32, load_u64, span, )
WORD_LOADS(load32_u32, load32_u64, span32, wide)
#define load32_u8(s, m, e, n) load_u8(wide(s), m, e, n)
#define load32_s8(s, m, e, n) load_s8(wide(s), m, e, n)
#define load32_u16(s, m, e, n) load_u16(wide(s), m, e, n)
#define load32_s16(s, m, e, n) load_s16(wide(s), m, e, n)

/* Lanes store in the order of a GPU: see wl_ptx_store_order_of. */
#define STORES(T, E)                                                                                                   \
    APART void store_##T(uint8_t *to, const uint64_t *at, P mask, int all, const E *v)                                 \
    {                                                                                                                  \
        const int flip = all <= 4 ? 31 : all <= 8 ? 15 : 7;                                                            \
        for (int turn = 0; turn < 32; turn++) {                                                                        \
            const T part = (T)v[turn ^ flip];                                                                          \
            if (mask >> (turn ^ flip) & 1)                                                                             \
                memcpy(to + at[turn ^ flip], &part, sizeof part);                                                      \
        }                                                                                                              \
    }
STORES(uint8_t, uint32_t)
STORES(uint16_t, uint32_t)
STORES(uint32_t, uint32_t)
STORES(uint64_t, uint64_t)
#define STORE(name, T, V, E, put)                                                                                      \
    APART void name##_apart(const span *s, P mask, int e, int elements, const E *v)                                    \
    {                                                                                                                  \
        uint64_t at[32];                                                                                               \
        l_put((uint8_t *)at, places(s, mask, elements *(int)sizeof(T)));                                               \
        store_##T(s->data + (size_t)e * sizeof(T), at, mask, elements * (int)sizeof(T), v);                            \
    }                                                                                                                  \
    INLINE void name(span s, P mask, int e, int elements, V value)                                                     \
    {                                                                                                                  \
        E v[32];                                                                                                       \
        put((uint8_t *)v, value);                                                                                      \
        name##_apart(&s, mask, e, elements, v);                                                                        \
    }
STORE(store_u8, uint8_t, I, uint32_t, i_put)
STORE(store_u16, uint16_t, I, uint32_t, i_put)
STORE(store_each_u32, uint32_t, I, uint32_t, i_put)
STORE(store_each_u64, uint64_t, L, uint64_t, l_put)
/* Rows that do not overlap are stored at once. */
#ifdef __AVX512DQ__
INLINE void masked_put32(uint8_t *a, uint8_t *b, I v, P mask)
{
    _mm512_mask_storeu_epi32(a, (__mmask16)mask, M(v.a));
    _mm512_mask_storeu_epi32(b, (__mmask16)(mask >> 16), M(v.b));
}
INLINE void masked_put64(uint8_t *a, uint8_t *b, L v, P mask)
{
    _mm512_mask_storeu_epi64(a, PART(mask, 0), M(v.a));
    _mm512_mask_storeu_epi64(a + 64, PART(mask, 1), M(v.b));
    _mm512_mask_storeu_epi64(b, PART(mask, 2), M(v.c));
    _mm512_mask_storeu_epi64(b + 64, PART(mask, 3), M(v.d));
}
#else
#define masked_put32(a, b, v, mask) (void)0
#define masked_put64(a, b, v, mask) (void)0
#endif
#define WORD_STORES(store_32, store_64, S, WIDE)                                                                       \
    SHARED_COPY void store_32(S s, P mask, int e, int elements, I v)                                                   \
    {                                                                                                                  \
        uint8_t *a = s.data + s.is.first, *b = s.data + s.is.second;                                                   \
        if (s.is.how != ROWS || elements != 1 || !ROWS_ARE_LOADED || (uint64_t)(b - a + 63) < 127) {                   \
            store_each_u32(WIDE(s), mask, e, elements, v);                                                             \
        } else if (mask == ALL) {                                                                                      \
            memcpy(a, &v.a, sizeof v.a);                                                                               \
            memcpy(b, &v.b, sizeof v.b);                                                                               \
        } else {                                                                                                       \
            masked_put32(a, b, v, mask);                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    SHARED_COPY void store_64(S s, P mask, int e, int elements, L v)                                                   \
    {                                                                                                                  \
        uint8_t *a = s.data + s.is.first, *b = s.data + s.is.second;                                                   \
        if (s.is.how != ROWS || elements != 1 || !ROWS_ARE_LOADED || (uint64_t)(b - a + 127) < 255) {                  \
            store_each_u64(WIDE(s), mask, e, elements, v);                                                             \
        } else if (mask == ALL) {                                                                                      \
            memcpy(a, &v.a, 2 * sizeof v.a);                                                                           \
            memcpy(b, &v.c, 2 * sizeof v.c);                                                                           \
        } else {                                                                                                       \
            masked_put64(a, b, v, mask);                                                                               \
        }                                                                                                              \
    }
WORD_STORES(store_u32, store_u64, span, )
WORD_STORES(store32_u32, store32_u64, span32, wide)
#define store32_u8(s, m, e, n, v) store_u8(wide(s), m, e, n, v)
#define store32_u16(s, m, e, n, v) store_u16(wide(s), m, e, n, v)

/* ---- sums in memory ---- */

/* Lane after lane; `alone`: no other thread is at it. */
#define ADDS(T, F, S, together)                                                                                        \
    APART void add_each_##S(const span *s, P mask, const T *v, T *old, int alone)                                      \
    {                                                                                                                  \
        uint64_t at[32];                                                                                               \
        l_put((uint8_t *)at, places(s, mask, sizeof(T)));                                                              \
        for (P m = mask; m; m &= m - 1) {                                                                              \
            const int i = __builtin_ctz(m);                                                                            \
            T *word = (T *)(void *)(s->data + at[i]), now = __atomic_load_n(word, __ATOMIC_RELAXED), next;             \
            do {                                                                                                       \
                F a, b;                                                                                                \
                memcpy(&a, &now, sizeof a);                                                                            \
                memcpy(&b, &v[i], sizeof b);                                                                           \
                a += b;                                                                                                \
                memcpy(&next, &a, sizeof next);                                                                        \
                if (alone)                                                                                             \
                    *word = next;                                                                                      \
            } while (!alone && !together);                                                                             \
            old[i] = now;                                                                                              \
        }                                                                                                              \
    }
#define SWAPPED __atomic_compare_exchange_n(word, &now, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
ADDS(uint32_t, uint32_t, u32, SWAPPED)
ADDS(uint64_t, uint64_t, u64, SWAPPED)
ADDS(uint32_t, float, f32, SWAPPED)
ADDS(uint64_t, double, f64, SWAPPED)
#define ADD(S, T, V, put, get)                                                                                         \
    INLINE V add_##S(span s, P mask, V value, int alone)                                                               \
    {                                                                                                                  \
        T v[32], old[32];                                                                                              \
        put((uint8_t *)v, value);                                                                                      \
        add_each_##S(&s, mask, v, old, alone);                                                                         \
        return get((const uint8_t *)old);                                                                              \
    }
ADD(u32, uint32_t, I, i_put, i_get)
ADD(f32, uint32_t, I, i_put, i_get)
ADD(u64, uint64_t, L, l_put, l_get)
ADD(f64, uint64_t, L, l_put, l_get)
