/* test_curves.c - fit/curves.h: the numbers of a made-up GPU come back from the curves it would
 * have; what no curve determines is scaled; tables that cannot be read are refused with the place.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/turnover.h"
#include "warpline/warpline.h"

#define TEXT_MAX 60000

/* The made-up GPU: a V100 (80 multiprocessors at 1.38 GHz, L1 128 KiB, L2 6 MiB) with these
 * numbers. */
#define SMS 80
#define CLOCK 1.38e9
#define TURNOVER 400.0
#define STORES 300.0
#define MEMORY 500.0
#define RATE 0.9e9    /* blocks per second */
#define OVERHEAD 4e-6 /* from launch to launch */
#define READ 800e9    /* bytes per second */
#define WRITE 700e9
#define BOTH 650e9
#define INSTRUCTIONS 15.2 /* of a stream with one access */
#define FURTHER 3.7       /* instructions of each other access */

static double known(const wl_device *d, const char *name)
{
    double value = 0;
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (strcmp(wl_device_key_name((wl_device_key)k), name) == 0)
            (void)wl_device_get(d, (wl_device_key)k, &value);
    return value;
}

static void add_latency(char *text)
{
    strcat(text, "device,clock_MHz,buffer_kB,cycles,source\n");
    for (double kb = 1; kb < 2e6; kb *= 1.2) {
        const double cycles = kb < 100 ? 25 : kb < 6000 ? 200 : kb < 100e3 ? 350 : 700;
        sprintf(text + strlen(text), "other,1380,%.1f,1,x\nmade,1380,%.1f,%.1f,made up\n", kb, kb, cycles);
    }
}

/* Far from its bandwidth a round of blocks takes what one waits; at most the bandwidth. */
static double stream(double threads, double blocks, double arrays, double wait, double most)
{
    return fmin(most, blocks * threads * 8 * arrays * SMS / (wait / CLOCK));
}

static void add_streams(char *text, double wait)
{
    strcat(text, "device,block_threads,blocks_per_sm,init,read,scale,source\n");
    const double work = wait * INSTRUCTIONS;
    for (int threads = 32; threads <= 1024; threads += 32) {
        const double init = stream(threads, 2, 1, TURNOVER + STORES + work, WRITE);
        const double read = stream(threads, 2, 1, TURNOVER + MEMORY + work, READ);
        const double both = stream(threads, 2, 2, TURNOVER + MEMORY + STORES + work + FURTHER * wait, BOTH);
        sprintf(text + strlen(text), "made,%d,2,%.6f,%.6f,%.6f,made up\n", threads, init / 1e9, read / 1e9, both / 1e9);
    }
}

static void add_copies(char *text)
{
    strcat(text, "device,launched_by,elements,GBs_by_block_size,source\n");
    for (double n = 4096; n < 2e7; n *= 1.5) {
        sprintf(text + strlen(text), "made,graph,%.0f,1 1 1,made up\nmade,stream,%.0f,", floor(n), floor(n));
        for (int block = 32; block <= 1024; block *= 2)
            sprintf(text + strlen(text), "%s%.6f", block > 32 ? " " : "",
                    16 * floor(n) / (OVERHEAD + n / block / RATE) / 1e9);
        strcat(text, ",made up\n");
    }
}

static void fit(const wl_curves *curves, const wl_device *device, wl_device **out)
{
    size_t length = 0;
    const char *text = wl_device_builtin_text("v100", &length);
    char *file = NULL, *found = NULL;
    wl_error err = {0};
    check_ok("fit", wl_curves_fit(curves, device, text, length, &file, &found, &err), &err);
    assert_non_null(file);
    assert_non_null(found);
    check_true("fit", "the entries are lines of the file", strstr(file, "l2_latency: {value: 200,"));
    check_ok("the file", wl_device_parse("made.yaml", file, strlen(file), out, &err), &err);
    free(file);
    free(found);
}

static void add(wl_curves *curves, const char *name, const char *text)
{
    wl_error err = {0};
    check_ok(name, wl_curves_add(curves, name, text, strlen(text), "made", &err), &err);
}

