/* early_loads.c - see early_loads.h. SPDX-License-Identifier: MIT */
#include "ptx/life/early_loads.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/life/pressure.h"

/* Results of special functions and conversions, and of products of a warp, take about so many
 * times as long as those of arithmetic. */
#define LONG_STEPS 4
#define PRODUCT_STEPS 6

/* The position of an operation in its segment. */
typedef struct wl_ptx_place {
    int32_t region; /* number of stores that it must stay after */
    int32_t depth;  /* length of the chain of dependent loads before it */
    /* 0: a load, or an operand of its address; 1: others; 2: the end of the segment */
    int32_t rest;
    int32_t level; /* of the first: length of the chain of dependent results at its position */
    int32_t index;
} place;

static int by_place(const void *p, const void *q)
{
    const place *a = p, *b = q;
    if ((a->rest == 2) != (b->rest == 2))
        return a->rest == 2 ? 1 : -1;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->rest != b->rest)
        return a->rest - b->rest;
    return a->rest == 0 && a->level != b->level ? a->level - b->level : (a->index > b->index) - (a->index < b->index);
}

/* State of a register at the current operation; 0 between segments. */
typedef struct wl_ptx_known {
    int32_t depth, region; /* of its value */
    /* the last position of operations that have read or written it */
    int32_t used_depth, used_region;
    int32_t level, used_level; /* the same, for arithmetic at one position */
    bool loaded;               /* its value comes from a load */
    bool needed;               /* an address needs it */
} known;

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* A load stays after earlier reads and writes of its register, and so does an operation that
 * overwrites a loaded register: the assembler renames registers for arithmetic only, not for
 * loads. */
static void stay_behind_uses(const wl_op *op, bool load, const known *registers, place *at)
{
    for (int k = op->reads; k < op->reads + op->writes; k++) {
        const known *r = &registers[op->regs[k]];
        if (load || r->loaded) {
            at->depth = larger(at->depth, r->used_depth);
            at->region = larger(at->region, r->used_region);
        }
    }
}

static void note_places(const wl_op *op, bool load, known *registers, const place *at)
{
    for (int k = 0; k < op->reads + op->writes; k++) {
        known *r = &registers[op->regs[k]];
        r->used_depth = larger(r->used_depth, at->depth);
        r->used_region = larger(r->used_region, at->region);
        if (k < op->reads)
            continue;
        r->depth = at->depth + load;
        r->region = at->region;
        r->loaded = load;
    }
}

/* Walks forward: finds what each operation must stay after. */
static void find_depths(const wl_op *ops, int32_t count, wl_ptx_early *p)
{
    int32_t regions = 0, behind[2] = {0, 0}; /* stores to global memory, to shared memory */
    int32_t begun = 0;                       /* products of warp groups, waits, fences */
    for (int32_t i = 0; i < count; i++) {
        const wl_op *op = &ops[i];
        place *at = &p->places[i];
        *at = (place){.rest = 1, .index = i};
        for (int k = 0; k < op->reads; k++) {
            at->depth = larger(at->depth, p->registers[op->regs[k]].depth);
            at->region = larger(at->region, p->registers[op->regs[k]].region);
        }
        const bool load = wl_op_is_load(op), shared = op->kind == WL_OP_SHARED;
        if (load && !op->constant && behind[shared] > at->region)
            at->region = behind[shared];
        for (int s = 0; s < 2; s++)
            if (wl_op_is_store(op, s)) {
                at->region = regions;
                behind[s] = ++regions;
            }
        if (!load)
            at->region = larger(at->region, begun);
        /* no operand says what it begins or waits for */
        if (op->group_step != WL_GROUP_NONE || op->awaits_copies || op->fences) {
            at->region = ++regions;
            begun = ++regions;
        }
        if (op->kind == WL_OP_BRANCH || op->kind == WL_OP_BARRIER)
            at->rest = 2;
        stay_behind_uses(op, load, p->registers, at);
        note_places(op, load, p->registers, at);
    }
}

