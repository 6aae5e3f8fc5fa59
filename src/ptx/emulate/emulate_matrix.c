/* emulate_matrix.c - asynchronous copies to shared memory, and matrix fragments that a warp
 * loads and stores.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"
#include "ptx/module/tensor.h"

/* ---- cp.async ---- */

/* Reads the bytes that a lane copies; those beyond the given number are 0. */
static void fetch(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lane, uint64_t *piece, bool *unknown)
{
    for (int k = 0; k < (s->bytes + 7) / 8; k++) {
        bool hidden = false;
        const int bytes = s->bytes < 8 ? s->bytes : 8;
        piece[k] = wl_ptx_memory_read(m, lane, (int64_t)k * 8, bytes, &hidden);
        unknown[k] = hidden || m->touch.unknown >> lane & 1;
    }
}

static void keep_first(uint64_t *piece, uint64_t bytes)
{
    for (uint64_t k = 0; k < 2; k++) {
        const uint64_t kept = bytes > 8 * k ? bytes - 8 * k : 0;
        if (kept < 8)
            piece[k] &= ((uint64_t)1 << 8 * kept) - 1;
    }
}

typedef struct copy {
    uint32_t reads, writes; /* lane masks */
    uint64_t from[WL_PTX_LANES], to[WL_PTX_LANES];
    uint32_t from_unknown, to_unknown;
    wl_ptx_space from_space, to_space;
    const uint64_t *kept; /* bytes to copy, by lane; NULL: all */
} copy;

/* Copies one piece per lane, of the step's size; lanes that do not read write zeros. places: only
 * their addresses matter. */
static wl_status copy_pieces(wl_ptx_machine *m, const wl_ptx_step *s, const copy *c, bool places, wl_error *err)
{
    uint64_t piece[WL_PTX_LANES][2] = {{0}};
    bool unknown[WL_PTX_LANES][2] = {{false}};
    uint32_t rest = 0;
    if (c->reads) {
        const wl_ptx_access_request r = {s, c->reads, c->from, c->from_unknown, c->from_space, s->bytes, false, false};
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        WL_PTX_FOR_LANES(lane, places ? 0 : m->touch.lanes)
        {
            fetch(m, s, lane, piece[lane], unknown[lane]);
            if (c->kept)
                keep_first(piece[lane], (uint32_t)c->kept[lane]);
        }
    }
    const wl_ptx_access_request w = {s, c->writes, c->to, c->to_unknown, c->to_space, s->bytes, true, false};
    WL_TRY(wl_ptx_resolve(m, &w, &rest, err));
    WL_PTX_FOR_LANES(lane, places ? 0 : m->touch.lanes)
    for (int k = 0; k < (s->bytes + 7) / 8; k++)
        wl_ptx_memory_write(m, lane, (int64_t)k * 8, s->bytes < 8 ? s->bytes : 8, piece[lane][k],
                            unknown[lane][k] || m->touch.unknown >> lane & 1);
    return WL_OK;
}

static wl_status copy_async(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, bool places, wl_error *err)
{
    const wl_ptx_frame *frame = m->frame;
    copy c = {mask,          mask,          {0}, {0}, frame->unknown[s->from[0]], frame->unknown[s->from[1]],
              WL_PTX_GLOBAL, WL_PTX_SHARED, NULL};
    if (s->from[2] >= 0) { /* lanes that copy 0 bytes do not read */
        c.kept = frame->value[s->from[2]];
        WL_PTX_FOR_LANES(lane, mask) c.reads &= ~((uint32_t)((uint32_t)c.kept[lane] == 0) << lane);
    }
    c.reads &= ~wl_ptx_predicate(frame, s->from[3]);
    wl_ptx_addresses(m, s, c.from);
    for (int i = 0; i < WL_PTX_LANES; i++)
        c.to[i] = (frame->value[s->from[1]][i] + (uint64_t)(int64_t)s->target) & UINT32_MAX;
    return copy_pieces(m, s, &c, places, err);
}

static wl_status run_copy(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    return copy_async(m, s, mask, false, err);
}

wl_status wl_ptx_run_copy_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    return copy_async(m, s, mask, true, err);
}

