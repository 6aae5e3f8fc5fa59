/* test_report.c - what reports are built from (base/json_out.h, base/quote.h), and reports that a
 * program uses without the tool: stored predictions read back, checks against them, rankings
 * through a sink. SPDX-License-Identifier: MIT */
#include "unit/rank_fixture.h"

#include <jansson.h>

#include "base/json_out.h"
#include "base/quote.h"
#include "judge/findings.h"
#include "search/ranker.h"
#include "warpline/report.h"

/* ---- JSON ---- */

static const struct {
    double value;
    const char *text; /* NULL: absent */
} numbers[] = {
    {0, "0"},
    {-7, "-7"},
    {1e15, "1000000000000000"},
    {9007199254740992.0, "9.00719925474099e15"},
    {0.5, "0.5"},
    {1.0 / 3, "0.333333333333333"},
    {5e-5, "5e-5"},
    {NAN, NULL},
    {INFINITY, NULL},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        wl_buffer text = {0};
        wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
        char want[64];
        (void)snprintf(want, sizeof want, "[%s]", numbers[i].text ? numbers[i].text : "");
        wl_out_array(&out, NULL);
        wl_out_number(&out, NULL, numbers[i].value);
        wl_out_array_end(&out);
        check_int(want, "status", wl_out_status(&out, NULL), WL_OK);
        check_text(want, "text", text.text, want);
        wl_buffer_drop(&text);
    }
    check_done();
}

static const struct {
    const char *name, *bytes, *shown;
} texts[] = {
    {"plain", "a", "a"},
    {"two bytes", "\xce\xb1", "\xce\xb1"},
    {"four bytes", "\xf0\x9f\x99\x82", "\xf0\x9f\x99\x82"},
    {"cut short", "a\xce", "a?"},
    {"a byte that begins nothing",
     "\xff"
     "b",
     "?b"},
    {"overlong", "\xc0\x80", "??"},
    {"a surrogate", "\xed\xa0\x80", "???"},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        wl_buffer text = {0};
        wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
        char want[64];
        (void)snprintf(want, sizeof want, "\"%s\"", texts[i].shown);
        wl_out_text(&out, NULL, texts[i].bytes);
        check_text(texts[i].name, "text", text.text, want);
        wl_buffer_drop(&text);
    }
    check_done();
}

/* What failed once stays failed: no text with a field missing. */
static void test_failure(void **state)
{
    (void)state;
    wl_buffer text = {.failed = true};
    wl_error err = {0};
    wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
    char *taken = NULL;
    wl_out_row(&out, NULL, "a:d", (int64_t)1);
    assert_int_equal(wl_out_status(&out, &err), WL_E_NOMEM);
    assert_int_equal(wl_buffer_take(&text, &taken, &err), WL_E_NOMEM);
    assert_null(taken);
    out.status = WL_E_INPUT; /* of what should have been written */
    assert_int_equal(wl_out_status(&out, &err), WL_E_INPUT);
}

/* ---- quotes ---- */

static void quote_xml(wl_buffer *out, const char *text) { wl_quote_xml(out, text, 13); }

static const struct {
    const char *name;
    void (*quote)(wl_buffer *out, const char *text);
    const char *text, *quoted;
} quotes[] = {
    {"XML", quote_xml, "a<b> & \"c\"\n\xce\xb1\xff", "a&lt;b&gt; &amp; &quot;c&quot; \xce\xb1\xef\xbf\xbd"},
    {"long XML", quote_xml, "0123456789\xce\xb1\xce\xb1\xce\xb1\xce\xb1",
     "0123456789\xce\xb1\xce\xb1\xce\xb1\xe2\x80\xa6"},
    {"CSV", wl_quote_csv, "a \"b\",\nc", "\"a \"\"b\"\", c\""},
    {"gnuplot", wl_quote_gnuplot, "it's\n\\", "'it''s \\'"},
    {"YAML", wl_quote_yaml, "a \"b\" \\ c\n", "\"a \\\"b\\\" \\\\ c \""},
    {"Python", wl_quote_python, "\"\\\n\xce\xb1\xff", "\"\\\"\\\\\\u000a\xce\xb1\\ufffd\""},
    {"nothing", wl_quote_csv, "", "\"\""},
};

