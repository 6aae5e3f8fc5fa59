/* ptx_source.h - the source (kernel/source.h) of a kernel made from PTX: its launch, an
 * emulator, its traced accesses and instruction counts.
 *
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_PTX_SOURCE_H
#define WL_PTX_KERNEL_PTX_SOURCE_H

#include "kernel/kernel_internal.h"
#include "ptx/cost/cost.h"
#include "ptx/kernel/address_pattern.h"
#include "ptx/kernel/census.h"
#include "ptx/kernel/ptx_file.h"
#include "ptx/kernel/write_kernel.h"
#include "ptx/life/pressure.h"
#include "timeline/life.h"

/* A traced access: an instruction and the buffer it touches; in a kernel with very many, several
 * instructions of the same kind, of which this is the first one (joined_with). */
typedef struct wl_ptx_traced {
    int32_t function, instruction;
    const wl_ptx_buffer *buffer;      /* NULL: shared memory, or parameters */
    bool store, atomic, more, remote; /* more, remote: see wl_ptx_touch */
    bool constant;                    /* constant memory, or parameters */
    int bytes;
    int32_t next; /* next traced access of the same instruction, or of those joined; -1: none */
    wl_ptx_address_pattern pattern;
    bool varies; /* the lanes of some warp have different addresses */
    /* by the sampled blocks; jumps: lanes that do not follow the previous one */
    double executions, lanes, jumps;
} wl_ptx_traced;

struct wl_ptx_cache; /* kept traces */

typedef struct wl_ptx_source {
    wl_arena arena; /* lives as long as the launch; symbols have separate memory */
    const wl_ptx *ptx;
    wl_ptx_options options; /* texts are copies */
    int64_t domain[3];      /* of the kernel; 0: no such dimension */
    wl_ptx_launch launch;
    wl_ptx_arguments arguments;
    wl_ptx_recovery recovery;
    wl_ptx_emulator *emulator;
    /* by assumption of the emulator, the first ones: there is nothing to say about it */
    bool *is_false_note;
    size_t false_note_room;
    bool claimed; /* a predictor uses the kernel at the launch it was made for */
    /* scratch; first[] also numbers the instructions of all functions */
    wl_ptx_profile profile;
    const wl_ptx_costs *costs;
    const double **weights;    /* by function */
    wl_ptx_counting *counting; /* by function; see cost.h */
    bool by_machine_code;      /* those of the entry */
    bool spills_registers;     /* what the machine code says, where it is used */
    const char *machine_why;   /* why not, where there is machine code; else NULL */
    /* traced accesses */
    bool *is_traced;       /* by instruction number, all functions */
    int32_t *first_traced; /* by instruction number, of joined ones the first; -1: none */
    /* By instruction number: the first of a stretch of instructions whose traced accesses of the
     * same kind are one; NULL: every instruction is alone. */
    int32_t *joined_with;
    wl_ptx_traced *traced;
    size_t traced_count, traced_room;
    size_t access_base;       /* number of the first traced access in the kernel */
    int32_t *field_of_buffer; /* by buffer: its field in the kernel; -1: none */
    int32_t *field_of;        /* by instruction number: a field that it accesses; -1: none */
    uint8_t *recovered_space; /* by instruction of the entry: wl_ptx_space of its first access */
    bool *bypasses_l1;        /* by instruction number: a load that does, as wl_access */
    wl_ptx_spills spills;     /* of the entry */
    bool locked;              /* held by the thread that counts a launch or makes `lives` */
    bool has_lives;
    wl_lives lives; /* of representative warps */
    struct wl_ptx_cache *cache;
    bool has_census;
    wl_ptx_census census;
    wl_population population; /* of kernels with traced accesses */
    /* counts, once computed */
    int64_t counted_block[3], counted_grid[3]; /* 0: not yet */
    wl_mix mix;
    wl_line_mix *lines;
    size_t line_count;
} wl_ptx_source;

void wl_ptx_source_free(void *source);

/* Predictors in several threads may share a kernel that serves all launches; they take turns with
 * what it keeps, for a fraction of a millisecond. */
