/* native.c - see native.h. A compiler takes about a second, beside the program; what it makes is
 * loaded, and its files are deleted at once.
 * SPDX-License-Identifier: MIT */
#include "native.h"

#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MIN 0.3 /* of emulation, before a kernel is worth compiling */

extern char **environ;

struct gpu_native {
    bool running;
    pid_t compiler;
    char folder[64], source[80], library[80];
};

static void clean(gpu_native *n)
{
    (void)unlink(n->source);
    (void)unlink(n->library);
    (void)rmdir(n->folder);
}

static bool write_source(gpu_native *n, const char *text)
{
    const char *place = getenv("TMPDIR");
    if (!place || strlen(place) > 30)
        place = "/tmp";
    (void)snprintf(n->folder, sizeof n->folder, "%s/warpline-XXXXXX", place);
    if (!mkdtemp(n->folder))
        return false;
    (void)snprintf(n->source, sizeof n->source, "%s/kernel.c", n->folder);
    (void)snprintf(n->library, sizeof n->library, "%s/kernel.so", n->folder);
    FILE *file = fopen(n->source, "wb");
    if (!file)
        return false;
    const size_t length = strlen(text);
    const bool written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

/* Without our own libraries, which the compiler has no use for. */
static char **plain_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "LD_LIBRARY_PATH=", 16) != 0)
            list[kept++] = environ[i];
    if (list)
        list[kept] = NULL;
    return list;
}

static bool start(gpu_native *n)
{
    const char *named = getenv("WARPLINE_CC");
    char *const words[] = {
        (char *)(uintptr_t)(named ? named : "cc"),
        "-O2",
#if defined(__x86_64__) || defined(__i386__)
        "-march=native",
#else
        "-mcpu=native",
#endif
        "-w",
        "-fPIC",
        "-shared",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fno-strict-aliasing",
        "-o",
        n->library,
        n->source,
        "-lm",
        NULL
    };
    posix_spawn_file_actions_t actions;
    char **environment = plain_environment();
    if (!environment || posix_spawn_file_actions_init(&actions) != 0) {
        free(environment);
        return false;
    }
    (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    n->running = posix_spawnp(&n->compiler, words[0], &actions, NULL, words, environment) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return n->running;
}

static void begin(gpu_function *f)
{
    char *text = wl_ptx_runner_text(f->runner);
    f->compiled = true; /* or tried */
    if (!text)
        return;
    f->native = calloc(1, sizeof *f->native);
    if (f->native && (!write_source(f->native, text) || !start(f->native))) {
        clean(f->native);
        free(f->native);
        f->native = NULL;
    }
    free(text);
}

static void *find(void *user, const char *name) { return dlsym(user, name); }

/* The library stays loaded: other threads may be in it until the end. */
static void take(const gpu_world *w, gpu_function *f)
{
    void *library = dlopen(f->native->library, RTLD_NOW | RTLD_LOCAL);
    const bool taken = library && wl_ptx_runner_take_code(f->runner, find, library);
    if (w->settings.verbose)
        (void)fprintf(stderr, "warpline: %s: %s\n", gpu_title(f->name),
                      taken ? "in machine code from here on" : "is not compiled");
}

void gpu_native_look(gpu_world *w, gpu_function *f, double seconds)
{
    if (!w->settings.compile || wl_ptx_runner_has_code(f->runner))
        return;
    f->emulated += seconds;
    if (!f->native && !f->compiled && (f->emulated > SECONDS_MIN || w->settings.compiles_now))
        begin(f);
    if (!f->native)
        return;
    int status = 0;
    const pid_t ended = waitpid(f->native->compiler, &status, w->settings.compiles_now ? 0 : WNOHANG);
    if (ended == 0)
        return;
    f->native->running = false;
    take(w, f);
    clean(f->native);
    free(f->native);
    f->native = NULL;
}

void gpu_native_end(gpu_world *w)
{
    for (size_t k = 0; k < w->function_count; k++) {
        gpu_native *n = w->functions[k]->native;
        if (!n)
            continue;
        if (n->running && kill(n->compiler, SIGKILL) == 0)
            (void)waitpid(n->compiler, NULL, 0);
        clean(n);
    }
}
