/* module.h - a PTX file as data: functions, registers, variables and decoded instructions.
 *
 * An instruction holds an operation of the table (operations.def), types, modifiers, and operands
 * whose registers, variables and labels are numbers. Instructions that the reader does not
 * understand are kept as WL_PTX_OP_unknown, with their text and a note; nothing is dropped.
 *
 * Layer  ptx/module (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_MODULE_H
#define WL_PTX_MODULE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ptx/module/demangle.h"
#include "warpline/mix.h"
#include "warpline/status.h"

/* ---- types and spaces ---- */

/* Fundamental types, and the packed and narrow floating-point types that instructions name. */
typedef enum wl_ptx_type {
    WL_PTX_NONE,
    WL_PTX_PRED,
    WL_PTX_B8,
    WL_PTX_B16,
    WL_PTX_B32,
    WL_PTX_B64,
    WL_PTX_B128,
    WL_PTX_U8,
    WL_PTX_U16,
    WL_PTX_U32,
    WL_PTX_U64,
    WL_PTX_S8,
    WL_PTX_S16,
    WL_PTX_S32,
    WL_PTX_S64,
    WL_PTX_F16,
    WL_PTX_F16X2,
    WL_PTX_BF16,
    WL_PTX_BF16X2,
    WL_PTX_TF32,
    WL_PTX_F32,
    WL_PTX_F32X2,
    WL_PTX_F64,
    WL_PTX_U16X2,
    WL_PTX_S16X2,
    WL_PTX_NARROW, /* 8 bits and less: e4m3, e5m2, .. packed or not */
    WL_PTX_OPAQUE, /* texref, samplerref, surfref, tensormap */
    WL_PTX_TYPE_COUNT
} wl_ptx_type;

int wl_ptx_type_bits(wl_ptx_type type); /* in storage; 1 for a predicate */
const char *wl_ptx_type_name(wl_ptx_type type);
static inline bool wl_ptx_type_is_signed(wl_ptx_type t) { return t >= WL_PTX_S8 && t <= WL_PTX_S64; }
static inline bool wl_ptx_type_is_float(wl_ptx_type t) { return t >= WL_PTX_F16 && t <= WL_PTX_F64; }

typedef enum wl_ptx_space {
    WL_PTX_SPACE_NONE,
    WL_PTX_REG,
    WL_PTX_SREG,
    WL_PTX_CONST,
    WL_PTX_GLOBAL,
    WL_PTX_LOCAL,
    WL_PTX_PARAM,
    WL_PTX_SHARED,
    WL_PTX_TEX,
    WL_PTX_GENERIC /* ld, st, atom without a state space */
} wl_ptx_space;

/* ---- operations ---- */

typedef enum wl_ptx_op {
    WL_PTX_OP_unknown,
#define WL_PTX_OPERATION(id, mnemonic, kind, support, meaning) WL_PTX_OP_##id,
#include "ptx/module/operations.def"
    WL_PTX_OP_COUNT
} wl_ptx_op;

/* How much of an operation the emulator computes. */
typedef enum wl_ptx_support {
    WL_PTX_EXACT,   /* results are exact */
    WL_PTX_COUNTED, /* counted; results are unknown */
    WL_PTX_IGNORED  /* no effect on results or counts: prefetch, fences */
} wl_ptx_support;

typedef struct wl_ptx_op_info {
    const char *mnemonic, *meaning;
    wl_inst_class kind; /* for operations whose class depends neither on type nor on space */
    bool class_by_type, class_by_space;
    wl_ptx_support support;
    bool has_result;
} wl_ptx_op_info;
const wl_ptx_op_info *wl_ptx_op_info_of(wl_ptx_op op);

/* Comparison of set and setp. The U forms are true when an operand is NaN. */
typedef enum wl_ptx_compare {
    WL_PTX_EQ,
    WL_PTX_NE,
    WL_PTX_LT,
    WL_PTX_LE,
    WL_PTX_GT,
    WL_PTX_GE,
    WL_PTX_EQU,
    WL_PTX_NEU,
    WL_PTX_LTU,
    WL_PTX_LEU,
    WL_PTX_GTU,
    WL_PTX_GEU,
    WL_PTX_NUM,
    WL_PTX_NAN_
} wl_ptx_compare; /* lo ls hi hs are LT LE GT GE of an unsigned type */

