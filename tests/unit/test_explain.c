/* test_explain.c - wl_explain knows every name that the library's tables have.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "unit/checks.h"

#include "metrics/prediction.h"
#include "model/stack.h"
#include "report/common/derived.h"
#include "warpline/mix.h"
#include "warpline/report.h"
#include "warpline/tallies.h"

static void check_known(const char *table, const char *word)
{
    wl_error err = {0};
    char *text = NULL;
    check_ok(word, wl_explain(word, NULL, WL_FORMAT_TEXT, &text, &err), &err);
    check_true(table, word, text && strstr(text, "\n  ") && strlen(text) > strlen(word) + 4);
    free(text);
}

static void names_of_tables(void **state)
{
    (void)state;
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        check_known("metric", wl_metric_name((wl_metric)i));
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        check_known("bound", wl_bound_name((wl_bound_id)i));
    for (int i = 0; i < WL_MODEL_COUNT; i++)
        check_known("model", wl_model_name((wl_model_id)i));
    for (int i = 0; i < WL_INST_CLASS_COUNT; i++)
        check_known("class", wl_inst_class_name((wl_inst_class)i));
    for (int i = 0; i < WL_TENSOR_KIND_COUNT; i++)
        check_known("tensor", wl_tensor_kind_name((wl_tensor_kind)i));
    for (int i = 0; i < WL_STACK_PART_COUNT; i++)
        check_known("part of a stack", wl_stack_part_name((wl_stack_part)i));
    for (int i = 0; i < WL_DERIVED_COUNT; i++)
        check_known("derived", wl_derived_name((wl_derived_id)i));
    for (int i = 0; i < WL_LIMIT_COUNT; i++)
        check_known("limit of the occupancy", wl_occupancy_limit_name((wl_occupancy_limit)i));
    for (int i = 0; i < WL_TALLY_COUNT; i++)
        check_known("tally", wl_tally_name((wl_tally)i));
    for (int i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        check_known("key of devices", wl_device_key_name((wl_device_key)i));
    check_done();
}

static void waits_and_estimators(void **state)
{
    (void)state;
    const wl_block_waits none = {0};
    wl_named_wait waits[WL_NAMED_WAITS];
    const int count = wl_named_waits(&none, waits);
    for (int i = 0; i < count; i++)
        check_known("wait", waits[i].name);
    check_known("estimator", wl_l1_estimator_name(true));
    check_known("estimator", wl_l1_estimator_name(false));
    for (int i = WL_VOLUMES_REUSE_SETS; i <= WL_VOLUMES_SIMULATED; i++)
        check_known("estimator", wl_volume_estimator_name((wl_volume_estimator)i));
    for (int i = WL_COUNT_CLOSED_FORM; i <= WL_COUNT_THREADS; i++)
        check_known("counting", wl_count_method_name((wl_count_method)i));
    check_done();
}

static void every_word(void **state)
{
    (void)state;
    const char *word;
    size_t count = 0;
    for (; (word = wl_explained_word(count)); count++)
        check_known("list", word);
    check_true("list", "has metrics, keys of devices and more", count > WL_METRIC_COUNT + WL_DEVICE_KEY_COUNT);
    check_done();
}

/* A metric's text comes first; blanks, hyphens and capitals do not matter. */
static void spelling(void **state)
{
    (void)state;
    wl_error err = {0};
    char *metric = NULL, *word = NULL, *other = NULL;
    assert_int_equal(wl_metric_text(WL_METRIC_flops, &metric, &err), WL_OK);
    assert_int_equal(wl_explain("flops", NULL, WL_FORMAT_TEXT, &word, &err), WL_OK);
    assert_int_equal(strncmp(word, metric, strlen(metric)), 0);
    free(word);
    assert_int_equal(wl_explain("layer_condition", NULL, WL_FORMAT_TEXT, &word, &err), WL_OK);
    assert_int_equal(wl_explain("Layer Condition", NULL, WL_FORMAT_TEXT, &other, &err), WL_OK);
    assert_string_equal(word, other);
    free(other);
    other = NULL;
    assert_int_equal(wl_explain("layer_conditon", NULL, WL_FORMAT_TEXT, &other, &err), WL_E_INPUT);
    assert_string_equal(err.message, "nothing is called 'layer_conditon'; did you mean 'layer_condition'?");
    assert_null(other);
    free(word);
    free(metric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_tables), cmocka_unit_test(waits_and_estimators),
                                       cmocka_unit_test(every_word), cmocka_unit_test(spelling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
