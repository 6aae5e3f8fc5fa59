/* cost_table.c - lookups in a table, and the choice of a built-in table for a target; see
 * cost_table.h.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_table.h"

#include <stdlib.h>
#include <string.h>

wl_cost_kind wl_cost_kind_of(wl_ptx_type type)
{
    if (type == WL_PTX_PRED)
        return WL_COST_P;
    if (type == WL_PTX_F64)
        return WL_COST_F64;
    if (wl_ptx_type_is_float(type))
        return WL_COST_F32;
    if (wl_ptx_type_bits(type) == 64)
        return WL_COST_I64;
    return wl_ptx_type_is_signed(type) ? WL_COST_S32 : WL_COST_U32;
}

/* Between floating-point types of one kind, a row applies only to rounding: halves are otherwise
 * packed and unpacked. */
static bool is_from(const wl_cost_row *row, const wl_ptx_instruction *in)
{
    return row->from == WL_COST_ANY ||
           (row->from == wl_cost_kind_of(in->from) && (row->from != row->kind || in->type == in->from));
}

const wl_cost_row *wl_cost_row_of(const wl_ptx_costs *costs, const wl_ptx_instruction *in)
{
    const wl_cost_kind kind = wl_cost_kind_of(in->type);
    for (int32_t i = costs->first[in->op]; i < costs->first[in->op + 1]; i++) {
        const wl_cost_row *row = &costs->rows[i];
        if ((row->kind == WL_COST_ANY || row->kind == kind) && is_from(row, in) &&
            (in->modifiers & row->modifiers) == row->modifiers)
            return row;
    }
    return NULL;
}

double wl_cost_of_table(const wl_ptx_costs *costs, const wl_ptx_instruction *in)
{
    const wl_cost_row *row = wl_cost_row_of(costs, in);
    return row ? row->cost : 1;
}

void wl_ptx_costs_free(wl_ptx_costs *costs) { free(costs); }

/* ---- built-in files ---- */

int wl_cost_architecture(const char *name)
{
    int number = 0;
    if (strncmp(name, "sm_", 3) != 0 || name[3] < '0' || name[3] > '9')
        return -1;
    for (const char *c = name + 3; *c >= '0' && *c <= '9' && number < 100000; c++)
        number = 10 * number + (*c - '0');
    return number;
}

size_t wl_cost_nearest(const wl_embedded_file *files, size_t count, const char *target)
{
    const int wanted = target ? wl_cost_architecture(target) : -1;
    size_t nearest = 0;
    int distance = 0, newest = 0;
    for (size_t i = 0; i < count; i++) {
        const int number = wl_cost_architecture(files[i].name);
        const int away = wanted < 0 ? -number : abs(number - wanted);
        if (i > 0 && (away > distance || (away == distance && number < newest)))
            continue;
        nearest = i;
        distance = away;
        newest = number;
    }
    return nearest;
}

wl_status wl_ptx_costs_builtin(const char *target, wl_ptx_costs **out, wl_error *err)
{
    const wl_embedded_file *file =
        &wl_embedded_costs[wl_cost_nearest(wl_embedded_costs, wl_embedded_cost_count, target)];
    return wl_ptx_costs_parse(file->name, (const char *)file->text, file->length, out, err);
}
