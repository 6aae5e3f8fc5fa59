/* kernel_build.c - see kernel_build.h. SPDX-License-Identifier: MIT */
#include "input/kernel_build.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "input/update.h"
#include "kernel/program.h"

/* rows of a field with a given extent start at multiples of this */
#define ROW_ALIGNMENT_BYTES 128

wl_status wl_kernel_set_domain(wl_kernel *k, const int64_t *extent, int dims, wl_loc loc, wl_error *err)
{
    int64_t items = 1;
    k->dims = dims;
    for (int d = 0; d < 3; d++) {
        k->domain[d] = d < dims ? extent[d] : 1;
        if (!wl_mul(items, k->domain[d], &items))
            return wl_fail(err, WL_E_RANGE, loc, "the domain has more than 2^60 points");
    }
    return WL_OK;
}

wl_status wl_field_lay_out(wl_field *f, const int64_t *extent, const int64_t *halo, wl_error *err)
{
    const int64_t cell_bytes = wl_field_cell_bytes(f);
    const int64_t unit = wl_max(1, ROW_ALIGNMENT_BYTES / cell_bytes);
    const int64_t left = wl_round_up(halo[0], unit);
    int64_t next = wl_round_up(left + extent[0] + halo[0], unit);
    bool ok = wl_in_range(next);
    f->strides[0] = 1;
    f->origin = left;
    f->least_row = left + extent[0] + halo[0];
    memcpy(f->extent, extent, (size_t)f->dims * sizeof *extent);
    memcpy(f->halo, halo, (size_t)f->dims * sizeof *halo);
    for (int d = 1; d < f->dims && ok; d++) {
        int64_t skipped = 0;
        f->strides[d] = next;
        ok = wl_mul(halo[d], next, &skipped) && wl_add(f->origin, skipped, &f->origin) &&
             wl_mul(next, extent[d] + 2 * halo[d], &next);
    }
    int64_t bytes;
    if (!ok || !wl_mul(next, cell_bytes, &bytes))
        return wl_fail(err, WL_E_RANGE, f->loc, "field '%s' is larger than 2^60 bytes", f->name);
    return WL_OK;
}

wl_status wl_index_add(wl_kernel_builder *b, const wl_expr **index, int64_t stride, const wl_expr *term, wl_loc loc)
{
    wl_arena *arena = &b->kernel->arena;
    const wl_expr *product = NULL;
    WL_TRY(wl_expr_new_op(arena, WL_EXPR_MUL, wl_expr_new_const(arena, stride, loc), term, loc, &product, b->err));
    return wl_expr_new_op(arena, WL_EXPR_ADD, *index, product, loc, index, b->err);
}

wl_status wl_field_check_cells(const wl_field *f, int d, const wl_cell_span *span, const char *text, wl_error *err)
{
    const int64_t first = -f->halo[d], last = f->extent[d] + f->halo[d] - 1;
    const int64_t needed = wl_max(-span->first, span->last - f->extent[d] + 1);
    if (f->extent[d] == 0 || (span->first >= first && span->last <= last))
        return WL_OK;
    const char *const axes[] = {"in x", "in y", "in z"};
    return wl_fail(err, WL_E_INPUT, span->loc,
                   "'%.40s' accesses cells %lld to %lld %s, where '%.40s' has %lld to %lld: a halo of %lld is needed",
                   text, (long long)span->first, (long long)span->last, d < 3 ? axes[d] : "in the last dimension",
                   f->name, (long long)first, (long long)last, (long long)needed);
}

/* Dimensions that the domain does not have take constant subscripts. */
static wl_status check_cells(const wl_kernel *k, const wl_field *f, const wl_relative *from, wl_error *err)
{
    for (int d = 0; d < f->dims && k->dims > 0; d++) {
        const bool moves = d < k->dims;
        const wl_cell_span span = {.first = from->offset[d] + (moves ? k->first[d] : 0),
                                   .last = from->offset[d] + (moves ? k->domain[d] - 1 : 0),
                                   .loc = from->loc};
        WL_TRY(wl_field_check_cells(f, d, &span, from->text, err));
    }
    return WL_OK;
}

