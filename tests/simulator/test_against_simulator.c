/* test_against_simulator.c [LOOP...] - the interval models against the event simulator, on the
 * simulated Pascal of Wang et al. 2019: their errors have the published order where loads diverge,
 * and MDM is about GPUMech+ where they do not. LOOP: NAME:WARPS:LOADS:REQUESTS:MISSES:INSTRUCTIONS
 * :STORES, instead of those here; only their errors are printed.
 *
 * The life of a warp comes from a walk over its program, as Huang et al. 2014 make it: registers
 * and the latency of each instruction, a load's being that of a lone request. Where short stalls
 * lie between the loads, the library's own walk says which requests compete.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effort.h"
#include "model/interval_time.h"
#include "simulator/sm_simulator.h"
#include "timeline/profile.h"
#include "warpline/warpline.h"

#define BODY_MAX 96
#define INTERVALS_MAX 4096
#define DIVERGENT_TRIPS 4 /* they take long */
#define COALESCED_TRIPS 12
/* Wang et al. 2019, Table 1 */
#define CONTROLLERS 24
#define SLICE_MSHRS 128
/* Their simulator's GDDR5 (GPGPU-Sim 3.2): 16 banks, rows of 2 KiB, 40 cycles at 924 MHz from row
 * to row */
#define BANKS 16
#define ROW_LINES 16
#define DRAM_QUEUE 16
#define ROW_CYCLE (40 * 1.4 / 0.924)
#define STAGGER 7 /* cycles between the starts of multiprocessors */
#define PERCENT 100.0
#define ALU_LATENCY 4
#define ADDRESS (SIM_REGISTERS - 1) /* the register of addresses, where loads are apart */

/* A loop of `loads` independent loads, `apart` dependent instructions between two of them, then so
 * many instructions in chains of `chain`; some have a store. */
typedef struct synthetic {
    const char *name;
    int warps, loads, requests;
    double miss_ratio;
    int instructions, chain, stores, apart;
} synthetic;

static const synthetic divergent[] = {
    {"gather 4, L2", 64, 1, 4, 0.1, 12, 4, 0, 0},         {"gather 8, L2", 64, 1, 8, 0.1, 12, 4, 0, 0},
    {"gather 16, L2", 64, 1, 16, 0.1, 12, 4, 0, 0},       {"gather 32, L2", 64, 1, 32, 0.1, 12, 4, 0, 0},
    {"gather 4, half", 64, 1, 4, 0.5, 12, 4, 0, 0},       {"gather 8, half", 64, 1, 8, 0.5, 24, 4, 0, 0},
    {"gather 16, half", 48, 1, 16, 0.5, 12, 4, 0, 0},     {"gather 32, half", 48, 1, 32, 0.5, 24, 4, 0, 0},
    {"gather 8, DRAM", 64, 1, 8, 0.9, 12, 4, 0, 0},       {"gather 32, DRAM", 32, 1, 32, 0.9, 12, 4, 0, 0},
    {"two gathers 4", 64, 2, 4, 0.3, 12, 4, 0, 0},        {"two gathers 16", 64, 2, 16, 0.3, 24, 8, 0, 0},
    {"four gathers 8", 48, 4, 8, 0.3, 24, 4, 0, 0},       {"four gathers 32", 32, 4, 32, 0.3, 48, 8, 0, 0},
    {"gather and scatter 8", 64, 1, 8, 0.4, 12, 4, 8, 0}, {"gather and scatter 32", 32, 1, 32, 0.4, 12, 4, 32, 0},
    {"few warps 16", 16, 2, 16, 0.4, 12, 4, 0, 0},        {"few warps 32", 16, 1, 32, 0.4, 12, 4, 0, 0},
};

