/* operand.c - parses operands: registers, constants, addresses, vectors.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ascii.h"
#include "ptx/read/parser.h"

wl_ptx_operand wl_ptx_operand_of(wl_ptx_operand_kind kind)
{
    return (wl_ptx_operand){.kind = kind, .reg = -1, .variable = -1, .first = -1};
}

/* ---- names ---- */

#define MEMBER_DIGITS 7

/* The range that contains a name; NULL: none. A prefix may end in digits. */
static const wl_ptx_name *range_of(const wl_ptx_parser *p, const wl_token *t)
{
    size_t digits = 0;
    while (digits < t->length && digits < MEMBER_DIGITS && wl_is_digit(t->text[t->length - digits - 1]))
        digits++;
    for (; digits > 0; digits--) {
        const char *first = t->text + t->length - digits;
        const wl_ptx_name *range = wl_ptx_names_find(&p->names, WL_PTX_NAME_RANGE, t->text, t->length - digits);
        if (!range || (digits > 1 && *first == '0'))
            continue;
        int32_t number = 0;
        for (size_t i = 0; i < digits; i++)
            number = 10 * number + first[i] - '0';
        if (number < range->count)
            return range;
    }
    return NULL;
}

/* A member of a range becomes a register at its first use. */
static wl_status member(wl_ptx_parser *p, const wl_token *t, const wl_ptx_name *range, wl_ptx_name *out)
{
    const wl_ptx_name *known = wl_ptx_names_member(&p->members, range->value + 1, t->text, t->length);
    *out = known ? *known : *range;
    if (known)
        return WL_OK;
    out->text = t->text;
    out->length = (int32_t)t->length;
    out->kind = WL_PTX_NAME_REGISTER;
    out->count = range->elements;
    out->owner = range->value + 1;
    WL_TRY(wl_ptx_new_register(p, t, t->text, t->length, out->type, out->count, &out->value));
    return wl_ptx_names_add(&p->members, out, p->err);
}

/* Looks up a name; *found is false if it is not declared. */
static wl_status resolve(wl_ptx_parser *p, const wl_token *t, wl_ptx_name *out, bool *found)
{
    const wl_ptx_name *name = wl_ptx_names_find(&p->names, WL_PTX_NAME_REGISTER, t->text, t->length);
    *found = true;
    if (!name || name->depth < p->depth) {
        const wl_ptx_name *range = range_of(p, t);
        if (range && (!name || name->depth < range->depth))
            return member(p, t, range, out);
    }
    wl_ptx_special special;
    if (name) {
        *out = *name;
    } else if (t->text[0] == '%' && wl_ptx_special_named(t->text, t->length, &special)) {
        *out = (wl_ptx_name){.kind = WL_PTX_NAME_SPECIAL, .value = (int32_t)special};
    } else {
        *found = false;
    }
    return WL_OK;
}

/* The element that .x, .y, .. selects; -1: none. */
static int32_t element_named(const wl_token *suffix)
{
    static const char names[] = "xyzwrgba";
    const char *at = suffix->length == 1 ? strchr(names, suffix->text[0]) : NULL;
    return at && *at ? (int32_t)(at - names) % 4 : -1;
}

/* Byte and half selectors of video instructions: .b0, .h1, .b3210. */
static bool is_selector(const wl_token *suffix)
{
    if (suffix->length < 2 || suffix->length > 5 || (suffix->text[0] != 'b' && suffix->text[0] != 'h'))
        return false;
    for (size_t i = 1; i < suffix->length; i++)
        if (suffix->text[i] < '0' || suffix->text[i] > '7')
            return false;
    return true;
}

/* "%v.x": an element of a vector register; "%r.b0": a part of a register. */
static wl_status resolve_part(wl_ptx_parser *p, const wl_token *t, wl_ptx_name *out, bool *found)
{
    size_t dot = t->length;
    while (dot > 0 && t->text[dot - 1] != '.')
        dot--;
    *found = false;
    if (dot < 2)
        return WL_OK;
    wl_token base = *t, suffix = *t;
    base.length = dot - 1;
    suffix.text += dot;
    suffix.length -= dot;
    WL_TRY(resolve(p, &base, out, found));
    const int32_t element = element_named(&suffix);
    const bool is_register = *found && out->kind == WL_PTX_NAME_REGISTER;
    if (is_register && element >= 0 && element < out->count) {
        out->value += element;
        out->count = 0;
    } else if (!is_register || out->count > 0 || !is_selector(&suffix)) {
        *found = false;
    }
    return WL_OK;
}

