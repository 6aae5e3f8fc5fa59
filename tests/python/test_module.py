"""The module gives what the command line prints. SPDX-License-Identifier: MIT"""
import inspect
import json
import math
import os
import pathlib
import subprocess
import sys
import threading

import pytest
import warpline
from conftest import SOURCE
from warpline import rankings

HEAT = SOURCE / "examples/heat.ptx"
GATHER = SOURCE / "tests/python/gather.ptx"
STAR = "dst[0,0] = src[-1,0] + src[1,0] + src[0,-1] + src[0,1]"
N = 4096
HEAT_ARGS = [f"buf:{N * N * 8}", f"buf:{N * N * 8}", N, N, 0.1]
HEAT_CLI = [word for a in HEAT_ARGS for word in ("--arg", a)]


def one(text):
    """The only prediction of a call, as its line in a batch."""
    data = json.loads(text)
    assert data["schema"] == "warpline.predict/2" and len(data["predictions"]) == 1
    return {"schema": "warpline.prediction/2", **data["predictions"][0]}


# ---- predict ----

@pytest.mark.parametrize("python, command", [
    (dict(kernel="star3d_r4", device="h200", block=(32, 8)), ["star3d_r4", "--device", "h200", "--block", "32x8"]),
    (dict(kernel="star3d_r4", device="a100-40gb", block="64x4x4", fold=(1, 1, 2), params={"nx": 320}, registers=54,
          what_if={"l2_size": "80MiB"}, model="limiter", per_access=True),
     ["star3d_r4", "--device", "a100-40gb", "--block", "64x4x4", "--fold", "1x1x2", "--set", "nx=320", "--registers",
      54, "--with", "l2_size=80MiB", "--model", "limiter", "--per-access"]),
    (dict(kernel=STAR, domain=(4096, 4096), dtype="f32", device="v100", block=256, schedule="column:32"),
     ["--update", STAR, "--domain", "4096x4096", "--type", "f32", "--device", "v100", "--block", 256, "--schedule",
      "column:32"]),
    (dict(kernel=HEAT, device="h200", block=(32, 8), grid="cdiv(n,block.x),cdiv(n,block.y)", params={"n": N},
          args=HEAT_ARGS, registers=18),
     [HEAT, "--device", "h200", "--block", "32x8", "--grid", "cdiv(n,block.x),cdiv(n,block.y)", "--set", f"n={N}",
      *HEAT_CLI, "--registers", 18]),
])
def test_predict_is_what_the_command_prints(cli, python, command):
    assert warpline.predict(**python) == one(cli("predict", *command, "--format", "json"))


def test_a_grid_names_params_of_the_kernel(cli):
    rule = "cdiv(nx,block.x),cdiv(ny,block.y)"
    made = warpline.predict("star2d_5pt", "h200", (32, 8), grid=rule)
    assert made == one(cli("predict", "star2d_5pt", "--device", "h200", "--block", "32x8", "--grid", rule, "--format", "json"))
    assert len(warpline.rank("star2d_5pt", "h200", grid=rule, where="block.x <= nx / 64")) > 1


def test_several_blocks_give_a_list():
    blocks = [(32, 8), 256, "64x2"]
    results = warpline.predict("triad", "h200", blocks)
    assert [r["launch"]["block"] for r in results] == [[32, 8, 1], [256, 1, 1], [64, 2, 1]]
    assert results[1] == warpline.predict("triad", "h200", 256)


def test_a_predictor_keeps_nothing_that_matters():
    predictor = warpline.Predictor(warpline.Kernel.load("star3d_7pt"), "h200")
    first = predictor.predict((32, 4, 2))
    predictor.predict((64, 4), fold=(1, 2, 1))
    assert predictor.predict((32, 4, 2)) == first
    assert predictor.time((32, 4, 2)) == pytest.approx(first["model"]["time_s"], rel=1e-12)


def test_kernels_from_text_file_and_name(tmp_path):
    text = warpline.show("star2d_5pt")
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    wanted = warpline.predict("star2d_5pt", "h200", 256)
    for kernel in (text, path, str(path), warpline.Kernel.parse(text), warpline.Kernel.load(path)):
        assert warpline.predict(kernel, "h200", 256)["model"] == wanted["model"]


