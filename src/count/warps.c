/* warps.c - see warps.h: warps of affine accesses, pattern by pattern.
 * SPDX-License-Identifier: MIT */
#include "count/warps_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "count/pattern_table.h"
#include "count/tag_window.h"
#include "kernel/program.h"

/* lines evaluated for the tag hash, all instructions of a group together */
#define SAMPLED_LINES 2048
#define SAMPLES_EACH 6  /* warps sampled per instruction, at least */
#define OFFSETS_KEPT 64 /* instruction offsets whose tag costs are cached */
#define OFFSET_SLOTS 256
#define TOTAL_MOST 9e18 /* sectors or wavefronts of an access: totals are 64-bit */

/* All executions of an instruction by the warps of one pattern, without its offset. */
typedef struct placed_warps {
    wl_pattern *pattern;
    int64_t executions;
    wl_executions parts[WL_BLOCK_CLASSES_MAX]; /* one per class */
    int part_count;
    wl_residues alignments; /* start addresses modulo the context's period */
    wl_tag_window window;   /* start addresses modulo the window of the tag hash */
} placed_warps;

/* Instructions with equal alignment have the same cost: totals for one instruction, by the
 * alignment of its offset. */
typedef struct alignment_totals {
    int places, alignments; /* distinct ones: offsets in a sector, and in a period */
    int64_t place[WL_PERIOD_MAX], alignment[WL_PERIOD_MAX];
    int64_t executions;
    int64_t global;                                     /* instructions of global memory .. */
    int64_t first_store, stores_end;                    /* .. and where stores are among them */
    int64_t sectors[WL_PERIOD_MAX], hit[WL_PERIOD_MAX]; /* by place */
    bool any_shared[2];                                 /* loads; stores and atomics */
    int64_t shared[2][WL_PERIOD_MAX];                   /* wavefronts of shared memory, by place */
    wl_tag_total tags[WL_PERIOD_MAX];                   /* by alignment */
    bool stores[WL_PERIOD_MAX];                         /* by alignment: any? */
    bool tagged[WL_PERIOD_MAX];                         /* by alignment: any of global memory? */
} alignment_totals;

/* marks measured instructions in cut_threads: none has this value, since uncut threads need every
 * instruction */
#define MEASURED 0

/* Instructions of one group on blocks of some classes. */
typedef struct wl_warps_batch {
    const wl_instruction_group *group;
    const wl_block_class *blocks;
    int class_count;
    bool whole_threads; /* no edge cuts through the folded cells of a thread */
    int64_t instructions;
    double all_warps;      /* executions of one instruction if every warp took part */
    uint64_t *cut_threads; /* per instruction, by wl_cut_threads */
    wl_instruction *alike; /* those of equal cut_threads */
    wl_block_starts starts[WL_BLOCK_CLASSES_MAX];
    wl_gathered warps;
    placed_warps placed; /* the current pattern */
    alignment_totals totals;
} wl_warps_batch;

/* ---- affine accesses ---- */

/* How many executions to evaluate one by one. */
static int64_t samples_wanted(const wl_warps_measurer *m, const placed_warps *w, int64_t instructions)
{
    const wl_pattern *p = w->pattern;
    const int64_t lines =
        w->window.in_step ? p->runs.count : wl_min(p->lanes.lanes, 1 + p->span / m->context.rules->line);
    return m->samples > 0 ? m->samples : wl_max(SAMPLES_EACH, SAMPLED_LINES / (instructions * (lines + 1)));
}

/* Tag-hash costs of one instruction on the blocks of one class: all executions if few, else a
 * sample. */
static void sample_tags(const wl_warps_measurer *m, const wl_executions *e, int64_t wanted, wl_pattern *p,
                        const wl_instruction *in)
{
    const int64_t executions = wl_executions_count(e);
    const bool all = m->samples < 0 || executions <= wanted;
    const int64_t n = all ? executions : wanted;
    wl_tag_total total = {0};
    if (!all)
        add_sampled(&m->result->tags, (double)n, (double)executions);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = all ? wl_executions_nth(e, i) : wl_executions_spread(e, (uint64_t)(i + in->number * n));
        const wl_tag_cost t = wl_pattern_tag_cost(&m->context, p, in->offset + at);
        total.tag += t.tag;
        total.cold += t.cold;
        total.split += t.tag > 1;
    }
    add_tag_total(&m->costs[in->access], total, (double)executions / (double)n, m->bounds[in->access].access->store);
}

