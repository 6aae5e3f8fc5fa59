/* kernel_make.c - from PTX to the kernel model, stage by stage:
 *
 *   launch     block, grid, limits of the entry  a launch                     kernel_launch
 *   arguments  what the entry is called with     parameters, buffers          emulate/arguments
 *   weights    costs of the target               machine instructions         cost/
 *   recovery   symbolic execution, all threads   addresses as expressions     recover/recover
 *   rolling    accesses that repeat              accesses in loops            recover/loop_rolling
 *   verifying  some warps, emulated              the same addresses, or none  verify
 *   tracing    what depends on data              instructions to emulate      trace_blocks
 *   text       all but the traced accesses       a kernel file                write_kernel
 *   kernel     that file, the traced accesses,   the kernel model             here, kernel_notes
 *              the source (kernel/source.h)
 *
 * Layer  ptx/kernel. Oracle: tests/unit/test_ptx_kernels.c, test_ptx_measured.c.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "input/kernel_read.h"
#include "ptx/async/async_form.h"
#include "ptx/cost/cost.h"
#include "ptx/cost/machine_weights.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/module/tensor.h"

/* ---- instructions ---- */

/* What threads outside the domain execute from one exit to the next. */
static void summarize_exits(const wl_ptx_source *s, wl_ptx_summary *out)
{
    const wl_ptx_function *f = s->launch.entry;
    const double *weights = s->weights[f - s->launch.module->functions];
    const wl_ptx_counting *counting = &s->counting[f - s->launch.module->functions];
    for (int e = 0; e < s->recovery.exit_count; e++) {
        const wl_ptx_exit *here = &s->recovery.exits[e], *before = e ? here - 1 : NULL;
        double *mix = e ? out->stages[out->stage_count].mix : out->idle, any = 0;
        for (int32_t i = 0; i < f->instruction_count; i++) {
            const int32_t as = counting->as[i];
            const double more = here->executed[as] - (before ? before->executed[as] : 0);
            wl_ptx_add_classes(f, counting, i, weights[i], more, mix);
            any += weights[i] * more;
        }
        if (e == 0 || any == 0)
            continue;
        wl_idle_stage *stage = &out->stages[out->stage_count++];
        memcpy(stage->first, here->first, sizeof stage->first);
        memcpy(stage->end, here->domain, sizeof stage->end);
    }
}

/* What one thread of the domain executes, if all threads execute the same. */
static void summarize(const wl_ptx_source *s, wl_ptx_summary *out)
{
    const wl_ptx_function *f = s->launch.entry;
    const double *weights = s->weights[f - s->launch.module->functions];
    const int32_t number = (int32_t)(f - s->launch.module->functions);
    const wl_ptx_recovery *r = &s->recovery;
    out->barriers = r->barriers;
    out->has_mix = r->uniform;
    for (int32_t i = 0; i < f->instruction_count && r->uniform; i++) {
        wl_item_mix *item = &out->item;
        const double executed = wl_ptx_thread_executes(s, number, i);
        wl_ptx_add_classes(f, &s->counting[number], i, weights[i], executed, item->classes);
        item->integer_pipe += wl_ptx_integer_pipe(&s->counting[number], i) * executed;
        wl_ptx_add_converts(&f->instructions[i], &s->counting[number], i, weights[i], executed, item->converts);
        wl_ptx_add_multiplies(&s->counting[number], i, executed, item->multiplies);
        item->shuffles += f->instructions[i].op == WL_PTX_OP_shfl ? r->executed[i] : 0;
        item->flops += r->executed[i] * wl_ptx_flops(&f->instructions[i]);
        const int share = wl_ptx_multiplies_by_thread(&f->instructions[i]) ? 1 : WL_PTX_LANES;
        wl_ptx_tensor_add(&f->instructions[i], r->executed[i] / share, item->tensor, item->tensor_groups);
        item->fp_results += wl_ptx_flops(&f->instructions[i]) > 0 ? r->executed[i] : 0;
    }
    if (r->uniform)
        summarize_exits(s, out);
}

