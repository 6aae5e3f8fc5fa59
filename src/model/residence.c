/* residence.c - see residence.h. SPDX-License-Identifier: MIT */
#include "model/residence.h"

#include <math.h>

#include "model/norm.h"

/* A wait that overlaps with the work of others: the longer of the two, or more. With many blocks,
 * this averages out. */
static double hidden(const wl_turnover *n, double wait, double others, double many)
{
    return wl_norm2(wait, others, wl_hiding_norm(many, n->sm.overlap_growth));
}

/* Warps that never synchronize hide each other's waits, whichever block they belong to. */
static double of_warps(const wl_turnover *n, const wl_residents *r, double wait)
{
    const double warps = fmax(1, r->blocks * r->warps), own = r->own * r->blocks / warps;
    return own + hidden(n, fmax(0, wait - own), (warps - 1) * own, warps);
}

/* Warps that synchronize at barriers wait together: only other blocks hide that. The life of a warp
 * includes its own work. */
static double of_blocks(const wl_turnover *n, const wl_residents *r, double wait)
{
    const double own = r->own * fmin(1, r->blocks), idle = fmax(0, wait + r->in_step - own);
    /* on a scheduler there are no more blocks than warps */
    const double many = r->blocks * (r->warps > 0 ? fmin(1, r->warps) : 1);
    return own + hidden(n, idle, fmax(0, r->blocks - 1) * r->own, many);
}

double wl_residence(const wl_turnover *n, const wl_residents *r, double wait)
{
    const double together = r->apart < 1 ? of_blocks(n, r, wait) : 0;
    const double free = r->apart > 0 ? of_warps(n, r, wait) : 0;
    return (1 - r->apart) * together + r->apart * free;
}

/* Schedulers prefer warps of older blocks, but the L1 serves all in turn: each wavefront waits in a
 * queue, where all take equally long (M/D/1). */
static double first_end(const wl_turnover *n, const wl_residents *r, double wait, double together)
{
    wl_residents one = *r;
    one.blocks = 1;
    const double load = fmin(1, r->blocks * r->l1 / together);
    const double queued = load < 1 ? wait + r->l1 * load / (1 - load) / 2 : together;
    return fmin(together, fmax(wl_residence(n, &one, wait), queued));
}

/* The oldest block ends first, the others at equal distances. The fewer blocks are left, the less
 * work is done per cycle. */
double wl_end_apart(const wl_turnover *n, const wl_residents *r, double wait)
{
    if (r->apart <= 0 || r->blocks <= 1)
        return 0;
    const double together = wl_residence(n, r, wait);
    wl_residents left = *r;
    double rates = 0; /* work per cycle, in blocks, summed over the numbers of remaining blocks */
    if (together <= 0)
        return 0;
    for (left.blocks = r->blocks - 1; left.blocks > 0; left.blocks--)
        rates += left.blocks / wl_residence(n, &left, wait);
    const double first = first_end(n, r, wait, together);
    const double distance = r->blocks * (1 - first / together) / rates;
    return fmax(0, first + (r->blocks - 1) * distance - together);
}
