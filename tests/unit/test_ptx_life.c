/* test_ptx_life.c - ptx/life/: the order in which machine code has the operations of a segment,
 * what the record of a warp says, and the lives of launches. SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "ptx/life/pressure.h"
#include "ptx/life/record.h"
#include "ptx/life/serial_products.h"

#define TEXT_MAX 8192
#define HEAD                                                                                                           \
    PTX_HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"                                                             \
    ".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.shared .align 4 .b8 s[512];\n"

typedef struct traced_life {
    ptx_run run;
    wl_arena arena;
    wl_ptx_ops ops;
    wl_ptx_segments *segments;
} traced_life;

/* Which instructions of the entry the assembler predicates, and whether it unrolls the loop of the
 * last branch. */
typedef struct assembled {
    int branch, end; /* the branch around the body, and what follows the body; 0: none */
    int unrolled;    /* the back edge; 0: none */
    int registers;   /* of a thread; 0: enough */
} assembled;

static void make_segments(traced_life *t, const assembled *as)
{
    const wl_ptx_module *m = t->run.module;
    wl_error err = {0};
    t->segments = WL_ARENA_NEW(&t->arena, wl_ptx_segments, m->function_count + 1);
    for (int32_t f = 0; f < m->function_count; f++) {
        const wl_ptx_function *function = &m->functions[f];
        const int32_t count = function->instruction_count;
        double *ones = WL_ARENA_NEW(&t->arena, double, count + 1);
        int32_t *counted = WL_ARENA_NEW(&t->arena, int32_t, count + 1);
        int32_t *unrolled = WL_ARENA_NEW(&t->arena, int32_t, count + 1);
        wl_ptx_split *split = WL_ARENA_NEW(&t->arena, wl_ptx_split, count + 1);
        const bool entry = function == t->run.entry;
        for (int32_t i = 0; i < count; i++) {
            ones[i] = 1;
            counted[i] = entry && i > as->branch && i < as->end ? as->branch : i;
            unrolled[i] = entry && as->unrolled > 0 && i == as->unrolled ? i : -1;
        }
        const wl_ptx_counting counting = {.as = counted, .unrolled = unrolled, .split = split};
        const wl_ptx_life_input in = {
            .module = m, .function = function, .weight = ones, .counting = &counting, .registers = as->registers};
        if (count > 0)
            check_ok(function->name, wl_ptx_segments_make(&in, &t->arena, &t->ops, &t->segments[f], &err), &err);
    }
}

/* `thin`: results that nothing depends on are not computed, and trips of loops are skipped. */
static bool start(traced_life *t, const char *name, const char *text, const char *n, int64_t threads, bool thin,
                  const assembled *as)
{
    const char *args[] = {"buf:64K=iota:u32", n};
    *t = (traced_life){0};
    const wl_status status =
        ptx_start(&t->run, text, args, 2, (const int64_t[]){threads, 1, 1}, (const int64_t[]){2, 1, 1});
    check_ok(name, status, &t->run.err);
    if (status != WL_OK)
        return false;
    if (thin) {
        wl_ptx_emulator_free(t->run.emulator);
        t->run.launch.everything = false;
        t->run.launch.budget = (int64_t)1 << 50;
        check_ok(name, wl_ptx_emulator_new(&t->run.launch, &t->run.emulator, &t->run.err), &t->run.err);
    }
    make_segments(t, as);
    return true;
}

static void end(traced_life *t)
{
    ptx_end(&t->run);
    wl_arena_free(&t->arena);
}

/* ---- the order of operations ---- */

/* Operations by the number of their instruction, as letters. */
static void spell_ops(const traced_life *t, int32_t first, int32_t count, char *out)
{
    for (int32_t o = first; o < first + count; o++) {
        int32_t i = 0;
        while (t->run.entry->instructions[i].line != t->ops.list[o].line)
            i++;
        *out++ = (char)('a' + i);
    }
    *out = '\0';
}

static void spell_segments(const traced_life *t, bool many, char *out)
{
    const wl_ptx_segments *s = &t->segments[t->run.entry - t->run.module->functions];
    *out = '\0';
    for (int32_t i = 0; i < s->count; i++) {
        const wl_ptx_segment *one = &s->list[i];
        if (i > 0)
            strcat(out, "|");
        if (many && one->many_count > 0)
            spell_ops(t, one->many, one->many_count, out + strlen(out));
        else
            spell_ops(t, one->first, one->count, out + strlen(out));
    }
}

