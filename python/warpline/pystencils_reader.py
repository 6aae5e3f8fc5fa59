"""Kernels of pystencils, 1 and 2: their syntax trees as a `Program`. SPDX-License-Identifier: MIT

Nothing here imports pystencils: nodes are known by the names of their classes. SymPy is there wherever it is.
"""
from __future__ import annotations

import importlib
import re
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, NoReturn, Optional, Sequence, Tuple

from . import arrays, errors
from .stencil_program import AS_VALUE, AXES, FUNCTIONS, Field, Program, Value, finite, index_text

__all__ = ["Generated", "Parameter", "generated"]

_TYPES = {"float16": "f16", "float32": "f32", "float64": "f64", **{f"{u}int{n}": f"i{n}" for u in ("", "u")
                                                                  for n in (8, 16, 32, 64)}}
_ALIASES = {"fabs": "abs", "fmin": "min", "fmax": "max", "Abs": "abs", "Min": "min", "Max": "max", "ln": "log"}
_LIKE = {"tan": "sin", "sinh": "exp", "cosh": "exp", "asin": "sin", "acos": "sin", "atan": "sin", "floor": "abs",
         "ceil": "abs", "ceiling": "abs", "atan2": "pow", "fmod": "pow"}
_FAST = {"__fdividef": "/", "__fsqrt_rn": "sqrt", "__frsqrt_rn": "rsqrt", "__fdiv_rn": "/", "__ddiv_rn": "/"}
_RELATIONS = {"StrictLessThan": "<", "LessThan": "<=", "StrictGreaterThan": ">", "GreaterThan": ">=", "Equality": "==",
              "Unequality": "!=", "PsLt": "<", "PsLe": "<=", "PsGt": ">", "PsGe": ">=", "PsEq": "==", "PsNe": "!="}
_INSTEAD = "predict its CUDA instead, from warpline.pystencils.cuda"


class Parameter(NamedTuple):
    """A parameter of a generated kernel: a pointer, shape or stride of a field, or a scalar."""
    name: str
    kind: str
    field: str = ""
    coordinate: int = 0
    integer: bool = False


class _Array(NamedTuple):
    """A field as the package declares it."""
    name: str
    type: str
    dims: int                       # spatial ones
    shape: Tuple[Any, ...]          # of all dimensions; numbers, or symbols
    strides: Tuple[Any, ...]
    layout: Tuple[int, ...]         # spatial dimensions, the fastest last


def _type_of(dtype: Any, about: str) -> str:
    name = str(getattr(getattr(dtype, "numpy_dtype", None), "name", dtype))
    if name not in _TYPES:
        raise errors.InputError(f"its elements are {name}: give the field one of {', '.join(_TYPES)}", status="bad input",
                                input=about)
    return _TYPES[name]


def identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _array(field: Any) -> _Array:
    dims = field.spatial_dimensions
    return _Array(identifier(field.name), _type_of(field.dtype, field.name), dims, tuple(field.shape), tuple(field.strides),
                  tuple(field.layout))


