/* plot.h - pictures: SVG is our own, PNG and PDF are by gnuplot. It draws FILE.pdf from FILE.gp and
 * FILE.dat, which are kept: the numbers behind every point, and a script to edit.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PLOT_H
#define WL_CLI_PLOT_H

#include "warpline/warpline.h"

typedef struct plot {
    wl_plot_files files; /* the picture as given, the data beside it */
    char *script, *data; /* paths beside the picture */
} plot;

/* The path with another suffix of four characters, in memory of malloc. */
char *plot_sibling(const char *path, const char *suffix);

/* Names script and data; false when there is no memory for it. To be freed in any case. */
bool plot_name(plot *p, const char *path, wl_error *err);
void plot_free(plot *p);
/* Writes a file; prints what is wrong. The exit code. */
int plot_write(const char *path, const char *text);
/* Writes a picture of our own, which was made with this status, and frees it. The exit code. */
int plot_own(const char *path, wl_status status, char *text, const wl_error *err);
/* Writes both and runs gnuplot; prints what is wrong. The exit code: EXIT_NO_PICTURE where gnuplot
 * is missing or fails. */
int plot_draw(const plot *p, const char *script, const char *data);

/* The library can make no picture of this: says why. The exit code. */
int plot_none(const char *path, const wl_error *err);
/* The exit code that results from two: the first that is not 0, except that a missing picture
 * yields to any other. */
int plot_worse(int first, int second);

#endif /* WL_CLI_PLOT_H */
