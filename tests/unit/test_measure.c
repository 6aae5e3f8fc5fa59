/* test_measure.c - measured tables: our own, and both pages of ncu --csv, with everything that may
 * stand in them.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "measure/row.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure/column.h"
#include "measure/csv.h"
#include "warpline/measure.h"

#define OWN "family,variant,params,bx,by,bz,gx,gy,gz,regs,smem,blocks_per_sm,work,ms_median,ncu_ns,l1_wavefronts\n"
#define WIDE_IDS                                                                                                       \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","      \
    "\"Grid Size\",\"Device\",\"CC\""
#define LONG_IDS WIDE_IDS ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define IDS(id, kernel)                                                                                                \
    "\"" id "\",\"1\",\"a\",\"h\",\"" kernel "\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 2, 1)\",\"0\",\"9.0\""
#define LONG(id, kernel, metric, unit, value) IDS(id, kernel) ",\"S\",\"" metric "\",\"" unit "\",\"" value "\"\n"

static wl_table *parse_sized(const char *name, const char *text, size_t length)
{
    wl_table *table = NULL;
    wl_error err = {0};
    check_ok(name, wl_table_parse("t.csv", text, length, &table, &err), &err);
    return table;
}

static wl_table *parse(const char *name, const char *text) { return parse_sized(name, text, strlen(text)); }

/* The note with this text in it, or NULL. */
static const wl_note *find_note(const wl_table *t, const char *fragment)
{
    for (size_t i = 0; i < wl_table_note_count(t); i++)
        if (strstr(wl_table_note(t, i)->reason, fragment))
            return wl_table_note(t, i);
    return NULL;
}

static void check_note(const char *name, const wl_table *t, const char *fragment, int32_t line, size_t count)
{
    const wl_note *note = find_note(t, fragment);
    if (!note) {
        check_text(name, "note", NULL, fragment);
        return;
    }
    check_int(name, "line of the note", note->line, line);
    check_int(name, "count of the note", (int64_t)note->count, (int64_t)count);
}

static void test_own(void **state)
{
    (void)state;
    wl_table *t = parse("own", OWN "star,fy2_b64,nx=4;ny=5,32,4,2,7,8,9,31,48,3,1000,2.5,999,77\n");
    const wl_measurement *m = wl_table_row(t, 0);
    check_int("own", "rows", (int64_t)wl_table_count(t), 1);
    check_int("own", "layout", wl_table_layout_of(t), WL_TABLE_OWN);
    check_text("own", "family", m->family, "star");
    check_text("own", "variant", m->variant, "fy2_b64");
    check_text("own", "params", m->params, "nx=4;ny=5");
    const int64_t want[] = {2, 32, 4, 2, 7, 8, 9, 31, 48, 3};
    const int64_t got[] = {m->line,    m->block[0], m->block[1],  m->block[2],     m->grid[0],
                           m->grid[1], m->grid[2],  m->registers, m->shared_bytes, m->blocks_per_sm};
    for (size_t i = 0; i < COUNT_OF(want); i++)
        check_int("own", "a number", got[i], want[i]);
    check_true("own", "shared memory known", m->shared_known);
    check_near("own", "work", m->work, 1000, 0);
    check_near("own", "time", m->time_s, 2.5e-3, 1e-15);
    check_near("own", "l1_wavefronts", m->values->value[WL_METRIC_l1_wavefronts], 77, 0);
    check_true("own", "only that metric",
               m->values->known[WL_METRIC_l1_wavefronts] && !m->values->known[WL_METRIC_dram_load_bytes]);
    check_note("own", t, "not measured: inst_executed, thread_inst", 0, 1);
    check_true("own", "time and wavefronts are not missing", !find_note(t, "time") && !find_note(t, "l1_wavefronts,"));
    wl_table_free(t);
    check_done();
}

