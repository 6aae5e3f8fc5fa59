/* byte_lanes.h - sixteen bytes compared at once, by the vector types that gcc and clang have on
 * every machine.
 *
 * A comparison gives lanes of all bits or none; who searches needs one bit for each lane. SSE2 has
 * an instruction for that, with NEON neighbours are added, elsewhere words are folded by shifts.
 *
 * Layer  cache. Oracle  tests/unit/test_byte_lanes.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_BYTE_LANES_H
#define WL_CACHE_BYTE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define WL_NEON 1
#include <arm_neon.h>
#endif

/* What an access does is told in registers: through memory, it would wait for all stores before. */
#define WL_ALWAYS_INLINE static inline __attribute__((always_inline))

#define WL_LANES 16
typedef int8_t wl_lanes __attribute__((vector_size(WL_LANES)));

WL_ALWAYS_INLINE wl_lanes wl_lanes_from(const void *bytes)
{
    wl_lanes lanes;
    memcpy(&lanes, bytes, sizeof lanes);
    return lanes;
}

/* The same number in every lane. */
WL_ALWAYS_INLINE wl_lanes wl_lanes_of(int8_t number)
{
#if defined(__SSE2__)
    return (wl_lanes)_mm_set1_epi8(number);
#elif defined(WL_NEON)
    return (wl_lanes)vdupq_n_s8(number);
#else
    return (wl_lanes){0} + number;
#endif
}

/* A bit for each lane, the first one lowest; without instructions for it. */
WL_ALWAYS_INLINE uint32_t wl_lane_bits_folded(wl_lanes lanes)
{
    const wl_lanes own = {1, 2, 4, 8, 16, 32, 64, INT8_MIN, 1, 2, 4, 8, 16, 32, 64, INT8_MIN};
    uint8_t bytes[WL_LANES];
    uint32_t bits = 0;
    lanes &= own;
    memcpy(bytes, &lanes, sizeof bytes);
    for (int i = 0; i < WL_LANES; i++)
        bits |= (uint32_t)bytes[i] << (i < WL_LANES / 2 ? 0 : WL_LANES / 2);
    return bits;
}

/* A bit for each lane, the first one lowest; lanes are all bits or none. */
WL_ALWAYS_INLINE uint32_t wl_lane_bits(wl_lanes lanes)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8((__m128i)lanes);
#elif defined(WL_NEON)
    const uint8x16_t own = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8((uint8x16_t)lanes, own);
    const uint8x16_t pairs = vpaddq_u8(bits, bits), fours = vpaddq_u8(pairs, pairs);
    return vgetq_lane_u16(vreinterpretq_u16_u8(vpaddq_u8(fours, fours)), 0);
#else
    return wl_lane_bits_folded(lanes);
#endif
}

/* A bit for each lane with this number. */
WL_ALWAYS_INLINE uint32_t wl_lanes_with(wl_lanes lanes, int8_t number)
{
    return wl_lane_bits((wl_lanes)(lanes == wl_lanes_of(number)));
}

/* The same of four vectors. */
WL_ALWAYS_INLINE uint64_t wl_lanes_with_of_64(const wl_lanes lanes[4], int8_t number)
{
#if defined(WL_NEON)
    const uint8x16_t own = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const wl_lanes all = wl_lanes_of(number);
    uint8x16_t bits[4];
    for (int i = 0; i < 4; i++)
        bits[i] = vandq_u8((uint8x16_t)(lanes[i] == all), own);
    const uint8x16_t fours = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)), 0);
#else
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint64_t)wl_lanes_with(lanes[i], number) << (i * WL_LANES);
    return bits;
#endif
}

/* All bits or none, where a branch would often be the wrong one. */
WL_ALWAYS_INLINE uint64_t wl_all_if(bool condition) { return 0 - (uint64_t)condition; }

#endif /* WL_CACHE_BYTE_LANES_H */
