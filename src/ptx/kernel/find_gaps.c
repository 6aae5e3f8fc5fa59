/* find_gaps.c - finds what predictions of a kernel leave out or guess (kernel/gaps.h): operations
 * that move data and are only counted, and control flow or addresses that depend on contents that
 * are not given, or on results that are not computed.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"
#include "ptx/async/async_form.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/kernel/unknown_origin.h"
#include "ptx/module/flow.h"
#include "ptx/module/source_place.h"
#include "ptx/module/tensor.h"

#define GAPS_MAX 32
#define GUESSES_MAX 256 /* looked at: kernels with more have gaps enough */
#define TEXTS_MAX 8
#define TEXT_LENGTH 240
#define OPERATION_LENGTH 64
#define PLACE_LENGTH 120

typedef struct finder {
    wl_ptx_source *source;
    const wl_ptx_fields *fields;
    wl_kernel *kernel;
    wl_arena scratch;
    wl_ptx_slicer *slicers; /* by function; made when needed */
    wl_ptx_flow *flows;     /* likewise */
    bool *on_side;          /* by basic block; scratch */
    int32_t *work;          /* the same */
    wl_gap *gaps;
    wl_ptx_origin origins[GAPS_MAX]; /* by gap */
    size_t count;
} finder;

/* ---- instructions ---- */

/* Does it move data, or multiply in a way that is not modelled? Not prefetches: what they fetch is
 * counted where it is loaded. */
static bool moves_data(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_unknown: return true;
    case WL_PTX_OP_tcgen05_mma: /* of a shape that is not known */ return in->descriptor == 0;
    case WL_PTX_OP_mbarrier:
    case WL_PTX_OP_movmatrix:
    case WL_PTX_OP_shfl: return false;
    case WL_PTX_OP_cp_bulk:
        if (wl_ptx_is_bulk_prefetch(in))
            return false;
        break;
    default: break;
    }
    const wl_inst_class c = wl_ptx_class_of(in);
    return c == WL_INST_load || c == WL_INST_store || c == WL_INST_shared || c == WL_INST_atomic;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':';
}

/* "cp.async.bulk.tensor": the parts of the mnemonic before shapes and qualified spaces. */
static void operation_of(const wl_ptx_module *m, const wl_ptx_instruction *in, char *out, size_t size)
{
    const char *at = in->text, *const end = in->text + in->text_length;
    if (in->op == WL_PTX_OP_call) {
        const wl_ptx_operand *callee = &in->operands[1];
        const wl_ptx_function *called =
            callee->kind == WL_PTX_OPERAND_FUNCTION && callee->first >= 0 ? &m->functions[callee->first] : NULL;
        const char *name = !called ? "" : called->source_name ? called->source_name : called->name;
        (void)snprintf(out, size, "call%s%.40s", *name ? " " : "", name);
        return;
    }
    if (in->op == WL_PTX_OP_tex || in->op == WL_PTX_OP_suld || in->op == WL_PTX_OP_sust) {
        const char *name = wl_ptx_op_info_of(in->op)->mnemonic;
        (void)snprintf(out, size, "%.*s", (int)strcspn(name, " "), name);
        return;
    }
    while (at < end && *at == '@') /* the guard */
        while (at < end && (*at == '@' || *at == '!' || *at == '%' || is_word(*at)))
            at++;
    while (at < end && !is_word(*at))
        at++;
    size_t length = 0, part = 0;
    for (const char *c = at; c < end && is_word(*c) && length + 1 < size; c++) {
        if (*c == '.')
            part = length;
        const bool shape = *c == '.' && c + 1 < end && c[1] >= '0' && c[1] <= '9';
        if (shape || *c == ':') {
            length = *c == ':' ? part : length;
            break;
        }
        out[length++] = *c;
    }
    out[length] = '\0';
}

/* Executions by warps in the launch; of branches, whether or not they are taken. */
static double executions_of(const wl_ptx_source *s, int32_t function, int32_t instruction, bool taken)
{
    const int32_t at = s->profile.first[function] + instruction;
    if (s->has_census)
        return taken ? s->census.total.warps_on[at] : s->census.total.warps[at];
    if (&s->launch.module->functions[function] != s->launch.entry)
        return 0;
    const int64_t *b = s->launch.block, *g = s->launch.grid;
    return (double)g[0] * (double)g[1] * (double)g[2] * (double)wl_ceil_div(b[0] * b[1] * b[2], WL_PTX_LANES) *
           s->recovery.executed[instruction];
}

