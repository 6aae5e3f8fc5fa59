/* occupancy.c - how many blocks fit on a multiprocessor.
 *
 * Registers are allocated per scheduler, so warps are counted per scheduler first; this is NVIDIA's
 * "warp allocation granularity".
 *
 * Layer  launch (uses base, device).
 * Oracle  tests/unit/test_occupancy.c: values of NVIDIA's occupancy calculator
 * SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "launch/occupancy_next.h"
#include "warpline/launch.h"

#define UNLIMITED INT64_MAX

const char *wl_occupancy_limit_name(wl_occupancy_limit limit)
{
    static const char *const names[WL_LIMIT_COUNT] = {"threads", "registers", "shared", "blocks"};
    return names[limit];
}

typedef struct request {
    int64_t threads, registers, shared_bytes;
} request;

static int64_t warps_of(const wl_device *d, int64_t threads)
{
    return wl_ceil_div(threads, wl_device_int(d, WL_DEVICE_warp_size));
}

static int64_t by_threads(const wl_device *d, const request *r)
{
    return wl_device_int(d, WL_DEVICE_max_threads_per_sm) / wl_device_int(d, WL_DEVICE_warp_size) /
           warps_of(d, r->threads);
}

static int64_t warp_registers(const wl_device *d, int64_t registers)
{
    return wl_round_up(registers * wl_device_int(d, WL_DEVICE_warp_size),
                       wl_device_int(d, WL_DEVICE_register_granularity));
}

static int64_t by_registers(const wl_device *d, const request *r)
{
    const int64_t file = wl_device_int(d, WL_DEVICE_registers_per_sm);
    const int64_t schedulers = wl_device_int(d, WL_DEVICE_sub_partitions);
    const int64_t per_warp = warp_registers(d, r->registers), warps = warps_of(d, r->threads);
    if (r->registers > wl_device_int(d, WL_DEVICE_max_registers_per_thread) ||
        per_warp * wl_round_up(warps, schedulers) > file)
        return 0;
    return file / schedulers / per_warp * schedulers / warps;
}

static int64_t shared_allocation(const wl_device *d, int64_t shared_bytes)
{
    return wl_round_up(shared_bytes + wl_device_int(d, WL_DEVICE_shared_reserved),
                       wl_device_int(d, WL_DEVICE_shared_granularity));
}

static int64_t by_shared(const wl_device *d, const request *r)
{
    const int64_t bytes = shared_allocation(d, r->shared_bytes);
    if (r->shared_bytes > wl_device_int(d, WL_DEVICE_shared_per_block))
        return 0;
    return bytes ? wl_device_int(d, WL_DEVICE_shared_per_sm) / bytes : UNLIMITED;
}

static int64_t blocks_for(const wl_device *d, const request *r, int64_t limits[WL_LIMIT_COUNT])
{
    int64_t blocks = UNLIMITED;
    limits[WL_LIMIT_THREADS] = by_threads(d, r);
    limits[WL_LIMIT_REGISTERS] = by_registers(d, r);
    limits[WL_LIMIT_SHARED] = by_shared(d, r);
    limits[WL_LIMIT_BLOCKS] = wl_device_int(d, WL_DEVICE_max_blocks_per_sm);
    for (int i = 0; i < WL_LIMIT_COUNT; i++)
        blocks = wl_min(blocks, limits[i]);
    return blocks;
}

static bool fits_more(const wl_device *d, request r, int64_t blocks)
{
    int64_t limits[WL_LIMIT_COUNT];
    return blocks_for(d, &r, limits) > blocks;
}

/* The most registers, or shared memory, at which one more block would fit; -1 if none. Occupancy is
 * monotonic in both, so bisection finds it. */
static int64_t next_registers(const wl_device *d, const request *now, int64_t blocks)
{
    int64_t fits = 0, too_many = now->registers;
    while (too_many - fits > 1) {
        const int64_t middle = fits + (too_many - fits) / 2;
        if (fits_more(d, (request){now->threads, middle, now->shared_bytes}, blocks))
            fits = middle;
        else
            too_many = middle;
    }
    return fits > 0 ? fits : -1;
}

static int64_t next_shared(const wl_device *d, const request *now, int64_t blocks)
{
    int64_t fits = -1, too_much = now->shared_bytes;
    while (too_much - fits > 1) {
        const int64_t middle = fits + (too_much - fits) / 2;
        if (fits_more(d, (request){now->threads, now->registers, middle}, blocks))
            fits = middle;
        else
            too_much = middle;
    }
    return fits;
}