/* Walks backward: finds the operands of addresses. */
static void find_needed(const wl_op *ops, int32_t count, wl_ptx_early *p)
{
    for (int32_t i = count - 1; i >= 0; i--) {
        const wl_op *op = &ops[i];
        bool needed = wl_op_is_load(op);
        for (int k = op->reads; k < op->reads + op->writes; k++) {
            needed = needed || p->registers[op->regs[k]].needed;
            p->registers[op->regs[k]].needed = false;
        }
        if (!needed || p->places[i].rest == 2)
            continue;
        p->places[i].rest = 0;
        for (int k = 0; k < op->reads; k++)
            p->registers[op->regs[k]].needed = true;
    }
}

static void forget_registers(const wl_op *ops, int32_t count, wl_ptx_early *p)
{
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < ops[i].reads + ops[i].writes; k++)
            p->registers[ops[i].regs[k]] = (known){0};
}

/* Walks forward: a load does not move before arithmetic at its position that has used its
 * register. */
static void find_stays(const wl_op *ops, int32_t count, wl_ptx_early *p)
{
    for (int32_t i = 0; i < count; i++) {
        const wl_op *op = &ops[i];
        place *at = &p->places[i];
        for (int k = op->reads; k < op->reads + op->writes && wl_op_is_load(op); k++) {
            const known *r = &p->registers[op->regs[k]];
            if (r->loaded && r->used_depth == at->depth && r->used_region == at->region)
                at->rest = larger(at->rest, 1);
        }
        /* a loaded register: any use at this position counts */
        for (int k = 0; k < op->reads + op->writes && at->rest == 1; k++)
            p->registers[op->regs[k]] = (known){.loaded = true, .used_depth = at->depth, .used_region = at->region};
    }
}

/* How much longer than arithmetic a result takes. */
static int32_t steps_of(const wl_op *op)
{
    const float sequence = LONG_STEPS * op->steps[0] + op->steps[1] + op->steps[2];
    if (sequence > 0)
        return (int32_t)sequence;
    switch (op->kind) {
    case WL_OP_SPECIAL:
    case WL_OP_CONVERT: return LONG_STEPS;
    case WL_OP_TENSOR: return PRODUCT_STEPS;
    default: return 1;
    }
}

/* By how much a result is later than its operands. What addresses are made of stays in order, but
 * for long results: the assembler interleaves two divisions that two loads wait for. */
static int32_t step_of(const wl_op *op, const place *at)
{
    const int32_t steps = op->issue > 0 ? steps_of(op) : 0;
    return at->rest == 0 && steps <= 1 ? 0 : steps;
}

/* Walks forward: long results that loads wait for are interleaved. */
static void find_levels(const wl_op *ops, int32_t count, wl_ptx_early *p)
{
    for (int32_t i = 0; i < count; i++) {
        const wl_op *op = &ops[i];
        place *at = &p->places[i];
        for (int k = 0; k < op->reads + op->writes && at->rest < 2; k++) {
            const known *r = &p->registers[op->regs[k]];
            if (r->used_depth == at->depth && r->used_region == at->region)
                at->level = larger(at->level, k < op->reads ? r->level : r->used_level);
        }
        for (int k = 0; k < op->reads + op->writes && at->rest < 2; k++) {
            known *r = &p->registers[op->regs[k]];
            if (r->used_depth != at->depth || r->used_region != at->region)
                *r = (known){.used_depth = at->depth, .used_region = at->region};
            r->used_level = larger(r->used_level, at->level);
            r->level = k < op->reads ? r->level : at->level + step_of(op, at);
        }
    }
}

void wl_ptx_early_free(wl_ptx_early *p)
{
    free(p->places);
    free(p->moved);
    free(p->list);
    free(p->rest);
    free(p->registers);
    wl_ptx_interleave_free(&p->interleave);
    *p = (wl_ptx_early){0};
}

