/* test_timeline.c - timeline/profile.h, waiting.h: walks through lives by hand, and against a
 * scoreboard that executes every trip. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "timeline/waiting.h"
#include "unit/lives_by_hand.h"

#define NEAR 1e-12

/* Latencies: 5 of an integer, 7 of a special function (which keeps its pipe for 4), 30 from L1, 130
 * from L2, 430 from DRAM, 11 of a taken branch, 21 of a barrier. */
static const wl_field_waits fields[] = {{.l1_misses = 0, .reads = 4, .writes = 4},
                                        {.l1_misses = 1, .l2_misses = 0, .reads = 4, .missed = {1, 0}},
                                        {.l1_misses = 1, .l2_misses = 1, .reads = 4, .missed = {1, 1}},
                                        {.l1_misses = 0.5, .l2_misses = 0.5, .reads = 8, .missed = {0.5, 0.25}}};
static const wl_waits waits = {.result = {[WL_OP_INT] = 5,
                                          [WL_OP_SPECIAL] = 7,
                                          [WL_OP_FP32] = 4,
                                          [WL_OP_FP64] = 8,
                                          [WL_OP_SHUFFLE] = 23,
                                          [WL_OP_ATOMIC] = 300,
                                          [WL_OP_BRANCH] = 22,
                                          [WL_OP_BARRIER] = 21},
                               .level = {30, 100, 300},
                               .pipe = {[WL_BUSY_SPECIAL] = 4, [WL_BUSY_INTEGER] = 2},
                               .fields = fields,
                               .field_count = COUNT_OF(fields)};

typedef struct walked {
    double cycles, issue, stall[WL_STALL_COUNT], level[3], reads, misses, writes, passes, atomics;
    size_t count;
} walked;

static walked walk_with(const made *m, const wl_waits *with)
{
    wl_arena arena = {0};
    wl_walk_scratch scratch;
    wl_life_profile p = {0};
    wl_error err = {0};
    walked w = {0};
    check_ok("walk", wl_walk_scratch_make(&m->lives, &arena, &scratch, &err), &err);
    check_ok("walk", wl_life_walk(&m->lives, &m->life, with, &scratch, &arena, &p, &err), &err);
    check_near("walk", "warps", p.warps, m->life.warps, 0);
    w.atomics = p.atomics;
    for (size_t i = 0; i < p.count; i++) {
        const wl_life_interval *at = &p.list[i];
        w.passes += at->times;
        w.issue += at->times * at->instructions;
        w.stall[at->cause] += at->times * at->stall;
        w.cycles += at->times * (at->instructions + at->stall);
        w.reads += at->times * at->reads;
        w.misses += at->times * at->misses;
        w.writes += at->times * at->writes;
        for (int l = 0; l < 3; l++)
            w.level[l] += at->times * at->level[l];
        if (at->cause == WL_STALL_MEMORY)
            check_near("walk", "levels of a stall", at->level[0] + at->level[1] + at->level[2], at->stall, NEAR);
    }
    w.count = p.count;
    wl_arena_free(&arena);
    return w;
}

static walked walk(const made *m) { return walk_with(m, &waits); }

/* ---- another scoreboard: every trip, one number for each register ---- */

typedef struct board {
    const made *m;
    double ready[36], last;
} board;

static double latency_of(const wl_op *op)
{
    const wl_field_waits *f = &fields[op->field];
    if (op->kind == WL_OP_LOAD)
        return 30 + f->l1_misses * (100 + 300 * f->l2_misses);
    return waits.result[op->kind] * op->chain * (op->kind == WL_OP_BRANCH ? 0.5 : 1);
}

static void execute(board *b, const wl_op *op)
{
    double start = b->last + 1;
    double there = b->last;
    for (int i = 0; i < op->reads; i++)
        there = fmax(there, b->ready[op->regs[i]] + (op->kind == WL_OP_BRANCH ? waits.result[WL_OP_BRANCH] / 2 : 0));
    if (op->issue > 0) {
        b->last = fmax(start, there) + op->issue - 1;
        there = b->last + latency_of(op);
        if (op->kind == WL_OP_BRANCH || op->kind == WL_OP_BARRIER)
            b->last = fmax(b->last, there - 1);
    }
    for (int i = 0; i < op->writes; i++)
        b->ready[op->regs[op->reads + i]] = there;
}

static void execute_parts(board *b, const wl_stretch *parts, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (!parts[i].loop) {
            execute(b, &b->m->ops[parts[i].first]);
            continue;
        }
        for (int trip = 0; trip < (int)parts[i].times; trip++)
            execute_parts(b, parts + i + 1, parts[i].count);
        i += parts[i].count;
    }
}

static double executed(const made *m)
{
    board b = {.m = m};
    execute_parts(&b, m->life.parts, (int32_t)m->life.count);
    return b.last;
}

/* ---- by hand ---- */

