/* markdown_to_roff.h - lines of Markdown as the body of a man page: headings, paragraphs, lists,
 * code, tables.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MAN_MARKDOWN_TO_ROFF_H
#define WL_MAN_MARKDOWN_TO_ROFF_H

#include "roff.h"

typedef struct document {
    char *text;   /* its lines end in NUL */
    char **lines; /* without line ends */
    size_t count;
} document;

bool document_read(const char *path, document *out);
void document_free(document *document);

/* The level of a heading, 0: none; *title is behind the marks. */
int heading_level(const char *line, const char **title);

/* Lines first .. last - 1. Headings of level `top` become sections, lower ones subsections. */
void put_markdown(FILE *out, const document *document, size_t first, size_t last, int top, page_links *links);

#endif /* WL_MAN_MARKDOWN_TO_ROFF_H */
