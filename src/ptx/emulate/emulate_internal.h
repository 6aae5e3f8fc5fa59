/* emulate_internal.h - data structures of the emulator: decoded functions, frames, warps.
 *
 * A function is decoded once into steps, one per instruction. The operands of a step are slots:
 * first the registers, then one for results that are never read, then constants, which are
 * filled in once per frame. A warp has one frame per active call. A frame has the slots and a
 * stack of divergent paths.
 *
 * Layer  ptx/emulate (uses base, kernel, ptx/module, ptx/async). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_EMULATE_INTERNAL_H
#define WL_PTX_EMULATE_EMULATE_INTERNAL_H

#include "ptx/async/async_form.h"
#include "ptx/async/map_change.h"
#include "ptx/emulate/alu.h"
#include "ptx/emulate/emulate.h"
#include "ptx/emulate/launch_order.h"
#include "ptx/emulate/memory.h"
#include "ptx/module/flow.h"
#include "../share/templates/native_types.h"

#define WL_PTX_CALL_DEPTH_MAX 64 /* of calls */
#define WL_PTX_BARRIERS 16
#define WL_PTX_RECENT 32        /* allocations that are remembered */
#define WL_PTX_OUTSIDE_MAX 8    /* instructions whose accesses outside of buffers are described */
#define WL_PTX_PATH_STEPS 1     /* the cost of starting a path, in instructions */
#define WL_PTX_AT_MBARRIER (-1) /* the barrier number of a warp that waits for a barrier object */

typedef struct wl_ptx_machine wl_ptx_machine;
typedef struct wl_ptx_step wl_ptx_step;
typedef struct wl_ptx_frame wl_ptx_frame;

/* Executes a step for the lanes of mask. */
typedef wl_status (*wl_ptx_run)(wl_ptx_machine *m, const wl_ptx_step *step, uint32_t mask, wl_error *err);
/* Executes a step that uses nothing but registers. */
typedef void (*wl_ptx_compute)(wl_ptx_frame *frame, const wl_ptx_step *step, uint32_t mask);

typedef enum wl_ptx_step_kind {
    WL_PTX_STEP_APPLY,   /* calls apply */
    WL_PTX_STEP_PRODUCT, /* calls apply; a factor that is known to be 0 makes the product known */
    WL_PTX_STEP_COPY,
    WL_PTX_STEP_TEST,    /* calls test, writes a predicate */
    WL_PTX_STEP_COMPUTE, /* calls compute */
    WL_PTX_STEP_RUN,     /* calls run */
    WL_PTX_STEP_BRANCH,  /* branch, call, barrier: may change the path */
    WL_PTX_STEP_LEAVE,   /* ret, exit, trap */
    WL_PTX_STEP_BARRIER,
    WL_PTX_STEP_WAIT, /* for a barrier object */
    WL_PTX_STEP_NOTHING
} wl_ptx_step_kind;

/* A loop of one basic block whose trips are counted without executing them: its steps by number. */
typedef struct wl_ptx_counted {
    int32_t test;   /* the comparison that guards its branch */
    int32_t grown;  /* the step that writes the compared register */
    bool swapped;   /* that register is the second operand of the comparison */
    int32_t looked; /* steps that a run executes in each iteration */
} wl_ptx_counted;

/* A loop whose steps that the control flow depends on only add, multiply by loop invariants, copy
 * and compare. See emulate_steady.c. */
#define WL_PTX_STEADY_REGISTERS 32
typedef struct wl_ptx_steady {
    int32_t loop;                               /* of the flow graph */
    int32_t registers[WL_PTX_STEADY_REGISTERS]; /* that it writes */
    int32_t count;
    /* consecutive trips that differed from the previous one; after many, it is not tried again */
    int32_t failures;
} wl_ptx_steady;
struct wl_ptx_recorder;

/* A product in tensor memory: what one block computes of it. */
typedef struct wl_ptx_product_form {
    double flops;
    wl_tensor_kind kind;
} wl_ptx_product_form;

/* What an instruction on barrier objects or tensor maps, a bulk copy or a product does. */
typedef union wl_ptx_async_form {
    wl_ptx_barrier_form barrier;
    wl_ptx_copy_form copy;
    wl_ptx_map_form map;
    wl_ptx_product_form product;
} wl_ptx_async_form;
/* Registers that a loop writes in which a warp may wait: if none changes from one trip to the next,
 * only others can end it. */
typedef struct wl_ptx_waits {
    const int32_t *registers;
    int32_t count;
} wl_ptx_waits;