/* Whether the launch has threads outside the domain. */
static bool has_idle_threads(const wl_ptx_source *s)
{
    const wl_ptx_recovery *r = &s->recovery;
    bool any = false;
    for (int d = 0; d < 3; d++)
        any = any || r->first[d] > 0 || (r->domain[d] > 0 && r->domain[d] < s->launch.grid[d] * s->launch.block[d]);
    return any;
}

bool wl_ptx_accesses_memory(const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    return c == WL_INST_load || c == WL_INST_store || c == WL_INST_shared || c == WL_INST_atomic;
}

/* Do threads outside the domain compute before they exit, have a separate exit, or pass accesses
 * that no thread executes? */
static void look_at_idle(const wl_ptx_source *s, bool *compute, bool *apart)
{
    const wl_ptx_recovery *r = &s->recovery;
    const wl_ptx_function *f = s->launch.entry;
    const double *weights = s->weights[f - s->launch.module->functions];
    const int32_t *counted_as = s->counting[f - s->launch.module->functions].as;
    *compute = *apart = false;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const bool computes = wl_ptx_flops(&f->instructions[i]) > 0;
        for (int e = 0; e < r->exit_count; e++) {
            *compute = *compute || (computes && r->exits[e].executed[i] > 0);
            *apart = *apart || (weights[i] > 0 && r->exits[e].executed[i] > r->executed[i]) ||
                     (wl_ptx_accesses_memory(&f->instructions[i]) && r->exits[e].executed[counted_as[i]] > 0);
        }
    }
}

/* A kernel file cannot describe threads outside the domain that compute, or that do not all execute
 * the same: counts then come from emulated blocks. */
static void judge_idle(wl_ptx_source *s)
{
    bool compute, apart;
    look_at_idle(s, &compute, &apart);
    s->recovery.idle_differs = s->recovery.idle_differs || apart;
    if (compute || (s->recovery.idle_differs && has_idle_threads(s)))
        s->recovery.uniform = false;
}

/* Machine code that cannot be used is no error: rules apply, and a note says why. */
static wl_status weigh_machine_code(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_function *entry = s->launch.entry;
    const ptrdiff_t f = entry - s->launch.module->functions;
    wl_arena scratch = {0};
    wl_machine_kernel code;
    wl_error why = {0};
    wl_status status = wl_machine_kernel_read(&s->ptx->machine_code, entry->name, &scratch, &code, &why);
    if (status == WL_OK)
        status = wl_ptx_weigh_machine_code(&code, entry, &s->arena, &s->weights[f], &s->counting[f],
                                           &s->spills_registers, &s->machine_why, err);
    else if (status == WL_E_NOMEM)
        (void)wl_fail_memory(err);
    else {
        s->machine_why = "it is damaged, or lacks the kernel";
        status = WL_OK;
    }
    wl_arena_free(&scratch);
    s->by_machine_code = status == WL_OK && !s->machine_why;
    return status;
}

static wl_status weigh(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    const wl_ptx_costs *costs = NULL;
    WL_TRY(wl_ptx_file_costs(s->ptx, &costs, err));
    s->costs = costs;
    s->weights = WL_ARENA_NEW(&s->arena, const double *, m->function_count + 1);
    s->counting = WL_ARENA_NEW(&s->arena, wl_ptx_counting, m->function_count + 1);
    if (!s->weights || !s->counting)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++)
        WL_TRY(wl_ptx_weigh(costs, m, &m->functions[f], &s->arena, &s->weights[f], &s->counting[f], err));
    return s->ptx->machine_bytes ? weigh_machine_code(s, err) : WL_OK;
}

/* ---- traced accesses ---- */

