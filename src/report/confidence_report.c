/* confidence_report.c - how far off a prediction is known or believed to be, for people and as JSON.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/print.h"
#include "report/prediction_report.h"
#include "report/wrapped_text.h"
#include "warpline/trust.h"

enum { LINE_WIDTH = 100 };

static const char *const names[WL_CONFIDENCE_COUNT] = {"time", "volumes"};

/* "6.1 to 11.4 %" */
static void range_text(const wl_confidence *c, char *text, size_t size)
{
    if (!c->known)
        (void)snprintf(text, size, "unknown");
    else if (c->low < c->high)
        (void)wl_print(text, size, "%.3g to %.3g %%", 100 * c->low, 100 * c->high);
    else
        (void)wl_print(text, size, "%.3g %%", 100 * c->low);
}

void wl_confidence_text(const wl_device *device, wl_model_id model, wl_buffer *out)
{
    wl_buffer_text(out, "\n  confidence: the mean error of such predictions on this device\n");
    for (int i = 0; i < WL_CONFIDENCE_COUNT; i++) {
        wl_confidence c;
        char range[48], head[96];
        out->failed = out->failed || wl_confidence_of(device, model, (wl_confidence_in)i, &c, NULL) != WL_OK;
        if (out->failed)
            return;
        range_text(&c, range, sizeof range);
        (void)snprintf(head, sizeof head, "    %-8s %-14s ", names[i], range);
        wl_hanging_text(head, c.basis, LINE_WIDTH, out);
    }
}

json_t *wl_confidence_json(wl_json *j, const wl_device *device, wl_model_id model)
{
    json_t *all = wl_json_object(j);
    for (int i = 0; i < WL_CONFIDENCE_COUNT; i++) {
        wl_confidence c;
        j->failed = j->failed || wl_confidence_of(device, model, (wl_confidence_in)i, &c, NULL) != WL_OK;
        if (j->failed)
            return all;
        json_t *one = wl_json_object(j);
        if (c.known) {
            wl_json_set(j, one, "low", wl_json_real(j, c.low));
            wl_json_set(j, one, "high", wl_json_real(j, c.high));
        }
        wl_json_set(j, one, "measured", wl_json_truth(j, c.measured));
        wl_json_set(j, one, "basis", wl_json_text(j, c.basis));
        wl_json_set(j, all, names[i], one);
    }
    return all;
}
