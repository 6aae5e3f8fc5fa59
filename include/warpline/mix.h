/* mix.h - what a kernel's instructions are, by class. SPDX-License-Identifier: MIT */
#ifndef WL_MIX_H
#define WL_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "warpline/status.h"

typedef enum wl_inst_class {
#define WL_INST_CLASS(name, meaning) WL_INST_##name,
#include "warpline/classes.def"
    WL_INST_CLASS_COUNT
} wl_inst_class;
WL_API const char *wl_inst_class_name(wl_inst_class c);
WL_API const char *wl_inst_class_meaning(wl_inst_class c);

typedef enum wl_tensor_kind {
#define WL_TENSOR_KIND(name, meaning) WL_TENSOR_##name,
#include "warpline/tensor.def"
    WL_TENSOR_KIND_COUNT
} wl_tensor_kind;
WL_API const char *wl_tensor_kind_name(wl_tensor_kind kind);
WL_API const char *wl_tensor_kind_meaning(wl_tensor_kind kind);

/* Instructions of one source line, launch totals. */
typedef struct wl_line_mix {
    const char *file;
    int32_t line;
    double warp, thread, global_accesses, shared_accesses; /* accesses: warp instructions */
} wl_line_mix;

#endif /* WL_MIX_H */
