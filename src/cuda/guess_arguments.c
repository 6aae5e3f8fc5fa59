/* guess_arguments.c - the arguments of a first launch. SPDX-License-Identifier: MIT */
#include "cuda/guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

#define REAL "0.5"
#define PADDING 1048576 /* bytes around buffers that are read beyond their ends */
#define BYTES_SHOWN 64  /* of a struct that is not known */
#define ROW_LENGTH 16   /* elements of a row, where offsets of rows are a parameter */

/* ---- arguments ---- */

/* As --arg names the types of contents: s32, u64. */
static void add_element(const wl_cuda_type *t, wl_buffer *out)
{
    wl_buffer_add(out, "%c%d", t->is_signed ? 's' : 'u', 8 * t->bytes);
}

static bool is_offsets(const wl_guess *g, const wl_first_param *p)
{
    const wl_cuda_type t = wl_guess_type(g, p);
    return t.kind == WL_CUDA_INTEGER && t.pointers == 1 && p->name && wl_role_of_array(p->name).role == WL_ROLE_OFFSETS;
}

static bool has_offsets(const wl_guess *g)
{
    bool any = false;
    for (int k = 0; k < g->facts->count; k++)
        any = any || is_offsets(g, &g->facts->params[k]);
    return any;
}

/* Is an element of it an index: "bins[in[i]]"? */
static bool is_index(const wl_guess *g, const char *name)
{
    const wl_cuda_range code = wl_guess_body(g);
    const char *at = code.at;
    wl_cuda_word before = {at, 0};
    for (wl_cuda_word w; (w = wl_cuda_next(&at, code.end)).length > 0; before = w)
        if (wl_cuda_word_is(w, name) && before.length > 0 && *before.at == '[')
            return true;
    return false;
}

/* What an array of whole numbers holds: addresses may depend on it. Narrow ones are mostly data. */
static void add_contents(wl_guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    const bool narrow = t->bytes < 4;
    if (t->kind != WL_CUDA_INTEGER || !t->is_const || t->pointers != 1 || t->parts != 1 ||
        (narrow && !(p->name && is_index(g, p->name))))
        return;
    const bool offsets = is_offsets(g, p);
    char made_up[40] = "random indices";
    if (offsets)
        (void)snprintf(made_up, sizeof made_up, "rows of %d elements", ROW_LENGTH);
    wl_buffer_text(out, offsets ? "=iota:" : "=random:");
    add_element(t, out);
    if (offsets)
        wl_buffer_add(out, ":0:%d", ROW_LENGTH);
    else if (!narrow)
        wl_buffer_add(out, ":0..%lld", (long long)(g->extents[0].value - 1));
    wl_buffer about = {0};
    wl_buffer_add(&about, "contents of %s are made up (%s); real ones come from a file, as in buf:BYTES=FILE",
                  p->name ? p->name : p->type, made_up);
    wl_guess_note(g, &about);
}

static int64_t struct_bytes(const wl_guess *g, wl_cuda_word name)
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

static void add_buffer(wl_guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    const bool is_void = wl_cuda_word_is(t->base, "void");
    const int64_t known = t->bytes > 0 && !is_void ? t->bytes * t->parts : struct_bytes(g, t->base);
    const int bytes = t->pointers > 1 || known == 0 ? 8 : (int)known;
    const bool padded = g->facts->revised & WL_FIRST_LAUNCH_PADDED;
    const bool one_more = is_offsets(g, p), rows = !one_more && t->is_const && has_offsets(g);
    wl_buffer_text(out, padded || one_more ? "buf:(" : "buf:");
    wl_guess_add_size(g, p->name, out);
    if (rows) /* they may have an element for each of a row */
        wl_buffer_add(out, "*%d", ROW_LENGTH);
    wl_buffer_text(out, one_more ? "+1)" : padded ? ")" : "");
    if (padded)
        wl_buffer_add(out, "*%d+%d:%d", bytes, 2 * PADDING, PADDING);
    else if (bytes > 1)
        wl_buffer_add(out, "*%d", bytes);
    add_contents(g, p, t, out);
}

/* A real number of the source, "2.0f". */
static bool add_passed_real(const wl_guess *g, int k, wl_buffer *out)
{
    wl_cuda_range argument;
    if (!wl_guess_passed(g, k, &argument))
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

static const char *pitch_of(const wl_guess *g)
{
    for (int i = 0; i < g->extent_count; i++)
        if (g->extents[i].role == WL_ROLE_EXTENT_X)
            return g->extents[i].name;
    return g->extents[0].name;
}

static void add_number(wl_guess *g, int k, const wl_first_param *p, wl_buffer *out)
{
    int64_t value = 0, small = 0;
    const bool known = wl_guess_passed_number(g, k, &value);
    const wl_role role = p->name ? wl_guess_role(g, p, &small) : WL_ROLE_EXTENT;
    const wl_guess_extent *own = NULL;
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
static bool add_member(wl_guess *g, const wl_cuda_param *member, wl_buffer *out)
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
static bool add_members(wl_guess *g, const wl_cuda_type *t, wl_buffer *out)
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

static void add_struct(wl_guess *g, const wl_first_param *p, const wl_cuda_type *t, wl_buffer *out)
{
    wl_buffer about = {0};
    if (add_members(g, t, out))
        return;
    const int64_t bytes = p->bytes > 0 && p->bytes <= BYTES_SHOWN ? p->bytes : 4;
    wl_buffer_text(out, "bytes:");
    wl_buffer_repeat(out, "00", (int)bytes);
    wl_buffer_add(&about, "%s is a %s: give its members as {VALUE, VALUE, ..}, pointers as buf:BYTES",
                  p->name ? p->name : "an argument", p->type);
    wl_guess_note(g, &about);
}

static void add_value(wl_guess *g, int k, wl_buffer *out)
{
    const wl_first_param *p = &g->facts->params[k];
    const wl_cuda_type t = wl_guess_type(g, p);
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
static void add_unnamed(wl_guess *g, int k, int *numbers, wl_buffer *out)
{
    const wl_cuda_type t = wl_guess_type(g, &g->facts->params[k]);
    const char *name = wl_guess_is_number(&t) ? wl_guess_made_name(g->dims, (*numbers)++) : NULL;
    if (name)
        wl_buffer_text(out, name);
    else if (wl_guess_is_number(&t))
        wl_buffer_text(out, g->extents[0].name);
    else
        add_value(g, k, out);
}

void wl_guess_arguments(wl_guess *g)
{
    wl_first_launch *out = &g->out->shown;
    int numbers = 0, sets = 0;
    bool named = false;
    out->args = WL_ARENA_NEW(&g->out->arena, const char *, g->facts->count + 1);
    out->sets = WL_ARENA_NEW(&g->out->arena, const char *, WL_GUESS_EXTENTS_MAX + 1);
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
        out->args[k] = wl_guess_keep(g, &text);
        for (int i = 0; i < g->extent_count && p->name; i++)
            named = named || strcmp(g->extents[i].name, p->name) == 0;
    }
    /* without parameters only a guessed grid depends on them */
    const bool needed = g->facts->count > 0 || !g->grid_of_file;
    for (int i = 0; i < g->extent_count && !named && needed; i++) {
        wl_buffer text = {0};
        wl_buffer_add(&text, "%s=%lld", g->extents[i].name, (long long)g->extents[i].value);
        out->sets[sets++] = wl_guess_keep(g, &text);
    }
}
