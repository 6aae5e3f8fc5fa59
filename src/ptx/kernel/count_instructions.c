/* count_instructions.c - instruction counts of a launch from emulated blocks. See ptx_source.h.
 *
 * Boundary blocks may execute more or less than the others. So the first, the inner and the last
 * blocks of each dimension form classes that are counted separately. Where blocks of one class
 * differ, more of them are emulated and the counts are a sample. Where recovery has shown that all
 * threads execute the same, nothing is emulated.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/expr.h"
#include "ptx/cost/cost.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"

#define SAMPLED_LEAST 12 /* least number of blocks of a class that differ */
#define BUDGET 5e7       /* lane instructions to spend on one launch */

static void clear(wl_ptx_profile *p)
{
    memset(p->warps, 0, (size_t)p->count * sizeof *p->warps);
    memset(p->threads, 0, (size_t)p->count * sizeof *p->threads);
    memset(p->threads_on, 0, (size_t)p->count * sizeof *p->threads_on);
    memset(p->diverged, 0, (size_t)p->count * sizeof *p->diverged);
}

static double sum(const double *values, int32_t count)
{
    double all = 0;
    for (int32_t i = 0; i < count; i++)
        all += values[i];
    return all;
}

static void add(wl_ptx_profile *to, const wl_ptx_profile *from, double scale)
{
    for (int32_t i = 0; i < to->count; i++) {
        to->warps[i] += scale * from->warps[i];
        to->threads[i] += scale * from->threads[i];
        to->threads_on[i] += scale * from->threads_on[i];
        to->diverged[i] += scale * from->diverged[i];
    }
}

/* A class of blocks: first[d] .. first[d] + count[d] - 1 in each dimension. */
typedef struct block_class {
    int64_t first[3], count[3];
} block_class;

static int classes_of(const int64_t grid[3], block_class *out)
{
    int n = 0;
    for (int i = 0; i < 27; i++) {
        block_class k;
        bool exists = true;
        for (int d = 0, at = i; d < 3; d++, at /= 3) {
            const int part = at % 3; /* first, inner, last */
            k.first[d] = part == 0 ? 0 : part == 1 ? 1 : grid[d] - 1;
            k.count[d] = part == 1 ? grid[d] - 2 : 1;
            exists = exists && (part == 0 || (part == 1 ? grid[d] > 2 : grid[d] > 1));
        }
        if (exists)
            out[n++] = k;
    }
    return n;
}

static int64_t blocks_of(const block_class *k) { return k->count[0] * k->count[1] * k->count[2]; }

/* The i-th block of a class. */
static void nth_block(const block_class *k, int64_t i, int64_t block[3])
{
    block[0] = k->first[0] + i % k->count[0];
    block[1] = k->first[1] + i / k->count[0] % k->count[1];
    block[2] = k->first[2] + i / k->count[0] / k->count[1];
}

/* The i-th sample of a class: its middle block, then random ones. */
static void sample_block(const block_class *k, int64_t i, int64_t block[3])
{
    for (int d = 0; d < 3; d++)
        block[d] = k->first[d] + (i == 0 ? k->count[d] / 2 : wl_random_below(3 * i + d, k->count[d]));
}

typedef struct counter {
    wl_ptx_source *source;
    wl_ptx_emulator *emulator;
    wl_ptx_profile one, all;
    double spent;
    bool sampled;
    wl_error *err;
} counter;

static wl_status run(counter *c, const int64_t block[3], wl_ptx_profile *sum_up)
{
    clear(&c->one);
    WL_TRY(wl_ptx_emulate_block(c->emulator, block, -1, &c->one, NULL, NULL, c->err));
    c->spent += WL_PTX_LANES * sum(c->one.warps, c->one.count);
    add(sum_up, &c->one, 1);
    return WL_OK;
}

