/* choice_forms.h - closed forms beside predicted schedules. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_CHOICE_FORMS_H
#define WL_REPORT_COMMON_CHOICE_FORMS_H

#include "cache/known_problem.h"
#include "search/chosen.h"

#define WL_FORM_ROWS 4

typedef struct wl_form_row {
    wl_schedule schedule;
    int64_t needs; /* lines of cache so that each line of a column is fetched once */
    wl_fetches fetches;
} wl_form_row;

/* Linear order, columns of 32 cells, columns of the width that fits, and the recommended ones, for
 * an LRU cache as large as the L1 and one thread after another. */
typedef struct wl_choice_forms {
    wl_known problem;
    int64_t line_bytes, cache_lines, least;
    double threads; /* of a multiprocessor */
    double width;   /* of columns that fit; below 1: none fits */
    wl_form_row rows[WL_FORM_ROWS];
    int count;
} wl_choice_forms;

/* False: the kernel is neither a stencil nor a matrix product. */
bool wl_choice_forms_of(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device,
                        wl_choice_forms *out);

#endif /* WL_REPORT_COMMON_CHOICE_FORMS_H */
