/* text_record.c - writes a recording from a text: text_record TEXT FILE [FOLDER]. Lines:
 *   file NAME PATH           a blob of a file's bytes (in FOLDER)
 *   bytes NAME COUNT VALUE   a blob of 32-bit words that count up from VALUE; "same": all are it
 *   # ..                     a comment
 *   {..}                     an event; @NAME becomes the digest of the blob
 * A line "repeat N {..}" is N events with ids that count up from where "id": # stands.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/record_format.h"
#include "warpline/recording_writer.h"

#define NAMES_MAX 64
#define LINE_MAX_BYTES 16384

typedef struct maker {
    wl_record_writer *writer;
    const char *folder;
    struct {
        char name[32], digest[WL_DIGEST_TEXT];
    } names[NAMES_MAX];
    int count;
    long next; /* id of a launch */
    wl_error err;
} maker;

static void add_blob(maker *m, const char *name, const void *bytes, size_t count)
{
    wl_digest digest;
    if (m->count == NAMES_MAX || wl_record_blob(m->writer, bytes, count, &digest, &m->err) != WL_OK)
        exit(fprintf(stderr, "blob %s: %s\n", name, m->err.message) > 0);
    (void)snprintf(m->names[m->count].name, sizeof m->names[0].name, "%s", name);
    wl_digest_text(digest, m->names[m->count++].digest);
}

static void add_file(maker *m, const char *name, const char *file)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", m->folder, file);
    FILE *f = fopen(path, "rb");
    char *bytes = malloc((size_t)1 << 20);
    if (!f || !bytes)
        exit(fprintf(stderr, "cannot read %s\n", path) > 0);
    add_blob(m, name, bytes, fread(bytes, 1, (size_t)1 << 20, f));
    fclose(f);
    free(bytes);
}

static void add_words(maker *m, const char *name, size_t bytes, unsigned first, unsigned step)
{
    unsigned *words = malloc(bytes + 4);
    for (size_t i = 0; words && i < bytes / 4; i++)
        words[i] = first + step * (unsigned)i;
    add_blob(m, name, words, bytes);
    free(words);
}

static void add_event(maker *m, const char *line)
{
    char out[LINE_MAX_BYTES];
    size_t used = 0;
    while (*line && *line != '\n' && used + 64 < sizeof out) {
        if (*line == '#') {
            used += (size_t)snprintf(out + used, 32, "%ld", m->next++);
            line++;
        } else if (*line == '@') {
            const size_t length = strspn(++line, "abcdefghijklmnopqrstuvwxyz0123456789");
            int i = 0;
            while (i < m->count && (strlen(m->names[i].name) != length || memcmp(m->names[i].name, line, length) != 0))
                i++;
            if (i == m->count)
                exit(fprintf(stderr, "no blob: %s", line) > 0);
            used += (size_t)snprintf(out + used, 40, "%s", m->names[i].digest);
            line += length;
        } else {
            out[used++] = *line++;
        }
    }
    if (wl_record_event(m->writer, out, used, true, &m->err) != WL_OK)
        exit(fprintf(stderr, "%s\n", m->err.message) > 0);
}

int main(int argc, char **argv)
{
    maker m = {.folder = argc > 3 ? argv[3] : "."};
    static char line[LINE_MAX_BYTES];
    char name[32], word[256];
    unsigned first;
    long times;
    int at;
    FILE *text = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!text || wl_record_writer_new(argv[2], &m.writer, &m.err) != WL_OK)
        return fprintf(stderr, "text_record TEXT FILE [FOLDER]: %s\n", m.err.message) > 0;
    while (fgets(line, sizeof line, text)) {
        size_t bytes;
        if (sscanf(line, "file %31s %255s", name, word) == 2)
            add_file(&m, name, word);
        else if (sscanf(line, "bytes %31s %zu %u %255s", name, &bytes, &first, word) == 4)
            add_words(&m, name, bytes, first, 0);
        else if (sscanf(line, "bytes %31s %zu %u", name, &bytes, &first) == 3)
            add_words(&m, name, bytes, first, 1);
        else if (sscanf(line, "repeat %ld %n", &times, &at) == 1)
            while (times-- > 0)
                add_event(&m, line + at);
        else if (line[0] == '{')
            add_event(&m, line);
    }
    fclose(text);
    return wl_record_writer_close(m.writer, &m.err) != WL_OK;
}
