/* emulate_order.c - atomics that order blocks: which instructions tell blocks of each other, and
 * what a block sees of those before it.
 *
 * Before the first run, blocks are rehearsed in launch order, as many as is affordable, and what
 * they leave in global memory is kept (launch_order.h). A counter from which every warp draws again
 * until its number is too large is treated apart: blocks run together, and take turns. In round k,
 * block b of n draws what k n + b blocks before it have left. How much a block takes in one round
 * is found by a trial run, in which a warp ends when it draws for the second time.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_order.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/room.h"
#include "ptx/module/def_use.h"

#define DRAWS_MAX 4096                    /* pairs of instruction and warp */
#define VERSIONS_MAX ((size_t)1 << 18)    /* of words, which are kept */
#define DEFAULT_STEPS ((int64_t)4000000)  /* of the rehearsal */
#define DAWDLING_STEPS ((int64_t)4000000) /* of the trial */

/* ---- which instructions tell blocks of each other ---- */

static bool may_be_global(wl_ptx_space space)
{
    return space == WL_PTX_GLOBAL || space == WL_PTX_GENERIC || space == WL_PTX_SPACE_NONE;
}

static bool is_executed(const wl_ptx_turn *turn)
{
    const wl_ptx_step *s = turn->step;
    return !turn->idle && s->kind == WL_PTX_STEP_RUN && s->of.run != wl_ptx_run_touch &&
           s->of.run != wl_ptx_run_counted;
}

static bool is_polled(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_ld && in->modifiers & WL_PTX_MOD_BYPASS && !wl_ptx_type_is_float(in->type);
}

static bool writes(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_red || in->op == WL_PTX_OP_atom;
}

/* Does the kernel write memory that its own loads may see? */
static bool leaves_words(const wl_ptx_function *f, const wl_ptx_turn *form)
{
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (writes(&f->instructions[i]) && may_be_global(f->instructions[i].space) && is_executed(&form[i]))
            return true;
    return false;
}

static bool tells(const wl_ptx_turn *turn, bool leaves)
{
    const wl_ptx_step *s = turn->step;
    if (!is_executed(turn) || !may_be_global(s->in->space))
        return false;
    return (s->in->op == WL_PTX_OP_atom && s->wanted) || (leaves && is_polled(s->in));
}

/* Registers that a loop writes, of a back edge. */
typedef struct loop_registers {
    int32_t *list;
    int32_t count;
    bool *seen; /* by register */
} loop_registers;

static void add_written(void *user, int32_t reg, bool written)
{
    loop_registers *r = user;
    if (!written || r->seen[reg])
        return;
    r->seen[reg] = true;
    r->list[r->count++] = reg;
}

static wl_status find_written(wl_ptx_machine *m, const wl_ptx_program *p, int32_t loop, wl_arena *scratch,
                              wl_ptx_waits *out, wl_error *err)
{
    const wl_ptx_function *f = p->function;
    loop_registers r = {.list = WL_ARENA_NEW(&m->arena, int32_t, f->register_count + 1),
                        .seen = WL_ARENA_NEW(scratch, bool, f->register_count + 1)};
    if (!r.list || !r.seen)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (wl_ptx_flow_in_loop(&p->flow, loop, p->flow.block_of[i]))
            wl_ptx_registers_of(f, &f->instructions[i], add_written, &r);
    *out = (wl_ptx_waits){r.list, r.count};
    return WL_OK;
}

/* That others may change. */
static bool looks_at_memory(const wl_ptx_turn *turn)
{
    const wl_ptx_instruction *in = turn->step->in;
    return is_executed(turn) && (is_polled(in) || in->op == WL_PTX_OP_atom);
}

/* May a warp wait in this loop for what other blocks or warps do? It polls memory that something
 * outside of the loop may change, and has no barrier. */
static bool may_wait(const wl_ptx_program *p, const wl_ptx_turn *form, int32_t loop)
{
    bool polls = false, meets = false, ends = false;
    for (int32_t i = 0; i < p->function->instruction_count && loop >= 0; i++) {
        const wl_ptx_instruction *in = &p->function->instructions[i];
        const bool inside = wl_ptx_flow_in_loop(&p->flow, loop, p->flow.block_of[i]);
        polls = polls || (inside && looks_at_memory(&form[i]));
        meets = meets || (inside && p->steps[i].kind == WL_PTX_STEP_BARRIER);
        ends = ends || (!inside && writes(in) && in->space != WL_PTX_LOCAL && in->space != WL_PTX_PARAM);
    }
    return polls && ends && !meets;
}

