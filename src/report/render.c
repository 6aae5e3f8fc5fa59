/* render.c - the table of writers: which one renders a result in a format.
 * SPDX-License-Identifier: MIT */
#include "report/common/render.h"

#include <stdlib.h>

#include "base/fail.h"
#include "ptx/kernel/ptx_file.h"
#include "report/common/answer_report.h"
#include "report/common/binary_report.h"
#include "report/common/marks.h"
#include "report/common/prediction_report.h"
#include "report/common/roofline_report.h"
#include "report/common/stack_report.h"
#include "report/common/sweep_report.h"
#include "report/common/trace_report.h"
#include "report/common/tuning_report.h"

/* One of the three; all zeros: there is no such form. */
typedef struct writer {
    wl_text_writer *text;
    wl_any_writer *any;
    wl_json_writer *json;
    wl_json_form form; /* of JSON */
    int digits;        /* of its doubles; 0: WL_JSON_DIGITS */
} writer;

/* MARKED is TEXT with marks. A line of JSON looks like JSON, unless it has a writer of its own. */
typedef struct row {
    const char *name; /* in messages */
    writer writers[WL_FORMAT_MARKED];
} row;

#define TEXT(f) [WL_FORMAT_TEXT] = {.text = (f)}
#define JSON(f) [WL_FORMAT_JSON] = {.json = (f)}
#define JSON_OF(f, n) [WL_FORMAT_JSON] = {.json = (f), .digits = (n)}
#define JSON_LINE(f, how) [WL_FORMAT_JSON_LINE] = {.json = (f), .form = (how)}
#define CSV(f) [WL_FORMAT_CSV] = {.text = (f)}
#define SVG(f) [WL_FORMAT_SVG] = {.text = (f)}
#define ANY(format, f) [format] = {.any = (f)}

#define EXACT 17    /* digits: any two doubles differ */
#define MEASURED 12 /* digits: no measurement has more */

static const struct {
    row prediction, answer, sweep, stack, trace, roofline, difference, check, advice, choice, comparison, fit, miss_fit,
        device, device_list, devices_compared, occupancy, coverage, profile, profile_trace, ptx, binary, tuning;
} table = {
    .prediction = {"a prediction",
                   {TEXT(wl_report_text), ANY(WL_FORMAT_JSON, wl_report_json),
                    ANY(WL_FORMAT_JSON_LINE, wl_report_json_line), CSV(wl_report_csv)}},
    .answer = {"an answer", {TEXT(wl_answer_text)}},
    .sweep = {"a sweep", {TEXT(wl_sweep_text), JSON(wl_sweep_json), CSV(wl_sweep_csv), SVG(wl_sweep_svg)}},
    .stack = {"a stack", {TEXT(wl_stack_text), JSON(wl_stack_json), SVG(wl_stack_svg)}},
    .trace = {"a trace", {ANY(WL_FORMAT_TEXT, wl_trace_text), JSON(wl_trace_json), ANY(WL_FORMAT_SVG, wl_trace_svg)}},
    .roofline = {"a roofline",
                 {TEXT(wl_roofline_text), JSON(wl_roofline_json), JSON_LINE(wl_roofline_json, WL_JSON_SPACED),
                  CSV(wl_roofline_csv), SVG(wl_roofline_svg)}},
    .difference = {"a difference", {TEXT(wl_diff_text), JSON(wl_diff_json), JSON_LINE(wl_diff_json, WL_JSON_COMPACT)}},
    .check = {"a check", {TEXT(wl_check_text), JSON(wl_check_json)}},
    .advice = {"advice", {ANY(WL_FORMAT_TEXT, wl_advise_text), JSON(wl_advise_json)}},
    .choice = {"a choice of schedules", {TEXT(wl_choice_text), JSON(wl_choice_json), CSV(wl_choice_csv)}},
    .comparison = {"a comparison",
                   {TEXT(wl_comparison_text), JSON_OF(wl_comparison_json, MEASURED), CSV(wl_comparison_csv),
                    ANY(WL_FORMAT_SVG, wl_comparison_svg)}},
    .fit = {"a fit", {TEXT(wl_fit_text), JSON_OF(wl_fit_json, EXACT)}},
    .miss_fit = {"a fit", {TEXT(wl_miss_fit_text), JSON(wl_miss_fit_json)}},
    .device = {"a device", {TEXT(wl_device_text), JSON_OF(wl_device_json, EXACT)}},
    .device_list = {"the list of devices", {TEXT(wl_device_list_text), JSON(wl_device_list_json)}},
    .devices_compared = {"a comparison of devices", {TEXT(wl_device_compare_text), JSON(wl_device_compare_json)}},
    .occupancy = {"occupancy", {TEXT(wl_occupancy_text), JSON(wl_occupancy_json)}},
    .coverage = {"the coverage of a PTX file", {TEXT(wl_coverage_text), JSON(wl_coverage_json)}},
    .profile = {"a profile", {TEXT(wl_profile_text), JSON(wl_profile_json), CSV(wl_profile_csv)}},
    .profile_trace = {"a trace of a program", {JSON(wl_profile_events)}},
    .ptx = {"a PTX file", {TEXT(wl_ptx_text), JSON(wl_ptx_json)}},
    .binary = {"the device code of a file", {TEXT(wl_binary_text), JSON(wl_binary_json)}},
    .tuning = {"configurations", {TEXT(wl_tuning_text), JSON(wl_tuning_json), CSV(wl_tuning_csv)}},
};

