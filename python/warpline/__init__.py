"""Warpline: predicts how a GPU kernel performs, without a GPU.

    import warpline

    warpline.predict("star3d_r4", "h200", (32, 8))["model"]["time_s"]
    ranking = warpline.rank("star3d_r4", "h200")
    ranking.best, ranking.columns["time_s"]

Results are plain dicts, and columns of NumPy arrays where NumPy is installed (lists where it is
not). All values are in base units: bytes, seconds. docs/python.md has the whole of it.
SPDX-License-Identifier: MIT
"""
from ._version import __version__
from .advice import advise
from .devices import Device, device_names, devices, occupancy
from .errors import BoundsError, Error, FileError, InputError, LimitError, RangeError, UnsupportedError
from .kernels import Kernel, kernels, show
from .predictions import Predictor, explain, predict
from .rankings import Ranking, rank
from .recordings import Recording, record

__all__ = ["BoundsError", "Device", "Error", "FileError", "InputError", "Kernel", "LimitError", "Predictor", "RangeError", "Ranking",
           "Recording", "UnsupportedError", "__version__", "advise", "device_names", "devices", "explain", "kernels", "occupancy",
           "predict", "rank", "record", "show"]