static void numbers_come_back(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    wl_device *device = NULL, *h200 = NULL, *found = NULL;
    wl_curves *curves = NULL;
    wl_error err = {0};
    check_ok("v100", wl_device_builtin("v100", &device, &err), &err);
    check_ok("h200", wl_device_builtin("h200", &h200, &err), &err);
    check_ok("curves", wl_curves_new(&curves, &err), &err);
    text[0] = '\0';
    add_latency(text);
    add(curves, "latency.csv", text);
    fit(curves, device, &found);
    const double wait = wl_instruction_wait(found);
    check_near("latency", "L1", known(found, "l1_latency"), 25, 1e-3);
    check_near("latency", "L2", known(found, "l2_latency"), 200, 1e-3);
    check_near("latency", "memory", known(found, "dram_latency"), 700, 1e-3);
    check_near("latency", "cache of the memory", known(found, "memory_cache"), 100e3 * 1024, 0.2);
    check_near("scaled", "wait between writes", known(found, "dram_wait_write"),
               known(h200, "dram_wait_write") * 700 / known(h200, "dram_latency"), 1e-3);
    check_near("kept", "room", known(found, "l2_reuse_room"), known(device, "l2_reuse_room"), 1e-6);
    wl_device_free(found);
    text[0] = '\0';
    add_streams(text, wait);
    add(curves, "streams.csv", text);
    text[0] = '\0';
    add_copies(text);
    add(curves, "copies.csv", text);
    fit(curves, device, &found);
    check_near("streams", "reads", known(found, "dram_read_bandwidth"), READ, 1e-3);
    check_near("streams", "copies", known(found, "dram_bandwidth"), BOTH, 1e-3);
    check_near("streams", "cost of writes", known(found, "dram_write_cost"), READ / WRITE, 1e-3);
    wl_turnover n;
    const char *missing = NULL;
    check_true("streams", "has all numbers", wl_turnover_read(found, &n, &missing));
    check_near("streams", "turnaround", n.dram.turnaround, 2 / BOTH / (1 / READ + 1 / WRITE) - 1, 1e-2);
    /* no queue was put in, so what is taken off for one is missing here */
    check_near("streams", "turnover", known(found, "block_turnover"), TURNOVER, 0.25);
    check_near("streams", "turnover and stores", known(found, "block_turnover") + known(found, "store_wait"),
               TURNOVER + STORES, 1e-2);
    check_near("streams", "turnover and memory", known(found, "block_turnover") + known(found, "dram_latency"),
               TURNOVER + MEMORY, 1e-2);
    check_near("copies", "blocks", known(found, "block_rate"), RATE, 1e-2);
    check_true("copies", "overhead without the wait of a block",
               known(found, "launch_overhead") < OVERHEAD && known(found, "launch_overhead") > 0.7 * OVERHEAD);
    wl_device_free(found);
    wl_curves_free(curves);
    wl_device_free(device);
    wl_device_free(h200);
    check_done();
}

static void tables_are_refused_with_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
        int line, column;
    } cases[] = {
        {"empty", "", "the table is empty", 0, 0},
        {"no curve", "device,speed\nmade,3\n", "no curve has these columns", 1, 1},
        {"no device", "buffer_kB,cycles\n1,30\n", "no column 'device'", 1, 1},
        {"word", "device,buffer_kB,cycles\nmade,1,fast\n", "'fast' is not a number", 2, 8},
        {"negative", "device,buffer_kB,cycles\nmade,1,30\nmade,-2,30\n", "'-2' is not a number", 3, 6},
        {"size 0", "device,buffer_kB,cycles\nmade,0,30\n", "buffer_kB must be more than 0", 2, 6},
        {"infinite", "device,buffer_kB,cycles\nmade,1,1e999\n", "'1e999' is not a number", 2, 8},
        {"quoted before", "device,source,buffer_kB,cycles\nmade,\"a,b\",1,no\n", "'no' is not a number", 2, 14},
        {"cut", "device,buffer_kB,cycles\nmade,1,30\nmade,2", "the row has 2 cells, the header 3: is the file cut off?",
         3, 1},
        {"short", "device,buffer_kB,cycles\nmade,1\nmade,2,30\n", "the row has 2 cells, the header 3", 2, 1},
        {"twice", "device,buffer_kB,cycles\nmade,1,30\nmade,1,60\n", "line 2 has another value", 3, 8},
        {"nobody", "device,buffer_kB,cycles\na,1,30\nb,1,30\na,2,30\n", "no row is of 'made'; the table has: a, b", 0,
         0},
        {"list", "device,elements,GBs_by_block_size\nmade,4096,1 2 x\n", "'1 2 x' is not a list of bandwidths", 2, 11},
        {"no list", "device,elements,GBs_by_block_size\nmade,4096,\n", "the list of bandwidths is empty", 2, 11},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_curves *curves = NULL;
        wl_error err = {0};
        check_ok(cases[i].name, wl_curves_new(&curves, &err), &err);
        const wl_status status = wl_curves_add(curves, "t.csv", cases[i].text, strlen(cases[i].text), "made", &err);
        check_int(cases[i].name, "status", status, WL_E_INPUT);
        check_true(cases[i].name, err.message, strstr(err.message, cases[i].message) != NULL);
        check_int(cases[i].name, "line", err.loc.line, cases[i].line);
        check_int(cases[i].name, "column", err.loc.col, cases[i].column);
        check_text(cases[i].name, "input", err.input, "t.csv");
        wl_curves_free(curves);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(tables_are_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