class _Walk:
    """What both releases have in common: integers are expressions of SymPy, conditions are split at `and`."""

    def __init__(self, numbers: Mapping[str, int], given: Mapping[str, Any]):
        sympy: Any = importlib.import_module("sympy")
        self.sympy = sympy
        self.program = Program()
        self.numbers = {sympy.Symbol(k, integer=True): v for k, v in numbers.items()}
        self.given = given
        self.integers: Dict[str, Any] = {}
        self.values: Dict[str, Value] = {}
        self.cells = [self.symbol(a) for a in AXES]
        self.extent: List[Optional[int]] = [None, None, None]
        self.start = [0, 0, 0]
        self._guarded = False

    def symbol(self, name: str) -> Any:
        return self.sympy.Symbol(name, integer=True)

    def cells_of(self, expr: Any) -> Any:
        """blockIdx * blockDim + threadIdx is the cell; what is left of them is an error later."""
        expr = self.sympy.expand(expr)
        for axis, cell in zip(AXES, self.cells):
            thread, block, size = (self.symbol(f"{part}.{axis}") for part in ("threadIdx", "blockIdx", "blockDim"))
            if expr.has(size):
                expr = self.sympy.expand(expr.xreplace({size: (cell - thread) / block}))
        return expr

    def define_integer(self, name: str, expr: Any) -> None:
        made = self.cells_of(expr)
        self.integers[name] = made
        for d, cell in enumerate(self.cells):
            if made.has(cell) and (made - cell).is_Integer:
                self.start[d] = int(made - cell)

    def named(self, name: str) -> Any:
        """An integer by its name: defined before, or a symbol."""
        return self.integers.get(name, self.symbol(name))

    def value_of_integer(self, expr: Any) -> Value:
        expr = self.sympy.expand(expr.xreplace(self.numbers))
        if expr.is_number:
            return self.program.number(float(expr))
        self.program.note("integers as values of floating-point expressions count as scalars")
        return self.program.scalar(AS_VALUE + identifier(str(expr)))

    def scalar(self, name: str) -> Value:
        if name in self.values:
            return self.values[name]
        if name in self.integers:
            return self.value_of_integer(self.integers[name])
        if self.symbol(name) in self.numbers:
            return self.program.number(self.numbers[self.symbol(name)])
        return self.program.scalar(identifier(name))

    def function(self, name: str, values: Sequence[Value]) -> Value:
        plain = name[:-1] if name.endswith("f") and name[:-1] in {*FUNCTIONS, *_ALIASES, *_LIKE} else name
        plain = _ALIASES.get(plain, _FAST.get(plain, plain))
        if plain == "/":
            return self.program.operation("/", *values)
        if plain in _LIKE:
            self.program.note(f"{plain} counts as {_LIKE[plain]}")
            plain = _LIKE[plain]
        if plain in ("min", "max") and len(values) > 2:
            return self.function(plain, [self.function(plain, values[:2]), *values[2:]])
        return self.program.call(plain, values)

    # ---- conditions ----

    def relation(self, op: str, a: Any, b: Any) -> Optional[str]:
        """Of integers, as text; None: it always holds. Bounds of cells in the outermost one become extents."""
        difference = self.sympy.expand(self.cells_of(a - b).xreplace(self.numbers))
        if difference.is_number:
            held = {"<": difference < 0, "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0,
                    "==": difference == 0, "!=": difference != 0}[op]
            return None if held else "0"
        if not self._guarded and op in ("<", "<="):
            for d, cell in enumerate(self.cells):
                step = difference.coeff(cell)  # of slices with steps it is not 1
                rest = self.sympy.expand(difference - step * cell)
                if step.is_Integer and step > 0 and rest.is_Integer:
                    bound = -(int(rest) // int(step)) if op == "<" else -int(rest) // int(step) + 1
                    known = self.extent[d]
                    self.extent[d] = bound if known is None else min(bound, known)
                    return None
        return f"{index_text(difference)} {op} 0"

    def with_condition(self, texts: Iterable[Optional[str]], body: Callable[[], Any]) -> Any:
        """Runs it under all of the conditions."""
        held = [t for t in texts if t is not None]
        self._guarded = True
        if not held:
            return body()
        with self.program.only_if(held[0]):
            return self.with_condition(held[1:], body)

    def condition(self, node: Any) -> Optional[str]:
        """A condition as an expression; None: it depends on data."""
        raise NotImplementedError

    def of_data(self, node: Any) -> bool:
        """Does it read memory, or what was computed from it?"""
        raise NotImplementedError

    def opposite(self, node: Any) -> Optional[str]:
        self._guarded = True
        if self.of_data(node):
            self.depends_on_data()
            return None
        return f"!({self.condition(node) or '1'})"

    def depends_on_data(self) -> None:
        self.program.note("conditions that depend on data are taken to hold, and both sides of a selection to be computed")

    def load(self, field: str, index: Any) -> Value:
        self.check_guard()
        return self.program.load(field, self.sympy.expand(index))

    def store(self, field: str, index: Any, value: Value) -> None:
        self.check_guard()
        self.program.store(field, self.sympy.expand(index), value)

    def check_guard(self) -> None:
        self._guarded = True  # what comes later does not bound the threads

    def unknown(self, node: Any) -> NoReturn:
        raise errors.UnsupportedError(f"{type(node).__name__} is a part of pystencils' syntax tree that is not known here: "
                                      + _INSTEAD, status="not supported")


# ---- pystencils 1: expressions are those of SymPy ----


class _Walk1(_Walk):
    def statements(self, node: Any) -> None:
        kind = type(node).__name__
        if kind in ("Block", "PragmaBlock"):
            for child in node.args:
                self.statements(child)
        elif kind == "Conditional":
            self.branch(node)
        elif kind == "SympyAssignment":
            self.assignment(node)
        elif kind not in ("SourceCodeComment", "EmptyLine"):
            self.unknown(node)

    def assignment(self, node: Any) -> None:
        left = node.lhs
        if type(left).__name__ == "ResolvedFieldAccess":
            value = self.real(node.rhs)
            self.store(identifier(left.field.name), self.integer(left.indices[0]), value)
        elif getattr(left.dtype, "is_int", lambda: False)() and not node.rhs.atoms(self.sympy.Indexed):
            self.define_integer(left.name, self.integer(node.rhs))
        else:
            self.values[left.name] = self.real(node.rhs)

    def branch(self, node: Any) -> None:
        if self.of_data(node.condition_expr):
            self.program.keep(self.data_of(node.condition_expr))
        texts = self.conditions(node.condition_expr)
        self.with_condition(texts, lambda: self.statements(node.true_block))
        if node.false_block:
            self.with_condition([self.opposite(node.condition_expr)], lambda: self.statements(node.false_block))

    # conditions

    def conditions(self, expr: Any) -> List[Optional[str]]:
        if type(expr).__name__ == "And":
            return [t for part in expr.args for t in self.conditions(part)]
        return [self.condition(expr)]

    def condition(self, expr: Any) -> Optional[str]:
        """None: it always holds, or nobody knows."""
        kind = type(expr).__name__
        if expr == True:  # noqa: E712  of SymPy
            return None
        if expr == False:  # noqa: E712
            return "0"
        if kind == "BooleanCastFunc":
            return self.condition(expr.args[0])
        if self.of_data(expr):
            self.depends_on_data()
            return None
        if kind in _RELATIONS:
            return self.relation(_RELATIONS[kind], self.integer(expr.args[0]), self.integer(expr.args[1]))
        self._guarded = True
        if kind in ("And", "Or"):
            parts = [self.condition(a) or "1" for a in expr.args]
            return "(" + (" && " if kind == "And" else " || ").join(parts) + ")"
        if kind == "Not":
            return f"!({self.condition(expr.args[0]) or '1'})"
        self.unknown(expr)

    def of_data(self, expr: Any) -> bool:
        integers = {*self.integers}
        return bool(expr.atoms(self.sympy.Indexed)) or any(
            s.name in self.values or not getattr(getattr(s, "dtype", None), "is_int", lambda: False)()
            and s.name not in integers for s in expr.atoms(self.sympy.Symbol) if not isinstance(s, self.sympy.Indexed))

    # numbers

    def integer(self, expr: Any) -> Any:
        kind = type(expr).__name__
        if expr.is_Number:
            if not expr.is_Integer and expr != int(expr):
                self.unknown(expr)
            return self.sympy.Integer(int(expr))
        if "CastFunc" in kind or kind == "UnevaluatedExpr":
            return self.integer(expr.args[0])
        if isinstance(expr, self.sympy.Indexed):
            raise errors.UnsupportedError("addresses depend on what a field holds, which a syntax tree does not say: "
                                          + _INSTEAD, status="not supported", input=str(expr.field.name))
        if isinstance(expr, self.sympy.Symbol):
            if expr.name in self.values:
                raise errors.UnsupportedError(f"an address depends on '{expr.name}', which is computed from data: " + _INSTEAD,
                                              status="not supported")
            return self.named(expr.name)
        if kind in ("div_ceil", "div_floor", "int_div"):
            a, b = (self.integer(x).xreplace(self.numbers) for x in expr.args)
            if a.is_Integer and b.is_Integer and b != 0:
                return -(-a // b) if kind == "div_ceil" else a // b
        if kind in ("Add", "Mul", "Mod", "Min", "Max", "floor") or kind == "Pow" and expr.exp.is_Integer:
            return expr.func(*[self.integer(a) for a in expr.args])
        self.unknown(expr)

    def real(self, expr: Any) -> Value:
        kind = type(expr).__name__
        program = self.program
        if kind == "ResolvedFieldAccess":
            return self.load(identifier(expr.field.name), self.integer(expr.indices[0]))
        if expr.is_number and not expr.atoms(self.sympy.Function):
            return program.number(finite(float(expr)))
        if "CastFunc" in kind and kind != "ReinterpretCastFunc":
            return self.real(expr.args[0])
        if isinstance(expr, self.sympy.Symbol):
            return self.scalar(expr.name)
        if kind == "UnevaluatedExpr":
            return self.real(expr.args[0])
        if kind == "Add":
            return self.sum(expr.args)
        if kind == "Mul":
            return self.product(expr.args)
        if kind == "Pow":
            return self.pow(*expr.args)
        if kind in ("DivFunc", "fast_division"):
            return program.operation("/", *map(self.real, expr.args))
        if kind in ("fast_sqrt", "fast_inv_sqrt"):
            return program.call("sqrt" if kind == "fast_sqrt" else "rsqrt", [self.real(expr.args[0])])
        if kind == "Piecewise":
            return self.piecewise(expr.args)
        if kind == "ConditionalFieldAccess":
            return self.piecewise(((expr.outofbounds_value, expr.outofbounds_condition), (expr.access, self.sympy.true)))
        if isinstance(expr, (self.sympy.Function, self.sympy.Min, self.sympy.Max)):
            return self.function(getattr(expr, "name", None) or kind, [self.real(a) for a in expr.args])
        self.unknown(expr)

    def sum(self, terms: Sequence[Any]) -> Value:
        signed = [(bool(t.as_coeff_Mul()[0] < 0 if t.is_Mul else t.is_Number and t < 0), t) for t in terms]
        signed.sort(key=lambda s: s[0])
        out = self.real(signed[0][1])
        for negative, term in signed[1:]:
            out = self.program.operation("-" if negative else "+", out, self.real(-term if negative else term))
        return out

    def product(self, factors: Sequence[Any]) -> Value:
        """Powers below 0 are divided by, as they are printed."""
        below = [f for f in factors if f.is_Pow and f.exp.is_Rational and f.exp < 0]
        above = [f for f in factors if f not in below]
        if above and above[0] == -1 and len(above) > 1:
            out = self.program.operation("-", self.program.number(0), self.product(above[1:]))
        else:
            out = self.program.chain("*", [self.real(f) for f in above]) if above else self.program.number(1)
        if below:
            out = self.program.operation("/", out, self.program.chain("*", [self.pow(f.base, -f.exp) for f in below]))
        return out

    def pow(self, base: Any, exponent: Any) -> Value:
        typed = "CastFunc" in type(exponent).__name__
        exponent = exponent.args[0] if typed else exponent
        value = self.real(base)
        if isinstance(exponent, self.sympy.Symbol) and exponent.name in self.integers and \
                self.integers[exponent.name].is_Integer:
            exponent = self.integers[exponent.name]
        if exponent.is_number and exponent == int(exponent) and abs(exponent) <= 8:
            return self.program.power(value, int(exponent))
        if exponent.is_number and not typed and abs(exponent) == self.sympy.Rational(1, 2):
            root = self.program.call("sqrt", [value])
            return root if exponent > 0 else self.program.operation("/", self.program.number(1), root)
        return self.program.call("pow", [value, self.real(exponent)])

    def piecewise(self, pieces: Sequence[Any]) -> Value:
        value, condition = pieces[0]
        if condition == True or len(pieces) == 1:  # noqa: E712  of SymPy
            return self.real(value)
        if self.of_data(condition):
            self.depends_on_data()
            return self.program.selected(self.real(value), self.piecewise(pieces[1:]), *self.data_of(condition))
        first = self.with_condition(self.conditions(condition), lambda: self.real(value))
        second = self.with_condition([self.opposite(condition)], lambda: self.piecewise(pieces[1:]))
        return self.program.selected(first, second)

    def data_of(self, condition: Any) -> List[Value]:
        """The values that a condition compares."""
        found = sorted((a for a in condition.atoms(self.sympy.Indexed)), key=str)
        names = sorted({s.name for s in condition.atoms(self.sympy.Symbol)} & self.values.keys())
        return [*(self.real(a) for a in found), *(self.values[n] for n in names)]


class _Source1:
    """A KernelFunction of pystencils 1."""

    def __init__(self, kernel: Any):
        self.kernel = kernel
        self.name: str = kernel.function_name
        fields = sorted(kernel.fields_accessed, key=lambda f: f.name)
        self.arrays = {a.name: a for a in map(_array, fields)}
        self.parameters = [self._parameter(p) for p in kernel.get_parameters()]

    @staticmethod
    def _parameter(p: Any) -> Parameter:
        if p.is_field_pointer:
            return Parameter(p.symbol.name, "pointer", identifier(p.field_name))
        if p.is_field_shape or p.is_field_stride:
            name = p.symbol.field_names[0] if p.is_field_shape else p.symbol.field_name
            return Parameter(p.symbol.name, "shape" if p.is_field_shape else "stride", identifier(name),
                             p.symbol.coordinate, True)
        return Parameter(p.symbol.name, "scalar", integer=bool(p.symbol.dtype.is_int()))

    def walk(self, numbers: Mapping[str, int], given: Mapping[str, Any]) -> _Walk:
        made = _Walk1(numbers, given)
        made.statements(self.kernel.body)
        return made

    def code(self) -> str:
        text: str = importlib.import_module("pystencils").get_code_str(self.kernel)
        return text


# ---- pystencils 2: a syntax tree of its own ----


class _Walk2(_Walk):
    def __init__(self, numbers: Mapping[str, int], given: Mapping[str, Any], pointers: Mapping[str, str]):
        super().__init__(numbers, given)
        self.pointers = pointers

    def statements(self, node: Any) -> None:
        kind = type(node).__name__
        if kind == "PsBlock":
            for child in node.statements:
                self.statements(child)
        elif kind == "PsConditional":
            self.branch(node)
        elif kind in ("PsDeclaration", "PsAssignment"):
            self.assignment(node)
        elif kind not in ("PsComment", "PsPragma"):
            self.unknown(node.expression.function if hasattr(getattr(node, "expression", None), "function") else node)

    def access(self, node: Any) -> Tuple[str, Any]:
        kind = type(node).__name__
        if kind == "PsMemAcc":
            pointer, index = node.pointer, node.offset
        elif kind == "PsSubscript" and len(node.index) == 1:
            pointer, index = node.array, node.index[0]
        else:
            self.unknown(node)
        if type(pointer).__name__ != "PsSymbolExpr" or pointer.symbol.name not in self.pointers:
            self.unknown(pointer)
        return self.pointers[pointer.symbol.name], self.integer(index)

    def assignment(self, node: Any) -> None:
        left = node.lhs
        if type(left).__name__ != "PsSymbolExpr":
            value = self.real(node.rhs)
            self.store(*self.access(left), value)
            return
        name = left.symbol.name
        if left.symbol.dtype.is_int() and not self.of_data(node.rhs):
            self.define_integer(name, self.integer(node.rhs))
        else:
            self.values[name] = self.real(node.rhs)

    def branch(self, node: Any) -> None:
        if self.of_data(node.condition):
            self.program.keep(self.data_of(node.condition))
        self.with_condition(self.conditions(node.condition), lambda: self.statements(node.branch_true))
        if node.branch_false is not None:
            self.with_condition([self.opposite(node.condition)], lambda: self.statements(node.branch_false))

    # conditions

    def conditions(self, node: Any) -> List[Optional[str]]:
        if type(node).__name__ == "PsAnd":
            return [*self.conditions(node.operand1), *self.conditions(node.operand2)]
        return [self.condition(node)]

    def condition(self, node: Any) -> Optional[str]:
        kind = type(node).__name__
        if kind == "PsCast":
            return self.condition(node.operand)
        if kind == "PsConstantExpr":
            return None if node.constant.value else "0"
        if self.of_data(node):
            self.depends_on_data()
            return None
        if kind in _RELATIONS:
            return self.relation(_RELATIONS[kind], self.integer(node.operand1), self.integer(node.operand2))
        self._guarded = True
        if kind in ("PsAnd", "PsOr"):
            a, b = (self.condition(o) or "1" for o in (node.operand1, node.operand2))
            return f"({a} {'&&' if kind == 'PsAnd' else '||'} {b})"
        if kind == "PsNot":
            return f"!({self.condition(node.operand) or '1'})"
        self.unknown(node)

    def of_data(self, node: Any) -> bool:
        kind = type(node).__name__
        if kind in ("PsMemAcc", "PsSubscript", "PsCall"):
            return True
        if kind == "PsSymbolExpr":
            return node.symbol.name in self.values or not node.symbol.dtype.is_int()
        return any(self.of_data(c) for c in node.children)

    # numbers

    def integer(self, node: Any) -> Any:
        kind = type(node).__name__
        if kind == "PsConstantExpr":
            return self.sympy.Integer(int(node.constant.value))
        if kind == "PsLiteralExpr":
            return self.symbol(node.literal.text)
        if kind == "PsCast":
            return self.integer(node.operand)
        if kind == "PsNeg":
            return -self.integer(node.operand)
        if kind == "PsSymbolExpr":
            if node.symbol.name in self.values:
                raise errors.UnsupportedError(f"an address depends on '{node.symbol.name}', which is computed from data: "
                                              + _INSTEAD, status="not supported")
            return self.named(node.symbol.name)
        if kind in ("PsMemAcc", "PsSubscript"):
            raise errors.UnsupportedError("addresses depend on what a field holds, which a syntax tree does not say: "
                                          + _INSTEAD, status="not supported")
        if kind in ("PsAdd", "PsSub", "PsMul", "PsRem"):
            a, b = self.integer(node.operand1), self.integer(node.operand2)
            return a + b if kind == "PsAdd" else a - b if kind == "PsSub" else a * b if kind == "PsMul" else \
                self.sympy.Mod(a, b)
        if kind in ("PsIntDiv", "PsDiv"):
            a, b = self.integer(node.operand1), self.integer(node.operand2)
            if a.is_Integer and b.is_Integer and b != 0:
                return self.sympy.Integer(int(a) // int(b))
        self.unknown(node)

    def real(self, node: Any) -> Value:
        kind = type(node).__name__
        program = self.program
        if kind in ("PsMemAcc", "PsSubscript"):
            return self.load(*self.access(node))
        if kind == "PsConstantExpr":
            return program.number(finite(float(node.constant.value)))
        if kind == "PsSymbolExpr":
            return self.scalar(node.symbol.name)
        if kind == "PsCast":
            return self.real(node.operand)
        if kind == "PsNeg":
            return program.operation("-", program.number(0), self.real(node.operand))
        if kind in ("PsAdd", "PsSub", "PsMul", "PsDiv"):
            op = {"PsAdd": "+", "PsSub": "-", "PsMul": "*", "PsDiv": "/"}[kind]
            return program.operation(op, self.real(node.operand1), self.real(node.operand2))
        if kind == "PsCall":
            return self.function(node.function.name.split("::")[-1], [self.real(a) for a in node.args])
        if kind == "PsTernary":
            return self.ternary(node)
        self.unknown(node)

    def ternary(self, node: Any) -> Value:
        if self.of_data(node.condition):
            self.depends_on_data()
            return self.program.selected(self.real(node.case_then), self.real(node.case_else),
                                         *self.data_of(node.condition))
        first = self.with_condition(self.conditions(node.condition), lambda: self.real(node.case_then))
        second = self.with_condition([self.opposite(node.condition)], lambda: self.real(node.case_else))
        return self.program.selected(first, second)

    def data_of(self, node: Any) -> List[Value]:
        """The values that a condition compares."""
        if type(node).__name__ in ("PsMemAcc", "PsSubscript"):
            return [self.real(node)]
        if type(node).__name__ == "PsSymbolExpr":
            return [self.values[node.symbol.name]] if node.symbol.name in self.values else []
        return [value for child in node.children for value in self.data_of(child)]


class _Source2:
    """A Kernel of pystencils 2."""

    def __init__(self, kernel: Any):
        self.kernel = kernel
        self.name: str = kernel.name
        self.parameters = [self._parameter(p) for p in kernel.parameters]
        fields = sorted(kernel.get_fields(), key=lambda f: f.name)
        self.arrays = {a.name: a for a in map(_array, fields)}

    @staticmethod
    def _parameter(p: Any) -> Parameter:
        kinds = {"FieldBasePtr": "pointer", "FieldShape": "shape", "FieldStride": "stride"}
        known = sorted((q for q in p.properties if type(q).__name__ in kinds), key=lambda q: q.field.name)
        if known:
            return Parameter(p.name, kinds[type(known[0]).__name__], identifier(known[0].field.name),
                             getattr(known[0], "coordinate", 0), type(known[0]).__name__ != "FieldBasePtr")
        return Parameter(p.name, "scalar", integer=bool(getattr(p.dtype, "is_int", lambda: False)()))

    def walk(self, numbers: Mapping[str, int], given: Mapping[str, Any]) -> _Walk:
        made = _Walk2(numbers, given, {p.name: p.field for p in self.parameters if p.kind == "pointer"})
        made.statements(self.kernel.body)
        return made

    def code(self) -> str:
        text: str = self.kernel.get_c_code()
        return text


# ---- kernels with the extents of their arrays ----


class Generated(NamedTuple):
    """A generated kernel, read for arrays of certain extents."""
    name: str
    program: Program
    fields: Tuple[Field, ...]
    domain: Tuple[int, ...]
    start: Tuple[int, ...]
    parameters: Tuple[Parameter, ...]
    numbers: Dict[str, int]     # of shapes, strides and integers
    buffers: Dict[str, int]     # bytes of each field
    source: Any

    def arguments(self, scalars: Mapping[str, Any]) -> List[Any]:
        """What its CUDA is launched with; scalars that are not given are 0.5."""
        return [f"buf:{self.buffers[p.field]}" if p.kind == "pointer" else
                self.numbers[p.name] if p.name in self.numbers else scalars.get(p.name, 0.5) for p in self.parameters]


def _source(kernel: Any) -> Any:
    """What the package calls a kernel: a tree, or what wraps a compiled one."""
    for unwrap in ("ast", "kernel"):
        inner = getattr(kernel, unwrap, None)
        if inner is not None and not hasattr(kernel, "body"):
            kernel = inner
    if hasattr(kernel, "all_assignments") or isinstance(kernel, (list, tuple)):
        kernel = _created(kernel)
    kind = type(kernel).__name__
    target = getattr(getattr(kernel, "target", None), "name", "")
    if not hasattr(kernel, "body") or not (hasattr(kernel, "get_parameters") or hasattr(kernel, "parameters")):
        raise errors.InputError(f"a {kind} is no kernel of pystencils: give what pystencils.create_kernel returns, or "
                                "assignments ('pip install pystencils' installs it)", status="bad input", input="kernel")
    if target not in ("GPU", "CUDA", "HIP"):
        raise errors.InputError(f"it is made for the target {target}: create it with pystencils.CreateKernelConfig(target="
                                f"pystencils.Target.{'CUDA' if hasattr(kernel, 'get_c_code') else 'GPU'})",
                                status="bad input", input="kernel")
    return _Source2(kernel) if hasattr(kernel, "get_c_code") else _Source1(kernel)


def _created(assignments: Any) -> Any:
    try:
        pystencils: Any = importlib.import_module("pystencils")
    except ImportError:
        raise errors.UnsupportedError("pystencils is not installed: 'pip install pystencils'", status="not supported",
                                      input="warpline.pystencils") from None
    # release 2 asks CuPy what its target GPU is; CUDA needs nobody
    target = pystencils.Target.CUDA if hasattr(pystencils, "Kernel") else pystencils.Target.GPU
    return pystencils.create_kernel(assignments, config=pystencils.CreateKernelConfig(target=target))


def _strides_of(array: _Array, shape: Sequence[int]) -> Tuple[int, ...]:
    """Without gaps; indices are slowest, but fastest if the first spatial dimension is slowest, as in NumPy."""
    spatial, more = list(array.layout), list(range(array.dims, len(array.shape)))
    c_order = array.dims > 1 and spatial == sorted(spatial)
    order = [*spatial, *more] if c_order else [*more, *spatial]
    strides, step = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def _layouts(source: Any, shape: Any, given: Mapping[str, Any]) -> Dict[str, arrays.Layout]:
    """Each field's array: as declared, as given, or of the common shape."""
    unknown = sorted(set(given) - set(source.arrays))
    if unknown:
        raise errors.InputError(f"the kernel has no field '{unknown[0]}': its fields are {', '.join(source.arrays)}",
                                status="bad input", input="arrays")
    common = (shape,) if isinstance(shape, int) else tuple(shape) if shape is not None else None
    out = {}
    for name, array in source.arrays.items():
        fixed = all(_whole(e) for e in (*array.shape, *array.strides))
        if name in given:
            made = given[name] if isinstance(given[name], arrays.Layout) else arrays.layout(given[name])
            if made is None:
                raise errors.InputError("an array is needed, or warpline.pystencils.Array(shape, strides, dtype)",
                                        status="bad input", input=name)
        elif fixed:
            made = arrays.Layout(tuple(map(int, array.shape)), tuple(map(int, array.strides)), array.type)
        elif common is None:
            raise errors.InputError(f"its shape is missing: give shape=(..), the {array.dims} extents of the arrays with "
                                    f"their ghost layers, or arrays={{'{name}': ..}}", status="bad input", input=name)
        else:
            if len(common) != array.dims:
                raise errors.InputError(f"{len(common)} extents, but the field has {array.dims} dimensions",
                                        status="bad input", input=name)
            own = (*common, *(int(e) for e in array.shape[array.dims:]))
            made = arrays.Layout(own, _strides_of(array, own), array.type)
        missing = len(array.shape) - len(made.shape)
        if missing > 0 and all(e == 1 for e in array.shape[-missing:]):  # pystencils drops these
            made = arrays.Layout((*made.shape, *(1,) * missing), (*made.strides, *(1,) * missing), made.dtype)
        if len(made.shape) != len(array.shape):
            raise errors.InputError(f"an array of {len(made.shape)} dimensions, but the field has {len(array.shape)}",
                                    status="bad input", input=name)
        out[name] = made
    return out


def _whole(value: Any) -> bool:
    try:
        int(value)
    except TypeError:  # a symbol
        return False
    return True


def generated(kernel: Any, shape: Any = None, given: Optional[Mapping[str, Any]] = None,
              params: Optional[Mapping[str, Any]] = None) -> Generated:
    """Reads a kernel for arrays of a shape."""
    source = _source(kernel)
    params = dict(params or {})
    with errors.about(source.name):
        layouts = _layouts(source, shape, {identifier(k): v for k, v in (given or {}).items()})
        numbers: Dict[str, int] = {}
        for p in source.parameters:
            if p.kind in ("shape", "stride"):
                numbers[p.name] = getattr(layouts[p.field], p.kind + ("s" if p.kind == "stride" else ""))[p.coordinate]
            elif p.kind == "scalar" and p.integer:
                if p.name not in params:
                    raise errors.InputError(f"'{p.name}' is missing: give params={{'{p.name}': ..}}", status="bad input",
                                            input=source.name)
                numbers[p.name] = int(params[p.name])
        walked = source.walk(numbers, params)
        return _finished(source, walked, layouts, numbers)


def _finished(source: Any, walked: _Walk, layouts: Mapping[str, arrays.Layout], numbers: Dict[str, int]) -> Generated:
    program, sympy = walked.program, walked.sympy
    dims = max((d + 1 for d, e in enumerate(walked.extent) if e is not None), default=0)
    if not dims or any(e is None for e in walked.extent[:dims]):
        raise errors.UnsupportedError("its threads are not those of cells: create it with one thread per cell, the default "
                                      "indexing of pystencils (block, Linear3D)", status="not supported", input=source.name)
    domain = tuple(e for e in walked.extent[:dims] if e is not None)
    if min(domain) < 1:
        raise errors.InputError(f"no cell is left: the arrays are as small as the ghost layers ({'x'.join(map(str, domain))})",
                                status="bad input", input="shape")

    def at_numbers(index: Any) -> Any:
        made = sympy.expand(index.xreplace(walked.numbers))
        left = sorted(str(s) for s in made.free_symbols - set(walked.cells))
        if left:
            raise errors.UnsupportedError(
                f"an address depends on {left[0]}: create it with one thread per cell and any block, the default indexing of "
                "pystencils (block without compile_time_block_size, Linear3D)", status="not supported", input=source.name)
        return made

    program.resolve(at_numbers)
    used = {a.field for a in [*program.needed_loads(), *(a for a, _ in program.stores)]}
    fields = tuple(Field(name, array.type, tuple(layouts[name].strides)) for name, array in source.arrays.items()
                   if name in used)
    buffers = {name: max(made.span[1], 1) * {"f": 1, "i": 1}[source.arrays[name].type[0]] *
               int(source.arrays[name].type[1:]) // 8 for name, made in layouts.items()}
    return Generated(identifier(source.name), program, fields, domain, tuple(walked.start[:dims]),
                     tuple(source.parameters), numbers, buffers, source)
