/* native_run.c - runs kernels in machine code, and what they leave to the emulator. See native.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "ptx/emulate/native.h"
#include "ptx/emulate/native_machine.h"

/* A warp as the code sees it, and what the steps need that it calls. */
typedef struct seen {
    wl_native is; /* first: the code has a pointer to it */
    wl_ptx_machine *machine;
    int64_t looked_at;
    uint64_t executed;
    wl_status status;
    wl_error *err;
} seen;

static void count(seen *x)
{
    x->machine->looked_at = x->looked_at + x->is.count;
    x->machine->warp->executed = x->executed + (uint64_t)x->is.count;
}

/* The allocation that the emulator has found for a load or store: next time the code finds it. */
static void note_piece(wl_ptx_machine *m, const wl_ptx_step *s)
{
    const wl_ptx_buffer *b = m->recent[(uint32_t)s->number % WL_PTX_RECENT];
    const wl_ptx_op op = s->in->op;
    const int use = op == WL_PTX_OP_st                            ? WL_PTX_WRITES
                    : op == WL_PTX_OP_ld || op == WL_PTX_OP_ldu   ? WL_PTX_READS
                    : op == WL_PTX_OP_atom || op == WL_PTX_OP_red ? WL_PTX_READS | WL_PTX_WRITES
                                                                  : 0;
    if (!b || !b->own || !use)
        return;
    m->used[b - m->launch.arguments->buffers] |= (uint8_t)use;
    m->pieces[m->first[s->function] + s->number] = (wl_native_piece){b->own, b->base, (uint64_t)b->bytes};
}

static int32_t step(wl_native *native, int32_t number, uint32_t active, uint32_t mask)
{
    seen *x = (seen *)native;
    wl_ptx_machine *m = x->machine;
    const wl_ptx_step *s = &m->frame->program->steps[number];
    bool leaves = false;
    count(x);
    x->status = wl_ptx_run_step(m, s, active, mask, &leaves, x->err);
    if (x->status == WL_OK && s->kind == WL_PTX_STEP_RUN)
        note_piece(m, s);
    return leaves || x->status != WL_OK;
}

/* Room for the registers of a frame, and what is known of them at its begin. */
static bool begin(wl_ptx_machine *m, wl_ptx_frame *frame)
{
    wl_ptx_program *p = &m->programs[frame->program->number];
    if (p->native_bytes == 0)
        p->native_bytes = wl_native_bytes(p);
    const int32_t bytes = p->native_bytes;
    frame->fresh = false;
    if (frame->register_room < bytes) {
        free(frame->registers);
        frame->register_room = 0;
        frame->registers = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
        if (!frame->registers)
            return false;
        frame->register_room = bytes;
        memset(frame->registers, 0, (size_t)bytes);
    }
    if (p->reads_unset)
        memset(frame->registers, 0, (size_t)bytes);
    return true;
}

wl_status wl_native_run_path(wl_ptx_machine *m, wl_native_run run, int32_t *to, bool *ends, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const wl_ptx_program *p = frame->program;
    const wl_ptx_path *path = &frame->paths[frame->path_count - 1];
    if (!m->pieces)
        m->pieces = WL_ARENA_NEW(&m->arena, wl_native_piece, m->first[m->launch.module->function_count] + 1);
    if (!m->pieces || (frame->fresh && !begin(m, frame)))
        return wl_fail_memory(err);
    seen x = {.is = {.value = frame->value,
                     .registers = frame->registers,
                     .pieces = m->pieces + m->first[p->number],
                     .shared = {m->shared.data, 0, (uint64_t)m->shared_bytes},
                     .local = {m->warp->local.data, 0, (uint64_t)m->warp->local_bytes},
                     .local_lane = (uint64_t)m->warp->local_bytes,
                     .dead = ~m->warp->live,
                     .until = path->until,
                     .until_place = p->flow.place[p->flow.block_of[path->until]],
                     .alone = m->launch.one_thread,
                     .step = step},
              .machine = m,
              .looked_at = m->looked_at + WL_PTX_PATH_STEPS,
              .executed = m->warp->executed,
              .err = err};
    *to = run(&x.is, path->at, path->mask);
    count(&x);
    *ends = x.is.ends;
    if (*to < 0 && x.status == WL_OK)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no machine code begins at instruction %d", path->at);
    return x.status;
}

/* Marks the functions that a function may call. */
static void reach(const wl_ptx_machine *m, int32_t function, bool *reached)
{
    const wl_ptx_function *f = &m->launch.module->functions[function];
    if (reached[function])
        return;
    reached[function] = true;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        if (in->op != WL_PTX_OP_call)
            continue;
        if (in->operands[1].kind == WL_PTX_OPERAND_FUNCTION && in->operands[1].value >= 0)
            reach(m, (int32_t)in->operands[1].value, reached);
    }
}

bool wl_ptx_emulator_text(const wl_ptx_emulator *emulator, wl_buffer *out)
{
    const wl_ptx_machine *m = &emulator->machine;
    const int32_t entry = (int32_t)(m->launch.entry - m->launch.module->functions);
    bool *reached = calloc((size_t)m->launch.module->function_count, sizeof *reached), written = false;
    if (!reached || m->maps_blocks) {
        free(reached);
        return false;
    }
    reach(m, entry, reached);
    for (int32_t f = 0; f < m->launch.module->function_count; f++) {
        const wl_ptx_program *p = &m->programs[f];
        const size_t before = out->length;
        if (!reached[f] || !p->steps || p->function->instruction_count == 0)
            continue;
        if (wl_native_program_text(p, out)) {
            written = written || f == entry;
        } else if (out->text) { /* what was written of it */
            out->length = before;
            out->text[before] = '\0';
        }
    }
    free(reached);
    return written && !out->failed;
}