/* Rounding makes occupancy non-monotonic in threads, so every whole number of warps is tried. */
static int64_t next_threads(const wl_device *d, const request *now, int64_t blocks)
{
    const int64_t warp = wl_device_int(d, WL_DEVICE_warp_size);
    for (int64_t threads = wl_floor_div(now->threads - 1, warp) * warp; threads > 0; threads -= warp)
        if (fits_more(d, (request){threads, now->registers, now->shared_bytes}, blocks))
            return threads;
    return -1;
}

/* The L1 gets the rest of the unified memory after the smallest sufficient carve-out. */
static int64_t l1_beside_shared(const wl_device *d, int64_t shared_in_use)
{
    const int64_t size = wl_device_int(d, WL_DEVICE_l1_size);
    const size_t options = wl_device_list_length(d, WL_DEVICE_shared_carveouts);
    for (size_t i = 0; i < options; i++) {
        const int64_t carveout = (int64_t)wl_device_list_value(d, WL_DEVICE_shared_carveouts, i);
        if (carveout >= shared_in_use)
            return wl_max(size - carveout, wl_device_int(d, WL_DEVICE_l1_line));
        if (i + 1 == options) /* more than any carve-out holds: a what-if */
            return wl_max(size - shared_in_use, wl_device_int(d, WL_DEVICE_l1_line));
    }
    return size;
}

static wl_status check(const wl_device *d, const request *r, wl_error *err)
{
    const int64_t most = wl_most_threads(d);
    if (r->threads < 1 || r->threads > most)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a block has 1 to %lld threads on this device (not %lld)",
                       (long long)most, (long long)r->threads);
    if (r->registers < 1 || r->registers > 4096)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a thread uses 1 to %lld registers on this device (not %lld)",
                       (long long)wl_device_int(d, WL_DEVICE_max_registers_per_thread), (long long)r->registers);
    if (r->shared_bytes < 0 || r->shared_bytes > ((int64_t)1 << 30))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                       "a block uses 0 to %lld bytes of shared memory on this device (not %lld)",
                       (long long)wl_device_int(d, WL_DEVICE_shared_per_block), (long long)r->shared_bytes);
    return WL_OK;
}

wl_status wl_occupancy_compute(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                               wl_occupancy *out, wl_error *err)
{
    const request r = {threads, registers, shared_bytes};
    WL_TRY(check(device, &r, err));
    *out = (wl_occupancy){0};
    out->blocks_per_sm = blocks_for(device, &r, out->limits);
    for (int i = WL_LIMIT_COUNT; i-- > 0;)
        if (out->limits[i] == out->blocks_per_sm)
            out->limiter = (wl_occupancy_limit)i;
    out->warps_per_sm = out->blocks_per_sm * warps_of(device, threads);
    out->threads_per_sm = out->blocks_per_sm * threads;
    out->shared_allocated = shared_allocation(device, shared_bytes);
    out->registers_allocated = warp_registers(device, registers);
    out->l1_bytes = l1_beside_shared(device, out->blocks_per_sm * out->shared_allocated);
    return WL_OK;
}

wl_status wl_occupancy_next(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                            wl_occupancy_step *out, wl_error *err)
{
    const request r = {threads, registers, shared_bytes};
    int64_t limits[WL_LIMIT_COUNT];
    WL_TRY(check(device, &r, err));
    const int64_t blocks = blocks_for(device, &r, limits);
    out->registers = next_registers(device, &r, blocks);
    out->shared_bytes = next_shared(device, &r, blocks);
    out->threads = next_threads(device, &r, blocks);
    return WL_OK;
}

/* ---- further blocks ---- */

#define FEWEST_REGISTERS 16 /* no useful kernel compiles to fewer */
#define KEPT_REGISTERS 0.75

static bool is_modest(int64_t wanted, int64_t now, int64_t given, double kept)
{
    return now == given || (double)wanted >= kept * (double)given;
}

size_t wl_fewer_registers(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                          int64_t given, int64_t out[WL_OCCUPANCY_STEPS])
{
    size_t n = 0;
    wl_occupancy_step step;
    while (n < WL_OCCUPANCY_STEPS &&
           wl_occupancy_next(device, threads, registers, shared_bytes, &step, NULL) == WL_OK) {
        if (step.registers < FEWEST_REGISTERS || !is_modest(step.registers, registers, given, KEPT_REGISTERS))
            break;
        registers = out[n++] = step.registers;
    }
    return n;
}

size_t wl_less_shared(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes, int64_t given,
                      int64_t out[WL_OCCUPANCY_STEPS])
{
    size_t n = 0;
    wl_occupancy_step step;
    while (n < WL_OCCUPANCY_STEPS &&
           wl_occupancy_next(device, threads, registers, shared_bytes, &step, NULL) == WL_OK) {
        if (step.shared_bytes < 1 || !is_modest(step.shared_bytes, shared_bytes, given, WL_KEPT_SHARED))
            break;
        shared_bytes = out[n++] = step.shared_bytes;
    }
    return n;
}
