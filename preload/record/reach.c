/* reach.c - the memory that a launch can reach, as it is right before the launch.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "ptx/async/tensor_map.h"
#include "record.h"

#define POINTED_MAX 256               /* allocations that one launch can reach */
#define SCANNED_MAX ((size_t)1 << 20) /* bytes of an allocation that is searched for pointers */

static cuda_error range_of(uint64_t address, uint64_t *base, size_t *bytes)
{
    DRIVER("cuMemGetAddressRange_v2", (device_pointer *, size_t *, device_pointer));
    return real(base, bytes, address);
}

static cuda_error fetch(void *to, uint64_t from, size_t bytes)
{
    DRIVER("cuMemcpyDtoH_v2", (void *, device_pointer, size_t));
    return real(to, from, bytes);
}

void reach_end(gpu_world *w)
{
    for (size_t i = 0; i < w->memory_count; i++)
        free(w->memory[i].contents);
    w->memory_count = 0;
}

void reach_words(gpu_world *w, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + 8 <= count; at += 8) {
        uint64_t address;
        memcpy(&address, bytes + at, sizeof address);
        if (address >= 4096 && address < (uint64_t)1 << 57)
            reach_address(w, address);
    }
}

void reach_insert(gpu_world *w, uint64_t base, size_t bytes, uint8_t *contents)
{
    if (!WL_ROOM(w->memory, w->memory_count + 1, w->memory_room) ||
        !WL_ROOM(w->about, w->memory_count + 1, w->about_room)) {
        free(contents);
        return;
    }
    size_t at = w->memory_count++;
    for (; at > 0 && w->memory[at - 1].address > base; at--) {
        w->memory[at] = w->memory[at - 1];
        w->about[at] = w->about[at - 1];
    }
    w->memory[at] = (wl_ptx_memory){base, (int64_t)bytes, contents};
    w->about[at] = (gpu_allocation){.kind = GPU_DEVICE, .unknown = !contents};
}

void reach_address(gpu_world *w, uint64_t address)
{
    uint64_t base = 0;
    size_t bytes = 0;
    if (gpu_find(w, address) >= 0 || range_of(address, &base, &bytes) != CUDA_OK || bytes == 0)
        return;
    if (w->memory_count >= POINTED_MAX) {
        gpu_say("a launch reaches more than %d allocations: the others are not recorded", POINTED_MAX);
        return;
    }
    uint8_t *contents = (int64_t)bytes <= w->settings.bytes ? malloc(bytes) : NULL;
    if (contents && fetch(contents, base, bytes) != CUDA_OK) {
        free(contents);
        contents = NULL;
    }
    if (contents)
        reach_translate_maps(contents, bytes);
    reach_insert(w, base, bytes, contents);
    const int64_t number = gpu_find(w, base);
    if (number >= 0 && contents && bytes <= SCANNED_MAX)
        reach_words(w, contents, bytes);
}

/* ---- tensor maps ---- */

#define MAP_ALIGN 64

typedef struct known_map {
    uint8_t of_driver[WL_PTX_MAP_BYTES], ours[WL_PTX_MAP_BYTES];
} known_map;
static known_map *maps;
static size_t map_count, map_room;

void reach_learn_map(const void *of_driver, const gpu_tensor *t)
{
    known_map map;
    (void)gpu_enter();
    memcpy(map.of_driver, of_driver, sizeof map.of_driver);
    bool known = !gpu_tensor_map(t, map.ours);
    for (size_t i = 0; i < map_count && !known; i++)
        known = memcmp(maps[i].of_driver, map.of_driver, sizeof map.of_driver) == 0;
    if (!known && WL_ROOM(maps, map_count + 1, map_room))
        maps[map_count++] = map;
    gpu_leave();
}

void reach_translate_maps(uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + WL_PTX_MAP_BYTES <= count && map_count > 0; at += MAP_ALIGN)
        for (size_t i = 0; i < map_count; i++)
            if (memcmp(bytes + at, maps[i].of_driver, WL_PTX_MAP_BYTES) == 0) {
                memcpy(bytes + at, maps[i].ours, WL_PTX_MAP_BYTES);
                break;
            }
}
