/* ptx_program.h - a tiny kernel language: the programs that the differential test draws, prints as
 * PTX (ptx_print.h) and executes by itself (ptx_reference.h).
 *
 * Values are 32-bit integers that wrap around. Expressions and statements live in pools and name
 * each other by number, so that a program is copied with one assignment and a statement is taken
 * out by unlinking it: that is how failures are made small.
 *
 * Threads talk through shared memory only at EXCHANGE: every thread writes its own word, all meet
 * at a barrier, all read any word, all meet again. So every order of execution gives the same
 * values. Words of the scratch array are written by anybody at any time, and read into SINK, which
 * conditions and addresses seldom use. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_PROGRAM_H
#define WL_TESTS_PTX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#define PROGRAM_EXPRS 400
#define PROGRAM_CONDS 80
#define PROGRAM_STATEMENTS 80
#define PROGRAM_BUFFERS 4
#define PROGRAM_CASES 3
#define SCRATCH_WORDS 1024 /* of the scratch array in shared memory */
#define SLACK_WORDS 32     /* of a buffer beyond what a masked index reaches */
#define TRIP_MOST 40       /* iterations of a counted loop */
#define COUNTS_BUFFER 0    /* its words are iteration counts, mostly small */
#define GENERAL_LOCALS 4   /* numbers 0 .. 3 */
#define SINK 4             /* holds what nothing depends on */
#define LOOP_LOCAL 5       /* 5 .. 7: counters of loops, by depth */
#define STRIDE_LOCAL 8     /* counter of a grid-stride loop */
#define PROGRAM_LOCALS 9
#define PROGRAM_DEPTH 3 /* of nested loops */
#define MEMORY_ORDERS 5 /* as atomics name them; the first: none */

typedef enum expr_kind { EXPR_CONST, EXPR_LOCAL, EXPR_SPECIAL, EXPR_BINARY, EXPR_SELECT } expr_kind;
typedef enum special {
    TID_X,
    TID_Y,
    TID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NTID_X,
    NCTAID_X,
    CELL_X, /* ctaid.x * ntid.x + tid.x */
    CELL_Y,
    THREAD, /* number of the thread in its block */
    BLOCK,  /* number of the block in the launch */
    LIMIT,  /* the parameter n */
    SPECIAL_COUNT
} special;
/* The right operand of SHL .. REM is a constant. */
typedef enum binary { ADD, SUB, MUL, AND, OR, XOR, MIN, MAX, SHL, SHR, DIV, REM, BINARY_COUNT } binary;

typedef struct expr {
    expr_kind kind;
    int op; /* special, binary, or the number of a local */
    int a, b;
    int cond; /* of EXPR_SELECT */
    int32_t value;
} expr;

typedef enum comparison { LT, LE, GT, GE, EQ, NE, COMPARISON_COUNT } comparison;
/* a OP b, or with another comparison: both, or either */
typedef struct cond {
    comparison op;
    int a, b, other; /* other -1: none */
    bool either;
} cond;

typedef enum statement_kind {
    SET,          /* local = a */
    LOAD,         /* local = buffer[a] */
    STORE,        /* buffer[a] = b */
    ATOMIC,       /* buffer[a] += b */
    SCRATCH_LOAD, /* SINK = scratch[a] */
    SCRATCH_STORE,
    SCRATCH_ATOMIC,
    EXCHANGE, /* shared[THREAD] = a; barrier; local = shared[b mod threads]; barrier */
    BARRIER,
    FLOAT, /* a multiply-add */
    IF,    /* bodies: then, else */
    FOR,   /* counter = 0 .. a - 1 */
    STRIDE,
    SWITCH, /* bodies by a mod PROGRAM_CASES */
    RETURN, /* where cond holds */
    BREAK,
    CONTINUE,
    STATEMENT_COUNT
} statement_kind;

typedef struct statement {
    statement_kind kind;
    int next; /* -1: the last of its list */
    int body[PROGRAM_CASES];
    int cond; /* condition, or guard of a memory instruction; -1: none */
    int a, b, local, buffer;
    int width;    /* words of a vector access */
    int offset;   /* words, in the address */
    int variant;  /* of the text: see ptx_print.h */
    bool masked;  /* the index is cut to the buffer */
    bool generic; /* through a pointer of any space */
    int order;    /* of an atomic, among memory_orders of ptx_print.h; 0: none is written */
    bool object;  /* EXCHANGE: meets at a barrier object, if no thread returns early */
} statement;

typedef enum content { CONTENT_NONE, CONTENT_RANDOM, CONTENT_IOTA, CONTENT_COUNTS, CONTENT_ZERO } content;
typedef struct buffer {
    int64_t words; /* power of two, without the slack */
    content content;
    int64_t most; /* of random contents and of counts */
    int share;    /* of counts: how many of 1000 are large */
} buffer;

typedef struct program {
    uint64_t seed;
    int64_t block[3], grid[3];
    int32_t limit; /* the parameter n */
    buffer buffers[PROGRAM_BUFFERS];
    expr exprs[PROGRAM_EXPRS];
    cond conds[PROGRAM_CONDS];
    statement statements[PROGRAM_STATEMENTS];
    int expr_count, cond_count, statement_count;
    int first; /* statement */
    bool uses_exchange, uses_scratch, uses_object;
} program;

static inline int64_t program_threads(const program *p) { return p->block[0] * p->block[1] * p->block[2]; }
static inline int64_t program_blocks(const program *p) { return p->grid[0] * p->grid[1] * p->grid[2]; }

static inline bool is_memory(statement_kind k) { return k >= LOAD && k <= EXCHANGE; }
static inline bool is_loop(statement_kind k) { return k == FOR || k == STRIDE; }

/* Word `at` of a buffer of counts: few blocks, or rows, have much work. */
static inline uint32_t count_at(const buffer *b, uint64_t seed, int64_t at)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + (uint64_t)at * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 29)) * 0x94d049bb133111ebu;
    z ^= z >> 32;
    if ((int)(z % 1000) < b->share)
        return (uint32_t)(b->most / 2 + (int64_t)(z >> 20) % (b->most / 2 + 1));
    return (z >> 40) % 8 == 0;
}

#endif /* WL_TESTS_PTX_PROGRAM_H */
