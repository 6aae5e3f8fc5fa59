/* binary_report.c - see binary_report.h.
 * Layer  report/common. SPDX-License-Identifier: MIT */
#include "report/common/binary_report.h"

#include <stdio.h>

const char *wl_binary_kind_word(const wl_binary_code *c)
{
    static const char *const words[] = {
        [WL_BINARY_PTX] = "PTX", [WL_BINARY_SASS] = "SASS", [WL_BINARY_LTO] = "LTO", [WL_BINARY_OTHER] = "?"};
    return words[c->kind];
}

const char *wl_binary_packing_word(const wl_binary_code *c)
{
    static const char *const words[] = {
        [WL_BINARY_PLAIN] = "none", [WL_BINARY_LZ4] = "LZ4", [WL_BINARY_ZSTD] = "zstd", [WL_BINARY_PACKED] = "unknown"};
    return words[c->packing];
}

const char *wl_binary_arch_word(const wl_binary_code *c, char word[WL_BINARY_ARCH_MAX])
{
    const char *const kind = c->kind == WL_BINARY_PTX ? "compute" : "sm";
    (void)snprintf(word, WL_BINARY_ARCH_MAX, "%s_%d%.1s", kind, c->arch, c->variant ? &c->variant : "");
    return word;
}