/* Every column that is a metric: its cell says 10. */
static const struct {
    const char *column;
    wl_metric metric;
    double value;
} metric_columns[] = {
    {"inst", WL_METRIC_inst_executed, 10},
    {"sm__inst_executed.sum", WL_METRIC_inst_executed, 10},
    {"smsp__inst_executed.sum", WL_METRIC_inst_executed, 10},
    {"thread_inst", WL_METRIC_thread_inst, 10},
    {"inst_global_ld", WL_METRIC_inst_global_ld, 10},
    {"smsp__inst_executed_op_global_st.sum", WL_METRIC_inst_global_st, 10},
    {"l1_tag_wavefronts_ld", WL_METRIC_l1_tag_wavefronts, 10},
    {"l1_wavefronts_shared", WL_METRIC_shared_wavefronts, 10},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", WL_METRIC_shared_wavefronts, 10},
    {"l1_sectors_st", WL_METRIC_l1_sectors_st, 10},
    {"l2_sectors_rd_tex", WL_METRIC_l2_load_bytes, 320},
    {"lts__t_sectors_srcunit_tex_op_read.sum", WL_METRIC_l2_load_bytes, 320},
    {"l2_load_bytes", WL_METRIC_l2_load_bytes, 10},
    {"l2_sectors_wr_tex", WL_METRIC_l2_store_bytes, 320},
    {"dram_rd_bytes", WL_METRIC_dram_load_bytes, 10},
    {"dram__bytes_read.sum", WL_METRIC_dram_load_bytes, 10},
    {"dram__sectors_write.sum", WL_METRIC_dram_store_bytes, 320},
};

static void test_metric_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(metric_columns); i++) {
        const char *name = metric_columns[i].column;
        char text[200];
        (void)snprintf(text, sizeof text, "bx,by,bz,%s,whatever\n1,1,1,10,x\n", name);
        wl_table *t = parse(name, text);
        const wl_measurement *m = wl_table_row(t, 0);
        for (int k = 0; k < WL_METRIC_COUNT; k++)
            check_int(name, wl_metric_name((wl_metric)k), m->values->known[k], k == (int)metric_columns[i].metric);
        check_near(name, "value", m->values->value[metric_columns[i].metric], metric_columns[i].value, 0);
        check_true(name, "no time", !m->time_known);
        wl_table_free(t);
    }
    check_done();
}

/* Rows that are left out, values that are, and those kept beside them. */
#define ROWS5 "8,1,1,5\n8,1,1,5\n8,1,1,5\n8,1,1,5\n8,1,1,5\n"
static const struct {
    const char *name, *text;
    size_t rows;
    const char *note;
    int32_t line;
    size_t count;
} own_notes[] = {
    {"a block of 0", "bx,by,bz,inst\n0,1,1,5\n8,1,1,5\n", 1, "without its block", 2, 1},
    {"a block that is no number", "bx,by,bz,inst\n8,1,1,5\nx,1,1,5\n", 1, "column 1, bx: 'x' is not a number", 3, 1},
    {"a negative block", "bx,by,bz,inst\n8,1,1,5\n-4,1,1,5\n", 1, "bx is negative", 3, 1},
    {"half a thread", "bx,by,bz,inst\n8,1,1,5\n1.5,1,1,5\n", 1, "without its block", 3, 1},
    {"an endless block", "bx,by,bz,inst\n8,1,1,5\n1e300,1,1,5\n", 1, "without its block", 3, 1},
    {"equal reasons are one note", "bx,by,bz,inst\n,1,1,5\n8,1,1,5\n,2,2,5\n,1,1,5\n", 1, "without its block", 2, 3},
    {"a column that means nothing", "bx,inst,tile\n8,5,1\n", 1, "columns that mean nothing here: tile", 1, 1},
    {"an autotuner's names", "block_size_x,Block_Size_Y,time,tile\n8,4,5,1\n", 1, "mean nothing here: tile", 1, 1},
    {"a negative count", "bx,by,bz,inst,work\n8,1,1,-5,1\n8,1,1,5,1\n", 1, "inst is negative", 2, 1},
    {"not a number", "bx,by,bz,inst\n8,1,1,nan\n8,1,1,5\n", 1, "column 4, inst: 'nan' is not a number", 2, 1},
    {"infinite", "bx,by,bz,inst\n8,1,1,inf\n8,1,1,5\n", 1, "inst: 'inf' is not a number", 2, 1},
    {"more than a double holds", "bx,by,bz,inst\n8,1,1,1e999\n8,1,1,5\n", 1, "inst: '1e999' is not a number", 2, 1},
    {"too large once in bytes", "bx,by,bz,l2_sectors_rd_tex\n8,1,1,1e308\n8,1,1,5\n", 1, "is too large", 2, 1},
    {"nothing measured", "bx,by,bz,inst\n8,1,1,n/a\n8,1,1,5\n", 1, "no value that is predicted", 2, 1},
    {"too few cells", "bx,by,bz,inst\n8,1,1\n8,1,1,5\n", 1, "not a row of the table", 2, 1},
    {"too many cells", "bx,by,bz,inst\n8,1,1,5,6\n8,1,1,5\n", 1, "not a row of the table", 2, 1},
    {"cut off", "bx,by,bz,inst\n8,1,1,5\n8,1", 1, "the last line is cut off", 3, 1},
    {"cut off in a quote", "bx,by,bz,inst\n8,1,1,5\n8,1,1,\"5", 1, "the last line is cut off", 3, 1},
    {"an open quote costs one line", "bx,by,bz,inst\n8,1,1,\"5\n8,1,1,5\n", 1, "a quote that is not closed", 2, 1},
    {"a quote closed far below", "bx,by,bz,inst\n8,1,1,\"5\n" ROWS5 ROWS5 ROWS5 ROWS5 "\"\n", 20,
     "a quote that is not closed", 2, 2},
    {"text behind a quote", "bx,by,bz,inst\n8,1,1,\"5\"x\n8,1,1,5\n", 1, "text behind a closing quote", 2, 1},
    {"lines before the header", "hello\n\nworld, again\nbx,by,bz,inst\n8,1,1,5\n", 1, "before the header", 1, 2},
    {"registers out of range", "bx,by,bz,inst,regs\n8,1,1,5,3.5\n", 1, "regs is not a whole number", 2, 1},
};

