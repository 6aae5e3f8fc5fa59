/* test_warp_law.c - the L1 laws: measured patterns on the H200, and the paper's three loads. */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "count/warp_law.h"
#include "warpline/warpline.h"

/* `with` changes a number of the device; NULL: none. */
static wl_l1_rules rules_with(const char *name, const char *with)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_l1_rules rules;
    assert_int_equal(wl_device_builtin(name, &device, &err), WL_OK);
    if (with)
        assert_int_equal(wl_device_set(device, with, &err), WL_OK);
    wl_l1_rules_make(device, &rules);
    wl_device_free(device);
    return rules;
}

static wl_l1_rules rules_of(const char *name) { return rules_with(name, NULL); }

/* Lane l at (l / wide) * pitch + (l % wide) * step, from `base` on. */
static wl_warp_access pattern(int lanes, int wide, int64_t pitch, int64_t step, int32_t width, int64_t base)
{
    wl_warp_access a = {.count = lanes, .width = width};
    for (int l = 0; l < lanes; l++) {
        a.lane[l] = (uint8_t)l;
        a.address[l] = base + l / wide * pitch + l % wide * step;
    }
    return a;
}

static void measured_patterns_are_exact(void **state)
{
    (void)state;
    const wl_l1_rules rules = rules_of("h200");
    FILE *f = fopen(SOURCE_DIR "/tests/data/h200_patterns.csv", "r");
    assert_non_null(f);
    char line[256];
    int rows = 0, wrong = 0;
    while (fgets(line, sizeof line, f)) {
        int bytes, wide, stride;
        long long pitch, inst, wavefronts, tags, sectors;
        if (sscanf(line, "%d,%d,%lld,%d,%lld,%lld,%lld,%lld", &bytes, &wide, &pitch, &stride, &inst, &wavefronts, &tags,
                   &sectors) != 8)
            continue;
        long long got[3] = {0};
        for (int i = 0; i < 4; i++) { /* the kernel loads at four places */
            const wl_warp_access a = pattern(32, wide, pitch, (int64_t)stride * bytes, bytes, (int64_t)i * 65536);
            const wl_tag_cost cost = wl_warp_tag_cost(&rules, &a);
            got[0] += cost.cold * inst / 4;
            got[1] += cost.tag * inst / 4;
            got[2] += wl_warp_sectors(&rules, &a) * inst / 4;
        }
        if (got[0] != wavefronts || got[1] != tags || got[2] != sectors) {
            print_error("bytes %d wide %d pitch %lld stride %d: wavefronts %lld (measured %lld), tags %lld (%lld), "
                        "sectors %lld (%lld)\n",
                        bytes, wide, pitch, stride, got[0], wavefronts, got[1], tags, got[2], sectors);
            wrong++;
        }
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 261);
    assert_int_equal(wrong, 0);
}

/* The elements lanes read in validate/cuda/wide.cu. */
static uint32_t mixed(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

static uint32_t wide_element(uint32_t pattern_number, uint32_t lane, uint32_t range)
{
    const uint32_t regular[] = {
        0,        lane,      lane >> 1, lane >> 2, lane >> 3,       lane >> 4,       lane & 1,       lane & 3,
        lane & 7, lane & 15, 31 - lane, lane ^ 1,  2 * (lane >> 1), 8 * (lane >> 3), 4 * (lane & 7), lane * 3};
    return pattern_number < 16 ? regular[pattern_number] : mixed(pattern_number * 32 + lane) % range;
}

/* Each of 132 warps stores 128 words, reads its index, and loads the pattern once more than the
 * loop's one load. */
static void wide_shared_loads_are_exact(void **state)
{
    (void)state;
    const wl_l1_rules rules = rules_of("h200");
    FILE *f = fopen(SOURCE_DIR "/validate/data/h200_wide.csv", "r");
    assert_non_null(f);
    char line[1024];
    int rows = 0, wrong = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned bytes, number, range;
        const char *params = strstr(line, "bytes="), *column = line;
        if (!params || sscanf(params, "bytes=%u;pattern=%u;range=%u", &bytes, &number, &range) != 3)
            continue;
        for (int c = 0; c < 28; c++) /* l1_wavefronts_shared */
            column = strchr(column, ',') + 1;
        wl_warp_access a = {.count = 32, .width = (int32_t)bytes};
        for (uint32_t l = 0; l < 32; l++) {
            a.lane[l] = (uint8_t)l;
            a.address[l] = (int64_t)wide_element(number, l, range) * bytes;
        }
        const int measured = (int)(strtoll(column, NULL, 10) / 132 - 130),
                  got = wl_warp_shared_wavefronts(&rules, &a, true);
        if (got != measured) {
            print_error("%u bytes, pattern %u, range %u: %d, measured %d\n", bytes, number, range, got, measured);
            wrong++;
        }
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 132);
    assert_int_equal(wrong, 0);
}

