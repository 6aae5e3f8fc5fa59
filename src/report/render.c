/* render.c - renders one result in the requested format. SPDX-License-Identifier: MIT */
#include "report/common/render.h"

#include <stdlib.h>

#include "base/fail.h"
#include "ptx/kernel/ptx_file.h"
#include "report/common/coverage_report.h"
#include "report/common/marks.h"
#include "report/common/prediction_report.h"
#include "report/common/roofline_report.h"
#include "report/common/stack_report.h"
#include "report/common/trace_report.h"

static bool is_json(wl_format format) { return format == WL_FORMAT_JSON || format == WL_FORMAT_JSON_LINE; }

/* Neither text nor JSON. */
static bool is_other(wl_format format) { return format == WL_FORMAT_CSV || format == WL_FORMAT_SVG; }

static wl_status no_form(wl_error *err, const char *what, wl_format format)
{
    return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%s has no %s form", what,
                   format == WL_FORMAT_SVG ? "SVG" : "CSV");
}

/* Shares, if there are any, refer to the kernel at that launch. */
static wl_report report_of(const wl_prediction *p, const wl_kernel *kernel, const wl_device *device)
{
    return (wl_report){p, p->fields && p->kernel ? p->kernel : kernel, device};
}

static wl_status render(const wl_report *r, wl_format format, wl_buffer *text, wl_error *err)
{
    switch (format) {
    case WL_FORMAT_JSON:
        WL_TRY(wl_report_json(r, true, text, err));
        wl_report_json_end(false, text);
        break;
    case WL_FORMAT_JSON_LINE: return wl_report_json_line(r, text, err);
    case WL_FORMAT_CSV: wl_report_csv(r, text); break;
    case WL_FORMAT_TEXT:
    case WL_FORMAT_MARKED: wl_report_text(r, text); break;
    case WL_FORMAT_SVG: return no_form(err, "a prediction", format);
    }
    return WL_OK;
}

wl_status wl_prediction_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                               wl_format format, char **out, wl_error *err)
{
    const wl_report r = report_of(prediction, kernel, device);
    wl_buffer text = wl_text_buffer(format);
    const wl_status status = render(&r, format, &text, err);
    if (status == WL_OK)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return status;
}

static wl_status give(const wl_prediction_writer *w, wl_buffer *piece, wl_error *err)
{
    const wl_status status = piece->failed ? wl_fail_memory(err) : w->sink(w->user, piece->text, piece->length, err);
    wl_buffer_drop(piece);
    return status;
}

wl_status wl_prediction_write(wl_prediction_writer *w, const wl_prediction *prediction, const wl_kernel *kernel,
                              const wl_device *device, wl_error *err)
{
    const wl_report r = report_of(prediction, kernel, device);
    wl_buffer piece = {0};
    const wl_status status = wl_report_json(&r, w->count++ == 0, &piece, err);
    if (status == WL_OK)
        return give(w, &piece, err);
    wl_buffer_drop(&piece);
    return status;
}

wl_status wl_prediction_write_end(wl_prediction_writer *w, wl_error *err)
{
    wl_buffer piece = {0};
    wl_report_json_end(w->count == 0, &piece);
    wl_buffer_text(&piece, "\n");
    return give(w, &piece, err);
}

/* The models that are shown. */
static wl_status choose_models(wl_stack_report *r, bool all, wl_error *err)
{
    const wl_stacks *s = r->stacks;
    const wl_model_id asked = s->asked;
    if (!all && asked != WL_MODEL_BEST && !s->known[asked])
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       s->missing[asked] ? "no stack by the model %s: the device file has no %s"
                                         : "the model %s has no stack: it knows no waits",
                       wl_model_name(asked), s->missing[asked]);
    if (s->known[s->first])
        r->models[r->model_count++] = s->first;
    for (int i = 0; i < WL_MODEL_COUNT && (all || asked == WL_MODEL_BEST); i++)
        if (s->known[i] && i != (int)s->first && (all || i == WL_MODEL_MDM))
            r->models[r->model_count++] = (wl_model_id)i;
    if (r->model_count > 0)
        return WL_OK;
    return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no model has a stack: the device file has no %s",
                   s->missing[WL_MODEL_MDM]);
}

