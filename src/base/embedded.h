/* embedded.h - the files of share/ that are built into the library (generated at build time).
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_EMBEDDED_H
#define WL_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct wl_embedded_file {
    const char *name; /* without folder and suffix */
    const unsigned char *text;
    size_t length;
} wl_embedded_file;

extern const wl_embedded_file wl_embedded_devices[], wl_embedded_architectures[], wl_embedded_kernels[],
    wl_embedded_costs[], wl_embedded_templates[];
extern const size_t wl_embedded_device_count, wl_embedded_architecture_count, wl_embedded_kernel_count,
    wl_embedded_cost_count, wl_embedded_template_count;

/* The file of that name, or NULL. */
const wl_embedded_file *wl_embedded_find(const wl_embedded_file *files, size_t count, const char *name);

/* Text of the file of that name, 0-terminated, or NULL. Sets *length unless it is NULL. */
const char *wl_embedded_text(const wl_embedded_file *files, size_t count, const char *name, size_t *length);

#endif /* WL_BASE_EMBEDDED_H */
