/* test_causes.c - causes/: what a launch is said to gain without a cause is what a kernel
 * without it takes.
 * SPDX-License-Identifier: MIT */
/* clang-format off */ /* the tables read better in rows */
#include "unit/given.h"

#include <stdio.h>
#include <stdlib.h>

#include "causes/find_causes.h"
#include "warpline/warpline.h"

#define HEAD "name: k\nregisters: 16\n"
#define LINE "domain: [16777216]\n"
#define A_B "fields: {a: {type: f32}, b: {type: f32}}\n"

/* Kernels in pairs: one with a cause, one without. */
static const char structs[] = HEAD LINE A_B "loads: ['b[4*x]']\nstores: ['a[x]']\n";
static const char arrays[] = HEAD LINE A_B "loads: ['b[x]']\nstores: ['a[x]']\n";
static const char of_four[] = HEAD LINE A_B "loads: ['b[4*x]', 'b[4*x+1]', 'b[4*x+2]', 'b[4*x+3]']\nstores: ['a[x]']\n";
static const char of_vector[] = HEAD LINE "fields: {a: {type: f32}, b: {type: f32, vector: 4}}\nloads: ['b[x]']\nstores: ['a[x]']\n";
static const char in_vectors[] = HEAD "domain: [4194304]\nfields: {a: {type: f32, vector: 4}, b: {type: f32, vector: 4}}\nloads: ['b[x]']\nstores: ['a[x]']\n";
static const char columns[] = HEAD "domain: [4096, 4096]\n" A_B "loads: ['b[4096*y + x]']\nstores: ['a[4096*x + y]']\n";
static const char rows[] = HEAD "domain: [4096, 4096]\n" A_B "loads: ['b[4096*y + x]']\nstores: ['a[4096*y + x]']\n";
#define TILE "domain: [4096, 1024]\nfields: {a: {type: f32}, b: {type: f32}, t: {type: f32, memory: shared}}\nloops: {j: 4}\n" \
    "loads: ['b[(blockIdx.y*32 + threadIdx.y + 8*j)*4096 + x]', "
#define OUT "'a[(blockIdx.x*32 + threadIdx.y + 8*j)*4096 + blockIdx.y*32 + threadIdx.x]']\nbarriers: 1\n"
static const char tile[] = HEAD TILE "'t[threadIdx.x*32 + threadIdx.y + 8*j]']\nstores: ['t[(threadIdx.y + 8*j)*32 + threadIdx.x]', " OUT "shared_bytes: 4096\n";
static const char padded[] = HEAD TILE "'t[threadIdx.x*33 + threadIdx.y + 8*j]']\nstores: ['t[(threadIdx.y + 8*j)*33 + threadIdx.x]', " OUT "shared_bytes: 4224\n";
static const char shuffled[] = HEAD "domain: [1024, 256]\nfields: {a: {type: f32}, t: {type: f32, memory: shared}}\nloops: {j: 4}\nloads: ['t[random(x*4 + j, 1024)]']\nstores: ['t[(threadIdx.y + 8*j)*32 + threadIdx.x]', 'a[1024*y + x]']\nbarriers: 1\nshared_bytes: 4096\n";
static const char weights[] = HEAD "domain: [4194304]\nfields: {a: {type: f32}, b: {type: f32}, w: {type: f32}}\nloops: {k: 64}\nloads: ['w[k]', 'b[x + k]']\nstores: ['a[x]']\n";
static const char no_weights[] = HEAD "domain: [4194304]\nfields: {a: {type: f32}, b: {type: f32}, w: {type: f32}}\nloops: {k: 64}\nloads: ['b[x + k]']\nstores: ['a[x]']\n";
static const char lookup[] = HEAD "domain: [16384]\nfields: {a: {type: f32}, t: {type: f32}}\nloops: {k: 16}\nloads: ['t[random(16*x + k, 1024)]']\nstores: ['a[x]']\n";
static const char lookup_staged[] = HEAD "domain: [16384]\nfields: {a: {type: f32}, t: {type: f32, memory: shared}, g: {type: f32}}\nloops: {k: 16}\nloads: ['t[random(16*x + k, 1024)]', 'g[threadIdx.x]', 'g[threadIdx.x + 256]', 'g[threadIdx.x + 512]', 'g[threadIdx.x + 768]']\nstores: ['a[x]']\nbarriers: 1\nshared_bytes: 4096\n";
static const char large_table[] = HEAD "domain: [16384]\nfields: {a: {type: f32}, t: {type: f32}}\nloops: {k: 16}\nloads: ['t[random(16*x + k, 16777216)]']\nstores: ['a[x]']\n";
static const char matmul[] = HEAD "domain: [1024, 1024]\nfields: {A: {type: f32}, B: {type: f32}, C: {type: f32}}\nloops: {i: 1024}\nloads: ['A[y*1024 + i]', 'B[i*1024 + x]']\nstores: ['C[y*1024 + x]']\nflops: 2048\n";

