/* binary_text.c - the device code of an executable, object, library, fatbin or cubin, for people.
 * SPDX-License-Identifier: MIT */
#include "report/common/binary_report.h"
#include "report/common/render.h"

static void add_row(const wl_binary_report *r, size_t code, wl_buffer *out)
{
    const wl_binary_code *c = wl_binary_code_at(r->binary, code);
    const char *from = c->member ? c->member : c->source;
    char arch[WL_BINARY_ARCH_MAX];
    wl_buffer_add(out, "%6zu  %6zu  %-4s  %-13s  %-7s %10zu %10zu", code + 1, c->fatbin, wl_binary_kind_word(c),
                  wl_binary_arch_word(c, arch), wl_binary_packing_word(c), c->bytes, c->stored_bytes);
    if (r->kernels[code] >= 0)
        wl_buffer_add(out, "  %7lld", (long long)r->kernels[code]);
    else
        wl_buffer_add(out, "  %7s", "-");
    wl_buffer_add(out, "%s%s\n", from ? "  " : "", from ? from : "");
}

void wl_binary_text(const void *result, wl_buffer *out)
{
    const wl_binary_report *r = result;
    const size_t fatbins = wl_binary_fatbin_count(r->binary), codes = wl_binary_code_count(r->binary);
    bool named = false;
    for (size_t i = 0; i < codes; i++)
        named = named || wl_binary_code_at(r->binary, i)->member || wl_binary_code_at(r->binary, i)->source;
    wl_buffer_add(out, "%s: %s, %zu fatbin%s\n\n", r->file, wl_binary_what(r->binary), fatbins,
                  fatbins == 1 ? "" : "s");
    wl_buffer_add(out, "module  fatbin  code  architecture   packing      bytes     stored  kernels%s\n",
                  named ? "  from" : "");
    for (size_t i = 0; i < codes; i++)
        add_row(r, i, out);
}