/* Room for so many operations and registers; kept from segment to segment. */
static bool make_room(wl_ptx_early *p, int32_t count, int32_t registers)
{
    if (count <= p->room && registers <= p->register_room)
        return true;
    wl_ptx_early_free(p);
    p->room = 2 * count;
    p->register_room = 2 * registers;
    p->places = malloc((size_t)p->room * sizeof *p->places);
    p->moved = malloc((size_t)p->room * sizeof *p->moved);
    p->list = malloc((size_t)p->room * sizeof *p->list);
    p->rest = malloc((size_t)p->room * sizeof *p->rest);
    p->registers = calloc((size_t)p->register_room, sizeof *p->registers);
    return p->places && p->moved && p->list && p->rest && p->registers;
}

/* Arithmetic at one position. */
static bool interleave(wl_ptx_early *p, const wl_op *ops, int32_t count, int32_t registers)
{
    for (int32_t from = 0, to; from < count; from = to) {
        const place *at = &p->places[from];
        to = from + 1;
        while (to < count && p->places[to].rest == at->rest && p->places[to].depth == at->depth &&
               p->places[to].region == at->region)
            to++;
        if (at->rest == 1 && !wl_ptx_interleave_apply(&p->interleave, ops, p->list + from, to - from, registers))
            return false;
    }
    return true;
}

bool wl_ptx_early_find(wl_ptx_early *p, const wl_op *ops, int32_t count, int32_t registers)
{
    if (!make_room(p, count, registers))
        return false;
    find_depths(ops, count, p);
    find_needed(ops, count, p);
    forget_registers(ops, count, p);
    find_stays(ops, count, p);
    forget_registers(ops, count, p);
    find_levels(ops, count, p);
    forget_registers(ops, count, p);
    qsort(p->places, (size_t)count, sizeof *p->places, by_place);
    for (int32_t i = 0; i < count; i++) {
        p->list[i] = p->places[i].index;
        p->rest[p->places[i].index] = (uint8_t)p->places[i].rest;
    }
    return interleave(p, ops, count, registers);
}

static int by_depth(const void *p, const void *q)
{
    const place *a = p, *b = q;
    return a->depth != b->depth ? (a->depth > b->depth) - (a->depth < b->depth)
                                : (a->index > b->index) - (a->index < b->index);
}

/* An operation stays behind those that write what it reads, and behind readers of what it writes:
 * the assembler has renamed registers, these operations have not. Here the depth is a place. */
bool wl_ptx_early_by_places(wl_ptx_early *p, const wl_op *ops, int32_t count, int32_t registers, const int32_t *at)
{
    if (!make_room(p, count, registers))
        return false;
    for (int32_t i = 0; i < count; i++) {
        const wl_op *op = &ops[i];
        const bool ends = op->kind == WL_OP_BRANCH || op->kind == WL_OP_BARRIER;
        int32_t depth = ends ? INT32_MAX : at[i] + 1;
        for (int k = 0; k < op->reads + op->writes; k++) {
            const known *r = &p->registers[op->regs[k]];
            depth = larger(depth, k < op->reads ? r->depth : larger(r->depth, r->used_depth));
        }
        p->places[i] = (place){.rest = ends ? 2 : 1, .depth = depth, .index = i};
        for (int k = 0; k < op->reads + op->writes; k++) {
            known *r = &p->registers[op->regs[k]];
            r->used_depth = larger(r->used_depth, depth);
            r->depth = k < op->reads ? r->depth : depth;
        }
    }
    forget_registers(ops, count, p);
    qsort(p->places, (size_t)count, sizeof *p->places, by_depth);
    for (int32_t i = 0; i < count; i++) {
        p->list[i] = p->places[i].index;
        p->rest[p->places[i].index] = (uint8_t)p->places[i].rest;
    }
    return true;
}

void wl_ptx_early_apply(wl_ptx_early *p, wl_op *ops, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        p->moved[i] = ops[p->list[i]];
    memcpy(ops, p->moved, (size_t)count * sizeof *ops);
}
