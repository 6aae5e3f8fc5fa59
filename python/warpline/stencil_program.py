"""What one thread of a generated stencil kernel computes, and the kernel file that says so. SPDX-License-Identifier: MIT

A reader walks the syntax tree of another package and tells a `Program` of definitions, loads, stores and
conditions, in their order. Equal values are kept once, and what no store needs is dropped, as compilers do it.
"""
from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from . import errors

__all__ = ["Field", "Program", "kernel_file"]

FUNCTIONS = {"sqrt": 1, "rsqrt": 1, "abs": 1, "min": 2, "max": 2, "exp": 1, "log": 1, "sin": 1, "cos": 1, "tanh": 1,
             "pow": 2, "fma": 3}  # of an update, with their arguments
AXES = "xyz"
AS_VALUE = "as_value_"  # begins the names of scalars that are integers of the kernel
_LINE = 90  # an expression that is longer gets names for its parts
_LOOPS = 3   # that a kernel file can have
Value = int  # the number of a node


class Field(NamedTuple):
    """An array that a kernel accesses."""
    name: str
    type: str                  # of kernel files: f64
    strides: Tuple[Any, ...]   # in elements, of its spatial dimensions and then of the others; may be symbols


class Access(NamedTuple):
    field: str
    index: Any                 # in elements, an expression of SymPy in x, y, z and parameters
    when: Tuple[str, ...]      # conditions, all of which must hold


class Node(NamedTuple):
    kind: str                  # number, scalar, load, or an operation
    what: Any                  # the number, the name, or that of the load
    operands: Tuple[Value, ...]


