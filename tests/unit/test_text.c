/* test_text.c - base/text.h: the nearest name, numbers, names, texts that were cut.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *const keys[] = {"name",  "params", "domain",  "fields",  "update",
                                   "loads", "stores", "l1_size", "l2_size", "x"};

#define Q10 "qqqqqqqqqq"
#define Q50 Q10 Q10 Q10 Q10 Q10

static const struct {
    const char *name, *word, *nearest;
} nearest[] = {
    {"the same", "domain", "domain"},
    {"a letter missing", "domin", "domain"},
    {"a letter too many", "doomain", "domain"},
    {"a letter changed", "domaim", "domain"},
    {"two letters swapped", "udpate", "update"},
    {"singular", "field", "fields"},
    {"the first of equals", "l3_size", "l1_size"},
    {"nearer beats earlier", "l2_siz", "l2_size"},
    {"two of six wrong", "stares", "stores"},
    {"nothing like it", "warp", NULL},
    {"a long other word", "registers", NULL},
    {"another case", "Domain", "domain"},
    {"50 letters", Q50, NULL},
    {"150 letters", Q50 Q50 Q50, NULL},
    {"one letter agrees with nothing", "q", NULL},
    {"empty", "", NULL},
};

static void test_nearest(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(nearest); i++)
        check_text(nearest[i].name, "nearest", wl_nearest_name(nearest[i].word, keys, COUNT_OF(keys)),
                   nearest[i].nearest);
    check_text("no names", "nearest", wl_nearest_name("domain", keys, 0), NULL);
    check_done();
}

static const struct {
    const char *text;
    bool ok;
    double value;
} numbers[] = {
    {"0", true, 0},         {"-0", true, 0},        {"7", true, 7},           {"+7", true, 7},
    {"-7.25", true, -7.25}, {".5", true, 0.5},      {"-.5", true, -0.5},      {"5.", true, 5},
    {"1e3", true, 1000},    {"1E+3", true, 1000},   {"1.5e-3", true, 0.0015}, {"007", true, 7},
    {"1e-400", true, 0},    {"1e308", true, 1e308}, {"", false, 0},           {"-", false, 0},
    {".", false, 0},        {"-.", false, 0},       {" 7", false, 0},         {"7 ", false, 0},
    {"7,5", false, 0},      {"1e", false, 0},       {"1e400", false, 0},      {"inf", false, 0},
    {"-inf", false, 0},     {"nan", false, 0},      {"infinity", false, 0},   {"0x10", false, 0},
    {"-0X1p3", false, 0},   {"1_000", false, 0},    {"--1", false, 0},        {"1.2.3", false, 0},
    {"7B", false, 0},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        double value = numbers[i].value;
        check_int(numbers[i].text, "is a number", wl_text_number(numbers[i].text, &value), numbers[i].ok);
        check_near(numbers[i].text, "value", value, numbers[i].value, 1e-15);
    }
    check_done();
}

static const struct {
    const char *text;
    bool is_name;
} names[] = {
    {"a", true},   {"_", true},    {"_a1", true},  {"nx", true},   {"Field_2", true},   {"", false},
    {"1a", false}, {"a-b", false}, {"a b", false}, {"a.b", false}, {"\xc3\xa4", false}, {" a", false},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        check_int(names[i].text, "is a name", wl_text_is_name(names[i].text), names[i].is_name);
    check_done();
}

static const struct {
    const char *name, *cut, *mended;
} ends[] = {
    {"ASCII", "abc", "abc"},
    {"empty", "", ""},
    {"a whole character of two bytes", "a\xc3\xa9", "a\xc3\xa9"},
    {"one byte of two", "a\xc3", "a"},
    {"one byte of three", "\xe2\x82\xac\xe2", "\xe2\x82\xac"},
    {"two bytes of three", "\xe2\x82\xac\xe2\x82", "\xe2\x82\xac"},
    {"a whole character of three", "\xe2\x82\xac", "\xe2\x82\xac"},
    {"three bytes of four", "x\xf0\x9f\x98", "x"},
    {"a whole character of four", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    {"no start at all", "\x82\x82", "\x82\x82"},
};

static void test_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%s", ends[i].cut);
        wl_text_mend_end(text);
        check_int(ends[i].name, "is mended", strcmp(text, ends[i].mended), 0);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
