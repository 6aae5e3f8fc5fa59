/* ptx_file.h - what users know as a wl_ptx. Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_PTX_FILE_H
#define WL_PTX_KERNEL_PTX_FILE_H

#include "ptx/module/module.h"
#include "warpline/ptx.h"

struct wl_ptx {
    wl_ptx_module *module;
};

#endif /* WL_PTX_KERNEL_PTX_FILE_H */