typedef struct hand_case {
    const char *name;
    row rows[8];
    const char *parts;
    double cycles, issue;
    wl_stall cause;
    double stall; /* of that cause */
    double level[3];
} hand_case;

static const hand_case by_hand[] = {
    {.name = "nothing to wait for", .rows = {INT("0", "1"), INT("0", "2")}, .parts = "ab", .cycles = 2, .issue = 2},
    {.name = "each needs the one before it",
     .rows = {INT("0", "1"), INT("1", "2"), INT("2", "3")},
     .parts = "abc",
     .cycles = 1 + 5 + 5,
     .issue = 3,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 8},
    {.name = "two loads wait together",
     .rows = {LOAD("0", "1", 2), LOAD("0", "2", 2), INT("12", "3")},
     .parts = "abc",
     .cycles = 2 + 430,
     .issue = 3,
     .cause = WL_STALL_MEMORY,
     .stall = 429,
     .level = {429 * 30 / 430.0, 429 * 100 / 430.0, 429 * 300 / 430.0}},
    {.name = "the slower load decides",
     .rows = {LOAD("0", "1", 1), LOAD("0", "2", 0), INT("12", "3")},
     .parts = "abc",
     .cycles = 1 + 130,
     .issue = 3,
     .cause = WL_STALL_MEMORY,
     .stall = 128,
     .level = {128 * 30 / 130.0, 128 * 100 / 130.0, 0}},
    {.name = "one load after the other",
     .rows = {LOAD("0", "1", 1), LOAD("1", "2", 1), INT("2", "3")},
     .parts = "abc",
     .cycles = 1 + 130 + 130,
     .issue = 3,
     .cause = WL_STALL_MEMORY,
     .stall = 258,
     .level = {258 * 30 / 130.0, 258 * 100 / 130.0, 0}},
    {.name = "what issues between load and use",
     .rows = {LOAD("0", "1", 0), INT("0", "2"), INT("1", "3")},
     .parts = "abbbbbbbbbbc",
     .cycles = 31,
     .issue = 12,
     .cause = WL_STALL_MEMORY,
     .stall = 19,
     .level = {19, 0, 0}},
    {.name = "far enough from its use",
     .rows = {LOAD("0", "1", 0), INT("0", "2"), INT("1", "3")},
     .parts = "a40(b)c",
     .cycles = 42,
     .issue = 42},
    {.name = "half of the loads miss the L1: this one does",
     .rows = {LOAD("0", "1", 3), INT("1", "3")},
     .parts = "ab",
     .cycles = 1 + 30 + 100,
     .issue = 2,
     .cause = WL_STALL_MEMORY,
     .stall = 129,
     .level = {129 * 30 / 130.0, 129 * 100 / 130.0, 0}},
    {.name = "one in four waits for DRAM: the batch does",
     .rows = {LOAD("0", "1", 3), LOAD("0", "2", 3), LOAD("0", "3", 3), LOAD("0", "4", 3), INT("1234", "5")},
     .parts = "abcde",
     .cycles = 2 + 430,
     .issue = 5,
     .cause = WL_STALL_MEMORY,
     .stall = 427,
     .level = {427 * 30 / 430.0, 427 * 100 / 430.0, 427 * 300 / 430.0}},
    {.name = "a load that nothing uses", .rows = {LOAD("0", "1", 2)}, .parts = "a", .cycles = 1, .issue = 1},
    {.name = "a copy that is no instruction",
     .rows = {LOAD("0", "1", 1), {.reads = "1", .writes = "2", .free = true}, INT("2", "3")},
     .parts = "abc",
     .cycles = 131,
     .issue = 2,
     .cause = WL_STALL_MEMORY,
     .stall = 129,
     .level = {129 * 30 / 130.0, 129 * 100 / 130.0, 0}},
    {.name = "a sequence of instructions whose half depends on the other",
     .rows = {{.kind = WL_OP_INT, .writes = "1", .issue = 8, .chain = 4}, INT("1", "2")},
     .parts = "ab",
     .cycles = 8 + 20,
     .issue = 9,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 19},
    {.name = "a shuffle",
     .rows = {{.kind = WL_OP_SHUFFLE, .writes = "1"}, INT("1", "2")},
     .parts = "ab",
     .cycles = 24,
     .issue = 2,
     .cause = WL_STALL_SHARED,
     .stall = 22},
    {.name = "an atomic that returns a value waits for the L2",
     .rows = {{.kind = WL_OP_ATOMIC, .writes = "1"}, INT("1", "2")},
     .parts = "ab",
     .cycles = 301,
     .issue = 2,
     .cause = WL_STALL_MEMORY,
     .stall = 299,
     .level = {0, 299, 0}},
    {.name = "a barrier",
     .rows = {INT("0", "1"), {.kind = WL_OP_BARRIER}},
     .parts = "aba",
     .cycles = 1 + 21 + 1,
     .issue = 3,
     .cause = WL_STALL_BARRIER,
     .stall = 20},
    {.name = "a branch that is taken",
     .rows = {INT("0", "1"), {.kind = WL_OP_BRANCH, .chain = 1}},
     .parts = "aba",
     .cycles = 1 + 11 + 1,
     .issue = 3,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 10},
    {.name = "a branch whose condition is just computed",
     .rows = {INT("1", "2"), {.kind = WL_OP_BRANCH, .reads = "2", .chain = 1}},
     .parts = "aba",
     .cycles = 1 + 5 + 11 + 11,
     .issue = 3,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 25},
    {.name = "a branch whose condition has long been known",
     .rows = {INT("1", "2"), {.kind = WL_OP_BRANCH, .reads = "2", .chain = 1}, INT("1", "3"), INT("3", "3")},
     .parts = "acdddba",
     .cycles = 1 + 1 + 3 * 5 + 1 + 10 + 1,
     .issue = 7,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 12 + 10},
    {.name = "a sequence of three kinds",
     .rows = {{.kind = WL_OP_SPECIAL, .writes = "1", .issue = 6, .steps = {1, 2, 3}}, INT("1", "2")},
     .parts = "ab",
     .cycles = 7 + 2 * 8 + 3 * 4 + 1,
     .issue = 7,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 29},
    {.name = "a sequence with a branch in it",
     .rows = {{.kind = WL_OP_SPECIAL, .writes = "1", .issue = 6, .steps = {1, 2, 3}, .blocks = true}, INT("0", "2")},
     .parts = "ab",
     .cycles = 7 + 2 * 8 + 3 * 4 + 1,
     .issue = 7,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 29},
    {.name = "a pipe that is busy",
     .rows = {{.kind = WL_OP_SPECIAL, .writes = "1", .on = {[WL_BUSY_SPECIAL] = 1}},
              {.kind = WL_OP_SPECIAL, .writes = "2", .on = {[WL_BUSY_SPECIAL] = 1}}},
     .parts = "aba",
     .cycles = 4 + 4 + 1,
     .issue = 3,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 6},
    {.name = "another pipe, and a sequence that keeps it longer",
     .rows = {{.kind = WL_OP_SPECIAL, .writes = "1", .on = {[WL_BUSY_SPECIAL] = 1}},
              {.writes = "2", .issue = 3, .on = {[WL_BUSY_INTEGER] = 3}},
              {.writes = "3", .on = {[WL_BUSY_INTEGER] = 1}}},
     .parts = "abc",
     .cycles = 1 + 6 + 1,
     .issue = 5,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 3},
    {.name = "a branch that is not",
     .rows = {INT("0", "1"), {.kind = WL_OP_BRANCH}},
     .parts = "aba",
     .cycles = 3,
     .issue = 3},
    {.name = "a loop that carries a value",
     .rows = {INT("1", "1")},
     .parts = "10(a)",
     .cycles = 1 + 9 * 5,
     .issue = 10,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 36},
    {.name = "a loop whose trips do not depend",
     .rows = {INT("0", "1")},
     .parts = "1e12(a)",
     .cycles = 1e12,
     .issue = 1e12},
    {.name = "a loop that waits for its load in each trip",
     .rows = {LOAD("0", "1", 1), INT("12", "2")},
     .parts = "100(ab)",
     .cycles = 100 * 131,
     .issue = 200,
     .cause = WL_STALL_MEMORY,
     .stall = 12900,
     .level = {12900 * 30 / 130.0, 12900 * 100 / 130.0, 0}},
    {.name = "a chain of loads through the trips",
     .rows = {LOAD("1", "1", 2)},
     .parts = "64(a)",
     .cycles = 1 + 63 * 430,
     .issue = 64,
     .cause = WL_STALL_MEMORY,
     .stall = 63 * 429,
     .level = {63 * 429 * 30 / 430.0, 63 * 429 * 100 / 430.0, 63 * 429 * 300 / 430.0}},
    {.name = "loops in a loop",
     .rows = {INT("1", "1"), INT("1", "2"), INT("2", "2")},
     .parts = "5(a4(bc))",
     /* a: one after the other, 5 or less after c; b: 5 behind a, then right behind c; c: 5 behind
      * b */
     .cycles = -1,
     .issue = 45,
     .cause = WL_STALL_DEPENDENCE,
     .stall = -1},
    {.name = "half a trip more",
     .rows = {INT("1", "1")},
     .parts = "6.5(a)",
     .cycles = 1 + 5.5 * 5,
     .issue = 6.5,
     .cause = WL_STALL_DEPENDENCE,
     .stall = 5.5 * 4},
    {.name = "no trip", .rows = {INT("1", "1")}, .parts = "a0(a)", .cycles = 1, .issue = 1},
    {.name = "nothing", .parts = "", .cycles = 0, .issue = 0},
};