/* ---- the list ---- */

static bool same_buffers(const wl_ptx_origin *a, const wl_ptx_origin *b)
{
    return a->buffer_count == b->buffer_count &&
           memcmp(a->buffers, b->buffers, (size_t)a->buffer_count * sizeof *a->buffers) == 0;
}

/* Adds a gap, or its executions to one of the same operation at the same place. */
static wl_status add_gap(finder *f, wl_gap_reason reason, int32_t function, int32_t instruction,
                         const wl_ptx_origin *origin, wl_error *err)
{
    const wl_ptx_module *m = f->source->launch.module;
    const wl_ptx_instruction *in = &m->functions[function].instructions[instruction];
    const double executions = executions_of(f->source, function, instruction, reason == WL_GAP_UNCOUNTED);
    char operation[OPERATION_LENGTH], place[PLACE_LENGTH];
    if (!(executions > 0))
        return WL_OK;
    operation_of(m, in, operation, sizeof operation);
    wl_ptx_place_text(m, in, place, sizeof place);
    for (size_t i = 0; i < f->count; i++)
        if (f->gaps[i].reason == reason && strcmp(f->gaps[i].operation, operation) == 0 &&
            strcmp(f->gaps[i].place, place) == 0 && same_buffers(&f->origins[i], origin)) {
            f->gaps[i].executions += executions;
            return WL_OK;
        }
    if (f->count == GAPS_MAX)
        return WL_OK;
    wl_gap *gap = &f->gaps[f->count];
    wl_arena *arena = &f->kernel->arena;
    *gap = (wl_gap){.reason = reason,
                    .operation = wl_arena_text(arena, operation, strlen(operation)),
                    .place = wl_arena_text(arena, place, strlen(place)),
                    .executions = executions,
                    .buffer_count = origin->buffer_count};
    bool failed = !gap->operation || !gap->place;
    for (int b = 0; b < gap->buffer_count; b++) {
        const char *name = origin->buffers[b]->name;
        gap->buffers[b] = wl_arena_text(arena, name, strlen(name));
        failed = failed || !gap->buffers[b];
    }
    f->origins[f->count++] = *origin;
    return failed ? wl_fail_memory(err) : WL_OK;
}

/* ---- what is only counted ---- */

static const wl_ptx_origin no_origin = {.uncomputed = -1};

static bool may_be_uncounted(const finder *f, int32_t function, int32_t instruction)
{
    const wl_ptx_source *s = f->source;
    const wl_ptx_instruction *in = &s->launch.module->functions[function].instructions[instruction];
    const bool within = in->op == WL_PTX_OP_cp_bulk && in->space == WL_PTX_SHARED && in->to_space == WL_PTX_SHARED;
    return within || (wl_ptx_is_only_counted(s->emulator, function, instruction) && moves_data(in));
}

/* Is there an instruction whose executions must be known? Then blocks are followed, unless all
 * threads execute the same. */
static bool needs_census(const finder *f)
{
    const wl_ptx_source *s = f->source;
    const wl_ptx_module *m = s->launch.module;
    if (s->has_census || s->recovery.uniform)
        return false;
    if (wl_ptx_flow_reads_data(s->emulator))
        return true;
    for (int32_t k = 0; k < m->function_count; k++)
        for (int32_t i = 0; i < m->functions[k].instruction_count && wl_ptx_may_execute(s, &m->functions[k]); i++)
            if (may_be_uncounted(f, k, i))
                return true;
    return false;
}

static wl_status find_uncounted(finder *f, wl_error *err)
{
    const wl_ptx_source *s = f->source;
    const wl_ptx_module *m = s->launch.module;
    for (int32_t k = 0; k < m->function_count; k++)
        for (int32_t i = 0; i < m->functions[k].instruction_count && wl_ptx_may_execute(s, &m->functions[k]); i++)
            if (may_be_uncounted(f, k, i))
                WL_TRY(add_gap(f, WL_GAP_UNCOUNTED, k, i, &no_origin, err));
    return WL_OK;
}

