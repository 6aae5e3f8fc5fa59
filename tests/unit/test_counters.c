/* test_counters.c - counters by all their names, what rooflines make of them, and ncu's own
 * rooflines as an oracle.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/read_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure/counters.h"
#include "measure/csv.h"
#include "report/common/counter_needs.h"
#include "warpline/measure.h"
#include "warpline/report.h"

#define NCU SOURCE_DIR "/validate/ncu/"

/* ---- names and units ---- */

static int index_of(const char *name)
{
    wl_counter_name found;
    return wl_counter_find(name, &found) ? found.index : -1;
}

/* Names of the same thing. */
static const struct {
    const char *one, *other;
} same[] = {
    {"gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"l1_sectors_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"dram_read_transactions", "dram__sectors_read.sum"},
    {"l2_tex_write_transactions", "lts__t_sectors_srcunit_tex_op_write.sum"},
    {"inst_thread_executed", "smsp__thread_inst_executed.sum"},
    {"thread_inst_executed",
     "smsp__thread_inst_executed.sum"}, /* an event of nvprof, a total over source lines of ncu */
    {"thread_inst_executed_true", "smsp__thread_inst_executed_pred_on.sum"},
    {"not_predicated_off_thread_inst_executed", "smsp__thread_inst_executed_pred_on.sum"},
    {"sm__inst_executed.sum", "smsp__inst_executed.sum"},
    {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum", "flop_count_dp_fma"},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "inst_executed_shared_loads"},
    {"sm__inst_executed_pipe_tensor.sum", "inst_tensor"},
    {"system_read_transactions", "sysmem_read_transactions"},
    {"Executed Instructions", "inst"},
};

/* What field notes warn of: names that look alike and count something else. */
static const char *const apart[][2] = {
    {"l2_read_transactions", "l2_tex_read_transactions"},
    /* one number, two numbers */
    {"flop_count_hp_fma", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"},
    {"l1_wavefronts_shared", "shared_wavefronts_ld"},
    {"dram__bytes.sum", "dram__bytes_read.sum"},
};
static const char *const unknown[] = {"tex_cache_transactions",
                                      "local_store_throughput",
                                      "sysmem_read_bytes",
                                      "smsp__inst_executed.avg",
                                      "smsp__inst_executed.sum.pct_of_peak_sustained_elapsed",
                                      "dram__bytes.sum.peak_sustained",
                                      "Predicated-On FFMA Operations Per Cycle",
                                      "",
                                      ".sum",
                                      "sm__"};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        check_true(same[i].one, "is known", index_of(same[i].one) >= 0);
        check_int(same[i].one, "row", index_of(same[i].one), index_of(same[i].other));
    }
    for (size_t i = 0; i < COUNT_OF(apart); i++)
        check_true(apart[i][0], "counts something else", index_of(apart[i][0]) != index_of(apart[i][1]));
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        check_int(unknown[i], "row", index_of(unknown[i]), -1);
    check_done();
}

static const struct {
    const char *name, *unit;
    wl_counted_per per;
    double scale; /* 0: the unit is refused */
} spellings[] = {
    {"smsp__inst_executed.sum", "inst", WL_PER_LAUNCH, 1},
    {"smsp__inst_executed.sum", "Kinst", WL_PER_LAUNCH, 1e3},
    {"smsp__inst_executed.sum", "%", WL_PER_LAUNCH, 0},
    {"dram__bytes_read.sum", "Mbyte", WL_PER_LAUNCH, 1e6},
    {"dram__bytes_read.sum", "sector", WL_PER_LAUNCH, 0},
    {"dram__bytes.sum.per_second", "Tbyte/s", WL_PER_SECOND, 1e12},
    {"dram__bytes.sum.per_second", "Gbyte/second", WL_PER_SECOND, 1e9},
    {"dram__bytes.sum.per_second", "byte/nsecond", WL_PER_SECOND, 1e9},
    {"dram__bytes.sum.per_second", "Gbyte", WL_PER_SECOND, 0},
    {"Memory Throughput", "Gbyte/s", WL_PER_SECOND, 1e9},
    {"Memory Throughput", "%", WL_PER_SECOND, 0}, /* another metric of this label */
    {"smsp__cycles_elapsed.avg.per_second", "Ghz", WL_PER_SECOND, 1e9},
    {"smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", WL_PER_SECOND, 1e9},
    {"lts__lts2xbar_cycles_active.sum.per_second", "Mhz", WL_PER_SECOND, 1e6},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", "inst/cycle", WL_PER_CYCLE, 1},
    {"Predicated-On FFMA Thread Instructions Executed Per Cycle", "inst/cycle", WL_PER_CYCLE, 1},
    /* twice as many */
    {"Predicated-On HADD Thread Instructions Executed Per Cycle", "inst", WL_PER_CYCLE, 0},
    {"gpu__time_duration.sum", "us", WL_PER_LAUNCH, 1e3},
    {"gpu__time_duration.sum", "", WL_PER_LAUNCH, 1},
};

