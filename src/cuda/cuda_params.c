/* cuda_params.c - see cuda_params.h.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/cuda_params.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- declarations ---- */

bool wl_cuda_find_params(const char **at, const char *end, wl_cuda_word *name)
{
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__",    "__maxnreg__",
                                             "alignas",           "__cluster_dims__", "__block_size__"};
    wl_cuda_word before = {*at, 0};
    for (;;) {
        const wl_cuda_word w = wl_cuda_next(at, end);
        if (w.length == 0 || *w.at == ';' || *w.at == '{' || *w.at == '}')
            return false;
        if (*w.at == '(') {
            *name = before;
            if (!wl_cuda_word_is_one_of(before, attributes, COUNT(attributes)))
                return wl_cuda_is_name(before);
            (void)wl_cuda_inside(at, end);
        }
        before = w;
    }
}

/* Is the last word of a parameter the end of its type? */
static bool is_type_word(wl_cuda_word w)
{
    static const char *const types[] = {"void",   "bool",     "char",   "short",  "int",      "long",   "float",
                                        "double", "unsigned", "signed", "const",  "volatile", "size_t", "__restrict__",
                                        "struct", "auto",     "half",   "__half", "typename"};
    return wl_cuda_word_is_one_of(w, types, COUNT(types));
}

/* One parameter as it is read: words outside brackets, or the first name of "(*f)(int)". */
typedef struct parameter {
    wl_cuda_word first, before, last, inner; /* before: the last; inner: after "(*" */
    int words, depth, angles;
    bool ended; /* at '=' or '[' */
    bool is_array, any;
} parameter;

static void add_word(parameter *p, wl_cuda_word w)
{
    const char c = *w.at;
    const bool name = wl_cuda_is_name(w);
    p->first = p->any ? p->first : w;
    p->any = true;
    if (c == '<' && p->depth == 0)
        p->angles++;
    else if (c == '>' && p->depth == 0)
        p->angles--;
    p->is_array = p->is_array || (c == '[' && p->angles == 0 && p->depth == 0 && !p->ended);
    if (c == '(' || c == '[' || c == '{')
        p->depth++;
    else if (c == ')' || c == ']' || c == '}')
        p->depth--;
    p->ended = p->ended || (p->angles == 0 && (c == '=' || c == '['));
    if (p->ended || p->angles > 0)
        return;
    if (name && p->depth == 1 && p->inner.length == 0)
        p->inner = w;
    if (p->depth > 0)
        return;
    p->words += name;
    if (name || c == '*' || c == '&' || c == '>' || c == '.') {
        p->before = p->last;
        p->last = w;
    }
}

/* "int half": the name of a type that is also a usual name, after another type. */
static bool is_name_after_type(const parameter *p)
{
    static const char *const qualifiers[] = {"const", "volatile", "struct", "typename", "__restrict__"};
    return wl_cuda_word_is(p->last, "half") && p->before.length > 0 &&
           !wl_cuda_word_is_one_of(p->before, qualifiers, COUNT(qualifiers));
}

static void take_parameter(wl_cuda_params *d, const parameter *p)
{
    const wl_cuda_word w = p->inner.length > 0 ? p->inner : p->last;
    const bool sound =
        (p->words > 1 || p->inner.length > 0) && wl_cuda_is_name(w) && (!is_type_word(w) || is_name_after_type(p));
    if (d->count < 0 || d->count >= WL_CUDA_PARAMS_MAX || !sound) {
        d->count = -1;
        return;
    }
    d->list[d->count++] = (wl_cuda_param){w, {p->first.at, w.at}, p->is_array};
}

bool wl_cuda_read_params(const char **at, const char *end, wl_cuda_params *d)
{
    parameter p = {0};
    d->count = 0;
    for (;;) {
        const wl_cuda_word w = wl_cuda_next(at, end);
        if (w.length == 0)
            return false;
        const bool closes = *w.at == ')' && p.depth == 0;
        if (closes && d->count == 0 && (!p.any || (p.words == 1 && wl_cuda_word_is(p.last, "void"))))
            return true;
        if (closes || (*w.at == ',' && p.depth == 0 && p.angles <= 0)) {
            take_parameter(d, &p);
            p = (parameter){0};
            if (closes)
                return true;
        } else {
            add_word(&p, w);
        }
    }
}

/* ---- types ---- */