/* ---- what depends on unknown values ---- */

/* Does an instruction make it matter whether its block is executed? */
static bool matters(const wl_ptx_instruction *in)
{
    return moves_data(in) || in->op == WL_PTX_OP_bar || in->op == WL_PTX_OP_call || in->op == WL_PTX_OP_mbarrier;
}

/* Do lanes reach, on one side of a branch and before they reconverge, an access, a barrier, a call,
 * a loop or an exit? Otherwise a wrong guess costs a few instructions. */
static wl_status decides(finder *f, int32_t function, int32_t instruction, bool *out, wl_error *err)
{
    const wl_ptx_function *of = &f->source->launch.module->functions[function];
    const wl_ptx_flow *flow = &f->flows[function];
    *out = matters(&of->instructions[instruction]);
    if (of->instructions[instruction].op != WL_PTX_OP_bra)
        return WL_OK;
    if (!flow->first)
        WL_TRY(wl_ptx_flow_make(of, &f->scratch, &f->flows[function], err));
    const int32_t from = flow->block_of[instruction], join = flow->meeting[from];
    int32_t count = 0;
    memset(f->on_side, 0, (size_t)flow->block_count * sizeof *f->on_side);
    *out = join < 0;
    f->on_side[from] = true;
    f->work[count++] = from;
    while (count > 0 && !*out) {
        const int32_t block = f->work[--count];
        for (int32_t i = flow->first[block]; i < flow->first[block + 1] && block != from; i++)
            *out = *out || matters(&of->instructions[i]);
        for (int32_t e = flow->edge_first[block]; e < flow->edge_first[block + 1]; e++) {
            const int32_t to = flow->edges[e];
            if (to == flow->block_count || wl_ptx_flow_is_back(flow, block, to)) {
                *out = true;
            } else if (!f->on_side[to] && flow->first[to] != join) {
                f->on_side[to] = true;
                f->work[count++] = to;
            }
        }
    }
    return WL_OK;
}

static wl_status slicer_of(finder *f, int32_t function, wl_ptx_slicer **out, wl_error *err)
{
    *out = &f->slicers[function];
    if ((*out)->source)
        return WL_OK;
    return wl_ptx_slicer_make(f->source, f->fields, function, &f->scratch, *out, err);
}

/* *is_false: only warps that ran alone assumed it; in a block, shared memory holds the value. */
static wl_status look_at_guess(finder *f, const wl_ptx_assumption *a, bool *is_false, wl_error *err)
{
    const wl_gap_reason reason = a->what == WL_PTX_ASSUMED_LOOP      ? WL_GAP_TRIPS
                                 : a->what == WL_PTX_ASSUMED_ADDRESS ? WL_GAP_ADDRESS
                                                                     : WL_GAP_BRANCH;
    wl_ptx_slicer *slicer;
    bool decisive = true;
    WL_TRY(slicer_of(f, a->function, &slicer, err));
    const wl_ptx_origin origin = wl_ptx_origin_of(slicer, a->instruction, reason == WL_GAP_ADDRESS);
    *is_false = a->alone && origin.through_shared;
    if (reason == WL_GAP_BRANCH)
        WL_TRY(decides(f, a->function, a->instruction, &decisive, err));
    if (!decisive || *is_false)
        return WL_OK;
    if (origin.buffer_count == 0 && origin.uncomputed < 0)
        return WL_OK; /* what blocks or warps tell each other */
    return add_gap(f, reason, a->function, a->instruction, &origin, err);
}

