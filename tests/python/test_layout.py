"""The structs and numbers of the module are those of the C headers: the compiler says so."""
import ctypes
import os
import re
import subprocess

from conftest import SOURCE
from warpline import _native


def _assertions():
    yield "#include <stddef.h>\n#include <warpline/warpline.h>\n"
    for struct in _native.STRUCTS:
        name = struct._c_name_
        yield f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");\n'
        for field, *_ in struct._fields_:
            at, size = getattr(struct, field).offset, getattr(struct, field).size
            yield f'_Static_assert(offsetof({name}, {field}) == {at}, "{name}.{field}");\n'
            yield f'_Static_assert(sizeof((({name} *)0)->{field}) == {size}, "{name}.{field}");\n'
    for name, value in _native.ENUMS.items():
        yield f'_Static_assert({name} == {value}, "{name}");\n'


def _compile(text):
    return subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-I", str(SOURCE / "include"), "-fsyntax-only",
                           "-xc", "-"], input=text, text=True, capture_output=True)


def test_structs_are_those_of_the_headers():
    compiled = _compile("".join(_assertions()))
    assert compiled.returncode == 0, compiled.stderr


def test_the_compiler_sees_what_is_wrong():
    assert _compile("".join(_assertions()) + '_Static_assert(sizeof(wl_launch) == 1, "");').returncode != 0


def _prototypes():
    """Of every function of the headers: is its result, and each of its parameters, a pointer?"""
    text = "".join(p.read_text() for p in sorted((SOURCE / "include/warpline").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    for result, name, parameters in re.findall(r"\b(WL_API [^;()]*?|WL_FALLIBLE )\b(wl_\w+)\(([^;]*)\);", text):
        given = [] if parameters.strip() == "void" else parameters.split(",")
        pointers = ["*" in p or "[" in p or p.split()[0] in ("wl_sink", "wl_ptx_load") for p in given]
        yield name, ("FALLIBLE" in result, "*" in result, pointers)


def test_functions_are_those_of_the_headers():
    prototypes = dict(_prototypes())
    assert len(prototypes) > 100
    for name, (result, arguments) in _native._SIGNATURES.items():
        fallible, gives_pointer, pointers = prototypes[name]
        assert (result == "status") == fallible, name
        mine = [issubclass(a, (ctypes.c_void_p, ctypes.c_char_p)) or hasattr(a, "contents") for a in arguments]
        assert mine + [True] * fallible == pointers, name
        assert fallible or gives_pointer == (result in (ctypes.c_void_p, ctypes.c_char_p)), name


def test_version_is_that_of_the_headers():
    text = (SOURCE / "include/warpline/status.h").read_text()
    parts = [line.split()[2] for line in text.splitlines() if line.startswith("#define WL_VERSION_")]
    assert _native.__version__ == ".".join(parts)
