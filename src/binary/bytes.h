/* bytes.h - a piece of memory with its end, and numbers in it, little endian.
 * Layer  binary. SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_BYTES_H
#define WL_BINARY_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wl_bytes {
    const uint8_t *at;
    size_t size;
} wl_bytes;

/* False: it is not inside of `whole`, whatever the numbers in a file say. */
static inline bool wl_bytes_part(wl_bytes whole, uint64_t offset, uint64_t size, wl_bytes *part)
{
    if (offset > whole.size || size > whole.size - offset)
        return false;
    *part = (wl_bytes){whole.at + offset, (size_t)size};
    return true;
}

static inline uint64_t wl_bytes_number(const uint8_t *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes; i-- > 0;)
        number = number << 8 | at[i];
    return number;
}

static inline uint16_t wl_bytes_16(const uint8_t *at) { return (uint16_t)wl_bytes_number(at, 2); }
static inline uint32_t wl_bytes_32(const uint8_t *at) { return (uint32_t)wl_bytes_number(at, 4); }
static inline uint64_t wl_bytes_64(const uint8_t *at) { return wl_bytes_number(at, 8); }

#endif /* WL_BINARY_BYTES_H */
