/* test_locale.c - the library inside a program that has set a locale with a decimal comma: it reads
 * the same numbers and writes the same bytes. Skipped where there is no such locale and none can be
 * made. SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/checks.h"

#include "base/buffer.h"
#include "judge/findings.h"
#include "warpline/warpline.h"

static const char ptx_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .f32 f, .param .f64 g)\n{\n.reg .f32 %f<5>;\n.reg .f64 %d<3>;\n"
    ".reg .b32 %r<5>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [a];\nld.param.f32 %f1, [f];\nld.param.f64 %d1, [g];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "mul.f32 %f2, %f1, 0.75;\nadd.f64 %d2, %d1, 1.5e-3;\nmul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "st.global.f32 [%rd3], %f2;\nret;\n}\n";

static const char kernel_text[] = "name: k\nparams: {n: 512}\ndomain: [n, n]\nflops: 5\nregisters: 24\n"
                                  "fields: {a: {type: f32, extent: [n, n], halo: 1}, b: {type: f32, extent: [n, n]}}\n"
                                  "update: b[0,0] = 0.25*(a[-1,0] + a[1,0]) + 1.5e-1*a[0,0]\n";

static const char table_text[] = "family,bx,by,bz,ms_median\nk,32,8,1,12.5\nk,64,4,1,13.25\n";

static const wl_launch launches[2] = {{.block = {32, 8, 1}, .grid = {64, 64, 1}},
                                      {.block = {64, 4, 1}, .grid = {32, 128, 1}}};

/* Without it nothing can go on. */
static void need(const char *what, wl_status status, const wl_error *err)
{
    check_ok(what, status, err);
    check_done();
}

static void take(wl_buffer *all, char *text)
{
    wl_buffer_add(all, "%s\n", text ? text : "(none)");
    free(text);
}

static void predict(wl_buffer *all, const wl_kernel *kernel, const wl_device *device)
{
    wl_prediction *p[2] = {NULL, NULL};
    wl_diff *diff = NULL;
    wl_error err = {0};
    wl_predictor *predictor = NULL;
    char *text = NULL;
    need("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    for (int i = 0; i < 2; i++) {
        const wl_predict_options options = {.per_access = true};
        need("prediction", wl_prediction_new(&p[i], &err), &err);
        need("predict", wl_predict(predictor, &launches[i], &options, p[i], &err), &err);
        for (int f = WL_FORMAT_TEXT; f <= WL_FORMAT_CSV; f++) {
            need("render", wl_prediction_render(p[i], kernel, device, (wl_format)f, &text, &err), &err);
            take(all, text);
        }
    }
    need("table", wl_predictions_table((const wl_prediction *const *)p, 2, kernel, device, WL_FORMAT_TEXT, &text, &err),
         &err);
    take(all, text);
    const wl_diff_side a = {p[0], "k", "h200"}, b = {p[1], "k", "h200"};
    need("difference", wl_diff_new(a, b, &diff, &err), &err);
    for (int f = WL_FORMAT_TEXT; f <= WL_FORMAT_JSON; f++) {
        need("difference", wl_diff_render(diff, (wl_format)f, &text, &err), &err);
        take(all, text);
    }
    wl_diff_free(diff);
    for (int i = 0; i < 2; i++)
        wl_prediction_free(p[i]);
    wl_predictor_free(predictor);
}

static void predict_kernel(wl_buffer *all, const wl_device *device)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    char *shown = NULL;
    need("kernel", wl_kernel_parse("k.yaml", kernel_text, strlen(kernel_text), NULL, &kernel, &err), &err);
    need("shown", wl_kernel_show(kernel, &shown, &err), &err);
    take(all, shown);
    predict(all, kernel, device);
    wl_kernel_free(kernel);
}

