/* test_ptx_trips.c - trips that are counted without being executed, against a run that executes all
 * of them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

#include "ptx/emulate/emulate_internal.h"
#include "ptx/read/read_module.h"

#define BLOCKS 3

/* A loop in %r4 or %rd4, from what threads (%r1) and blocks (%r2) are; %r7 grows beside it. */
typedef struct loop_case {
    const char *name, *before, *body; /* the last line of the body branches to LOOP */
    bool counted;                     /* its trips are not all executed */
} loop_case;

static const loop_case cases[] = {
    {"up to a bound", "mov.u32 %r4, 0;", "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 1000; @%p1 bra LOOP;", true},
    {"up to a bound of each lane", "mov.u32 %r4, %r1;",
     "add.s32 %r4, %r4, 1; mad.lo.s32 %r6, %r1, 7, 0; setp.lt.s32 %p1, %r4, %r6; @%p1 bra LOOP;", true},
    {"lanes leave one after another", "mov.u32 %r4, 0; mad.lo.s32 %r6, %r1, 17, %r2;",
     "add.s32 %r4, %r4, 1; setp.le.s32 %p1, %r4, %r6; @%p1 bra LOOP;", true},
    {"down to zero", "mad.lo.s32 %r4, %r2, 400, 800;", "add.s32 %r4, %r4, -4; setp.ne.s32 %p1, %r4, 0; @%p1 bra LOOP;",
     true},
    {"past a number that it never equals", "mov.u32 %r4, 1; mov.u32 %r6, 4001;",
     "add.s32 %r4, %r4, 2; sub.s32 %r6, %r6, 0; setp.ne.s32 %p1, %r4, 900; setp.lt.s32 %p2, %r4, %r6; "
     "and.pred %p1, %p1, %p2; @%p1 bra LOOP;",
     false},
    {"unequal until it wraps around", "mov.u32 %r4, 7; mov.u32 %r5, 0x4000000;",
     "add.s32 %r4, %r4, %r5; setp.ne.s32 %p1, %r4, 7; @%p1 bra LOOP;", true},
    {"the guard is negated", "mov.u32 %r4, 0;", "add.s32 %r4, %r4, 3; setp.gt.s32 %p1, %r4, 2000; @!%p1 bra LOOP;",
     true},
    {"operands are swapped", "mov.u32 %r4, 0; add.s32 %r6, %r1, 900;",
     "add.s32 %r4, %r4, 3; setp.ge.s32 %p1, %r6, %r4; @%p1 bra LOOP;", true},
    {"the old value is compared", "mov.u32 %r4, 0;", "setp.lt.s32 %p1, %r4, 777; add.s32 %r4, %r4, 5; @%p1 bra LOOP;",
     true},
    {"subtracted amounts of each lane", "mov.u32 %r4, 5000; add.s32 %r5, %r1, 5;",
     "sub.s32 %r4, %r4, %r5; setp.gt.s32 %p1, %r4, %r5; @%p1 bra LOOP;", true},
    {"unsigned, above the signed numbers", "mov.u32 %r4, 0x7fffff00;",
     "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 0x80000100; @%p1 bra LOOP;", true},
    {"signed numbers that overflow", "mov.u32 %r4, 0x7ffffe00;",
     "add.s32 %r4, %r4, 1; setp.gt.s32 %p1, %r4, 0; @%p1 bra LOOP;", true},
    {"64 bits", "mov.u64 %rd4, 0; mov.u64 %rd5, 0x100000000000;",
     "add.s64 %rd4, %rd4, %rd5; setp.lt.u64 %p1, %rd4, 0xff00000000000000; @%p1 bra LOOP;", true},
    {"16 bits", "mov.u16 %rs4, 0;", "add.s16 %rs4, %rs4, 9; setp.lt.s16 %p1, %rs4, 32000; @%p1 bra LOOP;", true},
    {"an amount that grows", "mov.u32 %r4, 0; mov.u32 %r5, 1;",
     "add.s32 %r4, %r4, %r5; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r4, 3000; @%p1 bra LOOP;", false},
    {"a bound that moves", "mov.u32 %r4, 0; mov.u32 %r6, 2000;",
     "add.s32 %r4, %r4, 1; add.s32 %r6, %r6, -1; setp.lt.s32 %p1, %r4, %r6; @%p1 bra LOOP;", true},
    {"twice in a trip", "mov.u32 %r4, 0;",
     "add.s32 %r4, %r4, 1; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 2000; @%p1 bra LOOP;", true},
    {"saturating", "mov.u32 %r4, 0;", "add.sat.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 700; @%p1 bra LOOP;", false},
    {"a guarded step", "mov.u32 %r4, 0;",
     "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 700; @%p1 add.s32 %r7, %r7, 1; @%p1 bra LOOP;", false},
    {"in another loop", "mov.u32 %r4, 0; mov.u32 %r6, 0;",
     "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 900; @%p1 bra LOOP; mov.u32 %r4, %r6; add.s32 %r6, %r6, %r1; "
     "add.s32 %r6, %r6, 100; setp.lt.s32 %p2, %r6, 880; @%p2 bra LOOP;",
     true},
    {"around another loop", "mov.u32 %r6, %r1;",
     "mov.u32 %r4, 0; IN: add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 5; @%p1 bra IN; "
     "add.s32 %r6, %r6, 2; setp.lt.s32 %p2, %r6, 400; @%p2 bra LOOP;",
     true},
    {"around a loop that grows longer", "mov.u32 %r6, %r1;",
     "mov.u32 %r4, 0; IN: add.s32 %r4, %r4, 8; setp.lt.s32 %p1, %r4, %r6; @%p1 bra IN; "
     "add.s32 %r6, %r6, 2; setp.lt.s32 %p2, %r6, 300; @%p2 bra LOOP;",
     true},
    {"around a loop that lanes leave one after another", "mov.u32 %r6, 0;",
     "mov.u32 %r4, %r1; IN: add.s32 %r4, %r4, 20; setp.lt.s32 %p1, %r4, 60; @%p1 bra IN; "
     "add.s32 %r6, %r6, 3; setp.lt.s32 %p2, %r6, 600; @%p2 bra LOOP;",
     true},
    {"three deep, with conditions", "mov.u32 %r6, 0;",
     "mov.u32 %r5, %r1; MID: mov.u32 %r4, 0; setp.gt.s32 %p4, %r5, 30; @%p4 bra PAST; "
     "IN: add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 50; @%p1 bra IN; "
     "PAST: add.s32 %r5, %r5, 7; setp.lt.s32 %p1, %r5, 80; @%p1 bra MID; "
     "add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r6, 70; @%p2 bra LOOP;",
     true},
    {"a condition that changes on the way", "mov.u32 %r6, 0;",
     "setp.lt.s32 %p1, %r6, 40; @%p1 bra PAST; add.s32 %r4, %r4, 1; PAST: mad.lo.s32 %r5, %r6, 3, %r1; "
     "setp.gt.s32 %p4, %r5, 500; @%p4 bra OVER; add.s32 %r4, %r4, 2; OVER: add.s32 %r6, %r6, 1; "
     "setp.lt.s32 %p2, %r6, 300; @%p2 bra LOOP;",
     true},
    {"a condition on an even number", "mov.u32 %r6, 0;",
     "setp.eq.s32 %p1, %r6, 100; @%p1 bra PAST; add.s32 %r4, %r4, 1; PAST: add.s32 %r6, %r6, 4; "
     "setp.ne.s32 %p2, %r6, 400; @%p2 bra LOOP;",
     true},
    {"it doubles", "mov.u32 %r6, 1;",
     "mul.lo.s32 %r6, %r6, 2; mov.u32 %r4, %r6; setp.lt.s32 %p2, %r4, 100000000; @%p2 bra LOOP;", false},
    {"it turns every third trip", "mov.u32 %r6, 0; mov.u32 %r5, 0;",
     "add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, 3; @%p1 bra PAST; mov.u32 %r5, 0; PAST: add.s32 %r6, %r6, 1; "
     "setp.lt.s32 %p2, %r6, 200; @%p2 bra LOOP;",
     false},
    {"a product with what changes", "mov.u32 %r6, 1;",
     "mul.lo.s32 %r5, %r6, %r6; add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r5, 20000; @%p2 bra LOOP;", false},
    {"it ends in a condition", "mov.u32 %r6, 0;",
     "add.s32 %r6, %r6, 1; setp.gt.s32 %p1, %r6, %r1; @%p1 bra PAST; bra LOOP; PAST: setp.lt.s32 %p2, %r6, 700; "
     "@%p2 bra LOOP;",
     true},
    {"loads that decide nothing", "mov.u32 %r4, 0;",
     "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd1], %f1; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 500; "
     "@%p1 bra LOOP;",
     true},
};

