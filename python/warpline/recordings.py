"""Recordings of programs: what they launched, and how long it takes on a device. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_char_p, c_double, c_int, c_int64, c_void_p
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from . import errors
from ._native import Handle, ProfileOptions, RecordedLaunch, lib, take_text
from .devices import DeviceLike, as_device

__all__ = ["Recording", "record"]

_VOLUMES = ("l2_load_bytes", "l2_store_bytes", "dram_load_bytes", "dram_store_bytes")
_JSON = 1


class Recording:
    """What a program did: a file, or a folder with the files of its processes, that `warpline record`
    or `warpline run` has written.

        recording = warpline.Recording("app.wlrec")
        recording[17]["kernel"], len(recording), recording.profile("h200")["time"]
        pandas.DataFrame(recording.launches("h200"))
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], first: int = 0, last: Optional[int] = None):
        """``first`` and ``last``: only these launches are rows; a profile has all."""
        self._handle = Handle(lib.wl_recording_free)
        lib.wl_recording_open(os.fspath(path).encode(), self._handle.out)
        self._rows: List[Dict[str, Any]] = []
        while last is None or first + len(self._rows) < last:
            at = lib.wl_recording_launch(self._handle.pointer, first + len(self._rows))
            if not at:
                break
            self._rows.append(_row(first + len(self._rows), RecordedLaunch.from_address(at)))

    @property
    def command(self) -> Optional[str]:
        """The command line of the program."""
        text = lib.wl_recording_command(self._handle.pointer)
        return text.decode("utf-8", "replace") if text else None

    @property
    def notes(self) -> List[str]:
        """What was not recorded, or cannot be read."""
        notes: List[str] = []
        while True:
            note = lib.wl_recording_note(self._handle.pointer, len(notes))
            if note is None:
                return notes
            notes.append(note.decode("utf-8", "replace"))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self._rows)

    def _profile(self, device: DeviceLike, effort: Optional[float], what_if: Optional[Mapping[str, Any]]) -> Handle:
        where = as_device(device, what_if)
        options = ProfileOptions(effort=effort or 0)
        profile = Handle(lib.wl_profile_free, self._handle, where)
        lib.wl_profile_make(self._handle.pointer, where._handle.pointer, byref(options), profile.out)
        return profile

    def profile(self, device: DeviceLike, *, effort: Optional[float] = None,
                what_if: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The profile of the whole program on a device: a dict with ``time`` (sums in seconds),
        ``kernels`` (by total time), ``copies`` and ``launches``, as in ``warpline predict --format json``.

        effort   about how long to emulate each kind of launch, in seconds (default 0.1)
        """
        profile, text = self._profile(device, effort, what_if), c_void_p()
        lib.wl_profile_render(byref(profile.pointer), 1, _JSON, byref(text))
        made = json.loads(take_text(text))
        return {**made["profiles"][0], "notes": made["notes"]}

    def launches(self, device: DeviceLike, *, effort: Optional[float] = None,
                 what_if: Optional[Mapping[str, Any]] = None) -> List[Dict[str, Any]]:
        """The launches, each with what is predicted of it: ``time_s``, ``limiter`` and the volumes in
        bytes; None where a launch cannot be predicted, and ``reason`` says why."""
        profile = self._profile(device, effort, what_if)
        metrics = {}
        for name in _VOLUMES:
            found = c_int()
            lib.wl_metric_find(name.encode(), byref(found))
            metrics[name] = found.value
        return [{**row, **_predicted(profile, row["launch"], metrics)} for row in self._rows]

    def __repr__(self) -> str:
        return f"<Recording of {len(self)} launches, {self.command}>"


def _row(number: int, launch: Any) -> Dict[str, Any]:
    return {"launch": number, "kernel": launch.kernel.decode("utf-8", "replace"),
            "symbol": launch.symbol.decode("utf-8", "replace"), "grid": tuple(launch.grid),
            "block": tuple(launch.block), "cluster": tuple(launch.cluster) if launch.cluster[0] else None,
            "dynamic_shared": launch.dynamic_shared, "stream": launch.stream,
            "graph": launch.graph if launch.graph >= 0 else None, "like": launch.like,
            "registers": launch.registers or None,
            "measured_s": launch.time_s if launch.time_s >= 0 else None}


def _predicted(profile: Handle, number: int, metrics: Mapping[str, int]) -> Dict[str, Any]:
    reason = c_char_p()
    prediction = lib.wl_profile_launch(profile.pointer, number, byref(reason))
    if not prediction:
        return {"time_s": None, "limiter": None, **dict.fromkeys(metrics),
                "reason": reason.value.decode("utf-8", "replace") if reason.value else None}
    made: Dict[str, Any] = {"time_s": lib.wl_prediction_time(prediction),
                            "limiter": lib.wl_bound_name(lib.wl_prediction_limiter(prediction)).decode()}
    for name, metric in metrics.items():
        value = c_double()
        made[name] = value.value if lib.wl_prediction_metric(prediction, metric, byref(value)) else None
    return {**made, "reason": None}


class record:
    """The launches of a part of this program, whichever library makes them (CuPy, Numba, PyCUDA):

        with warpline.record() as part:
            y = cupy.fft.fft(x)
        part.recording.launches("h200")

    The process must have been started with the recorder, which sits between the program and the
    driver from its start: ``warpline record -o app.wlrec -- python app.py``, or ``warpline run`` where
    there is no GPU. ``available()`` says whether it was; otherwise an `UnsupportedError` says how.
    """

    recording: Recording

    def __init__(self) -> None:
        process = ctypes.CDLL(None)
        try:
            self._path, self._launches = process.warpline_recording_path, process.warpline_recorded_launches
        except AttributeError:
            raise errors.UnsupportedError(
                "this process was not started with the recorder: start it as "
                "'warpline record -o app.wlrec -- python app.py' (without a GPU: 'warpline run')",
                status="unsupported", input="record") from None
        self._path.restype, self._launches.restype = c_char_p, c_int64

    @staticmethod
    def available() -> bool:
        """Was this process started with the recorder?"""
        return hasattr(ctypes.CDLL(None), "warpline_recording_path")

    def __enter__(self) -> "record":
        self._first = self._launches()
        return self

    def __exit__(self, *failure: Any) -> None:
        path = self._path()
        if not path:
            raise errors.UnsupportedError("the recorder does not write a recording: give warpline record -o FILE",
                                          status="unsupported", input="record")
        self.recording = Recording(os.fsdecode(path), self._first, self._launches())
