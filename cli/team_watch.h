/* team_watch.h - heartbeats between the processes of a team.
 *
 * The leader and each member send each other a heartbeat every second. A separate thread sends it,
 * so that a long prediction or a slow pipe does not interrupt it; only a stopped or dead process
 * does. A member that misses the leader's heartbeat for too long reports it and ends the whole
 * team; the leader decides about a silent member. Where MPI allows no threads, a process sends
 * heartbeats between predictions, and members do not monitor the leader: it may be busy.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_WATCH_H
#define WL_CLI_TEAM_WATCH_H

#include <stdbool.h>

/* To be called by all after MPI has started; `threads`: MPI may be called from several threads.
 * False: no memory. */
bool team_watch_start(bool threads);

/* To be called in waiting loops, and from time to time while working: without a thread, this sends
 * the heartbeats. */
void team_watch_tick(void);

/* Seconds a process may be silent: WARPLINE_PATIENCE, or 30. */
double team_watch_patience(void);

/* Seconds since the last heartbeat of a process. Time in which this process itself was stopped does
 * not count. */
double team_watch_silence(int process);

/* Between these two calls, the process only predicts. A launcher that ends it does not wait for a
 * long prediction: if the prediction does not finish soon, `cut_short` is called from another
 * thread, to write the results so far and end the process. */
void team_watch_absent(void (*cut_short)(void *user), void *user);
void team_watch_present(void);

/* Ends the monitoring: this process is about to exit. If that takes longer than `seconds`, it is
 * ended with `code`, and a message says so unless `quiet`. */
void team_watch_leave(double seconds, int code, bool quiet);

/* To be called after leaving. */
void team_watch_end(void);

#endif /* WL_CLI_TEAM_WATCH_H */
