/* elf_file.h - sections of an ELF file of 64 bits, little endian: host code and cubins.
 * Layer  binary. SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_ELF_FILE_H
#define WL_BINARY_ELF_FILE_H

#include "binary/bytes.h"
#include "warpline/status.h"

enum { WL_ELF_X86_64 = 62, WL_ELF_AARCH64 = 183, WL_ELF_CUDA = 190 }; /* machines */
enum { WL_ELF_OBJECT = 1, WL_ELF_EXECUTABLE = 2, WL_ELF_SHARED = 3 }; /* types of files */
enum { WL_ELF_SYMBOLS = 2 };                                          /* types of sections */

typedef struct wl_elf {
    wl_bytes file, sections, section_names;
    uint64_t section_count;
    uint16_t machine, type;
    uint8_t abi_version;
    uint32_t flags;
} wl_elf;

bool wl_elf_is(wl_bytes bytes);
/* WL_E_UNSUPPORTED: of 32 bits, or big endian; WL_E_INPUT: damaged. */
wl_status wl_elf_open(wl_bytes bytes, wl_elf *out, wl_error *err);

typedef struct wl_elf_section {
    wl_bytes contents; /* empty where the file has none */
    wl_bytes name;
    uint32_t type, link;
} wl_elf_section;

/* index < section_count. False: it is not inside of the file. */
bool wl_elf_section_at(const wl_elf *elf, uint64_t index, wl_elf_section *out);
bool wl_elf_section_is(const wl_elf_section *section, const char *name);
bool wl_elf_has_section(const wl_elf *elf, const char *name);

/* Of a cubin: the number of its architecture, as 90, with its variant, and its kernels. Files of
 * CUDA 13 do not state the variant. */
int wl_elf_cuda_arch(const wl_elf *elf, char *variant);
size_t wl_elf_cuda_kernels(const wl_elf *elf);

#endif /* WL_BINARY_ELF_FILE_H */
