/* program.c - see program.h. SPDX-License-Identifier: MIT */
#include "kernel/program.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

static int count_nodes(const wl_expr *e) { return e->a ? 1 + count_nodes(e->a) + count_nodes(e->b) : 1; }

/* Appends an expression; returns the number of its node. */
static int append(wl_program *p, const wl_expr *e)
{
    wl_program_node n = {.op = e->op, .var = e->var, .a = -1, .b = -1, .loc = e->loc};
    if (e->a) {
        n.a = append(p, e->a);
        n.b = append(p, e->b);
        n.level = p->nodes[n.a].level > p->nodes[n.b].level ? p->nodes[n.a].level : p->nodes[n.b].level;
    } else if (e->op == WL_EXPR_VAR && e->var >= WL_VAR_LOOP_0 && e->var < WL_VAR_LOOP_0 + WL_LOOPS_MAX) {
        n.level = (int)(e->var - WL_VAR_LOOP_0) + 1;
    }
    for (int i = 0; e->op == WL_EXPR_CONST && i < WL_LANES_MAX; i++)
        p->values[p->count][i] = e->value;
    p->nodes[p->count] = n;
    return p->count++;
}

wl_status wl_program_make(const wl_kernel *kernel, const wl_access *access, wl_arena *arena, wl_program *out,
                          wl_error *err)
{
    const int count = count_nodes(access->index);
    const uint32_t vars = wl_expr_vars(access->index);
    *out = (wl_program){.kernel = kernel,
                        .access = access,
                        .innermost = -1,
                        .advance = 1,
                        .nodes = WL_ARENA_NEW(arena, wl_program_node, count)};
    out->values = wl_arena_alloc(arena, (size_t)count, sizeof *out->values);
    if (!out->nodes || !out->values)
        return wl_fail_memory(err);
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        if (vars & (1u << (WL_VAR_LOOP_0 + i))) {
            out->uses_loop[i] = true;
            out->innermost = i;
        }
    (void)append(out, access->index);
    return WL_OK;
}

/* Not 0 when a value leaves +-2^60. No branch, so that compilers handle several lanes at once. */
static inline uint64_t out_of_range(int64_t v)
{
    return (uint64_t)(v + (WL_ADDRESS_LIMIT - 1)) >> 61 | (uint64_t)((WL_ADDRESS_LIMIT - 1) - v) >> 63;
}

/* One operation on all lanes. False when some result leaves 2^60, or a divisor is 0. Operands are in range, so sums do
 * not overflow. */
static bool operate(wl_expr_op op, const int64_t *restrict a, const int64_t *restrict b, int lanes,
                    int64_t *restrict out)
{
    uint64_t bad = 0;
    switch (op) {
    case WL_EXPR_ADD:
        for (int i = 0; i < lanes; i++) {
            out[i] = a[i] + b[i];
            bad |= out_of_range(out[i]);
        }
        break;
    case WL_EXPR_SUB:
        for (int i = 0; i < lanes; i++) {
            out[i] = a[i] - b[i];
            bad |= out_of_range(out[i]);
        }
        break;
    case WL_EXPR_MUL:
        for (int i = 0; i < lanes; i++)
            bad |= !wl_mul(a[i], b[i], &out[i]);
        break;
    case WL_EXPR_DIV:
    case WL_EXPR_MOD:
        for (int i = 0; i < lanes; i++) {
            if (b[i] == 0)
                return false;
            const int64_t q = b[i] > 0 ? wl_floor_div(a[i], b[i]) : wl_floor_div(-a[i], -b[i]);
            out[i] = op == WL_EXPR_DIV ? q : a[i] - q * b[i];
        }
        break;
    case WL_EXPR_MIN:
        for (int i = 0; i < lanes; i++)
            out[i] = wl_min(a[i], b[i]);
        break;
    case WL_EXPR_MAX:
        for (int i = 0; i < lanes; i++)
            out[i] = wl_max(a[i], b[i]);
        break;
    case WL_EXPR_RANDOM:
        for (int i = 0; i < lanes; i++) {
            if (b[i] <= 0)
                return false;
            out[i] = wl_random_below(a[i], b[i]);
        }
        break;
    case WL_EXPR_CONST:
    case WL_EXPR_VAR: break;
    }
    return bad == 0;
}