#define A "ld.param.u64 %rd1, [a];\n"
#define PLACE "mov.u32 %r5, %tid.x;\nmul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
#define SUM_OF_FOUR                                                                                                    \
    A PLACE "ld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, [%rd3+4];\nadd.u32 %r12, %r10, %r11;\n"                  \
            "ld.global.u32 %r13, [%rd3+8];\nadd.u32 %r14, %r12, %r13;\nld.global.u32 %r15, [%rd3+12];\n"               \
            "add.u32 %r16, %r14, %r15;\nst.global.u32 [%rd3], %r16;\nret;\n"
#define SUM_OF_WIDE                                                                                                    \
    A PLACE "ld.global.u64 %rd4, [%rd3];\nld.global.u64 %rd5, [%rd3+8];\nadd.u64 %rd6, %rd4, %rd5;\n"                  \
            "ld.global.u64 %rd7, [%rd3+16];\nadd.u64 %rd8, %rd6, %rd7;\nst.global.u64 [%rd3], %rd8;\nret;\n"
#define LOOP_AND_SUM                                                                                                   \
    A "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nL:\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, %r1;\n"                     \
      "add.u64 %rd1, %rd1, 4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 64;\n@%p1 bra L;\nret;\n"
#define UPDATES                                                                                                        \
    A PLACE "ld.global.nc.u32 %r10, [%rd3+512];\nld.global.u32 %r11, [%rd3];\nadd.u32 %r12, %r10, %r11;\n"             \
            "st.global.u32 [%rd3], %r12;\nld.global.nc.u32 %r13, [%rd3+516];\nld.global.u32 %r14, [%rd3+4];\n"         \
            "add.u32 %r15, %r13, %r14;\nst.global.u32 [%rd3+4], %r15;\nret;\n"
