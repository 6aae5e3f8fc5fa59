/* compare_ptx.h - measured launches of kernels in PTX and CUDA files: the entry and the arguments
 * of each row. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_COMPARE_PTX_H
#define WL_CLI_COMPARE_PTX_H

#include "compare_job.h"
#include "ptx_unit.h"

/* A launch to read: its kernel, and a text that identifies it. */
typedef struct ptx_row {
    compared_unit *file;
    ptx_unit *unit; /* of the file */
    ptx_request request;
    /* params of the row, names of the map and of --set, and arguments by name */
    const char *sets[4 * MANY_MAX];
    const char *name, *symbol; /* of the entry */
    const char *const *args;   /* as given */
    size_t arg_count;
    char key[600];
} ptx_row;

/* Reads the file at `path` unless it is cached. `mapped` has the arguments; NULL: --args or --arg
 * have them. An error in `err` affects every row; one in `why` only this row, which is left out. */
wl_status ptx_row_find(comparison *c, const char *path, const wl_map_entry *mapped, const wl_measurement *m,
                       ptx_row *out, wl_error *why, wl_error *err);

/* Is a later row of the table the same launch? */
bool ptx_row_comes_again(const wl_table *table, const wl_measurement *m);

/* Marks a file as in use by a kernel, so that it stays open. */
void compared_unit_hold(compared_unit *file);
void compared_unit_release(compared_unit *file);

/* Frees the files. */
void compare_ptx_free(comparison *c);

#endif /* WL_CLI_COMPARE_PTX_H */
