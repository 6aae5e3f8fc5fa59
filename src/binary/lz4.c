/* lz4.c - see lz4.h.
 * Layer  binary. SPDX-License-Identifier: MIT */
#include "binary/lz4.h"

#include <string.h>

#define LENGTH_IN_TOKEN 15 /* then more bytes follow, up to one below 255 */
#define MATCH_LEAST 4

typedef struct unpacking {
    wl_bytes rest;
    uint8_t *to;
    size_t size, done;
} unpacking;

static bool next(unpacking *u, uint8_t *byte)
{
    if (u->rest.size == 0)
        return false;
    *byte = u->rest.at[0];
    u->rest = (wl_bytes){u->rest.at + 1, u->rest.size - 1};
    return true;
}

static bool read_length(unpacking *u, size_t in_token, size_t *length)
{
    uint8_t more = UINT8_MAX;
    *length = in_token;
    while (in_token == LENGTH_IN_TOKEN && more == UINT8_MAX) {
        if (!next(u, &more) || *length > u->size)
            return false;
        *length += more;
    }
    return *length <= u->size - u->done;
}

static bool copy_literals(unpacking *u, size_t length)
{
    wl_bytes literals;
    if (!wl_bytes_part(u->rest, 0, length, &literals))
        return false;
    if (length > 0)
        memcpy(u->to + u->done, literals.at, length);
    u->done += length;
    u->rest = (wl_bytes){u->rest.at + length, u->rest.size - length};
    return true;
}

/* A match may reach into what it writes: "abab.." is two bytes, and a match of them. */
static bool copy_match(unpacking *u, size_t in_token)
{
    uint8_t low, high;
    size_t length;
    if (!next(u, &low) || !next(u, &high) || !read_length(u, in_token, &length))
        return false;
    const size_t back = (size_t)low | (size_t)high << 8;
    length += MATCH_LEAST;
    if (back == 0 || back > u->done || length > u->size - u->done)
        return false;
    for (size_t i = 0; i < length; i++, u->done++)
        u->to[u->done] = u->to[u->done - back];
    return true;
}

/* A block ends with literals that no match follows. */
bool wl_lz4_unpack(wl_bytes block, uint8_t *to, size_t size)
{
    unpacking u = {.rest = block, .to = to, .size = size};
    uint8_t token;
    while (next(&u, &token)) {
        size_t literals;
        if (!read_length(&u, token >> 4, &literals) || !copy_literals(&u, literals))
            return false;
        if (u.rest.size > 0 && !copy_match(&u, token & LENGTH_IN_TOKEN))
            return false;
    }
    return u.done == size;
}
