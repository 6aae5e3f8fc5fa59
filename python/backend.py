"""A build backend (PEP 517) that zips the module into a wheel. Needs nothing but Python.

The C library is taken into the wheel where it is given: `pip wheel python/ --config-settings
library=build/release/libwarpline.so`, or $WARPLINE_BUNDLE. Otherwise the wheel is for any machine,
and the library must be installed there. `python3 python/backend.py FOLDER [LIBRARY]` does the same
without pip. SPDX-License-Identifier: MIT
"""
import base64
import hashlib
import io
import os
import pathlib
import platform
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "warpline"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same wheel from the same files


def version():
    return re.search(r'__version__ = "([^"]+)"', (HERE / NAME / "_version.py").read_text()).group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
            "Summary: Predicts how a GPU kernel performs, without a GPU\nLicense: MIT\nRequires-Python: >=3.8\n"
            "Provides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Provides-Extra: triton\nRequires-Dist: triton>=3.2; extra == 'triton'\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())


def sources():
    return sorted(p for p in (HERE / NAME).iterdir() if p.suffix == ".py" or p.name == "py.typed")


def tag(library):
    return f"py3-none-linux_{platform.machine()}" if library else "py3-none-any"


def wheel_files(library):
    """(path in the wheel, contents)"""
    info = f"{NAME}-{version()}.dist-info"
    for path in sources():
        yield f"{NAME}/{path.name}", path.read_bytes()
    if library:
        soname = f"lib{NAME}.so." + ".".join(version().split(".")[:2])
        yield f"{NAME}/{soname}", pathlib.Path(library).read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    licence = HERE.parent / "LICENSE"
    if licence.exists():
        yield f"{info}/LICENSE", licence.read_bytes()
    pure = "false" if library else "true"
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: warpline\nRoot-Is-Purelib: {pure}\nTag: {tag(library)}\n".encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = (config_settings or {}).get("library") or os.environ.get("WARPLINE_BUNDLE")
    name = f"{NAME}-{version()}-{tag(library)}.whl"
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, contents in wheel_files(library):
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(contents)}\n")
            wheel.writestr(entry(path), contents)
        own = f"{NAME}-{version()}.dist-info/RECORD"
        wheel.writestr(entry(own), "".join(record) + f"{own},,\n")
    return name


def entry(path):
    made = zipfile.ZipInfo(path, EPOCH)
    made.external_attr = 0o644 << 16
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def build_sdist(sdist_directory, config_settings=None):
    root = f"{NAME}-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{root}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as sdist:
        files = [(p.relative_to(HERE).as_posix(), p.read_bytes()) for p in
                 [HERE / "pyproject.toml", HERE / "README.md", HERE / "backend.py", *sources()]]
        for path, contents in [*files, ("PKG-INFO", metadata().encode())]:
            made = tarfile.TarInfo(f"{root}/{path}")
            made.size = len(contents)
            sdist.addfile(made, io.BytesIO(contents))
    return f"{root}.tar.gz"


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: backend.py FOLDER [LIBRARY]")
    pathlib.Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(build_wheel(sys.argv[1], {"library": sys.argv[2]} if len(sys.argv) == 3 else None))
