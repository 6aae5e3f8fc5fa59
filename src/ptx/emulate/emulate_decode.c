/* emulate_decode.c - decodes instructions into steps: each operation becomes a function to call.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_slots.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/tensor.h"

/* A load of an entry parameter at a constant offset is a constant. */
static bool decode_entry_param(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const wl_ptx_arguments *arguments = d->machine->launch.arguments;
    const wl_ptx_operand *a = &in->operands[1];
    const int bytes = wl_ptx_type_bits(in->type) / 8;
    if (in->space != WL_PTX_PARAM || !d->function->is_entry || a->kind != WL_PTX_OPERAND_ADDRESS || a->variable < 0 ||
        a->reg >= 0 || in->operands[0].kind != WL_PTX_OPERAND_REG || bytes < 1 || bytes > 8)
        return false;
    int64_t at;
    if (!wl_add(d->machine->param_at[a->variable], a->value, &at) || at < 0 || at + bytes > arguments->param_bytes)
        return false;
    uint64_t value = 0;
    memcpy(&value, arguments->params + at, (size_t)bytes);
    step->kind = WL_PTX_STEP_COPY;
    step->to = wl_ptx_slot_written(d, &in->operands[0]);
    /* a launch that is carried out may be followed by one with other arguments */
    step->from[0] = d->machine->launch.in_place
                        ? wl_ptx_slot_constant(d, WL_PTX_OF_PARAMS, (uint64_t)at << 8 | (uint64_t)in->type)
                        : wl_ptx_slot_constant(d, WL_PTX_FIXED, wl_ptx_extended(value, in->type));
    return true;
}

static void decode_memory(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const bool loads = in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_ldu;
    if (loads && decode_entry_param(d, step))
        return;
    /* the address comes first */
    const bool first = in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_red;
    wl_ptx_slot_address(d, step, &in->operands[first ? 0 : 1]);
    wl_ptx_slot_list(d, step, &in->operands[loads ? 0 : first ? 1 : 2], loads);
    if (!loads && !first)
        step->from[2] = wl_ptx_slot_read(d, &in->operands[3]);
    if (in->op == WL_PTX_OP_atom)
        step->to = wl_ptx_slot_written(d, &in->operands[0]);
    step->bytes = (uint8_t)(wl_ptx_type_bits(in->type) / 8);
    const int all = step->bytes * step->elements;
    if (all > 0 && all <= 64 && wl_is_pow2(all))
        step->of.run = loads || in->op == WL_PTX_OP_st ? wl_ptx_find_memory(in) : wl_ptx_find_atomic(in);
    if (d->machine->launch.in_place)
        step->of.run = wl_ptx_find_carried(step->of.run);
}

static void decode_copy_async(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    wl_ptx_slot_address(d, step, &in->operands[1]); /* source; the destination is from[1] */
    const wl_ptx_operand *to = &in->operands[0];
    if (to->kind == WL_PTX_OPERAND_ADDRESS && to->variable >= 0) {
        step->from[1] = wl_ptx_slot_variable(d, to->variable, to->value);
    } else if (to->kind == WL_PTX_OPERAND_ADDRESS && to->reg >= 0) {
        step->from[1] = to->reg;
        step->target = (int32_t)to->value;
    }
    const wl_ptx_operand *size = &in->operands[3]; /* byte count, or ignore-src */
    const bool given = in->operand_count > 3;
    if (given && size->kind == WL_PTX_OPERAND_REG && d->function->registers[size->reg].type == WL_PTX_PRED)
        step->from[3] = size->reg;
    step->from[2] = given && step->from[3] == d->program->nil ? wl_ptx_slot_read(d, size) : -1;
    step->bytes = (uint8_t)wl_ptx_access_bytes(in);
    step->of.run = wl_ptx_find_matrix(in);
}

static wl_ptx_async_form *new_form(wl_ptx_decoder *d)
{
    wl_ptx_async_form *form = WL_ARENA_NEW(&d->machine->arena, wl_ptx_async_form, 1);
    d->failed = d->failed || !form;
    return form;
}

static void decode_bulk(wl_ptx_decoder *d, wl_ptx_step *step)
{
    wl_ptx_async_form *form = new_form(d);
    step->async = form;
    if (form && wl_ptx_copy_form_of(step->in, &form->copy))
        step->of.run = wl_ptx_find_bulk();
    else if (wl_ptx_is_bulk_prefetch(step->in)) /* what it fetches counts where it is loaded */
        step->kind = WL_PTX_STEP_NOTHING;
}

