/* test_apart_stores.c - which stores follow others at once, in lives by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <string.h>

#include "kernel/apart_stores.h"

#define NEAR 1e-12

/* One letter for each operation: l loads, s stores to field 0, t to field 1, b is a barrier, a
 * arithmetic, r reads shared memory, w writes it; (..) is a loop of four trips. */
typedef struct made {
    wl_op ops[32];
    wl_stretch parts[32];
    int32_t count;
    size_t part_count;
} made;

static wl_op op_of(char c)
{
    switch (c) {
    case 'l': return (wl_op){.kind = WL_OP_LOAD, .field = 2, .writes = 1};
    case 's': return (wl_op){.kind = WL_OP_STORE, .field = 0};
    case 't': return (wl_op){.kind = WL_OP_STORE, .field = 1};
    case 'b': return (wl_op){.kind = WL_OP_BARRIER, .field = -1};
    case 'r': return (wl_op){.kind = WL_OP_SHARED, .field = -1, .writes = 1};
    case 'w': return (wl_op){.kind = WL_OP_SHARED, .field = -1};
    default: return (wl_op){.kind = WL_OP_FP32, .field = -1, .writes = 1};
    }
}

static void make(const char *text, made *out)
{
    size_t loop = 0;
    *out = (made){.count = 0};
    for (const char *c = text; *c; c++) {
        wl_stretch *last = out->part_count > 0 ? &out->parts[out->part_count - 1] : NULL;
        if (*c == '(') {
            loop = out->part_count;
            out->parts[out->part_count++] = (wl_stretch){.loop = true, .times = 4};
        } else if (*c == ')') {
            out->parts[loop].count = (int32_t)(out->part_count - loop - 1);
        } else {
            if (!last || last->loop || (c > text && c[-1] == ')'))
                out->parts[out->part_count++] = (wl_stretch){.first = out->count};
            out->parts[out->part_count - 1].count++;
            out->ops[out->count++] = op_of(*c);
        }
    }
}

static void shares_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double first, second;
    } cases[] = {
        {"llll ssss", 0, 0},     /* loads first */
        {"lslslsls", 1, 0},      /* each store behind its load */
        {"lsslss", 1.0 / 3, 0},  /* in pairs */
        {"lstst", 0, 0},         /* stores to another field are no wait */
        {"lsatlsat", 1, 1},      /* a wait for both */
        {"sass", 0, 0},          /* arithmetic is short */
        {"sbs", 1, 0},           /* a barrier */
        {"srsws", 0.5, 0},       /* a load from shared memory, a store to it */
        {"(ls)", 1, 0},          /* three of four follow another trip */
        {"(s)s", 0, 0},          /* a loop that only stores */
        {"s(as)ls", 1.0 / 5, 0}, /* and a wait behind it */
        {"l", 0, 0},
        {"s", 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made m;
        char text[32];
        size_t n = 0;
        for (const char *c = cases[i].text; *c; c++)
            if (*c != ' ')
                text[n++] = *c;
        text[n] = '\0';
        make(text, &m);
        const wl_life life = {.parts = m.parts, .count = m.part_count, .warps = 10};
        const wl_lives lives = {.ops = m.ops, .op_count = m.count, .list = &life, .count = 1};
        wl_arena arena = {0};
        wl_error err = {0};
        double share[2] = {-1, -1};
        check_ok(text, wl_lives_stores_apart(&lives, 2, &arena, share, &err), &err);
        check_near(text, "first field", share[0], cases[i].first, NEAR);
        check_near(text, "second field", share[1], cases[i].second, NEAR);
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
