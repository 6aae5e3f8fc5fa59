/* cost_table.h - the numbers of one architecture that weights are made of: a file of share/costs.
 *
 * The file says what one PTX instruction becomes, taken by itself, and the numbers of the rules about neighbours
 * (rules.def). Its form is in docs/ptx.md. Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_COST_COST_TABLE_H
#define WL_PTX_COST_COST_TABLE_H

#include "base/embedded.h"
#include "ptx/module/module.h"

/* Types that cost alike; those before F32 are integers. */
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
    wl_cost_kind kind;
    uint32_t modifiers; /* that the instruction must have */
    double cost;
} wl_cost_row;

typedef struct wl_ptx_costs {
    wl_cost_row rows[WL_COST_ROWS_MAX];
    int32_t first[WL_PTX_OP_COUNT + 1]; /* of operation o: rows[first[o]] .. rows[first[o + 1] - 1], as in the file */
    struct {
#define WL_COST_RULE(name, unit, meaning) double name;
#include "ptx/cost/rules.def"
    } rules;
} wl_ptx_costs;

/* Reads such a file. WL_E_INPUT: an operation, modifier, type or rule that does not exist, a rule without its number,
 * a line that an earlier one hides, a number without unit and source. */
wl_status wl_ptx_costs_parse(const char *input, const char *text, size_t length, wl_ptx_costs **out, wl_error *err);

/* "sm_90": the number; -1: no such name. Letters behind it ("sm_90a") make no difference to costs. */
int wl_cost_architecture(const char *name);
/* The file for a target ("sm_90a"): its architecture's, or the nearest; of two as near, the newer one. No target, or
 * one that is not called so: the newest. */
size_t wl_cost_nearest(const wl_embedded_file *files, size_t count, const char *target);
/* The built-in one, read. */
wl_status wl_ptx_costs_builtin(const char *target, wl_ptx_costs **out, wl_error *err);
void wl_ptx_costs_free(wl_ptx_costs *costs);

wl_cost_kind wl_cost_kind_of(wl_ptx_type type);
/* What an instruction costs by itself: the first row that fits; 1 without one. */
double wl_cost_of_table(const wl_ptx_costs *costs, const wl_ptx_instruction *in);

#endif /* WL_PTX_COST_COST_TABLE_H */
