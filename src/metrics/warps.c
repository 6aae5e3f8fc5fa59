/* warps.c - see warps.h. SPDX-License-Identifier: MIT */
#include "metrics/warps.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/residues.h"
#include "launch/lanes.h"
#include "metrics/instructions.h"

#define WARPS_MAX 128         /* warps of the largest block: 4096 threads, 32 lanes */
#define PERIOD_MAX 256        /* L1 costs repeat with the line or the bank row, whichever is longer */
#define SAMPLES 2048          /* lines looked at for the tag hash, all instructions of a group together */
#define SAMPLES_EACH 6        /* warps looked at per instruction, at least */
#define OPAQUE_BUDGET (1 << 21) /* lane evaluations spent on accesses without a closed form */

typedef struct measurer {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    const wl_bound *bounds;
    const wl_l1_rules *rules;
    int64_t period; /* of the alignments that matter */
    int64_t samples;
    wl_access_cost *costs;
    wl_warps_result *result;
    wl_error *err;
} measurer;

#define FEW_LINES 5   /* with so few, the cost of every subset is kept */
#define PLACEMENTS 16 /* alignments of a pattern kept at hand */
#define WINDOW_LINES 64 /* tag conflicts of neighbouring lines repeat with this many lines, but for carries beyond them */
#define WINDOW_BYTES_MAX (WINDOW_LINES * 256)
#define WINDOW_STEP 4   /* bytes between the positions told apart */
#define CARRY_MAX 16    /* length of a carry chain beyond which it no longer matters */

/* A pattern at one alignment: which lines, relative to that of the first lane, its lanes touch, and which banks. */
typedef struct placement {
    int64_t alignment; /* -1: none */
    int lines;
    int64_t line[WL_LANES_MAX];
    uint8_t line_of[WL_LANES_MAX], bank_of[WL_LANES_MAX];
    int alone;                       /* data wavefronts with every line on its own: the most there can be; -1: not computed yet */
    int8_t together[1 << FEW_LINES]; /* data wavefronts of some of the lines, by bit set; -1: not computed yet */
} placement;

/* One or more warps of a block whose lanes are arranged alike. */
struct wl_pattern {
    int lanes;
    uint8_t lane[WL_LANES_MAX];
    int64_t relative[WL_LANES_MAX]; /* bytes from the first active lane */
    int64_t span;                   /* from the lowest lane to the highest */
    bool separate;                  /* no two lanes share a bank word */
    int warps;
    int64_t start[WARPS_MAX];       /* of each warp: bytes from thread 0 of the block to its first active lane */
    int16_t sectors[PERIOD_MAX], hit[PERIOD_MAX]; /* by alignment of the first lane; -1: not computed yet */
    placement placements[PLACEMENTS];
    bool has_window;                /* the lanes span few lines: costs depend on the position in the window */
    wl_residues window;             /* how many executions start where in it, but for the instruction's offset */
    float window_tag[WINDOW_BYTES_MAX / WINDOW_STEP], window_cold[WINDOW_BYTES_MAX / WINDOW_STEP]; /* tag 0: not computed yet */
};
typedef struct wl_pattern pattern;

/* ---- spreading samples --------------------------------------------------------------------------------------- */

/* Additive recurrences with the powers of the root of x^7 = x + 1: low discrepancy in up to six dimensions. */
static const uint64_t spread[6] = {0xE60E2B722B53AEEBu, 0xCEBD76D9EDB6A8EFu, 0xB9C9AA3A51D00B65u,
                                   0xA6F5777F6F88983Fu, 0x9609C71EB7D03F7Au, 0x86D516E50B04AB1Bu};

/* A whole number below n, the i-th of sequence `dimension`. */
static int64_t spread_below(uint64_t i, int dimension, int64_t n)
{
    const uint64_t fraction = ((i + 1) * spread[dimension]) >> 32;
    if (n <= ((int64_t)1 << 31))
        return (int64_t)((fraction * (uint64_t)n) >> 32);
    return (int64_t)((double)fraction / 4294967296.0 * (double)n);
}

