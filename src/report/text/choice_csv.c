/* choice_csv.c - schedules side by side as CSV. SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/common/csv_out.h"
#include "report/common/choice_words.h"
#include "report/common/render.h"

static const wl_metric metrics[] = {WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes,
                                    WL_METRIC_dram_store_bytes, WL_METRIC_l1_wavefronts};
#define METRICS (sizeof metrics / sizeof metrics[0])

static void line(const wl_choice_report *r, size_t i, wl_buffer *out)
{
    const wl_prediction *p = &r->choice->rows[i];
    double hits;
    wl_csv_text(out, wl_kernel_name(r->kernel));
    wl_csv_text(out, wl_device_name(r->device));
    wl_csv_word(out, wl_schedule_words(&p->launch.schedule).text);
    wl_csv_shape(out, p->launch.block);
    wl_csv_number(out, p->model.time_s);
    wl_csv_number(out, wl_choice_gain(r->choice, i));
    wl_csv_word(out, wl_bound_name(p->model.limiter));
    wl_csv_word(out, wl_bound_name(p->model.next));
    wl_csv_word(out, i == wl_choice_best(r->choice) ? "yes" : "no");
    wl_csv_number(out, wl_l1_hit_rate(p, r->device, &hits) ? hits : NAN);
    for (size_t m = 0; m < METRICS; m++)
        wl_csv_number(out, p->metrics[metrics[m]].known ? p->metrics[metrics[m]].value : NAN);
    wl_csv_end(out);
}

void wl_choice_csv(const void *result, wl_buffer *out)
{
    const wl_choice_report *r = result;
    wl_buffer_text(out, "kernel,device,schedule,block_x,block_y,block_z,time_s,gain,limiter,next_limiter,recommended,"
                        "l1_hit_rate,");
    for (size_t m = 0; m < METRICS; m++)
        wl_csv_word(out, wl_metric_name(metrics[m]));
    wl_csv_end(out);
    for (size_t i = 0; i < r->choice->count; i++)
        line(r, i, out);
}