static void mark_traced(wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    const int32_t entry = (int32_t)(s->launch.entry - m->functions);
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++)
            s->is_traced[s->profile.first[f] + i] =
                f == entry ? s->recovery.traced[i] || s->recovery.gave_up : s->recovery.calls;
}

static bool anything_traced(const wl_ptx_source *s)
{
    for (int32_t i = 0; i < s->profile.count; i++)
        if (s->is_traced[i])
            return true;
    return false;
}

bool wl_ptx_has_traced(const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++)
            if (s->is_traced[s->profile.first[f] + i] && wl_ptx_accesses_memory(&m->functions[f].instructions[i]))
                return true;
    return false;
}

static wl_status note_spaces(wl_ptx_source *s, wl_error *err)
{
    s->recovered_space = WL_ARENA_NEW(&s->arena, uint8_t, s->launch.entry->instruction_count + 1);
    if (!s->recovered_space)
        return wl_fail_memory(err);
    for (size_t i = s->recovery.step_count; i-- > 0;)
        s->recovered_space[s->recovery.steps[i].instruction] = (uint8_t)s->recovery.steps[i].space;
    return WL_OK;
}

/* Recovers all accesses. Where emulated warps disagree, every access is traced instead. */
static wl_status recover(wl_ptx_source *s, wl_ptx_rolled_loops *rolled, int32_t *wrong, wl_error *err)
{
    const double *weights = s->weights[s->launch.entry - s->launch.module->functions];
    bool agrees = true;
    *wrong = -1;
    WL_TRY(wl_ptx_recover(&s->launch, &s->arena, &s->recovery, err));
    wl_ptx_trace_late_atomics(s);
    wl_ptx_trace_swaps(s);
    judge_idle(s);
    WL_TRY(wl_ptx_trace_rare(s, err));
    WL_TRY(wl_ptx_roll(&s->launch, &s->recovery, weights, &s->arena, rolled, err));
    WL_TRY(wl_ptx_verify(s, &agrees, wrong, err));
    if (!agrees) {
        s->recovery.gave_up = true;
        s->recovery.uniform = false;
        WL_TRY(wl_ptx_roll(&s->launch, &s->recovery, weights, &s->arena, rolled, err));
    } else {
        *wrong = -1;
    }
    WL_TRY(note_spaces(s, err));
    mark_traced(s);
    return anything_traced(s) ? wl_ptx_find_traced(s, err) : WL_OK;
}

/* Whether the addresses of a step are irregular. Addresses that are linear in coordinates are
 * not. */
static bool step_is_irregular(const wl_ptx_source *s, const wl_ptx_thread_access *step)
{
    const wl_ptx_launch *l = &s->launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2];
    wl_ptx_address_pattern pattern = {0};
    bool linear = true;
    for (int i = 0; i < step->address->count; i++)
        linear = linear && step->address->terms[i].atom->op == WL_ATOM_VAR;
    for (int64_t b = 0; b < 4 && !linear; b++) {
        int64_t block[3], address;
        wl_ptx_sample_block(l, b, 4, block);
        pattern.started = false;
        for (int64_t t = 0; t < threads; t++) {
            int64_t values[WL_VAR_COUNT];
            wl_ptx_thread_values(l, block, t, values);
            if (wl_sym_eval(step->address, values, &address))
                wl_ptx_address_pattern_add(&pattern, address);
        }
    }
    return wl_ptx_address_pattern_is_irregular(&pattern);
}

/* The field that each recovered instruction accesses: several may have become one access. */
static void number_fields(wl_ptx_source *s, const wl_ptx_fields *fields)
{
    const int32_t first = s->profile.first[s->launch.entry - s->launch.module->functions];
    for (size_t i = 0; i < s->recovery.step_count; i++) {
        const wl_ptx_thread_access *step = &s->recovery.steps[i];
        const wl_ptx_buffer *buffer = step->address && step->space == WL_PTX_GLOBAL
                                          ? wl_ptx_buffer_near(&s->arguments, (uint64_t)step->address->c)
                                          : NULL;
        for (size_t f = 0; f < fields->count && step->address; f++)
            if (fields->list[f].buffer == buffer && !fields->list[f].constant)
                s->field_of[first + step->instruction] = (int32_t)f;
    }
}

