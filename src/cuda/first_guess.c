/* first_guess.c - see first_guess.h.
 *
 * Extents come first: the whole numbers that say how large the problem is. Buffers are products of
 * them, the grid covers them. A launch in the source, where its expressions are understood, decides
 * block, grid and every number that it passes.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/guess.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* The buffer's text in the arena of the result; the buffer is empty then. */
const char *wl_guess_keep(wl_guess *g, wl_buffer *text)
{
    const char *kept = text->failed ? NULL : wl_arena_text(&g->out->arena, wl_buffer_string(text), text->length);
    g->failed = g->failed || !kept;
    wl_buffer_drop(text);
    return kept ? kept : "";
}

void wl_guess_note(wl_guess *g, wl_buffer *text)
{
    const char *kept = wl_guess_keep(g, text);
    if (g->out->note_count < WL_GUESS_NOTES_MAX)
        g->out->notes[g->out->note_count++] = kept;
}

/* ---- the whole ---- */

static void make_declaration(wl_guess *g)
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
    g->out->shown.declaration = wl_guess_keep(g, &text);
}

wl_status wl_first_guess(const wl_first_facts *f, wl_first_launch **out, wl_error *err)
{
    wl_guess g = {.facts = f, .out = calloc(1, sizeof *g.out)};
    if (!g.out)
        return wl_fail_memory(err);
    g.launched = f->cuda && f->kernel && wl_cuda_find_launch(f->cuda, f->kernel, &g.launch);
    g.reader = (wl_cuda_reader){.cuda = f->cuda, .kernel = f->kernel, .launch = g.launched ? &g.launch : NULL};
    g.dims = f->dims > 0 ? f->dims : wl_guess_dims(&g);
    g.row_per_block = f->kernel && wl_guess_numbers_rows(&g);
    make_declaration(&g);
    wl_guess_extents(&g);
    wl_guess_size(&g);
    wl_guess_block(&g);
    wl_guess_grid(&g, g.launched && g.reader.blocks[0].at);
    wl_guess_shared(&g);
    g.reader.symbolic = false;
    wl_guess_arguments(&g);
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
    wl_made_launch *made = (wl_made_launch *)(void *)l;
    if (!made)
        return;
    wl_arena_free(&made->arena);
    free(made);
}