static void decode_map(wl_ptx_decoder *d, wl_ptx_step *step)
{
    wl_ptx_async_form *form = new_form(d);
    step->async = form;
    if (form && wl_ptx_map_form_of(step->in, &form->map))
        step->of.run = wl_ptx_run_map;
}

/* Arrivals at barrier objects and waits for them: state, [address], number. */
static void decode_mbarrier(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    int at = 0;
    wl_ptx_async_form *form = new_form(d);
    step->async = form;
    if (!form)
        return;
    form->barrier = wl_ptx_barrier_form_of(in);
    while (at < in->operand_count && in->operands[at].kind != WL_PTX_OPERAND_ADDRESS)
        at++;
    if (at == in->operand_count)
        return; /* only counted */
    wl_ptx_slot_address(d, step, &in->operands[at]);
    const bool given = at + 1 < in->operand_count;
    step->from[1] = given ? wl_ptx_slot_read(d, &in->operands[at + 1]) : d->program->nil;
    step->target = !given; /* one arrival */
    step->to = at > 0 ? wl_ptx_slot_written(d, &in->operands[0]) : d->program->spare;
    if (form->barrier.action == WL_PTX_BARRIER_WAIT)
        step->kind = WL_PTX_STEP_WAIT;
    else
        step->of.run = wl_ptx_find_mbarrier(&form->barrier);
}

/* [address], columns */
static void decode_allocation(wl_ptx_decoder *d, wl_ptx_step *step)
{
    if (step->in->operand_count < 2)
        return; /* only counted */
    wl_ptx_slot_address(d, step, &step->in->operands[0]);
    step->from[1] = wl_ptx_slot_read(d, &step->in->operands[1]);
    step->of.run = wl_ptx_run_allocation;
}

static void decode_product(wl_ptx_decoder *d, wl_ptx_step *step)
{
    wl_tensor_kind kind;
    wl_ptx_async_form *form = new_form(d);
    const double flops = wl_ptx_tensor_flops(step->in, &kind);
    step->async = form;
    if (!form || !(flops > 0))
        return; /* only counted */
    form->product = (wl_ptx_product_form){flops / wl_ptx_block_pair(step->in), kind};
    step->of.run = wl_ptx_run_product;
}

/* Whether the loop may spin on a lock that another lane holds. */
static bool takes_lock(const wl_ptx_decoder *d, int32_t loop)
{
    const wl_ptx_flow *flow = &d->program->flow;
    for (int32_t i = 0; i < d->taker_count; i++)
        if (wl_ptx_flow_in_loop(flow, loop, flow->block_of[d->takers[i]]))
            return true;
    return false;
}

static bool find_takers(wl_ptx_decoder *d, wl_arena *scratch)
{
    d->takers = WL_ARENA_NEW(scratch, int32_t, d->function->instruction_count + 1);
    for (int32_t i = 0; i < d->function->instruction_count && d->takers; i++) {
        const wl_ptx_instruction *in = &d->function->instructions[i];
        if (in->op == WL_PTX_OP_atom && (in->variant == WL_PTX_CAS || in->variant == WL_PTX_EXCH))
            d->takers[d->taker_count++] = i;
    }
    return d->takers != NULL;
}

/* The targets of both sides of a branch, and whether they leave the innermost loop. */
static void describe_branch(wl_ptx_decoder *d, wl_ptx_step *step, int32_t target, int32_t fall)
{
    const wl_ptx_flow *flow = &d->program->flow;
    const int32_t block = flow->block_of[step->number], loop = flow->loop_of[block];
    step->meeting = flow->meeting[block];
    step->loop = -1;
    if (loop < 0)
        return;
    step->loop = d->machine->loop_count + loop;
    step->taken_leaves = !wl_ptx_flow_in_loop(flow, loop, target);
    step->other_leaves = !wl_ptx_flow_in_loop(flow, loop, fall);
    step->only_exit = flow->loops[loop].exit_count == 1;
    step->back = wl_ptx_flow_is_back(flow, block, target);
    step->alone = step->back && target == block;
    step->spins = step->back && takes_lock(d, flow->loop_of[target]);
}

static void decode_control(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const wl_ptx_flow *flow = &d->program->flow;
    const int32_t fall = flow->block_of[step->number + 1];
    step->kind = WL_PTX_STEP_BRANCH;
    if (in->op == WL_PTX_OP_bra) {
        step->target = (int32_t)in->operands[0].value;
        describe_branch(d, step, flow->block_of[step->target], fall);
    } else if (in->op == WL_PTX_OP_brx) {
        step->from[0] = wl_ptx_slot_read(d, &in->operands[0]);
        describe_branch(d, step, flow->block_count, fall);
    } else if (in->op == WL_PTX_OP_call) {
        step->from[0] = wl_ptx_slot_read(d, &in->operands[1]);
        step->meeting = step->number + 1;
    } else {
        step->kind = WL_PTX_STEP_LEAVE;
        describe_branch(d, step, flow->block_count, fall);
    }
}

