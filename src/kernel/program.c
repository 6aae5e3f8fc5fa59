/* program.c - see program.h. SPDX-License-Identifier: MIT */
#include "kernel/program.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define SEARCHED_NODES 256 /* searched for a common subexpression */

static int count_nodes(const wl_expr *e) { return e->a ? 1 + count_nodes(e->a) + count_nodes(e->b) : 1; }

static int deeper(const wl_program *p, int level, int node)
{
    return p->nodes[node].level > level ? p->nodes[node].level : level;
}

static bool is_constant(const wl_program *p, int node, int64_t value)
{
    return p->nodes[node].op == WL_EXPR_CONST && p->nodes[node].value == value;
}

static bool is_thread_var(wl_var var)
{
    return (var >= WL_VAR_X && var < WL_VAR_X + 3) || (var >= WL_VAR_THREAD_X && var < WL_VAR_THREAD_X + 3);
}

/* Is a node the same for all threads of a block? Its operands are known. */
static bool is_alike(const wl_program *p, const wl_program_node *n)
{
    if (n->a < 0)
        return n->op == WL_EXPR_CONST || (n->op == WL_EXPR_VAR && !is_thread_var(n->var));
    return p->nodes[n->a].alike && p->nodes[n->b].alike && (n->c < 0 || p->nodes[n->c].alike);
}

/* Marks the nodes among them whose values are needed in every lane. */
static void mark_spread(wl_program *p)
{
    for (int i = 0; i < p->count; i++) {
        const wl_program_node *n = &p->nodes[i];
        const int operands[3] = {n->a, n->b, n->c};
        for (int k = 0; k < 3 && !n->alike && !n->idle; k++)
            if (operands[k] >= 0)
                p->nodes[operands[k]].spread = true;
    }
    p->nodes[p->index].spread = true;
    if (p->when >= 0)
        p->nodes[p->when].spread = true;
}

/* A node with the same value: an operand of e + 0 or 1 * e, or an equal operation; -1: none. */
static int same_value(const wl_program *p, const wl_program_node *n)
{
    const int64_t neutral = n->op == WL_EXPR_MUL;
    if ((n->op == WL_EXPR_ADD || n->op == WL_EXPR_MUL) && is_constant(p, n->a, neutral))
        return n->b;
    if ((n->op == WL_EXPR_ADD || n->op == WL_EXPR_SUB || n->op == WL_EXPR_MUL) && is_constant(p, n->b, neutral))
        return n->a;
    for (int i = 0; i < p->count && i < SEARCHED_NODES; i++) {
        const wl_program_node *m = &p->nodes[i];
        if (!m->idle && m->op == n->op && m->a == n->a && m->b == n->b && m->c == n->c &&
            (n->op != WL_EXPR_VAR || m->var == n->var) && (n->op != WL_EXPR_CONST || m->value == n->value))
            return i;
    }
    return -1;
}

/* Appends an expression; returns the node that holds its value. */
static int append(wl_program *p, const wl_expr *e)
{
    wl_program_node n = {.op = e->op, .var = e->var, .a = -1, .b = -1, .c = -1, .value = e->value};
    if (e->a) {
        const bool select = e->op == WL_EXPR_SELECT;
        n.a = append(p, e->a);
        n.b = append(p, select ? e->b->a : e->b);
        n.c = select ? append(p, e->b->b) : -1;
        n.level = deeper(p, p->nodes[n.a].level, n.b);
        n.level = select ? deeper(p, n.level, n.c) : n.level;
    } else if (e->op == WL_EXPR_VAR && e->var >= WL_VAR_LOOP_0 && e->var < WL_VAR_LOOP_0 + WL_LOOPS_MAX) {
        n.level = (int)(e->var - WL_VAR_LOOP_0) + 1;
    }
    const int same = same_value(p, &n);
    n.idle = same >= 0;
    n.row = n.idle ? -1 : p->rows++;
    n.alike = is_alike(p, &n);
    p->nodes[p->count] = n;
    p->count++;
    return same >= 0 ? same : p->count - 1;
}

