/* ptx_file.h - the wl_ptx of the public interface: a module and the costs of its target.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_PTX_FILE_H
#define WL_PTX_KERNEL_PTX_FILE_H

#include <stdatomic.h>

#include "machine/machine_code.h"
#include "ptx/cost/cost_table.h"
#include "ptx/module/module.h"
#include "warpline/ptx.h"

struct wl_ptx {
    wl_ptx_module *module;
    _Atomic(wl_ptx_costs *) *costs; /* NULL until first use; threads may race to set it */
    uint8_t *machine_bytes;         /* NULL: no machine code is known */
    wl_machine_code machine_code;   /* in these */
};

/* Parameters of an entry: how many, and the type of each as PTX names it ("u64"). */
size_t wl_ptx_param_count(const wl_ptx *ptx, size_t entry);
const char *wl_ptx_param_type(const wl_ptx *ptx, size_t entry, size_t param);
size_t wl_ptx_instruction_count(const wl_ptx *ptx, size_t entry);
/* Its name with its parameters, as in the source; NULL: the same as in the file. */
const char *wl_ptx_entry_signature(const wl_ptx *ptx, size_t entry);
/* Does the entry match a name, a pattern or a part of a name? NULL matches all. */
bool wl_ptx_entry_fits(const wl_ptx *ptx, size_t entry, const char *name, bool *failed);
/* WL_E_INPUT: no entry matches. */
wl_status wl_ptx_any_fits(const wl_ptx *const *files, size_t count, const char *name, wl_error *err);

/* The costs of the module's target; read at first use only. */
wl_status wl_ptx_file_costs(const wl_ptx *ptx, const wl_ptx_costs **out, wl_error *err);

#endif /* WL_PTX_KERNEL_PTX_FILE_H */
