/* text.c - see text.h. SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"
#include "base/print.h"

void wl_text_mend_end(char *text)
{
    const size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    const unsigned char lead = (unsigned char)text[start - 1];
    const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (bytes > length - start + 1)
        text[start - 1] = '\0';
}

#define WORD_MAX 48
#define START_LEAST 3 /* letters of the shortest prefix that stands for a whole name */

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static bool same_letter(char a, char b, bool case_matters)
{
    return a == b || (!case_matters && wl_lower(a) == wl_lower(b));
}

/* Levenshtein distance, one row at a time. */
static size_t distance(const char *a, const char *b, bool case_matters)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX)
        return SIZE_MAX;
    size_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t up = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + !same_letter(a[i - 1], b[j - 1], case_matters));
            diagonal = up;
        }
    }
    return row[m];
}

/* The only name that starts with the word. NULL: none, several, or the word is too short. */
static const char *only_start(const char *word, const char *const *names, size_t count)
{
    const char *found = NULL;
    const size_t length = strlen(word);
    for (size_t i = 0; i < count && length >= START_LEAST; i++) {
        size_t same = 0;
        while (same < length && same_letter(word[same], names[i][same], false))
            same++;
        if (same < length)
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return found;
}

const char *wl_nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    const size_t length = strlen(word);
    size_t best_distance = 1 + length / 3, best_exact = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t d = distance(word, names[i], false), exact = distance(word, names[i], true);
        if (d < length && /* at least one letter must agree */
            (d < best_distance || (d == best_distance && exact < best_exact))) {
            best = names[i];
            best_distance = d;
            best_exact = exact;
        }
    }
    return best ? best : only_start(word, names, count);
}

#define FEW 6 /* names that a message lists if none of them is like the word */

/* "; there are nx, ny" if they are few, or start like the word; else nothing. */
static void list_names(const char *word, const char *const *names, size_t count, char *out, size_t size)
{
    const size_t length = strlen(word);
    size_t listed = 0, used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && listed < FEW && used + 1 < size; i++) {
        if (count > FEW && (length < 2 || strncmp(names[i], word, length) != 0))
            continue;
        const char *before = listed++ ? ", " : count == 1 ? "; there is " : "; there are ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", before, names[i]);
    }
}

wl_status wl_fail_unknown(wl_error *err, wl_loc loc, const char *what, const char *word, size_t length,
                          const char *const *names, size_t count)
{
    char shown[64], list[160];
    (void)snprintf(shown, sizeof shown, "%.*s", (int)(length < 60 ? length : 60), word);
    const char *near = wl_nearest_name(shown, names, count);
    list_names(shown, names, count, list, sizeof list);
    return wl_fail(err, WL_E_INPUT, loc, "%s '%s'%s%s%s", what, shown, near ? "; did you mean '" : list,
                   near ? near : "", near ? "'?" : "");
}

bool wl_text_number(const char *text, double *value)
{
    const char *p = text + (*text == '-' || *text == '+');
    if (!wl_is_digit(*p) && *p != '.')
        return false; /* rejects "inf", "nan" and blanks; hexadecimal fails below */
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return false;
    const char *end = NULL;
    const double v = wl_number_read(text, &end);
    if (end == text || *end != '\0' || !isfinite(v))
        return false;
    *value = v;
    return true;
}

bool wl_text_is_name(const char *text)
{
    if (!wl_is_letter(*text) && *text != '_')
        return false;
    for (; *text; text++)
        if (!wl_is_letter(*text) && !wl_is_digit(*text) && *text != '_')
            return false;
    return true;
}

size_t wl_text_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t length = c[0] < 0x80                   ? 1
                          : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                          : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                          : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool beyond = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return overlong || beyond ? 0 : length;
}
