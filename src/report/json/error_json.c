/* error_json.c - an error as a line of JSON, among the results of a batch.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/json.h"
#include "warpline/report.h"

wl_status wl_error_json(const wl_error *e, size_t line, char **out, wl_error *err)
{
    char message[WL_MESSAGE_MAX + WL_INPUT_NAME_MAX + 32];
    wl_json json = {0}, *j = &json;
    json_t *object = wl_json_object(j);
    if (e->loc.line > 0)
        (void)snprintf(message, sizeof message, "%s:%d:%d: %s", e->input, (int)e->loc.line, (int)e->loc.col,
                       e->message);
    else
        (void)snprintf(message, sizeof message, "%s%s%s", e->input, e->input[0] ? ": " : "", e->message);
    wl_json_set(j, object, "error", wl_json_text(j, message));
    wl_json_set(j, object, "status", wl_json_text(j, wl_status_name(e->code)));
    wl_json_set(j, object, "line", wl_json_whole(j, (int64_t)line));
    return wl_json_take(j, object, WL_JSON_COMPACT, WL_JSON_DIGITS, out, err);
}
