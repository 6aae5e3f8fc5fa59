/* first_guess.c - see first_guess.h.
 *
 * Extents come first: the whole numbers that say how large the problem is. Buffers are products of
 * them, the grid covers them. A launch in the source, where its expressions are understood, decides
 * block, grid and every number that it passes.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/first_guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "cuda/parameter_roles.h"

#define EXTENTS_MAX 8
#define NOTES_MAX 8
#define SMALL_UNKNOWN 16
#define REAL "0.5"
#define PADDING 1048576  /* bytes around buffers that are read beyond their ends */
#define MORE_ELEMENTS 16 /* per thread, where one was not enough */
#define MORE_SHARED 4
#define BYTES_SHOWN 64 /* of a struct that is not known */

/* What one axis measures, where nothing is known: together about 2^24 elements, or less where loops
 * go through all of them. */
static const int64_t usual[4] = {0, 16777216, 4096, 256}, shorter[4] = {0, 65536, 512, 64};
#define USUAL_MANY 1024 /* of extents that loops go through */

/* What is handed out, with the memory that it is made of. */
typedef struct made_launch {
    wl_first_launch shown; /* first: it is what the caller frees */
    wl_arena arena;
    const char *notes[NOTES_MAX + 1];
    size_t note_count;
} made_launch;

typedef struct extent {
    const char *name;
    wl_role role;
    int64_t value;
    bool from_file;
} extent;

typedef struct guess {
    const wl_first_facts *facts;
    made_launch *out;
    wl_cuda_reader reader;
    wl_cuda_launch launch;
    bool launched;
    int dims;
    bool row_per_block; /* blockIdx.x numbers rows */
    extent extents[EXTENTS_MAX];
    int extent_count;
    bool made_up; /* the only extent is none of the parameters */
    int factors;  /* of the size of a buffer: the first so many extents */
    int power;    /* a single extent counts so often */
    int64_t block[3];
    int block_dims;
    bool grid_of_file;
    bool failed;
} guess;

static wl_cuda_range whole(const char *text) { return (wl_cuda_range){text, text + strlen(text)}; }

/* The buffer's text in the arena of the result; the buffer is empty then. */
static const char *keep(guess *g, wl_buffer *text)
{
    const char *kept = text->failed ? NULL : wl_arena_text(&g->out->arena, wl_buffer_string(text), text->length);
    g->failed = g->failed || !kept;
    wl_buffer_drop(text);
    return kept ? kept : "";
}

static void note(guess *g, wl_buffer *text)
{
    const char *kept = keep(g, text);
    if (g->out->note_count < NOTES_MAX)
        g->out->notes[g->out->note_count++] = kept;
}

/* ---- the type behind a name ---- */

static wl_cuda_type type_of(const guess *g, const wl_first_param *p)
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

static wl_cuda_range body(const guess *g)
{
    return g->facts->kernel ? g->facts->kernel->body : (wl_cuda_range){"", ""};
}

