/* test_ptx_texture.c - textures and surfaces: where texels lie, what address modes and filters
 * read, what a warp's requests cost. The costs are those that validate/data/h200_texture.csv
 * measures.
 * SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "count/warp_law.h"
#include "ptx/emulate/arguments_text.h"

/* ---- layouts ---- */

static wl_status parse(wl_arena *arena, const char *text, wl_ptx_buffer *out, wl_error *err)
{
    const wl_ptx_given given = {.load = ptx_load_file, .user = &ptx_contents};
    *out = (wl_ptx_buffer){0};
    *err = (wl_error){0};
    return wl_ptx_texture_text(text, &given, arena, out, err);
}

/* Every byte of every texel has a place of its own, and the inverse finds it. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } rows[] = {
        {"tex:1000:f32", 4000},
        {"tex:100x37:f32", 448 * 64},
        {"tex:100,37:u8", 128 * 64},
        {"tex:33x200:f32x4", 576 * 256},
        {"tex:20x30x40:f32", 128 * 32 * 48},
        {"tex:20x9x3:u16", 64 * 16 * 4},
        {"tex:20x5x70:u16", 64 * 8 * 96},
        {"tex:50x20x3:f16x2:layered", 256 * 32 * 3},
        {"tex:50x20:u8x4:pitch", 200 * 20},
        {"tex:50x20:u8x4:pitch:256", 256 * 20},
        {"surf:50x4:s32:layered", 800},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        wl_arena arena = {0};
        wl_ptx_buffer b;
        wl_error err;
        check_ok(rows[k].text, parse(&arena, rows[k].text, &b, &err), &err);
        const wl_ptx_texture *t = b.texture;
        check_int(rows[k].text, "bytes", b.bytes, rows[k].bytes);
        uint8_t *taken = calloc((size_t)b.bytes, 1);
        int64_t number = 0, wrong = 0, twice = 0;
        for (int64_t layer = 0; layer < t->layers; layer++)
            for (int64_t z = 0; z < t->extent[2]; z++)
                for (int64_t y = 0; y < t->extent[1]; y++)
                    for (int64_t x = 0; x < t->extent[0] * t->texel_bytes; x++, number++) {
                        const int64_t place = wl_ptx_texture_place(t, x, y, z, layer);
                        const bool inside = place >= 0 && place < b.bytes;
                        wrong += !inside || wl_ptx_texture_byte(t, place) != number;
                        twice += inside && taken[place]++ > 0;
                    }
        int64_t gaps = 0, untold = 0;
        for (int64_t place = 0; place < b.bytes; place++) {
            gaps += !taken[place];
            untold += wl_ptx_texture_byte(t, place) < 0;
        }
        check_int(rows[k].text, "bytes without inverse", wrong, 0);
        check_int(rows[k].text, "places of two bytes", twice, 0);
        check_int(rows[k].text, "gaps", gaps, b.bytes - number);
        check_int(rows[k].text, "gaps that are told", untold, gaps);
        free(taken);
        wl_arena_free(&arena);
    }
    check_done();
}

/* A sector is 16 bytes of two rows, a line 32 bytes of four rows, a GOB 64 bytes of eight. */
static void test_blocks(void **state)
{
    (void)state;
    static const struct {
        int64_t x, y, place; /* x in bytes */
    } rows[] = {{0, 1, 16},   {15, 0, 15},  {16, 0, 32},  {16, 1, 48}, {0, 2, 64},
                {32, 0, 256}, {32, 3, 336}, {63, 7, 511}, {0, 8, 512}, {0, 127, 15 * 512 + 208},
                {64, 0, 8192}};
    wl_arena arena = {0};
    wl_ptx_buffer b;
    wl_error err;
    check_ok("blocks", parse(&arena, "tex:2048x2048:f32", &b, &err), &err);
    for (size_t k = 0; k < COUNT_OF(rows) && b.texture; k++)
        check_int("blocks", "place", wl_ptx_texture_place(b.texture, rows[k].x, rows[k].y, 0, 0), rows[k].place);
    wl_arena_free(&arena);
    check_done();
}