static const struct {
    const char *name, *body, *order, *many;
    assembled as;
} orders[] = {
    {"loads before arithmetic",
     A "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd1+4];\nadd.u32 %r4, %r2, %r3;\n"
       "st.global.u32 [%rd1+8], %r4;\nret;\n",
     .order = "abdcefg"},
    {"not before a store that may change what it loads",
     A "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+8], %r1;\nld.global.u32 %r3, [%rd1+4];\nret;\n",
     .order = "abcde"},
    {"constant data before a store",
     A "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+8], %r1;\nld.global.nc.u32 %r3, [%rd1+4];\nret;\n",
     .order = "abdce"},
    {"not before an atomic",
     A "atom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd1+4];\nret;\n",
     .order = "abcde"},
    {"shared memory is another memory",
     A "mov.u32 %r5, %tid.x;\nst.shared.u32 [%r5], %r5;\nld.global.u32 %r1, [%rd1];\nld.shared.u32 %r2, [%r5];\nret;\n",
     .order = "abdcef"},
    {"one load needs the other",
     A "ld.global.u32 %r1, [%rd1];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
       "ld.global.u32 %r2, [%rd3];\nld.global.u32 %r3, [%rd1+8];\nadd.u32 %r4, %r2, %r3;\nret;\n",
     .order = "abfcdegh"},
    {"chains of arithmetic go on at once",
     A "add.f32 %f1, %f5, %f6;\nadd.f32 %f1, %f1, %f6;\nmul.f32 %f2, %f5, %f6;\nmul.f32 %f2, %f2, %f6;\nret;\n",
     .order = "bdacef"},
    {"so do those of shuffles",
     A "shfl.sync.bfly.b32 %r1, %r5, 16, 31, -1;\nadd.u32 %r1, %r1, %r5;\nshfl.sync.bfly.b32 %r2, %r6, 16, 31, -1;\n"
       "add.u32 %r2, %r2, %r6;\nret;\n",
     .order = "bdacef"},
    {"those of exponentials, as ptxas 13.0 orders them for sm_90",
     A "ex2.approx.f32 %f1, %f5;\nadd.f32 %f1, %f1, %f6;\nex2.approx.f32 %f2, %f6;\nadd.f32 %f2, %f2, %f6;\nret;\n",
     .order = "badcef"},
    {"what most depends on goes first",
     A "add.f32 %f1, %f5, %f6;\nadd.f32 %f2, %f5, %f6;\nadd.f32 %f3, %f2, %f6;\nadd.f32 %f4, %f3, %f6;\nret;\n",
     .order = "cabdef"},
    {"others go while a pipe is busy, as ptxas 13.0 puts eight between two exponentials",
     A "ex2.approx.f32 %f1, %f5;\nex2.approx.f32 %f2, %f6;\nadd.f32 %f3, %f5, %f6;\nmul.f32 %f4, %f5, %f6;\nret;\n",
     .order = "abdecf"},
    {"what is overwritten is read first",
     A "add.f32 %f1, %f5, %f6;\nadd.f32 %f2, %f1, %f6;\nmul.f32 %f1, %f5, %f5;\nmul.f32 %f3, %f1, %f5;\nret;\n",
     .order = "bacdef"},
    {"arithmetic that an address needs goes with the load",
     A "mov.u32 %r5, %tid.x;\nadd.u32 %r6, %r5, 7;\nmul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
       "ld.global.u32 %r2, [%rd3];\nret;\n",
     .order = "abdefcg"},
    /* the next five: as ptxas 13.0 orders loads one trip ahead and loads with a default, for
     * sm_90 */
    {"not before what reads the register it replaces",
     A "add.u32 %r2, %r1, 1;\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r3, [%rd1+4];\nadd.u32 %r4, %r1, %r2;\nret;\n",
     .order = "adbcef"},
    {"even where that waits for another load",
     A
     "ld.global.u32 %r4, [%rd1+8];\nadd.u32 %r2, %r4, %r1;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r5, %r1, %r2;\nret;\n",
     .order = "abcdef"},
    {"not before the default that it replaces",
     A "mov.u32 %r1, 0;\nsetp.eq.u64 %p1, %rd1, 0;\n@%p1 bra L;\nld.global.u32 %r1, [%rd1];\nL:\nadd.u32 %r2, %r1, 1;\n"
       "ret;\n",
     .order = "abcefdg", .as = {3, 5, 0, 0}},
    {"what was loaded is not overwritten before it is read",
     A "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nmov.u32 %r1, 7;\nadd.u32 %r3, %r1, %r2;\nret;\n",
     .order = "abcdef"},
    {"a load one trip ahead: the last of a round stays behind the first use",
     A "L:\nadd.u32 %r2, %r2, %r1;\nld.global.u32 %r1, [%rd1];\nadd.u64 %rd1, %rd1, 4;\nadd.u32 %r3, %r3, 1;\n"
       "setp.lt.u32 %p1, %r3, 64;\n@%p1 bra L;\nret;\n",
     "a|ebcdfg|h", "a|cccefefefebdddcdfbbbg|h", .as = {0, 0, 6, 0}},
    {"a barrier ends a segment",
     A "ld.global.u32 %r1, [%rd1];\nbar.sync 0;\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd1+4];\nret;\n",
     .order = "abc|edf"},
    {"a wait for copies keeps shared loads behind it",
     A "mov.u32 %r5, s;\ncp.async.ca.shared.global [%r5], [%rd1], 4;\ncp.async.commit_group;\nadd.u32 %r1, %r5, 1;\n"
       "cp.async.wait_group 0;\nld.shared.u32 %r2, [%r5];\nret;\n",
     .order = "abcefgdh"},
    {"a branch ends a segment",
     A "setp.eq.u64 %p1, %rd1, 0;\n@%p1 bra L;\nld.global.u32 %r1, [%rd1];\nL:\nld.global.u32 %r2, [%rd1+4];\nret;\n",
     .order = "abc|d|ef"},
    {"a body that is predicated joins what is around it",
     A "setp.eq.u64 %p1, %rd1, 0;\n@%p1 bra L;\nld.global.u32 %r1, [%rd1];\nL:\nld.global.u32 %r2, [%rd1+4];\nret;\n",
     "adebcf", .as = {2, 4, 0, 0}},
    {"not where a loop begins behind it",
     A "setp.eq.u64 %p1, %rd1, 0;\n@%p1 bra L;\nadd.u64 %rd1, %rd1, 4;\nL:\nld.global.u32 %r2, [%rd1+4];\n"
       "setp.lt.u32 %p2, %r2, 9;\n@%p2 bra L;\nret;\n",
     "abdc|efg|h", .as = {2, 4, 0, 0}},
    {"nor where another branch leads",
     A "setp.eq.u64 %p2, %rd1, 3;\n@%p2 bra L;\nsetp.eq.u64 %p1, %rd1, 0;\n@%p1 bra L;\nadd.u64 %rd1, %rd1, 4;\nL:\n"
       "ld.global.u32 %r2, [%rd1+4];\nret;\n",
     "abc|dfe|gh", .as = {4, 6, 0, 0}},
    {"the assembler unrolls a loop",
     A "L:\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, %r1;\nadd.u64 %rd1, %rd1, 4;\nadd.u32 %r3, %r3, 1;\n"
       "setp.lt.u32 %p1, %r3, 64;\n@%p1 bra L;\nret;\n",
     "a|bedfcg|h", "a|bbbbefefefeddddfccccg|h", .as = {0, 0, 6, 0}},
    {"one that follows pointers loads one after the other",
     A "L:\nld.global.u64 %rd1, [%rd1];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 64;\n@%p1 bra L;\nret;\n",
     "a|bcde|f", "a|bcdcdcdcdbbbe|f", .as = {0, 0, 4, 0}},
    {"a function returns", A "ret;\n", .order = "ab"},
    /* a pointer takes two registers, each value that was loaded one, and so does the stack
     * pointer */
    {"loads ahead have registers enough", SUM_OF_FOUR, .order = "abcdefhjgiklm", .as = {.registers = 7}},
    {"the last one has none before a sum is there", SUM_OF_FOUR, .order = "abcdefhgjiklm", .as = {.registers = 6}},
    {"as PTX has them, where no more are free", SUM_OF_FOUR, .order = "abcdefghijklm", .as = {.registers = 5}},
    {"what PTX takes is there in any case", SUM_OF_FOUR, .order = "abcdefghijklm", .as = {.registers = 2}},
    {"values of 64 bits take two", SUM_OF_WIDE, .order = "abcdefhgijk", .as = {.registers = 9}},
    {"so there is no room for three in eight", SUM_OF_WIDE, .order = "abcdefghijk", .as = {.registers = 8}},
    {"copies of a body share the registers", LOOP_AND_SUM, "abc|dgfhei|j", "abc|ddedfghedghghgfffheei|j",
     .as = {.unrolled = 8, .registers = 7}},
    {"what may pass a store waits for a register", UPDATES, .order = "abcdefgihjklm", .as = {.registers = 5}},
    {"and passes the store with one more", UPDATES, .order = "abcdefighjklm", .as = {.registers = 6}},
};

