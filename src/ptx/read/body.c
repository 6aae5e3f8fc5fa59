/* body.c - parses the body of a function: statements, scopes and labels.
 *
 * A label is visible in its whole scope, even before its definition. References are therefore
 * kept as pending until the scope that defines the label ends.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/read/parser.h"

wl_status wl_ptx_open_scope(wl_ptx_parser *p)
{
    if (p->depth >= WL_PTX_DEPTH_MAX)
        return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "the braces are nested more than %d deep",
                       WL_PTX_DEPTH_MAX);
    p->scopes[++p->depth] = (wl_ptx_scope){p->names.list.count, p->pending.count};
    return WL_OK;
}

static wl_status place_label(wl_ptx_parser *p, const wl_ptx_pending *use, const wl_ptx_name *name)
{
    wl_ptx_operand *operand = use->instruction < 0 ? &p->lists.items[use->operand]
                                                   : &p->instructions.items[use->instruction].operands[use->operand];
    const bool wants_table = operand->kind == WL_PTX_OPERAND_VECTOR;
    if (name->kind != (wants_table ? WL_PTX_NAME_TABLE : WL_PTX_NAME_LABEL))
        return wl_fail(p->err, WL_E_INPUT, use->loc, "'%.*s' is not a %s", wl_ptx_quoted(use->length), use->text,
                       wants_table ? "list of branch targets" : "label");
    if (wants_table) {
        operand->first = name->value;
        operand->count = (uint16_t)name->count;
    } else {
        operand->value = name->value;
    }
    return WL_OK;
}

/* Resolves pending references to labels of the ending scope; the others wait for the outer
 * scope. */
static wl_status resolve_labels(wl_ptx_parser *p)
{
    int32_t left = p->scopes[p->depth].pending;
    for (int32_t i = left; i < p->pending.count; i++) {
        const wl_ptx_pending use = p->pending.items[i];
        const wl_ptx_name *name = wl_ptx_names_find(&p->names, WL_PTX_NAME_LABEL, use.text, use.length);
        if (name && name->depth == p->depth)
            WL_TRY(place_label(p, &use, name));
        else
            p->pending.items[left++] = use;
    }
    p->pending.count = left;
    return WL_OK;
}

wl_status wl_ptx_close_scope(wl_ptx_parser *p)
{
    WL_TRY(resolve_labels(p));
    wl_ptx_names_cut(&p->names, p->scopes[p->depth].names);
    p->depth--;
    return WL_OK;
}

wl_status wl_ptx_add_pending(wl_ptx_parser *p, int32_t instruction, int32_t operand)
{
    const wl_token *t = &p->lexer.token;
    WL_PTX_APPEND(&p->pending, p->err, (wl_ptx_pending){t->text, t->length, t->loc, instruction, operand});
    return WL_OK;
}

/* "T: .branchtargets L1, L2;" */
static wl_status branch_targets(wl_ptx_parser *p, const wl_token *table)
{
    wl_ptx_name name = {
        .text = table->text, .length = (int32_t)table->length, .kind = WL_PTX_NAME_TABLE, .value = p->lists.count};
    do {
        WL_TRY(wl_lexer_next(&p->lexer));
        if (p->lexer.token.kind != WL_TOKEN_NAME)
            return wl_lexer_unexpected(&p->lexer, "a label");
        if (name.count++ >= WL_PTX_LIST_MAX)
            return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "a branch has at most %d targets", WL_PTX_LIST_MAX);
        WL_TRY(wl_ptx_add_pending(p, -1, p->lists.count));
        WL_PTX_APPEND(&p->lists, p->err, wl_ptx_operand_of(WL_PTX_OPERAND_LABEL));
        WL_TRY(wl_lexer_next(&p->lexer));
    } while (wl_lexer_is(&p->lexer, ','));
    WL_TRY(wl_lexer_take(&p->lexer, ';'));
    return wl_ptx_declare(p, table, name);
}

/* Parses what follows "name:". */
static wl_status labelled(wl_ptx_parser *p, const wl_token *label)
{
    wl_ptx_name name = {.text = label->text,
                        .length = (int32_t)label->length,
                        .kind = WL_PTX_NAME_LABEL,
                        .value = p->instructions.count};
    if (wl_token_equals(&p->lexer.token, ".branchtargets"))
        return branch_targets(p, label);
    if (wl_token_equals(&p->lexer.token, ".callprototype") || wl_token_equals(&p->lexer.token, ".calltargets")) {
        name.kind = WL_PTX_NAME_PROTOTYPE;
        WL_TRY(wl_ptx_skip_statement(p));
    }
    return wl_ptx_declare(p, label, name);
}

static wl_status label_or_instruction(wl_ptx_parser *p)
{
    const wl_token word = p->lexer.token;
    WL_TRY(wl_lexer_next(&p->lexer));
    if (!wl_lexer_is(&p->lexer, ':'))
        return wl_ptx_read_after_mnemonic(p, &word, &word, -1, false);
    WL_TRY(wl_lexer_next(&p->lexer));
    return labelled(p, &word);
}

static wl_status directive(wl_ptx_parser *p)
{
    wl_ptx_space space;
    if (!wl_ptx_is_space(&p->lexer.token, &space))
        return wl_ptx_read_common_directive(p);
    return space == WL_PTX_REG ? wl_ptx_read_registers(p) : wl_ptx_read_variables(p, false);
}

static wl_status statement(wl_ptx_parser *p)
{
    const wl_token *t = &p->lexer.token;
    if (t->kind == WL_TOKEN_NAME)
        return label_or_instruction(p);
    if (t->kind == WL_TOKEN_DIRECTIVE)
        return directive(p);
    if (wl_lexer_is(&p->lexer, '@'))
        return wl_ptx_read_instruction(p);
    if (wl_lexer_is(&p->lexer, ';'))
        return wl_lexer_next(&p->lexer);
    return wl_lexer_unexpected(&p->lexer, "an instruction");
}

static wl_status not_closed(wl_ptx_parser *p)
{
    const wl_ptx_function *f = &p->functions.items[p->function];
    return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "the text ends inside the function '%.80s' of line %d",
                   f->name, f->line);
}

wl_status wl_ptx_read_body(wl_ptx_parser *p)
{
    const int32_t outside = p->depth;
    do {
        if (wl_lexer_is(&p->lexer, '{'))
            WL_TRY(wl_ptx_open_scope(p));
        else if (wl_lexer_is(&p->lexer, '}'))
            WL_TRY(wl_ptx_close_scope(p));
        else if (p->lexer.token.kind == WL_TOKEN_END)
            return not_closed(p);
        else {
            WL_TRY(statement(p));
            continue;
        }
        WL_TRY(wl_lexer_next(&p->lexer));
    } while (p->depth > outside);
    if (p->pending.count > 0) {
        const wl_ptx_pending *use = &p->pending.items[0];
        return wl_fail(p->err, WL_E_INPUT, use->loc, "the label '%.*s' is not defined in this function",
                       wl_ptx_quoted(use->length), use->text);
    }
    return WL_OK;
}
