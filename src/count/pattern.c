/* pattern.c - see pattern.h. SPDX-License-Identifier: MIT */
#include "count/pattern.h"

#include <string.h>

#include "base/ckd.h"
#include "launch/lanes.h"
#include "count/pattern_table.h"

#define CUTS 64 /* ways an edge can cut a thread, warp or block: bit d at the end, bit 3 + d at the start */

/* Is any folded cell lo .. hi - 1 among these? */
static bool any_cell(const wl_geometry *g, const int64_t lo[3], const int64_t hi[3], uint64_t cells)
{
    for (int64_t z = lo[2]; z < hi[2]; z++)
        for (int64_t y = lo[1]; y < hi[1]; y++)
            for (int64_t x = lo[0]; x < hi[0]; x++)
                if (cells >> (x + g->fold[0] * (y + g->fold[1] * z)) & 1)
                    return true;
    return false;
}

uint64_t wl_cut_threads(const wl_geometry *g, const wl_block_class *c, uint64_t cells)
{
    uint64_t need = 1; /* uncut threads need everything */
    int64_t back[3], front[3];
    unsigned possible = 0;
    for (int d = 0; d < 3; d++) {
        back[d] = c->cells[d] % g->fold[d];
        front[d] = c->skip[d] % g->fold[d];
        possible |= (unsigned)(back[d] > 0) << d | (unsigned)(front[d] > 0) << (3 + d);
    }
    for (unsigned cut = possible; cut > 0; cut = (cut - 1) & possible) {
        int64_t lo[3], hi[3];
        for (int d = 0; d < 3; d++) {
            lo[d] = cut >> (3 + d) & 1 ? front[d] : 0;
            hi[d] = cut >> d & 1 ? back[d] : g->fold[d];
        }
        if (any_cell(g, lo, hi, cells))
            need |= (uint64_t)1 << cut;
    }
    return need;
}

static void place_pattern(const wl_arrangement *lanes, int64_t address, wl_warp_access *out)
{
    out->count = lanes->lanes;
    out->width = lanes->width;
    memcpy(out->lane, lanes->lane, (size_t)lanes->lanes);
    for (int i = 0; i < lanes->lanes; i++)
        out->address[i] = address + lanes->relative[i];
}

/* Lanes at word boundaries touch distinct words if no two of them overlap. */
static bool lanes_separate(const wl_l1_rules *rules, const wl_arrangement *a, const wl_runs *runs)
{
    const int64_t word = (int64_t)1 << rules->bank_shift;
    int64_t bytes = 0;
    if (a->width % word != 0 || a->width / word > rules->banks)
        return false;
    for (int i = 0; i < a->lanes; i++)
        if (a->relative[i] % word != 0)
            return false;
    for (int i = 0; i < runs->count; i++)
        bytes += runs->last[i] - runs->first[i] + 1;
    return bytes == a->lanes * a->width;
}

void wl_pattern_start(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_pattern *p)
{
    wl_warp_access access;
    p->lanes = *lanes;
    place_pattern(lanes, 0, &access);
    wl_runs_make(&access, &p->runs);
    p->separate = lanes_separate(rules, lanes, &p->runs);
    p->highest = p->runs.last[p->runs.count - 1] + 1 - lanes->width;
    p->span = p->highest - p->runs.first[0];
    memset(p->sectors, -1, sizeof p->sectors);
    memset(p->hit, -1, sizeof p->hit);
    memset(p->written, 0, sizeof p->written);
    memset(p->windows, 0, sizeof p->windows);
    p->gathering = 0;
}

/* ---- gathering ---- */

typedef struct gatherer {
    const wl_pattern_context *context;
    const wl_block_class *blocks;
    uint64_t cut_threads;
    int64_t stride[3]; /* from thread to thread */
} gatherer;

/* Does the thread with this index need the instruction? */
static bool thread_needs(const gatherer *m, const int64_t index[3])
{
    const wl_geometry *g = m->context->geometry;
    unsigned cut = 0;
    for (int d = 0; d < 3; d++) {
        const int64_t lowest = index[d] * g->fold[d], end = lowest + g->fold[d];
        if (lowest >= m->blocks->cells[d] || end <= m->blocks->skip[d])
            return false;
        cut |= (unsigned)(end > m->blocks->cells[d]) << d | (unsigned)(lowest < m->blocks->skip[d]) << (3 + d);
    }
    return m->cut_threads >> cut & 1;
}

static int64_t place_of(const gatherer *m, const int64_t index[3])
{
    return index[0] * m->stride[0] + index[1] * m->stride[1] + index[2] * m->stride[2];
}

