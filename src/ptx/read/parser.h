/* parser.h - the parser's state, and its parts:
 *
 * parse_module.c  module directives, linking
 * header.c        functions and their parameters
 * body.c          statements, scopes and labels of a function
 * variable.c      registers and variables; initial.c: initial values
 * instruction.c   instructions, calls, branches; operand.c: operands
 *
 * Each parsing function starts at the current token and leaves the first token it does not
 * consume.
 * Layer  ptx/read (uses base, expr, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_PARSER_H
#define WL_PTX_READ_PARSER_H

#include "base/fail.h"
#include "ptx/read/constant.h"
#include "ptx/read/decode.h"
#include "ptx/read/ptx_lexer.h"
#include "ptx/read/list.h"
#include "ptx/module/module.h"
#include "ptx/read/names.h"
#include "ptx/read/read_module.h"

#define WL_PTX_INSTRUCTIONS_MAX (1 << 20) /* per function */
#define WL_PTX_REGISTERS_MAX (1 << 20)    /* per function and per range */
#define WL_PTX_BYTES_MAX ((int64_t)1 << 40)
/* bytes of initial values, of all variables together */
#define WL_PTX_INITIAL_MAX ((int64_t)1 << 26)
#define WL_PTX_DEPTH_MAX 64
#define WL_PTX_LIST_MAX UINT16_MAX

/* A reference to a label that is not defined yet. */
typedef struct wl_ptx_pending {
    const char *text;
    size_t length;
    wl_loc loc;
    /* instruction -1: operand is an index into the function's lists */
    int32_t instruction, operand;
} wl_ptx_pending;

typedef struct wl_ptx_scope {
    int32_t names, pending; /* counts at the start of the scope */
} wl_ptx_scope;

/* A place in the source, by the number of its file. */
typedef struct wl_ptx_place {
    int32_t file, line, column;
} wl_ptx_place;

/* Where the function that contains a place was inlined; of the latest ones. */
typedef struct wl_ptx_call {
    wl_ptx_place place, from;
} wl_ptx_call;
#define WL_PTX_CALLS 64

typedef struct wl_ptx_parser {
    wl_ptx_module *module;
    wl_lexer lexer;
    wl_error *err;
    wl_ptx_names names, mnemonics;
    wl_ptx_names members; /* of ranges, that are registers already */
    WL_PTX_LIST(wl_ptx_variable) variables;
    WL_PTX_LIST(wl_ptx_function) functions;
    WL_PTX_LIST(int32_t) aliases; /* by function: the function whose body it has; -1: its own */
    WL_PTX_LIST(wl_ptx_note) notes;
    WL_PTX_LIST(const char *) files;
    WL_PTX_LIST(int32_t) file_numbers;       /* of .file, by file */
    WL_PTX_LIST(wl_ptx_instruction) decoded; /* by mnemonic */
    WL_PTX_LIST(wl_ptx_link) links;          /* of the current variable */
    WL_PTX_LIST(uint8_t) bytes;
    int64_t initial_bytes;
    int32_t ranges; /* so far */
    int32_t depth;  /* of scopes: 0 module, 1 parameters, 2 and more: bodies */
    /* the current function */
    int32_t function; /* -1: none */
    WL_PTX_LIST(wl_ptx_instruction) instructions;
    WL_PTX_LIST(wl_ptx_operand) lists;
    WL_PTX_LIST(wl_ptx_register) registers;
    WL_PTX_LIST(int32_t) params;
    WL_PTX_LIST(wl_ptx_pending) pending;
    wl_ptx_scope scopes[WL_PTX_DEPTH_MAX + 1];
    int32_t file, source_line; /* of .loc; file: the number written there */
    int32_t own_file;          /* of the last one that is not inlined */
    wl_ptx_call calls[WL_PTX_CALLS];
    int call_count;
    bool lenient; /* undeclared names are no error */
} wl_ptx_parser;

