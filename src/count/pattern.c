/* pattern.c - see pattern.h. SPDX-License-Identifier: MIT */
#include "count/pattern.h"

#include <string.h>

#include "base/ckd.h"
#include "launch/lanes.h"
#include "count/pattern_table.h"

#define WIDEST 16 /* bytes of a lane: alignments count in these at most */
/* ways an edge can cut a thread, warp or block: bit d at the end, bit 3 + d at the start */
#define CUTS 64

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

void wl_pattern_start(const wl_l1_rules *rules, const wl_arrangement *lanes, wl_pattern *p)
{
    wl_warp_access access;
    p->lanes = *lanes;
    place_pattern(lanes, 0, &access);
    wl_runs_make(&access, &p->runs);
    wl_run_kinds_make(rules, &p->runs, &p->kinds);
    wl_segments_make(rules, lanes, &p->segments);
    p->highest = p->runs.last[p->runs.count - 1] + 1 - lanes->width;
    p->span = p->highest - p->runs.first[0];
    memset(p->sectors, -1, (size_t)rules->sector * sizeof *p->sectors);
    memset(p->hit, -1, ((size_t)1 << rules->data.bank_shift) * sizeof *p->hit);
    memset(p->shared, -1, sizeof p->shared);
    memset(p->written, 0, (size_t)wl_max(rules->line, rules->data.group_bytes) * sizeof *p->written);
    for (int k = 0; k < WL_WINDOWS_KEPT; k++)
        p->windows[k].bytes = 0;
    p->gathering = 0;
}

/* ---- gathering ---- */

typedef struct gatherer {
    const wl_pattern_context *context;
    const wl_block_class *blocks;
    uint64_t cut_threads;
    int64_t stride[3]; /* from thread to thread */
} gatherer;

/* How the domain's edges cut a thread in one dimension, as bits d and 3 + d; -1: the thread lies
 * outside. */
static int cut_of(const gatherer *m, int d, int64_t index)
{
    const int64_t lowest = index * m->context->geometry->fold[d], end = lowest + m->context->geometry->fold[d];
    if (lowest >= m->blocks->cells[d] || end <= m->blocks->skip[d])
        return -1;
    return (end > m->blocks->cells[d]) << d | (lowest < m->blocks->skip[d]) << (3 + d);
}

static int64_t place_of(const gatherer *m, const int64_t index[3])
{
    return index[0] * m->stride[0] + index[1] * m->stride[1] + index[2] * m->stride[2];
}

/* Adds n lanes along x. */
static void add_lanes(int64_t lane, int64_t n, int64_t at, int64_t stride, wl_arrangement *out, int64_t *origin)
{
    if (n > 0 && out->lanes == 0)
        *origin = at;
    at -= *origin;
    for (int64_t i = 0; i < n; i++, at += stride) {
        out->lane[out->lanes + i] = (uint8_t)(lane + i);
        out->relative[out->lanes + i] = at;
    }
    out->lanes += (int)wl_max(0, n);
}

/* Adds the lanes, of n along x, that execute the instruction. */
static void add_row(const gatherer *m, const int64_t index[3], int64_t lane, int64_t n, wl_arrangement *out,
                    int64_t *origin)
{
    const bool whole = m->blocks->whole;
    const int64_t at = place_of(m, index);
    const int y = whole ? 0 : cut_of(m, 1, index[1]), z = whole ? 0 : cut_of(m, 2, index[2]);
    if (y < 0 || z < 0)
        return;
    if (whole || m->context->geometry->fold[0] == 1) { /* no edge cuts a thread along x */
        const int64_t skipped = whole ? 0 : wl_max(0, m->blocks->skip[0] - index[0]);
        const int64_t end = whole ? n : wl_min(n, m->blocks->cells[0] - index[0]);
        if (m->cut_threads >> (y | z) & 1)
            add_lanes(lane + skipped, end - skipped, at + skipped * m->stride[0], m->stride[0], out, origin);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const int x = cut_of(m, 0, index[0] + i);
        if (x >= 0 && m->cut_threads >> (x | y | z) & 1)
            add_lanes(lane + i, 1, at + i * m->stride[0], 0, out, origin);
    }
}

/* The lanes of one warp that execute the instruction, and the address of the first; false: none. */
static bool arrange(const gatherer *m, int64_t warp, const int64_t start[3], wl_arrangement *out, int64_t *origin)
{
    const wl_geometry *g = m->context->geometry;
    const int64_t warp_size = m->context->rules->warp_size, lanes = wl_min(warp_size, g->threads - warp * warp_size);
    int64_t index[3] = {start[0], start[1], start[2]};
    out->lanes = 0;
    for (int64_t lane = 0, n; lane < lanes; lane += n) {
        n = wl_min(g->block[0] - index[0], lanes - lane);
        add_row(m, index, lane, n, out, origin);
        index[0] = 0;
        if (++index[1] == g->block[1]) {
            index[1] = 0;
            index[2]++;
        }
    }
    return out->lanes > 0;
}