static void test_modes(void **state)
{
    (void)state;
    static const struct {
        int64_t at, clamped, wrapped, mirrored, bordered; /* of 5 texels */
    } rows[] = {{0, 0, 0, 0, 0},   {4, 4, 4, 4, 4},   {5, 4, 0, 4, -1},   {6, 4, 1, 3, -1},
                {9, 4, 4, 0, -1},  {10, 4, 0, 0, -1}, {-1, 0, 4, 0, -1},  {-2, 0, 3, 1, -1},
                {-5, 0, 0, 4, -1}, {-6, 0, 4, 4, -1}, {-11, 0, 4, 0, -1}, {1000000000000, 4, 0, 0, -1}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        check_int("mode", "clamp", wl_ptx_texture_index(WL_PTX_CLAMPED, rows[k].at, 5), rows[k].clamped);
        check_int("mode", "wrap", wl_ptx_texture_index(WL_PTX_WRAPPED, rows[k].at, 5), rows[k].wrapped);
        check_int("mode", "mirror", wl_ptx_texture_index(WL_PTX_MIRRORED, rows[k].at, 5), rows[k].mirrored);
        check_int("mode", "border", wl_ptx_texture_index(WL_PTX_BORDERED, rows[k].at, 5), rows[k].bordered);
    }
    check_done();
}

static void test_bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"tex:", "expected one to three extents"},
        {"tex:0:f32", "expected one to three extents"},
        {"tex:4x:f32", "expected one to three extents"},
        {"tex:4x4x4x4:f32", "expected one to three extents"},
        {"tex:99999999999999999999:f32", "expected one to three extents"},
        {"tex:4x4", "'' is not a type of texels"},
        {"tex:4x4:f64", "'f64' is not a type of texels"},
        {"tex:4x4:f32x3", "'f32x3' is not a type of texels"},
        {"tex:4x4:f32x44", "'f32x44' is not a type of texels"},
        {"tex:4x4:f32:soft", "'soft' is not an option of a texture"},
        {"tex:4:f32:layered", "'layered' is not an option of a texture"},
        {"tex:4x4:f32:8", "'8' is not an option of a texture"},
        {"surf:4x4:f32:linear", "'linear' is not an option of a surface"},
        {"tex:4x4:f32:wrap", "wrap and mirror need normalized coordinates"},
        {"tex:4x4:f32:pitch:12", "at least 16 bytes"},
        {"tex:4x4:f32:pitch:18", "at least 16 bytes"},
        {"tex:4x4x4:f32:pitch", "pitched memory has two dimensions"},
        {"tex:1000000000000x1000000:f32", "too large"},
        {"tex:4x4:f32=iota:f32:x", "expected a number"},
        {"tex:4x4:f32=file", "'file' has 16 bytes, the buffer 64"},
    };
    ptx_contents = (ptx_file){"0123456789abcdef", 16};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        wl_arena arena = {0};
        wl_ptx_buffer b;
        wl_error err;
        check_int(rows[k].text, "status", parse(&arena, rows[k].text, &b, &err), WL_E_INPUT);
        check_true(rows[k].text, rows[k].message, strstr(err.message, rows[k].message) != NULL);
        wl_arena_free(&arena);
    }
    check_done();
}

/* ---- what instructions touch ---- */

typedef struct seen {
    const wl_ptx_buffer *texture;
    int touches, more, stores;
    uint32_t lanes;             /* of the first touch */
    int64_t byte[WL_PTX_LANES]; /* of the first touch, without gaps */
    int64_t place[WL_PTX_LANES];
    int sectors; /* by request, of all touches */
    int request_lanes;
} seen;

static const wl_l1_rules rules = {.sector = 32, .sector_shift = 5, .line = 128, .line_shift = 7};

static wl_status see(void *user, const wl_ptx_touch *t, wl_error *err)
{
    seen *s = user;
    wl_warp_access w = {.width = t->bytes};
    (void)err;
    if (t->address[wl_ptx_lane_first(t->lanes)] - s->texture->base >= (uint64_t)s->texture->bytes)
        return WL_OK; /* the result */
    WL_PTX_FOR_LANES(lane, t->lanes)
    {
        const int64_t place = (int64_t)(t->address[lane] - s->texture->base);
        if (s->touches == 0) {
            s->place[lane] = place;
            s->byte[lane] = wl_ptx_texture_byte(s->texture->texture, place);
        }
        w.lane[w.count] = (uint8_t)lane;
        w.address[w.count++] = (int64_t)t->address[lane];
    }
    s->lanes = s->touches ? s->lanes : t->lanes;
    s->touches++;
    s->more += t->more;
    s->stores += t->store;
    s->sectors += wl_warp_texture_cost(&rules, &w, s->request_lanes).sectors;
    return WL_OK;
}