/* Does an instruction before this one load the field so that lines stay in the L1? */
static bool kept_before(const wl_ptx_source *s, const wl_ptx_function *f, int32_t instruction)
{
    const int32_t first = s->profile.first[f - s->launch.module->functions];
    for (int32_t i = 0; i < instruction; i++) {
        const wl_ptx_op op = f->instructions[i].op;
        if ((op == WL_PTX_OP_ld || op == WL_PTX_OP_cp_async) &&
            s->field_of[first + i] == s->field_of[first + instruction] &&
            wl_ptx_l1_use_of(&f->instructions[i]) == WL_PTX_L1_KEEPS)
            return true;
    }
    return false;
}

/* What asynchronous copies write while they leave the L1 alone takes no pass of its data stage:
 * measured, validate/probes/h200_async_copies.csv. */
static void leave_fills_out(const wl_ptx_source *s, wl_ptx_rolled_loops *rolled)
{
    size_t kept = 0;
    for (size_t i = 0; i < rolled->count; i++) {
        const wl_ptx_access *a = &rolled->accesses[i];
        if (a->buffer || !wl_ptx_is_fill(&s->launch.entry->instructions[a->step->instruction]))
            rolled->accesses[kept++] = *a;
    }
    rolled->count = kept;
}

/* Which loads leave the L1 alone. Those that only look there find nothing, unless others have
 * loaded the field before. */
static wl_status find_bypassing(wl_ptx_source *s, wl_ptx_rolled_loops *rolled, wl_arena *arena, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    s->bypasses_l1 = WL_ARENA_NEW(arena, bool, s->profile.count + 1);
    if (!s->bypasses_l1)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_l1_use use = wl_ptx_l1_use_of(&m->functions[f].instructions[i]);
            s->bypasses_l1[s->profile.first[f] + i] =
                use == WL_PTX_L1_PASSES || (use == WL_PTX_L1_LOOKS && !kept_before(s, &m->functions[f], i));
        }
    const int32_t first = s->profile.first[s->launch.entry - m->functions];
    for (size_t i = 0; i < rolled->count; i++) {
        wl_ptx_access *a = &rolled->accesses[i];
        a->bypasses_l1 = a->buffer && !a->step->store && s->bypasses_l1[first + a->step->instruction];
        a->to_shared = a->buffer && !a->step->store &&
                       s->launch.entry->instructions[a->step->instruction].op == WL_PTX_OP_cp_async;
    }
    return WL_OK;
}

typedef struct numbered_field {
    int32_t *field_of, number;
} numbered_field;

static void set_field(void *user, int32_t instruction)
{
    const numbered_field *f = user;
    f->field_of[instruction] = f->number;
}

static wl_status find_fields(wl_ptx_source *s, const wl_ptx_rolled_loops *rolled, wl_arena *arena, wl_ptx_fields *out,
                             wl_error *err)
{
    const wl_ptx_function *f = s->launch.entry;
    out->list = WL_ARENA_NEW(arena, wl_ptx_field, 2 * s->arguments.buffer_count + 3);
    s->field_of = WL_ARENA_NEW(arena, int32_t, s->profile.count + 1);
    if (!out->list || !s->field_of)
        return wl_fail_memory(err);
    memset(s->field_of, -1, (size_t)(s->profile.count + 1) * sizeof *s->field_of);
    for (size_t i = 0; i < rolled->count; i++) {
        const wl_ptx_access *a = &rolled->accesses[i];
        const size_t number = wl_ptx_field_of(out, a->buffer, &f->instructions[a->step->instruction]);
        wl_ptx_field *field = &out->list[number];
        field->random = field->random || (!a->step->store && step_is_irregular(s, a->step));
    }
    number_fields(s, out);
    for (size_t i = 0; i < s->traced_count; i++) {
        const wl_ptx_traced *t = &s->traced[i];
        const wl_ptx_instruction *in = &s->launch.module->functions[t->function].instructions[t->instruction];
        const size_t number = wl_ptx_field_of(out, t->buffer, in);
        wl_ptx_field *field = &out->list[number];
        wl_ptx_visit_joined(s, t, set_field, &(numbered_field){s->field_of, (int32_t)number});
        field->random = field->random || (!t->store && wl_ptx_address_pattern_is_irregular(&t->pattern));
    }
    return WL_OK;
}

