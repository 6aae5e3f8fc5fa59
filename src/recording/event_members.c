/* event_members.c - members of events: see recording_internal.h.
 * Layer  recording. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "recording/recording_internal.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"

wl_status wl_event_fails(const wl_event_reader *in, const char *member, const char *why)
{
    return wl_fail(in->err, WL_E_INPUT, WL_NOWHERE, "%.100s: event '%.20s' at byte %llu: %.40s %s", in->path, in->what,
                   (unsigned long long)in->at, member, why);
}

bool wl_event_has(const wl_event_reader *in, const char *member)
{
    const json_t *value = json_object_get(in->object, member);
    return value && !json_is_null(value);
}

static bool whole_of(const json_t *value, int64_t low, int64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < low || !wl_in_range(json_integer_value(value)))
        return false;
    *out = json_integer_value(value);
    return true;
}

wl_status wl_event_whole(const wl_event_reader *in, const char *member, int64_t low, int64_t *value)
{
    if (whole_of(json_object_get(in->object, member), low, value))
        return WL_OK;
    return wl_event_fails(in, member, low > 0 ? "must be a whole number above 0" : "must be a whole number, 0 or more");
}

wl_status wl_event_text(const wl_event_reader *in, const char *member, const char **value)
{
    const char *text = json_string_value(json_object_get(in->object, member));
    if (!text || !*text)
        return wl_event_fails(in, member, "must be a text");
    *value = text;
    return WL_OK;
}

wl_status wl_event_extents(const wl_event_reader *in, const char *member, int64_t low, int64_t value[3])
{
    const json_t *list = json_object_get(in->object, member);
    bool sound = json_is_array(list) && json_array_size(list) == 3;
    for (size_t d = 0; d < 3 && sound; d++)
        sound = whole_of(json_array_get(list, d), low, &value[d]) && value[d] <= INT32_MAX;
    return sound ? WL_OK : wl_event_fails(in, member, "must be an array of three numbers of blocks or threads");
}

wl_status wl_event_digest(const wl_event_reader *in, const char *member, wl_digest *value)
{
    const char *text = json_string_value(json_object_get(in->object, member));
    return text && wl_digest_read(text, value) ? WL_OK : wl_event_fails(in, member, "must be a digest of 32 digits");
}

wl_status wl_event_address(const wl_event_reader *in, const char *member, uint64_t *value)
{
    const char *text = json_string_value(json_object_get(in->object, member));
    const bool hex = text && strncmp(text, "0x", 2) == 0 && text[2];
    if (!hex || strspn(text + 2, HEX_DIGITS) != strlen(text + 2) || strlen(text) > 18)
        return wl_event_fails(in, member, "must be an address, as \"0x7f12a4000000\"");
    *value = strtoull(text, NULL, 16);
    return WL_OK;
}

static unsigned digit_of(char c) { return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10); }

wl_status wl_event_bytes(const wl_event_reader *in, const char *member, wl_arena *arena, uint8_t **bytes, size_t *count)
{
    const char *text = json_string_value(json_object_get(in->object, member));
    const size_t length = text ? strlen(text) : 1;
    if (length % 2 || strspn(text, HEX_DIGITS) != length)
        return wl_event_fails(in, member, "must be bytes as hexadecimal digits");
    *count = length / 2;
    *bytes = WL_ARENA_NEW(arena, uint8_t, *count + 1);
    if (!*bytes)
        return wl_fail_memory(in->err);
    for (size_t i = 0; i < *count; i++)
        (*bytes)[i] = (uint8_t)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    return WL_OK;
}

wl_status wl_event_seconds(const wl_event_reader *in, const char *member, double *value)
{
    if (!wl_event_has(in, member))
        return WL_OK;
    const json_t *given = json_object_get(in->object, member);
    const double seconds = json_number_value(given);
    if (!json_is_number(given) || !isfinite(seconds) || seconds < 0)
        return wl_event_fails(in, member, "must be a time in seconds");
    *value = seconds;
    return WL_OK;
}

wl_status wl_event_list(const wl_event_reader *in, const char *member, const json_t **list)
{
    *list = wl_event_has(in, member) ? json_object_get(in->object, member) : NULL;
    return !*list || json_is_array(*list) ? WL_OK : wl_event_fails(in, member, "must be an array");
}

wl_status wl_event_open(const wl_recording *r, const wl_record_place *place, json_t **event, wl_event_reader *in,
                        wl_error *err)
{
    const wl_record_file *file = &r->files[place->file];
    uint8_t *text = NULL;
    bool failed = false;
    json_error_t why;
    WL_TRY(wl_record_payload(file, &place->record, WL_EVENT_MOST, &text, err));
    *event = wl_json_read((const char *)text, (size_t)place->record.bytes, JSON_REJECT_DUPLICATES, &why, &failed);
    free(text);
    *in = (wl_event_reader){.path = file->path, .at = place->record.at, .what = "?", .object = *event, .err = err};
    if (failed)
        return wl_fail_memory(err);
    if (*event && json_is_object(*event)) {
        const char *what = json_string_value(json_object_get(*event, "event"));
        in->what = what ? what : in->what;
        return WL_OK;
    }
    json_decref(*event);
    *event = NULL;
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.120s: the event at byte %llu is no JSON object", file->path,
                   (unsigned long long)place->record.at);
}
