/* guess_extents.c - the types of parameters, and the whole numbers that say how large the problem
 * is. SPDX-License-Identifier: MIT */
#include "cuda/guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

#define SMALL_UNKNOWN 16
#define MORE_ELEMENTS 16           /* per thread, where one was not enough */
#define ELEMENTS_MOST 8589934592.0 /* of a buffer: more do not fit into a GPU */

/* What one axis measures, where nothing is known: together about 2^24 elements, or less where loops
 * go through all of them. */
static const int64_t usual[4] = {0, 16777216, 4096, 256}, shorter[4] = {0, 65536, 512, 64};
#define USUAL_MANY 1024 /* of extents that loops go through */

static wl_cuda_range whole(const char *text) { return (wl_cuda_range){text, text + strlen(text)}; }

/* ---- the type behind a name ---- */

wl_cuda_type wl_guess_type(const wl_guess *g, const wl_first_param *p)
{
    wl_cuda_type type = wl_cuda_type_of(whole(p->type));
    wl_cuda_range meaning;
    for (int i = 0; i < 4 && type.kind == WL_CUDA_OTHER && g->facts->cuda && type.base.length > 0 &&
                    wl_cuda_meaning(g->facts->cuda, type.base, &meaning);
         i++) {
        const wl_cuda_type inner = wl_cuda_type_of(meaning);
        type.kind = inner.kind;
        type.bytes = inner.bytes;
        type.parts = inner.parts;
        type.is_signed = inner.is_signed;
        type.pointers += inner.pointers;
        type.base = inner.base;
    }
    return type;
}

/* ---- what the code does ---- */

wl_cuda_range wl_guess_body(const wl_guess *g)
{
    return g->facts->kernel ? g->facts->kernel->body : (wl_cuda_range){"", ""};
}

/* The axes of threadIdx and blockIdx in the code. */
int wl_guess_dims(const wl_guess *g)
{
    const wl_cuda_range code = wl_guess_body(g);
    const char *at = code.at;
    int dims = 1;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0;) {
        const char *behind = at;
        if (!wl_cuda_word_is(w, "threadIdx") && !wl_cuda_word_is(w, "blockIdx"))
            continue;
        (void)wl_cuda_next(&behind, code.end);
        const wl_cuda_word axis = wl_cuda_next(&behind, code.end);
        const int used = axis.length == 1 && *axis.at >= 'x' && *axis.at <= 'z' ? *axis.at - 'x' + 1 : 1;
        dims = used > dims ? used : dims;
    }
    return dims;
}

static bool is_param(const wl_guess *g, wl_cuda_word word)
{
    for (int k = 0; k < g->facts->count; k++)
        if (g->facts->params[k].name && wl_cuda_word_is(word, g->facts->params[k].name))
            return true;
    return false;
}

/* Is blockIdx.x a row by itself, which is at most multiplied by an extent, never by the number of
 * threads? */
bool wl_guess_numbers_rows(const wl_guess *g)
{
    const wl_cuda_range code = wl_guess_body(g);
    const char *at = code.at;
    wl_cuda_word before = {at, 0}, first = before; /* the last two words */
    bool used = false;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0; first = before, before = w) {
        if (!wl_cuda_word_is(w, "blockIdx"))
            continue;
        const char *behind = at;
        (void)wl_cuda_next(&behind, code.end);
        const bool x = wl_cuda_word_is(wl_cuda_next(&behind, code.end), "x");
        const wl_cuda_word after = wl_cuda_next(&behind, code.end), factor = wl_cuda_peek(behind, code.end);
        const bool times = after.length > 0 && *after.at == '*' && !is_param(g, factor);
        const bool timed = before.length > 0 && *before.at == '*' && !is_param(g, first);
        if (x && (times || timed))
            return false;
        used = used || x;
    }
    return used;
}

/* Does the code compare something with the parameter itself: "i < n", "i >= n"? */
bool wl_guess_is_compared(const wl_guess *g, const char *name)
{
    const wl_cuda_range code = wl_guess_body(g);
    const char *at = code.at;
    wl_cuda_word before = {at, 0};
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0; before = w) {
        const wl_cuda_word after = wl_cuda_peek(at, code.end);
        const bool product = after.length > 0 && *after.at == '*';
        if (wl_cuda_word_is(w, name) && before.length > 0 && (*before.at == '<' || *before.at == '=') && !product &&
            before.at > code.at && (*before.at == '<' || before.at[-1] == '>' || before.at[-1] == '<'))
            return true;
    }
    return false;
}

