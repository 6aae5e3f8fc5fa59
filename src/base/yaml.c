/* yaml.c - see yaml.h. A thin tree over libyaml's events. SPDX-License-Identifier: MIT */
#include "base/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"
#include "base/text.h"

#define DEPTH_MAX 16
#define ENTRIES_MAX 4096 /* of one list or map */

typedef struct reader {
    yaml_parser_t parser;
    wl_arena *arena;
    const char *text;
    size_t length;
    wl_error *err;
} reader;

static wl_loc mark_loc(yaml_mark_t mark, size_t length)
{
    return (wl_loc){(int32_t)mark.line + 1, (int32_t)mark.column + 1, (int32_t)length};
}

/* libyaml reports text that is not valid characters by byte offset, without a position. */
static wl_loc offset_loc(const reader *r, size_t offset)
{
    wl_loc loc = {1, 1, 1};
    for (size_t i = 0; i < offset && i < r->length; i++) {
        const unsigned char c = (unsigned char)r->text[i];
        if (c == '\n') {
            loc.line++;
            loc.col = 1;
        } else if ((c & 0xc0) != 0x80) {
            loc.col++;
        }
    }
    return loc;
}

static wl_status next_event(reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return WL_OK;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return wl_fail(r->err, WL_E_NOMEM, WL_NOWHERE, "out of memory while reading YAML");
    const wl_loc loc = p->error == YAML_READER_ERROR ? offset_loc(r, p->problem_offset) : mark_loc(p->problem_mark, 1);
    return wl_fail(r->err, WL_E_INPUT, loc, "not valid YAML: %s%s%s", p->problem ? p->problem : "unreadable text",
                   p->context ? ", " : "", p->context ? p->context : "");
}

/* Indentation of a literal block: that of its first non-empty line. */
static int32_t block_indent(const reader *r, yaml_mark_t start)
{
    size_t i = 0; /* not start.index, which counts characters, not bytes */
    for (size_t line = 0; i < r->length && line < start.line; i++)
        line += r->text[i] == '\n';
    while (i < r->length && r->text[i] != '\n')
        i++;
    while (i < r->length) {
        const size_t line = ++i;
        while (i < r->length && r->text[i] == ' ')
            i++;
        if (i < r->length && r->text[i] != '\n' && r->text[i] != '\r')
            return (int32_t)(i - line);
        while (i < r->length && r->text[i] != '\n')
            i++;
    }
    return 0;
}

static wl_status scalar(reader *r, const yaml_event_t *event, wl_yaml *node)
{
    const size_t length = event->data.scalar.length;
    const char *value = (const char *)event->data.scalar.value;
    node->kind = WL_YAML_SCALAR;
    node->block_indent = -1;
    node->loc = mark_loc(event->start_mark, length);
    if (memchr(value, '\0', length))
        return wl_fail(r->err, WL_E_INPUT, node->loc, "a text may not contain a zero byte");
    node->text = wl_arena_text(r->arena, value, length);
    if (!node->text)
        return wl_fail(r->err, WL_E_NOMEM, node->loc, "out of memory while reading YAML");
    switch (event->data.scalar.style) {
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE: node->block_indent = block_indent(r, event->start_mark); break;
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: node->loc.col++; break;
    default: break;
    }
    return WL_OK;
}

static wl_status read_node(reader *r, yaml_event_t *event, int depth, wl_yaml **out);

/* Reads entries up to the event that ends the collection. */
static wl_status entries(reader *r, wl_yaml *node, int depth)
{
    wl_yaml **link = &node->first;
    const yaml_event_type_t end = node->kind == WL_YAML_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        yaml_event_t event;
        WL_TRY(next_event(r, &event));
        if (event.type == end) {
            yaml_event_delete(&event);
            return WL_OK;
        }
        wl_yaml *key = NULL, *value = NULL;
        WL_TRY(read_node(r, &event, depth, &value));
        if (node->kind == WL_YAML_MAP) {
            key = value;
            if (key->kind != WL_YAML_SCALAR)
                return wl_fail(r->err, WL_E_INPUT, key->loc, "a key must be a plain word");
            if (wl_yaml_get(node, key->text))
                return wl_fail(r->err, WL_E_INPUT, key->loc, "key '%.60s' is given twice", key->text);
            WL_TRY(next_event(r, &event));
            WL_TRY(read_node(r, &event, depth, &value));
            value->key = key->text;
            value->key_loc = key->loc;
        }
        *link = value;
        link = &value->next;
        if (++node->count > ENTRIES_MAX)
            return wl_fail(r->err, WL_E_LIMIT, value->loc, "more than %d entries", ENTRIES_MAX);
    }
}