static void predict_ptx(wl_buffer *all, const wl_device *device)
{
    const char *const args[] = {"buf:1M=const:f32:0.5", "0.125", "2.5e-1"};
    const wl_ptx_options options = {.args = args, .arg_count = 3, .launch = launches[0]};
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    char *text = NULL;
    need("PTX", wl_ptx_parse("k.ptx", ptx_text, strlen(ptx_text), &ptx, &err), &err);
    need("coverage", wl_ptx_coverage(ptx, WL_FORMAT_TEXT, &text, &err), &err);
    take(all, text);
    need("kernel of PTX", wl_kernel_from_ptx(ptx, &options, &kernel, &err), &err);
    predict(all, kernel, device);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
}

static void read_others(wl_buffer *all, const wl_device *device)
{
    wl_error err = {0}, wrong = {0};
    wl_table *table = NULL;
    wl_budget budget;
    char value[64];
    double tolerance = 0;
    need("table", wl_table_parse("t.csv", table_text, strlen(table_text), &table, &err), &err);
    for (size_t i = 0; i < wl_table_count(table); i++)
        wl_buffer_add(all, "%.17g\n", wl_table_row(table, i)->time_s);
    need("budget", wl_budget_parse("time<=1.75ms", &budget, &err), &err);
    need("tolerance", wl_tolerance_parse("2.5%", &tolerance, &err), &err);
    wl_buffer_add(all, "%s %.17g\n", wl_subject_value_text(budget.subject, 0.00175).text, tolerance);
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        wl_device_value_text(device, (wl_device_key)k, value, sizeof value);
        wl_buffer_add(all, "%s\n", value);
    }
    check_true("a comma", "is no number", wl_tolerance_parse("2,5%", &tolerance, &wrong) != WL_OK);
    wl_table_free(table);
}

/* All that is read and written, as one text. */
static char *everything(void)
{
    wl_buffer all = {0};
    wl_error err = {0};
    wl_device *device = NULL;
    char *text = NULL;
    size_t length = 0;
    const char *h200 = wl_device_builtin_text("h200", &length);
    need("device", wl_device_parse("h200.yaml", h200, length, &device, &err), &err);
    need("set", wl_device_set(device, "clock=1.755GHz", &err), &err);
    predict_kernel(&all, device);
    predict_ptx(&all, device);
    read_others(&all, device);
    wl_device_free(device);
    need("text", wl_buffer_take(&all, &text, &err), &err);
    return text;
}

static bool has_comma(void) { return strcmp(localeconv()->decimal_point, ",") == 0; }

/* Made by localedef, in a folder that LOCPATH names. */
static bool make_locale(char folder[])
{
    char command[1024];
    if (!mkdtemp(folder))
        return false;
    (void)snprintf(command, sizeof command, "sh '%s/scripts/make-locale.sh' %s", SOURCE_DIR, folder);
    return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE") && has_comma();
}

static bool set_comma_locale(char folder[])
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8", "es_ES.UTF-8",
                                        "pt_BR.UTF-8", "ru_RU.UTF-8", "de_DE",       "fr_FR"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (setlocale(LC_ALL, names[i]) && has_comma())
            return true;
    return make_locale(folder);
}

static void remove_locale(const char *folder)
{
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (access(folder, F_OK) == 0 && system(command) != 0)
        print_message("%s is left behind\n", folder);
}

static void same_bytes(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpline_locale_XXXXXX";
    char *plain = everything();
    if (!set_comma_locale(folder)) {
        remove_locale(folder);
        free(plain);
        print_message("no locale with a decimal comma, and no localedef to make one: skipped\n");
        skip();
    }
    char *comma = everything();
    check_true("the program's locale", "still in force", has_comma());
    check_true("numbers", "have a point", strstr(plain, "0.25") != NULL);
    check_true("all that is written", "the same bytes", strcmp(plain, comma) == 0);
    for (size_t i = 0; plain[i] && comma[i]; i++)
        if (plain[i] != comma[i]) {
            print_error("byte %zu: '%.60s', not '%.60s'\n", i, comma + i, plain + i);
            break;
        }
    free(plain);
    free(comma);
    remove_locale(folder);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
