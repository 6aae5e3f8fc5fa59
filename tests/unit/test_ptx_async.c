/* test_ptx_async.c - bulk copies through maps of images and of rows, maps that a kernel changes,
 * and waits for products in tensor memory: bytes, addresses and flops worked out by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "ptx/async/map_change.h"

#define KERNEL                                                                                                         \
    ".version 8.6\n.target sm_100a\n.address_size 64\n"                                                                \
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)\n"                                              \
    "{\n.reg .pred %p<6>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n"                                                    \
    ".shared .align 128 .b8 tile[8192];\n.shared .align 8 .b64 full;\n"                                                \
    "mov.b64 %rd1, map;\ncvta.param.u64 %rd1, %rd1;\nld.param.u64 %rd2, [out];\n"                                      \
    "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"                                                                 \
    "@!%p1 mbarrier.init.shared::cta.b64 [full], 1;\nbar.sync 0;\n"
#define WAIT                                                                                                           \
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;\n@!%p2 bra WAIT;\n"                               \
    "@!%p1 st.global.u32 [%rd2], 7;\nret;\n}\n"

typedef struct seen {
    int64_t bytes, first, last, stored;
} seen;

static wl_status visit(void *user, const wl_ptx_touch *touch, wl_error *err)
{
    seen *s = user;
    (void)err;
    for (int lane = 0; lane < WL_PTX_LANES; lane++) {
        if (!(touch->lanes >> lane & 1) || touch->space != WL_PTX_GLOBAL || touch->bytes != 16)
            continue;
        const int64_t at = (int64_t)touch->address[lane];
        s->first = s->first == 0 || at < s->first ? at : s->first;
        s->last = at + 16 > s->last ? at + 16 : s->last;
        *(touch->store ? &s->stored : &s->bytes) += 16;
    }
    return WL_OK;
}

typedef struct expected {
    const char *name, *body, *map;
    seen want; /* first and last from the start of the array */
    int64_t announced;
} expected;

/* Copies of one block; the barrier object is complete if the number of bytes is as announced. */
static void check_copies(const expected *e, bool everything)
{
    char text[4096], expects[128];
    const char *const args[] = {e->map, "buf:1024"};
    const int64_t block[3] = {32, 1, 1}, grid[3] = {1, 1, 1}, origin[3] = {0};
    ptx_run r;
    seen got = {0};
    (void)snprintf(expects, sizeof expects, "@!%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], %d;\n",
                   (int)e->announced);
    (void)snprintf(text, sizeof text, "%s%s%s%s", KERNEL, expects, e->body, WAIT);
    wl_status status = ptx_start(&r, text, args, 2, block, grid);
    if (status != WL_OK)
        fail_msg("%s: %s", e->name, r.err.message);
    if (!everything) { /* as predictions do: only what matters is computed */
        wl_ptx_emulator_free(r.emulator);
        r.launch.everything = false;
        assert_int_equal(wl_ptx_emulator_new(&r.launch, &r.emulator, &r.err), WL_OK);
    }
    status = wl_ptx_emulate_block(r.emulator, origin, -1, &r.profile, visit, &got, &r.err);
    if (status != WL_OK)
        fail_msg("%s: %s", e->name, r.err.message);
    const int64_t base = (int64_t)r.arguments.buffers[0].base;
    if (got.bytes != e->want.bytes || got.stored != e->want.stored || got.first - base != e->want.first ||
        got.last - base != e->want.last || ptx_assumed(&r, WL_PTX_ASSUMED_RESULT) ||
        ptx_assumed(&r, WL_PTX_ASSUMED_BARRIER))
        fail_msg("%s: %lld loaded, %lld stored, from %lld to %lld", e->name, (long long)got.bytes,
                 (long long)got.stored, (long long)(got.first - base), (long long)(got.last - base));
    ptx_end(&r);
}

