/* kernel_numbers.c - see kernel_numbers.h. SPDX-License-Identifier: MIT */
#include "input/kernel_numbers.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"

wl_scope wl_kernel_scope(const wl_kernel_builder *b, bool coordinates)
{
    return (wl_scope){.params = b->params,
                      .param_count = b->param_count,
                      .loops = b->kernel->loop_name,
                      .loop_count = coordinates ? b->kernel->loop_count : 0,
                      .coordinates = coordinates};
}

wl_status wl_kernel_place(const wl_yaml *node, wl_error *err, wl_status status)
{
    if (status != WL_OK && err)
        err->loc = wl_yaml_loc_inside(node, err->loc);
    return status;
}

wl_status wl_kernel_integer(const wl_kernel_builder *b, const wl_yaml *node, const char *what, int64_t *value)
{
    const wl_scope scope = wl_kernel_scope(b, false);
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, what, b->err));
    return wl_kernel_place(node, b->err, wl_expr_constant(node->text, &scope, &b->kernel->arena, value, b->err));
}

wl_status wl_kernel_bounded(const wl_kernel_builder *b, const wl_yaml *node, const char *what, int64_t lo, int64_t hi,
                            int64_t *value)
{
    WL_TRY(wl_kernel_integer(b, node, what, value));
    if (*value >= lo && *value <= hi)
        return WL_OK;
    if (hi == WL_ADDRESS_LIMIT)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "%s must be at least %lld (it is %lld)", what, (long long)lo,
                       (long long)*value);
    return wl_fail(b->err, WL_E_INPUT, node->loc, "%s must be %lld to %lld (it is %lld)", what, (long long)lo,
                   (long long)hi, (long long)*value);
}

wl_status wl_kernel_yes_or_no(const wl_kernel_builder *b, const wl_yaml *node, const char *what, bool *out)
{
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, what, b->err));
    *out = strcmp(node->text, "true") == 0;
    if (!*out && strcmp(node->text, "false") != 0)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "%s must be true or false", what);
    return WL_OK;
}

wl_status wl_kernel_amount(const wl_kernel_builder *b, const wl_yaml *node, const char *what, double *value)
{
    int64_t whole = 0;
    if (node->kind == WL_YAML_SCALAR && wl_text_number(node->text, value)) {
        if (*value >= 0 && *value < (double)WL_ADDRESS_LIMIT)
            return WL_OK;
        return wl_fail(b->err, WL_E_INPUT, node->loc, "%s must be at least 0 (it is %s)", what, node->text);
    }
    WL_TRY(wl_kernel_bounded(b, node, what, 0, WL_ADDRESS_LIMIT, &whole));
    *value = (double)whole;
    return WL_OK;
}
