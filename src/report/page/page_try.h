/* page_try.h - the page of `make web` inside a page of launches (warpline/report.h): it is the
 * content of a frame, which is made when somebody asks for it.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_PAGE_PAGE_TRY_H
#define WL_REPORT_PAGE_PAGE_TRY_H

#include "report/page/page.h"

#define WL_PAGE_HASH_LENGTH 64

typedef struct wl_page_web {
    wl_buffer quoted;               /* as an attribute; no text: there is no such page */
    char hash[WL_PAGE_HASH_LENGTH]; /* of its script, as its policy has it */
} wl_page_web;

wl_status wl_page_web_read(const char *html, wl_page_web *out, wl_error *err);
void wl_page_web_free(wl_page_web *web);

/* What the policy of a page allows besides its own script: a frame inherits it. */
void wl_page_web_policy(const wl_page_web *web, wl_buffer *out);
void wl_page_web_style(const wl_page_web *web, wl_buffer *out);
/* The frame, and the script that opens it: at the end of the page. */
void wl_page_web_add(const wl_page_web *web, wl_buffer *out);
/* Where a launch is opened from. */
void wl_page_try(const wl_page_part *part, wl_buffer *out);

#endif /* WL_REPORT_PAGE_PAGE_TRY_H */
