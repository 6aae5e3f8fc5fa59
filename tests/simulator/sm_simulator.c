/* sm_simulator.c - see sm_simulator.h. SPDX-License-Identifier: MIT */
#include "simulator/sm_simulator.h"

#include <math.h>
#include <stdlib.h>

#define FOREVER 1099511627776.0 /* 2^40 cycles: something hangs */
#define PENDING INFINITY        /* a register whose load is under way */

typedef struct warp {
    size_t at; /* in the body */
    int trip;
    bool ended;
    double ready[SIM_REGISTERS]; /* when the register is there */
    int waiting[SIM_REGISTERS];  /* requests of its load that are not back */
} warp;

/* A memory instruction in the load-store unit. */
typedef struct pending_access {
    int warp, left; /* requests to send */
    const sim_instruction *instruction;
    uint64_t line; /* of its next request */
} pending_access;

/* A miss: when it is back, and for whom. */
typedef struct miss {
    double back;
    int warp, to;
} miss;

typedef struct sm {
    warp *warps;
    int *last;             /* per sub-core: the warp that issued last */
    pending_access *queue; /* of the load-store unit, a ring */
    int first, queued;
    miss *misses;                /* a heap, the earliest first */
    int flying, returning, most; /* misses under way; of these, on their last way: in the heap */
    int running;                 /* warps */
    double next;                 /* cycle in which something can happen */
    double wake;                 /* no warp can issue before */
    double send_free;            /* the port to the network */
} sm;

typedef struct simulation {
    const sim_machine *m;
    const sim_program *program;
    sm *sms;
    sim_memory *memory;
    double now, instructions;
} simulation;

/* ---- misses in flight ---- */

static void swap(miss *a, miss *b)
{
    const miss kept = *a;
    *a = *b;
    *b = kept;
}

static void push(sm *s, miss m)
{
    int i = s->returning++;
    s->misses[i] = m;
    for (; i > 0 && s->misses[(i - 1) / 2].back > s->misses[i].back; i = (i - 1) / 2)
        swap(&s->misses[(i - 1) / 2], &s->misses[i]);
}

static miss pop(sm *s)
{
    const miss top = s->misses[0];
    s->misses[0] = s->misses[--s->returning];
    for (int i = 0, child; (child = 2 * i + 1) < s->returning; i = child) {
        if (child + 1 < s->returning && s->misses[child + 1].back < s->misses[child].back)
            child++;
        if (s->misses[i].back <= s->misses[child].back)
            break;
        swap(&s->misses[i], &s->misses[child]);
    }
    return top;
}

static void take_back(simulation *sim, sm *s)
{
    while (s->returning > 0 && s->misses[0].back <= sim->now) {
        const miss m = pop(s);
        s->flying--;
        warp *w = &s->warps[m.warp];
        if (--w->waiting[m.to] > 0)
            continue;
        w->ready[m.to] = sim->now;
        s->wake = sim->now;
    }
}

/* ---- requests ---- */

