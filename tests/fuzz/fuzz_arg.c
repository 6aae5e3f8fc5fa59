/* fuzz_arg.c - texts of --arg and --constant, and names of kernels: every line of the input is one.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "ptx/emulate/alu.h"
#include "ptx/emulate/arguments_text.h"
#include "ptx/module/name_match.h"
#include "ptx/module/source_params.h"
#include "ptx/read/read_module.h"

#define LINES_MAX 16
#define GUARD 0xa5
#define PARAM_BYTES 8
#define FILE_BYTES 100

static const uint8_t file_bytes[FILE_BYTES];

/* "f" and what starts with it is a file of 100 bytes, "e" is empty; there are no others. */
static wl_status load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    (void)user;
    if (path[0] != 'f' && path[0] != 'e') {
        *err = (wl_error){.code = WL_E_IO, .message = "no such file"};
        return WL_E_IO;
    }
    *bytes = file_bytes;
    *length = path[0] == 'f' ? FILE_BYTES : 0;
    return WL_OK;
}

/* An error lies inside the text, or right behind it. */
static void check_outcome(const char *text, wl_status status, const wl_error *err)
{
    fuzz_check_outcome(status, status == WL_OK ? text : NULL, err);
    if (status != WL_OK && err->loc.line > 0)
        REQUIRE(err->loc.line == 1 && (size_t)err->loc.col <= strlen(text) + 1);
}

static void check_range(const wl_ptx_buffer *b)
{
    if (b->content == WL_PTX_RANDOM && wl_ptx_type_is_float(b->type))
        REQUIRE(wl_ptx_f64_of((uint64_t)b->low) <= wl_ptx_f64_of((uint64_t)b->high));
    else if (b->content == WL_PTX_RANDOM)
        REQUIRE(b->low <= b->high);
}

/* Elements at the start and at the end, and across them. */
static void check_contents(const wl_ptx_buffer *b)
{
    for (int bytes = 1; bytes <= 16; bytes++) {
        uint8_t out[17];
        const int64_t places[] = {0, 3, b->bytes / 2, b->bytes - bytes};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            out[bytes] = GUARD;
            if (places[i] < 0 || places[i] + bytes > b->bytes)
                continue;
            REQUIRE(wl_ptx_buffer_read(b, places[i], bytes, out) == (b->content != WL_PTX_UNTOUCHED));
            REQUIRE(out[bytes] == GUARD);
        }
    }
}

static void read_buffer(const char *text)
{
    const wl_ptx_given given = {.load = load};
    wl_ptx_buffer buffer = {0};
    wl_error err = {0};
    const wl_status status = wl_ptx_buffer_text(text, &given, &buffer, &err);
    check_outcome(text, status, &err);
    if (status != WL_OK)
        return;
    REQUIRE(buffer.bytes >= 0 && buffer.bytes <= (int64_t)1 << 44 && buffer.offset >= 0 &&
            buffer.offset <= buffer.bytes);
    check_range(&buffer);
    check_contents(&buffer);
}

/* Places and their inverse, at both ends; contents are read texel by texel. */
static void read_texture(const char *text)
{
    const wl_ptx_given given = {.load = load};
    wl_arena arena = {0};
    wl_ptx_buffer b = {0};
    wl_error err = {0};
    const wl_status status = wl_ptx_texture_text(text, &given, &arena, &b, &err);
    check_outcome(text, status, &err);
    const wl_ptx_texture *t = b.texture;
    for (int corner = 0; corner < 16 && status == WL_OK; corner++) {
        const int64_t at[4] = {corner & 1 ? (t->extent[0] - 1) * t->texel_bytes : 0, corner & 2 ? t->extent[1] - 1 : 0,
                               corner & 4 ? t->extent[2] - 1 : 0, corner & 8 ? t->layers - 1 : 0};
        const int64_t place = wl_ptx_texture_place(t, at[0], at[1], at[2], at[3]);
        uint8_t out[17] = {0};
        out[t->texel_bytes] = GUARD;
        REQUIRE(place >= 0 && place + t->texel_bytes <= b.bytes && b.bytes <= (int64_t)1 << 44);
        REQUIRE(wl_ptx_texture_byte(t, place) >= 0);
        REQUIRE(wl_ptx_buffer_read(&b, place, t->texel_bytes, out) == (b.content != WL_PTX_UNTOUCHED));
        REQUIRE(out[t->texel_bytes] == GUARD);
        (void)wl_ptx_buffer_read(&b, b.bytes - 1, 1, out); /* may be a gap */
    }
    check_range(&b);
    wl_arena_free(&arena);
}

static void read_number(const char *text, wl_ptx_type type)
{
    const size_t bytes = (size_t)wl_ptx_type_bits(type) / 8;
    uint8_t out[PARAM_BYTES + 1];
    wl_error err = {0};
    memset(out, GUARD, sizeof out);
    const wl_status status = wl_ptx_number_text(text, type, out, &err);
    check_outcome(text, status, &err);
    for (size_t i = status == WL_OK ? bytes : 0; i < sizeof out; i++)
        REQUIRE(out[i] == GUARD);
}

