/* test_demangle.c - ptx/module/demangle.h: mangled names against what c++filt makes of them, and
 * names that nobody made; ptx/module/name_match.h: what a user may call them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <string.h>

#include "ptx/module/name_match.h"

static const struct {
    const char *symbol, *text;
} names[] = {
#define SYMBOL(symbol, text) {symbol, text},
#include "unit/demangled.def"
#undef SYMBOL
    /* packs in packs: c++filt gets this one wrong */
    {"_Z3t19IiJLi1ELi2EEEv3SeqIJXT0_EEEDpRAT0__T_", "void t19<int, 1, 2>(Seq<1, 2>, int (&) [1], int (&) [2])"},
    /* a file that nvcc named is no part of the source */
    {"_ZN31_INTERNAL_96e4b8f6_4_t_cu__Z1gi4coefE", "coef"},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        wl_arena arena = {0};
        check_text(names[i].symbol, "demangled", wl_ptx_demangle(names[i].symbol, &arena).text, names[i].text);
        wl_arena_free(&arena);
    }
    check_done();
}

/* What is not mangled, or not by these rules, stays as it is. */
static const char *const others[] = {
    "",
    "_Z",
    "main",
    "k_plain",
    "_Z3",
    "_Z3ab",
    "_Z99999999999999999999f",
    "_Z1fT_",      /* a parameter of no template */
    "_Z1fS5_",     /* there is no sixth */
    "_Z1fIiEvT7_", /* nor an eighth argument */
    "_Z1fSZZZZZZZZZZZZZZZZ_",
    "_ZNE",
    "_Z1fLi",
    "_Z1fIXE",
    "_Z1fIXplLi1EEEvv",
    "_Z1fM1A",
    "_Z1fA3_",
    "_ZTV1A",
    "_Z1fPFvi",
    "_Z1fi$clone",
};

static void test_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        wl_arena arena = {0};
        const wl_ptx_demangled d = wl_ptx_demangle(others[i], &arena);
        check_text(others[i], "unchanged", d.text, others[i]);
        check_true(others[i], "all of it is the name",
                   d.name == 0 && d.base == 0 && d.args == strlen(others[i]) && d.end == strlen(others[i]));
        wl_arena_free(&arena);
    }
    check_done();
}

static void check_places(const char *symbol, const wl_ptx_demangled *d)
{
    const size_t length = d->text ? strlen(d->text) : 0;
    check_true(symbol, "a text", d->text != NULL);
    check_true(symbol, "its parts are in order",
               d->name <= d->base && d->base <= d->args && d->args <= d->end && d->end <= length);
}

/* Cut short, with one character changed, and repeated: there is an answer, and soon. */
static void test_damaged(void **state)
{
    (void)state;
    static const char letters[] = "0123459_EIJKLNPRSTUXZabcdfilmnoprstvz";
    uint64_t random = 1;
    char symbol[2048];
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t k = 0; k < strlen(names[i].symbol); k++) {
            wl_arena arena = {0};
            const size_t length = strlen(names[i].symbol);
            if (length >= sizeof symbol)
                break;
            memcpy(symbol, names[i].symbol, length + 1);
            if (k % 2)
                symbol[k] = '\0';
            else
                symbol[k] = letters[check_random(&random) % (sizeof letters - 1)];
            const wl_ptx_demangled d = wl_ptx_demangle(symbol, &arena);
            check_places(symbol, &d);
            wl_arena_free(&arena);
        }
    check_done();
}

/* Names that grow without bound when they are written out, or nest without end. */
static void test_endless(void **state)
{
    (void)state;
    static const struct {
        const char *name, *start, *piece, *end;
    } made[] = {{"doubling", "_Z1fI1aE", "1bIS0_S0_E", ""},
                {"pointers", "_Z1f", "P", "i"},
                {"templates", "_Z1f", "1bI", "i"},
                {"functions", "_Z1f", "PF", "v"},
                {"expressions", "_Z1fIX", "plLi1E", "Li1EEEvv"},
                {"members", "_Z1fIX", "sr1aIX", "Li1E"},
                {"locals", "_Z", "ZN1a1bEvE", "1c"},
                {"nested", "_ZN", "1a", "Ev"}};
    static char symbol[20000];
    for (size_t i = 0; i < COUNT_OF(made); i++)
        for (size_t count = 1; count < 8000; count *= 3) {
            wl_arena arena = {0};
            size_t used = strlen(made[i].start);
            memcpy(symbol, made[i].start, used);
            for (size_t k = 0; k < count && used + 64 < sizeof symbol; k++, used += strlen(made[i].piece))
                memcpy(symbol + used, made[i].piece, strlen(made[i].piece));
            memcpy(symbol + used, made[i].end, strlen(made[i].end) + 1);
            const wl_ptx_demangled d = wl_ptx_demangle(symbol, &arena);
            check_places(made[i].name, &d);
            check_true(made[i].name, "is bounded", d.text && strlen(d.text) <= sizeof symbol);
            wl_arena_free(&arena);
        }
    check_done();
}

