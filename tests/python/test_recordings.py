"""Recordings as rows and profiles. SPDX-License-Identifier: MIT"""
import json
import os
import pathlib
import subprocess
import sys

import pytest
import warpline
from conftest import SOURCE, WARPLINE

PROGRAM = pathlib.Path(WARPLINE).parent / "tests/preload/driver_program"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="programs do not run here")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("recording") / "program.wlrec"
    subprocess.run([WARPLINE, "run", "--device", "h200", "-o", made, "--", PROGRAM], check=True, capture_output=True)
    return made


def test_launches_are_rows(path):
    recording = warpline.Recording(path)
    assert len(recording) == 18 and recording.command.endswith("driver_program")
    assert recording[0]["kernel"] == "add_text" and recording[0]["block"] == (128, 1, 1) and not recording[0]["like"]
    assert {row["graph"] for row in recording} == {None, 0}
    assert [row["launch"] for row in recording] == list(range(18))


def test_a_profile_is_what_the_command_prints(path, cli):
    recording = warpline.Recording(path)
    wanted = json.loads(cli("predict", path, "--device", "a100-80gb", "--format", "json", "--no-ptxas"))["profiles"][0]
    profile = recording.profile("a100-80gb")
    assert profile["time"] == wanted["time"] and profile["kernels"] == wanted["kernels"]
    rows = recording.launches("a100-80gb")
    assert sum(row["time_s"] for row in rows) == pytest.approx(profile["time"]["kernels_s"], rel=1e-9)
    assert all(row["limiter"] == "launch" and row["l2_load_bytes"] > 0 and row["reason"] is None for row in rows)


def test_other_files_are_no_recordings(tmp_path):
    other = tmp_path / "other.wlrec"
    other.write_text("no recording")
    with pytest.raises(warpline.InputError):
        warpline.Recording(other)
    with pytest.raises(warpline.FileError):
        warpline.Recording(tmp_path / "none.wlrec")


def test_without_the_recorder_it_says_how():
    assert not warpline.record.available()
    with pytest.raises(warpline.UnsupportedError, match="warpline record -o"):
        warpline.record()


# A program that launches through the driver, as CuPy, Numba and PyCUDA do.
SCRIPT = '''
import ctypes, sys
import warpline
cuda = ctypes.CDLL("libcuda.so.1")
ptx = open(sys.argv[1], "rb").read()
module, kernel, x, y = (ctypes.c_void_p() for _ in range(4))
n = ctypes.c_int(4096)
assert cuda.cuInit(0) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), ptx) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"keys") == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(x), ctypes.c_size_t(32 * 4096)) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(y), ctypes.c_size_t(4 * 4096)) == 0
values = (ctypes.c_void_p * 3)(*(ctypes.addressof(v) for v in (x, y, n)))
def launch(block):
    assert cuda.cuLaunchKernel(kernel, 4096 // block, 1, 1, block, 1, 1, 0, None, values, None) == 0
launch(64)
with warpline.record() as part:
    launch(128)
    launch(256)
launch(512)
rows = part.recording.launches("h200")
print([row["block"][0] for row in rows], all(row["time_s"] > 0 for row in rows), warpline.record.available())
'''


@pytest.mark.parametrize("command", ["run", "record"])
def test_a_part_of_a_program(tmp_path, command):
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("libraries are loaded before the sanitizer")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(WARPLINE).parent / "preload")}
    device = ["--device", "h200"] if command == "run" else []
    made = subprocess.run([WARPLINE, command, *device, "-o", tmp_path / "app.wlrec", "--", sys.executable, "-c", SCRIPT,
                           SOURCE / "examples/keys.ptx"], capture_output=True, text=True, env=environment)
    assert "[128, 256] True True" in made.stdout, made.stdout + made.stderr
    assert len(warpline.Recording(tmp_path / "app.wlrec")) == 4
