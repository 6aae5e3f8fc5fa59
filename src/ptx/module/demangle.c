/* demangle.c - see demangle.h. Reads a mangled name into a tree; most types and expressions are
 * rows of a table of rules.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "ptx/module/demangle_internal.h"

#define SYMBOL_MAX 8192 /* bytes */
#define DEPTH_MAX 192
#define NODES_MAX 65536 /* far more than a valid name of that length has */

typedef wl_mangled node;

typedef struct reader {
    const char *at, *end;
    wl_arena *arena;
    const node **substitutions;
    int substitution_count, substitution_room;
    int lambdas; /* inside the parameters of so many: T_ is their auto */
    int depth, nodes;
    bool failed; /* out of memory */
} reader;

/* What the name of a function tells about it. */
typedef struct name_facts {
    bool is_template, is_structor; /* with return type; without */
    const char *qualifiers;        /* " const" */
} name_facts;

/* Readers return NULL if the text is of another kind, or memory ran out. */
static const node *encoding(reader *r);
static const node *read_name(reader *r, name_facts *about);
static const node *template_arguments(reader *r, const node *of);
static const node *type(reader *r);
static const node *expression(reader *r);

/* ---- what all readers need ---- */

static const node *new_node(reader *r, node n)
{
    if (++r->nodes > NODES_MAX)
        return NULL;
    node *made = WL_ARENA_NEW(r->arena, node, 1);
    r->failed = r->failed || !made;
    if (made)
        *made = n;
    return made;
}

static const node *name_of(reader *r, const char *text, size_t length)
{
    return new_node(r, (node){.kind = WL_MANGLED_NAME, .text = text, .length = (int)length});
}

/* A name that does not stand in the symbol. */
static const node *made_name(reader *r, const char *text)
{
    const char *kept = wl_arena_text(r->arena, text, strlen(text));
    r->failed = r->failed || !kept;
    return kept ? name_of(r, kept, strlen(kept)) : NULL;
}

static const node *nest(reader *r, const node *scope, const node *name)
{
    return scope && name ? new_node(r, (node){.kind = WL_MANGLED_NESTED, .a = scope, .b = name}) : name;
}

static char next_character(const reader *r) { return r->at < r->end ? *r->at : '\0'; }

