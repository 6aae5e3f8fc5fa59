/* compare_panels.h - the panels of a picture of a comparison: one per value, measured over
 * predicted on logarithmic axes in one unit. Shared by our own drawing and that of gnuplot.
 *
 * Layer  report/picture (uses compare). SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PICTURE_COMPARE_PANELS_H
#define WL_REPORT_PICTURE_COMPARE_PANELS_H

#include "compare/comparison.h"

enum { WL_PANEL_LEGEND_MAX = 12 }; /* groups listed by name */

/* The axes of a panel are in one unit: "GB", "ms", "million instructions". */
typedef struct wl_panel_unit {
    double scale;
    char name[40];
} wl_panel_unit;

typedef struct wl_compare_panel {
    int value;
    double lo, hi; /* of all points, measured or predicted */
    wl_panel_unit unit;
} wl_compare_panel;

/* On a logarithmic axis there is no 0. */
bool wl_compare_is_point(const wl_comparison *comparison, const wl_compared_row *row, int value);
/* The values with points; the number of panels. */
size_t wl_compare_panels(const wl_comparison *comparison, wl_compare_panel out[WL_VALUE_COUNT]);

/* Labels of an axis: 1, 2, 5, 10, ..; more where values differ little, only powers of ten where
 * they differ by much. The number of steps. */
int wl_compare_steps(double lo, double hi, const double **steps);

#endif /* WL_REPORT_PICTURE_COMPARE_PANELS_H */
