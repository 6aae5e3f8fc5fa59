"""page.py WARPLINE ROOT [BROWSER] - the numbers on a page of 'warpline report' are those of 'warpline predict'.

The page is opened in a headless browser, which must have nothing to complain about. A second copy of it clicks on the
head of a column and complains on purpose: so it is known that sorting works and that complaints are seen. Without a
browser only the file is looked at, and the test says that it was skipped."""
import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

warpline, root, browser = sys.argv[1], Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
HOSTILE = "</title></style><script>alert(1)</script>\"&amp;' onload=x <b>"
DEVICES = ["h200", "v100-sxm2"]
BLOCK = ["--block", "32x8"]
PTX = [str(root / "tests/ptx/science_sm90_lineinfo.ptx"), "--kernel", "k_mandelbrot", "--no-ptxas", "--registers", "32"]
MANDELBROT = ["--block", "32x8", "--grid", "8x8", "--arg", "buf:256K", "--arg", "256", "--arg", "256", "--arg", "50"]
failures = []


def check(truth, what):
    if not truth:
        failures.append(what)


def run(*arguments):
    wide = {**os.environ, "COLUMNS": "1000"}  # lines that the page has whole are not broken
    done = subprocess.run([warpline, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=wide)
    if done.returncode:
        sys.exit(f"warpline {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


# ---- reading a page ----

class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.children = tag, dict(attributes), parent, []

    def all(self, tag=None, **wanted):
        for child in self.children:
            if isinstance(child, str):
                continue
            has = {key.replace("_", "-"): value for key, value in wanted.items()}
            if (not tag or child.tag == tag) and all(
                    key in child.attributes and (value is True or child.attributes[key] == value)
                    for key, value in has.items()):
                yield child
            yield from child.all(tag, **wanted)

    def first(self, tag=None, **wanted):
        return next(self.all(tag, **wanted), None)

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def number(self, name):
        return float(self.attributes[name])


class Tree(html.parser.HTMLParser):
    EMPTY = {"meta", "br", "input", "link", "img"}

    def __init__(self, text):
        super().__init__()
        self.root = self.at = Node("", [], None)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, attributes, self.at)
        self.at.children.append(node)
        self.at = self.at if tag in self.EMPTY else node

    def handle_startendtag(self, tag, attributes):
        self.at.children.append(Node(tag, attributes, self.at))

    def handle_endtag(self, tag):
        node = self.at
        while node and node.tag != tag:
            node = node.parent
        self.at = node.parent if node else self.at

    def handle_data(self, data):
        self.at.children.append(data)


# ---- the file alone ----

def predicted(*arguments):
    return json.loads(run("predict", *arguments, "--format", "json"))["predictions"][0]


def check_file(text):
    tree = Tree(text).root
    scripts = list(tree.all("script"))
    check(len(scripts) == 1, f"{len(scripts)} scripts, not 1")
    digest = "sha256-" + base64.b64encode(hashlib.sha256(scripts[0].text().encode()).digest()).decode()
    check(f"script-src '{digest}'" in text, f"the policy does not allow the script, which is {digest}")
    links = {link for link in re.findall(r"[a-z]+://[^\"'<> ]*", text) if link != "http://www.w3.org/2000/svg"}
    check(not links, f"the page names other places: {links}")
    check(not re.search(r"<(link|img|iframe|object|embed|base|form)\b|@import|url\(", text), "the page loads something")


def check_interactive(directory):
    """A page inside: its text comes back byte for byte, and the policy has the hashes of all scripts."""
    digest = "'sha256-" + base64.b64encode(hashlib.sha256(b"x").digest()).decode() + "'"
    version = run("--version").split()[1]
    inside = (f'<meta name="warpline" content="{version}">\n<meta content="script-src {digest}">\n'
              "<script>x</script> &quot; &amp;amp; <b title=\"'\">\t</b></iframe></template>\n")
    (directory / "index.html").write_text(inside)
    text = run("report", "triad", "--set", "n=65536", "--device", "h200", *BLOCK, "--interactive", "--web", str(directory))
    root = Tree(text).root
    check(root.first("iframe").attributes["srcdoc"] == inside, "the page inside is another one")
    digests = ["'sha256-" + base64.b64encode(hashlib.sha256(one.text().encode()).digest()).decode() + "'" for one in root.all("script")]
    check(len(digests) == 2 and f"script-src {' '.join(digests)} {digest} 'wasm-unsafe-eval'; worker-src blob:;" in text,
          f"the policy does not allow the scripts, which are {digests}")
    check(text.index("<iframe") > text.index('<p class="verdict"'), "the verdict is not first")


# ---- numbers ----

def check_section(section, prediction, text):
    name = f"{prediction['kernel'][:20]} on {prediction['device']}"

    def same(what, found, expected):
        check(found == expected, f"{name}: {what} is {found} on the page and {expected} in the prediction")

    model = prediction["model"]
    same("the kernel", section.attributes["data-kernel"], prediction["kernel"])
    same("the heading", section.first("h2").text(), f"{prediction['kernel']} on {title(prediction['device'])}")
    same("the time", section.number("data-time-s"), model["time_s"])
    same("the rate", section.number("data-items-per-s"), model["items_per_s"])
    same("the limiter", section.attributes["data-limiter"], model["limiter"])
    headline = next(line for line in text.splitlines() if "of peak:" in line)
    figures = [figure.text() for figure in section.all("b")]
    same("the time shown", figures[0], headline.split(",")[0].strip())
    same("the rate shown", figures[1], headline.split(",")[1].strip())
    same("shares of peaks", ", ".join(f"{use.attributes['data-peak']} {100 * use.number('data-share'):.3g} %"
                                      for use in section.all("tr", data_peak=True)), headline.split("of peak: ")[1])
    same("bounds", {row.attributes["data-bound"]: row.number("data-seconds")
                    for row in section.all("tr", data_bound=True)}, model["bounds_s"])
    same("metrics", {row.attributes["data-metric"]: row.number("data-value")
                     for row in section.all("tr", data_metric=True)},
         {key: value["value"] for key, value in prediction["metrics"].items()})
    same("derived figures", {span.attributes["data-derived"]: span.number("data-value")
                             for span in section.all("span", data_derived=True)}, prediction["derived"])
    occupancy = section.first("p", data_blocks_per_sm=True)
    same("blocks per SM", occupancy.number("data-blocks-per-sm"), prediction["occupancy"]["blocks_per_sm"])
    same("warps per SM", occupancy.number("data-warps-per-sm"), prediction["occupancy"]["warps_per_sm"])
    shares = ("inst", "l1_wavefronts", "l1_sectors", "l2_load_bytes", "l2_store_bytes", "dram_load_bytes",
              "dram_store_bytes")
    same("accesses", rows_of(section, "accesses", 3, 10), [[one[key] for key in shares]
                                                           for one in prediction["accesses"]])
    same("source lines", rows_of(section, "lines", 2, 3), [[one["warp"]] for one in prediction.get("lines", [])])
    level = section.first("tr", data_level="dram_load")
    same("DRAM loads", level.number("data-bytes"), prediction["metrics"]["dram_load_bytes"]["value"])
    pieces = sum(piece.number("data-bytes") for piece in level.all("i", data_field=True))
    check(abs(pieces - level.number("data-bytes")) <= 1e-3 * level.number("data-bytes"),
          f"{name}: the pieces of the DRAM loads add up to {pieces}")
    warnings = section.first("ul", data_warnings=True)
    check(warnings.number("data-warnings") >= len(prediction["warnings"]), f"{name}: warnings are missing")  # and of stacks
    for warning in prediction["warnings"]:
        check(warning in warnings.text(), f"{name}: not on the page: {warning}")
    check(len(list(section.all("svg"))) >= 2, f"{name}: pictures are missing")


def check_verdict(section, answer):
    """The page begins with the words of the short answer of 'predict', and with what gains most."""
    lines = {line[2:14].strip(): line[14:] for line in answer.splitlines()[1:]}
    name = section.attributes["data-kernel"][:20]
    verdict = section.first("p", **{"class": "verdict"})
    for key, found in (("limited by", "limit"), ("DRAM", "volumes"), ("trust", "trust")):
        said, expected = verdict.first("span", **{"class": found}).text(), lines[key].split("; --verbose")[0]
        check(said == expected, f"{name}: the verdict says '{said}', predict says '{key}: {expected}'")
    check(verdict.first("strong").text() + ", " + verdict.first("span").text() == answer.splitlines()[0].split(": ", 1)[1],
          f"{name}: time and rate of the verdict are others")
    findings = list(section.all("li", data_finding=True))
    alone = [item.number("data-finding") for item in findings if not item.text().startswith("together")]
    check(len(alone) <= 3 and alone == sorted(alone, reverse=True), f"{name}: findings are not the first three by gain")
    check(not findings or lines["best change"] in [item.text().removeprefix("together: ") for item in findings],
          f"{name}: the best change of predict is no finding")
    inside = [child for child in section.children if not isinstance(child, str)]
    kinds = [child.tag for child in inside]
    check(kinds.index("h3") > inside.index(verdict), f"{name}: the verdict is not first")


def rows_of(section, table, first, end):
    node = next((t for t in section.all("table") if table in t.attributes["class"].split()), None)
    body = node.first("tbody") if node else None
    return [[float(cell.attributes["data-value"]) for cell in list(row.all("td"))[first:end]]
            for row in (body.all("tr") if body else [])]


def title(device):
    return next(line.split(":", 1)[1].strip() for line in (root / f"share/devices/{device}.yaml").read_text().splitlines()
                if line.startswith("title:")).strip("'\"")


# ---- the browser ----

def start(page, profile):
    return subprocess.Popen([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                             "--no-first-run", "--disable-extensions", "--disable-background-networking",
                             f"--user-data-dir={profile}", "--enable-logging=stderr", "--dump-dom", page.as_uri()],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    dom, log = process.communicate(timeout=120)
    if process.returncode or "</html>" not in dom:
        sys.exit(f"{browser} failed: exit code {process.returncode}\n{log}")
    return Tree(dom).root, [line for line in log.splitlines() if "CONSOLE" in line]


CLICKS = """<script>
const table = document.querySelector("#launch1 table.accesses");
const column = [...table.tHead.rows[0].cells].findIndex(head => head.textContent === "DRAM load B");
const order = () => [...table.tBodies[0].rows].map(row => row.cells[column].dataset.value).join(" ");
table.tHead.rows[0].cells[column].firstChild.click();
document.body.dataset.down = order();
table.tHead.rows[0].cells[column].firstChild.click();
document.body.dataset.up = order();
console.error("on purpose");
</script>
"""


NARROW = """<!DOCTYPE html><html><body><iframe style="width:360px;height:640px;border:0"></iframe><script>
const frame = document.querySelector("iframe");
frame.onload = () => { document.body.dataset.wide = frame.contentDocument.documentElement.scrollWidth; };
frame.srcdoc = PAGE;
</script></body></html>
"""


def check_narrow(directory, name, text):
    """On a phone nothing makes the page wider than the screen: what is wide scrolls on its own."""
    page = directory / f"narrow_{name}.html"
    page.write_text(NARROW.replace("PAGE", json.dumps(text).replace("</", "<\\/")))
    wide = finish(start(page, directory / f"narrow_{name}"))[0].first("body").attributes.get("data-wide")
    check(wide and float(wide) <= 360, f"the page of {name} is {wide} pixels wide on a screen of 360")


def check_browser(directory, text, expected):
    page, clicked = directory / "page.html", directory / "clicked.html"
    policy = re.search(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", text).group()
    clicked.write_text(text.replace(policy, "").replace("</body>", CLICKS + "</body>"))
    first, second = start(page, directory / "a"), start(clicked, directory / "b")
    tree, complaints = finish(first)
    check(not complaints, "the browser complains: " + "; ".join(complaints))
    check(len(list(tree.all("script"))) == 1, "a text of the page became a script")
    sections = list(tree.all("section", data_kernel=True))
    check(len(sections) == len(expected), f"{len(sections)} sections, not {len(expected)}")
    for section, (prediction, shown) in zip(sections, expected):
        check_section(section, prediction, shown)
    rows = list(tree.all("tr", data_launch=True))
    check([float(list(row.all("td"))[4].attributes["data-value"]) for row in rows] ==
          [prediction["model"]["time_s"] for prediction, _ in expected], "the comparison has other times")
    check(sections[0].first("th").first("button"), "tables cannot be sorted: the script did not run")
    tree, complaints = finish(second)
    check(any("on purpose" in line for line in complaints), "a complaint of the browser is not seen")
    loads = sorted(access["dram_load_bytes"] for access in expected[0][0]["accesses"])
    body = tree.first("body").attributes
    check([float(value) for value in body.get("data-up", "").split()] == loads, "a column is not sorted upwards")
    check([float(value) for value in body.get("data-down", "").split()] == loads[::-1], "a column is not sorted downwards")


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        hostile = directory / "hostile.yaml"
        hostile.write_text(f"name: {json.dumps(HOSTILE)}\ndomain: [1024, 1024]\nfields:\n  a: {{type: f64, extent: "
                           "[1024, 1024], halo: 1}\n  b: {type: f64, extent: [1024, 1024]}\nupdate: b[0,0] = a[0,0] + a[1,0] * 2\n"
                           "registers: 24\n")
        kernels = [str(hostile), "star2d_5pt"]
        devices = [word for device in DEVICES for word in ("--device", device)]
        text = run("report", *kernels, *devices, *BLOCK)
        check(text == run("report", *kernels, *devices, *BLOCK, "-o", "-"), "two runs give two pages")
        check_file(text)
        lines = run("report", *PTX, "--device", "h200", *MANDELBROT)
        check_file(lines)
        check_interactive(directory)
        if browser:
            (directory / "page.html").write_text(text)
            expected = [(predicted(kernel, "--device", device, *BLOCK, "--per-access"),
                         run("predict", "--details", kernel, "--device", device, *BLOCK)) for kernel in kernels for device in DEVICES]
            check_browser(directory, text, expected)
            sections = list(Tree(text).root.all("section", data_kernel=True))
            for section, (kernel, device) in zip(sections, [(k, d) for k in kernels for d in DEVICES]):
                check_verdict(section, run("predict", kernel, "--device", device, *BLOCK))
            check_narrow(directory, "several", text)
            check_narrow(directory, "lines", lines)
            check_section(next(Tree(lines).root.all("section", data_kernel=True)),
                          predicted(*PTX, "--device", "h200", *MANDELBROT, "--per-access", "--per-line"),
                          run("predict", *PTX, "--device", "h200", *MANDELBROT, "--per-line"))
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    if not browser:
        print("the file is as it should be; no Chromium is there to open it: skipped")
        sys.exit(77)
    print("page: ok")


main()