/* Modifiers, as bits. */
enum {
    WL_PTX_MOD_LO = 1 << 0,
    WL_PTX_MOD_HI = 1 << 1,
    WL_PTX_MOD_WIDE = 1 << 2,
    WL_PTX_MOD_SAT = 1 << 3,
    WL_PTX_MOD_FTZ = 1 << 4,
    WL_PTX_MOD_APPROX = 1 << 5, /* approx and full */
    WL_PTX_MOD_CC = 1 << 6,     /* writes the carry */
    WL_PTX_MOD_UNI = 1 << 7,
    WL_PTX_MOD_ABS = 1 << 8,
    WL_PTX_MOD_VOLATILE = 1 << 9,
    WL_PTX_MOD_NC = 1 << 10, /* ld.global.nc */
    WL_PTX_MOD_TO = 1 << 11, /* cvta.to */
    WL_PTX_MOD_RELU = 1 << 12,
    WL_PTX_MOD_NAN = 1 << 13,    /* min, max that propagate NaN */
    WL_PTX_MOD_SYNC = 1 << 14,   /* shfl.sync, vote.sync, bar.sync, bar.warp.sync */
    WL_PTX_MOD_ARRIVE = 1 << 15, /* bar.arrive */
    WL_PTX_MOD_RED = 1 << 16,    /* bar.red */
    WL_PTX_MOD_WARP = 1 << 17,   /* bar.warp */
    WL_PTX_MOD_WRAP = 1 << 18,   /* shf.wrap (otherwise clamp) */
    WL_PTX_MOD_LEFT = 1 << 19,   /* shf.l */
    WL_PTX_MOD_SHIFTAMT = 1 << 20,
    WL_PTX_MOD_ASYNC = 1 << 21, /* cp.async.ca / .cg */
    /* loads and copies that leave the L1 alone: .cg, .cv, volatile, relaxed and acquire at gpu and
     * sys; without effect on others */
    WL_PTX_MOD_BYPASS = 1 << 22,
    WL_PTX_MOD_XORSIGN = 1 << 23,    /* min, max: the sign is that of the product */
    WL_PTX_MOD_NO_ALLOCATE = 1 << 24 /* .lu, .L1::no_allocate: hits what others have loaded */
};

/* Variants of operations that have several; the meaning depends on the operation. */
typedef enum wl_ptx_variant {
    WL_PTX_V_NONE,
    /* rounding of cvt and arithmetic */
    WL_PTX_RN,
    WL_PTX_RZ,
    WL_PTX_RM,
    WL_PTX_RP,
    WL_PTX_RNI,
    WL_PTX_RZI,
    WL_PTX_RMI,
    WL_PTX_RPI,
    WL_PTX_RNA,
    /* shfl */
    WL_PTX_UP,
    WL_PTX_DOWN,
    WL_PTX_BFLY,
    WL_PTX_IDX,
    /* vote, match, redux, bar.red */
    WL_PTX_ALL,
    WL_PTX_ANY,
    WL_PTX_UNI,
    WL_PTX_BALLOT,
    WL_PTX_POPC,
    /* atom, red, redux, and the combination of set and setp */
    WL_PTX_AND,
    WL_PTX_OR,
    WL_PTX_XOR,
    WL_PTX_ADD,
    WL_PTX_INC,
    WL_PTX_DEC,
    WL_PTX_MIN,
    WL_PTX_MAX,
    WL_PTX_EXCH,
    WL_PTX_CAS,
    /* prmt */
    WL_PTX_F4E,
    WL_PTX_B4E,
    WL_PTX_RC8,
    WL_PTX_ECL,
    WL_PTX_ECR,
    WL_PTX_RC16,
    /* testp */
    WL_PTX_FINITE,
    WL_PTX_INFINITE,
    WL_PTX_NUMBER,
    WL_PTX_NOTANUMBER,
    WL_PTX_NORMAL,
    WL_PTX_SUBNORMAL
} wl_ptx_variant;

