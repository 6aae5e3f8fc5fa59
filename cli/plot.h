/* plot.h - pictures through gnuplot. FILE.svg comes from FILE.gp and FILE.dat, which stay: the numbers behind every
 * point, and a script to change. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PLOT_H
#define WL_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plot {
    const char *path;    /* of the picture */
    char *script, *data; /* paths beside it */
    FILE *script_file, *data_file;
} plot;

/* The suffixes .svg and .png. */
bool plot_file_ok(const char *path);
bool plot_is_svg(const char *path);

/* Opens script and data; false when one cannot be written, which plot_finish tells. */
bool plot_start(plot *p, const char *path);
/* Closes both and runs gnuplot; prints what is wrong. The exit code. */
int plot_finish(plot *p);

/* "set output 'FILE'", "data = 'FILE.dat'" */
void plot_write_files(const plot *p);
/* In single quotes, where a quote is doubled. */
void plot_quoted(const char *text, FILE *out);

#endif /* WL_CLI_PLOT_H */
