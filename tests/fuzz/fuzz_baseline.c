/* fuzz_baseline.c - any bytes as stored predictions: what 'check --baseline' and 'diff' read.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "judge/difference.h"
#include "judge/findings.h"

static void check_stored(const wl_stored *s)
{
    const wl_prediction *p = s->prediction;
    REQUIRE(s->line >= 1 && s->kernel && s->device);
    for (int d = 0; d < 3; d++)
        REQUIRE(p->launch.block[d] >= 1 && p->launch.fold[d] >= 1 && p->launch.grid[d] >= 1);
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        REQUIRE(!p->metrics[i].known || (isfinite(p->metrics[i].value) && p->metrics[i].value >= 0));
        REQUIRE(p->metrics[i].part_count >= 0 && p->metrics[i].part_count <= WL_PARTS_MAX);
    }
    REQUIRE(p->items >= 1 && p->blocks >= 1 && p->wave_blocks >= 1 && p->occupancy.limiter < WL_LIMIT_COUNT);
    REQUIRE(p->model.id != WL_MODEL_BEST && p->model.time_s > 0 && p->model.items_per_s > 0);
    REQUIRE(p->model.limiter < WL_BOUND_COUNT && p->model.next < WL_BOUND_COUNT);
}

static void check_findings(const wl_stored *now, const wl_stored *was)
{
    wl_finding findings[WL_METRIC_COUNT + 1];
    const size_t most = sizeof findings / sizeof findings[0];
    const size_t count = wl_find_by_baseline(now->prediction, was->prediction, 0.01, findings, most);
    REQUIRE(count >= 1 && count <= most);
    for (size_t i = 0; i < count; i++) {
        const wl_finding *f = &findings[i];
        REQUIRE(f->from_baseline && (f->predicted_known || f->limit_known) && wl_verdict_name(f->verdict)[0]);
        REQUIRE(!f->change_known || isfinite(f->change));
    }
}

static void check_diff(const wl_stored *a, const wl_stored *b)
{
    wl_error err = {0};
    wl_diff *diff = NULL;
    REQUIRE(wl_diff_new((wl_diff_side){a->prediction, a->kernel, a->device},
                        (wl_diff_side){b->prediction, b->kernel, b->device}, &diff, &err) == WL_OK);
    REQUIRE(isfinite(diff->speedup) && diff->speedup > 0 && diff->reason_count >= 0 &&
            diff->reason_count <= WL_REASONS_MAX);
    for (int f = WL_FORMAT_TEXT; f <= WL_FORMAT_JSON_LINE; f++) {
        char *text = NULL;
        const wl_status status = wl_diff_render(diff, (wl_format)f, &text, &err);
        fuzz_check_outcome(status, text, &err);
        REQUIRE(status == WL_OK);
        json_t *json = f == WL_FORMAT_TEXT ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        REQUIRE(f == WL_FORMAT_TEXT || json);
        json_decref(json);
        free(text);
    }
    wl_diff_free(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wl_stored_list *list = NULL;
    wl_error err = {0};
    const wl_status status = wl_stored_read("baseline.json", (const char *)data, size, &list, &err);
    fuzz_check_outcome(status, list, &err);
    if (list) {
        const size_t count = wl_stored_count(list);
        REQUIRE(count >= 1);
        for (size_t i = 0; i < count; i++)
            check_stored(wl_stored_at(list, i));
        check_findings(wl_stored_at(list, 0), wl_stored_at(list, count - 1));
        check_diff(wl_stored_at(list, 0), wl_stored_at(list, count - 1));
    }
    wl_stored_free(list);
    return 0;
}