static void order_of_operations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        char text[TEXT_MAX], order[TEXT_MAX];
        traced_life t;
        (void)snprintf(text, sizeof text, "%s%s}\n", HEAD, orders[i].body);
        if (start(&t, orders[i].name, text, "64", 32, false, &orders[i].as)) {
            spell_segments(&t, false, order);
            check_text(orders[i].name, "order", order, orders[i].order);
            spell_segments(&t, true, order);
            if (orders[i].many)
                check_text(orders[i].name, "unrolled", order, orders[i].many);
        }
        end(&t);
    }
    check_done();
}

/* ---- what a warp executes ---- */

/* Segments are letters: capital ones of the entry, small ones of a function. Loops:
 * trips(segments). */
static void spell_parts(const traced_life *t, const wl_stretch *parts, size_t count, char *out)
{
    const wl_ptx_module *m = t->run.module;
    for (size_t i = 0; i < count; i++) {
        out += strlen(out);
        if (parts[i].loop) {
            out += snprintf(out, 40, "%.4g(", parts[i].times);
            spell_parts(t, parts + i + 1, (size_t)parts[i].count, out);
            strcat(out, ")");
            i += (size_t)parts[i].count;
            continue;
        }
        for (int32_t f = 0; f < m->function_count; f++)
            for (int32_t s = 0; s < t->segments[f].count; s++) {
                const wl_ptx_segment *one = &t->segments[f].list[s];
                const bool entry = &m->functions[f] == t->run.entry;
                if (one->first == parts[i].first)
                    (void)snprintf(out, 2, "%c", (entry ? 'A' : 'a') + s);
                else if (one->many_count > 0 && one->many == parts[i].first)
                    (void)snprintf(out, 3, "4%c", (entry ? 'A' : 'a') + s);
            }
    }
}