static wl_status find_guesses(finder *f, wl_error *err)
{
    wl_ptx_source *s = f->source;
    const size_t count = (size_t)wl_min((int64_t)wl_ptx_assumption_count(s->emulator), GUESSES_MAX);
    s->is_false_note = WL_ARENA_NEW(&s->arena, bool, count + 1);
    if (!s->is_false_note)
        return wl_fail_memory(err);
    s->false_note_room = count;
    for (size_t i = 0; i < count; i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(s->emulator, i);
        const wl_ptx_instruction *in = &s->launch.module->functions[a.function].instructions[a.instruction];
        switch (a.what) {
        case WL_PTX_ASSUMED_BRANCH:
        case WL_PTX_ASSUMED_LOOP:
        case WL_PTX_ASSUMED_ADDRESS: WL_TRY(look_at_guess(f, &a, &s->is_false_note[i], err)); break;
        case WL_PTX_ASSUMED_RESULT: /* with unknown operands; others were found before */
            if (moves_data(in) && !may_be_uncounted(f, a.function, a.instruction))
                WL_TRY(add_gap(f, WL_GAP_UNCOUNTED, a.function, a.instruction, &no_origin, err));
            break;
        case WL_PTX_ASSUMED_CALL:
        case WL_PTX_ASSUMED_TEXTURE:
            if (!may_be_uncounted(f, a.function, a.instruction))
                WL_TRY(add_gap(f, WL_GAP_UNCOUNTED, a.function, a.instruction, &no_origin, err));
            break;
        case WL_PTX_ASSUMED_BARRIER:
        case WL_PTX_ASSUMED_WAIT:
        case WL_PTX_ASSUMED_START: break;
        }
    }
    return WL_OK;
}

/* ---- in words ---- */

static wl_status add_text(finder *f, const char *text, wl_error *err)
{
    wl_kernel *k = f->kernel;
    if (k->gap_text_count == TEXTS_MAX)
        return WL_OK;
    k->gap_texts[k->gap_text_count] = wl_arena_text(&k->arena, text, strlen(text));
    return k->gap_texts[k->gap_text_count++] ? WL_OK : wl_fail_memory(err);
}

/* One sentence for all gaps of an operation. */
static wl_status say_uncounted(finder *f, size_t first, wl_error *err)
{
    const int64_t *g = f->source->launch.grid;
    const double blocks = (double)g[0] * (double)g[1] * (double)g[2];
    char text[TEXT_LENGTH];
    double executions = 0;
    for (size_t i = 0; i < f->count; i++) {
        const bool same =
            f->gaps[i].reason == WL_GAP_UNCOUNTED && strcmp(f->gaps[i].operation, f->gaps[first].operation) == 0;
        if (same && i < first)
            return WL_OK; /* said before */
        executions += same ? f->gaps[i].executions : 0;
    }
    const bool often = executions >= blocks;
    (void)wl_print(text, sizeof text, "this prediction leaves out %.4g %s per %s (%s): volumes and time are too low",
                   often ? executions / blocks : executions, f->gaps[first].operation, often ? "block" : "launch",
                   wl_ptx_last_part(f->gaps[first].place));
    return add_text(f, text, err);
}

/* How the contents are given: "--arg rows=buf:4100=FILE". */
static void say_form(const wl_ptx_buffer *b, char *out, size_t size)
{
    const char *dot = strchr(b->name, '.'), *name = strncmp(b->name, "arg ", 4) == 0 ? b->name + 4 : b->name;
    if (b->argument < 0)
        (void)snprintf(out, size, "--constant %.31s=FILE", b->name);
    else if (b->texture)
        (void)snprintf(out, size, "--arg %.31s=tex:..=FILE", name);
    else if (dot)
        (void)snprintf(out, size, "--arg %.*s={.., buf:%lld=FILE, ..}", (int)(dot - b->name), b->name,
                       (long long)b->bytes);
    else
        (void)snprintf(out, size, "--arg %.31s=buf:%lld=FILE", name, (long long)b->bytes);
}

static size_t first_of(const finder *f, wl_gap_reason reason)
{
    size_t i = 0;
    while (i < f->count && f->gaps[i].reason != reason)
        i++;
    return i;
}

/* As --arg names the types of contents; PTX loads bits without a type as well. */
static const char *content_type(wl_ptx_type type)
{
    static const char *const of_bits[] = {"u8", "u16", "u32", "u64"};
    const char *name = wl_ptx_type_name(type);
    const int bits = wl_ptx_type_bits(type);
    if (name[0] == 'u' || name[0] == 's' || type == WL_PTX_F32 || type == WL_PTX_F64)
        return name;
    return of_bits[bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3];
}

