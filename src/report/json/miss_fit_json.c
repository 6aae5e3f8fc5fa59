/* miss_fit_json.c - a fitted curve of misses as JSON, schema warpline.miss_fit/1.
 * SPDX-License-Identifier: MIT */
#include "fit/miss_fit.h"
#include "report/common/render.h"

static void term(wl_json_out *o, const void *of, size_t d)
{
    const wl_miss_point *p = of;
    wl_out_members(o, "oversubscription:r share:r", p->oversubscription[d], p->share[d]);
}

static void point(wl_json_out *o, const void *of, size_t i)
{
    const wl_miss_fit *f = of;
    const wl_miss_point *p = &f->points[i];
    wl_out_members(o, "family:s line:d fixed_bytes:r again_bytes:r measured_bytes:r outside:b miss:r fitted:r",
                   p->family, (int64_t)p->line, p->fixed, p->again, p->measured, p->outside, p->miss,
                   wl_miss_of_point(p, f->fitted));
    wl_out_objects(o, "terms", (size_t)p->count, term, p);
}

static void left_out(wl_json_out *o, const void *of, size_t l)
{
    const wl_miss_fit *f = of;
    wl_out_members(o, "reason:s launches:d", wl_miss_lack_words((wl_miss_lack)l), (int64_t)f->lacks[l]);
}

static void numbers(wl_json_out *o, const char *key, const double n[WL_MISS_NUMBERS], const wl_miss_score *score)
{
    wl_out_row(o, key, "a:r b:r c:r miss_error:r volume_error:r", n[0], n[1], n[2], score->miss, score->volume);
}

void wl_miss_fit_json(wl_json_out *o, const void *result)
{
    const wl_miss_fit_report *of = result;
    const wl_miss_fit *f = of->fit;
    wl_out_members(o, "schema:s device:s origin:s target:s key:s launches:d", "warpline.miss_fit/1",
                   wl_device_name(f->device), of->origin, wl_miss_curve_name(f->curve),
                   wl_device_key_name(wl_miss_curve_key(f->curve)), (int64_t)f->count);
    numbers(o, "before", f->start, &f->before);
    numbers(o, "fitted", f->fitted, &f->after);
    wl_out_objects(o, "left_out", WL_MISS_LACKS, left_out, f);
    wl_out_objects(o, "points", f->count, point, f);
}