#define SIGNAL ".mbarrier::complete_tx::bytes"
/* 2 images of 4 x 3 pixels of 32 bytes, a filter of 3 x 3 with a margin of one */
#define IMAGES "tensormap:f16:16x4x3x2:16x12:corners=-1x-1..-1x-1"
#define REPLACE "@!%p1 tensormap.replace.tile."
static const expected copies[] = {
    {"the middle of a filter",
     "@!%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col" SIGNAL
     " [tile], [%rd1, {0, -1, -1, 1}], [full], {1, 1};\n",
     IMAGES,
     {.bytes = 384, .first = 384, .last = 768},
     384},
    {"the corner of a filter",
     "@!%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col" SIGNAL
     " [tile], [%rd1, {0, -1, -1, 0}], [full], {2, 2};\n",
     IMAGES,
     {.bytes = 192, .first = 160, .last = 384},
     384},
    {"to two blocks",
     "@!%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col" SIGNAL
     ".multicast::cluster [tile], [%rd1, {0, -1, -1, 0}], [full], {1, 1}, 3;\n",
     IMAGES,
     {.bytes = 384, .first = 0, .last = 384},
     768},
    {"along a row",
     "@!%p1 cp.async.bulk.tensor.4d.shared::cta.global.im2col::w" SIGNAL
     " [tile], [%rd1, {0, 0, 1, 0}], [full], {0, 0};\n",
     "tensormap:f16:16x4x3x2:16x6:corners=0x0..0x0",
     {.bytes = 192, .first = 128, .last = 384 + 128 + 64},
     192},
    {"128 pixels",
     "@!%p1 cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128" SIGNAL
     " [tile], [%rd1, {0, 0, 1, 0}], [full], {0, 0};\n",
     "tensormap:f16:16x4x3x2:16x6:corners=0x0..0x0",
     {.bytes = 256, .first = 128, .last = 384 + 256},
     4096},
    {"pixels without offsets are stored",
     "@!%p1 cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {0, 0, 0, 1}], [tile];\n",
     "tensormap:f16:16x4x3x2:16x12:corners=0x0..0x0",
     {.stored = 384, .first = 384, .last = 768},
     0},
    {"four rows",
     "@!%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4" SIGNAL
     " [tile], [%rd1, {32, 7, 99, 100, 0}], [full];\n",
     "tensormap:f32:64x100:32x1",
     {.bytes = 384, .first = 128, .last = 99 * 256 + 256},
     512},
    {"four rows are stored",
     "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {0, 1, 3, 5, 7}], [tile];\n",
     "tensormap:f32:64x100:32x1",
     {.stored = 512, .first = 256, .last = 7 * 256 + 128},
     0},
    {"a prefetch moves nothing to shared memory",
     "@!%p1 cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%rd1, {0, 0, 0, 0}], {1, 1};\n"
     "@!%p1 cp.async.bulk.tensor.4d.shared::cta.global.im2col" SIGNAL
     " [tile], [%rd1, {0, -1, -1, 0}], [full], {1, 1};\n",
     IMAGES,
     {.bytes = 384, .first = 0, .last = 384},
     384},
    /* a map of 64 x 100 is copied to shared memory, there it becomes one of 64 x 10 from row 20 on,
     * with a box of 16 x 4 of every second element, and is copied to global memory */
    {"a changed map",
     "shl.b32 %r2, %r1, 2;\ncvt.u64.u32 %rd3, %r2;\nadd.u64 %rd4, %rd1, %rd3;\nld.u32 %r3, [%rd4];\n"
     "mov.u32 %r4, tile;\nadd.u32 %r5, %r4, %r2;\nst.shared.u32 [%r5+4096], %r3;\nbar.warp.sync -1;\n"
     "ld.shared.u64 %rd5, [tile+4104];\nadd.u64 %rd5, %rd5, 5120;\n" REPLACE
     "global_address.shared::cta.b1024.b64 [tile+4096], %rd5;\n" REPLACE
     "rank.shared::cta.b1024.b32 [tile+4096], 1;\n" REPLACE
     "global_dim.shared::cta.b1024.b32 [tile+4096], 1, 10;\n" REPLACE
     "global_stride.shared::cta.b1024.b64 [tile+4096], 0, 512;\n" REPLACE
     "box_dim.shared::cta.b1024.b32 [tile+4096], 0, 16;\n" REPLACE
     "box_dim.shared::cta.b1024.b32 [tile+4096], 1, 8;\n" REPLACE
     "element_stride.shared::cta.b1024.b32 [tile+4096], 1, 2;\n" REPLACE
     "elemtype.shared::cta.b1024.b32 [tile+4096], 9;\n" REPLACE
     "swizzle_mode.shared::cta.b1024.b32 [tile+4096], 3;\n" REPLACE "fill_mode.shared::cta.b1024.b32 [tile+4096], 1;\n"
     "bar.warp.sync -1;\nadd.u64 %rd6, %rd2, 128;\nadd.u32 %r6, %r4, 4096;\n"
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [%r6], 128;\n"
     "fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;\n"
     "@!%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile" SIGNAL " [tile], [%rd6, {8, 4}], [full];\n",
     "tensormap:f32:64x100:32x1",
     /* rows 4, 6, 8 of 512 bytes, 16 elements of 8 bytes from the eighth on; row 10 lies outside */
     {.bytes = 384, .first = 5120 + 4 * 512 + 64, .last = 5120 + 8 * 512 + 64 + 128},
     512},
};

