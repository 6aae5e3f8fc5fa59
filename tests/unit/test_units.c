/* test_units.c - base/units.h: every unit, and quantities in and out.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "base/units.h"

#define KI 1024.0

static const struct {
    wl_dimension dimension;
    const char *unit;
    double scale;
} every_unit[] = {
    {WL_DIM_COUNT, "1", 1},
    {WL_DIM_COUNT, "sm", 1},
    {WL_DIM_COUNT, "lanes", 1},
    {WL_DIM_COUNT, "threads", 1},
    {WL_DIM_COUNT, "blocks", 1},
    {WL_DIM_COUNT, "warps", 1},
    {WL_DIM_COUNT, "registers", 1},
    {WL_DIM_COUNT, "banks", 1},
    {WL_DIM_COUNT, "bank", 1},
    {WL_DIM_COUNT, "partitions", 1},
    {WL_DIM_COUNT, "schedulers", 1},
    {WL_DIM_COUNT, "entries", 1},
    {WL_DIM_RATIO, "1", 1},
    {WL_DIM_FREQUENCY, "Hz", 1},
    {WL_DIM_FREQUENCY, "kHz", 1e3},
    {WL_DIM_FREQUENCY, "MHz", 1e6},
    {WL_DIM_FREQUENCY, "GHz", 1e9},
    {WL_DIM_BYTES, "B", 1},
    {WL_DIM_BYTES, "kB", 1e3},
    {WL_DIM_BYTES, "MB", 1e6},
    {WL_DIM_BYTES, "GB", 1e9},
    {WL_DIM_BYTES, "KiB", KI},
    {WL_DIM_BYTES, "MiB", KI *KI},
    {WL_DIM_BYTES, "GiB", KI *KI *KI},
    {WL_DIM_BANDWIDTH, "B/s", 1},
    {WL_DIM_BANDWIDTH, "kB/s", 1e3},
    {WL_DIM_BANDWIDTH, "MB/s", 1e6},
    {WL_DIM_BANDWIDTH, "GB/s", 1e9},
    {WL_DIM_BANDWIDTH, "TB/s", 1e12},
    {WL_DIM_BANDWIDTH, "KiB/s", KI},
    {WL_DIM_BANDWIDTH, "MiB/s", KI *KI},
    {WL_DIM_BANDWIDTH, "GiB/s", KI *KI *KI},
    {WL_DIM_BANDWIDTH, "TiB/s", KI *KI *KI *KI},
    {WL_DIM_CYCLES, "cycles", 1},
    {WL_DIM_TIME, "s", 1},
    {WL_DIM_TIME, "ms", 1e-3},
    {WL_DIM_TIME, "us", 1e-6},
    {WL_DIM_TIME, "ns", 1e-9},
    {WL_DIM_PER_CYCLE, "1/cycle", 1},
};

static const char *const dimension_names[] = {"count",     "ratio",  "frequency", "bytes",
                                              "bandwidth", "cycles", "time",      "per cycle"};
enum { DIMENSIONS = WL_DIM_PER_CYCLE + 1 };

static void test_every_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(every_unit); i++) {
        double scale = -1;
        check_true(every_unit[i].unit, "is known", wl_unit_scale(every_unit[i].dimension, every_unit[i].unit, &scale));
        check_near(every_unit[i].unit, "scale", scale, every_unit[i].scale, 0);
    }
    check_done();
}

/* The choices a message offers are exactly the table above: nothing is left out, and no unit is
 * untested. */
static void test_choices(void **state)
{
    (void)state;
    for (int d = 0; d < DIMENSIONS; d++) {
        char got[256], want[256] = "";
        for (size_t i = 0; i < COUNT_OF(every_unit); i++) {
            if ((int)every_unit[i].dimension != d)
                continue;
            if (want[0])
                strcat(want, " ");
            strcat(want, every_unit[i].unit);
        }
        wl_unit_choices((wl_dimension)d, got, sizeof got);
        check_text(dimension_names[d], "choices", got, want);
        char small[8];
        /* cut off, never beyond the buffer */
        wl_unit_choices((wl_dimension)d, small, sizeof small);
        check_true(dimension_names[d], "cut choices fit", strlen(small) < sizeof small);
    }
    check_done();
}

