/* line_sample.h - a sample of the lines of memory, by their addresses: the same ones whoever loads
 * them, so that what blocks have in common shows.
 *
 * Layer  kernel (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_LINE_SAMPLE_H
#define WL_KERNEL_LINE_SAMPLE_H

#include <stdbool.h>

#include "base/hash.h"

/* One line in `one_in`, a power of two. */
typedef struct wl_line_sample {
    uint64_t bytes, one_in;
} wl_line_sample;

static inline bool wl_line_is_sampled(const wl_line_sample *sample, uint64_t address)
{
    return (wl_hash_word(address / sample->bytes) & (sample->one_in - 1)) == 0;
}

#endif /* WL_KERNEL_LINE_SAMPLE_H */