/* Only counted: all results become unknown. */
static void decode_counted(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    step->kind = WL_PTX_STEP_RUN;
    step->of.run = wl_ptx_run_counted;
    step->list = d->program->list_count;
    if (in->operand_count > 0 && wl_ptx_writes_first(in) && in->operands[0].kind != WL_PTX_OPERAND_ADDRESS) {
        wl_ptx_slot_list(d, step, &in->operands[0], true);
        step->other = wl_ptx_slot_second(d, &in->operands[0]);
    }
}

static void decode_barrier(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const int first = in->modifiers & WL_PTX_MOD_RED ? 1 : 0;
    if (first && in->operand_count < 3) {
        decode_counted(d, step);
        return;
    }
    if (in->modifiers & WL_PTX_MOD_WARP) {
        step->kind = WL_PTX_STEP_NOTHING;
        return;
    }
    step->kind = WL_PTX_STEP_BARRIER;
    step->to = first ? wl_ptx_slot_written(d, &in->operands[0]) : d->program->spare;
    step->from[0] = wl_ptx_slot_read(d, &in->operands[first]);
    const int last = in->operand_count - 1;
    const bool counted = first ? last > 2 : last > 0; /* a thread count is given */
    step->from[1] = counted ? wl_ptx_slot_read(d, &in->operands[first + 1]) : d->program->nil;
    if (first)
        step->from[2] = wl_ptx_slot_predicate(d, &in->operands[last]);
}

/* Operations on predicates, and those with a predicate among their operands. */
static void decode_predicates(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    step->kind = WL_PTX_STEP_COMPUTE;
    step->of.compute = wl_ptx_find_predicate(in);
    step->to = wl_ptx_slot_written(d, &in->operands[0]);
    step->other = wl_ptx_slot_second(d, &in->operands[0]);
    const bool all = in->type == WL_PTX_PRED && in->op != WL_PTX_OP_vote;
    for (int k = 1; k < in->operand_count && k <= 4; k++) {
        const bool third = k == 3 && (in->op == WL_PTX_OP_selp || in->op == WL_PTX_OP_setp || in->op == WL_PTX_OP_set);
        const bool voted = k == 1 && in->op == WL_PTX_OP_vote;
        step->from[k - 1] =
            all || third || voted ? wl_ptx_slot_predicate(d, &in->operands[k]) : wl_ptx_slot_read(d, &in->operands[k]);
    }
    if ((in->op == WL_PTX_OP_setp || in->op == WL_PTX_OP_testp) && in->operand_count < 4 &&
        step->other == d->program->spare && wl_ptx_find_test(in)) {
        step->kind = WL_PTX_STEP_TEST;
        step->of.test = wl_ptx_find_test(in);
    }
}

static void decode_move(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const wl_ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    if (d->machine->launch.in_place && wl_ptx_is_clock(from) && to->kind == WL_PTX_OPERAND_REG) {
        step->kind = WL_PTX_STEP_RUN;
        step->to = wl_ptx_slot_written(d, to);
        step->of.run = wl_ptx_run_clock;
        return;
    }
    if (in->op == WL_PTX_OP_mov && to->kind != WL_PTX_OPERAND_VECTOR && from->kind != WL_PTX_OPERAND_VECTOR) {
        step->kind = WL_PTX_STEP_COPY;
        step->to = wl_ptx_slot_written(d, to);
        step->from[0] = wl_ptx_slot_read(d, from);
        return;
    }
    const bool unpacks = to->kind == WL_PTX_OPERAND_VECTOR;
    wl_ptx_slot_list(d, step, unpacks ? to : from, unpacks);
    step->to = wl_ptx_slot_written(d, to);
    step->from[0] = wl_ptx_slot_read(d, from);
    step->kind = WL_PTX_STEP_COMPUTE;
    if (step->elements > 0)
        step->of.compute = wl_ptx_find_move(in);
}

static bool carries(const wl_ptx_instruction *in)
{
    return in->modifiers & WL_PTX_MOD_CC || in->op == WL_PTX_OP_addc || in->op == WL_PTX_OP_subc ||
           in->op == WL_PTX_OP_madc;
}

static bool has_product(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_and ||
           ((in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad) && wl_ptx_integer_index(in->type) >= 0);
}

