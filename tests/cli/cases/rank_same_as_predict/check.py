import json
launches = json.load(open("r.json"))["spaces"][0]["launches"]


def find(tree, key):
    """The values of a key, wherever it is."""
    if isinstance(tree, dict):
        for k, v in tree.items():
            yield from [v] if k == key else find(v, key)
    elif isinstance(tree, list):
        for v in tree:
            yield from find(v, key)


for l in launches:
    single = json.load(open("%dx%d.json" % tuple(l["block"][:2])))
    assert l["time_s"] in find(single, "time_s"), l["block"]
assert len(launches) == 4
print("ok")
