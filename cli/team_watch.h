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

/* To be called by all, after MPI has started; `threads`: it may be used from several. False: no
 * memory. */
bool team_watch_start(bool threads);

/* From loops that wait, and from time to time while working: where there is no thread, this is the
 * sign of life. */
void team_watch_tick(void);

/* Seconds a process may be silent: WARPLINE_PATIENCE, or 30. */
double team_watch_patience(void);

/* Seconds since a process was heard. Time in which this process was stopped itself does not
 * count. */
double team_watch_silence(int process);

/* Between these two the process predicts, and touches nothing else. A launcher that wants it to end
 * does not wait for a long prediction: where one does not come to its end soon, `cut_short` is
 * called from another thread, to write what there is and end the process. */
void team_watch_absent(void (*cut_short)(void *user), void *user);
void team_watch_present(void);

/* Ends the monitoring: this process is about to exit. If that takes longer than `seconds`, it is
 * ended with `code`, and a message says so unless `quiet`. */
void team_watch_leave(double seconds, int code, bool quiet);

/* Once it has left. */
void team_watch_end(void);

#endif /* WL_CLI_TEAM_WATCH_H */
