/* warps.c - see warps.h. SPDX-License-Identifier: MIT */
#include "count/warps.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/program.h"
#include "launch/lanes.h"
#include "count/executed.h"
#include "count/pattern_table.h"
#include "count/spread.h"
#include "count/tag_window.h"

#define SAMPLED_LINES 2048       /* lines evaluated for the tag hash, all instructions of a group together */
#define SAMPLES_EACH 6           /* warps sampled per instruction, at least */
#define OPAQUE_BLOCKS 16         /* sampled at least, for accesses without a closed form */
#define OPAQUE_LIMIT 268435456.0 /* lane evaluations beyond which there is no answer */
#define OPAQUE_BUDGET (1 << 21)  /* lane evaluations spent on accesses without a closed form */
#define TRACED_BLOCKS 16         /* sampled at least, for traced accesses */
#define TOTAL_MOST 9e18          /* sectors or wavefronts of an access: totals are 64-bit */

typedef struct measurer {
    const wl_kernel *kernel;
    const wl_bound *bounds;
    wl_pattern_context context;
    int64_t samples;
    wl_access_cost *costs;
    wl_warps_result *result;
    wl_error *err;
    wl_atomic_lines *atomics; /* NULL: not counted */
} measurer;

/* All executions of an instruction by the warps of one pattern, without its offset. */
typedef struct placed_warps {
    wl_pattern *pattern;
    int64_t executions;
    wl_executions parts[WL_BLOCK_CLASSES_MAX]; /* one per class */
    int part_count;
    wl_residues alignments; /* start addresses modulo the context's period */
    wl_tag_window window;   /* start addresses modulo the window of the tag hash */
} placed_warps;

/* Instructions with equal alignment cost the same: totals of one, by the alignment of its
 * offset. */
typedef struct alignment_totals {
    int places, alignments; /* distinct ones: offsets in a sector, and in a period */
    int64_t place[WL_PERIOD_MAX], alignment[WL_PERIOD_MAX];
    int64_t executions;
    int64_t sectors[WL_PERIOD_MAX], hit[WL_PERIOD_MAX]; /* by place */
    bool any_shared;
    int64_t shared[WL_PERIOD_MAX];    /* wavefronts of loads from shared memory, by place */
    wl_tag_total tags[WL_PERIOD_MAX]; /* by alignment */
} alignment_totals;

/* Instructions of one group on blocks of some classes. */
typedef struct wl_warps_batch {
    const wl_instruction_group *group;
    const wl_block_class *blocks;
    int class_count;
    bool whole_threads; /* no edge cuts through the folded cells of a thread */
    int64_t instructions;
    wl_block_starts starts[WL_BLOCK_CLASSES_MAX];
    wl_gathered warps;
    placed_warps placed; /* the current pattern */
    alignment_totals totals;
} wl_warps_batch;

/* Shared memory has banks but neither tags nor sectors. */
static bool is_shared(const measurer *m, size_t access)
{
    return m->kernel->fields[m->bounds[access].access->field].shared;
}

static bool is_shared_load(const measurer *m, size_t access)
{
    return is_shared(m, access) && !m->bounds[access].access->store;
}

/* Contention of global atomics has no closed form. */
static bool is_global_atomic(const measurer *m, size_t access)
{
    return m->bounds[access].access->atomic && !is_shared(m, access);
}

/* Is it evaluated lane by lane, or traced? */
static bool is_evaluated(const measurer *m, size_t access)
{
    const wl_bound *b = &m->bounds[access];
    return (!b->affine || is_global_atomic(m, access)) && !b->never && !b->access->traced;
}

/* ---- affine accesses ---- */

static void add_tag_total(wl_access_cost *cost, wl_tag_total total, double scale, bool store)
{
    if (store) {
        cost->split += scale * total.split;
        return;
    }
    cost->tag += scale * total.tag;
    cost->cold += scale * total.cold;
}

