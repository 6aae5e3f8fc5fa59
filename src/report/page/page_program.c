/* page_program.c - what the page of a recorded program begins with: where its time goes, and the
 * changes that would help most. SPDX-License-Identifier: MIT */
#include "profile/profile_internal.h"
#include "report/page/page.h"

#define PERCENT 100.0
#define SAVINGS 3 /* that are told */

static void add_verdict(const wl_profile *p, wl_buffer *out)
{
    const wl_profile_times *t = &p->times;
    const wl_profile_kernel *k = &p->kernels[0];
    wl_buffer_add(out, "<p class=\"verdict\">It takes <strong>%s</strong>: kernels %s",
                  wl_quantity(WL_DIM_TIME, t->program_s).text, wl_quantity(WL_DIM_TIME, t->kernels_s).text);
    if (t->copies_s > 0)
        wl_buffer_add(out, ", copies %s", wl_quantity(WL_DIM_TIME, t->copies_s).text);
    wl_buffer_text(out, ". ");
    if (k->predicted && t->kernels_s > 0)
        wl_page_print(out, "%.0f %% of the kernels' time is that of %s, limited by %s. ",
                      PERCENT * k->total_s / t->kernels_s, k->name, wl_bound_name(k->limiter));
    if (t->copies_s > t->kernels_s)
        wl_buffer_text(out, "Copies take longer than kernels: keep data on the device, or copy beside kernels. ");
    if (t->refused)
        wl_buffer_add(out, "%zu of %zu launches could not be predicted and are no part of this. ", t->refused,
                      p->launch_count);
    wl_buffer_text(out, "</p>\n");
}

/* The best one that was not told yet; count: none is left. */
static size_t next_saving(const wl_page_saving *savings, size_t count, const size_t *told, size_t told_count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t t = 0; t < told_count; t++)
            known = known || told[t] == i;
        if (!known && (best == count || savings[i].saving_s > savings[best].saving_s))
            best = i;
    }
    return best;
}

static void add_savings(const wl_profile *p, const wl_page_saving *savings, size_t count, wl_buffer *out)
{
    size_t told[SAVINGS], told_count = 0;
    if (count == 0) {
        wl_buffer_text(out, "<p>No change that was tried saves much of it.</p>\n");
        return;
    }
    wl_buffer_text(out, "<p>What would help most:</p>\n<ol class=\"findings\">\n");
    while (told_count < SAVINGS) {
        const size_t i = next_saving(savings, count, told, told_count);
        if (i == count)
            break;
        const double share = p->times.program_s > 0 ? savings[i].saving_s / p->times.program_s : 0;
        told[told_count++] = i;
        wl_buffer_text(out, "<li");
        wl_page_attribute(out, "data-saving", savings[i].saving_s);
        wl_page_print(out,
                      "><a href=\"#launch%zu\">section %zu</a>: %s; over all calls, %s less, %.0f %% of the program"
                      "<i class=\"gain\" style=\"width:%.2f%%\"></i></li>\n",
                      savings[i].number, savings[i].number, savings[i].words,
                      wl_quantity(WL_DIM_TIME, savings[i].saving_s).text, PERCENT * share, PERCENT * share);
    }
    wl_buffer_text(out, "</ol>\n");
}

static void add_kernels(const wl_profile *p, wl_buffer *out)
{
    wl_page_table(out, "profile", "kernel|#share|#total|#calls|#mean|limited by|#of its peak");
    for (size_t i = 0; i < p->kernel_count; i++) {
        const wl_profile_kernel *k = &p->kernels[i];
        wl_buffer_text(out, "<tr>");
        wl_page_cell(out, k->name);
        if (k->predicted) {
            wl_page_number(out, k->total_s / p->times.kernels_s, "%.1f %%", PERCENT * k->total_s / p->times.kernels_s);
            wl_page_quantity(out, WL_DIM_TIME, k->total_s);
            wl_page_number(out, (double)k->calls, "%zu", k->calls);
            wl_page_quantity(out, WL_DIM_TIME, k->total_s / (double)k->predicted);
            wl_page_cell(out, wl_bound_name(k->limiter));
            wl_page_number(out, k->of_peak, "%.0f %%", PERCENT * k->of_peak);
        } else {
            wl_page_unknown(out);
            wl_page_unknown(out);
            wl_page_number(out, (double)k->calls, "%zu", k->calls);
            wl_page_unknown(out);
            wl_page_cell(out, k->reason);
            wl_page_unknown(out);
        }
        wl_buffer_text(out, "</tr>\n");
    }
    wl_page_table_end(out);
}

static void add_devices(const wl_profile *const *profiles, size_t count, wl_buffer *out)
{
    wl_buffer_text(out, "<h3>On which device does it pay?</h3>\n");
    wl_page_table(out, "devices", "device|#program|#kernels|#copies|#launches without a prediction");
    for (size_t i = 0; i < count; i++) {
        const wl_profile_times *t = &profiles[i]->times;
        wl_buffer_text(out, "<tr>");
        wl_page_cell(out, wl_device_name(profiles[i]->device));
        wl_page_quantity(out, WL_DIM_TIME, t->program_s);
        wl_page_quantity(out, WL_DIM_TIME, t->kernels_s);
        wl_page_quantity(out, WL_DIM_TIME, t->copies_s);
        wl_page_number(out, (double)t->refused, "%zu", t->refused);
        wl_buffer_text(out, "</tr>\n");
    }
    wl_page_table_end(out);
}

void wl_page_program(const wl_profile *const *profiles, size_t count, const wl_page_saving *savings,
                     size_t saving_count, wl_buffer *out)
{
    const wl_profile *p = profiles[0];
    const char *command = wl_recording_command(p->recording);
    wl_page_print(out, "<section id=\"program\"><h2>%s <small>on %s</small></h2>\n", command ? command : "The program",
                  wl_device_title(p->device));
    add_verdict(p, out);
    add_savings(p, savings, saving_count, out);
    add_kernels(p, out);
    if (count > 1)
        add_devices(profiles, count, out);
    for (size_t i = 0; wl_recording_note(p->recording, i); i++)
        wl_page_print(out, "<p class=\"note\">note: %s</p>\n", wl_recording_note(p->recording, i));
    wl_buffer_text(out, "</section>\n");
}
