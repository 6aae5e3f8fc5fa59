/* counters.c - see counters.h. SPDX-License-Identifier: MIT */
#include "measure/counters.h"

#include <stdio.h>
#include <string.h>

#include "measure/column.h"

static const wl_counter_row table[WL_COUNTER_COUNT] = {
#define WL_COUNTER(column, unit, ncu, nvprof, meaning) {column, unit, ncu, nvprof, meaning},
#include "measure/counters.def"
};

const wl_counter_row *wl_counter_at(int index) { return &table[index]; }

/* Further names of the counters in counters.def: events of nvprof, counters of patched machine
 * code, totals over source lines, names in older versions of ncu. */
static const struct {
    const char *name, *ncu;
} aliases[] = {
    {"thread_inst_executed", "smsp__thread_inst_executed.sum"},
    {"thread_inst_executed_true", "smsp__thread_inst_executed_pred_on.sum"},
    {"smsp__sass_inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_ld.sum"},
    {"smsp__sass_inst_executed_op_global_st.sum", "smsp__inst_executed_op_global_st.sum"},
    {"smsp__sass_inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_ld.sum"},
    {"smsp__sass_inst_executed_op_local_st.sum", "smsp__inst_executed_op_local_st.sum"},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_ld.sum"},
    {"smsp__sass_inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_st.sum"},
    {"l1tex__lsu_writeback_active_mem_lg.sum", "l1tex__lsu_writeback_active_mem_lgds.sum"},
    {"system_read_transactions", "lts__t_sectors_aperture_sysmem_op_read.sum"},
    {"system_write_transactions", "lts__t_sectors_aperture_sysmem_op_write.sum"},
};

/* Counters that ncu's details page shows by a label. There a label can stand for several metrics:
 * those of another unit are skipped. */
static const struct {
    const char *label, *ncu;
    wl_counted_per per;
} labels[] = {
    {"Duration", "gpu__time_duration.sum", WL_PER_LAUNCH},
    {"Executed Instructions", "smsp__inst_executed.sum", WL_PER_LAUNCH},
    {"SM Frequency", "smsp__cycles_elapsed.avg", WL_PER_SECOND},
    {"DRAM Bandwidth", "dram__bytes.sum", WL_PER_SECOND},
    {"Memory Throughput", "dram__bytes.sum", WL_PER_SECOND},
    {"L2 active writeback cycles per second", "lts__lts2xbar_cycles_active.sum", WL_PER_SECOND},
    {"L1/TEX active local/global writeback cycles per second", "l1tex__lsu_writeback_active_mem_lgds.sum",
     WL_PER_SECOND},
};

static bool is_named(const wl_counter_row *c, const char *name)
{
    return strcmp(c->ncu, name) == 0 || strcmp(c->nvprof, name) == 0 || strcmp(c->column, name) == 0;
}

static bool find_exactly(const char *name, int *index)
{
    for (int i = 0; i < WL_COUNTER_COUNT && *name; i++) {
        if (is_named(&table[i], name)) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* A sum over multiprocessors (sm__) is the sum over their sub-partitions (smsp__). */
static bool find_summed(const char *name, int *index)
{
    static const char *const units[] = {"smsp__", "sm__"};
    const size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 4, ".sum") != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        char other[160];
        if (strncmp(name, units[i], strlen(units[i])) != 0)
            continue;
        const int used = snprintf(other, sizeof other, "%s%s", units[1 - i], name + strlen(units[i]));
        return used > 0 && (size_t)used < sizeof other && find_exactly(other, index);
    }
    return false;
}

static bool find_total(const char *name, int *index)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].name, name) == 0)
            return find_exactly(aliases[i].ncu, index);
    return find_exactly(name, index) || find_summed(name, index);
}

