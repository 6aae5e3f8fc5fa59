import json

c = json.load(open("out.json"))
assert c["schema"] == "warpline.compare/1" and c["device"] == "h200"
assert [r["line"] for r in c["rows"]] == [2, 3, 4, 5, 6], c["rows"]
row = c["rows"][3]
assert row["block"] == [512, 2, 1] and row["fold"] == [1, 2, 1] and row["grid"] == [2, 128, 512], row
assert row["family"] == "star3d" and row["variant"] == "r4_fy2_fz1_b64" and row["table"] == "measured.csv"
assert row["measured"]["inst_global_ld"] == row["predicted"]["inst_global_ld"] == 110100480
assert row["error"]["inst_global_ld"] == 0
assert abs(row["predicted"]["time"] / row["measured"]["time"] - 1 - row["error"]["time"]) < 1e-9
assert "inst_executed" in row["measured"] and "inst_executed" not in row["error"]
assert [(g["name"], g["rows"]) for g in c["groups"]] == [("star3d/r4_fy1_fz1_b64", 3), ("star3d/r4_fy2_fz1_b64", 2)]
assert [(f["name"], f["rows"]) for f in c["families"]] == [("star3d", 5)]
g = c["groups"][1]
assert g["family"] == "star3d" and g["variant"] == "r4_fy2_fz1_b64"
assert g["metrics"]["l1_sectors_st"] == {"n": 2, "mean": 0, "median": 0, "max": 0, "bias": 0, "exact": 2, "tau": 1}
errors = [abs(r["error"]["time"]) for r in c["rows"][3:]]
assert g["time"]["n"] == 2 and abs(g["time"]["mean"] - sum(errors) / 2) < 1e-9
measured = [r["measured"]["time"] for r in c["rows"]]
predicted = [r["predicted"]["time"] for r in c["rows"]]
pick = min(measured) / measured[predicted.index(min(predicted))]
assert abs(c["families"][0]["time"]["best_pick"] - pick) < 1e-9
assert c["skipped"] == []
print("ok")