class Program:
    """Values of one thread, in the order in which a kernel computes them."""

    def __init__(self) -> None:
        self.nodes: List[Node] = []
        self.loads: List[Access] = []
        self.stores: List[Tuple[Access, Value]] = []
        self.notes: List[str] = []
        self._known: Dict[Node, Value] = {}
        self._kept: List[Value] = []
        self._when: Tuple[str, ...] = ()
        self._available: Dict[Tuple[str, Any], Value] = {}  # what memory holds, as far as this thread knows it

    def _node(self, kind: str, what: Any = None, operands: Tuple[Value, ...] = ()) -> Value:
        node = Node(kind, what, operands)
        if node not in self._known:
            self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return self._known[node]

    def _number_of(self, value: Value) -> Optional[float]:
        node = self.nodes[value]
        return node.what if node.kind == "number" else None

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # ---- values ----

    def number(self, value: float) -> Value:
        return self._node("number", float(value))

    def scalar(self, name: str) -> Value:
        return self._node("scalar", name)

    def operation(self, op: str, a: Value, b: Value) -> Value:
        """One of + - * / and %."""
        x, y = self._number_of(a), self._number_of(b)
        if x is not None and y is not None and not (op == "/" and y == 0):
            return self.number({"+": x + y, "-": x - y, "*": x * y, "/": x / (y or 1)}[op])
        if x == 0 and op == "+" or x == 1 and op == "*":
            return b
        if op in "*/" and y == -1:
            return self.negative(a)
        if op == "*" and x == -1:
            return self.negative(b)
        if x == 0 and op == "-":
            return self.negative(b)
        if y == 0 and op in "+-" or y == 1 and op in "*/":
            return a
        plain = [self._plain(a), self._plain(b)]
        if op == "+" and plain[1] != b:
            return self.operation("-", a, plain[1])
        if op == "+" and plain[0] != a:
            return self.operation("-", b, plain[0])
        if op == "-" and plain[1] != b:
            return self.operation("+", a, plain[1])
        if op in "+*" and b < a:  # the same in both orders
            a, b = b, a
        return self._node(op, None, (a, b))

    def _plain(self, value: Value) -> Value:
        """Without its sign."""
        node = self.nodes[value]
        return node.operands[0] if node.kind == "negative" else value

    def negative(self, value: Value) -> Value:
        """Instructions change the signs of their operands, so that this one is free."""
        known = self._number_of(value)
        if known is not None:
            return self.number(-known)
        plain = self._plain(value)
        return plain if plain != value else self._node("negative", None, (value,))

    def chain(self, op: str, values: Sequence[Value]) -> Value:
        out = values[0]
        for value in values[1:]:
            out = self.operation(op, out, value)
        return out

    def power(self, base: Value, exponent: int) -> Value:
        """By products, as it is printed."""
        product = self.chain("*", [base] * abs(exponent)) if exponent else self.number(1)
        return self.operation("/", self.number(1), product) if exponent < 0 else product

    def call(self, name: str, values: Sequence[Value]) -> Value:
        if FUNCTIONS.get(name) != len(values):
            raise errors.UnsupportedError(f"a function '{name}' of {len(values)} arguments is not known: predict the "
                                          "CUDA of the kernel, from warpline.pystencils.cuda", status="not supported")
        return self._node(name, None, tuple(values))

    def selected(self, a: Value, b: Value, *by: Value) -> Value:
        """One of two values; the values by which it is chosen are computed, too."""
        return a if a == b else self._node("select", None, (a, b, *by))

    def keep(self, values: Sequence[Value]) -> None:
        """These are computed whether or not a store needs them: a branch does."""
        self._kept += values

    # ---- memory ----

    @contextmanager
    def only_if(self, condition: str) -> Iterator[None]:
        """What happens inside happens where the condition holds."""
        outside, known = self._when, dict(self._available)
        if condition not in outside:
            self._when += (condition,)
        yield
        self._when = outside
        # what is loaded in a branch is loaded again behind it; what it overwrites is no longer known
        self._available = {k: v for k, v in known.items() if self._available.get(k) == v}

    def load(self, field: str, index: Any) -> Value:
        known = self._available.get((field, index))
        if known is None:
            self.loads.append(Access(field, index, self._when))
            known = self._available[field, index] = self._node("load", len(self.loads) - 1)
        return known

    def store(self, field: str, index: Any, value: Value) -> None:
        """Other elements of the field stay known if their distance is."""
        self._available = {(f, i): v for (f, i), v in self._available.items()
                           if f != field or (i != index and (i - index).is_Integer)}
        self.stores.append((Access(field, index, self._when), value))
        self._available[field, index] = value

    def resolve(self, resolved: Callable[[Any], Any]) -> None:
        """Puts numbers into addresses, once everything is known."""
        self.loads = [a._replace(index=resolved(a.index)) for a in self.loads]
        self.stores = [(a._replace(index=resolved(a.index)), value) for a, value in self.stores]

    # ---- what is computed ----

    def needed(self) -> List[Value]:
        """The values that reach a store, operands first."""
        found: Set[Value] = set()
        waiting = [*self._kept, *(value for _, value in self.stores)]
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += self.nodes[value].operands
        return sorted(found)  # operands are made before what they are operands of

    def needed_loads(self) -> List[Access]:
        return [self.loads[self.nodes[v].what] for v in self.needed() if self.nodes[v].kind == "load"]

    def operations(self) -> int:
        """Floating-point operations of the needed values; selections are none."""
        return sum(self.nodes[v].kind not in ("number", "scalar", "load", "select", "negative") for v in self.needed())

    def fused(self) -> int:
        """How many of them a compiler fuses: products whose only use is a sum."""
        uses = self._uses()
        fused: Set[Value] = set()
        for value in self.needed():
            node = self.nodes[value]
            if node.kind in "+-":
                product = next((o for o in node.operands if self.nodes[o].kind == "*" and uses[o] == 1
                                and o not in fused), None)
                if product is not None:
                    fused.add(product)
        return len(fused)

    def _uses(self) -> Dict[Value, int]:
        uses: Dict[Value, int] = {}
        for value in [v for _, v in self.stores] + [o for n in self.needed() for o in self.nodes[n].operands]:
            uses[value] = uses.get(value, 0) + 1
        return uses

    def selects(self) -> bool:
        return any(self.nodes[v].kind == "select" for v in self.needed())

    def scalars(self) -> List[str]:
        return [self.nodes[v].what for v in self.needed() if self.nodes[v].kind == "scalar"]

    def update(self, accesses: Mapping[Tuple[str, Any], str]) -> List[str]:
        """The statements of a kernel file; `accesses` are the texts of loads and stores."""
        uses, texts, lines = self._uses(), {}, []  # type: Dict[Value, int], Dict[Value, str], List[str]
        for value in self.needed():
            node = self.nodes[value]
            parts = [texts[o] for o in node.operands]
            if node.kind == "number":
                texts[value] = f"({node.what!r})" if node.what < 0 else repr(node.what)
                continue
            if node.kind in ("load", "scalar"):
                texts[value] = (accesses[self.loads[node.what][:2]] if node.kind == "load" else node.what)
                continue
            text = (f"(-{parts[0]})" if node.kind == "negative" else
                    f"{node.kind}({', '.join(parts)})" if node.kind in FUNCTIONS else f"({parts[0]} {node.kind} {parts[1]})")
            if uses[value] > 1 or len(text) > _LINE:
                lines.append(f"v{value} = {text}")
                text = f"v{value}"
            texts[value] = text
        return lines + [f"{accesses[a.field, a.index]} = {texts[value]}" for a, value in self.stores]


# ---- kernel files ----


