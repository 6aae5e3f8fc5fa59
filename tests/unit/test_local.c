/* test_local.c - count/local_count.h, laws/local_volumes.h: what loads and stores of local memory
 * cost, by hand, and how volumes grow with it.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device_internal.h"
#include "kernel/kernel_internal.h"
#include "laws/local_volumes.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

/* Every thread stores words 0 to 7 of an array of WORDS, four at a time, and loads one: the same in
 * all lanes, or that of its own number modulo 8. */
static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                           ".local .align 16 .b8 depot[%d];\n"
                           ".reg .b32 %%r<5>; .reg .b64 %%rd<6>;\n"
                           "mov.u32 %%r1, %%tid.x;\n"
                           "mov.u64 %%rd1, depot;\n"
                           "st.local.v4.u32 [%%rd1], {%%r1, %%r1, %%r1, %%r1};\n"
                           "st.local.v4.u32 [%%rd1+16], {%%r1, %%r1, %%r1, %%r1};\n"
                           "and.b32 %%r2, %%r1, %d;\n"
                           "mul.wide.u32 %%rd2, %%r2, 4;\n"
                           "add.s64 %%rd3, %%rd1, %%rd2;\n"
                           "ld.local.u32 %%r3, [%%rd3];\n"
                           "ld.param.u64 %%rd4, [out];\n"
                           "mul.wide.u32 %%rd5, %%r1, 4;\n"
                           "add.s64 %%rd4, %%rd4, %%rd5;\n"
                           "st.global.u32 [%%rd4], %%r3;\n"
                           "ret;\n}\n";

static const char *set_of_device; /* a what-if, or NULL */

static wl_prediction predict(int bytes, int mask, int64_t blocks)
{
    const char *const args[] = {"buf:4096"};
    const wl_ptx_options options = {
        .args = args, .arg_count = 1, .launch = {.block = {64, 1, 1}, .grid = {blocks, 1, 1}, .registers = 32}};
    char text[2048];
    wl_device *h200 = NULL;
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    static wl_prediction p;
    snprintf(text, sizeof text, head, bytes, mask);
    if (wl_device_builtin("h200", &h200, &err) != WL_OK ||
        (set_of_device && wl_device_set(h200, set_of_device, &err) != WL_OK) ||
        wl_ptx_parse("test.ptx", text, strlen(text), &ptx, &err) != WL_OK ||
        wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, h200, &predictor, &err) != WL_OK ||
        wl_predict(predictor, &options.launch, NULL, &p, &err) != WL_OK)
        fail_msg("%s", err.message);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    wl_device_free(h200);
    return p;
}

static void counts_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int mask;
        double sectors; /* of a load */
    } cases[] = {{"the same word", 0, 4}, {"two words", 1, 8}, {"eight words", 7, 32}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_prediction p = predict(64, cases[i].mask, 100);
        const wl_value *m = p.metrics;
        check_near(cases[i].name, "loads", m[WL_METRIC_inst_local_ld].value, 200, 0);
        check_near(cases[i].name, "stores", m[WL_METRIC_inst_local_st].value, 400, 0);
        check_near(cases[i].name, "sectors loaded", m[WL_METRIC_l1_sectors_local_ld].value, 200 * cases[i].sectors, 0);
        check_near(cases[i].name, "sectors stored", m[WL_METRIC_l1_sectors_local_st].value, 400 * 16, 0);
        check_near(cases[i].name, "global stores are not these", m[WL_METRIC_inst_global_st].value, 200, 0);
        check_near(cases[i].name, "written through", m[WL_METRIC_l2_store_bytes].value, 400 * 16 * 32 + 200 * 4 * 32,
                   0);
        check_near(cases[i].name, "nothing from memory", m[WL_METRIC_dram_load_bytes].value, 0, 1);
    }
    check_done();
}

static void no_local_memory(void **state)
{
    (void)state;
    const wl_local none = {0};
    const wl_geometry g = {.blocks = 1};
    wl_volumes v = {.total = {.l2_store = 5}};
    wl_device *h200 = NULL;
    wl_error err = {0};
    wl_laws laws;
    assert_int_equal(wl_device_builtin("h200", &h200, &err), WL_OK);
    (void)wl_laws_read(h200, &laws);
    wl_local_volumes(&none, &g, h200, &laws, &v);
    check_near("none", "stores", v.total.l2_store, 5, 0);
    check_near("none", "pieces", v.requests.pieces, 0, 0);
    wl_device_free(h200);
    check_done();
}