/* There may be millions: members are in an order without gaps, and branches share some. */
struct wl_ptx_step {
    wl_ptx_step_kind kind : 8;
    bool guard_negated;
    bool wraps;       /* the base of the address is a 32-bit register */
    uint8_t bytes;    /* per element in memory */
    uint8_t elements; /* of a vector */
    bool back;        /* a back edge */
    bool alone;       /* a back edge of a loop without another branch */
    bool spins;       /* a back edge of a loop with an atomic: it may spin on a lock */
    /* which side leaves the loop; whether it is the only exit */
    bool taken_leaves, other_leaves, only_exit;
    bool place;        /* compares values that depend on the position of the block */
    bool wanted;       /* of an atomic, or of what is only counted: its result matters */
    bool orders;       /* tells blocks of each other: see emulate_order.c */
    bool draws;        /* counts, and the control flow depends on the result */
    bool repeats;      /* such a step in a loop */
    int32_t guard;     /* slot, -1: none */
    int32_t to, other; /* slots written */
    int32_t from[4];   /* slots read; unused ones are nil */
    int32_t list;      /* slots of a vector operand: program->lists[list ..] */
    union {
        wl_ptx_apply apply;
        wl_ptx_test test;
        wl_ptx_compute compute;
        wl_ptx_run run;
        const wl_ptx_waits *waits; /* of the back edge of a loop in which warps wait; NULL: none */
    } of;
    union {
        int64_t offset;                /* added to the address */
        const wl_ptx_counted *counted; /* of the branch of such a loop; NULL: none */
    };
    union {
        const wl_ptx_async_form *async;
        wl_ptx_steady *steady; /* of the branch of such a loop; NULL: none */
    };
    int32_t target;  /* of a branch */
    int32_t meeting; /* of a branch: where its lanes reconverge; -1: nowhere */
    /* innermost loop, numbered over all functions; -1: none */
    int32_t loop;
    /* the only parameter of the entry that the address is derived from; -1: not known */
    int32_t pointer;
    int32_t function, number; /* identify the instruction */
    /* of the back edge of a loop in which warps wait; of what polls there: 1 */
    int32_t wait_loop;
    const wl_ptx_instruction *in;
};

/* An instruction in one form of a program. Forms share a step unless they execute it in different
 * ways: there are many instructions, and a step is large. */
typedef struct wl_ptx_turn {
    wl_ptx_step *step;
    int32_t next; /* the next one that a run executes */
    bool idle;    /* only counted */
} wl_ptx_turn;

/* What a constant slot holds. */
typedef enum wl_ptx_constant_kind {
    WL_PTX_FIXED,
    WL_PTX_FIXED_PREDICATE,
    WL_PTX_OF_WARP,  /* special registers */
    WL_PTX_OF_FRAME, /* offsets in the frame's local memory */
    WL_PTX_OF_PARAMS /* a parameter of the entry: offset * 256 + type */
} wl_ptx_constant_kind;
typedef struct wl_ptx_constant_slot {
    wl_ptx_constant_kind kind;
    int32_t before; /* of the same hash: one more than its number; 0: none */
    uint64_t value;
} wl_ptx_constant_slot;

typedef struct wl_ptx_program {
    const wl_ptx_function *function;
    int32_t number;
    int32_t loop_first; /* number of its first loop, over all functions */
    wl_ptx_flow flow;
    wl_ptx_step *steps; /* by instruction */
    /* the forms of the program: all steps; those that control flow and addresses depend on; those
     * that control flow depends on. Without calls to other functions, else all are the first */
    wl_ptx_turn *all, *addresses, *flow_only;
    bool reads_data; /* the control flow depends on what memory holds */
    bool partial;    /* which bits of registers are unknown matters */
    bool even;       /* control flow compares linear combinations of the block's coordinates */
    int32_t *lists;
    int32_t list_count;
    size_t list_room;
    int32_t spare;      /* slot for results that are never read */
    int32_t nil;        /* slot of a known 0 */
    int32_t slot_count; /* registers, spare, constants */
    wl_ptx_constant_slot *constants;
    int32_t constant_count;
    size_t constant_room;
    int32_t *changing; /* numbers of constants that depend on the warp or the frame */
    int32_t changing_count;
    bool reads_unset;    /* some register may be read before it is written */
    int64_t param_bytes; /* formal parameters, results, and arguments of its calls */
    int64_t local_bytes;
    int32_t native_bytes; /* of all registers in machine code; 0: not known yet */
} wl_ptx_program;

/* A divergent path: its lanes run together from `at` to `until`, where the path below waits for
 * them. */
typedef struct wl_ptx_path {
    int32_t at, until;
    uint32_t mask;
} wl_ptx_path;

