/* load.h - kernels and devices by file or by name. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_LOAD_H
#define WL_CLI_LOAD_H

#include "warpline/warpline.h"

/* Does a name end in the suffix, as in ".cu", with something before it? */
bool has_suffix(const char *name, const char *suffix);

/* The whole of a file ("-": standard input), 0-terminated, in memory of malloc. WL_E_IO when it
 * cannot be read. */
wl_status load_text(const char *path, char **text, size_t *length, wl_error *err);

/* A built-in name or a file. The text stays remembered for messages until load_forget. */
wl_status load_device(const char *name, const char *const *with, size_t with_count, wl_device **out, wl_error *err);
wl_status load_kernel(const char *name, const wl_kernel_options *options, wl_kernel **out, wl_error *err);
/* The same with its params set so that the domain is as in "4096x4096"; NULL: as in the file. */
wl_status load_kernel_with_domain(const char *name, const wl_kernel_options *options, const char *domain,
                                  wl_kernel **out, wl_error *err);
/* A kernel from --update, --domain and --type (NULL: f64), remembered likewise. */
wl_status load_update(const char *update, const char *domain, const char *type, wl_kernel **out, wl_error *err);
/* The text of a kernel file, to be parsed by the caller, remembered likewise; *input is its name in
 * messages. */
wl_status load_kernel_text(const char *name, const char **input, const char **text, size_t *length, wl_error *err);
/* "; did you mean 'star2d_5pt'?" for a built-in kernel, or "". */
const char *similar_kernel(const char *name);
/* Any other text, remembered likewise. */
wl_status load_kept_text(const char *path, const char **text, size_t *length, wl_error *err);
void load_forget(void);

#endif /* WL_CLI_LOAD_H */
