"""Writes recordings: the file that docs/recording.md describes. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import json
import os
from ctypes import byref, c_void_p
from typing import Any, Dict, Union

from ._native import Digest, lib

__all__ = ["Writer"]


class Writer:
    """The file of a recording. One thread at a time."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        self._pointer = c_void_p()
        lib.wl_record_writer_new(os.fspath(path).encode(), byref(self._pointer))

    def blob(self, content: bytes) -> str:
        """Writes bytes, unless equal ones are there, and gives their digest."""
        digest = Digest()
        lib.wl_record_blob(self._pointer, content, len(content), byref(digest))
        return "".join(f"{word:016x}" for word in digest.word)

    def event(self, kind: str, members: Dict[str, Any]) -> None:
        text = json.dumps({"event": kind, **members}).encode()
        lib.wl_record_event(self._pointer, text, len(text), True)

    def close(self) -> None:
        pointer, self._pointer = self._pointer, c_void_p()
        if pointer:
            lib.wl_record_writer_close(pointer)

    def __del__(self) -> None:
        self.close()
