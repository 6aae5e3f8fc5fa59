/* binary_file.c - finds the device code of a file of any kind; see warpline/binary.h.
 * Layer  binary. SPDX-License-Identifier: MIT */
#include "binary/binary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/room.h"
#include "binary/archive.h"
#include "binary/elf_file.h"
#include "binary/fatbin.h"

struct wl_binary {
    wl_fatbin_entry *codes;
    size_t count, room, fatbins;
    const char *what;
    wl_arena texts;
    const char *member; /* that is being read */
};

/* ---- what it is ---- */

/* Windows: only to say that it is not read. Texts have no zero bytes. */
static bool is_windows(wl_bytes b) { return b.size >= 8 && memcmp(b.at, "MZ", 2) == 0 && !b.at[3] && !b.at[5]; }

bool wl_binary_is(const void *bytes, size_t length)
{
    const wl_bytes b = {bytes, length};
    static const uint8_t fatbin[] = {0x50, 0xed, 0x55, 0xba};
    return wl_elf_is(b) || wl_archive_is(b) || is_windows(b) ||
           (length >= sizeof fatbin && memcmp(bytes, fatbin, sizeof fatbin) == 0);
}

/* ---- codes ---- */

/* Names are printed: what is no ASCII character becomes a question mark. NULL: out of memory. */
static const char *keep_name(wl_binary *b, wl_bytes name)
{
    char *text = wl_arena_text(&b->texts, (const char *)name.at, name.size);
    for (size_t i = 0; text && i < name.size; i++)
        if (text[i] < ' ' || text[i] > '~')
            text[i] = '?';
    return text;
}

static wl_status add_code(wl_binary *b, const wl_fatbin_entry *entry, wl_error *err)
{
    const char *source = entry->source.size > 0 ? keep_name(b, entry->source) : NULL;
    if ((entry->source.size > 0 && !source) || !WL_ROOM(b->codes, b->count + 1, b->room))
        return wl_fail_memory(err);
    wl_fatbin_entry *added = &b->codes[b->count++];
    *added = *entry;
    added->code.fatbin = b->fatbins;
    added->code.member = b->member;
    added->code.source = source;
    return WL_OK;
}

static wl_status add_fatbin(wl_binary *b, wl_bytes fatbin, wl_error *err)
{
    wl_fatbin_entry entry = {0};
    bool found = true;
    b->fatbins++;
    while (found) {
        WL_TRY(wl_fatbin_next(fatbin, &entry, &found, err));
        if (found)
            WL_TRY(add_code(b, &entry, err));
    }
    return WL_OK;
}

/* A linker puts fatbins one after the other, with padding between them. */
static wl_status add_fatbins(wl_binary *b, wl_bytes section, wl_error *err)
{
    enum { ALIGNMENT = 8 };
    for (size_t at = 0; at < section.size;) {
        wl_bytes rest = {section.at + at, section.size - at}, fatbin = {0};
        if (wl_fatbin_is(rest)) {
            WL_TRY(wl_fatbin_find(rest, &fatbin, err));
            WL_TRY(add_fatbin(b, fatbin, err));
        }
        at += fatbin.size > 0 ? fatbin.size : 1;
        at += (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT;
    }
    return WL_OK;
}

static wl_status add_cubin(wl_binary *b, const wl_elf *elf, wl_error *err)
{
    const size_t size = elf->file.size;
    wl_fatbin_entry entry = {.code = {.kind = WL_BINARY_SASS, .bytes = size, .stored_bytes = size},
                             .payload = elf->file};
    entry.code.arch = wl_elf_cuda_arch(elf, &entry.code.variant);
    b->fatbins++;
    return add_code(b, &entry, err);
}

/* ---- files ---- */

static const char *what_is(const wl_elf *elf)
{
    if (elf->machine == WL_ELF_CUDA)
        return "cubin";
    if (elf->type == WL_ELF_OBJECT)
        return "object file";
    return elf->type == WL_ELF_EXECUTABLE || wl_elf_has_section(elf, ".interp") ? "executable" : "shared library";
}

static wl_status add_elf(wl_binary *b, wl_bytes bytes, wl_error *err)
{
    wl_elf elf;
    wl_elf_section section;
    WL_TRY(wl_elf_open(bytes, &elf, err));
    b->what = what_is(&elf);
    if (elf.machine == WL_ELF_CUDA)
        return add_cubin(b, &elf, err);
    if (elf.machine != WL_ELF_X86_64 && elf.machine != WL_ELF_AARCH64)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "an ELF file for machine number %d: only those for x86-64, aarch64 and CUDA are read",
                       elf.machine);
    const size_t before = b->count;
    for (uint64_t i = 0; i < elf.section_count; i++) {
        const bool inside = wl_elf_section_at(&elf, i, &section);
        if (!wl_elf_section_is(&section, ".nv_fatbin") && !wl_elf_section_is(&section, "__nv_relfatbin"))
            continue;
        if (!inside)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a damaged ELF file: a section is cut off");
        WL_TRY(add_fatbins(b, section.contents, err));
    }
    if (b->count == before && wl_elf_has_section(&elf, ".llvm.offloading"))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "device code that clang has not linked yet (.llvm.offloading): give the linked program");
    return WL_OK;
}

