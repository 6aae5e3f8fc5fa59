/* serial_products.c - see serial_products.h. SPDX-License-Identifier: MIT */
#include "ptx/life/serial_products.h"

#include "base/fail.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"

typedef struct finder {
    const wl_ptx_function *f;
    const wl_ptx_flow *flow;
    bool *sums;    /* by register: a product adds to it */
    bool *running; /* by block: products may run at its end, */
    bool *product; /* it has some, */
    bool *other;   /* something else in it writes a sum, */
    bool *seen;    /* it is behind the block that is looked at */
    bool noting;   /* sums; else looks for them */
    bool found;
} finder;

static void visit(void *user, int32_t reg, bool written)
{
    finder *s = user;
    if (written && s->noting)
        s->sums[reg] = true;
    s->found = s->found || (written && s->sums[reg]);
}

static bool waits_for_all(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_wgmma_control && wl_ptx_has_part(in, "wait") && in->operand_count > 0 &&
           in->operands[0].value == 0;
}

static void look_at_blocks(finder *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < s->f->instruction_count; i++) {
            const wl_ptx_instruction *in = &s->f->instructions[i];
            const int32_t block = s->flow->block_of[i];
            s->noting = pass == 0;
            s->found = false;
            if ((in->op == WL_PTX_OP_wgmma) == s->noting)
                wl_ptx_registers_of(s->f, in, visit, s);
            s->product[block] = s->product[block] || in->op == WL_PTX_OP_wgmma;
            s->other[block] = s->other[block] || (pass == 1 && s->found);
            if (in->op == WL_PTX_OP_wgmma || waits_for_all(in))
                s->running[block] = in->op == WL_PTX_OP_wgmma;
        }
}

static bool has_wait(const finder *s, int32_t block)
{
    for (int32_t i = s->flow->first[block]; i < s->flow->first[block + 1]; i++)
        if (waits_for_all(&s->f->instructions[i]))
            return true;
    return false;
}

/* Products that run at the end of a block run on until a block waits for all. */
static void follow_products(finder *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < s->flow->block_count; b++)
            for (int32_t e = s->flow->edge_first[b]; e < s->flow->edge_first[b + 1] && s->running[b]; e++) {
                const int32_t to = s->flow->edges[e];
                if (!s->running[to] && !has_wait(s, to))
                    changed = s->running[to] = true;
            }
    }
}

static bool runs_into(const finder *s, int32_t block)
{
    for (int32_t e = s->flow->in_first[block]; e < s->flow->in_first[block + 1]; e++)
        if (s->running[s->flow->in[e]])
            return true;
    return false;
}

/* Does the way behind a block meet that of running products where they are waited for, with no
 * product on it? */
static bool meets_running(finder *s, int32_t block)
{
    bool meets = false;
    for (int32_t b = 0; b < s->flow->block_count; b++)
        s->seen[b] = b == block;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < s->flow->block_count; b++)
            for (int32_t e = s->flow->edge_first[b]; e < s->flow->edge_first[b + 1] && s->seen[b]; e++) {
                const int32_t to = s->flow->edges[e];
                if (s->product[to])
                    return false;
                changed = changed || !s->seen[to];
                s->seen[to] = true;
                meets = meets || (has_wait(s, to) && runs_into(s, to));
            }
    }
    return meets;
}

wl_status wl_ptx_products_in_turn(const wl_ptx_function *f, const wl_ptx_flow *flow, wl_arena *arena, bool *in_turn,
                                  wl_error *err)
{
    finder s = {.f = f, .flow = flow};
    bool **const lists[] = {&s.running, &s.product, &s.other, &s.seen};
    *in_turn = false;
    s.sums = WL_ARENA_NEW(arena, bool, f->register_count + 1);
    bool there = s.sums != NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        there = (*lists[i] = WL_ARENA_NEW(arena, bool, flow->block_count + 1)) && there;
    if (!there)
        return wl_fail_memory(err);
    look_at_blocks(&s);
    follow_products(&s);
    for (int32_t b = 0; b < flow->block_count; b++)
        *in_turn = *in_turn || (s.other[b] && !s.product[b] && meets_running(&s, b));
    return WL_OK;
}
