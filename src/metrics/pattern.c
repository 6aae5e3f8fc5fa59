/* pattern.c - see pattern.h. SPDX-License-Identifier: MIT */
#include "metrics/pattern.h"

#include <string.h>

#include "base/ckd.h"
#include "launch/lanes.h"

/* Does a thread of this class need an instruction of these folded cells? */
static bool thread_needs(const wl_geometry *g, const wl_block_class *c, const int64_t index[3], uint64_t cells)
{
    int64_t inside[3];
    for (int d = 0; d < 3; d++) {
        inside[d] = wl_min(g->fold[d], c->cells[d] - index[d] * g->fold[d]);
        if (inside[d] <= 0)
            return false;
    }
    for (int64_t z = 0; z < inside[2]; z++)
        for (int64_t y = 0; y < inside[1]; y++)
            for (int64_t x = 0; x < inside[0]; x++)
                if (cells >> (x + g->fold[0] * (y + g->fold[1] * z)) & 1)
                    return true;
    return false;
}

/* Lanes in address order whose distances are at least a word touch different words. */
static void look_at_lanes(const wl_l1_rules *rules, wl_pattern *p, int32_t width)
{
    int64_t sorted[WL_LANES_MAX];
    const int64_t word = (int64_t)1 << rules->bank_shift;
    for (int i = 0; i < p->lanes; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > p->relative[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = p->relative[i];
    }
    bool separate = width % word == 0 && width / word <= rules->banks;
    for (int i = 0; i < p->lanes && separate; i++)
        separate = sorted[i] % word == 0 && (i == 0 || sorted[i] - sorted[i - 1] >= width);
    p->separate = separate;
    p->span = sorted[p->lanes - 1] - sorted[0];
}

static void finish_pattern(const wl_l1_rules *rules, int32_t width, wl_pattern *p)
{
    look_at_lanes(rules, p, width);
    memset(p->sectors, -1, sizeof p->sectors);
    memset(p->hit, -1, sizeof p->hit);
    memset(p->written, 0, sizeof p->written);
    for (int i = 0; i < WL_PLACEMENTS; i++)
        p->placements[i].alignment = -1;
}

/* The lanes of one warp that need the instruction; false when none does. */
static bool make_pattern(const wl_pattern_context *m, const wl_instruction_group *group, const wl_block_class *c,
                         int64_t warp, uint64_t cells, wl_pattern *p)
{
    const wl_geometry *g = m->geometry;
    const int64_t first = warp * m->rules->warp_size, last = wl_min(first + m->rules->warp_size, g->threads);
    const int64_t stride[3] = {wl_thread_stride(&group->linear, g, 0), wl_thread_stride(&group->linear, g, 1),
                               wl_thread_stride(&group->linear, g, 2)};
    int64_t origin = 0, index[3];
    wl_thread_index(g, first, index);
    p->lanes = 0;
    p->warps = 1;
    for (int64_t t = first; t < last; t++) {
        if (c->whole || thread_needs(g, c, index, cells)) {
            const int64_t at = index[0] * stride[0] + index[1] * stride[1] + index[2] * stride[2];
            if (p->lanes == 0)
                origin = at;
            p->lane[p->lanes] = (uint8_t)(t - first);
            p->relative[p->lanes++] = at - origin;
        }
        if (++index[0] == g->block[0]) {
            index[0] = 0;
            if (++index[1] == g->block[1]) {
                index[1] = 0;
                index[2]++;
            }
        }
    }
    p->start[0] = origin;
    return p->lanes > 0;
}

static bool same_pattern(const wl_pattern *p, const wl_pattern *q)
{
    return p->lanes == q->lanes && memcmp(p->lane, q->lane, (size_t)p->lanes) == 0 &&
           memcmp(p->relative, q->relative, (size_t)p->lanes * sizeof *p->relative) == 0;
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

/* All warps of a block of this class, gathered into different patterns. */
int wl_patterns_gather(const wl_pattern_context *m, const wl_instruction_group *group, const wl_block_class *c,
                       uint64_t cells, wl_pattern *patterns)
{
    const wl_geometry *g = m->geometry;
    const int64_t warps = wl_ceil_div(g->threads, m->rules->warp_size);
    int n = 0;
    if (c->whole && warps_alike(g, m->rules->warp_size)) {
        wl_pattern *p = &patterns[0];
        (void)make_pattern(m, group, c, 0, cells, p);
        finish_pattern(m->rules, group->width, p);
        for (int64_t w = 1; w < warps; w++) {
            int64_t index[3];
            wl_thread_index(g, w * m->rules->warp_size, index);
            p->start[p->warps++] = index[0] * wl_thread_stride(&group->linear, g, 0) +
                                   index[1] * wl_thread_stride(&group->linear, g, 1) +
                                   index[2] * wl_thread_stride(&group->linear, g, 2);
        }
        return 1;
    }
    for (int64_t w = 0; w < warps; w++) {
        wl_pattern *p = &patterns[n];
        if (!make_pattern(m, group, c, w, cells, p))
            continue;
        int known = 0;
        while (known < n && !same_pattern(&patterns[known], p))
            known++;
        if (known < n) {
            patterns[known].start[patterns[known].warps++] = p->start[0];
        } else {
            finish_pattern(m->rules, group->width, p);
            n++;
        }
    }
    return n;
}

static void place_pattern(const wl_pattern *p, int32_t width, int64_t address, wl_warp_access *out)
{
    out->count = p->lanes;
    out->width = width;
    memcpy(out->lane, p->lane, (size_t)p->lanes);
    for (int i = 0; i < p->lanes; i++)
        out->address[i] = address + p->relative[i];
}

static wl_placement *placement_at(const wl_pattern_context *m, wl_pattern *p, int32_t width, int64_t alignment)
{
    wl_placement *at = &p->placements[alignment / wl_min(width, 16) % WL_PLACEMENTS];
    if (at->alignment == alignment)
        return at;
    at->alignment = alignment;
    at->lines = 0;
    for (int i = 0; i < p->lanes; i++) {
        const int64_t line = (alignment + p->relative[i]) >> m->rules->line_shift;
        int known = at->lines;
        while (known-- > 0 && at->line[known] != line)
            ;
        if (known < 0) {
            known = at->lines++;
            at->line[known] = line;
        }
        at->line_of[i] = (uint8_t)known;
        at->bank_of[i] = (uint8_t)(((alignment + p->relative[i]) >> m->rules->bank_shift) & (m->rules->banks - 1));
    }
    memset(at->together, -1, sizeof at->together);
    at->alone = -1;
    return at;
}

/* Lanes that share no word: the most lanes of a group and tag wavefront that need one bank, summed. */
static int cold_wavefronts(const wl_pattern_context *m, const wl_pattern *p, const wl_placement *at, int32_t width,
                           const uint8_t *rank, int tags)
{
    enum { GROUPS_MAX = WL_LANES_MAX, BANKS_MAX = 64 };
    uint8_t need[GROUPS_MAX * BANKS_MAX], most[GROUPS_MAX] = {0};
    const int banks = m->rules->banks, per_group = wl_l1_lanes_per_group(m->rules, width);
    const int groups = (m->rules->warp_size + per_group - 1) / per_group, words = width >> m->rules->bank_shift;
    int wavefronts = 0;
    for (int first = 0; first < tags; first += GROUPS_MAX / groups) { /* as many tag wavefronts as fit, together */
        const int passes = tags - first < GROUPS_MAX / groups ? tags - first : GROUPS_MAX / groups;
        memset(need, 0, (size_t)(passes * groups * banks));
        memset(most, 0, sizeof most);
        for (int i = 0; i < p->lanes; i++) {
            const int pass = rank[at->line_of[i]] - first;
            if (pass < 0 || pass >= passes)
                continue;
            const int slot = pass * groups + p->lane[i] / per_group;
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

void wl_pattern_cost(const wl_pattern_context *m, wl_pattern *p, int32_t width, int64_t alignment)
{
    wl_warp_access access;
    if (p->sectors[alignment] >= 0)
        return;
    place_pattern(p, width, alignment, &access);
    p->sectors[alignment] = (int16_t)wl_warp_sectors(m->rules, &access);
    if (m->rules->has_hash && p->separate) {
        const uint8_t first[WL_LANES_MAX] = {0}; /* all lines in one tag wavefront */
        p->hit[alignment] = (int16_t)cold_wavefronts(m, p, placement_at(m, p, width, alignment), width, first, 1);
    } else {
        p->hit[alignment] = (int16_t)wl_warp_hit_wavefronts(m->rules, &access);
    }
}

const wl_warp_written *wl_pattern_written(const wl_pattern_context *m, wl_pattern *p, int32_t width, int64_t alignment)
{
    wl_warp_access access;
    if (p->written[alignment].sectors == 0) {
        place_pattern(p, width, alignment, &access);
        p->written[alignment] = wl_warp_write(m->rules, &access);
    }
    return &p->written[alignment];
}

/* The lines of one tag wavefront, given as a bit set, served together. */
static int wavefronts_together(const wl_pattern_context *m, const wl_pattern *p, wl_placement *at, int32_t width,
                               unsigned lines)
{
    if (at->together[lines] < 0) {
        uint8_t rank[WL_FEW_LINES];
        for (int i = 0; i < at->lines; i++)
            rank[i] = lines >> i & 1 ? 0 : 1;
        at->together[lines] = (int8_t)cold_wavefronts(m, p, at, width, rank, 1);
    }
    return at->together[lines];
}

static const uint8_t each_line[WL_LANES_MAX] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *m, wl_pattern *p, int32_t width, int64_t address)
{
    const int64_t alignment = address & (m->period - 1), base = (address - alignment) >> m->rules->line_shift;
    wl_placement *at = placement_at(m, p, width, alignment);
    uint8_t rank[WL_LANES_MAX], in_bank[16] = {0};
    unsigned lines[WL_FEW_LINES] = {0}; /* of each tag wavefront, where they are few */
    int tags = 0;
    for (int i = 0; i < at->lines; i++) {
        rank[i] = in_bank[wl_l1_tag_bank(m->rules, base + at->line[i])]++;
        tags = rank[i] >= tags ? rank[i] + 1 : tags;
    }
    wl_pattern_cost(m, p, width, alignment);
    if (tags == 1)
        return (wl_tag_cost){1, p->hit[alignment]};
    if (!p->separate) {
        wl_warp_access access;
        place_pattern(p, width, address, &access);
        return wl_warp_tag_cost(m->rules, &access);
    }
    if (at->lines > WL_FEW_LINES) {
        if (at->alone < 0)
            at->alone = cold_wavefronts(m, p, at, width, each_line, at->lines);
        if (at->alone == p->hit[alignment]) /* lines never share a data wavefront: the tag stage changes nothing */
            return (wl_tag_cost){tags, at->alone};
        return (wl_tag_cost){tags, cold_wavefronts(m, p, at, width, rank, tags)};
    }
    wl_tag_cost cost = {.tag = tags};
    for (int i = 0; i < at->lines; i++)
        lines[rank[i]] |= 1u << i;
    for (int pass = 0; pass < tags; pass++)
        cost.cold += wavefronts_together(m, p, at, width, lines[pass]);
    return cost;
}
