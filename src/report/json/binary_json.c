/* binary_json.c - the device code of a file as JSON, schema warpline.binary/1.
 * SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "report/common/binary_report.h"
#include "report/common/render.h"

static void add_code(wl_json_out *o, const wl_binary_report *r, size_t code)
{
    const wl_binary_code *c = wl_binary_code_at(r->binary, code);
    char arch[WL_BINARY_ARCH_MAX];
    wl_out_object(o, NULL);
    wl_out_members(o, "module:d fatbin:d code:s architecture:s packing:s bytes:d stored_bytes:d", (int64_t)code + 1,
                   (int64_t)c->fatbin, wl_binary_kind_word(c), wl_binary_arch_word(c, arch), wl_binary_packing_word(c),
                   (int64_t)c->bytes, (int64_t)c->stored_bytes);
    if (r->kernels[code] >= 0)
        wl_out_members(o, "kernels:d", r->kernels[code]);
    wl_out_members(o, "member:s? source:s?", c->member, c->source);
    wl_out_object_end(o);
}

void wl_binary_json(wl_json_out *o, const void *result)
{
    const wl_binary_report *r = result;
    wl_out_members(o, "schema:s file:s kind:s", "warpline.binary/1", r->file, wl_binary_what(r->binary));
    wl_out_array(o, "modules");
    for (size_t i = 0; i < wl_binary_code_count(r->binary); i++)
        add_code(o, r, i);
    wl_out_array_end(o);
}