/* Thread (x, y) of a block of 32; %f3, %f4 are its coordinates, %f1, %f2 those plus the params. */
#define KERNEL                                                                                                         \
    PTX_HEAD ".visible .entry k(.param .u64 t, .param .u64 out, .param .f32 dx, .param .f32 dy)\n{\n"                  \
             ".reg .f32 %f<20>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"                            \
             "ld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [out];\nld.param.f32 %f1, [dx];\nld.param.f32 %f2, [dy];\n"  \
             "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\ncvt.rn.f32.s32 %f3, %r1;\ncvt.rn.f32.s32 %f4, %r2;\n"        \
             "add.f32 %f1, %f3, %f1;\nadd.f32 %f2, %f4, %f2;\nshl.b32 %r3, %r1, 2;\nmov.f32 %f10, 0f00000000;\n"       \
             "mov.u32 %r10, 0;\n"
#define STORE_F "st.global.f32 [%rd2], %f10;\nret;\n}\n"
#define STORE_R "st.global.u32 [%rd2], %r10;\nret;\n}\n"
#define TEX_2D "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f1, %f2}];\n"

static void test_fetches(void **state)
{
    (void)state;
    static const struct {
        const char *name, *texture, *body, *dx, *dy;
        int64_t width; /* of the block: 32 / width high */
        int touches, more, sectors, request_lanes;
        uint32_t lanes;
        int64_t first, last; /* bytes of lanes 0 and 31; -1: not touched */
    } rows[] = {
        /* measured: sectors of a warp of 32x1, 16x2 .. lanes that copies a plane */
        {"32 wide", "tex:64x64:f32", TEX_2D STORE_F, ".5", ".5", 32, 1, 0, 8, 4, UINT32_MAX, 0, 124},
        {"16 wide", "tex:64x64:f32", TEX_2D STORE_F, ".5", ".5", 16, 1, 0, 8, 4, UINT32_MAX, 0, 256 + 60},
        {"2 wide", "tex:64x64:f32", TEX_2D STORE_F, ".5", ".5", 2, 1, 0, 8, 4, UINT32_MAX, 0, 15 * 256 + 4},
        {"1 wide", "tex:64x64:f32", TEX_2D STORE_F, ".5", ".5", 1, 1, 0, 16, 4, UINT32_MAX, 0, 31 * 256},
        {"two channels", "tex:64x64:f32x2", TEX_2D STORE_F, ".5", ".5", 16, 1, 0, 16, 4, UINT32_MAX, 0, 512 + 120},
        {"four channels", "tex:64x64:f32x4", TEX_2D STORE_F, ".5", ".5", 16, 1, 0, 32, 4, UINT32_MAX, 0, 1024 + 240},
        {"bytes", "tex:64x64:u8", TEX_2D STORE_F, ".5", ".5", 32, 1, 0, 8, 4, UINT32_MAX, 0, 31},
        {"rows", "tex:64x64:f32:pitch", TEX_2D STORE_F, ".5", ".5", 16, 1, 0, 8, 4, UINT32_MAX, 0, 256 + 60},
        /* measured: a filter reads no texel without a weight */
        {"filter, centre", "tex:64x64:f32:linear", TEX_2D STORE_F, ".5", ".5", 16, 1, 0, 8, 4, UINT32_MAX, 0, -2},
        {"filter, right", "tex:64x64:f32:linear", TEX_2D STORE_F, ".75", ".5", 16, 1, 0, 16, 4, UINT32_MAX, 0, -2},
        {"filter, even row", "tex:64x64:f32:linear", TEX_2D STORE_F, "1", "1", 32, 1, 0, 16, 4, UINT32_MAX, 0, -2},
        {"filter, odd row", "tex:64x64:f32:linear", TEX_2D STORE_F, "1", "2", 32, 1, 0, 32, 4, UINT32_MAX, 0, -2},
        {"filter, more sectors than lanes", "tex:64x64:f32x4:linear", TEX_2D STORE_F, "1", "2", 32, 3, 2, 80, 4,
         UINT32_MAX, 0, -2},
        /* address modes */
        {"clamp", "tex:16x64:f32", TEX_2D STORE_F, "-4", "0", 32, 1, 0, 8, 4, UINT32_MAX, 0, 60},
        {"border", "tex:16x64:f32:border", TEX_2D STORE_F, "-4", "0", 32, 1, 0, 4, 4, 0x000ffff0, -1, -1},
        {"wrap", "tex:16x64:f32:normalized:wrap", "mul.f32 %f1, %f1, 0f3d800000;\n" TEX_2D STORE_F, "-4", "0", 32, 1, 0,
         8, 4, UINT32_MAX, 48, 44},
        {"mirror", "tex:16x64:f32:normalized:mirror", "mul.f32 %f1, %f1, 0f3d800000;\n" TEX_2D STORE_F, "-4", "0", 32,
         1, 0, 8, 4, UINT32_MAX, 12, 16},
        {"all outside", "tex:16x64:f32:border", TEX_2D STORE_F, "0", "64", 32, 0, 0, 0, 4, 0, -1, -1},
        /* integers make requests of eight lanes */
        {"fetch", "tex:1000:f32", "tex.1d.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd1, {%r1}];\n" STORE_F, "0", "0", 32,
         1, 0, 4, 8, UINT32_MAX, 0, 124},
        {"fetch, next", "tex:1000:f32",
         "add.s32 %r1, %r1, 1;\ntex.1d.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd1, {%r1}];\n" STORE_F, "0", "0", 32, 1,
         0, 8, 8, UINT32_MAX, 4, 128},
        {"fetch outside", "tex:16:f32", "tex.1d.v4.f32.s32 {%f10, %f11, %f12, %f13}, [%rd1, {%r1}];\n" STORE_F, "0",
         "0", 32, 1, 0, 2, 8, 0xffff, 0, -1},
        {"layers", "tex:64x8x4:f32:layered",
         "mov.u32 %r5, 2;\ntex.a2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%r5, %f1, %f2, %f2}];\n" STORE_F, ".5",
         ".5", 32, 1, 0, 8, 4, UINT32_MAX, 2 * 2048, 2 * 2048 + 124},
        {"planes", "tex:64x8x4:f32",
         "mov.f32 %f5, 0f40600000;\ntex.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f1, %f2, %f5, "
         "%f5}];\n" STORE_F,
         ".5", ".5", 32, 1, 0, 8, 4, UINT32_MAX, 3 * 2048, 3 * 2048 + 124},
        {"gather", "tex:64x64:f32", "tld4.r.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f1, %f2}];\n" STORE_F, "1",
         "1", 32, 1, 0, 16, 4, UINT32_MAX, 0, -2},
        /* surfaces */
        {"surface load", "surf:64x64:f32", "suld.b.2d.b32.trap {%r10}, [%rd1, {%r3, %r2}];\n" STORE_R, "0", "0", 16, 1,
         0, 8, 8, UINT32_MAX, 0, 256 + 60},
        {"surface store", "surf:64x64:f32", "sust.b.2d.b32.trap [%rd1, {%r3, %r2}], {%r1};\n" STORE_R, "0", "0", 8, 1,
         0, 8, 8, UINT32_MAX, 0, 3 * 256 + 28},
        {"surface, clamped", "surf:8x64:f32", "suld.b.2d.b32.clamp {%r10}, [%rd1, {%r3, %r2}];\n" STORE_R, "0", "0", 32,
         1, 0, 5, 8, UINT32_MAX, 0, 28},
        {"surface, zero", "surf:8x64:f32", "suld.b.2d.b32.zero {%r10}, [%rd1, {%r3, %r2}];\n" STORE_R, "0", "0", 32, 1,
         0, 2, 8, 0xff, 0, -1},
        {"surface, reduced", "surf:64x64:u32", "sured.b.add.2d.u32.trap [%rd1, {%r3, %r2}], %r1;\n" STORE_R, "0", "0",
         32, 1, 0, 8, 8, UINT32_MAX, 0, 124},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        char text[4096];
        const char *const args[] = {rows[k].texture, "buf:64", rows[k].dx, rows[k].dy};
        seen s = {.request_lanes = rows[k].request_lanes};
        memset(s.byte, -1, sizeof s.byte);
        (void)snprintf(text, sizeof text, "%s%s", KERNEL, rows[k].body);
        check_ok(rows[k].name,
                 ptx_start(&r, text, args, 4, (int64_t[]){rows[k].width, 32 / rows[k].width, 1}, (int64_t[]){1, 1, 1}),
                 &r.err);
        s.texture = &r.arguments.buffers[0];
        if (r.emulator)
            check_ok(rows[k].name,
                     wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, &r.profile, see, &s, &r.err), &r.err);
        check_int(rows[k].name, "touches", s.touches, rows[k].touches);
        check_int(rows[k].name, "that go on", s.more, rows[k].more);
        check_int(rows[k].name, "sectors", s.sectors, rows[k].sectors);
        check_int(rows[k].name, "lanes", s.lanes, rows[k].lanes);
        check_int(rows[k].name, "lane 0", s.byte[0], rows[k].first);
        if (rows[k].last != -2)
            check_int(rows[k].name, "lane 31", s.byte[31], rows[k].last);
        check_true(rows[k].name, "described", !ptx_assumed(&r, WL_PTX_ASSUMED_TEXTURE));
        ptx_end(&r);
    }
    check_done();
}

