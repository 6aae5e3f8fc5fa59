/* names.c - see names.h.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_BUCKETS 256u

static bool is_label(wl_ptx_name_kind kind)
{
    return kind == WL_PTX_NAME_LABEL || kind == WL_PTX_NAME_TABLE || kind == WL_PTX_NAME_PROTOTYPE;
}

static bool same_sort(wl_ptx_name_kind a, wl_ptx_name_kind b)
{
    return is_label(a) == is_label(b) && (a == WL_PTX_NAME_RANGE) == (b == WL_PTX_NAME_RANGE);
}

/* Every function has a %r1: the owner keeps them apart. */
static uint32_t hash_of(const char *text, size_t length, int32_t owner)
{
    return (uint32_t)wl_hash_text(text, length) + (uint32_t)owner * 0x9e3779b9u;
}

static const wl_ptx_name *find(const wl_ptx_names *names, wl_ptx_name_kind kind, int32_t owner, const char *text,
                               size_t length)
{
    if (names->bucket_count == 0)
        return NULL;
    const uint32_t hash = hash_of(text, length, owner);
    for (int32_t i = names->buckets[hash & (names->bucket_count - 1)]; i >= 0; i = names->list.items[i].next) {
        const wl_ptx_name *n = &names->list.items[i];
        if (n->hash == hash && (size_t)n->length == length && n->owner == owner && same_sort(n->kind, kind) &&
            memcmp(n->text, text, length) == 0)
            return n;
    }
    return NULL;
}

const wl_ptx_name *wl_ptx_names_find(const wl_ptx_names *names, wl_ptx_name_kind kind, const char *text, size_t length)
{
    return find(names, kind, 0, text, length);
}

const wl_ptx_name *wl_ptx_names_member(const wl_ptx_names *names, int32_t owner, const char *text, size_t length)
{
    return find(names, WL_PTX_NAME_REGISTER, owner, text, length);
}

/* Puts the name at the head of its bucket. */
static void link_name(wl_ptx_names *names, int32_t index)
{
    int32_t *bucket = &names->buckets[names->list.items[index].hash & (names->bucket_count - 1)];
    names->list.items[index].next = *bucket;
    *bucket = index;
}

static wl_status more_buckets(wl_ptx_names *names, wl_error *err)
{
    const uint32_t count = names->bucket_count ? 2 * names->bucket_count : FIRST_BUCKETS;
    int32_t *buckets = malloc(count * sizeof *buckets);
    if (!buckets)
        return wl_fail_memory(err);
    free(names->buckets);
    names->buckets = buckets;
    names->bucket_count = count;
    for (uint32_t i = 0; i < count; i++)
        buckets[i] = -1;
    for (int32_t i = 0; i < names->list.count; i++)
        link_name(names, i);
    return WL_OK;
}

wl_status wl_ptx_names_add(wl_ptx_names *names, const wl_ptx_name *name, wl_error *err)
{
    if ((uint32_t)names->list.count >= names->bucket_count)
        WL_TRY(more_buckets(names, err));
    WL_PTX_APPEND(&names->list, err, *name);
    names->list.items[names->list.count - 1].hash = hash_of(name->text, (size_t)name->length, name->owner);
    link_name(names, names->list.count - 1);
    return WL_OK;
}

void wl_ptx_names_cut(wl_ptx_names *names, int32_t count)
{
    while (names->list.count > count) {
        const wl_ptx_name *last = &names->list.items[--names->list.count];
        names->buckets[last->hash & (names->bucket_count - 1)] = last->next;
    }
}

void wl_ptx_names_free(wl_ptx_names *names)
{
    free(names->list.items);
    free(names->buckets);
    *names = (wl_ptx_names){0};
}
