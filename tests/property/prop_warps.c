/* prop_warps.c - what the warps of random launches cost in the L1, against enumeration of every
 * block, warp, lane, folded cell and loop step.
 *
 * The laws are written anew from the measurements (tags and banks) and from Ernst et al. 2022,
 * section 4.2 (banks and distance), with plain sets. From src/ the enumeration takes the parsed
 * expressions and, to know which accesses are the same instruction, their affine forms, which
 * prop_footprint.c checks. launch_cases.h says which launches. SPDX-License-Identifier: MIT */
#include "property/launch_cases.h"

#include "count/warps.h"
#include "property/warp_oracle.h"

static struct {
    int64_t accesses, opaque, guarded, merged, instructions, traced, sampled;
    double exact_tag, estimated_tag, exact_cold, estimated_cold; /* over all cases */
} compared;

static wl_warps_scratch scratches[DEVICES_MAX]; /* patterns of all earlier cases on a device */

/* ---- the instructions of a thread ---- */

/* An access for one folded cell. Pairs of one instruction are chained from the first. */
typedef struct pair {
    size_t access;
    int64_t cell;
    bool first;
    int next; /* -1: none */
} pair;

static pair pairs[PAIRS_MAX];

static bool names(const wl_expr *e, int variable)
{
    if (e->op == WL_EXPR_CONST)
        return false;
    if (e->op == WL_EXPR_VAR)
        return (int)e->var == variable;
    return names(e->a, variable) || names(e->b, variable);
}

/* In its index or its condition. */
static bool access_names(const wl_access *access, int variable)
{
    return names(access->index, variable) || (access->when && names(access->when, variable));
}

static bool same_loops(const wl_access *a, const wl_access *b)
{
    bool same = true;
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        same = same && access_names(a, WL_VAR_LOOP_0 + i) == access_names(b, WL_VAR_LOOP_0 + i);
    return same;
}

static int64_t cell_coordinate(const wl_launch *l, int64_t cell, int d)
{
    return (d > 0 ? cell / l->fold[0] / (d > 1 ? l->fold[1] : 1) : cell) % l->fold[d];
}

/* The same address in every thread, as far as the expressions show it. */
static bool same_instruction(const trial *t, const wl_bound *bounds, const pair *p, const pair *q)
{
    const wl_bound *a = &bounds[p->access], *b = &bounds[q->access];
    int64_t difference = b->form.c - a->form.c;
    if (!a->affine || !b->affine) {
        for (int d = 0; d < 3; d++)
            if (access_names(a->access, WL_VAR_X + d) &&
                cell_coordinate(&t->input.launch, p->cell, d) != cell_coordinate(&t->input.launch, q->cell, d))
                return false;
        return p->access == q->access;
    }
    if (a->access->field != b->access->field || a->access->store != b->access->store ||
        a->access->width_bytes != b->access->width_bytes || !same_loops(a->access, b->access) ||
        memcmp(a->form.k, b->form.k, sizeof a->form.k) != 0)
        return false;
    for (int d = 0; d < 3; d++)
        difference += a->form.k[WL_VAR_X + d] *
                      (cell_coordinate(&t->input.launch, q->cell, d) - cell_coordinate(&t->input.launch, p->cell, d));
    return difference == 0;
}

static int make_pairs(const trial *t, const wl_bound *bounds)
{
    int count = 0;
    for (size_t a = 0; a < t->kernel->access_count; a++)
        for (int64_t cell = 0; cell < fold_cells(t); cell++) {
            int at = 0;
            pairs[count] = (pair){a, cell, true, -1};
            while (at < count && !(pairs[at].first && same_instruction(t, bounds, &pairs[at], &pairs[count])))
                at++;
            if (at < count) {
                pairs[count].first = false;
                pairs[count].next = pairs[at].next;
                pairs[at].next = count;
                compared.merged++;
            }
            count++;
        }
    return count;
}

/* ---- all warps of a launch
 * -------------------------------------------------------------------------------------------- */

typedef struct machine {
    const trial *trial;
    const wl_bound *bounds;
    law law;
    int64_t steps[WL_LOOPS_MAX]; /* of the instruction at hand */
} machine;

