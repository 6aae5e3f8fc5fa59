/* progress.c - see progress.h. SPDX-License-Identifier: MIT */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

#define BAR_WIDTH 30
#define QUIET_SECONDS 1.0
#define FRAME_SECONDS 0.2

static volatile sig_atomic_t interrupted;
static struct timespec started;
static double shown_at; /* seconds since the start; 0: never */
static bool terminal;

static void remember(int signal_number) { interrupted = signal_number; }

static void handle(int signal_number, bool ours)
{
    struct sigaction action = {0};
    action.sa_handler = ours ? remember : SIG_DFL;
    /* a second signal is not caught; what is being written is written to its end */
    action.sa_flags = ours ? (int)(SA_RESETHAND | SA_RESTART) : 0;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void progress_start(void)
{
    interrupted = 0;
    shown_at = 0;
    terminal = isatty(STDERR_FILENO) == 1 && !diag_is_quiet();
    clock_gettime(CLOCK_MONOTONIC, &started);
    handle(SIGINT, true);
    handle(SIGTERM, true);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - started.tv_sec) + 1e-9 * (double)(now.tv_nsec - started.tv_nsec);
}

static void draw(int64_t done, int64_t total, double elapsed)
{
    char bar[BAR_WIDTH + 1];
    const double share = total > 0 ? (double)done / (double)total : 1;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    const long left = done > 0 ? (long)(elapsed / share - elapsed + 0.5) : 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %lld of %lld, %.0f/s, %ld:%02ld left \033[K", bar, 100 * share, (long long)done,
            (long long)total, (double)done / elapsed, left / 60, left % 60);
    fflush(stderr);
}

bool progress_show(int64_t done, int64_t total)
{
    const double elapsed = terminal ? seconds() : 0;
    if (terminal && elapsed > QUIET_SECONDS && elapsed - shown_at > FRAME_SECONDS) {
        shown_at = elapsed;
        draw(done, total, elapsed);
    }
    return !interrupted;
}

void progress_end(void)
{
    if (shown_at > 0)
        fputs("\r\033[K", stderr);
    handle(SIGINT, false);
    handle(SIGTERM, false);
}

int progress_interrupted(void) { return (int)interrupted; }

/* ---- one long call ---- */

static volatile sig_atomic_t waited; /* seconds */

/* Called by a signal: only write() may be used. */
static void say_waiting(int signal_number)
{
    char text[] = "\r000 s: emulating blocks (fewer with a smaller --effort)\033[K";
    const int s = waited < 999 ? ++waited : waited;
    (void)signal_number;
    text[1] = (char)(s < 100 ? ' ' : '0' + s / 100);
    text[2] = (char)(s < 10 ? ' ' : '0' + s / 10 % 10);
    text[3] = (char)('0' + s % 10);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

static void tick(int seconds_apart)
{
    struct sigaction action = {0};
    const struct itimerval every = {.it_interval = {.tv_sec = seconds_apart}, .it_value = {.tv_sec = seconds_apart}};
    action.sa_handler = seconds_apart ? say_waiting : SIG_DFL;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (seconds_apart)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    if (!seconds_apart)
        sigaction(SIGALRM, &action, NULL);
}

void progress_wait(void)
{
    waited = 0;
    if (isatty(STDERR_FILENO) == 1 && !diag_is_quiet())
        tick(1);
}

void progress_wait_end(void)
{
    if (isatty(STDERR_FILENO) != 1 || diag_is_quiet())
        return;
    tick(0);
    if (waited > 0)
        fputs("\r\033[K", stderr);
}
