/* cuda_rules.c - expressions of host code as rules: constants are looked up in the text, casts
 * dropped, and a name that is passed to the kernel becomes the name of its parameter.
 *
 * An honest part of C++: what is not understood (calls, members, conditions) is no rule, and the
 * caller guesses instead.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"
#include "cuda/cuda_source.h"
#include "kernel/where.h"

#define DEPTH_MAX 8 /* of constants that are defined by others */
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool next_is(const char *at, const char *end, char c)
{
    const wl_cuda_word w = wl_cuda_peek(at, end);
    return w.length > 0 && *w.at == c;
}

/* ---- definitions ---- */

/* "#define NAME VALUE" */
static bool find_macro(const wl_cuda *c, wl_cuda_word name, wl_cuda_range *value)
{
    for (const char *line = c->text.at; line < c->text.end;) {
        const char *end = memchr(line, '\n', (size_t)(c->text.end - line));
        end = end ? end : c->text.end;
        const char *at = line;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at < end && *at == '#') {
            at++;
            const wl_cuda_word define = wl_cuda_next(&at, end), named = wl_cuda_next(&at, end);
            if (wl_cuda_word_is(define, "define") && wl_cuda_same_word(named, name) && at < end && *at != '(') {
                *value = (wl_cuda_range){at, end};
                return !wl_cuda_is_empty(*value);
            }
        }
        line = end + (end < c->text.end);
    }
    return false;
}

/* Up to ';', or to a comma outside of brackets. */
static wl_cuda_range initializer(const char *at, const char *end)
{
    int depth = 0;
    const char *const start = at;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, end)).length > 0;) {
        if (*w.at == ';' || (depth == 0 && *w.at == ','))
            return (wl_cuda_range){start, w.at};
        depth += (*w.at == '(' || *w.at == '{') - (*w.at == ')' || *w.at == '}');
        if (depth < 0)
            return (wl_cuda_range){start, w.at};
    }
    return (wl_cuda_range){start, end};
}

/* A variable or constant of the host: the last one defined before `before`, in front of whose name
 * a type, or another variable of the same type, stands. Kernels' own variables do not count. */
static bool find_variable(const wl_cuda *c, wl_cuda_word name, const char *before, wl_cuda_range *value)
{
    const char *at = c->text.at, *const end = c->text.end;
    wl_cuda_word last = {at, 0};
    bool found = false, dim3 = false; /* a declaration of these */
    for (wl_cuda_word w; at < before && (w = wl_cuda_next(&at, end)).length > 0; last = w) {
        dim3 = wl_cuda_word_is(w, "dim3") || (dim3 && !strchr(";{}", *w.at));
        for (size_t k = 0; k < c->count; k++)
            if (w.at >= c->kernels[k].body.at && w.at < c->kernels[k].body.end)
                at = c->kernels[k].body.end;
        const bool typed =
            (wl_cuda_is_name(last) && !wl_cuda_word_is(last, "return")) || (last.length > 0 && *last.at == ',');
        const wl_cuda_word sign = wl_cuda_peek(at, end);
        if (!typed || !wl_cuda_same_word(w, name) || sign.length == 0 || !strchr("=({", *sign.at))
            continue;
        const char *behind = sign.at + 1;
        if (*sign.at == '=' && next_is(behind, end, '='))
            continue; /* a comparison */
        if (*sign.at != '=' && !wl_cuda_word_is(last, "dim3") && !(dim3 && *last.at == ','))
            continue; /* a function */
        *value = *sign.at == '=' ? initializer(behind, end) : wl_cuda_inside(&behind, end);
        found = true;
    }
    return found;
}

