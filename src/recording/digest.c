/* digest.c - see record_format.h.
 * Layer  recording. SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recording/record_format.h"

/* Odd constants without a pattern: the golden ratio, the square roots of 2 and 3, pi. */
#define MIX_A 0x9e3779b97f4a7c15u
#define MIX_B 0x6a09e667f3bcc909u
#define MIX_C 0xbb67ae8584caa73bu
#define MIX_D 0x243f6a8885a308d3u

static uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* Every bit of the result depends on every bit of x. */
static uint64_t finished(uint64_t x)
{
    x = (x ^ x >> 31) * MIX_A;
    x = (x ^ x >> 29) * MIX_B;
    return x ^ x >> 32;
}

static uint64_t word_at(const uint8_t *at)
{
    const uint16_t one = 1;
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return *(const uint8_t *)&one ? word : __builtin_bswap64(word);
}

wl_digest wl_digest_of(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    /* four chains, so that multiplications overlap */
    uint64_t chain[4] = {MIX_A, MIX_B, MIX_C, MIX_D ^ count};
    size_t left = count;
    for (; left >= 32; left -= 32, at += 32)
        for (int k = 0; k < 4; k++)
            chain[k] = rotated((chain[k] ^ word_at(at + 8 * k)) * MIX_A, 29);
    uint8_t rest[32] = {0};
    if (left > 0)
        memcpy(rest, at, left);
    for (int k = 0; k < 4; k++)
        chain[k] = rotated((chain[k] ^ word_at(rest + 8 * k)) * MIX_A, 29);
    wl_digest digest = {{0, count}};
    for (int k = 0; k < 4; k++) {
        digest.word[0] = finished(digest.word[0] ^ chain[k]);
        digest.word[1] = finished(digest.word[1] + rotated(chain[k], 17) * MIX_C);
    }
    return digest;
}

void wl_digest_text(wl_digest digest, char text[WL_DIGEST_TEXT])
{
    (void)snprintf(text, WL_DIGEST_TEXT, "%016llx%016llx", (unsigned long long)digest.word[0],
                   (unsigned long long)digest.word[1]);
}