struct wl_ptx_frame {
    const wl_ptx_program *program;
    uint64_t (*value)[WL_PTX_LANES];
    uint32_t *unknown; /* lane mask by slot */
    /* by slot: bits that may be unknown in those of the lanes that are in the mask; in others, all
     * may be. See emulate_partial.c */
    uint64_t *hidden;
    uint32_t *partly;
    int32_t slot_room;
    uint32_t carry, carry_unknown;
    wl_ptx_path *paths;
    int32_t path_count;
    size_t path_room;
    wl_ptx_region params; /* lane by lane */
    uint8_t *registers;   /* of a kernel in machine code */
    int32_t register_room;
    bool fresh; /* nothing was executed in it */
    int64_t local_base;
    const wl_ptx_step *call; /* the call it returns to */
    uint32_t called;         /* lanes that made the call */
};

/* The coordinates of a warp's threads in the block. */
typedef struct wl_ptx_tids {
    int64_t at[3][WL_PTX_LANES];
} wl_ptx_tids;

typedef enum wl_ptx_warp_state { WL_PTX_WARP_READY, WL_PTX_WARP_WAITS, WL_PTX_WARP_DONE } wl_ptx_warp_state;

typedef struct wl_ptx_warp {
    wl_ptx_warp_state state;
    int32_t number;
    uint32_t live; /* lanes that exist and have not exited */
    wl_ptx_frame *frames[WL_PTX_CALL_DEPTH_MAX];
    int32_t depth;
    wl_ptx_region local;                /* lane by lane */
    int64_t local_bytes;                /* of one lane */
    const int64_t (*tid)[WL_PTX_LANES]; /* by dimension and lane */
    /* by loop: unknown exits not taken since the last known exit test */
    uint16_t *rounds;
    uint64_t executed;              /* instructions */
    int64_t loads, serial, chained; /* see wl_ptx_longest; chained: rounds */
    int32_t spins;                  /* iterations of loops that may spin on a lock */
    int64_t trips;                  /* of the loop without another branch that it is in */
    /* trip counts modulo 4 of the lanes that have left it, or-ed */
    int rest;
    bool yields;                /* lets other warps run first */
    uint64_t waited;            /* hash of what a waiting trip has left in registers */
    int32_t stalls;             /* waiting trips since it began to run */
    bool gives_up;              /* it is to leave the loop in which it waits */
    int32_t leaves;             /* number of the loop that it is to leave, plus one */
    const wl_ptx_step *barrier; /* where it waits */
    uint32_t barrier_lanes;
    int32_t barrier_number;
    int64_t barrier_threads; /* threads the barrier expects; 0: all */
    int64_t waits;           /* for copies, so far */
    /* those that another warp had made when it freed what this one last waited for */
    int64_t freed;
    /* the same of waits for products; flops of those it has issued, and of those it knows done */
    int64_t product_waits, products_freed;
    double issued, done;
    struct wl_ptx_warp *next_free;
} wl_ptx_warp;

typedef struct wl_ptx_barrier {
    int64_t arrived; /* threads that arrived without waiting */
    int64_t votes, voters;
    bool unknown;
} wl_ptx_barrier;

/* What is known of a barrier object besides its state: numbers of waits for copies of the warp that
 * arrived last, and of the one whose wait let the last copy be issued. */
typedef struct wl_ptx_object {
    int64_t arrived, issued;
    int64_t moving, moved; /* bytes of copies in this phase; in the last one */
    int32_t copy;          /* the last copy that signals it */
    /* flops of all products before the last ones that signal it, and their kind; the waits for
     * products of the warp that arrived last, and of the one that let them be issued */
    double products;
    wl_tensor_kind kind;
    int64_t read, allowed;
} wl_ptx_object;

/* Counts of an instruction that has a guard or is a branch. */
typedef struct wl_ptx_split_tally {
    int64_t warps_off, off; /* executions without a lane; lanes whose guard is false */
    int64_t diverged, rungs;
} wl_ptx_split_tally;

/* Counts since they were last collected, by instruction number. A run of consecutive instructions
 * is counted at its begin and at its end. */
typedef struct wl_ptx_tally {
    bool on;
    int64_t *warps, *threads; /* changes from one instruction to the next */
    wl_ptx_split_tally *splits;
    int32_t split_count;
    int32_t *split_of;             /* by instruction: its number among them; -1: none */
    int32_t *loads, *stores;       /* instructions of the kind before this one: global memory */
    bool *reached;                 /* by instruction: first of a basic block, or with a lane on */
    int32_t *serial;               /* the same: loads that the control flow of a loop depends on */
    int32_t *rounds;               /* the same: dependent loads */
    wl_ptx_round *round_of;        /* by instruction, of loads */
    wl_ptx_longest longest;        /* of this run */
    uint64_t signature;            /* of this run */
    int64_t run_loads, run_stores; /* of this run */
    bool fresh;                    /* this run reached an instruction for the first time */
} wl_ptx_tally;

