/* allocations.c - the memory of the GPU that a program sees: memory of this process, at its own
 * address.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "base/room.h"
#include "world.h"

#define PAGE ((size_t)4096)
#define LARGE ((size_t)8 << 20)
/* Between allocations, so that an access behind the end is noticed. */
#define GUARD PAGE

int64_t gpu_find(const gpu_world *w, uint64_t address)
{
    size_t low = 0, high = w->memory_count;
    while (low < high) { /* the last one that does not start above */
        const size_t middle = (low + high) / 2;
        if (w->memory[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address - w->memory[low - 1].address >= (uint64_t)w->memory[low - 1].bytes)
        return -1;
    return (int64_t)low - 1;
}

static bool insert(gpu_world *w, void *pointer, size_t bytes, gpu_allocation about)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!WL_ROOM(w->memory, w->memory_count + 1, w->memory_room) ||
        !WL_ROOM(w->about, w->memory_count + 1, w->about_room))
        return false;
    size_t at = w->memory_count;
    for (; at > 0 && w->memory[at - 1].address > address; at--) {
        w->memory[at] = w->memory[at - 1];
        w->about[at] = w->about[at - 1];
    }
    w->memory[at] = (wl_ptx_memory){address, (int64_t)bytes, pointer};
    w->about[at] = about;
    w->memory_count++;
    return true;
}

static size_t mapped(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE + GUARD; }

void *gpu_allocate(gpu_world *w, size_t bytes, gpu_kind kind)
{
    const bool on_device = kind != GPU_HOST;
    if (bytes > GPU_MEMORY_BYTES || (on_device && w->allocated > (int64_t)(GPU_MEMORY_BYTES - bytes)))
        return NULL;
    void *pointer =
        mmap(NULL, mapped(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pointer == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE /* most programs touch all that they allocate: fewer faults */
    if (bytes >= LARGE)
        (void)madvise(pointer, mapped(bytes), MADV_HUGEPAGE);
#endif
    if (!insert(w, pointer, bytes, (gpu_allocation){.kind = kind})) {
        (void)munmap(pointer, mapped(bytes));
        return NULL;
    }
    w->allocated += on_device ? (int64_t)bytes : 0;
    return pointer;
}

cuda_error gpu_register(gpu_world *w, void *pointer, size_t bytes)
{
    const uint64_t first = (uint64_t)(uintptr_t)pointer;
    if (!pointer || bytes == 0)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < w->memory_count; i++)
        if (w->memory[i].address < first + bytes && first < w->memory[i].address + (uint64_t)w->memory[i].bytes)
            return CUDA_INVALID_VALUE;
    return insert(w, pointer, bytes, (gpu_allocation){.kind = GPU_HOST, .registered = true}) ? CUDA_OK
                                                                                             : CUDA_OUT_OF_MEMORY;
}

cuda_error gpu_release(gpu_world *w, void *pointer)
{
    if (!pointer)
        return CUDA_OK;
    const int64_t at = gpu_find(w, (uint64_t)(uintptr_t)pointer);
    if (at < 0 || w->memory[at].contents != pointer)
        return CUDA_INVALID_VALUE;
    const size_t bytes = (size_t)w->memory[at].bytes, behind = w->memory_count - (size_t)at - 1;
    w->allocated -= w->about[at].kind != GPU_HOST ? (int64_t)bytes : 0;
    if (!w->about[at].registered)
        (void)munmap(pointer, mapped(bytes));
    memmove(&w->memory[at], &w->memory[at + 1], behind * sizeof *w->memory);
    memmove(&w->about[at], &w->about[at + 1], behind * sizeof *w->about);
    w->memory_count--;
    return CUDA_OK;
}
