/* test_tensor_map.c - boxes of tensor maps against a count by hand, and maps as users write them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "ptx/emulate/arguments_text.h"

/* Fails with the values that are wrong. */
#define CHECK(ok, ...)                                                                                                 \
    do {                                                                                                               \
        if (!(ok)) {                                                                                                   \
            char what[400];                                                                                            \
            (void)snprintf(what, sizeof what, __VA_ARGS__);                                                            \
            fail_msg("%s", what);                                                                                      \
        }                                                                                                              \
    } while (0)

typedef struct rows {
    uint64_t count, bytes, first, last;
} rows;

static bool add_row(void *user, uint64_t address, uint64_t bytes)
{
    rows *r = user;
    r->first = r->count == 0 ? address : r->first;
    r->last = address + bytes;
    r->count++;
    r->bytes += bytes;
    return true;
}

static wl_ptx_tensor_map made(const char *text)
{
    wl_ptx_tensor_map map;
    wl_error err = {0};
    CHECK(wl_ptx_map_text(text, &map, &err) == WL_OK, "%s: %s", text, err.message);
    map.base = 1 << 20;
    return map;
}

static void check_copy(const char *text, const wl_ptx_box *box, rows want)
{
    const wl_ptx_tensor_map map = made(text);
    rows got = {0};
    CHECK(wl_ptx_map_is_valid(&map), "%s", text);
    (void)wl_ptx_map_rows(&map, box, add_row, &got);
    CHECK(got.count == want.count && got.bytes == want.bytes, "%s: %llu rows, %llu bytes", text,
          (unsigned long long)got.count, (unsigned long long)got.bytes);
    CHECK(want.count == 0 || (got.first - map.base == want.first && got.last - map.base == want.last),
          "%s: from %llu to %llu", text, (unsigned long long)(got.first - map.base),
          (unsigned long long)(got.last - map.base));
}

static void check_box(const char *text, const int32_t at[WL_PTX_MAP_DIMS], rows want)
{
    wl_ptx_box box = {.mode = WL_PTX_BOX_TILED};
    memcpy(box.at, at, sizeof box.at);
    check_copy(text, &box, want);
}

static void boxes_inside_and_over_the_edge(void **state)
{
    (void)state;
    const int32_t inside[WL_PTX_MAP_DIMS] = {64, 2}, left[WL_PTX_MAP_DIMS] = {-16, 0}, below[WL_PTX_MAP_DIMS] = {0, 6},
                  outside[WL_PTX_MAP_DIMS] = {128, 0}, deep[WL_PTX_MAP_DIMS] = {0, 1, 3};
    /* rows of 256 bytes */
    check_box("tensormap:f16:128x8:64x4:swizzle=128", inside, (rows){4, 512, 2 * 256 + 128, 6 * 256});
    check_box("tensormap:f16:128x8:64x4", left, (rows){4, 4 * 96, 0, 3 * 256 + 96});
    check_box("tensormap:f16:128x8:64x4", below, (rows){2, 256, 6 * 256, 7 * 256 + 128});
    check_box("tensormap:f16:128x8:64x4", outside, (rows){0});
    /* a pitch of 512 bytes, planes of 4 KiB */
    check_box("tensormap:f32:64x4x8:32x2x1:pitch=512x4096", deep,
              (rows){2, 256, 3 * 4096 + 512, 3 * 4096 + 1024 + 128});
    /* every second row, and every second element */
    check_box("tensormap:f32:64x8:32x4:step=1x2", (int32_t[WL_PTX_MAP_DIMS]){0, 0}, (rows){2, 256, 0, 2 * 256 + 128});
    check_box("tensormap:f32:64x8:32x2:step=2x1", (int32_t[WL_PTX_MAP_DIMS]){0, 0}, (rows){32, 128, 0, 256 + 124});
}

static void bytes_of_boxes_and_arrays(void **state)
{
    (void)state;
    const wl_ptx_tensor_map map = made("tensormap:bf16:100x10:64x8:pitch=256"),
                            halves = made("tensormap:b4:128x4:64x2");
    CHECK(wl_ptx_map_box_bytes(&map, WL_PTX_BOX_TILED) == 1024, "%llu",
          (unsigned long long)wl_ptx_map_box_bytes(&map, WL_PTX_BOX_TILED));
    CHECK(wl_ptx_map_bytes(&map) == 9 * 256 + 200, "%llu", (unsigned long long)wl_ptx_map_bytes(&map));
    CHECK(wl_ptx_map_box_bytes(&halves, WL_PTX_BOX_TILED) == 64, "%llu",
          (unsigned long long)wl_ptx_map_box_bytes(&halves, WL_PTX_BOX_TILED));
    wl_ptx_tensor_map blank = {.magic = 0};
    CHECK(!wl_ptx_map_is_valid(&blank), "a blank map is none");
}

/* Two images of 4 x 3 pixels with 16 channels of 2 bytes: pixels of 32 bytes, rows of 128, images
 * of 384. A filter of 3 x 3 with a margin of one pixel lies at -1 .. 2 and -1 .. 1: 12 places. */
