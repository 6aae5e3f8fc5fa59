/* recorded_kernel.c - modules of a recording, and kernels of its launches.
 * Layer  recording. Oracle: tests/unit/test_recording.c. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kernel/kernel_internal.h"
#include "ptx/async/tensor_map.h"
#include "recording/recording_internal.h"

/* ---- modules ---- */

/* NULL: there are none, an error of the recording. */
static const wl_record_place *find_blob(const wl_recording *r, wl_digest digest, wl_error *err)
{
    char text[WL_DIGEST_TEXT];
    size_t number;
    if (wl_digest_map_find(&r->blob_of, digest, &number))
        return &r->blobs[number];
    wl_digest_text(digest, text);
    (void)wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the recording has no bytes of the digest %s", text);
    return NULL;
}

static wl_status read_blob(const wl_recording *r, wl_digest digest, uint64_t most, uint8_t **bytes, uint64_t *count,
                           wl_error *err)
{
    const wl_record_place *place = find_blob(r, digest, err);
    if (!place)
        return WL_E_INPUT;
    *count = place->record.bytes;
    return wl_record_payload(&r->files[place->file], &place->record, most, bytes, err);
}

wl_status wl_recording_module(wl_recording *r, size_t number, const wl_ptx **ptx, wl_error *err)
{
    wl_recorded_module *m = &r->modules[number];
    char name[WL_INPUT_NAME_MAX];
    if (!m->has_ptx)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the program has no PTX of it%s%.60s: compile with -gencode arch=compute_90,code=compute_90",
                       m->sass[0] ? ", only machine code for " : "", m->sass);
    if (!m->text) {
        uint8_t *bytes = NULL;
        uint64_t length = 0;
        WL_TRY(read_blob(r, m->digest, WL_EVENT_MOST, &bytes, &length, err));
        m->text = (char *)bytes;
        /* as the driver takes it: a 0 may end the text */
        m->length = strlen(m->text) < length ? strlen(m->text) : (size_t)length;
    }
    (void)snprintf(name, sizeof name, "the PTX of module %zu", number);
    if (!m->ptx)
        WL_TRY(wl_ptx_parse(name, m->text, m->length, &m->ptx, err));
    *ptx = m->ptx;
    return WL_OK;
}

const char *wl_recording_module_text(const wl_recording *r, size_t number, size_t *length)
{
    const wl_recorded_module *m = &r->modules[number];
    *length = m->length;
    return m->text;
}

/* ---- memory of a launch ---- */

/* Lives as long as the kernel. */
typedef struct held_image {
    wl_arena arena;
    wl_recorded_image recorded;
    wl_ptx_image image;
    wl_ptx_memory *memory; /* contents are from malloc */
} held_image;

static void image_free(void *held)
{
    held_image *h = held;
    for (size_t i = 0; h->memory && i < h->recorded.buffer_count; i++)
        free(h->memory[i].contents);
    wl_arena_free(&h->arena);
    free(h);
}

static wl_status load_contents(const wl_recording *r, held_image *h, wl_error *err)
{
    const wl_recorded_image *recorded = &h->recorded;
    uint64_t left = WL_CONTENTS_MOST;
    for (size_t i = 0; i < recorded->buffer_count; i++) {
        const wl_recorded_buffer *b = &recorded->buffers[i];
        uint64_t count = 0;
        h->memory[i] = (wl_ptx_memory){.address = b->address, .bytes = b->bytes};
        if (!b->has_contents)
            continue;
        WL_TRY(
            read_blob(r, b->contents, left < WL_BLOB_MOST ? left : WL_BLOB_MOST, &h->memory[i].contents, &count, err));
        if (count != (uint64_t)b->bytes)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the buffer at 0x%llx has %lld bytes, its contents %llu",
                           (unsigned long long)b->address, (long long)b->bytes, (unsigned long long)count);
        left -= count;
    }
    return WL_OK;
}

/* ---- apart from each other ---- */

#define FIRST_BASE ((uint64_t)0x700000000000)
#define APART ((uint64_t)4 << 30)     /* bytes between buffers: more than any halo */
#define ALIGNMENT ((uint64_t)2 << 20) /* of the memory of a GPU */

/* Does memory hold an address of memory? Then nothing may move. */
static bool holds_addresses(const held_image *h)
{
    const wl_recorded_image *image = &h->recorded;
    for (size_t i = 0; i < image->buffer_count; i++)
        for (int64_t at = 0; h->memory[i].contents && at + 8 <= image->buffers[i].bytes; at += 8) {
            uint64_t word;
            memcpy(&word, h->memory[i].contents + at, sizeof word);
            if (word >= image->buffers[0].address && wl_recorded_buffer_at(image, word))
                return true;
        }
    return false;
}

static uint64_t moved(const held_image *h, uint64_t address)
{
    const wl_recorded_buffer *b = wl_recorded_buffer_at(&h->recorded, address);
    return b ? h->memory[b - h->recorded.buffers].address + (address - b->address) : address;
}

/* Programs have buffers right behind each other. Where an access belongs is told by the constant of
 * its address, which may lie outside of its buffer (in[i - n]): so buffers are moved apart, and
 * what is predicted does not depend on where they were. */