/* ---- ldmatrix, stmatrix ---- */

/* 8x8 matrices of halves: lanes 8 k .. 8 k + 7 hold the row addresses of matrix k. Each lane has
 * two adjacent elements of a row, or of a column if transposed. */
enum { ROWS = 8, ROW_BYTES = 16 };

/* Where a lane's element lies: the lane with the address of its row, and its place there. */
typedef struct element {
    uint32_t row;
    int64_t byte;
} element;

static element element_of(uint32_t matrix, uint32_t lane, uint32_t half, bool turned)
{
    const uint32_t line = lane / 4, place = 2 * (lane % 4) + half;
    return (element){matrix * ROWS + (turned ? place : line), 2 * (int64_t)(turned ? line : place)};
}

/* Finds the rows in memory; false in *any: no lane has one. */
static wl_status touch_rows(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, bool *any, wl_error *err)
{
    const uint32_t rows = s->elements * ROWS >= WL_PTX_LANES ? UINT32_MAX : ((uint32_t)1 << s->elements * ROWS) - 1;
    uint64_t address[WL_PTX_LANES];
    uint32_t rest = 0;
    wl_ptx_addresses(m, s, address);
    const wl_ptx_access_request r = {s,
                                     mask & rows,
                                     address,
                                     m->frame->unknown[s->from[0]],
                                     s->in->space,
                                     ROW_BYTES,
                                     s->in->op == WL_PTX_OP_stmatrix,
                                     false};
    *any = r.mask != 0;
    return *any ? wl_ptx_resolve(m, &r, &rest, err) : WL_OK;
}

/* A row of a matrix in shared memory, and which of its bytes are not known. */
typedef struct row {
    uint64_t data[2], unknown[2];
} row;

static row read_row(const wl_ptx_machine *m, uint32_t lane)
{
    row r = {.unknown = {UINT64_MAX, UINT64_MAX}};
    if (!(m->touch.lanes >> lane & 1) || m->touch.space != WL_PTX_SHARED)
        return r;
    memcpy(r.data, m->shared.data + m->touch.address[lane], sizeof r.data);
    if (!(m->touch.unknown >> lane & 1))
        memcpy(r.unknown, m->shared.unknown + m->touch.address[lane], sizeof r.unknown);
    return r;
}

static wl_status run_ldmatrix(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const bool turned = wl_ptx_has_part(s->in, ".trans");
    bool any;
    WL_TRY(touch_rows(m, s, mask, &any, err));
    for (uint32_t e = 0; any && e < s->elements; e++) {
        uint64_t value[WL_PTX_LANES] = {0};
        uint32_t unknown = 0;
        row rows[ROWS];
        for (uint32_t k = 0; k < ROWS; k++)
            rows[k] = read_row(m, e * ROWS + k);
        WL_PTX_FOR_LANES(lane, mask)
        for (uint32_t half = 0; half < 2; half++) {
            const element at = element_of(e, lane, half, turned);
            const row *r = &rows[at.row % ROWS];
            const int word = (int)(at.byte / 8), shift = (int)(at.byte % 8 * 8);
            value[lane] |= (r->data[word] >> shift & UINT16_MAX) << 16 * half;
            unknown |= (uint32_t)((r->unknown[word] >> shift & UINT16_MAX) != 0) << lane;
        }
        wl_ptx_write(frame, frame->program->lists[s->list + (int32_t)e], mask, value, unknown);
    }
    return WL_OK;
}

static wl_status run_stmatrix(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_frame *frame = m->frame;
    const bool turned = wl_ptx_has_part(s->in, ".trans");
    bool any;
    WL_TRY(touch_rows(m, s, mask, &any, err));
    for (uint32_t e = 0; any && e < s->elements; e++) {
        const int32_t slot = frame->program->lists[s->list + (int32_t)e];
        WL_PTX_FOR_LANES(lane, mask)
        for (uint32_t half = 0; half < 2; half++) {
            const element at = element_of(e, lane, half, turned);
            if (m->touch.lanes >> at.row & 1)
                wl_ptx_memory_write(m, at.row, at.byte, 2, frame->value[slot][lane] >> 16 * half & UINT16_MAX,
                                    frame->unknown[slot] >> lane & 1 || m->touch.unknown >> at.row & 1);
        }
    }
    return WL_OK;
}