static void test_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(spellings); i++) {
        wl_counter_name name;
        double scale = 0;
        check_true(spellings[i].name, "is known", wl_counter_find(spellings[i].name, &name));
        check_int(spellings[i].name, "per", name.per, spellings[i].per);
        check_int(spellings[i].unit, "is a unit of it", wl_counter_unit(&name, spellings[i].unit, &scale),
                  spellings[i].scale > 0);
        if (spellings[i].scale > 0)
            check_near(spellings[i].unit, "scale", scale, spellings[i].scale, 1e-15);
    }
    check_done();
}

/* ---- formulas ---- */

/* Every word of tallies.def is a counter: otherwise no table could ever fill the tally. */
static void test_formulas(void **state)
{
    (void)state;
    for (int t = 0; t < WL_TALLY_COUNT; t++) {
        const char *const sums[] = {wl_tally_ncu((wl_tally)t), wl_tally_nvprof((wl_tally)t)};
        check_true(wl_tally_name((wl_tally)t), "has a unit and a meaning",
                   wl_tally_unit((wl_tally)t)[0] && wl_tally_meaning((wl_tally)t)[0]);
        for (size_t i = 0; i < COUNT_OF(sums); i++) {
            const char *sum = sums[i];
            wl_term term;
            while (wl_term_next(&sum, &term)) {
                check_true(wl_tally_name((wl_tally)t), term.name, index_of(term.name) >= 0);
                check_true(wl_tally_name((wl_tally)t), "a factor above 0", term.factor > 0);
            }
        }
    }
    const char *sum = "a + 2 * b.sum + 0.5 * c";
    const struct {
        const char *name;
        double factor;
    } want[] = {{"a", 1}, {"b.sum", 2}, {"c", 0.5}};
    wl_term term;
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        check_true(want[i].name, "is a term", wl_term_next(&sum, &term));
        check_text(want[i].name, "name", term.name, want[i].name);
        check_near(want[i].name, "factor", term.factor, want[i].factor, 0);
    }
    check_true("the sum", "ends", !wl_term_next(&sum, &term));
    check_done();
}

/* ---- tables ---- */

static wl_table *parse(const char *name, const char *text)
{
    wl_table *table = NULL;
    wl_error err = {0};
    check_ok(name, wl_table_parse(name, text, strlen(text), &table, &err), &err);
    return table;
}

/* The transposes of Ding and Williams as nvprof 10 prints them: 1024 x 1024 floats, blocks of 32 x
 * 8. */
#define COUNT(kernel, name, value)                                                                                     \
    "\"Tesla V100-SXM2-16GB (0)\",\"" kernel "(float*, float const *)\",\"100\",\"" name                               \
    "\",\"Text, with commas\"," value "," value "," value "\n"