static wl_atomic_kind atomic_kind(const wl_ptx_instruction *in)
{
    const bool sums = wl_ptx_adds_floats(in);
    return (wl_atomic_kind){sums, in->variant == WL_PTX_CAS || (sums && in->type == WL_PTX_F64)};
}

/* Appends the traced accesses to those of the kernel file. */
static wl_status add_traced(wl_ptx_source *s, wl_ptx_fields *fields, wl_kernel *k, wl_error *err)
{
    static const wl_expr zero = {.op = WL_EXPR_CONST};
    wl_access *all = WL_ARENA_NEW(&k->arena, wl_access, k->access_count + s->traced_count + 1);
    if (!all)
        return wl_fail_memory(err);
    if (k->access_count > 0)
        memcpy(all, k->accesses, k->access_count * sizeof *all);
    s->access_base = k->access_count;
    for (size_t i = 0; i < s->traced_count; i++) {
        const wl_ptx_traced *t = &s->traced[i];
        const wl_ptx_instruction *in = &s->launch.module->functions[t->function].instructions[t->instruction];
        char *text = wl_arena_text(&k->arena, in->text, (size_t)in->text_length);
        if (!text)
            return wl_fail_memory(err);
        wl_ptx_make_line(text);
        all[k->access_count++] = (wl_access){
            .store = t->store,
            .atomic = t->atomic,
            .atomic_kind = atomic_kind(in),
            .traced = true,
            .bulk = in->op == WL_PTX_OP_cp_bulk,
            .multicast = in->op == WL_PTX_OP_cp_bulk && wl_ptx_has_part(in, "multicast"),
            .more = t->more,
            .remote = t->remote,
            .swaps = !t->buffer && !t->remote && wl_ptx_is_swap_loop(in),
            .to_shared = t->buffer && !t->store && in->op == WL_PTX_OP_cp_async,
            .bypasses_l1 = t->buffer && !t->store && s->bypasses_l1[s->profile.first[t->function] + t->instruction],
            .request_lanes = wl_ptx_request_lanes(in),
            .field = wl_ptx_field_of(fields, t->buffer, in),
            .width_bytes = t->bytes,
            .unit_bytes = t->constant ? (int32_t)wl_max(1, t->bytes / wl_max(1, in->vector)) : t->bytes,
            .index = &zero,
            .text = text,
            .loc = {in->line, in->column, in->text_length}};
    }
    k->accesses = all;
    return WL_OK;
}

static bool loads_traced(const wl_ptx_source *s)
{
    for (size_t i = 0; i < s->traced_count; i++)
        if (!s->traced[i].store && s->traced[i].buffer && !s->traced[i].constant)
            return true;
    return false;
}

static wl_status number_buffers(wl_ptx_source *s, const wl_ptx_fields *fields, wl_error *err)
{
    s->field_of_buffer = WL_ARENA_NEW(&s->arena, int32_t, s->arguments.buffer_count + 1);
    if (!s->field_of_buffer)
        return wl_fail_memory(err);
    for (int i = 0; i < s->arguments.buffer_count; i++)
        s->field_of_buffer[i] = -1;
    for (size_t i = 0; i < fields->count; i++)
        if (fields->list[i].buffer && !fields->list[i].constant)
            s->field_of_buffer[fields->list[i].buffer - s->arguments.buffers] = (int32_t)i;
    return WL_OK;
}

