/* decode.c - see decode.h. Operations and common modifiers are tables (operations.def,
 * modifiers.def); modifiers with a special meaning for some operations are handled here.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/decode.h"

#include <string.h>

#define SPELLING_MAX 40 /* characters: longer than any operation */

typedef enum modifier_kind { TYPE, SPACE, FLAG, VARIANT, COMPARE, VECTOR, PLAIN } modifier_kind;

typedef struct modifier {
    const char *text;
    modifier_kind what;
    int value;
} modifier;

static const modifier modifiers[] = {
#define WL_PTX_MODIFIER(text, what, value) {text, what, value},
#include "ptx/read/modifiers.def"
};

static bool equals(const char *text, size_t length, const char *word)
{
    return strncmp(text, word, length) == 0 && word[length] == '\0';
}

static bool starts(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static const modifier *find_modifier(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
        if (modifiers[i].text[0] == text[0] && equals(text, length, modifiers[i].text))
            return &modifiers[i];
    return NULL;
}

wl_ptx_type wl_ptx_type_named(const char *name, size_t length)
{
    const modifier *m = find_modifier(name, length);
    return m && m->what == TYPE ? (wl_ptx_type)m->value : WL_PTX_NONE;
}

wl_ptx_space wl_ptx_space_named(const char *name, size_t length)
{
    const modifier *m = find_modifier(name, length);
    return m && m->what == SPACE && m->value != WL_PTX_GENERIC ? (wl_ptx_space)m->value : WL_PTX_SPACE_NONE;
}

/* Whether the text is one of the blank-separated spellings. */
static bool is_spelling(const char *spellings, const char *text, size_t length)
{
    for (const char *at = spellings; *at;) {
        const size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, text, n) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

static wl_ptx_op find_op(const char *text, size_t length)
{
    for (int op = WL_PTX_OP_unknown + 1; op < WL_PTX_OP_COUNT; op++)
        if (is_spelling(wl_ptx_op_info_of((wl_ptx_op)op)->mnemonic, text, length))
            return (wl_ptx_op)op;
    return WL_PTX_OP_unknown;
}

/* The operation with the longest spelling that starts the mnemonic; *used is its length. */
static wl_ptx_op match_op(const char *text, size_t length, size_t *used)
{
    for (size_t end = length < SPELLING_MAX ? length : SPELLING_MAX; end > 0; end--) {
        if (end < length && text[end] != '.')
            continue;
        const wl_ptx_op op = find_op(text, end);
        if (op != WL_PTX_OP_unknown) {
            *used = end;
            return op;
        }
    }
    *used = length;
    return WL_PTX_OP_unknown;
}

static bool set_logic(wl_ptx_instruction *in, const char *text, size_t length)
{
    const bool is_and = equals(text, length, "and"), is_or = equals(text, length, "or");
    if (!is_and && !is_or && !equals(text, length, "xor"))
        return false;
    in->combine = is_and ? WL_PTX_AND : is_or ? WL_PTX_OR : WL_PTX_XOR;
    return true;
}

static bool set_modifier(wl_ptx_instruction *in, const char *text, size_t length)
{
    const bool is_lo = equals(text, length, "lo");
    if (is_lo || equals(text, length, "hi")) { /* unsigned comparisons */
        in->compare = is_lo ? WL_PTX_LT : WL_PTX_GT;
        return true;
    }
    return set_logic(in, text, length);
}

static bool matrix_modifier(wl_ptx_instruction *in, const char *text, size_t length)
{
    if (length == 2 && text[0] == 'x' && text[1] >= '1' && text[1] <= '4') {
        in->vector = (uint8_t)(text[1] - '0');
        return true;
    }
    return text[0] == 'm';
}

/* Modifiers that only this operation has, or that have another meaning for it. */
static bool own_modifier(wl_ptx_instruction *in, const char *text, size_t length)
{
    switch (in->op) {
    case WL_PTX_OP_set:
    case WL_PTX_OP_setp: return set_modifier(in, text, length);
    case WL_PTX_OP_lop3: return set_logic(in, text, length);
    case WL_PTX_OP_bra:
    case WL_PTX_OP_call:
    case WL_PTX_OP_brx:
    case WL_PTX_OP_ret:
        if (!equals(text, length, "uni"))
            return false;
        in->modifiers |= WL_PTX_MOD_UNI;
        return true;
    case WL_PTX_OP_shf:
        if (length != 1 || (text[0] != 'l' && text[0] != 'r'))
            return false;
        in->modifiers |= text[0] == 'l' ? WL_PTX_MOD_LEFT : 0;
        return true;
    case WL_PTX_OP_ldmatrix:
    case WL_PTX_OP_stmatrix: return matrix_modifier(in, text, length);
    case WL_PTX_OP_bar: return equals(text, length, "cta");
    case WL_PTX_OP_mbarrier:
    case WL_PTX_OP_cp_bulk:
    case WL_PTX_OP_tensormap:
    case WL_PTX_OP_tcgen05_alloc:
    case WL_PTX_OP_tcgen05_commit: /* src/ptx/async looks them up in the text */
        return !find_modifier(text, length) || equals(text, length, "arrive") || equals(text, length, "red");
    case WL_PTX_OP_atom:
    case WL_PTX_OP_red:
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_st:
    case WL_PTX_OP_cp_async:
        in->modifiers |= equals(text, length, "L1::no_allocate") ? WL_PTX_MOD_NO_ALLOCATE : 0;
        return starts(text, length, "L1::") || starts(text, length, "L2::");
    default: return false;
    }
}

static void apply(wl_ptx_instruction *in, const modifier *m)
{
    switch (m->what) {
    case TYPE:
        if (in->type == WL_PTX_NONE)
            in->type = (wl_ptx_type)m->value;
        else if (in->from == WL_PTX_NONE)
            in->from = (wl_ptx_type)m->value;
        break;
    case SPACE:
        if (in->space != WL_PTX_SPACE_NONE && in->to_space == WL_PTX_SPACE_NONE)
            in->to_space = in->space; /* copies name the destination first */
        in->space = (wl_ptx_space)m->value;
        break;
    case FLAG: in->modifiers |= (uint32_t)m->value; break;
    case VARIANT: in->variant = (wl_ptx_variant)m->value; break;
    case COMPARE: in->compare = (wl_ptx_compare)m->value; break;
    case VECTOR: in->vector = (uint8_t)m->value; break;
    case PLAIN: break;
    }
}

/* Derives what depends on several modifiers together. */
static void complete(wl_ptx_instruction *in, bool ordered, bool wide_scope)
{
    if (wl_ptx_op_info_of(in->op)->class_by_space && in->space == WL_PTX_SPACE_NONE)
        in->space = WL_PTX_GENERIC;
    if (in->op == WL_PTX_OP_cp_async)
        in->modifiers |= WL_PTX_MOD_ASYNC;
    if (ordered && wide_scope)
        in->modifiers |= WL_PTX_MOD_BYPASS;
}

void wl_ptx_decode(const char *mnemonic, size_t length, wl_ptx_instruction *out, wl_ptx_slice *unknown)
{
    size_t at = 0;
    bool ordered = false, wide_scope = false;
    *out = (wl_ptx_instruction){.vector = 1, .guard = -1, .file = -1};
    *unknown = (wl_ptx_slice){0};
    out->op = match_op(mnemonic, length, &at);
    if (out->op == WL_PTX_OP_unknown)
        *unknown = (wl_ptx_slice){mnemonic, (int32_t)length};
    for (; at < length;) {
        const char *text = mnemonic + ++at;
        size_t n = 0;
        while (at + n < length && text[n] != '.')
            n++;
        at += n;
        ordered |= equals(text, n, "relaxed") || equals(text, n, "acquire");
        wide_scope |= equals(text, n, "gpu") || equals(text, n, "sys");
        const modifier *m = NULL;
        if (own_modifier(out, text, n))
            continue;
        if ((m = find_modifier(text, n)))
            apply(out, m);
        else if (wl_ptx_op_info_of(out->op)->support == WL_PTX_EXACT && unknown->length == 0)
            *unknown = (wl_ptx_slice){text, (int32_t)n};
    }
    out->partial = unknown->length > 0;
    complete(out, ordered, wide_scope);
}