/* The costs of instructions that were computed, by offset in the window. */
typedef struct known_costs {
    int count;
    uint8_t slot[OFFSET_SLOTS]; /* 0: empty; else the number of an entry, from 1 on */
    struct {
        int64_t offset;
        bool of_stores; /* with those of stores */
        wl_tag_total total;
    } entry[OFFSETS_KEPT];
} known_costs;

/* The total at this offset, computed if it is not known; *found: it was. */
static const wl_tag_total *known_at(const wl_warps_measurer *m, placed_warps *w, int64_t offset, bool store,
                                    known_costs *known, bool *found)
{
    size_t at = wl_hash_word((uint64_t)offset) % OFFSET_SLOTS;
    while (known->slot[at] && known->entry[known->slot[at] - 1].offset != offset)
        at = (at + 1) % OFFSET_SLOTS;
    *found = known->slot[at] > 0;
    if (!*found && known->count == OFFSETS_KEPT) { /* starts afresh */
        memset(known->slot, 0, sizeof known->slot);
        known->count = 0;
    }
    if (!known->slot[at])
        known->slot[at] = (uint8_t)++known->count;
    const int k = known->slot[at] - 1;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) it was found */
    if (!*found || store > known->entry[k].of_stores) {
        known->entry[k].offset = offset;
        known->entry[k].of_stores = store;
        known->entry[k].total = (wl_tag_total){0};
        wl_tag_window_add(&m->context, &w->window, w->pattern, offset, store, &known->entry[k].total);
    }
    return &known->entry[k].total;
}

/* By the window. Offsets that differ by whole windows cost the same. */
static void add_window_costs(const wl_warps_measurer *m, placed_warps *w, const wl_instruction *list, int64_t count)
{
    known_costs known;
    memset(known.slot, 0, sizeof known.slot);
    known.count = 0;
    for (int64_t i = 0; i < count; i++) {
        const wl_instruction *in = &list[i];
        if (is_shared(m, in->access))
            continue;
        const bool store = m->bounds[in->access].access->store;
        bool found;
        const wl_tag_total *total = known_at(m, w, in->offset & (w->window.bytes - 1), store, &known, &found);
        if (w->window.kind != WL_WINDOW_EXACT)
            add_sampled(&m->result->tags, found ? 0 : (double)wl_tag_window_addresses(&w->window),
                        (double)w->executions);
        add_tag_total(&m->costs[in->access], *total, 1, store);
    }
}

/* By a window whose positions are those of the alignments. */
static void add_alignment_costs(const wl_warps_measurer *m, placed_warps *w, alignment_totals *t)
{
    for (int i = 0; i < t->alignments; i++) {
        const int64_t alignment = t->alignment[i];
        if (!t->tagged[alignment])
            continue;
        wl_tag_window_add(&m->context, &w->window, w->pattern, alignment, t->stores[alignment], &t->tags[alignment]);
        add_sampled(&m->result->tags, (double)wl_tag_window_addresses(&w->window), 0);
    }
    add_sampled(&m->result->tags, 0, (double)t->global * (double)w->executions);
}

/* Tag-hash costs of all instructions, by the window if there is one. Exceptions: executions that
 * matter but are few enough to evaluate all, or a caller that asks for many samples. */
static void add_tag_costs(const wl_warps_measurer *m, wl_warps_batch *b, const wl_instruction *list, int64_t count)
{
    placed_warps *w = &b->placed;
    const int64_t wanted = samples_wanted(m, w, b->instructions);
    const bool in_window = m->samples == 0 && w->window.open && (w->window.rare || w->executions > wanted);
    if (in_window && w->window.kind < WL_WINDOW_GLANCE)
        add_window_costs(m, w, list, count);
    else if (in_window)
        add_alignment_costs(m, w, &b->totals);
    for (int64_t i = 0; !in_window && i < count; i++)
        for (int k = 0; k < w->part_count && !is_shared(m, list[i].access); k++)
            sample_tags(m, &w->parts[k], wanted, w->pattern, &list[i]);
}