static void test_own_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(own_notes); i++) {
        wl_table *t = parse(own_notes[i].name, own_notes[i].text);
        check_int(own_notes[i].name, "rows", (int64_t)wl_table_count(t), (int64_t)own_notes[i].rows);
        check_note(own_notes[i].name, t, own_notes[i].note, own_notes[i].line, own_notes[i].count);
        wl_table_free(t);
    }
    check_done();
}

/* Texts of one sound row, block 8x4x2, inst 1234567. */
static const struct {
    const char *name, *text;
    int32_t line;
} spellings[] = {
    {"plain", "bx,by,bz,inst\n8,4,2,1234567\n", 2},
    {"without a last line end", "bx,by,bz,inst\n8,4,2,1234567", 2},
    {"carriage returns", "bx,by,bz,inst\r\n8,4,2,1234567\r\n", 2},
    {"byte-order mark",
     "\xef\xbb\xbf"
     "bx,by,bz,inst\n8,4,2,1234567\n",
     2},
    {"other order", "inst,bz,by,bx\n1234567,2,4,8\n", 2},
    {"quotes", "\"bx\",\"by\",\"bz\",\"inst\"\n\"8\",\"4\",\"2\",\"1234567\"\n", 2},
    {"thousands", "bx,by,bz,inst\n8,4,2,\"1,234,567\"\n", 2},
    {"blanks", "bx, by ,bz, \"inst\" \n 8, 4,2 , \"1234567\"\n", 2},
    {"blank lines", "\n\nbx,by,bz,inst\n\n  \n8,4,2,1234567\n\n", 6},
    {"exponent", "bx,by,bz,inst\n8,4,2,1.234567e6\n", 2},
    {"a line break in a cell", "note,bx,by,bz,inst\n\"a\nb\",8,4,2,1234567\n", 2},
    {"doubled quotes", "note,bx,by,bz,inst\n\"a \"\"b\"\", c\",8,4,2,1234567\n", 2},
    {"profiler lines", "==PROF== Connected\nbx,by,bz,inst\n==PROF== Disconnected\n8,4,2,1234567\n", 4},
    {"the header again", "bx,by,bz,inst\nbx,by,bz,inst\n8,4,2,1234567\n", 3},
    {"another header", "bx,by,bz,inst\nbx,inst,by,bz\n8,1234567,4,2\n", 3},
};