#define IMAGES "tensormap:f16:16x4x3x2:"
static void pixels_of_images(void **state)
{
    (void)state;
    const char *const all = IMAGES "16x12:corners=-1x-1..-1x-1", *const some = IMAGES "8x6:corners=-1x-1..-1x-1",
                      *const steps = IMAGES "16x4:corners=-1x-1..-1x-1:step=1x2x2x1",
                      *const plain = IMAGES "16x24:corners=0x0..0x0";
    /* the middle of the filter: every pixel of the first image */
    check_copy(all, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {0, -1, -1, 0}, {1, 1}}, (rows){12, 384, 0, 384});
    /* its upper left corner: x and y of 0 to 2 and 0 to 1, two rows of three pixels */
    check_copy(all, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {0, -1, -1, 0}, {0, 0}}, (rows){6, 192, 0, 128 + 96});
    /* its lower right corner: x of 1 to 3, y of 1 to 2 */
    check_copy(all, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {0, -1, -1, 0}, {2, 2}}, (rows){6, 192, 128 + 32, 384});
    /* from the last place of the first image on: that pixel, then five of the second image */
    check_copy(some, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {8, 2, 1, 0}, {1, 1}}, (rows){6, 96, 384 - 16, 384 + 128 + 32});
    /* behind the last image, nothing is left */
    check_copy(some, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {0, 2, 1, 1}, {1, 1}}, (rows){1, 16, 768 - 32, 768 - 16});
    /* every second place: x of -1 and 1, y of -1 and 1; the middle is at 0 and 2 */
    check_copy(steps, &(wl_ptx_box){WL_PTX_BOX_PIXELS, {0, -1, -1, 0}, {1, 1}}, (rows){4, 128, 0, 256 + 96});
    /* a row of the first image, then the same row of the second one, then nothing */
    check_copy(plain, &(wl_ptx_box){WL_PTX_BOX_PIXELS_W, {0, 1, 1, 0}, {0}}, (rows){7, 224, 128 + 32, 384 + 256});
    check_copy(plain, &(wl_ptx_box){WL_PTX_BOX_PIXELS_128, {0, 1, 1, 0}, {1}}, (rows){5, 160, 128 + 64, 384 + 256});
    const wl_ptx_tensor_map map = made(some);
    CHECK(wl_ptx_map_box_bytes(&map, WL_PTX_BOX_PIXELS) == 6 * 16, "six pixels of eight channels");
    CHECK(wl_ptx_map_box_bytes(&map, WL_PTX_BOX_PIXELS_128) == 128 * 16, "128 pixels");
    CHECK(wl_ptx_map_coordinates(&map, WL_PTX_BOX_PIXELS) == 4, "four coordinates");
    CHECK(wl_ptx_map_coordinates(&map, WL_PTX_BOX_TILED) == 0, "not a tiled map");
}

static void four_rows_of_a_matrix(void **state)
{
    (void)state;
    const char *const text = "tensormap:f32:64x100:32x1";
    const wl_ptx_tensor_map map = made(text);
    check_copy(text, &(wl_ptx_box){WL_PTX_BOX_ROWS, {32, 7, 99, 100, 0}, {0}}, (rows){3, 3 * 128, 7 * 256 + 128, 256});
    CHECK(wl_ptx_map_box_bytes(&map, WL_PTX_BOX_ROWS) == 4 * 128, "four rows");
    CHECK(wl_ptx_map_coordinates(&map, WL_PTX_BOX_ROWS) == 5, "a column and four rows");
}

static void wrong_texts_get_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {{"tensormap:q16:64:64", "not a type"},
                 {"tensormap:f16:0x4:1x1", "no list of one to five extents"},
                 {"tensormap:f16:64x64:64", "no list of as many extents"},
                 {"tensormap:f16:64x64", "no list of as many extents"},
                 {"tensormap:f16:64x64:64x512", "at most 256"},
                 {"tensormap:f16:100x64:64x64", "multiples of 16"},
                 {"tensormap:f16:64x64:64x64:swizzle=99", "no option of a tensor map"},
                 {"tensormap:f16:64x64:64x64:pitch=128x128", "no option of a tensor map"},
                 {"tensormap:f16:16x4x3x2:16x12", "no list of as many extents"},
                 {"tensormap:f16:16x4x3x2:16x4x3x2:corners=0x0..0x0", "no number of channels and of pixels"},
                 {"tensormap:f16:16x4x3x2:16x12:corners=0x0", "no option of a tensor map"},
                 {"tensormap:f16:16x4x3x2:16x12:corners=0..0", "no option of a tensor map"},
                 {"tensormap:f16:16x4x3x2:16x12:corners=0x0..0x128", "no option of a tensor map"},
                 {"tensormap:f16:16x4x3x2:16x12:corners=4x0..0x0", "no pixel between the corners"},
                 {"tensormap:f16:16x4x3x2:16x2000:corners=0x0..0x0", "at most 256 channels and 1024 pixels"},
                 {"tensormap:f16:64x64:64x64:corners=0..0", "no option of a tensor map"},
                 {"tensormap:", "not a type"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        wl_ptx_tensor_map map;
        wl_error err = {0};
        CHECK(wl_ptx_map_text(wrong[i].text, &map, &err) == WL_E_INPUT, "%s is accepted", wrong[i].text);
        CHECK(strstr(err.message, wrong[i].says), "%s: %s", wrong[i].text, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_inside_and_over_the_edge),
        cmocka_unit_test(bytes_of_boxes_and_arrays),
        cmocka_unit_test(pixels_of_images),
        cmocka_unit_test(four_rows_of_a_matrix),
        cmocka_unit_test(wrong_texts_get_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
