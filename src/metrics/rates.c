/* rates.c - see rates.h. SPDX-License-Identifier: MIT */
#include "metrics/rates.h"

wl_device_key wl_fp_rate_key(wl_type precision)
{
    return precision == WL_TYPE_F64   ? WL_DEVICE_fp64_rate
           : precision == WL_TYPE_F16 ? WL_DEVICE_fp16_rate
                                      : WL_DEVICE_fp32_rate;
}

wl_device_key wl_tensor_rate_key(wl_tensor_kind kind)
{
    static const wl_device_key rates[WL_TENSOR_KIND_COUNT] = {
#define WL_TENSOR_KIND(name, meaning) [WL_TENSOR_##name] = WL_DEVICE_tensor_##name##_rate,
#include "warpline/tensor.def"
    };
    return rates[kind];
}
