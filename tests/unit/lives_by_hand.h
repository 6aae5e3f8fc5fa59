/* lives_by_hand.h - lives of warps, written as text, for tests that walk through them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_LIVES_BY_HAND_H
#define WL_TESTS_LIVES_BY_HAND_H

#include <stdlib.h>
#include <string.h>

#include "timeline/life.h"

#define OPS_MAX 64
#define PARTS_MAX 64

/* An operation: what it reads and writes are digits and letters, one for each register. */
typedef struct row {
    wl_op_kind kind;
    const char *reads, *writes;
    int field;
    float issue, chain; /* 0: 1 */
    float steps[3];
    float on[WL_BUSY_COUNT];
    bool free, blocks;
} row;

/* Parts as text: 'a' .. are operations, digits a number of trips, brackets a loop. "ab3(cd)" */
typedef struct made {
    wl_op ops[OPS_MAX];
    int32_t regs[OPS_MAX][8];
    wl_stretch parts[PARTS_MAX];
    wl_life life;
    wl_lives lives;
} made;

static inline int32_t register_of(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

static inline void make_ops(made *m, const row *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        wl_op *op = &m->ops[i];
        *op = (wl_op){.kind = r->kind,
                      .issue = r->free        ? 0
                               : r->issue > 0 ? r->issue
                                              : 1,
                      .chain = r->chain > 0 ? r->chain : r->kind != WL_OP_BRANCH,
                      .steps = {r->steps[0], r->steps[1], r->steps[2]},
                      .on = {r->on[0], r->on[1], r->on[2], r->on[3]},
                      .blocks = r->blocks,
                      .field = r->field,
                      .regs = m->regs[i]};
        for (const char *c = r->reads; c && *c; c++)
            m->regs[i][op->reads++] = register_of(*c);
        for (const char *c = r->writes; c && *c; c++)
            m->regs[i][op->reads + op->writes++] = register_of(*c);
    }
    m->lives = (wl_lives){.ops = m->ops, .op_count = count, .register_count = 36, .list = &m->life, .count = 1};
    m->lives.kind_count = 1;
}

static inline size_t make_parts(made *m, const char **text, size_t at)
{
    while (**text && **text != ')') {
        if (**text >= 'a') {
            m->parts[at++] = (wl_stretch){.first = *(*text)++ - 'a', .count = 1, .times = 1};
            continue;
        }
        char *end;
        const size_t loop = at++;
        m->parts[loop] = (wl_stretch){.loop = true, .times = strtod(*text, &end)};
        *text = end + 1; /* the bracket */
        at = make_parts(m, text, at);
        m->parts[loop].count = (int32_t)(at - loop - 1);
        (*text)++;
    }
    return at;
}

static inline void make(made *m, const row *rows, int32_t count, const char *parts)
{
    memset(m, 0, sizeof *m);
    make_ops(m, rows, count);
    m->life = (wl_life){.parts = m->parts, .warps = 3, .blocks = 1};
    m->life.count = make_parts(m, &parts, 0);
}

#define LOAD(address, to, of)                                                                                          \
    {                                                                                                                  \
        .kind = WL_OP_LOAD, .reads = address, .writes = to, .field = of                                                \
    }
#define INT(from, to)                                                                                                  \
    {                                                                                                                  \
        .kind = WL_OP_INT, .reads = from, .writes = to                                                                 \
    }

#endif /* WL_TESTS_LIVES_BY_HAND_H */
