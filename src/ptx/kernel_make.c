/* kernel_make.c - a kernel from PTX, stage by stage.
 *
 *   arguments   what the entry is called with              -> parameters, buffers           arguments
 *   recovery    followed once for all threads              -> addresses as expressions      recover
 *   rolled      steps that repeat                          -> accesses in loops             rolled
 *   verified    some warps, emulated                       -> the same addresses, or none   verify
 *   traced      what depends on data                       -> instructions to emulate       trace
 *   text        all of it but what is traced               -> a kernel file                 text
 *   kernel      that file, read, with the traced accesses, the instruction counts and the assumptions   here
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/number.h"
#include "ptx/cost.h"
#include "ptx/source.h"
#include "ptx/tensor.h"
#include "warpline/ptx.h"

#define DEFAULT_BUDGET 40000000 /* warp instructions of a block */
#define NOTES_MAX 16
#define NOTE_LENGTH 200
#define BLOCKS_MAX ((int64_t)1 << 40)

/* ---- the launch ---- */

static wl_status copy_options(const wl_ptx_options *from, wl_arena *arena, wl_ptx_options *to, wl_error *err)
{
    const char **args = WL_ARENA_NEW(arena, const char *, from->arg_count + 1);
    bool ok = args != NULL;
    *to = *from;
    for (size_t i = 0; i < from->arg_count && ok; i++)
        ok = (args[i] = wl_arena_text(arena, from->args[i], strlen(from->args[i]))) != NULL;
    to->args = args;
    if (from->entry)
        ok = ok && (to->entry = wl_arena_text(arena, from->entry, strlen(from->entry))) != NULL;
    return ok ? WL_OK : wl_fail_memory(err);
}

static wl_status set_launch(wl_ptx_source *s, wl_error *err)
{
    wl_ptx_launch *l = &s->launch;
    const wl_launch *given = &s->options.launch;
    int64_t threads = 1, blocks = 1;
    for (int d = 0; d < 3; d++) {
        l->block[d] = given->block[d] > 0 ? given->block[d] : 1;
        l->grid[d] = given->grid[d] > 0         ? given->grid[d]
                     : s->options.domain[d] > 0 ? wl_ceil_div(s->options.domain[d], l->block[d])
                     : d > 0 && (given->grid[0] > 0 || s->options.domain[0] > 0) ? 1
                                                                                 : 0;
        if (l->grid[d] == 0)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                           "how many blocks? A kernel in PTX needs --grid, or --domain with the threads it is for");
        if (l->block[d] > 1024 || !wl_mul(threads, l->block[d], &threads) || threads > 1024)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a block has at most 1024 threads (%lldx%lldx%lld is more)",
                           (long long)given->block[0], (long long)given->block[1], (long long)given->block[2]);
        if (!wl_mul(blocks, l->grid[d], &blocks) || blocks > BLOCKS_MAX)
            return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "the grid has more than 2^40 blocks");
    }
    l->dynamic_shared = s->options.dynamic_shared;
    l->budget = s->options.budget > 0 ? s->options.budget : DEFAULT_BUDGET;
    l->arguments = &s->arguments;
    for (int d = 0; d < 3; d++)
        if (l->entry->required_threads[0] > 0 && l->entry->required_threads[d] != l->block[d])
            return wl_fail(err, WL_E_INPUT, (wl_loc){l->entry->line, 1, 1},
                           "the kernel requires blocks of %lldx%lldx%lld threads (.reqntid)",
                           (long long)l->entry->required_threads[0], (long long)l->entry->required_threads[1],
                           (long long)l->entry->required_threads[2]);
    int64_t most = 1;
    for (int d = 0; d < 3; d++) /* no block has more than 1024 */
        most *= wl_min(wl_max(1, l->entry->max_threads[d]), 1024);
    if (l->entry->max_threads[0] > 0 && threads > most)
        return wl_fail(err, WL_E_INPUT, (wl_loc){l->entry->line, 1, 1},
                       "the kernel was compiled for at most %lld threads per block (.maxntid), not %lld",
                       (long long)most, (long long)threads);
    return WL_OK;
}

/* ---- instructions ---- */