static const char roots[] = HEAD LINE A_B "loads: ['b[x]']\nstores: ['a[x]']\nmix: {special: 256, fp32: 256, load: 1, store: 1, int: 8}\n";
static const char sums[] = HEAD LINE A_B "loads: ['b[x]']\nstores: ['a[x]']\nmix: {fp32: 512, load: 1, store: 1, int: 8}\n";

typedef struct question {
    const char *kernel;
    wl_launch launch;
} question;

enum { SAME = 1, CLEAN = 2 };
static const struct {
    const char *name;
    wl_cause_id cause;
    question slow, twin;
    /* SAME: the time without the cause is the twin's; CLEAN: the twin does not have it */
    int twin_is;
    const char *access; /* the cause belongs to; NULL: none */
    int line;
} pairs[] = {
    {"array of structs", WL_CAUSE_SECTORS, {structs, {.block = {256}}}, {arrays, {.block = {256}}}, SAME | CLEAN, "b[4*x]", 5},
    {"four elements", WL_CAUSE_SECTORS, {of_four, {.block = {256}}}, {of_vector, {.block = {256}}}, CLEAN, "b[4*x]", 5},
    {"cells folded in x", WL_CAUSE_SECTORS, {arrays, {.block = {256}, .fold = {8, 1, 1}}}, {arrays, {.block = {256}}}, SAME | CLEAN, "b[x]", 5},
    {"down columns", WL_CAUSE_STORES, {columns, {.block = {32, 8}}}, {rows, {.block = {32, 8}}}, SAME | CLEAN, "a[4096*x + y]", 6},
    {"one bank", WL_CAUSE_BANKS, {tile, {.block = {32, 8}}}, {padded, {.block = {32, 8}}}, SAME | CLEAN, "t[threadIdx.x*32 + threadIdx.y + 8*j]", 6},
    {"random banks", WL_CAUSE_BANKS, {shuffled, {.block = {32, 8}}}, {padded, {.block = {32, 8}}}, CLEAN, "t[random(x*4 + j, 1024)]", 6},
    {"weights", WL_CAUSE_TABLE, {weights, {.block = {256}}}, {no_weights, {.block = {256}}}, SAME | CLEAN, "w[k]", 6},
    {"table", WL_CAUSE_TABLE, {lookup, {.block = {256}}}, {lookup_staged, {.block = {256}}}, SAME | CLEAN, "t[random(16*x + k, 1024)]", 6},
    {"large table", WL_CAUSE_TABLE, {lookup, {.block = {256}}}, {large_table, {.block = {256}}}, CLEAN, "t[random(16*x + k, 1024)]", 6},
    {"four loads", WL_CAUSE_VECTOR, {of_four, {.block = {256}}}, {of_vector, {.block = {256}}}, SAME | CLEAN, "b[4*x]", 5},
    {"scalars", WL_CAUSE_VECTOR, {arrays, {.block = {256}}}, {in_vectors, {.block = {256}}}, SAME | CLEAN, "b[x]", 5},
    {"registers", WL_CAUSE_REGISTERS, {rows, {.block = {32, 8}, .registers = 168}}, {rows, {.block = {32, 8}, .registers = 128}}, SAME, NULL, 0},
    {"few registers", WL_CAUSE_REGISTERS, {rows, {.block = {32, 8}, .registers = 168}}, {rows, {.block = {32, 8}, .registers = 32}}, CLEAN, NULL, 0},
    {"shared memory", WL_CAUSE_SHARED, {padded, {.block = {32, 8}, .shared_bytes = 60000}}, {padded, {.block = {32, 8}, .shared_bytes = 20000}}, CLEAN, NULL, 0},
    {"small blocks", WL_CAUSE_BLOCK, {rows, {.block = {32}}}, {rows, {.block = {128}}}, SAME | CLEAN, NULL, 0},
    {"blocks that leave room", WL_CAUSE_BLOCK, {rows, {.block = {768}}}, {rows, {.block = {512}}}, CLEAN, NULL, 0},
    {"special functions", WL_CAUSE_SPECIAL, {roots, {.block = {256}}}, {sums, {.block = {256}}}, CLEAN, NULL, 0},
    {"partial wave", WL_CAUSE_WAVES, {matmul, {.block = {256}, .grid = {4, 270, 1}}}, {matmul, {.block = {256}, .grid = {4, 264, 1}}}, CLEAN, NULL, 0},
    {"few blocks", WL_CAUSE_WAVES, {weights, {.block = {1024}, .grid = {0}}}, {weights, {.block = {256}}}, CLEAN, NULL, 0},
};