typedef struct run {
    char text[4096];
    wl_ptx_module *module;
    wl_arena arena, counts;
    wl_ptx_arguments arguments;
    wl_ptx_launch launch;
    wl_ptx_emulator *thin, *full;
} run;

static void start(run *r, const loop_case *c)
{
    static const char *const args[] = {"buf:4096"};
    wl_error err = {0};
    const wl_ptx_given given = {.args = args, .arg_count = 1};
    *r = (run){0};
    const int length =
        snprintf(r->text, sizeof r->text,
                 ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                 ".reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r7, 0;\n"
                 "%s\nLOOP:\nadd.s32 %%r7, %%r7, 3;\n%s\n"
                 "setp.gt.s32 %%p3, %%r7, 1500;\n@%%p3 bra END;\nst.global.u32 [%%rd1], %%r7;\nEND:\nret;\n}\n",
                 c->before, c->body);
    assert_true(length > 0 && (size_t)length < sizeof r->text);
    check_ok(c->name, wl_ptx_module_parse("trips", r->text, (size_t)length, &r->module, &err), &err);
    r->launch = (wl_ptx_launch){.module = r->module,
                                .entry = &r->module->functions[0],
                                .arguments = &r->arguments,
                                .block = {48, 1, 1},
                                .grid = {BLOCKS, 1, 1},
                                .budget = 40000000};
    check_ok(c->name, wl_ptx_arguments_make(r->module, r->launch.entry, &given, &r->arena, &r->arguments, &err), &err);
    check_ok(c->name, wl_ptx_emulator_new(&r->launch, &r->thin, &err), &err);
    r->launch.everything = true;
    check_ok(c->name, wl_ptx_emulator_new(&r->launch, &r->full, &err), &err);
}

