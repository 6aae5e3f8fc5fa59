/* show.c - a kernel as a kernel file. SPDX-License-Identifier: MIT */
#include "base/buffer.h"
#include "kernel/kernel_internal.h"
#include "kernel/show_counts.h"

static void show_fields(const wl_kernel *k, wl_buffer *out)
{
    wl_buffer_add(out, "fields:\n");
    for (size_t i = 0; i < k->field_count; i++) {
        const wl_field *f = &k->fields[i];
        wl_buffer_add(out, "  %s: {type: %s, strides: [", f->name, wl_type_name(f->type));
        for (int d = 0; d < f->dims; d++)
            wl_buffer_add(out, "%s%lld", d ? ", " : "", (long long)f->strides[d]);
        wl_buffer_add(out, "], origin: %lld}\n", (long long)f->origin);
    }
}

/* A kernel made from an assignment has no file: writes an equivalent one. */
static void show_assignment(const wl_kernel *k, wl_buffer *out)
{
    wl_buffer_add(out, "name: %s\ndomain: [", k->name);
    for (int d = 0; d < k->dims; d++)
        wl_buffer_add(out, "%s%lld", d ? ", " : "", (long long)k->domain[d]);
    wl_buffer_add(out, "]\n");
    show_fields(k, out);
    wl_buffer_add(out, "update: |\n  ");
    for (const char *c = k->text.text; *c; c++)
        wl_buffer_add(out, *c == '\n' ? "\n  " : "%c", *c);
    wl_buffer_add(out, "\n");
}

static const char *kind_of(const wl_access *a) { return a->atomic ? "atomic on" : a->store ? "store to" : "load from"; }

/* What a kernel file cannot state, so that it predicts something else than the kernel. */
static void show_missing(const wl_kernel *k, bool averaged, wl_buffer *out)
{
    bool traced = false;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        if (!a->traced)
            continue;
        if (!traced)
            wl_buffer_add(
                out, "# Emulated, and therefore not part of this file; without them it predicts something else:\n");
        traced = true;
        wl_buffer_add(out, "#   %s %s, line %d: %s\n", kind_of(a), k->fields[a->field].name, (int)a->loc.line, a->text);
    }
    if (k->source.visit_local)
        wl_buffer_add(out, "# Not part of this file: local memory, its accesses and volumes.\n");
    if (averaged)
        wl_buffer_add(out, "# Threads do not all execute the same: flops and instructions are averages of a launch.\n");
    if (averaged || k->source.live)
        wl_buffer_add(out,
                      "# Counts and volumes are those of the PTX. The time is not: it is estimated from them, without "
                      "the\n# order of loads, arithmetic and barriers, for which a kernel file has no words.\n");
}

wl_status wl_kernel_show(const wl_kernel *k, char **yaml, wl_error *err)
{
    wl_buffer out = {0}, counts = {0};
    bool averaged = false;
    const wl_status status = wl_kernel_show_counts(k, &counts, &averaged, err);
    show_missing(k, averaged, &out);
    for (size_t i = 0; i < k->text.set_count; i++)
        wl_buffer_add(&out, "# changed: %s\n", k->text.sets[i]);
    if (k->text.domain)
        show_assignment(k, &out);
    else
        wl_buffer_add(&out, "%.*s", (int)k->text.length, k->text.text);
    wl_buffer_put(&out, counts.text, counts.length);
    for (size_t i = 0; i < k->note_count; i++)
        wl_buffer_add(&out, "# note: %s\n", k->notes[i]);
    wl_buffer_drop_part(&counts, &out);
    if (status != WL_OK) {
        wl_buffer_drop(&out);
        return status;
    }
    return wl_buffer_take(&out, yaml, err);
}
