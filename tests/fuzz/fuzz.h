/* fuzz.h - what every fuzz target checks, whatever the input was.
 *
 * A failure names the rule that was broken and aborts, in every build: assert would vanish in a
 * release build.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_FUZZ_H
#define WL_TESTS_FUZZ_H

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "device/device_internal.h"
#include "metrics/prediction.h"
#include "warpline/warpline.h"

#define DEVICES_MAX 64 /* built-in ones */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken rule: %s\n", __FILE__, __LINE__, #condition);                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A copy of the input as a C string, in memory of malloc of exactly that size. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    REQUIRE(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A call gives either a result and no error, or an error that says something and no result. */
static inline void fuzz_check_outcome(wl_status status, const void *out, const wl_error *err)
{
    REQUIRE(status != WL_E_NOMEM);
    REQUIRE((status == WL_OK) == (out != NULL));
    REQUIRE(status == err->code);
    if (status == WL_OK)
        return;
    REQUIRE(memchr(err->message, '\0', sizeof err->message) && memchr(err->input, '\0', sizeof err->input));
    REQUIRE(err->message[0] != '\0' && !strchr(err->message, '\n'));
    REQUIRE(err->loc.line >= 0 && err->loc.col >= 0 && err->loc.len >= 0);
    REQUIRE(err->loc.line == 0 || err->loc.col > 0);
    REQUIRE(wl_status_name(status)[0] != '\0');
}

static inline void fuzz_check_value(const wl_value *v)
{
    if (!v->known)
        return;
    REQUIRE(isfinite(v->value) && v->value >= 0);
    double sum = 0, size = fabs(v->value);
    for (int i = 0; i < v->part_count; i++) {
        REQUIRE(isfinite(v->parts[i].value));
        sum += v->parts[i].value;
        size += fabs(v->parts[i].value);
    }
    REQUIRE(v->part_count == 0 || fabs(sum - v->value) <= 1e-9 * size);
}

static inline void fuzz_check_prediction(const wl_prediction *p)
{
    for (int i = 0; i < WL_METRIC_COUNT; i++)
        fuzz_check_value(&p->metrics[i]);
    REQUIRE(p->items >= 1 && p->blocks >= 1 && p->wave_blocks >= 1 && p->wave_blocks <= p->blocks);
    REQUIRE(p->occupancy.blocks_per_sm >= 1 && p->occupancy.warps_per_sm >= 1);
    REQUIRE(isfinite(p->model.time_s) && p->model.time_s >= 0);
    REQUIRE(isfinite(p->model.items_per_s) && p->model.items_per_s >= 0);
    REQUIRE(p->l1_miss_rate >= 0 && p->l1_miss_rate <= 1);
    for (int d = 0; d < 3; d++)
        REQUIRE(!p->reuse[d].exists || (p->reuse[d].hit_rate >= 0 && p->reuse[d].hit_rate <= 1));
    REQUIRE(p->warning_count >= 0 && p->warning_count <= WL_WARNINGS_MAX);
}

/* Every format can be written, and the JSON is JSON. */
static inline void fuzz_check_render(const wl_prediction *p, const wl_kernel *kernel, const wl_device *device)
{
    for (int f = WL_FORMAT_TEXT; f <= WL_FORMAT_CSV; f++) {
        wl_error err = {0};
        char *text = NULL;
        const wl_status status = wl_prediction_render(p, kernel, device, (wl_format)f, &text, &err);
        fuzz_check_outcome(status, text, &err);
        REQUIRE(status == WL_OK);
        if (f == WL_FORMAT_JSON || f == WL_FORMAT_JSON_LINE) {
            json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
            REQUIRE(json);
            json_decref(json);
        }
        if (f == WL_FORMAT_JSON_LINE)
            REQUIRE(!strchr(text, '\n'));
        free(text);
    }
    wl_error err = {0};
    char *table = NULL;
    const wl_prediction *const two[2] = {p, p};
    const wl_status status = wl_predictions_table(two, 2, kernel, device, WL_FORMAT_TEXT, &table, &err);
    fuzz_check_outcome(status, table, &err);
    free(table);
}

/* One launch, everything about it checked. */
static inline void fuzz_predict(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch)
{
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    wl_status status = wl_predictor_new(kernel, device, &predictor, &err);
    fuzz_check_outcome(status, predictor, &err);
    if (status != WL_OK)
        return;
    static wl_prediction prediction;
    const wl_predict_options options = {.per_access = true, .l1_samples = SAMPLES_MAX};
    status = wl_predict(predictor, launch, &options, &prediction, &err);
    fuzz_check_outcome(status, status == WL_OK ? &prediction : NULL, &err);
    if (status == WL_OK) {
        fuzz_check_prediction(&prediction);
        fuzz_check_render(&prediction, kernel, device);
    }
    wl_predictor_free(predictor);
}

/* A built-in device, read once. */
static inline const wl_device *fuzz_device(const char *name, wl_device **kept)
{
    wl_error err = {0};
    if (!*kept)
        REQUIRE(wl_device_builtin(name, kept, &err) == WL_OK);
    return *kept;
}

/* A built-in device of one's own. Reading one takes longer than predicting with it: each is read
 * once, and copied. The copy's texts are those of the one that is kept. */
static inline wl_status fuzz_device_copy(const char *name, wl_device **out, wl_error *err)
{
    static wl_device *kept[DEVICES_MAX];
    size_t i = 0;
    while (i < DEVICES_MAX && kept[i] && strcmp(wl_device_name(kept[i]), name) != 0)
        i++;
    REQUIRE(i < DEVICES_MAX);
    if (!kept[i]) {
        const wl_status status = wl_device_builtin(name, &kept[i], err);
        if (status != WL_OK)
            return status;
        REQUIRE(strcmp(wl_device_name(kept[i]), name) == 0);
    }
    return wl_device_copy(kept[i], out, err);
}

#endif /* WL_TESTS_FUZZ_H */