/* Described otherwise, or not at all: an assumption, and nothing is touched. */
static void test_undescribed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *texture, *body;
    } rows[] = {
        {"a number", "5", TEX_2D STORE_F},
        {"a buffer", "buf:4096", TEX_2D STORE_F},
        {"a surface", "surf:64x64:f32", TEX_2D STORE_F},
        {"one dimension", "tex:64:f32", TEX_2D STORE_F},
        {"layers", "tex:64x64x2:f32:layered", TEX_2D STORE_F},
        {"a cube", "tex:64x64:f32",
         "tex.cube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f1, %f2, %f2, %f2}];\n" STORE_F},
        {"a texture stored", "tex:64x64:f32", "sust.b.2d.b32.trap [%rd1, {%r3, %r2}], {%r1};\n" STORE_F},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        char text[4096];
        const char *const args[] = {rows[k].texture, "buf:64", "0", "0"};
        (void)snprintf(text, sizeof text, "%s%s", KERNEL, rows[k].body);
        check_ok(rows[k].name, ptx_start(&r, text, args, 4, (int64_t[]){32, 1, 1}, (int64_t[]){1, 1, 1}), &r.err);
        if (r.emulator)
            check_ok(rows[k].name, wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, NULL, NULL, NULL, &r.err),
                     &r.err);
        check_true(rows[k].name, "noted", ptx_assumed(&r, WL_PTX_ASSUMED_TEXTURE));
        ptx_end(&r);
    }
    check_done();
}

