/* column.c - see column.h. metrics.def names the counters of the metrics; the table here holds all
 * other names.
 * SPDX-License-Identifier: MIT */
#include "measure/column.h"

#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

/* unit of the lts__ and dram__ sector counters, on every device that has them */
#define SECTOR_BYTES 32.0
#define KIB 1024.0 /* rocprof's kilobytes */

#define NUMBER(kind_, index_, dimension_, factor_)                                                                     \
    {                                                                                                                  \
        .kind = kind_, .index = index_, .dimension = dimension_, .factor = factor_                                     \
    }

static const struct named_column {
    const char *name;
    wl_column column;
} columns[] = {
    {"family", {.kind = WL_COLUMN_FAMILY}},
    {"variant", {.kind = WL_COLUMN_VARIANT}},
    {"params", {.kind = WL_COLUMN_PARAMS}},
    {"kernel", {.kind = WL_COLUMN_KERNEL}},
    {"Kernel Name", {.kind = WL_COLUMN_KERNEL}},
    {"Block Size", {.kind = WL_COLUMN_BLOCK_SHAPE}},
    {"Grid Size", {.kind = WL_COLUMN_GRID_SHAPE}},
    {"bx", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"by", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"bz", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"launch__block_dim_x", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"launch__block_dim_y", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"launch__block_dim_z", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"gx", NUMBER(WL_COLUMN_GRID, 0, WL_DIM_COUNT, 1)},
    {"gy", NUMBER(WL_COLUMN_GRID, 1, WL_DIM_COUNT, 1)},
    {"gz", NUMBER(WL_COLUMN_GRID, 2, WL_DIM_COUNT, 1)},
    {"launch__grid_dim_x", NUMBER(WL_COLUMN_GRID, 0, WL_DIM_COUNT, 1)},
    {"launch__grid_dim_y", NUMBER(WL_COLUMN_GRID, 1, WL_DIM_COUNT, 1)},
    {"launch__grid_dim_z", NUMBER(WL_COLUMN_GRID, 2, WL_DIM_COUNT, 1)},
    {"regs", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"launch__registers_per_thread", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"Registers Per Thread", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"smem", NUMBER(WL_COLUMN_SHARED, 0, WL_DIM_BYTES, 1)},
    {"launch__shared_mem_per_block", NUMBER(WL_COLUMN_SHARED, 0, WL_DIM_BYTES, 1)},
    {"launch__shared_mem_per_block_static", NUMBER(WL_COLUMN_SHARED_PART, 0, WL_DIM_BYTES, 1)},
    {"launch__shared_mem_per_block_dynamic", NUMBER(WL_COLUMN_SHARED_PART, 1, WL_DIM_BYTES, 1)},
    {"Static Shared Memory Per Block", NUMBER(WL_COLUMN_SHARED_PART, 0, WL_DIM_BYTES, 1)},
    {"Dynamic Shared Memory Per Block", NUMBER(WL_COLUMN_SHARED_PART, 1, WL_DIM_BYTES, 1)},
    {"blocks_per_sm", NUMBER(WL_COLUMN_BLOCKS_PER_SM, 0, WL_DIM_COUNT, 1)},
    {"launch__occupancy_limit_blocks", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"launch__occupancy_limit_registers", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"launch__occupancy_limit_shared_mem", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"launch__occupancy_limit_warps", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"Block Limit SM", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"Block Limit Registers", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"Block Limit Shared Mem", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"Block Limit Warps", NUMBER(WL_COLUMN_BLOCK_LIMIT, 0, WL_DIM_COUNT, 1)},
    {"work", NUMBER(WL_COLUMN_WORK, 0, WL_DIM_COUNT, 1)},
    {"ms_median", NUMBER(WL_COLUMN_TIME, WL_TIME_MEDIAN, WL_DIM_TIME, 1e-3)},
    {"time_s", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1)},
    {"ncu_ns", NUMBER(WL_COLUMN_TIME, WL_TIME_PROFILED, WL_DIM_TIME, 1e-9)},
    {"gpu__time_duration.sum", NUMBER(WL_COLUMN_TIME, WL_TIME_PROFILED, WL_DIM_TIME, 1e-9)},
    {"Duration", NUMBER(WL_COLUMN_TIME, WL_TIME_PROFILED_TEXT, WL_DIM_TIME, 1e-9)},
    {"inst", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_executed, WL_DIM_COUNT, 1)},
    {"sm__inst_executed.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_executed, WL_DIM_COUNT, 1)},
    {"sm__thread_inst_executed.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_thread_inst, WL_DIM_COUNT, 1)},
    {"smsp__sass_inst_executed_op_global_ld.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_global_ld, WL_DIM_COUNT, 1)},
    {"smsp__sass_inst_executed_op_global_st.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_global_st, WL_DIM_COUNT, 1)},
    {"smsp__sass_inst_executed_op_shared_ld.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_shared_ld, WL_DIM_COUNT, 1)},
    {"smsp__sass_inst_executed_op_shared_st.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_inst_shared_st, WL_DIM_COUNT, 1)},
    {"l1_requests_ld", NUMBER(WL_COLUMN_METRIC, WL_METRIC_requests_ld, WL_DIM_COUNT, 1)},
    {"l1_requests_st", NUMBER(WL_COLUMN_METRIC, WL_METRIC_requests_st, WL_DIM_COUNT, 1)},
    {"l1_tag_wavefronts_ld", NUMBER(WL_COLUMN_METRIC, WL_METRIC_l1_tag_wavefronts, WL_DIM_COUNT, 1)},
    {"l1_wavefronts_shared", NUMBER(WL_COLUMN_METRIC, WL_METRIC_shared_wavefronts, WL_DIM_COUNT, 1)},
    {"l1_wavefronts_tex", NUMBER(WL_COLUMN_METRIC, WL_METRIC_texture_wavefronts, WL_DIM_COUNT, 1)},
    {"l2_sectors_rd_tex", NUMBER(WL_COLUMN_METRIC, WL_METRIC_l2_load_bytes, WL_DIM_COUNT, SECTOR_BYTES)},
    {"l2_sectors_wr_tex", NUMBER(WL_COLUMN_METRIC, WL_METRIC_l2_store_bytes, WL_DIM_COUNT, SECTOR_BYTES)},
    {"dram_rd_bytes", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_load_bytes, WL_DIM_BYTES, 1)},
    {"dram_wr_bytes", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_store_bytes, WL_DIM_BYTES, 1)},
    {"dram__sectors_read.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_load_bytes, WL_DIM_COUNT, SECTOR_BYTES)},
    {"dram__sectors_write.sum", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_store_bytes, WL_DIM_COUNT, SECTOR_BYTES)},
    /* rocprof and rocprofv3: a block is a number of threads */
    {"KernelName", {.kind = WL_COLUMN_KERNEL}},
    {"wgr", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"lds", NUMBER(WL_COLUMN_SHARED, 0, WL_DIM_BYTES, 1)},
    {"LDS_Block_Size", NUMBER(WL_COLUMN_SHARED, 0, WL_DIM_BYTES, 1)},
    {"vgpr", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"arch_vgpr", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"VGPR_Count", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"DurationNs", NUMBER(WL_COLUMN_TIME, WL_TIME_KERNEL, WL_DIM_TIME, 1e-9)},
    {"BeginNs", NUMBER(WL_COLUMN_BEGIN, 0, WL_DIM_COUNT, 1)},
    {"EndNs", NUMBER(WL_COLUMN_END, 0, WL_DIM_COUNT, 1)},
    {"Start_Timestamp", NUMBER(WL_COLUMN_BEGIN, 0, WL_DIM_COUNT, 1)},
    {"End_Timestamp", NUMBER(WL_COLUMN_END, 0, WL_DIM_COUNT, 1)},
    {"FETCH_SIZE", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_load_bytes, WL_DIM_COUNT, KIB)},
    {"WRITE_SIZE", NUMBER(WL_COLUMN_METRIC, WL_METRIC_dram_store_bytes, WL_DIM_COUNT, KIB)},
};

/* The names of autotuners (Kernel Tuner, KTT) and of people, in small letters; tables may
 * write them otherwise. Kernel Tuner's times are in milliseconds. */
static const struct named_column aliases[] = {
    {"block_size_x", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"block_size_y", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"block_size_z", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"block_x", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"block_y", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"block_z", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"work_group_size_x", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"work_group_size_y", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"work_group_size_z", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"local size x", NUMBER(WL_COLUMN_BLOCK, 0, WL_DIM_COUNT, 1)},
    {"local size y", NUMBER(WL_COLUMN_BLOCK, 1, WL_DIM_COUNT, 1)},
    {"local size z", NUMBER(WL_COLUMN_BLOCK, 2, WL_DIM_COUNT, 1)},
    {"grid_size_x", NUMBER(WL_COLUMN_GRID, 0, WL_DIM_COUNT, 1)},
    {"grid_size_y", NUMBER(WL_COLUMN_GRID, 1, WL_DIM_COUNT, 1)},
    {"grid_size_z", NUMBER(WL_COLUMN_GRID, 2, WL_DIM_COUNT, 1)},
    {"grid_x", NUMBER(WL_COLUMN_GRID, 0, WL_DIM_COUNT, 1)},
    {"grid_y", NUMBER(WL_COLUMN_GRID, 1, WL_DIM_COUNT, 1)},
    {"grid_z", NUMBER(WL_COLUMN_GRID, 2, WL_DIM_COUNT, 1)},
    {"kernel name", {.kind = WL_COLUMN_KERNEL}},
    {"registers", NUMBER(WL_COLUMN_REGISTERS, 0, WL_DIM_COUNT, 1)},
    {"shared_bytes", NUMBER(WL_COLUMN_SHARED, 0, WL_DIM_BYTES, 1)},
    {"time", NUMBER(WL_COLUMN_TIME, WL_TIME_UNCLEAR, WL_DIM_TIME, 1e-3)},
    {"time_ms", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1e-3)},
    {"time_us", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1e-6)},
    {"time_ns", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1e-9)},
    {"computation duration (us)", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1e-6)},
    {"computation duration (ms)", NUMBER(WL_COLUMN_TIME, WL_TIME_STATED, WL_DIM_TIME, 1e-3)},
    {"kernel duration (us)", NUMBER(WL_COLUMN_TIME, WL_TIME_TUNED, WL_DIM_TIME, 1e-6)},
    {"kernel duration (ms)", NUMBER(WL_COLUMN_TIME, WL_TIME_TUNED, WL_DIM_TIME, 1e-3)},
};