static const synthetic coalesced[] = {
    {"stream, L2", 64, 1, 1, 0.1, 12, 4, 0, 0},       {"stream, DRAM", 64, 1, 1, 0.9, 12, 4, 0, 0},
    {"stream and store", 64, 1, 1, 0.5, 12, 4, 1, 0}, {"two streams", 64, 2, 1, 0.5, 24, 4, 0, 0},
    {"four streams", 32, 4, 1, 0.5, 24, 4, 1, 0},     {"long chains", 32, 1, 1, 0.3, 48, 16, 0, 0},
    {"arithmetic", 64, 1, 1, 0.3, 80, 4, 0, 0},       {"few warps", 8, 2, 1, 0.5, 24, 4, 0, 0},
    {"strided 2", 32, 2, 2, 0.5, 24, 4, 0, 0},        {"one warp", 1, 1, 4, 0.5, 24, 4, 0, 0},
};

static const synthetic apart[] = {
    {"4 gathers 2, L2", 64, 4, 2, 0.1, 12, 4, 0, 1},     {"4 gathers 4, L2", 64, 4, 4, 0.1, 12, 4, 0, 1},
    {"4 gathers 8", 48, 4, 8, 0.3, 24, 4, 0, 3},         {"4 gathers 32", 32, 4, 32, 0.3, 24, 4, 0, 2},
    {"8 streams", 64, 8, 1, 0.5, 24, 4, 0, 1},           {"8 streams, 32 warps", 32, 8, 1, 0.5, 24, 4, 0, 3},
    {"few warps, 8 gathers", 8, 8, 4, 0.5, 24, 4, 0, 1},
};

static const wl_model_id models[] = {WL_MODEL_GPUMECH, WL_MODEL_GPUMECH_PLUS, WL_MODEL_MDM_QUEUE, WL_MODEL_MDM_MSHR,
                                     WL_MODEL_MDM};
enum { GPUMECH, GPUMECH_PLUS, MDM_QUEUE, MDM_MSHR, MDM, MODELS };

static wl_interval_machine pascal;

/* ---- a program ---- */

static size_t make_body(const synthetic *k, sim_instruction *body)
{
    size_t n = 0;
    for (int i = 0; i < k->loads; i++) {
        for (int a = 0; a < k->apart && i > 0; a++)
            body[n++] = (sim_instruction){
                .kind = SIM_ALU, .to = ADDRESS, .from = {ADDRESS, SIM_NO_REGISTER}, .latency = ALU_LATENCY};
        body[n++] = (sim_instruction){.kind = SIM_LOAD,
                                      .to = i,
                                      .from = {k->apart > 0 ? ADDRESS : SIM_NO_REGISTER, SIM_NO_REGISTER},
                                      .requests = k->requests,
                                      .miss_ratio = k->miss_ratio,
                                      .scattered = k->requests > 2};
    }
    for (int i = 0; i < k->instructions; i++) { /* each chain begins at a load */
        const int to = 8 + i / k->chain % 16, from = i % k->chain ? to : i / k->chain % k->loads;
        body[n++] =
            (sim_instruction){.kind = SIM_ALU, .to = to, .from = {from, SIM_NO_REGISTER}, .latency = ALU_LATENCY};
    }
    if (k->stores)
        body[n++] = (sim_instruction){.kind = SIM_STORE,
                                      .to = SIM_NO_REGISTER,
                                      .from = {8, SIM_NO_REGISTER},
                                      .requests = k->stores,
                                      .miss_ratio = k->miss_ratio,
                                      .scattered = k->stores > 2};
    return n;
}

/* ---- the life of its warps ---- */

static double latency_of(const sim_instruction *in)
{
    return in->kind == SIM_LOAD ? pascal.l2_latency + in->miss_ratio * pascal.dram_latency : in->latency;
}

typedef struct walk {
    wl_life_interval list[INTERVALS_MAX], now;
    size_t count;
    double last, done[SIM_REGISTERS]; /* cycles */
    bool load[SIM_REGISTERS];         /* the register comes from memory */
} walk;

