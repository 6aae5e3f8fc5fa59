/* ptx_arguments.c - see ptx_arguments.h. SPDX-License-Identifier: MIT */
#include "ptx_arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define NUMBER_LENGTH 24
#define EXPRESSION_MAX 256
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

/* Everything else, with its units and contents, is for the library to read. */
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

static wl_status evaluate(const char *text, size_t length, int column, const char *whole, const ptx_request *r,
                          char number[NUMBER_LENGTH], wl_error *err)
{
    char expression[EXPRESSION_MAX];
    int64_t value = 0;
    for (size_t i = 0; i < r->set_count; i++)
        diag_remember(r->sets[i], r->sets[i]); /* an error inside one names it */
    (void)snprintf(expression, sizeof expression, "%.*s", (int)length, text);
    const wl_status status = wl_number_evaluate(expression, r->sets, r->set_count, r->domain, &value, err);
    if (status == WL_OK) {
        (void)snprintf(number, NUMBER_LENGTH, "%lld", (long long)value);
    } else if (!err->input[0]) {
        (void)snprintf(err->input, sizeof err->input, "--arg");
        err->loc.col += err->loc.line > 0 ? column : 0;
        diag_remember("--arg", whole);
    }
    return status;
}

static wl_status no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

/* "buf:BYTES[:OFFSET][=CONTENTS]", "tex:WIDTH,HEIGHT,DEPTH:TYPE..", "surf:.." or a number: only the
 * first parts can be expressions. */
static wl_status resolve(const char *text, const ptx_request *r, char **out, wl_error *err)
{
    const bool texture = strncmp(text, "tex:", 4) == 0 || strncmp(text, "surf:", 5) == 0;
    const bool buffer = texture || strncmp(text, "buf:", 4) == 0;
    const size_t end = buffer ? strcspn(text, "=") : strlen(text), room = strlen(text) + PARTS_MAX * NUMBER_LENGTH + 1;
    const char *ends = texture ? ",:=" : ":=";
    int parts = texture ? PARTS_MAX : 2; /* that may be expressions */
    char *const resolved = *out = malloc(room);
    if (!resolved)
        return no_memory(err);
    size_t used = (size_t)snprintf(resolved, room, "%.*s", buffer ? (int)strcspn(text, ":") + 1 : 0, text), at = used;
    for (; at < end; parts--) {
        char number[NUMBER_LENGTH];
        const size_t length = buffer ? strcspn(text + at, ends) : end;
        const bool computed = parts > 0 && length < EXPRESSION_MAX && is_expression(text + at, length, r);
        const wl_status status = computed ? evaluate(text + at, length, (int)at, text, r, number, err) : WL_OK;
        if (status != WL_OK)
            return status;
        const char *words = computed ? number : text + at;
        used += (size_t)snprintf(resolved + used, room - used, "%.*s", computed ? NUMBER_LENGTH : (int)length, words);
        at += length;
        if (at < end) { /* the type of texels follows: no expression */
            parts = texture && text[at] == ':' ? 0 : parts;
            used += (size_t)snprintf(resolved + used, room - used, "%c", text[at++]);
        }
    }
    (void)snprintf(resolved + used, room - used, "%s", text + at);
    return WL_OK;
}

wl_status ptx_arguments_add(ptx_arguments **list, const ptx_request *r, wl_error *err)
{
    ptx_arguments *a = calloc(1, sizeof *a);
    if (!a)
        return no_memory(err);
    a->next = *list;
    *list = a;
    wl_status status = WL_OK;
    for (; a->count < r->arg_count && a->count < MANY_MAX && status == WL_OK; a->count++)
        status = resolve(r->args[a->count], r, &a->texts[a->count], err);
    return status;
}

void ptx_arguments_free(ptx_arguments *list)
{
    while (list) {
        ptx_arguments *a = list;
        list = a->next;
        for (size_t i = 0; i < a->count; i++)
            free(a->texts[i]);
        free(a);
    }
}