static bool is_alias(const char *name, const char *alias)
{
    for (; *name && *alias; name++, alias++)
        if (wl_lower(*name) != *alias)
            return false;
    return *name == *alias;
}

/* Columns that tables of ours and of tuners have beside what is compared. */
bool wl_column_is_beside(const char *name)
{
    static const char *const beside[] = {"row",
                                         "note",
                                         "notes",
                                         "comment",
                                         "ms_min",
                                         "ms_max",
                                         "sm_cycles",
                                         "occupancy_pct",
                                         "times",
                                         "compile_time",
                                         "verification_time",
                                         "benchmark_time",
                                         "strategy_time",
                                         "framework_time",
                                         "timestamp",
                                         "status",
                                         "device",
                                         "bank_conflicts_atom",
                                         "branch_targets",
                                         "branch_targets_apart",
                                         "hz",
                                         "index",
                                         "gpu-id",
                                         "queue-id",
                                         "queue-index",
                                         "pid",
                                         "tid",
                                         "grd",
                                         "scr",
                                         "accum_vgpr",
                                         "sgpr",
                                         "fbar",
                                         "wave_size",
                                         "sig",
                                         "obj",
                                         "dispatchns",
                                         "completens",
                                         "inst_adu",
                                         "inst_alu",
                                         "inst_branch",
                                         "inst_cbu",
                                         "inst_fma",
                                         "inst_fp16",
                                         "inst_fp64",
                                         "inst_global_ld_on",
                                         "inst_global_red_on",
                                         "inst_global_st_on",
                                         "inst_ldgsts",
                                         "inst_lsu",
                                         "inst_shared_ld_on",
                                         "inst_shared_st_on",
                                         "inst_surface_ld",
                                         "inst_surface_st",
                                         "inst_uniform",
                                         "inst_xu",
                                         "l1_filter_wavefronts",
                                         "l1_requests_atom",
                                         "l1_requests_ldgsts",
                                         "l1_requests_red",
                                         "l1_requests_surface_ld",
                                         "l1_requests_surface_st",
                                         "l1_requests_texture",
                                         "l1_sectors_ld_hit",
                                         "l1_sectors_ldgsts",
                                         "l1_sectors_texture_hit",
                                         "l1_wavefronts_global",
                                         "l2_sectors_miss_tex",
                                         "tex_request_cycles",
                                         "tex_requests",
                                         "tex_writeback",
                                         "thread_bit",
                                         "thread_uniform"};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        if (is_alias(name, beside[i]))
            return true;
    return false;
}