static void copies_move_the_bytes_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        for (int everything = 0; everything < 2; everything++)
            check_copies(&copies[i], everything);
}

/* A copy that a map does not fit, and one with pixels behind those of a row, are said to be left
 * out. */
static void copies_that_are_not_known_are_noted(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "@!%p1 cp.async.bulk.tensor.4d.shared::cta.global.tile" SIGNAL " [tile], [%rd1, {0, 0, 0, 0}], [full];\n",
        "@!%p1 cp.async.bulk.tensor.3d.shared::cta.global.im2col" SIGNAL " [tile], [%rd1, {0, 0, 0}], [full], {0};\n",
        "@!%p1 cp.async.bulk.tensor.4d.shared::cta.global.im2col::w" SIGNAL
        " [tile], [%rd1, {0, 0, 0, 0}], [full], {2, 0};\n"};
    const char *const args[] = {IMAGES, "buf:1024"};
    const int64_t block[3] = {32, 1, 1}, grid[3] = {1, 1, 1}, origin[3] = {0};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char text[4096];
        seen got = {0};
        ptx_run r;
        (void)snprintf(text, sizeof text, "%s%sret;\n}\n", KERNEL, bodies[i]);
        assert_int_equal(ptx_start(&r, text, args, 2, block, grid), WL_OK);
        assert_int_equal(wl_ptx_emulate_block(r.emulator, origin, -1, &r.profile, visit, &got, &r.err), WL_OK);
        assert_true(ptx_assumed(&r, WL_PTX_ASSUMED_RESULT));
        assert_int_equal(got.bytes, 0);
        ptx_end(&r);
    }
}

/* Thread 0 multiplies in tensor memory, and the second warp waits for it: twice, in a ring of one
 * stage that this warp frees. */
