/* memory_simulator.c - see memory_simulator.h. SPDX-License-Identifier: MIT */
#include "simulator/memory_simulator.h"

#include <math.h>
#include <stdlib.h>

/* Requests in order, in a ring that doubles as it grows. */
typedef struct fifo {
    sim_request *list;
    size_t first, count, room;
} fifo;

typedef struct bank {
    double ready; /* for another row */
    uint64_t row;
    bool open;
} bank;

typedef struct slice {
    fifo arriving, dram, fetched, answers;
    double in_free, out_free, bus_free; /* ports, channel */
    int misses;                         /* that have a miss register */
    bank *banks;
} slice;

struct sim_memory {
    sim_memory_numbers n;
    slice *slices;
    double *sm_free; /* ports of the multiprocessors */
    int turn;        /* the slice that is looked at first */
    double port_busy, dram_busy, last;
};

static bool push(fifo *f, const sim_request *r)
{
    if (f->count == f->room) {
        const size_t room = f->room ? 2 * f->room : 64;
        sim_request *list = malloc(room * sizeof *list);
        if (!list)
            return false;
        for (size_t i = 0; i < f->count; i++)
            list[i] = f->list[(f->first + i) & (f->room - 1)];
        free(f->list);
        *f = (fifo){list, 0, f->count, room};
    }
    f->list[(f->first + f->count++) & (f->room - 1)] = *r;
    return true;
}

static sim_request *at(const fifo *f, size_t i) { return &f->list[(f->first + i) & (f->room - 1)]; }

/* Takes out request number i; those before it keep their order. */
static sim_request take(fifo *f, size_t i)
{
    const sim_request taken = *at(f, i);
    for (; i > 0; i--)
        *at(f, i) = *at(f, i - 1);
    f->first = (f->first + 1) & (f->room - 1);
    f->count--;
    return taken;
}

sim_memory *sim_memory_new(const sim_memory_numbers *numbers)
{
    sim_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->n = *numbers;
    m->slices = calloc((size_t)numbers->slices, sizeof *m->slices);
    m->sm_free = calloc((size_t)numbers->sms, sizeof *m->sm_free);
    bool ok = m->slices && m->sm_free;
    for (int i = 0; ok && i < numbers->slices; i++) {
        m->slices[i].banks = calloc((size_t)numbers->banks, sizeof *m->slices[i].banks);
        ok = m->slices[i].banks != NULL;
    }
    if (ok)
        return m;
    sim_memory_free(m);
    return NULL;
}

void sim_memory_free(sim_memory *m)
{
    if (!m)
        return;
    for (int i = 0; m->slices && i < m->n.slices; i++) {
        free(m->slices[i].arriving.list);
        free(m->slices[i].dram.list);
        free(m->slices[i].fetched.list);
        free(m->slices[i].answers.list);
        free(m->slices[i].banks);
    }
    free(m->slices);
    free(m->sm_free);
    free(m);
}

/* ---- from the multiprocessor to the slice ---- */

bool sim_memory_send(sim_memory *m, sim_request request, double now)
{
    slice *s = &m->slices[request.line % (uint64_t)m->n.slices];
    /* the data of a store occupies the port of the slice; a load is only its address */
    const double arrives = now + m->n.l2_latency - m->n.port_cycles;
    s->in_free = fmax(s->in_free, arrives) + (request.to < 0 ? m->n.port_cycles : 0);
    request.arrived = s->in_free;
    const uint64_t rows = request.line / (uint64_t)m->n.slices / (uint64_t)m->n.row_lines;
    request.bank = (int)(rows % (uint64_t)m->n.banks);
    request.row = rows / (uint64_t)m->n.banks;
    return push(&s->arriving, &request);
}

/* ---- the slice ---- */

