/* test_line_shelf.c - cache/line_shelf.h, against a linear search of timestamps.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "cache/line_shelf.h"
#include "expr/operate.h"

#define ROOM 24
#define KEYS 40
#define USES 5000

typedef struct shelved {
    int64_t used; /* 0: not there */
    int64_t lines;
} shelved;

static int64_t lines_of(const shelved *all)
{
    int64_t lines = 0;
    for (int k = 0; k < KEYS; k++)
        lines += all[k].used ? all[k].lines : 0;
    return lines;
}

static void drop_oldest(shelved *all)
{
    int oldest = -1;
    for (int k = 0; k < KEYS; k++)
        if (all[k].used && (oldest < 0 || all[k].used < all[oldest].used))
            oldest = k;
    all[oldest].used = 0;
}

/* Pieces of 1 to 5 lines, in two rounds: the second begins with an empty shelf of half the room. */
static void least_recently_used(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_shelf shelf;
    check_true("shelf", "memory", wl_shelf_make(&shelf, ROOM, WL_SHELF_LRU, &arena));
    for (int64_t room = ROOM; room >= ROOM / 2; room -= ROOM / 2) {
        shelved all[KEYS] = {0};
        wl_shelf_clear(&shelf, room);
        for (int64_t n = 1; n <= USES; n++) {
            char name[32];
            const int key = (int)wl_random_below(n * ROOM + room, KEYS);
            const int64_t lines = key % 5 + 1;
            const bool there = all[key].used;
            (void)snprintf(name, sizeof name, "room %d, use %d", (int)room, (int)n);
            check_true(name, "is found", (wl_shelf_find(&shelf, (uint64_t)key) != NULL) == there);
            while (!there && lines_of(all) + lines > room)
                drop_oldest(all);
            all[key] = (shelved){n, lines};
            wl_shelf_piece *p = wl_shelf_use(&shelf, (uint64_t)key, lines);
            check_int(name, "sectors", p->sectors, there ? 1 : 0);
            p->sectors = 1;
            check_int(name, "lines", shelf.used, lines_of(all));
        }
    }
    wl_arena_free(&arena);
    check_done();
}

/* A piece that is as large as the shelf, or larger, leaves no other there; smaller ones follow. */
static void pieces_fill_the_shelf(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_shelf shelf;
    uint64_t key = 0;
    check_true("shelf", "memory", wl_shelf_make(&shelf, ROOM, WL_SHELF_LRU, &arena));
    for (int round = 0; round < 20; round++) {
        for (int64_t lines = 1; lines <= ROOM + 1; lines += ROOM / 4) {
            char name[32];
            (void)snprintf(name, sizeof name, "round %d, %d lines", round, (int)lines);
            (void)wl_shelf_use(&shelf, key++, ROOM + round % 2);
            check_int(name, "alone", shelf.used, ROOM + round % 2);
            const uint64_t first = key;
            for (int64_t used = 0; used < 3 * ROOM; used += lines) {
                (void)wl_shelf_use(&shelf, key++, lines);
                check_true(name, "fit", shelf.used <= ROOM || shelf.used == lines);
            }
            int64_t found = 0;
            for (uint64_t k = first; k < key; k++)
                found += wl_shelf_find(&shelf, k) != NULL;
            check_int(name, "lines found", found * lines, shelf.used);
        }
    }
    wl_arena_free(&arena);
    check_done();
}

/* Lines that are used in turn, one more than there is room for: the least recently used one would
 * always be the next. The older of two random ones often is another. */
static void older_of_two(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_shelf shelf;
    int hits = 0, present = 0;
    check_true("shelf", "memory", wl_shelf_make(&shelf, ROOM, WL_SHELF_OLDER_OF_TWO, &arena));
    for (int n = 0; n < USES; n++) {
        wl_shelf_piece *p = wl_shelf_use(&shelf, (uint64_t)(n % (ROOM + 1)), 1);
        hits += p->sectors == 1;
        p->sectors = 1;
    }
    for (uint64_t key = 0; key <= ROOM; key++)
        present += wl_shelf_find(&shelf, key) != NULL;
    check_int("lines", "present", present, ROOM);
    check_true("lines", "hit, mostly", hits > USES / 2 && hits < USES - USES / (ROOM + 1));
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_recently_used), cmocka_unit_test(pieces_fill_the_shelf),
                                       cmocka_unit_test(older_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
