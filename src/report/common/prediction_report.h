/* prediction_report.h - the renderings behind wl_prediction_render. Each takes a prediction and
 * only formats it.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_PREDICTION_REPORT_H
#define WL_REPORT_COMMON_PREDICTION_REPORT_H

#include "base/json_out.h"
#include "metrics/prediction.h"
#include "report/common/render.h"

typedef struct wl_report {
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
} wl_report;

wl_text_writer wl_report_text, wl_report_csv; /* wl_report */
/* Schema warpline.predict/2; and warpline.prediction/2: one prediction on a line, without a line
 * end. */
wl_any_writer wl_report_json, wl_report_json_line;
/* The former piece by piece: the first prediction opens the array, wl_report_json_end closes it. */
wl_status wl_report_json_piece(const wl_report *report, bool first, wl_buffer *out, wl_error *err);
void wl_report_json_end(bool none, wl_buffer *out);

/* The measured or estimated error of predictions by this model on the device. */
void wl_confidence_text(const wl_device *device, wl_model_id model, wl_buffer *out);
void wl_confidence_json(wl_json_out *out, const wl_device *device, wl_model_id model);

#endif /* WL_REPORT_COMMON_PREDICTION_REPORT_H */