/* Is it a factor of an index: "row * n"? */
static bool is_factor(const wl_guess *g, const char *name)
{
    const wl_cuda_range code = wl_guess_body(g);
    const char *at = code.at;
    wl_cuda_word before = {at, 0};
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0; before = w) {
        const wl_cuda_word after = wl_cuda_peek(at, code.end);
        if (wl_cuda_word_is(w, name) &&
            ((before.length > 0 && *before.at == '*') || (after.length > 0 && *after.at == '*')))
            return true;
    }
    return false;
}

/* ---- extents ---- */

bool wl_guess_is_number(const wl_cuda_type *t)
{
    return t->pointers == 0 && t->kind == WL_CUDA_INTEGER && t->parts == 1;
}

wl_role wl_guess_role(const wl_guess *g, const wl_first_param *p, int64_t *value)
{
    const wl_role_found found = wl_role_of_number(p->name);
    *value = found.role == WL_ROLE_SMALL ? found.value : SMALL_UNKNOWN;
    if (found.role == WL_ROLE_UNKNOWN)
        return wl_guess_is_compared(g, p->name) ? WL_ROLE_EXTENT : WL_ROLE_SMALL;
    return found.role;
}

static bool is_extent(wl_role role) { return role >= WL_ROLE_EXTENT && role <= WL_ROLE_EXTENT_Z; }

/* The argument that the launch passes for parameter k; false: there is none. */
bool wl_guess_passed(const wl_guess *g, int k, wl_cuda_range *argument)
{
    const char *at = g->launch.arguments.at;
    for (int i = 0; g->launched && wl_cuda_part(&at, g->launch.arguments.end, argument); i++)
        if (i == k)
            return true;
    return false;
}

bool wl_guess_passed_number(const wl_guess *g, int k, int64_t *value)
{
    wl_cuda_range argument;
    return wl_guess_passed(g, k, &argument) && wl_cuda_constant(&g->reader, argument, value);
}

static void add_extent(wl_guess *g, const char *name, wl_role role, int k)
{
    if (g->extent_count == WL_GUESS_EXTENTS_MAX)
        return;
    wl_guess_extent *e = &g->extents[g->extent_count++];
    *e = (wl_guess_extent){.name = name, .role = role};
    e->from_file = k >= 0 && wl_guess_passed_number(g, k, &e->value) && e->value > 0;
}

/* Names for the numbers of PTX, which has none: the first ones are extents. */
const char *wl_guess_made_name(int dims, int index)
{
    static const char *const several[] = {"nx", "ny", "nz"};
    return dims == 1 ? (index == 0 ? "n" : NULL) : index < dims ? several[index] : NULL;
}

void wl_guess_extents(wl_guess *g)
{
    int64_t ignored;
    int numbers = 0;
    for (int k = 0; k < g->facts->count; k++) {
        const wl_first_param *p = &g->facts->params[k];
        const wl_cuda_type type = wl_guess_type(g, p);
        if (!wl_guess_is_number(&type))
            continue;
        const wl_role role = p->name ? wl_guess_role(g, p, &ignored) : WL_ROLE_EXTENT;
        const char *name = p->name ? p->name : wl_guess_made_name(g->dims, numbers++);
        if (is_extent(role) && name)
            add_extent(g, name, role, k);
    }
    g->made_up = g->extent_count == 0;
    if (g->made_up)
        add_extent(g, "n", WL_ROLE_EXTENT, -1);
}

/* The members of a struct by value that are extents: grid.nx. */
static int extents_in_structs(const wl_guess *g)
{
    int most = 0;
    for (int k = 0; k < g->facts->count && g->facts->cuda; k++) {
        const wl_cuda_type type = wl_guess_type(g, &g->facts->params[k]);
        wl_cuda_params *members = WL_ARENA_NEW(&g->out->arena, wl_cuda_params, 1);
        int extents = 0;
        if (!members || type.pointers > 0 || type.kind != WL_CUDA_OTHER ||
            !wl_cuda_members(g->facts->cuda, type.base, members))
            continue;
        for (int i = 0; i < members->count; i++) {
            char name[64];
            const wl_cuda_type member = wl_cuda_type_of(members->list[i].type);
            (void)snprintf(name, sizeof name, "%.*s", (int)members->list[i].name.length, members->list[i].name.at);
            extents += wl_guess_is_number(&member) && is_extent(wl_role_of_number(name).role);
        }
        most = extents > most ? extents : most;
    }
    return most;
}

