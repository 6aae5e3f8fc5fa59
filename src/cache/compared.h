/* compared.h - sixteen bytes compared at once, by the vector types that gcc and clang have on every
 * machine.
 *
 * A comparison gives lanes of all bits or none; callers need a mask with one bit for each lane.
 * SSE2 has instructions for that; elsewhere each lane keeps a bit of its own, and the lanes are
 * folded: by sums of neighbours where there is NEON, else by shifts.
 *
 * Layer  cache. Oracle  tests/unit/test_compared.c compares both ways.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CACHE_COMPARED_H
#define WL_CACHE_COMPARED_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define WL_NEON 1
#include <arm_neon.h>
#endif

#define WL_ALWAYS_INLINE static inline __attribute__((always_inline))
#define WL_TAGS 8  /* in a vector */
#define WL_AGES 16 /* in a vector */
typedef uint16_t wl_tags __attribute__((vector_size(16)));
typedef int8_t wl_ages __attribute__((vector_size(16)));

/* The same number in every lane. By words of 32 bits: a number of 16 would go through memory. */
WL_ALWAYS_INLINE wl_tags wl_every_tag(uint32_t tag)
{
#if defined(__AVX2__)
    return (wl_tags)_mm_set1_epi16((short)tag);
#elif defined(WL_NEON)
    return (wl_tags)vdupq_n_u16((uint16_t)tag);
#endif
    typedef uint32_t words __attribute__((vector_size(16)));
    const uint32_t two = tag << 16 | tag;
    const words all = {two, two, two, two};
    return (wl_tags)all;
}

WL_ALWAYS_INLINE wl_ages wl_every_age(uint32_t age)
{
#if defined(__AVX2__)
    return (wl_ages)_mm_set1_epi8((char)age);
#elif defined(WL_NEON)
    return (wl_ages)vdupq_n_u8((uint8_t)age);
#endif
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

#if defined(WL_NEON)
/* Each lane's own bit, of those of eight. */
WL_ALWAYS_INLINE uint8x16_t wl_own_bits(uint8x16_t lanes)
{
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    return vandq_u8(lanes, bits);
}

WL_ALWAYS_INLINE uint32_t wl_bits_of_16(uint8x16_t lanes)
{
    const uint8x8_t bits = vpadd_u8(vget_low_u8(wl_own_bits(lanes)), vget_high_u8(wl_own_bits(lanes)));
    const uint8x8_t pairs = vpadd_u8(bits, bits);
    return vget_lane_u16(vreinterpret_u16_u8(vpadd_u8(pairs, pairs)), 0);
}

/* Of lanes of 16 or 32 bits, each all bits or none, lanes of half as many. */
WL_ALWAYS_INLINE uint8x16_t wl_narrow_tags(uint16x8_t low, uint16x8_t high)
{
    return vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
}
WL_ALWAYS_INLINE uint16x8_t wl_narrow_words(uint32x4_t low, uint32x4_t high)
{
    return vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
}
#endif

WL_ALWAYS_INLINE uint32_t wl_tag_bits(wl_tags low, wl_tags high)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)low, (__m128i)high));
#elif defined(WL_NEON)
    return wl_bits_of_16(wl_narrow_tags((uint16x8_t)low, (uint16x8_t)high));
#else
    return wl_tag_bits_folded(low, high);
#endif
}

WL_ALWAYS_INLINE uint32_t wl_age_bits(wl_ages ages)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8((__m128i)ages);
#elif defined(WL_NEON)
    return wl_bits_of_16((uint8x16_t)ages);
#else
    return wl_age_bits_folded(ages);
#endif
}

#define WL_AGES_OF_64 4 /* vectors */