static void check_hand(const hand_case *c)
{
    made m;
    make(&m, c->rows, COUNT_OF(c->rows), c->parts);
    const walked w = walk(&m);
    const double cycles = c->cycles < 0 ? executed(&m) : c->cycles;
    check_near(c->name, "cycles", w.cycles, cycles, NEAR);
    check_near(c->name, "instructions", w.issue, c->issue, NEAR);
    check_near(c->name, "stalls", w.stall[c->cause], c->stall < 0 ? cycles - c->issue : c->stall, NEAR);
    check_near(c->name, "nothing but that", w.cycles, w.issue + w.stall[c->cause], NEAR);
    for (int l = 0; l < 3 && c->cause == WL_STALL_MEMORY; l++)
        check_near(c->name, "cycles of a level", w.level[l], c->level[l], NEAR);
}

static void walks_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(by_hand); i++)
        check_hand(&by_hand[i]);
    check_done();
}

/* ---- requests ---- */

static void requests_belong_to_intervals(void **state)
{
    (void)state;
    static const row rows[] = {LOAD("0", "1", 3), INT("1", "2"), {.kind = WL_OP_STORE, .reads = "2", .field = 0}};
    made m;
    make(&m, rows, COUNT_OF(rows), "20(abc)");
    const walked w = walk(&m);
    check_near("requests", "of loads that miss the L1", w.reads, 20 * 8 * 0.5, NEAR);
    check_near("requests", "and the L2", w.misses, 20 * 8 * 0.25, NEAR);
    check_near("requests", "of stores", w.writes, 20 * 4, NEAR);
    make(&m, (const row[]){{.kind = WL_OP_LOAD, .writes = "1", .field = -1}}, 1, "a");
    const walked unknown = walk(&m);
    check_true("a field that is not known", "is fetched from DRAM", unknown.reads == 4 && unknown.misses == 4);
    check_done();
}

