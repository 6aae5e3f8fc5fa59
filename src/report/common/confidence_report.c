/* confidence_report.c - the measured or estimated error of a prediction, for people and as JSON.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/print.h"
#include "report/common/prediction_report.h"
#include "report/common/words.h"
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

void wl_confidence_json(wl_json_out *o, const wl_device *device, wl_model_id model)
{
    wl_out_object(o, "confidence");
    for (int i = 0; i < WL_CONFIDENCE_COUNT; i++) {
        wl_confidence c;
        if (wl_confidence_of(device, model, (wl_confidence_in)i, &c, NULL) != WL_OK) {
            o->text->failed = true;
            return;
        }
        wl_out_row(o, names[i], "low:r? high:r? measured:b basis:s", c.known ? c.low : NAN, c.known ? c.high : NAN,
                   c.measured, c.basis);
    }
    wl_out_object_end(o);
}
