/* filling.c - see filling.h. SPDX-License-Identifier: MIT */
#include "model/filling.h"

#include <math.h>

#include "model/norm.h"

/* even parts of the launch, in addition to cuts where the mix of kinds changes */
#define EVEN_CUTS 16
#define CUTS_MAX (2 * WL_KINDS_MAX + EVEN_CUTS)

#define MOMENT 6.0 /* a density that grows from 0 to 2 has its mean 1/6 behind the middle */
#define FLAT 0.05  /* a smaller slope counts as an even distribution */

#define NOTED 1.01 /* a block that ends so much later than all others is named */

/* A part of the launch order in which the kinds are mixed in the same way. */
typedef struct part {
    double end; /* number of the block after it */
    int kinds;  /* kinds with blocks in it */
    double blocks[WL_KINDS_MAX];
    double filled[WL_KINDS_MAX]; /* share of the slots that hold blocks of the kind */
    bool lasting[WL_KINDS_MAX];  /* its blocks outlast the part */
    /* its duration; how much longer the busiest multiprocessor takes */
    double cycles, over;
} part;

/* Blocks that hold slots: of a kind in this part, or left over from earlier parts. */
typedef struct holder {
    double blocks, wait;
    bool stays; /* holds its slots longer than the part takes */
} holder;

typedef struct filler {
    const wl_slots *s;
    const wl_block_time *kinds;
    int count, part_count;
    double stay[WL_KINDS_MAX];  /* cycles that a block is resident beside blocks of its kind */
    double ended[WL_KINDS_MAX]; /* of these: the mean that has passed when another block starts */
    holder left[WL_KINDS_MAX];  /* from earlier parts, until the next one */
    part parts[CUTS_MAX];
} filler;

/* How long a block is resident if others keep the unit busy for `others` cycles meanwhile. `alone`
 * is its work that nothing hides. */
static double stay_of(const wl_slots *s, double resident, double alone, double wait, double others)
{
    return alone + wl_norm2(fmax(0, wait - s->met * alone), fmax(0, others), wl_hiding_norm(resident, s->growth));
}

/* ---- parts of the launch order ---- */

static int add_cut(double cuts[CUTS_MAX], int n, double cut)
{
    int at = n;
    while (at > 0 && cuts[at - 1] > cut)
        at--;
    if (at > 0 && cuts[at - 1] == cut)
        return n;
    for (int j = n; j > at; j--)
        cuts[j] = cuts[j - 1];
    cuts[at] = cut;
    return n + 1;
}

/* Slope of the density of a kind's blocks over its range of the launch order: -1 to 1; above 0,
 * there are more at the end. */
static double slope(const wl_block_time *k)
{
    const double middle = (k->middle + 0.5 - k->first) / (k->last + 1 - k->first);
    return fmax(-1, fmin(1, MOMENT * (middle - 0.5)));
}

static int find_cuts(const filler *f, double cuts[CUTS_MAX])
{
    int n = 0;
    double end = 0, steepest = 0;
    for (int k = 0; k < f->count; k++) {
        n = add_cut(cuts, n, f->kinds[k].first);
        n = add_cut(cuts, n, f->kinds[k].last + 1);
        end = fmax(end, f->kinds[k].last + 1);
        steepest = fmax(steepest, fabs(slope(&f->kinds[k])));
    }
    for (int i = 1; i <= EVEN_CUTS && steepest > FLAT; i++)
        n = add_cut(cuts, n, end * i / EVEN_CUTS);
    return n;
}

/* The share of a kind's blocks that lie before a place. */
static double share_before(const wl_block_time *k, double place)
{
    const double u = fmax(0, fmin(1, (place - k->first) / (k->last + 1 - k->first)));
    return u + slope(k) * (u * u - u);
}

static void find_parts(filler *f)
{
    double cuts[CUTS_MAX] = {0};
    const int n = find_cuts(f, cuts);
    for (int i = 0; i + 1 < n; i++) {
        part *p = &f->parts[f->part_count++];
        p->end = cuts[i + 1];
        for (int k = 0; k < f->count; k++) {
            const wl_block_time *kind = &f->kinds[k];
            p->blocks[k] = kind->blocks * (share_before(kind, cuts[i + 1]) - share_before(kind, cuts[i]));
            p->kinds += p->blocks[k] > 0;
        }
    }
}

/* A kind takes slots in proportion to how long its blocks are resident. Where there are too few
 * blocks, slots stay empty. */
static void find_filled(const filler *f, part *p)
{
    double all = 0, longest = 0;
    for (int k = 0; k < f->count; k++) {
        all += p->blocks[k] * f->stay[k];
        longest = p->blocks[k] > 0 ? fmax(longest, f->stay[k]) : longest;
    }
    const double slots = fmax(all, longest * f->s->sms * f->s->resident);
    for (int k = 0; k < f->count; k++)
        p->filled[k] = slots > 0 ? p->blocks[k] * f->stay[k] / slots : 0;
}

/* How much more work than the mean the busiest multiprocessor has: the largest of as many normal
 * deviates as there are multiprocessors. Blocks of one kind are distributed evenly. */
static double over(const filler *f, const part *p)
{
    double mean = 0, square = 0;
    for (int k = 0; k < f->count; k++) {
        mean += p->filled[k] * f->kinds[k].own;
        square += p->filled[k] * f->kinds[k].own * f->kinds[k].own;
    }
    return p->kinds > 1 ? sqrt(2 * log(f->s->sms) * f->s->resident * fmax(0, square - mean * mean)) : 0;
}