static const struct {
    const char *name;
    wl_cuda_kind kind;
    int bytes;
    bool is_signed;
} known[] = {
    {"float", WL_CUDA_REAL, 4, true},
    {"double", WL_CUDA_REAL, 8, true},
    {"half", WL_CUDA_REAL, 2, true},
    {"__half", WL_CUDA_REAL, 2, true},
    {"__nv_bfloat16", WL_CUDA_REAL, 2, true},
    {"nv_bfloat16", WL_CUDA_REAL, 2, true},
    {"bool", WL_CUDA_BOOL, 1, false},
    {"char", WL_CUDA_INTEGER, 1, true},
    {"uchar", WL_CUDA_INTEGER, 1, false},
    {"short", WL_CUDA_INTEGER, 2, true},
    {"ushort", WL_CUDA_INTEGER, 2, false},
    {"int", WL_CUDA_INTEGER, 4, true},
    {"uint", WL_CUDA_INTEGER, 4, false},
    {"long", WL_CUDA_INTEGER, 8, true},
    {"longlong", WL_CUDA_INTEGER, 8, true},
    {"ulonglong", WL_CUDA_INTEGER, 8, false},
    {"size_t", WL_CUDA_INTEGER, 8, false},
    {"ptrdiff_t", WL_CUDA_INTEGER, 8, true},
    {"int8_t", WL_CUDA_INTEGER, 1, true},
    {"uint8_t", WL_CUDA_INTEGER, 1, false},
    {"int16_t", WL_CUDA_INTEGER, 2, true},
    {"uint16_t", WL_CUDA_INTEGER, 2, false},
    {"int32_t", WL_CUDA_INTEGER, 4, true},
    {"uint32_t", WL_CUDA_INTEGER, 4, false},
    {"int64_t", WL_CUDA_INTEGER, 8, true},
    {"uint64_t", WL_CUDA_INTEGER, 8, false},
    {"__half2", WL_CUDA_REAL, 4, true},
    {"half2", WL_CUDA_REAL, 4, true},
    {"cudaTextureObject_t", WL_CUDA_TEXTURE, 8, false},
    {"cudaSurfaceObject_t", WL_CUDA_SURFACE, 8, false},
    {"dim3", WL_CUDA_INTEGER, 4, false},
    {"void", WL_CUDA_OTHER, 1, false},
};

/* "float4" is four floats. */
static bool find_known(wl_cuda_word w, wl_cuda_type *t)
{
    const bool vector = w.length > 1 && w.at[w.length - 1] >= '2' && w.at[w.length - 1] <= '4';
    for (size_t i = 0; i < COUNT(known); i++) {
        const wl_cuda_word element = {w.at, w.length - 1};
        const bool whole = wl_cuda_word_is(w, known[i].name);
        if (!whole && !(vector && wl_cuda_word_is(element, known[i].name)))
            continue;
        t->kind = known[i].kind;
        t->bytes = known[i].bytes;
        t->is_signed = known[i].is_signed;
        t->parts = wl_cuda_word_is(w, "dim3") ? 3 : whole ? 1 : w.at[w.length - 1] - '0';
        return true;
    }
    return false;
}

wl_cuda_type wl_cuda_type_of(wl_cuda_range text)
{
    static const char *const ignored[] = {"__restrict__", "__restrict", "restrict", "volatile",          "struct",
                                          "typename",     "std",        "class",    "__grid_constant__", "cuda"};
    wl_cuda_type t = {.kind = WL_CUDA_OTHER, .parts = 1};
    bool said_unsigned = false, said_integer = false;
    int longs = 0;
    const char *at = text.at;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, text.end)).length > 0;) {
        if (*w.at == '*') {
            t.pointers++;
        } else if (wl_cuda_word_is(w, "const")) {
            t.is_const = t.is_const || t.pointers == 0;
        } else if (wl_cuda_word_is(w, "unsigned") || wl_cuda_word_is(w, "signed")) {
            said_unsigned = *w.at == 'u';
            said_integer = true;
        } else if (wl_cuda_is_name(w) && !wl_cuda_word_is_one_of(w, ignored, COUNT(ignored))) {
            longs += wl_cuda_word_is(w, "long");
            if (t.base.length == 0 || !wl_cuda_word_is(w, "int")) /* "long int" is a long */
                t.base = w;
        }
    }
    if (!find_known(t.base, &t) && said_integer) {
        t.kind = WL_CUDA_INTEGER;
        t.bytes = 4;
        t.is_signed = true;
    }
    t.is_signed = t.is_signed && !said_unsigned;
    t.bytes = longs > 0 && t.kind == WL_CUDA_INTEGER ? 8 : t.bytes;
    return t;
}

void wl_cuda_type_text(wl_cuda_range type, bool is_array, char *out, size_t size)
{
    static const char *const left_out[] = {"__restrict__", "__restrict", "restrict", "volatile", "__grid_constant__"};
    size_t used = 0;
    bool after_name = false;
    const char *at = type.at;
    out[0] = '\0';
    for (wl_cuda_word w; (w = wl_cuda_next(&at, type.end)).length > 0;) {
        if (wl_cuda_word_is_one_of(w, left_out, COUNT(left_out)))
            continue;
        const bool name = wl_cuda_is_name(w) || wl_cuda_is_number(w);
        const bool blank = after_name && (name || *w.at == '*' || *w.at == '&');
        if (used + w.length + 4 > size)
            break;
        if (blank)
            out[used++] = ' ';
        memcpy(out + used, w.at, w.length);
        used += w.length;
        after_name = name || *w.at == '>';
    }
    if (is_array && used + 3 < size) {
        memcpy(out + used, " *", 2);
        used += 2;
    }
    out[used] = '\0';
}
