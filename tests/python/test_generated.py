"""What warpline.pystencils and warpline.kernel_tuner do without those packages."""
import sys

import pytest

import warpline
import warpline.kernel_tuner
import warpline.pystencils
from warpline import stencil_program
from warpline.kernel_tuner import _name, _used
from warpline.stencil_program import Field, Program


class Offset(int):
    """An address, in place of an expression."""
    is_Integer = True

    def __sub__(self, other):
        return other if isinstance(other, Unknown) else Offset(int(self) - int(other))


class Unknown(Offset):
    is_Integer = False

    def __sub__(self, other):
        return self


def test_equal_values_are_computed_once_and_unused_ones_not_at_all():
    p = Program()
    a, b = p.load("f", Offset(1)), p.load("f", Offset(2))
    assert p.load("f", Offset(1)) == a
    total = p.operation("+", a, b)
    assert p.operation("+", b, a) == total
    p.operation("*", p.load("g", Offset(0)), total)  # no store needs it
    p.store("h", Offset(0), p.operation("*", total, total))
    assert [x.field for x in p.needed_loads()] == ["f", "f"] and p.operations() == 2


def test_signs_and_constants_are_free():
    p = Program()
    a, b = p.load("f", Offset(1)), p.load("f", Offset(2))
    minus = p.operation("*", p.number(-1), b)
    assert p.operation("+", a, minus) == p.operation("-", a, b)
    assert p.negative(minus) == b and p.operation("-", p.number(0), b) == minus
    assert p.operation("*", p.number(2), p.number(3)) == p.number(6)
    assert p.operation("/", p.number(1), p.number(4)) == p.number(0.25)
    assert p.operation("+", a, p.number(0)) == a and p.operation("*", a, p.number(1)) == a
    p.store("h", Offset(0), p.power(a, -2))
    assert p.operations() == 2 and p.fused() == 0


def test_products_that_only_a_sum_uses_are_fused():
    p = Program()
    a, b, c = (p.load("f", Offset(i)) for i in range(3))
    p.store("h", Offset(0), p.operation("+", p.operation("*", a, b), c))
    assert (p.operations(), p.fused()) == (2, 1)


def test_loads_behind_stores():
    p = Program()
    first = p.load("f", Offset(1))
    p.store("f", Offset(0), first)
    assert p.load("f", Offset(1)) == first and p.load("f", Offset(0)) == first  # known
    p.store("f", Unknown(7), first)
    p.store("g", Offset(0), p.operation("+", p.load("f", Offset(1)), first))
    assert len(p.needed_loads()) == 2


def test_loads_of_a_branch():
    p = Program()
    with p.only_if("x < 4"):
        a = p.load("f", Offset(1))
    b = p.load("f", Offset(1))
    p.store("g", Offset(0), p.selected(a, b))
    assert [x.when for x in p.needed_loads()] == [("x < 4",), ()] and p.selects()


def test_a_kernel_file():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y", integer=True)
    p = Program()
    cell = x + 10 * y + 11
    p.store("g", cell, p.call("sqrt", [p.operation("+", p.load("f", cell - 1), p.load("f", cell + 10))]))
    fields = [Field("f", "f64", (1, 10)), Field("g", "f64", (1, 10))]
    text = stencil_program.kernel_file("made", p, fields, (8, 8), (1, 1), 24)
    assert "f: {type: f64, strides: [1, 10], origin: 11}" in text and "g[0,0] = sqrt((f[-1,0] + f[0,1]))" in text
    assert warpline.predict(text, "h200", (8, 8))["metrics"]["inst_global_ld"]["value"] == 4
    with p.only_if("x < 2"):
        p.store("g", cell + 100, p.load("f", cell + 200))
    listed = stencil_program.kernel_file("made", p, fields, (8, 8), (1, 1))
    assert '  - "f[x + 10*y + 211] if x < 2"' in listed and "flops: 2" in listed
    with pytest.raises(warpline.InputError, match="it stores nothing"):
        stencil_program.kernel_file("made", Program(), fields, (8, 8), (1, 1))


def test_unknown_functions():
    with pytest.raises(warpline.UnsupportedError, match="'erf' of 1 arguments is not known: predict the CUDA"):
        Program().call("erf", [0])


def test_names_of_kernels():
    assert _name("__global__ void one(int a) {}", None) == "one"
    assert _name('extern "C" __global__ void __launch_bounds__(block_size_x) one(int a) {} // __global__ void two()', None) == "one"
    with pytest.raises(warpline.InputError, match="give kernel_name: it has one, two"):
        _name("__global__ void one() {} __global__ void two() {}", None)


def test_defines_that_a_source_does_not_name():
    text = "#define grid_size_x 4\n#define block_size_x 32\n#define tile 2\nint a[tile];"
    assert _used(text) == "#define tile 2\nint a[tile];"
    assert _used(text + '\n#include "more.h"') == text + '\n#include "more.h"'
    assert _used("int a;") == "int a;"


@pytest.mark.parametrize("package, call, message", [
    ("pystencils", lambda: warpline.pystencils.predict([], "h200", 32), "pystencils is not installed: 'pip install pystencils'"),
    ("kernel_tuner", lambda: warpline.kernel_tuner.order("", {}, 1, []), "Kernel Tuner is not installed: 'pip install"),
    ("kernel_tuner", lambda: warpline.kernel_tuner.strategy("h200"), "Kernel Tuner is not installed: 'pip install"),
])
def test_packages_that_are_not_installed(monkeypatch, package, call, message):
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("searchspace", "util", "strategies.common"):
        monkeypatch.setitem(sys.modules, f"{package}.{name}", None)
    with pytest.raises(warpline.UnsupportedError, match=message):
        call()


def test_what_is_no_kernel():
    with pytest.raises(warpline.InputError, match="a str is no kernel of pystencils: give what pystencils.create_kernel"):
        warpline.pystencils.predict("kernel", "h200", 32)
