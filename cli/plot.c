/* plot.c - see plot.h. SPDX-License-Identifier: MIT */
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "diag.h"
#include "options.h"

extern char **environ;

static bool has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, suffix) == 0;
}

bool plot_is_svg(const char *path) { return has_suffix(path, ".svg"); }

bool plot_file_ok(const char *path) { return plot_is_svg(path) || has_suffix(path, ".png"); }

/* The path with another suffix. */
static char *sibling(const char *path, const char *suffix)
{
    const size_t stem = strlen(path) - 4, size = stem + strlen(suffix) + 1;
    char *other = malloc(size);
    if (other)
        snprintf(other, size, "%.*s%s", (int)stem, path, suffix);
    return other;
}

bool plot_start(plot *p, const char *path)
{
    *p = (plot){.path = path, .script = sibling(path, ".gp"), .data = sibling(path, ".dat")};
    p->script_file = p->script ? fopen(p->script, "wb") : NULL;
    p->data_file = p->data ? fopen(p->data, "wb") : NULL;
    return p->script_file && p->data_file;
}

void plot_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

void plot_write_files(const plot *p)
{
    fputs("set output ", p->script_file);
    plot_quoted(p->path, p->script_file);
    fputs("\ndata = ", p->script_file);
    plot_quoted(p->data, p->script_file);
    fputc('\n', p->script_file);
}

static int run_gnuplot(const char *script)
{
    char program[] = "gnuplot";
    char *copy = strdup(script);
    char *const arguments[] = {program, copy, NULL};
    pid_t pid = 0;
    int state = 0;
    const int failure = copy ? posix_spawnp(&pid, program, NULL, NULL, arguments, environ) : ENOMEM;
    free(copy);
    if (failure != 0) {
        usage_error("error: --plot: cannot run gnuplot (%s); its script is in %s", strerror(failure), script);
        return EXIT_UNSUPPORTED;
    }
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return EXIT_OK;
    usage_error("error: --plot: gnuplot failed; its script is in %s", script);
    return EXIT_UNSUPPORTED;
}

static bool close_file(FILE *file)
{
    if (!file)
        return false;
    const bool failed = ferror(file);
    return fclose(file) == 0 && !failed;
}

int plot_finish(plot *p)
{
    const bool script_ok = close_file(p->script_file), data_ok = close_file(p->data_file);
    int code = EXIT_INTERNAL;
    if (script_ok && data_ok)
        code = run_gnuplot(p->script);
    else
        usage_error("error: --plot: cannot write %s and %s: %s", p->script ? p->script : "?", p->data ? p->data : "?",
                    strerror(errno));
    free(p->script);
    free(p->data);
    *p = (plot){0};
    return code;
}
