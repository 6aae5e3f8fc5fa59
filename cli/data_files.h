/* data_files.h - files whose bytes are a kernel's data: read-only, in memory until they are closed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_DATA_FILES_H
#define WL_CLI_DATA_FILES_H

#include "warpline/ptx.h"

typedef struct data_file data_file;
typedef struct data_files {
    data_file *first;
} data_files;

/* A wl_ptx_load; `user` is a data_files. WL_E_IO: it cannot be read, or is larger than 4 GiB. */
wl_status data_files_load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err);
void data_files_close(data_files *files);

#endif /* WL_CLI_DATA_FILES_H */
