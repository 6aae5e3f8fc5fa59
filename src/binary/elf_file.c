/* elf_file.c - see elf_file.h.
 * Layer  binary. SPDX-License-Identifier: MIT */
#include "binary/elf_file.h"

#include <string.h>

#include "base/fail.h"

/* Places in the headers, by the ELF specification. */
enum {
    IDENT_CLASS = 4,
    IDENT_ENDIAN = 5,
    IDENT_ABI_VERSION = 8,
    HEADER_TYPE = 16,
    HEADER_MACHINE = 18,
    HEADER_SECTIONS = 40,
    HEADER_FLAGS = 48,
    HEADER_SECTION_BYTES = 58,
    HEADER_SECTION_COUNT = 60,
    HEADER_NAMES_SECTION = 62,
    HEADER_BYTES = 64
};
enum {
    SECTION_NAME = 0,
    SECTION_TYPE = 4,
    SECTION_OFFSET = 24,
    SECTION_SIZE = 32,
    SECTION_LINK = 40,
    SECTION_BYTES = 64
};
enum { SYMBOL_INFO = 4, SYMBOL_OTHER = 5, SYMBOL_SECTION = 6, SYMBOL_BYTES = 24 };

enum { CLASS_64 = 2, LITTLE_ENDIAN_DATA = 1, NO_CONTENTS = 8, NAMES_ELSEWHERE = 0xffff };

bool wl_elf_is(wl_bytes b) { return b.size >= 4 && memcmp(b.at, "\177ELF", 4) == 0; }

static wl_status damaged(wl_error *err, const char *what)
{
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged ELF file: %s", what);
}

/* Counts that do not fit into the header are in the first section. */
static wl_status open_sections(wl_elf *e, wl_error *err)
{
    const uint8_t *header = e->file.at;
    const uint64_t offset = wl_bytes_64(header + HEADER_SECTIONS);
    uint64_t count = wl_bytes_16(header + HEADER_SECTION_COUNT), names = wl_bytes_16(header + HEADER_NAMES_SECTION);
    wl_bytes first;
    wl_elf_section section;
    if (offset == 0)
        return WL_OK;
    if (wl_bytes_16(header + HEADER_SECTION_BYTES) != SECTION_BYTES ||
        !wl_bytes_part(e->file, offset, SECTION_BYTES, &first))
        return damaged(err, "its sections cannot be found");
    if (count == 0)
        count = wl_bytes_64(first.at + SECTION_SIZE);
    if (names == NAMES_ELSEWHERE)
        names = wl_bytes_32(first.at + SECTION_LINK);
    if (count > e->file.size / SECTION_BYTES || !wl_bytes_part(e->file, offset, count * SECTION_BYTES, &e->sections))
        return damaged(err, "it has fewer sections than it says");
    e->section_count = count;
    if (names >= count || !wl_elf_section_at(e, names, &section))
        return damaged(err, "its sections have no names");
    e->section_names = section.contents;
    return WL_OK;
}

wl_status wl_elf_open(wl_bytes bytes, wl_elf *out, wl_error *err)
{
    *out = (wl_elf){.file = bytes};
    if (!wl_elf_is(bytes) || bytes.size < HEADER_BYTES)
        return damaged(err, "its header is cut off");
    if (bytes.at[IDENT_CLASS] != CLASS_64 || bytes.at[IDENT_ENDIAN] != LITTLE_ENDIAN_DATA)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "an ELF file of %s: only those of 64 bits, little endian, are read",
                       bytes.at[IDENT_CLASS] != CLASS_64 ? "32 bits" : "a big-endian machine");
    out->type = wl_bytes_16(bytes.at + HEADER_TYPE);
    out->machine = wl_bytes_16(bytes.at + HEADER_MACHINE);
    out->flags = wl_bytes_32(bytes.at + HEADER_FLAGS);
    out->abi_version = bytes.at[IDENT_ABI_VERSION];
    return open_sections(out, err);
}

bool wl_elf_section_at(const wl_elf *e, uint64_t index, wl_elf_section *out)
{
    const uint8_t *header = e->sections.at + index * SECTION_BYTES;
    const uint32_t name = wl_bytes_32(header + SECTION_NAME);
    *out = (wl_elf_section){.type = wl_bytes_32(header + SECTION_TYPE), .link = wl_bytes_32(header + SECTION_LINK)};
    if (wl_bytes_part(e->section_names, name, 1, &out->name))
        out->name.size = strnlen((const char *)out->name.at, e->section_names.size - name);
    return out->type == NO_CONTENTS || wl_bytes_part(e->file, wl_bytes_64(header + SECTION_OFFSET),
                                                     wl_bytes_64(header + SECTION_SIZE), &out->contents);
}

bool wl_elf_section_is(const wl_elf_section *section, const char *name)
{
    return section->name.size > 0 && section->name.size == strlen(name) &&
           memcmp(section->name.at, name, section->name.size) == 0;
}

bool wl_elf_has_section(const wl_elf *e, const char *name)
{
    wl_elf_section section;
    for (uint64_t i = 0; i < e->section_count; i++)
        if (wl_elf_section_at(e, i, &section) && wl_elf_section_is(&section, name))
            return true;
    return false;
}

/* ---- cubins ---- */

int wl_elf_cuda_arch(const wl_elf *e, char *variant)
{
    enum { ABI_SINCE_13 = 8, ARCH_ONLY_BEFORE_13 = 0x800 };
    const bool since_13 = e->abi_version >= ABI_SINCE_13;
    *variant = !since_13 && e->flags & ARCH_ONLY_BEFORE_13 ? 'a' : '\0';
    return (int)(since_13 ? e->flags >> 8 & UINT8_MAX : e->flags & UINT8_MAX);
}

static bool is_kernel(const uint8_t *symbol)
{
    enum { FUNCTION = 2, TYPE_MASK = 0xf, CUDA_ENTRY = 0x10 };
    return (symbol[SYMBOL_INFO] & TYPE_MASK) == FUNCTION && (symbol[SYMBOL_OTHER] & CUDA_ENTRY) &&
           wl_bytes_16(symbol + SYMBOL_SECTION) != 0;
}

size_t wl_elf_cuda_kernels(const wl_elf *e)
{
    size_t count = 0;
    wl_elf_section section;
    for (uint64_t i = 0; i < e->section_count; i++) {
        if (!wl_elf_section_at(e, i, &section) || section.type != WL_ELF_SYMBOLS)
            continue;
        for (size_t at = 0; at + SYMBOL_BYTES <= section.contents.size; at += SYMBOL_BYTES)
            count += is_kernel(section.contents.at + at);
    }
    return count;
}
