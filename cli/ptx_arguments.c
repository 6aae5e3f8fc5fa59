/* ptx_arguments.c - see ptx_arguments.h. SPDX-License-Identifier: MIT */
#include "ptx_arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define NUMBER_LENGTH 24
#define EXPRESSION_MAX 256
#define DEPTH_MAX 8 /* of structs */
#define PARTS_MAX 3 /* extents of a texture */

static bool is_name_character(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* Is this word a name that has a value: one that is set, or domain.x? */
static bool is_known(const char *word, size_t length, const ptx_request *r)
{
    if (length == strlen("domain.x") && strncmp(word, "domain.", strlen("domain.")) == 0)
        return true;
    for (size_t i = 0; i < r->set_count; i++)
        if (strcspn(r->sets[i], "=") == length && memcmp(r->sets[i], word, length) == 0)
            return true;
    return false;
}

/* Does it use a name, so that a missing value is an error? Numbers, with units and exponents, begin
 * with a digit; contents or bytes follow a colon. */
static bool names_something(const char *text, size_t length)
{
    bool named = false;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && is_name_character(text[i + n]))
            n++;
        named = named || (n > 0 && (isalpha((unsigned char)text[i]) || text[i] == '_'));
        i += n > 0 ? n : 1;
    }
    return named && !memchr(text, ':', length);
}

/* Everything else, with units and contents, is read by the library. */
static bool is_expression(const char *text, size_t length, const ptx_request *r)
{
    bool computed = false, numbers = true;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && is_name_character(text[i + n]))
            n++;
        if (n > 0 && is_known(text + i, n, r))
            return true;
        for (size_t k = 0; k < n; k++)
            numbers = numbers && isdigit((unsigned char)text[i + k]);
        computed = computed || (n == 0 && i > 0 && strchr("+-*/%()", text[i]));
        i += n > 0 ? n : 1;
    }
    return computed && numbers;
}

static wl_status no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

/* A text in which expressions are replaced by numbers, so far. */
typedef struct resolution {
    const ptx_request *request;
    const char *option, *text, *at; /* the whole text, and the rest */
    char *out;
    size_t *places; /* of its characters in the text */
    size_t used, room;
} resolution;

static bool grow(resolution *r, size_t room)
{
    char *larger = realloc(r->out, room);
    if (!larger)
        return false;
    r->out = larger;
    size_t *places = realloc(r->places, room * sizeof *places);
    if (!places)
        return false;
    r->places = places;
    r->room = room;
    return true;
}

/* Adds characters and records their positions in the original text: one each, or the first for
 * all. */
static wl_status put_from(resolution *r, const char *text, size_t length, size_t place, bool each, wl_error *err)
{
    if (length >= r->room - r->used && !grow(r, 2 * (r->used + length) + NUMBER_LENGTH))
        return no_memory(err);
    memcpy(r->out + r->used, text, length);
    for (size_t i = 0; i < length; i++)
        r->places[r->used + i] = place + (each ? i : 0);
    r->used += length;
    r->out[r->used] = '\0';
    r->places[r->used] = strlen(r->text);
    return WL_OK;
}

/* Copies a part of the text. */
static wl_status put(resolution *r, const char *text, size_t length, wl_error *err)
{
    return put_from(r, text, length, (size_t)(text - r->text), true, err);
}

static wl_status evaluate(const resolution *r, size_t length, char number[NUMBER_LENGTH], wl_error *err)
{
    const ptx_request *q = r->request;
    char expression[EXPRESSION_MAX];
    int64_t value = 0;
    for (size_t i = 0; i < q->set_count; i++)
        diag_remember(q->sets[i], q->sets[i]); /* an error inside one names it */
    (void)snprintf(expression, sizeof expression, "%.*s", (int)length, r->at);
    const wl_status status = wl_number_evaluate(expression, q->sets, q->set_count, q->domain, &value, err);
    if (status == WL_OK) {
        (void)snprintf(number, NUMBER_LENGTH, "%lld", (long long)value);
    } else if (!err->input[0]) {
        diag_say_set(err);
        (void)snprintf(err->input, sizeof err->input, "%s", r->option);
        err->loc.col += err->loc.line > 0 ? (int32_t)(r->at - r->text) : 0;
        diag_remember(r->option, r->text);
    }
    return status;
}

