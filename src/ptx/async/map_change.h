/* map_change.h - tensor maps that a kernel changes (tensormap.replace), and copies of them
 * (tensormap.cp_fenceproxy).
 *
 * Layer  ptx/async (uses base, ptx/module). Oracle: tests/unit/test_ptx_async.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_ASYNC_MAP_CHANGE_H
#define WL_PTX_ASYNC_MAP_CHANGE_H

#include "ptx/async/tensor_map.h"
#include "ptx/module/module.h"

typedef enum wl_ptx_map_field {
    WL_PTX_MAP_GLOBAL_ADDRESS,
    WL_PTX_MAP_RANK,
    WL_PTX_MAP_BOX_DIM,
    WL_PTX_MAP_GLOBAL_DIM,
    WL_PTX_MAP_GLOBAL_STRIDE,
    WL_PTX_MAP_ELEMENT_STRIDE,
    WL_PTX_MAP_ELEMTYPE,
    WL_PTX_MAP_INTERLEAVE,
    WL_PTX_MAP_SWIZZLE,
    WL_PTX_MAP_ATOMICITY, /* of the swizzle: changes no address */
    WL_PTX_MAP_FILL
} wl_ptx_map_field;

/* [map], dimension, value; or [to], [from], bytes. Operands: -1: none */
typedef struct wl_ptx_map_form {
    bool copies;
    wl_ptx_map_field field;
    int8_t dimension, value;
} wl_ptx_map_form;

/* False: neither. */
bool wl_ptx_map_form_of(const wl_ptx_instruction *in, wl_ptx_map_form *form);

/* Sets a field, as the instruction encodes it. False: there is no such dimension or type. */
bool wl_ptx_map_replace(wl_ptx_tensor_map *map, wl_ptx_map_field field, uint64_t dimension, uint64_t value);

#endif /* WL_PTX_ASYNC_MAP_CHANGE_H */
