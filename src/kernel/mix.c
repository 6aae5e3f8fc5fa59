/* mix.c - see warpline/mix.h. SPDX-License-Identifier: MIT */
#include "warpline/mix.h"

#include <stddef.h>

static const struct {
    const char *name, *meaning;
} classes[WL_INST_CLASS_COUNT] = {
#define WL_INST_CLASS(name, meaning) {#name, meaning},
#include "warpline/classes.def"
};

const char *wl_inst_class_name(wl_inst_class c) { return c < WL_INST_CLASS_COUNT ? classes[c].name : NULL; }
const char *wl_inst_class_meaning(wl_inst_class c) { return c < WL_INST_CLASS_COUNT ? classes[c].meaning : NULL; }
