/* pattern.c - see pattern.h. SPDX-License-Identifier: MIT */
#include "metrics/pattern.h"

#include <string.h>

#include "base/ckd.h"
#include "launch/lanes.h"
#include "metrics/pattern_table.h"

/* Is one of the first x * y * z folded cells among these? */
static bool any_cell(const wl_geometry *g, const int64_t first[3], uint64_t cells)
{
    for (int64_t z = 0; z < first[2]; z++)
        for (int64_t y = 0; y < first[1]; y++)
            for (int64_t x = 0; x < first[0]; x++)
                if (cells >> (x + g->fold[0] * (y + g->fold[1] * z)) & 1)
                    return true;
    return false;
}

uint32_t wl_cut_threads(const wl_geometry *g, const wl_block_class *c, uint64_t cells)
{
    uint32_t need = 1; /* threads that are not cut off need everything */
    const int64_t rest[3] = {c->cells[0] % g->fold[0], c->cells[1] % g->fold[1], c->cells[2] % g->fold[2]};
    if (rest[0] == 0 && rest[1] == 0 && rest[2] == 0)
        return need;
    for (unsigned cut = 1; cut < 8; cut++) {
        int64_t inside[3];
        bool exist = true;
        for (int d = 0; d < 3; d++) {
            inside[d] = cut >> d & 1 ? rest[d] : g->fold[d];
            exist = exist && inside[d] > 0;
        }
        if (exist && any_cell(g, inside, cells))
            need |= 1u << cut;
    }
    return need;
}

