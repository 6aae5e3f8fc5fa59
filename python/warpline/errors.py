"""Errors of the library as exceptions. SPDX-License-Identifier: MIT"""
from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional

__all__ = ["Error", "InputError", "RangeError", "UnsupportedError", "LimitError", "FileError",
           "BoundsError"]


class Error(Exception):
    """Something that cannot be predicted, with the place in the text that says so.

    ``input`` names the file or argument, ``line`` and ``column`` count from 1 (None: no particular
    place), ``status`` is the library's short word for the kind of failure.
    """

    def __init__(self, message: str, *, status: str = "", input: str = "",
                 line: Optional[int] = None, column: Optional[int] = None):
        place = ":".join(str(p) for p in (input, line, column) if p)
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.status = status
        self.input = input
        self.line = line
        self.column = column


class InputError(Error, ValueError):
    """The text or value given is wrong."""


class RangeError(Error, OverflowError):
    """A number leaves the range that the library computes in."""


class UnsupportedError(Error, NotImplementedError):
    """Well-formed, but outside what the model can do."""


class LimitError(Error):
    """More work or memory than the budget allows."""


class FileError(Error, OSError):
    """A file cannot be read."""


class BoundsError(Error, IndexError):
    """A thread of the launch accesses memory outside of its buffers."""


@contextmanager
def about(argument: str) -> Iterator[None]:
    """An error inside that names no file or argument is about this one."""
    try:
        yield
    except Error as wrong:
        if wrong.input:
            raise
        raise type(wrong)(wrong.message, status=wrong.status, input=argument, line=wrong.line,
                          column=wrong.column) from None
