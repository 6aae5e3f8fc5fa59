/* test_marks.c - WL_FORMAT_MARKED: the text with marks in it, and nothing else changed.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>
#include <string.h>

#include "warpline/warpline.h"

/* Without its marks; a mark of a line is two bytes. */
static void strip(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == WL_MARK_LINE || *from == WL_MARK_NOTE || *from == WL_MARK_ROW)
            from++;
        else if (*from > WL_MARK_WIDE || *from < WL_MARK_END)
            *to++ = *from;
    }
    *to = '\0';
}

static bool has(const char *text, wl_text_mark mark) { return strchr(text, (char)mark) != NULL; }

static void no_marks_in_text(const char *name, const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' && *p != '\n')
            fail_msg("%s: byte %d in plain text", name, *p);
}

static void compare(const char *name, char *plain, char *marked)
{
    no_marks_in_text(name, plain);
    check_true(name, "has a headline", has(marked, WL_MARK_HEADLINE));
    check_true(name, "parts end", has(marked, WL_MARK_END));
    check_true(name, "has notes", has(marked, WL_MARK_NOTE));
    strip(marked);
    check_text(name, "text", marked, plain);
    free(plain);
    free(marked);
}

static void texts(void **state)
{
    (void)state;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *p[2] = {NULL, NULL};
    char *plain = NULL, *marked = NULL;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star2d_5pt", &length);
    const wl_launch launches[2] = {{.block = {512, 1, 1}}, {.block = {32, 8, 1}}};
    check_ok("device", wl_device_builtin("h200", &device, &err), &err);
    check_ok("kernel", wl_kernel_parse("k", text, length, NULL, &kernel, &err), &err);
    check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
    for (int i = 0; i < 2; i++) {
        check_ok("new", wl_prediction_new(&p[i], &err), &err);
        check_ok("predict", wl_predict(predictor, &launches[i], NULL, p[i], &err), &err);
    }

    check_ok("one", wl_prediction_render(p[1], kernel, device, WL_FORMAT_TEXT, &plain, &err), &err);
    check_ok("one", wl_prediction_render(p[1], kernel, device, WL_FORMAT_MARKED, &marked, &err), &err);
    check_true("one", "has a limiter", has(marked, WL_MARK_LIMITER));
    check_true("one", "has long lines", has(marked, WL_MARK_LINE));
    check_true("one", "has rows", has(marked, WL_MARK_ROW));
    compare("one", plain, marked);

    const wl_prediction *const both[2] = {p[0], p[1]};
    check_ok("two", wl_predictions_table(both, 2, kernel, device, WL_FORMAT_TEXT, &plain, &err), &err);
    check_ok("two", wl_predictions_table(both, 2, kernel, device, WL_FORMAT_MARKED, &marked, &err), &err);
    const char *best = strchr(marked, WL_MARK_BEST);
    check_true("two", "the faster one is the best", best && strncmp(best + 1, "32x8x1", 6) == 0);
    compare("two", plain, marked);

    for (int i = 0; i < 2; i++)
        wl_prediction_free(p[i]);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