/* Do all warps of an uncut block have the same pattern? Yes if rows are whole warps, or warps whole
 * rows. */
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

void wl_warp_boxes_make(const wl_geometry *g, int64_t warp_size, wl_warp_boxes *out)
{
    out->count = wl_ceil_div(g->threads, warp_size);
    for (int64_t w = 0; w < out->count; w++) {
        wl_warp_box *box = &out->list[w];
        wl_thread_index(g, w * warp_size, box->index);
        wl_thread_box(g, w * warp_size, wl_min((w + 1) * warp_size, g->threads) - 1, box->begin, box->end);
        for (int d = 0; d < 3; d++) {
            box->begin[d] *= g->fold[d];
            box->end[d] = (box->end[d] + 1) * g->fold[d];
        }
    }
}

/* In which dimensions do the domain's edges cut off cells of this box? A bit set. */
static unsigned cuts(const wl_block_class *c, const int64_t begin[3], const int64_t end[3])
{
    unsigned cut = 0;
    for (int d = 0; d < 3; d++)
        cut |= (unsigned)(end[d] > c->cells[d]) << d | (unsigned)(begin[d] < c->skip[d]) << (3 + d);
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
    /* each entry now holds the first warp of the next pattern */
    memmove(first + 1, first, (size_t)out->count * sizeof *first);
    first[0] = 0;
    out->in_first = 0;
    for (int k = 0; k < out->count; k++)
        out->in_first += out->block_class[first[k]] == 0;
}

/* Most warps have the pattern of an earlier one: of the same warp in a class with fewer cuts, if
 * the other edges do not cut it; of the warp at the same position in an earlier plane; or of any
 * other. */
