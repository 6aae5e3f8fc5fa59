/* trace_blocks.c - finds the traced accesses: which instructions touch which buffers. See
 * ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"
#include "ptx/kernel/ptx_source.h"

#define SAMPLED_BLOCKS 6 /* emulated to find the traced accesses */
#define RANKS 4          /* of a cluster, at least */

int64_t wl_ptx_other_rank(const wl_ptx_launch *launch, int64_t number, int64_t i)
{
    const int64_t blocks = wl_max(1, launch->cluster[0]);
    return number - number % blocks + (number + i) % blocks;
}

void wl_ptx_sample_block(const wl_ptx_launch *launch, int64_t i, int64_t n, int64_t block[3])
{
    const int64_t *g = launch->grid, blocks = g[0] * g[1] * g[2];
    int64_t number = n > 1 ? (int64_t)((double)i / (double)(n - 1) * (double)(blocks - 1)) : blocks / 2;
    number = wl_ptx_other_rank(launch, number, i);
    block[0] = number % g[0];
    block[1] = number / g[0] % g[1];
    block[2] = number / g[0] / g[1];
}

/* ---- joining traced accesses ---- */

/* Instructions that are traced one by one. A traced access takes some two thousand bytes until the
 * end of a prediction; where there are more instructions, neighbours share one. */
#define TRACED_MOST 8192

/* Do two instructions access memory in the same way? Where generic addresses point, each
 * instruction tells alone. */
static bool are_alike(const wl_ptx_instruction *a, const wl_ptx_instruction *b)
{
    return a == b ||
           (a->op == b->op && a->space == b->space && a->to_space == b->to_space && a->type == b->type &&
            a->vector == b->vector && a->variant == b->variant && a->modifiers == b->modifiers &&
            a->space != WL_PTX_GENERIC && a->space != WL_PTX_SPACE_NONE && wl_ptx_l1_use_of(a) == wl_ptx_l1_use_of(b));
}

wl_status wl_ptx_join_traced(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    int64_t count = 0;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++)
            count += s->is_traced[s->profile.first[f] + i] && wl_ptx_accesses_memory(&m->functions[f].instructions[i]);
    if (count <= TRACED_MOST)
        return WL_OK;
    if (!(s->joined_with = WL_ARENA_NEW(&s->arena, int32_t, s->profile.count + 1)))
        return wl_fail_memory(err);
    const int64_t together = wl_ceil_div(count, TRACED_MOST);
    for (int32_t f = 0; f < m->function_count; f++) {
        int64_t joined = 0;
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const int32_t at = s->profile.first[f] + i;
            const bool traced = s->is_traced[at] && wl_ptx_accesses_memory(&m->functions[f].instructions[i]);
            const bool begins = i == 0 || (traced && joined == together);
            s->joined_with[at] = begins ? at : s->joined_with[at - 1];
            joined = (begins ? 0 : joined) + traced;
        }
    }
    return WL_OK;
}

void wl_ptx_visit_joined(const wl_ptx_source *s, const wl_ptx_traced *t, wl_ptx_visit_number visit, void *user)
{
    const wl_ptx_function *f = &s->launch.module->functions[t->function];
    const int32_t first = s->profile.first[t->function], stretch = wl_ptx_stretch_of(s, first + t->instruction);
    for (int32_t i = stretch - first; i < f->instruction_count && wl_ptx_stretch_of(s, first + i) == stretch; i++)
        if (s->is_traced[first + i] && are_alike(&f->instructions[t->instruction], &f->instructions[i]))
            visit(user, first + i);
}

/* ---- finding traced accesses ---- */

static int32_t number_of(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    return s->profile.first[t->function] + t->instruction;
}

static bool is_constant(const wl_ptx_touch *t) { return t->space == WL_PTX_CONST || t->space == WL_PTX_PARAM; }

static const wl_ptx_buffer *buffer_of(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    return t->space == WL_PTX_SHARED || t->space == WL_PTX_PARAM
               ? NULL
               : wl_ptx_buffer_at(&s->arguments, t->address[__builtin_ctz(t->lanes)]);
}

