/* team_lead.c - the leader of a team: distributes the space and collects the results.
 * SPDX-License-Identifier: MIT */
#ifdef WARPLINE_MPI

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "progress.h"
#include "team_watch.h"
#include "team_wire.h"

#define PART_LEAST 1
/* the most parts handed out after the first missing one: bounds the memory of waiting records */
#define WINDOW 64

typedef struct finished {
    int64_t first, last;
    wl_ranked *records;
} finished;

typedef struct lead {
    wl_ranker *ranker;
    wl_ranking *ranking;
    const team_listener *listener;
    /* in launches; next: the first not yet handed out; added: all before it are in the ranking */
    int64_t size, part, next, added;
    team_parcel *again; /* parts of lost members */
    size_t again_count;
    finished waiting[WINDOW + 1];
    wl_error *err;
    wl_status status;
} lead;

/* The next part to be done; false when there is none now. */
static bool take_part(lead *l, team_parcel *p)
{
    *p = (team_parcel){.round = the_team.round};
    if (l->again_count > 0) {
        *p = l->again[--l->again_count];
        return true;
    }
    if (l->next >= l->size || l->next >= l->added + WINDOW * l->part)
        return false;
    p->first = l->next;
    p->last = l->next = l->next + l->part < l->size ? l->next + l->part : l->size;
    return true;
}

static void add_to_ranking(lead *l, finished *f)
{
    const size_t count = (size_t)(f->last - f->first);
    wl_ranking_add(l->ranking, f->records, count);
    if (!l->listener->each(l->listener->user, f->records, count))
        l->ranking->stopped = true;
    l->added += f->last - f->first;
    free(f->records);
    f->records = NULL;
}

/* The first of the waiting records; NULL: none. */
static finished *first_waiting(lead *l)
{
    finished *first = NULL;
    for (size_t i = 0; i <= WINDOW; i++)
        if (l->waiting[i].records && (!first || l->waiting[i].first < first->first))
            first = &l->waiting[i];
    return first;
}

/* Stores records that arrive early, and adds all that are now in order, so that the output does not
 * depend on the speed of members. Takes ownership of the records. */
static void add_records(lead *l, int64_t first, int64_t last, wl_ranked *records)
{
    size_t slot = 0;
    while (l->waiting[slot].records)
        slot++;
    l->waiting[slot] = (finished){first, last, records};
    the_team.done += last - first;
    for (finished *f; (f = first_waiting(l)) && f->first == l->added;)
        add_to_ranking(l, f);
}

static void fail(lead *l, wl_status status, const wl_error *err)
{
    if (l->status == WL_OK) {
        l->status = status;
        *l->err = *err;
    }
}

static void forget_part(team_member *m, const team_parcel *p)
{
    for (int i = 0; i < m->parts; i++)
        if (m->work[i].first == p->first) {
            m->work[i] = m->work[--m->parts];
            return;
        }
}

/* Takes the records of a finished part, or the reason why there are none. */
static void take_result(lead *l, const team_parcel *p, const char *records)
{
    const size_t size = (size_t)(p->last - p->first) * sizeof(wl_ranked);
    wl_error none = {0};
    wl_ranked *copy = p->status == WL_OK ? malloc(size ? size : 1) : NULL;
    if (copy) {
        memcpy(copy, records, size);
        add_records(l, p->first, p->last, copy);
    } else if (p->status != WL_OK) {
        fail(l, (wl_status)p->status, &p->err);
    } else {
        fail(l, team_no_memory(&none), &none);
    }
}

/* Receives only messages of this search: a member that is done may already report that it is ready
 * for the next. */
static bool receive_any(lead *l)
{
    MPI_Status from;
    team_parcel p;
    int bytes = 0;
    if (!team_message_waits(MPI_ANY_SOURCE, TEAM_TAG_RESULT, &from))
        return false;
    MPI_Get_count(&from, MPI_BYTE, &bytes);
    char *buffer = malloc((size_t)bytes);
    if (!buffer) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
        return false;
    }
    MPI_Recv(buffer, bytes, MPI_BYTE, from.MPI_SOURCE, TEAM_TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    team_member *m = &the_team.members[from.MPI_SOURCE];
    memcpy(&p, buffer, sizeof p);
    if (p.round == the_team.round && !m->lost) {
        forget_part(m, &p);
        take_result(l, &p, buffer + sizeof p);
    }
    free(buffer);
    return true;
}