static double issued(const wl_op *ops, const wl_stretch *parts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        for (int32_t o = 0; o < parts[i].count && !parts[i].loop; o++)
            sum += ops[parts[i].first + o].issue;
        if (parts[i].loop) {
            sum += parts[i].times * issued(ops, parts + i + 1, (size_t)parts[i].count);
            i += (size_t)parts[i].count;
        }
    }
    return sum;
}

typedef struct record_case {
    const char *name, *functions, *body, *n;
    int64_t threads;
    const char *lives[2]; /* of the first warps */
    assembled as;
} record_case;

#define COUNTED(label, i, body, end)                                                                                   \
    "mov.u32 " i ", 0;\n" label ":\n" body "add.u32 " i ", " i ", 1;\nsetp.lt.u32 %p1, " i ", " end                    \
    ";\n@%p1 bra " label ";\n"
#define N "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"

static const record_case records[] = {
    {"one after the other", "", N "ret;\n", "64", 32, .lives = {"A"}},
    {"a loop that is counted", "", N COUNTED("L", "%r3", "add.u32 %r4, %r3, %r4;\n", "%r1") "ret;\n", "100", 32,
     .lives = {"A100(B)C"}},
    {"very many trips", "", N COUNTED("L", "%r3", "", "%r1") "ret;\n", "900000000", 32, .lives = {"A9e+08(B)C"}},
    {"a loop in a loop", "",
     N COUNTED("L", "%r3", COUNTED("M", "%r4", "add.u32 %r5, %r4, %r5;\n", "%r1"), "6") "ret;\n", "50", 32,
     .lives = {"A6(B50(C)D)E"}},
    {"a triangle", "",
     N COUNTED("L", "%r3", "add.u32 %r6, %r3, 1;\n" COUNTED("M", "%r4", "add.u32 %r5, %r4, %r5;\n", "%r6"),
               "6") "ret;\n",
     "0", 32, .lives = {"A6(B3.5(C)D)E"}},
    {"lanes that go two ways", "",
     N "setp.lt.u32 %p1, %r2, 16;\n@%p1 bra L;\nadd.u32 %r3, %r2, 1;\nbra M;\nL:\nadd.u32 %r3, %r2, 2;\nM:\nret;\n",
     "0", 64, .lives = {"ACBD", "ABD"}},
    {"lanes that leave a loop one by one", "", N "add.u32 %r6, %r2, 1;\n" COUNTED("L", "%r3", "", "%r6") "ret;\n", "0",
     64, .lives = {"A32(B)C", "A64(B)C"}},
    {"trips that go two ways", "",
     N COUNTED("L", "%r3", "and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra M;\nadd.u32 %r5, %r5, 1;\nM:\n",
               "10") "ret;\n",
     "0", 32, .lives = {"A5(BD)5(BCD)E"}},
    {"a body that is predicated is executed or not",
     "",
     N COUNTED("L", "%r3", "and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra M;\nadd.u32 %r5, %r5, 1;\nM:\n",
               "10") "ret;\n",
     "0",
     32,
     {"A10(B)C"},
     {5, 7, 0, 0}},
    {"a barrier in a loop", "",
     N COUNTED("L", "%r3", "add.u32 %r5, %r5, 1;\nbar.sync 0;\nadd.u32 %r5, %r5, 1;\n", "7") "ret;\n", "0", 64,
     .lives = {"A7(BC)D", "A7(BC)D"}},
    {"a loop that the assembler unrolls",
     "",
     N COUNTED("L", "%r3", "add.u32 %r5, %r5, %r3;\n", "%r1") "ret;\n",
     "11",
     32,
     {"A2(4B)3(B)C"},
     {0, 0, 6, 0}},
    {"calls in a loop", ".func f()\n{\n.reg .b32 %q<4>;\nadd.u32 %q1, %q1, 1;\nret;\n}\n",
     N COUNTED("L", "%r3", "add.u32 %r5, %r5, 1;\ncall f;\nadd.u32 %r5, %r5, 1;\n", "5") "ret;\n", "0", 32,
     .lives = {"A5(BaC)D"}},
    {"a loop in a function",
     ".func f()\n{\n.reg .b32 %q<4>;\n.reg .pred %p<2>;\nmov.u32 %q1, 0;\nF:\nadd.u32 %q1, %q1, 1;\n"
     "setp.lt.u32 %p1, %q1, 9;\n@%p1 bra F;\nret;\n}\n",
     N COUNTED("L", "%r3", "call f;\n", "5") "call f;\nret;\n", "0", 32, .lives = {"A5(Ba9(b)cC)Da9(b)cE"}},
    {"into the middle of a loop: no natural one", "",
     N "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra M;\nL:\nadd.u32 %r3, %r3, 1;\nM:\nadd.u32 %r3, %r3, 1;\n"
       "setp.lt.u32 %p2, %r3, 5;\n@%p2 bra L;\nret;\n",
     "0", 32, .lives = {"ACBCBCD"}},
    {"threads that exit at once", "", N "setp.ge.u32 %p1, %r2, %r1;\n@%p1 exit;\nadd.u32 %r3, %r2, 1;\nret;\n", "32",
     64, .lives = {"AB", "A"}},
};