static bool exists(const writer *w) { return w->text || w->any || w->json; }

static const writer *find_writer(const row *r, wl_format format)
{
    if (format == WL_FORMAT_MARKED)
        format = WL_FORMAT_TEXT;
    if (format == WL_FORMAT_JSON_LINE && !exists(&r->writers[format]))
        format = WL_FORMAT_JSON;
    return &r->writers[format];
}

static wl_status write_json(const writer *w, const void *result, wl_buffer *text, wl_error *err)
{
    wl_json_out o = {.text = text, .form = w->form, .digits = w->digits ? w->digits : WL_JSON_DIGITS, .err = err};
    wl_out_object(&o, NULL);
    w->json(&o, result);
    wl_out_object_end(&o);
    return wl_out_status(&o, err);
}

static wl_status render(const row *r, const void *result, wl_format format, char **out, wl_error *err)
{
    const writer *w = find_writer(r, format);
    wl_buffer text = wl_text_buffer(format);
    wl_status status = WL_OK;
    if (!exists(w))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "%s has no %s form", r->name,
                       format == WL_FORMAT_SVG ? "SVG" : "CSV");
    if (w->json)
        status = write_json(w, result, &text, err);
    else if (w->text)
        w->text(result, &text);
    else
        status = w->any(result, &text, err);
    if (status == WL_OK)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return status;
}

/* ---- predictions ---- */

/* Shares, if there are any, refer to the kernel at that launch. */
static wl_report report_of(const wl_prediction *p, const wl_kernel *kernel, const wl_device *device)
{
    return (wl_report){p, p->fields && p->kernel ? p->kernel : kernel, device};
}

wl_status wl_prediction_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                               wl_format format, char **out, wl_error *err)
{
    const wl_report r = report_of(prediction, kernel, device);
    return render(&table.prediction, &r, format, out, err);
}

wl_status wl_answer_render(const wl_answer *answer, wl_format format, char **out, wl_error *err)
{
    wl_answer a = *answer;
    a.kernel = a.prediction->fields && a.prediction->kernel ? a.prediction->kernel : a.kernel;
    return render(&table.answer, &a, format, out, err);
}

wl_status wl_sweep_render(const wl_sweep *sweep, wl_format format, char **out, wl_error *err)
{
    if (sweep->count == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "a sweep without a launch has nothing to show");
    return render(&table.sweep, sweep, format, out, err);
}

wl_status wl_tuning_render(wl_tuning *tuning, size_t top, size_t variants, wl_format format, char **out, wl_error *err)
{
    wl_tuning_sort(tuning, top, variants);
    return render(&table.tuning, tuning, format, out, err);
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
    const wl_status status = wl_report_json_piece(&r, w->count++ == 0, &piece, err);
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

/* ---- one launch, or several ---- */

wl_status wl_stack_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device, bool all,
                          wl_format format, char **out, wl_error *err)
{
    wl_stack_report r = {.prediction = prediction, .kernel = kernel, .device = device, .stacks = prediction->stacks};
    if (!r.stacks)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "the prediction was made without stacks");
    WL_TRY(wl_stack_choose_models(&r, all, err));
    return render(&table.stack, &r, format, out, err);
}

wl_status wl_trace_render(const wl_trace *trace, wl_format format, const wl_trace_look *look, char **out, wl_error *err)
{
    return render(&table.trace, &(wl_trace_view){trace, look}, format, out, err);
}

wl_status wl_roofline_render(const wl_roofline *roofline, wl_format format, char **out, wl_error *err)
{
    if (roofline->launch_count == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "a roofline without a launch has nothing to show");
    return render(&table.roofline, roofline, format, out, err);
}

wl_status wl_diff_render(const wl_diff *diff, wl_format format, char **out, wl_error *err)
{
    return render(&table.difference, diff, format, out, err);
}