static void test_quotes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(quotes); i++) {
        wl_buffer buffer = {0};
        char *text = NULL;
        quotes[i].quote(&buffer, quotes[i].text);
        check_int(quotes[i].name, "status", wl_buffer_take(&buffer, &text, NULL), WL_OK);
        check_text(quotes[i].name, "quoted", text, quotes[i].quoted);
        free(text);
    }
    check_done();
}

/* Texts of a format are quoted, all else is printed. */
static void test_quoted_format(void **state)
{
    (void)state;
    wl_buffer buffer = {0};
    char *text = NULL;
    wl_quote_add(&buffer, wl_quote_csv, "%s,%d,%+.2f%%,%s,%lld,%6zu,%g", "a\"b", -3, 1.5, "", 5000000000LL, (size_t)7,
                 0.25);
    assert_int_equal(wl_buffer_take(&buffer, &text, NULL), WL_OK);
    assert_string_equal(text, "\"a\"\"b\",-3,+1.50%,\"\",5000000000,     7,0.25");
    free(text);
    /* longer than any that is needed */
    wl_quote_add(&buffer, wl_quote_csv, "%.000000000000000001f", 1.0);
    assert_true(buffer.failed);
    wl_buffer_drop(&buffer);
}

/* ---- stored predictions ---- */

/* The prediction of a launch, as it would be stored. */
static char *store(wl_predictor *predictor, const wl_kernel *kernel, const wl_device *device, wl_prediction *p)
{
    const wl_launch launch = {.block = {32, 4, 2}};
    wl_error err = {0};
    char *text = NULL;
    check_ok("predict", wl_predict(predictor, &launch, NULL, p, &err), &err);
    check_ok("render", wl_prediction_render(p, kernel, device, WL_FORMAT_JSON_LINE, &text, &err), &err);
    assert_non_null(text);
    return text;
}

static void check_against(const wl_prediction *now, const wl_device *device, const wl_stored *was)
{
    wl_error err = {0};
    wl_check *check = NULL;
    char *text = NULL;
    check_ok("check", wl_check_new(&check, &err), &err);
    check_ok("tolerance", wl_check_tolerance(check, "0", &err), &err);
    check_ok("add", wl_check_add(check, now, device, was, &err), &err);
    check_int("its own baseline", "failures", (int64_t)wl_check_failed(check), 0);
    check_int("its own baseline", "not compared", (int64_t)check->not_compared, 0);
    check_true("its own baseline", "it has findings", check->total > 5);
    check_ok("text", wl_check_render(check, was->kernel, WL_FORMAT_TEXT, &text, &err), &err);
    check_true("text", "passes", text && strstr(text, "check passed"));
    free(text);
    check_int("CSV", "status", wl_check_render(check, was->kernel, WL_FORMAT_CSV, &text, &err), WL_E_UNSUPPORTED);
    wl_check_free(check);
}

