/* marks.h - marks in texts for people: WL_FORMAT_MARKED, see wl_text_mark.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_MARKS_H
#define WL_REPORT_COMMON_MARKS_H

#include "base/buffer.h"
#include "base/units.h"
#include "warpline/predict.h"

/* A buffer for a text of this format. Marks are written only where it is MARKED. */
wl_buffer wl_text_buffer(wl_format format);

/* A part of a line begins, or ends (WL_MARK_END). */
void wl_mark_add(wl_buffer *out, wl_text_mark mark);
/* Starts a line that may be wrapped between words; continuation lines are indented by `indent`
 * columns. */
void wl_mark_line(wl_buffer *out, int indent);
/* Starts a row of a table: like a line, but wrapped only on a terminal, never in files and
 * pipes. */
void wl_mark_row(wl_buffer *out, int indent);
/* A whole line that may be wrapped; the text includes its line end. */
void wl_line(wl_buffer *out, int indent, const char *format, ...) WL_PRINTF(3, 4);
/* A whole line: "LEADnote: TEXT". */
void wl_note_line(wl_buffer *out, const char *lead, const char *format, ...) WL_PRINTF(3, 4);
/* Such a line for each text: the first of `count`, each in `size` bytes. */
void wl_note_lines(wl_buffer *out, const char *lead, const char *first, size_t size, int count);
/* Starts a line of notes; the caller writes it, beginning with "note". */
void wl_note_start(wl_buffer *out);
/* An empty line that belongs to the notes below it. */
void wl_note_gap(wl_buffer *out);

/* Cells of a table that can be left out on a narrow terminal; the same ones in every line of the
 * table. */
void wl_mark_wide(wl_buffer *out, const char *format, ...) WL_PRINTF(2, 3);

/* The cells of a table's row, each after a blank: texts in columns of a width, to the left where it
 * is negative; those that a narrow terminal leaves out are marked as wide. */
typedef struct wl_cell_place {
    int width;
    bool wide;
} wl_cell_place;
void wl_cells(wl_buffer *out, const wl_cell_place *places, size_t count, const char *const *cells);
/* A number for a cell; "-" for NaN. It lives to the end of the call. */
wl_short wl_cell_number(const char *format, double value);
/* The mark, if the condition holds. */
void wl_mark_if(wl_buffer *out, bool condition, wl_text_mark mark);

/* A headline, or the start of one. */
void wl_headline(wl_buffer *out, const char *format, ...) WL_PRINTF(2, 3);

/* Text as a part of its own. */
void wl_mark_text(wl_buffer *out, wl_text_mark mark, const char *text);

#endif /* WL_REPORT_COMMON_MARKS_H */