/* Contents are in the order of rows, whatever the layout. Thread 0 of the block stores last. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *name, *texture, *body, *dx, *dy;
        bool known;
        uint64_t value;
    } rows[] = {
        /* 131 */
        {"iota", "tex:64x64:f32=iota:f32", TEX_2D STORE_F, "3.5", "2.5", true, 0x43030000},
        {"halves", "tex:64x64:f16=const:f16:1.5", TEX_2D STORE_F, "3.5", "2.5", true, 0x3fc00000},
        {"border", "tex:64x64:f32:border=iota:f32", TEX_2D STORE_F, "-9", "2.5", true, 0},
        {"second channel", "tex:64x64:f32x2=iota:f32", TEX_2D "mov.f32 %f10, %f11;\n" STORE_F, "3.5", "0.5", true,
         0x40e00000}, /* 7 */
        {"no third channel", "tex:64x64:f32x2=iota:f32", TEX_2D "mov.f32 %f10, %f12;\n" STORE_F, "3.5", "0.5", false,
         0},
        {"not given", "tex:64x64:f32", TEX_2D STORE_F, "3.5", "2.5", false, 0},
        {"between texels", "tex:64x64:f32:linear=iota:f32", TEX_2D STORE_F, "3.75", "2.5", true,
         0x43034000}, /* 131.25 */
        /* 131.25 + 16 */
        {"between rows", "tex:64x64:f32:linear=iota:f32", TEX_2D STORE_F, "3.75", "2.75", true, 0x43134000},
        /* weights are multiples of 1/256 */
        {"a small fraction", "tex:64x64:f32:linear=iota:f32", TEX_2D STORE_F, "3.5019", "0.5", true, 0x40400000},
        {"beyond the edge", "tex:64x64:f32:linear:border=iota:f32", TEX_2D STORE_F, "63.75", "0.5", true, 0x423d0000},
        {"around the edge", "tex:64x64:f32:linear:normalized:wrap=iota:f32", TEX_2D STORE_F, "1", "0.0078125", true,
         0x41fc0000}, /* (63 + 0) / 2 */
        /* 0.2 */
        {"bytes as fractions", "tex:64x64:u8=const:u8:51", TEX_2D STORE_F, "3.5", "2.5", true, 0x3e4ccccd},
        {"signed ones", "tex:64x64:s16=const:s16:-32768", TEX_2D STORE_F, "3.5", "2.5", true, 0xbf800000},
        /* the second of four: the texel to the right in the next row */
        {"gathered", "tex:64x64:f32=iota:f32",
         "tld4.r.2d.v4.f32.f32 {%f11, %f10, %f12, %f13}, [%rd1, {%f1, %f2}];\n" STORE_F, "3.75", "2.75", true,
         0x43440000}, /* 196 */
        {"signed bytes", "tex:64x64:s8=const:s8:-2",
         "tex.2d.v4.s32.f32 {%r10, %r11, %r12, %r13}, [%rd1, {%f1, %f2}];\n" STORE_R, "3.5", "2.5", true, 0xfffffffe},
        {"surface", "surf:64x64:u32=iota", "suld.b.2d.b32.trap {%r10}, [%rd1, {12, 2}];\n" STORE_R, "0", "0", true,
         131},
        {"surface written before", "surf:64x64:u32=iota",
         "sust.b.2d.b32.trap [%rd1, {12, 2}], {7};\nsuld.b.2d.b32.trap {%r10}, [%rd1, {12, 2}];\n" STORE_R, "0", "0",
         true, 7},
        {"surface reduced before", "surf:64x64:u32=iota",
         "sured.b.add.2d.u32.trap [%rd1, {12, 2}], 7;\nsuld.b.2d.b32.trap {%r10}, [%rd1, {12, 2}];\n" STORE_R, "0", "0",
         false, 0},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        char text[4096];
        bool known = false;
        const char *const args[] = {rows[k].texture, "buf:64", rows[k].dx, rows[k].dy};
        (void)snprintf(text, sizeof text, "%s%s", KERNEL, rows[k].body);
        check_ok(rows[k].name, ptx_start(&r, text, args, 4, (int64_t[]){1, 1, 1}, (int64_t[]){1, 1, 1}), &r.err);
        if (r.emulator) {
            check_ok(rows[k].name, wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, NULL, NULL, NULL, &r.err),
                     &r.err);
            const uint64_t value = ptx_written(&r, 1, 0, 4, &known);
            check_int(rows[k].name, "known", known, rows[k].known);
            if (known)
                check_int(rows[k].name, "value", (int64_t)value, (int64_t)rows[k].value);
        }
        ptx_end(&r);
    }
    check_done();
}