/* A row for each node that is not idle; constants never change. */
static wl_status make_values(wl_program *p, wl_arena *arena, wl_error *err)
{
    if (p->access->traced)
        return WL_OK;
    p->values = wl_arena_alloc(arena, (size_t)p->rows + 2, sizeof *p->values);
    if (!p->values)
        return wl_fail_memory(err);
    p->lone_index = p->values[p->rows];
    p->lone_when = p->values[p->rows + 1];
    for (int i = 0; i < p->count; i++)
        for (int lane = 0; p->nodes[i].op == WL_EXPR_CONST && !p->nodes[i].idle && lane < WL_LANES_MAX; lane++)
            p->values[p->nodes[i].row][lane] = p->nodes[i].value;
    return WL_OK;
}

wl_status wl_program_make(const wl_kernel *kernel, const wl_access *access, wl_arena *arena, wl_program *out,
                          wl_error *err)
{
    const int count = count_nodes(access->index) + (access->when ? count_nodes(access->when) : 0);
    const uint32_t vars = wl_access_vars(access);
    *out = (wl_program){.kernel = kernel,
                        .access = access,
                        .steps = kernel->loop_extent,
                        .innermost = -1,
                        .when = -1,
                        .advance = 1,
                        .nodes = WL_ARENA_NEW(arena, wl_program_node, count)};
    if (!out->nodes)
        return wl_fail_memory(err);
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        if (vars & (1u << (WL_VAR_LOOP_0 + i))) {
            out->uses_loop[i] = true;
            out->innermost = i;
        }
    out->index = append(out, access->index);
    out->index_count = out->count;
    if (access->when)
        out->when = append(out, access->when);
    mark_spread(out);
    return make_values(out, arena, err);
}

void wl_program_always(wl_program *p)
{
    p->when = -1;
    p->count = p->index_count;
}

/* Nonzero when a value exceeds +-2^60. Branch-free, so that compilers vectorize it. */
static inline uint64_t out_of_range(int64_t v)
{
    return (uint64_t)(v + (WL_ADDRESS_LIMIT - 1)) >> 61 | (uint64_t)((WL_ADDRESS_LIMIT - 1) - v) >> 63;
}

/* Comparisons, logic and bit operations. */
static bool operate_bits(wl_expr_op op, const int64_t *restrict a, const int64_t *restrict b, int lanes,
                         int64_t *restrict out)
{
    uint64_t bad = 0;
#define EACH_LANE(value)                                                                                               \
    for (int i = 0; i < lanes; i++)                                                                                    \
        out[i] = (value);                                                                                              \
    break
#define EACH_IN_RANGE(value)                                                                                           \
    for (int i = 0; i < lanes; i++) {                                                                                  \
        out[i] = (value);                                                                                              \
        bad |= out_of_range(out[i]);                                                                                   \
    }                                                                                                                  \
    break
    switch (op) {
    case WL_EXPR_LESS: EACH_LANE(a[i] < b[i]);
    case WL_EXPR_LESS_EQUAL: EACH_LANE(a[i] <= b[i]);
    case WL_EXPR_EQUAL: EACH_LANE(a[i] == b[i]);
    case WL_EXPR_UNEQUAL: EACH_LANE(a[i] != b[i]);
    case WL_EXPR_BOTH: EACH_LANE((a[i] != 0) & (b[i] != 0));
    case WL_EXPR_ANY: EACH_LANE((a[i] | b[i]) != 0);
    case WL_EXPR_BIT_AND: EACH_IN_RANGE(a[i] & b[i]);
    case WL_EXPR_BIT_OR: EACH_IN_RANGE(a[i] | b[i]);
    case WL_EXPR_BIT_XOR: EACH_IN_RANGE(a[i] ^ b[i]);
    case WL_EXPR_SHIFT_LEFT:
        for (int i = 0; i < lanes; i++)
            if ((uint64_t)b[i] > WL_SHIFT_MAX || !wl_mul(a[i], (int64_t)1 << b[i], &out[i]))
                return false;
        break;
    default: /* right shift */
        for (int i = 0; i < lanes; i++) {
            if ((uint64_t)b[i] > WL_SHIFT_MAX)
                return false;
            out[i] = wl_shift_down(a[i], (int)b[i]);
        }
        break;
    }
#undef EACH_LANE
#undef EACH_IN_RANGE
    return bad == 0;
}