static void set_steps(machine *m, size_t access)
{
    const wl_kernel *k = m->trial->kernel;
    for (int i = 0; i < WL_LOOPS_MAX; i++) {
        const bool used = access_names(&k->accesses[access], WL_VAR_LOOP_0 + i);
        m->steps[i] = i < k->loop_count && used ? k->loop_extent[i] : 1;
    }
}

/* The address a lane needs for any of its cells inside the domain; all of them must agree. */
static bool lane_address(const machine *m, int first, const int64_t block[3], int64_t thread, int64_t step,
                         int64_t *address)
{
    const trial *t = m->trial;
    int64_t variables[WL_VAR_COUNT];
    bool needed = false;
    for (int p = first; p >= 0; p = pairs[p].next) {
        const wl_access *access = &t->kernel->accesses[pairs[p].access];
        if (!set_cell(t, block, thread, pairs[p].cell, variables))
            continue;
        variables[WL_VAR_LOOP_0] = step % m->steps[0];
        variables[WL_VAR_LOOP_1] = step / m->steps[0] % m->steps[1];
        variables[WL_VAR_LOOP_2] = step / m->steps[0] / m->steps[1];
        if (!takes_part(access, variables))
            continue;
        const int64_t here = byte_address(t, access, variables);
        if (needed && here != *address) {
            trial_print(t);
            fail_msg("access %zu does not have the address of its instruction", pairs[p].access);
        }
        *address = here;
        needed = true;
    }
    return needed;
}

/* ---- the same as a trace ---- */

#define RECORDED_MAX (1 << 16)

/* One execution of an access without a closed form. */
typedef struct recorded {
    int64_t block;
    size_t time;
    wl_execution execution;
} recorded;

/* As a source hands them out. */
static struct {
    bool full; /* too many to keep */
    size_t count, lanes;
    recorded all[RECORDED_MAX];
    int64_t address[16 * RECORDED_MAX];
    wl_execution of_block[RECORDED_MAX];
    size_t first[TRIAL_ACCESSES_MAX + 1];
    wl_block_trace trace;
} record;

static void record_request(const machine *m, size_t access, int64_t block, int64_t warp, const request *r)
{
    const int64_t base = m->trial->kernel->fields[m->trial->kernel->accesses[access].field].base_bytes;
    record.full = record.full || record.count == RECORDED_MAX ||
                  record.lanes + LANES_MAX > sizeof record.address / sizeof record.address[0];
    if (m->bounds[access].affine || record.full)
        return;
    recorded *one = &record.all[record.count];
    *one = (recorded){
        block,
        record.count,
        {.access = (uint32_t)access, .warp = (uint16_t)warp, .at = {.listed = &record.address[record.lanes]}}};
    record.count++;
    for (int64_t lane = 0; lane < m->law.warp; lane++)
        if (r->active[lane]) {
            one->execution.lanes |= (uint64_t)1 << lane;
            record.address[record.lanes++] = r->address[lane] - base;
        }
}

static int compare_recorded(const void *p, const void *q)
{
    const recorded *a = p, *b = q;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->execution.access != b->execution.access)
        return a->execution.access < b->execution.access ? -1 : 1;
    if (a->execution.warp != b->execution.warp)
        return a->execution.warp < b->execution.warp ? -1 : 1;
    return a->time < b->time ? -1 : 1;
}

static wl_status recorded_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    const trial *t = context;
    const int64_t n = block[0] + t->grid[0] * (block[1] + t->grid[1] * block[2]);
    size_t at = 0, count = 0;
    (void)err;
    while (at < record.count && record.all[at].block < n)
        at++;
    for (size_t a = 0; a < t->kernel->access_count; a++) {
        record.first[a] = count;
        for (; at < record.count && record.all[at].block == n && record.all[at].execution.access == a; at++)
            record.of_block[count++] = record.all[at].execution;
    }
    record.first[t->kernel->access_count] = count;
    record.trace = (wl_block_trace){record.of_block, count, record.first};
    *out = &record.trace;
    return WL_OK;
}