static void check_record(const record_case *c, bool thin)
{
    char text[TEXT_MAX];
    traced_life t;
    wl_ptx_followed followed;
    wl_error err = {0};
    double sum = 0;
    (void)snprintf(text, sizeof text, "%s%s%s%s}\n", PTX_HEAD, c->functions, &HEAD[strlen(PTX_HEAD)], c->body);
    if (!start(&t, c->name, text, c->n, c->threads, thin, &c->as)) {
        end(&t);
        return;
    }
    const int32_t warps = (int32_t)(c->threads / WL_PTX_LANES);
    wl_ptx_record *record = wl_ptx_record_new(t.segments, warps);
    assert_non_null(record);
    wl_ptx_on_run(t.run.emulator, wl_ptx_record_visit, record);
    check_ok(c->name, wl_ptx_follow_block(t.run.emulator, (const int64_t[]){1, 0, 0}, &followed, &err), &err);
    for (int32_t w = 0; w < warps; w++) {
        char spelled[TEXT_MAX] = "";
        size_t count = 0;
        uint64_t signature = 0;
        bool failed = false;
        const wl_stretch *parts = wl_ptx_record_parts(record, w, &t.arena, &count, &signature, &failed);
        check_true(c->name, "recorded", parts && !failed);
        spell_parts(&t, parts, count, spelled);
        check_text(c->name, thin ? "life" : "life, with all trips executed", spelled, c->lives[w]);
        sum += issued(t.ops.list, parts, count);
    }
    if (c->as.branch == 0 && c->as.unrolled == 0)
        check_near(c->name, "instructions", sum, (double)followed.instructions, 1e-12);
    wl_ptx_record_free(record);
    end(&t);
}

static void records_of_warps(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        check_record(&records[i], true);
        if (atoi(records[i].n) <= 1000)
            check_record(&records[i], false);
    }
    check_done();
}

/* ---- registers that do not fit ---- */

#define SUMS_TEXT 65536

/* Sums that differ between lanes: loaded before a loop, stored behind it; the loop changes so many
 * of them. */
