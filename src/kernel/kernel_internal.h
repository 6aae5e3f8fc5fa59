/* kernel_internal.h - the kernel model that every later stage reads.
 *
 * Filled by input/ or ptx/kernel/, constant afterwards, never copied: it owns its arena and its
 * source.
 *
 * Layer  kernel (uses base).
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_INTERNAL_H
#define WL_KERNEL_INTERNAL_H

#include "base/arena.h"
#include "kernel/expr.h"
#include "kernel/gaps.h"
#include "kernel/idle_stage.h"
#include "kernel/source.h"
#include "kernel/where.h"
#include "warpline/kernel.h"
#include "warpline/launch.h"

/* Registers per thread of a kernel that does not state them; a warning says so. Of the 79 measured
 * kernels in h200_fit.csv, h200_fit2.csv and h200_staggered.csv (ptxas 13.0) 64 have at most so
 * many. */
#define WL_ASSUMED_REGISTERS 32

#define WL_LOOPS_MAX 3
#define WL_KERNEL_CONDITIONS_MAX 16

typedef enum wl_type {
    WL_TYPE_F16,
    WL_TYPE_F32,
    WL_TYPE_F64,
    WL_TYPE_I8,
    WL_TYPE_I16,
    WL_TYPE_I32,
    WL_TYPE_I64,
    WL_TYPE_COUNT
} wl_type;

const char *wl_type_name(wl_type type);
int32_t wl_type_bytes(wl_type type);
bool wl_type_find(const char *name, wl_type *type);

/* How a field is reached. Textures and surfaces have instructions of their own. */
typedef enum wl_reached { WL_BY_LOADS, WL_BY_TEXTURE, WL_BY_SURFACE } wl_reached;

typedef struct wl_field {
    const char *name;
    wl_type type;
    int32_t vector;                     /* elements one access moves */
    int dims;                           /* 0: addressed by plain element index */
    int64_t strides[WL_FIELD_DIMS_MAX]; /* in elements */
    int64_t origin;                     /* of cell (0,0,..), in elements from the base */
    bool shared;                        /* in shared memory: one per block; or constant */
    bool constant;                      /* in constant memory: a pass for each address of a warp */
    wl_reached reached;
    bool random;         /* loads that are not affine go to random addresses */
    double stores_apart; /* as stated: see kernel/apart_stores.h */
    int64_t base_bytes;  /* address assumed for the base: 0, or its alignment */
    int64_t bytes;       /* of the whole field; 0: unknown */
    int64_t least_row;   /* elements a row needs, if given by an extent; else 0 */
    int64_t extent[WL_FIELD_DIMS_MAX], halo[WL_FIELD_DIMS_MAX]; /* in cells, if given; else 0 */
    bool indexed; /* some access uses a plain element index, independent of the strides */
    wl_loc loc;
} wl_field;

/* Bytes one access to the field moves. */
int32_t wl_field_cell_bytes(const wl_field *field);

/* What an atomic does in the L2. */
typedef struct wl_atomic_kind {
    bool sums; /* adds floating-point numbers */
    bool slow; /* half a sector in a pass: sums of f64, compare-and-swap */
} wl_atomic_kind;

typedef struct wl_access {
    bool store; /* atomics count as stores, too */
    bool atomic;
    wl_atomic_kind atomic_kind;
    bool traced; /* addresses come from the kernel's source; index is 0 */
    bool more;   /* continues the previous access: not a separate instruction */
    /* a load that leaves the L1 alone: all its requests go to the L2, and it evicts nothing */
    bool bypasses_l1;
    /* a load that goes to shared memory without registers (cp.async): it takes no pass of the L1's
     * data stage, what it stores does */
    bool to_shared;
    /* by the unit for bulk copies: no instruction of lanes, and nothing passes through the L1 */
    bool bulk;
    bool multicast; /* such a copy, to several blocks of the cluster */
    /* in the shared memory of other blocks of a cluster, which addresses tell apart */
    bool remote;
    /* a traced atomic on shared memory that is a loop of compare-and-swap (count/swaps.h) */
    bool swaps;
    int request_lanes; /* of a texture or surface: lanes that make one request to the L1 */
    size_t field;
    int32_t width_bytes; /* bytes per lane */
    /* bytes per index step: width_bytes, except for vectors of plain elements */
    int32_t unit_bytes;
    const wl_expr *index; /* in units from the field's base */
    const wl_expr *when;  /* lanes where it is 0 are inactive; NULL: all are active */
    const char *text;
    wl_loc loc;
} wl_access;