#define STAR "_ZN3app4starIfLi5EEEvPKfPfij"
#define UNNAMED "_ZN33_GLOBAL__N__96e4b8f6_4_t_cu__Z1gi4anonEPf"

static const struct {
    const char *symbol, *wanted;
    wl_ptx_fit fit;
} fits[] = {
    {STAR, STAR, WL_PTX_FIT_SYMBOL},
    {STAR, "void app::star<float, 5>(float const*, float*, int, unsigned int)", WL_PTX_FIT_SIGNATURE},
    {STAR, "app::star<float,5>(const float *, float *, int, unsigned int)", WL_PTX_FIT_SIGNATURE},
    {STAR, "void app::star<float, (int)5>(const float *, float *, int, unsigned int)", WL_PTX_FIT_SIGNATURE},
    {STAR, "app::star<float, 5>", WL_PTX_FIT_NAME},
    {STAR, "star<float,5>", WL_PTX_FIT_BASE},
    {STAR, "app::star", WL_PTX_FIT_TEMPLATE},
    {STAR, "star", WL_PTX_FIT_PLAIN},
    {STAR, "*star*", WL_PTX_FIT_PATTERN},
    {STAR, "app::st?r<*>", WL_PTX_FIT_PATTERN},
    {STAR, "star<*>", WL_PTX_FIT_PATTERN},
    {STAR, "_ZN3app*", WL_PTX_FIT_PATTERN},
    {STAR, "sta", WL_PTX_FIT_PART},
    {STAR, "<float,5>", WL_PTX_FIT_PART},
    {STAR, "star<double, 5>", WL_PTX_FIT_NONE},
    {STAR, "star<float, 4>", WL_PTX_FIT_NONE},
    {STAR, "rats<float, 5>", WL_PTX_FIT_NONE}, /* the order of letters matters */
    {STAR, "app::star<float, 5>(float *, const float *, int, unsigned int)", WL_PTX_FIT_NONE},
    {STAR, "", WL_PTX_FIT_NONE},
    {UNNAMED, "<unnamed>::anon(float *)", WL_PTX_FIT_SIGNATURE},
    {UNNAMED, "(anonymous namespace)::anon", WL_PTX_FIT_NAME},
    {UNNAMED, "anon", WL_PTX_FIT_BASE},
    {"_Z2t2ILi1ELj2ELb1ELc97EEvv", "t2<1, 2, true, 97>", WL_PTX_FIT_NAME},
    {"_Z2t2ILi1ELj2ELb1ELc97EEvv", "t2<(int)1, (unsigned int)2, (bool)1, (char)97>", WL_PTX_FIT_NAME},
    {"_Z2t2ILi1ELj2ELb1ELc97EEvv", "t2<1, 2u, 1, (char)97>()", WL_PTX_FIT_SIGNATURE},
    {"_Z2t2ILin1EEvv", "t2<-1>", WL_PTX_FIT_NAME},
    {"_Z2t2ILin1EEvv", "t2<(int)-1>()", WL_PTX_FIT_SIGNATURE},
    {"plain", "plain", WL_PTX_FIT_SYMBOL},
    {"plain", "lai", WL_PTX_FIT_PART},
    {"plain", "plane", WL_PTX_FIT_NONE},
};

static void test_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fits); i++) {
        wl_arena arena = {0};
        bool failed = false;
        const wl_ptx_demangled d = wl_ptx_demangle(fits[i].symbol, &arena);
        const char *compared = wl_ptx_wanted_name(fits[i].wanted, &arena);
        check_int(fits[i].wanted, "fit", wl_ptx_name_fit(fits[i].symbol, &d, fits[i].wanted, compared, &failed),
                  fits[i].fit);
        check_true(fits[i].wanted, "memory", !failed);
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_damaged), cmocka_unit_test(test_endless),
                                       cmocka_unit_test(test_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