static void end_interval(walk *w, double stall, bool memory)
{
    w->now.stall = stall;
    w->now.cause = memory ? WL_STALL_MEMORY : WL_STALL_DEPENDENCE;
    w->now.level[1] = memory ? stall : 0;
    w->list[w->count++] = w->now;
    w->now = (wl_life_interval){.times = 1, .op = -1};
}

static void walk_one(walk *w, const sim_instruction *in)
{
    const double next = w->last + 1 / pascal.issue;
    double at = next;
    bool memory = false;
    for (int i = 0; i < 2; i++)
        if (in->from[i] >= 0 && w->done[in->from[i]] > at) {
            at = w->done[in->from[i]];
            memory = w->load[in->from[i]];
        }
    if (at > next)
        end_interval(w, at - next, memory);
    w->now.instructions++;
    if (in->kind == SIM_LOAD) {
        w->now.reads += in->requests;
        w->now.misses += in->requests * in->miss_ratio;
    } else if (in->kind == SIM_STORE) {
        w->now.writes += in->requests;
    }
    if (in->to >= 0) {
        w->done[in->to] = at + latency_of(in);
        w->load[in->to] = in->kind == SIM_LOAD;
    }
    w->last = at;
}

static void walk_program(const sim_program *p, walk *w)
{
    memset(w, 0, sizeof *w);
    w->now = (wl_life_interval){.times = 1, .op = -1};
    w->last = -1 / pascal.issue;
    for (int trip = 0; trip < p->trips; trip++)
        for (size_t i = 0; i < p->length; i++)
            walk_one(w, &p->body[i]);
    end_interval(w, 0, false);
    w->list[w->count - 1].cause = WL_STALL_NONE;
}

/* The same by the library. */
static void walk_in_library(const synthetic *k, const sim_program *p, wl_arena *arena, wl_life_profile *out)
{
    const wl_field_waits field = {.l1_misses = 1,
                                  .l2_misses = k->miss_ratio,
                                  .reads = k->requests,
                                  .writes = k->stores,
                                  .missed = {1, k->miss_ratio}};
    const wl_waits waits = {.result = {[WL_OP_INT] = ALU_LATENCY},
                            .level = {0, pascal.l2_latency, pascal.dram_latency},
                            .fields = &field,
                            .field_count = 1};
    static const wl_op_kind kinds[] = {[SIM_ALU] = WL_OP_INT, [SIM_LOAD] = WL_OP_LOAD, [SIM_STORE] = WL_OP_STORE};
    wl_op ops[BODY_MAX];
    int32_t regs[BODY_MAX][2];
    for (size_t i = 0; i < p->length; i++) {
        const sim_instruction *in = &p->body[i];
        ops[i] = (wl_op){.kind = kinds[in->kind], .issue = 1, .chain = 1, .regs = regs[i]};
        if (in->from[0] >= 0)
            regs[i][ops[i].reads++] = in->from[0];
        if (in->to >= 0)
            regs[i][ops[i].reads + ops[i].writes++] = in->to;
    }
    const wl_stretch parts[] = {{.loop = true, .count = 1, .times = p->trips}, {.count = (int32_t)p->length}};
    const wl_life life = {.parts = parts, .count = COUNT_OF(parts), .warps = pascal.sms * k->warps};
    const wl_lives lives = {
        .ops = ops, .op_count = (int32_t)p->length, .register_count = SIM_REGISTERS, .list = &life, .count = 1};
    wl_walk_scratch scratch;
    wl_error err = {0};
    check_ok(k->name, wl_walk_scratch_make(&lives, arena, &scratch, &err), &err);
    check_ok(k->name, wl_life_walk(&lives, &life, &waits, &scratch, arena, out, &err), &err);
}

/* ---- both ---- */