static const char nvprof[] =
    "==4711== NVPROF is profiling process 4711, command: ./transpose\n"
    "==4711== Profiling result:\n"
    "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
    ",%,ms,,us,us,us,\n"
    "\"GPU activities\",60.1,3.100000,100,31.000000,30.1,33,\"transposeNaive(float*, float const *)\"\n"
    "\"GPU activities\",20.1,1.200000,100,12.000000,11.1,13,\"transposeCoalesced(float*, float const *)\"\n"
    "\"GPU activities\",19.8,1.100000,2,550.000000,400,700,\"[CUDA memcpy HtoD]\"\n"
    "\"API calls\",99.0,200,1,200000,1,1,\"cudaMalloc\"\n"
    "==4711== Metric result:\n"
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n" COUNT(
        "transposeNaive", "inst_executed",
        "262144") COUNT("transposeNaive", "inst_executed_global_loads",
                        "32768") COUNT("transposeNaive", "inst_executed_global_stores",
                                       "32768") COUNT("transposeNaive", "gld_transactions",
                                                      "131072") COUNT("transposeNaive", "gst_transactions", "1048576")
        COUNT("transposeNaive", "gld_efficiency", "100.00%") COUNT("transposeNaive", "dram_read_transactions", "131100")
            COUNT("transposeNaive", "dram_write_transactions", "65536") COUNT(
                "transposeNaive", "l2_read_transactions",
                "131072") COUNT("transposeNaive", "l2_write_transactions",
                                "1048576") COUNT("transposeCoalesced", "inst_executed",
                                                 "425984") COUNT("transposeCoalesced", "shared_load_transactions",
                                                                 "1048576") COUNT("transposeCoalesced",
                                                                                  "shared_store_transactions", "32768")
                COUNT("transposeCoalesced", "inst_executed_shared_loads", "32768") COUNT(
                    "transposeCoalesced", "inst_executed_shared_stores",
                    "32768") "==4711== Event result:\n"
                             "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n"
                             "\"Tesla V100-SXM2-16GB (0)\",\"transposeNaive(float*, float const "
                             "*)\",\"100\",\"thread_inst_executed\",8388608,8388608,8388608,838860800\n";

static void check_tally(const char *name, const wl_tallies *t, wl_tally tally, double want)
{
    check_true(name, wl_tally_name(tally), t->known[tally]);
    check_near(name, wl_tally_name(tally), t->value[tally], want, 1e-12);
}

static void test_nvprof(void **state)
{
    (void)state;
    wl_table *table = parse("nvprof", nvprof);
    wl_tallies t;
    check_int("nvprof", "rows", (int64_t)wl_table_count(table), 2);
    check_int("nvprof", "layout", wl_table_layout_of(table), WL_TABLE_NVPROF);
    const wl_measurement *m = wl_table_row(table, 0);
    check_text("nvprof", "kernel", m->kernel, "transposeNaive(float*, float const *)");
    check_int("nvprof", "no block is known", m->block[0], 0);
    wl_measurement_tallies(m, &t);
    check_tally("naive", &t, WL_TALLY_time, 31e-6);
    check_tally("naive", &t, WL_TALLY_inst, 262144);
    check_tally("naive", &t, WL_TALLY_thread_inst, 8388608);
    check_tally("naive", &t, WL_TALLY_inst_global, 65536);
    check_tally("naive", &t, WL_TALLY_global_transactions,
                131072 + 1048576); /* 1/18: the paper's "far from unit stride" */
    check_tally("naive", &t, WL_TALLY_l2_transactions, 131072 + 1048576);
    check_tally("naive", &t, WL_TALLY_dram_transactions, 131100 + 65536);
    check_true("naive", "shared memory was not measured", !t.known[WL_TALLY_shared_transactions]);
    wl_measurement_tallies(wl_table_row(table, 1), &t);
    check_tally("coalesced", &t, WL_TALLY_time, 12e-6);
    check_tally("coalesced", &t, WL_TALLY_inst_shared, 65536);
    /* 1/16.5: the 32-way wall */
    check_tally("coalesced", &t, WL_TALLY_shared_transactions, 1048576 + 32768);
    check_text("coalesced", "what is different",
               wl_measurement_differs(wl_table_row(table, 1), WL_TALLY_shared_transactions), "");
    wl_table_free(table);
    check_done();
}

