/* make_man.c - writes the man pages: warpline(1), a page for each command, and one for each
 * document.
 *
 * usage: make_man TABLES VERSION DATE OUT MANUAL.md DOCUMENT.md...
 * TABLES is what `warpline --tables` prints. A section of the manual that is called like a command
 * becomes the description on that command's page; its options come from the table; the other
 * sections are on warpline(1).
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "markdown_to_roff.h"

#define COMMANDS_MAX 64
#define FIELDS_MAX 6
#define DOCUMENTS_MAX 32

typedef struct job {
    document tables, manual;
    const char *version, *date, *folder;
    const char *commands[COMMANDS_MAX][FIELDS_MAX];
    size_t command_count;
    const char *documents[DOCUMENTS_MAX + 1]; /* names, without folders */
} job;

/* ---- the tables ---- */

/* Cuts a line at its tabs; the number of fields. */
static size_t split_fields(char *line, const char *fields[FIELDS_MAX])
{
    size_t n = 0;
    for (char *p = line; p && n < FIELDS_MAX; n++) {
        char *tab = strchr(p, '\t');
        fields[n] = p;
        if (tab)
            *tab = '\0';
        p = tab ? tab + 1 : NULL;
    }
    return n;
}

static bool read_commands(job *j)
{
    for (size_t i = 0; i < j->tables.count && j->command_count < COMMANDS_MAX; i++)
        if (strncmp(j->tables.lines[i], "command\t", 8) == 0 &&
            split_fields(j->tables.lines[i], j->commands[j->command_count]) >= 4)
            j->command_count++;
    return j->command_count > 0;
}

/* The command that a heading of the manual is about: its first word. */
static const char *command_of(const job *j, const char *title)
{
    const size_t length = strcspn(title, " ");
    for (size_t i = 0; i < j->command_count; i++)
        if (strlen(j->commands[i][1]) == length && strncmp(j->commands[i][1], title, length) == 0)
            return j->commands[i][1];
    return NULL;
}

/* ---- parts of the manual ---- */

/* The end of the section that begins with the heading at `at`: the next one of its level or
 * above. */
static size_t section_end(const document *d, size_t at)
{
    const char *title;
    const int level = heading_level(d->lines[at], &title);
    bool code = false;
    for (at++; at < d->count; at++) {
        code ^= strncmp(d->lines[at], "```", 3) == 0;
        const int other = code ? 0 : heading_level(d->lines[at], &title);
        if (other > 0 && other <= level)
            break;
    }
    return at;
}

/* Puts what lies between, without the parts that have a page of their own. */
static void put_without_commands(const job *j, FILE *out, size_t first, size_t last, int top, page_links *links)
{
    const document *d = &j->manual;
    const char *title;
    bool code = false;
    size_t start = first;
    for (size_t i = first; i < last; i++) {
        code ^= strncmp(d->lines[i], "```", 3) == 0;
        if (code || heading_level(d->lines[i], &title) == 0 || !command_of(j, title))
            continue;
        put_markdown(out, d, start, i, top, links);
        start = section_end(d, i);
        i = start - 1;
    }
    if (start < last)
        put_markdown(out, d, start, last, top, links);
}

/* The first heading; what is before belongs to warpline(1). */
static size_t first_section(const document *d)
{
    const char *title;
    bool code = false;
    for (size_t i = 1; i < d->count; i++) {
        code ^= strncmp(d->lines[i], "```", 3) == 0;
        if (!code && heading_level(d->lines[i], &title) > 1)
            return i;
    }
    return d->count;
}

/* ---- pages ---- */

static FILE *open_page(const job *j, const char *name, char section)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%c", j->folder, name, section);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return NULL;
    }
    fputs("'\\\" t\n.\\\" Made from docs/ and the tables of options: do not edit.\n.TH ", out);
    for (const char *p = name; *p; p++)
        fputc(toupper((unsigned char)*p), out);
    fprintf(out, " %c %s \"warpline %s\" Warpline\n.nh\n.ad l\n", section, j->date, j->version);
    return out;
}

static bool close_page(FILE *out)
{
    const bool written = !ferror(out);
    return fclose(out) == 0 && written;
}

/* "warpline-rank - predicts all sensible launches": the first sentence. */
static void put_name(FILE *out, const char *name, const char *summary)
{
    const char *end = strstr(summary, ". ");
    size_t length = end ? (size_t)(end - summary) : strlen(summary);
    if (length > 0 && summary[length - 1] == '.')
        length--;
    fputs(".SH NAME\n", out);
    put_literal(out, name, strlen(name));
    fputs(" \\- ", out);
    const bool word = length > 1 && !isupper((unsigned char)summary[1]);
    if (word)
        fputc(tolower((unsigned char)*summary), out);
    put_literal(out, summary + word, length - word);
    fputc('\n', out);
}