typedef struct answer {
    wl_kernel *kernel;
    wl_arena arena;
    const wl_cause *causes;
    size_t count;
    double time_s;
} answer;

static answer ask(const char *name, const question *q, const wl_device *device)
{
    answer a = {.kernel = given_kernel(q->kernel)};
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    const wl_questioned what = {.kernel = a.kernel, .device = device, .launch = q->launch, .block_is_free = !q->launch.grid[0] && !q->launch.shared_bytes};
    check_ok(name, wl_causes_find(&what, &a.arena, &a.causes, &a.count, &err), &err);
    check_ok(name, wl_predictor_new(a.kernel, device, &predictor, &err), &err);
    check_ok(name, wl_prediction_new(&p, &err), &err);
    check_ok(name, wl_predict(predictor, &q->launch, NULL, p, &err), &err);
    a.time_s = wl_prediction_time(p);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    return a;
}

static void forget(answer *a)
{
    wl_arena_free(&a->arena);
    wl_kernel_free(a->kernel);
}

static const wl_cause *find(const answer *a, wl_cause_id id)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->causes[i].id == id)
            return &a->causes[i];
    return NULL;
}

static void check_cause(size_t i, const wl_cause *c, double before, double twin)
{
    const char *name = pairs[i].name;
    check_true(name, "a change was predicted", c->change && c->gain >= 0.01);
    check_near(name, "gain", c->gain, 1 - c->time_s / before, 1e-12);
    if (pairs[i].twin_is & SAME)
        check_near(name, "time without it", c->time_s, twin, 1e-9);
    check_true(name, "access", (c->access == NULL) == (pairs[i].access == NULL));
    if (c->access && pairs[i].access)
        check_text(name, "access", c->access, pairs[i].access);
    check_int(name, "line", c->line, pairs[i].line);
}

static void check_pair(size_t i, const wl_device *device)
{
    answer slow = ask(pairs[i].name, &pairs[i].slow, device), twin = ask(pairs[i].name, &pairs[i].twin, device);
    const wl_cause *c = find(&slow, pairs[i].cause);
    check_true(pairs[i].name, "the cause is named", c != NULL);
    if (pairs[i].twin_is & CLEAN)
        check_true(pairs[i].name, "the twin has no such cause", find(&twin, pairs[i].cause) == NULL);
    if (c)
        check_cause(i, c, slow.time_s, twin.time_s);
    forget(&slow);
    forget(&twin);
}

static void test_pairs(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        check_pair(i, device);
    wl_device_free(device);
    check_done();
}

/* A gather has no other order to predict, but the L1 would need fewer wavefronts in one. */
static void test_gather(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    answer a = ask("gather", &(question){lookup, {.block = {256}}}, device);
    const wl_cause *c = find(&a, WL_CAUSE_SECTORS);
    check_true("gather", "named", c != NULL);
    check_true("gather", "a number where it is worth it", c && (c->change != NULL) == (c->gain > 0));
    check_true("gather", "in order", c && (c == a.causes || c[-1].gain >= c->gain));
    forget(&a);
    wl_device_free(device);
    check_done();
}

/* wl_advise has them, the most gain first. */
static void test_advised(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    wl_kernel *kernel = given_kernel(of_four);
    wl_advised *a = NULL;
    wl_error err = {0};
    check_ok("advised", wl_advise(kernel, device, &(wl_launch){.block = {256}}, NULL, &a, &err), &err);
    wl_kernel_free(kernel); /* texts are copies */
    size_t n = 0;
    for (const wl_cause *c, *before = NULL; (c = wl_advised_cause(a, n)) != NULL; n++, before = c) {
        check_true("advised", "more gain first", !before || before->gain >= c->gain);
        check_text("advised", "file", c->file, "kernel");
        check_true("advised", "words", wl_cause_name(c->id)[0] != '\0' && wl_cause_caveat(c->id)[0] != '\0');
    }
    check_int("advised", "causes", (int64_t)n, 2);
    wl_advised_free(a);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_advised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