def _split(offset: int, dims: Sequence[Tuple[int, bool]]) -> Optional[List[int]]:
    """Subscripts whose strides make an offset: small ones for cells, none below 0 for the others; None: there are none.

    `dims` are the strides of a field, and whether a dimension is one of cells.
    """
    out = [0] * len(dims)
    order = sorted(range(len(dims)), key=lambda d: -dims[d][0])
    for at, d in enumerate(order):
        stride = dims[d][0]
        if stride <= 0:
            return None
        cells_below = any(dims[e][1] for e in order[at + 1:])
        out[d] = (offset + stride // 2) // stride if cells_below else offset // stride
        offset -= out[d] * stride
    return out if offset == 0 else None


class Place(NamedTuple):
    """Where a field's accesses lie: coefficients of x, y, z and a constant."""
    steps: Tuple[int, ...]
    constant: int


def place(index: Any, dims: int) -> Optional[Place]:
    """Of an index that is affine in x, y, z with numbers."""
    sympy: Any = importlib.import_module("sympy")
    cells = [sympy.Symbol(a, integer=True) for a in AXES[:dims]]
    if not index.free_symbols <= set(cells):
        return None
    coefficients = [index.coeff(c) for c in cells]
    rest = index - sum(k * c for k, c in zip(coefficients, cells))
    rest = sympy.expand(rest)
    if not rest.is_Integer or not all(k.is_Integer for k in coefficients):
        return None
    return Place(tuple(map(int, coefficients)), int(rest))


def index_text(index: Any) -> str:
    """An address as kernel files write it."""
    text = re.sub(r"\bMod\(", "mod(", str(index))
    if not re.fullmatch(r"[\w\s+\-*/%(),.<>=&|!]*", text) or "**" in text or "mod(" in text:
        raise errors.UnsupportedError(f"the address {text} is more than a kernel file can say: predict the CUDA of the "
                                      "kernel, from warpline.pystencils.cuda", status="not supported")
    return text


def _relative(program: Program, fields: Sequence[Field], dims: int,
              start: Sequence[int]) -> Optional[Tuple[List[str], Dict[Tuple[str, Any], str]]]:
    """The fields with strides, and accesses relative to a cell; None: a kernel file cannot say them so."""
    lines: List[str] = []
    texts: Dict[Tuple[str, Any], str] = {}
    accesses = program.needed_loads() + [a for a, _ in program.stores]
    for field in fields:
        own = list(dict.fromkeys(a.index for a in accesses if a.field == field.name))
        places = [place(index, dims) for index in own]
        steps = places[0].steps if places and places[0] else None
        if steps is None or 0 in steps or any(p is None or p.steps != steps for p in places):
            return None
        more = field.strides[dims:]
        if not all(isinstance(s, int) for s in more):
            return None
        origin = sum(s * k for s, k in zip(steps, start))
        for index, where in zip(own, places):
            assert where is not None
            subscripts = _split(where.constant - origin, [(s, True) for s in steps] + [(s, False) for s in more])
            if subscripts is None or min(subscripts[dims:], default=0) < 0:
                return None
            texts[field.name, index] = f"{field.name}[{','.join(map(str, subscripts))}]"
        strides = ", ".join(map(str, (*steps, *more)))
        lines.append(f"  {field.name}: {{type: {field.type}, strides: [{strides}], origin: {origin}}}")
    return lines, texts


def _listed(program: Program) -> List[str]:
    """Accesses by element. One that is repeated names a loop: a kernel file counts equal accesses once."""
    counted = {"loads": Counter(program.needed_loads()), "stores": Counter(a for a, _ in program.stores)}
    repeats = sorted({n for accesses in counted.values() for n in accesses.values() if n > 1})
    if len(repeats) > _LOOPS:
        raise errors.UnsupportedError(f"loads are repeated {', '.join(map(str, repeats))} times: a kernel file has at most "
                                      f"{_LOOPS} loops", status="not supported")
    lines = ["loops: {" + ", ".join(f"times_{n}: {n}" for n in repeats) + "}"] if repeats else []
    for key, accesses in counted.items():
        lines += [key + ":"] * bool(accesses)
        for access, n in accesses.items():
            loop = f" + 0*times_{n}" if n > 1 else ""
            when = " if " + " && ".join(access.when) if access.when else ""
            lines.append(f'  - "{access.field}[{index_text(access.index)}{loop}]{when}"')
    return lines


def _flops(program: Program) -> List[str]:
    operations = program.operations()
    return [f"flops: {operations}", f"fp_results: {operations - program.fused()}"]


def kernel_file(name: str, program: Program, fields: Sequence[Field], domain: Sequence[int], start: Sequence[int],
                registers: Optional[int] = None) -> str:
    """The text of a kernel file. `start` is the first cell that is computed, in the coordinates of the arrays."""
    accesses = program.needed_loads() + [a for a, _ in program.stores]
    if not program.stores:
        raise errors.InputError("it stores nothing", status="bad input", input=name)
    lines = [f"name: {name}", f"domain: [{', '.join(map(str, domain))}]", "fields:"]
    again = len({a[:2] for a in program.needed_loads()}) < len(program.needed_loads())
    plain = not again and not program.selects() and not any(a.when for a in accesses)
    relative = _relative(program, fields, len(domain), start) if plain else None
    if relative is not None:
        lines += relative[0]
        if program.scalars():
            lines.append(f"scalars: [{', '.join(program.scalars())}]")
        lines += ["update: |", *("  " + line for line in program.update(relative[1]))]
    else:
        lines += [f"  {field.name}: {{type: {field.type}}}" for field in fields]
        lines += _listed(program) + _flops(program)
    if registers:
        lines.append(f"registers: {registers}")
    return "\n".join(lines) + "\n"


def finite(value: float) -> float:
    if not math.isfinite(value):
        raise errors.UnsupportedError(f"{value} is no number that a kernel file can say", status="not supported")
    return value
