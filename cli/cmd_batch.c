/* cmd_batch.c - predict --batch: one JSON object per line in, one result per line out, in order.
 *
 * Lines of a file are answered by all cores, some lines at a time; those of standard input one by
 * one, since their writer may wait for the answer. A line that cannot be predicted gives
 * {"error": "..."}, and reading continues.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "batch.h"
#include "diag.h"
#include "line_reader.h"
#include "output.h"
#include "progress.h"
#include "ptx_unit.h"

/* of the answers; more would leave the caches of the machine */
#define HELD_BACK ((size_t)256 << 10)
#define AT_ONCE 32 /* lines that are read for each core before they are answered */
#define SHARE 4    /* lines that a core takes next */
#define CORES_MAX 256
#define POLL_MS 200 /* at most so long after Ctrl-C, waiting for a line ends */
#define READ_BYTES ((size_t)64 << 10)
#define LINE_MOST ((size_t)4 << 20) /* bytes: what has no line ends is no batch */

/* A line and its answer. */
typedef struct line {
    char *text;
    size_t capacity, length;
    size_t number;
    char *answer;
    wl_status status; /* unless there is an answer */
    wl_error err;
} line;

typedef struct batch {
    const options *options;
    int cores;
    line_reader **readers; /* one per core, NULL until it is needed */
    line *lines;
    size_t line_count, lines_read;
    bool too_long, no_memory; /* the line that ended the reading */
    int unreadable;           /* errno of a failed read; 0: none */
    char *bytes;              /* that were read, */
    size_t taken, filled;     /* and those of them that are used */
    held_output held;
    const wl_predict_options *predict; /* NULL: the defaults */
    batch_visit visit;                 /* NULL: the answers are printed */
    void *user;
} batch;

static int core_count(void)
{
#ifdef _OPENMP
    const int cores = omp_get_max_threads();
    return cores < CORES_MAX ? cores : CORES_MAX;
#else
    return 1;
#endif
}

