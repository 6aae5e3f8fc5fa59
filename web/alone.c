/* alone.c - what the C library of emscripten lacks: a page starts no programs.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <spawn.h>

int posix_spawnp(pid_t *restrict child, const char *restrict file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const *restrict argv,
                 char *const *restrict environment)
{
    (void)child, (void)file, (void)actions, (void)attributes, (void)argv, (void)environment;
    return ENOSYS;
}