static inline void wl_ptx_source_lock(wl_ptx_source *source)
{
    while (__atomic_test_and_set(&source->locked, __ATOMIC_ACQUIRE))
        ;
}
static inline void wl_ptx_source_unlock(wl_ptx_source *source) { __atomic_clear(&source->locked, __ATOMIC_RELEASE); }

/* Copies options so that they outlive the call, and makes their launch. WL_E_INPUT: the entry
 * cannot be launched that way. */
wl_status wl_ptx_copy_options(const wl_ptx_options *from, wl_arena *arena, wl_ptx_options *to, wl_error *err);
wl_status wl_ptx_set_launch(wl_ptx_source *source, wl_error *err);

/* Adds the notes of a complete kernel. wrong: the instruction where emulated warps disagree, -1:
 * none. */
wl_status wl_ptx_add_notes(wl_ptx_source *source, int32_t wrong, wl_kernel *kernel, wl_error *err);
/* Finds what predictions of the kernel leave out or guess. */
wl_status wl_ptx_find_gaps(wl_ptx_source *source, const wl_ptx_fields *fields, wl_kernel *kernel, wl_error *err);
/* Makes a text of the PTX file fit on one line of printable characters. */
void wl_ptx_make_line(char *text);

/* How the effort of one launch, in steps of the emulator, is divided. */
#define WL_PTX_CENSUS_SHARE 0.3
#define WL_PTX_ALONE_SHARE 0.9   /* of the census, if nothing is traced */
#define WL_PTX_ORDER_SHARE 0.1   /* for what blocks leave to later ones, if they do */
#define WL_PTX_VERIFY_SHARE 0.25 /* for comparing recovered addresses with those of warps */
#define WL_PTX_SPREAD_SHARE 0.3  /* for finding other blocks of each kind than those at corners */
#define WL_PTX_FIND_SHARE 0.05   /* for tracing, to find the accesses */
#define WL_PTX_SAMPLE_SHARE 0.25 /* for tracing, to compute the cost of each access */
#define WL_PTX_RUN_SHARE 0.15    /* for tracing, to count the common footprint of runs of blocks */
#define WL_PTX_REPLAY_SHARE 0.15 /* for replaying loads through the L1 */
#define WL_PTX_COURSE_SHARE 0.15 /* for following warps alone, to see which blocks load the same */
double wl_ptx_affordable(const wl_ptx_source *source, double share);
double wl_ptx_effort(const wl_ptx_source *source); /* seconds, about */

bool wl_ptx_accesses_memory(const wl_ptx_instruction *in);
/* Are there accesses that recovery could not express? */
bool wl_ptx_has_traced(const wl_ptx_source *source);
/* Follows the blocks of the launch, once. */
wl_status wl_ptx_take_census(wl_ptx_source *source, wl_error *err);

/* A launch of the kernel, with an emulator and a census: those of the source if it is the launch
 * that the kernel was made for. Must not move. */
typedef struct wl_ptx_opened {
    wl_ptx_launch launch;
    wl_ptx_emulator *emulator;
    const wl_ptx_census *census;
    wl_ptx_census other; /* of another launch */
} wl_ptx_opened;
wl_status wl_ptx_open_launch(wl_ptx_source *source, const int64_t block[3], const int64_t grid[3], wl_ptx_opened *out,
                             wl_error *err);
void wl_ptx_close_launch(wl_ptx_opened *opened);

/* Emulates blocks to find which instructions touch which buffers: a few, and those that execute
 * instructions which, by the census, no other block does. */
wl_status wl_ptx_find_traced(wl_ptx_source *source, wl_error *err);

/* The instruction whose number stands for those joined with it. */
static inline int32_t wl_ptx_stretch_of(const wl_ptx_source *s, int32_t number)
{
    return s->joined_with ? s->joined_with[number] : number;
}
/* Joins the traced instructions of a kernel with very many. */
wl_status wl_ptx_join_traced(wl_ptx_source *source, wl_error *err);
/* Calls visit for the number of each instruction of a traced access. */
typedef void (*wl_ptx_visit_number)(void *user, int32_t number);
void wl_ptx_visit_joined(const wl_ptx_source *source, const wl_ptx_traced *traced, wl_ptx_visit_number visit,
                         void *user);