static int32_t spilled(int sums, int changed, int32_t *at_end)
{
    char *code = malloc(SUMS_TEXT);
    size_t n =
        (size_t)snprintf(code, SUMS_TEXT,
                         PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<5>;\n"
                                  ".reg .b64 %%rd<5>;\n.reg .f32 %%f<400>;\nld.param.u64 %%rd1, [a];\n"
                                  "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
                                  "mov.u32 %%r2, 0;\n");
    for (int i = 0; i < sums; i++)
        n += (size_t)snprintf(code + n, SUMS_TEXT - n, "ld.global.f32 %%f%d, [%%rd3+%d];\n", i, 128 * i);
    n += (size_t)snprintf(code + n, SUMS_TEXT - n, "L:\n");
    for (int i = 0; i < changed; i++)
        n += (size_t)snprintf(code + n, SUMS_TEXT - n, "add.f32 %%f%d, %%f%d, 0f3f800000;\n", i, i);
    n +=
        (size_t)snprintf(code + n, SUMS_TEXT - n, "add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p1, %%r2, 9;\n@%%p1 bra L;\n");
    for (int i = 0; i < sums; i++)
        n += (size_t)snprintf(code + n, SUMS_TEXT - n, "st.global.f32 [%%rd3+%d], %%f%d;\n", 128 * i, i);
    (void)snprintf(code + n, SUMS_TEXT - n, "ret;\n}\n");
    const char *args[] = {"buf:64K"};
    ptx_run r;
    wl_ptx_flow flow;
    wl_ptx_spills spills;
    check_ok("sums", ptx_start(&r, code, args, 1, (const int64_t[]){32, 1, 1}, (const int64_t[]){1, 1, 1}), &r.err);
    check_ok("flow", wl_ptx_flow_make(r.entry, &r.arena, &flow, &r.err), &r.err);
    check_ok("spills", wl_ptx_spills_find(r.entry, &flow, 254, &r.arena, &spills, &r.err), &r.err);
    const int32_t end = r.entry->instruction_count - sums - 2; /* the branch of the loop */
    *at_end = spills.words ? spills.words[end] : 0;
    ptx_end(&r);
    free(code);
    return spills.most;
}

static void registers_do_not_fit(void **state)
{
    (void)state;
    int32_t at_end = 0;
    check_int("few", "registers", spilled(250, 250, &at_end), 0);
    /* 300 sums and an address of 64 bits: 48 more than 254, at the end of the loop */
    check_int("many", "registers", spilled(300, 300, &at_end), 48);
    check_int("many", "at the end of the loop", at_end, 48);
    /* those that the loop leaves alone are stored before it */
    check_int("others", "registers", spilled(300, 200, &at_end), 0);
    check_done();
}

/* ---- products that warps wait for at once ---- */

/* A loop with products in flight, which may do no trip: sums are set before both ways part, or only
 * on the one around the loop. */
static bool in_turn(const char *before, const char *around, int left)
{
    char code[TEXT_MAX];
    (void)snprintf(
        code, sizeof code,
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
        ".reg .pred %%p<3>;\n.reg .b32 %%r<5>;\n.reg .b64 %%rd<5>;\n.reg .f32 %%f<9>;\n"
        "ld.param.u32 %%r1, [n];\nmov.u64 %%rd1, 0;\n%ssetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 bra AROUND;\nL:\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f1, %%f2, %%f3, %%f4}, %%rd1, %%rd1, 1, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %d;\nsub.u32 %%r1, %%r1, 1;\n"
        "setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra L;\nbra END;\nAROUND:\n%sEND:\n"
        "wgmma.wait_group.sync.aligned 0;\nret;\n}\n",
        before, left, around);
    const char *args[] = {"buf:64K", "4"};
    ptx_run r;
    wl_ptx_flow flow;
    bool serial = false;
    check_ok("products", ptx_start(&r, code, args, 2, (const int64_t[]){128, 1, 1}, (const int64_t[]){1, 1, 1}),
             &r.err);
    check_ok("flow", wl_ptx_flow_make(r.entry, &r.arena, &flow, &r.err), &r.err);
    check_ok("in turn", wl_ptx_products_in_turn(r.entry, &flow, &r.arena, &serial, &r.err), &r.err);
    ptx_end(&r);
    return serial;
}

/* What ptxas 13.0 says of these: C7515, or nothing. */
static void products_in_turn(void **state)
{
    (void)state;
    check_true("set before", "in flight", !in_turn("mov.f32 %f1, 0f00000000;\n", "", 1));
    check_true("set on the way around", "in turn", in_turn("", "mov.f32 %f1, 0f00000000;\n", 1));
    check_true("none in flight at the end", "in flight", !in_turn("", "mov.f32 %f1, 0f00000000;\n", 0));
    check_true("no sums", "in flight", !in_turn("", "mov.u32 %r2, 0;\n", 1));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_of_operations), cmocka_unit_test(records_of_warps),
                                       cmocka_unit_test(registers_do_not_fit), cmocka_unit_test(products_in_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