/* Does the traced access stand for such touches, whatever their buffer? */
static bool is_of_kind(const wl_ptx_source *s, const wl_ptx_traced *traced, const wl_ptx_touch *t)
{
    const wl_ptx_instruction *all = s->launch.module->functions[t->function].instructions;
    return traced->store == t->store && traced->more == t->more && traced->remote == t->remote &&
           traced->constant == is_constant(t) && are_alike(&all[traced->instruction], &all[t->instruction]);
}

static int32_t find(const wl_ptx_source *s, const wl_ptx_touch *t, const wl_ptx_buffer *buffer)
{
    int32_t i = s->first_traced[wl_ptx_stretch_of(s, number_of(s, t))];
    while (i >= 0 && (s->traced[i].buffer != buffer || !is_of_kind(s, &s->traced[i], t)))
        i = s->traced[i].next;
    return i;
}

bool wl_ptx_is_traced(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    if (!t->lanes || !s->is_traced[number_of(s, t)])
        return false;
    if (t->space == WL_PTX_SHARED)
        return !wl_ptx_is_fill(&s->launch.module->functions[t->function].instructions[t->instruction]);
    return t->space == WL_PTX_GLOBAL || is_constant(t);
}

/* Addresses of a texture as if it were stored row by row, since neighbours are far apart in blocks.
 * If a filter reads several texels, only the first lane of a request has the address of its own
 * texel. */
static void add_texels(wl_ptx_traced *traced, const wl_ptx_touch *t)
{
    const wl_ptx_buffer *b = traced->buffer;
    int last = -1;
    for (uint32_t left = t->lanes; left && !t->more; left &= left - 1) {
        const int lane = __builtin_ctz(left), request = lane / WL_PTX_REQUEST_LANES;
        if (request != last)
            wl_ptx_address_pattern_add(&traced->pattern,
                                       wl_ptx_texture_byte(b->texture, (int64_t)(t->address[lane] - b->base)));
        last = request;
    }
}

static void add_addresses(wl_ptx_traced *traced, const wl_ptx_touch *t)
{
    const uint64_t first = t->address[__builtin_ctz(t->lanes)];
    uint64_t before = first;
    traced->executions += 1;
    traced->lanes += __builtin_popcount(t->lanes);
    if (traced->buffer && traced->buffer->texture) {
        add_texels(traced, t);
        traced->jumps += __builtin_popcount(t->lanes);
        return;
    }
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        wl_ptx_address_pattern_add(&traced->pattern, (int64_t)t->address[__builtin_ctz(left)]);
        const uint64_t address = t->address[__builtin_ctz(left)];
        traced->varies = traced->varies || address != first;
        traced->jumps += address < before || address > before + (uint64_t)t->bytes;
        before = address;
    }
}

static wl_status note_traced(void *user, const wl_ptx_touch *t, wl_error *err)
{
    wl_ptx_source *s = user;
    if (!wl_ptx_is_traced(s, t))
        return WL_OK;
    const wl_ptx_buffer *buffer = buffer_of(s, t);
    const int32_t known = find(s, t, buffer);
    if (known >= 0)
        add_addresses(&s->traced[known], t);
    if (known >= 0 || (!buffer && (t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST)))
        return WL_OK;
    if (!WL_ROOM(s->traced, s->traced_count + 1, s->traced_room))
        return wl_fail_memory(err);
    int32_t *first = &s->first_traced[wl_ptx_stretch_of(s, number_of(s, t))];
    s->traced[s->traced_count] = (wl_ptx_traced){.function = t->function,
                                                 .instruction = t->instruction,
                                                 .buffer = buffer,
                                                 .store = t->store,
                                                 .atomic = t->atomic,
                                                 .more = t->more,
                                                 .remote = t->remote,
                                                 .constant = is_constant(t),
                                                 .bytes = t->bytes,
                                                 .next = *first};
    add_addresses(&s->traced[s->traced_count], t);
    *first = (int32_t)s->traced_count++;
    return WL_OK;
}

