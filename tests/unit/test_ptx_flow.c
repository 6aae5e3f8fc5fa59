/* test_ptx_flow.c - basic blocks, reconvergence points, meeting points and loops of small
 * functions.
 * SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "ptx/module/flow.h"

#define FUNCTION(body) PTX_HEAD ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n" body "}\n"

typedef struct flow_case {
    const char *name, *text;
    int32_t blocks, loops;
    int32_t reconvergence[8]; /* by block: an instruction */
    int32_t loop_of[8], exits[2], parent[2];
} flow_case;

static const flow_case cases[] = {
    {"straight-line code", FUNCTION("mov.u32 %r1, 0;\nret;\n"), 1, 0, {2}, {-1}, {0}, {0}},
    {"if", FUNCTION("@%p1 bra A;\nmov.u32 %r1, 0;\nA:\nret;\n"), 3, 0, {2, 2, 3}, {-1, -1, -1}, {0}, {0}},
    {"if and else",
     FUNCTION("@%p1 bra A;\nmov.u32 %r1, 0;\nbra B;\nA:\nmov.u32 %r1, 1;\nB:\nret;\n"),
     4,
     0,
     {4, 4, 4, 5},
     {-1, -1, -1, -1},
     {0},
     {0}},
    {"an early return",
     FUNCTION("@%p1 bra A;\nret;\nA:\n@%p2 ret;\nmov.u32 %r1, 1;\nret;\n"),
     4,
     0,
     {5, 5, 5, 5},
     {-1, -1, -1, -1},
     {0},
     {0}},
    {"a loop", FUNCTION("L:\nmov.u32 %r1, 0;\n@%p1 bra L;\nret;\n"), 2, 1, {2, 3}, {0, -1}, {1}, {-1}},
    {"a loop with two exits",
     FUNCTION("L:\n@%p1 bra D;\nmov.u32 %r1, 0;\n@%p2 bra L;\nD:\nret;\n"),
     3,
     1,
     {3, 3, 4},
     {0, 0, -1},
     {2},
     {-1}},
    {"nested loops",
     FUNCTION("A:\nmov.u32 %r1, 0;\nB:\nmov.u32 %r2, 0;\n@%p1 bra B;\n@%p2 bra A;\nret;\n"),
     4,
     2,
     {1, 3, 4, 5},
     {0, 1, 0, -1},
     {1, 1},
     {-1, 0}},
    {"an endless loop", FUNCTION("L:\nmov.u32 %r1, 0;\nbra L;\n"), 1, 1, {2}, {0}, {0}, {-1}},
    {"the end without ret", FUNCTION("@%p1 bra E;\nmov.u32 %r1, 0;\nE:\n"), 2, 0, {2, 2}, {-1, -1}, {0}, {0}},
};

static void test_flow(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const flow_case *c = &cases[k];
        wl_ptx_module *module = NULL;
        wl_error err = {0};
        wl_arena arena = {0};
        wl_ptx_flow flow;
        check_ok(c->name, wl_ptx_module_parse("test.ptx", c->text, strlen(c->text), &module, &err), &err);
        check_ok(c->name, wl_ptx_flow_make(&module->functions[0], &arena, &flow, &err), &err);
        check_int(c->name, "blocks", flow.block_count, c->blocks);
        check_int(c->name, "loops", flow.loop_count, c->loops);
        for (int32_t b = 0; b < c->blocks && flow.block_count == c->blocks; b++) {
            check_int(c->name, "reconvergence", flow.reconvergence[b], c->reconvergence[b]);
            check_int(c->name, "loop", flow.loop_of[b], c->loop_of[b]);
        }
        for (int32_t l = 0; l < c->loops && flow.loop_count == c->loops; l++) {
            check_int(c->name, "exits", flow.loops[l].exit_count, c->exits[l]);
            check_int(c->name, "parent", flow.loops[l].parent, c->parent[l]);
        }
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
    check_done();
}

/* ---- where lanes meet ---- */

#define WORK "add.u32 %r1, %r1, 1;\n"