/* ---- operands ---- */

typedef enum wl_ptx_special {
    WL_PTX_TID_X,
    WL_PTX_TID_Y,
    WL_PTX_TID_Z,
    WL_PTX_NTID_X,
    WL_PTX_NTID_Y,
    WL_PTX_NTID_Z,
    WL_PTX_CTAID_X,
    WL_PTX_CTAID_Y,
    WL_PTX_CTAID_Z,
    WL_PTX_NCTAID_X,
    WL_PTX_NCTAID_Y,
    WL_PTX_NCTAID_Z,
    WL_PTX_LANEID,
    WL_PTX_WARPID,
    WL_PTX_NWARPID,
    WL_PTX_SMID,
    WL_PTX_NSMID,
    WL_PTX_GRIDID,
    WL_PTX_LANEMASK_EQ,
    WL_PTX_LANEMASK_LE,
    WL_PTX_LANEMASK_LT,
    WL_PTX_LANEMASK_GE,
    WL_PTX_LANEMASK_GT,
    WL_PTX_CLOCK,
    WL_PTX_CLOCK64,
    WL_PTX_GLOBALTIMER,
    WL_PTX_DYNAMIC_SMEM,
    WL_PTX_TOTAL_SMEM,
    WL_PTX_CLUSTERID_X,
    WL_PTX_CLUSTERID_Y,
    WL_PTX_CLUSTERID_Z,
    WL_PTX_NCLUSTERID_X,
    WL_PTX_NCLUSTERID_Y,
    WL_PTX_NCLUSTERID_Z,
    WL_PTX_CLUSTER_CTAID_X,
    WL_PTX_CLUSTER_CTAID_Y,
    WL_PTX_CLUSTER_CTAID_Z,
    WL_PTX_CLUSTER_NCTAID_X,
    WL_PTX_CLUSTER_NCTAID_Y,
    WL_PTX_CLUSTER_NCTAID_Z,
    WL_PTX_CLUSTER_CTARANK,
    WL_PTX_CLUSTER_NCTARANK,
    WL_PTX_ENVREG,
    WL_PTX_PM,
    WL_PTX_SPECIAL_OTHER /* the reader knows its name; its value is unknown */
} wl_ptx_special;

typedef enum wl_ptx_operand_kind {
    WL_PTX_OPERAND_NONE, /* also the sink _ */
    WL_PTX_OPERAND_REG,
    /* bits of the instruction's type: integers sign-extended, floats as in memory */
    WL_PTX_OPERAND_IMMEDIATE,
    WL_PTX_OPERAND_SPECIAL,  /* value: wl_ptx_special */
    WL_PTX_OPERAND_ADDRESS,  /* [reg + value], [variable + value], [value] */
    WL_PTX_OPERAND_VARIABLE, /* the address of a variable (+ value), as an operand of mov */
    WL_PTX_OPERAND_VECTOR,   /* {a, b, ..}: lists[first .. first + count) of the function */
    WL_PTX_OPERAND_LABEL,    /* value: index of an instruction; instruction_count: the end */
    WL_PTX_OPERAND_FUNCTION  /* value: index of a function; -1: not in this module */
} wl_ptx_operand_kind;

/* Programs have up to millions of instructions: these two are small. */
typedef struct wl_ptx_operand {
    wl_ptx_operand_kind kind : 8;
    bool negated; /* !p, -x */
    /* elements of a vector; coordinates of an address of tex or of a tensor copy */
    uint16_t count;
    int32_t reg; /* register, or base of an address; -1: none */
    union {
        int32_t variable; /* -1: none */
        int32_t other;    /* of a pair p|q (wl_ptx_may_pair): q; -1: none */
    };
    /* in lists: of a vector, of coordinates; of a function: its number, even without a body */
    int32_t first;
    int64_t value;
} wl_ptx_operand;

static inline bool wl_ptx_may_pair(const wl_ptx_operand *o)
{
    return o->kind == WL_PTX_OPERAND_NONE || o->kind == WL_PTX_OPERAND_REG || o->kind == WL_PTX_OPERAND_VECTOR;
}
static inline int32_t wl_ptx_second_of(const wl_ptx_operand *o) { return wl_ptx_may_pair(o) ? o->other : -1; }
static inline int32_t wl_ptx_variable_of(const wl_ptx_operand *o) { return wl_ptx_may_pair(o) ? -1 : o->variable; }