static bool decode_arithmetic(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const wl_ptx_apply apply = carries(in) ? NULL : wl_ptx_find_apply(in);
    if ((!apply && !carries(in)) || in->operands[0].kind != WL_PTX_OPERAND_REG ||
        wl_ptx_second_of(&in->operands[0]) >= 0)
        return false;
    step->to = wl_ptx_slot_written(d, &in->operands[0]);
    for (int k = 1; k < in->operand_count && k <= 4; k++)
        step->from[k - 1] = wl_ptx_slot_read(d, &in->operands[k]);
    if (!apply) {
        step->kind = WL_PTX_STEP_COMPUTE;
        step->of.compute = wl_ptx_find_move(in);
        return true;
    }
    step->kind = has_product(in) ? WL_PTX_STEP_PRODUCT : WL_PTX_STEP_APPLY;
    step->of.apply = apply;
    return true;
}

/* A sum with a product in it is rounded once, as by the machine. The product has a step of its own,
 * too: where the factors are overwritten before the sum, that one reads it. */
static bool decode_contracted(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const wl_ptx_contraction *c = &d->contraction[step->number];
    if (c->product < 0 || !c->kept)
        return false;
    const bool subtracts = in->op == WL_PTX_OP_sub;
    const wl_ptx_apply apply =
        wl_ptx_find_contracted(in, c->negated != (subtracts && c->operand == 2), subtracts && c->operand == 1);
    if (!apply)
        return false;
    const wl_ptx_instruction *product = &d->function->instructions[c->product];
    step->kind = WL_PTX_STEP_APPLY;
    step->of.apply = apply;
    step->to = wl_ptx_slot_written(d, &in->operands[0]);
    step->from[0] = wl_ptx_slot_read(d, &product->operands[1]);
    step->from[1] = wl_ptx_slot_read(d, &product->operands[2]);
    step->from[2] = wl_ptx_slot_read(d, &in->operands[3 - c->operand]);
    return true;
}

static void decode_matrix(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const bool stores = in->op == WL_PTX_OP_wmma_store || in->op == WL_PTX_OP_stmatrix;
    wl_ptx_slot_address(d, step, &in->operands[stores ? 0 : 1]);
    wl_ptx_slot_list(d, step, &in->operands[stores ? 1 : 0], !stores);
    /* the stride */
    step->from[1] = in->operand_count > 2 ? wl_ptx_slot_read(d, &in->operands[2]) : -1;
    step->of.run = wl_ptx_find_matrix(in);
}

/* A sampler may precede the coordinates, so the position in the list does not identify them. */
static bool is_sampler(const wl_ptx_decoder *d, const wl_ptx_operand *o)
{
    return o->kind == WL_PTX_OPERAND_VARIABLE ||
           (o->kind == WL_PTX_OPERAND_REG && wl_ptx_type_bits(d->function->registers[o->reg].type) == 64);
}

static void decode_texture(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    const bool stores = in->op == WL_PTX_OP_sust;
    const wl_ptx_operand *at = &in->operands[stores ? 0 : 1];
    step->target = wl_ptx_fetch_flags(in);
    const int wanted = (step->target & WL_PTX_FETCH_DIMS) + (step->target & WL_PTX_FETCH_LAYERED ? 1 : 0);
    wl_ptx_slot_address(d, step, at);
    wl_ptx_slot_list(d, step, &in->operands[stores ? 1 : 0], !stores);
    step->other = stores ? d->program->spare : wl_ptx_slot_second(d, &in->operands[0]);
    int found = 0;
    for (int k = 0; at->kind == WL_PTX_OPERAND_ADDRESS && k < at->count && found < wanted; k++) {
        const wl_ptx_operand *o = &d->function->lists[at->first + k];
        if (!is_sampler(d, o))
            step->from[++found] = wl_ptx_slot_read(d, o);
    }
    step->bytes = (uint8_t)(wl_ptx_type_bits(in->type) / 8);
    if (found == wanted)
        step->of.run = wl_ptx_find_texture(in);
}

static bool takes_predicates(const wl_ptx_instruction *in) { return wl_ptx_find_predicate(in) != NULL; }