#define SMALL_BITS 31

/* Divides numbers of so many bits, or takes remainders, as doubles, which vectorizes. This is
 * exact: a quotient is at least 1/b below the next integer, and the rounding error is smaller.
 * False: some number is negative or larger, or a divisor is 0. */
static bool divide_small(const int64_t *restrict a, const int64_t *restrict b, bool remainder, int lanes,
                         int64_t *restrict out)
{
    uint64_t bits = 0, zero = 0;
    for (int i = 0; i < lanes; i++) {
        bits |= (uint64_t)(a[i] | b[i]);
        zero |= b[i] == 0;
    }
    if (bits >> SMALL_BITS || zero)
        return false;
    for (int i = 0; i < lanes; i++) {
        const int64_t q = (int32_t)((double)(int32_t)a[i] / (double)(int32_t)b[i]);
        out[i] = remainder ? a[i] - q * b[i] : q;
    }
    return true;
}

/* One operation on all lanes. False on a result beyond +-2^60 or a zero divisor. Operands are in
 * range, so sums cannot overflow. */
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
        if (divide_small(a, b, op == WL_EXPR_MOD, lanes, out))
            break;
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
    default: return operate_bits(op, a, b, lanes, out);
    }
    return bad == 0;
}

static const int64_t *row_of(const wl_program *p, int node) { return p->values[p->nodes[node].row]; }

static void select_lanes(const int64_t *which, const int64_t *a, const int64_t *b, int lanes, int64_t *restrict out)
{
    for (int i = 0; i < lanes; i++)
        out[i] = which[i] ? a[i] : b[i];
}

/* Divides by a power of two, rounding down, or takes the remainder. */
static void shift_lanes(const int64_t *a, int64_t power, bool remainder, int lanes, int64_t *restrict out)
{
    const int by = wl_log2(power);
    for (int i = 0; i < lanes; i++)
        out[i] = remainder ? a[i] & (power - 1) : wl_shift_down(a[i], by);
}

static bool divides_by_power(const wl_program *p, const wl_program_node *n)
{
    return (n->op == WL_EXPR_DIV || n->op == WL_EXPR_MOD) && p->nodes[n->b].op == WL_EXPR_CONST &&
           wl_is_pow2(p->nodes[n->b].value);
}

/* Evaluates the nodes that loop `level` - 1 or a loop inside it changes; level 0: all. False when
 * an operation fails. */
static bool evaluate(wl_program *p, const wl_lane_values *values, int level)
{
    for (int i = 0; i < p->count; i++) {
        const wl_program_node *n = &p->nodes[i];
        if (n->level < level || n->idle || n->op == WL_EXPR_CONST)
            continue;
        const bool once = n->alike && p->one_block;
        const int lanes = once ? 1 : values->lanes;
        int64_t *const out = p->values[n->row];
        if (n->op == WL_EXPR_VAR)
            memcpy(out, values->at[n->var], (size_t)lanes * sizeof *out);
        else if (n->op == WL_EXPR_SELECT)
            select_lanes(row_of(p, n->a), row_of(p, n->b), row_of(p, n->c), lanes, out);
        else if (divides_by_power(p, n))
            shift_lanes(row_of(p, n->a), p->nodes[n->b].value, n->op == WL_EXPR_MOD, lanes, out);
        else if (!operate(n->op, row_of(p, n->a), row_of(p, n->b), lanes, out))
            return false;
        for (int lane = 1; once && n->spread && lane < values->lanes; lane++)
            out[lane] = out[0];
    }
    return true;
}

/* Evaluates one lane, only what it needs. */
static wl_status evaluate_lane(wl_program *p, const wl_lane_values *values, int lane, wl_error *err)
{
    const wl_access *access = p->access;
    wl_error inside = {0};
    wl_status status = WL_OK;
    p->lone_index[lane] = 0;
    p->lone_when[lane] = 1;
    if (p->when >= 0)
        status = wl_expr_eval_lane(access->when, values, lane, &p->lone_when[lane], &inside);
    if (status == WL_OK && p->lone_when[lane])
        status = wl_expr_eval_lane(access->index, values, lane, &p->lone_index[lane], &inside);
    if (status == WL_OK)
        return WL_OK;
    return wl_fail(err, status, access->loc, "%s in %.60s",
                   status == WL_E_RANGE ? "a value leaves the range +-2^60" : inside.message, access->text);
}

