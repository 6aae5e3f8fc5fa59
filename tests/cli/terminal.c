/* terminal.c - runs a command on a terminal of its own and prints what appears there, with ESC as
 * \e.
 *
 * terminal [--term NAME] COLUMNS COMMAND [ARGUMENT..]
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* TIOCSWINSZ */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int fail(const char *what)
{
    fprintf(stderr, "terminal: %s: %s\n", what, strerror(errno));
    return 2;
}

static int run(const char *name, const char *term, char **command)
{
    const int side = open(name, O_RDWR), null = open("/dev/null", O_RDONLY);
    if (setsid() < 0 || side < 0 || null < 0)
        return fail(name);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(side, STDOUT_FILENO) < 0 || dup2(side, STDERR_FILENO) < 0)
        return fail("dup2");
    if (setenv("TERM", term, 1) != 0 || unsetenv("COLUMNS") != 0)
        return fail("environment");
    execvp(command[0], command);
    return fail(command[0]);
}

/* A terminal ends lines with CR LF. Once no one has it open any more, reading it fails. */
static void print_all(int terminal)
{
    char bytes[4096];
    for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] == '\033')
                fputs("\\e", stdout);
            else if (bytes[i] != '\r')
                putchar(bytes[i]);
}

int main(int argc, char **argv)
{
    const char *term = "xterm-256color";
    if (argc > 2 && strcmp(argv[1], "--term") == 0) {
        term = argv[2];
        argv += 2;
        argc -= 2;
    }
    if (argc < 3) {
        fputs("usage: terminal [--term NAME] COLUMNS COMMAND [ARGUMENT..]\n", stderr);
        return 2;
    }
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)strtoul(argv[1], NULL, 10)};
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        return fail("posix_openpt");
    const char *name = ptsname(terminal);
    /* open here as well until the command has it: else reading could fail before that */
    const int side = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (side < 0 || ioctl(side, TIOCSWINSZ, &size) != 0)
        return fail("terminal");
    const pid_t child = fork();
    if (child < 0)
        return fail("fork");
    if (child == 0)
        _exit(run(name, term, argv + 2));
    int status = 0;
    const pid_t printer = fork();
    if (printer == 0) {
        close(side);
        /* "| head" may leave: still read on, so that the command can go on writing */
        (void)signal(SIGPIPE, SIG_IGN);
        print_all(terminal);
        fflush(stdout);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child)
        return fail("waitpid");
    close(side);
    if (printer < 0 || waitpid(printer, NULL, 0) != printer)
        return fail("printer");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
