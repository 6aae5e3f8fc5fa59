"""Published curves (validate/published) as tables of launches that `warpline compare` reads.
SPDX-License-Identifier: MIT"""
import csv
import os

VALIDATE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADS = ["family", "variant", "params", "bx", "by", "bz", "smem", "work", "ms_median", "source"]
STREAM_ELEMENTS = 128 * 1024 * 1024 + 2  # f64, as the benchmark allocates
ARRAYS = {"init": 1, "read": 1, "scale": 2, "triad": 3, "triad4": 4, "stencil3pt": 2, "stencil5pt": 2}
LARGEST_BLOCK = 1024  # the last block size of a row of small_kernels.csv; each one before it is half as large
BYTES = 8


def published(name):
    with open(os.path.join(VALIDATE, "published", name), newline="") as file:
        return list(csv.DictReader(file))


def launch(family, variant, elements, block, shared, gigabytes_per_s, arrays, source):
    milliseconds = arrays * elements * BYTES / gigabytes_per_s / 1e6
    return {"family": family, "variant": variant, "params": f"n={elements}", "bx": block, "by": 1, "bz": 1, "smem": shared,
            "work": elements, "ms_median": f"{milliseconds:.6g}", "source": source}


def streams(device, number):
    """Bandwidth over occupancy: shared memory lets `blocks_per_sm` blocks on a multiprocessor."""
    room = int(number("shared_per_sm"))
    reserved = int(number("shared_reserved") or 0)
    grain = int(number("shared_granularity") or 1)
    for row in published("streams.csv"):
        if row["device"] != device:
            continue
        shared = room // int(row["blocks_per_sm"]) // grain * grain - reserved
        shared = min(shared, int(number("shared_per_block")))
        for variant, arrays in ARRAYS.items():
            if row[variant]:
                yield launch("streams", variant, STREAM_ELEMENTS, int(row["block_threads"]), shared, float(row[variant]),
                             arrays, row["source"])


def small_kernels(device, _):
    """Copies of few elements, launched one after the other into a stream, over block sizes."""
    for row in published("small_kernels.csv"):
        if row["device"] != device or row["launched_by"] != "stream":
            continue
        rates = [float(word) for word in row["GBs_by_block_size"].split()]
        for place, rate in enumerate(rates):
            block = LARGEST_BLOCK >> (len(rates) - 1 - place)
            if rate > 0:
                yield launch("small_kernels", f"b{block}", int(row["elements"]), block, 0, rate, 2, row["source"])


def strides(device, _):
    """Loads of one block that hit the L1: cycles per load as the time of the whole loop, wavefronts of all loads."""
    loads, threads, lanes = 18 * 64 * 1024, 1024, 32  # of a thread, of the block, of a warp
    for row in published("strides.csv"):
        if row["device"] != device:
            continue
        wide = int(row["arg"]) if row["kind"] == "block" else threads
        place = f"wide={wide};pitch={row['pitch']}" if row["kind"] == "block" else f"stride={row['arg']}"
        warp_loads = loads * threads // lanes
        milliseconds = float(row["cycles_per_load"]) * warp_loads / float(row["clock_MHz"]) / 1e3
        yield {"family": "strides", "variant": f"{row['kind']} {row['type']}", "params": place, "bx": wide,
               "by": threads // wide, "bz": 1, "smem": 0, "work": threads, "ms_median": f"{milliseconds:.6g}",
               "l1_wavefronts": f"{float(row['data_wavefronts']) * warp_loads:.0f}",
               "l1_tag_wavefronts_ld": f"{float(row['tag_wavefronts']) * warp_loads:.0f}", "source": row["source"]}


KINDS = {"streams": streams, "small_kernels": small_kernels, "strides": strides}
COUNTERS = {"strides": ["l1_wavefronts", "l1_tag_wavefronts_ld"]}


def write(kind, device, number, path):
    """Writes the launches of a curve; `number` gives the value of a key of the device file, or None."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, HEADS + COUNTERS.get(kind, []), lineterminator="\n")
        writer.writeheader()
        writer.writerows(KINDS[kind](device, number))