#define WL_PTX_OPERANDS_MAX 8
/* Every instruction has so many, of which those past operand_count are NONE. */
#define WL_PTX_OPERANDS_LEAST 4

/* Operands are in source order, destination first:
 *   ld, atom  [0] REG, VECTOR, or NONE for _;  [1] ADDRESS
 *   st, red   [0] ADDRESS;  [1] value
 *   setp      [0] p, or q of p|q by wl_ptx_second_of;  [1], [2];  [3] a predicate to combine with
 *   shfl, match  [0] d, or p of d|p in the same way
 *   bra       [0] LABEL
 *   brx       [0] the index;  [1] VECTOR of LABELs
 *   call      [0] VECTOR of results;  [1] FUNCTION or REG;  [2] VECTOR of arguments
 *   cp        to_space is the destination, space the source
 *   tex, cp_bulk  coordinates are in the ADDRESS */
typedef struct wl_ptx_instruction {
    wl_ptx_op op : 16;
    wl_ptx_type type : 8;       /* of the operation; of cvt and set: of the destination */
    wl_ptx_type from : 8;       /* the second type: source of cvt, set, cvt.pack; else NONE */
    wl_ptx_space space : 8;     /* of ld, st, atom, red, cvta, cp */
    wl_ptx_space to_space : 8;  /* destination of cp.async and bulk copies */
    wl_ptx_variant variant : 8; /* rounding, mode */
    /* and, or, xor with a third predicate: of set, setp, lop3 */
    wl_ptx_variant combine : 8;
    uint32_t modifiers;
    wl_ptx_compare compare : 8;
    uint8_t vector; /* elements of ld, st: 1, 2, 4, 8 */
    uint8_t joined; /* narrow accesses that this one stands for (shared_vectors.h); 0: itself */
    uint8_t operand_count;
    bool guard_negated;
    /* some modifier is not understood: see the notes */
    bool partial;
    int32_t guard;            /* predicate register; -1: none */
    wl_ptx_operand *operands; /* destination first */
    int32_t line;             /* line of the PTX text */
    int32_t column;
    /* of the .loc in force; file: index into the module's files, -1: none */
    int32_t file, source_line;
    const char *text; /* the instruction as written, for messages; without ';' */
    int32_t text_length;
    uint32_t descriptor; /* of tcgen05.mma: its shape, as encoded there; 0: not known, or none */
} wl_ptx_instruction;

wl_inst_class wl_ptx_class_of(const wl_ptx_instruction *in);
/* Does it write its first operand? */
bool wl_ptx_writes_first(const wl_ptx_instruction *in);
/* An asynchronous copy past the L1: nothing but a fill writes to shared memory. */
bool wl_ptx_is_fill(const wl_ptx_instruction *in);
/* Does a warp wait here for the others of its block or cluster? */
bool wl_ptx_is_barrier(const wl_ptx_instruction *in);
/* Is an atomic on shared memory a loop of compare-and-swap in machine code, since there is no such
 * instruction? Minima and maxima are not counted as such: their loop ends early. */
bool wl_ptx_is_swap_loop(const wl_ptx_instruction *in);
/* Does an atomic add floating-point numbers? */
bool wl_ptx_adds_floats(const wl_ptx_instruction *in);
/* A barrier of the cluster, or an access that may be to the shared memory of its other blocks. */
bool wl_ptx_reaches_cluster(const wl_ptx_instruction *in);
/* Floating-point operations of one lane. Matrix products count as 0 here: see tensor.h. */
double wl_ptx_flops(const wl_ptx_instruction *in);
/* Bytes one lane moves with ld, st, atom, red, cp.async; 0 for others. */
int wl_ptx_access_bytes(const wl_ptx_instruction *in);

/* What a load or an asynchronous copy from global memory does to the L1. All that is measured:
 * validate/cuda/cache_operators.cu. */
