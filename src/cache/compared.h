/* compared.h - sixteen bytes compared at once, by the vector types that gcc and clang have on every
 * machine.
 *
 * A comparison gives lanes of all bits or none; callers need a mask with one bit for each lane.
 * SSE2 has instructions for that; elsewhere each lane keeps a bit of its own, and the lanes are
 * folded.
 *
 * Layer  cache. Oracle  tests/unit/test_compared.c compares both ways.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_COMPARED_H
#define WL_CACHE_COMPARED_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define WL_ALWAYS_INLINE static inline __attribute__((always_inline))
#define WL_TAGS 8  /* in a vector */
#define WL_AGES 16 /* in a vector */
typedef uint16_t wl_tags __attribute__((vector_size(16)));
typedef int8_t wl_ages __attribute__((vector_size(16)));

/* The same number in every lane. By words of 32 bits: a number of 16 would go through memory. */
WL_ALWAYS_INLINE wl_tags wl_every_tag(uint32_t tag)
{
    typedef uint32_t words __attribute__((vector_size(16)));
    const uint32_t two = tag << 16 | tag;
    const words all = {two, two, two, two};
    return (wl_tags)all;
}

WL_ALWAYS_INLINE wl_ages wl_every_age(uint32_t age)
{
    typedef uint32_t words __attribute__((vector_size(16)));
    const uint32_t four = age * 0x01010101u;
    const words all = {four, four, four, four};
    return (wl_ages)all;
}

/* A bit for each lane of both, the first ones lowest; lanes are all bits or none. */
WL_ALWAYS_INLINE uint32_t wl_tag_bits_folded(wl_tags low, wl_tags high)
{
    const wl_tags bits = {1, 2, 4, 8, 16, 32, 64, 128}, both = (low & bits) | (high & bits << 8);
    uint64_t halves[2];
    memcpy(halves, &both, sizeof halves);
    halves[0] |= halves[1];
    halves[0] |= halves[0] >> 32;
    return (uint32_t)(halves[0] | halves[0] >> 16) & 0xffff;
}

WL_ALWAYS_INLINE uint32_t wl_age_bits_folded(wl_ages ages)
{
    const wl_ages bits = {1, 2, 4, 8, 16, 32, 64, INT8_MIN, 1, 2, 4, 8, 16, 32, 64, INT8_MIN};
    uint64_t halves[2];
    ages &= bits;
    memcpy(halves, &ages, sizeof halves);
    for (int shift = 32; shift >= 8; shift /= 2) {
        halves[0] |= halves[0] >> shift;
        halves[1] |= halves[1] >> shift;
    }
    return (uint32_t)(halves[0] & 0xff) | (uint32_t)(halves[1] & 0xff) << 8;
}

WL_ALWAYS_INLINE uint32_t wl_tag_bits(wl_tags low, wl_tags high)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)low, (__m128i)high));
#else
    return wl_tag_bits_folded(low, high);
#endif
}

WL_ALWAYS_INLINE uint32_t wl_age_bits(wl_ages ages)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8((__m128i)ages);
#else
    return wl_age_bits_folded(ages);
#endif
}

#define WL_PACKED_WAYS 16

/* A bit for each of sixteen numbers whose low and high parts are these. */
WL_ALWAYS_INLINE uint32_t wl_same_lines_folded(const uint32_t low[WL_PACKED_WAYS], const uint16_t high[WL_PACKED_WAYS],
                                               uint32_t wanted_low, uint32_t wanted_high)
{
    uint32_t same = 0;
    for (int i = 0; i < WL_PACKED_WAYS; i++)
        same |= (uint32_t)((low[i] == wanted_low) & (high[i] == wanted_high)) << i;
    return same;
}

WL_ALWAYS_INLINE uint32_t wl_same_lines(const uint32_t low[WL_PACKED_WAYS], const uint16_t high[WL_PACKED_WAYS],
                                        uint32_t wanted_low, uint32_t wanted_high)
{
#if defined(__SSE2__)
    const __m128i of_low = _mm_set1_epi32((int)wanted_low), of_high = (__m128i)wl_every_tag(wanted_high);
    const __m128i *lows = (const __m128i *)(const void *)low, *highs = (const __m128i *)(const void *)high;
    __m128i same[4];
    for (int i = 0; i < 4; i++)
        same[i] = _mm_cmpeq_epi32(_mm_load_si128(lows + i), of_low);
    const __m128i first =
        _mm_and_si128(_mm_packs_epi32(same[0], same[1]), _mm_cmpeq_epi16(_mm_load_si128(highs), of_high));
    const __m128i second =
        _mm_and_si128(_mm_packs_epi32(same[2], same[3]), _mm_cmpeq_epi16(_mm_load_si128(highs + 1), of_high));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second));