/* What a store writes, by alignment. */
static void add_all_written(const wl_warps_measurer *m, placed_warps *w, const wl_instruction *in)
{
    const wl_residues *at = &w->alignments;
    wl_access_cost written = {0};
    for (int i = 0; i < at->count; i++)
        if (at->weight[i])
            add_written(&written,
                        wl_pattern_written(m->context.rules, w->pattern,
                                           (wl_residue(at, i) + in->offset) & (m->context.period - 1)),
                        (double)at->weight[i]);
    m->costs[in->access].lines += written.lines;
    m->costs[in->access].units += written.units;
    m->costs[in->access].full += written.full;
}

/* Sectors and bank conflicts depend only on the offset in a sector. */
static void add_up_places(const wl_warps_measurer *m, placed_warps *w, alignment_totals *t)
{
    const wl_l1_rules *rules = m->context.rules;
    const wl_residues *at = &w->alignments;
    const int classes = at->step < rules->sector ? (int)wl_min(at->count, rules->sector / at->step) : 1;
    int64_t weight[WL_RESIDUES_MAX];
    memset(weight, 0, (size_t)classes * sizeof *weight);
    for (int i = 0; i < at->count; i++) /* classes is a power of two */
        weight[i & (classes - 1)] += at->weight[i];
    for (int k = 0; k < t->places; k++) {
        const int64_t place = t->place[k];
        for (int i = 0; i < classes; i++) {
            if (!weight[i])
                continue;
            t->sectors[place] += weight[i] * wl_pattern_sectors(rules, w->pattern, wl_residue(at, i) + place);
            t->hit[place] += weight[i] * wl_pattern_hit(rules, w->pattern, wl_residue(at, i) + place);
            for (int store = 0; store < 2; store++)
                if (t->any_shared[store])
                    t->shared[store][place] +=
                        weight[i] * wl_pattern_shared(rules, w->pattern, wl_residue(at, i) + place, !store);
        }
    }
}

/* Finds out which alignments occur. */
static void start_totals(const wl_warps_measurer *m, const wl_instruction *list, int64_t count, alignment_totals *t)
{
    bool seen[WL_PERIOD_MAX] = {false}, seen_place[WL_PERIOD_MAX] = {false};
    t->places = t->alignments = 0;
    t->executions = 0;
    t->global = t->stores_end = 0;
    t->first_store = count;
    t->any_shared[0] = t->any_shared[1] = false;
    for (int64_t i = 0; i < count; i++) {
        const bool store = m->bounds[list[i].access].access->store, shared = is_shared(m, list[i].access);
        const int64_t place = list[i].offset & (m->context.rules->sector - 1),
                      alignment = list[i].offset & (m->context.period - 1);
        if (!seen_place[place]) {
            seen_place[place] = true;
            t->place[t->places++] = place;
            t->sectors[place] = t->hit[place] = t->shared[0][place] = t->shared[1][place] = 0;
        }
        if (!seen[alignment]) {
            seen[alignment] = true;
            t->alignment[t->alignments++] = alignment;
            t->tags[alignment] = (wl_tag_total){0};
            t->stores[alignment] = t->tagged[alignment] = false;
        }
        t->any_shared[store] |= shared;
        t->global += !shared;
        if (store && !shared) {
            t->first_store = wl_min(t->first_store, i);
            t->stores_end = i + 1;
        }
        t->stores[alignment] |= store;
        t->tagged[alignment] |= !shared;
    }
}

/* Adds the totals to every instruction. */
static void add_totals(const wl_warps_measurer *m, const wl_instruction *list, int64_t count, const alignment_totals *t)
{
    for (int64_t i = 0; i < count; i++) {
        wl_access_cost *cost = &m->costs[list[i].access];
        const int64_t place = list[i].offset & (m->context.rules->sector - 1);
        cost->inst += (double)t->executions;
        if (is_shared(m, list[i].access)) {
            cost->hit += (double)t->shared[m->bounds[list[i].access].access->store][place];
            continue;
        }
        cost->hit += (double)t->hit[place];
        cost->sectors += (double)t->sectors[place];
        add_tag_total(cost, t->tags[list[i].offset & (m->context.period - 1)], 1,
                      m->bounds[list[i].access].access->store);
    }
}

