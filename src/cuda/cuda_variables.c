/* cuda_variables.c - structs, and arrays in shared memory.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include <string.h>

#include "cuda/cuda_source.h"

/* ---- structs ---- */

/* The text between the braces of "struct NAME {..}". */
static bool find_struct(const wl_cuda *c, wl_cuda_word name, wl_cuda_range *body)
{
    const char *at = c->text.at, *const end = c->text.end;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, end)).length > 0;) {
        if (!wl_cuda_word_is(w, "struct") && !wl_cuda_word_is(w, "class"))
            continue;
        const char *behind = at;
        const wl_cuda_word named = wl_cuda_next(&behind, end), brace = wl_cuda_next(&behind, end);
        if (!wl_cuda_same_word(named, name) || brace.length == 0 || *brace.at != '{')
            continue;
        *body = wl_cuda_inside(&behind, end);
        return true;
    }
    return false;
}

static bool has_character(wl_cuda_range text, const char *characters)
{
    const char *at = text.at;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, text.end)).length > 0;)
        if (strchr(characters, *w.at))
            return true;
    return false;
}

/* "float *a, *b": the last word of each part is a name, what stands before the first is the type.
 */
static bool add_members(wl_cuda_range statement, wl_cuda_params *members)
{
    const char *at = statement.at;
    wl_cuda_range part, type = {NULL, NULL};
    while (wl_cuda_part(&at, statement.end, &part)) {
        wl_cuda_word last = {part.at, 0};
        const char *inside = part.at;
        for (wl_cuda_word w; (w = wl_cuda_next(&inside, part.end)).length > 0;)
            last = w;
        if (!wl_cuda_is_name(last) || members->count >= WL_CUDA_PARAMS_MAX)
            return false;
        type = type.at ? type : (wl_cuda_range){part.at, last.at};
        /* "int *a, b": of the second only the name is in its part */
        members->list[members->count++] = (wl_cuda_param){last, type, false};
    }
    return true;
}

bool wl_cuda_members(const wl_cuda *c, wl_cuda_word name, wl_cuda_params *members)
{
    wl_cuda_range body;
    members->count = 0;
    if (!find_struct(c, name, &body))
        return false;
    for (const char *at = body.at, *start = at; at < body.end;) {
        const wl_cuda_word w = wl_cuda_next(&at, body.end);
        if (w.length == 0)
            break;
        if (*w.at == '{') { /* the body of a function */
            (void)wl_cuda_inside(&at, body.end);
            start = at;
        } else if (*w.at == ';') {
            const wl_cuda_range statement = {start, w.at};
            start = at;
            if (wl_cuda_is_empty(statement) || has_character(statement, "("))
                continue;
            if (has_character(statement, "[:") || !add_members(statement, members))
                return false;
        }
    }
    return members->count > 0;
}

/* ---- shared memory ---- */

int wl_cuda_shared_array(const wl_cuda_reader *r, wl_cuda_range code, wl_cuda_type *type, bool *is_extern,
                         int64_t extents[3])
{
    const char *at = code.at;
    wl_cuda_word before = {at, 0};
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0; before = w) {
        if (!wl_cuda_word_is(w, "__shared__"))
            continue;
        const char *const start = at;
        wl_cuda_word bracket;
        while ((bracket = wl_cuda_next(&at, code.end)).length > 0 && !strchr("[;=({", *bracket.at))
            ;
        /* the name of the array counts as a type that is not known: look at the words before */
        *type = wl_cuda_type_of((wl_cuda_range){start, bracket.at});
        const char *first = start;
        for (wl_cuda_word t; type->kind == WL_CUDA_OTHER && (t = wl_cuda_next(&first, bracket.at)).length > 0;)
            *type = wl_cuda_type_of((wl_cuda_range){t.at, t.at + t.length});
        *is_extern = wl_cuda_word_is(before, "extern");
        int n = 0;
        while (bracket.length > 0 && *bracket.at == '[' && n < 3) {
            const wl_cuda_range inside = wl_cuda_inside(&at, code.end);
            if (!wl_cuda_constant(r, inside, &extents[n++]))
                extents[n - 1] = -1;
            bracket = wl_cuda_next(&at, code.end);
        }
        return n;
    }
    *is_extern = false;
    return 0;
}
