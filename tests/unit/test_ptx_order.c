/* test_ptx_order.c - blocks that tell each other: tickets, the last block, look-back, locks, waits.
 * SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

/* %rd1 = out, %rd2 = words that blocks share, %r3 = n, %r2 = thread, %r4 = block, %r5 = blocks. */
#define BEGIN                                                                                                          \
    PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 words, .param .u32 n)\n{\n"                               \
             ".reg .pred %p<8>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"                                              \
             "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [words]; ld.param.u32 %r3, [n];\n"                          \
             "mov.u32 %r2, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x;\n"
/* The body starts at line 11. */
#define END "DONE:\nret;\n}\n"
#define STORE(index) "mul.wide.u32 %rd3, " index ", 4;\nadd.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r2;\n"

enum { SLOTS = 20000 };

/* Stores to out, by index. */
typedef struct stores {
    const ptx_run *run;
    int32_t times[SLOTS];
} stores;

static wl_status visit(void *user, const wl_ptx_touch *t, wl_error *err)
{
    stores *s = user;
    const wl_ptx_buffer *out = &s->run->arguments.buffers[0];
    (void)err;
    WL_PTX_FOR_LANES(lane, t->store && !t->atomic && t->space == WL_PTX_GLOBAL ? t->lanes : 0)
    {
        const uint64_t at = (t->address[lane] - out->base) / 4;
        if (t->address[lane] >= out->base && at < SLOTS)
            s->times[at]++;
    }
    return WL_OK;
}

static void start(ptx_run *r, const char *name, const char *body, const char *words, const char *n, int64_t threads,
                  int64_t blocks, int64_t rehearsal)
{
    char text[8192];
    const char *const args[] = {"buf:80000", words, n};
    (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END);
    check_ok(name, ptx_start(r, text, args, 3, (int64_t[]){threads, 1, 1}, (int64_t[]){blocks, 1, 1}), &r->err);
    wl_ptx_emulator_free(r->emulator);
    r->emulator = NULL;
    r->launch.everything = false;
    r->launch.rehearsal = rehearsal;
    check_ok(name, wl_ptx_emulator_new(&r->launch, &r->emulator, &r->err), &r->err);
}

static void run(ptx_run *r, const char *name, int64_t block, stores *s)
{
    s->run = r;
    check_ok(name, wl_ptx_emulate_block(r->emulator, (int64_t[]){block, 0, 0}, -1, &r->profile, visit, s, &r->err),
             &r->err);
}

static double executions(const ptx_run *r, int32_t line) { return r->profile.warps_on[ptx_on_line(r, line)]; }

/* The first thread draws one number, and stores where it says. */
#define ONE_TICKET                                                                                                     \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\natom.global.add.u32 %r6, [%rd2], 1;\nsetp.ge.u32 %p2, %r6, %r3;\n"      \
    "@%p2 bra DONE;\n" STORE("%r6")

/* In any order of running them, block b draws b; as well where only the first blocks are
 * rehearsed. */
static void test_one_ticket(void **state)
{
    (void)state;
    static const int64_t rehearsals[] = {0, 2000};
    for (size_t k = 0; k < COUNT_OF(rehearsals); k++) {
        static const int64_t order[] = {9999, 0, 500, 3, 4, 9998, 1};
        ptx_run r;
        start(&r, "one ticket", ONE_TICKET, "buf:64=zero", "20000", 64, 10000, rehearsals[k]);
        for (size_t i = 0; i < COUNT_OF(order); i++) {
            stores s = {0};
            run(&r, "one ticket", order[i], &s);
            check_near("one ticket", "stores of the block where its number says", s.times[order[i]], 1, 0);
        }
        const wl_ptx_ordering o = wl_ptx_ordering_of(r.emulator);
        check_true("one ticket", "kept, not in turns", o.ordered && o.kept && !o.in_turns);
        check_true("one ticket", "blocks followed", k == 0 ? o.followed == 10000 : o.followed < 1000);
        check_true("one ticket", "nothing is assumed", wl_ptx_assumption_count(r.emulator) == 0);
        ptx_end(&r);
    }
    check_done();
}

/* A counter without contents starts with 0. */
static void test_start(void **state)
{
    (void)state;
    ptx_run r;
    stores s = {0};
    start(&r, "no contents", ONE_TICKET, "buf:64", "20000", 32, 100, 0);
    run(&r, "no contents", 42, &s);
    check_near("no contents", "stores of block 42", s.times[42], 1, 0);
    check_true("no contents", "is noted", ptx_assumed(&r, WL_PTX_ASSUMED_START));
    ptx_end(&r);
    check_done();
}

/* Warps draw until numbers are too large; with a first draw apart from the loop, or not. */
#define LOOP_BY_WARP                                                                                                   \
    "and.b32 %r7, %r2, 31;\nsetp.ne.u32 %p1, %r7, 0;\nL:\n@!%p1 atom.global.add.u32 %r6, [%rd2], 1;\n"                 \
    "shfl.sync.idx.b32 %r6, %r6, 0, 31, -1;\nsetp.ge.u32 %p2, %r6, %r3;\n@%p2 bra DONE;\n"                             \
    "@%p1 bra L;\n" STORE("%r6") "bra L;\n"
#define FIRST_APART                                                                                                    \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\natom.global.add.u32 %r6, [%rd2], 1;\nL:\nsetp.ge.u32 %p2, %r6, %r3;\n"  \
    "@%p2 bra DONE;\n" STORE("%r6") "atom.global.add.u32 %r6, [%rd2], 1;\nbra L;\n"
#define OWN_FIRST                                                                                                      \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmov.u32 %r6, %r4;\nL:\nsetp.ge.u32 %p2, %r6, %r3;\n"                    \
    "@%p2 bra DONE;\n" STORE("%r6") "atom.global.inc.u32 %r6, [%rd2], -1;\nadd.u32 %r6, %r6, %r5;\nbra L;\n"

static void test_turns(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        int64_t threads;
    } rows[] = {
        {"every warp", LOOP_BY_WARP, 96}, {"the first apart", FIRST_APART, 64}, {"an own one first", OWN_FIRST, 32}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        enum { BLOCKS = 7, LAST = 1003 };
        ptx_run r;
        stores all = {0};
        char n[16];
        (void)snprintf(n, sizeof n, "%d", LAST);
        start(&r, rows[k].name, rows[k].body, "buf:64=zero", n, rows[k].threads, BLOCKS, 0);
        for (int64_t b = BLOCKS - 1; b >= 0; b--) {
            stores s = {0};
            int32_t own = 0;
            run(&r, rows[k].name, b, &s);
            for (int i = 0; i < LAST; i++) {
                all.times[i] += s.times[i];
                own += s.times[i];
            }
            check_true(rows[k].name, "each has an equal part", own >= LAST / BLOCKS - 2 && own <= LAST / BLOCKS + 3);
        }
        for (int i = 0; i < LAST; i++)
            check_near(rows[k].name, "draws of a number", all.times[i], 1, 0);
        check_near(rows[k].name, "draws beyond the last", all.times[LAST], 0, 0);
        check_true(rows[k].name, "in turns", wl_ptx_ordering_of(r.emulator).in_turns);
        ptx_end(&r);
    }
    check_done();
}

