/* gaps.h - what a prediction of a kernel leaves out, or can only guess: the kernel's gaps.
 *
 * Layer  kernel. SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_GAPS_H
#define WL_KERNEL_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wl_gap_reason {
    WL_GAP_UNCOUNTED, /* the operation moves data or computes, but is not modelled */
    WL_GAP_TRIPS,     /* the trip count of a loop depends on what is not known */
    WL_GAP_BRANCH,    /* a branch that decides about accesses or loops does */
    WL_GAP_ADDRESS,   /* an address does */
    WL_GAP_REASON_COUNT
} wl_gap_reason;
/* "uncounted", "trip_count", "branch", "address" */
const char *wl_gap_reason_name(wl_gap_reason reason);

#define WL_GAP_BUFFERS 4

typedef struct wl_gap {
    wl_gap_reason reason;
    const char *operation; /* "cp.async.bulk.tensor" */
    const char *place;     /* "k.cu:12" */
    double executions;     /* by warps, in the launch */
    /* whose contents are not given; none: a result that is not computed, or an uncounted one */
    const char *buffers[WL_GAP_BUFFERS];
    int buffer_count;
} wl_gap;

/* An access outside of all buffers, by the first thread that was seen to make it. */
typedef struct wl_outside {
    char access[64]; /* the instruction */
    char place[120]; /* "k.cu:12" */
    bool store;
    int bytes;                   /* of the access */
    int64_t thread[3], block[3]; /* the thread in its block */
    uint64_t address;
    const char *buffer;           /* that is too small; NULL: not known */
    int64_t offset, buffer_bytes; /* of the address in it; its size */
    char text[240];               /* all of this as a sentence */
} wl_outside;

#endif /* WL_KERNEL_GAPS_H */
