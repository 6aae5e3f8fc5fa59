#!/bin/sh
# run.sh WARPLINE LIBRARY SOURCE FOLDER: the tests of the Python module with packages of PyPI, in virtual environments in FOLDER: the
# oldest Triton that is supported and that pip has for this Python, the newest one, pystencils and lbmpy 1 and 2, Kernel Tuner, and
# mypy. What pip cannot get is skipped. WARPLINE_TEST_EFFORT=quick: the newest of each alone.
warpline=$1 library=$2 source=$3 folder=$4
oldest="3.2.0 3.3.0 3.4.0 3.5.0"

# environment NAME PACKAGE..: makes it, or says why not
environment() {
    name=$1
    shift
    [ -x "$folder/$name/bin/python" ] || python3 -m venv "$folder/$name" >"$folder/$name.log" 2>&1 ||
        { echo "python packages: no virtual environment: skipped (Debian: python3-venv)" && return 1; }
    "$folder/$name/bin/pip" install --quiet --disable-pip-version-check --upgrade "$@" >"$folder/$name.log" 2>&1 ||
        { echo "python packages: pip cannot install $*: skipped ($(tail -n 1 "$folder/$name.log"))" && return 1; }
}

# with_triton NAME REQUIREMENT
with_triton() {
    environment "$1" "$2" numpy pytest setuptools || return 1
    echo "python packages: Triton $("$folder/$1/bin/pip" list 2>/dev/null | sed -n 's/^triton  *//p')"
    (cd "$source/tests/python_packages" && exec "$folder/$1/bin/python" -m pytest -q -p no:cacheprovider .) || failed=1
}

# with_packages NAME TEST REQUIREMENT..: one file of tests
with_packages() {
    name=$1 test=$2
    shift 2
    environment "$name" "$@" numpy pytest || return 1
    echo "python packages: $("$folder/$name/bin/pip" list 2>/dev/null |
        sed -n 's/^\(pystencils\|lbmpy\|kernel_tuner\)  */\1 /p' | tr '\n' ' ')"
    (cd "$source/tests/python_packages" && exec "$folder/$name/bin/python" -m pytest -q -p no:cacheprovider "$test") || failed=1
}

mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)
failed=0
export WARPLINE_PROGRAM="$warpline" WARPLINE_LIBRARY="$library" PYTHONPATH="$source/python" PYTHONDONTWRITEBYTECODE=1
if environment mypy mypy numpy; then
    "$folder/mypy/bin/mypy" --cache-dir "$folder/mypy/cache" "$source/python/warpline" || failed=1
fi
full() { [ "${WARPLINE_TEST_EFFORT:-full}" != quick ]; }
for version in $(full && echo "$oldest"); do
    with_triton triton-oldest "triton==$version" && break
done
with_triton triton-newest "triton>=3.2"
full && with_packages pystencils-1 test_with_pystencils.py "pystencils<2" "lbmpy<2"
with_packages pystencils-2 test_with_pystencils.py "pystencils>=2" "lbmpy>=2"
with_packages kernel-tuner test_with_kernel_tuner.py kernel_tuner
exit $failed
