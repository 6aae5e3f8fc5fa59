"""bundle.py CORE FOLDER - writes FOLDER/index.html: the page, its style and scripts and the tool in one file.
bundle.py --digest - prints what the page says that it was made from: a test knows by it whether a page is old.
bundle.py --script - prints the script of the page, without a page.

A page that is opened from a disk may load neither modules nor WebAssembly from other files, so all is inside. Modules
are joined in the order in which they need each other; they share one scope, so no two of them may define the same
name. The policy of the page names its script and its style by their hashes, and allows nothing else."""
import base64
import gzip
import hashlib
import html
import json
import re
import sys
from pathlib import Path

web = Path(__file__).resolve().parent
root = web.parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.M)
DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) +(?:(\w+)|\{([^}]*)\}|\[([^\]]*)\])", re.M)


def table_of(name, pattern):
    """The rows of a table of the public headers."""
    text = re.sub(r'"\s*\n\s*"', "", (root / "include/warpline" / name).read_text())
    return re.findall(pattern, text)


def version():
    text = (root / "include/warpline/status.h").read_text()
    return ".".join(re.search(rf"#define WL_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def data():
    """What the page knows of the tool's tables: the module data.js."""
    primaries = [{"key": key, "dimension": dimension, "meaning": meaning} for key, dimension, meaning in table_of(
        "device_keys.def", r'WL_DEVICE_KEY\((\w+), PRIMARY, (\w+), \w+, \w+,\s*"([^"]*)"\)')]
    bounds = dict(table_of("bounds.def", r'WL_BOUND\(\w+, "(\w+)", "([^"]*)"'))
    kernels = {path.stem: path.read_text() for path in sorted((root / "share/kernels").glob("*.yaml"))}
    devices = {path.stem: re.search(r"^title: *(.*)$", path.read_text(), re.M).group(1).strip("'\"")
               for path in sorted((root / "share/devices").glob("*.yaml"))}
    if not (primaries and bounds and kernels and devices):
        sys.exit("bundle.py: a table is empty")
    example = (root / "examples/heat.ptx").read_text()
    return "\n".join(f"export const {name} = {json.dumps(value, indent=0)};" for name, value in (
        ("PRIMARIES", primaries), ("BOUNDS", bounds), ("KERNELS", kernels), ("DEVICES", devices), ("VERSION", version()),
        ("EXAMPLE_PTX", example))) + "\n"


def join(entry):
    """The modules that entry needs, and itself, without imports and exports."""
    texts, order = {}, []

    def visit(name):
        if name in texts:
            return
        texts[name] = data() if name == "data" else (web / f"{name}.js").read_text()
        for other in IMPORT.findall(texts[name]):
            visit(other)
        order.append(name)

    visit(entry)
    seen = {}
    for name in order:
        for found in DEFINED.finditer(texts[name]):
            for word in re.findall(r"\w+", found.group(1) or found.group(2) or found.group(3)):
                if seen.setdefault(word, name) != name:
                    sys.exit(f"bundle.py: {name}.js and {seen[word]}.js both define {word}")
    plain = [re.sub(r"^export ", "", IMPORT.sub("", texts[name]), flags=re.M) for name in order]
    return '"use strict";\n' + "\n".join(plain)


def packed(content):
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


SOURCES = ["CMakeLists.txt", "cli/*.[ch]", "include/warpline/*", "src/**/*.[ch]", "share/**/*.*", "web/*"]


def digest_of_sources():
    sum_of = hashlib.sha256()
    for path in sorted({path for pattern in SOURCES for path in root.glob(pattern) if path.is_file()}):
        content = path.read_bytes()
        sum_of.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return sum_of.hexdigest()


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main():
    if sys.argv[1] == "--digest":
        print(digest_of_sources())
        return
    if sys.argv[1] == "--script":
        print(join("main"))
        return
    core, folder = Path(sys.argv[1]), Path(sys.argv[2])
    tool = (core / "warpline.js").read_text()
    script = f"(() => {{\n{join('main')}\n}})();\n"
    worker = f"{tool}\n(() => {{\n{join('worker')}\n}})();\n"
    style = (root / "share/templates/page_style.css").read_text() + (web / "style.css").read_text()
    if "</script" in script:
        sys.exit("bundle.py: the script ends itself")
    policy = (f"default-src 'none'; script-src '{digest(script)}' 'wasm-unsafe-eval'; style-src '{digest(style)}'; "
              "worker-src blob: 'self'; img-src data:; base-uri 'none'; form-action 'none'")
    parts = {"POLICY": policy, "STYLE": style, "SCRIPT": script, "SOURCES": digest_of_sources(), "VERSION": version(),
             "LICENCES": html.escape((core.parent / "licences.txt").read_text()),
             "CORE": packed((core / "warpline.wasm").read_bytes()), "WORKER": packed(worker.encode())}
    page = re.sub(r"@(POLICY|STYLE|SCRIPT|SOURCES|VERSION|LICENCES|CORE|WORKER)@", lambda match: parts[match.group(1)], (web / "index.html").read_text())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(page)
    (folder / "offline.js").write_text((web / "offline.js").read_text())
    size = len(gzip.compress(page.encode(), 9))
    print(f"web: {folder}/index.html: {len(page.encode()) / 1e6:.2f} MB, {size / 1e6:.2f} MB compressed")
    if size > 2e6:
        sys.exit("web: that is more than 2 MB")


main()