static int this_core(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* The answer to a line that cannot be predicted. Out of memory is no answer: it ends the batch. */
static wl_status render_error(wl_error *err, size_t number, char **out)
{
    const wl_error answered = *err;
    if (err->code == WL_E_NOMEM)
        return WL_E_NOMEM;
    *err = (wl_error){0};
    return wl_error_json(&answered, number, out, err);
}

/* The lines give everything except the device. */
static bool check_usage(const options *o)
{
    const bool other = o->argument_count || o->update || o->block_count || o->set_count || o->with_count || o->fold ||
                       o->grid || o->registers || o->shared || o->domain || o->type || o->schedule || o->samples ||
                       o->per_access || o->per_line || o->model || o->entry || o->arg_count || o->constant_count ||
                       o->dynamic_shared || o->emulate || o->effort;
    if (other)
        usage_error("--batch takes kernels and launches from its lines; --device is the only other option");
    return !other;
}

/* Sets the line of an error that is not one inside the kernel it names. */
static void name_line(const batch *b, size_t number, wl_error *err)
{
    if (err->loc.line > 0 || err->code == WL_E_NOMEM)
        return;
    (void)snprintf(err->input, sizeof err->input, "%.100s",
                   strcmp(b->options->batch, "-") == 0 ? "standard input" : b->options->batch);
    err->loc = (wl_loc){(int32_t)number, 1, 1};
}

/* The next byte; -1: there is none, the input cannot be read, or Ctrl-C was pressed meanwhile,
 * which a call of the C library that waits for input would not notice. */
static int next_byte(batch *b, FILE *f)
{
    struct pollfd input = {.fd = fileno(f), .events = POLLIN};
    if (input.fd < 0) /* a stream in memory */
        return getc_unlocked(f);
    while (b->taken == b->filled) {
        if (progress_interrupted())
            return -1;
        if (poll(&input, 1, POLL_MS) <= 0)
            continue;
        const ssize_t got = read(input.fd, b->bytes, READ_BYTES);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        b->unreadable = got < 0 ? errno : 0;
        if (got <= 0)
            return -1;
        b->taken = 0;
        b->filled = (size_t)got;
    }
    return (unsigned char)b->bytes[b->taken++];
}

/* Makes room for another byte. */
static bool make_longer(batch *b, line *l)
{
    if (l->length + 1 < l->capacity)
        return true;
    const size_t capacity = l->capacity ? 2 * l->capacity : 256;
    char *longer = capacity > 2 * LINE_MOST ? NULL : realloc(l->text, capacity);
    b->too_long = capacity > 2 * LINE_MOST;
    b->no_memory = !longer && !b->too_long;
    if (!longer)
        return false;
    l->text = longer;
    l->capacity = capacity;
    return true;
}

/* The next line, which may contain any byte, without its end. False: there is none. */
static bool read_line(batch *b, FILE *f, line *l)
{
    int c;
    l->length = 0;
    while ((c = next_byte(b, f)) >= 0 && c != '\n') {
        if (!make_longer(b, l))
            return false;
        l->text[l->length++] = (char)c;
        if (l->length > LINE_MOST) {
            b->too_long = true;
            return false;
        }
    }
    if ((c < 0 && l->length == 0) || progress_interrupted() || !make_longer(b, l))
        return false;
    while (l->length > 0 && l->text[l->length - 1] == '\r')
        l->length--;
    l->text[l->length] = '\0';
    return true;
}

/* Reads some lines that are not blank. Fewer than asked for: the file has ended, or cannot be
 * read. */
static size_t read_lines(batch *b, FILE *f)
{
    size_t n = 0;
    while (n < b->line_count && read_line(b, f, &b->lines[n])) {
        line *l = &b->lines[n];
        l->number = ++b->lines_read;
        n += strspn(l->text, " \t") < l->length;
    }
    return n;
}

static wl_status predict_line(const batch *b, line_reader **reader, line *l, batch_launch *out)
{
    if (!*reader)
        *reader = line_reader_new(b->options);
    return *reader ? line_reader_predict(*reader, l->text, l->length, b->predict, out, &l->err)
                   : diag_no_memory(&l->err);
}

static void answer_line(const batch *b, line_reader **reader, line *l)
{
    batch_launch launch;
    l->answer = NULL;
    l->err = (wl_error){0};
    l->status = WL_OK;
    if (progress_interrupted())
        return;
    l->status = predict_line(b, reader, l, &launch);
    if (l->status == WL_OK)
        l->status = wl_prediction_render(launch.prediction, launch.kernel, launch.device, WL_FORMAT_JSON_LINE,
                                         &l->answer, &l->err);
    if (l->status != WL_OK)
        l->status = render_error(&l->err, l->number, &l->answer);
}

/* Prints the answers in the order of the lines, up to the first line without one. */
static wl_status print_answers(batch *b, size_t count, wl_error *err)
{
    wl_status status = WL_OK;
    bool ended = false; /* by Ctrl-C */
    for (size_t i = 0; i < count; i++) {
        line *l = &b->lines[i];
        ended = ended || (l->status == WL_OK && !l->answer);
        if (status == WL_OK && l->status != WL_OK) {
            status = l->status;
            *err = l->err;
        }
        if (status == WL_OK && !ended)
            status = held_add(&b->held, l->answer, strlen(l->answer), err);
        if (status == WL_OK && !ended)
            status = held_add(&b->held, "\n", 1, err);
        free(l->answer);
        l->answer = NULL;
    }
    return status;
}

static wl_status answer_lines(batch *b, size_t count, wl_error *err)
{
#pragma omp parallel for schedule(dynamic, SHARE) num_threads(b->cores) if (count > SHARE)
    for (size_t i = 0; i < count; i++)
        answer_line(b, &b->readers[this_core()], &b->lines[i]);
    return print_answers(b, count, err);
}

/* Passes launches on, in order. */
static wl_status visit_lines(batch *b, size_t count, wl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        line *l = &b->lines[i];
        batch_launch launch;
        l->err = (wl_error){0};
        wl_status status = predict_line(b, &b->readers[0], l, &launch);
        status = status ? status : b->visit(b->user, &launch, &l->err);
        if (status != WL_OK) {
            name_line(b, l->number, &l->err);
            *err = l->err;
            return status;
        }
    }
    return WL_OK;
}