bool wl_cuda_meaning(const wl_cuda *c, wl_cuda_word name, wl_cuda_range *meaning)
{
    const char *at = c->text.at, *const end = c->text.end;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, end)).length > 0;) {
        const char *behind = at;
        if (wl_cuda_word_is(w, "using") && wl_cuda_same_word(wl_cuda_next(&behind, end), name) &&
            next_is(behind, end, '=')) {
            (void)wl_cuda_next(&behind, end);
            *meaning = initializer(behind, end);
            return true;
        }
        if (!wl_cuda_word_is(w, "typedef"))
            continue;
        wl_cuda_word last = w;
        for (wl_cuda_word t; (t = wl_cuda_next(&behind, end)).length > 0 && *t.at != ';' && *t.at != '{';)
            last = t;
        if (wl_cuda_same_word(last, name)) {
            *meaning = (wl_cuda_range){at, last.at};
            return true;
        }
    }
    return find_macro(c, name, meaning);
}

/* ---- rules ---- */

typedef struct writing {
    const wl_cuda_reader *reader;
    wl_buffer *out;
    int depth;
} writing;

static bool write_rule(writing *w, wl_cuda_range expression);

static bool read_integer(wl_cuda_word word, int64_t *value)
{
    const bool hex = word.length > 2 && word.at[0] == '0' && (word.at[1] == 'x' || word.at[1] == 'X');
    size_t i = hex ? 2 : 0;
    *value = 0;
    for (; i < word.length && wl_hex_digit(word.at[i]) >= 0 && (hex || wl_is_digit(word.at[i])); i++) {
        if (*value > INT64_MAX / 32)
            return false;
        *value = *value * (hex ? 16 : 10) + wl_hex_digit(word.at[i]);
    }
    for (; i < word.length; i++)
        if (!strchr("uUlLzZ", word.at[i]))
            return false; /* 1e6, 0b1 */
    return wl_cuda_is_number(word);
}

static bool write_number(const writing *w, wl_cuda_word word)
{
    int64_t value;
    if (!read_integer(word, &value))
        return false;
    wl_buffer_add(w->out, "%lld", (long long)value);
    return true;
}

/* Takes the number off the rule that it ends; false: it ends in something else, or the number is a
 * part of a sum or product, which binds closer than a shift. */
static bool take_number(wl_buffer *out, int64_t *value)
{
    size_t start = out->length;
    while (start > 0 && wl_is_digit(out->text[start - 1]))
        start--;
    if (start == out->length || (start > 0 && !strchr("(,", out->text[start - 1])) ||
        !read_integer((wl_cuda_word){out->text + start, out->length - start}, value))
        return false;
    out->length = start;
    out->text[start] = '\0';
    return true;
}

/* "1 << 20"; only of numbers. *at follows the second '<'. */
static bool write_shift(const writing *w, const char **at, const char *end)
{
    int64_t value = 0, by = 0;
    if (!take_number(w->out, &value) || !read_integer(wl_cuda_next(at, end), &by) || by > 40 ||
        value > ((int64_t)1 << 20))
        return false;
    wl_buffer_add(w->out, "%lld", (long long)(value << by));
    return true;
}

/* Is this what stands between the brackets of "(int)" or "(unsigned long)"? */
static bool is_cast(wl_cuda_range inside)
{
    const wl_cuda_type type = wl_cuda_type_of(inside);
    const char *at = inside.at;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, inside.end)).length > 0;)
        if (!wl_cuda_is_name(w))
            return false;
    return type.kind == WL_CUDA_INTEGER || type.kind == WL_CUDA_REAL;
}

/* ceil(n / 256.0f) is cdiv(n, 256): *at follows the '('. */
static bool write_ceiling(writing *w, const char **at, const char *end)
{
    const wl_cuda_range inside = wl_cuda_inside(at, end);
    const char *scan = inside.at, *slash = NULL;
    int depth = 0;
    for (wl_cuda_word word; (word = wl_cuda_next(&scan, inside.end)).length > 0;) {
        depth += (*word.at == '(') - (*word.at == ')');
        slash = depth == 0 && *word.at == '/' ? word.at : slash;
    }
    if (!slash)
        return false;
    wl_buffer_text(w->out, "cdiv(");
    if (!write_rule(w, (wl_cuda_range){inside.at, slash}))
        return false;
    wl_buffer_text(w->out, ",");
    if (!write_rule(w, (wl_cuda_range){slash + 1, inside.end}))
        return false;
    wl_buffer_text(w->out, ")");
    return true;
}

