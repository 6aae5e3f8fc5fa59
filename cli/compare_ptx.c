/* compare_ptx.c - see compare_ptx.h. SPDX-License-Identifier: MIT */
#include "compare_ptx.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

/* in addition to files that are held: rows of one file are mostly consecutive */
#define FILES_KEPT 4

struct compared_unit {
    compared_unit *next;
    ptx_unit *unit;
    int64_t number; /* in order of opening, from 1 */
    int held;
    bool compiled; /* compiling takes seconds, so it is kept */
    char path[];
};

struct compared_text {
    compared_text *next;
    char text[];
};

/* ---- files ---- */

void compared_unit_hold(compared_unit *file) { file->held++; }
void compared_unit_release(compared_unit *file) { file->held--; }

static void texts_free(compared_text **list)
{
    while (*list) {
        compared_text *t = *list;
        *list = t->next;
        free(t);
    }
}

static void close_unit(compared_unit **link)
{
    compared_unit *u = *link;
    *link = u->next;
    ptx_unit_free(u->unit);
    free(u);
}

void compare_ptx_free(comparison *c)
{
    while (c->units)
        close_unit(&c->units);
    texts_free(&c->params);
    texts_free(&c->names);
}

/* A table may have a file for each of thousands of rows. */
static void close_old_units(comparison *c)
{
    int kept = 0;
    for (compared_unit **link = &c->units; *link;) {
        const bool needed = (*link)->held > 0 || (*link)->compiled || kept++ < FILES_KEPT;
        if (needed)
            link = &(*link)->next;
        else
            close_unit(link);
    }
}

static wl_status find_unit(comparison *c, const char *path, compared_unit **out, wl_error *err)
{
    compared_unit **link = &c->units, *u;
    while ((u = *link) && strcmp(u->path, path) != 0)
        link = &u->next;
    if (u) {
        *link = u->next;
        u->next = c->units;
        c->units = *out = u;
        return WL_OK;
    }
    u = *out = calloc(1, sizeof *u + strlen(path) + 1);
    if (!u)
        return diag_no_memory(err);
    memcpy(u->path, path, strlen(path) + 1);
    u->number = ++c->units_opened;
    u->compiled = ptx_is_cuda(path);
    u->next = c->units;
    c->units = u;
    close_old_units(c);
    return ptx_unit_open(c->options, u->path, c->device, &u->unit, err);
}

/* A copy that outlives the file. */
static const char *keep_name(comparison *c, const char *name)
{
    for (const compared_text *t = c->names; t; t = t->next)
        if (strcmp(t->text, name) == 0)
            return t->text;
    compared_text *t = calloc(1, sizeof *t + strlen(name) + 1);
    if (!t)
        return NULL;
    memcpy(t->text, name, strlen(name) + 1);
    t->next = c->names;
    c->names = t;
    return t->text;
}

/* ---- arguments ---- */

/* Without namespaces: axpy<ns::real> of ns::axpy<ns::real>. */
static const char *without_scope(const char *name)
{
    const char *const end = name + strcspn(name, "<");
    for (const char *at = name; (at = strstr(at, "::")) && at < end;)
        name = at += 2;
    return name;
}

/* A name or a pattern, as --kernel takes it. */
static bool is_entry(const wl_ptx *ptx, size_t entry, const char *wanted)
{
    const char *name = wl_ptx_entry_name(ptx, entry);
    wl_error ignored = {0};
    size_t found = 0;
    if (!wanted || fnmatch(wanted, name, FNM_NOESCAPE) == 0 || fnmatch(wanted, without_scope(name), FNM_NOESCAPE) == 0)
        return true;
    return wl_ptx_entry_find(ptx, wanted, &found, &ignored) == WL_OK && found == entry;
}

/* The first entry of --args that matches; NULL: none. */
static const wl_map_entry *arguments_of(const comparison *c, const wl_ptx *ptx, size_t entry, const wl_measurement *m)
{
    const wl_map_entry *e = NULL;
    for (size_t i = 0; c->arguments && (e = wl_map_at(c->arguments, i)); i++)
        if (wl_map_entry_fits(e, m) && is_entry(ptx, entry, e->entry))
            return e;
    return NULL;
}