static wl_status evaluate_step(wl_program *p, const wl_lane_values *values, int level, wl_error *err)
{
    if (!p->careful && evaluate(p, values, level))
        return WL_OK;
    p->careful = true; /* values left by a failed operation must not be used at a later step */
    for (int lane = 0; lane < values->lanes; lane++)
        WL_TRY(evaluate_lane(p, values, lane, err));
    return WL_OK;
}

static wl_status too_far(const wl_program *p, wl_error *err)
{
    return wl_fail(err, WL_E_RANGE, p->access->loc, "the address of %.60s leaves the range +-2^60", p->access->text);
}

/* Packs the active lanes. */
static int take_lanes(const int64_t *when, const int64_t *index, int lanes, uint8_t which[WL_LANES_MAX],
                      int64_t packed[WL_LANES_MAX])
{
    int n = 0;
    for (int i = 0; i < lanes; i++) {
        which[n] = (uint8_t)i;
        packed[n] = index[i];
        n += when[i] != 0;
    }
    return n;
}

static wl_status finish_step(const wl_program *p, int lanes, wl_program_visit visit, void *context, wl_error *err)
{
    static const uint8_t all[WL_LANES_MAX] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const int64_t base = p->kernel->fields[p->access->field].base_bytes,
                  *index = p->careful ? p->lone_index : row_of(p, p->index);
    const int64_t unit = p->access->unit_bytes, room = (WL_ADDRESS_LIMIT - 1 - base) / unit;
    int64_t addresses[WL_LANES_MAX], packed[WL_LANES_MAX];
    uint8_t some[WL_LANES_MAX];
    uint64_t far = 0;
    if (p->when >= 0) {
        lanes = take_lanes(p->careful ? p->lone_when : row_of(p, p->when), index, lanes, some, packed);
        index = packed;
    }
    for (int i = 0; i < lanes; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) filled above */
        far |= (uint64_t)(room - index[i]) >> 63 | (uint64_t)(room + index[i]) >> 63;
    if (far)
        return too_far(p, err);
    for (int i = 0; i < lanes; i++)
        addresses[i] = index[i] * unit + base;
    return lanes > 0 ? visit(context, addresses, p->when >= 0 ? some : all, lanes, err) : WL_OK;
}

/* Runs the loops from `loop` inwards. Everything outside is evaluated already, except at the first
 * step. */
static wl_status run_loops(wl_program *p, wl_lane_values *values, int loop, int level, wl_program_visit visit,
                           void *context, wl_error *err)
{
    while (loop < WL_LOOPS_MAX && !p->uses_loop[loop])
        loop++;
    if (loop >= WL_LOOPS_MAX) {
        WL_TRY(evaluate_step(p, values, level, err));
        return finish_step(p, values->lanes, visit, context, err);
    }
    const int64_t first = loop == p->innermost ? p->first : 0, advance = loop == p->innermost ? p->advance : 1;
    const int64_t last = p->steps[loop] - 1, round = loop == p->innermost ? p->period : 0;
    for (int64_t step = first; step <= last; step += advance) {
        if (round && step >= round)
            step = last; /* a value that leaves its range does so at an end of the loop */
        for (int i = 0; i < values->lanes; i++)
            values->at[WL_VAR_LOOP_0 + loop][i] = step;
        WL_TRY(run_loops(p, values, loop + 1, step == first ? level : loop + 1, visit, context, err));
    }
    return WL_OK;
}

/* ---- traced accesses ---- */

/* Executions by the block that the lanes belong to. */
static wl_status trace_of(const wl_program *p, const wl_lane_values *values, const wl_block_trace **out, wl_error *err)
{
    const wl_source *source = &p->kernel->source;
    const int64_t block[3] = {values->at[WL_VAR_BLOCK_X][0], values->at[WL_VAR_BLOCK_Y][0],
                              values->at[WL_VAR_BLOCK_Z][0]};
    return source->trace_block(source->context, block, out, err);
}