static void test_spellings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(spellings); i++) {
        wl_table *t = parse(spellings[i].name, spellings[i].text);
        check_int(spellings[i].name, "rows", (int64_t)wl_table_count(t), 1);
        const wl_measurement *m = wl_table_row(t, 0);
        check_int(spellings[i].name, "line", m->line, spellings[i].line);
        check_true(spellings[i].name, "the block", m->block[0] == 8 && m->block[1] == 4 && m->block[2] == 2);
        check_near(spellings[i].name, "inst", m->values->value[WL_METRIC_inst_executed], 1234567, 0);
        /* of what is not measured */
        check_int(spellings[i].name, "notes", (int64_t)wl_table_note_count(t), 1);
        wl_table_free(t);
    }
    check_done();
}

static void test_times(void **state)
{
    static const struct {
        const char *columns, *cells;
        bool known;
        double time_s;
    } cases[] = {
        {"ms_median,ncu_ns", "2,5", true, 2e-3}, {"ncu_ns,ms_median", "5,2", true, 2e-3},
        {"ms_median,ncu_ns", ",5", true, 5e-9},  {"ms_median,ncu_ns", "n/a,", false, 0},
        {"ms_median,ncu_ns", "0,5", true, 5e-9}, {"gpu__time_duration.sum,work", "7,1", true, 7e-9},
        {"time_s,ncu_ns", "0.25,5", true, 0.25}, {"ncu_ns,gpu__time_duration.sum", "5,9", true, 5e-9},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[120];
        (void)snprintf(text, sizeof text, "bx,by,bz,inst,%s\n1,1,1,1,%s\n", cases[i].columns, cases[i].cells);
        wl_table *t = parse(cases[i].columns, text);
        check_int(cases[i].columns, "time is known", wl_table_row(t, 0)->time_known, cases[i].known);
        check_near(cases[i].columns, "time", wl_table_row(t, 0)->time_s, cases[i].time_s, 1e-15);
        wl_table_free(t);
    }
    check_done();
}

static void test_wide(void **state)
{
    static const char text[] =
        "==PROF== Connected to process 1 (/home/a)\r\nresult: \"42\r\n" WIDE_IDS
        ",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"lts__t_sectors_srcunit_tex_op_read.sum\","
        "\"smsp__inst_executed.sum\",\"launch__registers_per_thread\",\"launch__shared_mem_per_block_static\","
        "\"launch__shared_mem_per_block_dynamic\",\"launch__occupancy_limit_registers\",\"launch__occupancy_limit_"
        "warps\"\r\n"
        "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"Mbyte\",\"Ksector\",\"inst\",\"register/"
        "thread\",\"Kbyte/block\",\"byte/block\",\"block\",\"block\"\r\n"
        "==PROF== Profiling\r\n" IDS(
            "0", "void ns::add<float, 4>(float *, \"\"x\"\")") ",\"12.5\",\"1,234.5\",\"2.5\",\"10,240,000\",\"40\","
                                                               "\"1.5\",\"16\",\"8\",\"5\"\r\n"
                                                               "program says hello\r\n" IDS(
                                                                   "1", "other(int)") ",\"n/a\",\"N/A\",\"\",\"7\",\"n/"
                                                                                      "a\",\"\",\"\",\"\",\"\"\r\n"
                                                                                      "==PROF== Disconnected\r\n";
    (void)state;
    wl_table *t = parse("wide", text);
    check_int("wide", "rows", (int64_t)wl_table_count(t), 2);
    check_int("wide", "layout", wl_table_layout_of(t), WL_TABLE_NCU_WIDE);
    const wl_measurement *m = wl_table_row(t, 0), *n = wl_table_row(t, 1);
    check_text("wide", "kernel", m->kernel, "void ns::add<float, 4>(float *, \"x\")");
    check_text("wide", "family", m->family, "add");
    check_text("wide", "second family", n->family, "other");
    check_true("wide", "the block", m->block[0] == 256 && m->block[1] == 1 && m->block[2] == 1);
    check_true("wide", "the grid", m->grid[0] == 64 && m->grid[1] == 2 && m->grid[2] == 1);
    check_near("wide", "time", m->time_s, 12.5e-6, 1e-15);
    check_near("wide", "dram_load_bytes", m->values->value[WL_METRIC_dram_load_bytes], 1234500000, 0);
    check_near("wide", "l2_load_bytes", m->values->value[WL_METRIC_l2_load_bytes], 80000, 0);
    check_near("wide", "inst_executed", m->values->value[WL_METRIC_inst_executed], 10240000, 0);
    check_int("wide", "registers", m->registers, 40);
    check_int("wide", "shared", m->shared_bytes, 1516);
    check_int("wide", "blocks", m->blocks_per_sm, 5);
    check_true("wide", "absent", !n->time_known && !n->values->known[WL_METRIC_dram_load_bytes] && !n->shared_known);
    check_near("wide", "second inst", n->values->value[WL_METRIC_inst_executed], 7, 0);
    check_note("wide", t, "before the header", 2, 1);
    check_note("wide", t, "not a row of the table", 7, 1);
    wl_table_free(t);
    check_done();
}