static wl_status vector_register(wl_ptx_parser *p, const wl_ptx_name *name, wl_ptx_operand *out)
{
    out->kind = WL_PTX_OPERAND_VECTOR;
    out->first = p->lists.count;
    out->count = (uint16_t)name->count;
    for (int32_t i = 0; i < name->count; i++) {
        wl_ptx_operand element = wl_ptx_operand_of(WL_PTX_OPERAND_REG);
        element.reg = name->value + i;
        WL_PTX_APPEND(&p->lists, p->err, element);
    }
    return WL_OK;
}

static wl_status named_operand(wl_ptx_parser *p, const wl_token *t, wl_ptx_operand *out)
{
    wl_ptx_name name;
    bool found;
    WL_TRY(resolve(p, t, &name, &found));
    if (!found)
        WL_TRY(resolve_part(p, t, &name, &found));
    if (!found)
        return p->lenient
                   ? WL_OK
                   : wl_fail(p->err, WL_E_INPUT, t->loc, "'%.*s' is not declared", wl_ptx_quoted(t->length), t->text);
    switch (name.kind) {
    case WL_PTX_NAME_REGISTER:
        if (name.count > 0)
            return vector_register(p, &name, out);
        out->kind = WL_PTX_OPERAND_REG;
        out->reg = name.value;
        break;
    case WL_PTX_NAME_SPECIAL:
        out->kind = WL_PTX_OPERAND_SPECIAL;
        out->value = name.value;
        break;
    case WL_PTX_NAME_VARIABLE:
        out->kind = WL_PTX_OPERAND_VARIABLE;
        out->variable = name.value;
        break;
    default:
        out->kind = WL_PTX_OPERAND_FUNCTION;
        out->value = out->first = name.value;
        break;
    }
    return WL_OK;
}

/* ---- operands ---- */

wl_status wl_ptx_read_offsets(wl_ptx_parser *p, int64_t *value)
{
    uint64_t sum = (uint64_t)*value;
    while (wl_lexer_is(&p->lexer, '+') || wl_lexer_is(&p->lexer, '-')) {
        const bool minus = wl_lexer_is(&p->lexer, '-');
        const wl_loc loc = p->lexer.token.loc;
        wl_ptx_constant c;
        WL_TRY(wl_lexer_next(&p->lexer));
        WL_TRY(wl_ptx_read_product(&p->lexer, &c));
        if (c.is_float)
            return wl_fail(p->err, WL_E_INPUT, loc, "an offset is an integer");
        sum += minus ? 0 - c.integer : c.integer;
    }
    *value = (int64_t)sum;
    return WL_OK;
}

/* "p|q": the second register. */
static wl_status second_of_pair(wl_ptx_parser *p, wl_ptx_operand *out)
{
    WL_TRY(wl_lexer_next(&p->lexer));
    if (wl_token_equals(&p->lexer.token, "_"))
        return wl_lexer_next(&p->lexer);
    int32_t second = -1;
    WL_TRY(wl_ptx_read_register(p, &second));
    if (wl_ptx_may_pair(out)) /* nothing writes to others */
        out->other = second;
    return WL_OK;
}

static wl_status word(wl_ptx_parser *p, wl_ptx_operand *out)
{
    const wl_token t = p->lexer.token;
    WL_TRY(wl_lexer_next(&p->lexer));
    if (wl_token_equals(&t, "WARP_SZ")) {
        out->kind = WL_PTX_OPERAND_IMMEDIATE;
        out->value = 32;
    } else if (!wl_token_equals(&t, "_")) {
        WL_TRY(named_operand(p, &t, out));
    }
    return out->kind == WL_PTX_OPERAND_VARIABLE ? wl_ptx_read_offsets(p, &out->value) : WL_OK;
}

wl_status wl_ptx_read_register(wl_ptx_parser *p, int32_t *reg)
{
    const wl_token t = p->lexer.token;
    wl_ptx_operand operand = wl_ptx_operand_of(WL_PTX_OPERAND_NONE);
    if (t.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "a register");
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(named_operand(p, &t, &operand));
    if (operand.kind != WL_PTX_OPERAND_REG && !p->lenient)
        return wl_fail(p->err, WL_E_INPUT, t.loc, "'%.*s' is not a register", wl_ptx_quoted(t.length), t.text);
    *reg = operand.reg;
    return WL_OK;
}

/* Whether the token is a sign before a register; *ahead is the lexer at the register. */
static wl_status is_signed_register(const wl_ptx_parser *p, wl_lexer *ahead, bool *yes)
{
    *yes = false;
    if (!wl_lexer_is(&p->lexer, '!') && !wl_lexer_is(&p->lexer, '-'))
        return WL_OK;
    *ahead = p->lexer;
    WL_TRY(wl_lexer_next(ahead));
    *yes = ahead->token.kind == WL_TOKEN_NAME && !wl_token_equals(&ahead->token, "WARP_SZ");
    return WL_OK;
}