static int64_t thread_of(const wl_lane_values *v, int i)
{
    return v->at[WL_VAR_THREAD_X][i] +
           v->at[WL_VAR_BLOCKDIM_X][i] *
               (v->at[WL_VAR_THREAD_Y][i] + v->at[WL_VAR_BLOCKDIM_Y][i] * v->at[WL_VAR_THREAD_Z][i]);
}

/* The first execution in first <= i < last by this warp or a later one. */
static size_t first_of_warp(const wl_block_trace *trace, size_t first, size_t last, int64_t warp)
{
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (trace->executions[middle].warp < warp)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* The lanes of an execution that are among values first <= i < last, all of one warp. */
static wl_status visit_execution(const wl_program *p, const wl_execution *e, const uint8_t *lane, int first, int last,
                                 wl_program_visit visit, void *context, wl_error *err)
{
    const int64_t base = p->kernel->fields[p->access->field].base_bytes;
    int64_t addresses[WL_LANES_MAX];
    uint8_t which[WL_LANES_MAX];
    int n = 0;
    for (int i = first; i < last; i++) {
        const uint64_t bit = (uint64_t)1 << lane[i];
        if (!(e->lanes & bit))
            continue;
        which[n] = (uint8_t)i;
        addresses[n] = wl_execution_address(e, __builtin_popcountll(e->lanes & (bit - 1))) + base;
        if (!wl_in_range(addresses[n++]))
            return too_far(p, err);
    }
    return n > 0 ? visit(context, addresses, which, n, err) : WL_OK;
}

/* Lanes are in thread order. */
static wl_status run_traced(const wl_program *p, const wl_lane_values *values, wl_program_visit visit, void *context,
                            wl_error *err)
{
    const size_t number = (size_t)(p->access - p->kernel->accesses);
    const int warp_size = p->kernel->source.warp_size;
    const wl_block_trace *trace = NULL;
    uint8_t lane[WL_LANES_MAX];
    WL_TRY(trace_of(p, values, &trace, err));
    const size_t end = trace->first[number + 1];
    size_t at = trace->first[number];
    for (int first = 0, last; first < values->lanes; first = last) {
        const int64_t warp = thread_of(values, first) / warp_size;
        for (last = first; last < values->lanes && thread_of(values, last) / warp_size == warp; last++)
            lane[last] = (uint8_t)(thread_of(values, last) % warp_size);
        for (at = first_of_warp(trace, at, end, warp); at < end && trace->executions[at].warp == warp; at++)
            WL_TRY(visit_execution(p, &trace->executions[at], lane, first, last, visit, context, err));
    }
    return WL_OK;
}

wl_status wl_program_run(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                         wl_error *err)
{
    if (program->access->traced)
        return values->lanes > 0 ? run_traced(program, values, visit, context, err) : WL_OK;
    program->careful = false;
    return run_loops(program, values, 0, 0, visit, context, err);
}

wl_status wl_program_run_first(wl_program *program, wl_lane_values *values, wl_program_visit visit, void *context,
                               wl_error *err)
{
    if (program->access->traced)
        return wl_program_run(program, values, visit, context, err);
    for (int loop = 0; loop < WL_LOOPS_MAX; loop++)
        memset(values->at[WL_VAR_LOOP_0 + loop], 0, sizeof values->at[0]);
    program->careful = false;
    return run_loops(program, values, WL_LOOPS_MAX, 0, visit, context, err);
}

uint32_t wl_access_vars(const wl_access *access)
{
    return wl_expr_vars(access->index) | (access->when ? wl_expr_vars(access->when) : 0);
}

double wl_access_steps_of(const wl_access *access, const int64_t steps[WL_LOOPS_MAX])
{
    const uint32_t vars = wl_access_vars(access);
    double product = 1;
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        product *= vars & (1u << (WL_VAR_LOOP_0 + i)) ? (double)steps[i] : 1;
    return product;
}

double wl_access_steps(const wl_kernel *kernel, const wl_access *access)
{
    return kernel->loop_count ? wl_access_steps_of(access, kernel->loop_extent) : 1;
}