static void test_base_units(void **state)
{
    static const char *const base[DIMENSIONS] = {"1", "1", "Hz", "B", "B/s", "cycles", "s", "1/cycle"};
    (void)state;
    for (int d = 0; d < DIMENSIONS; d++) {
        double scale = 0;
        check_text(dimension_names[d], "base unit", wl_unit_base((wl_dimension)d), base[d]);
        check_true(dimension_names[d], "base unit is a unit", wl_unit_scale((wl_dimension)d, base[d], &scale));
        check_near(dimension_names[d], "scale of the base unit", scale, 1, 0);
    }
    check_done();
}

/* A unit of one dimension is not one of another ("1" alone is shared by counts and ratios). */
static void test_dimensions_are_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(every_unit); i++) {
        for (int d = 0; d < DIMENSIONS; d++) {
            double scale;
            const bool listed =
                d == (int)every_unit[i].dimension || (d <= WL_DIM_RATIO && strcmp(every_unit[i].unit, "1") == 0);
            check_int(every_unit[i].unit, dimension_names[d],
                      wl_unit_scale((wl_dimension)d, every_unit[i].unit, &scale), listed);
        }
    }
    check_done();
}

static const struct {
    const char *text;
    wl_dimension dimension;
    double value;
} quantities[] = {
    {"80MiB", WL_DIM_BYTES, 83886080},
    {"80 MiB", WL_DIM_BYTES, 83886080},
    {"80   MiB", WL_DIM_BYTES, 83886080},
    {"80", WL_DIM_BYTES, 80},
    {"80 ", WL_DIM_BYTES, 80},
    {"1KiB", WL_DIM_BYTES, 1024},
    {"1kB", WL_DIM_BYTES, 1000},
    {"1TB/s", WL_DIM_BANDWIDTH, 1e12},
    {"1 TiB/s", WL_DIM_BANDWIDTH, 1099511627776.0},
    {"4.02TB/s", WL_DIM_BANDWIDTH, 4.02e12},
    {"1.41GHz", WL_DIM_FREQUENCY, 1.41e9},
    {"1e9", WL_DIM_FREQUENCY, 1e9},
    {"1e9Hz", WL_DIM_FREQUENCY, 1e9},
    {"1.5E3 MHz", WL_DIM_FREQUENCY, 1.5e9},
    {"2e-6s", WL_DIM_TIME, 2e-6},
    {"2us", WL_DIM_TIME, 2e-6},
    {"-3", WL_DIM_COUNT, -3},
    {"+3 sm", WL_DIM_COUNT, 3},
    {".5", WL_DIM_RATIO, 0.5},
    {"5.", WL_DIM_RATIO, 5},
    {"32 1/cycle", WL_DIM_PER_CYCLE, 32},
    {"200cycles", WL_DIM_CYCLES, 200},
};

static void test_quantities(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(quantities); i++) {
        double value = NAN;
        check_true(quantities[i].text, "is a quantity",
                   wl_quantity_parse(quantities[i].dimension, quantities[i].text, &value));
        check_near(quantities[i].text, "value", value, quantities[i].value, 1e-15);
    }
    check_done();
}

/* A decimal number of bytes is whole if it is so on paper. */
static void test_whole(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"4.1MB", 4100000},        {"8.2MB", 8200000}, {"2.01kB", 2010},
                 {"16.1GB", 16100000000.0}, {"1.5KiB", 1536},   {"1.0001kB", 1000.1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = NAN;
        check_true(cases[i].text, "is a quantity", wl_quantity_parse(WL_DIM_BYTES, cases[i].text, &value));
        check_near(cases[i].text, "value", value, cases[i].value, 0);
    }
    check_done();
}