static void test_wide_shapes(void **state)
{
    static const char old[] = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
                              "\"Context\",\"Stream\",\"smsp__inst_executed.sum\"%s\n"
                              "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"inst\"%s\n"
                              "\"0\",\"1\",\"a\",\"h\",\"k\",\"now\",\"1\",\"7\",\"5\"%s\n";
    char text[1000];
    (void)state;
    (void)snprintf(text, sizeof text, old, "", "", "");
    wl_table *t = NULL;
    wl_error err = {0};
    const wl_status status = wl_table_parse("old.csv", text, strlen(text), &t, &err);
    check_error("no block at all", status, &err, &(expected_error){WL_E_INPUT, "without its block", 3, 1});
    (void)snprintf(text, sizeof text, old, ",launch__block_dim_x,launch__block_dim_y,launch__block_dim_z", ",,,",
                   ",\"1,024\",1,1");
    t = parse("block from metrics", text);
    check_int("block from metrics", "block", wl_table_row(t, 0)->block[0], 1024);
    check_int("block from metrics", "grid", wl_table_row(t, 0)->grid[0], 0);
    wl_table_free(t);
    t = parse("tight", "ID,Kernel Name,Block Size,Grid Size,smsp__inst_executed.sum\n,,,,inst\n"
                       "0,k,\"(32,4,2)\",\"(1,2,3)\",5\n1,k,(32 4 2),1,5\n");
    check_int("tight", "rows", (int64_t)wl_table_count(t), 1);
    check_true("tight", "the block", wl_table_row(t, 0)->block[1] == 4 && wl_table_row(t, 0)->block[2] == 2);
    check_int("tight", "grid", wl_table_row(t, 0)->grid[2], 3);
    wl_table_free(t);
    check_done();
}

static void test_long(void **state)
{
    /* NVTX and the like would only be further columns */
    static const char text[] =
        "app output\n" LONG_IDS LONG("0", "a::f(int, float)", "gpu__time_duration.sum", "msecond", "1.5")
            LONG("0", "a::f(int, float)", "dram__bytes_write.sum", "Gbyte",
                 "2") "==PROF== message\nbetween, the rows\n" LONG("0", "a::f(int, float)", "Block Size", "",
                                                                   "256") /* a count of threads */
        LONG("0", "a::f(int, float)", "", "", "")                         /* a rule */
        LONG("0", "a::f(int, float)", "Registers Per Thread", "register/thread", "33")
            LONG("1", "a::f(int, float)", "Duration", "us", "7") LONG("1", "g", "Duration", "furlong", "7")
                LONG("2", "g", "smsp__inst_executed.sum", "inst", "1,000") "\"3\",\"1\",\"a\",\"h\",\"g\",\"1";
    (void)state;
    wl_table *t = parse("long", text);
    check_int("long", "rows", (int64_t)wl_table_count(t), 3);
    check_int("long", "layout", wl_table_layout_of(t), WL_TABLE_NCU_LONG);
    const wl_measurement *m = wl_table_row(t, 0);
    check_int("long", "line", m->line, 3);
    check_text("long", "family", m->family, "f");
    check_near("long", "time", m->time_s, 1.5e-3, 1e-15);
    check_near("long", "dram_store_bytes", m->values->value[WL_METRIC_dram_store_bytes], 2e9, 0);
    check_int("long", "block", m->block[0], 256);
    check_int("long", "block y", m->block[1], 1);
    check_int("long", "registers", m->registers, 33);
    check_near("long", "time of the second", wl_table_row(t, 1)->time_s, 7e-6, 1e-15);
    check_int("long", "registers of the second", wl_table_row(t, 1)->registers, 0);
    check_near("long", "inst of the third", wl_table_row(t, 2)->values->value[WL_METRIC_inst_executed], 1000, 0);
    check_note("long", t, "unit 'furlong'", 11, 1);
    check_note("long", t, "no value that is predicted", 11, 1);
    check_note("long", t, "not a row of the table", 6, 1);
    check_note("long", t, "the last line is cut off", 13, 1);
    wl_table_free(t);
    check_done();
}