/* What one thread of the domain executes, where all execute the same. */
static void summarize(const wl_ptx_source *s, wl_ptx_summary *out)
{
    const wl_ptx_function *f = s->launch.entry;
    const double *weights = s->weights[f - s->launch.module->functions];
    const int32_t *counted_as = s->counted_as[f - s->launch.module->functions];
    const wl_ptx_recovery *r = &s->recovery;
    out->barriers = r->barriers;
    out->has_mix = out->has_flops = r->uniform;
    for (int32_t i = 0; i < f->instruction_count && r->uniform; i++) {
        out->mix[wl_ptx_class_of(&f->instructions[i])] += r->executed[counted_as[i]] * weights[i];
        out->idle += r->idle[i] * weights[i];
        out->shuffles += f->instructions[i].op == WL_PTX_OP_shfl ? r->executed[i] : 0;
        out->flops += r->executed[i] * wl_ptx_flops(&f->instructions[i]);
        wl_ptx_tensor_add(&f->instructions[i], r->executed[i] / WL_PTX_LANES, out->tensor, out->tensor_groups);
        out->fp_results += wl_ptx_flops(&f->instructions[i]) > 0 ? r->executed[i] : 0;
    }
    if (out->idle > 0)
        out->idle += 1; /* the end of a thread that goes home at once */
}

static wl_status weigh(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    s->weights = WL_ARENA_NEW(&s->arena, const double *, m->function_count + 1);
    s->counted_as = WL_ARENA_NEW(&s->arena, const int32_t *, m->function_count + 1);
    if (!s->weights || !s->counted_as)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++)
        WL_TRY(wl_ptx_weigh(m, &m->functions[f], &s->arena, &s->weights[f], &s->counted_as[f], err));
    return WL_OK;
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

/* Follows the kernel; where emulated warps do something else, everything is traced. */
static wl_status recover(wl_ptx_source *s, wl_ptx_rolled *rolled, int32_t *wrong, wl_error *err)
{
    const double *weights = s->weights[s->launch.entry - s->launch.module->functions];
    bool agrees = true;
    *wrong = -1;
    WL_TRY(wl_ptx_recover(&s->launch, &s->arena, &s->recovery, err));
    WL_TRY(wl_ptx_roll(&s->launch, &s->recovery, weights, &s->arena, rolled, err));
    WL_TRY(wl_ptx_verify(s, &agrees, wrong, err));
    if (!agrees) {
        s->recovery.gave_up = true;
        s->recovery.uniform = false;
        WL_TRY(wl_ptx_roll(&s->launch, &s->recovery, weights, &s->arena, rolled, err));
    } else {
        *wrong = -1;
    }
    mark_traced(s);
    return anything_traced(s) ? wl_ptx_find_traced(s, err) : WL_OK;
}

/* Do the addresses of a step jump about? Those with nothing but coordinates in them do not. */
static bool step_jumps(const wl_ptx_source *s, const wl_ptx_step *step)
{
    const wl_ptx_launch *l = &s->launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2];
    wl_ptx_jumps jumps = {0};
    bool linear = true;
    for (int i = 0; i < step->address->count; i++)
        linear = linear && step->address->terms[i].atom->op == WL_ATOM_VAR;
    for (int64_t b = 0; b < 4 && !linear; b++) {
        int64_t block[3], address;
        wl_ptx_sample_block(l, b, 4, block);
        jumps.started = false;
        for (int64_t t = 0; t < threads; t++) {
            int64_t values[WL_VAR_COUNT];
            wl_ptx_thread_values(l, block, t, values);
            if (wl_sym_eval(step->address, values, &address))
                wl_ptx_jumps_add(&jumps, address);
        }
    }
    return wl_ptx_jumps_about(&jumps);
}

static wl_status find_fields(const wl_ptx_source *s, const wl_ptx_rolled *rolled, wl_arena *arena, wl_ptx_fields *out,
                             wl_error *err)
{
    const wl_ptx_function *f = s->launch.entry;
    out->list = WL_ARENA_NEW(arena, wl_ptx_field, s->arguments.buffer_count + 2);
    if (!out->list)
        return wl_fail_memory(err);
    for (size_t i = 0; i < rolled->count; i++) {
        const wl_ptx_access *a = &rolled->accesses[i];
        wl_ptx_field *field = &out->list[wl_ptx_field_of(out, a->buffer, &f->instructions[a->step->instruction])];
        field->random = field->random || (!a->step->store && step_jumps(s, a->step));
    }
    for (size_t i = 0; i < s->traced_count; i++) {
        const wl_ptx_traced *t = &s->traced[i];
        const wl_ptx_instruction *in = &s->launch.module->functions[t->function].instructions[t->instruction];
        wl_ptx_field *field = &out->list[wl_ptx_field_of(out, t->buffer, in)];
        field->random = field->random || (!t->store && wl_ptx_jumps_about(&t->jumps));
    }
    return WL_OK;
}