static void end(run *r)
{
    wl_ptx_emulator_free(r->thin);
    wl_ptx_emulator_free(r->full);
    wl_arena_free(&r->arena);
    wl_arena_free(&r->counts);
    wl_ptx_module_free(r->module);
}

static void same_counts(const char *name, const wl_ptx_profile *a, const wl_ptx_profile *b)
{
    for (int32_t i = 0; i < a->count; i++)
        if (a->warps[i] != b->warps[i] || a->warps_on[i] != b->warps_on[i] || a->threads[i] != b->threads[i] ||
            a->threads_on[i] != b->threads_on[i] || a->diverged[i] != b->diverged[i] || a->rungs[i] != b->rungs[i])
            fail_msg("%s: instruction %d: %g warps, not %g; %g threads, not %g", name, (int)i, a->warps[i], b->warps[i],
                     a->threads[i], b->threads[i]);
}

static void test_counts_are_those_of_all_trips(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const loop_case *c = &cases[i];
        run r;
        wl_error err = {0};
        wl_ptx_profile thin, full;
        start(&r, c);
        check_ok(c->name, wl_ptx_profile_make(r.module, &r.counts, &thin, &err), &err);
        check_ok(c->name, wl_ptx_profile_make(r.module, &r.counts, &full, &err), &err);
        for (int64_t b = 0; b < BLOCKS; b++) {
            wl_ptx_followed f, e;
            check_ok(c->name, wl_ptx_follow_block(r.thin, (const int64_t[3]){b, 0, 0}, &f, &err), &err);
            check_ok(c->name, wl_ptx_follow_block(r.full, (const int64_t[3]){b, 0, 0}, &e, &err), &err);
            check_int(c->name, "instructions", f.instructions, e.instructions);
            check_int(c->name, "loads", f.loads, e.loads);
            check_int(c->name, "stores", f.stores, e.stores);
            check_int(c->name, "longest.instructions", f.longest.instructions, e.longest.instructions);
            check_int(c->name, "longest.loads", f.longest.loads, e.longest.loads);
            if (c->counted != (f.skipped > f.steps))
                fail_msg("%s: %lld steps, %lld skipped", c->name, (long long)f.steps, (long long)f.skipped);
        }
        wl_ptx_collect(r.thin, 1, &thin);
        wl_ptx_collect(r.full, 1, &full);
        same_counts(c->name, &thin, &full);
        end(&r);
    }
}

