"""The C library by ctypes: its structs and functions, and nothing else.

Structs mirror include/warpline/*.h; tests/python/test_layout.py has the C compiler compare them.
SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p)
from typing import Any, Iterable, List, Optional

from . import errors
from ._version import __version__

SONAME = "libwarpline.so." + ".".join(__version__.split(".")[:2])

# ---- structs ----


class Loc(Structure):
    _c_name_ = "wl_loc"
    _fields_ = [("line", c_int32), ("col", c_int32), ("len", c_int32)]


class CError(Structure):
    _c_name_ = "wl_error"
    _fields_ = [("code", c_int), ("loc", Loc), ("input", c_char * 128), ("message", c_char * 256)]


class Schedule(Structure):
    _c_name_ = "wl_schedule"
    _fields_ = [("kind", c_int), ("width", c_int64), ("height", c_int64)]


class Launch(Structure):
    _c_name_ = "wl_launch"
    _fields_ = [("block", c_int64 * 3), ("fold", c_int64 * 3), ("grid", c_int64 * 3),
                ("registers", c_int64), ("shared_bytes", c_int64), ("schedule", Schedule)]


class KernelOptions(Structure):
    _c_name_ = "wl_kernel_options"
    _fields_ = [("sets", POINTER(c_char_p)), ("set_count", c_size_t)]


LOAD = CFUNCTYPE(c_int, c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(CError))


class PtxOptions(Structure):
    _c_name_ = "wl_ptx_options"
    _fields_ = [("entry", c_char_p), ("image", c_void_p), ("args", POINTER(c_char_p)), ("constants", POINTER(c_char_p)),
                ("arg_count", c_size_t), ("constant_count", c_size_t), ("launch", Launch),
                ("domain", c_int64 * 3), ("cluster", c_int64 * 3), ("dynamic_shared", c_int64), ("budget", c_int64),
                ("effort", c_double), ("outside", c_bool), ("load", LOAD), ("user", c_void_p),
                ("shared_of", c_void_p), ("shared_user", c_void_p)]


class PredictOptions(Structure):
    _c_name_ = "wl_predict_options"
    _fields_ = [("per_access", c_bool), ("emulate", c_bool), ("per_line", c_bool),
                ("confidence", c_bool), ("stacks", c_bool), ("complete", c_bool), ("outside", c_bool),
                ("model", c_int), ("caches", c_int), ("measured", POINTER(c_double)),
                ("l1_samples", c_int64), ("simulate", c_int64)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64)
EACH = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
SINK = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(CError))

RANK_VALUES = 5


class Ranked(Structure):
    _c_name_ = "wl_ranked"
    _fields_ = [("index", c_int64), ("time_s", c_double), ("values", c_double * RANK_VALUES),
                ("blocks_per_sm", c_int32), ("warps_per_sm", c_int32), ("outcome", c_uint8),
                ("limiter", c_uint8), ("next", c_uint8), ("condition", c_uint8)]


class RankOptions(Structure):
    _c_name_ = "wl_rank_options"
    _fields_ = [("predict", PredictOptions), ("threads", c_int), ("progress", PROGRESS),
                ("each", EACH), ("user", c_void_p)]


class Ranking(Structure):
    _c_name_ = "wl_ranking"
    _fields_ = [("best", POINTER(Ranked)), ("capacity", c_size_t), ("count", c_size_t),
                ("outcomes", c_int64 * 24), ("conditions", c_int64 * 64), ("stopped", c_bool)]


class Trust(Structure):
    _c_name_ = "wl_trust"
    _fields_ = [("error", c_double), ("level_count", c_size_t), ("ratio", c_double * 8),
                ("assumed", c_bool), ("basis", c_char * 160)]


class RankedSpace(Structure):
    _c_name_ = "wl_ranked_space"
    _fields_ = [("ranker", c_void_p), ("launches", POINTER(Ranked)), ("count", c_size_t),
                ("domain", c_int64 * 3), ("dims", c_int), ("tie", c_double), ("trust", Trust),
                ("ranking", Ranking), ("best_s", c_double), ("chosen", c_bool),
                ("within", c_double), ("chance", c_double)]


class RankWriter(Structure):
    _c_name_ = "wl_rank_writer"
    _fields_ = [("format", c_int), ("sink", SINK), ("user", c_void_p), ("spaces", c_size_t),
                ("launches", c_size_t)]


class AdviseOptions(Structure):
    _c_name_ = "wl_advise_options"
    _fields_ = [("predict", PredictOptions), ("threads", c_int)]


class Elsewhere(Structure):
    _c_name_ = "wl_elsewhere"
    _fields_ = [("name", c_char_p), ("fits", c_bool), ("time_s", c_double), ("limiter", c_int),
                ("best", Launch), ("best_s", c_double)]


class AdviseReport(Structure):
    _c_name_ = "wl_advise_report"
    _fields_ = [("kernel", c_void_p), ("device", c_void_p), ("result", c_void_p),
                ("devices", POINTER(Elsewhere)), ("device_count", c_size_t),
                ("device_model", c_int), ("devices_left", c_bool)]


class RecordedLaunch(Structure):
    _c_name_ = "wl_recorded_launch"
    _fields_ = [("kernel", c_char_p), ("symbol", c_char_p), ("module", c_size_t), ("grid", c_int64 * 3),
                ("block", c_int64 * 3), ("cluster", c_int64 * 3), ("dynamic_shared", c_int64),
                ("stream", c_int64), ("graph", c_int64), ("registers", c_int64), ("kind", c_size_t), ("like", c_bool),
                ("start_s", c_double), ("time_s", c_double)]


class Digest(Structure):
    _c_name_ = "wl_digest"
    _fields_ = [("word", c_uint64 * 2)]


class ProfileOptions(Structure):
    _c_name_ = "wl_profile_options"
    _fields_ = [("predict", PredictOptions), ("effort", c_double), ("budget", c_int64), ("threads", c_int),
                ("needs", c_void_p), ("user", c_void_p)]


STRUCTS = (Loc, CError, Schedule, Launch, KernelOptions, PtxOptions, PredictOptions, Ranked,
           RankOptions, Ranking, Trust, RankedSpace, RankWriter, AdviseOptions, Elsewhere,
           AdviseReport, RecordedLaunch, Digest, ProfileOptions)

# values of enums that are used here; test_layout.py compares them, too
WL_OK, WL_E_IO, WL_E_NOMEM = 0, 6, 5
WL_FORMAT_JSON_LINE = 2
SCHEDULE_TEXT_MAX = 64
ENUMS = {"WL_OK": WL_OK, "WL_E_INPUT": 1, "WL_E_RANGE": 2, "WL_E_UNSUPPORTED": 3, "WL_E_LIMIT": 4,
         "WL_E_NOMEM": WL_E_NOMEM, "WL_E_IO": WL_E_IO, "WL_E_BOUNDS": 7, "WL_FORMAT_JSON": 1,
         "WL_FORMAT_JSON_LINE": WL_FORMAT_JSON_LINE, "WL_RANK_VALUES": RANK_VALUES,
         "WL_SCHEDULE_TEXT_MAX": SCHEDULE_TEXT_MAX, "WL_MODEL_BEST": 0, "WL_SCHEDULE_LINEAR": 0}

_EXCEPTIONS = {1: errors.InputError, 2: errors.RangeError, 3: errors.UnsupportedError,
               4: errors.LimitError, 6: errors.FileError, 7: errors.BoundsError}

# ---- functions: name -> (result, arguments); "status" results are checked and take a wl_error ----

_STATUS = "status"
_P, _PP, _S, _I, _N, _D = c_void_p, POINTER(c_void_p), c_char_p, c_int64, c_size_t, c_double
_SIGNATURES = {
    "wl_version": (_S, ()),
    "wl_status_name": (_S, (c_int,)),
    "wl_device_builtin_count": (_N, ()),
    "wl_device_builtin_name": (_S, (_N,)),
    "wl_device_builtin": (_STATUS, (_S, _PP)),
    "wl_device_parse": (_STATUS, (_S, _S, _N, _PP)),
    "wl_device_free": (None, (_P,)),
    "wl_device_set": (_STATUS, (_P, _S)),
    "wl_device_name": (_S, (_P,)),
    "wl_device_title": (_S, (_P,)),
    "wl_device_architecture": (_S, (_P,)),
    "wl_device_compute_capability": (_S, (_P,)),
    "wl_device_render": (_STATUS, (_P, c_int, _PP)),
    "wl_kernel_parse": (_STATUS, (_S, _S, _N, POINTER(KernelOptions), _PP)),
    "wl_kernel_from_update": (_STATUS, (_S, _S, _S, _PP)),
    "wl_kernel_free": (None, (_P,)),
    "wl_kernel_builtin_count": (_N, ()),
    "wl_kernel_builtin_name": (_S, (_N,)),
    "wl_kernel_builtin_text": (_P, (_S, POINTER(_N))),
    "wl_kernel_name": (_S, (_P,)),
    "wl_kernel_domain": (c_int, (_P, POINTER(_I))),
    "wl_kernel_domain_param": (_S, (_P, c_int)),
    "wl_kernel_note": (_S, (_P, _N)),
    "wl_kernel_show": (_STATUS, (_P, _PP)),
    "wl_ptx_parse": (_STATUS, (_S, _S, _N, _PP)),
    "wl_ptx_free": (None, (_P,)),
    "wl_ptx_entry_find": (_STATUS, (_P, _S, POINTER(_N))),
    "wl_ptx_entry_symbol": (_S, (_P, _N)),
    "wl_ptx_set_source": (None, (_P, _S, _S, _N)),
    "wl_kernel_from_ptx": (_STATUS, (_P, POINTER(PtxOptions), _PP)),
    "wl_schedule_parse": (_STATUS, (_S, POINTER(Schedule))),
    "wl_schedule_print": (None, (POINTER(Schedule), _S)),
    "wl_grid_rule_parse": (_STATUS, (_P, _S, POINTER(_S), _N, _PP)),
    "wl_grid_rule_apply": (_STATUS, (_P, _P, POINTER(_I), POINTER(Launch))),
    "wl_grid_rule_free": (None, (_P,)),
    "wl_occupancy_render": (_STATUS, (_P, _I, _I, _I, c_int, _PP)),
    "wl_model_find": (c_bool, (_S, POINTER(c_int))),
    "wl_bound_name": (_S, (c_int,)),
    "wl_metric_name": (_S, (c_int,)),
    "wl_metric_find": (c_bool, (_S, POINTER(c_int))),
    "wl_metric_text": (_STATUS, (c_int, _PP)),
    "wl_predictor_new": (_STATUS, (_P, _P, _PP)),
    "wl_predictor_free": (None, (_P,)),
    "wl_prediction_new": (_STATUS, (_PP,)),
    "wl_prediction_free": (None, (_P,)),
    "wl_predict": (_STATUS, (_P, POINTER(Launch), POINTER(PredictOptions), _P)),
    "wl_prediction_time": (_D, (_P,)),
    "wl_prediction_render": (_STATUS, (_P, _P, _P, c_int, _PP)),
    "wl_space_new": (_STATUS, (_PP,)),
    "wl_space_free": (None, (_P,)),
    "wl_space_set": (_STATUS, (_P, _S, _S)),
    "wl_space_names": (_STATUS, (_P, _P, POINTER(_S), _N)),
    "wl_ranker_new": (_STATUS, (_P, _P, _P, POINTER(RankOptions), _PP)),
    "wl_ranker_free": (None, (_P,)),
    "wl_ranker_size": (_I, (_P,)),
    "wl_ranker_launches": (None, (_P, _P, _N, _P, _P)),
    "wl_rank_metric": (c_int, (c_int,)),
    "wl_rank": (_STATUS, (_P, _P, _N, POINTER(Ranking))),
    "wl_rank_write_sorted": (_STATUS, (POINTER(RankWriter), POINTER(RankedSpace), _N)),
    "wl_rank_write_end": (_STATUS, (POINTER(RankWriter),)),
    "wl_trust_of": (_STATUS, (_P, c_int, POINTER(Trust))),
    "wl_trust_ratio": (c_bool, (POINTER(Trust), _D, POINTER(_D))),
    "wl_trust_probability": (_D, (POINTER(Trust), _D)),
    "wl_advise": (_STATUS, (_P, _P, POINTER(Launch), POINTER(AdviseOptions), _PP)),
    "wl_advised_free": (None, (_P,)),
    "wl_advised_costly": (c_bool, (_P,)),
    "wl_advise_devices": (_STATUS, (_P, _P, POINTER(Launch), POINTER(AdviseOptions),
                                    POINTER(Elsewhere), _N, POINTER(_N), POINTER(c_int))),
    "wl_recording_open": (_STATUS, (_S, _PP)),
    "wl_recording_free": (None, (_P,)),
    "wl_recording_command": (_S, (_P,)),
    "wl_recording_device": (_S, (_P,)),
    "wl_recording_note": (_S, (_P, _N)),
    "wl_recording_launch": (_P, (_P, _N)),
    "wl_record_writer_new": (_STATUS, (_S, _PP)),
    "wl_record_blob": (_STATUS, (_P, _S, _N, POINTER(Digest))),
    "wl_record_event": (_STATUS, (_P, _S, _N, c_bool)),
    "wl_record_writer_close": (_STATUS, (_P,)),
    "wl_profile_make": (_STATUS, (_P, _P, POINTER(ProfileOptions), _PP)),
    "wl_profile_free": (None, (_P,)),
    "wl_profile_launch": (_P, (_P, _N, POINTER(_S))),
    "wl_profile_render": (_STATUS, (_PP, _N, c_int, _PP)),
    "wl_prediction_limiter": (c_int, (_P,)),
    "wl_prediction_metric": (c_bool, (_P, c_int, POINTER(_D))),
    "wl_advise_render": (_STATUS, (POINTER(AdviseReport), c_int, _PP)),
}


def _candidates() -> Iterable[str]:
    """Where the library may be: what $WARPLINE_LIBRARY says, beside this file, or installed."""
    named = os.environ.get("WARPLINE_LIBRARY")
    if named:
        yield named
        return
    bundled = pathlib.Path(__file__).with_name(SONAME)
    if bundled.exists():
        yield str(bundled)
    yield SONAME
    found = ctypes.util.find_library("warpline")
    if found:
        yield found


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as failure:
            tried.append(f"{name}: {failure}")
    raise ImportError(
        "warpline: the shared library cannot be loaded. Install it (make install, or the Debian package "
        f"libwarpline{SONAME.split('.so.')[1]}), or name it in $WARPLINE_LIBRARY. Tried:\n  " + "\n  ".join(tried))


def raise_error(err: CError) -> None:
    """Raises what a wl_error says."""
    message = err.message.decode("utf-8", "replace")
    if err.code == WL_E_NOMEM:
        raise MemoryError(message)
    line, column = (err.loc.line, err.loc.col) if err.loc.line > 0 else (None, None)
    raise _EXCEPTIONS.get(err.code, errors.Error)(
        message, status=lib.wl_status_name(err.code).decode(),
        input=err.input.decode("utf-8", "replace"), line=line, column=column)


def _checked(function: Any) -> Any:
    def call(*arguments: Any) -> None:
        err = CError()
        if function(*arguments, byref(err)) != WL_OK:
            raise_error(err)
    return call


class _Library:
    """The functions of the table above; those that can fail raise."""

    def __init__(self, loaded: ctypes.CDLL):
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(loaded, name)
            fallible = result == _STATUS
            function.restype = c_int if fallible else result
            function.argtypes = (*arguments, POINTER(CError)) if fallible else arguments
            setattr(self, name, _checked(function) if fallible else function)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)


def _open() -> _Library:
    loaded = _load()
    loaded.wl_version.restype = c_char_p
    version = loaded.wl_version().decode()
    if version.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"warpline: module {__version__} does not go with library {version}")
    return _Library(loaded)


lib = _open()

_free = ctypes.CDLL(None).free
_free.argtypes = (c_void_p,)
_free.restype = None


def take_text(pointer: c_void_p) -> str:
    """The text that the library allocated for us, which is freed."""
    try:
        return ctypes.string_at(pointer.value or 0).decode("utf-8")
    finally:
        _free(pointer)


def strings(texts: Iterable[str]) -> Any:
    """An array of C strings; it keeps them alive."""
    encoded = [t.encode() for t in texts]
    return (c_char_p * len(encoded))(*encoded)


class Handle:
    """Owns what one of the library's functions gave, and what that borrows."""

    def __init__(self, free: Any, *borrowed: Any):
        self.pointer = c_void_p()
        self._release = free
        self.borrowed = borrowed

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self._release(self.pointer)
            self.pointer = c_void_p()

    @property
    def out(self) -> Any:
        return byref(self.pointer)
