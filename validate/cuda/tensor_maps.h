// tensor_maps.h - the driver's function that encodes tensor maps. SPDX-License-Identifier: MIT
#pragma once
#include <cudaTypedefs.h>

#include "harness.h"

static PFN_cuTensorMapEncodeTiled_v12000 encode;

static void find_encode()
{
    cudaDriverEntryPointQueryResult found;
    void *entry = nullptr;
    CHECK(cudaFree(0));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    encode = (PFN_cuTensorMapEncodeTiled_v12000)entry;
}
