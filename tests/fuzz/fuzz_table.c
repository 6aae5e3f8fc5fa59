/* fuzz_table.c - any bytes as a measured table. SPDX-License-Identifier: MIT */
#include "fuzz.h"

static void check_row(const wl_measurement *m)
{
    wl_tallies tallies;
    bool any = m->time_known;
    REQUIRE(m->line >= 1 && m->family && m->variant && m->params && m->kernel);
    for (int d = 0; d < 3; d++) {
        /* a summary of nvprof has no block; other tables may follow it in the file */
        REQUIRE(m->block[d] >= 0 && (m->block[d] > 0) == (m->block[0] > 0));
        REQUIRE(m->grid[d] >= 0 && (m->grid[d] > 0) == (m->grid[0] > 0));
    }
    REQUIRE(m->registers >= 0 && m->shared_bytes >= 0 && m->blocks_per_sm >= 0 && m->work >= 0);
    REQUIRE(!m->time_known || (isfinite(m->time_s) && m->time_s > 0));
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        double value = 0;
        const bool known = wl_measurement_value(m, (wl_metric)i, &value);
        REQUIRE(!known || (isfinite(value) && value >= 0));
        any = any || known;
    }
    wl_measurement_tallies(m, &tallies);
    for (int i = 0; i < WL_TALLY_COUNT; i++) {
        REQUIRE(!tallies.known[i] || (isfinite(tallies.value[i]) && tallies.value[i] >= 0));
        REQUIRE(tallies.known[i] || wl_measurement_differs(m, (wl_tally)i)[0] == '\0');
        any = any || tallies.known[i];
    }
    REQUIRE(any);
}

static void check_agreement(const wl_table *table)
{
    const size_t count = wl_table_count(table);
    wl_pair *pairs = calloc(count, sizeof *pairs);
    wl_agreement a;
    wl_error err = {0};
    double pick = 0;
    REQUIRE(pairs);
    for (size_t i = 0; i < count; i++) {
        const wl_measurement *m = wl_table_row(table, i);
        double executed = 0;
        (void)wl_measurement_value(m, WL_METRIC_inst_executed, &executed);
        pairs[i] = (wl_pair){m->time_s, executed};
    }
    REQUIRE(wl_agreement_compute(pairs, count, &a, &err) == WL_OK);
    REQUIRE(a.count + a.left_out == count && a.exact <= a.count && a.median <= a.max && a.mean >= 0);
    REQUIRE(!a.tau_known || fabs(a.tau) <= 1 + 1e-9);
    REQUIRE(!wl_best_pick(pairs, count, &pick) || (pick > 0 && pick <= 1));
    free(pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    wl_table *table = NULL;
    wl_error err = {0};
    const wl_status status = wl_table_parse("fuzz.csv", text, size, &table, &err);
    fuzz_check_outcome(status, table, &err);
    if (status == WL_OK) {
        REQUIRE(wl_table_count(table) >= 1 && wl_table_count(table) <= size);
        for (size_t i = 0; i < wl_table_count(table); i++)
            check_row(wl_table_row(table, i));
        for (size_t i = 0; i < wl_table_note_count(table); i++) {
            const wl_note *n = wl_table_note(table, i);
            REQUIRE(n->count >= 1 && n->line >= 0 && n->reason[0] && !strchr(n->reason, '\n'));
        }
        check_agreement(table);
        wl_table_free(table);
    }
    free(text);
    return 0;
}
