/* instruction.c - parses one instruction: guard, mnemonic, operands.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/read/parser.h"

static wl_status note_unknown(wl_ptx_parser *p, const wl_token *at, const wl_ptx_instruction *in,
                              const wl_ptx_slice *unknown)
{
    if (in->op == WL_PTX_OP_unknown)
        return wl_ptx_note_add(p, at->loc, "the instruction '%.*s' is not known",
                               wl_ptx_quoted((size_t)unknown->length), unknown->text);
    return wl_ptx_note_add(p, at->loc, "the modifier '.%.*s' of '%.*s' is not understood",
                           wl_ptx_quoted((size_t)unknown->length), unknown->text, wl_ptx_quoted(at->length), at->text);
}

/* Decodes each mnemonic, and notes its unknown parts, once. */
static wl_status decode(wl_ptx_parser *p, const wl_token *word, wl_ptx_instruction *out)
{
    wl_ptx_slice unknown;
    const wl_ptx_name *known = wl_ptx_names_find(&p->mnemonics, WL_PTX_NAME_MNEMONIC, word->text, word->length);
    if (known) {
        *out = p->decoded.items[known->value];
        return WL_OK;
    }
    wl_ptx_decode(word->text, word->length, out, &unknown);
    if (unknown.length > 0)
        WL_TRY(note_unknown(p, word, out, &unknown));
    const wl_ptx_name name = {
        .text = word->text, .length = (int32_t)word->length, .kind = WL_PTX_NAME_MNEMONIC, .value = p->decoded.count};
    WL_PTX_APPEND(&p->decoded, p->err, *out);
    return wl_ptx_names_add(&p->mnemonics, &name, p->err);
}

/* "ld .global .f32": joins modifiers that blanks separate. */
static wl_status join_modifiers(wl_ptx_parser *p, wl_token *word)
{
    char joined[256];
    size_t length = word->length;
    if (p->lexer.token.kind != WL_TOKEN_DIRECTIVE)
        return WL_OK;
    if (length <= sizeof joined)
        memcpy(joined, word->text, length);
    while (p->lexer.token.kind == WL_TOKEN_DIRECTIVE) {
        const wl_token *part = &p->lexer.token;
        if (length > sizeof joined || part->length > sizeof joined - length)
            return wl_fail(p->err, WL_E_INPUT, part->loc, "the mnemonic is too long");
        memcpy(joined + length, part->text, part->length);
        length += part->length;
        WL_TRY(wl_lexer_next(&p->lexer));
    }
    word->length = length;
    return wl_ptx_keep_text(p, joined, length, &word->text);
}

/* The type that an immediate operand is parsed as. */
static wl_ptx_type type_of_operand(const wl_ptx_instruction *in, int index)
{
    const bool converts = in->op == WL_PTX_OP_cvt || in->op == WL_PTX_OP_set || in->op == WL_PTX_OP_tex;
    if (in->from != WL_PTX_NONE && index > 0 && (converts || (in->op == WL_PTX_OP_slct && index == 3)))
        return in->from;
    return in->type;
}

static wl_status too_many(wl_ptx_parser *p, const wl_token *word)
{
    return wl_ptx_note_add(p, word->loc, "'%.*s' has more than %d operands; the rest is not read",
                           wl_ptx_quoted(word->length), word->text, WL_PTX_OPERANDS_MAX);
}

static wl_status operands(wl_ptx_parser *p, const wl_token *word, wl_ptx_instruction *in)
{
    wl_ptx_operand unused;
    int count = 0;
    while (!wl_lexer_is(&p->lexer, ';')) {
        if (count == WL_PTX_OPERANDS_MAX)
            WL_TRY(too_many(p, word));
        WL_TRY(wl_ptx_read_operand(p, type_of_operand(in, count),
                                   count < WL_PTX_OPERANDS_MAX ? &in->operands[count] : &unused));
        count++;
        in->operand_count = (uint8_t)(count < WL_PTX_OPERANDS_MAX ? count : WL_PTX_OPERANDS_MAX);
        if (wl_lexer_is(&p->lexer, ';'))
            break;
        WL_TRY(wl_lexer_take(&p->lexer, ','));
    }
    in->partial |= count > WL_PTX_OPERANDS_MAX;
    return WL_OK;
}

/* Parses the operands of an unknown instruction; keeps those that look like ordinary operands. */
static wl_status unknown_operands(wl_ptx_parser *p, const wl_token *word, wl_ptx_instruction *in)
{
    wl_error ignored = {0};
    wl_error *err = p->err;
    p->lenient = true;
    p->err = p->lexer.err = &ignored;
    const wl_status status = operands(p, word, in);
    p->lenient = false;
    p->err = p->lexer.err = err;
    if (status == WL_E_NOMEM)
        return wl_fail_memory(err);
    while (status != WL_OK && !wl_lexer_is(&p->lexer, ';')) {
        if (p->lexer.token.kind == WL_TOKEN_END && p->lexer.at >= p->lexer.end)
            return wl_lexer_unexpected(&p->lexer, "';'");
        WL_TRY(wl_lexer_next(&p->lexer)); /* reports the invalid token */
    }
    return WL_OK;
}

static wl_status label(wl_ptx_parser *p, wl_ptx_instruction *in, wl_ptx_operand_kind kind)
{
    if (p->lexer.token.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "a label");
    in->operands[in->operand_count] = wl_ptx_operand_of(kind);
    WL_TRY(wl_ptx_add_pending(p, p->instructions.count, in->operand_count++));
    return wl_lexer_next(&p->lexer);
}

