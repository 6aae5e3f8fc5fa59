/* page_try.c - see page_try.h. SPDX-License-Identifier: MIT */
#include "report/page/page_try.h"

#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "report/common/templates.h"

/* of share/templates/page_try.js: tests/page/page.sh prints the right one */
static const char script_hash[] = "sha256-vPLvCNyDopO4rStF2QTJMkm0/DWuR1ZJWuCYFGGCo0o=";

/* What is between `before` and a quote; false: there is no such text, or it is longer. */
static bool find_text(const char *html, const char *before, char quote, size_t size, char *out)
{
    const char *start = strstr(html, before);
    start = start ? start + strlen(before) : NULL;
    const char *end = start ? strchr(start, quote) : NULL;
    if (!end || (size_t)(end - start) >= size)
        return false;
    memcpy(out, start, (size_t)(end - start));
    out[end - start] = '\0';
    return true;
}

/* As an attribute, byte by byte: the hash of the script inside must stay the same. */
static void quote(const char *html, wl_buffer *out)
{
    while (*html) {
        const size_t plain = strcspn(html, "&\"");
        wl_buffer_put(out, html, plain);
        html += plain;
        if (*html)
            wl_buffer_text(out, *html++ == '&' ? "&amp;" : "&quot;");
    }
}

wl_status wl_page_web_read(const char *html, wl_page_web *out, wl_error *err)
{
    char version[32];
    if (!find_text(html, "<meta name=\"warpline\" content=\"", '"', sizeof version, version) ||
        !find_text(html, "script-src '", '\'', sizeof out->hash, out->hash) ||
        strncmp(out->hash, "sha256-", strlen("sha256-")) != 0 ||
        out->hash[strspn(out->hash, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-")])
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the page to put into the report is not that of 'make web'");
    if (strcmp(version, wl_version()) != 0)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                       "the page to put into the report is of warpline %s, and this is %s: run 'make web' again",
                       version, wl_version());
    wl_buffer_drop(&out->quoted);
    quote(html, &out->quoted);
    return out->quoted.failed ? wl_fail_memory(err) : WL_OK;
}

void wl_page_web_free(wl_page_web *web) { wl_buffer_drop(&web->quoted); }

void wl_page_web_policy(const wl_page_web *web, wl_buffer *out)
{
    if (web->quoted.text)
        wl_buffer_add(out,
                      " '%s' '%s' 'wasm-unsafe-eval'; worker-src blob:; img-src data:; base-uri 'none'; form-action "
                      "'none'",
                      script_hash, web->hash);
}

void wl_page_web_style(const wl_page_web *web, wl_buffer *out)
{
    if (web->quoted.text)
        wl_template_add(out, "page_try_style", NULL);
}

void wl_page_web_add(const wl_page_web *web, wl_buffer *out)
{
    if (!web->quoted.text)
        return;
    wl_buffer_text(out, "<dialog id=\"try\" aria-label=\"try other launches\"><button type=\"button\">Back to the "
                        "report</button>\n<template><iframe title=\"Warpline: try other launches\" srcdoc=\"");
    wl_buffer_put(out, web->quoted.text, web->quoted.length);
    wl_buffer_text(out, "\"></iframe></template></dialog>\n<script>");
    wl_template_add(out, "page_try", NULL);
    wl_buffer_text(out, "</script>\n");
}

void wl_page_try(const wl_page_part *p, wl_buffer *out)
{
    const wl_page_launch *l = p->launch;
    const char *note = l->address_note ? l->address_note : "";
    if (!l->address && !*note)
        return;
    wl_buffer_text(out, "<p class=\"try\"");
    if (l->address)
        wl_page_print(out, " data-try=\"%s\">Other blocks, devices and numbers of this kernel, computed in this file. ",
                      l->address);
    else
        wl_buffer_text(out, ">");
    wl_page_print(out, "%s</p>\n", note);
}
