/* name_match.c - see name_match.h.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/name_match.h"

#include <fnmatch.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buffer.h"

#define WORDS_MAX 16 /* of one type, as in "unsigned long long const*" */

typedef struct piece {
    const char *at;
    size_t length;
} piece;

/* ---- the form that is compared ---- */

static bool is_name_character(char c) { return wl_is_letter(c) || wl_is_digit(c) || c == '_' || c == ':' || c == '$'; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool starts(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool is(piece p, const char *word) { return p.length == strlen(word) && memcmp(p.at, word, p.length) == 0; }

/* One word of a type: a name, a number without its suffix, or a sign. */
static piece word_at(const char **at, const char *end)
{
    piece p = {*at, 1};
    if (is_name_character(**at))
        while (*at + p.length < end && is_name_character((*at)[p.length]))
            p.length++;
    *at += p.length;
    if (wl_is_digit(*p.at))
        while (p.length > 1 && strchr("uUlL", p.at[p.length - 1]))
            p.length--;
    if (is(p, "true"))
        return (piece){"1", 1};
    return is(p, "false") ? (piece){"0", 1} : p;
}

static int order(piece a, piece b)
{
    const int found = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    return found != 0 ? found : (a.length > b.length) - (a.length < b.length);
}

/* The words between commas and brackets, in canonical order: "const float *" is "float const*". */
static void add_words(wl_buffer *out, piece *words, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && order(words[k], words[k - 1]) < 0; k--) {
            const piece other = words[k];
            words[k] = words[k - 1];
            words[k - 1] = other;
        }
    for (int i = 0; i < count; i++) {
        wl_buffer_put(out, words[i].at, words[i].length);
        wl_buffer_put(out, " ", 1);
    }
}

/* The end of "(int)" before a number, as a template value; else the place itself. */
static const char *behind_cast(const char *start, const char *at, const char *end)
{
    const char *before = at;
    while (before > start && is_blank(before[-1]))
        before--;
    if (before == start || (before[-1] != '<' && before[-1] != ','))
        return at;
    const char *close = memchr(at, ')', (size_t)(end - at));
    for (const char *c = at + 1; close && c < close; c++)
        if (!is_name_character(*c) && !is_blank(*c))
            return at;
    return close && close + 1 < end && (wl_is_digit(close[1]) || close[1] == '-') ? close + 1 : at;
}

static void add_form(wl_buffer *out, const char *text, size_t length)
{
    static const char unnamed[] = "<unnamed>", anonymous[] = "(anonymous namespace)";
    const char *const end = text + length;
    piece words[WORDS_MAX];
    int count = 0;
    for (const char *at = text; at < end;) {
        if (is_blank(*at)) {
            at++;
        } else if (starts(at, end, unnamed)) {
            add_words(out, words, count);
            count = 0;
            add_form(out, anonymous, strlen(anonymous));
            at += strlen(unnamed);
        } else if (strchr("<>(),{}[]", *at)) {
            const char *behind = *at == '(' ? behind_cast(text, at, end) : at;
            add_words(out, words, count);
            count = 0;
            if (behind == at)
                wl_buffer_put(out, at, 1);
            at = behind > at ? behind : at + 1;
        } else {
            if (count == WORDS_MAX) {
                add_words(out, words, count);
                count = 0;
            }
            words[count++] = word_at(&at, end);
        }
    }
    add_words(out, words, count);
}

static void add_without_return(wl_buffer *out, const char *wanted)
{
    wanted += strspn(wanted, " \t");
    if (strncmp(wanted, "void ", 5) == 0)
        wanted += 5;
    add_form(out, wanted, strlen(wanted));
}

const char *wl_ptx_wanted_name(const char *wanted, wl_arena *arena)
{
    wl_buffer form = {0};
    add_without_return(&form, wanted);
    const char *kept = form.failed ? NULL : wl_arena_text(arena, wl_buffer_string(&form), form.length);
    wl_buffer_drop(&form);
    return kept;
}

/* ---- printed names ---- */

size_t wl_ptx_printed_end(const char *printed)
{
    const size_t length = strlen(printed);
    size_t depth = 0;
    if (length == 0 || printed[length - 1] != ')')
        return length;
    for (size_t i = length; i-- > 1;) {
        depth += printed[i] == ')';
        depth -= printed[i] == '(';
        if (depth == 0)
            return i;
    }
    return length;
}

bool wl_ptx_printed_generic(const char *printed)
{
    const char *const end = printed + strlen(printed);
    for (const char *at = printed + wl_ptx_printed_end(printed); at < end;) {
        const piece word = word_at(&at, end);
        size_t digits = 0;
        while (1 + digits < word.length && wl_is_digit(word.at[1 + digits]))
            digits++;
        if (word.at[0] == 'T' && digits > 0 && 1 + digits == word.length)
            return true;
    }
    return false;
}

/* ---- fits ---- */

static bool is_form_of(const char *compared, const char *text, size_t length, bool part, bool *failed)
{
    wl_buffer form = {0};
    add_form(&form, text, length);
    wl_buffer_put(&form, "", 1);
    *failed = *failed || form.failed;
    const bool found = !form.failed && (part ? strstr(form.text, compared) != NULL : strcmp(form.text, compared) == 0);
    wl_buffer_drop(&form);
    return found;
}

static bool is_pattern_of(const char *pattern, const char *symbol, const wl_ptx_demangled *n, bool *failed)
{
    const char *text = n->text + n->name;
    if (!strpbrk(pattern, "*?["))
        return false;
    if (fnmatch(pattern, symbol, FNM_NOESCAPE) == 0 || fnmatch(pattern, text, FNM_NOESCAPE) == 0)
        return true;
    wl_buffer name = {0};
    wl_buffer_put(&name, text, n->end - n->name);
    wl_buffer_put(&name, "", 1);
    *failed = *failed || name.failed;
    const bool found = !name.failed && (fnmatch(pattern, name.text, FNM_NOESCAPE) == 0 ||
                                        fnmatch(pattern, name.text + (n->base - n->name), FNM_NOESCAPE) == 0);
    wl_buffer_drop(&name);
    return found;
}

wl_ptx_fit wl_ptx_name_fit(const char *symbol, const wl_ptx_demangled *n, const char *wanted, const char *compared,
                           bool *failed)
{
    const struct {
        size_t from, to;
    } forms[] = {[WL_PTX_FIT_SIGNATURE] = {n->name, strlen(n->text)},
                 [WL_PTX_FIT_NAME] = {n->name, n->end},
                 [WL_PTX_FIT_BASE] = {n->base, n->end},
                 [WL_PTX_FIT_TEMPLATE] = {n->name, n->args},
                 [WL_PTX_FIT_PLAIN] = {n->base, n->args}};
    if (strcmp(symbol, wanted) == 0)
        return WL_PTX_FIT_SYMBOL;
    for (int i = WL_PTX_FIT_SIGNATURE; i <= WL_PTX_FIT_PLAIN; i++)
        if (is_form_of(compared, n->text + forms[i].from, forms[i].to - forms[i].from, false, failed))
            return (wl_ptx_fit)i;
    if (is_pattern_of(wanted, symbol, n, failed))
        return WL_PTX_FIT_PATTERN;
    if (wanted[0] != '\0' && (strstr(symbol, wanted) || strstr(n->text, wanted)))
        return WL_PTX_FIT_PART;
    return compared[0] != '\0' && is_form_of(compared, n->text, strlen(n->text), true, failed) ? WL_PTX_FIT_PART
                                                                                               : WL_PTX_FIT_NONE;
}