/* Which interval has how many reads each time it is passed; all others have none. */
static const struct {
    const char *name;
    row rows[6];
    const char *parts;
    struct {
        int op; /* that stalls; -1: the end */
        double times, reads;
    } has[2];
} taken[] = {
    {"short stalls between loads",
     {LOAD("0", "1", 2), INT("5", "5"), LOAD("5", "2", 2), INT("12", "3")},
     "abbcd",
     {{3, 1, 8}}},
    {"a barrier behind a load",
     {LOAD("0", "1", 2), {.kind = WL_OP_BARRIER}, LOAD("0", "2", 2), INT("1", "3"), INT("2", "4")},
     "abcde",
     {{3, 1, 8}}},
    {"a load that comes during another stall",
     {LOAD("0", "1", 1), {.kind = WL_OP_INT, .writes = "2", .issue = 1, .chain = 40}, INT("2", "3"), INT("1", "4")},
     "abcd",
     {{2, 1, 4}}},
    {"nothing waits", {LOAD("0", "1", 2), INT("0", "3")}, "ab", {{-1, 1, 4}}},
    {"one load ahead in a loop", {LOAD("0", "1", 2), INT("1", "2")}, "a100(ba)", {{1, 100, 4}, {-1, 1, 4}}},
    {"and in a loop of it", {LOAD("0", "1", 2), INT("1", "2")}, "a20(30(ba))", {{1, 600, 4}, {-1, 1, 4}}},
    {"a load before a loop", {LOAD("0", "1", 2), INT("5", "5"), INT("1", "2")}, "a50(b)c", {{2, 1, 4}}},
};