/* ---- the kernel ---- */

/* Is it the launch that this kernel was made for? */
static bool is_own_launch(const wl_ptx_source *s, const wl_ptx_options *options)
{
    wl_ptx_source other = {.options = *options, .launch = s->launch};
    wl_error ignored = {0};
    return wl_ptx_set_launch(&other, &ignored) == WL_OK &&
           memcmp(other.launch.block, s->launch.block, sizeof s->launch.block) == 0 &&
           memcmp(other.launch.grid, s->launch.grid, sizeof s->launch.grid) == 0 &&
           options->launch.registers == s->options.launch.registers &&
           options->launch.shared_bytes == s->options.launch.shared_bytes;
}

static wl_status at_launch(void *context, const wl_launch *launch, wl_kernel **out, wl_error *err)
{
    wl_ptx_source *s = context;
    wl_ptx_options options = s->options;
    options.launch = *launch;
    if (!launch->registers)
        options.launch.registers = s->options.launch.registers;
    if (!launch->shared_bytes)
        options.launch.shared_bytes = s->options.launch.shared_bytes;
    for (int d = 0; d < 3 && launch->grid[0] == 0 && s->options.domain[0] == 0; d++)
        if (s->domain[d] > 0)
            options.launch.grid[d] = wl_ceil_div(s->domain[d], wl_max(1, launch->block[d]));
    *out = NULL;
    /* it caches traces, so only one predictor may use it; others, in other threads, get a copy */
    if (is_own_launch(s, &options) && !__atomic_test_and_set(&s->claimed, __ATOMIC_ACQ_REL))
        return WL_OK;
    return wl_kernel_from_ptx(s->ptx, &options, out, err);
}

/* All shared memory of a launch, where a rule gives the dynamic part. */
static int64_t shared_at(void *context, const wl_launch *launch)
{
    const wl_ptx_source *s = context;
    int64_t dynamic = 0;
    wl_error ignored = {0};
    const wl_status status = s->options.shared_of(s->options.shared_user, launch, &dynamic, &ignored);
    return s->arguments.shared_bytes + (status == WL_OK ? dynamic : 0);
}

static int thread_index_reads(const wl_ptx_function *f)
{
    bool read[3] = {false, false, false};
    for (int32_t i = 0; i < f->instruction_count; i++)
        for (int o = 0; o < f->instructions[i].operand_count; o++) {
            const wl_ptx_operand *operand = &f->instructions[i].operands[o];
            if (operand->kind == WL_PTX_OPERAND_SPECIAL && operand->value <= WL_PTX_TID_Z)
                read[operand->value - WL_PTX_TID_X] = true;
        }
    return read[0] + read[1] + read[2];
}

/* Whether a traced instruction may access memory in blocks that were not followed. */
static bool is_unseen(wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    bool unseen = false;
    for (int32_t f = 0; f < m->function_count && s->has_census && !s->census.complete; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const int32_t at = s->profile.first[f] + i;
            unseen = unseen || (s->is_traced[at] && wl_ptx_accesses_memory(&m->functions[f].instructions[i]) &&
                                s->census.total.warps_on[at] == 0);
        }
    return unseen;
}

static size_t outside(void *context, const wl_outside **list)
{
    const wl_ptx_source *s = context;
    return wl_ptx_outside(s->emulator, list);
}

