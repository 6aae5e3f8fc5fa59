/* ptxas.h - what "ptxas -v" prints: registers, shared memory and spills of each entry.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTXAS_H
#define WL_CLI_PTXAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ptxas_entry {
    char *name;
    int64_t registers; /* 0: not reported */
    int64_t shared_bytes, stack_bytes, spill_store_bytes, spill_load_bytes;
} ptxas_entry;

typedef struct ptxas_report {
    ptxas_entry *entries;
    size_t count;
} ptxas_report;

/* Reads the output of any release from CUDA 9 on; ignores lines that it does not know. False: out
 * of memory. */
bool ptxas_read(const char *text, ptxas_report *report);
/* NULL: unknown entry. */
const ptxas_entry *ptxas_find(const ptxas_report *report, const char *name);
void ptxas_free(ptxas_report *report);

#endif /* WL_CLI_PTXAS_H */