/* "lts__t_sectors_srcunit_tex_op_read.sum (x 32 B)": the first word is the counter. */
static bool is_counter_of(const char *name, wl_metric metric, double *factor)
{
    const char *counter = wl_metric_counter(metric);
    const size_t length = strcspn(counter, " ");
    *factor = strstr(counter, "(x 32 B)") ? SECTOR_BYTES : 1;
    return length > 0 && strlen(name) == length && memcmp(name, counter, length) == 0;
}

static wl_column find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(columns[i].name, name) == 0)
            return columns[i].column;
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        const bool bytes = strcmp(wl_metric_unit((wl_metric)m), "bytes") == 0;
        double factor = 1;
        if (strcmp(wl_metric_name((wl_metric)m), name) == 0)
            return (wl_column){
                .kind = WL_COLUMN_METRIC, .index = m, .dimension = bytes ? WL_DIM_BYTES : WL_DIM_COUNT, .factor = 1};
        if (is_counter_of(name, (wl_metric)m, &factor))
            return (wl_column){.kind = WL_COLUMN_METRIC,
                               .index = m,
                               .dimension = bytes && factor == 1 ? WL_DIM_BYTES : WL_DIM_COUNT,
                               .factor = factor};
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (is_alias(name, aliases[i].name))
            return aliases[i].column;
    return (wl_column){.kind = WL_COLUMN_OTHER};
}

