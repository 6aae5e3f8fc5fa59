/* ptx_lexer.c - see ptx_lexer.h.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/ptx_lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"
#include "base/print.h"

#define QUOTED_MAX 40      /* characters of the input that a message quotes */
#define FLOAT_TEXT_MAX 128 /* longest decimal number with a fraction */

static bool is_letter(char c) { return wl_is_letter(c) || c == '_' || c == '$'; }
static bool is_word(char c) { return is_letter(c) || wl_is_digit(c); }

static wl_status block_comment(wl_lexer *lexer)
{
    const wl_loc start = wl_lexer_place(lexer);
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return WL_OK;
        }
        if (*lexer->at == '\n')
            wl_lexer_new_line(lexer, lexer->at + 1);
    }
    return wl_fail(lexer->err, WL_E_INPUT, (wl_loc){start.line, start.col, 2}, "the comment is not closed");
}

static void rest_of_line(wl_lexer *lexer)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
}

static wl_status skip_blanks(wl_lexer *lexer)
{
    for (;;) {
        const char c = *lexer->at;
        if (c == '\n') {
            wl_lexer_new_line(lexer, ++lexer->at);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && lexer->at[1] == '/') {
            rest_of_line(lexer);
        } else if (c == '/' && lexer->at[1] == '*') {
            WL_TRY(block_comment(lexer));
        } else if (c == '#' && lexer->at == lexer->line_start) {
            rest_of_line(lexer); /* a line marker of the preprocessor */
        } else {
            return WL_OK;
        }
    }
}

/* The end of a word with what '::' attaches to it; dotted: and dots, too. */
static const char *word_end(const char *p, bool dotted)
{
    for (;;) {
        while (is_word(*p))
            p++;
        if (dotted && p[0] == '.' && is_word(p[1]))
            p++;
        else if (p[0] == ':' && p[1] == ':' && is_word(p[2]))
            p += 2;
        else
            return p;
    }
}

static wl_status not_a_number(const wl_lexer *lexer, const char *end)
{
    const int32_t length = (int32_t)(end - lexer->token.text);
    return wl_fail(lexer->err, WL_E_INPUT, (wl_loc){lexer->token.loc.line, lexer->token.loc.col, length},
                   "not a number: '%.*s'", length < QUOTED_MAX ? length : QUOTED_MAX, lexer->token.text);
}

/* Digits of a base; false: none, or more than 64 bits. */
static bool digits(const char **at, uint64_t base, uint64_t *value)
{
    const char *start = *at;
    *value = 0;
    for (; (uint64_t)wl_hex_digit(**at) < base; ++*at)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, (uint64_t)wl_hex_digit(**at), value))
            return false;
    return *at > start;
}

/* 0f and 0d: a number given by its bits. */
static bool bits(wl_literal *t, const char **at, int digit_count)
{
    uint64_t value = 0;
    const char *start = *at;
    if (!digits(at, 16, &value) || *at - start != digit_count)
        return false;
    t->is_float = true;
    t->is_single = digit_count == 8;
    t->integer = value; /* kept as bits: a signalling NaN would not survive a conversion */
    if (t->is_single) {
        const uint32_t low = (uint32_t)value;
        float single;
        memcpy(&single, &low, sizeof single);
        t->number = (double)single;
    } else {
        memcpy(&t->number, &value, sizeof value);
    }
    return true;
}

static bool decimal(wl_literal *t, const char **at)
{
    const char *start = *at;
    t->is_float = true;
    t->number = wl_number_read(start, at);
    memcpy(&t->integer, &t->number, sizeof t->integer);
    return *at - start < FLOAT_TEXT_MAX && **at != 'e' && **at != 'E' && isfinite(t->number);
}

static bool is_decimal_fraction(const char *p)
{
    while (wl_is_digit(*p))
        p++;
    return (*p == '.' && !is_letter(p[1])) || *p == 'e' || *p == 'E';
}

static wl_status number(wl_lexer *lexer)
{
    wl_literal *t = &lexer->token.literal;
    const char *p = lexer->at;
    const char mark = p[0] == '0' ? p[1] : '\0';
    bool ok;
    if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D') {
        p += 2;
        ok = bits(t, &p, mark == 'f' || mark == 'F' ? 8 : 16);
    } else if (mark == 'x' || mark == 'X' || mark == 'b' || mark == 'B') {
        p += 2;
        ok = digits(&p, mark == 'x' || mark == 'X' ? 16 : 2, &t->integer);
    } else if (is_decimal_fraction(p)) {
        ok = decimal(t, &p);
    } else {
        ok = digits(&p, p[0] == '0' ? 8 : 10, &t->integer);
    }
    if (!t->is_float) {
        t->is_unsigned = *p == 'U' || *p == 'u' || t->integer > INT64_MAX;
        p += *p == 'U' || *p == 'u';
    }
    if (!ok || is_word(*p))
        return not_a_number(lexer, word_end(p, false));
    lexer->token.kind = t->is_float ? WL_TOKEN_FLOAT : WL_TOKEN_INT;
    lexer->at = p;
    return WL_OK;
}

static wl_status string(wl_lexer *lexer)
{
    const char *p = lexer->at + 1;
    for (; p < lexer->end && *p != '"' && *p != '\n'; p++)
        if (*p == '\\' && p + 1 < lexer->end && p[1] != '\n')
            p++;
    if (*p != '"' || p >= lexer->end)
        return wl_fail(lexer->err, WL_E_INPUT, lexer->token.loc, "the string is not closed");
    lexer->token.kind = WL_TOKEN_STRING;
    lexer->at = p + 1;
    return WL_OK;
}

/* A name, a directive, a number or a string. */
static wl_status read_word(wl_lexer *lexer)
{
    const char c = *lexer->at;
    if (is_letter(c) || (c == '%' && is_letter(lexer->at[1]))) {
        lexer->token.kind = WL_TOKEN_NAME;
        lexer->at = word_end(lexer->at + 1, true);
    } else if (c == '.' && is_letter(lexer->at[1])) {
        lexer->token.kind = WL_TOKEN_DIRECTIVE;
        lexer->at = word_end(lexer->at + 1, false);
    } else if (wl_is_digit(c)) {
        return number(lexer);
    } else if (c == '"') {
        return string(lexer);
    }
    return WL_OK;
}

wl_status wl_ptx_lexer_start(wl_lexer *lexer, const char *text, size_t length, wl_error *err)
{
    static const wl_language language = {skip_blanks, read_word, "{}()[]<>,;:=+-*/%&|^~!?@."};
    *lexer = (wl_lexer){.at = text,
                        .end = text + length,
                        .line_start = text,
                        .line = 1,
                        .language = &language,
                        .noun = "text",
                        .err = err};
    return wl_lexer_next(lexer);
}

wl_status wl_ptx_lexer_skip_line(wl_lexer *lexer)
{
    rest_of_line(lexer);
    return wl_lexer_next(lexer);
}