/* The lanes of one warp that need the instruction, and the address of the first; false: none. */
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

/* Do all warps of an uncut block look alike? True when warps and rows nest. */
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

/* In which dimensions do the domain's edges cut off cells of threads lo .. hi? A bit set. */
static unsigned cuts(const wl_geometry *g, const wl_block_class *c, const int64_t lo[3], const int64_t hi[3])
{
    unsigned cut = 0;
    for (int d = 0; d < 3; d++)
        cut |= (unsigned)((hi[d] + 1) * g->fold[d] > c->cells[d]) << d | (unsigned)(lo[d] * g->fold[d] < c->skip[d])
                                                                             << (3 + d);
    return cut;
}

/* The index of a pattern among those gathered. */
static int number_of(wl_pattern *p, uint64_t gathering, wl_gathered *out)
{
    if (p->gathering != gathering) {
        p->gathering = gathering;
        p->number = out->count;
        out->pattern[out->count++] = p;
    }
    return p->number;
}

/* Sorts the warps by pattern, stable with respect to classes. */
static void sort_by_pattern(int class_count, int64_t warps, wl_gathered *out)
{
    int *first = out->first;
    memset(first, 0, (size_t)(out->count + 1) * sizeof *first);
    for (int c = 0; c < class_count; c++)
        for (int64_t w = 0; w < warps; w++)
            if (out->warp[c][w].pattern >= 0)
                first[out->warp[c][w].pattern + 1]++;
    for (int k = 0; k < out->count; k++)
        first[k + 1] += first[k];
    for (int c = 0; c < class_count; c++)
        for (int64_t w = 0; w < warps; w++)
            if (out->warp[c][w].pattern >= 0) {
                const int at = first[out->warp[c][w].pattern]++;
                out->block_class[at] = (uint8_t)c;
                out->start[at] = out->warp[c][w].start;
            }
    memmove(first + 1, first, (size_t)out->count * sizeof *first); /* each is the next one's first now */
    first[0] = 0;
    out->in_first = 0;
    for (int k = 0; k < out->count; k++)
        out->in_first += out->block_class[first[k]] == 0;
}

/* Most warps look like an earlier one: the one in a class with fewer cuts, if the other edges miss
 * it; the one at the same position of an earlier plane; any other. */
bool wl_patterns_gather(const wl_pattern_context *m, const wl_instruction_group *group, const wl_block_class *classes,
                        int class_count, uint64_t cut_threads, wl_gathered *out)
{
    const wl_geometry *g = m->geometry;
    const int64_t warp_size = m->rules->warp_size, warps = wl_ceil_div(g->threads, warp_size);
    const int64_t plane = g->block[0] * g->block[1];
    const int64_t again = plane / wl_gcd(plane, warp_size); /* warps until one starts at the same position of a plane */
    const int64_t planes = again * warp_size / plane;
    const bool all_alike = warps_alike(g, warp_size);
    const int64_t zero[3] = {0, 0, 0}, last[3] = {g->block[0] - 1, g->block[1] - 1, g->block[2] - 1};
    const uint64_t gathering = ++m->table->gatherings;
    gatherer this = {.context = m, .cut_threads = cut_threads};
    wl_arrangement lanes = {.width = group->width};
    int with_cuts[CUTS]; /* the class with these cuts, if any */
    memset(with_cuts, -1, sizeof with_cuts);
    for (int c = 0; c < class_count; c++)
        with_cuts[cuts(g, &classes[c], zero, last)] = c;
    for (int d = 0; d < 3; d++)
        this.stride[d] = wl_thread_stride(&group->linear, g, d);
    out->count = 0;
    for (int64_t w = 0; w < warps; w++) {
        int64_t lo[3], hi[3], index[3];
        const bool full = (w + 1) * warp_size <= g->threads;
        wl_thread_index(g, w * warp_size, index);
        wl_thread_box(g, w * warp_size, wl_min((w + 1) * warp_size, g->threads) - 1, lo, hi);
        for (int c = 0; c < class_count; c++) {
            const unsigned cut = cuts(g, &classes[c], lo, hi);
            const int fewer = with_cuts[cut];
            int pattern = -1;
            int64_t start = 0;
            if (fewer >= 0 && fewer < c) {
                pattern = out->warp[fewer][w].pattern;
                start = out->warp[fewer][w].start;
            } else if (all_alike && w > 0 && classes[c].whole) {
                pattern = out->warp[c][0].pattern;
                start = place_of(&this, index);
            } else if (full && w >= again && !(cut >> 2 & 1) && (lo[2] - planes) * g->fold[2] >= classes[c].skip[2]) {
                pattern = out->warp[c][w - again].pattern;
                start = out->warp[c][w - again].start + planes * this.stride[2];
            } else {
                this.blocks = &classes[c];
                if (arrange(&this, w, &lanes, &start)) {
                    wl_pattern *p = wl_pattern_table_get(m->table, m->rules, &lanes);
                    if (!p)
                        return false;
                    pattern = number_of(p, gathering, out);
                }
            }
            out->warp[c][w].pattern = pattern;
            out->warp[c][w].start = start;
        }
    }
    sort_by_pattern(class_count, warps, out);
    return true;
}

