/* kinds.c - kinds of blocks: whether they differ; merges those that are about alike. See
 * counted_mix.h. SPDX-License-Identifier: MIT */
#include "kernel/counted_mix.h"

#include <math.h>

#define EQUAL 1.25 /* blocks are alike if the longest take at most this times the mean */
/* kinds are merged if one executes at least this share of the other's instructions */
#define ABOUT 0.8

bool wl_kinds_differ(const wl_block_kind *list, int count)
{
    double blocks = 0, all = 0;
    for (int k = 0; k < count; k++) {
        blocks += list[k].blocks;
        all += list[k].blocks * list[k].instructions;
    }
    return count > 1 && list[0].instructions * blocks > EQUAL * all;
}

static bool about_equal(const wl_block_kind *a, const wl_block_kind *b, double share)
{
    return b->instructions >= share * a->instructions && fmin(a->loads, b->loads) >= share * fmax(a->loads, b->loads);
}

static void add(wl_block_kind *to, const wl_block_kind *k)
{
    const double all = to->blocks + k->blocks, part = all > 0 ? k->blocks / all : 0;
    to->instructions += part * (k->instructions - to->instructions);
    to->loads += part * (k->loads - to->loads);
    to->middle += part * (k->middle - to->middle);
    to->stores += part * (k->stores - to->stores);
    to->blocks = all;
    to->first = fmin(to->first, k->first);
    to->last = fmax(to->last, k->last);
    if (k->longest.instructions > to->longest.instructions)
        to->longest = k->longest;
    to->most = fmax(to->most, k->most);
}

/* False: more kinds are left than there is room for. */
static bool join(const wl_block_kind *list, int count, double share, wl_kinds *out)
{
    int head = 0; /* the longest of the kinds being merged */
    out->count = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && about_equal(&list[head], &list[k], share)) {
            add(&out->list[out->count - 1], &list[k]);
            continue;
        }
        if (out->count == WL_KINDS_MAX)
            return false;
        out->list[out->count++] = list[k];
        head = k;
    }
    return true;
}

void wl_kinds_join(const wl_block_kind *list, int count, wl_kinds *out)
{
    *out = (wl_kinds){0};
    if (!wl_kinds_differ(list, count))
        return;
    for (double share = ABOUT; !join(list, count, share, out); share *= ABOUT) {
    }
}
