/* lex.c - see lex.h. SPDX-License-Identifier: MIT */
#include "input/lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/number.h"

static void skip_blanks(wl_lexer *lexer)
{
    for (;; lexer->at++, lexer->col++) {
        const char c = *lexer->at;
        if (c == '#') {
            while (lexer->at[1] != '\0' && lexer->at[1] != '\n')
                lexer->at++, lexer->col++;
        } else if (c == '\n' && !lexer->lines) {
            lexer->line++;
            lexer->col = 0;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static wl_status number(wl_lexer *lexer)
{
    wl_token *t = &lexer->token;
    const char *p = lexer->at;
    while (isdigit((unsigned char)*p))
        p++;
    t->kind = WL_TOKEN_INT;
    if (*p == '.') {
        t->kind = WL_TOKEN_FLOAT;
        for (p++; isdigit((unsigned char)*p);)
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
        if (isdigit((unsigned char)*q)) {
            t->kind = WL_TOKEN_FLOAT;
            for (p = q; isdigit((unsigned char)*p);)
                p++;
        }
    }
    t->length = (size_t)(p - lexer->at);
    t->loc.len = (int32_t)t->length;
    t->number = wl_number_read(lexer->at, NULL);
    if (t->kind == WL_TOKEN_INT) {
        errno = 0;
        const long long value = strtoll(lexer->at, NULL, 10);
        if (errno == ERANGE || !wl_in_range(value))
            return wl_fail(lexer->err, WL_E_RANGE, t->loc, "the number is too large (the limit is 2^60)");
        t->integer = value;
    } else if (*p == 'f' || *p == 'F') {
        p++; /* C's suffix for a float literal */
    }
    if (!isfinite(t->number) || isalnum((unsigned char)*p) || *p == '_' || *p == '.')
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "not a number");
    lexer->col += (int32_t)(p - lexer->at);
    lexer->at = p;
    return WL_OK;
}

static bool is_name_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void name(wl_lexer *lexer)
{
    const char *p = lexer->at;
    while (is_name_char(*p))
        p++;
    if (*p == '.' && isalpha((unsigned char)p[1]))
        for (p++; is_name_char(*p);)
            p++;
    lexer->token.kind = WL_TOKEN_NAME;
    lexer->token.length = (size_t)(p - lexer->at);
    lexer->col += (int32_t)lexer->token.length;
    lexer->at = p;
}

/* One or two characters; false when they are none of the language. */
static bool punctuation(wl_lexer *lexer)
{
    static const struct {
        char text[3];
        wl_punct punct;
    } pairs[] = {{"<=", WL_PUNCT_LESS_EQUAL}, {">=", WL_PUNCT_GREATER_EQUAL}, {"==", WL_PUNCT_EQUAL},
                 {"!=", WL_PUNCT_UNEQUAL},    {"&&", WL_PUNCT_BOTH},          {"||", WL_PUNCT_ANY},
                 {"<<", WL_PUNCT_SHIFT_LEFT}, {">>", WL_PUNCT_SHIFT_RIGHT}};
    wl_token *t = &lexer->token;
    t->kind = WL_TOKEN_PUNCT;
    t->punct = *lexer->at;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !lexer->lines; i++)
        if (strncmp(lexer->at, pairs[i].text, 2) == 0) {
            t->punct = (char)pairs[i].punct;
            t->length = 2;
            t->loc.len = 2;
        }
    lexer->at += t->length;
    lexer->col += (int32_t)t->length;
    return t->length == 2 || strchr(lexer->lines ? "+-*/%()[],=" : "+-*/%()[],=:<>!&|^~", t->punct);
}

wl_status wl_lexer_next(wl_lexer *lexer)
{
    const wl_loc end = {lexer->line, lexer->col, 1}; /* right behind the token before */
    skip_blanks(lexer);
    wl_token *t = &lexer->token;
    const char c = *lexer->at;
    *t = (wl_token){.text = lexer->at, .length = 1, .loc = {lexer->line, lexer->col, 1}};
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)lexer->at[1])))
        return number(lexer);
    if (isalpha((unsigned char)c) || c == '_') {
        name(lexer);
        t->loc.len = (int32_t)t->length;
        return WL_OK;
    }
    if (c == '\0') {
        t->kind = WL_TOKEN_END;
        t->loc = end;
        return WL_OK;
    }
    if (lexer->lines && (c == '\n' || c == ';')) {
        t->kind = WL_TOKEN_LINE_END;
        lexer->at++;
        lexer->col++;
        if (c == '\n') {
            lexer->line++;
            lexer->col = 1;
        }
        return WL_OK;
    }
    if (punctuation(lexer))
        return WL_OK;
    if (isprint((unsigned char)c))
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "unexpected character '%c'", c);
    return wl_fail(lexer->err, WL_E_INPUT, t->loc, "unexpected character (code %d)", (int)(unsigned char)c);
}

wl_status wl_lexer_start(wl_lexer *lexer, const char *text, bool lines, wl_error *err)
{
    *lexer = (wl_lexer){.at = text, .line = 1, .col = 1, .lines = lines, .err = err};
    return wl_lexer_next(lexer);
}

bool wl_lexer_is(const wl_lexer *lexer, char punct)
{
    return lexer->token.kind == WL_TOKEN_PUNCT && lexer->token.punct == punct;
}

wl_status wl_lexer_unexpected(const wl_lexer *lexer, const char *wanted)
{
    const wl_token *t = &lexer->token;
    if (t->kind == WL_TOKEN_END || t->kind == WL_TOKEN_LINE_END)
        return wl_fail(lexer->err, WL_E_INPUT, t->loc, "expected %s, but the text ends here", wanted);
    return wl_fail(lexer->err, WL_E_INPUT, t->loc, "expected %s, not '%.*s'", wanted,
                   (int)(t->length < 40 ? t->length : 40), t->text);
}

wl_status wl_lexer_take(wl_lexer *lexer, char punct)
{
    if (!wl_lexer_is(lexer, punct)) {
        const char wanted[] = {'\'', punct, '\'', '\0'};
        return wl_lexer_unexpected(lexer, wanted);
    }
    return wl_lexer_next(lexer);
}

bool wl_token_equals(const wl_token *token, const char *name)
{
    return strlen(name) == token->length && memcmp(token->text, name, token->length) == 0;
}