/* Only the last block to come does the rest, with a counter that goes on or wraps around. */
static void test_last_block(void **state)
{
    (void)state;
    static const char *const counts[] = {"atom.global.add.u32 %r6, [%rd2], 1;\n",
                                         "atom.global.inc.u32 %r6, [%rd2], %r3;\n"};
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        char body[600];
        ptx_run r;
        stores s = {0};
        (void)snprintf(body, sizeof body, "%s%s%s%s", STORE("%r4"), "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\n",
                       counts[k], "setp.ne.u32 %p2, %r6, %r3;\n@%p2 bra DONE;\n" STORE("%r5"));
        start(&r, "last block", body, "buf:64=zero", "2999", 64, 3000, 20000);
        for (int64_t b = 2999; b >= 0; b -= b < 10 || b > 2990 ? 1 : 331)
            run(&r, "last block", b, &s);
        check_near("last block", "stores of the rest, by the last one only", s.times[3000], 1, 0);
        ptx_end(&r);
    }
    check_done();
}

/* A block waits until the flag of the one before is set, and then sets its own. The load is on line
 * 18. */
#define LOOK_BACK                                                                                                      \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\n"                \
    "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra SET;\nW:\n"                                                                    \
    "ld.relaxed.gpu.global.u32 %r6, [%rd4+-4];\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra W;\n"                               \
    "setp.ne.u32 %p4, %r6, 2;\n@%p4 bra SET;\n" STORE("%r4") "SET:\nst.relaxed.gpu.global.u32 [%rd4], 2;\n"