/* Adds what the kernel file cannot express. */
static wl_status complete(wl_ptx_source *s, wl_ptx_fields *fields, int32_t wrong, wl_kernel *k, wl_error *err)
{
    WL_TRY(add_traced(s, fields, k, err));
    s->population.unseen = is_unseen(s);
    if (s->traced_count > 0 || s->population.unseen)
        WL_TRY(wl_ptx_make_population(s, err));
    WL_TRY(number_buffers(s, fields, err));
    WL_TRY(wl_ptx_find_gaps(s, fields, k, err));
    WL_TRY(wl_ptx_add_notes(s, wrong, k, err));
    wl_ptx_state_counts(s, k);
    k->coordinate_reads = thread_index_reads(s->launch.entry);
    k->symbol = wl_arena_text(&k->arena, s->launch.entry->name, strlen(s->launch.entry->name));
    k->counted_by = s->by_machine_code ? "machine-code" : "rules";
    if (!k->symbol)
        return wl_fail_memory(err);
    for (size_t i = 0; i < k->field_count; i++) {
        const wl_ptx_buffer *buffer = fields->list[i].buffer;
        k->fields[i].bytes = buffer ? buffer->bytes : 0;
        k->fields[i].constant = fields->list[i].constant;
        k->fields[i].shared = k->fields[i].shared || k->fields[i].constant;
        if (buffer && buffer->texture)
            k->fields[i].reached = buffer->texture->is_surface ? WL_BY_SURFACE : WL_BY_TEXTURE;
    }
    for (int d = 0; d < k->dims; d++)
        s->domain[d] = k->domain[d];
    for (int d = 0; d < 3 && s->options.domain[0] > 0; d++)
        k->threads[d] = wl_max(1, s->options.domain[d]);
    const wl_ptx_recovery *r = &s->recovery;
    const wl_outside *found;
    const bool launch_matters = r->symbols.launch_bound || s->traced_count > 0 || !r->uniform || r->idle_differs ||
                                s->options.shared_of || k->gap_count > 0 || wl_ptx_outside(s->emulator, &found) > 0;
    /* blocks on one multiprocessor share less of a texture than the replay would predict:
     * measured */
    const bool replayed = loads_traced(s) && !s->arguments.has_textures;
    k->source = (wl_source){.context = s,
                            .at_launch = launch_matters ? at_launch : NULL,
                            .shared_at = s->options.shared_of ? shared_at : NULL,
                            .effort = wl_ptx_effort(s),
                            .length = s->profile.count,
                            .trace_block = wl_ptx_trace_block,
                            .warp_size = WL_PTX_LANES,
                            .population = s->traced_count > 0 || s->population.unseen ? &s->population : NULL,
                            .count_instructions = wl_ptx_count,
                            .live = wl_ptx_program_length(s) <= WL_PTX_FOLLOWED_MAX ? wl_ptx_live : NULL,
                            .in_steps = wl_ptx_in_steps(s),
                            .visit_loads = replayed ? wl_ptx_visit_loads : NULL,
                            /* where contents decide, one warp says little about others */
                            .visit_warp = replayed && !wl_ptx_flow_reads_data(s->emulator) ? wl_ptx_visit_warp : NULL,
                            .visit_local = wl_ptx_has_local(s) ? wl_ptx_visit_local : NULL,
                            .outside = s->options.outside ? outside : NULL,
                            .free = wl_ptx_source_free};
    memcpy(k->source.block, s->launch.block, sizeof k->source.block);
    memcpy(k->source.grid, s->launch.grid, sizeof k->source.grid);
    return WL_OK; /* from here on the kernel frees the source */
}

/* Does the launch have barrier objects? */
static bool uses_objects(const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count && wl_ptx_may_execute(s, &m->functions[f]); i++)
            if (wl_ptx_signals(&m->functions[f].instructions[i]))
                return true;
    return wl_ptx_waits_for_objects(s->emulator);
}

