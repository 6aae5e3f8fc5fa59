/* fuzz_expr.c - address expressions and update texts.
 *
 * Line 1 of the input is an address expression, line 2 a domain and a type ("64x32 f32"), the rest
 * an update. The first and the last also go into a kernel file, the last and the domain into
 * wl_kernel_from_update.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

static const char address_head[] =
    "name: e\nparams: {n: 100, one: 1, big: 576460752303423488}\ndomain: [64, 8, 4]\n"
    "loops: {i: 3, j: 2}\nfields: {A: {type: f32}, B: {type: f64, extent: [n, n, n], halo: 2}}\nloads: [\"";
static const char address_tail[] = "\"]\nstores: [\"A[x]\"]\n";
static const char update_head[] =
    "name: u\nparams: {n: 100, big: 576460752303423488}\ndomain: [64, 8, 4]\nscalars: [alpha]\n"
    "fields: {src: {type: f64, extent: [64, 8, 4], halo: 4}, dst: {type: f32, extent: [64, 8, 4], halo: 4}, "
    "f: {type: f64, extent: [64, 8, 4, 19]}}\nupdate: \"";
static const char update_tail[] = "\"\n";

/* The text as the inside of a double-quoted YAML scalar. */
static void append_quoted(char *out, size_t *used, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= ' ' && c < 127 && c != '"' && c != '\\')
            out[(*used)++] = (char)c;
        else
            *used += (size_t)sprintf(out + *used, "\\x%02X", c);
    }
}

static void try_predict(const wl_kernel *kernel)
{
    static wl_device *h200;
    const wl_launch launch = {.block = {8, 4, 2}, .fold = {1, 2, 1}};
    if (is_bounded(kernel))
        fuzz_predict(kernel, fuzz_device("h200", &h200), &launch);
}

static void parse_wrapped(const char *head, const char *text, const char *tail)
{
    char *yaml = malloc(strlen(head) + 4 * strlen(text) + strlen(tail) + 1);
    REQUIRE(yaml);
    size_t used = strlen(head);
    memcpy(yaml, head, used + 1);
    append_quoted(yaml, &used, text);
    memcpy(yaml + used, tail, strlen(tail) + 1);
    used += strlen(tail);
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    const wl_status status = wl_kernel_parse("expr.yaml", yaml, used, NULL, &kernel, &err);
    fuzz_check_outcome(status, kernel, &err);
    free(yaml);
    if (status != WL_OK)
        return;
    try_predict(kernel);
    wl_kernel_free(kernel);
}

static void from_update(const char *update, const char *domain, const char *type)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    const wl_status status = wl_kernel_from_update(update, domain, type, &kernel, &err);
    fuzz_check_outcome(status, kernel, &err);
    if (status != WL_OK)
        return;
    try_predict(kernel);
    wl_kernel_free(kernel);
}

/* Cuts the text at the first `end`; the rest, or "". */
static char *cut(char *text, char end)
{
    char *at = strchr(text, end);
    if (!at)
        return text + strlen(text);
    *at = '\0';
    return at + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *address = fuzz_text(data, size);
    char *domain = cut(address, '\n');
    char *update = cut(domain, '\n');
    const char *type = cut(domain, ' ');
    parse_wrapped(address_head, address, address_tail);
    parse_wrapped(update_head, update, update_tail);
    from_update(update, domain, *type ? type : "f64");
    free(address);
    return 0;
}