static int by_program(const void *p, const void *q)
{
    const wl_ptx_traced *a = p, *b = q;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    const uint64_t at_a = a->buffer ? a->buffer->base : 0, at_b = b->buffer ? b->buffer->base : 0;
    if (at_a != at_b)
        return (at_a > at_b) - (at_a < at_b);
    if (a->store != b->store)
        return (int)a->store - (int)b->store;
    return a->more != b->more ? (int)a->more - (int)b->more : (int)a->remote - (int)b->remote;
}

static wl_status look_at(wl_ptx_source *s, const int64_t block[3], wl_error *err)
{
    for (size_t t = 0; t < s->traced_count; t++)
        s->traced[t].pattern.started = false;
    return wl_ptx_emulate_block(s->emulator, block, -1, &s->profile, note_traced, s, err);
}

/* Is there a traced instruction that some block executes, but none of the sampled ones? */
static bool something_unseen(const wl_ptx_source *s)
{
    for (int32_t i = 0; i < s->profile.count; i++)
        if (s->is_traced[i] && s->census.total.warps_on[i] > 0 && s->profile.warps_on[i] == 0)
            return true;
    return false;
}

/* Fewer than usual if a block takes long; in clusters, blocks with different ranks in any case. */
static int64_t blocks_to_look_at(const wl_ptx_source *s)
{
    const int64_t blocks = s->launch.grid[0] * s->launch.grid[1] * s->launch.grid[2];
    double instructions = 0;
    for (int k = 0; k < s->census.kind_count; k++)
        instructions += s->census.kinds[k].blocks * s->census.kinds[k].instructions;
    const double affordable = wl_ptx_affordable(s, WL_PTX_FIND_SHARE) * (double)blocks / (instructions + 1);
    const int64_t least = wl_min(wl_max(1, s->launch.cluster[0]), RANKS);
    return wl_max(least, wl_min(blocks, affordable < SAMPLED_BLOCKS ? (int64_t)affordable : SAMPLED_BLOCKS));
}

wl_status wl_ptx_find_traced(wl_ptx_source *s, wl_error *err)
{
    int64_t block[3];
    WL_TRY(wl_ptx_join_traced(s, err));
    WL_TRY(wl_ptx_take_census(s, err));
    const int64_t sampled = blocks_to_look_at(s);
    for (int64_t i = 0; i < sampled; i++) {
        wl_ptx_sample_block(&s->launch, i, sampled, block);
        WL_TRY(look_at(s, block, err));
    }
    for (size_t i = 0; i < s->census.witness_count && something_unseen(s); i++) {
        wl_ptx_block_of(&s->launch, s->census.witness[i], block);
        WL_TRY(look_at(s, block, err));
    }
    if (s->traced_count > 0)
        qsort(s->traced, s->traced_count, sizeof *s->traced, by_program);
    memset(s->first_traced, -1, (size_t)(s->profile.count + 1) * sizeof *s->first_traced);
    for (size_t i = s->traced_count; i-- > 0;) {
        const int32_t number = s->profile.first[s->traced[i].function] + s->traced[i].instruction;
        int32_t *first = &s->first_traced[wl_ptx_stretch_of(s, number)];
        s->traced[i].next = *first;
        *first = (int32_t)i;
    }
    return WL_OK;
}

/* A pointer loaded from memory may refer to a buffer that this instruction touched in none of the
 * sampled blocks: then it counts as one of the buffers that were touched. */
int32_t wl_ptx_traced_of(const wl_ptx_source *s, const wl_ptx_touch *t, int64_t *base)
{
    const wl_ptx_buffer *buffer = buffer_of(s, t);
    int32_t i = find(s, t, buffer);
    *base = buffer ? (int64_t)buffer->base : 0;
    if (i >= 0)
        return i;
    i = s->first_traced[wl_ptx_stretch_of(s, number_of(s, t))];
    while (i >= 0 && !is_of_kind(s, &s->traced[i], t))
        i = s->traced[i].next;
    return i;
}