static const struct {
    const char *name, *text;
    expected_error want;
} errors[] = {
    {"empty", "", {WL_E_INPUT, "no header", 0, 0}},
    {"no table", "hello\nworld\n", {WL_E_INPUT, "no header", 1, 1}},
    {"no block in x", "by,bz,inst\n1,1,1\n", {WL_E_INPUT, "no column 'bx'", 1, 1}},
    {"no bx", "\nfamily,inst\na,1\n", {WL_E_INPUT, "no column 'bx'", 2, 1}},
    {"only a header", "bx,by,bz,inst\n", {WL_E_INPUT, "no rows", 0, 0}},
    {"nothing sound", "bx,by,bz,inst\n1,1,1,1\"\n0,1,1,5\n", {WL_E_INPUT, "not one row can be used", 3, 1}},
    {"a summary",
     "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\"\n",
     {WL_E_INPUT, "--print-summary", 1, 1}},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        wl_table *t = NULL;
        wl_error err = {0};
        const wl_status status = wl_table_parse("t.csv", errors[i].text, strlen(errors[i].text), &t, &err);
        check_error(errors[i].name, status, &err, &errors[i].want);
        check_text(errors[i].name, "input", err.input, "t.csv");
        check_true(errors[i].name, "no table", t == NULL);
    }
    check_done();
}

/* Zero bytes, lines and cells without end, quotes without end. */
static void test_hostile(void **state)
{
    static const char zero[] = "bx,by,bz,inst\n8,1,1,5\n8,1,1,5\0006\n";
    (void)state;
    wl_table *t = parse_sized("zero byte", zero, sizeof zero - 1);
    check_int("zero byte", "rows", (int64_t)wl_table_count(t), 1);
    check_note("zero byte", t, "a zero byte", 3, 1);
    wl_table_free(t);

    static const char head[] = "bx,by,bz,inst\n8,1,1,5\n";
    const size_t length = (size_t)100 << 20;
    char *text = malloc(length);
    assert_non_null(text);
    static const struct {
        const char *name, *fill, *note;
        size_t count;
    } fills[] = {
        {"one cell", "1", "a cell that is too long", 1},
        {"commas", ",", "too many cells", 1},
        {"quotes", "\"", NULL, 0},
        {"open quotes", "\"\n", NULL, 0},
        {"open quotes and text", "\"a\"\"\n", NULL, 0},
    };
    for (size_t f = 0; f < COUNT_OF(fills); f++) {
        const size_t n = strlen(fills[f].fill), used = f < 3 ? length : (size_t)4 << 20;
        memcpy(text, head, sizeof head - 1);
        if (n == 1)
            memset(text + sizeof head - 1, fills[f].fill[0], used - sizeof head + 1);
        for (size_t i = sizeof head - 1; n > 1 && i < used; i++)
            text[i] = fills[f].fill[(i - sizeof head + 1) % n];
        text[used - 1] = '\n';
        t = parse_sized(fills[f].name, text, used);
        check_int(fills[f].name, "rows", (int64_t)wl_table_count(t), 1);
        check_true(fills[f].name, "notes", wl_table_note_count(t) <= 4);
        if (fills[f].note)
            check_note(fills[f].name, t, fills[f].note, 3, fills[f].count);
        wl_table_free(t);
    }
    free(text);
    check_done();
}

