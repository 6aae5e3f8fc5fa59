/* plot.c - see plot.h. SPDX-License-Identifier: MIT */
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "diag.h"
#include "options.h"

extern char **environ;

char *plot_sibling(const char *path, const char *suffix)
{
    const size_t stem = strlen(path) - 4, size = stem + strlen(suffix) + 1;
    char *other = malloc(size);
    if (other)
        snprintf(other, size, "%.*s%s", (int)stem, path, suffix);
    return other;
}

bool plot_name(plot *p, const char *path, wl_error *err)
{
    *p = (plot){.script = plot_sibling(path, ".gp"), .data = plot_sibling(path, ".dat")};
    p->files = (wl_plot_files){path, p->data};
    if (p->script && p->data)
        return true;
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return false;
}

void plot_free(plot *p)
{
    free(p->script);
    free(p->data);
    *p = (plot){0};
}

static int run_gnuplot(const char *path, const char *script)
{
    char program[] = "gnuplot";
    char *copy = strdup(script);
    char *const arguments[] = {program, copy, NULL};
    pid_t pid = 0;
    int state = 0;
    const int failure = copy ? posix_spawnp(&pid, program, NULL, NULL, arguments, environ) : ENOMEM;
    free(copy);
    if (failure != 0) {
        usage_error("%s is not drawn: cannot run gnuplot (%s); its script is in %s", path, strerror(failure), script);
        return failure == ENOMEM ? EXIT_INTERNAL : EXIT_NO_PICTURE;
    }
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return EXIT_OK;
    usage_error("%s is not drawn: gnuplot failed; its script is in %s", path, script);
    return EXIT_NO_PICTURE;
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && written;
}

int plot_write(const char *path, const char *text)
{
    if (write_file(path, text))
        return EXIT_OK;
    usage_error("error: --plot: cannot write %s: %s", path, strerror(errno));
    return EXIT_INTERNAL;
}

int plot_draw(const plot *p, const char *script, const char *data)
{
    if (write_file(p->script, script) && write_file(p->data, data))
        return run_gnuplot(p->files.picture, p->script);
    usage_error("error: --plot: cannot write %s and %s: %s", p->script, p->data, strerror(errno));
    return EXIT_INTERNAL;
}

int plot_none(const char *path, const wl_error *err)
{
    if (err->code == WL_E_NOMEM)
        return diag_report(err);
    usage_error("%s is not drawn: %s", path, err->message);
    return EXIT_NO_PICTURE;
}

int plot_own(const char *path, wl_status status, char *text, const wl_error *err)
{
    const int code = status == WL_OK ? plot_write(path, text) : plot_none(path, err);
    free(text);
    return code;
}

int plot_worse(int first, int second)
{
    return first == EXIT_OK || (first == EXIT_NO_PICTURE && second != EXIT_OK) ? second : first;
}