/* What a warp repeats in such a loop until another block has written: a lock is taken by one. */
static wl_status mark_polls(wl_ptx_machine *m, wl_ptx_program *p, wl_ptx_turn *form, int32_t loop, wl_error *err)
{
    for (int32_t i = 0; i < p->function->instruction_count; i++) {
        const wl_ptx_instruction *in = &p->function->instructions[i];
        if (!wl_ptx_flow_in_loop(&p->flow, loop, p->flow.block_of[i]) || !looks_at_memory(&form[i]) ||
            in->variant == WL_PTX_CAS)
            continue;
        wl_ptx_step *s = wl_ptx_own_step(m, p, form, i);
        if (!s)
            return wl_fail_memory(err);
        s->wait_loop = 1;
    }
    return WL_OK;
}

/* Back edges of loops in which a warp may wait. */
static wl_status find_waits(wl_ptx_machine *m, wl_ptx_program *p, wl_ptx_turn *form, wl_error *err)
{
    const wl_ptx_function *f = p->function;
    wl_arena scratch = {0};
    wl_status status = WL_OK;
    for (int32_t i = 0; i < f->instruction_count && status == WL_OK; i++) {
        wl_ptx_step *s = form[i].step;
        if (s->kind != WL_PTX_STEP_BRANCH || !s->back || s->in->op != WL_PTX_OP_bra)
            continue;
        const int32_t loop = p->flow.loop_of[p->flow.block_of[s->target]];
        if (!may_wait(p, form, loop))
            continue;
        wl_ptx_waits *waits = WL_ARENA_NEW(&m->arena, wl_ptx_waits, 1);
        s = wl_ptx_own_step(m, p, form, i);
        if (!waits || !s) {
            status = wl_fail_memory(err);
            break;
        }
        status = find_written(m, p, loop, &scratch, waits, err);
        if (status == WL_OK)
            status = mark_polls(m, p, form, loop, err);
        s->of.waits = waits;
        s->wait_loop = p->loop_first + loop;
    }
    wl_arena_free(&scratch);
    return status;
}

/* Marks the steps of one form of a program. */
static wl_status mark(wl_ptx_machine *m, wl_ptx_program *p, wl_ptx_turn *form, bool *any, wl_error *err)
{
    const wl_ptx_function *f = p->function;
    const bool leaves = leaves_words(f, form);
    bool looks = false;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        const bool counts = in->op == WL_PTX_OP_atom && (in->variant == WL_PTX_ADD || in->variant == WL_PTX_INC) &&
                            !wl_ptx_type_is_float(in->type) && in->vector <= 1;
        looks = looks || looks_at_memory(&form[i]);
        if (!tells(&form[i], leaves))
            continue;
        wl_ptx_step *s = wl_ptx_own_step(m, p, form, i);
        if (!s)
            return wl_fail_memory(err);
        s->orders = *any = true;
        s->draws = counts;
        s->repeats = counts && p->flow.loop_of[p->flow.block_of[i]] >= 0;
    }
    return looks ? find_waits(m, p, form, err) : WL_OK;
}

wl_status wl_ptx_find_order(wl_ptx_machine *m, wl_ptx_program *p, wl_error *err)
{
    bool in_flow = false, anywhere = false;
    const int32_t count = p->function->instruction_count;
    if (p->all != p->flow_only)
        WL_TRY(mark(m, p, p->flow_only, &in_flow, err));
    if (p->all != p->addresses)
        WL_TRY(mark(m, p, p->addresses, &anywhere, err));
    /* these also run where others inspect all registers */
    WL_TRY(mark(m, p, p->all, p->all == p->flow_only ? &anywhere : &in_flow, err));
    m->order.on = m->order.on || anywhere;
    p->partial = anywhere;
    for (int32_t i = 0; i < count; i++) {
        const wl_ptx_step *flow = p->flow_only[i].step;
        wl_ptx_step *address = p->addresses[i].step, *step = &p->steps[i];
        /* drawn numbers that only addresses depend on do not decide how often is drawn */
        address->draws = address->draws && flow->draws;
        step->draws = step->draws && flow->draws;
        m->order.by_address = m->order.by_address || (address->orders && !flow->orders);
        m->order.keeps = m->order.keeps || (address->orders && !flow->draws);
        m->order.draw_steps += flow->draws;
    }
    return WL_OK;
}

