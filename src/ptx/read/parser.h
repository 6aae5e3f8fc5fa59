/* parser.h - the state of reading a PTX text, and the parts of the reader.
 *
 * parse.c        the text: directives of the module, the end
 * header.c       functions and their parameters
 * body.c         statements, scopes and labels of a function
 * variable.c     registers and variables; initial.c their initial values
 * instruction.c  instructions, calls, branches; operand.c their operands
 *
 * Each reader starts at the token that the lexer holds and leaves the first that is not its own.
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
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

#define WL_PTX_INSTRUCTIONS_MAX (1 << 20) /* of one function */
#define WL_PTX_REGISTERS_MAX (1 << 20)    /* of one function, and of one range */
#define WL_PTX_BYTES_MAX ((int64_t)1 << 40)
#define WL_PTX_INITIAL_MAX ((int64_t)1 << 26) /* bytes with initial values, of all variables together */
#define WL_PTX_DEPTH_MAX 64
#define WL_PTX_LIST_MAX UINT16_MAX

/* A label that was named before it stood. */
typedef struct wl_ptx_pending {
    const char *text;
    size_t length;
    wl_loc loc;
    int32_t instruction, operand; /* instruction -1: operand is a number in the function's lists */
} wl_ptx_pending;

typedef struct wl_ptx_scope {
    int32_t names, pending; /* how many there were when it began */
} wl_ptx_scope;

typedef struct wl_ptx_parser {
    wl_ptx_module *module;
    wl_lexer lexer;
    wl_error *err;
    wl_ptx_names names, mnemonics;
    wl_ptx_members members;      /* registers of ranges */
    wl_ptx_members file_numbers; /* index by the number of .file */
    WL_PTX_LIST(wl_ptx_variable) variables;
    WL_PTX_LIST(wl_ptx_function) functions;
    WL_PTX_LIST(int32_t) aliases; /* of each function: whose body it has, -1: its own */
    WL_PTX_LIST(wl_ptx_note) notes;
    WL_PTX_LIST(const char *) files;
    WL_PTX_LIST(wl_ptx_instruction) decoded; /* by mnemonic */
    WL_PTX_LIST(wl_ptx_link) links;          /* of the variable being read */
    WL_PTX_LIST(uint8_t) bytes;
    int64_t initial_bytes;
    int32_t ranges; /* so far */
    int32_t depth;  /* of scopes: 0 the module, 1 parameters, 2 a body */
    /* the function being read */
    int32_t function; /* -1: none */
    WL_PTX_LIST(wl_ptx_instruction) instructions;
    WL_PTX_LIST(wl_ptx_operand) lists;
    WL_PTX_LIST(wl_ptx_register) registers;
    WL_PTX_LIST(int32_t) params;
    WL_PTX_LIST(wl_ptx_pending) pending;
    wl_ptx_scope scopes[WL_PTX_DEPTH_MAX + 1];
    int32_t file, source_line; /* of .loc; file is its number there */
    bool lenient;              /* names that are not declared are no error */
} wl_ptx_parser;

/* Adds a remark about the place. */
wl_status wl_ptx_note_add(wl_ptx_parser *p, wl_loc loc, const char *format, ...) WL_PRINTF(3, 4);
/* A 0-terminated copy that the module owns; fails without memory. */
wl_status wl_ptx_keep_text(wl_ptx_parser *p, const char *text, size_t length, const char **out);
/* Declares a name in the scope that is open; twice in one scope is an error. */
wl_status wl_ptx_declare(wl_ptx_parser *p, const wl_token *at, wl_ptx_name name);
wl_status wl_ptx_open_scope(wl_ptx_parser *p);
wl_status wl_ptx_close_scope(wl_ptx_parser *p);

/* Directives that stand anywhere: .file, .loc, .pragma, .section; others are skipped with a note. */
wl_status wl_ptx_read_common_directive(wl_ptx_parser *p);
/* From an opening bracket to behind its end. */
wl_status wl_ptx_skip_brackets(wl_ptx_parser *p);
/* To behind the next ';' outside brackets. */
wl_status wl_ptx_skip_statement(wl_ptx_parser *p);

/* .entry and .func, with their body. */
wl_status wl_ptx_read_function(wl_ptx_parser *p);
wl_status wl_ptx_read_body(wl_ptx_parser *p);

bool wl_ptx_is_space(const wl_token *token, wl_ptx_space *space);
/* ".global .u32 a, b[4] = {..};" from the space on. */
wl_status wl_ptx_read_variables(wl_ptx_parser *p, bool is_extern);
/* One parameter, from its .param or .reg on; *variable is its number. */
wl_status wl_ptx_read_parameter(wl_ptx_parser *p, int32_t *variable);
wl_status wl_ptx_read_registers(wl_ptx_parser *p);
wl_status wl_ptx_new_register(wl_ptx_parser *p, const wl_token *at, const char *text, size_t length, wl_ptx_type type,
                              int32_t elements, int32_t *out);
/* Array extents, the first may be 0 (not given); extent[count] is the vector's, where it is one. */
typedef struct wl_ptx_shape {
    int64_t extent[10];
    int count;
    int64_t element_bytes;
} wl_ptx_shape;
#define WL_PTX_DIMENSIONS_MAX 8
/* "= {..}": sets v->initial and v->links, and the size of an array without one. */
wl_status wl_ptx_read_initial(wl_ptx_parser *p, const wl_ptx_shape *shape, wl_ptx_variable *v);

wl_status wl_ptx_read_instruction(wl_ptx_parser *p);
/* The mnemonic has been read: `word`. */
wl_status wl_ptx_read_after_mnemonic(wl_ptx_parser *p, const wl_token *start, const wl_token *word, int32_t guard,
                                     bool guard_negated);
wl_status wl_ptx_read_operand(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out);
/* One operand that is neither an address nor a vector. */
wl_status wl_ptx_read_scalar(wl_ptx_parser *p, wl_ptx_type type, wl_ptx_operand *out);
/* A predicate or other register. */
wl_status wl_ptx_read_register(wl_ptx_parser *p, int32_t *reg);
wl_ptx_operand wl_ptx_no_operand(void);
wl_status wl_ptx_add_pending(wl_ptx_parser *p, int32_t instruction, int32_t operand);

/* A special register by its name, "%tid.x". */
bool wl_ptx_special_named(const char *text, size_t length, wl_ptx_special *out);

#endif /* WL_PTX_READ_PARSER_H */
