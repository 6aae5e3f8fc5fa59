/* advise_words.h - the words of a piece of advice, shared by text and JSON.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_ADVISE_WORDS_H
#define WL_REPORT_COMMON_ADVISE_WORDS_H

#include "base/buffer.h"
#include "warpline/advise.h"

typedef struct wl_advice_words {
    char text[320];
    size_t used;
} wl_advice_words;

/* "--block 32x4x2, rows 32 bytes longer" */
void wl_advice_describe(const wl_advice *advice, wl_advice_words *words);
bool wl_advice_has(const wl_advice *advice, wl_change change);
/* Does a cause already include this change (fewer registers, less shared memory)? Text mentions it
 * once. */
bool wl_advice_is_cause(const wl_advised *advised, const wl_advice *advice);
/* The number of pieces of advice that no cause includes; and the changes that these and the
 * combination consist of. */
size_t wl_advice_left(const wl_advised *advised);
uint32_t wl_advice_changes(const wl_advised *advised);
/* Does a cause already state the caveat of this change? */
bool wl_change_is_explained(const wl_advised *advised, wl_change change);
/* Does it change the addresses of the rows of fields? */
bool wl_advice_lays_out(const wl_advice *advice);

/* Calls `show` for every field that the advice lays out differently. */
typedef void (*wl_advice_field)(void *user, const char *name, int dims, const int64_t *strides, int64_t origin);
wl_status wl_advice_fields(const wl_kernel *kernel, const wl_advice *advice, wl_advice_field show, void *user,
                           wl_error *err);
/* Such a field as a kernel file states it: "{strides: [1, 512], origin: 0}" */
void wl_advice_field_text(int dims, const int64_t *strides, int64_t origin, wl_buffer *out);

#endif /* WL_REPORT_COMMON_ADVISE_WORDS_H */
