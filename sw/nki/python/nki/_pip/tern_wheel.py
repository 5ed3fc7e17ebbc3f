# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of the folder with pyproject.toml, for pip (PEP 517). Standard library only: there may be no network.

The wheel holds no copy of the packages, which could then differ from the program. It makes Python look for them here.
"""
import base64
import hashlib
import os
import sys
import sysconfig
import zipfile

CORE, PROGRAMS = "_tern_nki", ("../../bin/tern", "../../../bin/tern", "../../../../bin/tern")
IMPORT_LINE = "import tern_nki_import; tern_nki_import.install()\n"


def _check(folder):
    """That it is complete, and for this Python."""
    core = CORE + sysconfig.get_config_var("EXT_SUFFIX")
    if not os.path.exists(os.path.join(folder, core)):
        others = sorted(name for name in os.listdir(folder) if name.startswith(CORE + "."))
        sys.exit(f"tern-nki: {folder} has no {core}" +
                 (f", but {others[0]}: Tern was built for another Python" if others else ""))
    if not any(os.access(os.path.join(folder, place), os.X_OK) for place in PROGRAMS):
        sys.exit(f"tern-nki: the program tern is not where it belongs, {os.path.normpath(os.path.join(folder, PROGRAMS[1]))}")


def _project(folder):
    import tomllib  # of Python 3.11, which is checked first
    with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    return "\n".join(lines) + "\n"


def _finder(folder):
    with open(os.path.join(folder, "nki", "_pip", "tern_nki_import.py"), encoding="utf-8") as file:
        return file.read().replace('FOLDER = ""', f"FOLDER = {folder!r}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = os.getcwd()
    _check(folder)
    project = _project(folder)
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    files = {
        "tern_nki.pth": IMPORT_LINE,
        "tern_nki_import.py": _finder(folder),
        f"{name}.dist-info/METADATA": _metadata(project),
        f"{name}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: tern\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    record = f"{name}.dist-info/RECORD"
    rows = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}\n")
    files[record] = "".join(rows) + f"{record},,\n"
    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


# The packages stay where they are, so that all wheels are of this kind.
build_editable = build_wheel