#define TRACE                                                                                                          \
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "                         \
    "Z\",\"Device\",\"Name\"\n"                                                                                        \
    "ms,us,,,,,,,,\n"

static const struct {
    const char *name, *text;
    wl_status status;
    int32_t line;
    const char *message;
} broken[] = {
    {"another tool", "\nName,Calls,Total\nfoo,1,2\n", WL_E_INPUT, 2,
     "neither our columns nor those of ncu --csv or nvprof"},
    {"metrics of each launch",
     "==1== Metric result:\n\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"inst_executed\"\n",
     WL_E_INPUT, 2, "export without --print-gpu-trace"},
    {"no units", "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n1,2,3,4,5,6,\"k\"\n", WL_E_INPUT, 2,
     "the line of units"},
    {"only copies", TRACE "1,2,,,,,,,\"V100\",\"[CUDA memcpy HtoD]\"\n", WL_E_INPUT, 0, "a header and no rows"},
    {"no number", TRACE "1,x,1,1,1,1,1,1,\"V100\",\"k\"\n", WL_E_INPUT, 3, "no value that is predicted"},
};

static void test_broken(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        wl_table *table = NULL;
        wl_error err = {0};
        const wl_status status = wl_table_parse("t.csv", broken[i].text, strlen(broken[i].text), &table, &err);
        check_int(broken[i].name, "status", status, broken[i].status);
        check_int(broken[i].name, "line", err.loc.line, broken[i].line);
        check_true(broken[i].name, err.message, strstr(err.message, broken[i].message) != NULL);
        wl_table_free(table);
    }
    check_done();
}

/* Times of a trace are averaged; a launch has its shape there. */
static void test_trace(void **state)
{
    (void)state;
    wl_table *table =
        parse("trace", TRACE "1,2,4,1,1,256,1,1,\"V100\",\"k(int)\"\n2,4,4,1,1,256,1,1,\"V100\",\"k(int)\"\n");
    const wl_measurement *m = wl_table_row(table, 0);
    check_int("trace", "rows", (int64_t)wl_table_count(table), 1);
    check_near("trace", "time", m->time_s, 3e-6, 1e-12);
    check_int("trace", "block", m->block[0], 256);
    check_int("trace", "grid", m->grid[0], 4);
    wl_table_free(table);
    check_done();
}

/* ---- ncu's own rooflines ---- */

/* A cell of the raw page in base units, found by its name. */
static double cell(const wl_csv *names, const wl_csv *units, const wl_csv *row, const char *name)
{
    static const struct {
        const char *unit;
        double scale;
    } scales[] = {{"", 1},        {"inst", 1},      {"thread", 1},    {"byte", 1},       {"Kbyte", 1e3},
                  {"Gbyte", 1e9}, {"Tbyte", 1e12},  {"hz", 1},        {"Ghz", 1e9},      {"inst/cycle", 1},
                  {"byte/s", 1},  {"Mbyte/s", 1e6}, {"Gbyte/s", 1e9}, {"Tbyte/s", 1e12}, {"Mbyte", 1e6}};
    const size_t at = wl_csv_find(names, name);
    if (at == names->count) {
        check_true(name, "is a column", false);
        return 0;
    }
    const char *unit = wl_csv_cell(units, at);
    for (size_t i = 0; i < COUNT_OF(scales); i++)
        if (strcmp(scales[i].unit, unit) == 0)
            return strtod(wl_csv_cell(row, at), NULL) * scales[i].scale;
    check_true(name, unit, false);
    return 0;
}

typedef struct raw_page {
    wl_csv names, units, row;
} raw_page;

static double value(const raw_page *p, const char *name) { return cell(&p->names, &p->units, &p->row, name); }

/* What ncu draws: operations per second of a type ("d", "f"). */
static double achieved(const raw_page *p, const char *type)
{
    static const char *const operations[] = {"add", "mul", "fma"};
    double per_cycle = 0;
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        char name[100];
        (void)snprintf(name, sizeof name, "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum.per_cycle_elapsed", type,
                       operations[i]);
        per_cycle += value(p, name) * (i == 2 ? 2 : 1);
    }
    return per_cycle * value(p, "smsp__cycles_elapsed.avg.per_second");
}