static uint64_t hash(uint64_t number)
{
    uint64_t z = number * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Misses are drawn, but always the same for the same line. */
static bool misses_l2(uint64_t line, double ratio)
{
    return (double)(hash(line) >> 11) < ratio * 9007199254740992.0; /* 2^53 */
}

static void deliver(void *context, const sim_request *r, double back)
{
    simulation *sim = context;
    sm *s = &sim->sms[r->sm];
    push(s, (miss){back, r->warp, r->to});
    s->next = fmin(s->next, fmax(sim->now, ceil(back)));
}

/* Whether the oldest memory instruction can send: not without a miss register, nor behind the data
 * of a store. */
static bool can_send(const simulation *sim, const sm *s, double now)
{
    if (s->queued == 0 || s->send_free >= now + 1)
        return false;
    return s->queue[s->first].instruction->kind == SIM_STORE || s->flying < sim->m->mshrs;
}

static bool send_request(simulation *sim, sm *s)
{
    pending_access *a = &s->queue[s->first];
    const sim_instruction *in = a->instruction;
    const bool load = in->kind == SIM_LOAD;
    sim_request r = {.sm = (int)(s - sim->sms), .warp = a->warp, .to = load ? in->to : -1};
    r.line = in->scattered ? hash(a->line) >> 20 : a->line;
    r.misses = misses_l2(a->line++, in->miss_ratio);
    s->send_free = fmax(sim->now, s->send_free) + (load ? 1 : fmax(1, sim->m->memory.port_cycles));
    s->flying += load;
    s->most = s->flying > s->most ? s->flying : s->most;
    if (--a->left == 0) {
        s->first = (s->first + 1) % sim->m->memory_queue;
        s->queued--;
        s->wake = sim->now;
    }
    return sim_memory_send(sim->memory, r, sim->now);
}

/* ---- issue ---- */

static const sim_instruction *next_of(const simulation *sim, const warp *w) { return &sim->program->body[w->at]; }

/* When its registers let a warp issue: those it reads, and that it writes is not under way. */
static double registers_ready(const warp *w, const sim_instruction *in)
{
    double at = in->to >= 0 && w->ready[in->to] == PENDING ? PENDING : 0;
    for (int i = 0; i < 2; i++)
        if (in->from[i] >= 0)
            at = fmax(at, w->ready[in->from[i]]);
    return at;
}

static bool can_issue(const simulation *sim, const sm *s, int which)
{
    const warp *w = &s->warps[which];
    if (w->ended)
        return false;
    const sim_instruction *in = next_of(sim, w);
    return registers_ready(w, in) <= sim->now && (in->requests == 0 || s->queued < sim->m->memory_queue);
}

/* Instructions have arrays of their own; in each, the lines of a trip of all warps follow one
 * another. */
static uint64_t first_line(const simulation *sim, const sm *s, int which)
{
    const warp *w = &s->warps[which];
    const uint64_t warps = (uint64_t)sim->m->warps, all = warps * (uint64_t)sim->m->memory.sms;
    const uint64_t number = (uint64_t)w->trip * all + (uint64_t)(s - sim->sms) * warps + (uint64_t)which;
    return ((uint64_t)w->at << 40) + number * (uint64_t)next_of(sim, w)->requests;
}

static void issue(simulation *sim, sm *s, int which)
{
    warp *w = &s->warps[which];
    const sim_instruction *in = next_of(sim, w);
    sim->instructions++;
    if (in->requests > 0) {
        s->queue[(s->first + s->queued++) % sim->m->memory_queue] =
            (pending_access){which, in->requests, in, first_line(sim, s, which)};
        if (in->kind == SIM_LOAD) {
            w->ready[in->to] = PENDING;
            w->waiting[in->to] = in->requests;
        }
    } else if (in->to >= 0) {
        w->ready[in->to] = sim->now + in->latency;
    }
    if (++w->at == sim->program->length) {
        w->at = 0;
        w->ended = ++w->trip == sim->program->trips;
        s->running -= w->ended;
    }
}

/* The warp a sub-core issues from: warps are dealt out in turns. -1: none can. */
static int choose(const simulation *sim, const sm *s, int core)
{
    const int cores = sim->m->sub_cores, count = (sim->m->warps - core + cores - 1) / cores;
    const int last = s->last[core];
    if (sim->m->greedy && last >= 0 && can_issue(sim, s, last))
        return last;
    for (int i = 0; i < count; i++) {
        const int from = sim->m->greedy ? 0 : last < 0 ? 0 : last / cores + 1;
        const int which = (from + i) % count * cores + core;
        if (can_issue(sim, s, which))
            return which;
    }
    return -1;
}

static bool issue_all(simulation *sim, sm *s)
{
    bool any = false;
    for (int core = 0; core < sim->m->sub_cores && core < sim->m->warps; core++)
        for (int i = 0; i < sim->m->issue; i++) {
            const int which = choose(sim, s, core);
            if (which < 0)
                break;
            issue(sim, s, which);
            s->last[core] = which;
            any = true;
        }
    return any;
}

/* ---- time ---- */

/* When the registers of a warp let it issue that could not now; INFINITY: not before a load is
 * back. */
static double next_ready(const simulation *sim, const sm *s)
{
    double next = INFINITY;
    for (int i = 0; i < sim->m->warps; i++) {
        const warp *w = &s->warps[i];
        const double at = w->ended ? INFINITY : registers_ready(w, next_of(sim, w));
        if (at > sim->now)
            next = fmin(next, at);
    }
    return next;
}

/* When something can happen on a multiprocessor that does nothing now, but for answers that are not
 * on their way. */
static double next_event(const simulation *sim, const sm *s)
{
    double next = s->returning > 0 ? fmin(s->wake, s->misses[0].back) : s->wake;
    if (s->queued > 0 && s->send_free > sim->now)
        next = fmin(next, floor(s->send_free));
    return fmax(sim->now + 1, ceil(next));
}

/* One cycle of a multiprocessor; says when it wants the next one. False without memory. */
static bool step(simulation *sim, sm *s)
{
    take_back(sim, s);
    const bool sends = can_send(sim, s, sim->now);
    if (sends && !send_request(sim, s))
        return false;
    const bool looks = s->wake <= sim->now, issued = looks && issue_all(sim, s);
    if (looks && !issued)
        s->wake = next_ready(sim, s);
    s->next = sends || issued || can_send(sim, s, sim->now + 1) ? sim->now + 1 : next_event(sim, s);
    return true;
}

static bool finished(const sm *s) { return s->running == 0 && s->queued == 0 && s->flying == 0; }

static bool run_all(simulation *sim)
{
    for (sim->now = 0; sim->now < FOREVER;) {
        if (!sim_memory_step(sim->memory, sim->now, deliver, sim))
            return false;
        double next = INFINITY;
        for (int i = 0; i < sim->m->memory.sms; i++) {
            sm *s = &sim->sms[i];
            if (s->next <= sim->now && !step(sim, s))
                return false;
            if (!finished(s))
                next = fmin(next, s->next);
        }
        next = fmin(next, sim_memory_next(sim->memory, sim->now));
        if (next == INFINITY)
            return true;
        sim->now = next;
    }
    return false;
}

static bool make_sm(const sim_machine *m, int which, sm *out)
{
    const size_t warps = (size_t)m->warps;
    *out = (sm){.warps = calloc(warps, sizeof *out->warps),
                .last = malloc((size_t)m->sub_cores * sizeof *out->last),
                .queue = calloc((size_t)m->memory_queue, sizeof *out->queue),
                .misses = calloc((size_t)m->mshrs + 1, sizeof *out->misses),
                .running = m->warps,
                .next = (double)which * m->stagger};
    for (int i = 0; out->last && i < m->sub_cores; i++)
        out->last[i] = -1;
    return out->warps && out->last && out->queue && out->misses;
}

static void free_all(simulation *sim)
{
    for (int i = 0; sim->sms && i < sim->m->memory.sms; i++) {
        free(sim->sms[i].warps);
        free(sim->sms[i].last);
        free(sim->sms[i].queue);
        free(sim->sms[i].misses);
    }
    free(sim->sms);
    sim_memory_free(sim->memory);
}

bool sim_run(const sim_machine *machine, const sim_program *program, sim_result *out)
{
    simulation sim = {.m = machine,
                      .program = program,
                      .sms = calloc((size_t)machine->memory.sms, sizeof *sim.sms),
                      .memory = sim_memory_new(&machine->memory)};
    bool ok = sim.sms && sim.memory;
    for (int i = 0; ok && i < machine->memory.sms; i++)
        ok = make_sm(machine, i, &sim.sms[i]);
    ok = ok && run_all(&sim);
    *out = (sim_result){0};
    if (ok) {
        out->cycles = fmax(sim.now + 1, sim_memory_last(sim.memory));
        out->instructions = sim.instructions;
        out->port_busy = sim_memory_port_busy(sim.memory);
        out->dram_busy = sim_memory_dram_busy(sim.memory);
        for (int i = 0; i < machine->memory.sms; i++)
            out->most_misses = sim.sms[i].most > out->most_misses ? sim.sms[i].most : out->most_misses;
    }
    free_all(&sim);
    return ok;
}