static void test_trap(void **state)
{
    (void)state;
    ptx_run r;
    const char *const args[] = {"surf:8x64:f32", "buf:64", "0", "0"};
    check_ok("trap",
             ptx_start(&r, KERNEL "suld.b.2d.b32.trap {%r10}, [%rd1, {%r3, %r2}];\n" STORE_R, args, 4,
                       (int64_t[]){32, 1, 1}, (int64_t[]){1, 1, 1}),
             &r.err);
    check_int("trap", "status", wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, NULL, NULL, NULL, &r.err),
              WL_E_BOUNDS);
    check_true("trap", "names the thread", strstr(r.err.message, "thread (8, 0, 0)") != NULL);
    ptx_end(&r);
    check_done();
}

/* Wavefronts as measured: one per request, more where its texels fill more than a sector. */
static void test_wavefronts(void **state)
{
    (void)state;
    static const struct {
        int width, request_lanes, wavefronts;
        int count;
    } rows[] = {{4, 4, 8, 32}, {1, 4, 8, 32},   {8, 4, 8, 32}, {16, 4, 16, 32},
                {4, 8, 4, 32}, {16, 8, 16, 32}, {4, 4, 1, 1},  {4, 4, 3, 9}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        wl_warp_access w = {.count = rows[k].count, .width = rows[k].width};
        for (int i = 0; i < rows[k].count; i++) {
            w.lane[i] = (uint8_t)i;
            w.address[i] = (int64_t)i * rows[k].width;
        }
        check_int("texture", "wavefronts", wl_warp_texture_cost(&rules, &w, rows[k].request_lanes).wavefronts,
                  rows[k].wavefronts);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),    cmocka_unit_test(test_blocks),  cmocka_unit_test(test_modes),
        cmocka_unit_test(test_bad_texts), cmocka_unit_test(test_fetches), cmocka_unit_test(test_undescribed),
        cmocka_unit_test(test_values),    cmocka_unit_test(test_trap),    cmocka_unit_test(test_wavefronts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
