/* fuzz_cli.c - a whole command line, with the files it names.
 *
 * The input's lines are the words after "warpline"; a line "=== NAME" starts the text of a
 * file, up to the next such line. "-" is standard input. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "load.h"
#include "options.h"
#include "sandbox.h"

#define WORDS_MAX 48
#define FILES_MAX 6
#define MARK "=== "

static char *next_line(char *line)
{
    char *end = strchr(line, '\n');
    if (!end)
        return line + strlen(line);
    *end = '\0';
    return end + 1;
}

/* Cuts the text into files; how many there are. */
static size_t read_files(char *text, sandbox_file *files)
{
    size_t count = 0;
    while (*text && count < FILES_MAX) {
        char *name = text + strlen(MARK), *data = next_line(name), *end = data;
        while (*end && strncmp(end, MARK, strlen(MARK)) != 0)
            end = strchr(end, '\n') ? strchr(end, '\n') + 1 : end + strlen(end);
        files[count++] = (sandbox_file){name, (const uint8_t *)data, (size_t)(end - data)};
        text = end;
    }
    return count;
}

/* One JSON value, or several after one another. */
static bool is_json(const char *text, size_t size)
{
    static const char blanks[] = " \n";
    size_t at = strspn(text, blanks);
    if (at >= size)
        return false;
    for (; at < size; at += strspn(text + at, blanks)) {
        json_error_t e;
        json_t *value = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &e);
        if (!value)
            return false;
        json_decref(value);
        at += (size_t)e.position;
    }
    return true;
}

/* What 'check' answers has the launches its findings are about. */
static void check_launches(const char *text)
{
    json_t *root = json_loads(text, 0, NULL);
    REQUIRE(root && json_array_size(json_object_get(root, "launches")) > 0);
    json_decref(root);
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], word, strlen(word)) == 0)
            return true;
    return false;
}

static bool wants_json(int argc, char **argv)
{
    const char *format = NULL;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--format") == 0 && i + 1 < argc)
            format = argv[i + 1];
        else if (strncmp(argv[i], "--format=", 9) == 0)
            format = argv[i] + 9;
    }
    return format && strcmp(format, "json") == 0;
}

/* An answer on standard output, or an exit code that says why there is none, with a message. */
static void check_result(int code, const sandbox_result *r, int argc, char **argv)
{
    const bool known = (code >= EXIT_OK && code <= EXIT_UNSUPPORTED) || code == EXIT_NO_PICTURE || code == EXIT_OUTSIDE;
    const bool fails = code >= EXIT_USAGE && code != EXIT_NO_PICTURE && code != EXIT_OUTSIDE;
    const bool fits = (!fails || r->out_size == 0) && (code < EXIT_USAGE || r->err_size > 0);
    if (!known || !fits)
        fprintf(stderr, "exit code %d\nstdout: %s\nstderr: %s\n", code, r->out, r->err);
    REQUIRE(known); /* nothing is out of memory */
    REQUIRE(fits);
    REQUIRE(r->out_size == strlen(r->out) && r->err_size == strlen(r->err));
    const bool elsewhere = argc < 2 || argv[1][0] == '-' || strcmp(argv[1], "help") == 0 ||
                           has_word(argc, argv, "--output") || has_word(argc, argv, "--batch") ||
                           has_word(argc, argv, "--help") || has_word(argc, argv, "-h");
    if (code <= EXIT_CHECK_FAILED && wants_json(argc, argv) && !elsewhere) {
        if (!is_json(r->out, r->out_size))
            fprintf(stderr, "%s\n", r->out);
        REQUIRE(is_json(r->out, r->out_size));
        if (strcmp(argv[1], "check") == 0)
            check_launches(r->out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "warpline";
    char *argv[WORDS_MAX + 2] = {name};
    sandbox_file files[FILES_MAX];
    int argc = 1;
    char *text = fuzz_text(data, size), *line = text;
    while (*line && strncmp(line, MARK, strlen(MARK)) != 0 && argc <= WORDS_MAX) {
        argv[argc++] = line;
        line = next_line(line);
    }
    const bool cut = *line && strncmp(line, MARK, strlen(MARK)) != 0;
    sandbox_start(files, cut ? 0 : read_files(line, files));
    const int code = warpline_main(argc, argv);
    load_forget(); /* texts that messages show are kept up to the end of the program */
    const sandbox_result result = sandbox_end();
    check_result(code, &result, argc, argv);
    free(result.out);
    free(result.err);
    free(text);
    return 0;
}
