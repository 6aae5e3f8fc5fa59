/* test_schedule_text.c - schedules as text, and what the public functions refuse.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "warpline/schedule.h"

static const struct {
    const char *text;
    wl_schedule schedule;
} good[] = {
    {"linear", {WL_SCHEDULE_LINEAR, 0, 0}},
    {"column:32", {WL_SCHEDULE_COLUMN, 32, 0}},
    {"column:1152921504606846975", {WL_SCHEDULE_COLUMN, 1152921504606846975, 0}},
    {"zigzag:7", {WL_SCHEDULE_ZIGZAG, 7, 0}},
    {"tile:32x8", {WL_SCHEDULE_TILE, 32, 8}},
    {"hilbert", {WL_SCHEDULE_HILBERT, 0, 0}},
    {"morton", {WL_SCHEDULE_MORTON, 0, 0}},
    {"swizzle:8", {WL_SCHEDULE_SWIZZLE, 8, 0}},
};

static void texts_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        wl_schedule s = {0};
        wl_error err = {0};
        char text[WL_SCHEDULE_TEXT_MAX];
        check_int(good[i].text, "status", wl_schedule_parse(good[i].text, &s, &err), WL_OK);
        check_int(good[i].text, "kind", s.kind, good[i].schedule.kind);
        check_int(good[i].text, "width", s.width, good[i].schedule.width);
        check_int(good[i].text, "height", s.height, good[i].schedule.height);
        wl_schedule_print(&s, text);
        check_true(good[i].text, "the same text", strcmp(text, good[i].text) == 0);
    }
    check_done();
}

static const struct {
    const char *text, *message;
    int column;
} bad[] = {
    {"", "a schedule is linear, column:W, zigzag:W, tile:WxH, hilbert, morton or swizzle:G", 1},
    {":4", "a schedule is linear, column:W, zigzag:W, tile:WxH, hilbert, morton or swizzle:G", 1},
    {"colum:32", "there is no schedule 'colum'; did you mean 'column'?", 1},
    {"Hilbert", "there is no schedule 'Hilbert'; did you mean 'hilbert'?", 1},
    {"spiral", "a schedule is linear, column:W, zigzag:W, tile:WxH, hilbert, morton or swizzle:G", 1},
    {"column", "column needs a width, as in column:32", 7},
    {"column:", "a whole number above 0 is needed here, as in column:32", 8},
    {"column:0", "a width of 0 visits nothing: the minimum is 1", 8},
    {"column:-4", "a whole number above 0 is needed here, as in column:32", 8},
    {"column:+4", "a whole number above 0 is needed here, as in column:32", 8},
    {"column: 4", "a whole number above 0 is needed here, as in column:32", 8},
    {"column:abc", "a whole number above 0 is needed here, as in column:32", 8},
    {"column:32x8", "nothing may follow the width of column", 10},
    {"column:4.5", "nothing may follow the width of column", 9},
    {"column:1152921504606846976", "this number is too large: it has to be below 2^60", 8},
    {"zigzag:99999999999999999999", "this number is too large: it has to be below 2^60", 8},
    {"tile", "tile needs a width and a height, as in tile:32x8", 5},
    {"tile:32", "tile needs a width and a height, as in tile:32x8", 8},
    {"tile:32x", "a whole number above 0 is needed here, as in tile:32x8", 9},
    {"tile:32x0", "a height of 0 visits nothing: the minimum is 1", 9},
    {"tile:0x8", "a width of 0 visits nothing: the minimum is 1", 6},
    {"tile:32x8x2", "nothing may follow the height of tile", 10},
    {"hilbert:4", "hilbert has no width or other number", 8},
    {"linear:1", "linear has no width or other number", 7},
    {"swizzle", "swizzle needs a number of rows, as in swizzle:8", 8},
    {"swizzle:0", "a number of rows of 0 visits nothing: the minimum is 1", 9},
};

static void bad_texts_are_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_schedule s = {WL_SCHEDULE_TILE, 3, 4};
        wl_error err = {0};
        check_int(bad[i].text, "status", wl_schedule_parse(bad[i].text, &s, &err), WL_E_INPUT);
        check_int(bad[i].text, "column", err.loc.col, bad[i].column);
        if (strcmp(err.message, bad[i].message) != 0)
            print_error("'%s': %s\n", bad[i].text, err.message);
        check_true(bad[i].text, "the message", strcmp(err.message, bad[i].message) == 0);
        check_int(bad[i].text, "the schedule, left alone", s.kind, WL_SCHEDULE_TILE);
    }
    check_done();
}

/* A program can give what a text cannot. */
static const struct {
    const char *name;
    wl_schedule schedule;
    int64_t extent[3], first, count;
    wl_status status;
} calls[] = {
    {"whole", {WL_SCHEDULE_COLUMN, 2, 0}, {4, 3, 0}, 0, 12, WL_OK},
    {"none", {WL_SCHEDULE_COLUMN, 2, 0}, {4, 3, 0}, 12, 0, WL_OK},
    {"one too many", {WL_SCHEDULE_COLUMN, 2, 0}, {4, 3, 0}, 1, 12, WL_E_INPUT},
    {"before the first", {WL_SCHEDULE_COLUMN, 2, 0}, {4, 3, 0}, -1, 2, WL_E_INPUT},
    {"width 0", {WL_SCHEDULE_COLUMN, 0, 0}, {4, 3, 0}, 0, 1, WL_E_INPUT},
    {"negative width", {WL_SCHEDULE_ZIGZAG, -2, 0}, {4, 3, 0}, 0, 1, WL_E_INPUT},
    {"height 0", {WL_SCHEDULE_TILE, 2, 0}, {4, 3, 0}, 0, 1, WL_E_INPUT},
    {"negative extent", {WL_SCHEDULE_COLUMN, 2, 0}, {4, -3, 0}, 0, 1, WL_E_INPUT},
    {"no kind", {WL_SCHEDULE_KIND_COUNT, 2, 0}, {4, 3, 0}, 0, 1, WL_E_INPUT},
    {"too many cells", {WL_SCHEDULE_COLUMN, 2, 0}, {1 << 30, 1 << 30, 1}, 0, 1, WL_E_RANGE},
};

static void bad_calls_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        int64_t cells[12][3] = {{0}}, position = 0;
        wl_error err = {0};
        const wl_schedule *s = &calls[i].schedule;
        check_int(calls[i].name, "status",
                  wl_schedule_cells(s, calls[i].extent, calls[i].first, calls[i].count, cells, &err), calls[i].status);
        check_true(calls[i].name, "a message", (err.message[0] != '\0') == (calls[i].status != WL_OK));
        if (calls[i].status != WL_OK)
            continue;
        check_int(calls[i].name, "position", wl_schedule_position(s, calls[i].extent, cells[3], &position, &err),
                  WL_OK);
        check_int(calls[i].name, "the cell comes back", position, calls[i].count ? 3 : 0);
        check_int(calls[i].name, "a cell outside",
                  wl_schedule_position(s, calls[i].extent, (const int64_t[3]){0, 3, 0}, &position, &err), WL_E_INPUT);
    }
    check_done();
}

static void swizzles_order_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        check_int(good[i].text, "orders blocks", wl_schedule_orders_blocks(&good[i].schedule),
                  good[i].schedule.kind == WL_SCHEDULE_SWIZZLE);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(bad_texts_are_explained),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(swizzles_order_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
