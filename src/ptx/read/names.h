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
    int32_t depth; /* of its scope */
    int32_t line;
    uint32_t hash;
    int32_t next; /* in its bucket; -1: none */
} wl_ptx_name;

typedef struct wl_ptx_names {
    wl_ptx_name *items;
    int32_t count, capacity;
    int32_t *buckets;
    uint32_t bucket_count; /* a power of two */
} wl_ptx_names;

/* The newest name of that text in the same name space: labels, tables and prototypes; ranges; or
 * everything else. The pointer is valid until a name is added. */
const wl_ptx_name *wl_ptx_names_find(const wl_ptx_names *names, wl_ptx_name_kind kind, const char *text, size_t length);
wl_status wl_ptx_names_add(wl_ptx_names *names, const wl_ptx_name *name, wl_error *err);
/* Removes all but the oldest `count` names. */
void wl_ptx_names_cut(wl_ptx_names *names, int32_t count);
void wl_ptx_names_free(wl_ptx_names *names);

/* Maps pairs of numbers to a number: members of ranges to registers. */
typedef struct wl_ptx_members {
    struct wl_ptx_member {
        uint64_t key; /* of the pair, plus 1; 0: free slot */
        int32_t value;
    } * slots;
    uint32_t slot_count, used;
} wl_ptx_members;

/* The number of the pair, or -1. */
int32_t wl_ptx_members_find(const wl_ptx_members *members, int32_t range, int32_t number);
wl_status wl_ptx_members_add(wl_ptx_members *members, int32_t range, int32_t number, int32_t value, wl_error *err);
void wl_ptx_members_free(wl_ptx_members *members);

#endif /* WL_PTX_READ_NAMES_H */
