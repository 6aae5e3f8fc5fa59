/* test_warp_queue.c - replay/warp_queue.h, against a scan of all warps.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdio.h>

#include "replay/warp_queue.h"
#include "expr/operate.h"

#define WARPS 13
#define SCHEDULERS 4
#define EVENTS 2000

typedef struct scanned {
    bool queued[WARPS];
    wl_queued warps[WARPS];
    int turn;
} scanned;

static int32_t best_of(const scanned *s, int first, double now)
{
    int32_t best = -1;
    for (int32_t i = first; i < WARPS; i += SCHEDULERS) {
        const wl_queued *w = &s->warps[i], *b = best >= 0 ? &s->warps[best] : NULL;
        if (s->queued[i] && w->ready <= now && (!b || w->age < b->age || (w->age == b->age && w->ready < b->ready)))
            best = i;
    }
    return best;
}

/* The rule as warp_queue.h words it. */
static int32_t scan(scanned *s, int64_t most_waiting, double *now)
{
    for (;;) {
        int64_t waiting = 0;
        double soon = INFINITY;
        for (int i = 0; i < WARPS; i++)
            if (s->queued[i] && s->warps[i].ready > *now) {
                waiting += s->warps[i].loads;
                soon = fmin(soon, s->warps[i].ready);
            }
        for (int d = 0; d < SCHEDULERS && waiting < most_waiting; d++) {
            const int first = (s->turn + d) % SCHEDULERS;
            const int32_t best = best_of(s, first, *now);
            if (best >= 0) {
                s->turn = first + 1;
                s->queued[best] = false;
                return best;
            }
        }
        if (isinf(soon))
            return -1;
        *now = soon;
    }
}

static void add(wl_warp_queue *q, scanned *s, const wl_queued *w)
{
    wl_warp_queue_add(q, w);
    s->queued[w->warp] = true;
    s->warps[w->warp] = *w;
}

static void follows_the_rule(void **state)
{
    (void)state;
    for (int64_t most = 1; most <= WARPS; most += 3) {
        wl_arena arena = {0};
        wl_warp_queue q;
        scanned s = {0};
        double now = 0, expected_now = 0;
        int64_t draws = most * 1000000;
        check_true("queue", "memory", wl_warp_queue_make(&q, WARPS, SCHEDULERS, &arena));
        q.most_waiting = most;
        for (int32_t i = 0; i < WARPS; i++)
            add(&q, &s, &(wl_queued){.warp = i, .age = i / 3});
        for (int n = 0; n < EVENTS; n++) {
            char name[32];
            (void)snprintf(name, sizeof name, "most %lld, event %d", (long long)most, n);
            const int32_t expected = scan(&s, most, &expected_now), got = wl_warp_queue_next(&q, &now);
            check_int(name, "warp", got, expected);
            check_near(name, "now", now, expected_now, 0);
            if (got < 0)
                break;
            /* some end; ends and equal times must be met, too */
            now = expected_now += (double)wl_random_below(draws++, 3);
            const int64_t after = wl_random_below(draws++, 20), ends = wl_random_below(draws++, 200);
            const wl_queued w = {
                .ready = now + (double)after, .age = n / 5 + ends % 7, .warp = got, .loads = ends % 3 > 0};
            if (ends > 0)
                add(&q, &s, &w);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

static void forgets_all_warps(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_warp_queue q;
    double now = 0;
    check_true("queue", "memory", wl_warp_queue_make(&q, WARPS, SCHEDULERS, &arena));
    wl_warp_queue_add(&q, &(wl_queued){.warp = 1, .loads = true, .ready = 5});
    wl_warp_queue_add(&q, &(wl_queued){.warp = 2});
    check_int("clear", "first", wl_warp_queue_next(&q, &now), 2);
    wl_warp_queue_clear(&q);
    check_int("clear", "none", wl_warp_queue_next(&q, &now), -1);
    check_int("clear", "waiting", q.waiting, 0);
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_rule), cmocka_unit_test(forgets_all_warps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
