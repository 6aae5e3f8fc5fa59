/* arguments_internal.h - what the parts of arguments.c share: parameters, structs, module
 * variables.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ARGUMENTS_INTERNAL_H
#define WL_PTX_EMULATE_ARGUMENTS_INTERNAL_H

#include "base/fail.h"
#include "ptx/emulate/arguments_text.h"
#include "ptx/module/source_params.h"

typedef struct wl_ptx_maker {
    const wl_ptx_module *module;
    const wl_ptx_function *entry;
    const wl_ptx_given *given;
    wl_arena *arena;
    wl_ptx_arguments *out;
    wl_error *err;
    uint64_t next;         /* base of the next buffer */
    const char **contents; /* by variable: as given; NULL: not given */
} wl_ptx_maker;

/* Makes an error at a position of a given text name that text. */
static inline void wl_ptx_name_text(const wl_ptx_maker *maker, const char *text)
{
    if (maker->err && maker->err->loc.line > 0)
        (void)wl_fail_in(maker->err, text);
}

/* Appends a copy of the buffer and gives it an address. */
wl_ptx_buffer *wl_ptx_place_buffer(wl_ptx_maker *maker, const wl_ptx_buffer *buffer);

/* The bytes of the entry's parameters: from texts, or from a program's launch, with its memory. */
wl_status wl_ptx_make_params(wl_ptx_maker *maker);
wl_status wl_ptx_lay_out_params(wl_ptx_maker *maker); /* their offsets */
wl_status wl_ptx_find_sources(const wl_ptx_maker *maker, bool needed, const wl_ptx_source_param **sources);
wl_status wl_ptx_take_image(wl_ptx_maker *maker);
/* The address of a variable in the image; false: it is not there. */
bool wl_ptx_image_symbol(const wl_ptx_maker *maker, const char *name, uint64_t *address);

/* The first finds the variables with given contents; the second sets those of one variable, whose
 * buffer is placed already. */
wl_status wl_ptx_find_contents(wl_ptx_maker *maker);
wl_status wl_ptx_fill_variable(wl_ptx_maker *maker, int32_t variable, wl_ptx_buffer *buffer);

/* The text of a value, and whose value it is: names of its buffers start with `name`. */
typedef struct wl_ptx_value_text {
    const char *text, *name;
    int number; /* makes random contents differ */
} wl_ptx_value_text;

/* "{buf:1024, 4, 2.5:f64, {1, 2}}" with the natural alignment of its members, into `out` of `room`
 * bytes; *bytes: its own size. WL_E_INPUT: malformed, or larger. `out` NULL: only measured. */
wl_status wl_ptx_struct_text(wl_ptx_maker *maker, const wl_ptx_value_text *value, int64_t room, uint8_t *out,
                             int64_t *bytes);
/* The layout of the struct for a message: "buf at 0, b32 at 8". */
void wl_ptx_struct_words(wl_ptx_maker *maker, const wl_ptx_value_text *value, char *words, size_t size);

/* "buf:..", "tex:..", "surf:..": makes the buffer and writes its address. */
/* "tensormap:..": makes the array's buffer and writes the 128 bytes of the map. */
bool wl_ptx_is_map(const char *text);
wl_status wl_ptx_map_argument(wl_ptx_maker *maker, const wl_ptx_value_text *value, uint8_t *out);

bool wl_ptx_is_pointer(const char *text);
wl_status wl_ptx_pointer_text(wl_ptx_maker *maker, const wl_ptx_value_text *value, uint8_t *out);

#endif /* WL_PTX_EMULATE_ARGUMENTS_INTERNAL_H */
