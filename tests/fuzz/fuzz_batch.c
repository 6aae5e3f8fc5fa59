/* fuzz_batch.c - any bytes as the lines of predict --batch. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "load.h"
#include "options.h"
#include "sandbox.h"

#define BATCH_NAME "batch.jsonl"

/* Every line of the output is a JSON object. */
static void check_lines(char *text)
{
    while (*text) {
        char *end = strchr(text, '\n');
        REQUIRE(end);
        json_t *line = json_loadb(text, (size_t)(end - text), JSON_REJECT_DUPLICATES, NULL);
        REQUIRE(json_is_object(line));
        json_decref(line);
        text = end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sandbox_file file = {BATCH_NAME, data, size};
    const options o = {.batch = BATCH_NAME, .device = "a100-40gb"};
    sandbox_start(&file, 1);
    const int code = run_batch(&o);
    load_forget();
    const sandbox_result result = sandbox_end();
    REQUIRE(code == EXIT_OK && result.err_size == 0 && strlen(result.out) == result.out_size);
    check_lines(result.out);
    free(result.out);
    free(result.err);
    return 0;
}
