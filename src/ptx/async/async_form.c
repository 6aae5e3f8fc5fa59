/* async_form.c - see async_form.h. SPDX-License-Identifier: MIT */
#include "ptx/async/async_form.h"

#include "ptx/module/tensor.h"

/* ---- barrier objects ---- */

static wl_ptx_barrier_action action_of(const wl_ptx_instruction *in)
{
    static const struct {
        const char *part;
        wl_ptx_barrier_action action;
    } actions[] = {{".init", WL_PTX_BARRIER_INIT},         {".inval", WL_PTX_BARRIER_FORGET},
                   {".arrive_drop", WL_PTX_BARRIER_LEAVE}, {".arrive", WL_PTX_BARRIER_ARRIVE},
                   {".expect_tx", WL_PTX_BARRIER_EXPECT},  {".complete_tx", WL_PTX_BARRIER_COMPLETE},
                   {".try_wait", WL_PTX_BARRIER_WAIT},     {".test_wait", WL_PTX_BARRIER_WAIT}};
    if (in->op == WL_PTX_OP_cp_async_control) /* without .noinc, the arrival was not expected */
        return wl_ptx_has_part(in, ".noinc") ? WL_PTX_BARRIER_ARRIVE : WL_PTX_BARRIER_NONE;
    if (in->op == WL_PTX_OP_tcgen05_commit)
        return WL_PTX_BARRIER_ARRIVE;
    if (in->op != WL_PTX_OP_mbarrier)
        return WL_PTX_BARRIER_NONE;
    for (size_t k = 0; k < sizeof actions / sizeof actions[0]; k++)
        if (wl_ptx_has_part(in, actions[k].part))
            return actions[k].action;
    return WL_PTX_BARRIER_NONE;
}

wl_ptx_barrier_form wl_ptx_barrier_form_of(const wl_ptx_instruction *in)
{
    const wl_ptx_barrier_action action = action_of(in);
    const bool waits = action == WL_PTX_BARRIER_WAIT, products = in->op == WL_PTX_OP_tcgen05_commit;
    /* of a pair of blocks, one commits for both */
    const int sharers = products && wl_ptx_has_part(in, "multicast") ? wl_ptx_block_pair(in) : 0;
    return (wl_ptx_barrier_form){.action = action,
                                 .expects = action != WL_PTX_BARRIER_NONE && wl_ptx_has_part(in, ".expect_tx"),
                                 .by_parity = waits && wl_ptx_has_part(in, ".parity"),
                                 .tries = waits && wl_ptx_has_part(in, ".try_wait"),
                                 .products = products,
                                 .sharers = sharers};
}

/* ---- bulk copies ---- */

/* The next operand of this kind from *at on; -1: none. */
static int8_t next(const wl_ptx_instruction *in, int *at, bool address)
{
    while (*at < in->operand_count) {
        const wl_ptx_operand *o = &in->operands[(*at)++];
        const bool scalar = o->kind == WL_PTX_OPERAND_REG || o->kind == WL_PTX_OPERAND_IMMEDIATE;
        if (address ? o->kind == WL_PTX_OPERAND_ADDRESS : scalar)
            return (int8_t)(*at - 1);
    }
    return -1;
}

/* [to], [from, {coordinates}], size, [barrier], offsets, mask, policy: as far as there are such. */
static bool find_operands(const wl_ptx_instruction *in, wl_ptx_copy_form *form)
{
    int at = 0;
    form->to = next(in, &at, true);
    form->from = next(in, &at, true);
    form->size = form->barrier = form->blocks = form->offsets = -1;
    if (form->to < 0 || form->from < 0)
        return false;
    form->tensor = in->operands[form->to].count > 0 || in->operands[form->from].count > 0;
    if (!form->tensor && at >= in->operand_count)
        return false;
    if (!form->tensor)
        form->size = (int8_t)at++;
    if (wl_ptx_has_part(in, "complete_tx") && (form->barrier = next(in, &at, true)) < 0)
        return false;
    if (at < in->operand_count && in->operands[at].kind == WL_PTX_OPERAND_VECTOR)
        form->offsets = (int8_t)at++;
    return !wl_ptx_has_part(in, "multicast") || (form->blocks = next(in, &at, false)) >= 0;
}

static wl_ptx_box_mode mode_of(const wl_ptx_instruction *in)
{
    static const struct {
        const char *part;
        wl_ptx_box_mode mode;
    } modes[] = {{".im2col::w::128", WL_PTX_BOX_PIXELS_128},
                 {".im2col::w", WL_PTX_BOX_PIXELS_W},
                 {".im2col", WL_PTX_BOX_PIXELS},
                 {"::gather4", WL_PTX_BOX_ROWS},
                 {"::scatter4", WL_PTX_BOX_ROWS}};
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++)
        if (wl_ptx_has_part(in, modes[k].part))
            return modes[k].mode;
    return WL_PTX_BOX_TILED;
}

bool wl_ptx_copy_form_of(const wl_ptx_instruction *in, wl_ptx_copy_form *form)
{
    const bool in_and_out =
        (in->to_space == WL_PTX_SHARED && (in->space == WL_PTX_GLOBAL || in->space == WL_PTX_SHARED)) ||
        (in->to_space == WL_PTX_GLOBAL && in->space == WL_PTX_SHARED);
    *form = (wl_ptx_copy_form){.loads = in->to_space == WL_PTX_SHARED,
                               .within = in->to_space == WL_PTX_SHARED && in->space == WL_PTX_SHARED,
                               .reduces = wl_ptx_has_part(in, "reduce"),
                               .paired = wl_ptx_block_pair(in) == 2,
                               .mode = mode_of(in)};
    return in_and_out && find_operands(in, form);
}

bool wl_ptx_is_bulk_prefetch(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_cp_bulk && wl_ptx_has_part(in, ".prefetch");
}

bool wl_ptx_signals(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_cp_bulk)
        return wl_ptx_has_part(in, "complete_tx");
    const wl_ptx_barrier_action action = action_of(in);
    return action != WL_PTX_BARRIER_NONE && action != WL_PTX_BARRIER_WAIT;
}
