/* test_access.c - accesses of vectors, under conditions, atomic and traced: what they change in a
 * prediction.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_internal.h"
#include "launch/lanes.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

static wl_device *h200, *a100;

/* What a prediction says, without what it borrows. */
typedef struct outcome {
    wl_value metrics[WL_METRIC_COUNT];
    double time_s;
    wl_share fields[4], accesses[8];
    size_t field_count, access_count;
} outcome;

static outcome predict(const char *name, const wl_kernel *kernel, const wl_device *device, const wl_launch *launch)
{
    outcome o = {.field_count = kernel->field_count, .access_count = kernel->access_count};
    const wl_predict_options options = {.per_access = true};
    wl_predictor *predictor = NULL;
    wl_prediction p = {0};
    wl_error err = {0};
    wl_status status = wl_predictor_new(kernel, device, &predictor, &err);
    if (status == WL_OK)
        status = wl_predict(predictor, launch, &options, &p, &err);
    check_ok(name, status, &err);
    if (status == WL_OK) {
        memcpy(o.metrics, p.metrics, sizeof o.metrics);
        o.time_s = p.model.time_s;
        memcpy(o.fields, p.fields, o.field_count * sizeof *o.fields);
        if (p.accesses)
            memcpy(o.accesses, p.accesses, o.access_count * sizeof *o.accesses);
    }
    wl_predictor_free(predictor);
    return o;
}

static wl_kernel *parse(const char *name, const char *text)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok(name, wl_kernel_parse(name, text, strlen(text), NULL, &kernel, &err), &err);
    return kernel;
}

static outcome predict_text(const char *text, const wl_device *device, wl_launch launch)
{
    wl_kernel *kernel = parse(text, text);
    const outcome o = kernel ? predict(text, kernel, device, &launch) : (outcome){0};
    wl_kernel_free(kernel);
    return o;
}

static void check_metrics(const char *name, const outcome *got, const outcome *want, double within)
{
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        check_int(name, wl_metric_name((wl_metric)m), got->metrics[m].known, want->metrics[m].known);
        check_near(name, wl_metric_name((wl_metric)m), got->metrics[m].value, want->metrics[m].value, within);
    }
    check_near(name, "time", got->time_s, want->time_s, within);
}

static void check_same_metrics(const char *name, const outcome *got, const outcome *want)
{
    check_metrics(name, got, want, 0);
}

#define HEAD "name: k\ndomain: [65536]\ninstructions: 20\n"
#define A256 ((wl_launch){.block = {256, 1, 1}, .fold = {1, 1, 1}})

static double metric(const outcome *o, wl_metric m) { return o->metrics[m].value; }

/* ---- vectors ---- */

