/* line_reader.h - predicts launches from lines of JSON, each with its kernel and device.
 *
 * A reader keeps the kernels and devices of earlier lines, so that a stream of many launches reads
 * each file once. Every thread has a reader of its own.
 * SPDX-License-Identifier: MIT */
#ifndef LINE_READER_H
#define LINE_READER_H

#include "batch.h"

typedef struct line_reader line_reader;

/* Before the first reader: from then on, readers notice when there is no memory. */
void line_readers_start(void);

/* NULL: no memory. */
line_reader *line_reader_new(const options *options);
void line_reader_free(line_reader *reader);

/* The launch of a line; valid until the next line is read. `predict` NULL: the defaults. */
wl_status line_reader_predict(line_reader *reader, const char *text, size_t length, const wl_predict_options *predict,
                              batch_launch *out, wl_error *err);

#endif /* LINE_READER_H */