/* The text a kernel was read from. */
typedef struct wl_kernel_text {
    const char *text; /* of a file, or an assignment */
    size_t length;
    const char *const *sets;
    size_t set_count;
    const char *domain, *type; /* of an assignment; NULL with a file */
} wl_kernel_text;

struct wl_kernel {
    wl_arena arena;
    const char *name, *input;
    const char *symbol; /* of the entry of a PTX file; NULL: none */
    /* what its instructions are counted by: "machine-code" or "rules"; NULL: it is not from PTX */
    const char *counted_by;
    wl_kernel_text text; /* a copy, from which variants are read again */
    wl_where_named *params;
    size_t param_count;
    int dims;                     /* of the domain; 0: taken from the grid */
    int64_t domain[3];            /* 1 beyond dims */
    int64_t first[3];             /* cells below it are not computed */
    int64_t threads[3];           /* that a launch without a grid needs; 0: those of the domain */
    const char *domain_params[3]; /* the param that is the extent, or NULL */
    const wl_where **conditions;  /* that a launch must meet */
    size_t condition_count;
    size_t field_count, access_count;
    wl_field *fields;
    wl_access *accesses; /* in program order, each address once per cell */
    int loop_count;
    int64_t loop_extent[WL_LOOPS_MAX];
    const char *loop_name[WL_LOOPS_MAX];
    bool has_flops, has_registers;
    double flops;      /* per cell */
    double fp_results; /* per cell; a fused multiply-add counts once */
    /* of an update, per cell: at least so many instructions of the special-function unit */
    double specials;
    wl_type precision; /* of the arithmetic: the widest floating type among the fields */
    int64_t registers, shared_bytes;
    double instructions; /* per cell, all kinds; 0: not stated */
    double barriers;     /* per thread */
    /* folded cells are guarded one by one, so compilers do not share loads between them */
    bool guarded_cells;
    int coordinate_reads;         /* thread-index components the kernel must read */
    bool states_coordinate_reads; /* or they follow from its addresses */
    bool has_mix;
    double mix[WL_INST_CLASS_COUNT];      /* instructions of a thread per cell, by class */
    double active_lanes;                  /* their share in a warp; 0: those with cells */
    double idle_instructions;             /* of a thread that is outside the domain; */
    double idle_mix[WL_INST_CLASS_COUNT]; /* by class */
    wl_idle_stage idle_stages[WL_IDLE_STAGES_MAX];
    int idle_stage_count;
    /* of a thread per cell: see wl_mix */
    double shuffles, integer_pipe, converts[WL_CONVERT_COUNT];
    double multiplies[WL_MULTIPLY_COUNT];
    bool has_multiplies;
    /* flops per cell: see wl_mix */
    double tensor[WL_TENSOR_KIND_COUNT], tensor_groups[WL_TENSOR_KIND_COUNT];
    /* of a kernel from PTX that states its mix: see wl_mix; per work item of a warp */
    double divisible, divisible_flops;
    /* of a kernel that states its mix: accesses executed per work item, lanes on or off */
    double memory[WL_MEMORY_COUNT];
    double idle_accesses; /* of these: in predicated code that no lane enters */
    bool has_memory;
    const char **notes; /* what was assumed when the kernel was read */
    size_t note_count;
    size_t urgent_notes; /* the first of these: what the user can give or mend */
    /* what a prediction leaves out or guesses, one by one and in words */
    const wl_gap *gaps;
    const char **gap_texts;
    size_t gap_count, gap_text_count;
    wl_source source; /* all zeros: no source, the kernel itself states everything */
    void *attached;   /* what the source borrows and nobody else has; NULL: nothing */
    void (*free_attached)(void *attached);
};

/* What determines the grid of a launch: the threads that are needed, else the domain; zeros:
 * neither. */
static inline const int64_t *wl_kernel_extent(const wl_kernel *kernel)
{
    return kernel->threads[0] || !kernel->dims ? kernel->threads : kernel->domain;
}

/* Can the row length of a field change? Not if addresses are element indices, nor in shared memory,
 * nor if x is not the faster of the first two dimensions. */
bool wl_kernel_field_has_rows(const wl_kernel *kernel, size_t field);

/* Does a load leave the L1 alone? */
bool wl_kernel_bypasses_l1(const wl_kernel *kernel);

/* Does an address or condition depend on threads, blocks or their extents, or in an unknown way? */
bool wl_kernel_names_launch(const wl_kernel *kernel);

#endif /* WL_KERNEL_INTERNAL_H */
