/* test_yaml.c - base/yaml.h: the tree, where everything stood, and what is refused.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "base/yaml.h"

/* Writes a tree with the place of every node: {key@line:col: 'text'@line:col, ...}. */
static size_t describe(const wl_yaml *node, char *out, size_t size)
{
    size_t used = 0;
    if (node->key)
        used +=
            (size_t)snprintf(out + used, size - used, "%s@%d:%d ", node->key, node->key_loc.line, node->key_loc.col);
    if (node->kind == WL_YAML_SCALAR)
        return used +
               (size_t)snprintf(out + used, size - used, "'%s'@%d:%d", node->text, node->loc.line, node->loc.col);
    const char *brackets = node->kind == WL_YAML_MAP ? "{}" : "[]";
    used += (size_t)snprintf(out + used, size - used, "%c@%d:%d", brackets[0], node->loc.line, node->loc.col);
    size_t count = 0;
    for (const wl_yaml *e = node->first; e; e = e->next, count++) {
        used += (size_t)snprintf(out + used, size - used, " ");
        used += describe(e, out + used, size - used);
    }
    used += (size_t)snprintf(out + used, size - used, "%c", brackets[1]);
    check_int("tree", "count of a collection", (int64_t)node->count, (int64_t)count);
    return used;
}

static const struct {
    const char *name, *text, *tree;
} trees[] = {
    {"one scalar", "hello", "'hello'@1:1"},
    {"block map", "a: 1\nbc: 2\n", "{@1:1 a@1:1 '1'@1:4 bc@2:1 '2'@2:5}"},
    {"flow map", "{a: 1, bc: 2}", "{@1:1 a@1:2 '1'@1:5 bc@1:8 '2'@1:12}"},
    {"block list", "- 1\n- 22\n", "[@1:1 '1'@1:3 '22'@2:3]"},
    {"flow list", "[1, 22]", "[@1:1 '1'@1:2 '22'@1:5]"},
    {"nested", "m:\n  k: [1, {z: 2}]\n", "{@1:1 m@1:1 {@2:3 k@2:3 [@2:6 '1'@2:7 {@2:10 z@2:11 '2'@2:14}]}}"},
    {"comment and blank lines", "# top\n\na: 1 # one\n", "{@3:1 a@3:1 '1'@3:4}"},
    {"quoted text starts behind its quote", "a: \"b c\"\nd: 'e'\n", "{@1:1 a@1:1 'b c'@1:5 d@2:1 'e'@2:5}"},
    {"literal block", "u: |\n  x\n  y\n", "{@1:1 u@1:1 'x\ny\n'@1:4}"},
    {"empty value", "a:\nb: 2\n", "{@1:1 a@1:1 ''@1:3 b@2:1 '2'@2:4}"},
    {"empty collections", "a: {}\nb: []\n", "{@1:1 a@1:1 {@1:4} b@2:1 [@2:4]}"},
    {"document markers", "---\na: 1\n...\n", "{@2:1 a@2:1 '1'@2:4}"},
    {"columns count characters, not bytes", "{\xc3\xa4: 1, b: 2}", "{@1:1 \xc3\xa4@1:2 '1'@1:5 b@1:8 '2'@1:11}"},
    {"windows line ends", "a: 1\r\nb: 2\r\n", "{@1:1 a@1:1 '1'@1:4 b@2:1 '2'@2:4}"},
    {"no line end at the end", "a: 1", "{@1:1 a@1:1 '1'@1:4}"},
    {"anchor without alias", "a: &here 1\n", "{@1:1 a@1:1 '1'@1:4}"},
};