/* A text of the PTX file on one line, of characters that any output may have. */
static void make_line(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = *c == '\n' || *c == '\t' || *c == '\r' ? ' ' : '?';
}

/* Adds the traced accesses behind those of the kernel file. */
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
        make_line(text);
        all[k->access_count++] = (wl_access){.store = t->store,
                                             .atomic = t->atomic,
                                             .traced = true,
                                             .field = wl_ptx_field_of(fields, t->buffer, in),
                                             .width_bytes = t->bytes,
                                             .unit_bytes = t->bytes,
                                             .index = &zero,
                                             .text = text,
                                             .loc = {in->line, in->column, in->text_length}};
    }
    k->accesses = all;
    return WL_OK;
}

/* ---- notes ---- */

typedef struct notes {
    wl_kernel *kernel;
    bool failed;
} notes;

static void note(notes *n, const char *format, ...) WL_PRINTF(2, 3);

static void note(notes *n, const char *format, ...)
{
    char text[NOTE_LENGTH];
    va_list args;
    if (n->kernel->note_count == NOTES_MAX)
        return;
    va_start(args, format);
    (void)wl_print_list(text, sizeof text, format, args);
    va_end(args);
    make_line(text);
    const char *kept = wl_arena_text(&n->kernel->arena, text, strlen(text));
    n->failed = n->failed || !kept;
    if (kept)
        n->kernel->notes[n->kernel->note_count++] = kept;
}

static const char *assumed_text(wl_ptx_assumed what)
{
    switch (what) {
    case WL_PTX_ASSUMED_BRANCH: return "a condition depends on data that is not given: 0 is assumed";
    case WL_PTX_ASSUMED_ADDRESS: return "the address depends on data that is not given: random elements are assumed";
    case WL_PTX_ASSUMED_LOOP: return "how often this loop runs depends on data that is not given: once is assumed";
    case WL_PTX_ASSUMED_RESULT: return "the result of this instruction is not computed";
    case WL_PTX_ASSUMED_BARRIER: return "not all warps reach this barrier: they are let through";
    case WL_PTX_ASSUMED_CALL: return "the function that is called is not in this file: its result is unknown";
    }
    return "";
}

static wl_status add_notes(wl_ptx_source *s, int32_t wrong, wl_kernel *k, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    notes n = {k, false};
    k->notes = WL_ARENA_NEW(&k->arena, const char *, NOTES_MAX);
    if (!k->notes)
        return wl_fail_memory(err);
    for (size_t i = 0; i < wl_ptx_assumption_count(s->emulator); i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(s->emulator, i);
        const wl_ptx_instruction *in = &m->functions[a.function].instructions[a.instruction];
        note(&n, "%s:%d: %s (%.*s)", m->input, in->line, assumed_text(a.what), (int)wl_min(in->text_length, 60),
             in->text);
    }
    for (int32_t i = 0; i < s->launch.entry->instruction_count; i++)
        if (s->launch.entry->instructions[i].op == WL_PTX_OP_unknown)
            note(&n, "%s:%d: not understood, and not modelled: %.*s", m->input, s->launch.entry->instructions[i].line,
                 (int)wl_min(s->launch.entry->instructions[i].text_length, 80), s->launch.entry->instructions[i].text);
    if (wrong >= 0)
        note(&n, "%s:%d: the recovered addresses are not those of emulated warps; every access is emulated", m->input,
             s->launch.entry->instructions[wrong].line);
    if (s->traced_count > 0)
        note(&n, "%zu of %zu accesses have addresses that depend on data: they are emulated", s->traced_count,
             k->access_count);
    if (wl_ptx_has_local(&s->launch))
        note(&n,
             "local memory (the stack): what misses the L1 and the L2 is estimated from how much of it is resident");
    return n.failed ? wl_fail_memory(err) : WL_OK;
}

/* ---- the kernel ---- */

/* The plain part of a mangled name: _Z8k_star3dIdLi4EEv.. is k_star3d. */
static const char *plain_name(const wl_ptx_source *s, wl_arena *arena)
{
    const char *name = s->launch.entry->name, *p = name;
    size_t length = strlen(name);
    if (strncmp(p, "_Z", 2) == 0) {
        p += 2;
        char *end = NULL;
        if (*p == 'N')
            p++;
        const unsigned long n = strtoul(p, &end, 10);
        if (end > p && n > 0 && n <= strlen(end)) {
            name = end;
            length = n;
        }
    }
    return wl_arena_text(arena, name, length);
}