/* One block stands for its class unless a second one differs; then as many as the budget allows. */
static wl_status count_class(counter *c, const block_class *k, wl_ptx_profile *mean)
{
    const int64_t blocks = blocks_of(k);
    const double before = c->spent;
    double first[2] = {0}, second[2] = {0};
    int64_t block[3], sampled = wl_min(blocks, 2);
    clear(mean);
    for (int64_t i = 0; i < sampled; i++) {
        sample_block(k, i, block);
        WL_TRY(run(c, block, mean));
        double *on = i ? second : first;
        on[0] = sum(c->one.threads, c->one.count);
        on[1] = sum(c->one.threads_on, c->one.count);
    }
    if (sampled == 2 && memcmp(first, second, sizeof first) != 0) {
        const double each = (c->spent - before) / 2 + 1;
        const int64_t wanted = wl_min(blocks, wl_max(SAMPLED_LEAST, (int64_t)((BUDGET - c->spent) / each)));
        if (wanted == blocks)
            clear(mean);
        for (sampled = wanted == blocks ? 0 : sampled; sampled < wanted; sampled++) {
            if (wanted == blocks)
                nth_block(k, sampled, block);
            else
                sample_block(k, sampled, block);
            WL_TRY(run(c, block, mean));
        }
        c->sampled = c->sampled || wanted < blocks;
    }
    add(&c->all, mean, (double)blocks / (double)sampled);
    return WL_OK;
}

/* ---- threads that all do the same ---- */

/* Whether recovery has shown that every thread of this launch executes the same. */
static bool is_uniform(const wl_ptx_source *s, const int64_t block[3], const int64_t grid[3])
{
    const wl_ptx_recovery *r = &s->recovery;
    const size_t bytes = sizeof s->launch.block;
    const bool other = memcmp(s->launch.block, block, bytes) != 0 || memcmp(s->launch.grid, grid, bytes) != 0;
    bool all = r->uniform && !r->calls && !(other && r->symbols.launch_bound);
    for (int d = 0; d < 3; d++)
        all = all && r->first[d] == 0 && (r->domain[d] == 0 || block[d] * grid[d] <= r->domain[d]);
    return all;
}

/* What one thread executes, times the threads. */
static void count_uniform(const wl_ptx_source *s, const int64_t block[3], const int64_t grid[3], wl_ptx_profile *out)
{
    const double blocks = (double)grid[0] * (double)grid[1] * (double)grid[2];
    const int64_t threads = block[0] * block[1] * block[2], warps = wl_ceil_div(threads, WL_PTX_LANES);
    const int32_t first = out->first[s->launch.entry - s->launch.module->functions];
    for (int32_t i = 0; i < s->launch.entry->instruction_count; i++) {
        out->warps[first + i] = blocks * (double)warps * s->recovery.executed[i];
        out->threads[first + i] = blocks * (double)threads * s->recovery.executed[i];
        out->threads_on[first + i] = blocks * (double)threads * s->recovery.on[i];
    }
}

/* ---- totals ---- */

/* Whether a branch ends its lanes, which then wait for nobody. */
static bool leaves(const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    const int32_t to = wl_ptx_branch_target(in);
    return to >= f->instruction_count ||
           (to >= 0 && (f->instructions[to].op == WL_PTX_OP_ret || f->instructions[to].op == WL_PTX_OP_exit));
}

static void add_up(wl_ptx_source *s, const wl_ptx_profile *p)
{
    const wl_ptx_module *m = s->launch.module;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            const double weight = s->weights[f][i];
            const int32_t at = p->first[f] + i, as = p->first[f] + s->counted_as[f][i];
            const wl_inst_class c = wl_ptx_class_of(in);
            s->mix.warp[c] += weight * p->warps[as];
            s->mix.thread[c] += weight * p->threads[as];
            s->mix.thread_on += weight * p->threads_on[at];
            if ((in->op == WL_PTX_OP_bra && in->guard >= 0) || in->op == WL_PTX_OP_brx)
                s->mix.branches += p->warps[at];
            if (c == WL_INST_load || c == WL_INST_store || c == WL_INST_shared)
                s->mix.idle_accesses += weight * (p->warps[as] - p->warps[at]);
            wl_ptx_tensor_add(in, p->warps[at], s->mix.tensor, s->mix.tensor_groups);
            s->mix.flops += wl_ptx_flops(in) * p->threads_on[at];
            s->mix.shuffles += in->op == WL_PTX_OP_shfl ? p->warps[at] : 0;
            s->mix.divergent += p->diverged[at];
            /* each group of lanes that a branch sends away executes the wait for the others alone */
            s->mix.warp[WL_INST_control] += weight > 0 && !leaves(&m->functions[f], in) ? p->diverged[at] : 0;
        }
}