/* ---- tickets ---- */

static wl_ptx_ticket *ticket_at(wl_ptx_machine *m, uint64_t address)
{
    for (int i = 0; i < m->order.ticket_count; i++)
        if (m->order.tickets[i].address == address)
            return &m->order.tickets[i];
    return NULL;
}

/* How often a warp has drawn from this address in the run; NULL: too many to tell. */
static wl_ptx_draw *draws_of(wl_ptx_machine *m, uint64_t address)
{
    wl_ptx_order *o = &m->order;
    for (size_t i = 0; i < o->draw_count; i++)
        if (o->draws[i].address == address && o->draws[i].warp == m->warp->number)
            return &o->draws[i];
    if (o->draw_count == DRAWS_MAX)
        return NULL;
    if (!WL_ROOM(o->draws, o->draw_count + 1, o->draw_room)) {
        m->out_of_memory = true;
        return NULL;
    }
    o->draws[o->draw_count] = (wl_ptx_draw){.address = address, .warp = m->warp->number};
    return &o->draws[o->draw_count++];
}

static uint64_t initial_of(wl_ptx_machine *m, uint64_t address, int bytes)
{
    const wl_ptx_buffer *b = wl_ptx_buffer_at(m->launch.arguments, address);
    uint64_t value = 0;
    if (b && !wl_ptx_buffer_read(b, (int64_t)(address - b->base), bytes, (uint8_t *)&value))
        return 0;
    return value;
}

/* In the trial: a counter that is drawn from again is one of tickets. */
static void add_ticket(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address)
{
    wl_ptx_order *o = &m->order;
    if (ticket_at(m, address) || o->ticket_count == WL_PTX_TICKETS_MAX)
        return;
    o->tickets[o->ticket_count++] =
        (wl_ptx_ticket){.address = address, .start = initial_of(m, address, s->bytes), .bytes = s->bytes};
}

static uint64_t amount_of(const wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lane)
{
    return s->in->variant == WL_PTX_INC ? 1 : m->frame->value[m->frame->program->lists[s->list]][lane];
}

static void note_tried(wl_ptx_order *o, const wl_ptx_step *s)
{
    for (int32_t i = 0; i < o->tried_count; i++)
        if (o->tried[i] == s)
            return;
    if (o->tried_count < WL_PTX_TRIED_MAX)
        o->tried[o->tried_count++] = s;
}

wl_status wl_ptx_try_draw(wl_ptx_machine *m, const wl_ptx_step *s)
{
    const uint64_t address = m->touch.address[wl_ptx_lane_first(m->touch.lanes)];
    wl_ptx_draw *draw = m->touch.space == WL_PTX_GLOBAL ? draws_of(m, address) : NULL;
    if (!draw) {
        m->order.keeps = true;
        return WL_OK;
    }
    note_tried(&m->order, s);
    if (draw->times++ == 0) {
        WL_PTX_FOR_LANES(lane, m->touch.lanes) draw->amount += amount_of(m, s, lane);
        return WL_OK;
    }
    if (!s->repeats)
        return WL_OK;
    add_ticket(m, s, address);
    m->order.ends_warp = true;
    return WL_E_LIMIT; /* the warp ends here; see run_on */
}

/* Amounts that the block has drawn from a ticket in this round. */
static uint64_t *drawn_in(wl_ptx_machine *m, wl_ptx_ticket *t, size_t round)
{
    if (!WL_ROOM(t->rounds, round + 1, t->round_room)) {
        m->out_of_memory = true;
        return NULL;
    }
    for (; t->round_count <= round; t->round_count++)
        t->rounds[t->round_count] = 0;
    return &t->rounds[round];
}