static void test_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(trees); i++) {
        wl_arena arena = {0};
        wl_yaml *root = NULL;
        wl_error err = {0};
        char got[512];
        const wl_status status = wl_yaml_parse(&arena, trees[i].text, strlen(trees[i].text), &root, &err);
        check_ok(trees[i].name, status, &err);
        if (status == WL_OK) {
            describe(root, got, sizeof got);
            check_text(trees[i].name, "tree", got, trees[i].tree);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

#define NEST8(open, inside, close)                                                                                     \
    open open open open open open open open inside close close close close close close close close

static const struct {
    const char *name, *text;
    expected_error want;
} refused[] = {
    {"empty", "", {WL_E_INPUT, "the file is empty", 1, 1}},
    {"blank lines", "\n\n", {WL_E_INPUT, "the file is empty", 1, 1}},
    {"comments alone", "# nothing\n", {WL_E_INPUT, "the file is empty", 1, 1}},
    {"key twice", "a: 1\nb: 2\na: 3\n", {WL_E_INPUT, "key 'a' is given twice", 3, 1}},
    {"key twice in a flow map", "{k: {a: 1, b: 2, a: 3}}", {WL_E_INPUT, "key 'a' is given twice", 1, 18}},
    {"alias", "a: &x 1\nb: *x\n", {WL_E_INPUT, "aliases are not supported", 2, 4}},
    {"alias as a key", "a: &x 1\n*x : 2\n", {WL_E_INPUT, "aliases are not supported", 2, 1}},
    {"list as a key", "? [1, 2]\n: 3\n", {WL_E_INPUT, "a key must be a plain word", 1, 3}},
    {"map as a key", "{{a: 1}: 2}", {WL_E_INPUT, "a key must be a plain word", 1, 2}},
    {"two documents", "a: 1\n---\nb: 2\n", {WL_E_INPUT, "more than one YAML document", 2, 1}},
    {"17 levels", NEST8("[", NEST8("[", "[1]", "]"), "]"), {WL_E_INPUT, "nested too deeply", 1, 17}},
    {"bracket left open", "a: [1, 2\nb: 3\n", {WL_E_INPUT, "not valid YAML", 2, 2}},
    {"bracket closed twice", "a: [1]]\n", {WL_E_INPUT, "not valid YAML", 1, 7}},
    {"quote left open", "a: \"b\n", {WL_E_INPUT, "not valid YAML", 2, 1}},
    {"tab as indentation", "a:\n\tb: 1\n", {WL_E_INPUT, "not valid YAML", 2, 1}},
    {"indentation that does not fit", "a:\n    b: 1\n  c: 2\n", {WL_E_INPUT, "not valid YAML", 3, 3}},
    {"two colons", "a: b: c\n", {WL_E_INPUT, "not valid YAML", 1, 5}},
    {"C source", "int main(void) { return 0; }\n/* a: b */", {WL_E_INPUT, "not valid YAML", 2, 5}},
    {"escaped zero byte", "a: \"b\\0c\"\n", {WL_E_INPUT, "zero byte", 1, 4}},
    {"undefined tag", "a: !x!y 1\n", {WL_E_INPUT, "not valid YAML", 1, 4}},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        wl_arena arena = {0};
        wl_yaml *root = NULL;
        wl_error err = {0};
        const wl_status status = wl_yaml_parse(&arena, refused[i].text, strlen(refused[i].text), &root, &err);
        check_error(refused[i].name, status, &err, &refused[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

/* Bytes that are no text at all: refused, wherever they stand. */
static void test_binary(void **state)
{
    static const struct {
        const char *name, *text;
        size_t length;
        expected_error want;
    } cases[] = {
        {"zero byte", "a: 1\nb: \0\n", 10, {WL_E_INPUT, "not valid YAML", 2, 4}},
        {"not UTF-8", "a: 1\nb: \xff\xfe\n", 11, {WL_E_INPUT, "not valid YAML", 2, 4}},
        {"cut UTF-8", "a: \xc3", 4, {WL_E_INPUT, "not valid YAML", 1, 4}},
        {"control character", "a: \x01\n", 5, {WL_E_INPUT, "not valid YAML", 1, 4}},
        {"control character behind letters of two bytes",
         "\xc3\xa4\xc3\xa4: \x01\n",
         8,
         {WL_E_INPUT, "not valid YAML", 1, 5}},
        {"an executable",
         "\x7f"
         "ELF\x02\x01\x01\0\0\0\0\0",
         12,
         {WL_E_INPUT, "not valid YAML", 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_arena arena = {0};
        wl_yaml *root = NULL;
        wl_error err = {0};
        check_error(cases[i].name, wl_yaml_parse(&arena, cases[i].text, cases[i].length, &root, &err), &err,
                    &cases[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

/* A place inside a scalar's content, and where it stands in the file. */
static const struct {
    const char *name, *text;
    int32_t line, col;       /* inside */
    int32_t in_line, in_col; /* in the file */
} inside[] = {
    {"plain", "a: 1\nu: bcd\n", 1, 3, 2, 6},
    {"quoted", "a: 1\nu: \"bcd\"\n", 1, 3, 2, 7},
    {"in a flow map", "{u: bcd}", 1, 2, 1, 6},
    {"literal, first line", "u: |\n  bcd\n  efg\n", 1, 1, 2, 3},
    {"literal, second line", "u: |\n  bcd\n  efg\n", 2, 3, 3, 5},
    {"literal, deep indentation", "u: |\n        bcd\n", 1, 2, 2, 10},
    {"literal, blank line in front", "u: |\n\n  bcd\n", 2, 1, 3, 3},
    {"literal, blank line between", "u: |\n  bcd\n\n  efg\n", 3, 1, 4, 3},
    {"literal, indented line", "u: |\n  bcd\n    efg\n", 2, 3, 3, 5},
    {"literal, stripped", "u: |-\n  bcd\n", 1, 1, 2, 3},
    {"literal, comment behind the bar", "u: | # here\n  bcd\n", 1, 1, 2, 3},
    {"literal, nested key", "m: 1\nn:\n  u: 2\nu: |\n   bcd\n", 1, 1, 5, 4},
    {"literal, windows line ends", "u: |\r\n  bcd\r\n  efg\r\n", 2, 1, 3, 3},
    {"literal, behind many letters of two bytes",
     "# \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\nu: |\n    bcd\n", 1, 2, 3, 6},
    {"no place inside", "a: 1\nu: bcd\n", 0, 0, 2, 4},
    {"no place inside a literal", "u: |\n  bcd\n", 0, 0, 1, 4},
};

static void test_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(inside); i++) {
        wl_arena arena = {0};
        wl_yaml *root = NULL;
        wl_error err = {0};
        const wl_status status = wl_yaml_parse(&arena, inside[i].text, strlen(inside[i].text), &root, &err);
        const wl_yaml *u = status == WL_OK ? wl_yaml_get(root, "u") : NULL;
        check_ok(inside[i].name, status, &err);
        if (u) {
            const wl_loc loc = wl_yaml_loc_inside(u, (wl_loc){inside[i].line, inside[i].col, 1});
            check_int(inside[i].name, "line", loc.line, inside[i].in_line);
            check_int(inside[i].name, "column", loc.col, inside[i].in_col);
        }
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_questions(void **state)
{
    static const char *const names[] = {"alpha", "beta"};
    static const char text[] = "alpha: 1\nbeta: [2]\ngamma: {x: 3}\nbetta: 4\n";
    (void)state;
    wl_arena arena = {0};
    wl_yaml *root = NULL;
    wl_error err = {0};
    assert_int_equal(wl_yaml_parse(&arena, text, strlen(text), &root, &err), WL_OK);
    check_text("get", "text", wl_yaml_get(root, "alpha")->text, "1");
    check_true("get", "nothing for a missing key", wl_yaml_get(root, "delta") == NULL);
    check_true("get", "nothing in a list", wl_yaml_get(wl_yaml_get(root, "beta"), "x") == NULL);
    check_true("get", "nothing in nothing", wl_yaml_get(NULL, "x") == NULL);

    const expected_error unknown = {WL_E_INPUT, "unknown key 'gamma' in a test", 3, 1};
    check_error("unknown key", wl_yaml_known_keys(root, names, 2, "a test", &err), &err, &unknown);
    check_true("unknown key", "no suggestion when nothing is near", strstr(err.message, "did you mean") == NULL);
    static const char *const more[] = {"alpha", "beta", "gamma"};
    const expected_error near = {WL_E_INPUT, "unknown key 'betta' in a test; did you mean 'beta'?", 4, 1};
    err = (wl_error){0};
    check_error("near key", wl_yaml_known_keys(root, more, 3, "a test", &err), &err, &near);

    static const struct {
        const char *key;
        wl_yaml_kind kind;
        expected_error want;
    } kinds[] = {
        {"alpha", WL_YAML_SCALAR, {WL_OK, "", 0, 0}},
        {"alpha", WL_YAML_LIST, {WL_E_INPUT, "it must be a list, not a single value", 1, 8}},
        {"beta", WL_YAML_MAP, {WL_E_INPUT, "it must be a map of key: value, not a list", 2, 7}},
        {"gamma", WL_YAML_SCALAR, {WL_E_INPUT, "it must be a single value, not a map of key: value", 3, 8}},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        err = (wl_error){0};
        check_error(kinds[i].key, wl_yaml_expect(wl_yaml_get(root, kinds[i].key), kinds[i].kind, "it", &err), &err,
                    &kinds[i].want);
    }
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_binary), cmocka_unit_test(test_inside),
                                       cmocka_unit_test(test_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
