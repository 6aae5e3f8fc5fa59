/* byte_lanes.h - sixteen bytes compared at once, by the vector types that gcc and clang have on
 * every machine.
 *
 * A comparison gives lanes of all bits or none; who searches needs bits of a word for each lane.
 * SSE2 has an instruction for one bit each, NEON for four; elsewhere words are folded by shifts.
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

/* Bits of a mask that each lane has: the lowest one is set, or none. */
#if defined(WL_NEON)
#define WL_LANE_BITS 4
#else
#define WL_LANE_BITS 1
#endif

/* The bit of a lane. */
#define WL_LANE(i) ((uint64_t)1 << (i)*WL_LANE_BITS)

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
WL_ALWAYS_INLINE uint64_t wl_lane_mask_folded(wl_lanes lanes)
{
    uint8_t bytes[WL_LANES];
    uint64_t mask = 0;
    memcpy(bytes, &lanes, sizeof bytes);
    for (int i = 0; i < WL_LANES; i++)
        mask |= bytes[i] ? WL_LANE(i) : 0;
    return mask;
}

/* The same; lanes are all bits or none. */
WL_ALWAYS_INLINE uint64_t wl_lane_mask(wl_lanes lanes)
{
#if defined(__SSE2__)
    return (uint64_t)_mm_movemask_epi8((__m128i)lanes);
#elif defined(WL_NEON)
    /* of each byte, half; pairs of bytes become one */
    const uint8x8_t halves = vshrn_n_u16((uint16x8_t)lanes, WL_LANE_BITS);
    return vget_lane_u64(vreinterpret_u64_u8(halves), 0) & 0x1111111111111111u;
#else
    return wl_lane_mask_folded(lanes);
#endif
}

/* Of four vectors of such lanes: one bit next to the other. */
WL_ALWAYS_INLINE uint64_t wl_lane_bits_of_64(const wl_lanes lanes[4])
{
#if defined(WL_NEON)
    const uint8x16_t own = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits[4];
    for (int i = 0; i < 4; i++)
        bits[i] = vandq_u8((uint8x16_t)lanes[i], own);
    const uint8x16_t fours = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)), 0);
#else
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= wl_lane_mask(lanes[i]) << (i * WL_LANES);
    return bits;
#endif
}

typedef int16_t wl_shorts __attribute__((vector_size(WL_LANES)));
typedef int32_t wl_words __attribute__((vector_size(WL_LANES)));

/* Of two vectors that were compared: half as wide lanes, all bits or none. */
WL_ALWAYS_INLINE wl_shorts wl_shorts_from(wl_words low, wl_words high)
{
#if defined(__SSE2__)
    return (wl_shorts)_mm_packs_epi32((__m128i)low, (__m128i)high);
#else
    typedef int32_t all __attribute__((vector_size(2 * WL_LANES)));
    const wl_words both[2] = {low, high};
    all wide;
    memcpy(&wide, both, sizeof wide);
    return __builtin_convertvector(wide, wl_shorts);
#endif
}
WL_ALWAYS_INLINE wl_lanes wl_lanes_from_shorts(wl_shorts low, wl_shorts high)
{
#if defined(__SSE2__)
    return (wl_lanes)_mm_packs_epi16((__m128i)low, (__m128i)high);
#else
    typedef int16_t all __attribute__((vector_size(2 * WL_LANES)));
    const wl_shorts both[2] = {low, high};
    all wide;
    memcpy(&wide, both, sizeof wide);
    return __builtin_convertvector(wide, wl_lanes);
#endif
}

#endif /* WL_CACHE_BYTE_LANES_H */
