/* thread.h - what one thread does, in program order, as far as the accesses tell: how often it waits, and for what.
 *
 * A time model needs to know which loads wait together (a phase), which phases must wait for device memory, and about
 * how many instructions there are. All of it follows from the accesses: a load waits for device memory when no earlier
 * row or layer of blocks has touched what it reads, and the thread that meets the most of those ends last.
 *
 * Layer  laws (uses footprint, device). SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_THREAD_H
#define WL_LAWS_THREAD_H

#include "count/instructions.h"
#include "warpline/device.h"

/* Per thread that has work. */
typedef struct wl_thread {
    double loads, stores;           /* executed                                                                    */
    double loads_per_phase, phases; /* loads whose waits overlap; groups of so many */
    double fresh_loads;             /* phases' worth: groups of loads_per_phase of which one reads new lines; for the
                                       thread of a block that meets the most of them                                */
    double instructions;            /* of all kinds; estimated unless the kernel states them                       */
    bool instructions_stated;
    double multiplies, wide_multiplies; /* of addresses, where they are computed for every access              */
    bool serial;    /* loads wait one by one: what a step of a loop loads, it uses                 */
    double streams; /* arrays walked at once, loads and stores                                     */
    double planes;  /* cells of a block along the outermost dimension                              */
} wl_thread;

/* Numbers of a device and its compiler. */
typedef struct wl_thread_numbers {
    double loads_per_phase;                      /* 1 where the device does not say */
    double start, coordinate, address, division; /* start_instructions, .. */
    int64_t reach;                               /* immediate_reach */
} wl_thread_numbers;
void wl_thread_numbers_read(const wl_device *device, wl_thread_numbers *out);

wl_status wl_thread_profile(const wl_kernel *kernel, const wl_geometry *geometry, const wl_bound *bounds,
                            const wl_instructions *instructions, int64_t line, const wl_thread_numbers *numbers,
                            wl_arena *scratch, wl_thread *out, wl_error *err);

#endif /* WL_LAWS_THREAD_H */
