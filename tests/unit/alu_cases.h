/* alu_cases.h - arithmetic instructions that the emulator computes: X(op, shape, value). The
 * shape gives the width of each operand as a letter: h 16, r 32, d 64 bits, - none; what follows a
 * comma is written behind them. The value is in terms of the sources A, B and C, with names of
 * test_ptx_alu.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_ALU_CASES_H
#define WL_TESTS_UNIT_ALU_CASES_H

#define CASES(X)                                                                                                       \
    X("add.s32", "rrr-", U32(A + B))                                                                                   \
    X("add.u16", "hhh-", U16(A + B))                                                                                   \
    X("add.s64", "ddd-", A + B)                                                                                        \
    X("add.sat.s32", "rrr-", clamp32((int64_t)S32(A) + S32(B)))                                                        \
    X("sub.u32", "rrr-", U32(A - B))                                                                                   \
    X("sub.s16", "hhh-", U16(A - B))                                                                                   \
    X("sub.u64", "ddd-", A - B)                                                                                        \
    X("sub.sat.s32", "rrr-", clamp32((int64_t)S32(A) - S32(B)))                                                        \
    X("mul.lo.s32", "rrr-", U32(A *B))                                                                                 \
    X("mul.lo.u16", "hhh-", U16(A *B))                                                                                 \
    X("mul.lo.s64", "ddd-", A *B)                                                                                      \
    X("mul.hi.s32", "rrr-", U32(((int64_t)S32(A) * S32(B)) >> 32))                                                     \
    X("mul.hi.u32", "rrr-", U32(((uint64_t)U32(A) * U32(B)) >> 32))                                                    \
    X("mul.hi.s16", "hhh-", U16((S16(A) * S16(B)) >> 16))                                                              \
    X("mul.hi.u16", "hhh-", U16(((uint32_t)U16(A) * U16(B)) >> 16))                                                    \
    X("mul.hi.u64", "ddd-", (uint64_t)(((u128)A * B) >> 64))                                                           \
    X("mul.hi.s64", "ddd-", (uint64_t)(((s128)S64(A) * S64(B)) >> 64))                                                 \
    X("mul.wide.s32", "drr-", (uint64_t)((int64_t)S32(A) * S32(B)))                                                    \
    X("mul.wide.u32", "drr-", (uint64_t)U32(A) * U32(B))                                                               \
    X("mul.wide.s16", "rhh-", U32(S16(A) * S16(B)))                                                                    \
    X("mul.wide.u16", "rhh-", (uint32_t)U16(A) * U16(B))                                                               \
    X("mul24.lo.s32", "rrr-", U32(S64(A << 40) / (1 << 20) / (1 << 20) * (S64(B << 40) / (1 << 20) / (1 << 20))))      \
    X("mul24.lo.u32", "rrr-", U32((A & 0xffffff) * (B & 0xffffff)))                                                    \
    X("mul24.hi.u32", "rrr-", U32((A & 0xffffff) * (B & 0xffffff) >> 16))                                              \
    X("mad.lo.s32", "rrrr", U32(A *B + C))                                                                             \
    X("mad.lo.u64", "dddd", A *B + C)                                                                                  \
    X("mad.hi.s32", "rrrr", U32((((int64_t)S32(A) * S32(B)) >> 32) + (int64_t)C))                                      \
    X("mad.hi.u32", "rrrr", U32((((uint64_t)U32(A) * U32(B)) >> 32) + C))                                              \
    X("mad.hi.sat.s32", "rrrr", clamp32((((int64_t)S32(A) * S32(B)) >> 32) + S32(C)))                                  \
    X("mad.wide.s32", "drrd", (uint64_t)((int64_t)S32(A) * S32(B)) + C)                                                \
    X("mad.wide.u32", "drrd", (uint64_t)U32(A) * U32(B) + C)                                                           \
    X("mad.wide.u16", "rhhr", U32((uint32_t)U16(A) * U16(B) + C))                                                      \
    X("mad24.lo.u32", "rrrr", U32((A & 0xffffff) * (B & 0xffffff) + C))                                                \
    X("div.s32", "rrr-", U32(B) == 0 ? U32(-1) : U32((int64_t)S32(A) / S32(B)))                                        \
    X("div.u32", "rrr-", U32(B) == 0 ? U32(-1) : U32(A) / U32(B))                                                      \
    X("div.u64", "ddd-", B == 0 ? ~(uint64_t)0 : A / B)                                                                \
    X("div.s64", "ddd-", B == 0 ? ~(uint64_t)0 : (uint64_t)((s128)S64(A) / S64(B)))                                    \
    X("div.s16", "hhh-", U16(B) == 0 ? U16(-1) : U16(S16(A) / S16(B)))                                                 \
    X("rem.s32", "rrr-", U32(B) == 0 ? U32(A) : U32((int64_t)S32(A) % S32(B)))                                         \
    X("rem.u32", "rrr-", U32(B) == 0 ? U32(A) : U32(A) % U32(B))                                                       \
    X("rem.s64", "ddd-", B == 0 ? A : (uint64_t)((s128)S64(A) % S64(B)))                                               \
    X("abs.s32", "rr--", U32(S32(A) < 0 ? -(int64_t)S32(A) : S32(A)))                                                  \
    X("abs.s64", "dd--", S64(A) < 0 ? 0 - A : A)                                                                       \
    X("abs.s16", "hh--", U16(S16(A) < 0 ? -S16(A) : S16(A)))                                                           \
    X("neg.s32", "rr--", U32(0 - A))                                                                                   \
    X("neg.s64", "dd--", 0 - A)                                                                                        \
    X("min.s32", "rrr-", U32(S32(A) < S32(B) ? A : B))                                                                 \
    X("min.u32", "rrr-", U32(U32(A) < U32(B) ? A : B))                                                                 \
    X("min.s16", "hhh-", U16(S16(A) < S16(B) ? A : B))                                                                 \
    X("max.s64", "ddd-", S64(A) > S64(B) ? A : B)                                                                      \
    X("max.u64", "ddd-", A > B ? A : B)                                                                                \
    X("sad.s32", "rrrr", U32((uint64_t)llabs((int64_t)S32(A) - S32(B)) + C))                                           \
    X("sad.u32", "rrrr", U32((U32(A) > U32(B) ? A - B : B - A) + C))                                                   \
    X("and.b32", "rrr-", U32(A &B))                                                                                    \
    X("and.b64", "ddd-", A &B)                                                                                         \
    X("or.b16", "hhh-", U16(A | B))                                                                                    \
    X("xor.b64", "ddd-", A ^ B)                                                                                        \
    X("not.b32", "rr--", U32(~A))                                                                                      \
    X("not.b16", "hh--", U16(~A))                                                                                      \
    X("cnot.b32", "rr--", U32(A) == 0)                                                                                 \
    X("shl.b32", "rrr-", U32(shift(U32(A), U32(B), 32)))                                                               \
    X("shl.b64", "ddr-", shift(A, U32(B), 64))                                                                         \
    X("shl.b16", "hhr-", U16(shift(U16(A), U32(B), 16)))                                                               \
    X("shr.u32", "rrr-", U32(B) > 31 ? 0 : U32(A) >> U32(B))                                                           \
    X("shr.s32", "rrr-", U32(S32(A) >> (U32(B) > 31 ? 31 : U32(B))))                                                   \
    X("shr.s64", "ddr-", (uint64_t)(S64(A) >> (U32(B) > 63 ? 63 : U32(B))))                                            \
    X("shr.u64", "ddr-", U32(B) > 63 ? 0 : A >> U32(B))                                                                \
    X("shr.s16", "hhr-", U16(S16(A) >> (U32(B) > 15 ? 15 : U32(B))))                                                   \
    X("shr.u16", "hhr-", U32(B) > 15 ? 0u : (unsigned)U16(A) >> U32(B))                                                \
    X("shf.l.wrap.b32", "rrrr", U32((U32(B) * 0x100000000u + U32(A)) << (C & 31) >> 32))                               \
    X("shf.r.wrap.b32", "rrrr", U32((U32(B) * 0x100000000u + U32(A)) >> (C & 31)))                                     \
    X("shf.l.clamp.b32", "rrrr", U32((U32(B) * 0x100000000u + U32(A)) << (U32(C) > 32 ? 32 : U32(C)) >> 32))           \
    X("shf.r.clamp.b32", "rrrr", U32((U32(B) * 0x100000000u + U32(A)) >> (U32(C) > 32 ? 32 : U32(C))))                 \
    X("popc.b32", "rr--", (uint64_t)__builtin_popcount(U32(A)))                                                        \
    X("popc.b64", "rd--", (uint64_t)__builtin_popcountll(A))                                                           \
    X("clz.b32", "rr--", U32(A) ? 31 - highest(U32(A)) : 32)                                                           \
    X("clz.b64", "rd--", A ? 63 - highest(A) : 64)                                                                     \
    X("bfind.u32", "rr--", highest(U32(A)))                                                                            \
    X("bfind.s32", "rr--", highest(U32(S32(A) < 0 ? ~A : A)))                                                          \
    X("bfind.u64", "rd--", highest(A))                                                                                 \
    X("bfind.shiftamt.u32", "rr--", U32(A) ? 31 - highest(U32(A)) : U32(-1))                                           \
    X("brev.b32", "rr--", reversed(U32(A), 32))                                                                        \
    X("brev.b64", "dd--", reversed(A, 64))                                                                             \
    X("bfe.u32", "rrrr", field(U32(A), B, C, 32, false))                                                               \
    X("bfe.s32", "rrrr", field(U32(A), B, C, 32, true))                                                                \
    X("bfe.u64", "ddrr", field(A, B, C, 64, false))                                                                    \
    X("bfe.s64", "ddrr", field(A, B, C, 64, true))                                                                     \
    X("lop3.b32", "rrrr, 0xe8", U32((A & B) | (B & C) | (A & C)))                                                      \
    X("lop3.b32", "rrrr, 0x96", U32(A ^ B ^ C))                                                                        \
    X("lop3.b32", "rrrr, 0xca", U32((A & B) | (~A & C)))                                                               \
    X("bfi.b32", "rrr, 5, 9", U32(put(A, B, 5, 9, 32)))                                                                \
    X("bfi.b32", "rrr, 28, 9", U32(put(A, B, 28, 9, 32)))                                                              \
    X("bfi.b64", "ddd, 31, 30", put(A, B, 31, 30, 64))                                                                 \
    X("prmt.b32", "rrrr", bytes_chosen(A, B, C))                                                                       \
    X("dp4a.s32.s32", "rrrr", dot4(A, B, C, true))                                                                     \
    X("dp4a.u32.u32", "rrrr", dot4(A, B, C, false))                                                                    \
    X("add.f32", "rrr-", FB(F(A) + F(B)))                                                                              \
    X("add.rn.ftz.f32", "rrr-", FB(flush(flush(F(A)) + flush(F(B)))))                                                  \
    X("add.sat.f32", "rrr-", FB(saturate(F(A) + F(B))))                                                                \
    X("sub.f64", "ddd-", DB(D(A) - D(B)))                                                                              \
    X("mul.f32", "rrr-", FB(F(A) * F(B)))                                                                              \
    X("mul.f64", "ddd-", DB(D(A) * D(B)))                                                                              \
    X("mul.rz.f32", "rrr-", FB(toward_zero((double)F(A) * (double)F(B))))                                              \
    X("fma.rn.f32", "rrrr", FB(fmaf(F(A), F(B), F(C))))                                                                \
    X("fma.rn.f64", "dddd", DB(fma(D(A), D(B), D(C))))                                                                 \
    X("mad.f32", "rrrr", FB(fmaf(F(A), F(B), F(C))))                                                                   \
    X("div.rn.f32", "rrr-", FB(F(A) / F(B)))                                                                           \
    X("div.rn.f64", "ddd-", DB(D(A) / D(B)))                                                                           \
    X("min.f32", "rrr-", FB(isnan(F(A)) ? F(B) : isnan(F(B)) ? F(A) : fminf(F(A), F(B))))                              \
    X("max.f64", "ddd-", DB(isnan(D(A)) ? D(B) : isnan(D(B)) ? D(A) : fmax(D(A), D(B))))                               \
    X("abs.f32", "rr--", FB(fabsf(F(A))))                                                                              \
    X("neg.f64", "dd--", A ^ (uint64_t)1 << 63)                                                                        \
    X("sqrt.rn.f32", "rr--", FB(sqrtf(F(A))))                                                                          \
    X("sqrt.rn.f64", "dd--", DB(sqrt(D(A))))                                                                           \
    X("rcp.rn.f64", "dd--", DB(1 / D(A)))                                                                              \
    X("copysign.f32", "rrr-", U32((A & 0x80000000u) | (B & 0x7fffffffu)))                                              \
    X("cvt.s64.s32", "dr--", (uint64_t)(int64_t)S32(A))                                                                \
    X("cvt.u64.u32", "dr--", U32(A))                                                                                   \
    X("cvt.u32.u64", "rd--", U32(A))                                                                                   \
    X("cvt.s32.s8", "rr--", U32((int8_t)A))                                                                            \
    X("cvt.u16.u8", "hr--", (uint8_t)A)                                                                                \
    X("cvt.s32.s16", "rh--", U32(S16(A)))                                                                              \
    X("cvt.sat.u8.s32", "rr--", (uint64_t)at_most(S32(A), 0, 255))                                                     \
    X("cvt.sat.s16.s32", "hr--", U16(at_most(S32(A), INT16_MIN, INT16_MAX)))                                           \
    X("cvt.sat.s32.s64", "rd--", clamp32(S64(A)))                                                                      \
    X("cvt.rn.f32.s32", "rr--", FB((float)S32(A)))                                                                     \
    X("cvt.rn.f32.u64", "rd--", FB((float)A))                                                                          \
    X("cvt.rn.f32.u8", "rr--", FB((float)(uint8_t)A))                                                                  \
    X("cvt.rn.f32.s16", "rh--", FB((float)S16(A)))                                                                     \
    X("cvt.rn.f64.s16", "dh--", DB((double)S16(A)))                                                                    \
    X("cvt.rmi.f32.f32", "rr--", FB(floorf(F(A))))                                                                     \
    X("cvt.rni.f32.f32", "rr--", FB(nearbyintf(F(A))))                                                                 \
    X("cvt.rn.f64.s64", "dd--", DB((double)S64(A)))                                                                    \
    X("cvt.f64.f32", "dr--", DB((double)F(A)))                                                                         \
    X("cvt.rn.f32.f64", "rd--", FB((float)D(A)))                                                                       \
    X("cvt.rz.f32.f64", "rd--", FB(toward_zero(D(A))))                                                                 \
    X("cvt.rzi.s32.f32", "rr--", U32(to_integer(trunc((double)F(A)), -2147483648.0, 2147483647.0)))                    \
    X("cvt.rni.s32.f32", "rr--", U32(to_integer(nearbyint((double)F(A)), -2147483648.0, 2147483647.0)))                \
    X("cvt.rzi.u32.f32", "rr--", U32(to_integer(trunc((double)F(A)), 0, 4294967295.0)))                                \
    X("cvt.rzi.s32.f64", "rd--", U32(to_integer(trunc(D(A)), -2147483648.0, 2147483647.0)))                            \
    X("cvt.rni.u32.f64", "rd--", U32(to_integer(nearbyint(D(A)), 0, 4294967295.0)))                                    \
    X("cvt.rmi.s32.f64", "rd--", U32(to_integer(floor(D(A)), -2147483648.0, 2147483647.0)))                            \
    X("cvt.rpi.u32.f32", "rr--", U32(to_integer(ceil((double)F(A)), 0, 4294967295.0)))                                 \
    X("set.lt.u32.f64", "rdd-", D(A) < D(B) ? UINT32_MAX : 0)                                                          \
    X("set.geu.u32.f64", "rdd-", D(A) < D(B) ? 0 : UINT32_MAX)                                                         \
    X("set.neu.u32.f32", "rrr-", F(A) == F(B) ? 0 : UINT32_MAX)                                                        \
    X("cvt.rzi.u64.f64", "dd--", to_integer(trunc(D(A)), 0, 18446744073709549568.0))                                   \
    X("cvt.rzi.f32.f32", "rr--", FB(truncf(F(A))))                                                                     \
    X("cvt.sat.f32.f32", "rr--", FB(saturate(F(A))))

#endif /* WL_TESTS_UNIT_ALU_CASES_H */