static void test_look_back(void **state)
{
    (void)state;
    static const int64_t rehearsals[] = {0, 4000};
    for (size_t k = 0; k < COUNT_OF(rehearsals); k++) {
        ptx_run r;
        stores s = {0};
        start(&r, "look-back", LOOK_BACK, "buf:80000=zero", "0", 64, 20000, rehearsals[k]);
        for (int64_t b = 0; b < 20000; b += 999) {
            run(&r, "look-back", b, &s);
            check_near("look-back", "sees what the one before has set", s.times[b], b > 0, 0);
        }
        check_near("look-back", "looks once", executions(&r, 18), 20, 0);
        check_true("look-back", "no wait is given up", wl_ptx_assumption_count(r.emulator) == 0);
        ptx_end(&r);
    }
    check_done();
}

/* Of the first thread: %rd4 is the address of its block's word, that of the one before at -4. */
#define MINE "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\n"
#define TELL(what) "mov.u32 %r7, " what ";\nst.relaxed.gpu.global.u32 [%rd4], %r7;\n"
#define ASK(loop, address)                                                                                             \
    "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra " loop "END;\n" loop ":\nld.relaxed.gpu.global.u32 %r8, [" address             \
    "];\nsetp.eq.u32 %p3, %r8, 0;\n@%p3 bra " loop ";\n" loop "END:\n"

/* A chain, where blocks tell behind what they ask; looking back, where they tell before, too. */
static void test_chains(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        bool chained;
        int32_t at_once;
    } rows[] = {
        {"behind", MINE ASK("W", "%rd4+-4") TELL("1"), true, 0},
        {"before and behind", MINE TELL("1") ASK("W", "%rd4+-4") TELL("2"), true, 1},
        {"before only", MINE TELL("1") ASK("W", "%rd4+-4") STORE("%r4"), false, 0},
        {"a counter of all", MINE "red.global.add.u32 [%rd2], 1;\n" ASK("W", "%rd2") TELL("1"), false, 0},
        {"the block before that", MINE "setp.lt.u32 %p4, %r4, 2;\n@%p4 bra T;\n" ASK("W", "%rd4+-8") "T:\n" TELL("1"),
         false, 0},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        stores s = {0};
        start(&r, rows[k].name, rows[k].body, "buf:4000=zero", "0", 32, 100, 0);
        run(&r, rows[k].name, 50, &s);
        const wl_ptx_ordering o = wl_ptx_ordering_of(r.emulator);
        check_true(rows[k].name, "chained", o.chained == rows[k].chained);
        check_true(rows[k].name, "at once", !o.chained || o.at_once == rows[k].at_once);
        ptx_end(&r);
    }
    check_done();
}

/* Flag and sum in one word. The sum, of data that is not given, is unknown; the flag is not. */
#define PACKED                                                                                                         \
    "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmul.wide.u32 %rd4, %r4, 8;\nadd.s64 %rd4, %rd2, %rd4;\n"                \
    "ld.global.u32 %r7, [%rd1];\ncvt.u64.u32 %rd5, %r7;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra SET;\nW:\n"                \
    "ld.relaxed.gpu.global.u64 %rd6, [%rd4+-8];\n%s\n@%p3 bra W;\n"                                                    \
    "add.s64 %rd5, %rd5, %rd6;\nand.b64 %rd5, %rd5, 4294967295;\n" STORE(                                              \
        "%r4") "SET:\nor.b64 %rd7, %rd5, "                                                                             \
               "8589934592;\nst.relaxed.gpu.global.u64 [%rd4], %rd7;\n"