/* The parameter to which the launch passes this very name; NULL: none. */
static const wl_cuda_param *param_passed(const wl_cuda_reader *r, wl_cuda_word name)
{
    const char *at = r->launch ? r->launch->arguments.at : NULL;
    wl_cuda_range part;
    for (int i = 0; r->launch && i < r->kernel->params->count && wl_cuda_part(&at, r->launch->arguments.end, &part);
         i++) {
        const char *inside = part.at;
        const wl_cuda_word first = wl_cuda_next(&inside, part.end);
        if (wl_cuda_same_word(first, name) && wl_cuda_peek(inside, part.end).length == 0)
            return &r->kernel->params->list[i];
    }
    return NULL;
}

/* The extent of the block that the source calls by this name; -1: none. */
static int block_named(const wl_cuda_reader *r, wl_cuda_word name)
{
    for (int i = 0; r->symbolic && i < 3; i++) {
        const int d = (r->axis + i) % 3; /* dim3(TILE, TILE): its own axis first */
        const char *at = r->blocks[d].at;
        if (!at)
            continue;
        const wl_cuda_word first = wl_cuda_next(&at, r->blocks[d].end);
        if (wl_cuda_same_word(first, name) && wl_cuda_peek(at, r->blocks[d].end).length == 0)
            return d;
    }
    return -1;
}

/* threads.x of "dim3 threads(32, 8)"; *at follows the name. */
static bool write_member(writing *w, wl_cuda_word name, const char **at, const char *end)
{
    const wl_cuda_reader *r = w->reader;
    (void)wl_cuda_next(at, end); /* the point */
    const wl_cuda_word member = wl_cuda_next(at, end);
    const char *d = member.length == 1 ? strchr("xyz", *member.at) : NULL;
    if (!d || !r->launch)
        return false;
    const char *block_at = r->launch->block.at;
    const bool of_block = wl_cuda_same_word(wl_cuda_next(&block_at, r->launch->block.end), name) &&
                          wl_cuda_peek(block_at, r->launch->block.end).length == 0;
    if (of_block && r->symbolic) {
        wl_buffer_add(w->out, "block.%c", *d);
        return true;
    }
    wl_cuda_range extents[3];
    const int n = wl_cuda_extents(r, (wl_cuda_range){name.at, name.at + name.length}, extents);
    const int axis = (int)(*d - 'x');
    if (axis >= n) {
        wl_buffer_text(w->out, "1");
        return n > 0;
    }
    return write_rule(w, extents[axis]);
}

static bool write_name(writing *w, wl_cuda_word name)
{
    const wl_cuda_reader *r = w->reader;
    const int axis = block_named(r, name);
    const wl_cuda_param *passed = r->symbolic ? param_passed(r, name) : NULL;
    wl_cuda_range value;
    if (axis >= 0) {
        wl_buffer_add(w->out, "block.%c", "xyz"[axis]);
        return true;
    }
    if (passed) {
        wl_buffer_put(w->out, passed->name.at, passed->name.length);
        return true;
    }
    const char *before = r->launch ? r->launch->arguments.end : r->cuda->text.end;
    if (!find_variable(r->cuda, name, before, &value) && !find_macro(r->cuda, name, &value))
        return false;
    return write_rule(w, value);
}

