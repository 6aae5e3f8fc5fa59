/* placement.c - see placement.h. SPDX-License-Identifier: MIT */
#include "count/placement.h"

#include <string.h>

static bool is_aligned(const wl_l1_rules *rules, const wl_arrangement *a)
{
    const int64_t mask = a->width - 1;
    int64_t low = 0;
    for (int i = 0; i < a->lanes; i++)
        low |= a->relative[i] & mask;
    return (a->width & mask) == 0 && a->width <= rules->line && low == 0;
}

void wl_segments_make(const wl_l1_rules *rules, const wl_arrangement *a, wl_segments *out)
{
    const int per_group = wl_l1_lanes_per_group(rules, a->width);
    out->count = 0;
    /* a line's words must differ in bank */
    if (!is_aligned(rules, a) || rules->line >> rules->bank_shift > rules->banks)
        return;
    for (int i = 0; i < a->lanes; i++) {
        const uint8_t group = (uint8_t)(a->lane[i] / per_group);
        wl_segment *s = &out->list[out->count - (out->count > 0)];
        if (out->count > 0 && s->group == group && a->relative[i] == s->first + s->bytes)
            s->bytes += a->width;
        else
            out->list[out->count++] = (wl_segment){a->relative[i], a->width, group};
    }
}

/* ---- lines and parts ---- */

/* Lines mostly ascend, so a new highest one needs no search. */
static int find_line(wl_placement *p, int64_t *highest, int64_t line)
{
    int at = p->lines;
    if (at > 0 && line <= *highest)
        while (at-- > 0)
            if (p->line[at] == line)
                return at;
    *highest = p->lines == 0 || line > *highest ? line : *highest;
    p->line[p->lines] = line;
    return p->lines++;
}

/* `apart`: words on one bank differ, so that lanes on one bank need parts of their own. */
static void add_part(wl_placement *p, int line, int lines_before, uint8_t group, uint64_t banks, bool apart)
{
    const bool new_line = line == lines_before;
    for (int i = p->parts; !new_line && i-- > 0;)
        if (p->line_of[i] == line && p->group_of[i] == group && !(apart && p->banks[i] & banks)) {
            p->banks[i] |= banks;
            return;
        }
    p->line_of[p->parts] = (uint8_t)line;
    p->group_of[p->parts] = group;
    p->banks[p->parts++] = banks;
}

static uint64_t low_bits(int64_t n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

static void place_segments(const wl_l1_rules *rules, const wl_segments *segments, int64_t alignment, wl_placement *p)
{
    int64_t highest = 0;
    for (int i = 0; i < segments->count; i++) {
        const wl_segment *s = &segments->list[i];
        const int64_t end = alignment + s->first + s->bytes;
        for (int64_t at = alignment + s->first, next; at < end; at = next) {
            const int64_t line = at >> rules->line_shift;
            const int before = p->lines;
            next = (line + 1) << rules->line_shift;
            next = next < end ? next : end;
            const int64_t first = at >> rules->bank_shift, last = (next - 1) >> rules->bank_shift;
            add_part(p, find_line(p, &highest, line), before, s->group,
                     low_bits(last - first + 1) << (first & (rules->banks - 1)), false);
        }
    }
}

static void place_lanes(const wl_l1_rules *rules, const wl_arrangement *a, int64_t alignment, wl_placement *p)
{
    const int per_group = wl_l1_lanes_per_group(rules, a->width), words = a->width >> rules->bank_shift;
    int64_t highest = 0;
    for (int i = 0; i < a->lanes; i++) {
        const int64_t at = alignment + a->relative[i];
        const int before = p->lines, line = find_line(p, &highest, at >> rules->line_shift);
        uint64_t banks = 0;
        for (int w = 0; w < words; w++)
            banks |= (uint64_t)1 << (((at >> rules->bank_shift) + w) & (rules->banks - 1));
        add_part(p, line, before, (uint8_t)(a->lane[i] / per_group), banks, true);
    }
}

void wl_placement_make(const wl_l1_rules *rules, const wl_arrangement *a, const wl_segments *segments, bool separate,
                       int64_t alignment, wl_placement *p)
{
    const int per_group = wl_l1_lanes_per_group(rules, a->width);
    p->lines = p->parts = 0;
    p->groups = (rules->warp_size + per_group - 1) / per_group;
    if (segments->count > 0 && (alignment & (a->width - 1)) == 0) {
        p->known = true;
        place_segments(rules, segments, alignment, p);
        return;
    }
    p->known = separate;
    place_lanes(rules, a, alignment, p);
}

/* ---- costs ---- */

/* The hash is linear, and neighbouring lines share their high bits. */
int wl_placement_rank(const wl_l1_rules *rules, const wl_placement *p, int64_t base, uint8_t rank[WL_LANES_MAX])
{
    uint8_t in_bank[16] = {0};
    int most = 0, bank_high = 0;
    uint64_t high = ~(uint64_t)0;
    for (int i = 0; i < p->lines; i++) {
        const uint64_t line = (uint64_t)(base + p->line[i]);
        if (line >> 10 != high) {
            high = line >> 10;
            bank_high = wl_l1_tag_bank(rules, (int64_t)(high << 10));
        }
        rank[i] = in_bank[bank_high ^ rules->hash[0][line & 1023]]++;
        most = rank[i] > most ? rank[i] : most;
    }
    return most + 1;
}

/* Counts per bank in unary: of each tag wavefront and group a chain of levels, the k-th of which
 * holds the banks that more than k parts need. A part adds at most one level. */
int wl_placement_wavefronts(const wl_placement *p, const uint8_t rank[WL_LANES_MAX], int tags)
{
    uint64_t level[WL_LANES_MAX];
    int8_t chain[WL_LANES_MAX * WL_LANES_MAX], next[WL_LANES_MAX];
    int levels = 0;
    memset(chain, -1, (size_t)(tags * p->groups));
    for (int i = 0; i < p->parts; i++) {
        int8_t *link = &chain[rank[p->line_of[i]] * p->groups + p->group_of[i]];
        uint64_t banks = p->banks[i];
        for (; *link >= 0 && banks; link = &next[*link]) {
            const uint64_t again = level[*link] & banks;
            level[*link] |= banks;
            banks = again;
        }
        if (banks) {
            level[levels] = banks;
            next[levels] = -1;
            *link = (int8_t)levels++;
        }
    }
    return levels;
}