typedef enum wl_ptx_l1_use {
    WL_PTX_L1_KEEPS, /* hits lines that are there, and leaves its own */
    WL_PTX_L1_LOOKS, /* hits, but leaves nothing */
    WL_PTX_L1_PASSES /* neither: every request goes to the L2 */
} wl_ptx_l1_use;
wl_ptx_l1_use wl_ptx_l1_use_of(const wl_ptx_instruction *in);

/* Lanes of one request of a texture or surface instruction; 0: another one. */
int wl_ptx_request_lanes(const wl_ptx_instruction *in);

/* ---- declarations ---- */

typedef struct wl_ptx_register {
    const char *name;
    wl_ptx_type type;
} wl_ptx_register;

/* An address inside the initial value of a variable. */
typedef struct wl_ptx_link {
    int64_t at;                 /* offset of the first byte */
    int32_t bytes, first_byte;  /* how many bytes of the address, and which is the first */
    bool generic;               /* a generic address; otherwise one of the variable's state space */
    int32_t variable, function; /* whose address it is; -1: not of that kind */
    int64_t addend;
} wl_ptx_link;

typedef struct wl_ptx_variable {
    const char *name;
    const char *source_name; /* of global and constant memory: as in the source */
    wl_ptx_space space;
    wl_ptx_type type;
    int32_t align;
    int64_t elements, bytes;    /* 0: extern, sized by the launch (dynamic shared memory) */
    bool is_extern, is_pointer; /* is_pointer: a .ptr parameter */
    /* `bytes` bytes; NULL: all zero. Addresses in it are 0 until links are resolved */
    const uint8_t *initial;
    const wl_ptx_link *links; /* the addresses in `initial` */
    int32_t link_count;
    int32_t function; /* the declaring function; -1: the module */
    int32_t line;
} wl_ptx_variable;

typedef struct wl_ptx_function {
    const char *name;
    /* of an entry, as in the source; the name without parameters */
    wl_ptx_demangled shown;
    const char *source_name;
    bool is_entry, is_declared_only;
    int32_t *params, *returns; /* numbers of variables */
    int param_count, return_count;
    wl_ptx_register *registers; /* only those that some instruction names */
    int32_t register_count;
    wl_ptx_instruction *instructions;
    int32_t instruction_count;
    wl_ptx_operand *lists; /* elements of vectors, branch targets, call arguments */
    int32_t list_count;
    int64_t max_threads[3], required_threads[3]; /* 0: not stated */
    int64_t cluster[3];                          /* blocks of a cluster; 0: not stated */
    int32_t max_registers, min_blocks;           /* 0: not stated */
    int32_t line;
} wl_ptx_function;

/* A construct that was read but not understood. */
typedef struct wl_ptx_note {
    int32_t line, column;
    const char *text;
} wl_ptx_note;

/* The source that PTX was compiled from. */
typedef struct wl_ptx_source_text {
    const char *name, *text; /* NULL: not known */
    size_t length;
} wl_ptx_source_text;

typedef struct wl_ptx_module {
    wl_arena arena;
    const char *input;
    const char *text; /* as read; instructions point into it */
    wl_ptx_source_text source;
    int version_major, version_minor;
    const char *target; /* "sm_90" */
    int address_bits;
    const char **files; /* .file directives */
    int file_count;
    wl_ptx_variable *variables;
    int32_t variable_count;
    wl_ptx_function *functions;
    int32_t function_count;
    wl_ptx_note *notes;
    int note_count;
} wl_ptx_module;

/* Finds an entry by its name, as in the file or as in the source, a pattern, or a part no other has
 * (name_match.h). name NULL: the only entry. WL_E_INPUT lists the entries there are. */
wl_status wl_ptx_find_entry(const wl_ptx_module *module, const char *name, const wl_ptx_function **out, wl_error *err);
/* The same over several modules, as those of an executable; *module is the first that has it.
 * printed: a name that a profiler printed, neither a pattern nor a part. */
wl_status wl_ptx_find_entry_in(const wl_ptx_module *const *modules, size_t count, const char *name, bool printed,
                               size_t *module, const wl_ptx_function **out, wl_error *err);

#endif /* WL_PTX_MODULE_MODULE_H */