/* Executions of one instruction of the group if every warp took part. */
static double warps_of(const wl_warps_measurer *m, const wl_instruction_group *group)
{
    const wl_geometry *g = m->context.geometry;
    double n = (double)g->blocks * (double)wl_ceil_div(g->threads, m->context.rules->warp_size);
    for (int l = 0; l < m->kernel->loop_count; l++)
        if (group->loops >> l & 1)
            n *= (double)m->kernel->loop_extent[l];
    return n;
}

/* The executions of one pattern and their start addresses. */
static wl_status place_warps(const wl_warps_measurer *m, wl_warps_batch *b, int pattern)
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
    (void)wl_executions_positions(w->parts, w->part_count, m->context.period, m->context.period, WL_RESIDUES_MAX,
                                  &w->alignments); /* at most 256 classes: always fits */
    w->executions = 0;
    for (int i = 0; i < w->alignments.count; i++)
        w->executions += w->alignments.weight[i];
    if (!m->context.rules->has_hash)
        return WL_OK;
    return wl_tag_window_open(&m->context, w->pattern, w->parts, w->part_count, &w->alignments, all->in_first,
                              (double)w->executions / b->all_warps, &w->window, m->err);
}

/* Measures instructions that the same threads need. */
static wl_status measure_alike(const wl_warps_measurer *m, wl_warps_batch *b, uint64_t cut_threads,
                               const wl_instruction *list, int64_t count)
{
    alignment_totals *t = &b->totals;
    if (!wl_patterns_gather(&m->context, b->group, b->blocks, b->class_count, cut_threads, &b->warps))
        return wl_fail_memory(m->err);
    start_totals(m, list, count, t);
    for (int k = 0; k < b->warps.count; k++) {
        WL_TRY(place_warps(m, b, k));
        t->executions += b->placed.executions;
        add_up_places(m, &b->placed, t);
        for (int64_t i = t->first_store; i < t->stores_end; i++)
            if (m->bounds[list[i].access].access->store && !is_shared(m, list[i].access))
                add_all_written(m, &b->placed, &list[i]);
        if (m->context.rules->has_hash)
            add_tag_costs(m, b, list, count);
    }
    add_totals(m, list, count, t);
    return WL_OK;
}

/* Which threads take part depends on the instruction only if an edge cuts through folded
 * threads. */
