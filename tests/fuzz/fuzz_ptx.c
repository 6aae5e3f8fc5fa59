/* fuzz_ptx.c - PTX texts: reading, what must hold of every module, finding entries, coverage.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "ptx/kernel/ptx_file.h"
#include "warpline/ptx.h"
#include "warpline/report.h"

static void check_index(int32_t index, int32_t count) { REQUIRE(index >= -1 && index < count); }

static void check_operand(const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_operand *o, bool in_list)
{
    check_index(o->reg, f->register_count);
    check_index(wl_ptx_second_of(o), f->register_count);
    check_index(wl_ptx_variable_of(o), m->variable_count);
    switch (o->kind) {
    case WL_PTX_OPERAND_REG: REQUIRE(o->reg >= 0); break;
    case WL_PTX_OPERAND_VARIABLE: REQUIRE(o->variable >= 0); break;
    case WL_PTX_OPERAND_VECTOR:
    case WL_PTX_OPERAND_ADDRESS:
        REQUIRE(!in_list && (o->count == 0 || (o->first >= 0 && o->first + o->count <= f->list_count)));
        break;
    case WL_PTX_OPERAND_LABEL: REQUIRE(o->value >= 0 && o->value <= f->instruction_count); break;
    case WL_PTX_OPERAND_FUNCTION:
        REQUIRE(o->first >= 0 && o->first < m->function_count && o->value >= -1 && o->value < m->function_count);
        REQUIRE(o->value < 0 || !m->functions[o->value].is_declared_only);
        break;
    case WL_PTX_OPERAND_SPECIAL: REQUIRE(o->value >= 0 && o->value <= WL_PTX_SPECIAL_OTHER); break;
    default: break;
    }
}

static void check_instruction(const wl_ptx_module *m, const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    REQUIRE(in->op < WL_PTX_OP_COUNT && in->type < WL_PTX_TYPE_COUNT && in->from < WL_PTX_TYPE_COUNT);
    REQUIRE(in->operand_count <= WL_PTX_OPERANDS_MAX && in->line > 0 && in->column > 0 && in->text_length > 0);
    check_index(in->guard, f->register_count);
    check_index(in->file, m->file_count);
    REQUIRE(wl_ptx_class_of(in) < WL_INST_CLASS_COUNT && wl_ptx_access_bytes(in) >= 0);
    for (int i = 0; i < in->operand_count; i++)
        check_operand(m, f, &in->operands[i], false);
}

static void check_variable(const wl_ptx_module *m, const wl_ptx_variable *v)
{
    REQUIRE(v->name && v->bytes >= 0 && v->bytes <= (int64_t)1 << 40 && v->elements >= 0);
    check_index(v->function, m->function_count);
    if (v->initial && v->bytes > 0)
        REQUIRE(v->initial[0] + v->initial[v->bytes - 1] <= 2 * UINT8_MAX); /* all of it is there */
    for (int32_t i = 0; i < v->link_count; i++) {
        const wl_ptx_link *l = &v->links[i];
        REQUIRE(l->at >= 0 && l->at + l->bytes <= v->bytes && (l->variable >= 0) != (l->function >= 0));
        check_index(l->variable, m->variable_count);
        check_index(l->function, m->function_count);
    }
}

static void check_module(const wl_ptx_module *m)
{
    for (int32_t i = 0; i < m->variable_count; i++)
        check_variable(m, &m->variables[i]);
    for (int32_t i = 0; i < m->function_count; i++) {
        const wl_ptx_function *f = &m->functions[i];
        REQUIRE(f->name && (!f->is_declared_only || f->instruction_count == 0));
        for (int k = 0; k < f->param_count; k++)
            REQUIRE(f->params[k] >= 0 && f->params[k] < m->variable_count);
        for (int k = 0; k < f->return_count; k++)
            REQUIRE(f->returns[k] >= 0 && f->returns[k] < m->variable_count);
        for (int32_t k = 0; k < f->instruction_count; k++)
            check_instruction(m, f, &f->instructions[k]);
        for (int32_t k = 0; k < f->list_count; k++)
            check_operand(m, f, &f->lists[k], true);
    }
    for (int i = 0; i < m->note_count; i++)
        REQUIRE(m->notes[i].line > 0 && m->notes[i].text[0]);
}

static void check_public(const wl_ptx *ptx)
{
    for (int json = 0; json < 2; json++) {
        wl_error err = {0};
        char *text = NULL;
        const wl_status status = wl_ptx_coverage(ptx, json ? WL_FORMAT_JSON : WL_FORMAT_TEXT, &text, &err);
        fuzz_check_outcome(status, text, &err);
        REQUIRE(status == WL_OK);
        free(text);
    }
    for (size_t i = 0; i < wl_ptx_entry_count(ptx); i++) {
        REQUIRE(wl_ptx_entry_name(ptx, i));
        for (size_t k = 0; k < wl_ptx_param_count(ptx, i); k++)
            REQUIRE(wl_ptx_param_type(ptx, i, k));
    }
    const char *const names[] = {NULL, "k", "", "_Z1kv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        wl_error err = {0};
        const wl_ptx_function *f = NULL;
        const wl_status status = wl_ptx_find_entry(ptx->module, names[i], &f, &err);
        fuzz_check_outcome(status, f, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    const wl_status status = wl_ptx_parse("fuzz.ptx", (const char *)data, size, &ptx, &err);
    fuzz_check_outcome(status, ptx, &err);
    if (status != WL_OK)
        return 0;
    check_module(ptx->module);
    check_public(ptx);
    wl_ptx_free(ptx);
    return 0;
}