/* Banks alone: words that lie far apart share a wavefront, and 64 lanes are served in halves. */
static void shared_memory_has_banks_only(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        int lanes, width;
        int64_t stride; /* bytes from lane to lane */
        int wavefronts;
    } cases[] = {{"v100", 32, 4, 33 * 4, 1},      {"v100", 32, 4, 32 * 4, 32},   {"v100", 32, 4, 1025 * 4, 1},
                 {"a100-40gb", 32, 4, 33 * 4, 1}, {"a100-40gb", 32, 8, 264, 2},  {"h200", 32, 4, 33 * 4, 1},
                 {"mi210", 64, 4, 33 * 4, 2},     {"mi210", 64, 4, 32 * 4, 64},  {"mi210", 64, 8, 8, 4},
                 {"mi100", 64, 4, 65 * 4, 2},     {"rx6900xt", 32, 4, 33 * 4, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const wl_l1_rules rules = rules_of(cases[i].device);
        wl_warp_access a = {.count = cases[i].lanes, .width = cases[i].width};
        for (int l = 0; l < a.count; l++) {
            a.lane[l] = (uint8_t)l;
            a.address[l] = l * cases[i].stride;
        }
        check_int(cases[i].device, "loaded", wl_warp_shared_wavefronts(&rules, &a, true), cases[i].wavefronts);
        check_int(cases[i].device, "stored", wl_warp_shared_wavefronts(&rules, &a, false), cases[i].wavefronts);
    }
    check_done();
}

/* Bytes that arrived for atomics on another block, 64 for each packet: h200_clusters.csv. */
static void atomics_on_other_blocks_as_measured(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int stride, shift; /* words from lane to lane; lanes on a word, as a power of two */
        int packets;
    } cases[] = {
        {"in a row", 1, 0, 4}, {"one word", 0, 0, 32}, {"eight on a word", 1, 3, 8}, {"a sector each", 9, 0, 32}};
    const wl_l1_rules rules = rules_of("h200");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_warp_access a = {.count = 32, .width = 4};
        for (int l = 0; l < 32; l++) {
            a.lane[l] = (uint8_t)l;
            a.address[l] = 4 * (int64_t)(l >> cases[i].shift) * cases[i].stride;
        }
        check_int(cases[i].name, "packets", wl_warp_atomic_packets(&rules, &a), cases[i].packets);
    }
    check_done();
}

/* Sixteen bytes per lane, neighbours alike: 512 bytes of lanes, at 128 a wavefront or so many times
 * as much. */
static void neighbours_that_read_alike_are_served_together(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int factor, wavefronts;
    } cases[] = {{"alone", 1, 4}, {"pairs", 2, 2}, {"fours", 4, 2}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *device = NULL;
        wl_error err = {0};
        wl_l1_rules rules;
        assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
        wl_l1_rules_make(device, &rules);
        check_int("h200", "pairs", rules.broadcast, 2);
        rules.broadcast = cases[i].factor;
        wl_warp_access a = {.count = 32, .width = 16};
        for (int l = 0; l < 32; l++) {
            a.lane[l] = (uint8_t)l;
            a.address[l] = l / 2 * 16;
        }
        check_int(cases[i].name, "wavefronts", wl_warp_shared_wavefronts(&rules, &a, true), cases[i].wavefronts);
        wl_device_free(device);
    }
    check_done();
}

/* Ernst et al. 2022, section 4.2: A[t], B[2t], D[16t] in double precision cost 1, 2 and 16 cycles
 * per half warp. */
static void papers_three_loads(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t stride_elements;
        int per_half_warp;
    } cases[] = {{"A[threadIdx.x]", 1, 1}, {"B[threadIdx.x*2]", 2, 2}, {"D[threadIdx.x*16]", 16, 16}};
    static const char *const devices[] = {"v100", "a100-40gb", "a100-80gb", "h200"};
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        const wl_l1_rules rules = rules_of(devices[d]);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const wl_warp_access half = pattern(16, 16, 0, 8 * cases[i].stride_elements, 8, 0);
            const wl_warp_access full = pattern(32, 32, 0, 8 * cases[i].stride_elements, 8, 0);
            const int got = wl_warp_hit_wavefronts(&rules, &half), both = wl_warp_hit_wavefronts(&rules, &full);
            if (got != cases[i].per_half_warp || both != 2 * cases[i].per_half_warp)
                fail_msg("%s on %s: %d per half warp, %d per warp; expected %d and %d", cases[i].name, devices[d], got,
                         both, cases[i].per_half_warp, 2 * cases[i].per_half_warp);
        }
    }
}

