import json

m = json.load(open("out.json"))["model"]
assert m["name"] == "turnover" and m["limiter"] == max(m["bounds_s"], key=m["bounds_s"].get), m
assert m["time_s"] >= max(v for k, v in m["bounds_s"].items() if k in ("l2", "dram", "launch")), m
assert all(v > 0 for v in m["bounds_s"].values()), m
print("ok")