/* The next `length` characters: an expression, or anything else, which is copied. */
static wl_status put_number(resolution *r, size_t length, wl_error *err)
{
    char number[NUMBER_LENGTH];
    const char *text = r->at;
    wl_status status = WL_OK;
    /* the contents of a variable may be a file of any name */
    const bool argument = strcmp(r->option, "--arg") == 0;
    const bool computed = length < EXPRESSION_MAX &&
                          (is_expression(text, length, r->request) || (argument && names_something(text, length)));
    if (computed)
        status = evaluate(r, length, number, err);
    r->at += length;
    if (status != WL_OK)
        return status;
    return computed ? put_from(r, number, strlen(number), (size_t)(text - r->text), false, err)
                    : put(r, text, length, err);
}

/* The length of a value: inside braces, up to the next comma or brace outside parentheses. */
static size_t value_length(const char *at, bool braced, const char *stops)
{
    size_t length = 0;
    for (int depth = 0; at[length]; length++) {
        depth += (at[length] == '(') - (at[length] == ')');
        if ((braced && depth <= 0 && strchr(",{}", at[length])) || strchr(stops, at[length]))
            break;
    }
    return length;
}

/* A prefix, up to `most` numbers that end at one of `ends`, separated by `between` (0: one number),
 * and the rest unchanged. */
static wl_status put_numbers(resolution *r, size_t head, int most, const char *ends, char between, bool braced,
                             wl_error *err)
{
    wl_status status = put(r, r->at, head, err);
    r->at += head;
    for (int part = 0; part < most && status == WL_OK; part++) {
        status = put_number(r, value_length(r->at, braced, ends), err);
        if (status != WL_OK || !between || *r->at != between)
            break;
        status = put(r, r->at++, 1, err);
    }
    const size_t rest = value_length(r->at, braced, "");
    if (status == WL_OK)
        status = put(r, r->at, rest, err);
    r->at += rest;
    return status;
}

/* buf:BYTES[:OFFSET][=CONTENTS] */
static wl_status put_buffer(resolution *r, bool braced, wl_error *err)
{
    return put_numbers(r, strlen("buf:"), 2, ":=", ':', braced, err);
}

/* tex:WIDTH,HEIGHT,DEPTH:TYPE.., surf:..: the extents may be expressions; in a struct commas end
 * them. */
static wl_status put_texture(resolution *r, bool braced, wl_error *err)
{
    const size_t head = strcspn(r->at, ":") + 1;
    return put_numbers(r, head, PARTS_MAX, braced ? ":=" : ",:=", braced ? 0 : ',', braced, err);
}

static wl_status put_value(resolution *r, bool braced, int depth, wl_error *err);

static wl_status put_struct(resolution *r, int depth, wl_error *err)
{
    wl_status status = WL_OK;
    while (status == WL_OK && *r->at && (status = put(r, r->at++, 1, err)) == WL_OK) {
        /* '{' or ',' */
        const size_t blanks = strspn(r->at, " ");
        status = put(r, r->at, blanks, err);
        r->at += blanks;
        if (status == WL_OK)
            status = put_value(r, true, depth + 1, err);
        if (*r->at != ',')
            break;
    }
    return status == WL_OK && *r->at == '}' ? put(r, r->at++, 1, err) : status;
}

