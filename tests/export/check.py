# check.py FOLDER: do the exports of make_exports.c do what they are for? Stands in for Kernel Tuner and Triton.
# SPDX-License-Identifier: MIT
import importlib.util
import itertools
import json
import math
import os
import sys

folder = sys.argv[1]
NAME = "it's \"3\\n\" # {x}\n'; % \u03b1"
failed = 0


def check(holds, what):
    global failed
    if not holds:
        print("not so:", what)
        failed += 1


def load(name):
    path = os.path.join(folder, name)
    spec = importlib.util.spec_from_file_location(name[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shape(text):
    return tuple(map(int, text.split("x")))


def expected(name):
    """{(device, domain): {block + fold + schedule: seconds}}, best first, a repeated launch once"""
    spaces = {}
    with open(os.path.join(folder, "expected.txt")) as lines:
        for line in lines:
            which, device, domain, block, fold, schedule, seconds = line.split()
            if which == name:
                launch = shape(block) + shape(fold) + shape(schedule)
                spaces.setdefault((device, shape(domain)), {}).setdefault(launch, float(seconds))
    return spaces


def short(launches, length):
    return {launch[:length]: seconds for launch, seconds in launches.items()}


def near(a, b):
    return abs(a - b) <= 1e-8 * b


def accepted(tuner):
    """What Kernel Tuner makes of tune_params and restrictions that are strings."""
    found = set()
    for values in itertools.product(*tuner.tune_params.values()):
        params = dict(zip(tuner.tune_params, values))
        if all(eval(restriction, {}, params) for restriction in tuner.restrictions):
            found.add(values)
    return found


def check_tuner(name, params):
    tuner = load(name + "_tuner.py")
    spaces = expected(name)
    (device, domain), launches = next(iter(spaces.items()))
    names = ["block_size_x", "block_size_y", "block_size_z", "fold_x", "fold_y", "fold_z"]
    names = (names + ["schedule", "schedule_width", "schedule_height"])[:params]
    check(list(tuner.tune_params) == names, name + ": parameters")
    check((tuner.device, tuner.problem_size) == (device, domain), name + ": the first space is the default")
    check(all(isinstance(r, str) for r in tuner.restrictions), name + ": restrictions are strings")
    check(accepted(tuner) == set(short(launches, params)), name + ": restrictions leave exactly the launches")
    check(set(tuner.LAUNCHES) == set(spaces), name + ": every space is there")
    for key, found in spaces.items():
        check(tuner.LAUNCHES[key] == list(short(found, params)), "%s: launches of %s, best first" % (name, key))
    check(hasattr(tuner, "grid_div_y") == (params >= 6), name + ": foldings divide the grid")
    check(hasattr(tuner, "problem_size_of") == (params == 9), name + ": schedules have grids of their own")
    return tuner


def check_cache(name, tuner):
    with open(os.path.join(folder, name + "_cache.json")) as file:
        text = file.read()
    cache = json.loads(text)
    check(text.rstrip()[-3:] == "}\n}", name + ": the end that Kernel Tuner cuts off to append")
    check(list(cache)[-1] == "cache", name + ": the cache is last")
    check("predict" in cache["device_name"] and "predict" in cache["warpline"], name + ": says that it is predicted")
    check(cache["kernel_name"] == tuner.kernel_name, name + ": kernel")
    check(cache["problem_size"] == list(tuner.problem_size), name + ": problem size")
    check(cache["tune_params_keys"] == list(tuner.tune_params), name + ": keys in the same order")
    check(cache["tune_params"] == dict(tuner.tune_params), name + ": values")
    check(cache["objective"] == "time", name + ": objective")
    check(set(cache["cache"]) == {",".join(map(str, c)) for c in accepted(tuner)}, name + ": all configurations")
    launches = short(next(iter(expected(name).values())), len(tuner.tune_params))
    for launch, seconds in launches.items():
        entry = cache["cache"][",".join(map(str, launch))]
        check(tuple(entry[key] for key in tuner.tune_params) == launch, name + ": parameters of an entry")
        check(isinstance(entry["time"], float) and near(entry["time"], 1e3 * seconds), name + ": milliseconds")
        check(entry["times"] == [entry["time"]], name + ": single times")
        for key in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"):
            check(entry[key] == 0, name + ": " + key)
        check("timestamp" in entry, name + ": timestamp")


class Config:
    """As much of triton.Config as pruning sees."""

    def __init__(self, kwargs, num_warps=4):
        self.kwargs, self.num_warps = kwargs, num_warps


def check_triton(name, params):
    triton = load(name + "_triton.py")
    spaces = expected(name)
    first = next(iter(spaces))
    check(triton.DEVICE == first[0], name + ": default device")
    check(len(triton.PARAMS) == params, name + ": meta-parameters")
    check(set(triton.TIE) == set(triton.TIMES), name + ": ties")
    for (device, domain), found in spaces.items():
        times = triton.TIMES[device][domain]
        tie = 1.2 if device == "a100-40gb" else 1.05
        check(triton.TIE[device] == tie, name + ": tie")
        launches = short(found, params)
        check(list(times) == list(launches), "%s: launches of %s" % (name, device))
        check(all(near(times[l], launches[l]) for l in launches), "%s: seconds of %s" % (name, device))
        triton.DEVICE = device
        size = dict(zip(triton.SIZE, domain))
        best = next(iter(launches))
        meta = dict(zip(triton.PARAMS, best))
        check(triton.perf_model(**size, **meta, num_warps=8, src=None) == times[best], name + ": perf_model")
        check(triton.perf_model(**size, **dict(meta, BLOCK_X=7)) == math.inf, name + ": a launch that is not known")
        configs = [Config(dict(zip(triton.PARAMS, l))) for l in reversed(list(launches))]
        unknown = Config(dict(meta, BLOCK_X=7))
        triton.TOP_K = 1
        kept = triton.early_config_prune([unknown] + configs, dict(size, src=None), extra=1)
        ties = sorted((l for l in reversed(list(launches)) if times[l] <= tie * times[best]), key=times.get)
        check([c.kwargs for c in kept] == [dict(zip(triton.PARAMS, l)) for l in ties], name + ": ties, best first")
        triton.TIE[device], triton.TOP_K = 1, 4
        equal = sum(t == times[best] for t in times.values())
        check(len(triton.early_config_prune(configs, size)) == max(min(4, len(times)), equal), name + ": top k")
        triton.TIE[device] = tie
        check(triton.early_config_prune([unknown], size) == [unknown], name + ": nothing known, nothing pruned")
    return triton


def check_sizes():
    triton = load("several_triton.py")
    small, large = (triton.TIMES[triton.DEVICE][size] for size in ((1024, 512), (4096, 512)))
    launch = next(iter(small))
    meta = dict(zip(triton.PARAMS, launch))
    check(small[launch] != large.get(launch), "sizes differ in their times")
    check(triton.perf_model(NX=1000, NY=500, **meta) == small[launch], "the nearest problem size")
    check(triton.perf_model(NX=9000, NY=512, **meta) == large.get(launch, math.inf), "the nearest, beyond the last")
    check(triton.perf_model(**meta) == small[launch], "without a problem size the first")
    triton.SIZE = ("width", "height")
    check(triton.perf_model(width=4096, height=512, **meta) == large.get(launch, math.inf), "other names of arguments")
    triton.PARAMS = ("BX", "BY", "BZ")
    check(triton.perf_model(BX=launch[0], BY=launch[1]) == small[launch], "other names; one that is absent is 1")


for name, params in (("flat", 6), ("line", 3), ("repeated", 3), ("scheduled", 9)):
    check(len(expected(name)) == 1, name + ": searched")
    check_cache(name, check_tuner(name, params))
    check_triton(name, params)
check(load("flat_tuner.py").kernel_name == NAME, "the name of the kernel")
check_tuner("several", 3)
check_triton("several", 3)
check_sizes()
check(len(expected("repeated")["h200", (1024, 512)]) == 2, "a repeated launch")


def check_schedules():
    """Threads in an order are launched as a row; blocks in one, and linear ones, over the domain."""
    tuner, triton = load("scheduled_tuner.py"), load("scheduled_triton.py")
    kinds = {launch[6] for launch in tuner.launches}
    check(kinds == {0, 1, 3, 6}, "linear, column, tile and swizzle")
    for kind in kinds:
        size = (1024 * 512, 1) if kind in (1, 3) else (1024, 512)
        check(tuner.problem_size_of({"schedule": kind}) == size, "what the grid of schedule %d covers" % kind)
    linear = next(launch for launch in tuner.launches if launch[6] == 0)
    meta = dict(zip(("BLOCK_X", "BLOCK_Y", "BLOCK_Z"), linear))
    check(triton.perf_model(**meta) == triton.TIMES["h200"][1024, 512][linear], "without a schedule linear")


check_schedules()
sys.exit(failed > 0)