bool wl_patterns_gather(const wl_pattern_context *m, const wl_instruction_group *group, const wl_block_class *classes,
                        int class_count, uint64_t cut_threads, wl_gathered *out)
{
    const wl_geometry *g = m->geometry;
    const int64_t warp_size = m->rules->warp_size, warps = out->boxes.count;
    const int64_t plane = g->block[0] * g->block[1];
    /* warps until one starts at the same position of a plane */
    const int64_t again = plane / wl_gcd(plane, warp_size);
    const int64_t planes = again * warp_size / plane;
    const bool all_alike = warps_alike(g, warp_size);
    const int64_t zero[3] = {0, 0, 0},
                  cells[3] = {g->block[0] * g->fold[0], g->block[1] * g->fold[1], g->block[2] * g->fold[2]};
    const uint64_t gathering = ++m->table->gatherings;
    gatherer this = {.context = m, .cut_threads = cut_threads};
    wl_arrangement lanes = {.width = group->width};
    int with_cuts[CUTS]; /* the class with these cuts, if any */
    memset(with_cuts, -1, sizeof with_cuts);
    for (int c = 0; c < class_count; c++)
        with_cuts[cuts(&classes[c], zero, cells)] = c;
    for (int d = 0; d < 3; d++)
        this.stride[d] = wl_thread_stride(&group->linear, g, d);
    out->count = 0;
    for (int64_t w = 0; w < warps; w++) {
        const wl_warp_box *box = &out->boxes.list[w];
        const bool full = (w + 1) * warp_size <= g->threads;
        for (int c = 0; c < class_count; c++) {
            const unsigned cut = cuts(&classes[c], box->begin, box->end);
            const int fewer = with_cuts[cut];
            int pattern = -1;
            int64_t start = 0;
            if (fewer >= 0 && fewer < c) {
                pattern = out->warp[fewer][w].pattern;
                start = out->warp[fewer][w].start;
            } else if (all_alike && w > 0 && classes[c].whole) {
                pattern = out->warp[c][0].pattern;
                start = place_of(&this, box->index);
            } else if (full && w >= again && !(cut >> 2 & 1) &&
                       box->begin[2] - planes * g->fold[2] >= classes[c].skip[2]) {
                pattern = out->warp[c][w - again].pattern;
                start = out->warp[c][w - again].start + planes * this.stride[2];
            } else {
                this.blocks = &classes[c];
                if (arrange(&this, w, box->index, &lanes, &start)) {
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

/* NULL: evaluate lane by lane. */
static wl_placement *placement_at(wl_pattern_table *t, const wl_l1_rules *rules, const wl_pattern *p, int64_t alignment)
{
    const uint64_t number =
        ((uint64_t)alignment >> __builtin_ctz((unsigned)p->lanes.width | WIDEST)) + p->hash * WIDEST;
    const size_t i = number % WL_PLACEMENTS;
    if (t->placed[i].pattern != p || t->placed[i].alignment != alignment) {
        t->placed[i].pattern = p;
        t->placed[i].alignment = alignment;
        t->placed[i].known = wl_placement_make(rules, &p->lanes, &p->segments, alignment, &t->placements[i]);
    }
    return t->placed[i].known ? &t->placements[i] : NULL;
}

int wl_pattern_sectors(const wl_l1_rules *rules, wl_pattern *p, int64_t address)
{
    const int64_t place = address & (rules->sector - 1);
    if (p->sectors[place] < 0)
        p->sectors[place] = p->kinds.count ? wl_run_kinds_write(rules, &p->kinds, place).sectors
                                           : (int16_t)wl_runs_sectors(rules, &p->runs, place);
    return p->sectors[place];
}

int wl_pattern_hit(const wl_l1_rules *rules, wl_pattern *p, int64_t address)
{
    int16_t *hit = &p->hit[address & (((int64_t)1 << rules->data.bank_shift) - 1)];
    if (*hit < 0) {
        wl_warp_access access;
        wl_placement at;
        if (rules->has_hash && wl_placement_make(rules, &p->lanes, &p->segments, address & (rules->line - 1), &at))
            return *hit = (int16_t)wl_placement_hit(rules, &p->segments, &at);
        place_pattern(&p->lanes, address, &access);
        *hit = (int16_t)wl_warp_hit_wavefronts(rules, &access);
    }
    return *hit;
}

int wl_pattern_shared(const wl_l1_rules *rules, wl_pattern *p, int64_t address, bool load)
{
    int16_t *wavefronts = &p->shared[load][address & (((int64_t)1 << rules->shared.bank_shift) - 1)];
    if (*wavefronts < 0) {
        wl_warp_access access;
        place_pattern(&p->lanes, address, &access);
        *wavefronts = (int16_t)wl_warp_shared_wavefronts(rules, &access, load);
    }
    return *wavefronts;
}

const wl_warp_written *wl_pattern_written(const wl_l1_rules *rules, wl_pattern *p, int64_t alignment)
{
    if (p->written[alignment].sectors == 0)
        p->written[alignment] = p->kinds.count ? wl_run_kinds_write(rules, &p->kinds, alignment)
                                               : wl_runs_write(rules, &p->runs, alignment);
    return &p->written[alignment];
}

/* How many of the addresses, from the first on, have the alignment of the first. */
static int alike_addresses(const int64_t *address, int n, int64_t period)
{
    int alike = 1;
    while (alike < n && ((address[alike] ^ address[0]) & (period - 1)) == 0)
        alike++;
    return alike;
}

/* Lane by lane. */
static wl_tag_cost cost_of_lanes(const wl_pattern_context *m, const wl_pattern *p, int64_t address)
{
    wl_warp_access access;
    place_pattern(&p->lanes, address, &access);
    return wl_warp_tag_cost(m->rules, &access);
}

void wl_pattern_tag_costs(const wl_pattern_context *m, wl_pattern *p, const int64_t *address, int n, wl_tag_cost *out)
{
    for (int i = 0, alike; i < n; i += alike) {
        const int64_t alignment = address[i] & (m->period - 1);
        wl_placement *at = placement_at(m->table, m->rules, p, alignment);
        alike = at ? alike_addresses(address + i, n - i, m->period) : 1;
        if (at)
            wl_placement_costs(m->rules, &p->segments, at, address + i, alike, true, out + i);
        else
            out[i] = cost_of_lanes(m, p, address[i]);
    }
}

void wl_pattern_tag_costs_once(const wl_pattern_context *m, const wl_pattern *p, const int64_t *address, int n,
                               wl_tag_cost *out)
{
    wl_placement at;
    if (wl_placement_make(m->rules, &p->lanes, &p->segments, address[0] & (m->period - 1), &at))
        wl_placement_costs(m->rules, &p->segments, &at, address, n, false, out);
    else
        for (int i = 0; i < n; i++)
            out[i] = cost_of_lanes(m, p, address[i]);
}

wl_tag_cost wl_pattern_tag_cost(const wl_pattern_context *m, wl_pattern *p, int64_t address)
{
    wl_tag_cost cost;
    wl_pattern_tag_costs(m, p, &address, 1, &cost);
    return cost;
}

void wl_pattern_add_tags(const wl_pattern_context *m, wl_pattern *p, const int64_t *address, int64_t n, int64_t offset,
                         wl_tag_sum *sum)
{
    wl_placement *at = placement_at(m->table, m->rules, p, (address[0] + offset) & (m->period - 1));
    if (at) {
        wl_placement_add_costs(m->rules, &p->segments, at, address, n, offset, sum);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        wl_tag_sum_add(sum, wl_pattern_tag_cost(m, p, address[i] + offset));
}