/* ---- costs ---- */

static wl_placement *placement_at(const wl_pattern_context *m, const wl_pattern *p, int64_t alignment)
{
    const wl_l1_rules *rules = m->rules;
    const wl_arrangement *a = &p->lanes;
    wl_placement *at =
        &m->table->placements[((uint64_t)(alignment / wl_min(a->width, 16)) + p->hash * 16) % WL_PLACEMENTS];
    if (at->pattern == p && at->alignment == alignment)
        return at;
    at->pattern = p;
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

/* No two lanes share a word: per lane group and tag wavefront, the most lanes on one bank;
 * summed. */
static int cold_wavefronts(const wl_l1_rules *rules, const wl_arrangement *a, const wl_placement *at,
                           const uint8_t *rank, int tags)
{
    enum { GROUPS_MAX = WL_LANES_MAX, BANKS_MAX = 64 };
    uint8_t need[GROUPS_MAX * BANKS_MAX], most[GROUPS_MAX] = {0};
    const int banks = rules->banks, per_group = wl_l1_lanes_per_group(rules, a->width);
    const int groups = (rules->warp_size + per_group - 1) / per_group, words = a->width >> rules->bank_shift;
    int wavefronts = 0;
    for (int first = 0; first < tags; first += GROUPS_MAX / groups) { /* as many tag wavefronts at once as fit */
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
    const int64_t place = address & (rules->sector - 1);
    if (p->sectors[place] < 0)
        p->sectors[place] = (int16_t)wl_runs_sectors(rules, &p->runs, place);
    return p->sectors[place];
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

int wl_pattern_shared(const wl_l1_rules *rules, const wl_pattern *p, int64_t address)
{
    wl_warp_access access;
    place_pattern(&p->lanes, address, &access);
    return wl_warp_shared_wavefronts(rules, &access);
}

const wl_warp_written *wl_pattern_written(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment)
{
    if (p->written[alignment].sectors == 0)
        p->written[alignment] = wl_runs_write(rules, &p->runs, alignment);
    return &p->written[alignment];
}

/* Data wavefronts of the lines of one tag wavefront, given as a bit set. */
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

/* The tag wavefront that looks up each line; returns their number: the lines of the fullest tag
 * bank. */
static int rank_lines(const wl_l1_rules *rules, const wl_placement *at, int64_t base, uint8_t *rank)
{
    uint8_t in_bank[16] = {0};
    int most = 0;
    for (int i = 0; i < at->lines; i++) {
        rank[i] = in_bank[wl_l1_tag_bank(rules, base + at->line[i])]++;
        most = rank[i] > most ? rank[i] : most;
    }
    return most + 1;
}

wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *m, wl_pattern *p, int64_t address)
{
    const wl_l1_rules *rules = m->rules;
    const int64_t alignment = address & (m->period - 1), base = (address - alignment) >> rules->line_shift;
    wl_placement *at = placement_at(m, p, alignment);
    uint8_t rank[WL_LANES_MAX];
    unsigned lines[WL_FEW_LINES] = {0}; /* lines of each tag wavefront, if they are few */
    const int tags = rank_lines(rules, at, base, rank);
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
        /* if lines never share a data wavefront, the tag stage changes nothing */
        if (at->alone == wl_pattern_hit(rules, p, address))
            return (wl_tag_cost){tags, at->alone};
        return (wl_tag_cost){tags, cold_wavefronts(rules, &p->lanes, at, rank, tags)};
    }
    wl_tag_cost cost = {.tag = tags};
    for (int i = 0; i < at->lines; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) ranks of all lanes are set above */
        lines[rank[i]] |= 1u << i;
    for (int pass = 0; pass < tags; pass++)
        cost.cold += wavefronts_together(rules, &p->lanes, at, lines[pass]);
    return cost;
}