static bool ends_in(const char *name, const char *end, char *start, size_t size)
{
    const size_t length = strlen(name), tail = strlen(end);
    if (length <= tail || length - tail >= size || strcmp(name + length - tail, end) != 0)
        return false;
    memcpy(start, name, length - tail);
    start[length - tail] = '\0';
    return true;
}

/* "Predicated-On FFMA Thread Instructions Executed Per Cycle" */
static bool find_operation(const char *label, wl_counter_name *out)
{
    static const char start[] = "Predicated-On ", end[] = " Thread Instructions Executed Per Cycle";
    char operation[16], name[80];
    if (strncmp(label, start, strlen(start)) != 0 || !ends_in(label + strlen(start), end, operation, sizeof operation))
        return false;
    for (char *p = operation; *p; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
    (void)snprintf(name, sizeof name, "smsp__sass_thread_inst_executed_op_%s_pred_on.sum", operation);
    out->per = WL_PER_CYCLE;
    return find_exactly(name, &out->index);
}

static bool find_label(const char *name, wl_counter_name *out)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (strcmp(labels[i].label, name) == 0) {
            out->per = labels[i].per;
            return find_exactly(labels[i].ncu, &out->index);
        }
    }
    return find_operation(name, out);
}

bool wl_counter_find(const char *name, wl_counter_name *out)
{
    char total[160];
    *out = (wl_counter_name){.index = -1, .per = WL_PER_LAUNCH};
    if (find_total(name, &out->index))
        return true;
    if (ends_in(name, ".per_second", total, sizeof total))
        out->per = WL_PER_SECOND;
    else if (ends_in(name, ".per_cycle_elapsed", total, sizeof total))
        out->per = WL_PER_CYCLE;
    else
        return find_label(name, out);
    return find_total(total, &out->index);
}

/* ---- units ---- */

static wl_dimension dimension_of(const wl_counter_row *c)
{
    return strcmp(c->unit, "bytes") == 0 ? WL_DIM_BYTES : strcmp(c->unit, "ns") == 0 ? WL_DIM_TIME : WL_DIM_COUNT;
}

static bool unit_of_total(const wl_counter_row *c, const char *unit, double *scale)
{
    double scale_of_base = 1e-9; /* a time without a unit is in nanoseconds */
    if (dimension_of(c) == WL_DIM_TIME) {
        if (*unit != '\0' && !wl_column_unit(WL_DIM_TIME, unit, &scale_of_base))
            return false;
        *scale = scale_of_base / 1e-9;
        return true;
    }
    if (wl_column_unit(dimension_of(c), unit, scale))
        return true;
    *scale = 1;
    return *unit == '\0';
}

/* Cycles per second: "Ghz", "cycle/nsecond". */
static bool unit_of_cycles(const char *unit, double *scale)
{
    static const struct {
        const char *name;
        double scale;
    } names[] = {{"hz", 1}, {"Khz", 1e3}, {"Mhz", 1e6}, {"Ghz", 1e9},
                 {"Hz", 1}, {"KHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, unit) == 0) {
            *scale = names[i].scale;
            return true;
        }
    }
    return false;
}

bool wl_counter_unit(const wl_counter_name *name, const char *unit, double *scale)
{
    const wl_counter_row *c = &table[name->index];
    const char *slash = strrchr(unit, '/');
    char over[40];
    double per = 1;
    if (name->per == WL_PER_LAUNCH)
        return unit_of_total(c, unit, scale);
    if (strcmp(c->unit, "cycles") == 0 && name->per == WL_PER_SECOND && unit_of_cycles(unit, scale))
        return true;
    if (!slash || (size_t)(slash - unit) >= sizeof over)
        return false;
    (void)snprintf(over, sizeof over, "%.*s", (int)(slash - unit), unit);
    if (name->per == WL_PER_CYCLE ? strcmp(slash + 1, "cycle") != 0 : !wl_column_unit(WL_DIM_TIME, slash + 1, &per))
        return false;
    if (!unit_of_total(c, over, scale))
        return false;
    *scale /= per;
    return true;
}