wl_status wl_stack_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device, bool all,
                          wl_format format, char **out, wl_error *err)
{
    wl_stack_report r = {.prediction = prediction, .kernel = kernel, .device = device, .stacks = prediction->stacks};
    wl_buffer text = wl_text_buffer(format);
    if (!r.stacks)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "the prediction was made without stacks");
    WL_TRY(choose_models(&r, all, err));
    if (is_json(format))
        return wl_stack_json(&r, out, err);
    if (format == WL_FORMAT_CSV)
        return no_form(err, "a stack", format);
    if (format == WL_FORMAT_SVG)
        wl_stack_svg(&r, &text);
    else
        wl_stack_text(&r, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_trace_render(const wl_trace *trace, wl_format format, const wl_trace_look *look, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_trace_json(trace, out, err);
    if (format == WL_FORMAT_CSV)
        return no_form(err, "a trace", format);
    const wl_status status =
        format == WL_FORMAT_SVG ? wl_trace_svg(trace, &text, err) : wl_trace_text(trace, look, &text, err);
    if (status == WL_OK)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return status;
}

wl_status wl_roofline_render(const wl_roofline *roofline, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (roofline->launch_count == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "a roofline without a launch has nothing to show");
    switch (format) {
    case WL_FORMAT_JSON:
    case WL_FORMAT_JSON_LINE: return wl_roofline_json(roofline, format == WL_FORMAT_JSON_LINE, out, err);
    case WL_FORMAT_CSV: wl_roofline_csv(roofline, &text); break;
    case WL_FORMAT_TEXT:
    case WL_FORMAT_MARKED: wl_roofline_text(roofline, &text); break;
    case WL_FORMAT_SVG: wl_roofline_svg(roofline, &text); break;
    }
    return wl_buffer_take(&text, out, err);
}

wl_status wl_diff_render(const wl_diff *diff, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_diff_json(diff, format == WL_FORMAT_JSON_LINE, out, err);
    if (is_other(format))
        return no_form(err, "a difference", format);
    wl_diff_text(diff, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_check_render(const wl_check *check, const char *kernel, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_check_json(check, kernel, out, err);
    if (is_other(format))
        return no_form(err, "a check", format);
    wl_check_text(check, kernel, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_advise_render(const wl_advise_report *report, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_advise_json(report, out, err);
    if (is_other(format))
        return no_form(err, "advice", format);
    const wl_status status = wl_advise_text(report, &text, err);
    if (status == WL_OK)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return status;
}

wl_status wl_choice_render(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, wl_format format,
                           char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_choice_json(choice, kernel, device, out, err);
    if (format == WL_FORMAT_SVG)
        return no_form(err, "a choice of schedules", format);
    if (format == WL_FORMAT_CSV)
        wl_choice_csv(choice, kernel, device, &text);
    else
        wl_choice_text(choice, kernel, device, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_comparison_render(const wl_comparison *comparison, wl_format format, bool all_rows, char **out,
                               wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_comparison_json(comparison, out, err);
    if (format == WL_FORMAT_SVG)
        return no_form(err, "a comparison", format);
    if (format == WL_FORMAT_CSV)
        wl_comparison_csv(comparison, &text);
    else
        wl_comparison_text(comparison, all_rows, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_fit_render(const wl_fit *fit, const char *origin, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_fit_json(fit, origin, out, err);
    if (is_other(format))
        return no_form(err, "a fit", format);
    wl_fit_text(fit, origin, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_device_render(const wl_device *device, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_device_json(device, out, err);
    if (is_other(format))
        return no_form(err, "a device", format);
    wl_device_text(device, &text);
    return wl_buffer_take(&text, out, err);
}

static wl_status render_list(const wl_device *const *devices, size_t count, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_json(format))
        return wl_device_list_json(devices, count, out, err);
    if (is_other(format))
        return no_form(err, "the list of devices", format);
    wl_device_list_text(devices, count, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_device_list_render(wl_format format, char **out, wl_error *err)
{
    const size_t count = wl_device_builtin_count();
    wl_device **devices = calloc(count + 1, sizeof *devices);
    wl_status status = devices ? WL_OK : wl_fail_memory(err);
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = wl_device_builtin(wl_device_builtin_name(i), &devices[i], err);
    if (status == WL_OK)
        status = render_list((const wl_device *const *)devices, count, format, out, err);
    for (size_t i = 0; devices && i < count; i++)
        wl_device_free(devices[i]);
    free(devices);
    return status;
}

wl_status wl_device_compare_render(const wl_device *const *devices, size_t count, bool sources, wl_format format,
                                   char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (count < 2)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a comparison needs two devices or more");
    if (is_json(format))
        return wl_device_compare_json(devices, count, out, err);
    if (is_other(format))
        return no_form(err, "a comparison of devices", format);
    wl_device_compare_text(devices, count, sources, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_occupancy_render(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                              wl_format format, char **out, wl_error *err)
{
    wl_occupancy_report r = {
        .device = device, .threads = threads, .registers = registers, .shared_bytes = shared_bytes};
    wl_buffer text = wl_text_buffer(format);
    WL_TRY(wl_occupancy_compute(device, threads, registers, shared_bytes, &r.occupancy, err));
    WL_TRY(wl_occupancy_next(device, threads, registers, shared_bytes, &r.next, err));
    if (is_json(format))
        return wl_occupancy_json(&r, out, err);
    if (is_other(format))
        return no_form(err, "occupancy", format);
    wl_occupancy_text(&r, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_ptx_coverage(const wl_ptx *ptx, wl_format format, char **out, wl_error *err)
{
    wl_coverage coverage;
    wl_buffer text = wl_text_buffer(format);
    if (is_other(format))
        return no_form(err, "the coverage of a PTX file", format);
    wl_coverage_count(ptx, &coverage);
    if (is_json(format))
        return wl_coverage_json(&coverage, out, err);
    wl_coverage_text(&coverage, &text);
    return wl_buffer_take(&text, out, err);
}

wl_status wl_ptx_render(const wl_ptx_report *report, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    if (is_other(format))
        return no_form(err, "a PTX file", format);
    WL_TRY(wl_ptx_any_fits(report->ptx, report->part, err));
    if (is_json(format))
        return wl_ptx_json(report, out, err);
    wl_ptx_text(report, &text);
    return wl_buffer_take(&text, out, err);
}
