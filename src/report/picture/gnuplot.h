/* gnuplot.h - shared by the scripts for gnuplot. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PICTURE_GNUPLOT_H
#define WL_REPORT_PICTURE_GNUPLOT_H

#include "base/quote.h"
#include "warpline/report.h"

/* Like wl_buffer_add; texts are quoted. */
#define wl_gnuplot_print(out, ...) wl_quote_add((out), wl_quote_gnuplot, __VA_ARGS__)

/* A picture is PDF or PNG, by the suffix of its file. */
bool wl_gnuplot_is_pdf(const wl_plot_files *files);

typedef struct wl_gnuplot_page {
    size_t width, height;    /* pixels */
    const char *mode, *font; /* options of the terminal, each after a blank; "": none */
} wl_gnuplot_page;
/* The terminal for the suffix of the picture. */
void wl_gnuplot_terminal(const wl_plot_files *files, const wl_gnuplot_page *page, wl_buffer *out);
/* "set output 'FILE'", "data = 'FILE.dat'" */
void wl_gnuplot_files(const wl_plot_files *files, wl_buffer *out);
/* Line types and styles 1 .. 12 in colours that people with colour-blindness can distinguish (Okabe
 * and Ito, then darker ones); points of neighbouring styles differ in form as well. */
void wl_gnuplot_colours(wl_buffer *out);
/* "set xtics ('1' 1, '2' 2, ..)" between the limits of a logarithmic axis in this unit: the steps
 * times powers of ten. */
void wl_gnuplot_tics(char axis, double lo, double hi, double unit, const double *steps, int count, wl_buffer *out);
/* Returns both texts, or neither. */
wl_status wl_gnuplot_take(wl_buffer *script_text, wl_buffer *data_text, char **script, char **data, wl_error *err);

#endif /* WL_REPORT_PICTURE_GNUPLOT_H */