bool wl_ptx_draw_tickets(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t old[WL_PTX_LANES], uint32_t *unknown)
{
    const uint32_t lanes = m->touch.lanes;
    const uint64_t address = m->touch.address[wl_ptx_lane_first(lanes)];
    wl_ptx_ticket *t = m->touch.space == WL_PTX_GLOBAL ? ticket_at(m, address) : NULL;
    wl_ptx_draw *draw = t ? draws_of(m, address) : NULL;
    if (!draw)
        return false;
    const int64_t *g = m->launch.grid;
    const uint64_t turn = (uint64_t)draw->times * (uint64_t)(g[0] * g[1] * g[2]) + (uint64_t)wl_ptx_block_number(m);
    uint64_t *drawn = drawn_in(m, t, draw->times++);
    if (!drawn)
        return false;
    *unknown = m->frame->unknown[m->frame->program->lists[s->list]] & lanes;
    WL_PTX_FOR_LANES(lane, lanes)
    {
        old[lane] = t->start + turn * t->each + *drawn;
        *drawn += amount_of(m, s, lane);
        wl_ptx_memory_write(m, lane, 0, s->bytes, old[lane] + amount_of(m, s, lane), false);
    }
    return true;
}

void wl_ptx_order_reset(wl_ptx_machine *m)
{
    m->order.draw_count = 0;
    for (int i = 0; i < m->order.ticket_count; i++)
        m->order.tickets[i].round_count = 0;
    if (!m->order.on)
        return;
    for (; m->order.seen < m->order.history.count; m->order.seen++)
        m->order.left[m->order.history.words[m->order.seen].group] = true;
    memcpy(m->written, m->order.left, (size_t)m->launch.arguments->buffer_count * sizeof *m->written);
}

/* ---- what earlier blocks have left ---- */

int64_t wl_ptx_block_number(const wl_ptx_machine *m)
{
    return m->block[0] + m->launch.grid[0] * (m->block[1] + m->launch.grid[1] * m->block[2]);
}

void wl_ptx_order_read(const wl_ptx_machine *m, uint64_t address, int32_t buffer, int bytes, uint64_t *value,
                       uint32_t *written, uint32_t *unknown)
{
    const int64_t block = wl_ptx_block_number(m);
    for (int k = 0; k < bytes;) {
        const uint64_t at = address + (uint64_t)k, word = at / WL_PTX_WORD_BYTES * WL_PTX_WORD_BYTES;
        wl_ptx_left left;
        const int first = (int)(at - word);
        const bool found = wl_ptx_history_find(&m->order.history, word, buffer, block, &left);
        for (int i = first; i < WL_PTX_WORD_BYTES && k < bytes; i++, k++) {
            if (!found || !(left.written >> i & 1))
                continue;
            *value = (*value & ~((uint64_t)0xff << 8 * k)) | (uint64_t)(left.value >> 8 * i & 0xff) << 8 * k;
            *written |= (uint32_t)1 << k;
            *unknown |= (uint32_t)(left.unknown >> i & 1) << k;
        }
    }
}

static wl_ptx_left left_in(const wl_ptx_page *page, size_t at)
{
    wl_ptx_left left = {0};
    for (int k = 0; k < WL_PTX_WORD_BYTES; k++) {
        const uint8_t state = page->state[at + (size_t)k];
        left.value |= state ? (uint32_t)page->data[at + (size_t)k] << 8 * k : 0;
        left.written |= (uint8_t)((state != 0) << k);
        left.unknown |= (uint8_t)((state == 2) << k);
    }
    return left;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t x = ((const wl_ptx_told_word *)a)->address, y = ((const wl_ptx_told_word *)b)->address;
    return (x > y) - (x < y);
}

/* Keeps which words the block has written before it polls. */
static void begin_asking(wl_ptx_machine *m)
{
    wl_ptx_asking *a = &m->order.asking;
    a->asked = true;
    for (size_t s = 0; s < m->pages.slots; s++)
        for (const wl_ptx_page *page = m->pages.table[s]; page; page = page->next)
            for (size_t at = 0; at < WL_PTX_PAGE_BYTES; at += WL_PTX_WORD_BYTES) {
                const wl_ptx_left left = left_in(page, at);
                if (!left.written)
                    continue;
                if (!WL_ROOM(a->told, a->told_count + 1, a->told_room)) {
                    m->out_of_memory = true;
                    return;
                }
                a->told[a->told_count++] = (wl_ptx_told_word){page->number * WL_PTX_PAGE_BYTES + at, left.value};
            }
    if (a->told_count > 0)
        qsort(a->told, a->told_count, sizeof *a->told, by_address);
}