static const struct {
    const char *name, *text;
    int32_t branch, meeting; /* instructions; -1: nowhere */
} meetings[] = {
    {"if", FUNCTION("@%p1 bra A;\n" WORK "A:\nret;\n"), 0, 2},
    {"if and else", FUNCTION("@%p1 bra A;\n" WORK "bra B;\nA:\n" WORK "B:\nret;\n"), 0, 4},
    {"an else that stands behind the end", FUNCTION("@%p1 bra A;\n" WORK "B:\nret;\nA:\n" WORK "bra B;\n"), 0, 2},
    {"a branch that goes the same way", FUNCTION("L:\n@%p1 bra A;\nA:\n@%p2 bra L;\nret;\n"), 0, 1},
    {"a side that returns", FUNCTION("@%p1 bra A;\n" WORK "ret;\nA:\n" WORK "ret;\n"), 0, -1},
    {"a return inside a side", FUNCTION("@%p1 bra A;\n" WORK "@%p2 ret;\nA:\n" WORK "ret;\n"), 0, 3},
    {"a jump to the return inside a side", FUNCTION("@%p1 bra A;\n@%p2 bra E;\n" WORK "A:\n" WORK "E:\nret;\n"), 0, 3},
    {"that jump", FUNCTION("@%p1 bra A;\n@%p2 bra E;\n" WORK "A:\n" WORK "E:\nret;\n"), 1, 4},
    {"a break inside a side", FUNCTION("L:\n@%p1 bra A;\n@%p2 bra E;\n" WORK "A:\n" WORK "@%p3 bra L;\nE:\nret;\n"), 0,
     3},
    {"that break", FUNCTION("L:\n@%p1 bra A;\n@%p2 bra E;\n" WORK "A:\n" WORK "@%p3 bra L;\nE:\nret;\n"), 1, 5},
    {"the end of that loop", FUNCTION("L:\n@%p1 bra A;\n@%p2 bra E;\n" WORK "A:\n" WORK "@%p3 bra L;\nE:\nret;\n"), 4,
     5},
    {"a continue inside a side", FUNCTION("L:\n@%p1 bra A;\n@%p2 bra C;\n" WORK "A:\n" WORK "C:\n@%p3 bra L;\nret;\n"),
     0, 3},
    {"a loop with a return inside", FUNCTION("L:\n@%p1 bra E;\n@%p2 ret;\n" WORK "bra L;\nE:\nret;\n"), 0, 4},
    {"work before a break", FUNCTION("L:\n@%p1 bra E;\n@%p2 bra X;\n" WORK "bra L;\nX:\n" WORK "E:\nret;\n"), 1, 5},
};

static void test_meetings(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(meetings); k++) {
        wl_ptx_module *module = NULL;
        wl_error err = {0};
        wl_arena arena = {0};
        wl_ptx_flow flow;
        const char *name = meetings[k].name, *text = meetings[k].text;
        check_ok(name, wl_ptx_module_parse("test.ptx", text, strlen(text), &module, &err), &err);
        check_ok(name, wl_ptx_flow_make(&module->functions[0], &arena, &flow, &err), &err);
        check_int(name, "meeting", flow.meeting[flow.block_of[meetings[k].branch]], meetings[k].meeting);
        wl_arena_free(&arena);
        wl_ptx_module_free(module);
    }
    check_done();
}

static void test_live(void **state)
{
    (void)state;
    const char *text = FUNCTION(
        "mov.u32 %r1, 0;\n@%p1 mov.u32 %r2, 1;\nadd.u32 %r3, %r1, %r2;\n@%p2 bra E;\nmov.u32 %r0, 1;\nE:\nret;\n");
    wl_ptx_module *module = NULL;
    wl_error err = {0};
    wl_arena arena = {0};
    wl_ptx_flow flow;
    check_ok("live", wl_ptx_module_parse("test.ptx", text, strlen(text), &module, &err), &err);
    check_ok("live", wl_ptx_flow_make(&module->functions[0], &arena, &flow, &err), &err);
    for (int32_t r = 0; r < module->functions[0].register_count; r++) {
        const char *name = module->functions[0].registers[r].name;
        const bool want = strstr(name, "p1") || strstr(name, "p2") || strstr(name, "r2");
        check_true(name, "read before it is written", flow.live_at_entry[r] == want);
    }
    wl_arena_free(&arena);
    wl_ptx_module_free(module);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flow), cmocka_unit_test(test_meetings),
                                       cmocka_unit_test(test_live)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