static wl_status make(wl_ptx_source *s, wl_kernel **out, wl_error *err)
{
    wl_ptx_rolled_loops rolled;
    wl_ptx_fields fields = {0};
    int32_t wrong;
    WL_TRY(wl_ptx_set_launch(s, err));
    const wl_ptx_given given = {.image = s->options.image,
                                .args = s->options.args,
                                .arg_count = s->options.arg_count,
                                .constants = s->options.constants,
                                .constant_count = s->options.constant_count,
                                .dynamic_shared = s->launch.dynamic_shared,
                                .load = s->options.load,
                                .user = s->options.user};
    WL_TRY(wl_ptx_arguments_make(s->launch.module, s->launch.entry, &given, &s->arena, &s->arguments, err));
    s->launch.rehearsal = (int64_t)wl_ptx_affordable(s, WL_PTX_ORDER_SHARE);
    WL_TRY(weigh(s, err)); /* first, as it needs much memory of its own */
    WL_TRY(wl_ptx_emulator_new(&s->launch, &s->emulator, err));
    WL_TRY(wl_ptx_profile_make(s->launch.module, &s->arena, &s->profile, err));
    if (!s->by_machine_code || s->spills_registers)
        WL_TRY(wl_ptx_find_spills(s, err));
    s->is_traced = WL_ARENA_NEW(&s->arena, bool, s->profile.count + 1);
    s->first_traced = WL_ARENA_NEW(&s->arena, int32_t, s->profile.count + 1);
    if (!s->is_traced || !s->first_traced)
        return wl_fail_memory(err);
    memset(s->first_traced, -1, (size_t)(s->profile.count + 1) * sizeof *s->first_traced);
    WL_TRY(recover(s, &rolled, &wrong, err));
    leave_fills_out(s, &rolled);
    if (uses_objects(s)) /* only following blocks tells what is wrong there */
        WL_TRY(wl_ptx_take_census(s, err));
    WL_TRY(find_fields(s, &rolled, &s->arena, &fields, err));
    WL_TRY(find_bypassing(s, &rolled, &s->arena, err));

    const int64_t shared = s->options.launch.shared_bytes; /* as ptxas reports it; 0: not given */
    wl_ptx_summary summary = {.input = s->launch.module->input,
                              .name = s->launch.entry->source_name,
                              .registers = s->options.launch.registers,
                              .shared_bytes = shared ? shared : s->arguments.shared_bytes + s->launch.dynamic_shared};
    summarize(s, &summary);
    char *text = NULL;
    WL_TRY(wl_ptx_kernel_text(&s->launch, &s->recovery, &rolled, &fields, &summary, &text, err));
    wl_kernel *kernel = NULL;
    wl_error of_text = {0};
    const wl_kernel_text written = {.text = text, .length = strlen(text)};
    wl_status status = wl_kernel_read_file(s->launch.module->input, &written, NULL, &kernel, &of_text);
    free(text);
    if (status != WL_OK)
        return wl_fail(err, status, WL_NOWHERE, "the recovered kernel: %.220s", of_text.message);
    status = complete(s, &fields, wrong, kernel, err);
    if (status != WL_OK) {
        wl_kernel_free(kernel);
        return status;
    }
    *out = kernel;
    return WL_OK;
}

wl_status wl_kernel_from_ptx(const wl_ptx *ptx, const wl_ptx_options *options, wl_kernel **out, wl_error *err)
{
    wl_ptx_source *s = calloc(1, sizeof *s);
    if (!s)
        return wl_fail_memory(err);
    s->ptx = ptx;
    s->launch.module = ptx->module;
    wl_status status = wl_ptx_copy_options(options, &s->arena, &s->options, err);
    if (status == WL_OK)
        status = wl_ptx_find_entry(s->launch.module, options->entry, &s->launch.entry, err);
    if (status == WL_OK)
        status = make(s, out, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, s->launch.module->input);
        wl_ptx_source_free(s);
    }
    return status;
}

void wl_ptx_source_free(void *context)
{
    wl_ptx_source *s = context;
    free(s->traced);
    wl_ptx_cache_free(s->cache);
    wl_ptx_census_free(&s->census);
    wl_ptx_emulator_free(s->emulator);
    wl_ptx_recovery_free(&s->recovery);
    wl_arena_free(&s->arena);
    free(s);
}
