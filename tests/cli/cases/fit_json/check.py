import json

f = json.load(open("out.json"))
assert list(f) == ["schema", "device", "origin", "numbers", "families"], list(f)
assert f["schema"] == "warpline.fit/1" and f["device"] == "h200" and f["origin"] == "measured.csv, 2026-01-02"
for n in f["numbers"]:
    assert list(n) == ["target", "key", "index", "start", "fitted", "deviation"], n
    assert n["start"] > 0 and n["fitted"] > 0 and n["deviation"] >= 0
assert [(n["target"], n["key"], n["index"]) for n in f["numbers"]] == [
    ("l2_load_bytes", "l1_reload_curve", 0), ("l2_load_bytes", "l1_reload_curve", 1),
    ("l2_load_bytes", "l1_reload_curve", 2), ("l2_load_bytes", "l2_merge", 0),
    ("l2_store_bytes", "store_combine", 0), ("l2_store_bytes", "store_combine", 1),
    ("l2_store_bytes", "store_combine_warps", 0), ("l2_store_bytes", "store_combine_warps", 1)]
assert [(x["family"], x["fitted"]["l2_load_bytes"]["n"]) for x in f["families"]] == [
    ("star3d", 5), ("lbm_d3q15_pf", 1), ("star7", 3)], f["families"]
for x in f["families"]:
    assert list(x) == ["family", "before", "fitted", "left_out"], x
    for part in ("before", "fitted", "left_out"):
        for target, s in x[part].items():
            assert list(s) == ["n", "mean", "bias"] and 0 <= abs(s["bias"]) <= s["mean"] + 1e-15, (target, s)
print("ok")
