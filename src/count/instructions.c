/* instructions.c - see instructions.h. SPDX-License-Identifier: MIT */
#include "count/instructions.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kernel/program.h"

static uint32_t loops_of(const wl_access *access)
{
    return wl_access_vars(access) >> WL_VAR_LOOP_0 & ((1u << WL_LOOPS_MAX) - 1);
}

static size_t find_group(wl_instructions *in, const wl_linear *linear, const wl_access *access)
{
    for (size_t g = 0; g < in->group_count; g++)
        if (in->groups[g].width == access->width_bytes && in->groups[g].loops == loops_of(access) &&
            memcmp(in->groups[g].linear.stride, linear->stride, sizeof linear->stride) == 0)
            return g;
    wl_instruction_group *group = &in->groups[in->group_count];
    group->linear = *linear;
    group->width = access->width_bytes;
    group->loops = loops_of(access);
    return in->group_count++;
}

/* Instructions with equal group, field, direction and offset are one, unless one of them leaves the
 * L1 alone. */
typedef struct sort_key {
    wl_instruction instruction;
    size_t field;
    bool store, atomic, bypasses_l1;
} sort_key;

static int compare(const void *p, const void *q)
{
    const sort_key *a = p, *b = q;
    if (a->instruction.group != b->instruction.group)
        return a->instruction.group < b->instruction.group ? -1 : 1;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    if (a->store != b->store)
        return a->store ? 1 : -1;
    if (a->instruction.offset != b->instruction.offset)
        return a->instruction.offset < b->instruction.offset ? -1 : 1;
    if (a->bypasses_l1 != b->bypasses_l1)
        return a->bypasses_l1 ? 1 : -1;
    return (a->instruction.access > b->instruction.access) - (a->instruction.access < b->instruction.access);
}

static bool same(const sort_key *a, const sort_key *b)
{
    return a->instruction.group == b->instruction.group && a->field == b->field && a->store == b->store &&
           a->instruction.offset == b->instruction.offset && a->bypasses_l1 == b->bypasses_l1 && !a->atomic &&
           !b->atomic;
}

/* ---- orders ---- */

typedef struct place_key {
    size_t number, field;
    bool store;
    const wl_instruction *instruction;
} place_key;

static int by_place(const void *p, const void *q)
{
    const place_key *a = p, *b = q;
    if (a->store != b->store)
        return a->store ? 1 : -1;
    if (a->field != b->field)
        return a->field < b->field ? -1 : 1;
    if (a->instruction->group != b->instruction->group)
        return a->instruction->group < b->instruction->group ? -1 : 1;
    if (a->instruction->offset != b->instruction->offset)
        return a->instruction->offset < b->instruction->offset ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_order(const void *p, const void *q)
{
    const place_key *a = p, *b = q;
    return (a->instruction->order > b->instruction->order) - (a->instruction->order < b->instruction->order);
}

static wl_status sort_orders(const wl_kernel *kernel, const wl_bound *bounds, wl_arena *scratch, wl_instructions *in,
                             wl_error *err)
{
    place_key *keys = WL_ARENA_NEW(scratch, place_key, in->count);
    in->by_place = WL_ARENA_NEW(scratch, size_t, in->count);
    in->by_order = WL_ARENA_NEW(scratch, size_t, in->count);
    if (!keys || !in->by_place || !in->by_order)
        return wl_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < in->count; i++) {
        const wl_access *access = bounds[in->list[i].access].access;
        if (kernel->fields[access->field].shared)
            continue;
        keys[n++] = (place_key){i, access->field, access->store, &in->list[i]};
        *(access->store ? &in->stores : &in->loads) += 1;
    }
    qsort(keys, n, sizeof *keys, by_place);
    for (size_t i = 0; i < n; i++) {
        in->by_place[i] = keys[i].number;
        keys[i].number = i;
    }
    qsort(keys, in->loads, sizeof *keys, by_order);
    for (size_t i = 0; i < in->loads; i++)
        in->by_order[i] = keys[i].number;
    return WL_OK;
}

static size_t add_cells(const wl_geometry *g, const wl_bound *bound, size_t access, size_t accesses, size_t group,
                        sort_key *keys)
{
    size_t n = 0;
    for (int64_t z = 0; z < g->fold[2]; z++)
        for (int64_t y = 0; y < g->fold[1]; y++)
            for (int64_t x = 0; x < g->fold[0]; x++, n++)
                keys[n] =
                    (sort_key){.instruction = {.access = access,
                                               .group = group,
                                               .cells = (uint64_t)1 << n,
                                               .order = n * accesses + access,
                                               .offset = bound->form.c + x * bound->form.k[WL_VAR_X] +
                                                         y * bound->form.k[WL_VAR_Y] + z * bound->form.k[WL_VAR_Z]},
                               .field = bound->access->field,
                               .store = bound->access->store,
                               .atomic = bound->access->atomic,
                               .bypasses_l1 = bound->access->bypasses_l1};
    return n;
}

wl_status wl_instructions_make(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                               wl_arena *scratch, wl_instructions *out, wl_error *err)
{
    const size_t cells = (size_t)(geometry->fold[0] * geometry->fold[1] * geometry->fold[2]);
    const size_t most = kernel->access_count * cells;
    sort_key *keys = WL_ARENA_NEW(scratch, sort_key, most);
    *out = (wl_instructions){.list = WL_ARENA_NEW(scratch, wl_instruction, most),
                             .groups = WL_ARENA_NEW(scratch, wl_instruction_group, kernel->access_count)};
    if (!keys || !out->list || !out->groups)
        return wl_fail_memory(err);
    size_t n = 0;
    for (size_t a = 0; a < kernel->access_count; a++) {
        wl_linear linear;
        if (!bounds[a].affine || (bounds[a].access->atomic && !kernel->fields[bounds[a].access->field].shared))
            continue; /* global atomics are evaluated one by one */
        wl_linear_make(&bounds[a], geometry, &linear);
        n += add_cells(geometry, &bounds[a], a, kernel->access_count, find_group(out, &linear, bounds[a].access),
                       keys + n);
    }
    qsort(keys, n, sizeof *keys, compare);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || kernel->guarded_cells || !same(&keys[i - 1], &keys[i])) {
            out->list[out->count++] = keys[i].instruction;
            continue;
        }
        wl_instruction *merged = &out->list[out->count - 1];
        merged->cells |= keys[i].instruction.cells;
        if (keys[i].instruction.order < merged->order)
            merged->order = keys[i].instruction.order;
    }
    for (size_t i = 1; i < out->count; i++)
        if (out->list[i].group == out->list[i - 1].group)
            out->list[i].number = out->list[i - 1].number + 1;
    return sort_orders(kernel, bounds, scratch, out, err);
}