/* The duration of the part for this wait, with all its blocks in turn. */
static double time_with(const filler *f, const part *p, double wait)
{
    const wl_slots *s = f->s;
    double own = 0, traffic = 0, blocks = 0;
    for (int k = 0; k < f->count; k++) {
        blocks += p->blocks[k];
        own += p->blocks[k] * f->kinds[k].own / (s->sms * s->resident);
        traffic += f->kinds[k].blocks > 0 ? p->blocks[k] / f->kinds[k].blocks * f->kinds[k].traffic : 0;
    }
    const double sm = stay_of(s, s->resident, own, wait, (s->resident - 1) * own);
    const double memory = wl_norm2(s->memory * traffic, s->atomics * traffic, s->norm);
    return fmax(wl_norm2(sm, memory, s->norm), blocks * s->launch);
}

/* Blocks that outlast the part only take slots away from the others, which continue meanwhile. They
 * are found kind by kind, longest first. */
static double time_beside(const filler *f, const part *p, holder *h, int count)
{
    double slots = f->s->sms * f->s->resident, sum = 0;
    for (int i = 0; i < count; i++)
        sum += h[i].blocks * h[i].wait;
    for (;;) {
        const double cycles = time_with(f, p, sum / slots);
        int longest = -1;
        for (int i = 0; i < count; i++)
            if (h[i].blocks > 0 && !h[i].stays && (longest < 0 || h[i].wait > h[longest].wait))
                longest = i;
        if (longest < 0 || h[longest].wait <= cycles || h[longest].blocks >= slots)
            return cycles;
        h[longest].stays = true;
        sum = fmax(0, sum - h[longest].blocks * h[longest].wait);
        slots -= h[longest].blocks;
    }
}

static void time_part(filler *f, part *p)
{
    holder h[2 * WL_KINDS_MAX] = {{0}};
    for (int k = 0; k < f->count; k++) {
        h[k] = (holder){.blocks = p->blocks[k], .wait = f->kinds[k].wait};
        h[f->count + k] = f->left[k];
    }
    p->cycles = time_beside(f, p, h, 2 * f->count);
    for (int k = 0; k < f->count; k++) { /* of one kind they end together, about */
        const holder *now = &h[k], *before = &h[f->count + k];
        p->lasting[k] = now->stays;
        const double blocks = (now->stays ? now->blocks : 0) + (before->stays ? before->blocks : 0);
        const double wait =
            (now->stays ? now->blocks * now->wait : 0) + (before->stays ? before->blocks * before->wait : 0);
        f->left[k] = (holder){.blocks = blocks, .wait = blocks > 0 ? fmax(0, wait / blocks - p->cycles) : 0};
    }
    find_filled(f, p);
    p->over = over(f, p);
}

/* ---- the last block of a kind ---- */

/* It starts when a slot becomes free: when all blocks up to it would have ended, less the remaining
 * time of the blocks that are resident then. The slots that its own part leaves empty hold blocks
 * of earlier parts. */
static double start_of(const filler *f, int kind)
{
    const double last = f->kinds[kind].last;
    double cycles = 0, needed = 0, empty = 1;
    int at = 0;
    while (at < f->part_count && f->parts[at].end <= last + 1)
        cycles += f->parts[at++].cycles;
    while (at-- > 0 && empty > 0) {
        const part *p = &f->parts[at];
        double filled = 0, stays = 0;
        for (int k = 0; k < f->count; k++) {
            filled += p->filled[k];
            stays += p->lasting[k] ? fmin(p->cycles, p->blocks[k] * f->kinds[k].own / f->s->sms)
                                   : p->filled[k] * (f->stay[k] - (p->kinds > 1 ? f->ended[k] : 0));
        }
        needed += filled > empty ? stays * empty / filled : stays;
        empty -= filled;
    }
    return fmax(last * f->s->launch, cycles - needed);
}

static double end_of(const filler *f, int kind)
{
    const wl_block_time *k = &f->kinds[kind];
    double work = 0, resident = 0;
    for (int i = 0; i < f->part_count; i++)
        for (int j = 0; j < f->count && f->parts[i].end == k->last + 1; j++) {
            work += f->parts[i].filled[j] * f->s->resident * f->kinds[j].own;
            resident += f->parts[i].filled[j] * f->s->resident;
        }
    const double alone = (1 - k->hidden) * k->longest_own;
    const double others = fmax(work, k->longest_own) - alone;
    return start_of(f, kind) + stay_of(f->s, resident, alone, k->longest_wait, others);
}

wl_filled wl_fill(const wl_slots *slots, const wl_block_time *kinds, int count)
{
    filler f = {.s = slots, .kinds = kinds, .count = count};
    wl_filled out = {.last = -1};
    for (int k = 0; k < count; k++) {
        const double alone = (1 - kinds[k].hidden) * kinds[k].own;
        const double others = fmax(0, slots->resident * kinds[k].own - alone);
        f.stay[k] = stay_of(slots, slots->resident, alone, kinds[k].wait, others);
        /* a block that waits for the work of others ends with them; unequal blocks are half way
         * through their own waits, on average */
        f.ended[k] = kinds[k].wait > 0 ? f.stay[k] * kinds[k].wait / (kinds[k].wait + others) / 2 : 0;
    }
    find_parts(&f);
    for (int i = 0; i < f.part_count; i++) {
        time_part(&f, &f.parts[i]);
        out.balanced += f.parts[i].cycles;
        out.cycles = fmax(out.cycles, out.balanced + f.parts[i].over);
    }
    for (int k = 0; k < count; k++) {
        const double end = end_of(&f, k);
        out.last = end > NOTED * out.cycles ? k : out.last;
        out.cycles = fmax(out.cycles, end);
    }
    return out;
}