/* Of four vectors. */
WL_ALWAYS_INLINE uint64_t wl_age_bits_of_64(const wl_ages ages[WL_AGES_OF_64])
{
#if defined(WL_NEON)
    uint8x16_t own[WL_AGES_OF_64];
    for (int i = 0; i < WL_AGES_OF_64; i++)
        own[i] = wl_own_bits((uint8x16_t)ages[i]);
    const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(own[0], own[1]), vpaddq_u8(own[2], own[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
#else
    uint64_t bits = 0;
    for (int i = 0; i < WL_AGES_OF_64; i++)
        bits |= (uint64_t)wl_age_bits(ages[i]) << (i * WL_AGES);
    return bits;
#endif
}

#define WL_PACKED_WAYS 16

#if defined(__SSE2__)
/* Of a line's number of 48 bits the low part in every word, and the high part in every half. */
WL_ALWAYS_INLINE __m128i wl_every_low(__m128i line) { return _mm_shuffle_epi32(line, 0); }
WL_ALWAYS_INLINE __m128i wl_every_high(__m128i line) { return _mm_shuffle_epi32(_mm_shufflelo_epi16(line, 0xaa), 0); }
#endif

/* A bit for each of sixteen numbers whose low and high parts are these. */
WL_ALWAYS_INLINE uint32_t wl_same_lines_folded(const uint32_t low[WL_PACKED_WAYS], const uint16_t high[WL_PACKED_WAYS],
                                               uint64_t wanted)
{
    uint32_t same = 0;
    for (int i = 0; i < WL_PACKED_WAYS; i++)
        same |= (uint32_t)((low[i] == (uint32_t)wanted) & (high[i] == wanted >> 32)) << i;
    return same;
}

WL_ALWAYS_INLINE uint32_t wl_same_lines(const uint32_t low[WL_PACKED_WAYS], const uint16_t high[WL_PACKED_WAYS],
                                        uint64_t wanted)
{
#if defined(__SSE2__)
    const __m128i line = _mm_cvtsi64_si128((int64_t)wanted), of_low = wl_every_low(line), of_high = wl_every_high(line);
    const __m128i *lows = (const __m128i *)(const void *)low, *highs = (const __m128i *)(const void *)high;
    __m128i same[4];
    for (int i = 0; i < 4; i++)
        same[i] = _mm_cmpeq_epi32(_mm_load_si128(lows + i), of_low);
    const __m128i first =
        _mm_and_si128(_mm_packs_epi32(same[0], same[1]), _mm_cmpeq_epi16(_mm_load_si128(highs), of_high));
    const __m128i second =
        _mm_and_si128(_mm_packs_epi32(same[2], same[3]), _mm_cmpeq_epi16(_mm_load_si128(highs + 1), of_high));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second));
#elif defined(WL_NEON)
    const uint32x4_t of_low = vdupq_n_u32((uint32_t)wanted);
    const uint16x8_t of_high = vdupq_n_u16((uint16_t)(wanted >> 32));
    uint16x8_t same[2];
    for (int i = 0; i < 2; i++) {
        const uint16x8_t lows =
            wl_narrow_words(vceqq_u32(vld1q_u32(low + 8 * i), of_low), vceqq_u32(vld1q_u32(low + 8 * i + 4), of_low));
        same[i] = vandq_u16(lows, vceqq_u16(vld1q_u16(high + 8 * i), of_high));
    }
    return wl_bits_of_16(wl_narrow_tags(same[0], same[1]));
#else
    return wl_same_lines_folded(low, high, wanted);
#endif
}

#if defined(__AVX2__)
/* ---- 64 ways, by vectors of 32 bytes ---- */

/* A bit for each tag that is this one. */
WL_ALWAYS_INLINE uint64_t wl_same_of_64(const void *tags, uint32_t tag)
{
    const __m256i wanted = _mm256_set1_epi16((short)tag), *all = tags;
    uint32_t half[2];
    for (int i = 0; i < 2; i++) {
        const __m256i low = _mm256_cmpeq_epi16(_mm256_load_si256(all + 2 * i), wanted),
                      high = _mm256_cmpeq_epi16(_mm256_load_si256(all + 2 * i + 1), wanted);
        /* packing takes turns between both */
        const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
        half[i] = (uint32_t)_mm256_movemask_epi8(both);
    }
    return (uint64_t)half[1] << 32 | half[0];
}

/* A bit for each tag with these two bytes. */
WL_ALWAYS_INLINE uint64_t wl_same_halves_of_64(const uint8_t tags[2][64], uint32_t tag)
{
    const __m256i low = _mm256_set1_epi8((char)tag), high = _mm256_set1_epi8((char)(tag >> 8)),
                  *all = (const __m256i *)(const void *)tags;
    uint32_t half[2];
    for (int i = 0; i < 2; i++)
        half[i] =
            (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(_mm256_cmpeq_epi8(_mm256_load_si256(all + i), low),
                                                            _mm256_cmpeq_epi8(_mm256_load_si256(all + 2 + i), high)));
    return (uint64_t)half[1] << 32 | half[0];
}

/* A bit for each way of this age. */
WL_ALWAYS_INLINE uint64_t wl_aged_of_64(const void *ages, int8_t age)
{
    const __m256i wanted = _mm256_set1_epi8(age), *all = ages;
    const uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_load_si256(all), wanted)),
                   high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_load_si256(all + 1), wanted));
    return (uint64_t)high << 32 | low;
}

