/* choice_csv.c - schedules side by side as CSV; an unknown value is an empty cell.
 * SPDX-License-Identifier: MIT */
#include "base/quote.h"
#include "report/common/choice_words.h"
#include "report/common/render.h"

static const wl_metric metrics[] = {WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes,
                                    WL_METRIC_dram_store_bytes, WL_METRIC_l1_wavefronts};
#define METRICS (sizeof metrics / sizeof metrics[0])

static void line(const wl_choice *c, const wl_kernel *kernel, const wl_device *device, size_t i, wl_buffer *out)
{
    const wl_prediction *p = &c->rows[i];
    double hits;
    wl_quote_csv(out, wl_kernel_name(kernel));
    wl_buffer_text(out, ",");
    wl_quote_csv(out, wl_device_name(device));
    wl_buffer_add(out, ",%s", wl_schedule_words(&p->launch.schedule).text);
    for (int d = 0; d < 3; d++)
        wl_buffer_add(out, ",%lld", (long long)p->launch.block[d]);
    wl_buffer_add(out, ",%.15g,%.15g,%s,%s,%s", p->model.time_s, wl_choice_gain(c, i), wl_bound_name(p->model.limiter),
                  wl_bound_name(p->model.next), i == wl_choice_best(c) ? "yes" : "no");
    if (wl_l1_hit_rate(p, device, &hits))
        wl_buffer_add(out, ",%.15g", hits);
    else
        wl_buffer_text(out, ",");
    for (size_t m = 0; m < METRICS; m++)
        if (p->metrics[metrics[m]].known)
            wl_buffer_add(out, ",%.15g", p->metrics[metrics[m]].value);
        else
            wl_buffer_text(out, ",");
    wl_buffer_text(out, "\n");
}

void wl_choice_csv(const void *result, wl_buffer *out)
{
    const wl_choice_report *r = result;
    wl_buffer_text(out, "kernel,device,schedule,block_x,block_y,block_z,time_s,gain,limiter,next_limiter,recommended,"
                        "l1_hit_rate");
    for (size_t m = 0; m < METRICS; m++)
        wl_buffer_add(out, ",%s", wl_metric_name(metrics[m]));
    wl_buffer_text(out, "\n");
    for (size_t i = 0; i < r->choice->count; i++)
        line(r->choice, r->kernel, r->device, i, out);
}