/* Is the instruction of the touch traced? The traced access that a touch belongs to, and the base
 * of the buffer that contains its addresses; -1: none. */
bool wl_ptx_is_traced(const wl_ptx_source *source, const wl_ptx_touch *touch);
int32_t wl_ptx_traced_of(const wl_ptx_source *source, const wl_ptx_touch *touch, int64_t *base);

/* Chooses the blocks to trace, by what they do. */
wl_status wl_ptx_make_population(wl_ptx_source *source, wl_error *err);
#define WL_PTX_CACHE_BYTES ((size_t)96 << 20) /* traces cached for later queries */

/* The callbacks of wl_source; context is a wl_ptx_source. */
wl_status wl_ptx_trace_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err);
wl_status wl_ptx_count(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err);
/* Instructions of the entry and of functions that it may call. A longer program is predicted
 * without the lives of its warps: they take some 400 bytes for each. */
#define WL_PTX_FOLLOWED_MAX (1 << 16)
int64_t wl_ptx_program_length(const wl_ptx_source *s);
wl_status wl_ptx_live(void *context, const wl_lives **out, wl_error *err);
/* May the launch execute a function: the entry, or one that it calls? Does such a function have a
 * load that must stay after a store, which may be to the same address? Does it have that, a loop or
 * a barrier? */
bool wl_ptx_may_execute(const wl_ptx_source *source, const wl_ptx_function *function);
bool wl_ptx_in_steps(const wl_ptx_source *source);
/* Does a pair of blocks multiply together (tcgen05 with cta_group::2)? One of them issues it. */
bool wl_ptx_multiplies_in_pairs(const wl_ptx_source *source);
wl_status wl_ptx_visit_loads(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err);
wl_status wl_ptx_visit_warp(void *context, const int64_t block[3], int warp, const wl_line_sample *sample,
                            wl_load_visit visit, void *user, wl_error *err);
/* How often a thread of the domain executes the machine instructions of an instruction, if all
 * execute the same. */
double wl_ptx_thread_executes(const wl_ptx_source *source, int32_t function, int32_t instruction);
/* States how many accesses and divisible products a thread of the domain executes, if all execute
 * the same. */
void wl_ptx_state_counts(const wl_ptx_source *source, wl_kernel *kernel);

/* Whether the entry or its callees may use local memory: variables there, or registers that do not
 * fit. If so, the kernel gets wl_ptx_visit_local. */
bool wl_ptx_has_local(const wl_ptx_source *source);
/* Estimates how many registers do not fit. */
wl_status wl_ptx_find_spills(wl_ptx_source *source, wl_error *err);
wl_status wl_ptx_visit_local(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, wl_error *err);
void wl_ptx_cache_free(struct wl_ptx_cache *cache);

/* Compares recovered addresses with those of emulated warps. *agrees is false at the first
 * difference, *where its instruction. */
wl_status wl_ptx_verify(const wl_ptx_source *source, bool *agrees, int32_t *where, wl_error *err);

/* Traces the atomics on one address per warp that some warp executes without its first lane. */
void wl_ptx_trace_late_atomics(wl_ptx_source *source);
/* Traces the atomics on shared memory that are loops of compare-and-swap: which lanes and warps
 * meet on a word has no closed form. */
void wl_ptx_trace_swaps(wl_ptx_source *source);
/* Traces the accesses that few warps execute, by a condition without a closed form. */
wl_status wl_ptx_trace_rare(wl_ptx_source *source, wl_error *err);

/* The i-th of n sample blocks: corners first, then spread over the grid. */
/* The block itself, or another one of its cluster: sampled blocks have different places there. */
int64_t wl_ptx_other_rank(const wl_ptx_launch *launch, int64_t number, int64_t i);
void wl_ptx_sample_block(const wl_ptx_launch *launch, int64_t i, int64_t n, int64_t block[3]);

#endif /* WL_PTX_KERNEL_PTX_SOURCE_H */
