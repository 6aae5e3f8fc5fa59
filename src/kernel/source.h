/* source.h - the interface between a kernel and where it comes from.
 *
 * A kernel file states everything. A kernel compiled from PTX may change with the launch, some of
 * its addresses depend on data, and its threads diverge. Its source answers such questions: one
 * context, one function per question, NULL for a question that does not arise.
 *
 * Layer  kernel (uses base). Units: byte addresses, warp instructions.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_SOURCE_H
#define WL_KERNEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/kernel.h"
#include "warpline/launch.h"
#include "kernel/gaps.h"
#include "kernel/line_sample.h"
#include "kernel/counted_mix.h"
#include "timeline/life.h"

/* ---- executed accesses, for addresses that no expression gives ---- */

/* How the addresses of an execution are kept. */
typedef enum wl_execution_form {
    WL_EXECUTION_LISTED, /* one address per lane */
    WL_EXECUTION_NEAR,   /* as distances from `base` */
    WL_EXECUTION_EVEN    /* base, base + step, .. */
} wl_execution_form;

/* One execution of one access by one warp. Addresses are in bytes from the base of the field,
 * active lanes only, lowest lane first. */
typedef struct wl_execution {
    uint32_t access; /* number of the kernel's access */
    uint16_t warp;   /* number of the warp in its block */
    uint16_t form;   /* wl_execution_form */
    uint64_t lanes;  /* active */
    union {
        const int64_t *listed;
        const int32_t *near;
        int64_t step;
    } at;
    int64_t base;
} wl_execution;

/* The address of the i-th active lane. */
static inline int64_t wl_execution_address(const wl_execution *e, int i)
{
    return e->form == WL_EXECUTION_LISTED ? e->at.listed[i]
           : e->form == WL_EXECUTION_NEAR ? e->base + e->at.near[i]
                                          : e->base + i * e->at.step;
}

/* All executions by one block, sorted by access, then warp, then time. */
typedef struct wl_block_trace {
    const wl_execution *executions;
    size_t count;
    const size_t *first; /* of access a: executions[first[a]] .. executions[first[a + 1] - 1] */
} wl_block_trace;

/* ---- loads in program order ---- */

/* One load from global memory by one warp; warps come in any order, each in program order. */
typedef struct wl_load_touch {
    uint32_t warp; /* number in its block */
    size_t field;
    int bytes;              /* per lane */
    uint64_t lanes;         /* active */
    const int64_t *address; /* one per active lane; fields do not overlap */
    /* groups of a warp are issued one after another; in a group, loads of equal depth together */
    uint32_t group, depth;
    bool bypasses_l1; /* as wl_access */
    bool unknown;     /* some address is assumed */
    int64_t time;     /* steps of the emulator so far */
    bool *enough;     /* whoever sets it gets no more loads of this warp, which ends here */
} wl_load_touch;
typedef wl_status (*wl_load_visit)(void *user, const wl_load_touch *touch, wl_error *err);

/* ---- local memory ---- */

/* One load or store of local memory by one warp. */
typedef struct wl_local_touch {
    uint32_t warp; /* number in its block */
    bool store;
    int bytes;             /* per lane */
    uint64_t lanes;        /* active */
    const int64_t *offset; /* byte offset in the thread's local memory, one per active lane */
    double blocks;         /* of the launch, that its block represents */
} wl_local_touch;
/* touch NULL: end of a block. */
typedef wl_status (*wl_local_visit)(void *user, const wl_local_touch *touch, wl_error *err);

/* ---- the blocks of a launch ---- */

#define WL_DRAWN_MAX 4

