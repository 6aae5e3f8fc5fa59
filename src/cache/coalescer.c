/* coalescer.c - see coalescer.h. SPDX-License-Identifier: MIT */
#include "cache/coalescer.h"

#include <stdlib.h>

#include "base/hash.h"

/* On the H200, 12 multiprocessors of a GPC cause 3 requests and 16 cause 5, with 4 to a request:
 * two groups of 6 and one of 4 (validate/probes/h200_coalescer.csv). They are pairs of neighbours,
 * and far from each other. */
#define PAIRS_OF_GROUP 3
#define LINES 4096 /* of a group, a power of two */

typedef struct asked {
    uint64_t line;
    int64_t moment;
    uint32_t sectors;
    int32_t joined;
} asked;

struct wl_coalescer {
    int64_t groups, requests, moment;
    asked *lines;
};

wl_coalescer *wl_coalescer_new(int64_t sms, int64_t requests)
{
    const int64_t pairs = (sms + 1) / 2;
    wl_coalescer *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->groups = (pairs + PAIRS_OF_GROUP - 1) / PAIRS_OF_GROUP;
    c->requests = requests;
    c->moment = 1;
    c->lines = calloc((size_t)c->groups * LINES, sizeof *c->lines);
    if (c->lines)
        return c;
    free(c);
    return NULL;
}

void wl_coalescer_free(wl_coalescer *c)
{
    if (!c)
        return;
    free(c->lines);
    free(c);
}

void wl_coalescer_next_moment(wl_coalescer *c) { c->moment++; }

bool wl_coalescer_join(wl_coalescer *c, int64_t sm, uint64_t line, uint32_t sectors)
{
    asked *a = &c->lines[sm / 2 % c->groups * LINES + (int64_t)(wl_hash_word(line) & (LINES - 1))];
    if (a->line == line && a->moment == c->moment && !(sectors & ~a->sectors) && a->joined < c->requests) {
        a->joined++;
        return true;
    }
    *a = (asked){line, c->moment, sectors, 1};
    return false;
}
