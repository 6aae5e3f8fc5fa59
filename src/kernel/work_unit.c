/* work_unit.c - see work_unit.h. Addresses are evaluated around the middle of the domain, where no
 * edge changes them, so that clamped and periodic edges do not matter.
 * SPDX-License-Identifier: MIT */
#include "kernel/work_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "kernel/kernel_internal.h"

/* the most cells between two accesses of a stencil; a larger distance leads to another array or
 * population */
#define REACH 16
#define INSIDE 1024 /* a coordinate away from edges, where the domain is not known */
#define STEPS_MAX (3 + WL_FIELD_DIMS_MAX)

static const wl_unit_words words[] = {
    [WL_WORK_CELL] = {"cell", "elem", "element", "elements", {"element", "elements"}},
    [WL_WORK_UPDATE] = {"LUP", "LUP", "update", "updates", {"lattice update (LUP)", "lattice updates (LUP)"}},
};

const wl_unit_words *wl_work_unit_words(wl_work_unit unit) { return &words[unit]; }

const char *wl_work_unit_explained(wl_work_unit unit, int64_t items) { return words[unit].explained[items != 1]; }

wl_work_unit wl_work_unit_named(const char *name)
{
    return strcmp(name, words[WL_WORK_UPDATE].name) == 0 ? WL_WORK_UPDATE : WL_WORK_CELL;
}

const char *wl_kernel_unit(const wl_kernel *kernel) { return words[wl_kernel_work_unit(kernel)].name; }

/* If the grid determines the domain, all three dimensions may be used. */
static int dims_of(const wl_kernel *k) { return k->dims ? k->dims : 3; }

/* How an address changes with a step in the domain, or in a further dimension of the field. */
typedef struct step {
    int64_t stride;
    int64_t reach; /* steps to a neighbour at most; 0: no neighbours that way */
} step;

typedef struct place {
    int64_t at[WL_VAR_COUNT]; /* the middle of the domain, first trips of loops */
} place;

static bool value_at(const wl_access *a, const place *p, wl_var var, int64_t change, int64_t *value)
{
    place near = *p;
    near.at[var] += change;
    return wl_expr_value(a->index, near.at, 1, value, NULL) == WL_OK;
}

/* The largest stride first, so that the rest is less than the next stride. */
static int by_stride(const void *a, const void *b)
{
    const int64_t x = llabs(((const step *)a)->stride), y = llabs(((const step *)b)->stride);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* False: the address is not known, or does not grow steadily. */
static bool find_steps(const wl_kernel *k, const wl_access *a, const place *p, int64_t *address, step *out, int *count)
{
    const wl_field *field = &k->fields[a->field];
    *count = 0;
    if (!value_at(a, p, WL_VAR_X, 0, address))
        return false;
    for (int d = 0; d < dims_of(k); d++) {
        int64_t before, after;
        if (!value_at(a, p, (wl_var)(WL_VAR_X + d), -1, &before) ||
            !value_at(a, p, (wl_var)(WL_VAR_X + d), 1, &after) || after - *address != *address - before)
            return false;
        if (after != *address)
            out[(*count)++] = (step){after - *address, k->dims ? wl_min(REACH, k->domain[d] - 1) : REACH};
    }
    for (int d = dims_of(k); d < field->dims; d++)
        if (field->strides[d] != 0)
            out[(*count)++] = (step){field->strides[d], 0};
    qsort(out, (size_t)*count, sizeof *out, by_stride);
    return true;
}

static int64_t nearest_quotient(int64_t a, int64_t b)
{
    const int64_t size = llabs(b), q = wl_floor_div(2 * a + size, 2 * size);
    return b < 0 ? -q : q;
}

/* Is this distance a step to a neighbour? Populations of a lattice may be in one field without a
 * separate dimension: then multiples of the largest stride are subtracted, and the rest shows
 * whether it is a neighbour. */
static bool is_neighbour(int64_t distance, const step *steps, int count)
{
    bool moved = false;
    for (int i = 0; i < count; i++) {
        const int64_t q = nearest_quotient(distance, steps[i].stride);
        distance -= q * steps[i].stride;
        if (llabs(q) <= steps[i].reach)
            moved = moved || q != 0;
        else if (i > 0 && steps[i].reach > 0)
            return false;
    }
    return moved && distance == 0;
}

static bool is_looked_at(const wl_access *a) { return !a->traced && !wl_expr_depends_on_launch(a->index); }

/* The first access of this kind to the field: the others are compared with it. */
static const wl_access *first_like(const wl_kernel *k, const wl_access *a)
{
    const wl_access *first = k->accesses;
    while (first->field != a->field || first->store != a->store || !is_looked_at(first))
        first++;
    return first;
}

static bool meets_neighbours(const wl_kernel *k, const wl_access *a, const place *p)
{
    step steps[STEPS_MAX];
    int64_t address, other;
    int count;
    const wl_access *first = first_like(k, a);
    if (!find_steps(k, first, p, &address, steps, &count))
        return false;
    if (a != first)
        return value_at(a, p, WL_VAR_X, 0, &other) && is_neighbour(other - address, steps, count);
    for (int i = 0; i < k->loop_count; i++)
        if (k->loop_extent[i] > 1 && value_at(a, p, (wl_var)(WL_VAR_LOOP_0 + i), 1, &other) &&
            is_neighbour(other - address, steps, count))
            return true;
    return false;
}

/* Offsets of rows, a[x] and a[x + 1]: neighbours, but of no stencil. What is in the rows is
 * accessed at addresses that depend on data. */
static bool are_offsets(const wl_kernel *k, const wl_access *a)
{
    bool traced = false;
    int loads = 0;
    for (size_t i = 0; i < k->access_count; i++) {
        traced = traced || k->accesses[i].traced;
        loads += k->accesses[i].field == a->field && is_looked_at(&k->accesses[i]);
    }
    return traced && loads == 2 && !a->store;
}

wl_work_unit wl_kernel_work_unit(const wl_kernel *k)
{
    place p = {0};
    for (int d = 0; d < dims_of(k); d++)
        p.at[WL_VAR_X + d] = k->dims ? k->first[d] + (k->domain[d] - k->first[d]) / 2 : INSIDE;
    for (size_t i = 0; i < k->access_count; i++)
        if (is_looked_at(&k->accesses[i]) && meets_neighbours(k, &k->accesses[i], &p) &&
            !are_offsets(k, &k->accesses[i]))
            return WL_WORK_UPDATE;
    return WL_WORK_CELL;
}
