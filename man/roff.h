/* roff.h - pieces of Markdown text as man pages write them. SPDX-License-Identifier: MIT */
#ifndef WL_MAN_ROFF_H
#define WL_MAN_ROFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINKS_MAX 64

/* Other pages that a text mentions: what SEE ALSO lists. */
typedef struct page_links {
    const char *const *known;  /* documents that have a page, "model.md", ended by NULL */
    char names[LINKS_MAX][80]; /* "warpline-model(7)" */
    size_t count;
} page_links;

/* The page of a document, "warpline-model" and its section; false: it has none. */
bool page_of_document(const page_links *links, const char *document, char *name, size_t size, char *section);
void add_link(page_links *links, const char *name, char section);

/* Letters as they are, whatever roff would make of them; minus signs are those that can be
 * copied. */
void put_literal(FILE *out, const char *text, size_t length);
/* A text with `code`, **bold**, *slanted* and [links](model.md#there). */
void put_inline(FILE *out, const char *text, size_t length, page_links *links);
/* How many columns it takes on a terminal. */
size_t inline_width(const char *text, size_t length);

#endif /* WL_MAN_ROFF_H */