static void test_stored(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_prediction *p = NULL;
    wl_predictor *predictor = NULL;
    wl_stored_list *list = NULL;
    wl_device *device = device_of("h200");
    wl_kernel *kernel = builtin_kernel("star3d_7pt");
    assert_int_equal(wl_prediction_new(&p, &err), WL_OK);
    assert_int_equal(wl_predictor_new(kernel, device, &predictor, &err), WL_OK);
    char *text = store(predictor, kernel, device, p);
    const size_t length = strlen(text);
    char *two = malloc(2 * length + 3);
    assert_non_null(two);
    (void)sprintf(two, " %s\n%s", text, text);
    /* the end is no part of it */
    check_ok("two", wl_stored_read("two", two, 2 * length + 2, &list, &err), &err);
    check_int("two", "count", (int64_t)wl_stored_count(list), 2);
    check_int("two", "line of the second", wl_stored_at(list, 1)->line, 2);
    check_text("two", "kernel", wl_stored_at(list, 1)->kernel, "star3d_7pt");
    check_against(p, device, wl_stored_at(list, 1));
    wl_stored_free(list);
    check_int("cut", "status", wl_stored_read("cut", text, length - 1, &list, &err), WL_E_INPUT);
    check_text("cut", "input", err.input, "cut");
    check_true("cut", "no list", !list);
    free(two);
    free(text);
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- rankings ---- */

/* Takes so many pieces, then fails. */
typedef struct pieces {
    wl_buffer text;
    int left;
} pieces;

static wl_status take_piece(void *user, const char *text, size_t length, wl_error *err)
{
    pieces *p = user;
    if (p->left-- == 0) {
        err->code = WL_E_IO;
        return WL_E_IO;
    }
    wl_buffer_put(&p->text, text, length);
    return WL_OK;
}

static wl_status write_ranking(const wl_ranked_space *space, wl_format format, pieces *to, wl_error *err)
{
    wl_rank_writer writer = {.format = format, .sink = take_piece, .user = to};
    const wl_status status = wl_rank_write_sorted(&writer, space, 2, err);
    return status == WL_OK ? wl_rank_write_end(&writer, err) : status;
}

static void test_ranking(void **state)
{
    (void)state;
    static const char *const settings[] = {"block.x", "32,64", "block.y", "2", "block.z", "1", "fold", "1x1x1", NULL};
    wl_error err = {0};
    wl_ranked best[4];
    wl_device *device = device_of("h200");
    wl_kernel *kernel = builtin_kernel("star3d_7pt");
    wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
    wl_ranked_space space = {.ranker = ranker, .launches = best, .tie = 1.05};
    check_ok("rank", wl_rank(ranker, best, 4, &space.ranking, &err), &err);
    space.count = space.ranking.count;
    space.dims = wl_kernel_domain(kernel, space.domain);
    space.best_s = best[0].time_s;
    for (int left = 0; left < 4; left++) { /* the space, two launches, its end */
        pieces to = {.left = left};
        check_int("a full disk", "status", write_ranking(&space, WL_FORMAT_JSON, &to, &err), WL_E_IO);
        wl_buffer_drop(&to.text);
        err = (wl_error){0};
    }
    pieces whole = {.left = 100};
    char *text = NULL;
    check_ok("JSON", write_ranking(&space, WL_FORMAT_JSON, &whole, &err), &err);
    check_ok("JSON", wl_buffer_take(&whole.text, &text, &err), &err);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *first = json_array_get(json_object_get(root, "spaces"), 0);
    const json_t *launches = json_object_get(first, "launches");
    check_int("JSON", "launches", (int64_t)json_array_size(launches), 2);
    check_near("JSON", "time_s", json_number_value(json_object_get(json_array_get(launches, 0), "time_s")),
               best[0].time_s, 1e-14);
    check_near("JSON", "items_per_s", json_number_value(json_object_get(json_array_get(launches, 0), "items_per_s")),
               (double)wl_ranker_launch_items(ranker, best[0].index) / best[0].time_s, 1e-14);
    check_int("JSON", "predicted", json_integer_value(json_object_get(first, "predicted")), 2);
    json_decref(root);
    free(text);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- words that reports are made of ---- */

static void test_words(void **state)
{
    (void)state;
    static const char *const units[] = {"bytes", "s", "1", "1/s"};
    const wl_subject subjects[] = {{.kind = WL_SUBJECT_METRIC, .metric = WL_METRIC_dram_load_bytes},
                                   {.kind = WL_SUBJECT_TIME},
                                   {.kind = WL_SUBJECT_OCCUPANCY},
                                   {.kind = WL_SUBJECT_ITEMS_PER_S}};
    for (size_t i = 0; i < COUNT_OF(subjects); i++) {
        check_text(units[i], "unit", wl_subject_unit(subjects[i]), units[i]);
        check_int(units[i], "more is better", wl_subject_is_gain(subjects[i]), i >= 2);
    }
    check_text("dram_load_bytes", "unit", wl_metric_unit(WL_METRIC_dram_load_bytes), "bytes");
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        check_true(wl_metric_name((wl_metric)m), "it has a meaning", strlen(wl_metric_meaning((wl_metric)m)) > 10);
    for (int c = 0; c < WL_CHANGE_COUNT; c++) { /* a clause: it follows "provided that" */
        const char *caveat = wl_change_caveat((wl_change)c);
        check_true(wl_change_name((wl_change)c), "a clause", strlen(caveat) > 10 && caveat[strlen(caveat) - 1] != '.');
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_texts),         cmocka_unit_test(test_failure),
        cmocka_unit_test(test_quotes),  cmocka_unit_test(test_stored),        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_words),   cmocka_unit_test(test_quoted_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
