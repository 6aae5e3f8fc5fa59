/* symbol_json.h - the symbol of a PTX entry in JSON.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_JSON_SYMBOL_JSON_H
#define WL_REPORT_JSON_SYMBOL_JSON_H

#include <string.h>

#include "base/json.h"
#include "kernel/kernel_internal.h"

/* Sets "symbol" where a kernel has one that is not its name. */
static inline void wl_json_symbol(wl_json *json, json_t *object, const wl_kernel *kernel)
{
    if (kernel->symbol && strcmp(kernel->symbol, kernel->name) != 0)
        wl_json_set(json, object, "symbol", wl_json_text(json, kernel->symbol));
}

#endif /* WL_REPORT_JSON_SYMBOL_JSON_H */