static const wl_ptx_told_word *told_before(const wl_ptx_asking *a, uint64_t word)
{
    const wl_ptx_told_word key = {word, 0};
    return a->told_count > 0 ? bsearch(&key, a->told, a->told_count, sizeof key, by_address) : NULL;
}

/* A word that the block has written itself is a counter of all blocks. */
void wl_ptx_order_poll(wl_ptx_machine *m, uint64_t address)
{
    wl_ptx_asking *a = &m->order.asking;
    const uint64_t word = address / WL_PTX_WORD_BYTES * WL_PTX_WORD_BYTES;
    if (!a->asked)
        begin_asking(m);
    const wl_ptx_version *last = wl_ptx_history_writer(&m->order.history, word, wl_ptx_block_number(m));
    if (!last || told_before(a, word))
        return;
    a->words += a->words == 0 || last->block != a->other;
    a->other = last->block;
    a->at_once = a->words > a->at_once ? a->words : a->at_once;
    a->how = last->block < a->nearest || (last->block == a->nearest && last->left.told < a->how)
                 ? a->how
                 : (wl_ptx_told)last->left.told;
    a->nearest = last->block > a->nearest ? last->block : a->nearest;
}

static wl_ptx_told told_how(const wl_ptx_asking *a, uint64_t word, uint32_t value)
{
    const wl_ptx_told_word *before = told_before(a, word);
    if (!before)
        return a->asked ? WL_PTX_TOLD_BEHIND : WL_PTX_TOLD_FIRST;
    return before->value == value ? WL_PTX_TOLD_FIRST : WL_PTX_TOLD_TWICE;
}

static void end_asking(wl_ptx_asking *a, int64_t block)
{
    a->blocks[a->how] += a->asked && a->nearest >= 0 && a->nearest == block - 1;
    a->asked = false;
    a->told_count = 0;
    a->nearest = -1;
}

static bool keep_page(wl_ptx_machine *m, const wl_ptx_page *page, int64_t block)
{
    const uint64_t base = page->number * WL_PTX_PAGE_BYTES;
    for (size_t at = 0; at < WL_PTX_PAGE_BYTES; at += WL_PTX_WORD_BYTES) {
        wl_ptx_left left = left_in(page, at);
        if (!left.written || ticket_at(m, base + at))
            continue;
        left.told = (uint8_t)told_how(&m->order.asking, base + at, left.value);
        const wl_ptx_buffer *b = wl_ptx_buffer_at(m->launch.arguments, base + at);
        wl_ptx_left before;
        if (!b)
            continue;
        const int32_t group = (int32_t)(b - m->launch.arguments->buffers);
        const bool had = wl_ptx_history_find(&m->order.history, base + at, group, block, &before);
        if (had && before.value == left.value && before.written == left.written && before.unknown == left.unknown)
            continue;
        if (!wl_ptx_history_add(&m->order.history, base + at, group, block, left))
            return false;
    }
    return true;
}

static wl_status keep_words(wl_ptx_machine *m, int64_t block, wl_error *err)
{
    for (size_t s = 0; s < m->pages.slots; s++)
        for (const wl_ptx_page *page = m->pages.table[s]; page; page = page->next)
            if (!keep_page(m, page, block))
                return wl_fail_memory(err);
    return WL_OK;
}

/* ---- rehearsal ---- */

static void block_at(const wl_ptx_machine *m, int64_t number, int64_t block[3])
{
    const int64_t *g = m->launch.grid;
    block[0] = number % g[0];
    block[1] = number / g[0] % g[1];
    block[2] = number / g[0] / g[1];
}

/* How much the first block takes in a round. */
static wl_status try_round(wl_ptx_machine *m, wl_ptx_block_run run, wl_error *err)
{
    wl_ptx_order *o = &m->order;
    const int64_t first[3] = {0, 0, 0};
    wl_error ignored = {0};
    o->tries = true;
    m->looked_most = DAWDLING_STEPS;
    const wl_status status = run(m, first, &ignored);
    o->tries = o->ends_warp = false;
    for (size_t i = 0; i < o->draw_count; i++) {
        wl_ptx_ticket *t = ticket_at(m, o->draws[i].address);
        if (t)
            t->each += o->draws[i].amount;
        else
            o->keeps = true;
    }
    o->keeps = o->keeps || o->tried_count < o->draw_steps; /* those may draw from others */
    return status == WL_E_NOMEM ? wl_fail_memory(err) : WL_OK;
}

