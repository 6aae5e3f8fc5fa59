/* binary_report.h - what the text and the JSON of a binary file share.
 * Layer  report/common. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_BINARY_REPORT_H
#define WL_REPORT_BINARY_REPORT_H

#include "binary/binary_file.h"

typedef struct wl_binary_report {
    const wl_binary *binary;
    const char *file;
    const int64_t *kernels; /* of each code; -1: not known */
} wl_binary_report;

#define WL_BINARY_ARCH_MAX 24

const char *wl_binary_kind_word(const wl_binary_code *code);
const char *wl_binary_packing_word(const wl_binary_code *code);
/* "compute_90a" of PTX, "sm_90a" of the rest */
const char *wl_binary_arch_word(const wl_binary_code *code, char word[WL_BINARY_ARCH_MAX]);

#endif /* WL_REPORT_BINARY_REPORT_H */
