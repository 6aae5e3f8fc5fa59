"""What a search costs from Python, columns included, beside the same search from C: rank_from_python.py MODULE.

All run in one process, in turn, on one core: with columns as lists, and as NumPy arrays where it is
installed. Each round has one run of each, and the median of the ratios of all rounds counts: what
else the machine does slows both runs of a round, or spoils that round alone.
"""
import ctypes
import random
import statistics
import sys
import time
import warpline
from warpline import rankings

POWERS = {"block.x": "1..1024:x2", "block.y": "1..1024:x2", "block.z": "1..64:x2", "threads": "32..1024",
          "fold": "1x1x1,1x2x1,1x1x2,1x1x4,1x2x2"}
MANY = {"block.x": "1..128", "block.y": "1..16", "block.z": "1..8", "threads": "64..512", "fold": "1x1x1,1x2x1"}
SEARCHES = [("h200", {}, 41), ("a100-40gb", {}, 41), ("h200", POWERS, 41), ("h200", MANY, 9)]
NUMPY = rankings.numpy


def processor_time(search):
    start = time.process_time()
    launches = search()
    return time.process_time() - start, launches


def from_python(numpy, device, given):
    rankings.numpy = numpy
    return len(warpline.rank("star3d_r4", device, jobs=1, **given).columns["time_s"])


def main():
    in_c = ctypes.CDLL(sys.argv[1]).search_from_c
    in_c.restype = ctypes.c_size_t
    print("searches of a range-4 stencil from Python: processor time over that of C (asked: at most 1.05)")
    print(f"{'device':10} {'launches':>9} {'C, ms':>10} {'lists':>8}" + (f" {'NumPy':>8}" if NUMPY else " (no NumPy here)"))
    for device, settings, repeats in SEARCHES:
        texts = [t.encode() for pair in settings.items() for t in pair]
        given = {k.replace(".", "_"): v for k, v in settings.items()}
        array = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
        ways = {"C": lambda: in_c(device.encode(), array), "lists": lambda: from_python(None, device, given)}
        if NUMPY:
            ways["NumPy"] = lambda: from_python(NUMPY, device, given)
        times = {way: [] for way in ways}
        for _ in range(repeats):
            for name in random.sample(sorted(ways), len(ways)):  # whoever comes second finds warmer caches
                seconds, launches = processor_time(ways[name])
                times[name].append(seconds)
        ratios = [statistics.median(p / c for p, c in zip(times[way], times["C"])) for way in ways if way != "C"]
        print(f"{device:10} {launches:9} {1e3 * min(times['C']):10.2f}" + "".join(f" {r:8.3f}" for r in ratios), flush=True)


main()