/* A counter from which warps draw until its numbers run out. */
#define WL_PTX_TICKETS_MAX 8
#define WL_PTX_TRIED_MAX 32
typedef struct wl_ptx_ticket {
    uint64_t address, start;
    int bytes;
    uint64_t each;    /* a block takes so much in a round */
    uint64_t *rounds; /* what this block has taken, by round */
    size_t round_count, round_room;
} wl_ptx_ticket;

/* How often a warp has drawn from a counter in this run; the amount of the first time. */
typedef struct wl_ptx_draw {
    uint64_t address, amount;
    int32_t warp;
    size_t times;
} wl_ptx_draw;

/* A word that a block has written before it polls what others write. */
typedef struct wl_ptx_told_word {
    uint64_t address;
    uint32_t value;
} wl_ptx_told_word;

/* In the rehearsal: blocks that wait for what others tell them. */
typedef struct wl_ptx_asking {
    bool polls;             /* the access is one of those that a warp repeats until others write */
    bool asked;             /* the block has polled, */
    wl_ptx_told_word *told; /* and had written these words by then: sorted */
    size_t told_count, told_room;
    int64_t nearest, other; /* writers: the last block before this one, that of the last word */
    wl_ptx_told how;        /* in which the nearest wrote it */
    int32_t words;          /* of different blocks, that the access sees */
    int32_t at_once;        /* most words of an access */
    /* that asked the block before them, by how that wrote */
    int64_t blocks[WL_PTX_TOLD_TWICE + 1];
} wl_ptx_asking;

/* See emulate_order.c. */
typedef struct wl_ptx_order {
    bool on;         /* some instruction tells blocks of each other, */
    bool by_address; /* and one of them matters only to addresses; */
    bool keeps;      /* it may also be other than by drawing tickets */
    bool ready;      /* blocks were rehearsed */
    bool rehearses, tries, ends_warp;
    int32_t draw_steps; /* that there are; those that the trial executed */
    const wl_ptx_step *tried[WL_PTX_TRIED_MAX];
    int32_t tried_count;
    int64_t followed; /* blocks */
    wl_ptx_history history;
    wl_ptx_asking asking;
    size_t seen; /* words of the history that are in the next */
    bool *left;  /* by buffer: blocks leave something there */
    wl_ptx_ticket tickets[WL_PTX_TICKETS_MAX];
    int ticket_count;
    wl_ptx_draw *draws;
    size_t draw_count, draw_room;
} wl_ptx_order;

struct wl_ptx_machine {
    wl_ptx_launch launch;
    wl_arena arena;
    wl_ptx_program *programs; /* by function */
    int32_t *first;           /* instruction numbers over all functions */
    int32_t loop_count;
    int64_t *param_at; /* by parameter variable: offset in the frame of its function */
    int64_t shared_bytes;
    wl_ptx_region shared;
    wl_ptx_pages pages;
    bool *written;         /* by buffer: the block, or one before it, has written to it */
    int buffer_room;       /* of the next one, too */
    uint8_t *used;         /* by buffer, where a launch is carried out: WL_PTX_READS, .. */
    bool sees_others;      /* the access may see what earlier blocks have left */
    bool as_given;         /* what was read last is unknown, and no block has written it */
    uint32_t hidden_bytes; /* of it, that are unknown */
    uint64_t read_hidden;  /* bits that a load of an element may have read as unknown */
    wl_ptx_order order;
    /* by instruction: one bit per kind of assumption; of warps that run alone */
    uint16_t *assumed, *assumed_alone;
    wl_ptx_assumption *assumptions;
    size_t assumption_count, assumption_room;
    wl_outside outside[WL_PTX_OUTSIDE_MAX]; /* one per instruction */
    const wl_ptx_step *outside_of[WL_PTX_OUTSIDE_MAX];
    size_t outside_count;
    wl_ptx_warp **warps;
    wl_ptx_tids *tids; /* by warp */
    int32_t warp_count;
    wl_ptx_warp *free_warps;
    wl_ptx_barrier barriers[WL_PTX_BARRIERS];
    wl_ptx_ring *rings; /* by instruction; NULL: no warp waits for barrier objects */
    /* by word of shared memory, where a barrier object may be; NULL: no warp waits for one */
    wl_ptx_object *objects;
    uint32_t columns;    /* of tensor memory that the block has allocated */
    wl_tensor_kind kind; /* of the last product */
    bool maps_blocks;    /* some address is in the shared memory of another block (mapa) */
    /* the current run */
    int64_t block[3];
    int64_t executed, looked_at; /* instructions */
    int64_t looked_before;       /* in all blocks before */
    int64_t looked_most;         /* more in a rehearsal end it */
    /* instructions in iterations that were only counted */
    int64_t skipped;
    wl_ptx_tally tally;
    struct wl_ptx_recorder *recorder; /* of trips of a steady loop; NULL: there is none */
    bool recording;
    wl_ptx_visit visit;
    const wl_line_sample *sample; /* of bulk copies, only its lines are visited; NULL: all */
    wl_ptx_back_edge back_edge;
    wl_ptx_ran_visit ran; /* NULL: the instructions of a warp are not reported */
    void *ran_user;
    int32_t repeated_header; /* the loop whose last trip represents several */
    int64_t repeated;        /* trips; 0: none */
    void *user;
    bool alone; /* a single warp runs */
    wl_ptx_warp *warp;
    wl_ptx_frame *frame;
    wl_ptx_touch touch;
    /* allocations that steps found last, by number */
    const wl_ptx_buffer *recent[WL_PTX_RECENT];
    /* the same of machine code: by instruction, of all functions */
    wl_native_piece *pieces;
    const wl_ptx_buffer *buffer; /* contains all lanes of the touch; NULL: several */
    bool plain;                  /* all 32 addresses of the touch are known, aligned and readable */
    int64_t astray;              /* accesses of lanes of this block outside of all buffers */
    uint32_t missed;             /* lanes of the touch outside of all buffers, which are skipped */
    bool more;                   /* the next touch continues the previous one */
    bool out_of_memory;
    /* a warp of the block has ended early: what others assume about it is no finding */
    bool is_cut;
};