/* The axes of threadIdx and blockIdx in the code. */
static int dims_used(const guess *g)
{
    const wl_cuda_range code = body(g);
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

static bool is_param(const guess *g, wl_cuda_word word)
{
    for (int k = 0; k < g->facts->count; k++)
        if (g->facts->params[k].name && wl_cuda_word_is(word, g->facts->params[k].name))
            return true;
    return false;
}

/* Is blockIdx.x a row by itself, which is at most multiplied by an extent, never by the number of
 * threads? */
static bool numbers_rows(const guess *g)
{
    const wl_cuda_range code = body(g);
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
static bool is_compared(const guess *g, const char *name)
{
    const wl_cuda_range code = body(g);
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
static bool is_factor(const guess *g, const char *name)
{
    const wl_cuda_range code = body(g);
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

static bool is_number(const wl_cuda_type *t) { return t->pointers == 0 && t->kind == WL_CUDA_INTEGER && t->parts == 1; }

static wl_role role_of(const guess *g, const wl_first_param *p, int64_t *value)
{
    const wl_role_found found = wl_role_of_number(p->name);
    *value = found.role == WL_ROLE_SMALL ? found.value : SMALL_UNKNOWN;
    if (found.role == WL_ROLE_UNKNOWN)
        return is_compared(g, p->name) ? WL_ROLE_EXTENT : WL_ROLE_SMALL;
    return found.role;
}

static bool is_extent(wl_role role) { return role >= WL_ROLE_EXTENT && role <= WL_ROLE_EXTENT_Z; }

/* The argument that the launch passes for parameter k; false: there is none. */
static bool passed(const guess *g, int k, wl_cuda_range *argument)
{
    const char *at = g->launch.arguments.at;
    for (int i = 0; g->launched && wl_cuda_part(&at, g->launch.arguments.end, argument); i++)
        if (i == k)
            return true;
    return false;
}

static bool passed_number(const guess *g, int k, int64_t *value)
{
    wl_cuda_range argument;
    return passed(g, k, &argument) && wl_cuda_constant(&g->reader, argument, value);
}

static void add_extent(guess *g, const char *name, wl_role role, int k)
{
    if (g->extent_count == EXTENTS_MAX)
        return;
    extent *e = &g->extents[g->extent_count++];
    *e = (extent){.name = name, .role = role};
    e->from_file = k >= 0 && passed_number(g, k, &e->value) && e->value > 0;
}

/* Names for the numbers of PTX, which has none: the first ones are extents. */
static const char *made_name(int dims, int index)
{
    static const char *const several[] = {"nx", "ny", "nz"};
    return dims == 1 ? (index == 0 ? "n" : NULL) : index < dims ? several[index] : NULL;
}

static void find_extents(guess *g)
{
    int64_t ignored;
    int numbers = 0;
    for (int k = 0; k < g->facts->count; k++) {
        const wl_first_param *p = &g->facts->params[k];
        const wl_cuda_type type = type_of(g, p);
        if (!is_number(&type))
            continue;
        const wl_role role = p->name ? role_of(g, p, &ignored) : WL_ROLE_EXTENT;
        const char *name = p->name ? p->name : made_name(g->dims, numbers++);
        if (is_extent(role) && name)
            add_extent(g, name, role, k);
    }
    g->made_up = g->extent_count == 0;
    if (g->made_up)
        add_extent(g, "n", WL_ROLE_EXTENT, -1);
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* How many extents make the size of a buffer. */
static void find_size(guess *g)
{
    const int many = g->extent_count;
    g->power = 1;
    g->factors = smaller(many, g->dims > 2 ? g->dims : 2);
    if (many == 1)
        g->power = g->dims > 1 ? g->dims : is_factor(g, g->extents[0].name) ? 2 : 1;
    if (g->facts->revised & WL_FIRST_LAUNCH_LARGER) { /* it was too small */
        g->power += many == 1 && !g->made_up;
        g->factors = smaller(many, 3);
    }
    const int axes = smaller(many == 1 ? g->power : g->factors, 3);
    const bool is_short = g->facts->revised & WL_FIRST_LAUNCH_SHORTER;
    for (int i = 0; i < many; i++)
        if (!g->extents[i].from_file)
            g->extents[i].value = is_short                              ? shorter[axes]
                                  : many > axes && many > 2 && axes < 3 ? USUAL_MANY
                                                                        : usual[axes];
}

static const extent *find_extent(const guess *g, const char *lower)
{
    for (int i = 0; i < g->extent_count; i++)
        if (strlen(g->extents[i].name) == 1 && (g->extents[i].name[0] | 0x20) == lower[0])
            return &g->extents[i];
    return NULL;
}

/* Of a product of matrices, a is m x k, b is k x n, c is m x n. NULL: this is none. */
static bool matrix_size(const guess *g, const char *name, wl_buffer *out)
{
    const extent *m = find_extent(g, "m"), *n = find_extent(g, "n"), *k = find_extent(g, "k");
    const char letter = name && strlen(name) == 1 ? (char)(name[0] | 0x20) : '\0';
    if (!m || !n || !k || g->facts->revised || letter < 'a' || letter > 'c')
        return false;
    wl_buffer_add(out, "%s*%s", letter == 'b' ? k->name : m->name, letter == 'a' ? k->name : n->name);
    return true;
}

static void add_size(const guess *g, const char *name, wl_buffer *out)
{
    if (matrix_size(g, name, out))
        return;
    for (int i = 0; i < (g->extent_count == 1 ? g->power : g->factors); i++)
        wl_buffer_add(out, "%s%s", i ? "*" : "", g->extents[g->extent_count == 1 ? 0 : i].name);
    if (g->made_up && name && (g->facts->revised & WL_FIRST_LAUNCH_LARGER))
        wl_buffer_add(out, "*%d", MORE_ELEMENTS);
}

/* ---- arguments ---- */

/* As --arg names the types of contents: s32, u64. */
static void add_element(const wl_cuda_type *t, wl_buffer *out)
{
    wl_buffer_add(out, "%c%d", t->is_signed ? 's' : 'u', 8 * t->bytes);
}

/* What an array of whole numbers holds: addresses may depend on it. */
static void add_contents(guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    if (t->kind != WL_CUDA_INTEGER || !t->is_const || t->pointers != 1 || t->bytes < 4 || t->parts != 1)
        return;
    const bool offsets = p->name && wl_role_of_array(p->name).role == WL_ROLE_OFFSETS;
    wl_buffer_text(out, offsets ? "=iota:" : "=random:");
    add_element(t, out);
    if (!offsets)
        wl_buffer_add(out, ":0..%lld", (long long)(g->extents[0].value - 1));
    wl_buffer about = {0};
    wl_buffer_add(&about, "contents of %s are made up (%s); real ones come from a file, as in buf:BYTES=FILE",
                  p->name ? p->name : p->type, offsets ? "0, 1, 2, .." : "random indices");
    note(g, &about);
}

static int64_t struct_bytes(const guess *g, wl_cuda_word name)
{
    wl_cuda_params *members = WL_ARENA_NEW(&g->out->arena, wl_cuda_params, 1);
    int64_t bytes = 0, align = 1;
    if (!members || !g->facts->cuda || !wl_cuda_members(g->facts->cuda, name, members))
        return 0;
    for (int i = 0; i < members->count; i++) {
        const wl_cuda_type t = wl_cuda_type_of(members->list[i].type);
        const int64_t own = t.pointers ? 8 : t.bytes;
        if (own == 0)
            return 0;
        bytes = wl_round_up(bytes, own) + own * (t.pointers ? 1 : t.parts);
        align = wl_max(align, own);
    }
    return wl_round_up(bytes, align);
}

static void add_buffer(guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    const bool is_void = wl_cuda_word_is(t->base, "void");
    const int64_t known = t->bytes > 0 && !is_void ? t->bytes * t->parts : struct_bytes(g, t->base);
    const int bytes = t->pointers > 1 || known == 0 ? 8 : (int)known;
    const bool padded = g->facts->revised & WL_FIRST_LAUNCH_PADDED;
    const bool one_more = t->kind == WL_CUDA_INTEGER && p->name && wl_role_of_array(p->name).role == WL_ROLE_OFFSETS;
    wl_buffer_text(out, padded || one_more ? "buf:(" : "buf:");
    add_size(g, p->name, out);
    wl_buffer_text(out, one_more ? "+1)" : padded ? ")" : "");
    if (padded)
        wl_buffer_add(out, "*%d+%d:%d", bytes, 2 * PADDING, PADDING);
    else if (bytes > 1)
        wl_buffer_add(out, "*%d", bytes);
    add_contents(g, p, t, out);
}

/* A real number of the source, "2.0f". */
static bool add_passed_real(const guess *g, int k, wl_buffer *out)
{
    wl_cuda_range argument;
    if (!passed(g, k, &argument))
        return false;
    while (argument.at < argument.end && strchr(" \t\n\r", *argument.at))
        argument.at++;
    char text[32];
    const size_t length = (size_t)(argument.end - argument.at);
    if (length == 0 || length >= sizeof text)
        return false;
    memcpy(text, argument.at, length);
    text[length] = '\0';
    const char *end = NULL;
    const double value = wl_number_read(text, &end);
    end += end > text && (*end == 'f' || *end == 'F');
    if (end == text || end[strspn(end, " \t\n\r")])
        return false;
    wl_buffer_add(out, "%.15g", value);
    return true;
}

static const char *pitch_of(const guess *g)
{
    for (int i = 0; i < g->extent_count; i++)
        if (g->extents[i].role == WL_ROLE_EXTENT_X)
            return g->extents[i].name;
    return g->extents[0].name;
}

static void add_number(guess *g, int k, const wl_first_param *p, wl_buffer *out)
{
    int64_t value = 0, small = 0;
    const bool known = passed_number(g, k, &value);
    const wl_role role = p->name ? role_of(g, p, &small) : WL_ROLE_EXTENT;
    const extent *own = NULL;
    for (int i = 0; i < g->extent_count && p->name; i++)
        if (strcmp(g->extents[i].name, p->name) == 0)
            own = &g->extents[i];
    if (own)
        wl_buffer_add(out, "%lld", (long long)own->value);
    else if (known)
        wl_buffer_add(out, "%lld", (long long)value);
    else if (role == WL_ROLE_PITCH)
        wl_buffer_text(out, pitch_of(g));
    else
        wl_buffer_add(out, "%lld", (long long)small);
}

/* {0.5, 0.5} of a float2. */
static void add_vector(const wl_cuda_type *t, wl_buffer *out)
{
    for (int i = 0; i < t->parts; i++) {
        wl_buffer_add(out, "%s%s", i ? ", " : "{", t->kind == WL_CUDA_REAL ? REAL : "1");
        if (t->kind == WL_CUDA_REAL && t->bytes == 8)
            wl_buffer_text(out, ":f64");
        else if (t->kind == WL_CUDA_INTEGER) {
            wl_buffer_text(out, ":");
            add_element(t, out);
        }
    }
    wl_buffer_text(out, "}");
}

/* One member of a struct by value; false: it is a struct itself. */
static bool add_member(guess *g, const wl_cuda_param *member, wl_buffer *out)
{
    char name[64];
    const wl_cuda_type t = wl_cuda_type_of(member->type);
    (void)snprintf(name, sizeof name, "%.*s", (int)member->name.length, member->name.at);
    const wl_role_found role = wl_role_of_number(name);
    if (t.pointers > 0) {
        const wl_first_param as_param = {name, "", 0};
        add_buffer(g, &as_param, &t, out);
    } else if (t.parts > 1 || t.kind == WL_CUDA_OTHER || t.kind >= WL_CUDA_TEXTURE) {
        return false;
    } else if (t.kind == WL_CUDA_INTEGER) {
        wl_buffer_add(out, "%lld:", (long long)(role.role == WL_ROLE_SMALL ? role.value : g->extents[0].value));
        add_element(&t, out);
    } else {
        wl_buffer_text(out, t.kind == WL_CUDA_BOOL ? "1:u8" : t.bytes == 8 ? REAL ":f64" : REAL ":f32");
    }
    return true;
}

/* {buf:n*4, 16777216:s32, 0.5:f64}, where the source defines the struct. */
static bool add_members(guess *g, const wl_cuda_type *t, wl_buffer *out)
{
    wl_cuda_params *members = WL_ARENA_NEW(&g->out->arena, wl_cuda_params, 1);
    const size_t before = out->length;
    if (!members || !g->facts->cuda || !wl_cuda_members(g->facts->cuda, t->base, members))
        return false;
    for (int i = 0; i < members->count; i++) {
        wl_buffer_text(out, i ? ", " : "{");
        if (!add_member(g, &members->list[i], out)) {
            out->length = before;
            return false;
        }
    }
    wl_buffer_text(out, "}");
    return true;
}

static void add_struct(guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    wl_buffer about = {0};
    if (add_members(g, t, out))
        return;
    const int64_t bytes = p->bytes > 0 && p->bytes <= BYTES_SHOWN ? p->bytes : 4;
    wl_buffer_text(out, "bytes:");
    wl_buffer_repeat(out, "00", (int)bytes);
    wl_buffer_add(&about, "%s is a %s: give its members as {VALUE, VALUE, ..}, pointers as buf:BYTES",
                  p->name ? p->name : "an argument", p->type);
    note(g, &about);
}

static void add_value(guess *g, int k, wl_buffer *out)
{
    const wl_first_param *p = &g->facts->params[k];
    const wl_cuda_type t = type_of(g, p);
    if (t.pointers > 0 || strchr(p->type, '['))
        add_buffer(g, p, &t, out);
    else if (t.kind == WL_CUDA_TEXTURE || t.kind == WL_CUDA_SURFACE)
        wl_buffer_add(out, "%s:4096x4096:f32", t.kind == WL_CUDA_TEXTURE ? "tex" : "surf");
    else if (t.parts > 1)
        add_vector(&t, out);
    else if (t.kind == WL_CUDA_INTEGER)
        add_number(g, k, p, out);
    else if (t.kind == WL_CUDA_BOOL)
        wl_buffer_text(out, "1");
    else if (t.kind == WL_CUDA_OTHER && p->bytes != 4 && p->bytes != 8)
        add_struct(g, p, &t, out);
    else if (!add_passed_real(g, k, out))
        wl_buffer_text(out, REAL);
}

/* Without names, the numbers of PTX are those that --set gives. */
static void add_unnamed(guess *g, int k, int *numbers, wl_buffer *out)
{
    const wl_cuda_type t = type_of(g, &g->facts->params[k]);
    const char *name = is_number(&t) ? made_name(g->dims, (*numbers)++) : NULL;
    if (name)
        wl_buffer_text(out, name);
    else if (is_number(&t))
        wl_buffer_text(out, g->extents[0].name);
    else
        add_value(g, k, out);
}

static void make_arguments(guess *g)
{
    wl_first_launch *out = &g->out->shown;
    int numbers = 0, sets = 0;
    bool named = false;
    out->args = WL_ARENA_NEW(&g->out->arena, const char *, g->facts->count + 1);
    out->sets = WL_ARENA_NEW(&g->out->arena, const char *, EXTENTS_MAX + 1);
    if (!out->args || !out->sets) {
        g->failed = true;
        return;
    }
    for (int k = 0; k < g->facts->count; k++) {
        const wl_first_param *p = &g->facts->params[k];
        wl_buffer text = {0};
        if (p->name) {
            wl_buffer_add(&text, "%s=", p->name);
            add_value(g, k, &text);
        } else {
            add_unnamed(g, k, &numbers, &text);
        }
        out->args[k] = keep(g, &text);
        for (int i = 0; i < g->extent_count && p->name; i++)
            named = named || strcmp(g->extents[i].name, p->name) == 0;
    }
    /* without parameters only a guessed grid depends on them */
    const bool needed = g->facts->count > 0 || !g->grid_of_file;
    for (int i = 0; i < g->extent_count && !named && needed; i++) {
        wl_buffer text = {0};
        wl_buffer_add(&text, "%s=%lld", g->extents[i].name, (long long)g->extents[i].value);
        out->sets[sets++] = keep(g, &text);
    }
}

/* ---- block and grid ---- */

static bool block_of_launch(guess *g)
{
    wl_cuda_range extents[3];
    const int n = g->launched ? wl_cuda_extents(&g->reader, g->launch.block, extents) : 0;
    for (int d = 0; d < n; d++) {
        if (!wl_cuda_constant(&g->reader, extents[d], &g->block[d]) || g->block[d] < 1)
            return false;
        g->reader.blocks[d] = extents[d];
    }
    g->block_dims = n;
    return n > 0;
}

/* A tile in shared memory that has one element per thread, perhaps with a column more. */
static bool block_of_tile(guess *g)
{
    int64_t tile[3];
    wl_cuda_type type;
    bool is_extern;
    if (g->dims != 2 || !g->facts->kernel || wl_cuda_shared_array(&g->reader, body(g), &type, &is_extern, tile) != 2 ||
        tile[0] < 4 || tile[0] > 32 || tile[1] < tile[0] || tile[1] > tile[0] + 4)
        return false;
    g->block[0] = g->block[1] = tile[0];
    g->block[2] = 1;
    return true;
}

static void choose_block(guess *g)
{
    static const int64_t usual_blocks[3][3] = {{256, 1, 1}, {32, 8, 1}, {32, 4, 2}};
    static const int64_t small_blocks[3][3] = {{128, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    const bool small = g->facts->revised & WL_FIRST_LAUNCH_BLOCK;
    const int64_t(*common)[3] = small ? small_blocks : usual_blocks;
    const wl_first_facts *f = g->facts;
    int64_t most = f->most_threads;
    g->block_dims = g->dims;
    memcpy(g->block, f->required[0] > 0 ? f->required : common[g->dims - 1], sizeof g->block);
    if (f->required[0] > 0 || (!small && block_of_tile(g)))
        return;
    if (f->kernel && !wl_cuda_is_empty(f->kernel->bounds)) {
        const char *at = f->kernel->bounds.at;
        wl_cuda_range threads;
        if (wl_cuda_part(&at, f->kernel->bounds.end, &threads) && !wl_cuda_constant(&g->reader, threads, &most))
            most = f->most_threads;
    }
    if (g->dims == 1 && most > 0)
        g->block[0] = most;
    while (most > 0 && g->block[0] * g->block[1] * g->block[2] > most)
        g->block[g->block[1] > 1 ? 1 : 0] /= 2;
}

static void make_block(guess *g)
{
    wl_buffer text = {0};
    if (!block_of_launch(g))
        choose_block(g);
    for (int d = 0; d < wl_max(g->block_dims, 1); d++)
        wl_buffer_add(&text, "%s%lld", d ? "x" : "", (long long)wl_max(g->block[d], 1));
    g->out->shown.block = keep(g, &text);
}

/* "(n+255)/256" is cdiv(n,block.x) in blocks of 256: the number of threads may change. */
static bool is_division(const guess *g, const char *rule, int d, wl_cuda_range *what)
{
    char by[4][40];
    const long long b = (long long)g->block[d];
    const size_t length = strlen(rule);
    (void)snprintf(by[0], sizeof by[0], "+%lld)/%lld", b - 1, b);
    (void)snprintf(by[1], sizeof by[1], "+%lld-1)/%lld", b, b);
    (void)snprintf(by[2], sizeof by[2], "+block.%c-1)/block.%c", "xyz"[d], "xyz"[d]);
    (void)snprintf(by[3], sizeof by[3], "-1)/block.%c+1", "xyz"[d]);
    for (int i = 0; i < 4; i++) {
        const size_t n = strlen(by[i]);
        if (rule[0] != '(' || length < n + 2 || strcmp(rule + length - n, by[i]) != 0)
            continue;
        *what = (wl_cuda_range){rule + 1, rule + length - n};
        int depth = 0;
        for (const char *c = what->at; c < what->end && depth >= 0; c++)
            depth += (*c == '(') - (*c == ')');
        return depth == 0;
    }
    return false;
}

/* Parentheses around the whole of it. */
static bool is_enclosed(const char *rule)
{
    int depth = 0;
    for (const char *c = rule; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0)
            return c > rule && c[1] == '\0';
    }
    return false;
}

static void add_extent_rule(const guess *g, char *rule, int d, wl_buffer *out)
{
    wl_cuda_range what;
    if (is_enclosed(rule)) {
        rule[strlen(rule) - 1] = '\0';
        rule++;
    }
    int64_t number = 0;
    if (wl_cuda_rule_value(rule, &number) && number > 0)
        wl_buffer_add(out, "%lld", (long long)number);
    else if (is_division(g, rule, d, &what))
        wl_buffer_add(out, "cdiv(%.*s,block.%c)", (int)(what.end - what.at), what.at, "xyz"[d]);
    else
        wl_buffer_text(out, rule);
}

static bool grid_of_launch(guess *g, wl_buffer *out)
{
    wl_cuda_range extents[3];
    const int n = g->launched ? wl_cuda_extents(&g->reader, g->launch.grid, extents) : 0;
    for (int d = 0; d < n; d++) {
        wl_buffer rule = {0};
        g->reader.axis = d;
        const bool understood = wl_cuda_rule(&g->reader, extents[d], &rule);
        if (understood) {
            wl_buffer_text(out, d ? "," : "");
            add_extent_rule(g, rule.text, d, out);
        }
        wl_buffer_drop_part(&rule, out);
        if (!understood) {
            g->failed = g->failed || out->failed;
            wl_buffer_drop(out);
            return false;
        }
    }
    return n > 0;
}

/* The extent along an axis: the one that is called so, else the next that has no axis. */
static const char *extent_along(const guess *g, int axis)
{
    int unnamed = 0, before = 0;
    for (int i = 0; i < g->extent_count; i++)
        if (g->extents[i].role == (wl_role)(WL_ROLE_EXTENT_X + axis))
            return g->extents[i].name;
    for (int d = 0; d < axis; d++)
        for (int i = 0; i < g->extent_count; i++)
            before += g->extents[i].role == (wl_role)(WL_ROLE_EXTENT_X + d);
    for (int i = 0; i < g->extent_count; i++)
        if (g->extents[i].role == WL_ROLE_EXTENT && unnamed++ == axis - before)
            return g->extents[i].name;
    return g->extents[g->extent_count > axis ? axis : 0].name;
}

/* The extent whose elements the threads of one axis go through; NULL: all together. */
static const char *extent_of_threads(const guess *g)
{
    if (g->extent_count == 1 && g->power == 1)
        return g->extents[0].name;
    for (int i = 0; i < g->extent_count; i++)
        if (is_compared(g, g->extents[i].name))
            return g->extents[i].name;
    return NULL;
}

static void guess_grid(const guess *g, wl_buffer *out)
{
    if (g->dims == 1 && g->row_per_block && g->extent_count > 0) {
        wl_buffer_text(out, extent_along(g, g->extent_count > 1 ? 1 : 0));
    } else if (g->dims == 1) {
        const char *name = extent_of_threads(g);
        wl_buffer_text(out, "cdiv(");
        if (name)
            wl_buffer_text(out, name);
        else
            add_size(g, NULL, out);
        wl_buffer_text(out, ",block.x)");
    } else {
        for (int d = 0; d < g->dims; d++)
            wl_buffer_add(out, "%scdiv(%s,block.%c)", d ? "," : "", extent_along(g, d), "xyz"[d]);
    }
}

/* A kernel without numbers goes through as much as the launch in the file has threads. */
static void count_threads(guess *g)
{
    wl_cuda_range extents[3];
    int64_t total = 1, blocks = 1;
    const int n = wl_cuda_extents(&g->reader, g->launch.grid, extents);
    for (int d = 0; d < n; d++) {
        if (!wl_cuda_constant(&g->reader, extents[d], &blocks) || blocks < 1 || blocks > (int64_t)1 << 31)
            return;
        total = total > (int64_t)1 << 40 ? total : total * blocks;
    }
    for (int d = 0; d < g->block_dims; d++)
        total *= g->block[d];
    if (total < (int64_t)1 << 40)
        g->extents[0].value = total;
}

static void make_grid(guess *g, bool own_block)
{
    wl_buffer text = {0}, about = {0};
    g->reader.symbolic = true;
    const bool found = own_block && grid_of_launch(g, &text);
    g->grid_of_file = found;
    if (found && g->made_up)
        count_threads(g);
    if (!found)
        guess_grid(g, &text);
    g->out->shown.grid = keep(g, &text);
    if (found)
        wl_buffer_text(&about, "block and grid are those of the launch in the file");
    else if (own_block)
        wl_buffer_text(&about, "the block is that of the launch in the file; the grid is a guess");
    else if (g->launched)
        wl_buffer_text(&about, "block and grid are a guess: those of the launch in the file are not constant");
    else if (g->facts->cuda)
        wl_buffer_text(&about, "block and grid are a guess: the file has no launch <<<..>>> of this kernel");
    else
        wl_buffer_text(&about, "block and grid are a guess, PTX has no launches");
    note(g, &about);
}

/* extern __shared__ without a launch that says how much: an element per thread, or more. */
static void guess_shared(guess *g)
{
    int64_t extents[3];
    wl_cuda_type type = {.bytes = 0};
    bool is_extern = false;
    wl_buffer text = {0}, about = {0};
    if (!g->facts->kernel)
        return;
    (void)wl_cuda_shared_array(&g->reader, body(g), &type, &is_extern, extents);
    if (!is_extern)
        return;
    const int bytes = type.bytes > 0 ? type.bytes * type.parts : 8;
    wl_buffer_add(&text, "threads*%d", g->facts->revised & WL_FIRST_LAUNCH_BLOCK ? MORE_SHARED * bytes : bytes);
    g->out->shown.shared = keep(g, &text);
    wl_buffer_text(&about, "the dynamic shared memory is a guess");
    note(g, &about);
}

static void make_shared(guess *g)
{
    wl_buffer text = {0};
    int64_t bytes = 1;
    const bool said = g->launched && !wl_cuda_is_empty(g->launch.shared);
    if (!said) {
        guess_shared(g);
        return;
    }
    g->reader.axis = 0;
    if (!wl_cuda_rule(&g->reader, g->launch.shared, &text) ||
        (wl_cuda_constant(&g->reader, g->launch.shared, &bytes) && bytes == 0)) {
        g->failed = g->failed || text.failed;
        wl_buffer_drop(&text);
        return;
    }
    if (wl_cuda_rule_value(text.text, &bytes)) {
        wl_buffer_drop(&text);
        wl_buffer_add(&text, "%lld", (long long)bytes);
    }
    g->out->shown.shared = keep(g, &text);
}

/* ---- the whole ---- */

static void make_declaration(guess *g)
{
    wl_buffer text = {0};
    wl_buffer_add(&text, "%s(", g->facts->name);
    for (int k = 0; k < g->facts->count; k++) {
        const wl_first_param *p = &g->facts->params[k];
        const size_t length = strlen(p->type);
        const bool blank = p->name && length > 0 && p->type[length - 1] != '*';
        wl_buffer_add(&text, "%s%s%s%s", k ? ", " : "", p->type, blank ? " " : "", p->name ? p->name : "");
    }
    wl_buffer_text(&text, ")");
    g->out->shown.declaration = keep(g, &text);
}

wl_status wl_first_guess(const wl_first_facts *f, wl_first_launch **out, wl_error *err)
{
    guess g = {.facts = f, .out = calloc(1, sizeof *g.out)};
    if (!g.out)
        return wl_fail_memory(err);
    g.launched = f->cuda && f->kernel && wl_cuda_find_launch(f->cuda, f->kernel, &g.launch);
    g.reader = (wl_cuda_reader){.cuda = f->cuda, .kernel = f->kernel, .launch = g.launched ? &g.launch : NULL};
    g.dims = f->dims > 0 ? f->dims : dims_used(&g);
    g.row_per_block = f->kernel && numbers_rows(&g);
    make_declaration(&g);
    find_extents(&g);
    find_size(&g);
    make_block(&g);
    make_grid(&g, g.launched && g.reader.blocks[0].at);
    make_shared(&g);
    g.reader.symbolic = false;
    make_arguments(&g);
    g.out->shown.kernel = wl_arena_text(&g.out->arena, f->name, strlen(f->name));
    g.out->shown.notes = g.out->notes;
    if (g.failed || !g.out->shown.kernel) {
        wl_first_launch_free(&g.out->shown);
        return wl_fail_memory(err);
    }
    *out = &g.out->shown;
    return WL_OK;
}

static wl_status launch_of_kernel(const wl_cuda *c, const wl_cuda_kernel *k, int revised, wl_first_launch **out,
                                  wl_error *err)
{
    wl_arena arena = {0};
    wl_first_param *params = WL_ARENA_NEW(&arena, wl_first_param, k->params->count + 1);
    wl_status status = params ? WL_OK : wl_fail_memory(err);
    for (int i = 0; i < k->params->count && status == WL_OK; i++) {
        char type[80];
        const wl_cuda_param *p = &k->params->list[i];
        wl_cuda_type_text(p->type, p->is_array, type, sizeof type);
        params[i].type = wl_arena_text(&arena, type, strlen(type));
        params[i].name = wl_arena_text(&arena, p->name.at, p->name.length);
        if (!params[i].type || !params[i].name)
            status = wl_fail_memory(err);
    }
    const wl_first_facts facts = {
        .name = k->name, .params = params, .count = k->params->count, .cuda = c, .kernel = k, .revised = revised};
    status = status == WL_OK ? wl_first_guess(&facts, out, err) : status;
    wl_arena_free(&arena);
    return status;
}

wl_status wl_first_launch_of_cuda(const char *text, size_t length, size_t kernel, int revised, wl_first_launch **out,
                                  wl_error *err)
{
    wl_cuda c;
    *out = NULL;
    wl_status status = wl_cuda_read(&c, text, length, err);
    if (status == WL_OK && kernel < c.count)
        status = launch_of_kernel(&c, &c.kernels[kernel], revised, out, err);
    wl_cuda_drop(&c);
    return status;
}

void wl_first_launch_free(wl_first_launch *l)
{
    made_launch *made = (made_launch *)(void *)l;
    if (!made)
        return;
    wl_arena_free(&made->arena);
    free(made);
}