/* Makes a way the youngest, and those that were younger one older. */
WL_ALWAYS_INLINE void wl_use_of_64(void *ages, uint32_t used)
{
    __m256i *all = ages;
    const __m256i age = _mm256_set1_epi8(((const int8_t *)ages)[used]); /* no other way has it */
    for (int i = 0; i < 2; i++) {
        const __m256i old = _mm256_load_si256(all + i), older = _mm256_sub_epi8(old, _mm256_cmpgt_epi8(age, old));
        _mm256_store_si256(all + i, _mm256_andnot_si256(_mm256_cmpeq_epi8(old, age), older));
    }
}
#endif

#define WL_PLACES_OF_LINES 6 /* of a bucket of a hash table */
#define WL_PLACES_MAX 8      /* of a dense one */

/* A bit for each of six tags that is this one and whose time is not before `first`, and from bit 8
 * on one for each time that is before it. Times are below 2^31. */
WL_ALWAYS_INLINE uint32_t wl_same_or_before_folded(const uint32_t *tags, const uint32_t *times, uint32_t wanted,
                                                   uint32_t first)
{
    uint32_t both = 0;
    for (int i = 0; i < WL_PLACES_OF_LINES; i++) {
        const uint32_t before = times[i] < first;
        both |= (~before & (tags[i] == wanted)) << i;
        both |= before << (i + 8);
    }
    return both;
}

#if defined(WL_NEON)
WL_ALWAYS_INLINE uint16x8_t wl_times_before(const uint32_t *times, uint32_t first)
{
    const uint32x4_t limit = vdupq_n_u32(first);
    return wl_narrow_words(vcltq_u32(vld1q_u32(times), limit), vcltq_u32(vld1q_u32(times + 4), limit));
}

WL_ALWAYS_INLINE uint32_t wl_both_bits(uint16x8_t same, uint16x8_t before)
{
    return wl_bits_of_16(wl_narrow_tags(vbicq_u16(same, before), before));
}
#endif

/* Two more of both are read, which must be memory, too. */
WL_ALWAYS_INLINE uint32_t wl_same_or_before(const uint32_t *tags, const uint32_t *times, uint32_t wanted,
                                            uint32_t first)
{
#if defined(__SSE2__)
    const __m128i tag = _mm_set1_epi32((int)wanted), limit = _mm_set1_epi32((int)first);
    const __m128i *of_tags = (const __m128i *)(const void *)tags, *of_times = (const __m128i *)(const void *)times;
    const __m128i same = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_loadu_si128(of_tags), tag),
                                         _mm_cmpeq_epi32(_mm_loadu_si128(of_tags + 1), tag));
    const __m128i before = _mm_packs_epi32(_mm_cmpgt_epi32(limit, _mm_loadu_si128(of_times)),
                                           _mm_cmpgt_epi32(limit, _mm_loadu_si128(of_times + 1)));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_andnot_si128(before, same), before)) & 0x3f3f;
#elif defined(WL_NEON)
    const uint32x4_t tag = vdupq_n_u32(wanted);
    const uint16x8_t same = wl_narrow_words(vceqq_u32(vld1q_u32(tags), tag), vceqq_u32(vld1q_u32(tags + 4), tag));
    return wl_both_bits(same, wl_times_before(times, first)) & 0x3f3f;
#else
    return wl_same_or_before_folded(tags, times, wanted, first);
#endif
}

/* The same of eight tags of 16 bits. */
WL_ALWAYS_INLINE uint32_t wl_same_or_before_of_8_folded(const uint16_t *tags, const uint32_t *times, uint32_t wanted,
                                                        uint32_t first)
{
    uint32_t both = 0;
    for (int i = 0; i < WL_PLACES_MAX; i++) {
        const uint32_t before = times[i] < first;
        both |= (~before & (tags[i] == wanted)) << i;
        both |= before << (i + 8);
    }
    return both;
}

WL_ALWAYS_INLINE uint32_t wl_same_or_before_of_8(const uint16_t *tags, const uint32_t *times, uint32_t wanted,
                                                 uint32_t first)
{
#if defined(__SSE2__)
    const __m128i limit = _mm_set1_epi32((int)first);
    const __m128i *of_times = (const __m128i *)(const void *)times;
    const __m128i same =
        _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *)(const void *)tags), (__m128i)wl_every_tag(wanted));
    const __m128i before = _mm_packs_epi32(_mm_cmpgt_epi32(limit, _mm_loadu_si128(of_times)),
                                           _mm_cmpgt_epi32(limit, _mm_loadu_si128(of_times + 1)));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_andnot_si128(before, same), before));
#elif defined(WL_NEON)
    return wl_both_bits(vceqq_u16(vld1q_u16(tags), vdupq_n_u16((uint16_t)wanted)), wl_times_before(times, first));
#else
    return wl_same_or_before_of_8_folded(tags, times, wanted, first);
#endif
}

#endif /* WL_CACHE_COMPARED_H */