struct wl_ptx_emulator {
    wl_ptx_machine machine;
};

/* emulate_decode.c: decodes a function into steps. */
wl_status wl_ptx_decode_steps(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
/* emulate_needed.c: finds the steps that matter. */
wl_status wl_ptx_find_needed(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
/* The step of one form, to be changed: no other form shares it afterwards. NULL: no memory. */
wl_ptx_step *wl_ptx_own_step(wl_ptx_machine *m, wl_ptx_program *program, wl_ptx_turn *form, int32_t number);
/* emulate_place.c: does control flow depend linearly on the position of the block? The second
 * records how the operands of a step compare, in the signature of the run. */
wl_status wl_ptx_find_places(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
void wl_ptx_record_place(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask);
/* emulate_trips.c: finds loops whose trip counts follow from registers; and counts the trips that
 * all lanes of a warp still take together, except the last. */
wl_status wl_ptx_find_counted(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
void wl_ptx_skip_trips(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes);
/* emulate_order.c: finds the instructions that tell blocks of each other, and the loops in which
 * warps wait. */
wl_status wl_ptx_find_order(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
/* Finds what blocks leave to later ones, by running some. */
typedef wl_status (*wl_ptx_block_run)(wl_ptx_machine *m, const int64_t block[3], wl_error *err);
wl_status wl_ptx_order_prepare(wl_ptx_machine *m, wl_ptx_block_run run, wl_error *err);
void wl_ptx_order_reset(wl_ptx_machine *m); /* at the start of a block */
void wl_ptx_order_free(wl_ptx_machine *m);
int64_t wl_ptx_block_number(const wl_ptx_machine *m); /* in launch order */
/* A warp polls a word of global memory. */
void wl_ptx_order_poll(wl_ptx_machine *m, uint64_t address);
/* Puts the bytes that earlier blocks have left there into the value; adds them to the masks of
 * bytes. */
void wl_ptx_order_read(const wl_ptx_machine *m, uint64_t address, int32_t buffer, int bytes, uint64_t *value,
                       uint32_t *written, uint32_t *unknown);
/* A counter or flag that no block has written, and whose contents are not given: notes that it is
 * taken to start with 0. True. */
bool wl_ptx_starts_with_0(wl_ptx_machine *m, const wl_ptx_step *s);
/* Draws for the lanes of the touch; false: not from a counter of tickets. The other one is for the
 * trial run; WL_E_LIMIT ends the warp. */
bool wl_ptx_draw_tickets(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t old[WL_PTX_LANES], uint32_t *unknown);
wl_status wl_ptx_try_draw(wl_ptx_machine *m, const wl_ptx_step *s);
/* At the back edge of a loop in which a warp may wait: has the trip changed nothing? Then leaves
 * the loop, with unknown registers. */
bool wl_ptx_is_stalled(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lanes);
wl_status wl_ptx_give_up_wait(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lanes, wl_error *err);
/* emulate_partial.c: after a step, which bits of its results may be unknown; and whether a
 * comparison is known all the same. The last one: a mask of bytes. */
void wl_ptx_track_hidden(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes);
void wl_ptx_decide_test(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes);
uint32_t wl_ptx_hidden_bytes(const wl_ptx_frame *frame, int32_t slot, uint32_t lanes);
/* In these lanes, only these bits may be unknown. */
void wl_ptx_set_partly(wl_ptx_frame *frame, int32_t slot, uint32_t lanes, uint64_t hidden);
/* emulate_tally.c: counts executed instructions. */
wl_status wl_ptx_tally_make(wl_ptx_machine *m, wl_error *err);
/* Steps from <= number < to of a program, by the lanes of `active`, a number of times. */
void wl_ptx_tally_add(wl_ptx_machine *m, const wl_ptx_program *program, int32_t from, int32_t to, uint32_t active,
                      int64_t times);
/* Adds the counts of a warp that has ended. */
void wl_ptx_tally_end(wl_ptx_machine *m, const wl_ptx_warp *warp);
/* A step whose guard is true for the lanes of `mask`; a divergent branch. */
void wl_ptx_tally_guard(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, int64_t times);
void wl_ptx_tally_diverged(wl_ptx_machine *m, const wl_ptx_step *s, int64_t times);
/* A back edge of a loop without another branch, which the lanes of `mask` take. */
void wl_ptx_tally_trip(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask);
void wl_ptx_tally_rungs(wl_ptx_machine *m, const wl_ptx_step *s, int64_t rungs);
/* emulate_steady.c: finds such loops; records what is executed; and, when a warp takes the back
 * edge of such a loop, counts the further trips that equal the last two. */
wl_status wl_ptx_find_steady(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err);
void wl_ptx_record_run(wl_ptx_machine *m, int32_t from, int32_t to, uint32_t active, int64_t times);
void wl_ptx_record_guard(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask);
void wl_ptx_record_diverged(wl_ptx_machine *m, const wl_ptx_step *s);
void wl_ptx_record_rungs(wl_ptx_machine *m, const wl_ptx_step *s, int64_t rungs);
void wl_ptx_record_test(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, const uint64_t *a, const uint64_t *b);
void wl_ptx_repeat_trips(wl_ptx_machine *m, const wl_ptx_step *branch, uint32_t lanes);
/* Drops the record. */
void wl_ptx_recorder_stop(wl_ptx_machine *m);

/* emulate_trips.c. A step that only compares integers. */
bool wl_ptx_compares_integers(const wl_ptx_step *step);
/* The trips, at most WL_PTX_TRIPS_MAX, in which a comparison of integers has the same result as now
 * and no operand wraps around, if they grow by these amounts per trip. */
#define WL_PTX_TRIPS_MAX ((int64_t)1 << 40)
#define WL_PTX_TRIPS_MIN 3 /* fewer are executed */
int64_t wl_ptx_trips_alike(const wl_ptx_step *test, bool holds, uint64_t a, uint64_t more_a, uint64_t b,
                           uint64_t more_b);

/* emulate_frame.c. False: no memory. */
bool wl_ptx_place_threads(wl_ptx_machine *m);
wl_ptx_warp *wl_ptx_warp_take(wl_ptx_machine *m, int32_t number);
void wl_ptx_warp_release(wl_ptx_machine *m, wl_ptx_warp *warp);
void wl_ptx_warp_free(wl_ptx_warp *warp);
/* Between launches: constants are filled in anew. No warp runs. */
void wl_ptx_frames_forget(wl_ptx_machine *m);
wl_status wl_ptx_frame_push(wl_ptx_machine *m, const wl_ptx_program *program, uint32_t mask, wl_error *err);
bool wl_ptx_path_push(wl_ptx_frame *frame, int32_t at, int32_t until, uint32_t mask);

/* emulate_run.c: executes a step for the lanes of `mask`; *leaves: it may have changed the path. */
wl_status wl_ptx_run_step(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, bool *leaves,
                          wl_error *err);
/* Runs a warp until it exits or waits. */
wl_status wl_ptx_warp_run(wl_ptx_machine *m, wl_ptx_warp *warp, wl_error *err);
/* emulate_divergence.c. Ends these lanes. */
void wl_ptx_lanes_end(wl_ptx_warp *warp, uint32_t lanes);
/* Steps that change paths, for the lanes of `mask` among those that are `active`. A barrier
 * makes the warp wait unless it runs alone or only arrives. */
wl_status wl_ptx_run_branch(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, wl_error *err);
void wl_ptx_run_leave(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask);
/* Lanes return from the function, or end with the entry. */
void wl_ptx_run_end(wl_ptx_machine *m, uint32_t lanes);
void wl_ptx_run_barrier(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask);
/* emulate_mbarrier.c. A wait for a barrier object; makes the warp wait unless the phase is over, or
 * it runs alone. The second lets a waiting warp continue if its phase is over, or in any case. */
wl_status wl_ptx_run_wait(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_status wl_ptx_wake(wl_ptx_machine *m, wl_ptx_warp *warp, bool all, wl_error *err);
/* So many bytes of a copy arrive at the barrier object. */
wl_status wl_ptx_mbarrier_deliver(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address, int64_t bytes,
                                  wl_error *err);
/* The offset in the shared memory of any block of a cluster, or of a generic address there. */
int64_t wl_ptx_shared_offset(uint64_t address);
/* emulate_frame.c. The number of the block in its cluster. */
uint64_t wl_ptx_cluster_rank(const wl_ptx_machine *m);
/* Pops paths without lanes. */
void wl_ptx_paths_drop(wl_ptx_frame *frame);

wl_status wl_ptx_assume(wl_ptx_machine *m, const wl_ptx_step *step, wl_ptx_assumed what, wl_error *err);
/* Writes results for the lanes of mask; unknown: lanes with an unknown result. */
void wl_ptx_write(wl_ptx_frame *frame, int32_t slot, uint32_t mask, const uint64_t *values, uint32_t unknown);
/* The same value for all these lanes. */
void wl_ptx_write_same(wl_ptx_frame *frame, int32_t slot, uint32_t mask, uint64_t value, bool unknown);
/* Unknown values for all elements of a step's list, and for its second result. */
void wl_ptx_write_unknown(wl_ptx_frame *frame, const wl_ptx_step *step, uint32_t mask);
/* Lane by lane: a in the lanes of the mask, b in the others. `to` may be one of them. */
void wl_ptx_choose(uint64_t *to, uint32_t mask, const uint64_t *a, const uint64_t *b);
void wl_ptx_write_predicate(wl_ptx_frame *frame, int32_t slot, uint32_t mask, uint32_t values, uint32_t unknown);

/* emulate_address.c. One access of a warp, from which m->touch is made. */
typedef struct wl_ptx_access_request {
    const wl_ptx_step *step;
    uint32_t mask;           /* lane mask */
    const uint64_t *address; /* by lane */
    uint32_t unknown;        /* lanes with an unknown address */
    wl_ptx_space space;
    int bytes;
    bool store, atomic;
} wl_ptx_access_request;
/* Fills m->touch with the lanes in the same state space as the first lane, checks their
 * addresses and calls the visitor. *rest: lanes for another round. touch.lanes omits skipped
 * lanes. */
wl_status wl_ptx_resolve(wl_ptx_machine *m, const wl_ptx_access_request *request, uint32_t *rest, wl_error *err);
/* The lanes' addresses from a step's operand; the access of all its elements there. */
void wl_ptx_addresses(const wl_ptx_machine *m, const wl_ptx_step *step, uint64_t *out);
static inline wl_ptx_access_request wl_ptx_request_of(const wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask,
                                                      uint64_t *address)
{
    const bool atomic = s->in->op == WL_PTX_OP_atom || s->in->op == WL_PTX_OP_red;
    wl_ptx_addresses(m, s, address);
    return (wl_ptx_access_request){.step = s,
                                   .mask = mask,
                                   .address = address,
                                   .unknown = m->frame->unknown[s->from[0]],
                                   .space = s->in->space,
                                   .bytes = s->bytes * s->elements,
                                   .store = atomic || s->in->op == WL_PTX_OP_st,
                                   .atomic = atomic};
}
/* The window of a state space in generic addresses; 0: global memory. */
uint64_t wl_ptx_window_of(wl_ptx_space space);
wl_ptx_space wl_ptx_space_at(uint64_t address);

/* emulate_memory.c: 1 to 8 bytes of a lane of m->touch, at an offset from its address. */
uint64_t wl_ptx_memory_read(wl_ptx_machine *m, uint32_t lane, int64_t offset, int bytes, bool *unknown);
void wl_ptx_memory_write(wl_ptx_machine *m, uint32_t lane, int64_t offset, int bytes, uint64_t value, bool unknown);
/* Where the program has that, if a launch is carried out; NULL: it is kept here. Notes the use. */
uint8_t *wl_ptx_memory_in_place(wl_ptx_machine *m, uint32_t lane, int64_t offset, int use);

/* Lanes store one after the other: in turn t of the mask, lane t ^ flip. */
typedef struct wl_ptx_store_order {
    uint32_t turns, flip;
} wl_ptx_store_order;
wl_ptx_store_order wl_ptx_store_order_of(uint32_t lanes, int bytes_per_lane);
wl_status wl_ptx_run_load(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_status wl_ptx_run_store(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_status wl_ptx_run_atomic(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
/* emulate_atomic.c: the new value of an element; the second one updates memory that other threads
 * may update, too, and returns the old value. */
uint64_t wl_ptx_updated(const wl_ptx_instruction *in, uint64_t old, uint64_t b, uint64_t c);
uint64_t wl_ptx_update_in_place(uint8_t *at, const wl_ptx_instruction *in, int bytes, uint64_t b, uint64_t c);
/* emulate_carry.c: the same where a launch is carried out. */
wl_ptx_run wl_ptx_find_carried(wl_ptx_run run);

/* Functions that run a step, by file. */
wl_ptx_run wl_ptx_find_memory(const wl_ptx_instruction *in);
wl_ptx_run wl_ptx_find_atomic(const wl_ptx_instruction *in);
wl_ptx_compute wl_ptx_find_predicate(const wl_ptx_instruction *in);
wl_ptx_compute wl_ptx_find_warp(const wl_ptx_instruction *in);
wl_ptx_run wl_ptx_find_matrix(const wl_ptx_instruction *in); /* and copies of lanes */
wl_ptx_run wl_ptx_find_mbarrier(const wl_ptx_barrier_form *form);
wl_ptx_run wl_ptx_find_bulk(void);
/* The value of a scalar operand in a lane; false: unknown. */
bool wl_ptx_operand_in_lane(const wl_ptx_machine *m, const wl_ptx_operand *o, uint32_t lane, uint64_t *out);
/* emulate_products.c: products in tensor memory, and its allocation. */
wl_status wl_ptx_run_product(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_status wl_ptx_run_allocation(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
/* The object is signalled when the products of the warp so far are done. */
void wl_ptx_products_signal(const wl_ptx_warp *warp, wl_ptx_object *object);
/* Counts a wait of the warp for an object if products signal it. */
void wl_ptx_products_await(wl_ptx_machine *m, wl_ptx_warp *warp, const wl_ptx_step *s, const wl_ptx_object *object);
/* emulate_map.c: the map at a generic address; false: there is none, or it is unknown. */
bool wl_ptx_map_read(wl_ptx_machine *m, uint64_t address, wl_ptx_tensor_map *map);
/* Changes or copies a map. */
wl_status wl_ptx_run_map(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
/* A bulk copy whose contents nothing depends on: only its addresses and its barrier object. */
wl_status wl_ptx_run_bulk_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);

/* The same for cp.async, and for ldmatrix and stmatrix. */
wl_status wl_ptx_run_copy_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_status wl_ptx_run_matrix_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err);
wl_ptx_compute wl_ptx_find_move(const wl_ptx_instruction *in);
wl_ptx_run wl_ptx_find_texture(const wl_ptx_instruction *in); /* and surfaces */
/* What a texture or surface instruction accesses, and how; stored in the target of its step. */
enum {
    WL_PTX_FETCH_DIMS = 3, /* mask; 0: not known here */
    WL_PTX_FETCH_LAYERED = 1 << 2,
    WL_PTX_FETCH_GATHERS = 1 << 3, /* tld4: four texels, whatever their weights */
    WL_PTX_FETCH_BYTES = 1 << 4,   /* suld.b, sust.b: x counts bytes, not texels */
    WL_PTX_FETCH_CLAMPS = 1 << 5,  /* outside a surface: the nearest element */
    WL_PTX_FETCH_SKIPS = 1 << 6,   /* outside a surface: nothing */
    WL_PTX_FETCH_REDUCES = 1 << 7  /* sured */
};
int wl_ptx_fetch_flags(const wl_ptx_instruction *in);
void wl_ptx_frame_return(wl_ptx_machine *m); /* returns results to the caller and pops the frame */
wl_status wl_ptx_run_call(wl_ptx_machine *m, const wl_ptx_step *step, uint32_t mask, wl_error *err);
/* Visits the addresses of a load, store or atomic without executing it. */
wl_status wl_ptx_run_touch(wl_ptx_machine *m, const wl_ptx_step *step, uint32_t mask, wl_error *err);
/* A clock, in a launch that is carried out. */
bool wl_ptx_is_clock(const wl_ptx_operand *from);
wl_status wl_ptx_run_clock(wl_ptx_machine *m, const wl_ptx_step *step, uint32_t mask, wl_error *err);
/* Makes all results unknown. */
wl_status wl_ptx_run_counted(wl_ptx_machine *m, const wl_ptx_step *step, uint32_t mask, wl_error *err);

static inline uint32_t wl_ptx_lane_first(uint32_t mask) { return mask ? (uint32_t)__builtin_ctz(mask) : 0; }
static inline int wl_ptx_lanes_in(uint32_t mask) { return __builtin_popcount(mask); }
static inline uint32_t wl_ptx_predicate(const wl_ptx_frame *frame, int32_t slot)
{
    return (uint32_t)frame->value[slot][0];
}
/* Iterates over the lanes of mask, lowest first. */
#define WL_PTX_FOR_LANES(lane, mask)                                                                                   \
    for (uint32_t lane##_rest = (mask), lane = wl_ptx_lane_first(lane##_rest); lane##_rest;                            \
         lane##_rest &= lane##_rest - 1, lane = wl_ptx_lane_first(lane##_rest))

#endif /* WL_PTX_EMULATE_EMULATE_INTERNAL_H */
