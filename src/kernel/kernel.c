/* kernel.c - getters of a kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "kernel/kernel_internal.h"

static const struct {
    const char *name;
    int32_t bytes;
} types[WL_TYPE_COUNT] = {
    [WL_TYPE_F16] = {"f16", 2}, [WL_TYPE_F32] = {"f32", 4}, [WL_TYPE_F64] = {"f64", 8}, [WL_TYPE_I8] = {"i8", 1},
    [WL_TYPE_I16] = {"i16", 2}, [WL_TYPE_I32] = {"i32", 4}, [WL_TYPE_I64] = {"i64", 8},
};

const char *wl_type_name(wl_type type) { return types[type].name; }
int32_t wl_type_bytes(wl_type type) { return types[type].bytes; }

bool wl_type_find(const char *name, wl_type *type)
{
    for (int i = 0; i < WL_TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = (wl_type)i;
            return true;
        }
    }
    return false;
}

int32_t wl_field_cell_bytes(const wl_field *field) { return types[field->type].bytes * field->vector; }

void wl_kernel_free(wl_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->source.free)
        kernel->source.free(kernel->source.context);
    if (kernel->attached)
        kernel->free_attached(kernel->attached);
    wl_arena_free(&kernel->arena);
    free(kernel);
}

size_t wl_kernel_builtin_count(void) { return wl_embedded_kernel_count; }

const char *wl_kernel_builtin_name(size_t index)
{
    return index < wl_embedded_kernel_count ? wl_embedded_kernels[index].name : NULL;
}

const char *wl_kernel_builtin_text(const char *name, size_t *length)
{
    return wl_embedded_text(wl_embedded_kernels, wl_embedded_kernel_count, name, length);
}

const char *wl_kernel_name(const wl_kernel *kernel) { return kernel->name; }

bool wl_kernel_has_param(const wl_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->param_count; i++)
        if (strcmp(kernel->params[i].name, name) == 0)
            return true;
    return false;
}

int wl_kernel_domain(const wl_kernel *kernel, int64_t extent[3])
{
    for (int d = 0; d < 3; d++)
        extent[d] = kernel->domain[d];
    return kernel->dims;
}

const char *wl_kernel_domain_param(const wl_kernel *kernel, int d)
{
    return d >= 0 && d < kernel->dims ? kernel->domain_params[d] : NULL;
}

const char *wl_kernel_condition(const wl_kernel *kernel, size_t index)
{
    return index < kernel->condition_count ? wl_where_text(kernel->conditions[index]) : NULL;
}

size_t wl_kernel_field_count(const wl_kernel *kernel) { return kernel->field_count; }
const char *wl_kernel_field_name(const wl_kernel *kernel, size_t field) { return kernel->fields[field].name; }
size_t wl_kernel_access_count(const wl_kernel *kernel) { return kernel->access_count; }
const char *wl_kernel_access_text(const wl_kernel *kernel, size_t access) { return kernel->accesses[access].text; }
bool wl_kernel_access_is_store(const wl_kernel *kernel, size_t access) { return kernel->accesses[access].store; }
bool wl_kernel_access_is_atomic(const wl_kernel *kernel, size_t access) { return kernel->accesses[access].atomic; }
const char *wl_kernel_note(const wl_kernel *kernel, size_t index)
{
    return index < kernel->note_count ? kernel->notes[index] : NULL;
}
const char *wl_kernel_gap(const wl_kernel *kernel, size_t index)
{
    return index < kernel->gap_text_count ? kernel->gap_texts[index] : NULL;
}
size_t wl_kernel_access_field(const wl_kernel *kernel, size_t access) { return kernel->accesses[access].field; }

bool wl_kernel_flops(const wl_kernel *kernel, double *flops)
{
    *flops = kernel->flops;
    return kernel->has_flops;
}

bool wl_kernel_registers(const wl_kernel *kernel, int64_t *registers)
{
    *registers = kernel->registers;
    return kernel->has_registers;
}

bool wl_kernel_bypasses_l1(const wl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->access_count; i++)
        if (kernel->accesses[i].bypasses_l1)
            return true;
    return false;
}

bool wl_kernel_names_launch(const wl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->access_count; i++) {
        const wl_access *a = &kernel->accesses[i];
        if (a->traced || wl_expr_depends_on_launch(a->index) || (a->when && wl_expr_depends_on_launch(a->when)))
            return true;
    }
    return false;
}

bool wl_kernel_needs_its_block(const wl_kernel *kernel)
{
    bool needs = kernel->shared_bytes > 0 || wl_kernel_names_launch(kernel);
    for (size_t i = 0; i < kernel->field_count; i++)
        needs = needs || kernel->fields[i].shared;
    return needs;
}

int wl_kernel_field_layout(const wl_kernel *kernel, size_t field, int64_t strides[WL_FIELD_DIMS_MAX], int64_t *origin)
{
    const wl_field *f = &kernel->fields[field];
    memcpy(strides, f->strides, sizeof f->strides);
    *origin = f->origin;
    return f->dims;
}