/* How many executions to evaluate one by one. */
static int64_t samples_wanted(const measurer *m, const placed_warps *w, int64_t instructions)
{
    const wl_pattern *p = w->pattern;
    const int64_t lines = wl_min(p->lanes.lanes, 1 + p->span / m->context.rules->line);
    return m->samples > 0 ? m->samples : wl_max(SAMPLES_EACH, SAMPLED_LINES / (instructions * (lines + 1)));
}

/* Tag-hash costs of one instruction on the blocks of one class: all executions if few, else a
 * sample. */
static void sample_tags(const measurer *m, const wl_executions *e, int64_t wanted, wl_pattern *p,
                        const wl_instruction *in, int64_t number)
{
    const int64_t executions = wl_executions_count(e);
    const bool all = m->samples < 0 || executions <= wanted;
    const int64_t n = all ? executions : wanted;
    wl_tag_total total = {0};
    m->result->tag_sampled = m->result->tag_sampled || !all;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = all ? wl_executions_nth(e, i) : wl_executions_spread(e, (uint64_t)(i + number * n));
        const wl_tag_cost t = wl_pattern_tag_cost(&m->context, p, in->offset + at);
        total.tag += t.tag;
        total.cold += t.cold;
        total.split += t.tag > 1;
    }
    add_tag_total(&m->costs[in->access], total, (double)executions / (double)n, m->bounds[in->access].access->store);
}

/* Tag-hash costs of all instructions, by the window if there is one. Exceptions: a significant
 * share of the executions is so small in number that all can be evaluated, or the caller asks for
 * many. `number` is that of the first instruction in its group. */
static void add_tag_costs(const measurer *m, wl_warps_batch *b, const wl_instruction *list, int64_t count,
                          int64_t number)
{
    placed_warps *w = &b->placed;
    alignment_totals *t = &b->totals;
    const int64_t wanted = samples_wanted(m, w, b->instructions);
    const bool in_window = m->samples == 0 && w->window.open && (w->window.rare || w->executions > wanted);
    if (in_window)
        m->result->tag_sampled = m->result->tag_sampled || w->window.kind != WL_WINDOW_EXACT;
    if (in_window && w->window.kind >= WL_WINDOW_GLANCE) {
        for (int i = 0; i < t->alignments; i++)
            wl_tag_window_add(&m->context, &w->window, w->pattern, t->alignment[i], w->executions,
                              &t->tags[t->alignment[i]]);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const wl_instruction *in = &list[i];
        if (is_shared(m, in->access))
            continue;
        if (in_window) {
            wl_tag_total total = {0};
            wl_tag_window_add(&m->context, &w->window, w->pattern, in->offset, w->executions, &total);
            add_tag_total(&m->costs[in->access], total, 1, m->bounds[in->access].access->store);
            continue;
        }
        for (int k = 0; k < w->part_count; k++)
            sample_tags(m, &w->parts[k], wanted, w->pattern, in, number + i);
    }
}

static void add_written(wl_access_cost *cost, const wl_warp_written *w, double weight)
{
    cost->lines += weight * w->lines;
    cost->units += weight * w->units;
    cost->full += weight * w->full;
}

/* What a store writes, by alignment. */
static void add_all_written(const measurer *m, placed_warps *w, const wl_instruction *in)
{
    const wl_residues *at = &w->alignments;
    for (int i = 0; i < at->count; i++)
        if (at->weight[i])
            add_written(&m->costs[in->access],
                        wl_pattern_written(m->context.rules, w->pattern,
                                           wl_floor_mod(wl_residue(at, i) + in->offset, m->context.period)),
                        (double)at->weight[i]);
}

