/* process.c - see process.h. SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* realpath */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- finding programs ---- */

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool join(const char *folder, size_t length, const char *name, char path[PATH_LENGTH])
{
    const int n = snprintf(path, PATH_LENGTH, "%.*s/%s", (int)length, folder, name);
    return n > 0 && n < PATH_LENGTH;
}

bool process_find(const char *name, char path[PATH_LENGTH])
{
    if (strchr(name, '/')) {
        const int n = snprintf(path, PATH_LENGTH, "%s", name);
        return n < PATH_LENGTH && is_program(path);
    }
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at;) {
        const size_t length = strcspn(at, ":");
        if (length > 0 && join(at, length, name, path) && is_program(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static bool find_in_folder_of(const char *program, const char *name, char path[PATH_LENGTH])
{
    const char *slash = strrchr(program, '/');
    return slash && join(program, (size_t)(slash - program), name, path) && is_program(path);
}

bool process_find_beside(const char *program, const char *name, char path[PATH_LENGTH])
{
    if (find_in_folder_of(program, name, path))
        return true;
    char real[PATH_MAX];
    return realpath(program, real) && find_in_folder_of(real, name, path);
}

bool process_own_folder(char folder[PATH_LENGTH])
{
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_LENGTH - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return true;
}

/* ---- running them ---- */

/* As in system(): an interrupt is meant for the started program; we clean up afterwards. */
static int wait_for(pid_t child)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN}, interrupt, quit;
    int status = 0;
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGINT, &ignored, &interrupt);
    sigaction(SIGQUIT, &ignored, &quit);
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return ended < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int process_run(const char *const *argv, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        errno = error;
        return -1;
    }
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!error) /* posix_spawn does not write to the strings */
        error = posix_spawn(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        errno = error;
        return -1;
    }
    return wait_for(child);
}

int process_pass(const char *const *argv)
{
    pid_t child = 0;
    (void)fflush(NULL);
    const int error = posix_spawn(&child, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ);
    if (error) {
        errno = error;
        return -1;
    }
    return wait_for(child);
}

/* ---- a folder of our own ---- */

bool scratch_make(scratch *s)
{
    const char *base = getenv("TMPDIR");
    const int n = snprintf(s->folder, sizeof s->folder, "%s/warpline-XXXXXX", base && *base ? base : "/tmp");
    const bool made = n < PATH_LENGTH && mkdtemp(s->folder);
    s->contents = made ? opendir(s->folder) : NULL;
    if (s->contents)
        return true;
    const int error = errno;
    if (made)
        (void)rmdir(s->folder);
    errno = error;
    s->folder[0] = '\0';
    return false;
}

bool scratch_path(const scratch *s, const char *name, char path[PATH_LENGTH])
{
    return join(s->folder, strlen(s->folder), name, path);
}

void scratch_remove(scratch *s)
{
    char path[PATH_LENGTH];
    if (!s->contents)
        return;
    rewinddir(s->contents);
    for (const struct dirent *e; (e = readdir(s->contents));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && scratch_path(s, e->d_name, path))
            (void)unlink(path);
    closedir(s->contents);
    (void)rmdir(s->folder);
    *s = (scratch){0};
}
