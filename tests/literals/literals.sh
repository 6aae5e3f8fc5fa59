#!/bin/sh
# literals.sh ROOT - no number without a name and a line in scripts/method-constants.txt in src/count, src/laws,
# src/model, src/replay and src/timeline; and the check notices one that is, in scratch files of one case each.
check=$1/scripts/check-literals.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
METHOD_CONSTANTS=$scratch/list && export METHOD_CONSTANTS
status=0
{
    for known in "beside SMALL" "above SMALL" "above LARGE" "table levels" "shifted MANY" "whole MANY"; do
        echo "$scratch/${known% *}.c ${known#* } sample"
    done
} > "$METHOD_CONSTANTS"

# expect NAME ok|LITERAL-THAT-IS-NAMED: the case is read from standard input.
expect() {
    cat > "$scratch/$1.c"
    said=$(sh "$check" "$scratch/$1.c" 2>&1)
    code=$?
    case "$2" in
    ok) [ $code = 0 ] && return ;;
    *) [ $code = 1 ] && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] && case "$said" in "$scratch/$1.c:"*": $2 "*) return ;; esac ;;
    esac
    echo "$1: exit $code, '$said', not '$2'"
    status=1
}

expect naked 0.7 <<'C'
static double f(double x) { return 0.7 * x; }
C
expect exponent 1e3 <<'C'
double f(double x)
{
    /* a comment beside it is no name */
    return x / 1e3; /* nor is this */
}
C
expect no_digit_in_front .25f <<'C'
double f(float x) { return x * .25f; }
C
expect no_digit_behind 7. <<'C'
double f(float x) { return x * 7.; }
C
expect signed_exponent 5e-4 <<'C'
double f(double x) { return x * (1 - 5e-4); }
C
expect hexadecimal 0x1p-3 <<'C'
double f(double x) { return x * 0x1p-3; }
C
expect local_constant 1.67 <<'C'
double f(double x)
{
    const double half = 1.67; /* not shared, not seen: a literal in disguise */
    return half * x;
}
C
expect of_a_function 3.5 <<'C'
static const double *f(double *x)
{
    x[0] *= 3.5; /* behind "static const" */
    return x;
}
C
expect unexplained 0.7 <<'C'
#define SMALL 0.7
C
expect unexplained_table 0.3 <<'C'
/* of something else */
static int other;
static const double table[] = {
    0.3,
    0.4,
};
C
expect behind_a_string 0.7 <<'C'
double f(double x) { return x > 0 ? g("/*", '"') * 0.7 : 0; }
C
expect trivial ok <<'C'
double f(double x) { return 0.5 * x + 1.0 * x - 2.0 + 0.0 + 1e0; }
C
expect no_numbers ok <<'C'
unsigned long f(int x1e5) { return 0x9e3779b97f4a7c15u * 3 + (1 << 20) + x1e5 + s.e5.x + a[17]; }
C
expect whole_naked 300 <<'C'
double f(double x) { return 300 * x; }
C
expect whole_unexplained 12 <<'C'
enum { MANY = 12 };
C
expect whole_unlisted 500 <<'C'
#define LOCKSTEP 500 /* cycles: a comment is not enough */
C
expect listed_elsewhere 0.7 <<'C'
#define SMALL 0.7 /* the list has it of other files only */
C
expect whole ok <<'C'
enum { MANY = 12 }; /* samples */
C
expect shifted ok <<'C'
#define MANY (1 << 20) /* samples */
C
expect in_words ok <<'C'
/* 0.7 of the L1, and
 * 1.67 times that */
double f(double x) { return g("0.7", x); } // 0.7
C
expect beside ok <<'C'
#define SMALL 0.7 /* share of a sample that is not worth a look */
C
expect above ok <<'C'
/* Shares of a sample: not worth a look, and worth one. */
#define SMALL 0.003
#define LARGE \
    0.05
C
expect table ok <<'C'
static const struct {
    int id;
    double level; /* probabilities */
} levels[] = {{1, 0.3}, {2, 0.4},
              {3, 0.9}};
C
sh "$check" "$scratch/absent.c" > /dev/null 2>&1
[ $? = 2 ] || { echo "a file that is not there: not noticed" && status=1; }
unset METHOD_CONSTANTS
(cd "$1" && sh scripts/check-literals.sh) || status=1
exit $status