static wl_status at_launch(const wl_kernel *kernel, const wl_launch *launch, wl_kernel **out, wl_error *err)
{
    const wl_ptx_source *s = kernel->tracer.context;
    wl_ptx_options options = s->options;
    options.launch = *launch;
    if (!launch->registers)
        options.launch.registers = s->options.launch.registers;
    if (!launch->shared_bytes)
        options.launch.shared_bytes = s->options.launch.shared_bytes;
    for (int d = 0; d < 3 && launch->grid[0] == 0 && s->options.domain[0] == 0; d++)
        if (d < kernel->dims)
            options.launch.grid[d] = wl_ceil_div(kernel->domain[d], wl_max(1, launch->block[d]));
    return wl_kernel_from_ptx(s->ptx, &options, out, err);
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

/* Everything the kernel file does not say. */
static wl_status complete(wl_ptx_source *s, wl_ptx_fields *fields, int32_t wrong, wl_kernel *k, wl_error *err)
{
    WL_TRY(add_traced(s, fields, k, err));
    WL_TRY(add_notes(s, wrong, k, err));
    k->coordinate_reads = thread_index_reads(s->launch.entry);
    k->stream.count = wl_ptx_count;
    k->stream.local = wl_ptx_has_local(&s->launch) ? wl_ptx_visit_local : NULL;
    k->stream.context = s;
    k->tracer.block = wl_ptx_trace_block;
    k->tracer.warp_size = WL_PTX_LANES;
    k->tracer.affordable = s->affordable;
    for (size_t i = 0; i < k->field_count; i++)
        k->fields[i].bytes = fields->list[i].buffer ? fields->list[i].buffer->bytes : 0;
    if (s->recovery.symbols.launch_bound || s->traced_count > 0 || !s->recovery.uniform)
        k->at_launch = at_launch;
    return WL_OK;
}

static wl_status make(wl_ptx_source *s, wl_kernel **out, wl_error *err)
{
    wl_ptx_rolled rolled;
    wl_ptx_fields fields = {0};
    int32_t wrong;
    WL_TRY(set_launch(s, err));
    WL_TRY(wl_ptx_arguments_make(s->launch.module, s->launch.entry, &s->options, &s->arena, &s->arguments, err));
    WL_TRY(wl_ptx_emulator_new(&s->launch, &s->emulator, err));
    WL_TRY(wl_ptx_profile_make(s->launch.module, &s->arena, &s->profile, err));
    WL_TRY(weigh(s, err));
    s->is_traced = WL_ARENA_NEW(&s->arena, bool, s->profile.count + 1);
    s->first_traced = WL_ARENA_NEW(&s->arena, int32_t, s->profile.count + 1);
    if (!s->is_traced || !s->first_traced)
        return wl_fail_memory(err);
    memset(s->first_traced, -1, (size_t)(s->profile.count + 1) * sizeof *s->first_traced);
    WL_TRY(recover(s, &rolled, &wrong, err));
    WL_TRY(find_fields(s, &rolled, &s->arena, &fields, err));

    const int64_t shared = s->options.launch.shared_bytes; /* what ptxas allocates */
    wl_ptx_summary summary = {.input = s->launch.module->input,
                              .name = plain_name(s, &s->arena),
                              .registers = s->options.launch.registers,
                              .shared_bytes = shared ? shared : s->arguments.shared_bytes + s->launch.dynamic_shared};
    if (!summary.name)
        return wl_fail_memory(err);
    summarize(s, &summary);
    char *text = NULL;
    WL_TRY(wl_ptx_kernel_text(&s->launch, &s->recovery, &rolled, &fields, &summary, &text, err));
    wl_kernel *kernel = NULL;
    wl_error of_text = {0};
    wl_status status = wl_kernel_parse(s->launch.module->input, text, strlen(text), NULL, &kernel, &of_text);
    free(text);
    if (status != WL_OK)
        return wl_fail(err, status, WL_NOWHERE, "the recovered kernel: %.220s", of_text.message);
    kernel->tracer.context = s; /* from here on the kernel frees it */
    kernel->tracer.free = wl_ptx_source_free;
    status = complete(s, &fields, wrong, kernel, err);
    if (status != WL_OK) {
        kernel->tracer.free = NULL;
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
    s->launch.module = (const wl_ptx_module *)ptx; /* its public name */
    wl_status status = copy_options(options, &s->arena, &s->options, err);
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
    wl_ptx_cache_free(s->cache);
    wl_ptx_emulator_free(s->emulator);
    wl_ptx_recovery_free(&s->recovery);
    wl_arena_free(&s->arena);
    free(s);
}