static void test_many_reasons(void **state)
{
    (void)state;
    char *text = malloc(200000);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, 200000, LONG_IDS);
    for (int i = 0; i < 500; i++)
        used += (size_t)snprintf(text + used, 200000 - used, IDS("0", "f") ",\"S\",\"Duration\",\"unit%d\",\"1\"\n", i);
    (void)snprintf(text + used, 200000 - used, LONG("1", "f", "Duration", "ns", "1"));
    wl_table *t = parse("many", text);
    check_int("many", "rows", (int64_t)wl_table_count(t), 1);
    check_true("many", "the notes are few", wl_table_note_count(t) <= 101);
    check_note("many", t, "of another kind", 102, 402);
    wl_table_free(t);
    free(text);
    check_done();
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        double value;
    } cases[] = {
        {"5", true, 5},          {"1,234", true, 1234},  {"12,345,678.25", true, 12345678.25},
        {"-1,000", true, -1000}, {"1e3", true, 1000},    {"1,23", false, 0},
        {"1,2345", false, 0},    {"1234,567", false, 0}, {",123", false, 0},
        {"1,", false, 0},        {"1,,234", false, 0},   {"1,23,456", false, 0},
        {"1.5,000", false, 0},   {"0x10", false, 0},     {"five", false, 0},
        {"5 apples", false, 0},  {"", false, 0},         {"12,34.5", false, 0},
        {"1.234.567", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = 0;
        const bool ok = wl_column_number(cases[i].text, &value);
        check_int(cases[i].text, "is a number", ok, cases[i].ok);
        if (ok)
            check_near(cases[i].text, "value", value, cases[i].value, 0);
    }
    check_done();
}

static void test_units(void **state)
{
    static const struct {
        wl_dimension dimension;
        const char *unit;
        double scale; /* 0: does not measure it */
    } cases[] = {
        {WL_DIM_TIME, "nsecond", 1e-9},   {WL_DIM_TIME, "ns", 1e-9},       {WL_DIM_TIME, "usecond", 1e-6},
        {WL_DIM_TIME, "us", 1e-6},        {WL_DIM_TIME, "msecond", 1e-3},  {WL_DIM_TIME, "ms", 1e-3},
        {WL_DIM_TIME, "second", 1},       {WL_DIM_TIME, "s", 1},           {WL_DIM_TIME, "byte", 0},
        {WL_DIM_BYTES, "byte", 1},        {WL_DIM_BYTES, "Kbyte", 1e3},    {WL_DIM_BYTES, "Mbyte", 1e6},
        {WL_DIM_BYTES, "Gbyte", 1e9},     {WL_DIM_BYTES, "Tbyte", 1e12},   {WL_DIM_BYTES, "KiB", 1024},
        {WL_DIM_BYTES, "byte/second", 0}, {WL_DIM_BYTES, "sector", 0},     {WL_DIM_COUNT, "sector", 1},
        {WL_DIM_COUNT, "Ksector", 1e3},   {WL_DIM_COUNT, "Minst", 1e6},    {WL_DIM_COUNT, "", 1},
        {WL_DIM_COUNT, "%", 0},           {WL_DIM_COUNT, "inst/cycle", 0}, {WL_DIM_COUNT, "register/thread", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double scale = 0;
        check_int(cases[i].unit, "measures it", wl_column_unit(cases[i].dimension, cases[i].unit, &scale),
                  cases[i].scale != 0);
        check_near(cases[i].unit, "scale", scale, cases[i].scale, 0);
    }
    check_done();
}

/* The counters of metrics.def must be found, or no profile would be read. */
static void test_every_counter(void **state)
{
    (void)state;
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        char name[120];
        const char *counter = wl_metric_counter((wl_metric)m);
        if (counter[0] == '\0' || strchr(counter, '{'))
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(counter, " "), counter);
        const wl_column c = wl_column_find(name);
        check_true(name, "is a metric", c.kind == WL_COLUMN_METRIC && c.index == m);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),         cmocka_unit_test(test_metric_columns), cmocka_unit_test(test_own_notes),
        cmocka_unit_test(test_spellings),   cmocka_unit_test(test_times),          cmocka_unit_test(test_wide),
        cmocka_unit_test(test_wide_shapes), cmocka_unit_test(test_long),           cmocka_unit_test(test_errors),
        cmocka_unit_test(test_hostile),     cmocka_unit_test(test_many_reasons),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_every_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
