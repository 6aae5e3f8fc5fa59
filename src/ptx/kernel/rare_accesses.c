/* rare_accesses.c - accesses that few warps execute, by a condition on their place that has no
 * closed form. See ptx_source.h.
 *
 * Such a condition (a hash of blockIdx chooses ten blocks of 40000) is evaluated for a sample of
 * blocks, which may miss all that fulfil it. The census follows every block, or a sample that is
 * much larger, and knows their kinds: if it shows that an access is rare, the access is traced, and
 * the population has blocks of every kind, each with its weight.
 * Layer  ptx/kernel. Oracle: tests/unit/test_ptx_rare.c. SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

/* Of 16 blocks, the smallest sample of those that evaluate conditions, one in a hundred has no
 * member of a kind that is a quarter of all blocks. */
#define RARE 0.25

#define PLACE                                                                                                          \
    (1u << WL_VAR_X | 1u << WL_VAR_Y | 1u << WL_VAR_Z | 1u << WL_VAR_BLOCK_X | 1u << WL_VAR_BLOCK_Y |                  \
     1u << WL_VAR_BLOCK_Z)

/* Does it divide the place of a block, or combine its bits? */
static bool is_irregular(const wl_symbol *a)
{
    if (!a || !(wl_sym_vars(a) & PLACE))
        return false;
    for (int i = 0; i < a->count; i++) {
        const wl_atom *atom = a->terms[i].atom;
        const wl_atom_op op = atom->op;
        const bool mixes = op == WL_ATOM_DIV || op == WL_ATOM_MOD || op == WL_ATOM_SCALED || op == WL_ATOM_AND ||
                           op == WL_ATOM_OR || op == WL_ATOM_XOR;
        if (op == WL_ATOM_VAR)
            continue;
        if (mixes && ((atom->a && wl_sym_vars(atom->a) & PLACE) || (atom->b && wl_sym_vars(atom->b) & PLACE)))
            return true;
        if (is_irregular(atom->a) || is_irregular(atom->b) || is_irregular(atom->c))
            return true;
    }
    return false;
}

/* How often a thread executes an instruction, if it fulfils all conditions. */
static double possible(const wl_ptx_recovery *r, int32_t instruction)
{
    double sum = 0;
    for (size_t i = 0; i < r->step_count; i++) {
        double times = 1;
        if (r->steps[i].instruction != instruction)
            continue;
        for (int32_t l = r->steps[i].loop; l >= 0; l = r->loops[l].parent)
            times *= (double)r->loops[l].trips;
        sum += times;
    }
    return sum;
}

wl_status wl_ptx_trace_rare(wl_ptx_source *s, wl_error *err)
{
    wl_ptx_recovery *r = &s->recovery;
    const wl_ptx_launch *l = &s->launch;
    const int32_t first = s->profile.first[l->entry - l->module->functions];
    const double blocks = (double)l->grid[0] * (double)l->grid[1] * (double)l->grid[2],
                 warps = blocks * (double)wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
    for (size_t i = 0; i < r->step_count && !r->gave_up; i++) {
        const int32_t at = r->steps[i].instruction;
        if (r->traced[at] || !is_irregular(r->steps[i].when))
            continue;
        WL_TRY(wl_ptx_take_census(s, err));
        if (s->census.total.warps_on[first + at] < RARE * warps * possible(r, at))
            wl_ptx_trace(r, at, (wl_ptx_cause){WL_PTX_WHY_RARE, at});
    }
    return WL_OK;
}