static void put_see_also(FILE *out, const page_links *links)
{
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; i < links->count; i++) {
        const size_t length = strcspn(links->names[i], "(");
        fputs("\\fB", out);
        put_literal(out, links->names[i], length);
        fprintf(out, "\\fR%s%s\n", links->names[i] + length, i + 1 < links->count ? "," : "");
    }
}

static void put_synopsis_line(FILE *out, const char *line)
{
    put_literal(out, line, strlen(line));
    fputc('\n', out);
}

/* The lines of the manual's synopsis that begin with the command; else what its help says. */
static void put_synopsis(const job *j, FILE *out, const char *const *command)
{
    char start[64];
    bool any = false;
    snprintf(start, sizeof start, "warpline %s", command[1]);
    fputs(".SH SYNOPSIS\n.nf\n", out);
    for (size_t i = 0, end = first_section(&j->manual); i < end; i++) {
        const char *line = j->manual.lines[i];
        const size_t length = strlen(start);
        if (strncmp(line, start, length) != 0 || (line[length] != ' ' && line[length] != '\0'))
            continue;
        put_synopsis_line(out, line);
        any = true;
    }
    if (!any) {
        fprintf(out, "warpline %s ", command[1]);
        put_synopsis_line(out, command[2]);
    }
    fputs(".fi\n", out);
}

/* The sections of the manual that are about the command; where there is none, what its help
 * says. */
static void put_description(const job *j, FILE *out, const char *const *command, page_links *links)
{
    const document *d = &j->manual;
    const char *title;
    bool code = false, any = false;
    fputs(".SH DESCRIPTION\n", out);
    for (size_t i = first_section(d); i < d->count; i++) {
        code ^= strncmp(d->lines[i], "```", 3) == 0;
        if (code || heading_level(d->lines[i], &title) == 0 || command_of(j, title) != command[1])
            continue;
        const size_t end = section_end(d, i);
        put_markdown(out, d, i + (strcmp(title, command[1]) == 0), end, 1, links);
        any = true;
        i = end - 1;
    }
    if (any)
        return;
    put_literal(out, command[3], strlen(command[3]));
    fputc('\n', out);
}

static void put_options(job *j, FILE *out, const char *command)
{
    bool arguments = false;
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < j->tables.count; i++) {
        char copy[2048];
        const char *fields[FIELDS_MAX];
        snprintf(copy, sizeof copy, "%s", j->tables.lines[i]);
        if (strncmp(copy, "option\t", 7) != 0 || split_fields(copy, fields) < 6 || strcmp(fields[1], command) != 0)
            continue;
        fputs(".TP\n\\fB", out);
        put_literal(out, fields[2], strlen(fields[2]));
        fputs("\\fR", out);
        if (*fields[3]) {
            fputs(" \\fI", out);
            put_literal(out, fields[3], strlen(fields[3]));
            fputs("\\fR", out);
        }
        fputc('\n', out);
        put_literal(out, fields[5], strlen(fields[5]));
        fputc('\n', out);
        arguments = arguments || strcmp(fields[2], "--arg") == 0;
    }
    if (arguments)
        fputs(".PP\nWhat \\fB\\-\\-arg\\fR and \\fB\\-\\-constant\\fR take is described in\n.BR warpline (1).\n", out);
}

/* What a command's help ends with. */
static void put_example_lines(const job *j, FILE *out, const char *command)
{
    fputs(".nf\n", out);
    for (size_t i = 0; i < j->tables.count; i++) {
        char copy[256];
        const char *fields[FIELDS_MAX];
        snprintf(copy, sizeof copy, "%s", j->tables.lines[i]);
        if (strncmp(copy, "example\t", 8) != 0 || split_fields(copy, fields) < 3 || strcmp(fields[1], command) != 0)
            continue;
        put_literal(out, fields[2], strlen(fields[2]));
        fputc('\n', out);
    }
    fputs(".fi\n", out);
}

static bool write_command(job *j, const char *const *command)
{
    char name[64];
    page_links links = {.known = j->documents};
    snprintf(name, sizeof name, "warpline-%s", command[1]);
    FILE *out = open_page(j, name, '1');
    if (!out)
        return false;
    add_link(&links, "warpline", '1');
    put_name(out, name, command[3]);
    put_synopsis(j, out, command);
    fputs(".SH EXAMPLES\n", out);
    put_example_lines(j, out, command[1]);
    put_description(j, out, command, &links);
    put_options(j, out, command[1]);
    fputs(".SH EXIT STATUS\nThat of every command:\n.BR warpline (1)\nhas the table.\n", out);
    put_see_also(out, &links);
    return close_page(out);
}