static bool is_whole_number(const char *text)
{
    text += *text == '-';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Whole-number params of the row, as names for its arguments. Kept, since messages show them. */
static wl_status take_params(comparison *c, const wl_measurement *m, ptx_row *row, size_t *count, wl_error *err)
{
    const size_t length = strlen(m->params);
    compared_text *kept = length > 0 ? calloc(1, sizeof *kept + length + 1) : NULL;
    if (length > 0 && !kept)
        return diag_no_memory(err);
    if (!kept)
        return WL_OK;
    memcpy(kept->text, m->params, length + 1);
    kept->next = c->params;
    c->params = kept;
    for (char *at = kept->text, *next; at && *at && *count < MANY_MAX; at = next) {
        next = strchr(at, ';');
        if (next)
            *next++ = '\0';
        at += strspn(at, " ");
        const char *equals = strchr(at, '=');
        if (equals && is_whole_number(equals + 1))
            row->sets[(*count)++] = at;
    }
    return WL_OK;
}

/* Names of the table first, then of the file: later ones win. */
static wl_status take_sets(comparison *c, const wl_map_entry *e, const wl_measurement *m, ptx_row *row, wl_error *err)
{
    size_t count = 0;
    wl_status status = take_params(c, m, row, &count, err);
    for (size_t i = 0; i < e->set_count && i < MANY_MAX; i++)
        row->sets[count++] = e->sets[i];
    for (size_t i = 0; i < c->options->set_count; i++)
        row->sets[count++] = c->options->set[i];
    size_t found = 0;
    if (status == WL_OK)
        status = wl_launch_argument_names(row->request.args, row->request.arg_count, row->sets, count,
                                          row->sets + count, &found, err);
    count += found;
    row->request.sets = row->sets;
    row->request.set_count = count;
    return status;
}

static wl_status take_arguments(comparison *c, const wl_map_entry *e, const wl_measurement *m, ptx_row *row,
                                wl_error *err)
{
    ptx_request *r = &row->request;
    const size_t args = e->arg_count, constants = e->constant_count;
    r->args = e->args;
    r->arg_count = args < MANY_MAX ? args : MANY_MAX;
    r->constants = e->constants;
    r->constant_count = constants < MANY_MAX ? constants : MANY_MAX;
    if (e->dynamic_shared)
        r->dynamic_shared = e->dynamic_shared;
    return take_sets(c, e, m, row, err);
}

/* ---- rows ---- */

static wl_status left_out(wl_error *why, const char *format, const char *name)
{
    *why = (wl_error){.code = WL_E_INPUT};
    (void)snprintf(why->message, sizeof why->message, format, name);
    return WL_E_INPUT;
}

/* The entry with the name in the table; if the table has no kernel names, the one in the map. */
static wl_status find_entry(const comparison *c, const ptx_unit *unit, const wl_map_entry *mapped,
                            const wl_measurement *m, size_t *module, size_t *entry, wl_error *why)
{
    const char *name = m->kernel[0] ? m->kernel : m->family, *named = mapped ? mapped->entry : NULL;
    wl_error found = {0};
    if (named && !m->kernel[0])
        return ptx_unit_find(unit, named, false, module, entry, why);
    if (name[0] == '\0')
        return left_out(why, "%s", "a launch without the name of its kernel");
    const wl_status status = ptx_unit_find(unit, name, true, module, entry, &found);
    if (status == WL_E_NOMEM)
        return diag_no_memory(why);
    if (status != WL_OK && strncmp(found.message, "there is no kernel", strlen("there is no kernel")) == 0)
        return left_out(why, "'%.120s' is not in the file", name);
    if (status != WL_OK)
        return left_out(why, "%.200s", found.message);
    const wl_ptx *ptx = ptx_unit_modules(unit)->ptx[*module];
    if (!is_entry(ptx, *entry, c->options->entry) || !is_entry(ptx, *entry, named))
        return left_out(why, "%s", "a launch of another kernel");
    return WL_OK;
}

static void take_launch(const comparison *c, const wl_measurement *m, ptx_row *row)
{
    ptx_request *r = &row->request;
    for (int d = 0; d < 3; d++) {
        r->launch.block[d] = m->block[d];
        r->launch.grid[d] = m->grid[d];
        r->domain[d] = m->block[d] * m->grid[d]; /* domain.x in arguments: the threads */
    }
    r->launch.registers = c->registers ? c->registers : m->registers;
    if (m->shared_known)
        r->launch.shared_bytes = m->shared_bytes;
}

/* Names, arguments and rows stay where they are as long as rows are compared. */
static void make_key(const wl_map_entry *e, const wl_measurement *m, ptx_row *row)
{
    const wl_launch *l = &row->request.launch;
    const int used =
        snprintf(row->key, sizeof row->key, "%lld %p %p %lldx%lldx%lld %lldx%lldx%lld %lld %lld ",
                 (long long)row->file->number, (const void *)row->symbol, (const void *)e, (long long)l->block[0],
                 (long long)l->block[1], (long long)l->block[2], (long long)l->grid[0], (long long)l->grid[1],
                 (long long)l->grid[2], (long long)l->registers, (long long)l->shared_bytes);
    const size_t room = sizeof row->key - (size_t)used;
    if (snprintf(row->key + used, room, "%s", m->params) >= (int)room)
        (void)snprintf(row->key + used, room, "%p", (const void *)m);
}

wl_status ptx_row_find(comparison *c, const char *path, const wl_map_entry *mapped, const wl_measurement *m,
                       ptx_row *out, wl_error *why, wl_error *err)
{
    size_t module = 0, entry = 0;
    *out = (ptx_row){0};
    wl_status status = find_unit(c, path, &out->file, err);
    if (status != WL_OK)
        return status;
    out->unit = out->file->unit;
    if (ptx_request_read(c->options, &out->request) != EXIT_OK) {
        err->code = WL_E_INPUT; /* reported already */
        return WL_E_INPUT;
    }
    if (m->grid[0] == 0)
        return left_out(why, "%s", "a launch without its grid, which a kernel in PTX needs");
    status = find_entry(c, out->unit, mapped, m, &module, &entry, why);
    if (status != WL_OK)
        return status;
    const wl_ptx *ptx = ptx_unit_modules(out->unit)->ptx[module];
    const wl_map_entry *e = mapped ? mapped : arguments_of(c, ptx, entry, m);
    out->name = keep_name(c, wl_ptx_entry_name(ptx, entry));
    out->symbol = keep_name(c, wl_ptx_entry_symbol(ptx, entry));
    if (!out->name || !out->symbol)
        return diag_no_memory(err);
    if (c->arguments && !e)
        return left_out(why, "--args has no arguments for '%.120s' with this block and grid", out->name);
    if (e && e->skip)
        return left_out(why, "%.200s", e->skip);
    if (e && take_arguments(c, e, m, out, err) != WL_OK)
        return WL_E_NOMEM;
    take_launch(c, m, out);
    out->request.entry = out->symbol;
    out->args = out->request.args;
    out->arg_count = out->request.arg_count;
    make_key(e, m, out);
    return WL_OK;
}

static bool is_same_launch(const wl_measurement *a, const wl_measurement *b)
{
    return memcmp(a->block, b->block, sizeof a->block) == 0 && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           a->registers == b->registers && a->shared_bytes == b->shared_bytes && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->family, b->family) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->params, b->params) == 0;
}

bool ptx_row_comes_again(const wl_table *table, const wl_measurement *m)
{
    const wl_measurement *row;
    for (size_t i = wl_table_count(table); i-- > 0 && (row = wl_table_row(table, i)) != m;)
        if (is_same_launch(row, m))
            return true;
    return false;
}