static void move_apart(held_image *h)
{
    const wl_recorded_image *image = &h->recorded;
    uint64_t next = FIRST_BASE;
    if (holds_addresses(h))
        return;
    for (size_t i = 0; i < image->buffer_count; i++) {
        h->memory[i].address = next + image->buffers[i].address % WL_RECORDED_FINE;
        next += ((uint64_t)image->buffers[i].bytes + APART + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    for (size_t i = 0; i < image->pointer_count; i++) {
        const wl_recorded_pointer *p = &image->pointers[i];
        const uint64_t address = h->memory[p->buffer].address + (uint64_t)p->offset;
        memcpy(image->params + p->at, &address, sizeof address);
    }
    for (size_t i = 0; i < image->symbol_count; i++)
        image->symbols[i].address = moved(h, image->symbols[i].address);
    for (size_t i = 0; i < image->object_count; i++)
        image->objects[i].address = moved(h, image->objects[i].address);
    for (size_t i = 0; i < image->map_count; i++) {
        wl_ptx_tensor_map map;
        memcpy(&map, image->maps[i].bytes, sizeof map);
        map.base = moved(h, map.base);
        memcpy(image->maps[i].bytes, &map, sizeof map);
    }
}

/* Tensor maps in the form that the emulator has for them. */
static void place_maps(held_image *h)
{
    for (size_t i = 0; i < h->recorded.map_count; i++) {
        const wl_recorded_map *map = &h->recorded.maps[i];
        const wl_recorded_buffer *b = map->at < 0 ? wl_recorded_buffer_at(&h->recorded, map->address) : NULL;
        uint8_t *contents = b ? h->memory[b - h->recorded.buffers].contents : NULL;
        if (map->at >= 0)
            memcpy(h->recorded.params + map->at, map->bytes, WL_PTX_MAP_BYTES);
        else if (contents && (uint64_t)b->bytes - (map->address - b->address) >= WL_PTX_MAP_BYTES)
            memcpy(contents + (map->address - b->address), map->bytes, WL_PTX_MAP_BYTES);
    }
}

static wl_status load_image(const wl_recording *r, const wl_kept_launch *kept, held_image *h, wl_error *err)
{
    json_t *event = NULL;
    wl_event_reader in;
    WL_TRY(wl_event_open(r, &kept->place, &event, &in, err));
    const wl_status status = wl_recorded_image_read(&in, &h->arena, &h->recorded, NULL);
    json_decref(event);
    if (status != WL_OK)
        return status;
    h->memory = WL_ARENA_NEW(&h->arena, wl_ptx_memory, h->recorded.buffer_count + 1);
    if (!h->memory)
        return wl_fail_memory(err);
    WL_TRY(load_contents(r, h, err));
    move_apart(h);
    place_maps(h);
    h->image = (wl_ptx_image){.params = h->recorded.params,
                              .param_bytes = h->recorded.param_bytes,
                              .memory = h->memory,
                              .memory_count = h->recorded.buffer_count,
                              .symbols = h->recorded.symbols,
                              .symbol_count = h->recorded.symbol_count,
                              .objects = h->recorded.objects,
                              .object_count = h->recorded.object_count};
    return WL_OK;
}

/* What the caller leaves open is as it was recorded. */
static void take_geometry(const wl_recorded_launch *l, wl_ptx_options *own)
{
    if (!own->dynamic_shared)
        own->dynamic_shared = l->dynamic_shared;
    if (!own->cluster[0])
        memcpy(own->cluster, l->cluster, sizeof l->cluster);
    if (!own->launch.registers)
        own->launch.registers = l->registers;
    if (own->launch.block[0])
        return;
    memcpy(own->launch.block, l->block, sizeof l->block);
    memcpy(own->launch.grid, l->grid, sizeof l->grid);
}

wl_status wl_recording_kernel(wl_recording *r, size_t number, const wl_ptx_options *options, wl_launch *launch,
                              wl_kernel **out, wl_error *err)
{
    const wl_recorded_launch *l = &r->launches[number].launch;
    wl_ptx_options own = *options;
    const wl_ptx *ptx = NULL;
    WL_TRY(wl_recording_module(r, l->module, &ptx, err));
    held_image *h = calloc(1, sizeof *h);
    if (!h)
        return wl_fail_memory(err);
    wl_status status = load_image(r, &r->launches[l->kind], h, err);
    own.entry = l->symbol;
    own.image = &h->image;
    take_geometry(l, &own);
    if (status == WL_OK)
        status = wl_kernel_from_ptx(ptx, &own, out, err);
    if (status != WL_OK) {
        image_free(h);
        return status;
    }
    (*out)->attached = h;
    (*out)->free_attached = image_free;
    *launch = (wl_launch){0};
    memcpy(launch->block, own.launch.block, sizeof launch->block);
    memcpy(launch->grid, own.launch.grid, sizeof launch->grid);
    return WL_OK;
}

const char *wl_recording_fixed_block(const wl_recording *r, size_t number, const wl_kernel *k)
{
    const int64_t dynamic = r->launches[number].launch.dynamic_shared;
    bool shared = k->shared_bytes > dynamic, named = false, traced = false;
    for (size_t i = 0; i < k->field_count; i++)
        shared = shared || (k->fields[i].shared && dynamic == 0);
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        traced = traced || a->traced;
        named = named || (!a->traced &&
                          (wl_expr_depends_on_launch(a->index) || (a->when && wl_expr_depends_on_launch(a->when))));
    }
    return shared        ? "its shared memory has a fixed size"
           : dynamic > 0 ? "its dynamic shared memory may follow from the block"
           : named       ? "its addresses name threads and blocks, for which the grid was computed"
           : traced && k->dims == 0
               ? "some of its addresses depend on data, and no check of bounds says which threads are needed"
               : NULL;
}
