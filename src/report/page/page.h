/* page.h - the parts of a page of launches (warpline/report.h). Each only formats, and quotes every
 * text it is given.
 *
 * Numbers are also in attributes, in base units and as precise as in JSON: data-value of a cell or
 * row, by which tables are sorted, and those of a section.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PAGE_PAGE_H
#define WL_REPORT_PAGE_PAGE_H

#include "base/quote.h"
#include "base/units.h"
#include "metrics/prediction.h"
#include "roofline/roofline_internal.h"
#include "warpline/report.h"

/* A launch, and what depends only on it. */
typedef struct wl_page_part {
    const wl_page_launch *launch;
    const wl_prediction *prediction;
    const wl_kernel *kernel; /* the kernel at this launch, if there are shares */
    const wl_device *device;
    wl_tallies tallies;
    wl_ceilings ceilings;
    wl_use uses[WL_USES_MAX];
    int use_count;
    size_t number; /* of the section, from 1 */
} wl_page_part;

/* Sections of a launch: the verdict, in the words of the short answer of 'predict', with what
 * gains most; figures; lines of the source by their cost; bounds; volumes with fields, accesses and
 * lines; the search. */
void wl_page_verdict(const wl_page_part *part, wl_buffer *out);
/* The best cause or change in words, and its gain; 0: there is none. */
double wl_page_best(const wl_page_part *part, wl_buffer *out);

/* The best change of a launch of a program, and what it saves over all calls of its kernel. */
typedef struct wl_page_saving {
    char *words;
    size_t number; /* of the section */
    double saving_s;
} wl_page_saving;
void wl_page_program(const wl_profile *const *profiles, size_t count, const wl_page_saving *savings,
                     size_t saving_count, wl_buffer *out);
void wl_page_figures(const wl_page_part *part, wl_buffer *out);
wl_status wl_page_source(const wl_page_part *part, wl_buffer *out, wl_error *err);
void wl_page_bounds(const wl_page_part *part, wl_buffer *out);
void wl_page_occupancy(const wl_page_part *part, wl_buffer *out);
void wl_page_metrics(const wl_page_part *part, wl_buffer *out);
void wl_page_volumes(const wl_page_part *part, wl_buffer *out);
void wl_page_accesses(const wl_page_part *part, wl_buffer *out);
wl_status wl_page_ranking(const wl_page_part *part, wl_buffer *out, wl_error *err);
void wl_page_causes(const wl_page_part *part, wl_buffer *out);
wl_status wl_page_advice(const wl_page_part *part, wl_buffer *out, wl_error *err);
void wl_page_notes(const wl_page_part *part, wl_buffer *out);

/* ---- pieces ---- */

void wl_page_text(wl_buffer *out, const char *text);
/* Like wl_buffer_add; texts are quoted. */
#define wl_page_print(out, ...) wl_quote_add((out), wl_page_text, __VA_ARGS__)
/* " NAME=\"1.5e-05\"" */
void wl_page_attribute(wl_buffer *out, const char *name, double value);
/* Cells of a table: a text; a number and its text; an unknown value. */
void wl_page_cell(wl_buffer *out, const char *text);
void wl_page_number(wl_buffer *out, double value, const char *format, ...) WL_PRINTF(3, 4);
void wl_page_quantity(wl_buffer *out, wl_dimension dimension, double value);
void wl_page_unknown(wl_buffer *out);
/* Opens a table that can be sorted. A '|' separates the heads of its columns; those that begin with
 * '#' are for columns of numbers. */
void wl_page_table(wl_buffer *out, const char *name, const char *heads, ...) WL_PRINTF(3, 4);
void wl_page_table_end(wl_buffer *out);

#endif /* WL_REPORT_PAGE_PAGE_H */
