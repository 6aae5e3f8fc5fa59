/* render.c - one prediction in the format asked for. SPDX-License-Identifier: MIT */
#include "report/prediction_report.h"

wl_status wl_prediction_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                               wl_format format, char **out, wl_error *err)
{
    /* where there are shares, they are of the kernel as it was for that launch */
    const wl_report r = {prediction, prediction->fields && prediction->kernel ? prediction->kernel : kernel, device};
    wl_buffer text = {0};
    switch (format) {
    case WL_FORMAT_JSON:
    case WL_FORMAT_JSON_LINE: return wl_report_json(&r, format == WL_FORMAT_JSON_LINE, out, err);
    case WL_FORMAT_CSV: wl_report_csv(&r, &text); break;
    case WL_FORMAT_TEXT: wl_report_text(&r, &text); break;
    }
    return wl_buffer_take(&text, out, err);
}
