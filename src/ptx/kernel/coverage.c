/* coverage.c - how much of a PTX file is supported, operation by operation: wl_ptx_coverage.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "ptx/kernel/ptx_file.h"

typedef struct coverage {
    const wl_ptx_module *module;
    int64_t count[WL_PTX_OP_COUNT][WL_INST_CLASS_COUNT];
    int64_t by_support[3]; /* of fully understood instructions */
    int64_t unknown, partial, all;
    int entries, functions;
} coverage;

static const char *const supports[] = {
    [WL_PTX_EXACT] = "exact", [WL_PTX_COUNTED] = "counted", [WL_PTX_IGNORED] = "ignored"};

static void count_instruction(coverage *c, const wl_ptx_instruction *in)
{
    c->all++;
    c->count[in->op][wl_ptx_class_of(in)]++;
    if (in->op == WL_PTX_OP_unknown)
        c->unknown++;
    else if (in->partial)
        c->partial++;
    else
        c->by_support[wl_ptx_op_info_of(in->op)->support]++;
}

static void count_all(coverage *c)
{
    for (int32_t i = 0; i < c->module->function_count; i++) {
        const wl_ptx_function *f = &c->module->functions[i];
        if (f->is_declared_only)
            continue;
        c->entries += f->is_entry;
        c->functions += !f->is_entry;
        for (int32_t k = 0; k < f->instruction_count; k++)
            count_instruction(c, &f->instructions[k]);
    }
}

static double share(const coverage *c, int64_t part) { return c->all ? 100.0 * (double)part / (double)c->all : 0; }

static const char *support_of(wl_ptx_op op)
{
    return op == WL_PTX_OP_unknown ? "unknown" : supports[wl_ptx_op_info_of(op)->support];
}

/* The first spelling of an operation. */
static int name_length(wl_ptx_op op) { return (int)strcspn(wl_ptx_op_info_of(op)->mnemonic, " "); }

static const char *name_of(wl_ptx_op op)
{
    return op == WL_PTX_OP_unknown ? "(unknown)" : wl_ptx_op_info_of(op)->mnemonic;
}

/* ---- text ---- */

static void write_row(const coverage *c, wl_ptx_op op, wl_buffer *out)
{
    const int length = op == WL_PTX_OP_unknown ? (int)strlen(name_of(op)) : name_length(op);
    for (int k = 0; k < WL_INST_CLASS_COUNT; k++)
        if (c->count[op][k] > 0)
            wl_buffer_add(out, "%-24.*s %10lld  %-8s %-8s %s\n", length, name_of(op), (long long)c->count[op][k],
                          wl_inst_class_name((wl_inst_class)k), support_of(op), wl_ptx_op_info_of(op)->meaning);
}

static void write_text(const coverage *c, wl_buffer *out)
{
    const wl_ptx_module *m = c->module;
    wl_buffer_add(out, "PTX %d.%d for %s: %d kernels, %d functions, %lld instructions\n\n", m->version_major,
                  m->version_minor, m->target ? m->target : "no target", c->entries, c->functions, (long long)c->all);
    wl_buffer_add(out, "%-24s %10s  %-8s %-8s %s\n", "operation", "count", "class", "support", "meaning");
    for (int op = 0; op < WL_PTX_OP_COUNT; op++)
        write_row(c, (wl_ptx_op)op, out);
    wl_buffer_add(out, "\nexact   %6.2f %%  results are computed\n", share(c, c->by_support[WL_PTX_EXACT]));
    wl_buffer_add(out, "ignored %6.2f %%  nothing to compute\n", share(c, c->by_support[WL_PTX_IGNORED]));
    wl_buffer_add(out, "counted %6.2f %%  counted; results are unknown\n", share(c, c->by_support[WL_PTX_COUNTED]));
    wl_buffer_add(out, "partial %6.2f %%  a modifier is not understood\n", share(c, c->partial));
    wl_buffer_add(out, "unknown %6.2f %%\n", share(c, c->unknown));
    for (int i = 0; i < m->note_count; i++)
        wl_buffer_add(out, "%sline %d: %s\n", i == 0 ? "\n" : "", m->notes[i].line, m->notes[i].text);
}

static wl_status as_text(const coverage *c, char **out, wl_error *err)
{
    wl_buffer text = {0};
    write_text(c, &text);
    return wl_buffer_take(&text, out, err);
}

/* ---- JSON ---- */

static json_t *operations(wl_json *j, const coverage *c)
{
    json_t *all = wl_json_array(j);
    for (int op = 0; op < WL_PTX_OP_COUNT; op++)
        for (int k = 0; k < WL_INST_CLASS_COUNT; k++)
            if (c->count[op][k] > 0)
                wl_json_add(j, all,
                            wl_json_pack(j, "{s:s%, s:s, s:s, s:I, s:s}", "name", name_of((wl_ptx_op)op),
                                         op == WL_PTX_OP_unknown ? strlen(name_of((wl_ptx_op)op))
                                                                 : (size_t)name_length((wl_ptx_op)op),
                                         "class", wl_inst_class_name((wl_inst_class)k), "support",
                                         support_of((wl_ptx_op)op), "count", (json_int_t)c->count[op][k], "meaning",
                                         wl_ptx_op_info_of((wl_ptx_op)op)->meaning));
    return all;
}

static json_t *notes(wl_json *j, const wl_ptx_module *m)
{
    json_t *all = wl_json_array(j);
    for (int i = 0; i < m->note_count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:i, s:i, s:o}", "line", m->notes[i].line, "column", m->notes[i].column, "text",
                                 wl_json_text(j, m->notes[i].text)));
    return all;
}

static json_t *instructions(wl_json *j, const coverage *c)
{
    return wl_json_pack(j, "{s:I, s:I, s:I, s:I, s:I, s:I}", "all", (json_int_t)c->all, "exact",
                        (json_int_t)c->by_support[WL_PTX_EXACT], "ignored", (json_int_t)c->by_support[WL_PTX_IGNORED],
                        "counted", (json_int_t)c->by_support[WL_PTX_COUNTED], "partial", (json_int_t)c->partial,
                        "unknown", (json_int_t)c->unknown);
}

static wl_status as_json(const coverage *c, char **out, wl_error *err)
{
    const wl_ptx_module *m = c->module;
    wl_json json = {0}, *j = &json;
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d", m->version_major, m->version_minor);
    json_t *all =
        wl_json_pack(j, "{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "schema", "warpline.coverage/1", "version", version,
                     "target", m->target ? m->target : "", "kernels", c->entries, "functions", c->functions,
                     "instructions", instructions(j, c), "operations", operations(j, c), "notes", notes(j, m));
    return wl_json_take(j, all, WL_JSON_INDENTED, 17, out, err);
}

wl_status wl_ptx_coverage(const wl_ptx *ptx, bool json, char **out, wl_error *err)
{
    coverage c = {.module = ptx->module};
    *out = NULL;
    count_all(&c);
    return json ? as_json(&c, out, err) : as_text(&c, out, err);
}
