/* lexer.c - see lexer.h. SPDX-License-Identifier: MIT */
#include "expr/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"

#define QUOTED_MAX 40 /* characters of the input that a message shows */

/* ---- kernel files and options ---- */

static bool lines_count(const wl_lexer *lexer) { return lexer->lines && lexer->nesting == 0; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static wl_status skip_blanks(wl_lexer *lexer)
{
    for (;; lexer->at++) {
        if (*lexer->at == '\n' && !lines_count(lexer))
            wl_lexer_new_line(lexer, lexer->at + 1);
        else if (!is_blank(*lexer->at))
            return WL_OK;
    }
}

static wl_status skip_comments(wl_lexer *lexer)
{
    for (;;) {
        WL_TRY(skip_blanks(lexer));
        if (*lexer->at != '#')
            return WL_OK;
        lexer->at += strcspn(lexer->at, "\n");
    }
}

static const char *digits_end(const char *p)
{
    while (wl_is_digit(*p))
        p++;
    return p;
}

/* Returns the end of a number; sets is_float when it has a point or an exponent. */
static const char *number_end(const char *p, bool *is_float)
{
    p = digits_end(p);
    *is_float = *p == '.';
    if (*p == '.')
        p = digits_end(p + 1);
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '-' || p[1] == '+');
        if (wl_is_digit(*exponent)) {
            *is_float = true;
            p = digits_end(exponent);
        }
    }
    return p;
}

static wl_status number(wl_lexer *lexer)
{
    wl_token *t = &lexer->token;
    wl_literal *literal = &t->literal;
    const char *p = number_end(lexer->at, &literal->is_float);
    t->kind = literal->is_float ? WL_TOKEN_FLOAT : WL_TOKEN_INT;
    t->loc.len = (int32_t)(p - lexer->at);
    literal->number = wl_number_read(lexer->at, NULL);
    if (!literal->is_float) {
        errno = 0;
        const long long value = strtoll(lexer->at, NULL, 10);
        if (errno == ERANGE || !wl_in_range(value))
            return wl_fail(lexer->err, WL_E_RANGE, t->loc, "the number is too large (the limit is 2^60)");
        literal->integer = (uint64_t)value;
    } else if (*p == 'f' || *p == 'F') {
        p++; /* C's suffix for a float literal */
    }
    if (!isfinite(literal->number) || wl_is_letter(*p) || wl_is_digit(*p) || *p == '_' || *p == '.')
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "not a number");
    lexer->at = p;
    return WL_OK;
}

static void name(wl_lexer *lexer)
{
    const char *p = lexer->at;
    while (wl_is_letter(*p) || wl_is_digit(*p) || *p == '_' || (*p == '.' && wl_is_letter(p[1])))
        p++;
    lexer->token.kind = WL_TOKEN_NAME;
    lexer->at = p;
}

static wl_status read_word(wl_lexer *lexer)
{
    const char c = *lexer->at;
    if (wl_is_digit(c) || (c == '.' && wl_is_digit(lexer->at[1])))
        return number(lexer);
    if (wl_is_letter(c) || c == '_') {
        name(lexer);
    } else if (lines_count(lexer) && (c == '\n' || c == ';')) {
        lexer->token.kind = WL_TOKEN_LINE_END;
        lexer->at++;
        if (c == '\n')
            wl_lexer_new_line(lexer, lexer->at);
    }
    return WL_OK;
}

const wl_language wl_language_kernel = {skip_comments, read_word, "+-*/%()[],=:<>!&|^~"},
                  wl_language_condition = {skip_blanks, read_word, "+-*/%()[],=:<>!&|^~"};

/* ---- every language ---- */

/* The operator that these two characters form, or 0. */
static char pair(char c, char d)
{
    if (d == '=')
        return c == '<'   ? WL_PUNCT_LESS_EQUAL
               : c == '>' ? WL_PUNCT_GREATER_EQUAL
               : c == '=' ? WL_PUNCT_EQUAL
               : c == '!' ? WL_PUNCT_UNEQUAL
                          : 0;
    if (c != d)
        return 0;
    return c == '&'   ? WL_PUNCT_BOTH
           : c == '|' ? WL_PUNCT_ANY
           : c == '<' ? WL_PUNCT_SHIFT_LEFT
           : c == '>' ? WL_PUNCT_SHIFT_RIGHT
                      : 0;
}

static wl_status punctuation(wl_lexer *lexer)
{
    wl_token *t = &lexer->token;
    const char c = *lexer->at, two = pair(c, lexer->at[1]);
    if (c == '\0' || (!two && !strchr(lexer->language->punctuation, c))) {
        if (c > ' ' && c < 127)
            return wl_fail(lexer->err, WL_E_INPUT, t->loc, "unexpected character '%c'", c);
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "unexpected character (code %d)", (int)(unsigned char)c);
    }
    t->kind = WL_TOKEN_PUNCT;
    t->punct = two ? two : c;
    lexer->at += two ? 2 : 1;
    if (c == '(' || c == '[')
        lexer->nesting++;
    else if ((c == ')' || c == ']') && lexer->nesting > 0)
        lexer->nesting--;
    return WL_OK;
}

wl_status wl_lexer_next(wl_lexer *lexer)
{
    const wl_loc end = wl_lexer_place(lexer); /* right after the previous token */
    WL_TRY(lexer->language->skip(lexer));
    wl_token *t = &lexer->token;
    *t = (wl_token){.text = lexer->at, .loc = wl_lexer_place(lexer)};
    if (lexer->at >= lexer->end) {
        t->loc = end;
        return WL_OK;
    }
    WL_TRY(lexer->language->read(lexer));
    if (t->kind == WL_TOKEN_END)
        WL_TRY(punctuation(lexer));
    t->length = (size_t)(lexer->at - t->text);
    t->loc.len = (int32_t)t->length;
    return WL_OK;
}

wl_status wl_lexer_start(wl_lexer *lexer, const char *text, bool lines, wl_error *err)
{
    *lexer = (wl_lexer){.at = text,
                        .end = text + strlen(text),
                        .line_start = text,
                        .line = 1,
                        .lines = lines,
                        .language = &wl_language_kernel,
                        .noun = "text",
                        .err = err};
    return wl_lexer_next(lexer);
}

wl_status wl_lexer_unexpected(const wl_lexer *lexer, const char *wanted)
{
    const wl_token *t = &lexer->token;
    if (t->kind == WL_TOKEN_END || t->kind == WL_TOKEN_LINE_END)
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "expected %s, but the %s ends here", wanted, lexer->noun);
    return wl_fail(lexer->err, WL_E_INPUT, t->loc, "expected %s, not '%.*s'", wanted,
                   (int)(t->length < QUOTED_MAX ? t->length : QUOTED_MAX), t->text);
}

wl_status wl_lexer_take(wl_lexer *lexer, char punct)
{
    if (!wl_lexer_is(lexer, punct)) {
        const char wanted[] = {'\'', punct, '\'', '\0'};
        return wl_lexer_unexpected(lexer, wanted);
    }
    return wl_lexer_next(lexer);
}

bool wl_token_equals(const wl_token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}