static wl_status relative_access(wl_kernel_builder *b, const wl_relative *from, wl_access *to)
{
    wl_arena *arena = &b->kernel->arena;
    const wl_field *f = &b->kernel->fields[from->field];
    int64_t constant = f->origin;
    WL_TRY(check_cells(b->kernel, f, from, b->err));
    for (int d = 0; d < f->dims; d++) {
        int64_t moved;
        if (!wl_mul(f->strides[d], from->offset[d], &moved) || !wl_add(constant, moved, &constant))
            return wl_fail(b->err, WL_E_RANGE, from->loc, "the address leaves the range +-2^60");
    }
    const wl_expr *index = wl_expr_new_const(arena, constant, from->loc);
    for (int d = 0; d < f->dims && d < b->kernel->dims; d++)
        WL_TRY(wl_index_add(b, &index, f->strides[d], wl_expr_new_var(arena, (wl_var)(WL_VAR_X + d), from->loc),
                            from->loc));
    *to = (wl_access){.store = from->store,
                      .field = from->field,
                      .width_bytes = wl_field_cell_bytes(f),
                      .unit_bytes = wl_field_cell_bytes(f),
                      .index = index,
                      .text = from->text,
                      .loc = from->loc};
    return index ? WL_OK : wl_fail_memory(b->err);
}

static wl_status set_accesses(wl_kernel_builder *b, const wl_update *update)
{
    wl_kernel *k = b->kernel;
    k->accesses = WL_ARENA_NEW(&k->arena, wl_access, update->access_count);
    if (!k->accesses)
        return wl_fail_memory(b->err);
    for (size_t i = 0; i < update->access_count; i++)
        WL_TRY(relative_access(b, &update->accesses[i], &k->accesses[i]));
    k->access_count = update->access_count;
    k->has_flops = true;
    k->flops = (double)update->flops;
    k->fp_results = (double)update->fp_results;
    k->specials = (double)update->specials;
    return WL_OK;
}

wl_status wl_kernel_read_update(wl_kernel_builder *b, const char *text)
{
    const wl_scope scope = {.params = b->params, .param_count = b->param_count};
    wl_update update = {0};
    for (size_t i = 0; i < b->kernel->field_count; i++) {
        const wl_field *f = &b->kernel->fields[i];
        if (f->dims < b->kernel->dims)
            return wl_fail(b->err, WL_E_INPUT, WL_NOWHERE, "field '%s' has %d dimensions, fewer than the domain's %d",
                           f->name, f->dims, b->kernel->dims);
    }
    WL_TRY(wl_update_read(text, &scope, b->scalars, b->scalar_count, b->kernel->fields, b->kernel->field_count,
                          &b->kernel->arena, &update, b->err));
    return set_accesses(b, &update);
}

void wl_kernel_derive(wl_kernel *k)
{
    uint32_t vars = 0;
    k->precision = WL_TYPE_F16;
    bool floating = false;
    for (size_t i = 0; i < k->field_count; i++) {
        const wl_type type = k->fields[i].type;
        if (type <= WL_TYPE_F64 && (!floating || type > k->precision)) {
            k->precision = type;
            floating = true;
        }
    }
    if (!floating)
        k->precision = WL_TYPE_F32;
    for (size_t i = 0; i < k->access_count; i++)
        vars |= wl_access_vars(&k->accesses[i]);
    for (int d = 0; d < 3 && !k->states_coordinate_reads; d++)
        k->coordinate_reads += d < k->dims || (vars & (1u << (WL_VAR_X + d) | 1u << (WL_VAR_THREAD_X + d))) != 0;
}

static const char *copy(wl_kernel *k, const char *text, bool *ok)
{
    const char *kept = text ? wl_arena_text(&k->arena, text, strlen(text)) : NULL;
    *ok = *ok && (kept || !text);
    return kept;
}

static bool keep_text(wl_kernel *k, const char *input, const wl_kernel_text *text)
{
    const char **sets = WL_ARENA_NEW(&k->arena, const char *, text->set_count);
    bool ok = sets || text->set_count == 0;
    for (size_t i = 0; i < text->set_count && ok; i++)
        sets[i] = copy(k, text->sets[i], &ok);
    k->input = copy(k, input, &ok);
    k->text = (wl_kernel_text){.length = text->length, .sets = sets, .set_count = text->set_count};
    k->text.text = wl_arena_text(&k->arena, text->text, text->length);
    k->text.domain = copy(k, text->domain, &ok);
    k->text.type = copy(k, text->type, &ok);
    return ok && k->text.text;
}

wl_status wl_kernel_finish(wl_kernel *kernel, const char *input, const wl_kernel_text *text, wl_status status,
                           wl_kernel **out, wl_error *err)
{
    if (status == WL_OK && !keep_text(kernel, input, text))
        status = wl_fail_memory(err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, input);
        wl_kernel_free(kernel);
        return status;
    }
    *out = kernel;
    return WL_OK;
}