/* Elements of a buffer, by the extents that are known. */
static double elements(const wl_guess *g)
{
    double product = 1;
    for (int i = 0; i < (g->extent_count == 1 ? g->power : g->factors); i++) {
        const wl_guess_extent *e = &g->extents[g->extent_count == 1 ? 0 : i];
        product *= e->from_file ? (double)e->value : 1;
    }
    return product;
}

/* Blocks of the launch in the file, if each has a row; 0: not known. */
static int64_t rows_of_launch(const wl_guess *g)
{
    wl_cuda_range extents[3];
    int64_t rows = 0;
    if (!g->launched || !g->row_per_block || wl_cuda_extents(&g->reader, g->launch.grid, extents) != 1 ||
        !wl_cuda_constant(&g->reader, extents[0], &rows))
        return 0;
    return rows > 1 ? rows : 0;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* How many extents make the size of a buffer. */
void wl_guess_size(wl_guess *g)
{
    const int many = g->extent_count;
    g->power = 1;
    g->factors = smaller(many, g->dims > 2 ? g->dims : 2);
    if (many == 1)
        g->power = g->dims > 1 ? g->dims : is_factor(g, g->extents[0].name) ? 2 : 1;
    g->rows = many == 1 && g->power == 2 ? rows_of_launch(g) : 0;
    if (g->rows > 0)
        g->power = 1;
    if (g->made_up && extents_in_structs(g) > g->power)
        g->power = smaller(extents_in_structs(g), 3);
    if (g->facts->revised & WL_FIRST_LAUNCH_LARGER) { /* it was too small */
        g->power += many == 1 && !g->made_up;
        g->factors = smaller(many, 3);
    }
    while (elements(g) > ELEMENTS_MOST && (many == 1 ? g->power : g->factors) > 1)
        *(many == 1 ? &g->power : &g->factors) -= 1;
    const int axes = smaller(many == 1 ? g->power : g->factors, 3);
    const bool is_short = g->facts->revised & WL_FIRST_LAUNCH_SHORTER;
    for (int i = 0; i < many; i++)
        if (!g->extents[i].from_file)
            g->extents[i].value = is_short                              ? shorter[axes]
                                  : many > axes && many > 2 && axes < 3 ? USUAL_MANY
                                                                        : usual[axes];
}

static const wl_guess_extent *find_extent(const wl_guess *g, const char *lower)
{
    for (int i = 0; i < g->extent_count; i++)
        if (strlen(g->extents[i].name) == 1 && (g->extents[i].name[0] | 0x20) == lower[0])
            return &g->extents[i];
    return NULL;
}

/* Of a product of matrices, a is m x k, b is k x n, c is m x n. NULL: this is none. */
static bool matrix_size(const wl_guess *g, const char *name, wl_buffer *out)
{
    const wl_guess_extent *m = find_extent(g, "m"), *n = find_extent(g, "n"), *k = find_extent(g, "k");
    const char letter = name && strlen(name) == 1 ? (char)(name[0] | 0x20) : '\0';
    if (!m || !n || !k || g->facts->revised || letter < 'a' || letter > 'c')
        return false;
    wl_buffer_add(out, "%s*%s", letter == 'b' ? k->name : m->name, letter == 'a' ? k->name : n->name);
    return true;
}

void wl_guess_add_size(const wl_guess *g, const char *name, wl_buffer *out)
{
    if (matrix_size(g, name, out))
        return;
    if (g->rows > 0)
        wl_buffer_add(out, "%lld*", (long long)g->rows);
    for (int i = 0; i < (g->extent_count == 1 ? g->power : g->factors); i++)
        wl_buffer_add(out, "%s%s", i ? "*" : "", g->extents[g->extent_count == 1 ? 0 : i].name);
    if (g->made_up && name && (g->facts->revised & WL_FIRST_LAUNCH_LARGER))
        wl_buffer_add(out, "*%d", MORE_ELEMENTS);
}
