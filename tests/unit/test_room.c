/* test_room.c - base/room.h: arrays that grow. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "base/room.h"

static void test_one_by_one(void **state)
{
    (void)state;
    int *all = NULL;
    size_t room = 0, moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        const size_t before = room;
        assert_true(WL_ROOM(all, i + 1, room));
        assert_true(room > i);
        moves += room != before;
        all[i] = (int)i;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(all[i], (int)i);
    assert_true(moves < 16); /* it doubles */
    free(all);
}

/* What cannot be had leaves all as it was. */
static void test_no_memory(void **state)
{
    (void)state;
    char *all = NULL;
    size_t room = 0;
    assert_true(WL_ROOM(all, 3, room));
    char *const before = all;
    const size_t had = room;
    assert_false(WL_ROOM(all, SIZE_MAX / 4, room));
    assert_ptr_equal(all, before);
    assert_int_equal(room, had);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