static double achieved_half(const raw_page *p)
{
    return (value(p, "derived__smsp__sass_thread_inst_executed_op_hadd_pred_on_x2") +
            value(p, "derived__smsp__sass_thread_inst_executed_op_hmul_pred_on_x2") +
            value(p, "derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4")) *
           value(p, "smsp__cycles_elapsed.avg.per_second");
}

/* Within 1 %, and what two decimals of a number per cycle hide. */
static void check_rate(const char *kernel, const wl_tallies *t, wl_tally tally, double unit, double want)
{
    const double got = t->value[tally] * unit / t->value[WL_TALLY_time], hidden = 0.02 * 2e9;
    check_true(kernel, wl_tally_name(tally), t->known[tally]);
    if (fabs(got - want) > hidden)
        check_near(kernel, wl_tally_name(tally), got, want, 0.01);
}

/* Rates and so intensities of every launch agree with those that ncu draws. L1 and L2 only where
 * the page has nothing but what ncu draws; otherwise ours count stores, too. */
static size_t check_page(const char *path, bool own_levels)
{
    char *text = read_file(path, NULL);
    wl_table *table = parse(path, text);
    raw_page p = {0};
    wl_error err = {0};
    bool more = true;
    wl_csv_open(&p.names, text, strlen(text));
    check_ok(path, wl_csv_next(&p.names, &more, &err), &err);
    wl_csv_open(&p.units, text + p.names.at, strlen(text) - p.names.at);
    check_ok(path, wl_csv_next(&p.units, &more, &err), &err);
    wl_csv_open(&p.row, text + p.names.at + p.units.at, strlen(text) - p.names.at - p.units.at);
    const size_t count = wl_table_count(table);
    for (size_t i = 0; i < count; i++) {
        wl_tallies t;
        const wl_measurement *m = wl_table_row(table, i);
        check_ok(path, wl_csv_next(&p.row, &more, &err), &err);
        wl_measurement_tallies(m, &t);
        check_text(path, "kernel", m->kernel, wl_csv_cell(&p.row, wl_csv_find(&p.names, "Kernel Name")));
        check_rate(m->kernel, &t, WL_TALLY_flops_f64, 1, achieved(&p, "d"));
        check_rate(m->kernel, &t, WL_TALLY_flops_f32, 1, achieved(&p, "f"));
        check_rate(m->kernel, &t, WL_TALLY_flops_f16, 1, achieved_half(&p));
        check_rate(m->kernel, &t, WL_TALLY_dram_transactions, 32, value(&p, "dram__bytes.sum.per_second"));
        check_rate(m->kernel, &t, WL_TALLY_tensor_f16, 1, value(&p, "sm__ops_path_tensor_src_fp16.sum.per_second"));
        if (own_levels) {
            check_rate(m->kernel, &t, WL_TALLY_l2_transactions, 32,
                       value(&p, "derived__lts__lts2xbar_bytes.sum.per_second"));
            check_rate(m->kernel, &t, WL_TALLY_global_transactions, 32,
                       value(&p, "derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.per_second"));
            check_true(m->kernel, "says that stores are missing",
                       strstr(wl_measurement_differs(m, WL_TALLY_l2_transactions), "without stores") != NULL);
        }
    }
    wl_csv_free(&p.names);
    wl_csv_free(&p.units);
    wl_csv_free(&p.row);
    wl_table_free(table);
    free(text);
    return count;
}

static void test_own_rooflines(void **state)
{
    (void)state;
    check_int("full", "launches", (int64_t)check_page(NCU "full_raw.csv", false), 17);
    check_int("roofline", "launches", (int64_t)check_page(NCU "roofline_raw.csv", true), 17);
    check_done();
}

