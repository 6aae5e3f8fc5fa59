/* cuda_source.c - see cuda_source.h.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/cuda_source.h"

#include <string.h>

#include "base/fail.h"

/* Is the next word this character? */
static bool next_is(const char **at, const char *end, char c)
{
    const wl_cuda_word w = wl_cuda_next(at, end);
    return w.length > 0 && *w.at == c;
}

/* ---- kernels ---- */

static wl_cuda_kernel *find_kernel(const wl_cuda *c, wl_cuda_word name, int params)
{
    for (size_t i = 0; i < c->count; i++)
        if (wl_cuda_word_is(name, c->kernels[i].name) && c->kernels[i].params->count == params)
            return &c->kernels[i];
    return NULL;
}

/* The argument of __launch_bounds__ between __global__ and the parameters. */
static wl_cuda_range find_bounds(const char *at, const char *end)
{
    for (wl_cuda_word w; (w = wl_cuda_next(&at, end)).length > 0;)
        if (wl_cuda_word_is(w, "__launch_bounds__") && next_is(&at, end, '('))
            return wl_cuda_inside(&at, end);
    return (wl_cuda_range){end, end};
}

/* One declaration, from after __global__; *at is moved behind its body. */
static wl_status read_kernel(wl_cuda *c, const char **at, wl_error *err)
{
    const char *const start = *at, *behind = start;
    wl_cuda_word name;
    wl_cuda_params *params = WL_ARENA_NEW(&c->arena, wl_cuda_params, 1);
    if (!params)
        return wl_fail_memory(err);
    if (!wl_cuda_find_params(&behind, c->text.end, &name) || !wl_cuda_read_params(&behind, c->text.end, params) ||
        params->count < 0)
        return WL_OK;
    wl_cuda_range body = {behind, behind};
    const bool defined = next_is(&behind, c->text.end, '{');
    if (defined) {
        body = wl_cuda_inside(&behind, c->text.end);
        *at = behind;
    }
    wl_cuda_kernel *before = find_kernel(c, name, params->count);
    if (before) { /* a definition says more than a declaration */
        before->params = defined ? params : before->params;
        before->body = defined ? body : before->body;
        return WL_OK;
    }
    const char *copied = wl_arena_text(&c->arena, name.at, name.length);
    if (!copied || !WL_ARENA_ROOM(&c->arena, c->kernels, c->count, c->room))
        return wl_fail_memory(err);
    c->kernels[c->count++] = (wl_cuda_kernel){copied, params, body, find_bounds(start, name.at)};
    return WL_OK;
}

wl_status wl_cuda_read(wl_cuda *c, const char *text, size_t length, wl_error *err)
{
    *c = (wl_cuda){.text = {text, text + length}};
    const char *at = text;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, c->text.end)).length > 0;)
        if (wl_cuda_word_is(w, "__global__"))
            WL_TRY(read_kernel(c, &at, err));
    return WL_OK;
}

void wl_cuda_drop(wl_cuda *c) { wl_arena_free(&c->arena); }

/* ---- launches ---- */

static bool is_triple(const char *at, const char *end, char c)
{
    return end - at >= 3 && at[0] == c && at[1] == c && at[2] == c;
}

/* From after a kernel's name to behind "<<<"; template arguments may stand between. */
static bool enter_launch(const char **at, const char *end)
{
    wl_cuda_word w = wl_cuda_peek(*at, end);
    if (w.length > 0 && *w.at == '<' && !is_triple(w.at, end, '<'))
        for (int angles = 0; angles > 0 || *at <= w.at;) {
            const wl_cuda_word inner = wl_cuda_next(at, end);
            if (inner.length == 0 || *inner.at == ';' || *inner.at == '{')
                return false;
            angles += (*inner.at == '<') - (*inner.at == '>');
        }
    w = wl_cuda_peek(*at, end);
    if (w.length == 0 || !is_triple(w.at, end, '<'))
        return false;
    *at = w.at + 3;
    return true;
}

/* Up to ">>>" outside of brackets. */
static bool read_configuration(const char **at, const char *end, wl_cuda_range *all)
{
    int depth = 0;
    all->at = *at;
    for (wl_cuda_word w; (w = wl_cuda_next(at, end)).length > 0 && *w.at != ';';) {
        depth += (*w.at == '(' || *w.at == '{') - (*w.at == ')' || *w.at == '}');
        if (depth == 0 && is_triple(w.at, end, '>')) {
            all->end = w.at;
            *at = w.at + 3;
            return true;
        }
    }
    return false;
}

bool wl_cuda_find_launch(const wl_cuda *c, const wl_cuda_kernel *kernel, wl_cuda_launch *out)
{
    const char *at = c->text.at, *const end = c->text.end;
    for (wl_cuda_word w; (w = wl_cuda_next(&at, end)).length > 0;) {
        const char *behind = at;
        wl_cuda_range all;
        if (!wl_cuda_word_is(w, kernel->name) || !enter_launch(&behind, end) ||
            !read_configuration(&behind, end, &all) || !next_is(&behind, end, '('))
            continue;
        const char *part = all.at;
        *out = (wl_cuda_launch){.shared = {end, end}, .arguments = wl_cuda_inside(&behind, end)};
        if (!wl_cuda_part(&part, all.end, &out->grid) || !wl_cuda_part(&part, all.end, &out->block))
            continue;
        (void)wl_cuda_part(&part, all.end, &out->shared);
        return true;
    }
    return false;
}