/* Sectors and bank conflicts depend only on the offset in a sector. */
static void add_up_places(const measurer *m, placed_warps *w, alignment_totals *t)
{
    const wl_l1_rules *rules = m->context.rules;
    const wl_residues *at = &w->alignments;
    const int classes = at->step < rules->sector ? (int)wl_min(at->count, rules->sector / at->step) : 1;
    int64_t weight[WL_RESIDUES_MAX] = {0};
    for (int i = 0; i < at->count; i++)
        weight[i % classes] += at->weight[i];
    for (int k = 0; k < t->places; k++) {
        const int64_t place = t->place[k];
        for (int i = 0; i < classes; i++) {
            if (!weight[i])
                continue;
            t->sectors[place] += weight[i] * wl_pattern_sectors(rules, w->pattern, wl_residue(at, i) + place);
            t->hit[place] += weight[i] * wl_pattern_hit(rules, w->pattern, wl_residue(at, i) + place);
            if (t->any_shared)
                t->shared[place] += weight[i] * wl_pattern_shared(rules, w->pattern, wl_residue(at, i) + place);
        }
    }
}

/* Finds out which alignments occur. */
static void start_totals(const measurer *m, const wl_instruction *list, int64_t count, alignment_totals *t)
{
    bool seen[WL_PERIOD_MAX] = {false}, seen_place[WL_PERIOD_MAX] = {false};
    t->places = t->alignments = 0;
    t->executions = 0;
    t->any_shared = false;
    for (int64_t i = 0; i < count; i++)
        t->any_shared = t->any_shared || is_shared_load(m, list[i].access);
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = list[i].offset & (m->context.rules->sector - 1),
                      alignment = list[i].offset & (m->context.period - 1);
        if (!seen_place[place]) {
            seen_place[place] = true;
            t->place[t->places++] = place;
            t->sectors[place] = t->hit[place] = t->shared[place] = 0;
        }
        if (!seen[alignment]) {
            seen[alignment] = true;
            t->alignment[t->alignments++] = alignment;
            t->tags[alignment] = (wl_tag_total){0};
        }
    }
}

/* Adds the totals to every instruction. */
static void add_totals(const measurer *m, const wl_instruction *list, int64_t count, const alignment_totals *t)
{
    for (int64_t i = 0; i < count; i++) {
        wl_access_cost *cost = &m->costs[list[i].access];
        const int64_t place = list[i].offset & (m->context.rules->sector - 1);
        cost->inst += (double)t->executions;
        cost->hit += (double)(is_shared_load(m, list[i].access) ? t->shared : t->hit)[place];
        if (is_shared(m, list[i].access))
            continue;
        cost->sectors += (double)t->sectors[place];
        add_tag_total(cost, t->tags[list[i].offset & (m->context.period - 1)], 1,
                      m->bounds[list[i].access].access->store);
    }
}

/* Executions of one instruction of the group if every warp took part. */
static double warps_of(const measurer *m, const wl_instruction_group *group)
{
    const wl_geometry *g = m->context.geometry;
    double n = (double)g->blocks * (double)wl_ceil_div(g->threads, m->context.rules->warp_size);
    for (int l = 0; l < m->kernel->loop_count; l++)
        if (group->loops >> l & 1)
            n *= (double)m->kernel->loop_extent[l];
    return n;
}

/* The executions of one pattern and their start addresses. */
static wl_status place_warps(const measurer *m, wl_warps_batch *b, int pattern)
{
    placed_warps *w = &b->placed;
    const wl_gathered *all = &b->warps;
    w->pattern = all->pattern[pattern];
    w->part_count = 0;
    for (int i = all->first[pattern]; i < all->first[pattern + 1]; i++) {
        const int c = all->block_class[i];
        if (w->part_count == 0 || w->parts[w->part_count - 1].blocks != &b->blocks[c])
            w->parts[w->part_count++] = (wl_executions){
                m->kernel, m->context.geometry, b->group, &b->blocks[c], &b->starts[c], 0, &all->start[i]};
        w->parts[w->part_count - 1].warps++;
    }
    (void)wl_executions_positions(w->parts, w->part_count, m->context.period, WL_RESIDUES_MAX,
                                  &w->alignments); /* at most 256 classes: always fits */
    w->executions = 0;
    for (int i = 0; i < w->alignments.count; i++)
        w->executions += w->alignments.weight[i];
    if (!m->context.rules->has_hash)
        return WL_OK;
    return wl_tag_window_open(&m->context, w->pattern, w->parts, w->part_count, &w->alignments, all->in_first,
                              (double)w->executions / warps_of(m, b->group), &w->window, m->err);
}