static wl_status operation_failed(const wl_program *p, wl_expr_op op, wl_error *err)
{
    const bool division = op == WL_EXPR_DIV || op == WL_EXPR_MOD, range = op == WL_EXPR_RANDOM;
    return wl_fail(err, division || range ? WL_E_INPUT : WL_E_RANGE, p->access->loc, "%s in %.60s",
                   division ? "division by zero"
                   : range  ? "random() needs a range above 0"
                            : "a value leaves the range +-2^60",
                   p->access->text);
}

/* Evaluates the nodes that loop `level` - 1 or one inside it changes; level 0: all. */
static wl_status evaluate(wl_program *p, const wl_lane_values *values, int level, wl_error *err)
{
    const size_t bytes = (size_t)values->lanes * sizeof(int64_t);
    for (int i = 0; i < p->count; i++) {
        const wl_program_node *n = &p->nodes[i];
        if (n->level < level || n->op == WL_EXPR_CONST)
            continue;
        if (n->op == WL_EXPR_VAR)
            memcpy(p->values[i], values->at[n->var], bytes);
        else if (!operate(n->op, p->values[n->a], p->values[n->b], values->lanes, p->values[i]))
            return operation_failed(p, n->op, err);
    }
    return WL_OK;
}

static wl_status finish_step(const wl_program *p, int lanes, wl_program_visit visit, void *context, wl_error *err)
{
    const int64_t base = p->kernel->fields[p->access->field].base_bytes, *index = p->values[p->count - 1];
    const int64_t width = p->access->width_bytes, room = (WL_ADDRESS_LIMIT - 1 - base) / width;
    int64_t addresses[WL_LANES_MAX];
    uint64_t far = 0;
    for (int i = 0; i < lanes; i++)
        far |= (uint64_t)(room - index[i]) >> 63 | (uint64_t)(room + index[i]) >> 63;
    if (far)
        return wl_fail(err, WL_E_RANGE, p->access->loc, "the address of %.60s leaves the range +-2^60",
                       p->access->text);
    for (int i = 0; i < lanes; i++)
        addresses[i] = index[i] * width + base;
    return visit(context, addresses, lanes, err);
}

/* Loops from `loop` inwards; everything outside them is evaluated already, unless first. */
static wl_status run_loops(wl_program *p, wl_lane_values *values, int loop, int level, wl_program_visit visit,
                           void *context, wl_error *err)
{
    while (loop < WL_LOOPS_MAX && !p->uses_loop[loop])
        loop++;
    if (loop >= WL_LOOPS_MAX) {
        WL_TRY(evaluate(p, values, level, err));
        return finish_step(p, values->lanes, visit, context, err);
    }
    const int64_t first = loop == p->innermost ? p->first : 0, advance = loop == p->innermost ? p->advance : 1;
    for (int64_t step = first; step < p->kernel->loop_extent[loop]; step += advance) {
        for (int i = 0; i < values->lanes; i++)
            values->at[WL_VAR_LOOP_0 + loop][i] = step;
        WL_TRY(run_loops(p, values, loop + 1, step == first ? level : loop + 1, visit, context, err));
    }
    return WL_OK;
}

wl_status wl_program_run(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                         wl_error *err)
{
    return run_loops(program, values, 0, 0, visit, context, err);
}

wl_status wl_program_run_first(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                               wl_error *err)
{
    for (int loop = 0; loop < WL_LOOPS_MAX; loop++)
        memset(values->at[WL_VAR_LOOP_0 + loop], 0, sizeof values->at[0]);
    return run_loops(program, values, WL_LOOPS_MAX, 0, visit, context, err);
}

double wl_access_steps(const wl_kernel *kernel, const wl_access *access)
{
    const uint32_t vars = kernel->loop_count ? wl_expr_vars(access->index) : 0;
    double steps = 1;
    for (int i = 0; i < kernel->loop_count; i++)
        steps *= vars & (1u << (WL_VAR_LOOP_0 + i)) ? (double)kernel->loop_extent[i] : 1;
    return steps;
}