/* The same launches on the details page: labels, three digits, lines that end early. */
static void test_details(void **state)
{
    (void)state;
    char *raw = read_file(NCU "full_raw.csv", NULL), *details = read_file(NCU "full_details.csv", NULL);
    wl_table *all = parse("raw", raw), *some = parse("details", details);
    static const size_t places[] = {8, 13};
    check_int("details", "launches", (int64_t)wl_table_count(some), COUNT_OF(places));
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        wl_tallies want, got;
        wl_measurement_tallies(wl_table_row(all, places[i]), &want);
        wl_measurement_tallies(wl_table_row(some, i), &got);
        check_text("details", "kernel", got.kernel, want.kernel);
        static const wl_tally read[] = {WL_TALLY_time, WL_TALLY_flops_f32, WL_TALLY_flops_f64, WL_TALLY_inst,
                                        WL_TALLY_dram_transactions};
        for (size_t k = 0; k < COUNT_OF(read); k++) {
            check_true(got.kernel, wl_tally_name(read[k]), got.known[read[k]]);
            check_near(got.kernel, wl_tally_name(read[k]), got.value[read[k]], want.value[read[k]], 0.01);
        }
    }
    wl_tallies first;
    wl_measurement_tallies(wl_table_row(some, 0), &first); /* with the tables of memory */
    check_tally("details", &first, WL_TALLY_global_transactions, 654840);
    check_tally("details", &first, WL_TALLY_inst_global, 139264);
    wl_table_free(all);
    wl_table_free(some);
    free(raw);
    free(details);
    check_done();
}

/* ---- what is needed ---- */

/* The tables of validate/ hold all that rooflines need, under names that are known here. */
static void test_validated_counters(void **state)
{
    (void)state;
    static const char *const files[] = {"counters.txt", "counters_more.txt", "counters_roofline.txt"};
    bool needed[WL_COUNTER_COUNT], held[WL_COUNTER_COUNT] = {false};
    wl_counters_needed(WL_PURPOSE_ROOFLINES, needed);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[400], line[300], column[100], ncu[200];
        (void)snprintf(path, sizeof path, SOURCE_DIR "/validate/%s", files[i]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        while (fgets(line, sizeof line, f)) {
            wl_counter_name by_column, by_ncu;
            if (line[0] == '#' || sscanf(line, "%99s %199s", column, ncu) != 2 || !wl_counter_find(ncu, &by_ncu))
                continue;
            held[by_ncu.index] = held[by_ncu.index] || by_ncu.per == WL_PER_LAUNCH;
            if (by_ncu.per == WL_PER_LAUNCH && wl_counter_find(column, &by_column))
                check_int(column, "row", by_column.index, by_ncu.index);
        }
        fclose(f);
    }
    for (int i = 0; i < WL_COUNTER_COUNT; i++)
        check_true(wl_counter_at(i)->ncu, "is in validate/counters*.txt", held[i] || !needed[i]);
    check_done();
}

static const struct {
    const char *kernel, *family, *variant, *title;
} titles[] = {
    {"void app::stencil<double, 4>(double *, int)", "stencil", "", "app::stencil<double, 4>"},
    {"k_copy(const float *, float *, int)", "k_copy", "", "k_copy"},
    {"_Z17k_transpose_naiveIfEvPKT_PS0_i", "", "", "k_transpose_naive<float>"},
    {"void run<(anonymous namespace)::f(int)>(void (*)(int), int)", "run", "", "run<(anonymous namespace)::f(int)>"},
    {"plain", "plain", "", "plain"},
    {"", "transpose", "naive_f32", "transpose naive_f32"},
    {"", "copy", "", "copy"},
    {"()", "", "", "()"},
};

static void test_titles(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(titles); i++) {
        char *title = NULL;
        wl_error err = {0};
        check_ok(titles[i].kernel, wl_kernel_title(titles[i].kernel, titles[i].family, titles[i].variant, &title, &err),
                 &err);
        check_text(titles[i].kernel, "title", title, titles[i].title);
        free(title);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_units),   cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_nvprof),        cmocka_unit_test(test_broken),  cmocka_unit_test(test_trace),
        cmocka_unit_test(test_own_rooflines), cmocka_unit_test(test_details), cmocka_unit_test(test_validated_counters),
        cmocka_unit_test(test_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
