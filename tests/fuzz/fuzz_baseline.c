/* fuzz_baseline.c - any bytes as stored predictions: what 'check --baseline' and 'diff' read.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "load.h"
#include "sandbox.h"
#include "stored.h"

#define FILE_NAME "baseline.json"

static void check_stored(const stored *s)
{
    const wl_prediction *p = &s->prediction;
    REQUIRE(s->line >= 1 && s->kernel && s->device && s->strange_count <= STRANGE_MAX);
    for (int d = 0; d < 3; d++)
        REQUIRE(p->launch.block[d] >= 1 && p->launch.fold[d] >= 1 && p->launch.grid[d] >= 1);
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        REQUIRE(!p->metrics[i].known || (isfinite(p->metrics[i].value) && p->metrics[i].value >= 0));
        REQUIRE(p->metrics[i].part_count >= 0 && p->metrics[i].part_count <= WL_PARTS_MAX);
    }
    REQUIRE(p->items >= 1 && p->blocks >= 1 && p->wave_blocks >= 1 && p->occupancy.limiter < WL_LIMIT_COUNT);
    REQUIRE(p->model.name && p->model.time_s > 0 && p->model.items_per_s > 0);
    REQUIRE(p->model.limiter < WL_BOUND_COUNT && p->model.next < WL_BOUND_COUNT);
}

static void check_findings(const stored *now, const stored *was)
{
    wl_finding findings[WL_FINDINGS_MAX];
    const size_t count = wl_check_baseline(&now->prediction, &was->prediction, 0.01, findings);
    REQUIRE(count >= 1 && count <= WL_FINDINGS_MAX);
    for (size_t i = 0; i < count; i++) {
        const wl_finding *f = &findings[i];
        REQUIRE(f->from_baseline && (f->predicted_known || f->limit_known) && wl_verdict_name(f->verdict)[0]);
        REQUIRE(!f->change_known || isfinite(f->change));
    }
}

static void check_diff(const stored *a, const stored *b)
{
    static wl_diff diff;
    wl_diff_compute((wl_diff_side){&a->prediction, a->kernel, a->device},
                    (wl_diff_side){&b->prediction, b->kernel, b->device}, &diff);
    REQUIRE(isfinite(diff.speedup) && diff.speedup > 0 && diff.reason_count >= 0 &&
            diff.reason_count <= WL_REASONS_MAX);
    for (int f = WL_FORMAT_TEXT; f <= WL_FORMAT_JSON_LINE; f++) {
        wl_error err = {0};
        char *text = NULL;
        const wl_status status = wl_diff_render(&diff, (wl_format)f, &text, &err);
        fuzz_check_outcome(status, text, &err);
        REQUIRE(status == WL_OK);
        json_t *json = f == WL_FORMAT_TEXT ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        REQUIRE(f == WL_FORMAT_TEXT || json);
        json_decref(json);
        free(text);
    }
}

/* The only place that knows how stored predictions are read. */
static wl_status read_stored(const uint8_t *data, size_t size, stored_file *out, wl_error *err)
{
    const sandbox_file file = {FILE_NAME, data, size};
    sandbox_start(&file, 1);
    const wl_status status = stored_load(FILE_NAME, out, err);
    const sandbox_result printed = sandbox_end();
    REQUIRE(printed.out_size == 0 && printed.err_size == 0);
    free(printed.out);
    free(printed.err);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stored_file file;
    wl_error err = {0};
    const wl_status status = read_stored(data, size, &file, &err);
    fuzz_check_outcome(status, status == WL_OK ? &file : NULL, &err);
    if (status == WL_OK) {
        REQUIRE(file.count >= 1);
        for (size_t i = 0; i < file.count; i++)
            check_stored(&file.all[i]);
        check_findings(&file.all[0], &file.all[file.count - 1]);
        check_diff(&file.all[0], &file.all[file.count - 1]);
    }
    load_forget();
    stored_free(&file);
    return 0;
}