/* The distance rule: two rows of 16 lanes of f32 pair when near, not when far. */
static void far_rows_do_not_pair(void **state)
{
    (void)state;
    const wl_l1_rules a100 = rules_with("a100-40gb", "l1_tag_hash=none"), h200 = rules_of("h200");
    const wl_warp_access near = pattern(32, 16, 64 + 512, 4, 4, 0), far = pattern(32, 16, 64 + 4096, 4, 4, 0);
    assert_int_equal(wl_warp_hit_wavefronts(&a100, &near), 1);
    assert_int_equal(wl_warp_hit_wavefronts(&a100, &far), 2);
    /* the tag hash decides there, not the distance */
    assert_int_equal(wl_warp_hit_wavefronts(&h200, &far), 1);
    /* lines 7 and 8 share a tag bank of the H200, lines 0 and 16 do not */
    assert_int_equal(wl_l1_tag_bank(&h200, 7) == wl_l1_tag_bank(&h200, 8), 1);
    assert_int_equal(wl_l1_tag_bank(&h200, 0) == wl_l1_tag_bank(&h200, 16), 0);
}

static void broadcasts_and_narrow_types(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t step;
        int32_t width;
        int sectors, hit;
    } cases[] = {
        {"all lanes one f64", 0, 8, 1, 2}, {"all lanes one f32", 0, 4, 1, 1},    {"f16 neighbours", 2, 2, 2, 1},
        {"i8 neighbours", 1, 1, 1, 1},     {"float4 neighbours", 16, 16, 16, 4}, {"f32 stride 32", 128, 4, 32, 32},
    };
    const wl_l1_rules rules = rules_of("h200");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wl_warp_access a = pattern(32, 32, 0, cases[i].step, cases[i].width, 0);
        const int sectors = wl_warp_sectors(&rules, &a), hit = wl_warp_hit_wavefronts(&rules, &a);
        if (sectors != cases[i].sectors || hit != cases[i].hit)
            fail_msg("%s: %d sectors, %d wavefronts; expected %d and %d", cases[i].name, sectors, hit, cases[i].sectors,
                     cases[i].hit);
    }
}

/* ---- what a store writes ---- */

/* Byte by byte. */
static wl_warp_written written_bytes(const wl_l1_rules *r, const wl_warp_access *a)
{
    enum { BYTES = 1 << 14 };
    static bool there[BYTES];
    const int64_t units[3] = {r->sector, r->line, (int64_t)1 << r->unit_shift};
    int count[3] = {0}, full = 0;
    memset(there, 0, sizeof there);
    for (int i = 0; i < a->count; i++)
        for (int b = 0; b < a->width; b++)
            there[a->address[i] + b + BYTES / 2] = true;
    for (int u = 0; u < 3; u++)
        for (int64_t start = 0; start < BYTES; start += units[u]) {
            int64_t bytes = 0;
            for (int64_t b = start; b < start + units[u]; b++)
                bytes += there[b];
            count[u] += bytes > 0;
            full += u == 0 && bytes == units[0];
        }
    return (wl_warp_written){(int16_t)count[0], (int16_t)count[1], (int16_t)count[2], (int16_t)full};
}

static void stores_write_what_their_bytes_show(void **state)
{
    (void)state;
    static const char *const devices[] = {"h200", "a100-40gb", "mi210"};
    uint64_t seed = 1;
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        const wl_l1_rules rules = rules_of(devices[d]);
        for (int i = 0; i < 4000; i++) {
            const int32_t width = (int32_t)1 << check_random_in(&seed, 0, 4);
            const int lanes = (int)check_random_in(&seed, 1, rules.warp_size), wide = 1 << check_random_in(&seed, 0, 6);
            const int64_t unit = check_random_in(&seed, 0, 1) ? width : 1;
            const int64_t pitch = unit * check_random_in(&seed, -60, 60) / (64 / wide + 1);
            const int64_t stride = width * check_random_in(&seed, -2, 4), first = check_random_in(&seed, -200, 200);
            wl_warp_access a = pattern(lanes, wide, pitch, stride, width, first);
            for (int l = 0; l < lanes && i % 3 == 0; l++) /* no order at all */
                a.address[l] = check_random_in(&seed, -300, 300);
            const wl_warp_written got = wl_warp_write(&rules, &a), want = written_bytes(&rules, &a);
            if (got.sectors != want.sectors || got.lines != want.lines || got.units != want.units ||
                got.full != want.full)
                fail_msg("case %d on %s: %d sectors, %d lines, %d units, %d full; by bytes %d, %d, %d, %d", i,
                         devices[d], got.sectors, got.lines, got.units, got.full, want.sectors, want.lines, want.units,
                         want.full);
            if (got.sectors != wl_warp_sectors(&rules, &a))
                fail_msg("case %d: %d sectors written, %d touched", i, got.sectors, wl_warp_sectors(&rules, &a));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_on_other_blocks_as_measured),
        cmocka_unit_test(measured_patterns_are_exact),
        cmocka_unit_test(wide_shared_loads_are_exact),
        cmocka_unit_test(shared_memory_has_banks_only),
        cmocka_unit_test(neighbours_that_read_alike_are_served_together),
        cmocka_unit_test(papers_three_loads),
        cmocka_unit_test(far_rows_do_not_pair),
        cmocka_unit_test(broadcasts_and_narrow_types),
        cmocka_unit_test(stores_write_what_their_bytes_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
