/* predict_launches.c - the library in forty lines: which of a few blocks is best for a kernel on a
 * device?
 *
 * cc predict_launches.c $(pkg-config --cflags --libs warpline) */
#include <stdio.h>

#include <warpline/warpline.h>

static int complain(const wl_error *err)
{
    fprintf(stderr, "%s:%d:%d: %s\n", err->input, (int)err->loc.line, (int)err->loc.col, err->message);
    return 1;
}

int main(void)
{
    static const wl_launch launches[] = {{.block = {512, 2, 1}},
                                         {.block = {256, 1, 4}},
                                         {.block = {16, 2, 32}},
                                         {.block = {64, 4, 4}, .fold = {1, 1, 2}}};
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);

    if (wl_device_builtin("a100-40gb", &device, &err) != WL_OK ||
        wl_device_set(device, "l2_size=80MiB", &err) != WL_OK ||
        wl_kernel_parse("star3d_r4", text, length, NULL, &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, device, &predictor, &err) != WL_OK || wl_prediction_new(&p, &err) != WL_OK)
        return complain(&err);

    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        double loaded = 0; /* false below: not known */
        if (wl_predict(predictor, &launches[i], NULL, p, &err) != WL_OK)
            return complain(&err);
        if (!wl_prediction_metric(p, WL_METRIC_dram_load_bytes, &loaded))
            continue;
        const wl_launch *l = wl_prediction_launch(p);
        printf("%4lldx%lldx%-3lld fold z %lld: %5.1f B/LUP from memory, %.2f ms, limited by %s\n",
               (long long)l->block[0], (long long)l->block[1], (long long)l->block[2], (long long)l->fold[2],
               loaded / (double)wl_prediction_items(p), 1e3 * wl_prediction_time(p),
               wl_bound_name(wl_prediction_limiter(p)));
    }
    wl_prediction_free(p);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return 0;
}
