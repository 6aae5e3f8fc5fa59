/* line_program.c - see line_program.h. SPDX-License-Identifier: MIT */
#include "machine/line_program.h"

#include "base/fail.h"

enum { COPY = 1, ADVANCE_ADDRESS, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BASIC_BLOCK, ADD_CONSTANT, ADD_FIXED };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
enum { VERSION_LEAST = 2, VERSION_MOST = 4 };
#define LONG_UNIT UINT32_C(0xfffffff0) /* and more: of 64 bits */

/* Reads on from `at`; `failed` where the section ends too early. */
typedef struct reader {
    wl_bytes bytes;
    uint64_t at, end;
    bool failed;
} reader;

static uint64_t take(reader *r, int bytes)
{
    if (r->failed || (uint64_t)bytes > r->end - r->at) {
        r->failed = true;
        return 0;
    }
    const uint64_t number = wl_bytes_number(r->bytes.at + r->at, bytes);
    r->at += (uint64_t)bytes;
    return number;
}

/* A number of seven bits per byte, the lowest first; bits beyond the 64th are dropped. */
static uint64_t take_leb(reader *r, bool is_signed)
{
    uint64_t number = 0;
    int shift = 0;
    for (;;) {
        const uint64_t byte = take(r, 1);
        if (shift < 64)
            number |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80 && !r->failed)
            continue;
        if (is_signed && byte & 0x40 && shift < 64)
            number |= UINT64_MAX << shift;
        return number;
    }
}

static void skip(reader *r, uint64_t bytes)
{
    r->failed = r->failed || bytes > r->end - r->at;
    r->at = r->failed ? r->end : r->at + bytes;
}

typedef struct header {
    uint64_t step;              /* bytes of the shortest instruction */
    int line_base;              /* of special opcodes */
    uint64_t line_range, first; /* the first special opcode */
    const uint8_t *operands;    /* by standard opcode, from 1 */
} header;

typedef struct state {
    uint64_t address, line;
    bool begun;
} state;

static void emit(const wl_line_visitor *v, const state *s)
{
    if (s->begun && s->line <= INT64_MAX)
        v->row(v->user, s->address, (int64_t)s->line);
}

static void extended(reader *r, const wl_line_visitor *v, state *s)
{
    const uint64_t length = take_leb(r, false);
    if (r->failed || length == 0 || length > r->end - r->at) {
        r->failed = true;
        return;
    }
    const uint64_t next = r->at + length;
    const uint64_t what = take(r, 1);
    if (what == SET_ADDRESS && length == 1 + 8) {
        v->begin(v->user, r->at);
        s->address = take(r, 8);
        s->begun = true;
    } else if (what == END_SEQUENCE) {
        emit(v, s);
        *s = (state){.line = 1};
    }
    r->at = next;
}

static void special(const header *h, uint64_t opcode, state *s)
{
    s->address += (opcode - h->first) / h->line_range * h->step;
    s->line += (uint64_t)((int64_t)h->line_base + (int64_t)((opcode - h->first) % h->line_range));
}

static void standard(reader *r, const header *h, uint64_t opcode, const wl_line_visitor *v, state *s)
{
    switch (opcode) {
    case COPY: emit(v, s); break;
    case ADVANCE_ADDRESS: s->address += take_leb(r, false) * h->step; break;
    case ADVANCE_LINE: s->line += take_leb(r, true); break;
    case ADD_CONSTANT: s->address += (UINT8_MAX - h->first) / h->line_range * h->step; break;
    case ADD_FIXED: s->address += take(r, 2); break;
    default:
        for (uint8_t i = 0; i < h->operands[opcode - 1]; i++)
            (void)take_leb(r, false);
    }
}

static bool run(reader *r, const header *h, const wl_line_visitor *v)
{
    state s = {.line = 1};
    while (r->at < r->end && !r->failed) {
        const uint64_t opcode = take(r, 1);
        if (opcode == 0) {
            extended(r, v, &s);
        } else if (opcode < h->first) {
            standard(r, h, opcode, v, &s);
        } else {
            special(h, opcode, &s);
            emit(v, &s);
        }
    }
    return !r->failed;
}

/* One unit; r->end is the end of it. */
static bool read_unit(reader *r, const wl_line_visitor *v)
{
    header h = {0};
    const uint64_t version = take(r, 2), header_bytes = take(r, 4);
    if (r->failed || version < VERSION_LEAST || version > VERSION_MOST || header_bytes > r->end - r->at)
        return false;
    const uint64_t program = r->at + header_bytes;
    h.step = take(r, 1);
    if (version == VERSION_MOST)
        skip(r, 1);
    skip(r, 1);
    const uint64_t base = take(r, 1);
    h.line_base = (int)base - (base > INT8_MAX ? UINT8_MAX + 1 : 0);
    h.line_range = take(r, 1);
    h.first = take(r, 1);
    h.operands = r->bytes.at + r->at;
    skip(r, h.first > 0 ? h.first - 1 : 0);
    if (r->failed || h.line_range == 0 || h.first == 0 || r->at > program)
        return false;
    r->at = program;
    return run(r, &h, v);
}

wl_status wl_line_program_read(wl_bytes section, const wl_line_visitor *visitor, wl_error *err)
{
    for (uint64_t at = 0; at < section.size;) {
        reader r = {.bytes = section, .at = at, .end = section.size};
        const uint64_t length = take(&r, 4);
        if (r.failed || length >= LONG_UNIT || length > r.end - r.at)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged line table: a unit is cut off");
        r.end = r.at + length;
        at = r.end;
        if (!read_unit(&r, visitor))
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged line table, or one of an unknown version");
    }
    return WL_OK;
}
