/* program_arguments.h - what a random program of ptx_program.h is called with.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PROGRAM_ARGUMENTS_H
#define WL_TESTS_PROGRAM_ARGUMENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/ptx_program.h"
#include "warpline/status.h"

#define ARG_LENGTH 80

typedef struct program_arguments {
    const program *program;
    char text[PROGRAM_BUFFERS + 1][ARG_LENGTH];
    const char *list[PROGRAM_BUFFERS + 1];
    uint32_t *data[PROGRAM_BUFFERS]; /* of counts */
} program_arguments;

static size_t buffer_bytes(const buffer *b) { return (size_t)(b->words + SLACK_WORDS) * 4; }

/* May be called again, with the same arguments, for the next program. */
static void make_arguments(const program *p, program_arguments *a)
{
    a->program = p;
    for (int i = 0; i < PROGRAM_BUFFERS; i++) {
        const buffer *b = &p->buffers[i];
        const char *texts[] = {"", "=random:u32:0..", "=iota:u32", "=counts", "=zero"};
        (void)snprintf(a->text[i], ARG_LENGTH, "buf:%zu%s", buffer_bytes(b), texts[b->content]);
        const size_t length = strlen(a->text[i]);
        if (b->content == CONTENT_RANDOM)
            (void)snprintf(a->text[i] + length, ARG_LENGTH - length, "%lld", (long long)b->most);
        if (b->content == CONTENT_COUNTS)
            (void)snprintf(a->text[i] + length, ARG_LENGTH - length, "%d", i);
        a->list[i] = a->text[i];
        if (b->content != CONTENT_COUNTS)
            continue;
        a->data[i] = realloc(a->data[i], buffer_bytes(b));
        for (size_t k = 0; a->data[i] && k < buffer_bytes(b) / 4; k++)
            a->data[i][k] = count_at(b, p->seed + (uint64_t)i, (int64_t)k);
    }
    (void)snprintf(a->text[PROGRAM_BUFFERS], ARG_LENGTH, "%d", p->limit);
    a->list[PROGRAM_BUFFERS] = a->text[PROGRAM_BUFFERS];
}

static void free_arguments(program_arguments *a)
{
    for (int i = 0; i < PROGRAM_BUFFERS; i++)
        free(a->data[i]);
}

/* For wl_ptx_given and wl_ptx_options; user is the arguments. */
static wl_status load_counts(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    const program_arguments *a = user;
    const int i = path[strlen("counts")] - '0';
    (void)err;
    *bytes = (const uint8_t *)a->data[i];
    *length = buffer_bytes(&a->program->buffers[i]);
    return WL_OK;
}

#endif /* WL_TESTS_PROGRAM_ARGUMENTS_H */
