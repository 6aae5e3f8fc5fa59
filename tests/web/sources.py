"""sources.py ROOT - the sources of the page name no other hosts, write no markup from texts, and can be joined."""
import re
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1])
MOST_LINES = 400
failures = []
for path in sorted((root / "web").iterdir()):
    if path.suffix not in (".html", ".css", ".js"):
        continue
    text = path.read_text()
    for pattern, what in ((r"\b(?:https?|wss?|ftp)://[^\"'<> )]*", "names another host"), (r"\beval\(|new Function", "evaluates texts"),
                          (r"\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write", "writes markup"),
                          (r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts", "asks the network"),
                          (r"\b(?:local|session)Storage|document\.cookie|indexedDB", "stores something"),
                          (r"<[a-z][^>]* (?:style|on[a-z]+)=\"", "has styles or scripts in attributes")):
        if what == "asks the network" and path.name == "offline.js":
            continue  # that of its own host
        for found in re.findall(pattern, text):
            failures.append(f"{path.name} {what}: {found}")
    if len(text.splitlines()) > MOST_LINES:
        failures.append(f"{path.name} has more than {MOST_LINES} lines")
page = (root / "web/index.html").read_text()
if not re.search(r'<meta http-equiv="Content-Security-Policy" content="@POLICY@">\s', page.split("<title>")[0]):
    failures.append("index.html has no policy before its title")
ids = re.findall(r'\bid="([^"]*)"', page)
failures += [f"index.html has id {name} twice" for name in sorted({name for name in ids if ids.count(name) > 1})]
for path in (root / "web").glob("*.js"):
    failures += [f"{path.name} finds no element '{name}'" for name in re.findall(r'\bfind\("([\w-]+)"\)', path.read_text())
                 if name not in ids and name != "answer"]
joined = subprocess.run([sys.executable, "-B", str(root / "web/bundle.py"), "--script"], stdout=subprocess.PIPE, text=True)
if joined.returncode or len(joined.stdout) < 10000:
    failures.append("the modules cannot be joined")
print("\n".join(failures) or "sources: ok")
sys.exit(1 if failures else 0)
