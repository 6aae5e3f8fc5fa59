"""What ptxas wrote into a cubin about its kernels. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import struct
from typing import Dict, Iterator, List, NamedTuple, Tuple

__all__ = ["Resources", "resources"]

_SYMBOLS, _INFO = 2, 0x70000000  # types of sections
_WITH_VALUES = 4                 # a record of the info section whose size is stated
_REGISTERS, _STACK = 0x2f, 0x12  # records: (symbol, number)


class Resources(NamedTuple):
    """Of each thread."""
    registers: int
    stack_bytes: int


class _Section(NamedTuple):
    name: str
    type: int
    link: int
    data: bytes


def _text(table: bytes, at: int) -> str:
    return table[at:table.index(b"\0", at)].decode()


def _sections(cubin: bytes) -> List[_Section]:
    """Of an ELF file with 64 bits."""
    if cubin[:5] != b"\x7fELF\x02":
        raise ValueError("this is no cubin")
    table, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", cubin, table + i * size) for i in range(count)]
    data = [cubin[h[4]:h[4] + h[5]] for h in headers]
    return [_Section(_text(data[names], h[0]), h[1], h[6], d) for h, d in zip(headers, data)]


def _pairs(info: bytes) -> Iterator[Tuple[int, int, int]]:
    """The records (attribute, symbol, number) of an info section."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != _WITH_VALUES:
            continue  # the size is the value
        if size == 8:
            yield (attribute, *struct.unpack_from("<II", info, at))
        at += size


def resources(cubin: bytes) -> Dict[str, Resources]:
    """Registers and stack of each kernel, by its symbol. Raises ValueError if these bytes are no cubin."""
    sections = _sections(cubin)
    found: Dict[int, Dict[int, int]] = {}
    for section in sections:
        if section.type == _INFO and section.name == ".nv.info":
            for attribute, symbol, number in _pairs(section.data):
                found.setdefault(attribute, {})[symbol] = number
    symbols = next(s for s in sections if s.type == _SYMBOLS)
    names = sections[symbols.link].data
    return {_text(names, struct.unpack_from("<I", symbols.data, 24 * symbol)[0]):
            Resources(registers, found.get(_STACK, {}).get(symbol, 0))
            for symbol, registers in found.get(_REGISTERS, {}).items()}