static void requests_belong_to_who_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        wl_arena arena = {0};
        wl_walk_scratch scratch;
        wl_life_profile p = {0};
        wl_error err = {0};
        made m;
        make(&m, taken[i].rows, COUNT_OF(taken[i].rows), taken[i].parts);
        check_ok("walk", wl_walk_scratch_make(&m.lives, &arena, &scratch, &err), &err);
        check_ok("walk", wl_life_walk(&m.lives, &m.life, &waits, &scratch, &arena, &p, &err), &err);
        for (size_t k = 0; k < p.count; k++) {
            const wl_life_interval *at = &p.list[k];
            double reads = 0, times = at->times;
            for (size_t h = 0; h < COUNT_OF(taken[i].has); h++)
                if (taken[i].has[h].times > 0 && taken[i].has[h].op == at->op) {
                    reads = taken[i].has[h].reads;
                    times = taken[i].has[h].times;
                }
            check_near(taken[i].name, "reads", at->reads, reads, NEAR);
            check_near(taken[i].name, "times", at->times, times, NEAR);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

/* ---- many lines ---- */

/* Twice as many lines: 8 cycles more from the L2, 80 more from DRAM. Each line of a load: a cycle
 * in the L1. */
static const wl_field_waits of_lines[] = {{.lines = 8},
                                          {.lines = 1, .l1_misses = 1, .missed = {1, 0}},
                                          {.lines = 1, .l1_misses = 1, .l2_misses = 1, .missed = {1, 1}},
                                          {.lines = 4, .l1_misses = 1, .l2_misses = 1, .missed = {1, 1}},
                                          {.lines = 8, .l1_misses = 1, .l2_misses = 0.5, .missed = {0.5, 0.25}}};

static const struct {
    const char *name;
    row rows[5];
    const char *parts;
    double cycles;
    double latency, dram; /* of what is waited for; of it, DRAM's */
} lines[] = {
    {"one line", {LOAD("0", "1", 2), INT("1", "2")}, "ab", 1 + 430, 430, 300},
    {"eight of the L1", {LOAD("0", "1", 0), INT("1", "2")}, "ab", 1 + 30 + 7, 37, 0},
    {"four lines of a load", {LOAD("0", "1", 3), INT("1", "2")}, "ab", 1 + 433 + 2 * 88, 609, 460},
    {"loads of a line each", {LOAD("0", "1", 2), INT("1", "2")}, "aaaab", 4 + 430 + 2 * 88, 606, 460},
    {"two of the L2", {LOAD("0", "1", 1), INT("1", "2")}, "aab", 2 + 138, 138, 0},
    /* of eight lines four come from the L2, and two of these from DRAM: the load waits for both */
    {"some miss", {LOAD("0", "1", 4), INT("1", "2")}, "ab", 1 + 37 + 116 + 380, 533, 380},
    {"a line, and again", {LOAD("0", "1", 2), INT("1", "2")}, "abab", 2 * 431, 430, 300},
    {"in each trip", {LOAD("0", "1", 3), INT("1", "2")}, "100(ab)", 100 * 610, 609, 460},
    {"a barrier between them",
     {LOAD("0", "1", 2), {.kind = WL_OP_BARRIER}, LOAD("0", "2", 2), INT("12", "3")},
     "abcd",
     1 + 21 + 1 + 430 + 88,
     518,
     380},
};

static void warps_wait_for_the_last_line(void **state)
{
    (void)state;
    wl_waits with = waits;
    with.spread[0] = 8;
    with.spread[1] = 80;
    with.fields = of_lines;
    with.field_count = COUNT_OF(of_lines);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        made m;
        make(&m, lines[i].rows, COUNT_OF(lines[i].rows), lines[i].parts);
        const walked w = walk_with(&m, &with);
        check_near(lines[i].name, "cycles", w.cycles, lines[i].cycles, NEAR);
        check_near(lines[i].name, "cycles of DRAM", w.level[2],
                   w.stall[WL_STALL_MEMORY] * lines[i].dram / lines[i].latency, NEAR);
    }
    check_done();
}

/* Behind a load from DRAM; of those behind one another, the one that is spread most counts, and
 * only once. */
static void warps_meet_at_barriers(void **state)
{
    (void)state;
    static const row rows[] = {LOAD("0", "1", 2), INT("1", "2"), {.kind = WL_OP_BARRIER}, LOAD("0", "1", 1)};
    static const struct {
        const char *name, *parts;
        double doublings, cycles;
    } cases[] = {{"no loads", "c", 2, 21},
                 {"as many warps as the latencies are for", "abc", 0, 431 + 21},
                 {"four times as many", "abc", 2, 431 + 21 + 2 * 88},
                 {"two loads one after the other", "ababc", 2, 2 * 431 + 21 + 2 * 88},
                 {"one from DRAM and one from the L2", "abdbc", 2, 431 + 131 + 21 + 2 * 88},
                 {"two barriers", "abcc", 2, 431 + 2 * 21 + 2 * 88},
                 {"in each trip", "50(abc)", 2, 50 * (431 + 21 + 2 * 88)},
                 {"a block of few warps", "abc", -0.125, 431 + 21 - 11},
                 {"no barrier opens before it is reached", "abc", -3, 431 + 1}};
    wl_waits with = waits;
    with.spread[0] = 8;
    with.spread[1] = 80;
    with.fields = of_lines;
    with.field_count = COUNT_OF(of_lines);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m;
        make(&m, rows, COUNT_OF(rows), cases[i].parts);
        with.doublings = cases[i].doublings;
        check_near(cases[i].name, "cycles", walk_with(&m, &with).cycles, cases[i].cycles, NEAR);
    }
    check_done();
}

/* ---- products of another warp ---- */

/* Products of 1000 cycles, whose operands arrive after 500 and whose results are ready after 10
 * more; then 300 instructions that write the results. With two places for sums, the next products
 * begin at once, with one place after those instructions. */
