/* fuzz_binary.c - any bytes as an executable, object, library, fatbin or cubin: its device code is
 * listed, unpacked and chosen from. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "binary/fatbin.h"

static void check_code(const wl_binary *b, size_t code, size_t size)
{
    const wl_binary_code *c = wl_binary_code_at(b, code);
    char *text = NULL;
    size_t length = 0;
    wl_error err = {0};
    REQUIRE(c->kind >= WL_BINARY_PTX && c->kind <= WL_BINARY_OTHER && c->packing <= WL_BINARY_PACKED);
    REQUIRE(c->fatbin >= 1 && c->fatbin <= wl_binary_fatbin_count(b) && c->stored_bytes <= size);
    const wl_status status = wl_binary_unpack(b, code, &text, &length, &err);
    fuzz_check_outcome(status, text, &err);
    REQUIRE(status != WL_OK || (length <= c->bytes && text[length] == '\0'));
    free(text);
}

static void check_best(const wl_binary *b)
{
    static const int archs[] = {0, 75, 90, 103};
    for (size_t f = 1; f <= wl_binary_fatbin_count(b) && f < 20; f++)
        for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
            size_t code = 0;
            bool runs = false;
            if (!wl_binary_best_ptx(b, f, archs[i], 'a', &code, &runs))
                continue;
            const wl_binary_code *c = wl_binary_code_at(b, code);
            REQUIRE(c && c->kind == WL_BINARY_PTX && c->fatbin == f);
            REQUIRE(!runs || archs[i] == 0 || c->arch <= archs[i]);
        }
}

/* As a program that finds a fatbin in memory reads it. */
static void check_fatbin(wl_bytes bytes)
{
    wl_bytes fatbin;
    char *text = NULL;
    size_t length = 0;
    wl_error err = {0};
    if (wl_fatbin_find(bytes, &fatbin, &err) != WL_OK)
        return;
    const wl_status status = wl_fatbin_ptx(fatbin, 90, &text, &length, &err);
    fuzz_check_outcome(status, text, &err);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wl_binary *b = NULL;
    char *text = NULL;
    wl_error err = {0};
    (void)wl_binary_is(data, size);
    const wl_status status = wl_binary_open("fuzz", data, size, &b, &err);
    fuzz_check_outcome(status, b, &err);
    for (size_t i = 0; status == WL_OK && i < wl_binary_code_count(b); i++)
        check_code(b, i, size);
    if (status == WL_OK) {
        check_best(b);
        REQUIRE(wl_binary_render(b, "fuzz", size % 2 ? WL_FORMAT_JSON : WL_FORMAT_TEXT, &text, &err) == WL_OK);
    }
    free(text);
    wl_binary_free(b);
    check_fatbin((wl_bytes){data, size});
    return 0;
}