/* Measures instructions that the same threads need. */
static wl_status measure_alike(const measurer *m, wl_warps_batch *b, uint64_t cut_threads, const wl_instruction *list,
                               int64_t count, int64_t number)
{
    alignment_totals *t = &b->totals;
    if (!wl_patterns_gather(&m->context, b->group, b->blocks, b->class_count, cut_threads, &b->warps))
        return wl_fail_memory(m->err);
    start_totals(m, list, count, t);
    for (int k = 0; k < b->warps.count; k++) {
        WL_TRY(place_warps(m, b, k));
        t->executions += b->placed.executions;
        add_up_places(m, &b->placed, t);
        for (int64_t i = 0; i < count; i++)
            if (m->bounds[list[i].access].access->store && !is_shared(m, list[i].access))
                add_all_written(m, &b->placed, &list[i]);
        if (m->context.rules->has_hash)
            add_tag_costs(m, b, list, count, number);
    }
    add_totals(m, list, count, t);
    return WL_OK;
}

/* Which threads take part depends on the instruction only if an edge cuts through folded
 * threads. */
static wl_status measure_batch(const measurer *m, wl_warps_batch *b, const wl_instruction *list)
{
    const wl_geometry *g = m->context.geometry;
    for (int c = 0; c < b->class_count; c++)
        wl_block_starts_clear(&b->starts[c], b->group, g);
    if (b->whole_threads)
        return measure_alike(m, b, 1, list, b->instructions, 0);
    for (int64_t i = 0, end; i < b->instructions; i = end) {
        const uint64_t cut_threads = wl_cut_threads(g, b->blocks, list[i].cells);
        for (end = i + 1; end < b->instructions && wl_cut_threads(g, b->blocks, list[end].cells) == cut_threads;)
            end++;
        WL_TRY(measure_alike(m, b, cut_threads, list + i, end - i, i));
    }
    return WL_OK;
}

/* Moves classes whose threads are not cut inside their folded cells to the front; returns their
 * number. */
static int whole_threads_first(const wl_geometry *g, wl_block_class *classes, int count)
{
    int n = 0;
    for (int c = 0; c < count; c++) {
        const wl_block_class this = classes[c];
        bool whole = true;
        for (int d = 0; d < 3; d++)
            whole = whole && this.cells[d] % g->fold[d] == 0 && this.skip[d] % g->fold[d] == 0;
        if (!whole)
            continue;
        memmove(&classes[n + 1], &classes[n], (size_t)(c - n) * sizeof this);
        classes[n++] = this;
    }
    return n;
}

static wl_status measure_affine(const measurer *m, const wl_instructions *in, wl_warps_scratch *scratch)
{
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int class_count = wl_block_classes(m->context.geometry, classes),
              together = whole_threads_first(m->context.geometry, classes, class_count);
    wl_warps_batch *b = scratch->batch;
    for (size_t start = 0, end; start < in->count; start = end) {
        for (end = start + 1; end < in->count && in->list[end].group == in->list[start].group;)
            end++;
        for (int c = 0; c < class_count; c += b->class_count) {
            b->group = &in->groups[in->list[start].group];
            b->blocks = &classes[c];
            b->whole_threads = c < together;
            b->class_count = b->whole_threads ? together : 1;
            b->instructions = (int64_t)(end - start);
            WL_TRY(measure_batch(m, b, in->list + start));
        }
    }
    return WL_OK;
}

/* ---- opaque accesses ---- */

/* One execution of an access by one warp. */
typedef struct opaque_warp {
    const measurer *m;
    size_t access;
    const uint8_t *lane;
    double scale; /* executions it stands for */
} opaque_warp;