/* A call that rules know, under the names that people give it; NULL: none. */
static const char *known_call(wl_cuda_word name)
{
    static const char *const divisions[] = {"cdiv",     "ceil_div",     "ceildiv",   "CeilDiv",   "ceilDiv", "div_up",
                                            "divup",    "divUp",        "DivUp",     "iDivUp",    "DIVUP",   "DIV_UP",
                                            "CEIL_DIV", "DIV_ROUND_UP", "divide_up", "divRoundUp"};
    return wl_cuda_word_is(name, "min") || wl_cuda_word_is(name, "max") ? (*(name.at + 1) == 'i' ? "min" : "max")
           : wl_cuda_word_is_one_of(name, divisions, COUNT(divisions))  ? "cdiv"
                                                                        : NULL;
}

/* A name, or a call: *at follows the name. */
static bool write_word(writing *w, wl_cuda_word name, const char **at, const char *end)
{
    const char *behind = *at;
    if (wl_cuda_word_is(name, "std")) { /* std::min: the name follows */
        (void)wl_cuda_next(at, end);
        (void)wl_cuda_next(at, end);
        return true;
    }
    if (wl_cuda_word_is(name, "static_cast")) {
        for (wl_cuda_word t; (t = wl_cuda_next(at, end)).length > 0 && *t.at != '>';)
            ;
        return true;
    }
    if (next_is(behind, end, '.'))
        return write_member(w, name, at, end);
    if (!next_is(behind, end, '('))
        return write_name(w, name);
    (void)wl_cuda_next(&behind, end);
    if (wl_cuda_word_is(name, "ceil") || wl_cuda_word_is(name, "ceilf")) {
        *at = behind;
        return write_ceiling(w, at, end);
    }
    if (wl_cuda_word_is(name, "sizeof")) {
        const wl_cuda_type type = wl_cuda_type_of(wl_cuda_inside(&behind, end));
        *at = behind;
        wl_buffer_add(w->out, "%d", type.pointers ? 8 : type.bytes * type.parts);
        return type.pointers || type.bytes > 0;
    }
    const char *call = known_call(name);
    if (call)
        wl_buffer_text(w->out, call);
    return call != NULL;
}

/* The rest of "256.0f" after 256: only a whole number is a rule. *at follows the point. */
static bool skip_fraction(const char **at, const char *end)
{
    const wl_cuda_word digits = wl_cuda_peek(*at, end);
    if (digits.length == 0 || digits.at != *at || !wl_cuda_is_number(digits))
        return true; /* "256." */
    for (size_t i = 0; i < digits.length; i++)
        if (digits.at[i] != '0' && !strchr("fF", digits.at[i]))
            return false;
    (void)wl_cuda_next(at, end);
    return true;
}

static bool write_words(writing *w, wl_cuda_range e)
{
    const char *at = e.at;
    bool ok = true, any = false;
    for (wl_cuda_word word; ok && (word = wl_cuda_next(&at, e.end)).length > 0; any = true) {
        const char *inside = at;
        if (wl_cuda_is_number(word)) {
            ok = write_number(w, word);
        } else if (wl_cuda_is_name(word)) {
            ok = write_word(w, word, &at, e.end);
        } else if (*word.at == '(' && is_cast(wl_cuda_inside(&inside, e.end))) {
            at = inside;
        } else if (*word.at == '<' && next_is(at, e.end, '<')) {
            (void)wl_cuda_next(&at, e.end);
            ok = write_shift(w, &at, e.end);
        } else if (*word.at == '.') {
            ok = skip_fraction(&at, e.end);
        } else {
            ok = strchr("+-*/%(),", *word.at);
            wl_buffer_put(w->out, word.at, 1);
        }
    }
    return ok && any;
}

/* Takes parentheses off again that enclose one word: a cast left nothing else. `start` is the
 * place of the first. */
static void unwrap(wl_buffer *out, size_t start)
{
    for (size_t i = start + 1; i + 1 < out->length; i++)
        if (strchr("+-*/%(),", out->text[i]))
            return;
    memmove(out->text + start, out->text + start + 1, out->length - start - 2);
    out->length -= 2;
    out->text[out->length] = '\0';
}