def test_a_domain_sets_its_params(cli):
    kernel = warpline.Kernel.load("star3d_r4", domain=(64, 32, 16))
    assert kernel.domain == (64, 32, 16) and kernel.name == "star3d_r4"
    with pytest.raises(warpline.InputError, match="no z"):
        warpline.Kernel.load("star2d_5pt", domain=(64, 32, 16))


def test_contents_of_a_buffer_come_from_python():
    """A gather whose indices are all the same touches one sector per load; one with strides many."""
    numpy = pytest.importorskip("numpy")
    n = 1 << 14
    def sectors(index):
        index = numpy.asarray(index, dtype=numpy.int32)
        made = warpline.predict(GATHER, "h200", 256, domain=n, args=[f"buf:{4 * n}", f"buf:{4 * n * 64}", index], registers=16)
        return made["metrics"]["l1_sectors_ld"]["value"] - n * 4 / 32  # less those of the index itself
    assert sectors(numpy.zeros(n)) == n / 32
    assert sectors(numpy.arange(n)) == n * 4 / 32
    assert sectors(numpy.arange(n) * 64) == n
    assert sectors(bytes(4 * n) and numpy.arange(n)[::-1].copy()) == n * 4 / 32


# ---- rank ----

@pytest.mark.parametrize("python, command", [
    (dict(kernel="star3d_r4", device="h200"), ["star3d_r4", "--device", "h200"]),
    (dict(kernel=STAR, domain=(2048, 1024), dtype="f32", device="v100", block_x=[32, 64], block_y="1..8:x2",
          threads="64..512", fold=[(1, 1), (1, 2)], registers={(1, 1): 24, "1x2x1": 30}, where="block.x >= 2*block.y",
          schedules=["linear", "column:32", "swizzle:8"]),
     ["--update", STAR, "--domain", "2048x1024", "--type", "f32", "--device", "v100", "--block-x", "32,64", "--block-y",
      "1..8:x2", "--threads", "64..512", "--fold", "1x1x1", "--fold", "1x2x1", "--registers", "1x1x1:24,1x2x1:30",
      "--where", "block.x >= 2*block.y", "--schedules", "linear,column:32,swizzle:8"]),
    (dict(kernel=HEAT, device="h200", grid="cdiv(n,block.x),cdiv(n,block.y)", params={"n": N}, args=HEAT_ARGS,
          registers=18, model="limiter"),
     [HEAT, "--device", "h200", "--grid", "cdiv(n,block.x),cdiv(n,block.y)", "--set", f"n={N}", *HEAT_CLI,
      "--registers", 18, "--model", "limiter"]),
])
def test_rank_is_what_the_command_prints(cli, python, command):
    space = json.loads(cli("rank", *command, "--format", "json"))["spaces"][0]
    ranking = warpline.rank(**python)
    assert len(ranking) == len(space["launches"]) == ranking.predicted == space["predicted"]
    assert ranking.left_out == space["left_out"] and ranking.notes == space["notes"]
    assert ranking.tie == pytest.approx(space["tie"], rel=1e-5)
    for row, wanted in zip(ranking, space["launches"]):
        assert [row["rank"], row["group"], row["schedule"]] == [wanted["rank"], wanted["group"], wanted["schedule"]]
        for shape in ("block", "fold", "grid"):
            if shape in wanted:
                assert [row[f"{shape}_{d}"] for d in "xyz"] == wanted[shape]
        assert (row["limiter"], row["next_limiter"]) == (wanted["limiter"], wanted["next_limiter"])
        assert row["registers"] == wanted.get("registers", 0)
        assert (row["blocks_per_sm"], row["warps_per_sm"]) == tuple(wanted["occupancy"].values())
        for name in ("time_s", "items_per_s"):
            assert row[name] == pytest.approx(wanted[name], rel=1e-12)
        for name, value in wanted["metrics"].items():
            assert row[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("schedules", [None, "linear,column:32,tile:32x8,swizzle:4"])
def test_a_ranking_has_the_grid_of_every_launch(schedules):
    ranking = warpline.rank("star2d_5pt", "h200", block_x=[96, 256], block_y=[1, 3], schedules=schedules)
    for row in ranking:
        block, fold, grid = ([row[f"{what}_{d}"] for d in "xyz"] for what in ("block", "fold", "grid"))
        launch = warpline.predict("star2d_5pt", "h200", block, fold=fold, schedule=row["schedule"])["launch"]
        assert grid == launch["grid"]


@pytest.mark.parametrize("grid", [0, "0", (0, 1), (4, -1), 1.5, "4x0", "nx*0", "4,0"])
def test_a_grid_without_blocks_is_an_error(grid):
    with pytest.raises(warpline.InputError, match="above 0|would be 0") as caught:
        warpline.predict("star2d_5pt", "h200", (32, 8), grid=grid)
    assert caught.value.input == "grid"
    with pytest.raises(warpline.InputError, match="above 0|grid would have no blocks"):
        warpline.rank("star2d_5pt", "h200", grid=grid)


def test_columns_and_rows_are_the_same():
    ranking = warpline.rank("star2d_5pt", "h200")
    assert ranking[0] == ranking.best == next(iter(ranking)) and ranking[-1] == list(ranking)[-1]
    assert ranking[2:5] == list(ranking)[2:5]
    assert all(len(c) == len(ranking) for c in ranking.columns.values())
    assert {type(v) for v in ranking.best.values()} <= {int, float, str}
    with pytest.raises(IndexError):
        ranking[len(ranking)]


def test_top_and_what_to_benchmark(cli):
    ranking = warpline.rank("star3d_r4", "h200")
    assert list(warpline.rank("star3d_r4", "h200", top=7)) == ranking[:7]
    command = json.loads(cli("rank", "star3d_r4", "--device", "h200", "--top-k", "80%", "--format", "json"))
    assert ranking.to_benchmark(0.8) == ranking[:command["spaces"][0]["benchmark"]["count"]]
    with pytest.raises(warpline.LimitError):
        warpline.rank("star3d_r4", "h200", top=3).to_benchmark(0.8)
    with pytest.raises(warpline.UnsupportedError, match="beyond"):
        ranking.to_benchmark(0.999999)


def test_progress_stops_and_raises():
    seen = []
    stopped = warpline.rank("star3d_r4", "h200", block_x="1..512", threads="32..1024",
                            progress=lambda done, total: seen.append((done, total)) or False)
    assert stopped.interrupted and seen and seen[0][0] <= seen[0][1]
    def fail(done, total):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        warpline.rank("star3d_r4", "h200", block_x="1..512", threads="32..1024", progress=fail)


def test_threads_of_python():
    """Each thread has a ranker of its own; the library releases the interpreter."""
    wanted, results = warpline.rank("star2d_5pt", "v100").best, []
    threads = [threading.Thread(target=lambda: results.append(warpline.rank("star2d_5pt", "v100", jobs=1).best))
               for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [wanted] * 4


def test_without_numpy():
    """The same rows from plain lists."""
    code = ("import sys, json; sys.modules['numpy'] = None; import warpline; "
            "r = warpline.rank('star2d_5pt', 'h200', schedules='linear,swizzle:4'); "
            "assert type(r.columns['time_s']) is list; json.dump([list(r), r[3], r[1:3]], sys.stdout)")
    rows, fourth, some = json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
    ranking = warpline.rank("star2d_5pt", "h200", schedules="linear,swizzle:4")
    assert rows == list(ranking) and fourth == ranking[3] and some == ranking[1:3]


def test_numpy_columns():
    numpy = pytest.importorskip("numpy")
    columns = warpline.rank("star2d_5pt", "h200").columns
    assert columns["time_s"].dtype == numpy.float64 and columns["block_x"].dtype == numpy.int64
    assert columns["limiter"].dtype.kind == "U" and bool((numpy.diff(columns["time_s"]) >= 0).all())


@pytest.mark.parametrize("numpy", [None, rankings.numpy])
def test_no_python_call_per_launch(monkeypatch, numpy):
    """A search from Python costs what it costs from C, and a number of calls that hardly grows with the launches."""
    def calls(**space):
        count = [0]

        def profile(_frame, event, _argument):
            count[0] += event in ("call", "c_call")
        sys.setprofile(profile)
        try:
            ranking = warpline.rank("star3d_r4", "h200", jobs=1, **space)
            launches = len(ranking.columns["time_s"])
        finally:
            sys.setprofile(None)
        return launches, count[0]

    monkeypatch.setattr(rankings, "numpy", numpy)
    calls()  # tables that are made once
    few, calls_of_few = calls(block_z=1, fold=(1, 1, 1))
    many, calls_of_many = calls()
    assert many > 5 * few
    assert calls_of_many - calls_of_few < (many - few) / 2


def test_pandas():
    pandas = pytest.importorskip("pandas")
    ranking = warpline.rank("star2d_5pt", "h200")
    assert len(pandas.DataFrame(ranking.columns)) == len(pandas.DataFrame(list(ranking))) == len(ranking)


# ---- the others ----

def test_advise_is_what_the_command_prints(cli):
    assert warpline.advise("star3d_r4", "h200", (128, 2)) == json.loads(
        cli("advise", "star3d_r4", "--device", "h200", "--block", "128x2", "--format", "json"))
    assert warpline.advise("star2d_5pt", "h200", 64, devices=0) == json.loads(
        cli("advise", "star2d_5pt", "--device", "h200", "--block", "64", "--devices", "0", "--format", "json"))


def test_show_is_what_the_command_prints(cli):
    assert warpline.show("triad") == cli("show", "triad")
    assert warpline.show(str(HEAT), block=(32, 8), domain=(N, N), args=HEAT_ARGS, registers=18) == cli(
        "show", HEAT, "--block", "32x8", "--domain", f"{N}x{N}", *HEAT_CLI, "--registers", 18)


def test_devices(cli):
    listed = json.loads(cli("devices", "list", "--format", "json"))["devices"]
    rows = warpline.devices()
    assert [r["name"] for r in rows] == warpline.device_names() == [d["name"] for d in listed]
    assert [r["title"] for r in rows] == [d["title"] for d in listed]
    h200 = warpline.Device("h200")
    assert (h200.architecture, h200.compute_capability) == ("hopper", "9.0")
    assert h200.numbers()["sm_count"]["value"] == 132 and "source" in h200.numbers()["sm_count"]
    assert isinstance(warpline.Device("h200").numbers()["rank_ratio"]["value"], list)
    assert warpline.Device("h200", {"l2_size": "80MiB"}).to_dict()["l2_size"] == 80 * 2**20
    assert warpline.Device(SOURCE / "share/devices/h200.yaml").to_dict() == h200.to_dict()


def test_occupancy_and_explain(cli):
    assert warpline.occupancy("h200", 1024, 54) == json.loads(
        cli("occupancy", "--device", "h200", "--threads", 1024, "--registers", 54, "--format", "json"))
    assert warpline.explain("dram_load_bytes") == cli("explain", "dram_load_bytes")
    with pytest.raises(KeyError):
        warpline.explain("nothing")
    assert "star3d_r4" in warpline.kernels()


# ---- errors ----

@pytest.mark.parametrize("call, error, text", [
    (lambda: warpline.predict("star3d_r5", "h200", 1), warpline.InputError, "star3d_r5: .*star3d_r4"),
    (lambda: warpline.predict("triad", "h2000", 1), warpline.InputError, "did you mean 'h200'"),
    (lambda: warpline.predict("triad", "h200", (1, 2, 3, 4)), warpline.InputError, "block: one to three"),
    (lambda: warpline.predict("triad", "h200", 0), warpline.InputError, "above 0"),
    (lambda: warpline.predict("triad", "h200", 4096), warpline.InputError, ""),
    (lambda: warpline.predict("triad", "h200", 256, model="oracle"), warpline.InputError, "oracle"),
    (lambda: warpline.predict("triad", "h200", 256, schedule="spiral"), warpline.InputError, ""),
    (lambda: warpline.predict("nowhere/k.yaml", "h200", 256), warpline.FileError, "k.yaml: No such file"),
    (lambda: warpline.predict("k.cu", "h200", 256), warpline.FileError, "k.cu: No such file"),
    (lambda: warpline.predict(HEAT, "h200", 256, domain=64, args=[1]), warpline.InputError, ""),
    (lambda: warpline.predict("name: k\nfields: {a: {type: f99}}\n", "h200", 1), warpline.InputError, ":2:"),
    (lambda: warpline.predict("triad", "h200", 256, params={"m": 1}), warpline.InputError, "m"),
    (lambda: warpline.predict("triad", "h200", 256, what_if={"l2_size": "80"}), warpline.InputError, "l2_size"),
    (lambda: warpline.rank("triad", "h200", where="block.x >"), warpline.InputError, ""),
    (lambda: warpline.rank("triad", "h200", block_x="32..", ), warpline.InputError, "block.x"),
    (lambda: warpline.rank("triad", "h200", block_x=4096), warpline.InputError, "no launch is left"),
    (lambda: warpline.predict(GATHER, "h200", 256, domain=1024, registers=16, args=["buf:4096", "buf:4096", "buf:64"]),
     warpline.BoundsError, ""),
    (lambda: warpline.predict("triad", "h200", 256, entry="x"), TypeError, "entry: only of a .ptx or .cu"),
    (lambda: warpline.predict(STAR, "h200", 256), TypeError, "domain"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_an_error_tells_the_place():
    with pytest.raises(warpline.InputError) as caught:
        warpline.Kernel.parse("name: k\nfields:\n  a: {type: f99}\n", name="mine.yaml")
    e = caught.value
    assert (e.input, e.line) == ("mine.yaml", 3) and e.column > 1 and e.status == "bad input" and e.message
    assert isinstance(e, ValueError) and str(e).startswith("mine.yaml:3:")


def test_a_library_that_is_not_there_is_named():
    made = subprocess.run([sys.executable, "-c", "import warpline"], capture_output=True, text=True,
                          env={**os.environ, "WARPLINE_LIBRARY": "/nowhere/libwarpline.so"})
    assert made.returncode != 0 and "cannot be loaded" in made.stderr and "/nowhere/libwarpline.so" in made.stderr


# ---- the package ----

def test_everything_public_is_documented_and_typed():
    for name in warpline.__all__:
        what = getattr(warpline, name)
        if name.startswith("__"):
            continue
        assert what.__doc__, name
        functions = [what] if inspect.isfunction(what) else [
            f for n, f in vars(what).items() if inspect.isfunction(f) and not n.startswith("_")]
        for function in functions:
            hints = function.__annotations__
            assert "return" in hints, f"{name}.{function.__name__}"
            for parameter in inspect.signature(function).parameters.values():
                assert parameter.name in ("self", "cls") or parameter.name in hints, f"{name}: {parameter}"
    assert (pathlib.Path(warpline.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("bundled", [False, True])
def test_wheel(tmp_path, bundled):
    """Built without pip and without a network; what it holds runs by itself."""
    library = os.path.realpath(os.environ["WARPLINE_LIBRARY"])
    built = subprocess.run([sys.executable, SOURCE / "python/backend.py", tmp_path, *([library] if bundled else [])],
                           check=True, capture_output=True, text=True).stdout.strip()
    assert built.endswith(".whl") and ("any" in built) != bundled
    import base64
    import hashlib
    import zipfile
    with zipfile.ZipFile(tmp_path / built) as wheel:
        record = wheel.read(f"warpline-{warpline.__version__}.dist-info/RECORD").decode().splitlines()
        assert sorted(line.split(",")[0] for line in record) == sorted(wheel.namelist())
        for path, digest, _ in (line.split(",") for line in record[:-1]):
            made = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(path)).digest()).rstrip(b"=").decode()
            assert digest == "sha256=" + made
        wheel.extractall(tmp_path / "site")
    environment = {k: v for k, v in os.environ.items() if k not in ("WARPLINE_LIBRARY", "PYTHONPATH")}
    environment["PYTHONPATH"] = str(tmp_path / "site")
    if not bundled:
        environment["WARPLINE_LIBRARY"] = library
    code = "import warpline; print(warpline.__file__, warpline.predict('triad', 'h200', 256)['model']['name'])"
    printed = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert str(tmp_path / "site") in printed.stdout


EXAMPLE = SOURCE / "examples/rank_stencil.py"


def test_example(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "ranked.png"
    subprocess.run([sys.executable, EXAMPLE, picture], check=True)
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_example_without_matplotlib(tmp_path):
    """What the example draws, where nothing can draw it."""
    pytest.importorskip("numpy")
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib/__init__.py").write_text("")
    (tmp_path / "matplotlib/pyplot.py").write_text(
        "def scatter(x, y, c, **how):\n    print(len(x), len(y), len(c), min(y) == y[0])\n"
        "def title(text):\n    print(text)\n"
        "def savefig(path, **how):\n    print(path)\n"
        "def colorbar(**how): pass\n"
        "xlabel = ylabel = lambda text: None\n")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    printed = subprocess.run([sys.executable, EXAMPLE, "ranked.png"], check=True, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": path}).stdout.splitlines()
    assert len(printed) == 3 and printed[0].endswith(" True") and len(set(printed[0].split()[:3])) == 1
    assert printed[1].startswith("fastest: block ") and printed[2] == "ranked.png"
