/* team.c - see team.h. SPDX-License-Identifier: MIT */
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"
#include "options.h"
#include "progress.h"

/* Whether a launcher of MPI programs started this process, and others: asked before MPI itself, which is slow to start.
 */
static int launched_processes(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && atoi(value) > 1)
            return atoi(value);
    }
    return 1;
}

#ifndef WARPLINE_MPI

int team_join(void)
{
    if (launched_processes() == 1)
        return EXIT_OK;
    usage_error("error: started as one of several processes, but built without MPI: "
                "install libopenmpi-dev and build again, or start it once");
    return EXIT_UNSUPPORTED;
}

bool team_leads(void) { return true; }
int team_threads(void) { return 0; }
int team_size(void) { return 1; }
int team_agree(int code) { return code; }
int team_leave(int code) { return code; }
bool team_pulse(int64_t done, int64_t total) { return progress_show(done, total); }

wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity,
                    bool (*each)(void *, const wl_ranked *, size_t), void *user, wl_ranking *out, wl_error *err)
{
    (void)each; /* the ranker has it in its options */
    (void)user;
    return wl_rank(ranker, best, capacity, out, err);
}

#else

#include <mpi.h>

#define PART_LEAST 1
#define PART_MOST 1024
#define AHEAD 2   /* parts a member has at once, so that it never waits for the next */
#define WINDOW 64 /* parts dealt out beyond the first that is missing: bounds the memory of records that wait */
#define PATIENCE 30.0
#define PULSE_SECONDS 1.0

enum { TAG_WORK, TAG_END, TAG_RESULT, TAG_PULSE, TAG_READY, TAG_VERDICT };

/* A part of the space on its way to a member, or back with its records behind it. */
typedef struct parcel {
    int32_t round, status;
    int64_t first, last;
    wl_error err;
} parcel;

typedef struct member {
    bool lost;
    int parts;          /* dealt out and not yet back */
    parcel work[AHEAD]; /* these */
    double heard;       /* when it last gave a sign of life */
} member;

typedef struct finished {
    int64_t first, last;
    wl_ranked *records;
} finished;

static int rank_of_me, process_count = 1;
static int32_t round_number;
static int64_t done_count, done_total;
static member *members; /* by process number; the leader's own is not used */
static bool someone_lost;
static double last_pulse;

/* A message to a member on its way. A stopped process takes none, and a send that waits for it would stop the leader.
 */
typedef struct letter {
    struct letter *next;
    MPI_Request request;
    parcel content;
} letter;
static letter *letters;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int team_join(void)
{
    if (launched_processes() == 1)
        return EXIT_OK;
    int provided = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        usage_error("error: MPI does not start");
        return EXIT_INTERNAL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_me);
    MPI_Comm_size(MPI_COMM_WORLD, &process_count);
    members = calloc((size_t)process_count, sizeof *members);
    if (!members)
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
    if (rank_of_me > 0) /* the leader reads the same arguments and says what is wrong with them */
        (void)!freopen("/dev/null", "w", stderr);
    return EXIT_OK;
}

bool team_leads(void) { return rank_of_me == 0; }
int team_size(void) { return process_count; }

int team_threads(void)
{
    if (process_count == 1 || getenv("OMP_NUM_THREADS"))
        return 0;
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const int neighbours = local && atoi(local) > 0 ? atoi(local) : process_count;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > neighbours ? (int)(cores / neighbours) : 1;
}

/* ---- sending without waiting ---- */

/* Forgets the letters that have arrived. */
static void clear_letters(void)
{
    for (letter **at = &letters; *at;) {
        letter *l = *at;
        int arrived = 0;
        MPI_Test(&l->request, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            *at = l->next;
            free(l);
        } else {
            at = &l->next;
        }
    }
}

static void send_to(int process, int tag, const parcel *content)
{
    letter *l = malloc(sizeof *l);
    if (!l) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
        return;
    }
    clear_letters();
    *l = (letter){.next = letters, .content = *content};
    letters = l;
    MPI_Isend(&l->content, sizeof l->content, MPI_BYTE, process, tag, MPI_COMM_WORLD, &l->request);
}

/* ---- agreeing ---- */

static void wait_a_moment(void)
{
    const struct timespec moment = {0, 200000};
    nanosleep(&moment, NULL);
}

static double patience(void)
{
    const char *text = getenv("WARPLINE_PATIENCE");
    const double seconds = text ? wl_number_read(text, NULL) : 0;
    return seconds > 0 ? seconds : PATIENCE;
}

static void lose(int process, double waited)
{
    members[process].lost = someone_lost = true;
    usage_error("warning: process %d of %d is lost (no sign of life for %.0f s); the others do its part", process,
                process_count, waited);
}

