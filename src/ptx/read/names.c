/* names.c - see names.h.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "ptx/read/list.h"

#define FIRST_BUCKETS 256u
#define FIRST_SLOTS 256u

static bool is_label(wl_ptx_name_kind kind)
{
    return kind == WL_PTX_NAME_LABEL || kind == WL_PTX_NAME_TABLE || kind == WL_PTX_NAME_PROTOTYPE;
}

static bool same_sort(wl_ptx_name_kind a, wl_ptx_name_kind b)
{
    return is_label(a) == is_label(b) && (a == WL_PTX_NAME_RANGE) == (b == WL_PTX_NAME_RANGE);
}

static uint32_t hash_of(const char *text, size_t length) { return (uint32_t)wl_hash_text(text, length); }

const wl_ptx_name *wl_ptx_names_find(const wl_ptx_names *names, wl_ptx_name_kind kind, const char *text, size_t length)
{
    if (names->bucket_count == 0)
        return NULL;
    const uint32_t hash = hash_of(text, length);
    for (int32_t i = names->buckets[hash & (names->bucket_count - 1)]; i >= 0; i = names->items[i].next) {
        const wl_ptx_name *n = &names->items[i];
        if (n->hash == hash && (size_t)n->length == length && same_sort(n->kind, kind) &&
            memcmp(n->text, text, length) == 0)
            return n;
    }
    return NULL;
}

/* Puts the name at the head of its bucket. */
static void link_name(wl_ptx_names *names, int32_t index)
{
    int32_t *bucket = &names->buckets[names->items[index].hash & (names->bucket_count - 1)];
    names->items[index].next = *bucket;
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
    for (int32_t i = 0; i < names->count; i++)
        link_name(names, i);
    return WL_OK;
}

wl_status wl_ptx_names_add(wl_ptx_names *names, const wl_ptx_name *name, wl_error *err)
{
    if ((uint32_t)names->count >= names->bucket_count)
        WL_TRY(more_buckets(names, err));
    void *items = names->items;
    WL_TRY(wl_ptx_list_room(&items, names->count, &names->capacity, sizeof *names->items, err));
    names->items = items;
    names->items[names->count] = *name;
    names->items[names->count].hash = hash_of(name->text, (size_t)name->length);
    link_name(names, names->count++);
    return WL_OK;
}

void wl_ptx_names_cut(wl_ptx_names *names, int32_t count)
{
    while (names->count > count) {
        const wl_ptx_name *last = &names->items[--names->count];
        names->buckets[last->hash & (names->bucket_count - 1)] = last->next;
    }
}

void wl_ptx_names_free(wl_ptx_names *names)
{
    free(names->items);
    free(names->buckets);
    *names = (wl_ptx_names){0};
}

static uint64_t key_of(int32_t range, int32_t number)
{
    return ((uint64_t)(uint32_t)range << 32 | (uint32_t)number) + 1;
}

/* The slot of the key, or the free slot where it belongs. */
static uint32_t slot_of(const wl_ptx_members *members, uint64_t key)
{
    uint32_t slot = (uint32_t)wl_hash_word(key) & (members->slot_count - 1);
    while (members->slots[slot].key != 0 && members->slots[slot].key != key)
        slot = (slot + 1) & (members->slot_count - 1);
    return slot;
}

int32_t wl_ptx_members_find(const wl_ptx_members *members, int32_t range, int32_t number)
{
    if (members->slot_count == 0)
        return -1;
    const struct wl_ptx_member *m = &members->slots[slot_of(members, key_of(range, number))];
    return m->key ? m->value : -1;
}

static wl_status more_slots(wl_ptx_members *members, wl_error *err)
{
    const wl_ptx_members old = *members;
    members->slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS;
    members->slots = calloc(members->slot_count, sizeof *members->slots);
    if (!members->slots) {
        *members = old;
        return wl_fail_memory(err);
    }
    for (uint32_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].key)
            members->slots[slot_of(members, old.slots[i].key)] = old.slots[i];
    free(old.slots);
    return WL_OK;
}

wl_status wl_ptx_members_add(wl_ptx_members *members, int32_t range, int32_t number, int32_t value, wl_error *err)
{
    if (2 * (members->used + 1) > members->slot_count)
        WL_TRY(more_slots(members, err));
    const uint64_t key = key_of(range, number);
    struct wl_ptx_member *m = &members->slots[slot_of(members, key)];
    members->used += m->key == 0;
    *m = (struct wl_ptx_member){key, value};
    return WL_OK;
}

void wl_ptx_members_free(wl_ptx_members *members)
{
    free(members->slots);
    *members = (wl_ptx_members){0};
}