static void run_instruction(machine *m, int first, tally *sum)
{
    const trial *t = m->trial;
    const wl_launch *l = &t->input.launch;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2],
                  blocks_in_grid = t->grid[0] * t->grid[1] * t->grid[2];
    const wl_access *access = &t->kernel->accesses[pairs[first].access];
    set_steps(m, pairs[first].access);
    for (int64_t n = 0; n < blocks_in_grid; n++) {
        const int64_t block[3] = {n % t->grid[0], n / t->grid[0] % t->grid[1], n / t->grid[0] / t->grid[1]};
        for (int64_t warp = 0; warp < threads; warp += m->law.warp)
            for (int64_t step = 0; step < m->steps[0] * m->steps[1] * m->steps[2]; step++) {
                request r = {.width = access->width_bytes};
                bool any = false;
                for (int64_t lane = 0; lane < m->law.warp && warp + lane < threads; lane++) {
                    r.active[lane] = lane_address(m, first, block, warp + lane, step, &r.address[lane]);
                    any = any || r.active[lane];
                }
                if (!any)
                    continue;
                add_request(&m->law, &r, access->store, sum);
                record_request(m, pairs[first].access, n, warp / m->law.warp, &r);
            }
    }
}

/* ---- warps ---- */

static wl_access_cost costs[TRIAL_ACCESSES_MAX];
static tally tallies[TRIAL_ACCESSES_MAX];

static wl_warps_result measure_with(const trial *t, const wl_device *device, const wl_view *view, int64_t samples,
                                    wl_warps_scratch *scratch)
{
    wl_arena arena = {0};
    wl_l1_rules rules;
    wl_warps_result result = {0};
    wl_error err = {0};
    const wl_warps_options options = {samples};
    const wl_geometry g = some_geometry(t);
    wl_l1_rules_make(device, &rules);
    scratch->arena = &arena;
    wl_instructions list;
    wl_status status = wl_instructions_make(t->kernel, &g, view->bounds, &arena, &list, &err);
    if (status == WL_OK)
        status = wl_warps_measure(t->kernel, &g, view->bounds, &list, &rules, &options, scratch, costs, &result, &err);
    wl_arena_free(&arena);
    scratch->arena = NULL;
    if (status != WL_OK)
        trial_fail(t, &err);
    return result;
}

/* Twice: what earlier launches left behind must not change a bit of any cost. */
static wl_warps_result measure(const trial *t, const wl_device *device, const wl_view *view, int64_t samples)
{
    static wl_access_cost fresh[TRIAL_ACCESSES_MAX];
    wl_warps_scratch none = {0};
    size_t d = 0;
    (void)measure_with(t, device, view, samples, &none);
    wl_warps_scratch_free(&none);
    memcpy(fresh, costs, t->kernel->access_count * sizeof *costs);
    while (run.devices[d] != device)
        d++;
    const wl_warps_result result = measure_with(t, device, view, samples, &scratches[d]);
    if (memcmp(fresh, costs, t->kernel->access_count * sizeof *costs) != 0) {
        trial_print(t);
        fail_msg("on %s, costs depend on the launches before", wl_device_name(device));
    }
    return result;
}

static void expect_cost(const trial *t, const wl_device *device, size_t access, const char *what, int64_t expected,
                        double got)
{
    if ((double)expected == got)
        return;
    trial_print(t);
    print_error("on %s, access %zu, %s %s\n", wl_device_name(device), access,
                t->kernel->accesses[access].store ? "store" : "load", t->kernel->accesses[access].text);
    fail_msg("%s: expected %lld, got %.17g", what, (long long)expected, got);
}

static void check_costs(const trial *t, const wl_device *device, bool tags)
{
    for (size_t a = 0; a < t->kernel->access_count; a++) {
        expect_cost(t, device, a, "instructions", tallies[a].inst, costs[a].inst);
        expect_cost(t, device, a, "sectors", tallies[a].sectors, costs[a].sectors);
        expect_cost(t, device, a, "wavefronts, lines present", tallies[a].hit, costs[a].hit);
        if (tags) {
            expect_cost(t, device, a, "tag wavefronts", tallies[a].tag, costs[a].tag);
            expect_cost(t, device, a, "wavefronts, lines absent", tallies[a].cold, costs[a].cold);
        }
    }
}