static sim_machine simulated(int warps)
{
    return (sim_machine){.memory = {.sms = (int)pascal.sms,
                                    .slices = CONTROLLERS,
                                    .port_cycles = CONTROLLERS * pascal.clock * pascal.request / pascal.noc,
                                    .slice_mshrs = SLICE_MSHRS,
                                    .l2_latency = pascal.l2_latency,
                                    .dram_latency = pascal.dram_latency,
                                    .burst = CONTROLLERS * pascal.clock * pascal.request / pascal.dram,
                                    .banks = BANKS,
                                    .row_lines = ROW_LINES,
                                    .window = DRAM_QUEUE,
                                    .row_cycle = ROW_CYCLE},
                         .sub_cores = (int)pascal.pools,
                         .warps = warps,
                         .issue = (int)pascal.issue,
                         .mshrs = (int)pascal.mshrs,
                         .memory_queue = (int)pascal.pools,
                         .greedy = pascal.order == WL_ORDER_GREEDY,
                         .stagger = STAGGER};
}

/* Errors of instructions per cycle, as the letter gives them. */
static void errors_of(const synthetic *k, int trips, double errors[MODELS])
{
    static walk w;
    sim_instruction body[BODY_MAX];
    const sim_program program = {body, make_body(k, body), trips};
    const sim_machine machine = simulated(k->warps);
    const wl_interval_launch launch = {pascal.sms, 1, k->warps};
    sim_result r;
    check_true(k->name, "ends", sim_run(&machine, &program, &r));
    wl_arena arena = {0};
    walk_program(&program, &w);
    wl_life_profile life = {.warps = pascal.sms * k->warps, .list = w.list, .count = w.count};
    if (k->apart > 0)
        walk_in_library(k, &program, &arena, &life);
    print_message("%-22s %9.0f", k->name, r.cycles);
    for (int m = 0; m < MODELS; m++) {
        wl_stack s;
        wl_interval_stack(wl_contention_model_of(models[m]), &life, 1, &pascal, &launch, &s, NULL);
        check_near(k->name, "instructions", s.instructions, r.instructions, 1e-12);
        errors[m] = fabs(r.cycles / s.total - 1);
        print_message(" %8.1f%%", PERCENT * (r.cycles / s.total - 1));
    }
    print_message("\n");
    wl_arena_free(&arena);
}

static void mean_errors(const char *title, const synthetic *kernels, size_t count, int trips, double mean[MODELS])
{
    print_message("%-22s %9s", title, "cycles");
    for (int m = 0; m < MODELS; m++) {
        print_message(" %9s", wl_model_name(models[m]));
        mean[m] = 0;
    }
    print_message("\n");
    for (size_t i = 0; i < count; i++) {
        double errors[MODELS];
        errors_of(&kernels[i], trips, errors);
        for (int m = 0; m < MODELS; m++)
            mean[m] += errors[m] / (double)count;
    }
    print_message("%-22s %9s", "mean error", "");
    for (int m = 0; m < MODELS; m++)
        print_message(" %8.1f%%", PERCENT * mean[m]);
    print_message("\n");
}

static wl_warp_order last_order(void) { return effort_is_full() ? WL_ORDER_GREEDY : WL_ORDER_ROUND_ROBIN; }

static void check_order(const char *name, const double mean[MODELS])
{
    check_true(name, "GPUMech is worse than GPUMech+", mean[GPUMECH] > mean[GPUMECH_PLUS]);
    check_true(name, "GPUMech+ is worse than MDM-Queue", mean[GPUMECH_PLUS] > mean[MDM_QUEUE]);
    check_true(name, "GPUMech+ is worse than MDM-MSHR", mean[GPUMECH_PLUS] > mean[MDM_MSHR]);
    check_true(name, "MDM-Queue is worse than MDM", mean[MDM_QUEUE] > mean[MDM]);
    check_true(name, "MDM-MSHR is worse than MDM", mean[MDM_MSHR] > mean[MDM]);
}

