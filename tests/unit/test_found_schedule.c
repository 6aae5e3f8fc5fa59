/* test_found_schedule.c - kernel/found_schedule.h: columns that a kernel computes itself.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "kernel/found_schedule.h"
#include "schedule/order.h"
#include "warpline/kernel.h"

#define COLUMN "x/(h*c)*c"
#define WIDE "min(w - " COLUMN ", c)"
#define X "x%(h*c)%" WIDE " + " COLUMN
#define Y "x%(h*c)/" WIDE

/* The same, as PTX computes remainders. */
#define LEFT "(c*(x/(c*h)))"
#define IN "(x - x/(c*h)*(c*h))"
#define WIDE_2 "min(c, w - " LEFT ")"
#define X_2 "(" IN " - " IN "/" WIDE_2 "*" WIDE_2 " + " LEFT ")"
#define Y_2 "(" IN "/" WIDE_2 ")"

/* As kernels recovered from PTX have it. */
#define WIDE_3 "min(-c*(x/(c*h)) + w, c)"
#define X_3 "((x%(c*h))%" WIDE_3 ") + c*(x/(c*h))"
#define Y_3 "((x%(c*h))/" WIDE_3 ")"

static const struct {
    const char *name, *load, *store;
    bool found;
} kernels[] = {
    {"box filter", "in[min(h-1, max(0, " Y " + i - 4))*w + min(w-1, max(0, " X " + j - 4))]", "out[" Y "*w + " X "]",
     true},
    {"rows of a product", "in[" Y "*w + i]", "out[" Y "*w + " X "]", true},
    {"columns of a product", "in[" X " + i*w]", "out[" Y "*w + " X "]", true},
    {"another way to write it", "in[" X_2 " - 1 + j]", "out[i*w*h + w*" Y_2 " + " X_2 "]", true},
    {"from PTX", "in[w*min(max(" Y_3 " + i - 4, 0), h - 1) + min(max(" X_3 " + j - 4, 0), w - 1)]",
     "out[((x%(c*h))%" WIDE_3 ") + w*" Y_3 " + c*(x/(c*h))]", true},
    {"between loops", "in[i + " X_2 "*3 + j*w]", "out[7*" Y_2 " + 5 - i]", true},
    {"under a condition", "in[" X " + i] if " Y " > 2 && " X " < w - 3", "out[" Y "*w + " X "]", true},
    {"a row clamped", "in[min(h-1, max(0, " Y " - 4))*w + " X "]", "out[" Y "*w + " X "]", true},
    {"the thread as well", "in[" X "]", "out[x]", false},
    {"mirrored rows", "in[" X "]", "out[" Y "*w + w - 1 - (" X ")*(1 - 2*((" Y ")%2))]", false},
    {"no column at all", "in[x + i]", "out[x]", false},
    {"gather", "in[x*x%1000 + i]", "out[x]", false},
};

/* col = 0 is row by row, as the kernels of the paper have it. */
static const struct {
    int w, h, c;
} sizes[] = {{96, 40, 32}, {100, 40, 32}, {97, 33, 8}, {64, 64, 64}, {65, 7, 64}, {200, 100, 31}, {33, 500, 2}};

static wl_kernel *read(size_t kernel, size_t size)
{
    char text[4096];
    wl_kernel *k = NULL;
    wl_error err = {0};
    (void)snprintf(
        text, sizeof text,
        "name: k\nparams: {w: %d, h: %d, c: %d}\ndomain: [w*h]\nfields:\n  in: {type: f32}\n  out: {type: f32}\n"
        "loops: {i: 9, j: 3}\nloads: [\"%s\"]\nstores: [\"%s\"]\n",
        sizes[size].w, sizes[size].h, sizes[size].c, kernels[kernel].load, kernels[kernel].store);
    if (wl_kernel_parse("k", text, strlen(text), NULL, &k, &err) != WL_OK)
        fail_msg("%s: %d:%d %s", kernels[kernel].name, err.loc.line, err.loc.col, err.message);
    return k;
}

