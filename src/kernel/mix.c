/* mix.c - see warpline/mix.h. SPDX-License-Identifier: MIT */
#include "warpline/mix.h"

#include <stddef.h>

#include "kernel/counted_mix.h"

static const struct {
    const char *name, *meaning;
} classes[WL_INST_CLASS_COUNT] = {
#define WL_INST_CLASS(name, meaning) {#name, meaning},
#include "warpline/classes.def"
};

static const struct {
    const char *name, *meaning;
} kinds[WL_TENSOR_KIND_COUNT] = {
#define WL_TENSOR_KIND(name, meaning) {#name, meaning},
#include "warpline/tensor.def"
};

const char *wl_tensor_kind_name(wl_tensor_kind kind) { return kind < WL_TENSOR_KIND_COUNT ? kinds[kind].name : NULL; }
const char *wl_tensor_kind_meaning(wl_tensor_kind kind)
{
    return kind < WL_TENSOR_KIND_COUNT ? kinds[kind].meaning : NULL;
}

const char *wl_inst_class_name(wl_inst_class c) { return c < WL_INST_CLASS_COUNT ? classes[c].name : NULL; }
const char *wl_inst_class_meaning(wl_inst_class c) { return c < WL_INST_CLASS_COUNT ? classes[c].meaning : NULL; }

double wl_inst_total(const double of_class[WL_INST_CLASS_COUNT])
{
    double all = 0;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        all += of_class[c];
    return all;
}
