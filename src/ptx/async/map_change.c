/* map_change.c - see map_change.h. SPDX-License-Identifier: MIT */
#include "ptx/async/map_change.h"

#include "ptx/module/tensor.h"

bool wl_ptx_map_form_of(const wl_ptx_instruction *in, wl_ptx_map_form *form)
{
    static const struct {
        const char *part;
        wl_ptx_map_field field;
        bool by_dimension;
    } fields[] = {{".global_address", WL_PTX_MAP_GLOBAL_ADDRESS, false},
                  {".rank", WL_PTX_MAP_RANK, false},
                  {".box_dim", WL_PTX_MAP_BOX_DIM, true},
                  {".global_dim", WL_PTX_MAP_GLOBAL_DIM, true},
                  {".global_stride", WL_PTX_MAP_GLOBAL_STRIDE, true},
                  {".element_stride", WL_PTX_MAP_ELEMENT_STRIDE, true},
                  {".elemtype", WL_PTX_MAP_ELEMTYPE, false},
                  {".interleave_layout", WL_PTX_MAP_INTERLEAVE, false},
                  {".swizzle_mode", WL_PTX_MAP_SWIZZLE, false},
                  {".swizzle_atomicity", WL_PTX_MAP_ATOMICITY, false},
                  {".fill_mode", WL_PTX_MAP_FILL, false}};
    *form = (wl_ptx_map_form){.copies = wl_ptx_has_part(in, ".cp_fenceproxy"), .dimension = -1, .value = -1};
    if (form->copies)
        return in->operand_count >= 2;
    if (!wl_ptx_has_part(in, ".replace"))
        return false;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (wl_ptx_has_part(in, fields[k].part)) {
            form->field = fields[k].field;
            form->dimension = fields[k].by_dimension ? 1 : -1;
            form->value = fields[k].by_dimension ? 2 : 1;
            return form->value < in->operand_count;
        }
    return false;
}

/* Bytes of an element by the number of its type; 0: 4 bits. */
static bool replace_type(wl_ptx_tensor_map *map, uint64_t type)
{
    /* u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16 tf32 tf32.ftz b4x16 */
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4, 0};
    if (type >= sizeof bytes)
        return false; /* types with gaps in shared memory */
    map->bytes = bytes[type];
    return true;
}

bool wl_ptx_map_replace(wl_ptx_tensor_map *map, wl_ptx_map_field field, uint64_t dimension, uint64_t value)
{
    const uint64_t dimensions = field == WL_PTX_MAP_GLOBAL_STRIDE ? WL_PTX_MAP_DIMS - 1 : WL_PTX_MAP_DIMS;
    if (dimension >= dimensions)
        return false;
    switch (field) {
    case WL_PTX_MAP_GLOBAL_ADDRESS: map->base = value; return true;
    case WL_PTX_MAP_RANK: /* one less than the rank */ map->rank = (uint8_t)(value + 1); return value < WL_PTX_MAP_DIMS;
    case WL_PTX_MAP_BOX_DIM: map->box[dimension] = (uint16_t)value; return value <= UINT16_MAX;
    case WL_PTX_MAP_GLOBAL_DIM: map->extent[dimension] = (uint32_t)value; return true;
    case WL_PTX_MAP_GLOBAL_STRIDE: map->stride[dimension] = value; return true;
    case WL_PTX_MAP_ELEMENT_STRIDE: map->step[dimension] = (uint8_t)value; return value <= UINT8_MAX;
    case WL_PTX_MAP_ELEMTYPE: return replace_type(map, value);
    case WL_PTX_MAP_INTERLEAVE: map->interleave = (uint8_t)value; return true;
    case WL_PTX_MAP_SWIZZLE: map->swizzle = (uint8_t)value; return true;
    case WL_PTX_MAP_FILL: map->fill = (uint8_t)value; return true;
    case WL_PTX_MAP_ATOMICITY: return true;
    }
    return false;
}