#else
    return wl_same_lines_folded(low, high, wanted_low, wanted_high);
#endif
}

#define WL_PLACES 8 /* of a group or bucket of a hash table */

/* A bit for each of eight numbers whose low and high parts are these, and from bit 8 on one for
 * each whose high part is `none`. */
WL_ALWAYS_INLINE uint32_t wl_same_or_none_folded(const uint32_t low[WL_PLACES], const uint16_t high[WL_PLACES],
                                                 uint32_t wanted_low, uint32_t wanted_high, uint32_t none)
{
    uint32_t both = 0;
    for (int i = 0; i < WL_PLACES; i++) {
        both |= (uint32_t)((low[i] == wanted_low) & (high[i] == wanted_high)) << i;
        both |= (uint32_t)(high[i] == none) << (i + WL_PLACES);
    }
    return both;
}

WL_ALWAYS_INLINE uint32_t wl_same_or_none(const uint32_t low[WL_PLACES], const uint16_t high[WL_PLACES],
                                          uint32_t wanted_low, uint32_t wanted_high, uint32_t none)
{
#if defined(__SSE2__)
    const __m128i of_low = _mm_set1_epi32((int)wanted_low), of_high = (__m128i)wl_every_tag(wanted_high);
    const __m128i *lows = (const __m128i *)(const void *)low;
    const __m128i highs = _mm_load_si128((const __m128i *)(const void *)high);
    const __m128i first = _mm_cmpeq_epi32(_mm_load_si128(lows), of_low),
                  second = _mm_cmpeq_epi32(_mm_load_si128(lows + 1), of_low);
    const __m128i same = _mm_and_si128(_mm_packs_epi32(first, second), _mm_cmpeq_epi16(highs, of_high));
    const __m128i empty = _mm_cmpeq_epi16(highs, (__m128i)wl_every_tag(none));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, empty));
#else
    return wl_same_or_none_folded(low, high, wanted_low, wanted_high, none);
#endif
}

/* The first eight of these bits alone. */
WL_ALWAYS_INLINE uint32_t wl_same_of_eight(const uint32_t low[WL_PLACES], const uint16_t high[WL_PLACES],
                                           uint32_t wanted_low, uint32_t wanted_high)
{
#if defined(__SSE2__)
    const __m128i of_low = _mm_set1_epi32((int)wanted_low), of_high = (__m128i)wl_every_tag(wanted_high);
    const __m128i *lows = (const __m128i *)(const void *)low;
    const __m128i first = _mm_cmpeq_epi32(_mm_load_si128(lows), of_low),
                  second = _mm_cmpeq_epi32(_mm_load_si128(lows + 1), of_low);
    const __m128i highs = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)(const void *)high), of_high);
    const __m128i same = _mm_and_si128(_mm_packs_epi32(first, second), highs);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
#else
    return wl_same_or_none_folded(low, high, wanted_low, wanted_high, UINT32_MAX);
#endif
}

/* A bit for each of eight numbers that is not this one. */
WL_ALWAYS_INLINE uint32_t wl_other_of_eight_folded(const uint32_t *numbers, uint32_t number)
{
    uint32_t other = 0;
    for (int i = 0; i < WL_PLACES; i++)
        other |= (uint32_t)(numbers[i] != number) << i;
    return other;
}

WL_ALWAYS_INLINE uint32_t wl_other_of_eight(const uint32_t *numbers, uint32_t number)
{
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32((int)number), *all = (const __m128i *)(const void *)numbers;
    const __m128i first = _mm_cmpeq_epi32(_mm_loadu_si128(all), wanted),
                  second = _mm_cmpeq_epi32(_mm_loadu_si128(all + 1), wanted);
    const __m128i same = _mm_packs_epi32(first, second);
    return ((uint32_t)_mm_movemask_epi8(_mm_packs_epi16(same, same)) & 0xff) ^ 0xff;
#else
    return wl_other_of_eight_folded(numbers, number);
#endif
}

#endif /* WL_CACHE_COMPARED_H */
