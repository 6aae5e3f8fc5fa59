# The contests again, from what compare says.
import json
from math import ceil, exp, log

f = json.load(open("out.json"))
assert list(f) == ["schema", "device", "origin", "numbers", "families", "rankings"], list(f)
assert f["numbers"] == [] and f["families"] == []
assert [r["model"] for r in f["rankings"]] == ["turnover", "limiter"]
for r in f["rankings"]:
    assert list(r) == ["model", "families", "launches", "error", "levels", "contests"], list(r)
    rows = json.load(open(r["model"] + ".json"))["rows"]
    want, errors = {}, []
    for family, params, variants, skip in (("star", "nx=4000;ny=2000", ("b64_fy1", "b64_fy2"), 6), ("triad", "", ("f64",), 0)):
        mine = [(x["measured"]["time"], x["predicted"]["time"]) for x in rows
                if x["family"] == family and x["params"] == params and x["variant"] in variants and x["line"] != skip]
        assert len(mine) == 6
        want[family] = min(mine)[1] / min(p for m, p in mine)
        logs = [log(p / m) for m, p in mine]
        errors.append(sum(abs(x - sum(logs) / 6) for x in logs) / 6)
    assert r["families"] == 2 and r["launches"] == 12 and len(r["contests"]) == 2
    assert abs(log(r["error"]) - sum(errors) / 2) < 1e-6, (r["error"], errors)
    for c in r["contests"]:
        assert list(c) == ["family", "launches", "ratio", "error"] and c["launches"] == 6
        assert abs(c["ratio"] / want[c["family"]] - 1) < 1e-8, (c, want)
    # two families: mass 1/3 each; the file's ratios are rounded up
    ratios = sorted(want.values())
    assert [x["probability"] for x in r["levels"]] == [0.3, 0.4, 0.5, 0.6]
    for x, w in zip(r["levels"], (ratios[0], ratios[1], ratios[1], ratios[1])):
        assert w - 1e-9 <= x["ratio"] < w + 0.001001, (x, w)
        assert 1 / 6 <= x["launches"] <= 1
    assert ["left_out" in x for x in r["levels"]] == [True, True, True, False]
print("ok")