static wl_status measure_batch(const wl_warps_measurer *m, wl_warps_batch *b, const wl_instruction *list)
{
    const wl_geometry *g = m->context.geometry;
    for (int c = 0; c < b->class_count; c++)
        wl_block_starts_clear(&b->starts[c], b->group, g);
    if (b->whole_threads)
        return measure_alike(m, b, 1, list, b->instructions);
    for (int64_t i = 0; i < b->instructions; i++)
        b->cut_threads[i] = wl_cut_threads(g, b->blocks, list[i].cells);
    for (int64_t i = 0; i < b->instructions; i++) {
        const uint64_t cut_threads = b->cut_threads[i];
        int64_t n = 0;
        for (int64_t k = i; cut_threads != MEASURED && k < b->instructions; k++)
            if (b->cut_threads[k] == cut_threads) {
                b->alike[n++] = list[k];
                b->cut_threads[k] = MEASURED;
            }
        if (n > 0)
            WL_TRY(measure_alike(m, b, cut_threads, b->alike, n));
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

static wl_status measure_affine(const wl_warps_measurer *m, const wl_instructions *in, wl_warps_scratch *scratch)
{
    wl_block_class classes[WL_BLOCK_CLASSES_MAX];
    const int class_count = wl_block_classes(m->context.geometry, classes),
              together = whole_threads_first(m->context.geometry, classes, class_count);
    wl_warps_batch *b = scratch->batch;
    wl_warp_boxes_make(m->context.geometry, m->context.rules->warp_size, &b->warps.boxes);
    b->cut_threads = WL_ARENA_NEW(scratch->arena, uint64_t, in->count);
    b->alike = WL_ARENA_NEW(scratch->arena, wl_instruction, in->count);
    if (!b->cut_threads || !b->alike)
        return wl_fail_memory(m->err);
    for (size_t start = 0, end; start < in->count; start = end) {
        for (end = start + 1; end < in->count && in->list[end].group == in->list[start].group;)
            end++;
        for (int c = 0; c < class_count; c += b->class_count) {
            b->group = &in->groups[in->list[start].group];
            b->blocks = &classes[c];
            b->whole_threads = c < together;
            b->class_count = b->whole_threads ? together : 1;
            b->instructions = (int64_t)(end - start);
            b->all_warps = warps_of(m, b->group);
            WL_TRY(measure_batch(m, b, in->list + start));
        }
    }
    return WL_OK;
}

/* An instruction costs at most two sectors or wavefronts per lane. */
static wl_status check_executions(const wl_warps_measurer *m)
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

/* The share of an access's executions that repeat a load of an earlier loop step: steps of loops
 * that it names but that do not change its address. */
static double repeated(const wl_kernel *kernel, const wl_bound *b)
{
    double times = 1;
    for (int i = 0; b->even && i < kernel->loop_count; i++)
        if (b->loops >> i & 1 && b->loop_strides[i] == 0)
            times *= (double)kernel->loop_extent[i];
    return 1 - 1 / fmax(1, times);
}

wl_status wl_warps_measure(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                           const wl_instructions *instructions, const wl_l1_rules *rules,
                           const wl_warps_options *options, wl_warps_scratch *scratch, wl_access_cost *costs,
                           wl_warps_result *result, wl_error *err)
{
    if (!scratch->table)
        scratch->table = wl_pattern_table_new();
    if (!scratch->batch)
        scratch->batch = malloc(sizeof *scratch->batch);
    if (!scratch->table || !scratch->batch)
        return wl_fail_memory(err);
    wl_pattern_table_trim(scratch->table);
    wl_warps_measurer m = {kernel,
                           bounds,
                           {geometry, rules, wl_max(rules->line, rules->data.group_bytes), scratch->table},
                           options->samples,
                           costs,
                           result,
                           err,
                           NULL,
                           NULL,
                           NULL};
    WL_ASSERT(m.context.period <= WL_PERIOD_MAX);
    memset(costs, 0, kernel->access_count * sizeof *costs);
    *result = (wl_warps_result){0};
    WL_TRY(check_executions(&m));
    WL_TRY(measure_affine(&m, instructions, scratch));
    WL_TRY(wl_warps_measure_guarded(&m, scratch->arena));
    for (size_t a = 0; a < kernel->access_count && !m.atomics; a++)
        if (is_global_atomic(&m, a) && !(m.atomics = wl_atomic_lines_new(scratch->arena)))
            return wl_fail_memory(err);
    for (size_t a = 0; a < kernel->access_count && !m.swaps; a++)
        if (kernel->accesses[a].swaps && !(m.swaps = wl_swap_words_new(scratch->arena)))
            return wl_fail_memory(err);
    for (size_t f = 0; f < kernel->field_count && !m.constants; f++)
        if (kernel->fields[f].constant &&
            !(m.constants = WL_ARENA_NEW(scratch->arena, uint8_t, kernel->field_count * WL_CONSTANT_LINES)))
            return wl_fail_memory(err);
    WL_TRY(wl_warps_measure_opaque(&m, scratch->arena));
    for (size_t i = 0; m.constants && i < kernel->field_count * WL_CONSTANT_LINES; i++)
        result->constants += m.constants[i] ? WL_CONSTANT_LINE : 0;
    for (size_t a = 0; a < kernel->access_count; a++)
        costs[a].again = repeated(kernel, &bounds[a]) * fmax(0, costs[a].cold - costs[a].hit);
    const wl_population *p = kernel->source.population;
    if (p && p->unseen) { /* unsampled blocks may execute it */
        result->blocks_sampled = true;
        result->blocks_evaluated = wl_max(result->blocks_evaluated, p->count);
        result->error = result->error > 1 ? result->error : 1;
    }
    if (m.atomics)
        result->atomics = wl_atomic_lines_total(m.atomics, rules);
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