static wl_status add_archive(wl_binary *b, wl_bytes archive, wl_error *err)
{
    wl_archive_member member = {0};
    bool found = true;
    while (found) {
        WL_TRY(wl_archive_next(archive, &member, &found, err));
        if (!found || !wl_elf_is(member.contents))
            continue;
        b->member = keep_name(b, member.name);
        if (!b->member)
            return wl_fail_memory(err);
        WL_TRY(add_elf(b, member.contents, err));
    }
    b->what = "static library";
    return WL_OK;
}

static wl_status add_file(wl_binary *b, wl_bytes bytes, wl_error *err)
{
    if (is_windows(bytes))
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "a program for Windows: only ELF files are read");
    if (wl_elf_is(bytes))
        return add_elf(b, bytes, err);
    if (wl_archive_is(bytes))
        return add_archive(b, bytes, err);
    b->what = "fatbin";
    return wl_fatbin_is(bytes) ? add_fatbins(b, bytes, err) : wl_fatbin_find(bytes, &bytes, err);
}

/* lib.a(member.o) */
static wl_status fail_in(wl_error *err, const char *input, const char *member)
{
    char name[WL_INPUT_NAME_MAX];
    if (err && member)
        (void)snprintf(name, sizeof name, "%.*s(%s)", (int)sizeof name / 2, input, member);
    return wl_fail_in(err, member ? name : input);
}

wl_status wl_binary_open(const char *input, const void *bytes, size_t length, wl_binary **out, wl_error *err)
{
    wl_error why = {0};
    *out = NULL;
    wl_binary *b = calloc(1, sizeof *b);
    if (!b)
        return wl_fail_memory(err);
    b->what = "file"; /* until it is known */
    wl_status status = add_file(b, (wl_bytes){bytes, length}, &why);
    const char *member = status == WL_OK ? NULL : b->member;
    if (status == WL_OK && b->count == 0)
        status = wl_fail(&why, WL_E_INPUT, WL_NOWHERE, "there is no CUDA code in this %s%s", b->what,
                         strcmp(b->what, "executable") == 0 ? "; is it in a library that it uses?" : "");
    if (status == WL_OK) {
        *out = b;
        return WL_OK;
    }
    (void)fail_in(&why, input, member);
    wl_binary_free(b);
    return wl_fail_with(err, &why);
}

void wl_binary_free(wl_binary *b)
{
    if (!b)
        return;
    wl_arena_free(&b->texts);
    free(b->codes);
    free(b);
}

const char *wl_binary_what(const wl_binary *b) { return b->what; }

size_t wl_binary_fatbin_count(const wl_binary *b) { return b->fatbins; }

size_t wl_binary_code_count(const wl_binary *b) { return b->count; }

const wl_binary_code *wl_binary_code_at(const wl_binary *b, size_t code)
{
    return code < b->count ? &b->codes[code].code : NULL;
}

wl_status wl_binary_unpack(const wl_binary *b, size_t code, char **out, size_t *length, wl_error *err)
{
    return wl_fatbin_unpack(&b->codes[code], out, length, err);
}

/* ---- kernels ---- */

/* Of ".entry NAME (.." that have a body; others only declare it. Fatbins have no comments. */
static size_t ptx_kernels(const char *text)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, ".entry"));) {
        at += strcspn(at, ";{");
        count += *at == '{';
    }
    return count;
}

wl_status wl_binary_kernel_count(const wl_binary *b, size_t code, size_t *count, wl_error *err)
{
    const wl_binary_kind kind = b->codes[code].code.kind;
    char *text = NULL;
    size_t length = 0;
    wl_elf elf;
    *count = 0;
    if (kind != WL_BINARY_PTX && kind != WL_BINARY_SASS)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "only PTX and SASS are read");
    wl_status status = wl_binary_unpack(b, code, &text, &length, err);
    if (status == WL_OK && kind == WL_BINARY_PTX)
        *count = ptx_kernels(text);
    else if (status == WL_OK)
        status = wl_elf_open((wl_bytes){(const uint8_t *)text, length}, &elf, err);
    if (status == WL_OK && kind == WL_BINARY_SASS)
        *count = wl_elf_cuda_kernels(&elf);
    free(text);
    return status;
}

/* ---- the best PTX ---- */

bool wl_binary_best_ptx(const wl_binary *b, size_t fatbin, int arch, char variant, size_t *code, bool *runs)
{
    int best = 0;
    size_t lowest = b->count;
    for (size_t i = 0; i < b->count; i++) {
        const wl_binary_code *c = &b->codes[i].code;
        if (c->fatbin != fatbin || c->kind != WL_BINARY_PTX)
            continue;
        const int suits = wl_fatbin_suits(c, arch, variant);
        if (lowest == b->count || c->arch < b->codes[lowest].code.arch)
            lowest = i;
        if (suits > best) {
            best = suits;
            *code = i;
        }
    }
    *runs = best > 0;
    if (best == 0)
        *code = lowest;
    return lowest < b->count;
}
