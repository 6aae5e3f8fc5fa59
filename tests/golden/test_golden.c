/* test_golden.c - predictions against files of one object per line: "in" (a line of predict
 * --batch) and "expect".
 *
 * cases.jsonl     predictions that must not change unnoticed, the same on every machine and
 *                 compiler: counts exact,
 * volumes that went through a curve to 1e-12. UPDATE=1 rewrites the expectations. measured.jsonl
 * 795 launches measured on an H200 with hardware counters (validate/data): instructions, sectors,
 * wavefronts of thread-index reads, tag wavefronts where all warps are alike, and occupancy, all
 * exact. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/checks.h"

#include "metrics/prediction.h"
#include "warpline/warpline.h"

#define SETS_MAX 16

/* A built-in kernel, or a file of this repository; the text is malloc'ed. */
static char *kernel_text(const char *name, size_t *length)
{
    char path[512];
    const char *builtin = wl_kernel_builtin_text(name, length);
    if (builtin)
        return strdup(builtin);
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    *length = fread(text, 1, 65535, f);
    fclose(f);
    return text;
}

/* "with": {"l2_size": "80MiB", ..} */
static void apply_what_ifs(const json_t *in, wl_device *device)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(in, "with"), key, value)
    {
        char assignment[128];
        wl_error err = {0};
        snprintf(assignment, sizeof assignment, "%s=%s", key, json_string_value(value));
        check_ok(assignment, wl_device_set(device, assignment, &err), &err);
    }
}

static size_t read_sets(const json_t *in, char sets[SETS_MAX][64], const char *list[SETS_MAX])
{
    size_t n = 0;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(in, "set"), key, value)
    {
        assert_true(n < SETS_MAX);
        snprintf(sets[n], sizeof sets[n], "%s=%lld", key, (long long)json_integer_value(value));
        list[n] = sets[n];
        n++;
    }
    return n;
}

static void read_shape(const json_t *in, const char *key, int64_t extent[3])
{
    const json_t *value = json_object_get(in, key);
    for (size_t d = 0; d < json_array_size(value) && d < 3; d++)
        extent[d] = json_integer_value(json_array_get(value, d));
}

static void predict_case(const json_t *in, wl_prediction *out)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    size_t length = 0;
    const char *name = json_string_value(json_object_get(in, "kernel"));
    char *text = kernel_text(name, &length), sets[SETS_MAX][64];
    const char *list[SETS_MAX];
    const wl_kernel_options options = {list, read_sets(in, sets, list)};
    wl_launch launch = {.registers = json_integer_value(json_object_get(in, "registers")),
                        .shared_bytes = json_integer_value(json_object_get(in, "shared_bytes"))};
    read_shape(in, "block", launch.block);
    read_shape(in, "fold", launch.fold);
    check_ok(name, wl_device_builtin(json_string_value(json_object_get(in, "device")), &device, &err), &err);
    apply_what_ifs(in, device);
    check_ok(name, wl_kernel_parse(name, text, length, &options, &kernel, &err), &err);
    check_ok(name, wl_predictor_new(kernel, device, &predictor, &err), &err);
    check_ok(name, wl_predict(predictor, &launch, NULL, out, &err), &err);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    free(text);
    check_done();
}

static json_t *values_of(const wl_prediction *p)
{
    json_t *all = json_object();
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        if (p->metrics[i].known)
            json_object_set_new(all, wl_metric_name((wl_metric)i), json_real(p->metrics[i].value));
    json_object_set_new(all, "time_s", json_real(p->model.time_s));
    return all;
}

static double value_of(const wl_prediction *p, const char *key)
{
    wl_metric metric;
    if (strcmp(key, "time_s") == 0)
        return p->model.time_s;
    if (strcmp(key, "blocks_per_sm") == 0)
        return (double)p->occupancy.blocks_per_sm;
    if (strcmp(key, "thread_index") == 0)
        return p->metrics[WL_METRIC_l1_wavefronts].parts[2].value;
    return wl_metric_find(key, &metric) && p->metrics[metric].known ? p->metrics[metric].value : NAN;
}

static void compare(const char *name, const json_t *expect, const wl_prediction *p)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)expect, key, value)
    {
        const bool volume = strstr(key, "bytes") || strstr(key, "wavefronts") || strcmp(key, "time_s") == 0;
        check_near(name, key, value_of(p, key), json_number_value(value), volume ? 1e-12 : 0);
    }
}

/* Runs all lines of a file; gives their number. With `out`, writes them anew. */
static size_t run_file(const char *path, FILE *out)
{
    char *line = NULL;
    size_t capacity = 0, cases = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (getline(&line, &capacity, f) > 0) {
        json_t *one = json_loads(line, 0, NULL);
        assert_non_null(one);
        json_t *in = json_object_get(one, "in");
        wl_prediction p;
        predict_case(in, &p);
        char *name = json_dumps(in, JSON_COMPACT);
        assert_true(json_object_size(json_object_get(one, "expect")) > 0 || out);
        if (!out)
            compare(name, json_object_get(one, "expect"), &p);
        json_object_set_new(one, "expect", values_of(&p));
        char *text = json_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (out)
            fprintf(out, "%s\n", text);
        free(text);
        free(name);
        json_decref(one);
        cases++;
    }
    free(line);
    fclose(f);
    return cases;
}

static void golden_cases(void **state)
{
    (void)state;
    const char *path = SOURCE_DIR "/tests/golden/cases.jsonl", *fresh = SOURCE_DIR "/tests/golden/cases.jsonl.new";
    FILE *out = getenv("UPDATE") ? fopen(fresh, "w") : NULL;
    assert_int_equal(run_file(path, out), 150);
    if (out) {
        fclose(out);
        assert_int_equal(rename(fresh, path), 0);
    }
    check_done();
}

static void measured_launches(void **state)
{
    (void)state;
    assert_int_equal(run_file(SOURCE_DIR "/tests/golden/measured.jsonl", NULL), 795);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_cases), cmocka_unit_test(measured_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