static void read_bytes(const char *text)
{
    for (int64_t bytes = 1; bytes <= PARAM_BYTES; bytes++) {
        uint8_t out[PARAM_BYTES + 1] = {0};
        wl_error err = {0};
        check_outcome(text, wl_ptx_bytes_text(text, bytes, out, &err), &err);
        REQUIRE(out[bytes] == 0);
    }
}

static void read_argument(const char *text)
{
    static const wl_ptx_type types[] = {WL_PTX_U8,  WL_PTX_U16, WL_PTX_U32, WL_PTX_U64, WL_PTX_S8,
                                        WL_PTX_S16, WL_PTX_S32, WL_PTX_S64, WL_PTX_B8,  WL_PTX_B16,
                                        WL_PTX_B32, WL_PTX_B64, WL_PTX_F16, WL_PTX_F32, WL_PTX_F64};
    if (strncmp(text, "buf:", 4) == 0)
        read_buffer(text);
    if (strncmp(text, "tex:", 4) == 0 || strncmp(text, "surf:", 5) == 0)
        read_texture(text);
    if (strncmp(text, "bytes:", 6) == 0)
        read_bytes(text);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        read_number(text, types[i]);
}

/* ---- a kernel with a struct, and variables ---- */

static const char kernel_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 _ZN2ns4coefE[36];\n.global .align 8 .u64 "
    "table;\n"
    ".const .align 4 .u32 steps;\n"
    ".visible .entry _ZN2ns4axpyIfLi4EEEvNS_4GridEi(.param .align 8 .b8 p0[40], .param .u32 p1)\n{\nret;\n}\n";

/* Addresses ascend, and no buffer reaches the next. */
static void check_buffers(const wl_ptx_arguments *a)
{
    for (int i = 1; i < a->buffer_count; i++)
        REQUIRE(a->buffers[i - 1].base + (uint64_t)a->buffers[i - 1].bytes < a->buffers[i].base);
}

static void make_arguments(const wl_ptx_module *m, const wl_ptx_function *entry, const wl_ptx_given *given)
{
    wl_arena arena = {0};
    wl_ptx_arguments arguments = {0};
    wl_error err = {0};
    const wl_status status = wl_ptx_arguments_make(m, entry, given, &arena, &arguments, &err);
    fuzz_check_outcome(status, status == WL_OK ? kernel_text : NULL, &err);
    if (status == WL_OK)
        check_buffers(&arguments);
    wl_arena_free(&arena);
}

/* The text as an argument, as contents of a variable, and as the source that names the
 * parameters. */
static void read_for_kernel(const char *text)
{
    const wl_ptx_function *entry = NULL;
    wl_ptx_module *m = NULL;
    wl_error err = {0};
    REQUIRE(wl_ptx_module_parse("k.ptx", kernel_text, strlen(kernel_text), &m, &err) == WL_OK);
    REQUIRE(wl_ptx_find_entry(m, NULL, &entry, &err) == WL_OK);
    const char *const first[] = {text, "5"}, *const second[] = {"{buf:64, 1, 2, 2.5:f64, 0, 0, 0}", text};
    const wl_ptx_given as_struct = {.args = first, .arg_count = 2, .load = load};
    const wl_ptx_given as_number = {.args = second, .arg_count = 2, .load = load};
    const wl_ptx_given as_constant = {
        .args = second, .arg_count = 1, .constants = &text, .constant_count = 1, .load = load};
    make_arguments(m, entry, &as_struct);
    make_arguments(m, entry, &as_number);
    m->source = (wl_ptx_source_text){"k.cu", text, strlen(text)};
    make_arguments(m, entry, &as_number);
    make_arguments(m, entry, &as_constant);
    const wl_ptx_function *found = NULL;
    err = (wl_error){0};
    const wl_status status = wl_ptx_find_entry(m, text, &found, &err);
    fuzz_check_outcome(status, found ? found->name : NULL, &err);
    wl_ptx_module_free(m);
}

/* The text as a mangled name: its parts are in order, and it is its own best name. */
static void demangle(const char *text)
{
    wl_arena arena = {0};
    bool failed = false;
    const wl_ptx_demangled d = wl_ptx_demangle(text, &arena);
    REQUIRE(d.text && d.name <= d.base && d.base <= d.args && d.args <= d.end && d.end <= strlen(d.text));
    const char *wanted = d.text + d.name, *compared = wl_ptx_wanted_name(wanted, &arena);
    REQUIRE(compared);
    const wl_ptx_fit fit = wl_ptx_name_fit(text, &d, wanted, compared, &failed);
    REQUIRE(!failed && (fit <= WL_PTX_FIT_SIGNATURE || strncmp(wanted, "void ", 5) == 0 || strchr(" \t", *wanted)));
    wl_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *line = text;
    for (int i = 0; i < LINES_MAX && line; i++) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        char *copy = fuzz_text((const uint8_t *)line, strlen(line)); /* a read beyond it is seen */
        read_argument(copy);
        read_for_kernel(copy);
        demangle(copy);
        free(copy);
        line = end;
    }
    free(text);
    return 0;
}