/* By default tag costs are estimated: every execution still takes a tag wavefront, and each of
 * these a data wavefront.
 */
static void check_estimates(const trial *t, const wl_device *device)
{
    for (size_t a = 0; a < t->kernel->access_count; a++) {
        if (tallies[a].tag == 0)
            continue;
        if (costs[a].tag < costs[a].inst * (1 - 1e-6) || costs[a].cold < costs[a].tag * (1 - 1e-6))
            expect_cost(t, device, a, "tag wavefronts, estimated", tallies[a].tag, -costs[a].tag);
        compared.exact_tag += (double)tallies[a].tag;
        compared.estimated_tag += costs[a].tag;
        compared.exact_cold += (double)tallies[a].cold;
        compared.estimated_cold += costs[a].cold;
    }
}

/* The same kernel, read again, all accesses without a closed form traced. */
static void make_twin(const trial *t, const wl_bound *bounds, int warp_size, trial *twin)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    static const wl_expr zero = {.op = WL_EXPR_CONST};
    if (wl_kernel_with_layout(t->kernel, &(wl_layout){0}, &kernel, &err) != WL_OK)
        trial_fail(t, &err);
    *twin = *t;
    twin->kernel = kernel;
    kernel->source = (wl_source){.context = (void *)t, .warp_size = warp_size, .trace_block = recorded_block};
    for (size_t a = 0; a < kernel->access_count; a++) {
        wl_access *access = &kernel->accesses[a];
        if (!bounds[a].affine) {
            access->traced = true;
            access->index = &zero;
            access->when = NULL;
        }
        if (wl_bind(kernel, access, &t->geometry, &t->ranges, &twin->bounds[a], &err) != WL_OK)
            trial_fail(t, &err);
    }
}

/* Footprints of the twin: of the launch, and of some threads of one block. */
static void check_traced_footprints(random_source *r, const trial *t, const trial *twin)
{
    const int64_t n = t->grid[0] * t->grid[1] * t->grid[2], some = random_in(r, 0, n - 1),
                  threads = t->geometry.threads;
    const int64_t first = random_in(r, 0, threads - 1), count = random_in(r, 1, 100), granule = 1 << random_in(r, 2, 7);
    for (size_t f = 0; f < t->kernel->field_count; f++) {
        const group g = trial_group(t, f, (int)random_in(r, 0, 2)), traced = trial_group(twin, f, 2);
        group same = {.field = f};
        for (size_t m = 0; m < g.count; m++)
            same.members[same.count++] = &twin->bounds[g.members[m] - t->bounds];
        if (g.count == 0 || traced.affine)
            continue;
        enumerate(t, &g, (blocks){0, n}, &listed);
        int64_t expected = count_enumerated(&listed, granule).touched;
        int64_t got = count_threads(twin, &counter, &same, (blocks){0, n}, granule).touched;
        wl_region region = trial_region(twin, (blocks){some, some + 1});
        wl_error err = {0};
        wl_count part = {0};
        region.first_thread = first;
        region.thread_count = count;
        if (wl_threads_count(&counter, same.members, same.count, &region, granule, false, &part, &err) != WL_OK)
            trial_fail(t, &err);
        enumerate_threads(t, &g, some, first, first + count < threads ? first + count : threads);
        if (expected == got && count_enumerated(&listed, granule).touched == part.touched)
            continue;
        trial_print(t);
        fail_msg("traced, field f%zu: launch %lld, got %lld; threads %lld, got %lld", f, (long long)expected,
                 (long long)got, (long long)count_enumerated(&listed, granule).touched, (long long)part.touched);
    }
}

static void check_traced(const trial *t, const wl_bound *bounds, const wl_device *device, int warp_size)
{
    wl_arena arena = {0};
    static trial twin;
    random_source r = random_start(t->seed);
    if (record.full || record.count == 0)
        return;
    qsort(record.all, record.count, sizeof *record.all, compare_recorded);
    make_twin(t, bounds, warp_size, &twin);
    const wl_view view = make_view(&twin, &arena);
    (void)measure(&twin, device, &view, -1);
    check_costs(&twin, device, true);
    check_traced_footprints(&r, t, &twin);
    compared.traced++;
    wl_arena_free(&arena);
    wl_kernel_free(twin.kernel);
}