static void test_packed(void **state)
{
    (void)state;
    static const char packed[] = PACKED;
    static const char *const tests[] = {
        "and.b64 %rd8, %rd6, -4294967296;\nsetp.eq.s64 %p3, %rd8, 0;",
        "shr.u64 %rd8, %rd6, 32;\ncvt.u32.u64 %r8, %rd8;\nsetp.eq.u32 %p3, %r8, 0;",
        "mov.b64 {%r8, %r9}, %rd6;\nsetp.ne.u32 %p3, %r9, 2;",
        "setp.lt.u64 %p3, %rd6, 4294967296;",
        "setp.eq.u64 %p3, %rd6, 7;",
    };
    for (size_t k = 0; k < COUNT_OF(tests); k++) {
        ptx_run r;
        stores s = {0};
        char body[2048];
        const char *at = strstr(packed, "%s");
        (void)snprintf(body, sizeof body, "%.*s%s%s", (int)(at - packed), packed, tests[k], at + 2);
        start(&r, tests[k], body, "buf:8000=zero", "0", 32, 1000, 0);
        for (int64_t b = 1; b < 1000; b += 111) {
            run(&r, tests[k], b, &s);
            check_near(tests[k], "blocks that go on", s.times[b], 1, 0);
        }
        check_true(tests[k], "the flag is known", wl_ptx_assumption_count(r.emulator) == 0);
        ptx_end(&r);
    }
    check_done();
}

/* A lock that blocks take in turn; within a block, two warps. */
#define LOCK                                                                                                           \
    "and.b32 %r7, %r2, 31;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra DONE;\nW:\natom.global.cas.b32 %r6, [%rd2], 0, 1;\n"    \
    "setp.ne.u32 %p2, %r6, 0;\n@%p2 bra W;\nld.volatile.global.u32 %r8, [%rd2+4];\nadd.u32 %r8, %r8, 1;\n"             \
    "st.volatile.global.u32 [%rd2+4], %r8;\n" STORE("%r8") "atom.global.exch.b32 %r9, [%rd2], 0;\n"

static void test_lock(void **state)
{
    (void)state;
    ptx_run r;
    stores s = {0};
    start(&r, "lock", LOCK, "buf:64=zero", "0", 64, 50, 0);
    for (int64_t b = 0; b < 50; b++)
        run(&r, "lock", b, &s);
    for (int i = 1; i <= 100; i++)
        check_near("lock", "every warp counts once", s.times[i], 1, 0);
    check_near("lock", "tries", executions(&r, 15), 100, 0);
    ptx_end(&r);
    check_done();
}

/* What later blocks do: a barrier of all of them, or a flag of the next one. The wait ends, and
 * that is noted. */
static void test_waits(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
    } rows[] = {
        {"a barrier of the grid", "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nred.global.add.u32 [%rd2], 1;\nW:\n"
                                  "ld.volatile.global.u32 %r6, [%rd2];\nsetp.lt.u32 %p2, %r6, %r5;\n@%p2 bra W;\n"
                                  "OUT:\nbar.sync 0;\n" STORE("%r4")},
        {"a flag of the next block",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\n"
         "st.volatile.global.u32 [%rd4], 1;\nW:\nld.volatile.global.u32 %r6, [%rd4+4];\nsetp.ne.u32 %p2, %r6, 0;\n"
         "@%p2 bra OUT;\nbra W;\nOUT:\nbar.sync 0;\n" STORE("%r4")},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        stores s = {0};
        start(&r, rows[k].name, rows[k].body, "buf:4K=zero", "0", 64, 100, 0);
        for (int64_t b = 0; b < 100; b += 11)
            run(&r, rows[k].name, b, &s);
        for (int64_t b = 0; b < 100; b += 11)
            check_near(rows[k].name, "threads that go on", s.times[b], 64, 0);
        check_true(rows[k].name, "is noted", ptx_assumed(&r, WL_PTX_ASSUMED_WAIT));
        ptx_end(&r);
    }
    check_done();
}

/* Where nothing tells blocks of each other, none is rehearsed. */
static void test_none(void **state)
{
    (void)state;
    ptx_run r;
    stores s = {0};
    start(&r, "no order", "red.global.add.u32 [%rd2], 1;\n" STORE("%r4"), "buf:64=zero", "0", 64, 100, 0);
    run(&r, "no order", 7, &s);
    check_true("no order", "nothing is kept", !wl_ptx_ordering_of(r.emulator).ordered);
    ptx_end(&r);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_ticket), cmocka_unit_test(test_start),
                                       cmocka_unit_test(test_turns),      cmocka_unit_test(test_last_block),
                                       cmocka_unit_test(test_look_back),  cmocka_unit_test(test_chains),
                                       cmocka_unit_test(test_packed),     cmocka_unit_test(test_lock),
                                       cmocka_unit_test(test_waits),      cmocka_unit_test(test_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