static wl_status predict_lines(batch *b, FILE *f, wl_error *err)
{
    wl_status status = WL_OK;
    for (size_t count; status == WL_OK && !progress_interrupted() && (count = read_lines(b, f)) > 0;) {
        status = b->visit ? visit_lines(b, count, err) : answer_lines(b, count, err);
        if (status == WL_OK && f == stdin) /* the writer of the lines may wait for the answer */
            held_flush(&b->held);
    }
    if (status == WL_OK && b->no_memory)
        status = diag_no_memory(err);
    if (status == WL_OK && b->too_long) {
        *err = (wl_error){.code = WL_E_INPUT, .message = "a line of more than 4 MiB: the batch ends here"};
        name_line(b, b->lines_read + 1, err);
        status = WL_E_INPUT;
    }
    return status;
}

/* Room for the lines that are answered at once: one, if nothing is gained by more. */
static bool make_room(batch *b, bool one_by_one)
{
    b->cores = one_by_one ? 1 : core_count();
    b->line_count = b->cores > 1 ? (size_t)b->cores * AT_ONCE : 1;
    b->readers = calloc((size_t)b->cores, sizeof *b->readers);
    b->lines = calloc(b->line_count, sizeof *b->lines);
    b->bytes = malloc(READ_BYTES);
    return b->readers && b->lines && b->bytes;
}

static void free_room(batch *b)
{
    for (int i = 0; b->readers && i < b->cores; i++)
        line_reader_free(b->readers[i]);
    for (size_t i = 0; b->lines && i < b->line_count; i++)
        free(b->lines[i].text);
    free(b->readers);
    free(b->lines);
    free(b->bytes);
}

static int run_lines(batch b)
{
    const options *o = b.options;
    ptx_request common = {0};
    const int code = ptx_request_read(o, &common); /* the compiler's options are for all lines */
    if (code != EXIT_OK)
        return code;
    line_readers_start();
    FILE *f = strcmp(o->batch, "-") == 0 ? stdin : fopen(o->batch, "rb");
    wl_error err = {0};
    b.unreadable = f ? 0 : errno;
    wl_status status = b.unreadable == ENOMEM ? diag_no_memory(&err) : WL_OK;
    progress_start();
    if (f)
        status = make_room(&b, f == stdin || b.visit) ? predict_lines(&b, f, &err) : diag_no_memory(&err);
    free_room(&b);
    const bool interrupted = progress_interrupted() != 0;
    progress_end();
    const bool failed = status == WL_OK && !interrupted && b.unreadable;
    if (failed)
        usage_error("error: cannot read %s: %s", o->batch, strerror(b.unreadable));
    held_end(&b.held, status != WL_E_NOMEM);
    if (f && f != stdin)
        fclose(f);
    if (failed)
        return EXIT_INPUT;
    return status != WL_OK ? diag_report(&err) : interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}

int run_batch(const options *o)
{
    if (!check_usage(o))
        return EXIT_USAGE;
    if (o->format && strcmp(o->format, "json") != 0) {
        usage_error("--batch answers in JSON");
        return EXIT_USAGE;
    }
    const wl_predict_options predict = {.confidence = o->confidence, .outside = true};
    return run_lines((batch){.options = o, .held = {.file = stdout, .most = HELD_BACK}, .predict = &predict});
}

int batch_each(const options *o, const wl_predict_options *predict, batch_visit visit, void *user)
{
    if (!check_usage(o))
        return EXIT_USAGE;
    return run_lines((batch){.options = o, .held = {.file = stdout}, .predict = predict, .visit = visit, .user = user});
}