static void test_vectors(void **state)
{
    static const struct {
        const char *one, *other;
    } same[] = {
        {HEAD "fields: {a: {type: f32}, b: {type: f32}}\nloads: ['a[4*x : 4]']\nstores: ['b[x]']\n",
         HEAD "fields: {a: {type: f32, vector: 4}, b: {type: f32}}\nloads: ['a[x]']\nstores: ['b[x]']\n"},
        {HEAD "fields: {a: {type: f64}, b: {type: f32}}\nloads: ['a[2*x + 16 : 2]']\nstores: ['b[x]']\n",
         HEAD "fields: {a: {type: f64, vector: 2}, b: {type: f32}}\nloads: ['a[x + 8]']\nstores: ['b[x]']\n"},
        {HEAD
         "fields: {a: {type: i8, strides: [16, 64]}, b: {type: f32}}\nloads: ['a[x, 3 : 8*2]']\nstores: ['b[x]']\n",
         HEAD "fields: {a: {type: i8, vector: 16}, b: {type: f32}}\nloads: ['a[x + 12]']\nstores: ['b[x]']\n"},
        {HEAD "fields: {a: {type: f32}}\nstores: ['a[x : 1]']\n", HEAD "fields: {a: {type: f32}}\nstores: ['a[x]']\n"},
        /* evaluated lane by lane */
        {HEAD "fields: {a: {type: f32}, b: {type: f32}}\nloads: ['a[4*(x ^ 3) : 4]']\nstores: ['b[x]']\n",
         HEAD "fields: {a: {type: f32, vector: 4}, b: {type: f32}}\nloads: ['a[x ^ 3]']\nstores: ['b[x]']\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(same); i++)
        for (int d = 0; d < 2; d++) {
            const outcome one = predict_text(same[i].one, d ? a100 : h200, A256),
                          other = predict_text(same[i].other, d ? a100 : h200, A256);
            check_same_metrics(same[i].one, &one, &other);
        }
    /* single elements and vectors of one field: the vectors hold them all */
    const outcome mixed = predict_text(
        HEAD "fields: {a: {type: f32}, b: {type: f32}}\nloads: ['a[x]', 'a[4*x : 4]']\nstores: ['b[x]']\n", h200, A256);
    check_near("mixed", "sectors", metric(&mixed, WL_METRIC_l1_sectors_ld), 65536 * (4 + 16) / 32.0, 0);
    check_near("mixed", "instructions", metric(&mixed, WL_METRIC_inst_global_ld), 2 * 65536 / 32.0, 0);
    check_near("mixed", "compulsory loads", mixed.metrics[WL_METRIC_dram_load_bytes].parts[0].value, 65536 * 16.0, 0);
    /* 32 bytes are a sector each */
    const outcome wide = predict_text(HEAD "fields: {a: {type: f64}}\nstores: ['a[4*x : 4]']\n", h200, A256);
    check_near("wide", "sectors", metric(&wide, WL_METRIC_l1_sectors_st), 65536, 0);
    check_done();
}

/* ---- conditions ---- */

#define AB "fields: {a: {type: f32}, b: {type: f32}}\n"

static void test_decided(void **state)
{
    static const struct {
        const char *one, *other;
    } same[] = {
        {HEAD AB "loads: ['a[x] if x < 65536']\nstores: ['b[x]']\n", HEAD AB "loads: ['a[x]']\nstores: ['b[x]']\n"},
        {HEAD AB "loads: ['a[x]', 'a[x*x] if x < 0']\nstores: ['b[x]']\n",
         HEAD AB "loads: ['a[x]']\nstores: ['b[x]']\n"},
        {HEAD AB "loads: ['a[x]', 'a[x/0] if x < 0 || x > 65535']\nstores: ['b[x]']\n",
         HEAD AB "loads: ['a[x]']\nstores: ['b[x]']\n"},
        {HEAD AB "loads: ['a[x ^ 1] if 1']\nstores: ['b[x]']\n", HEAD AB "loads: ['a[x ^ 1]']\nstores: ['b[x]']\n"},
        /* a guard as CUDA code has it, where every thread passes */
        {HEAD AB "loads: ['a[x] if blockIdx.x*blockDim.x + threadIdx.x < 65536']\nstores: ['b[x]']\n",
         HEAD AB "loads: ['a[x] if threadIdx.x >= 0']\nstores: ['b[x]']\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        const outcome one = predict_text(same[i].one, h200, A256), other = predict_text(same[i].other, h200, A256);
        check_same_metrics(same[i].one, &one, &other);
    }
    check_done();
}

/* 2048 warps of 32 threads. */
static const struct {
    const char *access;
    double inst, sectors;
} conditions[] = {
    {"a[x] if x % 32 == 0", 2048, 2048},
    {"a[x] if x % 32 < 8", 2048, 2048},
    {"a[x] if x % 64 < 32", 1024, 4096},
    {"a[x] if x / 32 & 1", 1024, 4096},
    {"a[x] if x % 64 < 40", 2048, 1024 * 5},
    {"a[32*x] if x % 32 >= 30", 2048, 4096},
    {"a[x/(x % 2)] if x % 2", 2048, 2048 * 4},          /* the other lanes would divide by zero */
    {"a[select(x % 2, x/(x % 2), x)]", 2048, 2048 * 4}, /* so would they here */
    {"a[x] if x % 2 && x / (x % 2) < 64", 2, 8},
    {"a[x] if x == 77", 1, 1},
    {"a[x + 65536*i] if i == 2 && x < 32", 1, 4},
    {"a[x + 65536*i] if x < 64", 8, 32},
    {"a[x] if i < 3", 2048 * 3, 2048 * 12},
};

static void test_conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(conditions); i++) {
        char text[400];
        (void)snprintf(text, sizeof text, HEAD AB "loops: {i: 4}\nloads: ['%s']\nstores: ['b[x]']\n",
                       conditions[i].access);
        const outcome o = predict_text(text, h200, A256);
        check_near(conditions[i].access, "instructions", metric(&o, WL_METRIC_inst_global_ld), conditions[i].inst, 0);
        check_near(conditions[i].access, "sectors", metric(&o, WL_METRIC_l1_sectors_ld), conditions[i].sectors, 0);
    }
    /* an error in a lane that takes part is one */
    wl_kernel *kernel = parse("divides", HEAD AB "loads: ['a[x/(x % 2)] if x % 4']\nstores: ['b[x]']\n");
    wl_predictor *predictor = NULL;
    wl_prediction p;
    wl_error err = {0};
    check_ok("divides", wl_predictor_new(kernel, h200, &predictor, &err), &err);
    check_int("divides", "status", wl_predict(predictor, &A256, NULL, &p, &err), WL_E_INPUT);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    check_done();
}

/* ---- atomics ---- */

/* One element of every sector: a store leaves it incomplete, an atomic works on what the L2 has
 * read. */
static void test_atomics(void **state)
{
    (void)state;
    wl_kernel *kernel = parse("atomics", HEAD "fields: {a: {type: f32}}\nstores: ['a[8*x]']\n");
    const wl_launch launch = A256;
    const outcome stored = predict("stores", kernel, h200, &launch);
    kernel->accesses[0].atomic = true;
    const outcome atomic = predict("atomics", kernel, h200, &launch);
    check_near("stores", "loads complete sectors", metric(&stored, WL_METRIC_dram_load_bytes), 65536 * 32.0, 0);
    check_near("atomics", "read what they change", metric(&atomic, WL_METRIC_dram_load_bytes), 65536 * 32.0, 0);
    check_near("atomics", "are no stores", metric(&atomic, WL_METRIC_l1_sectors_st), 0, 0);
    check_near("atomics", "instructions", metric(&atomic, WL_METRIC_inst_atomic), 65536 / 32.0, 0);
    wl_kernel_free(kernel);
    check_done();
}

/* ---- traces ---- */

#define WARP 32
#define WARPS_MAX 32
#define ACCESSES_MAX 8

/* Plays the accesses of a kernel without loops or folding. */
typedef struct player {
    const wl_kernel *kernel;
    wl_geometry geometry;
    int64_t asked;
    wl_execution executions[ACCESSES_MAX * WARPS_MAX];
    int64_t addresses[ACCESSES_MAX * WARPS_MAX][WARP];
    size_t first[ACCESSES_MAX + 1];
    wl_block_trace trace;
} player;

static wl_status play_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    player *p = context;
    const int64_t cell[3] = {0, 0, 0};
    size_t n = 0;
    p->asked++;
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        const wl_access *access = &p->kernel->accesses[a];
        p->first[a] = n;
        for (int64_t thread = 0; thread < p->geometry.threads; thread += WARP) {
            const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
            wl_lane_values values;
            uint8_t lane[WL_LANES_MAX];
            wl_execution *e = &p->executions[n];
            int lanes = 0;
            *e = (wl_execution){
                .access = (uint32_t)a, .warp = (uint16_t)(thread / WARP), .at = {.listed = p->addresses[n]}};
            const int filled = wl_lanes_fill(&p->geometry, &warp, WARP, cell, &values, lane);
            for (int i = 0; i < filled; i++) {
                int64_t holds = 1, index = 0;
                if (access->when && wl_expr_eval_lane(access->when, &values, i, &holds, err) != WL_OK)
                    return WL_E_INPUT;
                if (!holds)
                    continue;
                if (wl_expr_eval_lane(access->index, &values, i, &index, err) != WL_OK)
                    return WL_E_INPUT;
                p->addresses[n][lanes++] = index * access->unit_bytes;
                e->lanes |= (uint64_t)1 << lane[i];
            }
            n += lanes > 0;
        }
    }
    p->first[p->kernel->access_count] = n;
    p->trace = (wl_block_trace){p->executions, n, p->first};
    *out = &p->trace;
    return WL_OK;
}

