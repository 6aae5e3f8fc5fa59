/* facts.c - what a benchmark cannot give: facts per compute capability. All else that a file lacks
 * it inherits from its architecture when it is read.
 * SPDX-License-Identifier: MIT */
#include "write_device.h"

#define KiB 1024.0
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define OCCUPANCY_HEADER "NVIDIA cuda_occupancy.h (CUDA 13.0)"

static const struct fact {
    int major, minor_low, minor_high;
    double l1_kib;
    double carveouts_kib[10];
    size_t carveout_count;
} facts[] = {
    {7, 0, 2, 128, {0, 8, 16, 32, 64, 96}, 6},
    {7, 5, 5, 96, {32, 64}, 2},
    {8, 0, 0, 192, {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {8, 7, 7, 192, {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {8, 6, 6, 128, {0, 8, 16, 32, 64, 100}, 6},
    {8, 9, 9, 128, {0, 8, 16, 32, 64, 100}, 6},
    {9, 0, 0, 256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {10, 0, 3, 256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {12, 0, 1, 128, {0, 8, 16, 32, 64, 100}, 6},
};

static void fill(cal_device *device, cal_key key, const double *values, size_t count, const char *source)
{
    const cal_entry *e = &device->entries[key];
    if (e->count == 0 && e->why_not[0] == '\0')
        (void)cal_set_list(device, key, values, count, source);
}

void cal_fill_facts(cal_device *device)
{
    const double schedulers = device->major == 6 && device->minor == 0 ? 2 : 4;
    const double registers = 256, shared = device->major == 7 ? 256 : 128;
    fill(device, CAL_sub_partitions, &schedulers, 1, OCCUPANCY_HEADER);
    fill(device, CAL_register_granularity, &registers, 1, OCCUPANCY_HEADER);
    fill(device, CAL_shared_granularity, &shared, 1, OCCUPANCY_HEADER);
    /* unlike the others of its architecture */
    const double parts = 2;
    if (device->major == 8 && device->minor == 0)
        fill(device, CAL_l2_partitions, &parts, 1, "assumed: two parts, as GA100 is documented");
    for (size_t i = 0; i < LENGTH(facts); i++) {
        const struct fact *f = &facts[i];
        if (device->major != f->major || device->minor < f->minor_low || device->minor > f->minor_high)
            continue;
        const double l1 = f->l1_kib * KiB;
        double carveouts[10];
        for (size_t c = 0; c < f->carveout_count; c++)
            carveouts[c] = f->carveouts_kib[c] * KiB;
        fill(device, CAL_l1_size, &l1, 1,
             "NVIDIA CUDA C++ Programming Guide, unified L1 and shared memory per compute capability");
        fill(device, CAL_shared_carveouts, carveouts, f->carveout_count, OCCUPANCY_HEADER);
    }
}