static const struct {
    const char *name;
    wl_dimension dimension;
    const char *text;
} malformed[] = {
    {"empty", WL_DIM_BYTES, ""},
    {"unit alone", WL_DIM_BYTES, "MiB"},
    {"blank in front", WL_DIM_BYTES, " 80MiB"},
    {"unknown unit", WL_DIM_BYTES, "80MIB"},
    {"small letters", WL_DIM_BYTES, "80mib"},
    {"unit of another dimension", WL_DIM_BYTES, "80GB/s"},
    {"two numbers", WL_DIM_BYTES, "80 81"},
    {"two points", WL_DIM_BYTES, "1.2.3"},
    {"point alone", WL_DIM_BYTES, "."},
    {"two signs", WL_DIM_BYTES, "--5"},
    {"signs apart", WL_DIM_BYTES, "+-5"},
    {"sign alone", WL_DIM_BYTES, "-"},
    {"exponent without digits", WL_DIM_BYTES, "5e"},
    {"exponent without digits, with sign", WL_DIM_BYTES, "5e+"},
    {"hexadecimal", WL_DIM_BYTES, "0x10"},
    {"infinity", WL_DIM_BYTES, "inf"},
    {"not a number", WL_DIM_RATIO, "nan"},
    {"beyond a double", WL_DIM_RATIO, "1e400"},
    {"overflows through its unit", WL_DIM_BANDWIDTH, "1e308TB/s"},
    {"text behind the unit", WL_DIM_BYTES, "80MiB!"},
    {"blank behind the unit", WL_DIM_BYTES, "80MiB "},
    {"comma", WL_DIM_BYTES, "1,5"},
    {"longer than any number", WL_DIM_COUNT, "0000000000000000000000000000000000000000000000000000000000000000000001"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        double value;
        check_true(malformed[i].name, "is refused",
                   !wl_quantity_parse(malformed[i].dimension, malformed[i].text, &value));
    }
    check_done();
}

static const struct {
    const char *text;
    wl_dimension dimension;
    double value;
} printed[] = {
    {"108", WL_DIM_COUNT, 108},
    {"65536", WL_DIM_COUNT, 65536},
    {"2147483647", WL_DIM_COUNT, 2147483647},
    {"0.66", WL_DIM_RATIO, 0.66},
    {"0 B", WL_DIM_BYTES, 0},
    {"1 B", WL_DIM_BYTES, 1},
    {"1023 B", WL_DIM_BYTES, 1023},
    {"1 KiB", WL_DIM_BYTES, 1024},
    {"192 KiB", WL_DIM_BYTES, 196608},
    {"40 MiB", WL_DIM_BYTES, 41943040},
    {"32 GiB", WL_DIM_BYTES, 34359738368.0},
    {"1.56 TB/s", WL_DIM_BANDWIDTH, 1.56e12},
    {"800 GB/s", WL_DIM_BANDWIDTH, 8e11},
    {"1 TB/s", WL_DIM_BANDWIDTH, 1e12},
    {"5000 TB/s", WL_DIM_BANDWIDTH, 5e15},
    {"1.41 GHz", WL_DIM_FREQUENCY, 1.41e9},
    {"50 Hz", WL_DIM_FREQUENCY, 50},
    {"215 cycles", WL_DIM_CYCLES, 215},
    {"2 s", WL_DIM_TIME, 2},
    {"500 ms", WL_DIM_TIME, 0.5},
    {"2.3 us", WL_DIM_TIME, 2.3e-6},
    {"4 ns", WL_DIM_TIME, 4e-9},
    {"0.2 ns", WL_DIM_TIME, 2e-10},
    {"-2 ms", WL_DIM_TIME, -2e-3},
    {"0.5 1/cycle", WL_DIM_PER_CYCLE, 0.5},
};

static void test_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(printed); i++) {
        const wl_short text = wl_quantity(printed[i].dimension, printed[i].value);
        check_text(printed[i].text, "text", text.text, printed[i].text);
        double back = NAN;
        check_true(printed[i].text, "reads back", wl_quantity_parse(printed[i].dimension, text.text, &back));
        check_near(printed[i].text, "read back", back, printed[i].value, 1e-15);
    }
    check_done();
}

/* Whatever the value: what is printed reads back to four digits. */
static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        const wl_dimension dimension = (wl_dimension)check_random_in(&seed, 0, DIMENSIONS - 1);
        const double value = pow(10, (double)check_random_in(&seed, -12000, 17000) / 1000);
        double back = NAN;
        const wl_short text = wl_quantity(dimension, value);
        check_true(text.text, "reads back", wl_quantity_parse(dimension, text.text, &back));
        check_near(text.text, dimension_names[dimension], back, value, 6e-4);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit), cmocka_unit_test(test_choices),
        cmocka_unit_test(test_base_units), cmocka_unit_test(test_dimensions_are_apart),
        cmocka_unit_test(test_quantities), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_malformed),  cmocka_unit_test(test_printed),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