static void warps_wait_for_products_of_others(void **state)
{
    (void)state;
    static const row rows[] = {{.kind = WL_OP_TENSOR}, {.kind = WL_OP_INT, .issue = 300}};
    static const struct {
        const char *name, *parts;
        float ahead;
        double cycles;
    } cases[] = {{"one tile", "ab", INFINITY, 500 + 1000 + 10 + 300},
                 {"two places", "3(ab)", 2, 500 + 3 * 1000 + 10 + 300},
                 {"two places, many tiles", "50(ab)", 2, 500 + 50 * 1000 + 10 + 300},
                 {"one place", "3(ab)", 1, 500 + 3 * (1000 + 10 + 300) + 2}};
    wl_waits with = waits;
    with.result[WL_OP_TENSOR] = 10;
    with.bulk[0] = 70;
    with.product_rate[WL_TENSOR_f16] = 100;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m;
        make(&m, rows, COUNT_OF(rows), cases[i].parts);
        m.ops[0].group_step = WL_GROUP_RESULT;
        m.ops[0].flops = 100000;
        m.ops[0].product = WL_TENSOR_f16;
        m.ops[0].ahead = cases[i].ahead;
        check_near(cases[i].name, "cycles", walk_with(&m, &with).cycles, cases[i].cycles, NEAR);
    }
    check_done();
}

/* The next product of a warp waits until the tensor core of its scheduler is free. */
static void products_of_a_warp_take_turns(void **state)
{
    (void)state;
    static const row rows[] = {{.kind = WL_OP_TENSOR, .writes = "1", .on = {[WL_BUSY_TENSOR] = 1}},
                               {.kind = WL_OP_TENSOR, .writes = "2", .on = {[WL_BUSY_TENSOR] = 1}}};
    wl_waits with = waits;
    with.warp_rate[WL_TENSOR_f16] = 100;
    made m;
    make(&m, rows, COUNT_OF(rows), "aba");
    for (int i = 0; i < 2; i++) {
        m.ops[i].flops = 700;
        m.ops[i].product = WL_TENSOR_f16;
    }
    check_near("three", "cycles", walk_with(&m, &with).cycles, 7 + 7 + 1, NEAR);
    with.warp_rate[WL_TENSOR_f16] = 0; /* not known */
    check_near("a rate that is not known", "cycles", walk_with(&m, &with).cycles, 3, NEAR);
    check_done();
}

/* ---- the warp that leads ---- */

/* Four loads of a trip, two of which come before the first is used; a load in flight for one sector
 * costs 130 from the L2 and 430 from DRAM, one that is there 30. */
static void the_leader_waits_for_new_sectors(void **state)
{
    (void)state;
    static const row rows[] = {LOAD("0", "1", 0), LOAD("0", "2", 0), INT("12", "3")};
    static const struct {
        const char *name;
        const char *parts;
        double fresh[2], cycles; /* of a trip */
    } cases[] = {
        {"all are there", "100(abcabc)", {0, 0}, 2 * (2 + 30)},
        {"one sector a trip: its first load waits", "100(abcabc)", {1, 0}, 2 * (2 + 30) + 99},
        {"in every other trip", "100(abcabc)", {0.5, 0}, 2 * (2 + 30) + 49},
        {"two: one for each use", "100(abcabc)", {2, 0}, 2 * (2 + 30) + 2 * 99},
        {"four: two wait together", "100(abcabc)", {4, 0}, 2 * (2 + 130)},
        {"more than loads", "100(abcabc)", {8, 0}, 2 * (2 + 130)},
        {"one from DRAM", "100(abcabc)", {1, 1}, 2 * (2 + 30) + 399},
        {"one of two from DRAM", "100(abcabc)", {2, 1}, 2 * (2 + 30) + 399 + 99},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_field_waits field = {.trip = 4, .fresh = {cases[i].fresh[0], cases[i].fresh[1]}};
        wl_waits with = waits;
        with.fields = &field;
        with.field_count = 1;
        made m;
        make(&m, rows, COUNT_OF(rows), cases[i].parts);
        check_near(cases[i].name, "of others", walk_with(&m, &with).cycles, 100 * 2 * (2 + 30), NEAR);
        with.leads = true;
        check_near(cases[i].name, "cycles", walk_with(&m, &with).cycles, 100 * cases[i].cycles, NEAR);
    }
    check_done();
}

/* ---- atomics ---- */

/* From the first atomic to the last, of 100 cycles; a: an atomic, b: anything else. */
static const struct {
    const char *parts;
    double cycles;
} atomics[] = {{"100(b)", 0},
               {"a99(b)", 0},
               {"aa98(b)", 1},
               {"a98(b)a", 99},
               {"50(b)a48(b)a", 49},
               {"40(b)20(a)40(b)", 19},
               {"40(b)5(4(a))40(b)", 19},
               {"20(abbbb)", 95},
               {"10(b)a10(5(b)abb)9(b)", 78}};

static void atomics_take_a_share_of_a_life(void **state)
{
    (void)state;
    static const row rows[] = {{.kind = WL_OP_ATOMIC}, {.kind = WL_OP_INT}};
    for (size_t i = 0; i < COUNT_OF(atomics); i++) {
        made m;
        make(&m, rows, COUNT_OF(rows), atomics[i].parts);
        const walked w = walk(&m);
        check_near(atomics[i].parts, "cycles", w.cycles, 100, NEAR);
        check_near(atomics[i].parts, "share", w.atomics, atomics[i].cycles / 100, NEAR);
    }
    check_done();
}