static wl_status measure_warp(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    const opaque_warp *o = context;
    const wl_access *a = o->m->bounds[o->access].access;
    const wl_l1_rules *rules = o->m->context.rules;
    wl_access_cost *cost = &o->m->costs[o->access];
    wl_warp_access w = {.count = lanes, .width = a->width_bytes};
    (void)err;
    memcpy(w.address, addresses, (size_t)lanes * sizeof *addresses);
    for (int i = 0; i < lanes; i++)
        w.lane[i] = o->lane[which[i]];
    cost->inst += o->scale;
    if (is_global_atomic(o->m, o->access)) {
        const wl_atomic_cost c = wl_atomic_lines_add(o->m->atomics, rules, a->field, &w, o->scale);
        cost->hit += o->scale * c.passes;
        cost->sectors += o->scale * c.sectors;
        return WL_OK;
    }
    cost->hit += o->scale * (is_shared_load(o->m, o->access) ? wl_warp_shared_wavefronts(rules, &w)
                                                             : wl_warp_hit_wavefronts(rules, &w));
    if (is_shared(o->m, o->access))
        return WL_OK;
    cost->sectors += o->scale * wl_warp_sectors(rules, &w);
    if (rules->has_hash) {
        const wl_tag_cost t = wl_warp_tag_cost(rules, &w);
        add_tag_total(cost, (wl_tag_total){t.tag, t.cold, t.tag > 1}, o->scale, a->store);
    }
    if (a->store) {
        const wl_warp_written written = wl_warp_write(rules, &w);
        add_written(cost, &written, o->scale);
    }
    return WL_OK;
}

static wl_status measure_block(const measurer *m, wl_program *program, size_t access, const int64_t block[3],
                               double scale)
{
    const wl_geometry *g = m->context.geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    opaque_warp one = {m, access, lane, scale};
    const int64_t extent = program->innermost < 0 ? 1 : m->kernel->loop_extent[program->innermost];
    const uint32_t vars = wl_access_vars(m->bounds[access].access);
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(g, vars, lo, hi);
    for (int64_t thread = 0; thread < g->threads; thread += m->context.rules->warp_size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        if (program->advance > 1) { /* every warp samples other steps */
            program->first = (thread / m->context.rules->warp_size + block[0] * 5) % wl_min(program->advance, extent);
            one.scale = scale * (double)extent / (double)wl_ceil_div(extent - program->first, program->advance);
        }
        for (f[2] = lo[2]; f[2] < hi[2]; f[2]++)
            for (f[1] = lo[1]; f[1] < hi[1]; f[1]++)
                for (f[0] = lo[0]; f[0] < hi[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, m->context.rules->warp_size, f, &values, lane) > 0)
                        WL_TRY(wl_program_run(program, &values, measure_warp, &one, m->err));
    }
    return WL_OK;
}

/* An instruction costs at most two sectors or wavefronts per lane. */
static wl_status check_executions(const measurer *m)
{
    const wl_geometry *g = m->context.geometry;
    const double warps = (double)g->blocks * (double)wl_ceil_div(g->threads, m->context.rules->warp_size);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        const wl_access *access = m->bounds[a].access;
        if (warps * wl_access_steps(m->kernel, access) * 2 * WL_LANES_MAX > TOTAL_MOST)
            return wl_fail(m->err, WL_E_RANGE, access->loc, "%.60s is executed too often to count", access->text);
    }
    return WL_OK;
}

static bool is_traced(const measurer *m, size_t access)
{
    return m->bounds[access].access->traced && !m->bounds[access].never;
}

/* Lane evaluations per block if only every advance-th step of the innermost loops is evaluated. */
static double opaque_work(const measurer *m, int64_t advance)
{
    const wl_geometry *g = m->context.geometry;
    double work = 0;
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        if (!is_evaluated(m, a))
            continue;
        const uint32_t vars = wl_access_vars(m->bounds[a].access);
        int64_t innermost = 1;
        for (int l = 0; l < m->kernel->loop_count; l++)
            if (vars & (1u << (WL_VAR_LOOP_0 + l)))
                innermost = m->kernel->loop_extent[l];
        work += (double)(g->threads * g->fold[0] * g->fold[1] * g->fold[2]) *
                wl_access_steps(m->kernel, m->bounds[a].access) / (double)wl_min(advance, innermost);
    }
    return work;
}

