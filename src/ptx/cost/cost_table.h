/* cost_table.h - the cost numbers of one architecture: a file of share/costs.
 *
 * The file gives the cost of each PTX instruction by itself, and the numbers of the rules about
 * neighbours (rules.def). docs/ptx.md describes its format.
 * Layer  ptx/cost (uses base, ptx/module). Oracle: tests/unit/test_ptx_cost_file.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_TABLE_H
#define WL_PTX_COST_COST_TABLE_H

#include "base/embedded.h"
#include "ptx/module/module.h"

/* Types of equal cost. Those before F32 are integers. */
typedef enum wl_cost_kind {
    WL_COST_ANY,
    WL_COST_S32, /* up to 32 bits */
    WL_COST_U32,
    WL_COST_I64, /* 64 bits of any kind but floating-point */
    WL_COST_F32, /* 32 bits and less */
    WL_COST_F64,
    WL_COST_P, /* predicates */
    WL_COST_KIND_COUNT
} wl_cost_kind;

#define WL_COST_ROWS_MAX 256

typedef struct wl_cost_row {
    wl_cost_kind kind, from; /* from: of the operand of a conversion */
    uint32_t modifiers;      /* that the instruction must have */
    double cost;
    bool has_parts;                    /* its machine instructions are not all of its own class: */
    double parts[WL_INST_CLASS_COUNT]; /* how many are of each class */
    double integer_pipe;               /* how many only the integer pipe executes */
    /* measured: until its result can be used, in dependent additions of f32; 0: not known */
    double chain;
    bool read; /* from machine code: its branches are counted like other instructions */
} wl_cost_row;

/* A sequence with a branch in it, for the operands that it does not serve itself: division, square
 * root. The assembler moves nothing over it. */
static inline bool wl_cost_has_slow_path(const wl_cost_row *row)
{
    return row->has_parts && !row->read && row->parts[WL_INST_control] > 0;
}

typedef struct wl_ptx_costs {
    wl_cost_row rows[WL_COST_ROWS_MAX];
    /* operation o: rows[first[o]] .. rows[first[o + 1] - 1], in file order */
    int32_t first[WL_PTX_OP_COUNT + 1];
    struct {
#define WL_COST_RULE(name, unit, meaning) double name;
#include "ptx/cost/rules.def"
    } rules;
} wl_ptx_costs;

/* Parses such a file. WL_E_INPUT: an unknown operation, modifier, type or rule; a rule without a
 * number; a row that an earlier one hides; a number without unit and source. */
wl_status wl_ptx_costs_parse(const char *input, const char *text, size_t length, wl_ptx_costs **out, wl_error *err);

/* The number of "sm_90"; -1: not such a name. A suffix letter ("sm_90a") does not change costs. */
int wl_cost_architecture(const char *name);
/* The file for a target ("sm_90a"): that of its architecture, or the nearest one (of two equally
 * near ones, the newer). Without a valid target: the newest. */
size_t wl_cost_nearest(const wl_embedded_file *files, size_t count, const char *target);
/* Parses the built-in file for a target. */
wl_status wl_ptx_costs_builtin(const char *target, wl_ptx_costs **out, wl_error *err);
void wl_ptx_costs_free(wl_ptx_costs *costs);

wl_cost_kind wl_cost_kind_of(wl_ptx_type type);
/* The first matching row; NULL: none, it costs 1. */
const wl_cost_row *wl_cost_row_of(const wl_ptx_costs *costs, const wl_ptx_instruction *in);
/* The cost of an instruction by itself. */
double wl_cost_of_table(const wl_ptx_costs *costs, const wl_ptx_instruction *in);

#endif /* WL_PTX_COST_COST_TABLE_H */
