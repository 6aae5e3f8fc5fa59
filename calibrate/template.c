/* template.c - what a benchmark cannot give: facts per compute capability, and numbers of shipped
 * devices that stand in until a fit replaces them. tests/unit/test_calibrate.c compares the tables
 * with share/devices.
 * SPDX-License-Identifier: MIT */
#include "write_device.h"

#include <string.h>

#define KiB 1024.0
#define MiB 1048576.0
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- facts ---- */

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
    if (device->entries[key].count == 0 && device->entries[key].why_not[0] == '\0')
        (void)cal_set_list(device, key, values, count, source);
}

void cal_fill_facts(cal_device *device)
{
    const double schedulers = device->major == 6 && device->minor == 0 ? 2 : 4;
    const double registers = 256, shared = device->major == 7 ? 256 : 128;
    fill(device, CAL_sub_partitions, &schedulers, 1, OCCUPANCY_HEADER);
    fill(device, CAL_register_granularity, &registers, 1, OCCUPANCY_HEADER);
    fill(device, CAL_shared_granularity, &shared, 1, OCCUPANCY_HEADER);
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

/* ---- stand-ins ---- */

/* Numbers every NVIDIA GPU since Volta shares as far as known, of a100-40gb: where no
 * benchmark gives them. */
static const cal_template_row a100_basics[] = {
    {CAL_l1_line, 1, {128}},     {CAL_l1_sector, 1, {32}},        {CAL_l1_banks, 1, {32}},
    {CAL_l1_bank_width, 1, {4}}, {CAL_l1_wavefront_rate, 1, {1}}, {CAL_l1_pair_distance, 1, {1024}},
    {CAL_l2_line, 1, {128}},     {CAL_l2_sector, 1, {32}},        {CAL_dram_fetch, 1, {64}},
};

/* The curves of a100-40gb. */
static const cal_template_row a100_curves[] = {
    {CAL_l1_miss_curve, 3, {0.66, 6.77, 1.45}},  {CAL_l1_curve_scale, 1, {128 * KiB}},
    {CAL_l2_reuse_y_curve, 3, {1.0, 37.1, 3.2}}, {CAL_l2_reuse_z_curve, 3, {1.0, 37.1, 3.2}},
    {CAL_l2_miss_curve, 3, {0.2, 7.56, 0.67}},   {CAL_l2_store_curve, 3, {0.38, 3.79, 0.55}},
    {CAL_l2_curve_scale, 1, {4 * MiB}},
};

/* The fitted part of the time model, of h200: no other shipped device has it, so every GPU starts
 * from it. */
static const cal_template_row h200_time[] = {
    {CAL_instruction_wait, 1, {2.441}},   {CAL_loads_per_phase, 1, {6}},
    {CAL_phase_wait, 1, {163.8}},         {CAL_dram_wait_first, 1, {583.7}},
    {CAL_dram_wait_next, 1, {369}},       {CAL_dram_wait_write, 1, {1017}},
    {CAL_block_overlap, 1, {0.5214}},     {CAL_lsu_issue, 1, {1.008}},
    {CAL_wide_multiply, 1, {4.002}},      {CAL_l2_unit, 1, {64}},
    {CAL_l2_write_cost, 1, {2.035}},      {CAL_dram_write_cost, 1, {1.164}},
    {CAL_dram_request_overhead, 1, {18}}, {CAL_dram_region_loss, 1, {0.0057}},
    {CAL_dram_stream_loss, 1, {0.07449}}, {CAL_dram_streams, 1, {16}},
    {CAL_bound_norm, 1, {4.5}},           {CAL_l2_fill_cost, 1, {0.8}},
    {CAL_overlap_growth, 1, {0.3117}},    {CAL_overlap_norm, 1, {2}},
    {CAL_narrow_multiply, 1, {2}},        {CAL_l2_lone_rate, 1, {158e9}},
    {CAL_piece_streams, 1, {8}},
};

/* The laws that replace the curves, of h200: for its generation and later ones only. */
static const cal_template_row h200_laws[] = {
    {CAL_l1_warp_extra, 3, {10.12, 7.393, 2.59}},
    {CAL_l1_store_split, 1, {0.6217}},
    {CAL_l1_reload_curve, 3, {0.5812, 11.5, 1.905}},
    {CAL_l2_merge, 1, {0.08382}},
    {CAL_l2_merge_blocks, 1, {4}},
    {CAL_l2_random_hits, 2, {0.63, 0.28}},
    {CAL_store_combine_lines, 1, {6}},
    {CAL_store_combine, 2, {0.9868, 0.291}},
    {CAL_store_combine_warps, 2, {0.111, 0.3332}},
};
/* Numbers of laws that are used on every device, of h200: what threads execute, local memory, what
 * stays in the L1. */
static const cal_template_row h200_everywhere[] = {
    {CAL_shared_broadcast, 1, {2}},
    {CAL_l1_field_share, 1, {0.7}},
    {CAL_l1_field_steepness, 1, {4}},
    {CAL_l1_own_steps, 1, {16}},
    {CAL_local_word, 1, {4}},
    {CAL_local_lanes, 1, {32}},
    {CAL_local_l1_curve, 2, {1.67, 3}},
    {CAL_local_l2_steepness, 1, {2}},
    {CAL_start_instructions, 1, {8}},
    {CAL_coordinate_instructions, 1, {8}},
    {CAL_address_instructions, 1, {3}},
    {CAL_division_instructions, 1, {20}},
    {CAL_immediate_reach, 1, {256}},
    {CAL_shared_banks, 1, {32}},
    {CAL_shared_bank_width, 1, {4}},
    {CAL_fp32_latency, 1, {4.133}},
    {CAL_int32_latency, 1, {5.074}},
    {CAL_fp64_latency, 1, {8.07}},
    {CAL_sfu_latency, 1, {17.02}},
    {CAL_convert_latency, 1, {17.02}},
    {CAL_shared_latency, 1, {23.03}},
    {CAL_shuffle_latency, 1, {24.03}},
    {CAL_barrier_latency, 1, {28.18}},
    {CAL_atomic_latency, 1, {387.6}},
    {CAL_texture_latency, 1, {88.08}},
    {CAL_tensor_latency, 1, {24.2}},
    {CAL_branch_latency, 1, {20.09}},
    {CAL_gpcs, 1, {8}},
    {CAL_launch_overhead, 1, {3.263e-6}},
    {CAL_barrier_interval, 1, {2}},
    {CAL_warp_start, 1, {1.96}},
};
/* A size of its L2, but needed on every device. */
static const cal_template_row h200_remains[] = {{CAL_cache_remains, 1, {48e6}}};
/* Not fitted, but not visible by timing either. */
static const cal_template_row h200_other[] = {{CAL_l1_mshr, 1, {512}}};
/* Those that are sizes of its L2 of 60 MiB: scaled with the L2. */
static const cal_template_row h200_l2[] = {
    {CAL_l2_reuse_room, 1, {34442193}},
    {CAL_l2_reuse_steepness, 1, {7.02}},
    {CAL_l2_partial_room, 1, {21006996}},
    {CAL_l2_dirty_rest, 2, {25827999, 34121416}},
};
static const double h200_l2_size = 60 * MiB;

/* Every group of rows with the device it comes from. */
static const struct {
    const char *device;
    const cal_template_row *rows;
    size_t count;
} groups[] = {
    {"a100-40gb", a100_basics, LENGTH(a100_basics)}, {"a100-40gb", a100_curves, LENGTH(a100_curves)},
    {"h200", h200_time, LENGTH(h200_time)},          {"h200", h200_laws, LENGTH(h200_laws)},
    {"h200", h200_other, LENGTH(h200_other)},        {"h200", h200_l2, LENGTH(h200_l2)},
    {"h200", h200_remains, LENGTH(h200_remains)},    {"h200", h200_everywhere, LENGTH(h200_everywhere)},
};

const cal_template_row *cal_template(const char *device_name, size_t index)
{
    for (size_t g = 0; g < LENGTH(groups); g++) {
        if (strcmp(groups[g].device, device_name) != 0)
            continue;
        if (index < groups[g].count)
            return &groups[g].rows[index];
        index -= groups[g].count;
    }
    return NULL;
}

static void fill_rows(cal_device *device, const cal_template_row *rows, size_t count, double scale, const char *source)
{
    for (size_t i = 0; i < count; i++) {
        double values[10];
        const bool is_size = rows[i].key != CAL_l2_reuse_steepness;
        for (size_t v = 0; v < rows[i].count; v++)
            values[v] = rows[i].values[v] * (is_size ? scale : 1);
        fill(device, rows[i].key, values, rows[i].count, source);
    }
}

void cal_fill_template(cal_device *device)
{
    const cal_entry *l2 = &device->entries[CAL_l2_size];
    const bool two = (device->major == 8 && device->minor == 0) || device->major == 9 || device->major == 10;
    const double assumed = two ? 2 : 1;
    fill(device, CAL_l2_partitions, &assumed, 1, "assumed: two parts on GA100, GH100 and GB100, one elsewhere");
    if (device->major >= 9) {
        fill_rows(device, h200_other, LENGTH(h200_other), 1, "assumed: as h200");
        fill_rows(device, h200_laws, LENGTH(h200_laws), 1, "assumed: as h200; refit with 'warpline fit'");
        if (l2->count && device->entries[CAL_l2_partitions].values[0] == 2)
            fill_rows(device, h200_l2, LENGTH(h200_l2), l2->values[0] / h200_l2_size,
                      l2->values[0] == h200_l2_size
                          ? "assumed: as h200; refit with 'warpline fit'"
                          : "assumed: as h200, scaled with l2_size; refit with 'warpline fit'");
    }
    if (l2->count)
        fill_rows(device, h200_remains, LENGTH(h200_remains), l2->values[0] / h200_l2_size,
                  "assumed: as h200, scaled with l2_size");
    fill_rows(device, h200_everywhere, LENGTH(h200_everywhere), 1, "assumed: as h200");
    if (device->entries[CAL_dram_bandwidth_peak].count) {
        const double reachable = 0.87 * device->entries[CAL_dram_bandwidth_peak].values[0];
        fill(device, CAL_dram_bandwidth, &reachable, 1, "assumed: 0.87 of the peak, as h200");
    }
    fill_rows(device, h200_time, LENGTH(h200_time), 1, "assumed: as h200; refit with 'warpline fit'");
    fill_rows(device, a100_curves, LENGTH(a100_curves), 1, "assumed: as a100-40gb; refit with 'warpline fit'");
    fill_rows(device, a100_basics, LENGTH(a100_basics), 1, "assumed: as a100-40gb");
}
