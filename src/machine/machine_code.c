/* machine_code.c - see machine_code.h. SPDX-License-Identifier: MIT */
#include "machine/machine_code.h"

#include <string.h>

#include "base/fail.h"
#include "machine/line_program.h"

enum { INSTRUCTION_BYTES = 16, OLDEST = 70, NEWEST = 121 };
enum { WITH_ADDENDS = 4, WITHOUT_ADDENDS = 9 }; /* types of sections */
enum { RELA_BYTES = 24, REL_BYTES = 16, SYMBOL_BYTES = 24, SYMBOL_SECTION = 6 };

/* Fields of an instruction, by their first bit. The bits of an operation above these nine say where
 * its operands are. */
enum { OPERATION_BITS = 9, OPERATIONS = 1 << OPERATION_BITS };
enum { GUARD = 12, GUARD_BITS = 4, ALWAYS = 7, OWN_GUARD = 87 - 64, OFFSET_LOW = 16, OFFSET = 34, VOTE = 32 };

static const wl_machine_operation operations[OPERATIONS] = {
#define WL_SASS(code, name, class, pipe, flow) [code] = {#name, WL_INST_##class, WL_MACHINE_##pipe, WL_MACHINE_##flow},
#include "machine/machine_operations.def"
};

/* ---- the file ---- */

static bool is_line_table(const wl_elf_section *s) { return wl_elf_section_is(s, ".nv_debug_line_sass"); }

static void find_lines(wl_machine_code *code)
{
    wl_elf_section section;
    for (uint64_t i = 0; i < code->elf.section_count; i++) {
        if (!wl_elf_section_at(&code->elf, i, &section))
            continue;
        if (is_line_table(&section))
            code->lines = section.contents;
        else if (section.type == WL_ELF_SYMBOLS)
            code->symbols = section.contents;
        else if (wl_elf_section_is(&section, ".rela.nv_debug_line_sass") ||
                 wl_elf_section_is(&section, ".rel.nv_debug_line_sass")) {
            code->places = section.contents;
            code->addends = section.type == WITH_ADDENDS;
        }
    }
}

wl_status wl_machine_code_open(wl_bytes bytes, wl_machine_code *out, wl_error *err)
{
    char variant;
    *out = (wl_machine_code){.arch = 0};
    if (!wl_elf_is(bytes))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "it is no cubin");
    WL_TRY(wl_elf_open(bytes, &out->elf, err));
    if (out->elf.machine != WL_ELF_CUDA)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "an ELF file without machine code of a GPU");
    out->arch = wl_elf_cuda_arch(&out->elf, &variant);
    if (out->arch < OLDEST || out->arch > NEWEST)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "machine code of sm_%d: that of sm_%d to sm_%d is read",
                       out->arch, OLDEST, NEWEST);
    find_lines(out);
    return WL_OK;
}

/* ---- instructions ---- */

static uint64_t bits(uint64_t word, int first, int count) { return word >> first & ((UINT64_C(1) << count) - 1); }

static int64_t signed_bits(uint64_t number, int count)
{
    const uint64_t sign = UINT64_C(1) << (count - 1);
    return (int64_t)((number ^ sign) - sign);
}

/* How far a branch goes, in bytes from the next instruction: in units of 4. */
static int64_t offset_of(uint64_t low, uint64_t high, int arch)
{
    enum { LOW_BITS = 64 - OFFSET, HIGH_BITS = 16, BYTE = 8, UNIT = 4, LONG_OFFSETS = 90 };
    const uint64_t number = low >> OFFSET | bits(high, 0, HIGH_BITS) << LOW_BITS;
    if (arch < LONG_OFFSETS)
        return UNIT * signed_bits(number, LOW_BITS + HIGH_BITS);
    return UNIT * signed_bits(number << BYTE | bits(low, OFFSET_LOW, BYTE), LOW_BITS + HIGH_BITS + BYTE);
}

