/* miss_fit_text.c - a fitted curve of misses for people. SPDX-License-Identifier: MIT */
#include "fit/miss_fit.h"
#include "report/common/render.h"

static void add_numbers(wl_buffer *out, const char *what, const double numbers[WL_MISS_NUMBERS],
                        const wl_miss_score *score)
{
    wl_buffer_add(out, "  %-8s %10.4g %10.4g %10.4g %14.3f %13.1f %%\n", what, numbers[0], numbers[1], numbers[2],
                  score->miss, 100 * score->volume);
}

void wl_miss_fit_text(const void *result, wl_buffer *out)
{
    const wl_miss_fit_report *of = result;
    const wl_miss_fit *f = of->fit;
    wl_buffer_add(out, "%s of %s (%s), a exp(-b exp(-c O)), fitted to %zu launches of %s\n\n",
                  wl_device_key_name(wl_miss_curve_key(f->curve)), wl_device_name(f->device),
                  wl_device_title(f->device), f->count, of->origin);
    wl_buffer_add(out, "  %-8s %10s %10s %10s %14s %15s\n", "", "a", "b", "c", "error of miss", "of the volume");
    add_numbers(out, "before", f->start, &f->before);
    add_numbers(out, "fitted", f->fitted, &f->after);
    if (f->outside > 0)
        wl_buffer_add(out, "  of %zu launches no curve can give what was measured\n", f->outside);
    for (int l = 0; l < WL_MISS_LACKS; l++)
        if (f->lacks[l] > 0)
            wl_buffer_add(out, "  left out: %zu launches, %s\n", f->lacks[l], wl_miss_lack_words((wl_miss_lack)l));
}
