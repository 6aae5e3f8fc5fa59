/* team_watch.c - see team_watch.h. SPDX-License-Identifier: MIT */
#ifdef WARPLINE_MPI

#include "team_watch.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"
#include "team_wire.h"

#define PATIENCE 30.0
#define TICK_SECONDS 0.1
#define PULSE_SECONDS 1.0
/* between members that notice the same silence, so that only one of them reports it */
#define STAGGER_SECONDS 0.5

typedef struct peer {
    double silence;
    bool sent; /* a heartbeat is in flight: a stopped process receives none */
    MPI_Request request;
} peer;

typedef enum phase { WATCHING, LEAVING, GONE } phase;

static struct {
    pthread_mutex_t lock; /* of all below; held while MPI is called */
    pthread_t thread;
    bool has_thread;
    phase phase;
    MPI_Comm comm; /* a separate one, so that heartbeats are not mistaken for other messages */
    peer *peers;   /* by process number; a member's only peer is the leader */
    int me, count;
    double patience, ticked, pulsed;
    void (*cut_short)(void *user); /* NULL: the process is not in a prediction */
    void *user;
    double told_to_end; /* time of the request to end; 0: none */
    double deadline;    /* LEAVING */
    int code;
    bool quiet;
    int messages; /* file descriptor for messages: members have no stderr */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .messages = -1};

static const char nothing = 0;

double team_watch_patience(void)
{
    const char *text = getenv("WARPLINE_PATIENCE");
    const long seconds = text ? strtol(text, NULL, 10) : 0;
    return seconds > 0 ? (double)seconds : PATIENCE;
}

static int first_peer(void) { return watch.me == 0 ? 1 : 0; }
static int end_of_peers(void) { return watch.me == 0 ? watch.count : 1; }

static void hear(double elapsed)
{
    for (int i = first_peer(); i < end_of_peers(); i++)
        watch.peers[i].silence += elapsed;
    for (int flag = 1; flag;) {
        MPI_Status from;
        char pulse;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, watch.comm, &flag, &from);
        if (!flag)
            break;
        MPI_Recv(&pulse, 1, MPI_CHAR, from.MPI_SOURCE, 0, watch.comm, MPI_STATUS_IGNORE);
        watch.peers[from.MPI_SOURCE].silence = 0;
    }
}

static void tell(void)
{
    for (int i = first_peer(); i < end_of_peers(); i++) {
        peer *p = &watch.peers[i];
        int arrived = !p->sent;
        if (p->sent)
            MPI_Test(&p->request, &arrived, MPI_STATUS_IGNORE);
        p->sent = true;
        if (arrived)
            MPI_Isend(&nothing, 1, MPI_CHAR, i, 0, watch.comm, &p->request);
    }
}

static void end_without_leader(void)
{
    (void)dprintf(watch.messages,
                  "warpline: error: the leader (process 0 of %d) gave no sign of life for %.0f s: process %d ends "
                  "the search\n",
                  watch.count, watch.patience, watch.me);
    MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
    _exit(EXIT_INTERNAL);
}

static void end_on_the_way_out(void)
{
    if (!watch.quiet)
        (void)dprintf(watch.messages, "warpline: error: process %d of %d leaves without the others: they do not end\n",
                      watch.me, watch.count);
    _exit(watch.code);
}

/* Does not return if it ends the process. */
static void cut_short_in_time(double now)
{
    if (watch.told_to_end == 0 && team_is_in_a_hurry())
        watch.told_to_end = now;
    if (watch.cut_short && watch.told_to_end > 0 && now - watch.told_to_end > TEAM_HURRY_SECONDS)
        watch.cut_short(watch.user);
}

/* Needs the lock. A process that was stopped, or whose machine was, must not mistake its own pause
 * for silence of the others. */
static void look(void)
{
    const double now = team_now(), elapsed = now - watch.ticked;
    watch.ticked = now;
    if (watch.phase == LEAVING && now > watch.deadline)
        end_on_the_way_out();
    if (watch.phase != WATCHING)
        return;
    hear(elapsed < 2 * PULSE_SECONDS ? elapsed : 0);
    if (now - watch.pulsed >= PULSE_SECONDS) {
        watch.pulsed = now;
        tell();
    }
    cut_short_in_time(now);
    if (watch.me > 0 && watch.has_thread && watch.peers[0].silence > watch.patience + STAGGER_SECONDS * (watch.me - 1))
        end_without_leader();
}

static void *watcher(void *unused)
{
    (void)unused;
    for (bool going = true; going;) {
        team_sleep(TICK_SECONDS);
        pthread_mutex_lock(&watch.lock);
        look();
        going = watch.phase != GONE;
        pthread_mutex_unlock(&watch.lock);
    }
    return NULL;
}

bool team_watch_start(bool threads)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &watch.comm);
    MPI_Comm_rank(watch.comm, &watch.me);
    MPI_Comm_size(watch.comm, &watch.count);
    watch.peers = calloc((size_t)watch.count, sizeof *watch.peers);
    if (!watch.peers)
        return false;
    watch.patience = team_watch_patience();
    watch.ticked = team_now();
    watch.messages = dup(STDERR_FILENO);
    watch.has_thread = threads && pthread_create(&watch.thread, NULL, watcher, NULL) == 0;
    return true;
}

void team_watch_tick(void)
{
    if (!watch.has_thread && team_now() - watch.ticked > TICK_SECONDS)
        look();
}

double team_watch_silence(int process)
{
    pthread_mutex_lock(&watch.lock);
    const double silence = watch.peers[process].silence;
    pthread_mutex_unlock(&watch.lock);
    return silence;
}

void team_watch_absent(void (*cut_short)(void *user), void *user)
{
    pthread_mutex_lock(&watch.lock);
    watch.cut_short = watch.has_thread ? cut_short : NULL;
    watch.user = user;
    pthread_mutex_unlock(&watch.lock);
}

void team_watch_present(void) { team_watch_absent(NULL, NULL); }

void team_watch_leave(double seconds, int code, bool quiet)
{
    pthread_mutex_lock(&watch.lock);
    watch.phase = LEAVING;
    watch.deadline = team_now() + seconds;
    watch.code = code;
    watch.quiet = quiet;
    pthread_mutex_unlock(&watch.lock);
}

void team_watch_end(void)
{
    pthread_mutex_lock(&watch.lock);
    watch.phase = GONE;
    pthread_mutex_unlock(&watch.lock);
    if (watch.has_thread)
        pthread_join(watch.thread, NULL);
    free(watch.peers);
    watch.peers = NULL;
}

#else
typedef int team_watch_needs_mpi; /* an empty file is no C */
#endif