/* How many blocks to evaluate, and which share of their loop steps, within the budget. */
static wl_status opaque_blocks(const measurer *m, int64_t *blocks, int64_t *advance)
{
    const wl_geometry *g = m->context.geometry;
    const double per_block = opaque_work(m, 1);
    *blocks = per_block == 0 ? 0 : g->blocks;
    if (m->samples < 0 || per_block * (double)g->blocks <= OPAQUE_BUDGET)
        return WL_OK;
    *blocks = wl_min(g->blocks, wl_max(OPAQUE_BLOCKS, (int64_t)(OPAQUE_BUDGET / per_block)));
    *advance = wl_max(1, (int64_t)(per_block * (double)*blocks / OPAQUE_BUDGET)) | 1; /* odd: visits all alignments */
    if (opaque_work(m, *advance) * (double)*blocks > OPAQUE_LIMIT)
        return wl_fail(m->err, WL_E_LIMIT, WL_NOWHERE,
                       "accesses without a closed form make %.3g addresses per block: too many to evaluate", per_block);
    return WL_OK;
}

static double data_wavefronts(const measurer *m, size_t access, const wl_access_cost *cost)
{
    const bool by_banks = m->bounds[access].access->store || is_shared(m, access) || !m->context.rules->has_hash;
    return by_banks ? cost->hit : cost->cold;
}

static wl_status make_program(const measurer *m, size_t access, int64_t advance, wl_arena *arena, wl_program *out)
{
    WL_TRY(wl_program_make(m->kernel, m->bounds[access].access, arena, out, m->err));
    if (!m->bounds[access].conditional)
        wl_program_always(out);
    out->advance = advance;
    return WL_OK;
}

/* The last block may be heavier than the others, and then it runs alone: a tail effect. */
static wl_status measure_last(const measurer *m, int64_t advance, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *costs = WL_ARENA_NEW(arena, wl_access_cost, m->kernel->access_count);
    measurer last = *m;
    int64_t block[3];
    if (!costs)
        return wl_fail_memory(m->err);
    last.costs = costs;
    wl_block_at(g, g->blocks - 1, block);
    for (size_t a = 0; a < m->kernel->access_count; a++) {
        wl_program program;
        const wl_access_cost *c = &m->costs[a];
        if (m->bounds[a].affine || is_global_atomic(m, a)) { /* like any other block */
            m->result->last_block += data_wavefronts(m, a, c) / (double)g->blocks;
            continue;
        }
        if (m->bounds[a].never)
            continue;
        WL_TRY(make_program(m, a, advance, arena, &program));
        WL_TRY(measure_block(&last, &program, a, block, 1));
        m->result->last_block += data_wavefronts(m, a, &costs[a]);
    }
    return WL_OK;
}

static void scale(wl_access_cost *cost, double factor)
{
    double *const parts[] = {&cost->inst,  &cost->sectors, &cost->hit,   &cost->tag, &cost->cold,
                             &cost->split, &cost->lines,   &cost->units, &cost->full};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] *= factor;
}

/* The number of executions of an access without a condition is known, however few blocks were
 * sampled. */
static void set_executions(const measurer *m, size_t access, const wl_census *census)
{
    const wl_geometry *g = m->context.geometry;
    wl_access_cost *cost = &m->costs[access];
    if (g->fold[0] * g->fold[1] * g->fold[2] > 1 || m->bounds[access].conditional || cost->inst <= 0)
        return;
    const double exact = census->warps * wl_access_steps(m->kernel, m->bounds[access].access);
    scale(cost, exact / cost->inst);
    cost->inst = exact;
}

static wl_status measure_evaluated(const measurer *m, int64_t n, int64_t advance, wl_arena *arena)
{
    wl_census census;
    wl_census_take(m->context.geometry, m->context.rules->warp_size, &census);
    const wl_geometry *g = m->context.geometry;
    for (size_t a = 0; a < m->kernel->access_count && n > 0; a++) {
        wl_program program;
        if (!is_evaluated(m, a))
            continue;
        WL_TRY(make_program(m, a, advance, arena, &program));
        for (int64_t i = 0; i < n; i++) {
            int64_t block[3];
            wl_block_at(g, wl_sample_block(i, n, g->blocks), block);
            WL_TRY(measure_block(m, &program, a, block, (double)g->blocks / (double)n));
        }
        set_executions(m, a, &census);
    }
    return WL_OK;
}

