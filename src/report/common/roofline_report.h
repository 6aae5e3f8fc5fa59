/* roofline_report.h - the renderings behind wl_roofline_render, and the table of launches they
 * share. Each only formats.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_ROOFLINE_REPORT_H
#define WL_REPORT_COMMON_ROOFLINE_REPORT_H

#include "report/common/render.h"
#include "roofline/roofline_internal.h"

wl_text_writer wl_roofline_text, wl_roofline_csv, wl_roofline_svg; /* wl_roofline */
wl_json_writer wl_roofline_json;

/* "instruction roofline" */
const char *wl_roofline_title(const wl_roofline *roofline);
/* "Instruction roofline of NVIDIA H200" */
void wl_roofline_headline(const wl_roofline *roofline, wl_buffer *out);
/* "no L2 roof: the device file has no l2_bandwidth"; false beyond the last. */
bool wl_roofline_note(const wl_roofline *roofline, size_t index, wl_buffer *out);

/* ---- the table of launches ---- */

typedef enum wl_column {
    WL_COLUMN_NUMBER,
    WL_COLUMN_KERNEL,
    WL_COLUMN_LAUNCH,
    WL_COLUMN_SOURCE, /* predicted or measured */
    WL_COLUMN_TIME,
    WL_COLUMN_RATE,
    WL_COLUMN_L1, /* intensities */
    WL_COLUMN_L2,
    WL_COLUMN_DRAM,
    WL_COLUMN_GLOBAL,
    WL_COLUMN_SHARED,
    WL_COLUMN_LANES,
    WL_COLUMN_ROOF, /* the nearest */
    WL_COLUMN_PERCENT,
    WL_COLUMN_COUNT
} wl_column;
/* Is the column shown? A column without a value for any launch is left out. Sets *failed if memory
 * runs out. */
bool wl_column_shows(const wl_roofline *roofline, wl_column column, bool *failed);
const char *wl_column_head(const wl_roofline *roofline, wl_column column);
bool wl_column_is_text(wl_column column); /* aligned to the left */
/* A cell in a picture: its row (0: heads), the left or right end of its text, which is shortened to
 * the room there is. */
typedef struct wl_table_cell {
    size_t row;
    wl_column column;
    double x;
    bool from_left;
    const char *text;
} wl_table_cell;
typedef void wl_table_show(void *user, const wl_table_cell *cell);
/* Shows the table from `left` to `right`, row by row; a character is so many pixels wide. Hidden
 * columns have no width, the kernel gets the rest. */
void wl_roofline_table(const wl_roofline *roofline, double left, double right, double character, wl_table_show *show,
                       void *user, wl_buffer *out);
/* Appends a cell; empty if the value is unknown. */
void wl_roofline_cell(const wl_roofline *roofline, size_t launch, wl_column column, wl_buffer *out);

#endif /* WL_REPORT_COMMON_ROOFLINE_REPORT_H */
