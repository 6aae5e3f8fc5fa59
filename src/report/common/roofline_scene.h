/* roofline_scene.h - the layout of a roofline picture, in pixels of a page. The SVG and the script
 * for gnuplot draw the same scene.
 *
 * Labels are placed one after another, each at the first of its candidate places that is free and
 * not crossed by a line: first roofs, then walls, then the numbers of marks, which move away from
 * crowded spots, with a line to their mark.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_ROOFLINE_SCENE_H
#define WL_REPORT_COMMON_ROOFLINE_SCENE_H

#include "roofline/roofline_internal.h"

enum {
    WL_SCENE_WIDTH = 960,
    WL_SCENE_LEFT = 72, /* of the plot */
    WL_SCENE_RIGHT = 936,
    WL_SCENE_TOP = 92,
    WL_SCENE_BOTTOM = 540,
    WL_SCENE_TEXT = 96 /* bytes of a label */
};

/* The meaning of a colour. */
typedef enum wl_ink { WL_INK_L1, WL_INK_L2, WL_INK_DRAM, WL_INK_SHARED, WL_INK_FLAT, WL_INK_TENSOR } wl_ink;

typedef struct wl_scene_label {
    double x, y;  /* of the text's start, middle or end, at its base line */
    double angle; /* degrees, counter-clockwise */
    int anchor;   /* -1 start, 0 middle, 1 end */
    bool strong;  /* a number of a mark */
    wl_ink ink;
    char text[WL_SCENE_TEXT];
} wl_scene_label;

typedef struct wl_scene_line {
    double x0, y0, x1, y1;
} wl_scene_line;

/* A thin line between marks: from measured to predicted, from threads to warps, along the levels of
 * a launch. */
typedef enum wl_join { WL_JOIN_MEASURED, WL_JOIN_THREADS, WL_JOIN_LEVELS } wl_join;
typedef struct wl_scene_join {
    wl_scene_line line;
    wl_join join;
} wl_scene_join;

/* An entry of the key: the meaning of a form of mark or of a dashed line. */
typedef enum wl_key_form { WL_KEY_MARK, WL_KEY_JOIN, WL_KEY_WALL, WL_KEY_UNFUSED } wl_key_form;
typedef struct wl_scene_key {
    wl_key_form form;
    wl_series series; /* of a mark */
    bool measured;
    wl_join join; /* of a line */
    wl_ink ink;
    const char *name;
    double x, y;
} wl_scene_key;
#define WL_SCENE_KEYS_MAX 14
enum { WL_SCENE_KEY_LINE = 22 }; /* pixels of a line in the key, from x - 5 */

typedef struct wl_scene_roof {
    wl_roof roof;
    wl_scene_line line;
} wl_scene_roof;

typedef struct wl_scene_box {
    double x0, y0, x1, y1;
} wl_scene_box;

/* What a label must not overlap: lines and other labels; roofs and other labels (for those of
 * roofs); other labels; nothing. */
enum { WL_CARE_LINES, WL_CARE_ROOFS, WL_CARE_LABELS, WL_CARE_NONE };

typedef struct wl_scene {
    const wl_roofline *r;
    double x_low, x_high, y_low, y_high; /* logarithms to base 10 */
    wl_scene_roof roofs[WL_ROOFS_MAX];
    int roof_count;
    wl_wall walls[WL_WALLS_MAX];
    double wall_top[WL_WALLS_MAX];
    int wall_count;
    wl_scene_label *labels;
    size_t label_count;
    wl_scene_line *leaders; /* from a number to its mark */
    size_t leader_count;
    wl_scene_join *joins;
    size_t join_count;
    wl_scene_box *boxes; /* taken */
    size_t box_count, box_room;
    int care;    /* while labels are placed */
    int crowded; /* labels that found no free place and overlap others */
    bool failed; /* out of memory */
} wl_scene;

void wl_scene_make(const wl_roofline *roofline, wl_scene *out);
void wl_scene_free(wl_scene *scene);
wl_scene_line wl_scene_wall(const wl_scene *scene, int wall);
/* Does a roof, a wall or a line between marks cross the label? */
bool wl_scene_is_struck(const wl_scene *scene, const wl_scene_label *label);

int wl_scene_keys(const wl_scene *scene, wl_scene_key out[WL_SCENE_KEYS_MAX]);
wl_ink wl_mark_ink(const wl_mark *mark);

/* What the axes show, with units. */
const char *wl_roofline_x_label(const wl_roofline *roofline);
const char *wl_roofline_y_label(const wl_roofline *roofline);

/* Data to pixels. */
double wl_scene_x(const wl_scene *scene, double intensity);
double wl_scene_y(const wl_scene *scene, double rate);

wl_ink wl_level_ink(wl_level level);
wl_ink wl_roof_ink(const wl_roof *roof);
/* The number a launch has in pictures and tables, from 1: a measurement has that of its
 * prediction. */
size_t wl_roofline_number(const wl_roofline *roofline, size_t launch);
/* The mark of all operations or instructions that is nearest to its roof; NULL: none. */
const wl_mark *wl_roofline_nearest(const wl_roofline *roofline, size_t launch);
/* The mark of a series and level; NULL: none. */
const wl_mark *wl_roofline_find(const wl_roofline *roofline, size_t launch, wl_series series, wl_level level);
/* The roof above a mark by name: "DRAM", "f64". */
const char *wl_mark_roof(const wl_mark *mark);
/* "DRAM 4.27 TB/s", "issue 1045 GIPS" */
void wl_roof_label(const wl_roofline *roofline, const wl_roof *roof, char text[WL_SCENE_TEXT]);
/* At most so many characters of a kernel's name: without parameters, result and namespaces, then
 * without its middle. */
void wl_shorten(const char *text, size_t most, wl_buffer *out);

#endif /* WL_REPORT_COMMON_ROOFLINE_SCENE_H */
