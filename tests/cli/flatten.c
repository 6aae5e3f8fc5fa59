/* flatten.c - JSON as lines that a test can select and compare.
 *
 * flatten [--digits N] [FILE] prints one line such as "rows[3].block = [512, 2, 1]" for each value
 * of each JSON text of the file or stdin, in its order. Real numbers have six digits, so that the
 * last ones of a machine's arithmetic do not show. The predictions of `predict` are printed one
 * after another, without "predictions[0]." before each name: as lines of --batch are.
 * SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

static int digits = 6;

static void print_value(char *path, size_t length, json_t *value);

static void print_members(char *path, size_t length, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int more = snprintf(path + length, PATH_ROOM - length, length ? ".%s" : "%s", key);
        print_value(path, length + (size_t)more, value);
    }
}

static void print_items(char *path, size_t length, json_t *array)
{
    size_t i;
    json_t *value;
    const bool predictions = length == strlen("predictions") && strncmp(path, "predictions", length) == 0;
    json_array_foreach(array, i, value)
    {
        if (predictions)
            length = 0;
        int more = predictions ? 0 : snprintf(path + length, PATH_ROOM - length, "[%zu]", i);
        print_value(path, length + (size_t)more, value);
    }
}

static void print_plain(json_t *value)
{
    if (json_is_real(value)) {
        printf("%.*g", digits, json_real_value(value));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    fputs(text ? text : "?", stdout);
    free(text);
}

/* Numbers and words of one array stand in one line. */
static bool is_plain_list(json_t *array)
{
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        if (json_object_size(value) || json_array_size(value))
            return false;
    }
    return json_array_size(array) > 0;
}

static void print_plain_list(json_t *array)
{
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        fputs(i ? ", " : "[", stdout);
        print_plain(value);
    }
    putchar(']');
}

static void print_value(char *path, size_t length, json_t *value)
{
    if (length + 64 > PATH_ROOM) {
        printf("%.40s... is too deep\n", path);
        return;
    }
    if (json_object_size(value)) {
        print_members(path, length, value);
        return;
    }
    bool list = is_plain_list(value);
    if (json_array_size(value) && !list) {
        print_items(path, length, value);
        return;
    }
    printf("%.*s = ", (int)length, path);
    if (list)
        print_plain_list(value);
    else
        print_plain(value);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--digits") == 0) {
        digits = (int)strtol(argv[2], NULL, 10);
        argv += 2, argc -= 2;
    }
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    char path[PATH_ROOM];
    for (int c; (c = getc(file)) != EOF;) {
        if (strchr(" \t\r\n", c))
            continue;
        ungetc(c, file);
        json_error_t error;
        json_t *text = json_loadf(file, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);
        if (!text) {
            fprintf(stderr, "not JSON: line %d: %s\n", error.line, error.text);
            return 1;
        }
        print_value(path, 0, text);
        json_decref(text);
    }
    if (file != stdin)
        fclose(file);
    return 0;
}
