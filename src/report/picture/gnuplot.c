/* gnuplot.c - see gnuplot.h. SPDX-License-Identifier: MIT */
#include "report/picture/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool wl_gnuplot_is_pdf(const wl_plot_files *files)
{
    const size_t length = strlen(files->picture);
    return length > 4 && strcmp(files->picture + length - 4, ".pdf") == 0;
}

/* A PDF is measured in inches, and its lines of text are higher. */
#define PER_INCH 100.0
#define PDF_FONTS 0.72

void wl_gnuplot_terminal(const wl_plot_files *files, const wl_gnuplot_page *page, wl_buffer *out)
{
    if (wl_gnuplot_is_pdf(files))
        wl_buffer_add(out, "set terminal pdfcairo%s size %.3fin,%.3fin%s fontscale %.4g\n", page->mode,
                      (double)page->width / PER_INCH, (double)page->height / PER_INCH, page->font, PDF_FONTS);
    else
        wl_buffer_add(out, "set terminal pngcairo%s size %zu,%zu%s\n", page->mode, page->width, page->height,
                      page->font);
}

void wl_gnuplot_files(const wl_plot_files *files, wl_buffer *out)
{
    wl_gnuplot_print(out, "set output %s\ndata = %s\n", files->picture, files->data);
}

void wl_gnuplot_colours(wl_buffer *out)
{
    static const struct {
        const char *colour;
        int form;
    } styles[] = {{"#0072b2", 7}, {"#e69f00", 5},  {"#cc79a7", 13}, {"#56b4e9", 9},  {"#d55e00", 11}, {"#7f5f00", 7},
                  {"#555555", 5}, {"#003f66", 13}, {"#009e73", 9},  {"#a06d00", 11}, {"#8a3f6b", 7},  {"#2f7fa8", 5}};
    const size_t count = sizeof styles / sizeof styles[0];
    for (size_t i = 0; i < count; i++)
        wl_buffer_add(out, "set linetype %zu lc rgb '%s'\nset style line %zu lc rgb '%s' pt %d ps 0.7\n", i + 1,
                      styles[i].colour, i + 1, styles[i].colour, styles[i].form);
    wl_buffer_add(out, "set linetype cycle %zu\n", count);
}

void wl_gnuplot_tics(char axis, double lo, double hi, double unit, const double *steps, int count, wl_buffer *out)
{
    const char *comma = "";
    wl_buffer_add(out, "set %ctics (", axis);
    for (int power = (int)floor(log10(lo / unit)); power <= (int)ceil(log10(hi / unit)); power++)
        for (int s = 0; s < count; s++) {
            const double tic = steps[s] * pow(10, power);
            if (tic * unit < lo || tic * unit > hi)
                continue;
            wl_buffer_add(out, "%s'%.6g' %.6g", comma, tic, tic);
            comma = ", ";
        }
    wl_buffer_text(out, ")\n");
}

wl_status wl_gnuplot_take(wl_buffer *script_text, wl_buffer *data_text, char **script, char **data, wl_error *err)
{
    *script = *data = NULL;
    wl_status status = wl_buffer_take(script_text, script, err);
    if (status == WL_OK)
        status = wl_buffer_take(data_text, data, err);
    else
        wl_buffer_drop(data_text);
    if (status != WL_OK) {
        free(*script);
        *script = NULL;
    }
    return status;
}