/* A loop that never ends is an error all the same, after no more than the budget. */
static void test_endless_loop(void **state)
{
    (void)state;
    const loop_case c = {"endless", "mov.u32 %r4, 0; mov.u32 %r5, 2;",
                         "add.s32 %r4, %r4, %r5; setp.ne.s32 %p1, %r4, 7; @%p1 bra LOOP;", true};
    run r;
    wl_error err = {0};
    wl_ptx_followed f;
    start(&r, &c);
    check_int(c.name, "status", wl_ptx_follow_block(r.thin, (const int64_t[3]){0, 0, 0}, &f, &err), WL_E_LIMIT);
    assert_non_null(strstr(err.message, "a loop that does not end?"));
    end(&r);
}

/* Loads that wait for one another, in groups: a short body behind a branch is predicated, so that
 * loads behind it need not wait for the branch, unless they might read what it stores. */
static void test_rounds(void **state)
{
    (void)state;
    static const struct {
        loop_case loop;
        int64_t rounds;
    } chains[] = {
        {{"two loads at once", "", "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+4];", false}, 1},
        {{"one after the other", "",
          "ld.global.u32 %r4, [%rd1]; and.b32 %r4, %r4, 60; cvt.u64.u32 %rd2, %r4; add.s64 %rd2, %rd2, %rd1; "
          "ld.global.u32 %r5, [%rd2];",
          false},
         2},
        {{"behind a predicated store", "",
          "ld.global.nc.u32 %r4, [%rd1]; setp.gt.s32 %p1, %r4, 0; @%p1 bra PAST; st.global.u32 [%rd1+8], %r4; "
          "PAST: ld.global.nc.u32 %r5, [%rd1+64]; setp.gt.s32 %p1, %r5, 0; @%p1 bra OVER; "
          "st.global.u32 [%rd1+16], %r5; OVER: ld.global.nc.u32 %r6, [%rd1+128];",
          false},
         1},
        {{"behind a store that may change it", "",
          "ld.global.u32 %r4, [%rd1]; setp.gt.s32 %p1, %r4, 0; @%p1 bra PAST; st.global.u32 [%rd1+8], %r4; "
          "PAST: ld.global.u32 %r5, [%rd1+64];",
          false},
         2},
        {{"behind a load that may be skipped", "",
          "ld.global.nc.u32 %r4, [%rd1]; setp.gt.s32 %p1, %r4, 0; @%p1 bra PAST; ld.global.nc.u32 %r6, [%rd1+8]; "
          "PAST: ld.global.nc.u32 %r5, [%rd1+64];",
          false},
         3},
    };
    for (size_t i = 0; i < COUNT_OF(chains); i++) {
        run r;
        wl_error err = {0};
        wl_ptx_followed f;
        start(&r, &chains[i].loop);
        check_ok(chains[i].loop.name, wl_ptx_follow_block(r.thin, (const int64_t[3]){0, 0, 0}, &f, &err), &err);
        check_int(chains[i].loop.name, "rounds", f.longest.rounds, WL_PTX_ROUND * chains[i].rounds);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_those_of_all_trips),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