/* Follows blocks in launch order. One that fails will fail again where its message is seen. */
static wl_status rehearse(wl_ptx_machine *m, wl_ptx_block_run run, wl_error *err)
{
    wl_ptx_order *o = &m->order;
    const int64_t *g = m->launch.grid, all = g[0] * g[1] * g[2];
    int64_t steps = m->launch.rehearsal > 0 ? m->launch.rehearsal : DEFAULT_STEPS, number = 0;
    end_asking(&o->asking, -1);
    for (; number < all && steps > 0 && o->history.versions < VERSIONS_MAX; number++) {
        int64_t block[3];
        wl_error ignored = {0};
        block_at(m, number, block);
        m->looked_most = steps;
        o->history.blocks = number;
        const wl_status status = run(m, block, &ignored);
        if (status == WL_E_NOMEM)
            return wl_fail_memory(err);
        if (status != WL_OK)
            break;
        WL_TRY(keep_words(m, number, err));
        end_asking(&o->asking, number);
        steps -= m->looked_at;
    }
    o->followed = number;
    return wl_ptx_history_end(&o->history, number, m->launch.arguments->buffer_count) ? WL_OK : wl_fail_memory(err);
}

wl_status wl_ptx_order_prepare(wl_ptx_machine *m, wl_ptx_block_run run, wl_error *err)
{
    wl_ptx_order *o = &m->order;
    const wl_ptx_visit visit = m->visit;
    const wl_ptx_back_edge back_edge = m->back_edge;
    const wl_ptx_ran_visit ran = m->ran;
    const bool tallied = m->tally.on;
    m->visit = NULL;
    m->back_edge = NULL;
    m->ran = NULL;
    m->tally.on = false;
    o->ready = o->rehearses = true;
    wl_status status = try_round(m, run, err);
    if (status == WL_OK && o->keeps)
        status = rehearse(m, run, err);
    o->rehearses = false;
    m->looked_most = INT64_MAX;
    m->visit = visit;
    m->back_edge = back_edge;
    m->ran = ran;
    m->tally.on = tallied;
    return status;
}

void wl_ptx_order_free(wl_ptx_machine *m)
{
    for (int i = 0; i < m->order.ticket_count; i++)
        free(m->order.tickets[i].rounds);
    free(m->order.draws);
    free(m->order.asking.told);
    wl_ptx_history_free(&m->order.history);
}

bool wl_ptx_starts_with_0(wl_ptx_machine *m, const wl_ptx_step *s)
{
    if (wl_ptx_assume(m, s, WL_PTX_ASSUMED_START, NULL) != WL_OK)
        m->out_of_memory = true;
    return true;
}

/* ---- waits ---- */

/* Of the registers that a loop writes. */
static uint64_t hash_of(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    uint64_t hash = ((uint64_t)(uint32_t)s->number << 32) ^ lanes;
    for (int32_t r = 0; r < s->of.waits->count; r++) {
        const int32_t slot = s->of.waits->registers[r];
        const bool predicate = frame->program->function->registers[slot].type == WL_PTX_PRED;
        if (predicate)
            hash = wl_hash_add(hash, wl_ptx_predicate(frame, slot) & lanes);
        else
            WL_PTX_FOR_LANES(lane, lanes) hash = wl_hash_add(hash, frame->value[slot][lane]);
    }
    return wl_hash_end(hash);
}

bool wl_ptx_is_stalled(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lanes)
{
    const uint64_t hash = hash_of(m->frame, s, lanes);
    const bool same = m->warp->waited == hash;
    m->warp->waited = hash;
    return same;
}

wl_status wl_ptx_give_up_wait(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lanes, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    for (int32_t r = 0; r < s->of.waits->count; r++) {
        frame->unknown[s->of.waits->registers[r]] |= lanes;
        frame->partly[s->of.waits->registers[r]] = 0;
    }
    m->warp->gives_up = false;
    m->warp->waited = 0;
    if (s->guard >= 0 && s->other_leaves)
        frame->paths[frame->path_count - 1].at = s->number + 1;
    else
        m->warp->leaves = s->wait_loop + 1;
    return m->alone ? WL_OK : wl_ptx_assume(m, s, WL_PTX_ASSUMED_WAIT, err);
}
