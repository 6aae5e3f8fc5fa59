import json
r = json.load(open("r.json"))
s, = r["spaces"]
a, b = s["launches"]
assert r["schema"] == "warpline.rank/1" and r["kernel"] == "star2d_5pt"
assert s["device"] == "h200" and s["domain"] == [4096, 4096, 1] and s["items"] == 4096**2
assert s["predicted"] == 4 and s["sorted"] and not s["interrupted"] and s["left_out"] == []
assert (a["rank"], b["rank"]) == (1, 2) and 0 < a["time_s"] <= b["time_s"] and a["group"] == 1
assert a["block"][2] == 1 and a["fold"] == [1, 1, 1]
assert abs(a["items_per_s"] * a["time_s"] / s["items"] - 1) < 1e-9
assert s["tie"] > 1 and len(s["notes"]) == 1
print("ok")