int64_t wl_sample_block(int64_t i, int64_t count, int64_t blocks)
{
    if (count >= blocks)
        return i;
    return spread_below((uint64_t)i, 0, blocks);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static int64_t thread_stride(const wl_instruction_group *group, const wl_geometry *g, int d)
{
    const wl_linear *l = &group->linear;
    return l->split[d] ? l->stride[WL_AXIS_THREAD + d] : l->stride[WL_AXIS_CELL + d] * g->fold[d];
}

static int64_t block_stride(const wl_instruction_group *group, const wl_geometry *g, int d)
{
    const wl_linear *l = &group->linear;
    return l->split[d] ? l->stride[WL_AXIS_BLOCK + d] : l->stride[WL_AXIS_CELL + d] * g->fold[d] * g->block[d];
}

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
static void look_at_lanes(const wl_l1_rules *rules, pattern *p, int32_t width)
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

static void finish_pattern(const wl_l1_rules *rules, int32_t width, pattern *p)
{
    look_at_lanes(rules, p, width);
    memset(p->sectors, -1, sizeof p->sectors);
    memset(p->hit, -1, sizeof p->hit);
    for (int i = 0; i < PLACEMENTS; i++)
        p->placements[i].alignment = -1;
}

/* The lanes of one warp that need the instruction; false when none does. */
static bool make_pattern(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, int64_t warp,
                         uint64_t cells, pattern *p)
{
    const wl_geometry *g = m->geometry;
    const int64_t first = warp * m->rules->warp_size, last = wl_min(first + m->rules->warp_size, g->threads);
    const int64_t stride[3] = {thread_stride(group, g, 0), thread_stride(group, g, 1), thread_stride(group, g, 2)};
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

static bool same_pattern(const pattern *p, const pattern *q)
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
static int gather_patterns(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, uint64_t cells,
                           pattern *patterns)
{
    const wl_geometry *g = m->geometry;
    const int64_t warps = wl_ceil_div(g->threads, m->rules->warp_size);
    int n = 0;
    if (c->whole && warps_alike(g, m->rules->warp_size)) {
        pattern *p = &patterns[0];
        (void)make_pattern(m, group, c, 0, cells, p);
        finish_pattern(m->rules, group->width, p);
        for (int64_t w = 1; w < warps; w++) {
            int64_t index[3];
            wl_thread_index(g, w * m->rules->warp_size, index);
            p->start[p->warps++] = index[0] * thread_stride(group, g, 0) + index[1] * thread_stride(group, g, 1) +
                                   index[2] * thread_stride(group, g, 2);
        }
        return 1;
    }
    for (int64_t w = 0; w < warps; w++) {
        pattern *p = &patterns[n];
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

static void place_pattern(const pattern *p, int32_t width, int64_t address, wl_warp_access *out)
{
    out->count = p->lanes;
    out->width = width;
    memcpy(out->lane, p->lane, (size_t)p->lanes);
    for (int i = 0; i < p->lanes; i++)
        out->address[i] = address + p->relative[i];
}

/* ---- exact part: alignment classes --------------------------------------------------------------------------------- */

static placement *placement_at(const measurer *m, pattern *p, int32_t width, int64_t alignment)
{
    placement *at = &p->placements[alignment / wl_min(width, 16) % PLACEMENTS];
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
static int cold_wavefronts(const measurer *m, const pattern *p, const placement *at, int32_t width, const uint8_t *rank, int tags)
{
    enum { GROUPS_MAX = 32, BANKS_MAX = 64 };
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

static void cost_at(const measurer *m, pattern *p, int32_t width, int64_t alignment)
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

/* How many executions start where, modulo `period`: all blocks of the class, all loop steps, all warps of the pattern.
 * False when that makes too many classes. */
static bool positions_of(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, const pattern *p,
                         int64_t period, wl_residues *out)
{
    const wl_geometry *g = m->geometry;
    int64_t strides[3 + WL_LOOPS_MAX + WARPS_MAX];
    int n = 0;
    for (int d = 0; d < 3; d++)
        strides[n++] = block_stride(group, g, d);
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        strides[n++] = group->linear.stride[WL_AXIS_LOOP + i];
    for (int w = 0; w < p->warps; w++)
        strides[n++] = p->start[w];
    wl_residues here, next;
    if (!wl_residues_start(0, period, strides, n, &here))
        return false;
    for (int d = 0; d < 3; d++) {
        wl_residues_move(&here, block_stride(group, g, d), c->first[d], c->count[d], &next);
        here = next;
    }
    for (int i = 0; i < m->kernel->loop_count; i++) {
        if (!group->uses_loop[i])
            continue;
        wl_residues_move(&here, group->linear.stride[WL_AXIS_LOOP + i], 0, m->kernel->loop_extent[i], &next);
        here = next;
    }
    if (here.count == 1) { /* every warp starts alike but for its own offset, a multiple of the step */
        here.weight[0] *= p->warps;
        *out = here;
        return true;
    }
    *out = here;
    memset(out->weight, 0, (size_t)out->count * sizeof *out->weight);
    for (int w = 0; w < p->warps; w++) {
        wl_residues_move(&here, p->start[w], 1, 1, &next);
        for (int i = 0; i < out->count; i++)
            out->weight[i] += next.weight[i];
    }
    return true;
}

/* ---- sampled part: the tag hash -------------------------------------------------------------------------------------- */

/* The lines of one tag wavefront, given as a bit set, served together. */
static int wavefronts_together(const measurer *m, const pattern *p, placement *at, int32_t width, unsigned lines)
{
    if (at->together[lines] < 0) {
        uint8_t rank[FEW_LINES];
        for (int i = 0; i < at->lines; i++)
            rank[i] = lines >> i & 1 ? 0 : 1;
        at->together[lines] = (int8_t)cold_wavefronts(m, p, at, width, rank, 1);
    }
    return at->together[lines];
}

static const uint8_t each_line[WL_LANES_MAX] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

static wl_tag_cost tag_cost_at(const measurer *m, pattern *p, int32_t width, int64_t address)
{
    const int64_t alignment = address & (m->period - 1), base = (address - alignment) >> m->rules->line_shift;
    placement *at = placement_at(m, p, width, alignment);
    uint8_t rank[WL_LANES_MAX], in_bank[16] = {0};
    unsigned lines[FEW_LINES] = {0}; /* of each tag wavefront, where they are few */
    int tags = 0;
    for (int i = 0; i < at->lines; i++) {
        rank[i] = in_bank[wl_l1_tag_bank(m->rules, base + at->line[i])]++;
        tags = rank[i] >= tags ? rank[i] + 1 : tags;
    }
    cost_at(m, p, width, alignment);
    if (tags == 1)
        return (wl_tag_cost){1, p->hit[alignment]};
    if (!p->separate) {
        wl_warp_access access;
        place_pattern(p, width, address, &access);
        return wl_warp_tag_cost(m->rules, &access);
    }
    if (at->lines > FEW_LINES) {
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

/* ---- neighbouring lines: the low bits of the line number decide --------------------------------------------------------- */

/* Only for loads with a hash. The longest window whose positions can be told apart. */
static void open_window(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, pattern *p)
{
    p->has_window = false;
    if (p->span > 4 * m->rules->line || group->width % WINDOW_STEP != 0)
        return;
    for (int64_t lines = WINDOW_LINES; lines >= 16 && !p->has_window; lines /= 2)
        p->has_window = positions_of(m, group, c, p, lines * m->rules->line, &p->window);
    if (p->has_window)
        memset(p->window_tag, 0, (size_t)(p->window.granule / WINDOW_STEP) * sizeof *p->window_tag);
}

/* The cost at one position of the window. Lines that reach beyond its end carry into the higher bits of the line number,
 * which are as good as random: a chain of j carries has probability 2^-(j+1). */
static void cost_in_window(const measurer *m, pattern *p, int32_t width, int64_t at)
{
    const int64_t slot = at / WINDOW_STEP, bytes = p->window.granule;
    int64_t highest = 0;
    for (int i = 0; i < p->lanes; i++)
        highest = wl_max(highest, p->relative[i]);
    if (at + highest < bytes) {
        const wl_tag_cost t = tag_cost_at(m, p, width, at);
        p->window_tag[slot] = (float)t.tag;
        p->window_cold[slot] = (float)t.cold;
        return;
    }
    double tag = 0, cold = 0, probability = 1;
    for (int j = 0; j < CARRY_MAX; j++) {
        const wl_tag_cost t = tag_cost_at(m, p, width, at + (((int64_t)1 << j) - 1) * bytes);
        if (j + 1 < CARRY_MAX)
            probability /= 2;
        tag += probability * t.tag;
        cold += probability * t.cold;
    }
    p->window_tag[slot] = (float)tag;
    p->window_cold[slot] = (float)cold;
}

static void add_window_costs(const measurer *m, pattern *p, int32_t width, const wl_instruction *in)
{
    wl_access_cost *cost = &m->costs[in->access];
    double tag = 0, cold = 0;
    for (int i = 0; i < p->window.count; i++) {
        if (!p->window.weight[i])
            continue;
        const int64_t at = (wl_residue(&p->window, i) + in->offset) & (p->window.granule - 1);
        if (p->window_tag[at / WINDOW_STEP] == 0)
            cost_in_window(m, p, width, at);
        tag += (double)p->window.weight[i] * (double)p->window_tag[at / WINDOW_STEP];
        cold += (double)p->window.weight[i] * (double)p->window_cold[at / WINDOW_STEP];
    }
    cost->tag += tag;
    cost->cold += cold;
}

/* ---- lines far apart: a sample ------------------------------------------------------------------------------------------ */

typedef struct execution {
    int64_t block[3], loop[WL_LOOPS_MAX];
    int warp;
} execution;

static int64_t address_of(const measurer *m, const wl_instruction_group *group, const wl_instruction *in, const pattern *p,
                          const execution *e)
{
    int64_t address = in->offset + p->start[e->warp];
    for (int d = 0; d < 3; d++)
        address += e->block[d] * block_stride(group, m->geometry, d);
    for (int i = 0; i < m->kernel->loop_count; i++)
        if (group->uses_loop[i])
            address += e->loop[i] * group->linear.stride[WL_AXIS_LOOP + i];
    return address;
}

/* The i-th execution in a fixed order. */
static execution nth_execution(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, const pattern *p,
                               int64_t i)
{
    execution e = {0};
    e.warp = (int)(i % p->warps);
    i /= p->warps;
    for (int l = 0; l < m->kernel->loop_count; l++) {
        if (!group->uses_loop[l])
            continue;
        e.loop[l] = i % m->kernel->loop_extent[l];
        i /= m->kernel->loop_extent[l];
    }
    for (int d = 0; d < 3; d++) {
        e.block[d] = c->first[d] + i % c->count[d];
        i /= c->count[d];
    }
    return e;
}

static execution spread_execution(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, const pattern *p,
                                  uint64_t i)
{
    execution e = {0};
    for (int d = 0; d < 3; d++)
        e.block[d] = c->first[d] + spread_below(i, d, c->count[d]);
    e.warp = (int)spread_below(i, 3, p->warps);
    for (int l = 0; l < m->kernel->loop_count; l++)
        if (group->uses_loop[l])
            e.loop[l] = spread_below(i + (uint64_t)l * 977, 4, m->kernel->loop_extent[l]);
    return e;
}

static void add_tag_costs(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, pattern *p,
                          const wl_instruction *in, size_t number, int64_t instructions, int64_t executions)
{
    wl_access_cost *cost = &m->costs[in->access];
    const int64_t lines = wl_min(p->lanes, 1 + p->span / m->rules->line);
    const int64_t wanted = m->samples > 0 ? m->samples : wl_max(SAMPLES_EACH, SAMPLES / (instructions * (lines + 1)));
    const bool all = m->samples < 0 || executions <= wanted;
    const int64_t n = all ? executions : wanted;
    int64_t tag = 0, cold = 0;
    if (!all && m->samples == 0 && p->has_window) {
        add_window_costs(m, p, group->width, in);
        return;
    }
    if (!all)
        m->result->tag_sampled = true;
    for (int64_t i = 0; i < n; i++) {
        const execution e = all ? nth_execution(m, group, c, p, i)
                                : spread_execution(m, group, c, p, (uint64_t)i + (uint64_t)number * (uint64_t)n);
        const wl_tag_cost t = tag_cost_at(m, p, group->width, address_of(m, group, in, p, &e));
        tag += t.tag;
        cold += t.cold;
    }
    cost->tag += (double)tag * ((double)executions / (double)n);
    cost->cold += (double)cold * ((double)executions / (double)n);
}

/* ---- affine accesses ---------------------------------------------------------------------------------------------------- */

static void add_costs(const measurer *m, const wl_instruction_group *group, const wl_block_class *c, pattern *p,
                      const wl_instruction *in, size_t number, size_t instructions, const wl_residues *alignments)
{
    wl_access_cost *cost = &m->costs[in->access];
    int64_t executions = 0, sectors = 0, hit = 0;
    for (int i = 0; i < alignments->count; i++) {
        if (!alignments->weight[i])
            continue;
        const int64_t alignment = wl_floor_mod(wl_residue(alignments, i) + in->offset, m->period);
        cost_at(m, p, group->width, alignment);
        executions += alignments->weight[i];
        sectors += alignments->weight[i] * p->sectors[alignment];
        hit += alignments->weight[i] * p->hit[alignment];
    }
    cost->inst += (double)executions;
    cost->sectors += (double)sectors;
    cost->hit += (double)hit;
    if (m->rules->has_hash && !m->bounds[in->access].access->store)
        add_tag_costs(m, group, c, p, in, number, (int64_t)instructions, executions);
}

static void measure_group(const measurer *m, const wl_instruction_group *group, const wl_instruction *list, size_t count,
                          const wl_block_class *c, pattern *patterns)
{
    const bool folded = m->geometry->fold[0] * m->geometry->fold[1] * m->geometry->fold[2] > 1;
    wl_residues alignments;
    int n = 0;
    for (size_t i = 0; i < count; i++) {
        /* which lanes take part depends on the instruction only where folded threads are cut off */
        const bool again = i == 0 || (folded && !c->whole);
        if (again)
            n = gather_patterns(m, group, c, list[i].cells, patterns);
        for (int k = 0; k < n; k++) {
            if (again || n > 1) /* at most 256 classes of single bytes: always fits */
                (void)positions_of(m, group, c, &patterns[k], m->period, &alignments);
            if (again && m->rules->has_hash)
                open_window(m, group, c, &patterns[k]);
            add_costs(m, group, c, &patterns[k], &list[i], i, count, &alignments);
        }
    }
}

static wl_status measure_affine(const measurer *m, wl_warps_scratch *scratch)
{
    wl_instructions in;
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int class_count = wl_block_classes(m->geometry, classes);
    if (!scratch->patterns)
        scratch->patterns = malloc(WARPS_MAX * sizeof *scratch->patterns);
    pattern *patterns = scratch->patterns;
    if (!patterns)
        return wl_fail(m->err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    WL_TRY(wl_instructions_make(m->kernel, m->geometry, m->bounds, scratch->arena, &in, m->err));
    for (size_t start = 0, end; start < in.count; start = end) {
        const wl_instruction_group *group = &in.groups[in.list[start].group];
        for (end = start + 1; end < in.count && in.list[end].group == in.list[start].group;)
            end++;
        for (int c = 0; c < class_count; c++)
            measure_group(m, group, in.list + start, end - start, &classes[c], patterns);
    }
    return WL_OK;
}

/* ---- opaque accesses ------------------------------------------------------------------------------------------------------- */

static wl_status measure_warp(const measurer *m, size_t access, const wl_lane_values *values, const uint8_t *lane, double scale)
{
    const wl_access *a = m->bounds[access].access;
    wl_warp_access w = {.count = values->lanes, .width = a->width_bytes};
    WL_TRY(wl_access_addresses(m->kernel, a, values, w.address, m->err));
    memcpy(w.lane, lane, (size_t)w.count);
    wl_access_cost *cost = &m->costs[access];
    cost->inst += scale;
    cost->sectors += scale * wl_warp_sectors(m->rules, &w);
    cost->hit += scale * wl_warp_hit_wavefronts(m->rules, &w);
    if (m->rules->has_hash && !a->store) {
        const wl_tag_cost t = wl_warp_tag_cost(m->rules, &w);
        cost->tag += scale * t.tag;
        cost->cold += scale * t.cold;
    }
    return WL_OK;
}

static wl_status measure_loops(const measurer *m, size_t access, uint32_t vars, int loop, wl_lane_values *values,
                               const uint8_t *lane, double scale)
{
    if (loop >= m->kernel->loop_count || loop >= WL_LOOPS_MAX)
        return measure_warp(m, access, values, lane, scale);
    const int64_t extent = vars & (1u << (WL_VAR_LOOP_0 + loop)) ? m->kernel->loop_extent[loop] : 1;
    for (int64_t i = 0; i < extent; i++) {
        for (int l = 0; l < values->lanes; l++)
            values->at[WL_VAR_LOOP_0 + loop][l] = i;
        WL_TRY(measure_loops(m, access, vars, loop + 1, values, lane, scale));
    }
    return WL_OK;
}

static wl_status measure_block(const measurer *m, size_t access, const int64_t block[3], double scale)
{
    const wl_geometry *g = m->geometry;
    const uint32_t vars = wl_expr_vars(m->bounds[access].access->index);
    wl_lane_values values = {0};
    uint8_t lane[WL_LANES_MAX];
    int64_t f[3];
    for (int64_t thread = 0; thread < g->threads; thread += m->rules->warp_size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
            for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
                for (f[0] = 0; f[0] < g->fold[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, m->rules->warp_size, f, &values, lane) > 0)
                        WL_TRY(measure_loops(m, access, vars, 0, &values, lane, scale));
    }
    return WL_OK;
}

static wl_status measure_opaque(const measurer *m)
{
    const wl_geometry *g = m->geometry;
    double per_block = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        if (m->bounds[a].affine)
            continue;
        double steps = (double)(g->threads * g->fold[0] * g->fold[1] * g->fold[2]);
        const uint32_t vars = wl_expr_vars(m->bounds[a].access->index);
        for (int i = 0; i < m->kernel->loop_count; i++)
            steps *= vars & (1u << (WL_VAR_LOOP_0 + i)) ? (double)m->kernel->loop_extent[i] : 1;
        per_block += steps;
    }
    if (per_block == 0)
        return WL_OK;
    int64_t n = g->blocks;
    if (m->samples >= 0 && per_block * (double)g->blocks > OPAQUE_BUDGET)
        n = wl_max(wl_min(16, g->blocks), (int64_t)(OPAQUE_BUDGET / per_block));
    n = wl_min(n, g->blocks);
    m->result->blocks_sampled = n < g->blocks;
    m->result->blocks_evaluated = n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = wl_sample_block(i, n, g->blocks);
        const int64_t block[3] = {number % g->grid[0], number / g->grid[0] % g->grid[1], number / g->grid[0] / g->grid[1]};
        for (size_t a = 0; a < m->kernel->access_count; a++)
            if (!m->bounds[a].affine)
                WL_TRY(measure_block(m, a, block, (double)g->blocks / (double)n));
    }
    return WL_OK;
}

wl_status wl_warps_measure(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                           const wl_l1_rules *rules, const wl_warps_options *options, wl_warps_scratch *scratch,
                           wl_access_cost *costs, wl_warps_result *result, wl_error *err)
{
    const measurer m = {kernel, geometry, bounds, rules, wl_max(rules->line, rules->group_bytes), options->samples, costs, result, err};
    WL_ASSERT(m.period <= PERIOD_MAX);
    memset(costs, 0, kernel->access_count * sizeof *costs);
    *result = (wl_warps_result){0};
    WL_TRY(measure_affine(&m, scratch));
    return measure_opaque(&m);
}

void wl_warps_scratch_free(wl_warps_scratch *scratch)
{
    free(scratch->patterns);
    scratch->patterns = NULL;
}