static void deal_out(lead *l)
{
    /* every member gets one part before any gets two */
    for (int depth = 1; depth <= TEAM_AHEAD; depth++)
        for (int i = 1; i < the_team.size; i++) {
            team_member *m = &the_team.members[i];
            team_parcel p;
            if (m->lost || m->parts >= depth || !take_part(l, &p))
                continue;
            m->work[m->parts++] = p;
            team_send(i, TEAM_TAG_WORK, &p);
        }
}

/* Gives up members that have been silent for too long. */
static void look_for_lost(lead *l)
{
    for (int i = 1; i < the_team.size; i++) {
        team_member *m = &the_team.members[i];
        if (m->lost || m->parts == 0 || team_watch_silence(i) < team_watch_patience())
            continue;
        team_lose(i);
        while (m->parts > 0)
            l->again[l->again_count++] = m->work[--m->parts];
    }
}

/* Adds all records that arrived, even if there are gaps. */
static void close_ranking(lead *l)
{
    for (finished *f; (f = first_waiting(l));)
        add_to_ranking(l, f);
    if (l->added < l->size && l->status == WL_OK) {
        l->ranking->stopped = true;
        l->ranking->outcomes[WL_OUTCOME_LEFT] += l->size - l->added;
    }
    wl_ranking_finish(l->ranking);
}

/* Called in the middle of the leader's own prediction; records that members have sent so far
 * count. */
static void cut_short(void *context)
{
    lead *l = context;
    while (receive_any(l))
        ;
    close_ranking(l);
    l->listener->cut_short(l->listener->user);
}

static void do_part_myself(lead *l)
{
    team_parcel p;
    if (!take_part(l, &p)) {
        team_wait_a_moment();
        (void)progress_show(the_team.done, the_team.total);
        return;
    }
    wl_ranked *records = malloc((size_t)(p.last - p.first) * sizeof *records);
    team_watch_absent(cut_short, l);
    const wl_status status =
        records ? wl_ranker_evaluate(l->ranker, p.first, p.last, records, &p.err) : team_no_memory(&p.err);
    team_watch_present();
    if (status == WL_OK) {
        add_records(l, p.first, p.last, records);
    } else {
        free(records);
        fail(l, status, &p.err);
    }
}

static bool parts_are_out(void)
{
    for (int i = 1; i < the_team.size; i++)
        if (!the_team.members[i].lost && the_team.members[i].parts > 0)
            return true;
    return false;
}

/* After a stop, members still send their records: a message that is not received would keep them
 * from exiting. After Ctrl-C only records that arrive at once count. */
static void wait_for_rest(lead *l)
{
    const double until = progress_interrupted() ? team_now() + TEAM_HURRY_SECONDS : INFINITY;
    while (parts_are_out() && team_now() < until) {
        if (!receive_any(l))
            team_wait_a_moment();
        look_for_lost(l);
    }
}

static wl_status conduct(lead *l)
{
    while (l->added < l->size && l->status == WL_OK && !l->ranking->stopped && !progress_interrupted()) {
        while (receive_any(l))
            ;
        deal_out(l);
        look_for_lost(l);
        if (l->added < l->size)
            do_part_myself(l);
    }
    for (int i = 1; i < the_team.size; i++)
        team_send(i, TEAM_TAG_END, &(team_parcel){.round = the_team.round});
    wait_for_rest(l);
    close_ranking(l);
    return l->status;
}

wl_status team_lead(wl_ranker *ranker, wl_ranked *best, size_t capacity, const team_listener *listener, wl_ranking *out,
                    wl_error *err)
{
    lead l = {.ranker = ranker, .ranking = out, .listener = listener, .err = err, .size = wl_ranker_size(ranker)};
    wl_ranking_start(ranker, best, capacity, out);
    l.part = l.size / (16 * the_team.size);
    l.part = l.part < PART_LEAST ? PART_LEAST : l.part > TEAM_PART_MOST ? TEAM_PART_MOST : l.part;
    l.again = calloc((size_t)the_team.size * TEAM_AHEAD, sizeof *l.again);
    if (!l.again)
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
    the_team.done = 0;
    the_team.total = l.size;
    for (int i = 1; i < the_team.size; i++)
        the_team.members[i].parts = 0;
    const wl_status status = conduct(&l);
    free(l.again);
    return status;
}

#else
typedef int team_lead_needs_mpi; /* an empty file is no C */
#endif