/* Block by block: one trace serves all accesses. */
static wl_status measure_traced(const measurer *m, int64_t n, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    wl_program *programs = WL_ARENA_NEW(arena, wl_program, m->kernel->access_count);
    if (!programs)
        return wl_fail_memory(m->err);
    for (size_t a = 0; a < m->kernel->access_count && n > 0; a++)
        if (is_traced(m, a))
            WL_TRY(make_program(m, a, 1, arena, &programs[a]));
    for (int64_t i = 0; i < n; i++) {
        int64_t block[3];
        wl_block_at(g, wl_sample_block(i, n, g->blocks), block);
        for (size_t a = 0; a < m->kernel->access_count; a++)
            if (is_traced(m, a))
                WL_TRY(measure_block(m, &programs[a], a, block, (double)g->blocks / (double)n));
    }
    return WL_OK;
}

static wl_status measure_opaque(const measurer *m, wl_arena *arena)
{
    const wl_geometry *g = m->context.geometry;
    const int64_t affordable = wl_max(TRACED_BLOCKS, m->kernel->source.affordable_blocks);
    int64_t evaluated = 0, traced = 0, advance = 1;
    WL_TRY(opaque_blocks(m, &evaluated, &advance));
    for (size_t a = 0; a < m->kernel->access_count; a++)
        if (is_traced(m, a))
            traced = m->samples < 0 ? g->blocks : wl_min(g->blocks, affordable);
    const int64_t n = evaluated == 0 || traced == 0 ? wl_max(evaluated, traced) : wl_min(evaluated, traced);
    m->result->blocks_sampled = n > 0 && n < g->blocks;
    m->result->blocks_evaluated = n;
    WL_TRY(measure_evaluated(m, evaluated, advance, arena));
    WL_TRY(measure_traced(m, traced, arena));
    return n > 0 ? measure_last(m, advance, arena) : WL_OK;
}

wl_status wl_warps_measure(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                           const wl_instructions *instructions, const wl_l1_rules *rules,
                           const wl_warps_options *options, wl_warps_scratch *scratch, wl_access_cost *costs,
                           wl_warps_result *result, wl_error *err)
{
    if (!scratch->table)
        scratch->table = calloc(1, sizeof *scratch->table);
    if (!scratch->batch)
        scratch->batch = malloc(sizeof *scratch->batch);
    if (!scratch->table || !scratch->batch)
        return wl_fail_memory(err);
    wl_pattern_table_trim(scratch->table);
    measurer m = {kernel,
                  bounds,
                  {geometry, rules, wl_max(rules->line, rules->group_bytes), scratch->table},
                  options->samples,
                  costs,
                  result,
                  err,
                  NULL};
    WL_ASSERT(m.context.period <= WL_PERIOD_MAX);
    memset(costs, 0, kernel->access_count * sizeof *costs);
    *result = (wl_warps_result){0};
    WL_TRY(check_executions(&m));
    WL_TRY(measure_affine(&m, instructions, scratch));
    for (size_t a = 0; a < kernel->access_count && !m.atomics; a++)
        if (is_global_atomic(&m, a) && !(m.atomics = wl_atomic_lines_new(scratch->arena)))
            return wl_fail_memory(err);
    WL_TRY(measure_opaque(&m, scratch->arena));
    if (m.atomics)
        result->atomics = wl_atomic_lines_total(m.atomics);
    return WL_OK;
}

void wl_warps_scratch_free(wl_warps_scratch *scratch)
{
    if (scratch->table)
        wl_pattern_table_free(scratch->table);
    free(scratch->table);
    free(scratch->batch);
    scratch->table = NULL;
    scratch->batch = NULL;
}
