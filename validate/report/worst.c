/* worst.c - the launches farthest off, and why. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <yaml.h>

#include "accuracy.h"

#define SHOWN 0.10 /* smaller errors need no explanation */

/* ---- a YAML mapping of texts ---- */

static bool open_texts(const char *path, yaml_document_t *document)
{
    yaml_parser_t parser;
    FILE *f = fopen(path, "rb");
    bool ok = f && yaml_parser_initialize(&parser);
    if (ok) {
        yaml_parser_set_input_file(&parser, f);
        ok = yaml_parser_load(&parser, document);
        if (ok && (!yaml_document_get_root_node(document) ||
                   yaml_document_get_root_node(document)->type != YAML_MAPPING_NODE)) {
            yaml_document_delete(document);
            ok = false;
        }
        yaml_parser_delete(&parser);
    }
    if (f)
        fclose(f);
    if (!ok)
        fprintf(stderr, "report: %s: this is no mapping of families to texts\n", path);
    return ok;
}

static const char *find_text(yaml_document_t *document, const char *key)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);
    for (const yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = yaml_document_get_node(document, p->key),
                          *text = yaml_document_get_node(document, p->value);
        if (name->type == YAML_SCALAR_NODE && text->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            return (const char *)text->data.scalar.value;
    }
    return NULL;
}

/* ---- rows ---- */

static const row *worst_of(const rows *all, const family_rows *f, int v, double *error)
{
    const row *worst = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->list[i];
        double e = 0;
        if (row_selected(r, &(selection){f->table, f->name, NULL}) && row_counts(r, v) &&
            wl_pair_error((wl_pair){r->measured[v], r->predicted[v]}, &e) && (!worst || fabs(e) > fabs(*error))) {
            worst = r;
            *error = e;
        }
    }
    return worst;
}

/* Strides and the origin are left away: they are in the table. */
static void launch(const row *r, FILE *out)
{
    const char *end = strstr(r->params, ";sy=");
    const size_t length = end ? (size_t)(end - r->params) : strlen(r->params);
    fprintf(out, "%s %lldx%lldx%lld, %.*s, line %d", r->variant, (long long)r->block[0], (long long)r->block[1],
            (long long)r->block[2], (int)length, r->params, r->line);
}

static void family_worst(const rows *all, const family_rows *f, const char *why, FILE *out)
{
    bool any = false;
    for (int v = 0; v < JUDGED; v++) {
        double error = 0;
        const row *r = worst_of(all, f, v, &error);
        if (!r || fabs(error) < SHOWN)
            continue;
        if (!any)
            fprintf(out, "**%s** (%s). %s\n\n", f->name, f->table, why ? why : "No explanation yet.");
        any = true;
        fprintf(out, "- %s %+.0f %%: ", value_label(v), 100 * error);
        launch(r, out);
        fputc('\n', out);
    }
    if (any)
        fputc('\n', out);
}

bool report_worst(const rows *all, const char *explanations, FILE *out)
{
    yaml_document_t document;
    fprintf(out,
            "## Worst launches\n\nFor each family and value, the launch with the largest error, if that is more than "
            "%.0f %%, and why. `line` is the line of the table.\n\n",
            100 * SHOWN);
    const bool open = explanations != NULL;
    if (open && !open_texts(explanations, &document))
        return false;
    for (size_t i = 0; i < all->family_count; i++) {
        const family_rows *f = &all->families[i];
        char key[2 * NAME_LENGTH];
        snprintf(key, sizeof key, "%s/%s", f->table, f->name);
        const char *why = open ? find_text(&document, key) : NULL;
        family_worst(all, f, why || !open ? why : find_text(&document, f->name), out);
    }
    if (open)
        yaml_document_delete(&document);
    return true;
}