static void decode(const uint8_t *at, int32_t index, int32_t count, int arch, wl_machine_instruction *out)
{
    const uint64_t low = wl_bytes_64(at), high = wl_bytes_64(at + 8);
    const wl_machine_operation *o = &operations[bits(low, 0, OPERATION_BITS)];
    *out = (wl_machine_instruction){.operation = o, .target = -1, .guarded = bits(low, GUARD, GUARD_BITS) != ALWAYS};
    if (o->flow != WL_MACHINE_BRANCH)
        return;
    /* a branch may have a second condition, or a vote of the warp */
    out->guarded = out->guarded || bits(high, OWN_GUARD, GUARD_BITS) != ALWAYS || bits(low, VOTE, OFFSET - VOTE) != 0;
    const int64_t offset = offset_of(low, high, arch), to = index + 1 + offset / INSTRUCTION_BYTES;
    if (offset % INSTRUCTION_BYTES == 0 && to >= 0 && to < count)
        out->target = (int32_t)to;
}

/* ---- lines ---- */

typedef struct line_reader {
    const wl_machine_code *code;
    wl_machine_kernel *kernel;
    uint64_t section; /* of the kernel */
    bool own;         /* is the sequence that of the kernel? */
    bool begun;       /* it has a row: */
    uint64_t next;    /* the first instruction without a line, */
    int64_t line;     /* and the line before it */
} line_reader;

/* The section that the address at this place of the line table is in; 0: not known. */
static uint64_t section_of(const wl_machine_code *code, uint64_t place)
{
    const size_t step = code->addends ? RELA_BYTES : REL_BYTES;
    for (size_t at = 0; at + step <= code->places.size; at += step) {
        const uint8_t *entry = code->places.at + at;
        wl_bytes symbol;
        if (wl_bytes_64(entry) == place &&
            wl_bytes_part(code->symbols, (wl_bytes_64(entry + 8) >> 32) * SYMBOL_BYTES, SYMBOL_BYTES, &symbol))
            return wl_bytes_16(symbol.at + SYMBOL_SECTION);
    }
    return 0;
}

static void begin_sequence(void *user, uint64_t at)
{
    line_reader *r = user;
    r->own = section_of(r->code, at) == r->section;
    r->begun = false;
}

static void add_row(void *user, uint64_t address, int64_t line)
{
    line_reader *r = user;
    if (!r->own)
        return;
    const uint64_t first = address / INSTRUCTION_BYTES;
    for (r->next = r->begun ? r->next : first; r->next < first && r->next < (uint64_t)r->kernel->count; r->next++)
        r->kernel->list[r->next].line = (int32_t)r->line;
    r->kernel->has_lines = r->begun = true;
    r->line = line >= 0 && line <= INT32_MAX ? line : 0;
}

/* ---- kernels ---- */

static bool is_text_of(const wl_elf_section *s, const char *name)
{
    static const char text[] = ".text.";
    const size_t before = sizeof text - 1, length = strlen(name);
    return s->name.size == before + length && memcmp(s->name.at, text, before) == 0 &&
           memcmp(s->name.at + before, name, length) == 0;
}

wl_status wl_machine_kernel_read(const wl_machine_code *code, const char *name, wl_arena *arena, wl_machine_kernel *out,
                                 wl_error *err)
{
    wl_elf_section section = {.type = 0};
    uint64_t index = 0;
    while (index < code->elf.section_count &&
           !(wl_elf_section_at(&code->elf, index, &section) && is_text_of(&section, name)))
        index++;
    *out = (wl_machine_kernel){.unknown = -1};
    if (index == code->elf.section_count || section.contents.size / INSTRUCTION_BYTES > INT32_MAX)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no machine code of %.200s", name);
    const int32_t count = (int32_t)(section.contents.size / INSTRUCTION_BYTES);
    out->list = WL_ARENA_NEW(arena, wl_machine_instruction, count + 1);
    if (!out->list)
        return wl_fail_memory(err);
    out->count = count;
    for (int32_t i = 0; i < count; i++) {
        decode(section.contents.at + (size_t)i * INSTRUCTION_BYTES, i, count, code->arch, &out->list[i]);
        if (!out->list[i].operation->name && out->unknown < 0)
            out->unknown = i;
    }
    line_reader reader = {.code = code, .kernel = out, .section = index};
    const wl_line_visitor visitor = {&reader, begin_sequence, add_row};
    return wl_line_program_read(code->lines, &visitor, err);
}