/* ---- loops, against every trip ---- */

static const struct {
    const char *name;
    row rows[6];
    const char *parts;
} settled[] = {
    {"arithmetic", {INT("12", "3"), INT("3", "1"), {.kind = WL_OP_SPECIAL, .reads = "1", .writes = "2"}}, "1000(abc)"},
    {"loads ahead", {LOAD("0", "1", 2), INT("2", "3"), {.reads = "1", .writes = "2", .free = true}}, "500(abc)"},
    {"a loop before another", {LOAD("0", "1", 1), INT("12", "2"), INT("2", "3"), INT("33", "3")}, "40(ab)30(cd)"},
    {"nested", {LOAD("0", "1", 1), INT("12", "2"), INT("2", "4"), INT("34", "3")}, "40(30(ab)cd)"},
    {"three deep", {LOAD("3", "1", 1), INT("12", "2"), INT("24", "4"), INT("34", "3")}, "9(8(7(ab)c)d)"},
    {"barriers",
     {LOAD("0", "1", 1), {.kind = WL_OP_BARRIER}, INT("12", "2"), {.kind = WL_OP_BRANCH, .chain = 1}},
     "77(abcbd)"},
};

static void loops_are_as_long_as_all_their_trips(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(settled); i++) {
        made m;
        make(&m, settled[i].rows, COUNT_OF(settled[i].rows), settled[i].parts);
        check_near(settled[i].name, "cycles", walk(&m).cycles, executed(&m), NEAR);
    }
    check_done();
}

/* Sixteen loops and more in one another: three trips each would be 3^20 walks. */
static void deep_loops_end(void **state)
{
    (void)state;
    char parts[128] = "";
    made m;
    for (int i = 0; i < 20; i++)
        strcat(parts, "4(");
    strcat(parts, "ab");
    for (int i = 0; i < 20; i++)
        strcat(parts, ")");
    make(&m, (const row[]){INT("1", "1"), INT("0", "2")}, 2, parts);
    const walked w = walk(&m);
    check_near("deep", "instructions", w.issue, 2 * pow(4, 20), NEAR);
    check_near("deep", "cycles", w.cycles, 5 * pow(4, 20), 1e-3);
    check_done();
}

/* ---- instructions ---- */

/* Loops wait for instructions that no cache holds, in each trip but the first. */
static void loops_wait_for_instructions(void **state)
{
    (void)state;
    static const row rows[] = {INT("1", "1"), {.kind = WL_OP_INT, .issue = 50}, {.kind = WL_OP_INT, .issue = 500}};
    static const struct {
        const char *name, *parts;
        double code, stall;
    } cases[] = {{"no loop", "abc", 551, 0},
                 {"a small body", "c9(aa)", 502, 0},
                 {"a body of the second cache", "9(ab)", 51, 8 * 51 * 2},
                 {"a body of the L2", "9(bc)", 550, 8 * 550 * 5},
                 {"inner loops are fetched again in each outer trip", "9(c4(a))", 501, 8 * 501 * 5},
                 {"an inner loop that does not fit is counted once", "9(4(ab)a)", 52, 9 * 3 * 51 * 2}};
    wl_waits with = waits;
    memcpy(with.code, (double[]){40, 400, 2, 5}, sizeof with.code);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m;
        wl_arena arena = {0};
        wl_error err = {0};
        wl_waiting w;
        wl_life_profile profile;
        make(&m, rows, COUNT_OF(rows), cases[i].parts);
        check_ok(cases[i].name, wl_waiting_find(&m.lives, &with, &arena, &profile, &w, &err), &err);
        check_near(cases[i].name, "code", w.code, cases[i].code, NEAR);
        check_near(cases[i].name, "waits", w.stall[WL_STALL_FETCH], cases[i].stall, NEAR);
        wl_arena_free(&arena);
    }
    check_done();
}

/* ---- blocks ---- */