/* Adds a note about a place. */
wl_status wl_ptx_note_add(wl_ptx_parser *p, wl_loc loc, const char *format, ...) WL_PRINTF(3, 4);
/* A 0-terminated copy that the module owns. */
wl_status wl_ptx_keep_text(wl_ptx_parser *p, const char *text, size_t length, const char **out);
/* A copy of a list that the module owns; NULL: out of memory. */
void *wl_ptx_keep_list(wl_ptx_parser *p, const void *items, int32_t count, size_t size);
/* How many characters of a text are quoted in messages. */
static inline int wl_ptx_quoted(size_t length) { return (int)(length < 80 ? length : 80); }
/* Consumes the punctuation if it is the current token; *is_there says so. */
wl_status wl_ptx_take_if(wl_ptx_parser *p, char punct, bool *is_there);
/* Declares a name in the open scope; twice in one scope is an error. */
wl_status wl_ptx_declare(wl_ptx_parser *p, const wl_token *at, wl_ptx_name name);
wl_status wl_ptx_open_scope(wl_ptx_parser *p);
wl_status wl_ptx_close_scope(wl_ptx_parser *p);

/* Parses directives that are allowed everywhere: .file, .loc, .pragma, .section; skips others
 * with a note. */
wl_status wl_ptx_read_common_directive(wl_ptx_parser *p);
/* Skips from an opening bracket past its closing one. */
wl_status wl_ptx_skip_brackets(wl_ptx_parser *p);
/* Skips past the next ';' outside brackets. */
wl_status wl_ptx_skip_statement(wl_ptx_parser *p);

/* Parses .entry or .func, with the body. */
wl_status wl_ptx_read_function(wl_ptx_parser *p);
wl_status wl_ptx_read_body(wl_ptx_parser *p);

bool wl_ptx_is_space(const wl_token *token, wl_ptx_space *space);
/* Parses ".global .u32 a, b[4] = {..};" from the state space on. */
wl_status wl_ptx_read_variables(wl_ptx_parser *p, bool is_extern);
/* Parses one parameter from its .param or .reg on; *variable is its number. */
wl_status wl_ptx_read_parameter(wl_ptx_parser *p, int32_t *variable);
wl_status wl_ptx_read_registers(wl_ptx_parser *p);
wl_status wl_ptx_new_register(wl_ptx_parser *p, const wl_token *at, const char *text, size_t length, wl_ptx_type type,
                              int32_t elements, int32_t *out);
/* Array extents; the first may be 0 (not given). extent[count] is that of a vector type. */
typedef struct wl_ptx_shape {
    int64_t extent[10];
    int count;
    int64_t element_bytes;
} wl_ptx_shape;
#define WL_PTX_DIMENSIONS_MAX 8
/* Parses "= {..}": sets v->initial and v->links, and the size of an array without one. */
wl_status wl_ptx_read_initial(wl_ptx_parser *p, const wl_ptx_shape *shape, wl_ptx_variable *v);

wl_status wl_ptx_read_instruction(wl_ptx_parser *p);
/* Parses what follows the mnemonic `word`. */
wl_status wl_ptx_read_after_mnemonic(wl_ptx_parser *p, const wl_token *start, const wl_token *word, int32_t guard,
                                     bool guard_negated);
wl_status wl_ptx_read_operand(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out);
/* Parses an operand that is neither an address nor a vector. */
wl_status wl_ptx_read_scalar(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out);
/* Parses "+ 4 - 8" and adds it up. */
wl_status wl_ptx_read_offsets(wl_ptx_parser *p, int64_t *value);
/* Parses a predicate or other register. */
wl_status wl_ptx_read_register(wl_ptx_parser *p, int32_t *reg);
wl_ptx_operand wl_ptx_operand_of(wl_ptx_operand_kind kind);
/* Parses scalars between two brackets into the function's lists; `wrong` is the message if one is
 * no element, or there are too many. */
wl_status wl_ptx_read_elements(wl_ptx_parser *p, wl_ptx_type type, const char brackets[2], const char *wrong,
                               wl_ptx_operand *out);
wl_status wl_ptx_add_pending(wl_ptx_parser *p, int32_t instruction, int32_t operand);

/* Looks up a special register, "%tid.x". */
bool wl_ptx_special_named(const char *text, size_t length, wl_ptx_special *out);

#endif /* WL_PTX_READ_PARSER_H */
