/* coalescer.c - see coalescer.h. SPDX-License-Identifier: MIT */
#include "cache/coalescer.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/hash.h"

/* Multiprocessors of a GPC share one: on the H200, 5 multiprocessors that request a line at the
 * same time cause 2 requests, 9 cause 3 and 16 cause 4 (validate/probes/h200_merge_window.csv). */
#define LINES 4096 /* of a GPC, a power of two */

typedef struct asked {
    uint64_t line;
    int64_t moment;
    uint32_t sectors;
    int32_t joined;
} asked;

struct wl_coalescer {
    int64_t sms, gpcs, requests, moment;
    asked *lines;
};

wl_coalescer *wl_coalescer_new(int64_t sms, int64_t gpcs, int64_t requests)
{
    wl_coalescer *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->sms = sms;
    c->gpcs = gpcs;
    c->requests = requests;
    c->moment = 1;
    c->lines = calloc((size_t)c->gpcs * LINES, sizeof *c->lines);
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
    asked *a = &c->lines[sm * c->gpcs / c->sms * LINES + (int64_t)(wl_hash_word(line) & (LINES - 1))];
    if (a->line == line && a->moment == c->moment && !(sectors & ~a->sectors) && a->joined < c->requests) {
        a->joined++;
        return true;
    }
    *a = (asked){line, c->moment, sectors, 1};
    return false;
}
