/* layout.c - the same kernel with another field layout: longer rows, an aligned origin.
 *
 * A distance of n elements is n / row rows plus n % row elements. With a new row length, it is
 * still as many rows and elements. This holds for the origin and for all outer strides, including
 * padding between planes.
 *
 * Layer  input (uses base, kernel). Oracle: tests/unit/test_layout.c.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/yaml.h"
#include "input/kernel_build.h"

static bool has_rows(const wl_field *f)
{
    return !f->shared && !f->indexed && f->dims > 1 && f->strides[0] > 0 && f->strides[1] > f->strides[0];
}

bool wl_kernel_field_has_rows(const wl_kernel *kernel, size_t field) { return has_rows(&kernel->fields[field]); }

/* Elements of a row: as many as the extent needs, or as the stated strides give. */
static bool row_of(const wl_field *f, const wl_layout *layout, int64_t *row)
{
    const int64_t cell = wl_field_cell_bytes(f);
    int64_t bytes = 0;
    if (!wl_mul(layout->row_multiple && f->least_row ? f->least_row : f->strides[1], cell, &bytes))
        return false;
    if (layout->row_multiple)
        bytes = wl_round_up(bytes, layout->row_multiple);
    *row = wl_ceil_div(bytes + layout->row_padding, cell);
    return wl_in_range(bytes) && wl_in_range(*row);
}

static bool over_rows(int64_t distance, int64_t old_row, int64_t row, int64_t *out)
{
    const int64_t rows = wl_floor_div(distance, old_row), rest = distance - rows * old_row;
    return wl_mul(rows, row, out) && wl_add(*out, rest, out);
}

static bool change_rows(wl_field *f, const wl_layout *layout)
{
    const int64_t old = f->strides[1];
    int64_t row = 0;
    bool ok = row_of(f, layout, &row) && over_rows(f->origin, old, row, &f->origin);
    for (int d = 1; d < f->dims && ok; d++)
        ok = over_rows(f->strides[d], old, row, &f->strides[d]);
    return ok;
}

/* The base is aligned as by the allocator, or base_bytes after such an address. */
static bool move_origin(wl_field *f, int64_t multiple)
{
    const int64_t cell = wl_field_cell_bytes(f);
    int64_t address = 0;
    if (!wl_mul(f->origin, cell, &address) || !wl_add(address, f->base_bytes, &address))
        return false;
    const int64_t ahead = wl_ceil_div(address, multiple) * multiple - address;
    /* a multiple smaller than an element changes nothing */
    return wl_add(f->origin, ahead / cell, &f->origin);
}

wl_status wl_field_change_layout(wl_field *f, const wl_layout *layout, wl_error *err)
{
    if (f->shared)
        return WL_OK;
    const bool rows = layout->row_multiple || layout->row_padding;
    if ((rows && has_rows(f) && !change_rows(f, layout)) ||
        (layout->origin_multiple && !move_origin(f, layout->origin_multiple)))
        return wl_fail(err, WL_E_RANGE, f->loc, "field '%s' is larger than 2^60 bytes in this layout", f->name);
    return WL_OK;
}

/* How many subscripts the text of an access has; commas in parentheses belong to functions. */
static int subscripts(const char *text)
{
    int count = 1, depth = 0;
    for (const char *p = text; *p; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        count += *p == ',' && depth == 0;
    }
    return count;
}

/* A single subscript is an element index, which a new row length would not change. */
static void mark_indexed(wl_kernel_builder *b, const wl_yaml *list)
{
    for (const wl_yaml *e = list ? list->first : NULL; e; e = e->next) {
        const char *name = e->text ? e->text + strspn(e->text, " \t") : "";
        const size_t length = strcspn(name, " \t[");
        for (size_t i = 0; i < b->kernel->field_count; i++) {
            wl_field *f = &b->kernel->fields[i];
            if (strlen(f->name) == length && memcmp(f->name, name, length) == 0)
                f->indexed = f->indexed || subscripts(name) == 1;
        }
    }
}

wl_status wl_kernel_change_layouts(wl_kernel_builder *b)
{
    mark_indexed(b, wl_yaml_get(b->root, "loads"));
    mark_indexed(b, wl_yaml_get(b->root, "stores"));
    for (size_t i = 0; i < b->kernel->field_count; i++)
        WL_TRY(wl_field_change_layout(&b->kernel->fields[i], &b->layout, b->err));
    return WL_OK;
}

wl_status wl_kernel_with_layout(const wl_kernel *kernel, const wl_layout *layout, wl_kernel **out, wl_error *err)
{
    const int64_t most = (int64_t)1 << 40;
    if (layout->row_multiple < 0 || layout->row_padding < 0 || layout->origin_multiple < 0 ||
        layout->row_multiple > most || layout->row_padding > most || layout->origin_multiple > most)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a layout's numbers are 0 to 2^40 bytes");
    return (kernel->text.domain ? wl_kernel_read_assignment : wl_kernel_read_file)(kernel->input, &kernel->text, layout,
                                                                                   out, err);
}
