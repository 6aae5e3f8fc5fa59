/* trace_png.c - a trace as a PNG without words: one colour per kind of cell, a palette of four
 * bits, stored without compression, so that no library is needed. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "report/common/trace_report.h"

enum {
    COLUMNS_MAX = 2000,
    ROWS_MAX = 2000,
    SIDE = 1000,        /* approximate pixels of a side; small diagrams are enlarged */
    SCALE_MAX = 8,      /* pixels of a cell */
    STORED_MAX = 65535, /* bytes of a block that is stored */
    ADLER = 65521       /* RFC 1950 */
};
#define CRC_POLYNOMIAL 0xedb88320u /* PNG specification, annex D */

static const unsigned char palette[WL_CELL_COUNT * 3] = {255, 255, 255, 187, 221, 238, 221, 221,
                                                         221, 68,  119, 170, 204, 51,  17};

static uint32_t crc_of(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
    }
    return ~crc;
}

static void put_number(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Length, type, data, checksum. */
static void put_chunk(wl_buffer *out, const char type[4], const unsigned char *data, size_t length)
{
    unsigned char number[4], *whole = malloc(length + 4);
    if (!whole) {
        out->failed = true;
        return;
    }
    memcpy(whole, type, 4);
    if (length)
        memcpy(whole + 4, data, length);
    put_number(number, (uint32_t)length);
    wl_buffer_put(out, (const char *)number, 4);
    wl_buffer_put(out, (const char *)whole, length + 4);
    put_number(number, crc_of(whole, length + 4));
    wl_buffer_put(out, (const char *)number, 4);
    free(whole);
}

/* The rows of the picture: a filter byte (none), then two pixels a byte. */
static unsigned char *make_rows(const wl_trace_grid *g, int64_t scale, size_t *length)
{
    const int64_t width = g->columns * scale, height = g->rows * scale, row_bytes = 1 + wl_ceil_div(width, 2);
    unsigned char *rows = calloc((size_t)(row_bytes * height) + 1, 1);
    *length = (size_t)(row_bytes * height);
    for (int64_t y = 0; rows && y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const unsigned cell = g->cells[y / scale * g->columns + x / scale];
            rows[y * row_bytes + 1 + x / 2] |= (unsigned char)(x % 2 ? cell : cell << 4);
        }
    return rows;
}

/* A zlib stream of stored blocks. */
static void put_stored(wl_buffer *out, const unsigned char *bytes, size_t length)
{
    static const char header[2] = {0x78, 0x01};
    uint32_t a = 1, b = 0;
    unsigned char sum[4];
    wl_buffer_put(out, header, 2);
    for (size_t at = 0; at < length; at += STORED_MAX) {
        const size_t left = length - at, size = left < STORED_MAX ? left : STORED_MAX;
        const unsigned char head[5] = {left <= STORED_MAX, (unsigned char)size, (unsigned char)(size >> 8),
                                       (unsigned char)~size, (unsigned char)(~size >> 8)};
        wl_buffer_put(out, (const char *)head, 5);
        wl_buffer_put(out, (const char *)bytes + at, size);
    }
    for (size_t i = 0; i < length; i++) {
        a = (a + bytes[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    put_number(sum, b << 16 | a);
    wl_buffer_put(out, (const char *)sum, 4);
}

static void put_picture(wl_buffer *out, const wl_trace_grid *g)
{
    static const char signature[8] = {(char)0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const int64_t scale = wl_max(1, wl_min(SCALE_MAX, SIDE / wl_max(1, wl_max(g->columns, g->rows))));
    unsigned char header[13] = {[8] = 4, [9] = 3}; /* bits of a pixel; indices of a palette */
    wl_buffer stream = {0};
    size_t length = 0;
    unsigned char *rows = make_rows(g, scale, &length);
    put_number(header, (uint32_t)(g->columns * scale));
    put_number(header + 4, (uint32_t)(g->rows * scale));
    if (rows)
        put_stored(&stream, rows, length);
    wl_buffer_put(out, signature, sizeof signature);
    put_chunk(out, "IHDR", header, sizeof header);
    put_chunk(out, "PLTE", palette, sizeof palette);
    if (stream.text)
        put_chunk(out, "IDAT", (const unsigned char *)stream.text, stream.length);
    put_chunk(out, "IEND", NULL, 0);
    out->failed = out->failed || !rows || stream.failed;
    wl_buffer_drop(&stream);
    free(rows);
}

wl_status wl_trace_png(const wl_trace *trace, unsigned char **out, size_t *length, wl_error *err)
{
    wl_trace_grid grid;
    wl_buffer bytes = {0};
    char *text = NULL;
    *out = NULL;
    WL_TRY(wl_trace_grid_make(trace, ROWS_MAX, COLUMNS_MAX, &grid, err));
    put_picture(&bytes, &grid);
    wl_trace_grid_free(&grid);
    *length = bytes.length;
    WL_TRY(wl_buffer_take(&bytes, &text, err));
    *out = (unsigned char *)text;
    return WL_OK;
}
