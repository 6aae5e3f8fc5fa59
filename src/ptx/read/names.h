/* names.h - the symbol table of the parser, with scopes.
 *
 * Names form a stack: a lookup finds the newest of equal names, and leaving a scope pops its
 * names. A range of registers (%r<48>) is one name; a member becomes a register at its first
 * use.
 *
 * Layer  ptx/read (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_NAMES_H
#define WL_PTX_READ_NAMES_H

#include "ptx/module/module.h"
#include "ptx/read/list.h"

typedef enum wl_ptx_name_kind {
    /* value: register number; of a vector: that of its first element, count: elements (else 0) */
    WL_PTX_NAME_REGISTER,
    WL_PTX_NAME_RANGE,    /* value: range number; count: registers; elements: of a vector, else 0 */
    WL_PTX_NAME_SPECIAL,  /* value: wl_ptx_special */
    WL_PTX_NAME_VARIABLE, /* value: variable number */
    WL_PTX_NAME_FUNCTION, /* value: function number */
    WL_PTX_NAME_LABEL,    /* value: instruction index */
    WL_PTX_NAME_TABLE,    /* .branchtargets: lists[value .. value + count) */
    WL_PTX_NAME_PROTOTYPE,
    WL_PTX_NAME_MNEMONIC /* value: a decoded instruction without operands */
} wl_ptx_name_kind;

typedef struct wl_ptx_name {
    const char *text;
    int32_t length;
    wl_ptx_name_kind kind;
    wl_ptx_type type; /* of registers */
    int32_t value, count, elements;
    int32_t owner; /* of a member of a range: the range's number + 1; else 0 */
    int32_t depth; /* of its scope */
    int32_t line;
    uint32_t hash;
    int32_t next; /* in its bucket; -1: none */
} wl_ptx_name;

typedef struct wl_ptx_names {
    WL_PTX_LIST(wl_ptx_name) list;
    int32_t *buckets;
    uint32_t bucket_count; /* a power of two */
} wl_ptx_names;

/* The newest name of that text in the same name space: labels, tables and prototypes; ranges; or
 * everything else. The pointer is valid until a name is added. */
const wl_ptx_name *wl_ptx_names_find(const wl_ptx_names *names, wl_ptx_name_kind kind, const char *text, size_t length);
/* The register of that name that is a member of a range. */
const wl_ptx_name *wl_ptx_names_member(const wl_ptx_names *names, int32_t owner, const char *text, size_t length);
wl_status wl_ptx_names_add(wl_ptx_names *names, const wl_ptx_name *name, wl_error *err);
/* Removes all but the oldest `count` names. */
void wl_ptx_names_cut(wl_ptx_names *names, int32_t count);
void wl_ptx_names_free(wl_ptx_names *names);

#endif /* WL_PTX_READ_NAMES_H */