static int by_place(const void *p, const void *q)
{
    const wl_line_mix *a = p, *b = q;
    const int file = a->file == b->file ? 0 : strcmp(a->file, b->file);
    return file ? file : (a->line > b->line) - (a->line < b->line);
}

static int by_work(const void *p, const void *q)
{
    const wl_line_mix *a = p, *b = q;
    return a->warp != b->warp ? (a->warp < b->warp) - (a->warp > b->warp) : by_place(p, q);
}

static wl_status find_lines(wl_ptx_source *s, const wl_ptx_profile *p, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    size_t n = 0;
    s->lines = WL_ARENA_NEW(&s->arena, wl_line_mix, p->count + 1);
    if (!s->lines)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            const int32_t at = p->first[f] + i;
            if (in->file < 0 || in->source_line <= 0 || p->warps[at] == 0)
                continue;
            const double weight = s->weights[f][i];
            const wl_inst_class c = wl_ptx_class_of(in);
            const bool global = c == WL_INST_load || c == WL_INST_store || c == WL_INST_atomic;
            s->lines[n++] = (wl_line_mix){m->files[in->file],        in->source_line,
                                          weight * p->warps[at],     weight * p->threads[at],
                                          global ? p->warps[at] : 0, c == WL_INST_shared ? p->warps[at] : 0};
        }
    if (n > 0)
        qsort(s->lines, n, sizeof *s->lines, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || by_place(&s->lines[kept - 1], &s->lines[i]) != 0) {
            s->lines[kept++] = s->lines[i];
            continue;
        }
        wl_line_mix *to = &s->lines[kept - 1];
        to->warp += s->lines[i].warp;
        to->thread += s->lines[i].thread;
        to->global_accesses += s->lines[i].global_accesses;
        to->shared_accesses += s->lines[i].shared_accesses;
    }
    if (kept > 0)
        qsort(s->lines, kept, sizeof *s->lines, by_work);
    s->line_count = kept;
    return WL_OK;
}

/* Counts with an emulator of that launch. */
static wl_status count_launch(wl_ptx_source *s, wl_ptx_emulator *emulator, const int64_t block[3],
                              const int64_t grid[3], wl_error *err)
{
    counter c = {.source = s, .emulator = emulator, .err = err};
    wl_arena arena = {0};
    wl_ptx_profile mean;
    block_class classes[27];
    wl_status status = wl_ptx_profile_make(s->launch.module, &arena, &c.one, err);
    if (status == WL_OK)
        status = wl_ptx_profile_make(s->launch.module, &arena, &c.all, err);
    if (status == WL_OK)
        status = wl_ptx_profile_make(s->launch.module, &arena, &mean, err);
    const bool uniform = is_uniform(s, block, grid);
    const int n = uniform ? 0 : classes_of(grid, classes);
    if (uniform && status == WL_OK)
        count_uniform(s, block, grid, &c.all);
    for (int i = 0; i < n && status == WL_OK; i++)
        status = count_class(&c, &classes[i], &mean);
    if (status == WL_OK) {
        s->mix = (wl_mix){.sampled = c.sampled};
        add_up(s, &c.all);
        status = find_lines(s, &c.all, err);
    }
    wl_arena_free(&arena);
    return status;
}

wl_status wl_ptx_count(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err)
{
    wl_ptx_source *s = context;
    const size_t bytes = sizeof s->launch.block;
    wl_ptx_launch launch = s->launch;
    if (memcmp(s->counted_block, block, bytes) != 0 || memcmp(s->counted_grid, grid, bytes) != 0) {
        const bool own = memcmp(s->launch.block, block, bytes) != 0 || memcmp(s->launch.grid, grid, bytes) != 0;
        wl_ptx_emulator *emulator = s->emulator;
        memcpy(launch.block, block, bytes);
        memcpy(launch.grid, grid, bytes);
        if (own)
            WL_TRY(wl_ptx_emulator_new(&launch, &emulator, err));
        const wl_status status = count_launch(s, emulator, block, grid, err);
        if (own)
            wl_ptx_emulator_free(emulator);
        WL_TRY(status);
        memcpy(s->counted_block, block, bytes);
        memcpy(s->counted_grid, grid, bytes);
    }
    *out = s->mix;
    *lines = s->lines;
    *line_count = s->line_count;
    return WL_OK;
}