/* What the blocks of a launch execute, and which of them are traced. */
typedef struct wl_population {
    const wl_block_kind *kinds; /* longest first */
    int kind_count;
    bool complete; /* kinds and executions are exact, else */
    double error;  /* they have this largest relative standard error */
    /* no emulated block executed some access, but only a sample of blocks was emulated */
    bool unseen;
    /* Blocks to trace, in strata of one kind or several; numbers are those in the grid, x
     * fastest. */
    int64_t count;
    const int64_t *number; /* NULL: all blocks of the launch, in order, as one stratum */
    const int *stratum;    /* ascending */
    const double *stands;  /* by stratum: the blocks of the launch that it represents */
    int stratum_count;
    /* A block takes longer than the effort allows: what several would tell is left out. */
    bool long_blocks;
    double costed;   /* executions of traced blocks whose cost is computed, about */
    int64_t run;     /* longest run of consecutive blocks to trace for their common footprint */
    double replayed; /* blocks whose loads may be visited in program order; below 1: part of one */
    double accesses; /* traced ones of a mean block */
    /* instructions of warps that are followed alone, to see which blocks load the same; at most */
    double courses;
    /* Blocks drawn with a probability that is proportional to their loads, by number; 0: all load
     * alike. */
    int64_t drawn[WL_DRAWN_MAX];
    int drawn_count;
    /* By access: executions with an active lane in the whole launch, and active lanes of a block on
     * average; -1: not traced. */
    const double *executed, *lanes;
    /* By access: one execution of its instruction may be several of the access, or none, depending
     * on the block, so that the traced blocks tell how often it is executed. NULL: of none. */
    const bool *by_trace;
} wl_population;

/* ---- the source ---- */

typedef struct wl_source {
    void *context;             /* passed to all functions */
    int64_t block[3], grid[3]; /* of the launch that the kernel was made for */
    /* The kernel at another launch; *out is NULL if it is this one, for the first predictor that
     * asks. NULL: the kernel is the same for all launches. */
    wl_status (*at_launch)(void *context, const wl_launch *launch, wl_kernel **out, wl_error *err);
    /* Bytes of shared memory at another launch. NULL: those of the kernel. */
    int64_t (*shared_at)(void *context, const wl_launch *launch);
    double effort;  /* seconds that emulation of one launch may take, about */
    int64_t length; /* instructions of its text */
    /* Executions of the traced accesses by one block. Called for one block at a time, in any order,
     * often repeatedly: the source caches. Valid until the next call. NULL: no access is traced. */
    wl_status (*trace_block)(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err);
    int warp_size;                   /* of the traces; at most 64 */
    const wl_population *population; /* NULL: not known, any block may be traced */
    /* Instructions of a launch of these blocks. `lines` holds those with a source line, most
     * executed first, valid until the next call. NULL: the kernel has no instruction stream, it
     * states counts. */
    wl_status (*count_instructions)(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                                    const wl_line_mix **lines, size_t *line_count, wl_error *err);
    /* What representative warps execute, in the launch that the kernel was made for. NULL: there is
     * no instruction stream. */
    wl_status (*live)(void *context, const wl_lives **out, wl_error *err);
    bool in_steps; /* some load may not move before a store, which may write what it reads */
    /* Visits all loads of one block. NULL: no address depends on data. */
    wl_status (*visit_loads)(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err);
    /* The same of one warp, which runs alone: what others leave in shared memory is not known to
     * it. Bulk copies may leave out lines that are not in the sample. NULL: no load is traced, or
     * warps differ by what memory holds. */
    wl_status (*visit_warp)(void *context, const int64_t block[3], int warp, const wl_line_sample *sample,
                            wl_load_visit visit, void *user, wl_error *err);
    /* Visits the local-memory accesses of one block of each kind. NULL: none. */
    wl_status (*visit_local)(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, wl_error *err);
    /* Accesses outside of all buffers that emulated threads have made so far; returns how many.
     * NULL: none is known, or they are errors. */
    size_t (*outside)(void *context, const wl_outside **list);
    void (*free)(void *context); /* called once, when the kernel is freed; NULL: nothing to free */
} wl_source;

#endif /* WL_KERNEL_SOURCE_H */