/* One sentence for all gaps of a reason: the names of all buffers, the place of the first. */
static wl_status say_guess(finder *f, wl_gap_reason reason, wl_error *err)
{
    static const char *const what[WL_GAP_REASON_COUNT] = {"", "trip counts depend", "branches depend",
                                                          "addresses depend"};
    static const char *const guess[WL_GAP_REASON_COUNT] = {"", "one trip is assumed", "zeros are assumed",
                                                           "random elements are assumed"};
    const size_t first = first_of(f, reason);
    const bool address = reason == WL_GAP_ADDRESS;
    const wl_ptx_buffer *given = NULL;
    const char *type = "u32";
    char text[TEXT_LENGTH], names[80] = "", form[100];
    size_t used = 0;
    if (first == f->count)
        return WL_OK;
    for (size_t i = first; i < f->count; i++)
        for (int b = 0; f->gaps[i].reason == reason && b < f->gaps[i].buffer_count; b++) {
            const char *name = f->gaps[i].buffers[b];
            if (strstr(names, name) || used + strlen(name) + 3 > sizeof names)
                continue;
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
            if (given)
                continue;
            given = f->origins[i].buffers[b];
            type = content_type(f->origins[i].types[b]);
        }
    if (given) {
        say_form(given, form, sizeof form);
        (void)wl_print(text, sizeof text,
                       "%s on the contents of %s, which are not given: %s (%s); give them: %s, or generate them: "
                       "%s%s%s",
                       what[reason], names, guess[reason], wl_ptx_last_part(f->gaps[first].place), form,
                       address ? "=random:" : "=iota:", type, address ? ":0..LAST" : ":0:32");
    } else {
        const int32_t at = f->origins[first].uncomputed;
        char operation[OPERATION_LENGTH];
        const wl_ptx_module *m = f->source->launch.module;
        operation_of(m, &f->source->launch.entry->instructions[at], operation, sizeof operation);
        (void)wl_print(text, sizeof text, "%s on results of %s, which are not computed: %s (%s)", what[reason],
                       operation, guess[reason], wl_ptx_last_part(f->gaps[first].place));
    }
    return add_text(f, text, err);
}

static wl_status say(finder *f, wl_error *err)
{
    f->kernel->gap_texts = WL_ARENA_NEW(&f->kernel->arena, const char *, TEXTS_MAX);
    if (!f->kernel->gap_texts)
        return wl_fail_memory(err);
    for (int r = WL_GAP_TRIPS; r < WL_GAP_REASON_COUNT; r++)
        WL_TRY(say_guess(f, (wl_gap_reason)r, err));
    for (size_t i = 0; i < f->count; i++)
        if (f->gaps[i].reason == WL_GAP_UNCOUNTED)
            WL_TRY(say_uncounted(f, i, err));
    return WL_OK;
}

static wl_status find(finder *f, wl_error *err)
{
    f->slicers = WL_ARENA_NEW(&f->scratch, wl_ptx_slicer, f->source->launch.module->function_count + 1);
    f->flows = WL_ARENA_NEW(&f->scratch, wl_ptx_flow, f->source->launch.module->function_count + 1);
    f->gaps = WL_ARENA_NEW(&f->kernel->arena, wl_gap, GAPS_MAX);
    int32_t most = 0; /* blocks of a function: at most its instructions */
    for (int32_t k = 0; k < f->source->launch.module->function_count; k++)
        most = (int32_t)wl_max(most, f->source->launch.module->functions[k].instruction_count);
    f->on_side = WL_ARENA_NEW(&f->scratch, bool, most + 1);
    f->work = WL_ARENA_NEW(&f->scratch, int32_t, most + 1);
    if (!f->slicers || !f->flows || !f->gaps || !f->on_side || !f->work)
        return wl_fail_memory(err);
    if (needs_census(f))
        WL_TRY(wl_ptx_take_census(f->source, err));
    WL_TRY(find_uncounted(f, err));
    WL_TRY(find_guesses(f, err));
    f->kernel->gaps = f->gaps;
    f->kernel->gap_count = f->count;
    return f->count > 0 ? say(f, err) : WL_OK;
}

wl_status wl_ptx_find_gaps(wl_ptx_source *source, const wl_ptx_fields *fields, wl_kernel *kernel, wl_error *err)
{
    finder f = {.source = source, .fields = fields, .kernel = kernel};
    const wl_status status = find(&f, err);
    wl_arena_free(&f.scratch);
    return status;
}