wl_status wl_check_render(const wl_check *check, const char *kernel, wl_format format, char **out, wl_error *err)
{
    return render(&table.check, &(wl_check_report){check, kernel}, format, out, err);
}

wl_status wl_advise_render(const wl_advise_report *report, wl_format format, char **out, wl_error *err)
{
    return render(&table.advice, report, format, out, err);
}

wl_status wl_choice_render(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device, wl_format format,
                           char **out, wl_error *err)
{
    return render(&table.choice, &(wl_choice_report){choice, kernel, device}, format, out, err);
}

/* ---- measured launches ---- */

wl_status wl_comparison_render(const wl_comparison *comparison, wl_format format, bool all_rows, char **out,
                               wl_error *err)
{
    return render(&table.comparison, &(wl_comparison_report){comparison, all_rows}, format, out, err);
}

wl_status wl_fit_render(const wl_fit *fit, const char *origin, wl_format format, char **out, wl_error *err)
{
    return render(&table.fit, &(wl_fit_report){fit, origin}, format, out, err);
}

wl_status wl_miss_fit_render(const wl_miss_fit *fit, const char *origin, wl_format format, char **out, wl_error *err)
{
    return render(&table.miss_fit, &(wl_miss_fit_report){fit, origin}, format, out, err);
}

/* ---- devices and PTX files ---- */

wl_status wl_device_render(const wl_device *device, wl_format format, char **out, wl_error *err)
{
    return render(&table.device, device, format, out, err);
}

wl_status wl_device_list_render(wl_format format, char **out, wl_error *err)
{
    const size_t count = wl_device_builtin_count();
    wl_device **devices = calloc(count + 1, sizeof *devices);
    wl_status status = devices ? WL_OK : wl_fail_memory(err);
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = wl_device_builtin(wl_device_builtin_name(i), &devices[i], err);
    const wl_devices_report r = {(const wl_device *const *)devices, count, false};
    if (status == WL_OK)
        status = render(&table.device_list, &r, format, out, err);
    for (size_t i = 0; devices && i < count; i++)
        wl_device_free(devices[i]);
    free(devices);
    return status;
}

wl_status wl_device_compare_render(const wl_device *const *devices, size_t count, bool sources, wl_format format,
                                   char **out, wl_error *err)
{
    if (count < 2)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a comparison needs two devices or more");
    return render(&table.devices_compared, &(wl_devices_report){devices, count, sources}, format, out, err);
}

wl_status wl_occupancy_render(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                              wl_format format, char **out, wl_error *err)
{
    wl_occupancy_report r = {
        .device = device, .threads = threads, .registers = registers, .shared_bytes = shared_bytes};
    WL_TRY(wl_occupancy_compute(device, threads, registers, shared_bytes, &r.occupancy, err));
    WL_TRY(wl_occupancy_next(device, threads, registers, shared_bytes, &r.next, err));
    return render(&table.occupancy, &r, format, out, err);
}

wl_status wl_ptx_coverage(const wl_ptx *ptx, wl_format format, char **out, wl_error *err)
{
    wl_coverage coverage;
    wl_coverage_count(ptx, &coverage);
    return render(&table.coverage, &coverage, format, out, err);
}

wl_status wl_ptx_render(const wl_ptx_report *report, wl_format format, char **out, wl_error *err)
{
    WL_TRY(wl_ptx_any_fits(report->modules, report->module_count, report->part, err));
    return render(&table.ptx, report, format, out, err);
}

/* Code that cannot be unpacked is listed, too. */
wl_status wl_binary_render(const wl_binary *binary, const char *file, wl_format format, char **out, wl_error *err)
{
    const size_t count = wl_binary_code_count(binary);
    int64_t *kernels = calloc(count + 1, sizeof *kernels);
    wl_status status = kernels ? WL_OK : wl_fail_memory(err);
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        wl_error why = {0};
        size_t found = 0;
        const wl_status counted = wl_binary_kernel_count(binary, i, &found, &why);
        kernels[i] = counted == WL_OK ? (int64_t)found : -1;
        if (counted == WL_E_NOMEM)
            status = wl_fail_memory(err);
    }
    if (status == WL_OK)
        status = render(&table.binary, &(wl_binary_report){binary, file, kernels}, format, out, err);
    free(kernels);
    return status;
}

/* ---- profiles ---- */

wl_status wl_profile_render(const wl_profile *const *profiles, size_t count, wl_format format, char **out,
                            wl_error *err)
{
    const wl_profiles_report report = {profiles, count};
    return render(&table.profile, &report, format, out, err);
}

wl_status wl_profile_trace(const wl_profile *profile, char **out, wl_error *err)
{
    return render(&table.profile_trace, profile, WL_FORMAT_JSON, out, err);
}