/* Lanes in address order whose distances are at least a word touch different words. */
static void look_at_lanes(const wl_l1_rules *rules, wl_pattern *p)
{
    int64_t sorted[WL_LANES_MAX];
    const wl_arrangement *a = &p->lanes;
    const int64_t word = (int64_t)1 << rules->bank_shift;
    for (int i = 0; i < a->lanes; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > a->relative[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = a->relative[i];
    }
    bool separate = a->width % word == 0 && a->width / word <= rules->banks;
    for (int i = 0; i < a->lanes && separate; i++)
        separate = sorted[i] % word == 0 && (i == 0 || sorted[i] - sorted[i - 1] >= a->width);
    p->separate = separate;
    p->highest = sorted[a->lanes - 1];
    p->span = p->highest - sorted[0];
}

void wl_pattern_start(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_pattern *p)
{
    p->lanes = *lanes;
    look_at_lanes(rules, p);
    memset(p->sectors, -1, sizeof p->sectors);
    memset(p->hit, -1, sizeof p->hit);
    memset(p->written, 0, sizeof p->written);
    for (int i = 0; i < WL_PLACEMENTS; i++)
        p->placements[i].alignment = -1;
    p->window_bytes = 0;
    p->window = NULL;
}

/* ---- gathering ---- */

typedef struct gatherer {
    const wl_pattern_context *context;
    const wl_block_class *blocks;
    uint32_t cut_threads;
    int64_t stride[3]; /* from thread to thread */
} gatherer;

/* Does the thread of this index need the instruction? */
static bool thread_needs(const gatherer *m, const int64_t index[3])
{
    const wl_geometry *g = m->context->geometry;
    unsigned cut = 0;
    for (int d = 0; d < 3; d++) {
        const int64_t inside = m->blocks->cells[d] - index[d] * g->fold[d];
        if (inside <= 0)
            return false;
        cut |= (unsigned)(inside < g->fold[d]) << d;
    }
    return m->cut_threads >> cut & 1;
}

static int64_t place_of(const gatherer *m, const int64_t index[3])
{
    return index[0] * m->stride[0] + index[1] * m->stride[1] + index[2] * m->stride[2];
}

/* The lanes of one warp that need the instruction, and where the first of them is; false when none does. */
static bool arrange(const gatherer *m, int64_t warp, wl_arrangement *out, int64_t *origin)
{
    const wl_geometry *g = m->context->geometry;
    const int64_t warp_size = m->context->rules->warp_size;
    const int64_t first = warp * warp_size, last = wl_min(first + warp_size, g->threads);
    int64_t index[3];
    wl_thread_index(g, first, index);
    out->lanes = 0;
    for (int64_t t = first; t < last; t++) {
        if (m->blocks->whole || thread_needs(m, index)) {
            const int64_t at = place_of(m, index);
            if (out->lanes == 0)
                *origin = at;
            out->lane[out->lanes] = (uint8_t)(t - first);
            out->relative[out->lanes++] = at - *origin;
        }
        if (++index[0] == g->block[0]) {
            index[0] = 0;
            if (++index[1] == g->block[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
    return out->lanes > 0;
}

/* Do all warps of a whole block look alike? True when warps and rows nest. */
static bool warps_alike(const wl_geometry *g, int64_t warp_size)
{
    if (g->threads % warp_size != 0)
        return false;
    if (g->block[0] % warp_size == 0)
        return true;
    if (warp_size % g->block[0] != 0)
        return false;
    const int64_t rows = warp_size / g->block[0];
    return g->block[1] % rows == 0 || rows % g->block[1] == 0;
}

int wl_patterns_gather(const wl_pattern_context *m, const wl_instruction_group *group, const wl_block_class *c,
                       uint32_t cut_threads, wl_pattern_table *table, wl_alike *alike)
{
    const wl_geometry *g = m->geometry;
    gatherer this = {.context = m, .blocks = c, .cut_threads = cut_threads};
    for (int d = 0; d < 3; d++)
        this.stride[d] = wl_thread_stride(&group->linear, g, d);
    const int64_t warps = wl_ceil_div(g->threads, m->rules->warp_size);
    const bool one_for_all = c->whole && warps_alike(g, m->rules->warp_size);
    wl_arrangement lanes = {.width = group->width};
    int n = 0;
    for (int64_t w = 0; w < warps; w++) {
        int64_t origin = 0;
        int known = 0;
        if (one_for_all && w > 0) {
            int64_t index[3];
            wl_thread_index(g, w * m->rules->warp_size, index);
            origin = place_of(&this, index);
        } else if (arrange(&this, w, &lanes, &origin)) {
            wl_pattern *p = wl_pattern_table_get(table, m->rules, &lanes);
            if (!p)
                return -1;
            while (known < n && alike[known].pattern != p)
                known++;
            if (known == n)
                alike[n++] = (wl_alike){.pattern = p};
        } else {
            continue;
        }
        alike[known].start[alike[known].warps++] = origin;
    }
    return n;
}

/* ---- costs ---- */

static void place_pattern(const wl_arrangement *lanes, int64_t address, wl_warp_access *out)
{
    out->count = lanes->lanes;
    out->width = lanes->width;
    memcpy(out->lane, lanes->lane, (size_t)lanes->lanes);
    for (int i = 0; i < lanes->lanes; i++)
        out->address[i] = address + lanes->relative[i];
}

static wl_placement *placement_at(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment)
{
    const wl_arrangement *a = &p->lanes;
    wl_placement *at = &p->placements[alignment / wl_min(a->width, 16) % WL_PLACEMENTS];
    if (at->alignment == alignment)
        return at;
    at->alignment = alignment;
    at->lines = 0;
    for (int i = 0; i < a->lanes; i++) {
        const int64_t line = (alignment + a->relative[i]) >> rules->line_shift;
        int known = at->lines;
        while (known-- > 0 && at->line[known] != line)
            ;
        if (known < 0) {
            known = at->lines++;
            at->line[known] = line;
        }
        at->line_of[i] = (uint8_t)known;
        at->bank_of[i] = (uint8_t)(((alignment + a->relative[i]) >> rules->bank_shift) & (rules->banks - 1));
    }
    memset(at->together, -1, sizeof at->together);
    at->alone = -1;
    return at;
}

/* Lanes that share no word: the most lanes of a group and tag wavefront that need one bank, summed. */
static int cold_wavefronts(const wl_l1_rules *rules, const wl_arrangement *a, const wl_placement *at,
                           const uint8_t *rank, int tags)
{
    enum { GROUPS_MAX = WL_LANES_MAX, BANKS_MAX = 64 };
    uint8_t need[GROUPS_MAX * BANKS_MAX], most[GROUPS_MAX] = {0};
    const int banks = rules->banks, per_group = wl_l1_lanes_per_group(rules, a->width);
    const int groups = (rules->warp_size + per_group - 1) / per_group, words = a->width >> rules->bank_shift;
    int wavefronts = 0;
    for (int first = 0; first < tags; first += GROUPS_MAX / groups) { /* as many tag wavefronts as fit, together */
        const int passes = tags - first < GROUPS_MAX / groups ? tags - first : GROUPS_MAX / groups;
        memset(need, 0, (size_t)(passes * groups * banks));
        memset(most, 0, sizeof most);
        for (int i = 0; i < a->lanes; i++) {
            const int pass = rank[at->line_of[i]] - first;
            if (pass < 0 || pass >= passes)
                continue;
            const int slot = pass * groups + a->lane[i] / per_group;
            for (int w = 0; w < words; w++) {
                const uint8_t n = ++need[slot * banks + ((at->bank_of[i] + w) & (banks - 1))];
                most[slot] = n > most[slot] ? n : most[slot];
            }
        }
        for (int i = 0; i < passes * groups; i++)
            wavefronts += most[i];
    }
    return wavefronts;
}

int wl_pattern_sectors(const wl_l1_rules *rules, wl_pattern *p, int64_t address)
{
    int16_t *sectors = &p->sectors[address & (rules->sector - 1)];
    if (*sectors < 0) {
        wl_warp_access access;
        place_pattern(&p->lanes, address, &access);
        *sectors = (int16_t)wl_warp_sectors(rules, &access);
    }
    return *sectors;
}

int wl_pattern_hit(const wl_l1_rules *rules, wl_pattern *p, int64_t address)
{
    int16_t *hit = &p->hit[address & (((int64_t)1 << rules->bank_shift) - 1)];
    if (*hit < 0) {
        wl_warp_access access;
        place_pattern(&p->lanes, address, &access);
        *hit = (int16_t)wl_warp_hit_wavefronts(rules, &access);
    }
    return *hit;
}

const wl_warp_written *wl_pattern_written(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment)
{
    wl_warp_access access;
    if (p->written[alignment].sectors == 0) {
        place_pattern(&p->lanes, alignment, &access);
        p->written[alignment] = wl_warp_write(rules, &access);
    }
    return &p->written[alignment];
}

/* The lines of one tag wavefront, given as a bit set, served together. */
static int wavefronts_together(const wl_l1_rules *rules, const wl_arrangement *a, wl_placement *at, unsigned lines)
{
    if (at->together[lines] < 0) {
        uint8_t rank[WL_FEW_LINES];
        for (int i = 0; i < at->lines; i++)
            rank[i] = lines >> i & 1 ? 0 : 1;
        at->together[lines] = (int8_t)cold_wavefronts(rules, a, at, rank, 1);
    }
    return at->together[lines];
}

static const uint8_t each_line[WL_LANES_MAX] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* How many lines the fullest tag bank has to look up. */
static int tag_wavefronts(const wl_l1_rules *rules, const wl_placement *at, int64_t base)
{
    uint64_t low = 0, high = 0; /* lines of each bank, a byte each; at most 16 banks and 64 lines */
    int most = 0;
    for (int i = 0; i < at->lines; i++) {
        const int bank = wl_l1_tag_bank(rules, base + at->line[i]);
        low += bank < 8 ? (uint64_t)1 << 8 * bank : 0;
        high += bank < 8 ? 0 : (uint64_t)1 << 8 * (bank - 8);
    }
    for (; low || high; low >>= 8, high >>= 8) {
        const int lines = (int)((low & 255) > (high & 255) ? low & 255 : high & 255);
        most = lines > most ? lines : most;
    }
    return most;
}

/* In which tag wavefront each line is looked up. */
static void rank_lines(const wl_l1_rules *rules, const wl_placement *at, int64_t base, uint8_t *rank)
{
    uint8_t in_bank[16] = {0};
    for (int i = 0; i < at->lines; i++)
        rank[i] = in_bank[wl_l1_tag_bank(rules, base + at->line[i])]++;
}

wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *m, wl_pattern *p, int64_t address)
{
    const wl_l1_rules *rules = m->rules;
    const int64_t alignment = address & (m->period - 1), base = (address - alignment) >> rules->line_shift;
    wl_placement *at = placement_at(rules, p, alignment);
    uint8_t rank[WL_LANES_MAX];
    unsigned lines[WL_FEW_LINES] = {0}; /* of each tag wavefront, where they are few */
    const int tags = tag_wavefronts(rules, at, base);
    if (tags == 1)
        return (wl_tag_cost){1, wl_pattern_hit(rules, p, address)};
    if (!p->separate) {
        wl_warp_access access;
        place_pattern(&p->lanes, address, &access);
        return wl_warp_tag_cost(rules, &access);
    }
    if (at->lines > WL_FEW_LINES) {
        if (at->alone < 0)
            at->alone = cold_wavefronts(rules, &p->lanes, at, each_line, at->lines);
        /* where lines never share a data wavefront, the tag stage changes nothing */
        if (at->alone == wl_pattern_hit(rules, p, address))
            return (wl_tag_cost){tags, at->alone};
        rank_lines(rules, at, base, rank);
        return (wl_tag_cost){tags, cold_wavefronts(rules, &p->lanes, at, rank, tags)};
    }
    wl_tag_cost cost = {.tag = tags};
    rank_lines(rules, at, base, rank);
    for (int i = 0; i < at->lines; i++)
        lines[rank[i]] |= 1u << i;
    for (int pass = 0; pass < tags; pass++)
        cost.cold += wavefronts_together(rules, &p->lanes, at, lines[pass]);
    return cost;
}
