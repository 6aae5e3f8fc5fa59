/* guess_launch.c - block, grid and shared memory of a first launch. SPDX-License-Identifier: MIT */
#include "cuda/guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

#define MORE_SHARED 4

/* ---- block and grid ---- */

static bool block_of_launch(wl_guess *g)
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
static bool block_of_tile(wl_guess *g)
{
    int64_t tile[3];
    wl_cuda_type type;
    bool is_extern;
    if (g->dims != 2 || !g->facts->kernel ||
        wl_cuda_shared_array(&g->reader, wl_guess_body(g), &type, &is_extern, tile) != 2 || tile[0] < 4 ||
        tile[0] > 32 || tile[1] < tile[0] || tile[1] > tile[0] + 4)
        return false;
    g->block[0] = g->block[1] = tile[0];
    g->block[2] = 1;
    return true;
}

static void choose_block(wl_guess *g)
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

void wl_guess_block(wl_guess *g)
{
    wl_buffer text = {0};
    if (!block_of_launch(g))
        choose_block(g);
    for (int d = 0; d < wl_max(g->block_dims, 1); d++)
        wl_buffer_add(&text, "%s%lld", d ? "x" : "", (long long)wl_max(g->block[d], 1));
    g->out->shown.block = wl_guess_keep(g, &text);
}

/* "(n+255)/256" is cdiv(n,block.x) in blocks of 256: the number of threads may change. */
static bool is_division(const wl_guess *g, const char *rule, int d, wl_cuda_range *what)
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

static void add_extent_rule(const wl_guess *g, char *rule, int d, wl_buffer *out)
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

static bool grid_of_launch(wl_guess *g, wl_buffer *out)
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
static const char *extent_along(const wl_guess *g, int axis)
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
static const char *extent_of_threads(const wl_guess *g)
{
    if (g->extent_count == 1 && g->power == 1)
        return g->extents[0].name;
    for (int i = 0; i < g->extent_count; i++)
        if (wl_guess_is_compared(g, g->extents[i].name))
            return g->extents[i].name;
    return NULL;
}

static void guess_grid(const wl_guess *g, wl_buffer *out)
{
    if (g->dims == 1 && g->row_per_block && g->extent_count > 0) {
        wl_buffer_text(out, extent_along(g, g->extent_count > 1 ? 1 : 0));
    } else if (g->dims == 1) {
        const char *name = extent_of_threads(g);
        wl_buffer_text(out, "cdiv(");
        if (name)
            wl_buffer_text(out, name);
        else
            wl_guess_add_size(g, NULL, out);
        wl_buffer_text(out, ",block.x)");
    } else {
        for (int d = 0; d < g->dims; d++)
            wl_buffer_add(out, "%scdiv(%s,block.%c)", d ? "," : "", extent_along(g, d), "xyz"[d]);
    }
}

/* A kernel without numbers goes through as much as the launch in the file has threads. */
static void count_threads(wl_guess *g)
{
    wl_cuda_range extents[3];
    int64_t total = 1, longest = 1;
    const int n = wl_cuda_extents(&g->reader, g->launch.grid, extents);
    for (int d = 0; d < n || d < g->block_dims; d++) {
        int64_t blocks = 1;
        if (d < n && (!wl_cuda_constant(&g->reader, extents[d], &blocks) || blocks < 1 || blocks > (int64_t)1 << 31))
            return;
        const int64_t threads = blocks * (d < g->block_dims ? g->block[d] : 1);
        total = total > (int64_t)1 << 40 ? total : total * threads;
        longest = threads > longest ? threads : longest;
    }
    if (total < (int64_t)1 << 40)
        g->extents[0].value = g->power > 1 ? longest : total;
}

void wl_guess_grid(wl_guess *g, bool own_block)
{
    wl_buffer text = {0}, about = {0};
    g->reader.symbolic = true;
    const bool found = own_block && grid_of_launch(g, &text);
    g->grid_of_file = found;
    if (found && g->made_up)
        count_threads(g);
    if (!found)
        guess_grid(g, &text);
    g->out->shown.grid = wl_guess_keep(g, &text);
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
    wl_guess_note(g, &about);
}

/* extern __shared__ without a launch that says how much: an element per thread, or more. */
static void guess_shared(wl_guess *g)
{
    int64_t extents[3];
    wl_cuda_type type = {.bytes = 0};
    bool is_extern = false;
    wl_buffer text = {0}, about = {0};
    if (!g->facts->kernel)
        return;
    (void)wl_cuda_shared_array(&g->reader, wl_guess_body(g), &type, &is_extern, extents);
    if (!is_extern)
        return;
    const int bytes = type.bytes > 0 ? type.bytes * type.parts : 8;
    wl_buffer_add(&text, "threads*%d", g->facts->revised & WL_FIRST_LAUNCH_BLOCK ? MORE_SHARED * bytes : bytes);
    g->out->shown.shared = wl_guess_keep(g, &text);
    wl_buffer_text(&about, "the dynamic shared memory is a guess");
    wl_guess_note(g, &about);
}

void wl_guess_shared(wl_guess *g)
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
    g->out->shown.shared = wl_guess_keep(g, &text);
}