/* A member's exit code; false: it never came. */
static bool hear_from(int process, int *code)
{
    const double start = now(), limit = patience();
    for (int flag = 0; !flag;) {
        MPI_Iprobe(process, TAG_READY, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (!flag && now() - start > limit) {
            lose(process, limit);
            return false;
        }
        if (!flag)
            wait_a_moment();
    }
    MPI_Recv(code, 1, MPI_INT, process, TAG_READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
}

/* Without the collective calls of MPI, which would wait for a lost member. */
int team_agree(int code)
{
    if (process_count == 1)
        return code;
    if (!team_leads()) {
        MPI_Send(&code, 1, MPI_INT, 0, TAG_READY, MPI_COMM_WORLD);
        parcel verdict;
        MPI_Recv(&verdict, sizeof verdict, MPI_BYTE, 0, TAG_VERDICT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return verdict.status;
    }
    int verdict = code;
    for (int i = 1, theirs = EXIT_OK; i < process_count; i++) {
        if (members[i].lost || !hear_from(i, &theirs))
            continue;
        if (theirs != EXIT_OK && code == EXIT_OK)
            usage_error("error: process %d of %d cannot take part (exit code %d)", i, process_count, theirs);
        verdict = verdict == EXIT_OK ? theirs : verdict;
    }
    for (int i = 1; i < process_count; i++)
        if (!members[i].lost)
            send_to(i, TAG_VERDICT, &(parcel){.status = verdict});
    return verdict;
}

int team_leave(int code)
{
    if (process_count == 1)
        return code;
    fflush(stdout);
    (void)team_agree(code); /* is everybody still there? */
    if (someone_lost)       /* an orderly end would wait for it */
        MPI_Abort(MPI_COMM_WORLD, code ? code : EXIT_INTERNAL);
    while (letters) {
        clear_letters();
        wait_a_moment();
    }
    MPI_Finalize();
    free(members);
    return team_leads() ? code : EXIT_OK;
}

/* ---- members ---- */

static bool message_waits(int tag)
{
    int flag = 0;
    MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
}

bool team_pulse(int64_t done, int64_t total)
{
    if (process_count == 1)
        return progress_show(done, total);
    if (team_leads())
        return progress_show(done_count, done_total);
    if (now() - last_pulse > PULSE_SECONDS) {
        last_pulse = now();
        MPI_Send(&round_number, 1, MPI_INT32_T, 0, TAG_PULSE, MPI_COMM_WORLD);
    }
    return !message_waits(TAG_END);
}

static wl_status no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

/* Predicts what it is given, until the leader has everything. */
static wl_status serve(wl_ranker *ranker, wl_error *err)
{
    parcel *p = malloc(sizeof *p + PART_MOST * sizeof(wl_ranked));
    if (!p)
        return no_memory(err);
    for (;;) {
        MPI_Status from;
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &from);
        MPI_Recv(p, sizeof *p, MPI_BYTE, 0, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (from.MPI_TAG == TAG_END)
            break;
        const size_t count = (size_t)(p->last - p->first);
        p->status = (int32_t)wl_ranker_evaluate(ranker, p->first, p->last, (wl_ranked *)(void *)(p + 1), &p->err);
        MPI_Send(p, (int)(sizeof *p + count * sizeof(wl_ranked)), MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
    free(p);
    return WL_OK;
}

/* ---- the leader ---- */

typedef struct lead {
    wl_ranker *ranker;
    wl_ranking *ranking;
    bool (*each)(void *user, const wl_ranked *records, size_t count);
    void *user;
    bool ending;                     /* what comes in is not used any more */
    int64_t size, part, next, added; /* launches; next: not yet dealt out; added: all before are in the ranking */
    parcel *again;                   /* parts of lost members */
    size_t again_count;
    finished waiting[WINDOW + 1];
    double patience;
    wl_error *err;
    wl_status status;
} lead;

/* The next part to be done; false when there is none now. */
static bool take_part(lead *l, parcel *p)
{
    *p = (parcel){.round = round_number};
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
    if (!l->each(l->user, f->records, count))
        l->ranking->stopped = true;
    l->added += f->last - f->first;
    free(f->records);
    f->records = NULL;
}

/* The records that come first of those put aside; NULL: none. */
static finished *first_waiting(lead *l)
{
    finished *first = NULL;
    for (size_t i = 0; i <= WINDOW; i++)
        if (l->waiting[i].records && (!first || l->waiting[i].first < first->first))
            first = &l->waiting[i];
    return first;
}

/* Puts records that came early aside, and adds all that are in order now: what is written does not depend on who was
 * fast. Takes the records. */
static void add_records(lead *l, int64_t first, int64_t last, wl_ranked *records)
{
    size_t slot = 0;
    while (l->waiting[slot].records)
        slot++;
    l->waiting[slot] = (finished){first, last, records};
    done_count += last - first;
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

static void forget_part(member *m, const parcel *p)
{
    for (int i = 0; i < m->parts; i++)
        if (m->work[i].first == p->first) {
            m->work[i] = m->work[--m->parts];
            return;
        }
}

static void receive(lead *l, const MPI_Status *from)
{
    int bytes = 0;
    MPI_Get_count(from, MPI_BYTE, &bytes);
    char *buffer = malloc((size_t)bytes);
    if (!buffer) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
        return;
    }
    MPI_Recv(buffer, bytes, MPI_BYTE, from->MPI_SOURCE, from->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    member *m = &members[from->MPI_SOURCE];
    parcel p;
    m->heard = now();
    if (from->MPI_TAG == TAG_RESULT) {
        memcpy(&p, buffer, sizeof p);
        const size_t size = (size_t)(p.last - p.first) * sizeof(wl_ranked);
        if (p.round == round_number && !m->lost) {
            forget_part(m, &p);
            wl_ranked *records = malloc(size ? size : 1);
            if (p.status != WL_OK || !records) {
                wl_error none = {.code = WL_E_NOMEM, .message = "out of memory"};
                fail(l, p.status ? (wl_status)p.status : WL_E_NOMEM, p.status ? &p.err : &none);
                free(records);
            } else {
                memcpy(records, buffer + sizeof p, size);
                add_records(l, p.first, p.last, records);
            }
        }
    }
    free(buffer);
}

/* Only what belongs to the search: a member that is done may say already that it is ready for what comes next. */
static bool receive_any(lead *l)
{
    int flag = 0;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &flag, &from);
    if (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_PULSE, MPI_COMM_WORLD, &flag, &from);
    if (flag)
        receive(l, &from);
    return flag != 0;
}

static void deal_out(lead *l)
{
    for (int depth = 1; depth <= AHEAD; depth++) /* everybody gets one before anybody gets two */
        for (int i = 1; i < process_count; i++) {
            member *m = &members[i];
            parcel p;
            if (m->lost || m->parts >= depth || !take_part(l, &p))
                continue;
            if (m->parts == 0)
                m->heard = now();
            m->work[m->parts++] = p;
            send_to(i, TAG_WORK, &p);
        }
}

/* Whoever has been silent for too long is not waited for. */
static void look_for_lost(lead *l)
{
    for (int i = 1; i < process_count; i++) {
        member *m = &members[i];
        if (m->lost || m->parts == 0 || now() - m->heard < l->patience)
            continue;
        lose(i, l->patience);
        while (m->parts > 0)
            l->again[l->again_count++] = m->work[--m->parts];
    }
}

static void do_part_myself(lead *l)
{
    parcel p;
    if (!take_part(l, &p)) {
        wait_a_moment();
        (void)progress_show(done_count, done_total);
        return;
    }
    wl_ranked *records = malloc((size_t)(p.last - p.first) * sizeof *records);
    const wl_status status =
        records ? wl_ranker_evaluate(l->ranker, p.first, p.last, records, &p.err) : no_memory(&p.err);
    if (status == WL_OK) {
        add_records(l, p.first, p.last, records);
    } else {
        free(records);
        fail(l, status, &p.err);
    }
}

static bool parts_are_out(void)
{
    for (int i = 1; i < process_count; i++)
        if (!members[i].lost && members[i].parts > 0)
            return true;
    return false;
}

/* After a stop, members still send what they have: a message nobody takes would keep them from ending. */
static void wait_for_rest(lead *l)
{
    while (parts_are_out()) {
        if (!receive_any(l))
            wait_a_moment();
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
    for (int i = 1; i < process_count; i++)
        send_to(i, TAG_END, &(parcel){.round = round_number});
    wait_for_rest(l);
    for (finished *f; (f = first_waiting(l));) /* after a stop: what was found, gaps or not */
        add_to_ranking(l, f);
    if (l->added < l->size && l->status == WL_OK) {
        l->ranking->stopped = true;
        l->ranking->outcomes[WL_OUTCOME_LEFT] += l->size - l->added;
    }
    wl_ranking_finish(l->ranking);
    return l->status;
}

wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity,
                    bool (*each)(void *, const wl_ranked *, size_t), void *user, wl_ranking *out, wl_error *err)
{
    if (process_count == 1)
        return wl_rank(ranker, best, capacity, out, err);
    round_number++;
    if (!team_leads())
        return serve(ranker, err);
    lead l = {.ranker = ranker, .ranking = out, .each = each, .user = user, .err = err, .size = wl_ranker_size(ranker)};
    wl_ranking_start(ranker, best, capacity, out);
    l.part = l.size / (16 * process_count);
    l.part = l.part < PART_LEAST ? PART_LEAST : l.part > PART_MOST ? PART_MOST : l.part;
    l.patience = patience();
    l.again = calloc((size_t)process_count * AHEAD, sizeof *l.again);
    if (!l.again)
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
    done_count = 0;
    done_total = l.size;
    const wl_status status = conduct(&l);
    free(l.again);
    return status;
}

#endif