static const char products[] =
    KERNEL "@%p1 bra ALLOCATED;\n" /* thread 0 stands for a warp here */
           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 128;\n"
           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile+4], 64;\n"
           "mbarrier.init.shared::cta.b64 [tile+8], 32;\n"
           "ALLOCATED:\nbar.sync 0;\nld.shared.u32 %r3, [tile+4];\nmov.u32 %r4, 0;\n"
           "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra READ;\n@%p1 bra END;\n"
           "MULTIPLY:\nxor.b32 %r5, %r4, 1;\n"
           "FREE:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [tile+8], %r5;\n@!%p2 bra FREE;\n"
           "tcgen05.mma.cta_group::1.kind::f16 [%r3], %rd1, %rd2, 0x08400010, %p1;\n"
           "tcgen05.mma.cta_group::1.kind::f16 [%r3], %rd1, %rd2, 0x08400010, %p1;\n"
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [full];\n"
           "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p4, %r4, 2;\n@%p4 bra MULTIPLY;\nst.global.u32 [%rd2], %r3;\nbra END;\n"
           "READ:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [full], %r4;\n@!%p2 bra READ;\n"
           "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r6, %r7}, [%r3];\ntcgen05.wait::ld.sync.aligned;\n"
           "mbarrier.arrive.shared::cta.b64 _, [tile+8];\n"
           "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p4, %r4, 2;\n@%p4 bra READ;\n"
           "END:\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 64;\nret;\n}\n";

static void warps_wait_for_products(void **state)
{
    (void)state;
    const char *const args[] = {IMAGES, "buf:1024"};
    const int64_t block[3] = {64, 1, 1}, grid[3] = {1, 1, 1}, origin[3] = {0};
    const double each = 2 * 2.0 * 128 * 256 * 16;
    for (int everything = 0; everything < 2; everything++) {
        ptx_run r;
        bool known = false;
        wl_ptx_ring all = {0};
        assert_int_equal(ptx_start(&r, products, args, 2, block, grid), WL_OK);
        wl_ptx_emulator_free(r.emulator);
        r.launch.everything = everything;
        assert_int_equal(wl_ptx_emulator_new(&r.launch, &r.emulator, &r.err), WL_OK);
        if (wl_ptx_emulate_block(r.emulator, origin, -1, &r.profile, NULL, NULL, &r.err) != WL_OK)
            fail_msg("%s", r.err.message);
        const wl_ptx_ring *rings = wl_ptx_rings_of(r.emulator, 0);
        for (int32_t i = 0; i < r.entry->instruction_count; i++) {
            all.product_waits += rings[i].product_waits;
            all.product_counted += rings[i].product_counted;
            all.product_ahead += rings[i].product_ahead;
            all.flops += rings[i].flops;
        }
        /* the second wait is for products that could begin after the first one */
        assert_int_equal(all.product_waits, 2);
        assert_int_equal(all.product_counted, 1);
        assert_int_equal(all.product_ahead, 1);
        assert_true(all.flops == 2 * each);
        assert_false(ptx_assumed(&r, WL_PTX_ASSUMED_RESULT));
        assert_false(ptx_assumed(&r, WL_PTX_ASSUMED_BARRIER));
        if (everything) /* the second allocation begins behind the first */
            assert_int_equal(ptx_written(&r, 1, 0, 4, &known), 128);
        ptx_end(&r);
    }
}

static void changes_outside_of_a_map_are_refused(void **state)
{
    (void)state;
    wl_ptx_tensor_map map = {.magic = WL_PTX_MAP_MAGIC};
    assert_true(wl_ptx_map_replace(&map, WL_PTX_MAP_RANK, 0, 4));
    assert_int_equal(map.rank, 5);
    assert_false(wl_ptx_map_replace(&map, WL_PTX_MAP_RANK, 0, 5));
    assert_false(wl_ptx_map_replace(&map, WL_PTX_MAP_BOX_DIM, 5, 1));
    assert_false(wl_ptx_map_replace(&map, WL_PTX_MAP_GLOBAL_STRIDE, 4, 16));
    assert_true(wl_ptx_map_replace(&map, WL_PTX_MAP_ELEMTYPE, 0, 6));
    assert_int_equal(map.bytes, 2);
    assert_false(wl_ptx_map_replace(&map, WL_PTX_MAP_ELEMTYPE, 0, 15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_move_the_bytes_worked_out_by_hand),
        cmocka_unit_test(copies_that_are_not_known_are_noted),
        cmocka_unit_test(warps_wait_for_products),
        cmocka_unit_test(changes_outside_of_a_map_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