static void decode_step(wl_ptx_decoder *d, wl_ptx_step *step)
{
    const wl_ptx_instruction *in = step->in;
    step->kind = WL_PTX_STEP_RUN;
    switch (in->op) {
    case WL_PTX_OP_bra:
    case WL_PTX_OP_brx:
    case WL_PTX_OP_call:
    case WL_PTX_OP_ret:
    case WL_PTX_OP_exit:
    case WL_PTX_OP_trap: decode_control(d, step); return;
    case WL_PTX_OP_bar: decode_barrier(d, step); return;
    case WL_PTX_OP_barrier_cluster: /* of the warps of this block, which all take part */
        step->kind = wl_ptx_is_barrier(in) ? WL_PTX_STEP_BARRIER : WL_PTX_STEP_NOTHING;
        step->to = d->program->spare;
        step->from[0] = step->from[1] = d->program->nil;
        return;
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_st:
    case WL_PTX_OP_atom:
    case WL_PTX_OP_red: decode_memory(d, step); break;
    case WL_PTX_OP_cp_bulk: decode_bulk(d, step); break;
    case WL_PTX_OP_tensormap: decode_map(d, step); break;
    case WL_PTX_OP_cp_async: decode_copy_async(d, step); break;
    case WL_PTX_OP_mbarrier:
    case WL_PTX_OP_tcgen05_commit: decode_mbarrier(d, step); break;
    case WL_PTX_OP_tcgen05_alloc: decode_allocation(d, step); break;
    case WL_PTX_OP_tcgen05_mma: decode_product(d, step); break;
    case WL_PTX_OP_cp_async_control:
        if (wl_ptx_signals(in))
            decode_mbarrier(d, step);
        else
            step->kind = WL_PTX_STEP_NOTHING;
        break;
    case WL_PTX_OP_ldmatrix:
    case WL_PTX_OP_stmatrix:
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_wmma_store: decode_matrix(d, step); break;
    case WL_PTX_OP_tex:
    case WL_PTX_OP_suld:
    case WL_PTX_OP_sust: decode_texture(d, step); break;
    default:
        if (takes_predicates(in))
            decode_predicates(d, step);
        else if (in->op == WL_PTX_OP_mov || in->op == WL_PTX_OP_cvta)
            decode_move(d, step);
        else if (in->op != WL_PTX_OP_unknown && wl_ptx_op_info_of(in->op)->support == WL_PTX_IGNORED)
            step->kind = WL_PTX_STEP_NOTHING;
        else if (!decode_contracted(d, step) && !decode_arithmetic(d, step))
            decode_counted(d, step);
    }
    if ((step->kind == WL_PTX_STEP_RUN && !step->of.run) || (step->kind == WL_PTX_STEP_COMPUTE && !step->of.compute))
        decode_counted(d, step);
}

static wl_status decode_all(wl_ptx_machine *m, wl_ptx_program *program, wl_arena *scratch, wl_error *err)
{
    const wl_ptx_function *f = program->function;
    wl_ptx_decoder d = {.machine = m, .program = program, .function = f, .err = err};
    wl_ptx_def_use def_use;
    wl_ptx_contraction *contraction;
    WL_TRY(wl_ptx_def_use_make(f, scratch, &def_use, err));
    WL_TRY(wl_ptx_contract(&def_use, scratch, &contraction, err));
    d.contraction = contraction;
    WL_TRY(wl_ptx_flow_make(f, &m->arena, &program->flow, err));
    program->loop_first = m->loop_count;
    program->spare = f->register_count;
    program->nil = wl_ptx_slot_constant(&d, WL_PTX_FIXED, 0);
    program->steps = WL_ARENA_NEW(&m->arena, wl_ptx_step, f->instruction_count + 1);
    if (!program->steps || !find_takers(&d, scratch) || d.failed)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < f->instruction_count; i++) {
        wl_ptx_step *step = &program->steps[i];
        step->in = &f->instructions[i];
        step->function = program->number;
        step->number = i;
        step->guard = step->in->guard;
        step->guard_negated = step->in->guard_negated;
        step->to = step->other = program->spare;
        step->loop = step->pointer = -1;
        for (int k = 0; k < 4; k++)
            step->from[k] = program->nil;
        decode_step(&d, step);
    }
    m->loop_count += program->flow.loop_count;
    program->slot_count = program->spare + 1 + program->constant_count;
    program->changing = WL_ARENA_NEW(&m->arena, int32_t, program->constant_count + 1);
    if (!program->changing)
        return wl_fail_memory(err);
    for (int32_t k = 0; k < program->constant_count; k++)
        if (program->constants[k].kind == WL_PTX_OF_WARP || program->constants[k].kind == WL_PTX_OF_FRAME)
            program->changing[program->changing_count++] = k;
    for (int32_t r = 0; r < f->register_count; r++)
        program->reads_unset = program->reads_unset || program->flow.live_at_entry[r];
    return d.failed ? wl_fail_memory(err) : WL_OK;
}

wl_status wl_ptx_decode_steps(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err)
{
    wl_arena scratch = {0};
    const wl_status status = decode_all(m, program, &scratch, err);
    wl_arena_free(&scratch);
    return status;
}