/* Both expressions at every cell and some steps of the loops. */
static void check_same(const char *name, const wl_expr *one, const wl_expr *two, const wl_found_schedule *f)
{
    wl_order order;
    wl_error err = {0};
    check_ok(name, wl_order_make(&f->schedule, (const int64_t[3]){f->extent[0], f->extent[1], 1}, &order, &err), &err);
    for (int64_t p = 0; p < order.cells; p++) {
        int64_t flat[WL_VAR_COUNT] = {[WL_VAR_LOOP_0] = p % 9, [WL_VAR_LOOP_1] = p % 3}, deep[WL_VAR_COUNT], a = 0,
                b = 1;
        memcpy(deep, flat, sizeof deep);
        flat[WL_VAR_X] = p;
        wl_order_cell(&order, p, &deep[WL_VAR_X]);
        (void)wl_expr_value(one, flat, 1, &a, &err);
        (void)wl_expr_value(two, deep, 1, &b, &err);
        if (a != b) {
            check_int(name, "address over the two axes", b, a);
            return;
        }
    }
}

static void columns_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            wl_kernel *k = read(i, j);
            wl_arena arena = {0};
            wl_found_schedule f;
            wl_error err = {0};
            bool found;
            check_ok(kernels[i].name, wl_schedule_find(k, &arena, &f, &found, &err), &err);
            /* x is w*Y + X */
            const bool linear = sizes[j].c == sizes[j].w && strcmp(kernels[i].name, "the thread as well") == 0;
            check_int(kernels[i].name, "found", found, kernels[i].found || linear);
            if (found) {
                check_int(kernels[i].name, "width of a column", f.schedule.width, sizes[j].c);
                check_int(kernels[i].name, "width", f.extent[0], sizes[j].w);
                check_int(kernels[i].name, "height", f.extent[1], sizes[j].h);
                for (size_t a = 0; a < k->access_count; a++) {
                    check_same(kernels[i].name, k->accesses[a].index, f.accesses[a].index, &f);
                    if (k->accesses[a].when)
                        check_same(kernels[i].name, k->accesses[a].when, f.accesses[a].when, &f);
                }
            }
            wl_arena_free(&arena);
            wl_kernel_free(k);
        }
    check_done();
}

/* The kernels that were measured, at their usual sizes. */
static void measured_kernels_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"box2d_col", "matmul_col"};
    static const int columns[] = {4, 8, 31, 32, 33, 34, 64, 128, 0};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t j = 0; j < COUNT_OF(columns); j++) {
            char path[512], text[8192] = "", set[32];
            (void)snprintf(path, sizeof path, "%s/validate/kernels/%s.yaml", SOURCE_DIR, names[i]);
            (void)snprintf(set, sizeof set, "col=%d", columns[j]);
            FILE *file = fopen(path, "r");
            assert_non_null(file);
            const size_t length = fread(text, 1, sizeof text - 1, file);
            fclose(file);
            const wl_kernel_options options = {(const char *const[]){set}, 1};
            wl_kernel *k = NULL;
            wl_arena arena = {0};
            wl_found_schedule f = {0};
            wl_error err = {0};
            bool found = false;
            check_ok(path, wl_kernel_parse(path, text, length, &options, &k, &err), &err);
            check_ok(path, wl_schedule_find(k, &arena, &f, &found, &err), &err);
            const int64_t side = i == 0 ? 4096 : 1024;
            check_int(names[i], "found", found, 1);
            check_int(names[i], set, f.schedule.width, columns[j] ? columns[j] : side);
            check_int(names[i], "width", f.extent[0], side);
            check_int(names[i], "height", f.extent[1], side);
            wl_arena_free(&arena);
            wl_kernel_free(k);
        }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found),
        cmocka_unit_test(measured_kernels_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
