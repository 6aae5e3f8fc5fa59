/* one_liner.c - a kernel from a bare stencil assignment. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "input/kernel_build.h"
#include "input/update.h"

static wl_status parse_extents(const char *text, int64_t *extent, int *dims, wl_error *err)
{
    const char *p = text;
    *dims = 0;
    for (;;) {
        char *end = NULL;
        const long long value = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : 0;
        if (!end || *dims == 3 || value < 1 || value >= WL_ADDRESS_LIMIT || (*end != '\0' && *end != 'x')) {
            (void)wl_fail_in(err, "--domain");
            return wl_fail(err, WL_E_INPUT, (wl_loc){1, (int32_t)(p - text) + 1, 1},
                           "a domain is written 4096x4096: one to three whole numbers above 0");
        }
        extent[(*dims)++] = value;
        if (*end == '\0')
            return WL_OK;
        p = end + 1;
    }
}

static wl_status build_from_update(wl_kernel_builder *b, const char *update, const char *domain, const char *type_name)
{
    enum { FIELDS_MAX = 64 };
    wl_kernel *k = b->kernel;
    wl_update_field found[FIELDS_MAX];
    int64_t extent[3];
    int dims = 0;
    wl_type type;
    WL_TRY(parse_extents(domain, extent, &dims, b->err));
    const wl_status status = wl_kernel_set_domain(k, extent, dims, (wl_loc){1, 1, (int32_t)strlen(domain)}, b->err);
    if (status != WL_OK)
        (void)wl_fail_in(b->err, "--domain");
    WL_TRY(status);
    if (!wl_type_find(type_name, &type)) {
        (void)wl_fail_in(b->err, "--type");
        return wl_fail(b->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(type_name)},
                       "unknown type '%.20s'; use one of: f16 f32 f64 i8 i16 i32 i64", type_name);
    }
    WL_TRY(wl_update_fields(update, &k->arena, found, FIELDS_MAX, &k->field_count, b->err));
    k->fields = WL_ARENA_NEW(&k->arena, wl_field, k->field_count);
    if (!k->fields)
        return wl_fail_memory(b->err);
    for (size_t i = 0; i < k->field_count; i++) {
        if (found[i].dims != dims)
            return wl_fail(b->err, WL_E_INPUT, found[i].loc, "field '%s' has %d subscripts, the domain %d dimensions",
                           found[i].name, found[i].dims, dims);
        k->fields[i] = (wl_field){.name = found[i].name, .type = type, .vector = 1, .dims = dims, .loc = found[i].loc};
        WL_TRY(wl_field_lay_out(&k->fields[i], extent, found[i].reach, b->err));
        WL_TRY(wl_field_change_layout(&k->fields[i], &b->layout, b->err));
    }
    WL_TRY(wl_kernel_read_update(b, update));
    k->name = "update";
    wl_kernel_derive(k);
    return WL_OK;
}

wl_status wl_kernel_read_assignment(const char *input, const wl_kernel_text *text, const wl_layout *layout,
                                    wl_kernel **out, wl_error *err)
{
    wl_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return wl_fail_memory(err);
    wl_kernel_builder b = {.kernel = kernel, .layout = layout ? *layout : (wl_layout){0}, .err = err};
    const wl_status status = build_from_update(&b, text->text, text->domain, text->type);
    return wl_kernel_finish(kernel, input, text, status, out, err);
}

wl_status wl_kernel_from_update(const char *update, const char *domain, const char *type, wl_kernel **out,
                                wl_error *err)
{
    const wl_kernel_text text = {.text = update, .length = strlen(update), .domain = domain, .type = type};
    return wl_kernel_read_assignment("--update", &text, NULL, out, err);
}