/* Notes state the size of a sample: some addresses, for no more instructions than are executed. */
static void check_sampled(const trial *t, const wl_sampled_warps *sampled)
{
    double executed = 0;
    for (size_t a = 0; a < t->kernel->access_count; a++)
        executed += costs[a].inst;
    if ((sampled->evaluated > 0) != (sampled->instructions > 0) || sampled->instructions > executed) {
        trial_print(t);
        fail_msg("a sample of %g addresses for %g of %g instructions", sampled->evaluated, sampled->instructions,
                 executed);
    }
}

static void check_warps(const trial *t, const wl_device *device)
{
    wl_arena arena = {0};
    const wl_view view = make_view(t, &arena);
    machine m = {.trial = t, .bounds = view.bounds, .law = law_of(device)};
    const int count = make_pairs(t, view.bounds);
    memset(tallies, 0, sizeof tallies);
    record.full = false;
    record.count = record.lanes = 0;
    for (int p = 0; p < count; p++)
        if (pairs[p].first)
            run_instruction(&m, p, &tallies[pairs[p].access]);
    wl_warps_result result = measure(t, device, &view, -1);
    if (result.tags.instructions > 0 || result.wavefronts.instructions > 0 || result.blocks_sampled) {
        trial_print(t);
        fail_msg("sampled although all warps were asked for");
    }
    check_costs(t, device, true);
    result = measure(t, device, &view, 0);
    check_sampled(t, &result.tags);
    check_sampled(t, &result.wavefronts);
    compared.sampled += result.tags.instructions > 0;
    if (!result.blocks_sampled)
        check_costs(t, device, false);
    check_estimates(t, device);
    for (size_t a = 0; a < t->kernel->access_count; a++) {
        compared.accesses++;
        compared.opaque += !wl_bound_has_form(&view.bounds[a]);
        compared.guarded += view.bounds[a].guard != NULL;
        compared.instructions += tallies[a].inst;
    }
    check_traced(t, view.bounds, device, (int)m.law.warp);
    wl_arena_free(&arena);
}

static void warps_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(8000); i++) {
        random_source r;
        const wl_device *device;
        if (start_case(run.seed + i, &r, &device))
            check_warps(&current, device);
        trial_end(&current);
    }
    if (run.iterations)
        return;
    assert_true(compared.traced > (int64_t)iterations(50));
    assert_true(compared.sampled > (int64_t)iterations(200));
    if (!effort_is_full())
        return; /* the two estimates need many cases to come near */
    assert_true(fabs(compared.estimated_tag - compared.exact_tag) < 0.02 * compared.exact_tag);
    assert_true(fabs(compared.estimated_cold - compared.exact_cold) < 0.02 * compared.exact_cold);
}

/* Affine addresses under affine conditions are counted in closed form, like those without any. */
static void warps_under_conditions_agree_with_enumeration(void **state)
{
    (void)state;
    run.guards = true;
    warps_agree_with_enumeration(state);
    run.guards = false;
    if (!run.iterations)
        assert_true(compared.guarded > (int64_t)iterations(4000));
}

/* ---- main ---- */

static int end(void **state)
{
    (void)state;
    if (getenv("WL_STATISTICS")) {
        print_message("%lld cases, %lld too large; %lld accesses, %lld under conditions, %lld not affine, %lld merged; "
                      "%lld warp instructions\n",
                      (long long)run.cases, (long long)run.too_large, (long long)compared.accesses,
                      (long long)compared.guarded, (long long)compared.opaque, (long long)compared.merged,
                      (long long)compared.instructions);
        print_message("tag wavefronts %.0f, estimated %.0f; with lines absent %.0f, estimated %.0f\n",
                      compared.exact_tag, compared.estimated_tag, compared.exact_cold, compared.estimated_cold);
    }
    for (size_t i = 0; i < run.device_count; i++)
        wl_warps_scratch_free(&scratches[i]);
    end_run();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(warps_agree_with_enumeration),
                                       cmocka_unit_test(warps_under_conditions_agree_with_enumeration)};
    return cmocka_run_group_tests(tests, start_run, end);
}