static void put_command_list(const job *j, FILE *out)
{
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < j->command_count; i++) {
        fputs(".TP\n\\fBwarpline\\-", out);
        put_literal(out, j->commands[i][1], strlen(j->commands[i][1]));
        fputs("\\fR(1)\n", out);
        put_literal(out, j->commands[i][3], strlen(j->commands[i][3]));
        fputc('\n', out);
    }
}

/* What people do most. */
static void put_first_examples(const job *j, FILE *out)
{
    static const struct {
        const char *what, *command;
    } tasks[] = {
        {"How fast is a launch, and what limits it?", "predict"},
        {"Which launch is the fastest?", "rank"},
        {"What slows a launch down, and what would help?", "advise"},
        {"How far are predictions from what was measured?", "compare"},
        {"Everything about a launch, as a page:", "report"},
    };
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        fprintf(out, "%s%s\n.PP\n", i > 0 ? ".PP\n" : "", tasks[i].what);
        put_example_lines(j, out, tasks[i].command);
    }
}

/* Behind the block of code that lists what can be typed. */
static size_t behind_synopsis(const document *d)
{
    size_t i = 0, fences = 0;
    for (; i < d->count && fences < 2; i++)
        fences += strncmp(d->lines[i], "```", 3) == 0;
    return i;
}

static bool write_program(job *j)
{
    page_links links = {.known = j->documents};
    FILE *out = open_page(j, "warpline", '1');
    if (!out)
        return false;
    const size_t first = first_section(&j->manual);
    put_name(out, "warpline", "Predicts how a GPU kernel performs, without a GPU");
    fputs(".SH SYNOPSIS\n\\fBwarpline\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n.br\n"
          "\\fBwarpline\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n",
          out);
    put_first_examples(j, out);
    fputs(".SH DESCRIPTION\n", out);
    put_markdown(out, &j->manual, behind_synopsis(&j->manual), first, 2, &links);
    put_command_list(j, out);
    put_without_commands(j, out, first, j->manual.count, 2, &links);
    for (size_t i = 0; i < j->command_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "warpline-%s", j->commands[i][1]);
        add_link(&links, name, '1');
    }
    put_see_also(out, &links);
    return close_page(out);
}

static bool write_document(job *j, const char *path)
{
    document d;
    char name[64], section;
    const char *title = "", *slash = strrchr(path, '/');
    page_links links = {.known = j->documents};
    if (!document_read(path, &d) || d.count == 0) {
        perror(path);
        return false;
    }
    page_of_document(&links, slash ? slash + 1 : path, name, sizeof name, &section);
    heading_level(d.lines[0], &title);
    FILE *out = open_page(j, name, section);
    if (out) {
        put_name(out, name, title);
        fputs(".SH DESCRIPTION\n", out);
        put_markdown(out, &d, 1, d.count, 2, &links);
        add_link(&links, "warpline", '1');
        put_see_also(out, &links);
    }
    document_free(&d);
    return out && close_page(out);
}

enum { TABLES = 1, VERSION, DATE, OUT, MANUAL, DOCUMENTS }; /* arguments */

int main(int argc, char **argv)
{
    static job j;
    if (argc < DOCUMENTS || argc - DOCUMENTS > DOCUMENTS_MAX) {
        fprintf(stderr, "usage: make_man TABLES VERSION DATE OUT MANUAL.md DOCUMENT.md...\n");
        return 2;
    }
    j.version = argv[VERSION];
    j.date = argv[DATE];
    j.folder = argv[OUT];
    if (!document_read(argv[TABLES], &j.tables) || !document_read(argv[MANUAL], &j.manual) || !read_commands(&j)) {
        fprintf(stderr, "make_man: cannot read %s and %s\n", argv[TABLES], argv[MANUAL]);
        return 1;
    }
    for (int i = DOCUMENTS; i < argc; i++)
        j.documents[i - DOCUMENTS] = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
    bool written = write_program(&j);
    for (size_t i = 0; i < j.command_count; i++)
        written = write_command(&j, j.commands[i]) && written;
    for (int i = DOCUMENTS; i < argc; i++)
        written = write_document(&j, argv[i]) && written;
    document_free(&j.tables);
    document_free(&j.manual);
    return written ? 0 : 1;
}
