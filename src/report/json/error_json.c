/* error_json.c - an error as a line of JSON, among the results of a batch.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/json_out.h"
#include "warpline/report.h"

wl_status wl_error_json(const wl_error *e, size_t line, char **out, wl_error *err)
{
    char message[WL_MESSAGE_MAX + WL_INPUT_NAME_MAX + 32];
    wl_buffer text = {0};
    wl_json_out o = {.text = &text, .form = WL_JSON_COMPACT};
    if (e->loc.line > 0)
        (void)snprintf(message, sizeof message, "%s:%d:%d: %s", e->input, (int)e->loc.line, (int)e->loc.col,
                       e->message);
    else
        (void)snprintf(message, sizeof message, "%s%s%s", e->input, e->input[0] ? ": " : "", e->message);
    wl_out_row(&o, NULL, "error:s status:s line:d", message, wl_status_name(e->code), (int64_t)line);
    return wl_buffer_take(&text, out, err);
}
