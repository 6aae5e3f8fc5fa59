/* random_source.h - numbers at random that are the same on every machine: one seed, one sequence.
 *
 * Every draw is a statement of its own: the order in which C evaluates arguments is open.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_RANDOM_SOURCE_H
#define WL_TESTS_RANDOM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct random_source {
    uint64_t state;
} random_source;

/* Neighbouring seeds must not give related cases, so the seed is mixed before xorshift takes
 * over. */
static inline random_source random_start(uint64_t seed)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (random_source){z ? z : 1};
}

static inline uint64_t random_bits(random_source *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state;
}

/* lo <= result <= hi */
static inline int64_t random_in(random_source *r, int64_t lo, int64_t hi)
{
    if (hi < lo)
        abort();
    return lo + (int64_t)((random_bits(r) >> 11) % (uint64_t)(hi - lo + 1));
}

static inline bool random_chance(random_source *r, int percent) { return random_in(r, 0, 99) < percent; }

#define RANDOM_OF(r, list) ((list)[random_in((r), 0, (int64_t)(sizeof(list) / sizeof(list)[0]) - 1)])

#endif /* WL_TESTS_RANDOM_SOURCE_H */