static bool take(reader *r, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Digits of a base up to 36; false: none, or too many. */
static bool digits(reader *r, int base, int *number)
{
    const char *start = r->at;
    for (*number = 0; r->at < r->end; r->at++) {
        const char c = *r->at;
        const int digit = wl_is_digit(c) ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : base;
        if (digit >= base)
            break;
        if (*number > (INT_MAX - base) / base)
            return false;
        *number = base * *number + digit;
    }
    return r->at > start;
}

/* "_" is the first of its kind, number 0; "0_" the second. */
static bool sequence(reader *r, int base, int *number)
{
    *number = 0;
    if (take(r, "_"))
        return true;
    if (!digits(r, base, number) || !take(r, "_") || *number > INT_MAX - 3)
        return false;
    ++*number;
    return true;
}

static bool enter(reader *r) { return ++r->depth < DEPTH_MAX; }

/* Elements up to E or the end; false: malformed. */
static bool list(reader *r, const node *(*read)(reader *), const node **out)
{
    *out = NULL;
    while (r->at < r->end && *r->at != 'E') {
        const node *element = read(r);
        node *cell = element ? WL_ARENA_NEW(r->arena, node, 1) : NULL;
        r->failed = r->failed || (element && !cell);
        if (!cell)
            return false;
        *cell = (node){.kind = WL_MANGLED_LIST, .a = element};
        *out = cell;
        out = &cell->next;
    }
    return true;
}

/* The parameters of a function; one void is none. */
static bool parameters(reader *r, const node **out)
{
    const bool none = next_character(r) == 'v' && (r->end - r->at == 1 || r->at[1] == 'E' || r->at[1] == '.');
    r->at += none;
    *out = NULL;
    return none || (list(r, type, out) && *out);
}

/* Keeps what later parts may refer to. Every one takes at least a character, so there is room for
 * all. */
static const node *remembered(reader *r, const node *n)
{
    if (n && r->substitution_count < r->substitution_room)
        r->substitutions[r->substitution_count++] = n;
    return n;
}

static const char *qualifiers(reader *r)
{
    static const char *const names[] = {"",
                                        " const",
                                        " volatile",
                                        " const volatile",
                                        " __restrict",
                                        " const __restrict",
                                        " volatile __restrict",
                                        " const volatile __restrict"};
    int which = 0;
    for (; r->at < r->end && (*r->at == 'r' || *r->at == 'V' || *r->at == 'K'); r->at++)
        which |= *r->at == 'K' ? 1 : *r->at == 'V' ? 2 : 4;
    return names[which];
}

/* ---- codes ---- */

typedef struct word {
    const char *code, *name;
} word;

static const char *take_word(reader *r, const word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (take(r, words[i].code))
            return words[i].name;
    return NULL;
}
#define TAKE_WORD(r, words) take_word((r), (words), sizeof(words) / sizeof *(words))

static const word unary[] = {
    {"ad", "&"},     {"cl", "()"}, {"co", "~"}, {"da", "delete[]"}, {"de", "*"},  {"dl", "delete"}, {"mm", "--"},
    {"na", "new[]"}, {"ng", "-"},  {"nt", "!"}, {"nw", "new"},      {"pp", "++"}, {"ps", "+"},
};
static const word binary[] = {
    {"aN", "&="}, {"aS", "="},  {"aa", "&&"},  {"an", "&"},  {"cm", ","},  {"dV", "/="},  {"dv", "/"},
    {"eO", "^="}, {"eo", "^"},  {"eq", "=="},  {"ge", ">="}, {"gt", ">"},  {"ix", "[]"},  {"lS", "<<="},
    {"le", "<="}, {"ls", "<<"}, {"lt", "<"},   {"mI", "-="}, {"mL", "*="}, {"mi", "-"},   {"ml", "*"},
    {"ne", "!="}, {"oR", "|="}, {"oo", "||"},  {"or", "|"},  {"pL", "+="}, {"pl", "+"},   {"pm", "->*"},
    {"pt", "->"}, {"rM", "%="}, {"rS", ">>="}, {"rm", "%"},  {"rs", ">>"}, {"ss", "<=>"},
};
static const word builtin_types[] = {
    {"a", "signed char"}, {"b", "bool"},
    {"c", "char"},        {"d", "double"},
    {"e", "long double"}, {"f", "float"},
    {"g", "__float128"},  {"h", "unsigned char"},
    {"i", "int"},         {"j", "unsigned int"},
    {"l", "long"},        {"m", "unsigned long"},
    {"n", "__int128"},    {"o", "unsigned __int128"},
    {"s", "short"},       {"t", "unsigned short"},
    {"v", "void"},        {"w", "wchar_t"},
    {"x", "long long"},   {"y", "unsigned long long"},
    {"z", "..."},
};
static const word further_types[] = {{"Da", "auto"},        {"Dc", "decltype(auto)"}, {"Dn", "decltype(nullptr)"},
                                     {"Di", "char32_t"},    {"Ds", "char16_t"},       {"Du", "char8_t"},
                                     {"Dh", "half"},        {"Df", "decimal32"},      {"Dd", "decimal64"},
                                     {"De", "decimal128"},  {"DF16_", "_Float16"},    {"DF16b", "std::bfloat16_t"},
                                     {"DF32_", "_Float32"}, {"DF64_", "_Float64"},    {"DF128_", "_Float128"}};
static const word members_of_std[] = {{"Sa", "allocator"}, {"Sb", "basic_string"}, {"Ss", "string"},
                                      {"Si", "istream"},   {"So", "ostream"},      {"Sd", "iostream"}};

/* A code and the parts that follow it: "at" is a type that becomes part a of the node; e an
 * expression, s a simple name, p a template parameter, l a list of expressions, n a number, x the
 * extent of an array. Other characters stand for themselves. */
typedef struct rule {
    const char *code, *parts;
    wl_mangled_kind kind;
    const char *text;
} rule;

static const rule types[] = {
    {"P", "at", WL_MANGLED_POINTER, "*"},
    {"R", "at", WL_MANGLED_POINTER, "&"},
    {"O", "at", WL_MANGLED_POINTER, "&&"},
    {"C", "at", WL_MANGLED_QUALIFIED, " _Complex"},
    {"A", "bx_at", WL_MANGLED_ARRAY, ""},
    {"M", "btat", WL_MANGLED_MEMBER, ""},
    {"Dp", "at", WL_MANGLED_EXPANSION, ""},
    {"Dv", "bn_at", WL_MANGLED_FORM, "%a __vector(%b)"},
    {"DT", "aeE", WL_MANGLED_WRAPPED, "decltype (%a)"},
    {"Dt", "aeE", WL_MANGLED_WRAPPED, "decltype (%a)"},
};
static const rule expressions[] = {
    {"st", "at", WL_MANGLED_WRAPPED, "sizeof (%a)"},  {"sz", "ae", WL_MANGLED_WRAPPED, "sizeof (%a)"},
    {"at", "at", WL_MANGLED_WRAPPED, "alignof (%a)"}, {"sZ", "ap", WL_MANGLED_PACK_SIZE, ""},
    {"sp", "ae", WL_MANGLED_EXPANSION, ""},           {"cl", "aebl", WL_MANGLED_FORM, "%A(%L)"},
    {"tl", "atbl", WL_MANGLED_CLOSED, "%a{%L}"},      {"il", "bl", WL_MANGLED_CLOSED, "%a{%L}"},
    {"dt", "aebs", WL_MANGLED_BINARY, "."},           {"qu", "aebece", WL_MANGLED_FORM, "%A?%B : %C"},
};

/* ---- single names ---- */

static bool starts(const char *text, int length, const char *with)
{
    return (size_t)length >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

static const node *source_name(reader *r)
{
    static const char unnamed[] = "(anonymous namespace)";
    int length;
    if (!digits(r, 10, &length) || length == 0 || length > r->end - r->at)
        return NULL;
    const char *text = r->at;
    r->at += length;
    if (starts(text, length, "_GLOBAL__N_"))
        return name_of(r, unnamed, strlen(unnamed));
    if (starts(text, length, "_INTERNAL_"))
        return new_node(r, (node){.kind = WL_MANGLED_FILE});
    return name_of(r, text, (size_t)length);
}

static const node *closed_form(reader *r, const char *form, int number, const node *of)
{
    return new_node(r, (node){.kind = WL_MANGLED_CLOSED, .text = form, .number = number, .b = of});
}

/* Ut_, UlvE_ */
static const node *unnamed_type(reader *r)
{
    const node *takes = NULL;
    int number;
    const bool lambda = take(r, "Ul");
    if (!lambda && !take(r, "Ut"))
        return NULL;
    r->lambdas += lambda;
    const bool ok = !lambda || (parameters(r, &takes) && take(r, "E"));
    r->lambdas -= lambda;
    if (!ok || !sequence(r, 10, &number))
        return NULL;
    return closed_form(r, lambda ? "{lambda(%L)#%n}" : "{unnamed type#%n}", number + 1, takes);
}

static const node *structor(reader *r, const node *scope, name_facts *about)
{
    const bool destructor = *r->at == 'D';
    if (!scope || r->end - r->at < 2 || !strchr("01234", r->at[1]))
        return NULL;
    r->at += 2;
    about->is_structor = true;
    return new_node(r, (node){.kind = WL_MANGLED_STRUCTOR, .text = "~", .length = destructor, .a = scope});
}

static const node *operator_name(reader *r, name_facts *about)
{
    char text[24];
    if (take(r, "cv")) {
        const node *to = type(r);
        about->is_structor = true; /* no return type either */
        return to ? new_node(r, (node){.kind = WL_MANGLED_FORM, .text = "operator %a", .a = to}) : NULL;
    }
    const char *name = TAKE_WORD(r, unary);
    name = name ? name : TAKE_WORD(r, binary);
    if (!name)
        return NULL;
    (void)snprintf(text, sizeof text, "operator%s%s", wl_is_letter(name[0]) ? " " : "", name);
    return made_name(r, text);
}

static const node *unqualified(reader *r, const node *scope, name_facts *about)
{
    (void)take(r, "L"); /* of a file */
    const char c = next_character(r);
    const node *name = wl_is_digit(c)         ? source_name(r)
                       : c == 'U'             ? unnamed_type(r)
                       : c == 'C' || c == 'D' ? structor(r, scope, about)
                       : c >= 'a' && c <= 'z' ? operator_name(r, about)
                                              : NULL;
    while (name && take(r, "B")) { /* f[abi:cxx11] */
        const node *tag = source_name(r);
        name = tag ? new_node(r, (node){.kind = WL_MANGLED_WRAPPED, .text = "%a[abi:%b]", .a = name, .b = tag}) : NULL;
    }
    return name;
}

/* ---- what refers back ---- */

static const node *substitution(reader *r)
{
    const char *member = TAKE_WORD(r, members_of_std);
    int number;
    if (member) {
        const node *scope = name_of(r, "std", 3);
        return scope ? nest(r, scope, name_of(r, member, strlen(member))) : NULL;
    }
    if (!take(r, "S") || !sequence(r, 36, &number))
        return NULL;
    return number < r->substitution_count ? r->substitutions[number] : NULL;
}

/* T_ is the first template argument, T0_ the second. */
static const node *parameter(reader *r)
{
    char text[24];
    int number;
    if (!take(r, "T") || !sequence(r, 10, &number))
        return NULL;
    if (r->lambdas == 0)
        return new_node(r, (node){.kind = WL_MANGLED_PARAMETER, .number = number});
    (void)snprintf(text, sizeof text, "auto:%d", number + 1);
    return made_name(r, text);
}

/* ---- names in scopes ---- */

/* The next part of a nested name; *fresh: substitutions may refer to it. */
static const node *nested_part(reader *r, const node *scope, name_facts *about, bool *fresh)
{
    const char c = *r->at, second = r->end - r->at > 1 ? r->at[1] : '\0';
    *fresh = true;
    if (c == 'I' && scope) {
        about->is_template = true;
        return template_arguments(r, scope);
    }
    about->is_template = false;
    if (c == 'T' && !scope)
        return parameter(r);
    if (c == 'S' && !scope) {
        *fresh = false;
        return take(r, "St") ? name_of(r, "std", 3) : substitution(r);
    }
    if (c == 'D' && (second == 't' || second == 'T') && !scope)
        return type(r);
    return nest(r, scope, unqualified(r, scope, about));
}

static const node *nested_name(reader *r, name_facts *about)
{
    const node *name = NULL;
    bool fresh = false;
    about->qualifiers = qualifiers(r);
    if (take(r, "R"))
        about->qualifiers = *about->qualifiers ? " const &" : " &";
    else if (take(r, "O"))
        about->qualifiers = *about->qualifiers ? " const &&" : " &&";
    while (!take(r, "E")) {
        if (r->at == r->end || !(name = nested_part(r, name, about, &fresh)))
            return NULL;
        (void)take(r, "M"); /* a member whose initial value this is in */
        if (fresh)
            (void)remembered(r, name);
    }
    if (fresh && r->substitution_count > 0) /* the whole name is not a scope */
        r->substitution_count--;
    return name;
}

/* "_3", "__12_": which of several equal names in one function. */
static bool discriminator(reader *r)
{
    int number;
    if (!take(r, "_"))
        return true;
    const bool is_long = take(r, "_");
    return digits(r, 10, &number) && (!is_long || take(r, "_"));
}

/* A name inside a function. */
static const node *local_name(reader *r, name_facts *about)
{
    static const char literal[] = "string literal";
    const node *function = encoding(r);
    if (!function || !take(r, "E"))
        return NULL;
    const node *name = take(r, "s") ? name_of(r, literal, strlen(literal)) : read_name(r, about);
    return name && discriminator(r) ? nest(r, function, name) : NULL;
}

static const node *plain_name(reader *r, name_facts *about)
{
    const node *scope = NULL;
    if (take(r, "St") && !(scope = name_of(r, "std", 3)))
        return NULL;
    const node *name = nest(r, scope, unqualified(r, NULL, about));
    if (!name || next_character(r) != 'I')
        return name;
    about->is_template = true;
    return template_arguments(r, remembered(r, name));
}

static const node *read_name(reader *r, name_facts *about)
{
    const node *name = NULL;
    *about = (name_facts){.qualifiers = ""};
    if (!enter(r))
        return NULL;
    if (take(r, "N")) {
        name = nested_name(r, about);
    } else if (take(r, "Z")) {
        name = local_name(r, about);
    } else if (r->end - r->at > 1 && *r->at == 'S' && r->at[1] != 't') {
        about->is_template = true;
        name = substitution(r);
        name = name ? template_arguments(r, name) : NULL;
    } else {
        name = plain_name(r, about);
    }
    r->depth--;
    return name;
}

/* A name with the template arguments that follow it. */
static const node *simple_name(reader *r)
{
    name_facts about = {0};
    const node *name = unqualified(r, NULL, &about);
    return name && next_character(r) == 'I' ? template_arguments(r, name) : name;
}

/* ---- rules ---- */

static const node *written_number(reader *r)
{
    const char *start = r->at;
    int number;
    return digits(r, 10, &number) ? name_of(r, start, (size_t)(r->at - start)) : NULL;
}

static bool part(reader *r, char what, const node **to)
{
    switch (what) {
    case 't': *to = type(r); break;
    case 'e': *to = expression(r); break;
    case 's': *to = simple_name(r); break;
    case 'p': *to = parameter(r); break;
    case 'n': *to = written_number(r); break;
    case 'l': return list(r, expression, to) && take(r, "E");
    default: /* x */
        if (next_character(r) == '_')
            return true;
        *to = wl_is_digit(next_character(r)) ? written_number(r) : expression(r);
    }
    return *to != NULL;
}

/* What a rule describes; *found: the text begins with the code of one. */
static const node *by_rule(reader *r, const rule *rules, size_t count, bool *found)
{
    size_t i = 0;
    while (i < count && !take(r, rules[i].code))
        i++;
    *found = i < count;
    if (!*found)
        return NULL;
    node n = {.kind = rules[i].kind, .text = rules[i].text, .length = (int)strlen(rules[i].text)};
    const node **const parts[] = {&n.a, &n.b, &n.c};
    for (const char *p = rules[i].parts; *p; p++)
        if (*p < 'a' || *p > 'c') {
            if (!take(r, (const char[]){*p, '\0'}))
                return NULL;
        } else if (!part(r, p[1], parts[*p - 'a'])) {
            return NULL;
        } else {
            p++;
        }
    return new_node(r, n);
}
#define BY_RULE(r, rules, found) by_rule((r), (rules), sizeof(rules) / sizeof *(rules), (found))

/* ---- values and expressions ---- */

/* L_Z1fvE, Li32E, Lb1E, Lin3E */
static const node *literal(reader *r)
{
    node n = {.kind = WL_MANGLED_LITERAL};
    if (!take(r, "L"))
        return NULL;
    if (take(r, "_Z") || take(r, "Z")) {
        const node *function = encoding(r);
        return function && take(r, "E") ? function : NULL;
    }
    if (!(n.a = type(r)))
        return NULL;
    n.text = r->at;
    while (r->at < r->end && *r->at != 'E')
        r->at++;
    n.length = (int)(r->at - n.text);
    return take(r, "E") ? new_node(r, n) : NULL;
}

/* NAME.. E NAME, inside a scope that may be NULL */
static const node *levels(reader *r, const node *scope)
{
    while (!take(r, "E"))
        if (!(scope = nest(r, scope, simple_name(r))))
            return NULL;
    return scope ? nest(r, scope, simple_name(r)) : NULL;
}

/* A member of something that depends on the arguments: sr TYPE NAME, srN TYPE NAME.. E NAME,
 * sr NAME.. E NAME. Compilers disagree on the last, which may be a type as well. */
static const node *unresolved(reader *r)
{
    const reader start = *r;
    if (take(r, "N")) {
        const node *scope = type(r);
        return scope ? levels(r, scope) : NULL;
    }
    const node *found = wl_is_digit(next_character(r)) ? levels(r, NULL) : NULL;
    if (found || r->failed)
        return found;
    const int nodes = r->nodes;
    *r = start;
    r->nodes = nodes;
    const node *scope = type(r);
    return scope ? nest(r, scope, simple_name(r)) : NULL;
}

static const node *cast(reader *r)
{
    node n = {.kind = WL_MANGLED_FORM, .a = type(r)};
    if (!n.a)
        return NULL;
    const bool several = take(r, "_");
    n.text = several ? "(%a)(%L)" : "(%a)%B";
    return part(r, several ? 'l' : 'e', &n.b) ? new_node(r, n) : NULL;
}

static const node *operation(reader *r)
{
    node n = {.kind = WL_MANGLED_BINARY, .text = TAKE_WORD(r, binary)};
    if (!n.text) {
        n = (node){.kind = WL_MANGLED_PREFIX, .text = TAKE_WORD(r, unary)};
        (void)(n.text && take(r, "_")); /* ++ before its operand */
    }
    if (!n.text || strlen(n.text) > 3 || !(n.a = expression(r)))
        return NULL;
    n.length = (int)strlen(n.text);
    return n.kind == WL_MANGLED_PREFIX || (n.b = expression(r)) ? new_node(r, n) : NULL;
}

/* fp_, fp0_: a parameter of the function, in what it returns */
static const node *function_parameter(reader *r)
{
    int number;
    (void)qualifiers(r);
    return sequence(r, 10, &number) ? closed_form(r, "{parm#%n}", number + 1, NULL) : NULL;
}

static const node *expression_at(reader *r)
{
    bool found;
    if (*r->at == 'L')
        return literal(r);
    if (*r->at == 'T')
        return parameter(r);
    if (wl_is_digit(*r->at) || take(r, "on"))
        return simple_name(r);
    if (take(r, "sr"))
        return unresolved(r);
    if (take(r, "fp"))
        return function_parameter(r);
    if (take(r, "cv"))
        return cast(r);
    const node *ruled = BY_RULE(r, expressions, &found);
    return found ? ruled : operation(r);
}

static const node *expression(reader *r)
{
    const node *found = enter(r) && r->at < r->end ? expression_at(r) : NULL;
    r->depth--;
    return found;
}

/* ---- template arguments ---- */

static const node *argument(reader *r)
{
    node pack = {.kind = WL_MANGLED_PACK};
    if (next_character(r) == 'L')
        return literal(r);
    if (take(r, "X")) {
        const node *found = expression(r);
        return found && take(r, "E") ? found : NULL;
    }
    if (!take(r, "J"))
        return type(r);
    return list(r, argument, &pack.a) && take(r, "E") ? new_node(r, pack) : NULL;
}

static const node *template_arguments(reader *r, const node *of)
{
    node n = {.kind = WL_MANGLED_TEMPLATE, .a = of};
    if (!enter(r) || !take(r, "I") || !list(r, argument, &n.b) || !take(r, "E"))
        return NULL;
    r->depth--;
    return new_node(r, n);
}

/* ---- types ---- */

/* F..E, with the qualifiers before it */
static const node *function(reader *r, const char *before)
{
    node n = {.kind = WL_MANGLED_FUNCTION, .text = take(r, "Do") ? " noexcept" : before};
    n.length = (int)strlen(n.text);
    if (!take(r, "F"))
        return NULL;
    (void)take(r, "Y"); /* extern "C" */
    return (n.a = type(r)) && parameters(r, &n.b) && take(r, "E") ? remembered(r, new_node(r, n)) : NULL;
}

static const node *qualified(reader *r)
{
    node n = {.kind = WL_MANGLED_QUALIFIED, .text = qualifiers(r)};
    if (next_character(r) == 'F')
        return function(r, n.text);
    n.length = (int)strlen(n.text);
    return (n.a = type(r)) ? remembered(r, new_node(r, n)) : NULL;
}

/* A type that is a template with its arguments, where they follow. */
static const node *with_arguments(reader *r, const node *of)
{
    return of && next_character(r) == 'I' ? remembered(r, template_arguments(r, of)) : of;
}

static const node *class_name(reader *r)
{
    name_facts about;
    return remembered(r, read_name(r, &about));
}

static const node *type_at(reader *r)
{
    const char second = r->end - r->at > 1 ? r->at[1] : '\0';
    const char *name = TAKE_WORD(r, builtin_types);
    bool found;
    name = name ? name : TAKE_WORD(r, further_types);
    if (name)
        return name_of(r, name, strlen(name));
    const node *ruled = BY_RULE(r, types, &found);
    if (found)
        return remembered(r, ruled);
    switch (*r->at) {
    case 'r':
    case 'V':
    case 'K': return qualified(r);
    case 'F': return function(r, "");
    case 'D': return second == 'o' ? function(r, "") : NULL;
    case 'u': r->at++; return remembered(r, with_arguments(r, source_name(r)));
    case 'T':
        if (second == 's' || second == 'u' || second == 'e') { /* struct, union, enum */
            r->at += 2;
            return class_name(r);
        }
        return with_arguments(r, remembered(r, parameter(r)));
    case 'S': return second == 't' ? class_name(r) : with_arguments(r, substitution(r));
    default: return class_name(r);
    }
}

static const node *type(reader *r)
{
    const node *found = enter(r) && r->at < r->end ? type_at(r) : NULL;
    r->depth--;
    return found;
}

/* ---- functions and variables ---- */

static const node *encoding(reader *r)
{
    name_facts about;
    node n = {.kind = WL_MANGLED_FUNCTION};
    const node *name = enter(r) ? read_name(r, &about) : NULL;
    r->depth--;
    if (!name || r->at == r->end || *r->at == 'E')
        return name; /* a variable */
    if ((about.is_template && !about.is_structor && !(n.a = type(r))) || !parameters(r, &n.b))
        return NULL;
    n.text = about.qualifiers;
    n.length = (int)strlen(about.qualifiers);
    const node *kept = new_node(r, n);
    return kept ? new_node(r, (node){.kind = WL_MANGLED_ENCODING, .a = name, .b = kept}) : NULL;
}

static wl_ptx_demangled as_it_is(const char *symbol, wl_arena *arena)
{
    const size_t length = strlen(symbol);
    return (wl_ptx_demangled){.text = wl_arena_text(arena, symbol, length), .args = length, .end = length};
}

static wl_ptx_demangled print(const node *tree, const char *symbol, wl_arena *arena)
{
    wl_ptx_demangled found = {0};
    wl_buffer out = {0};
    if (!wl_mangled_print(tree, &out, &found) && !out.failed)
        found = as_it_is(symbol, arena);
    else if (!out.failed)
        found.text = wl_arena_text(arena, out.text, out.length);
    wl_buffer_drop(&out);
    return found;
}

wl_ptx_demangled wl_ptx_demangle(const char *symbol, wl_arena *arena)
{
    const size_t length = strlen(symbol);
    wl_arena scratch = {0};
    reader r = {.at = symbol, .end = symbol + length, .arena = &scratch, .substitution_room = (int)length};
    if (length > SYMBOL_MAX || !take(&r, "_Z"))
        return as_it_is(symbol, arena);
    r.substitutions = WL_ARENA_NEW(&scratch, const node *, length + 1);
    const node *tree = r.substitutions ? encoding(&r) : NULL;
    wl_ptx_demangled found = {0};
    if (tree && r.at == r.end)
        found = print(tree, symbol, arena);
    else if (r.substitutions && !r.failed)
        found = as_it_is(symbol, arena);
    wl_arena_free(&scratch);
    return found;
}