/* Threads that touch more find less of it again, in the L1 and in the L2. */
static void volumes_grow(void **state)
{
    (void)state;
    wl_device *h200 = NULL;
    wl_error err = {0};
    assert_int_equal(wl_device_builtin("h200", &h200, &err), WL_OK);
    wl_laws laws;
    (void)wl_laws_read(h200, &laws);
    const wl_geometry g = {.blocks = 10000, .occupancy = {.l1_bytes = 256 << 10}};
    wl_local l = {.inst = {1e6, 1e6},
                  .sectors = {4e6, 4e6},
                  .units = {2e6, 2e6},
                  .full = 4e6,
                  .lines = 1e6,
                  .wavefronts = {1e6, 1e6}};
    double loads = -1, dram = -1, stores = -1;
    for (double bytes = 1e6; bytes < 1e9; bytes *= 2) {
        wl_volumes v = {0};
        l.resident_bytes = bytes;
        wl_local_volumes(&l, &g, h200, &laws, &v);
        check_true("growing", "L2 loads", v.total.l2_capacity >= loads && v.total.l2_capacity <= 4e6 * 32);
        check_true("growing", "DRAM loads", v.total.dram_capacity >= dram && v.total.dram_capacity <= 4e6 * 32);
        check_true("growing", "DRAM stores", v.total.dram_store >= stores && v.total.dram_store <= 4e6 * 32);
        check_near("growing", "L2 stores", v.total.l2_store, 4e6 * 32, 0);
        check_near("growing", "full sectors are no pieces", v.requests.pieces, 0, 0);
        loads = v.total.l2_capacity;
        dram = v.total.dram_capacity;
        stores = v.total.dram_store;
    }
    check_true("at last", "nearly everything misses", loads > 0.99 * 4e6 * 32 && dram > 0.9 * 4e6 * 32);
    wl_device_free(h200);
    check_done();
}

/* The share that misses the L1 is the fixed point m = tanh^2(sqrt(m) O) of the law of fields, from
 * 1 downwards: nothing while the lines fit, and 0.92 of twice as many. Of what the L2 has evicted,
 * the rest comes from memory. */
static void laws_are_those_of_fields(void **state)
{
    (void)state;
    wl_device *device = NULL;
    wl_error err = {0};
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    check_ok("what-if", wl_device_set(device, "l2_partitions=1", &err), &err);
    check_ok("what-if", wl_device_set(device, "l2_reuse_room=40MB", &err), &err);
    check_ok("what-if", wl_device_set(device, "l2_reuse_steepness=1", &err), &err);
    wl_laws laws;
    (void)wl_laws_read(device, &laws);
    const wl_geometry g = {.blocks = 10000, .occupancy = {.l1_bytes = 100 << 10}};
    wl_local l = {.inst = {1, 1}, .sectors = {1000, 1e9}, .units = {1000, 1e9}, .full = 1e9, .lines = 1};
    const double all = 132.0 * (100 << 10); /* the L1 of every multiprocessor */
    wl_volumes v = {0};
    l.resident_bytes = 0.9 * all;
    wl_local_volumes(&l, &g, device, &laws, &v);
    check_near("it fits", "misses", v.total.l2_capacity, 0, 0);
    v = (wl_volumes){0};
    l.resident_bytes = 2 * all;
    wl_local_volumes(&l, &g, device, &laws, &v);
    const double missed = v.total.l2_capacity / 32000;
    check_near("twice as much", "a fixed point", missed, pow(tanh(2 * sqrt(missed)), 2), 1e-9);
    check_true("twice as much", "the larger one", missed > 0.9 && missed < 0.94);
    v = (wl_volumes){0};
    l.resident_bytes = 40e6; /* loaded and stored: two volumes of the room */
    l.sectors[0] = l.units[0] = 1e9;
    wl_local_volumes(&l, &g, device, &laws, &v);
    const double loaded = v.total.l2_capacity / 32e9, moved = l.resident_bytes * (1 + loaded);
    check_near("through the L2", "evicted", v.total.dram_capacity / v.total.l2_capacity / 2, pow(2, -40e6 / moved),
               1e-9);
    /* the curves of the paper serve fields, if asked for; local memory keeps its law */
    const double dram = v.total.dram_capacity, stores = v.total.dram_store;
    check_ok("what-if", wl_device_set(device, "l1_reload_curve=none", &err), &err);
    check_true("curves", "no laws of fields", !wl_laws_read(device, &laws));
    v = (wl_volumes){0};
    wl_local_volumes(&l, &g, device, &laws, &v);
    check_near("curves", "DRAM loads", v.total.dram_capacity, dram, 0);
    check_near("curves", "DRAM stores", v.total.dram_store, stores, 0);
    /* without a room, all of the L2 holds data, and nothing beyond */
    check_ok("what-if", wl_device_set(device, "l2_reuse_room=none", &err), &err);
    check_ok("what-if", wl_device_set(device, "l2_reuse_steepness=none", &err), &err);
    (void)wl_laws_read(device, &laws);
    for (int half = 0; half < 2; half++) { /* twice as much passes through the L2 */
        v = (wl_volumes){0};
        l.resident_bytes = (half ? 0.49 : 0.52) * wl_device_or(device, WL_DEVICE_l2_size, 0);
        wl_local_volumes(&l, &g, device, &laws, &v);
        check_near("no numbers", "evicted", v.total.dram_capacity / v.total.l2_capacity, half ? 0 : 2, 1e-9);
    }
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_hand),
        cmocka_unit_test(no_local_memory),
        cmocka_unit_test(volumes_grow),
        cmocka_unit_test(laws_are_those_of_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