static void blocks_wait_for_their_longest_warp(void **state)
{
    (void)state;
    static const row rows[] = {INT("1", "1"), LOAD("0", "2", 2), INT("2", "3"), {.kind = WL_OP_BARRIER}};
    made m;
    wl_arena arena = {0};
    wl_error err = {0};
    wl_waiting w;
    wl_life_profile profiles[3];
    make(&m, rows, COUNT_OF(rows), "abc8(a)bcd");
    /* the parts: 3 operations, a loop, 3 operations */
    const wl_life lives[] = {{.parts = m.parts, .count = 1, .warps = 6, .blocks = 2, .kind = 0},
                             {.parts = m.parts, .count = 3, .warps = 2, .blocks = 2, .kind = 0},
                             {.parts = m.parts + 3, .count = 2, .warps = 12, .blocks = 6, .kind = 1}};
    m.lives.list = lives;
    m.lives.count = 3;
    m.lives.kind_count = 2;
    check_ok("blocks", wl_waiting_find(&m.lives, &waits, &arena, profiles, &w, &err), &err);
    const double longer = 1 + 1 + 430, loop = 1 + 7 * 5;
    check_true("blocks", "known", w.known);
    check_near("blocks", "cycles", w.cycles, (2 * longer + 6 * loop) / 8, NEAR);
    check_near("blocks", "of these, DRAM's", w.level[2], 2 * 429 * 300 / 430.0 / 8, NEAR);
    check_near("blocks", "that issue", w.issue, (2 * 3 + 6 * 8) / 8.0, NEAR);
    check_near("blocks", "waits for memory", w.loads, 2 / 8.0, NEAR);
    m.lives.list = &lives[1];
    m.lives.count = 1;
    m.lives.kind_count = 1;
    check_ok("straight", wl_waiting_find(&m.lives, &waits, &arena, profiles, &w, &err), &err);
    check_true("straight", "known", w.known);
    check_near("straight", "instructions", w.code, 3, NEAR);
    check_near("straight", "cycles", w.cycles, longer, NEAR);
    const wl_life with_barrier = {.parts = m.parts + 5, .count = 3, .warps = 1, .blocks = 1};
    m.lives.list = &with_barrier;
    check_ok("barrier", wl_waiting_find(&m.lives, &waits, &arena, profiles, &w, &err), &err);
    check_near("barrier", "barriers", w.barriers, 1, NEAR);
    m.lives.count = 0;
    check_ok("none", wl_waiting_find(&m.lives, &waits, &arena, profiles, &w, &err), &err);
    check_true("none", "not known", !w.known && w.cycles == 0);
    wl_arena_free(&arena);
    check_done();
}

/* One block has an atomic at either end of its life, three have none. */
static void blocks_have_a_mean_share_of_atomics(void **state)
{
    (void)state;
    static const row rows[] = {{.kind = WL_OP_ATOMIC}, {.kind = WL_OP_INT}};
    made m;
    wl_arena arena = {0};
    wl_error err = {0};
    wl_waiting w;
    wl_life_profile profiles[2];
    make(&m, rows, COUNT_OF(rows), "98(b)aa98(b)a");
    const wl_life lives[] = {{.parts = m.parts + 3, .count = 4, .warps = 1, .blocks = 1, .kind = 0},
                             {.parts = m.parts, .count = 2, .warps = 3, .blocks = 3, .kind = 1}};
    m.lives.list = lives;
    m.lives.count = 2;
    m.lives.kind_count = 2;
    check_ok("atomics", wl_waiting_find(&m.lives, &waits, &arena, profiles, &w, &err), &err);
    check_near("atomics", "share", w.atomics, 0.99 / 4, NEAR);
    wl_arena_free(&arena);
    check_done();
}

static void latencies_of_a_device(void **state)
{
    (void)state;
    wl_device *device = NULL;
    wl_error err = {0};
    wl_waits w;
    double l1 = 0, dram = 0;
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    wl_waits_read(device, &w);
    (void)wl_device_get(device, WL_DEVICE_l1_latency, &l1);
    (void)wl_device_get(device, WL_DEVICE_dram_latency, &dram);
    check_near("h200", "L1", w.level[0], l1, 0);
    check_near("h200", "levels add up", w.level[0] + w.level[1] + w.level[2], dram, NEAR);
    check_true("h200", "has latencies", w.result[WL_OP_INT] > 1 && w.result[WL_OP_BARRIER] > 1 && l1 > 1);
    check_true("h200", "has spreads", w.spread[0] > 1 && w.spread[1] > w.spread[0]);
    check_true("h200", "nothing waits for a store", w.result[WL_OP_STORE] == 0 && w.result[WL_OP_FREE] == 0);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks_by_hand),
                                       cmocka_unit_test(requests_belong_to_intervals),
                                       cmocka_unit_test(requests_belong_to_who_waits),
                                       cmocka_unit_test(warps_wait_for_the_last_line),
                                       cmocka_unit_test(warps_meet_at_barriers),
                                       cmocka_unit_test(products_of_a_warp_take_turns),
                                       cmocka_unit_test(warps_wait_for_products_of_others),
                                       cmocka_unit_test(the_leader_waits_for_new_sectors),
                                       cmocka_unit_test(atomics_take_a_share_of_a_life),
                                       cmocka_unit_test(loops_are_as_long_as_all_their_trips),
                                       cmocka_unit_test(deep_loops_end),
                                       cmocka_unit_test(loops_wait_for_instructions),
                                       cmocka_unit_test(blocks_wait_for_their_longest_warp),
                                       cmocka_unit_test(blocks_have_a_mean_share_of_atomics),
                                       cmocka_unit_test(latencies_of_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