static wl_status signed_operand(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    wl_lexer ahead;
    wl_ptx_constant c;
    bool is_register;
    WL_TRY(is_signed_register(p, &ahead, &is_register));
    if (is_register) {
        p->lexer = ahead;
        out->negated = true;
        WL_TRY(wl_ptx_read_register(p, &out->reg));
        out->kind = out->reg < 0 ? WL_PTX_OPERAND_NONE : WL_PTX_OPERAND_REG;
        return WL_OK;
    }
    WL_TRY(wl_ptx_read_constant(&p->lexer, &c));
    out->kind = WL_PTX_OPERAND_IMMEDIATE;
    out->value = wl_ptx_constant_bits(&c, type);
    return WL_OK;
}

wl_status wl_ptx_read_scalar(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    *out = wl_ptx_operand_of(WL_PTX_OPERAND_NONE);
    if (p->lexer.token.kind == WL_TOKEN_NAME)
        return word(p, out);
    if (wl_ptx_constant_begins(&p->lexer))
        return signed_operand(p, type, out);
    return wl_lexer_unexpected(&p->lexer, "an operand");
}

static wl_status add_element(wl_ptx_parser *p, wl_loc loc, const wl_ptx_operand *element, const char *wrong,
                             const wl_ptx_operand *list)
{
    if (element->kind == WL_PTX_OPERAND_VECTOR || p->lists.count - list->first >= WL_PTX_LIST_MAX)
        return wl_fail(p->err, WL_E_INPUT, loc, "%s", wrong);
    WL_PTX_APPEND(&p->lists, p->err, *element);
    return WL_OK;
}

wl_status wl_ptx_read_elements(wl_ptx_parser *p, wl_ptx_type type, const char brackets[2], const char *wrong,
                               wl_ptx_operand *out)
{
    WL_TRY(wl_lexer_take(&p->lexer, brackets[0]));
    for (bool more = true; more && !wl_lexer_is(&p->lexer, brackets[1]);) {
        const wl_loc loc = p->lexer.token.loc;
        wl_ptx_operand element;
        WL_TRY(wl_ptx_read_scalar(p, type, &element));
        WL_TRY(add_element(p, loc, &element, wrong, out));
        WL_TRY(wl_ptx_take_if(p, ',', &more));
    }
    out->count = (uint16_t)(p->lists.count - out->first);
    return wl_lexer_take(&p->lexer, brackets[1]);
}

static wl_status vector(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    return wl_ptx_read_elements(p, type, "{}", "this cannot be an element of a vector", out);
}

/* Parses what follows the base in an address of a texture or tensor: coordinates, samplers. */
static wl_status coordinates(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    out->first = p->lists.count;
    while (wl_lexer_is(&p->lexer, ',')) {
        WL_TRY(wl_lexer_next(&p->lexer));
        if (wl_lexer_is(&p->lexer, '{')) {
            WL_TRY(vector(p, type, out));
            continue;
        }
        const wl_loc loc = p->lexer.token.loc;
        wl_ptx_operand element;
        WL_TRY(wl_ptx_read_scalar(p, type, &element));
        /* the elements of a vector register are in the lists already */
        if (element.kind != WL_PTX_OPERAND_VECTOR)
            WL_TRY(add_element(p, loc, &element, "there are too many coordinates", out));
    }
    out->count = (uint16_t)(p->lists.count - out->first);
    return WL_OK;
}

static wl_status address(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    const wl_token t = p->lexer.token;
    WL_TRY(wl_lexer_take(&p->lexer, '['));
    WL_TRY(wl_ptx_read_scalar(p, WL_PTX_U64, out));
    const bool is_base = out->kind == WL_PTX_OPERAND_REG || out->kind == WL_PTX_OPERAND_VARIABLE ||
                         out->kind == WL_PTX_OPERAND_IMMEDIATE;
    if ((!is_base || out->negated) && !p->lenient)
        return wl_fail(p->err, WL_E_INPUT, t.loc, "an address is a register, a variable or a number, and an offset");
    out->kind = WL_PTX_OPERAND_ADDRESS;
    WL_TRY(wl_ptx_read_offsets(p, &out->value));
    WL_TRY(coordinates(p, type, out));
    return wl_lexer_take(&p->lexer, ']');
}

wl_status wl_ptx_read_operand(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out)
{
    if (wl_lexer_is(&p->lexer, '[')) {
        WL_TRY(address(p, type, out));
    } else if (wl_lexer_is(&p->lexer, '{')) {
        *out = wl_ptx_operand_of(WL_PTX_OPERAND_VECTOR);
        out->first = p->lists.count;
        WL_TRY(vector(p, type, out));
    } else {
        WL_TRY(wl_ptx_read_scalar(p, type, out));
    }
    return wl_lexer_is(&p->lexer, '|') ? second_of_pair(p, out) : WL_OK;
}
