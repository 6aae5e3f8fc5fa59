/* item_mix.c - see item_mix.h. SPDX-License-Identifier: MIT */
#include "kernel/item_mix.h"

#include "base/buffer.h"

bool wl_amounts_write(const char *before, const char *(*name)(int), const double *amounts, int count, wl_buffer *out)
{
    const char *between = before;
    for (int i = 0; i < count; i++) {
        if (amounts[i] == 0)
            continue;
        wl_buffer_add(out, "%s%s: %.15g", between, name(i), amounts[i]);
        between = ", ";
    }
    return between != before;
}

static const char *class_name(int c) { return wl_inst_class_name((wl_inst_class)c); }

bool wl_classes_write(const char *before, const double classes[WL_INST_CLASS_COUNT], wl_buffer *out)
{
    return wl_amounts_write(before, class_name, classes, WL_INST_CLASS_COUNT, out);
}

static const char *tensor_name(int k) { return wl_tensor_kind_name((wl_tensor_kind)k); }

void wl_item_flops_write(const wl_item_mix *item, wl_buffer *out)
{
    wl_buffer_add(out, "flops: %.15g\nfp_results: %.15g\n", item->flops, item->fp_results);
}

void wl_item_mix_write(const wl_item_mix *item, wl_buffer *out)
{
    if (item->shuffles > 0)
        wl_buffer_add(out, "shuffles: %.15g\n", item->shuffles);
    if (wl_classes_write("mix: {", item->classes, out))
        wl_buffer_add(out, "}\n");
    if (item->integer_pipe > 0)
        wl_buffer_add(out, "integer_pipe: %.15g\n", item->integer_pipe);
    const double *converts = item->converts;
    if (converts[WL_CONVERT_INT] + converts[WL_CONVERT_WIDE] + converts[WL_CONVERT_HALF] > 0)
        wl_buffer_add(out, "conversions: {int: %.15g, wide: %.15g, half: %.15g}\n", converts[WL_CONVERT_INT],
                      converts[WL_CONVERT_WIDE], converts[WL_CONVERT_HALF]);
    wl_buffer_add(out, "products: {narrow: %.15g, wide: %.15g}\n", item->multiplies[WL_MULTIPLY_NARROW],
                  item->multiplies[WL_MULTIPLY_WIDE]);
    if (wl_amounts_write("tensor: {", tensor_name, item->tensor, WL_TENSOR_KIND_COUNT, out))
        wl_buffer_add(out, "}\n");
    if (wl_amounts_write("tensor_groups: {", tensor_name, item->tensor_groups, WL_TENSOR_KIND_COUNT, out))
        wl_buffer_add(out, "}\n");
}