/* In parentheses, unless it is a single word. */
static bool write_rule(writing *w, wl_cuda_range e)
{
    const size_t start = w->out->length;
    if (++w->depth > DEPTH_MAX)
        return false;
    wl_buffer_text(w->out, "(");
    const bool ok = write_words(w, e);
    wl_buffer_text(w->out, ")");
    w->depth--;
    if (ok && !w->out->failed)
        unwrap(w->out, start);
    return ok;
}

bool wl_cuda_rule(const wl_cuda_reader *r, wl_cuda_range e, wl_buffer *out)
{
    writing w = {r, out, 0};
    const size_t before = out->length;
    if (write_words(&w, e) && !out->failed)
        return true;
    if (out->text) {
        out->length = before;
        out->text[before] = '\0';
    }
    return false;
}

bool wl_cuda_rule_value(const char *rule, int64_t *value)
{
    static const int64_t none[WL_WHERE_NAMES] = {0};
    wl_arena arena = {0};
    const wl_where *parsed = NULL;
    wl_error ignored = {0};
    const char *at = rule;
    bool ok = wl_where_parse_part(rule, &at, NULL, 0, &arena, &parsed, &ignored) == WL_OK && *at == '\0';
    for (int n = 0; ok && n < WL_WHERE_NAMES; n++)
        ok = !wl_where_uses(parsed, (wl_where_name)n);
    ok = ok && wl_where_value(parsed, none, value, &ignored) == WL_OK;
    wl_arena_free(&arena);
    return ok;
}

bool wl_cuda_constant(const wl_cuda_reader *r, wl_cuda_range e, int64_t *value)
{
    wl_cuda_reader numbers = *r;
    wl_buffer rule = {0};
    numbers.symbolic = false;
    const bool ok = wl_cuda_rule(&numbers, e, &rule) && wl_cuda_rule_value(rule.text, value);
    wl_buffer_drop(&rule);
    return ok;
}

/* ---- dim3 ---- */

static int split(wl_cuda_range list, wl_cuda_range extents[3])
{
    int n = 0;
    const char *at = list.at;
    for (wl_cuda_range part; n < 3 && wl_cuda_part(&at, list.end, &part) && !wl_cuda_is_empty(part);)
        extents[n++] = part;
    return n;
}

static int extents_of(const wl_cuda_reader *r, wl_cuda_range e, int depth, wl_cuda_range extents[3])
{
    const char *at = e.at;
    const wl_cuda_word first = wl_cuda_next(&at, e.end);
    wl_cuda_range value;
    if (first.length == 0 || depth > DEPTH_MAX)
        return 0;
    if (wl_cuda_word_is(first, "dim3") && (next_is(at, e.end, '(') || next_is(at, e.end, '{'))) {
        (void)wl_cuda_next(&at, e.end);
        return split(wl_cuda_inside(&at, e.end), extents);
    }
    if (*first.at == '{')
        return split(wl_cuda_inside(&at, e.end), extents);
    const bool single = wl_cuda_peek(at, e.end).length == 0;
    const char *before = r->launch ? r->launch->arguments.end : r->cuda->text.end;
    if (single && wl_cuda_is_name(first) && find_variable(r->cuda, first, before, &value)) {
        const char *inside = value.at;
        const wl_cuda_word start = wl_cuda_next(&inside, value.end);
        const bool listed = value.at > r->cuda->text.at && (value.at[-1] == '(' || value.at[-1] == '{');
        if (listed)
            return split(value, extents);
        if (start.length > 0 && (*start.at == '{' || wl_cuda_word_is(start, "dim3")))
            return extents_of(r, value, depth + 1, extents);
    }
    extents[0] = e;
    return 1;
}

int wl_cuda_extents(const wl_cuda_reader *r, wl_cuda_range e, wl_cuda_range extents[3])
{
    return extents_of(r, e, 0, extents);
}