wl_column wl_column_find(const char *name)
{
    wl_column found = find_kind(name);
    found.is_counter = wl_counter_find(name, &found.counter);
    return found;
}

static const struct {
    const char *name;
    double scale;
} times[] = {
    {"nsecond", 1e-9}, {"ns", 1e-9}, {"usecond", 1e-6}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6},
    {"msecond", 1e-3}, {"ms", 1e-3}, {"second", 1},     {"s", 1},     {"sec", 1},
};

/* Prefixes of the names in the lists below. */
static const struct {
    const char *name;
    double scale;
} prefixes[] = {
    {"", 1},     {"K", 1e3},     {"k", 1e3},        {"M", 1e6},           {"G", 1e9},
    {"T", 1e12}, {"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0},
};

static const char *const byte_names[] = {"byte", "bytes", "B", "byte/block"};
static const char *const count_names[] = {"",          "inst",       "instruction",     "sector", "sectors",
                                          "wavefront", "wavefronts", "request",         "block",  "thread",
                                          "warp",      "register",   "register/thread", "cycle"};

static bool is_one_of(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

bool wl_column_unit(wl_dimension dimension, const char *unit, double *scale)
{
    if (dimension == WL_DIM_TIME) {
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            if (strcmp(times[i].name, unit) == 0) {
                *scale = times[i].scale;
                return true;
            }
        }
        return false;
    }
    const bool bytes = dimension == WL_DIM_BYTES;
    const char *const *names = bytes ? byte_names : count_names;
    const size_t count = bytes ? sizeof byte_names / sizeof byte_names[0] : sizeof count_names / sizeof count_names[0];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i].name);
        if (strncmp(unit, prefixes[i].name, length) == 0 && is_one_of(unit + length, names, count)) {
            *scale = prefixes[i].scale;
            return true;
        }
    }
    return false;
}

bool wl_column_number(const char *text, double *value)
{
    char plain[64];
    size_t used = 0, group = 0; /* digits since the last comma */
    bool commas = false, whole = true;
    for (const char *p = text; *p; p++) {
        const bool digit = wl_is_digit(*p);
        if (*p == ',') {
            if (!whole || group == 0 || group > 3 || (commas && group != 3))
                return false;
            commas = true;
            group = 0;
            continue;
        }
        if (!digit && group > 0 && whole) { /* end of the integer part */
            if (commas && group != 3)
                return false;
            whole = false;
        }
        group += digit && whole;
        if (used == sizeof plain - 1)
            return false;
        plain[used++] = *p;
    }
    plain[used] = '\0';
    return (!commas || !whole || group == 3) && wl_text_number(plain, value);
}

bool wl_column_is_absent(const char *text)
{
    static const char *const words[] = {"", "n/a", "N/A", "-", "(null)", "none"};
    return is_one_of(text, words, sizeof words / sizeof words[0]);
}