static bool take_request(sim_memory *m, slice *s, double now)
{
    if (s->arriving.count == 0 || at(&s->arriving, 0)->arrived > now)
        return true;
    const sim_request *head = at(&s->arriving, 0);
    const bool load = head->to >= 0;
    if (load && head->misses && s->misses == m->n.slice_mshrs)
        return true;
    sim_request r = take(&s->arriving, 0);
    s->misses += load && r.misses;
    m->last = fmax(m->last, now);
    return r.misses ? push(&s->dram, &r) : !load || push(&s->answers, &r);
}

/* ---- its channel ---- */

/* The request to serve next: the oldest for an open row, else the oldest whose bank is ready; -1:
 * none. */
static int choose(const sim_memory *m, slice *s, double start)
{
    int ready = -1;
    for (int i = 0; i < m->n.window && (size_t)i < s->dram.count; i++) {
        const sim_request *r = at(&s->dram, (size_t)i);
        const bank *b = &s->banks[r->bank];
        if (b->open && b->row == r->row)
            return i;
        if (ready < 0 && b->ready <= start)
            ready = i;
    }
    return ready;
}

static bool use_channel(sim_memory *m, slice *s, double now)
{
    while (s->dram.count > 0 && s->bus_free < now + 1) {
        const double start = fmax(now, s->bus_free);
        const int which = choose(m, s, start);
        if (which < 0)
            return true;
        sim_request r = take(&s->dram, (size_t)which);
        bank *b = &s->banks[r.bank];
        if (m->n.row_cycle > 0 && !(b->open && b->row == r.row))
            *b = (bank){start + m->n.row_cycle, r.row, true};
        s->bus_free = start + m->n.burst;
        m->dram_busy += m->n.burst;
        m->last = fmax(m->last, s->bus_free);
        r.arrived = start + m->n.dram_latency;
        if (r.to >= 0 && !push(&s->fetched, &r))
            return false;
    }
    return true;
}

static bool answer_fetched(slice *s, double now)
{
    while (s->fetched.count > 0 && at(&s->fetched, 0)->arrived <= now) {
        sim_request r = take(&s->fetched, 0);
        s->misses--;
        if (!push(&s->answers, &r))
            return false;
    }
    return true;
}

/* ---- and back ---- */

/* The oldest answer leaves if both ports are free in this cycle. */
static void use_crossbar(sim_memory *m, slice *s, double now, sim_deliver *deliver, void *context)
{
    while (s->answers.count > 0) {
        double *to = &m->sm_free[at(&s->answers, 0)->sm];
        if (s->out_free >= now + 1 || *to >= now + 1)
            return;
        const sim_request r = take(&s->answers, 0);
        const double start = fmax(now, fmax(s->out_free, *to));
        s->out_free = *to = start + m->n.port_cycles;
        m->port_busy += m->n.port_cycles;
        m->last = fmax(m->last, s->out_free);
        deliver(context, &r, s->out_free);
    }
}

bool sim_memory_step(sim_memory *m, double now, sim_deliver *deliver, void *context)
{
    m->turn = (m->turn + 1) % m->n.slices;
    for (int i = 0; i < m->n.slices; i++) {
        slice *s = &m->slices[(m->turn + i) % m->n.slices];
        if (!answer_fetched(s, now) || !take_request(m, s, now) || !use_channel(m, s, now))
            return false;
        if (!answer_fetched(s, now))
            return false;
        use_crossbar(m, s, now, deliver, context);
    }
    return true;
}

double sim_memory_next(const sim_memory *m, double now)
{
    double next = INFINITY;
    for (int i = 0; i < m->n.slices; i++) {
        const slice *s = &m->slices[i];
        if (s->answers.count > 0 || s->dram.count > 0)
            return now + 1;
        if (s->arriving.count > 0)
            next = fmin(next, at(&s->arriving, 0)->arrived);
        if (s->fetched.count > 0)
            next = fmin(next, at(&s->fetched, 0)->arrived);
    }
    return fmax(now + 1, ceil(next));
}

double sim_memory_port_busy(const sim_memory *m) { return m->port_busy; }
double sim_memory_dram_busy(const sim_memory *m) { return m->dram_busy; }
double sim_memory_last(const sim_memory *m) { return m->last; }