/* A kernel whose addresses are traced is predicted as the one whose expressions say the same. */
static void test_traced(void **state)
{
    static const struct {
        const char *text;
        wl_launch launch;
        /* a trace does not say that there is a condition: fewer warps are looked at */
        double within;
    } cases[] = {
        {HEAD AB "loads: ['a[x * 7919 % 65536]']\nstores: ['b[x ^ 5]']\n",
         {.block = {256, 1, 1}, .fold = {1, 1, 1}},
         0},
        {HEAD AB
         "loads: ['a[x >> 3 & -2] if x % 3 == 0', 'b[(x ^ 9) & 4095 : 4]']\nstores: ['a[x*x % 5000] if x & 64']\n",
         {.block = {256, 1, 1}, .fold = {1, 1, 1}},
         0.01},
        {"name: k\ndomain: [300, 70]\ninstructions: 9\nfields: {a: {type: f64, alignment: 16}, b: {type: f32}}\n"
         "loads: ['a[x*y % 3001]', 'a[(x ^ y) + 10]']\nstores: ['b[x*3 ^ y]']\n",
         {.block = {24, 5, 1}, .fold = {1, 1, 1}},
         0},
        {HEAD "fields: {a: {type: f32}, s: {type: f32, memory: shared}}\n"
              "loads: ['s[threadIdx.x * 33 % 256]', 'a[x*x % 5000]']\nstores: ['s[threadIdx.x ^ 3]', 'a[x ^ 1]']\n",
         {.block = {256, 1, 1}, .fold = {1, 1, 1}},
         0},
    };
    static const wl_expr zero = {.op = WL_EXPR_CONST};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const char *name = cases[i / 2].text;
        const wl_device *device = i % 2 ? a100 : h200;
        wl_error err = {0};
        wl_kernel *kernel = parse(name, name), *twin = parse(name, name);
        player *p = calloc(1, sizeof *p);
        assert_true(kernel && twin && p);
        p->kernel = kernel;
        check_ok(name, wl_geometry_make(kernel, device, &cases[i / 2].launch, &p->geometry, &err), &err);
        twin->source = (wl_source){.context = p, .warp_size = WARP, .trace_block = play_block, .free = free};
        for (size_t a = 0; a < twin->access_count; a++) {
            twin->accesses[a].traced = true;
            twin->accesses[a].index = &zero;
            twin->accesses[a].when = NULL;
        }
        const outcome want = predict(name, kernel, device, &cases[i / 2].launch),
                      got = predict(name, twin, device, &cases[i / 2].launch);
        check_metrics(name, &got, &want, cases[i / 2].within);
        for (size_t f = 0; f < want.field_count; f++)
            check_near(name, "L2 loads of a field", got.fields[f].l2_load_bytes, want.fields[f].l2_load_bytes, 0);
        for (size_t a = 0; a < want.access_count; a++) {
            check_near(name, "instructions of an access", got.accesses[a].inst, want.accesses[a].inst, 0);
            check_near(name, "memory loads of an access", got.accesses[a].dram_load_bytes,
                       want.accesses[a].dram_load_bytes, 0);
        }
        check_true(name, "blocks were traced", p->asked > 0);
        wl_kernel_free(kernel);
        wl_kernel_free(twin); /* frees the player */
    }
    check_done();
}

static wl_status broken(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    (void)context, (void)block, (void)out;
    return err ? (err->code = WL_E_UNSUPPORTED, WL_E_UNSUPPORTED) : WL_E_UNSUPPORTED;
}

static void test_broken_source(void **state)
{
    (void)state;
    wl_kernel *kernel = parse("broken", HEAD AB "loads: ['a[0]']\nstores: ['b[x]']\n");
    wl_predictor *predictor = NULL;
    wl_prediction p;
    wl_error err = {0};
    kernel->accesses[0].traced = true;
    kernel->source = (wl_source){.warp_size = WARP, .trace_block = broken};
    check_ok("broken", wl_predictor_new(kernel, h200, &predictor, &err), &err);
    check_int("broken", "status", wl_predict(predictor, &A256, NULL, &p, &err), WL_E_UNSUPPORTED);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    check_done();
}

static int open_devices(void **state)
{
    wl_error err = {0};
    (void)state;
    return wl_device_builtin("h200", &h200, &err) != WL_OK || wl_device_builtin("a100-40gb", &a100, &err) != WL_OK;
}

static int close_devices(void **state)
{
    (void)state;
    wl_device_free(h200);
    wl_device_free(a100);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_decided), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_traced),  cmocka_unit_test(test_broken_source),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