/* "(a, b)": parses arguments or results, where there are some, into a vector. */
static wl_status passed(wl_ptx_parser *p, wl_ptx_operand *out)
{
    *out = wl_ptx_operand_of(WL_PTX_OPERAND_VECTOR);
    out->first = p->lists.count;
    return wl_lexer_is(&p->lexer, '(')
               ? wl_ptx_read_elements(p, WL_PTX_NONE, "()", "this cannot be passed to a function", out)
               : WL_OK;
}

/* "call (r), f, (a, b), prototype;" where everything but f is optional. */
static wl_status call(wl_ptx_parser *p, wl_ptx_instruction *in)
{
    wl_lexer *lexer = &p->lexer;
    bool more = wl_lexer_is(lexer, '(');
    in->operand_count = 3;
    WL_TRY(passed(p, &in->operands[0]));
    if (more)
        WL_TRY(wl_lexer_take(lexer, ','));
    const wl_loc loc = lexer->token.loc;
    WL_TRY(wl_ptx_read_scalar(p, WL_PTX_U64, &in->operands[1]));
    if (in->operands[1].kind != WL_PTX_OPERAND_FUNCTION && in->operands[1].kind != WL_PTX_OPERAND_REG)
        return wl_fail(p->err, WL_E_INPUT, loc, "a call needs a function or a register");
    WL_TRY(wl_ptx_take_if(p, ',', &more));
    const bool has_arguments = more && wl_lexer_is(lexer, '(');
    in->operands[2] = wl_ptx_operand_of(WL_PTX_OPERAND_VECTOR);
    in->operands[2].first = p->lists.count;
    if (has_arguments) {
        WL_TRY(passed(p, &in->operands[2]));
        WL_TRY(wl_ptx_take_if(p, ',', &more));
    }
    /* the prototype or target list has no effect here */
    if (!more)
        return WL_OK;
    return lexer->token.kind == WL_TOKEN_NAME ? wl_lexer_next(lexer)
                                              : wl_lexer_unexpected(lexer, has_arguments ? "a prototype" : "arguments");
}

static wl_status branch_by_table(wl_ptx_parser *p, wl_ptx_instruction *in)
{
    WL_TRY(wl_ptx_read_scalar(p, WL_PTX_U32, &in->operands[0]));
    WL_TRY(wl_lexer_take(&p->lexer, ','));
    in->operand_count = 1;
    return label(p, in, WL_PTX_OPERAND_VECTOR);
}

static wl_status any_operands(wl_ptx_parser *p, const wl_token *word, wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_bra: return label(p, in, WL_PTX_OPERAND_LABEL);
    case WL_PTX_OP_brx: return branch_by_table(p, in);
    case WL_PTX_OP_call: return call(p, in);
    case WL_PTX_OP_unknown: return unknown_operands(p, word, in);
    default: return operands(p, word, in);
    }
}

wl_status wl_ptx_read_after_mnemonic(wl_ptx_parser *p, const wl_token *start, const wl_token *word, int32_t guard,
                                     bool guard_negated)
{
    wl_ptx_instruction in;
    wl_ptx_operand operands[WL_PTX_OPERANDS_MAX] = {0};
    wl_token mnemonic = *word;
    if (p->instructions.count >= WL_PTX_INSTRUCTIONS_MAX)
        return wl_fail(p->err, WL_E_INPUT, start->loc, "a function has at most %d instructions",
                       WL_PTX_INSTRUCTIONS_MAX);
    WL_TRY(join_modifiers(p, &mnemonic));
    WL_TRY(decode(p, &mnemonic, &in));
    in.operands = operands;
    in.guard = guard;
    in.guard_negated = guard_negated;
    in.line = start->loc.line;
    in.column = start->loc.col;
    in.file = p->file;
    in.source_line = p->source_line;
    WL_TRY(any_operands(p, &mnemonic, &in));
    const char *end = p->lexer.token.text;
    WL_TRY(wl_lexer_take(&p->lexer, ';'));
    while (end > start->text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n' || end[-1] == '\r'))
        end--;
    in.text = start->text;
    in.text_length = (int32_t)(end - start->text);
    const int32_t kept = in.operand_count > WL_PTX_OPERANDS_LEAST ? in.operand_count : WL_PTX_OPERANDS_LEAST;
    in.operands = wl_ptx_keep_list(p, operands, kept, sizeof *operands);
    if (!in.operands)
        return wl_fail_memory(p->err);
    WL_PTX_APPEND(&p->instructions, p->err, in);
    return WL_OK;
}

/* Parses an instruction with an optional guard: "@!%p1 bra L;" */
wl_status wl_ptx_read_instruction(wl_ptx_parser *p)
{
    const wl_token start = p->lexer.token;
    int32_t guard = -1;
    WL_TRY(wl_lexer_take(&p->lexer, '@'));
    const bool negated = wl_lexer_is(&p->lexer, '!');
    if (negated)
        WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(wl_ptx_read_register(p, &guard));
    const wl_token word = p->lexer.token;
    if (word.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "an instruction");
    WL_TRY(wl_lexer_next(&p->lexer));
    return wl_ptx_read_after_mnemonic(p, &start, &word, guard, negated);
}
