/* choice_words.h - rows of a comparison of schedules, and why one is recommended, or none.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_CHOICE_WORDS_H
#define WL_REPORT_COMMON_CHOICE_WORDS_H

#include "report/common/render.h"
#include "report/common/data_row.h"
#include "report/common/words.h"
#include "search/chosen.h"

#define WL_CHOICE_WORDS 4
#define WL_CHOICE_LENGTH 240

/* The name of the schedule of a row: "column:32", or "linear 1-D" for one row of threads over all
 * cells. */
wl_schedule_name wl_choice_name(const wl_choice *choice, const wl_kernel *kernel, size_t row);

/* Sentences: which schedule to use, then the volumes and limits that explain it. Returns how
 * many. */
int wl_choice_words(const wl_choice *choice, const wl_kernel *kernel, char words[WL_CHOICE_WORDS][WL_CHOICE_LENGTH]);

/* The columns of a row, with these metrics. */
void wl_choice_columns(wl_row *out, const wl_choice_report *report, size_t row, const wl_metric *metrics, size_t count);

#endif /* WL_REPORT_COMMON_CHOICE_WORDS_H */