static void divergent_kernels_need_batches_and_queues(void **state)
{
    (void)state;
    for (pascal.order = WL_ORDER_ROUND_ROBIN; pascal.order <= last_order(); pascal.order++) {
        const char *order = pascal.order == WL_ORDER_GREEDY ? "divergent, greedy" : "divergent, in turns";
        double mean[MODELS];
        mean_errors(order, divergent, COUNT_OF(divergent), DIVERGENT_TRIPS, mean);
        check_order(order, mean);
    }
    check_done();
}

/* Requests of loads that are on their way together compete, though each load of its own would not
 * diverge. */
static void loads_apart_compete(void **state)
{
    (void)state;
    double mean[MODELS];
    pascal.order = WL_ORDER_ROUND_ROBIN;
    mean_errors("loads apart", apart, COUNT_OF(apart), DIVERGENT_TRIPS, mean);
    check_order("loads apart", mean);
    check_true("loads apart", "MDM is within a half", mean[MDM] < 0.5);
    check_done();
}

static void coalesced_kernels_do_not(void **state)
{
    (void)state;
    for (pascal.order = WL_ORDER_ROUND_ROBIN; pascal.order <= last_order(); pascal.order++) {
        const char *order = pascal.order == WL_ORDER_GREEDY ? "coalesced, greedy" : "coalesced, in turns";
        double mean[MODELS];
        mean_errors(order, coalesced, COUNT_OF(coalesced), COALESCED_TRIPS, mean);
        check_near(order, "error of MDM, as GPUMech+", mean[MDM], mean[GPUMECH_PLUS], 1e-9);
        check_true(order, "GPUMech is worse", mean[GPUMECH] > mean[MDM]);
    }
    check_done();
}

/* ---- loops of others ---- */

#define GIVEN_MAX 32
#define NUMBERS 6 /* of a loop */

static synthetic given[GIVEN_MAX];
static size_t given_count;

/* "SPMV:64:1:16:0.3:12:1": independent loads, each with so many requests, of which a share misses
 * the L2; instructions, and requests of a store. */
static bool read_loop(const char *text, synthetic *out)
{
    double numbers[NUMBERS];
    const char *at = strchr(text, ':');
    for (int i = 0; i < NUMBERS; i++) {
        char *end = NULL;
        if (!at || *at != ':')
            return false;
        numbers[i] = strtod(at + 1, &end);
        if (end == at + 1 || numbers[i] < 0)
            return false;
        at = end;
    }
    *out = (synthetic){.name = text,
                       .warps = (int)numbers[0],
                       .loads = (int)numbers[1],
                       .requests = (int)numbers[2],
                       .miss_ratio = numbers[3],
                       .instructions = (int)numbers[4],
                       .chain = 4,
                       .stores = (int)numbers[5]};
    return *at == '\0' && out->warps >= 1 && out->warps <= 64 && out->loads >= 1 && out->loads <= 8 &&
           out->requests >= 1 && out->requests <= 32 && out->miss_ratio <= 1 && out->instructions >= 1 &&
           out->instructions <= 80 && out->stores <= 32;
}

static void given_loops(void **state)
{
    (void)state;
    double mean[MODELS];
    pascal.order = WL_ORDER_ROUND_ROBIN;
    mean_errors("given", given, given_count, DIVERGENT_TRIPS, mean);
    check_done();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {cmocka_unit_test(given_loops)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(divergent_kernels_need_batches_and_queues),
                                       cmocka_unit_test(loads_apart_compete),
                                       cmocka_unit_test(coalesced_kernels_do_not)};
    wl_device *device = NULL;
    const char *missing = NULL;
    wl_error err = {0};
    if (wl_device_builtin("pascal-sim", &device, &err) != WL_OK || !wl_interval_machine_read(device, &pascal, &missing))
        return 1;
    wl_device_free(device);
    for (int i = 1; i < argc; i++)
        if (given_count == GIVEN_MAX || !read_loop(argv[i], &given[given_count++])) {
            fprintf(stderr, "not a loop: %s\n", argv[i]);
            return 2;
        }
    if (given_count > 0)
        return cmocka_run_group_tests(own, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