/* Consumes the event and returns the node it starts. */
static wl_status read_node(reader *r, yaml_event_t *event, int depth, wl_yaml **out)
{
    wl_yaml *node = WL_ARENA_NEW(r->arena, wl_yaml, 1);
    const wl_loc loc = mark_loc(event->start_mark, 1);
    const yaml_event_type_t type = event->type;
    wl_status status = WL_OK;
    if (!node)
        status = wl_fail(r->err, WL_E_NOMEM, loc, "out of memory while reading YAML");
    else if (type == YAML_SCALAR_EVENT)
        status = scalar(r, event, node);
    yaml_event_delete(event);
    if (status != WL_OK)
        return status;
    *out = node;
    if (type == YAML_SCALAR_EVENT)
        return WL_OK;
    node->loc = loc;
    node->block_indent = -1;
    if (type == YAML_ALIAS_EVENT)
        return wl_fail(r->err, WL_E_INPUT, loc, "YAML aliases are not supported");
    if (type != YAML_MAPPING_START_EVENT && type != YAML_SEQUENCE_START_EVENT)
        return wl_fail(r->err, WL_E_INPUT, loc, "a value is missing here");
    if (depth >= DEPTH_MAX)
        return wl_fail(r->err, WL_E_INPUT, loc, "nested too deeply");
    node->kind = type == YAML_MAPPING_START_EVENT ? WL_YAML_MAP : WL_YAML_LIST;
    return entries(r, node, depth + 1);
}

static wl_status document(reader *r, wl_yaml **root)
{
    yaml_event_t event;
    for (;;) {
        WL_TRY(next_event(r, &event));
        if (event.type == YAML_STREAM_END_EVENT) {
            yaml_event_delete(&event);
            return wl_fail(r->err, WL_E_INPUT, (wl_loc){1, 1, 0}, "the file is empty");
        }
        if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT)
            break;
        yaml_event_delete(&event);
    }
    WL_TRY(read_node(r, &event, 0, root));
    WL_TRY(next_event(r, &event)); /* end of the document */
    yaml_event_delete(&event);
    WL_TRY(next_event(r, &event));
    const yaml_event_type_t type = event.type;
    const wl_loc loc = mark_loc(event.start_mark, 1);
    yaml_event_delete(&event);
    if (type != YAML_STREAM_END_EVENT)
        return wl_fail(r->err, WL_E_INPUT, loc, "more than one YAML document in the file");
    return WL_OK;
}

wl_status wl_yaml_parse(wl_arena *arena, const char *text, size_t length, wl_yaml **root, wl_error *err)
{
    reader r = {.arena = arena, .text = text, .length = length, .err = err};
    if (!yaml_parser_initialize(&r.parser))
        return wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory while reading YAML");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    const wl_status status = document(&r, root);
    yaml_parser_delete(&r.parser);
    return status;
}

const wl_yaml *wl_yaml_get(const wl_yaml *map, const char *key)
{
    if (!map || map->kind != WL_YAML_MAP)
        return NULL;
    for (const wl_yaml *e = map->first; e; e = e->next)
        if (e->key && strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

wl_status wl_yaml_known_keys(const wl_yaml *map, const char *const *names, size_t count, const char *what,
                             wl_error *err)
{
    for (const wl_yaml *e = map->first; e; e = e->next) {
        size_t i = 0;
        while (i < count && strcmp(names[i], e->key) != 0)
            i++;
        if (i < count)
            continue;
        const char *near = wl_nearest_name(e->key, names, count);
        return wl_fail(err, WL_E_INPUT, e->key_loc, "unknown key '%.60s' in %s%s%s%s", e->key, what,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return WL_OK;
}

wl_status wl_yaml_expect(const wl_yaml *node, wl_yaml_kind kind, const char *what, wl_error *err)
{
    static const char *const kinds[] = {"a single value", "a list", "a map of key: value"};
    if (node->kind == kind)
        return WL_OK;
    return wl_fail(err, WL_E_INPUT, node->loc, "%s must be %s, not %s", what, kinds[kind], kinds[node->kind]);
}

wl_loc wl_yaml_loc_inside(const wl_yaml *scalar, wl_loc inside)
{
    wl_loc loc = scalar->loc;
    if (inside.line == 0)
        return loc;
    if (scalar->block_indent >= 0) {
        loc.line += inside.line;
        loc.col = scalar->block_indent + inside.col;
    } else {
        loc.col += inside.col - 1; /* exact for a scalar on one line, approximate otherwise */
    }
    loc.len = inside.len;
    return loc;
}
