/* csv_out.h - lines of CSV. Every cell is followed by a comma; wl_csv_end puts the end of the line
 * in place of the last one. A value that is not known is an empty cell.
 *
 * Layer  report/common (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_CSV_OUT_H
#define WL_REPORT_COMMON_CSV_OUT_H

#include "base/buffer.h"

/* Cells: a text in quotes; a word that needs none; numbers (NaN: not known), doubles with so many
 * digits; three extents. */
void wl_csv_text(wl_buffer *out, const char *text);
void wl_csv_word(wl_buffer *out, const char *word);
void wl_csv_whole(wl_buffer *out, int64_t value);
void wl_csv_digits(wl_buffer *out, double value, int digits);
void wl_csv_number(wl_buffer *out, double value); /* as precise as in JSON */
void wl_csv_shape(wl_buffer *out, const int64_t extent[3]);
void wl_csv_end(wl_buffer *out);

/* The name of a column; of a "shape", names: "block_x,block_y,block_z,". */
void wl_csv_name(wl_buffer *out, const char *kind, const char *name);

#endif /* WL_REPORT_COMMON_CSV_OUT_H */