static wl_status put_value(resolution *r, bool braced, int depth, wl_error *err)
{
    if (strncmp(r->at, "buf:", 4) == 0)
        return put_buffer(r, braced, err);
    if (strncmp(r->at, "tex:", 4) == 0 || strncmp(r->at, "surf:", 5) == 0)
        return put_texture(r, braced, err);
    if (*r->at == '{' && depth < DEPTH_MAX)
        return put_struct(r, depth, err);
    wl_status status = put_number(r, value_length(r->at, braced, braced ? ":" : ""), err);
    const size_t rest = value_length(r->at, braced, ""); /* a type */
    if (status == WL_OK)
        status = put(r, r->at, rest, err);
    r->at += rest;
    return status;
}

/* "NAME=" before a value; contents of variables may be called anything, arguments are
 * identifiers. */
static size_t name_length(const char *text, bool any)
{
    size_t length = any ? strcspn(text, "=") : 0;
    while (!any && is_name_character(text[length]) && text[length] != '.')
        length++;
    return text[length] == '=' ? length + 1 : 0;
}

static wl_status resolve(const char *option, const char *text, const ptx_request *request, char **out, size_t **places,
                         wl_error *err)
{
    resolution r = {.request = request, .option = option, .text = text, .at = text};
    const size_t name = name_length(text, strcmp(option, "--constant") == 0);
    wl_status status = put(&r, text, name, err);
    r.at += name;
    if (status == WL_OK)
        status = put_value(&r, false, 0, err);
    if (status == WL_OK)
        status = put(&r, r.at, strlen(r.at), err);
    *out = r.out;
    *places = r.places;
    return status;
}

wl_status ptx_arguments_add(ptx_arguments **list, const ptx_request *r, wl_error *err)
{
    ptx_arguments *a = calloc(1, sizeof *a);
    if (!a)
        return no_memory(err);
    a->next = *list;
    a->request = *r;
    *list = a;
    wl_status status = WL_OK;
    for (; a->count < r->arg_count && a->count < MANY_MAX && status == WL_OK; a->count++)
        status = resolve("--arg", r->args[a->count], r, &a->texts[a->count], &a->places[a->count], err);
    for (; a->constant_count < r->constant_count && a->constant_count < MANY_MAX && status == WL_OK;
         a->constant_count++)
        status = resolve("--constant", r->constants[a->constant_count], r, &a->constants[a->constant_count],
                         &a->constant_places[a->constant_count], err);
    return status;
}

/* Does the error name this text? It stores as much of it as there is room for. */
static bool names_text(const wl_error *err, const char *text)
{
    return text && strncmp(err->input, text, sizeof err->input - 1) == 0;
}

static void show_in(const char *option, const char *given, const char *text, const size_t *places, wl_error *err)
{
    const size_t length = strlen(text), first = (size_t)err->loc.col - 1, behind = first + (size_t)err->loc.len;
    const size_t from = places[first < length ? first : length], to = places[behind < length ? behind : length];
    err->loc.col = (int32_t)from + 1;
    err->loc.len = to > from ? (int32_t)(to - from) : 1;
    (void)snprintf(err->input, sizeof err->input, "%s", option);
    diag_remember(option, given);
}

void ptx_arguments_show(const ptx_arguments *list, const ptx_request *r, wl_error *err)
{
    if (err->loc.line != 1 || err->loc.col < 1 || !err->input[0])
        return;
    for (size_t i = 0; i < list->count; i++)
        if (names_text(err, list->texts[i])) {
            show_in("--arg", r->args[i], list->texts[i], list->places[i], err);
            return;
        }
    for (size_t i = 0; i < list->constant_count; i++)
        if (names_text(err, list->constants[i])) {
            show_in("--constant", r->constants[i], list->constants[i], list->constant_places[i], err);
            return;
        }
}

void ptx_arguments_free(ptx_arguments *list)
{
    while (list) {
        ptx_arguments *a = list;
        list = a->next;
        for (size_t i = 0; i < a->count; i++) {
            free(a->texts[i]);
            free(a->places[i]);
        }
        for (size_t i = 0; i < a->constant_count; i++) {
            free(a->constants[i]);
            free(a->constant_places[i]);
        }
        free(a);
    }
}
