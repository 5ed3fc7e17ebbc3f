# SPDX-License-Identifier: Apache-2.0
"""Figures in JSON files of people's choice, as scripts write them."""
import json
import os
import pathlib
import stat


def write_json(path, value):
    """Appears under its name only when it is whole. A device or pipe that somebody named is written directly, never replaced."""
    path = pathlib.Path(path)
    text = json.dumps(value, indent=2, sort_keys=True) + "\n"
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        path.write_text(text, encoding="utf-8")
        return
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