wl_status wl_ptx_run_matrix_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    bool any;
    return touch_rows(m, s, mask, &any, err);
}

/* ---- wmma.load, wmma.store ---- */

static wl_status touch_piece(wl_ptx_machine *m, const wl_ptx_step *s, const wl_ptx_tile *t, const uint64_t base[2],
                             int line, int place, wl_error *err)
{
    const bool stores = s->in->op == WL_PTX_OP_wmma_store;
    uint64_t address[WL_PTX_LANES] = {0};
    uint32_t lanes = 0, rest = 0;
    for (int lane = 0; lane < WL_PTX_PIECE_LINES * WL_PTX_LINE_LANES; lane++) {
        const int at = line + lane / WL_PTX_LINE_LANES, byte = place + lane % WL_PTX_LINE_LANES * t->bytes;
        if (at >= t->lines || byte >= t->line_bytes)
            continue;
        address[lane] = base[0] + (uint64_t)at * base[1] * (uint64_t)t->bits / 8 + (uint64_t)byte;
        lanes |= (uint32_t)1 << lane;
    }
    const wl_ptx_access_request r = {s, lanes, address, 0, s->in->space, t->bytes, stores, false};
    WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
    if (stores)
        WL_PTX_FOR_LANES(lane, m->touch.lanes) wl_ptx_memory_write(m, lane, 0, t->bytes < 8 ? t->bytes : 8, 0, true);
    return WL_OK;
}

static wl_status touch_tile(wl_ptx_machine *m, const wl_ptx_step *s, const wl_ptx_tile *t, const uint64_t base[2],
                            wl_error *err)
{
    for (int line = 0; line < t->lines; line += WL_PTX_PIECE_LINES)
        for (int place = 0; place < t->line_bytes; place += WL_PTX_LINE_LANES * t->bytes)
            WL_TRY(touch_piece(m, s, t, base, line, place, err));
    return WL_OK;
}

static wl_status run_tile(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    wl_ptx_tile t;
    const uint32_t lane = wl_ptx_lane_first(mask);
    const bool known = wl_ptx_tile_of(s->in, &t) && !(frame->unknown[s->from[0]] >> lane & 1) &&
                       (s->from[1] < 0 || !(frame->unknown[s->from[1]] >> lane & 1));
    if (known) {
        uint64_t address[WL_PTX_LANES];
        wl_ptx_addresses(m, s, address);
        const uint64_t stride = s->from[1] < 0 ? (uint64_t)t.line_elements : (uint32_t)frame->value[s->from[1]][lane];
        const uint64_t base[2] = {address[lane], stride};
        WL_TRY(touch_tile(m, s, &t, base, err));
    } else {
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err));
    }
    if (s->in->op == WL_PTX_OP_wmma_load)
        wl_ptx_write_unknown(frame, s, mask);
    return WL_OK;
}

/* One, two or four 8x8 matrices, in so many registers. */
static bool is_of_halves(const wl_ptx_instruction *in, const wl_ptx_operand *registers)
{
    const int count = registers->kind == WL_PTX_OPERAND_VECTOR ? registers->count : 1;
    return in->type == WL_PTX_B16 && !wl_ptx_has_part(in, ".m16") && (count == 1 || count == 2 || count == 4);
}

wl_ptx_run wl_ptx_find_matrix(const wl_ptx_instruction *in)
{
    const int bytes = wl_ptx_access_bytes(in);
    switch (in->op) {
    case WL_PTX_OP_cp_async: return bytes == 4 || bytes == 8 || bytes == 16 ? run_copy : NULL;
    case WL_PTX_OP_ldmatrix: return is_of_halves(in, &in->operands[0]) ? run_ldmatrix : NULL;
    case WL_PTX_OP_stmatrix: return is_of_halves(in, &in->operands[1]) ? run_stmatrix : NULL;
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_wmma_store: return run_tile;
    default: return NULL;
    }
}
