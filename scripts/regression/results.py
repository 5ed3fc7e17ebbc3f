# SPDX-License-Identifier: Apache-2.0
"""The results of a stage: one small JSON file (docs/reference/nightly-results.md), checked, written whole or not at all."""
import json
import os
import pathlib
import re
import stat
import unicodedata

FORMAT = 1
STATES = ("passed", "failed", "error", "not run")
FAILURES, LINES, COLUMNS = 50, 40, 300  # of a result: failures, lines of each, characters of a line
FILE_BYTES = 4_000_000

DATE = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"
NAME = r"[a-z][a-z0-9_-]{0,31}"
PATH = r"(?!.*\.\.)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*"


def is_number(value):
    # Sums and quotients of these are finite too.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e18 < value < 1e18


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def is_text(value):
    return isinstance(value, str) and value == clean(value)


def matches(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def each(test):
    """Objects whose names are texts and whose values pass the test."""
    return lambda value: isinstance(value, dict) and all(is_text(k) and test(v) for k, v in value.items())


def is_failure(value):
    return (isinstance(value, dict) and set(value) == {"name", "lines"} and is_text(value["name"])
            and isinstance(value["lines"], list) and len(value["lines"]) <= LINES and all(map(is_text, value["lines"])))


# Key: test of its value, what is expected in words.
KEYS = {
    "format": (lambda v: v == FORMAT and is_count(v), f"{FORMAT}"),
    "stage": (matches(NAME), "a name of small letters"),
    "status": (lambda v: v in STATES, " or ".join(STATES)),
    "reason": (is_text, "a text"),
    "date": (matches(DATE), "a date as 2026-01-31T23:59:59Z"),
    "seconds": (lambda v: is_number(v) and v >= 0, "a number of seconds"),
    "commit": (matches(r"|[0-9a-f]{40,64}"), "a commit in hex, or nothing"),
    "commit_date": (matches(f"|{DATE}"), "a date, or nothing"),
    "subject": (is_text, "a text"),
    "changed": (lambda v: isinstance(v, bool), "true or false"),
    "machine": (lambda v: isinstance(v, dict) and set(v) == {"cpu", "cpus"} and is_text(v["cpu"]) and is_count(v["cpus"]),
                "an object with cpu and cpus"),
    "seed": (is_count, "a whole number"),
    "configuration": (each(lambda v: isinstance(v, bool) or is_number(v) or is_text(v)), "texts, numbers, true or false by name"),
    "counts": (each(is_count), "whole numbers by name"),
    "figures": (each(is_number), "numbers by name, each of less than 10^18"),
    "failures": (lambda v: isinstance(v, list) and len(v) <= FAILURES and all(map(is_failure, v)),
                 f"at most {FAILURES} objects with name and at most {LINES} lines"),
    "failures_left_out": (is_count, "a whole number"),
    "files": (each(matches(PATH)), "relative paths by name"),
}


def clean(text, columns=COLUMNS):
    """A text without what steers a terminal or a line's direction: safe to print, still to be escaped in HTML."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", str(text))
    kept = "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else c
                   for c in text.replace("\t", "    "))
    return kept if len(kept) <= columns else kept[:columns - 3] + "..."


def failure(name, output):
    """A failure with the last lines of an output."""
    lines = output.rstrip().splitlines() if isinstance(output, str) else list(output)
    return {"name": clean(name), "lines": [clean(line) for line in lines[-LINES:]]}


def faults(value):
    """What is wrong with a result, as lines; none: it is one."""
    if not isinstance(value, dict):
        return ["not an object"]
    found = [f"no key '{key}'" for key in KEYS if key not in value]
    found += [f"unknown key {clean(repr(key), 60)}" for key in value if key not in KEYS]
    return found + [f"{key}: {clean(repr(value[key]), 60)}, expected {expected}"
                    for key, (test, expected) in KEYS.items() if key in value and not test(value[key])]


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def read(path):
    """(result, "") of a file, or (None, why it is none)."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None, "not a regular file"
        if os.path.getsize(path) > FILE_BYTES:
            return None, f"larger than {FILE_BYTES} bytes"
        with open(path, encoding="utf-8") as file:
            value = json.load(file, parse_constant=refuse_constant)
    except (OSError, ValueError, RecursionError) as error:
        return None, clean(f"{type(error).__name__}: {error}", 120)
    found = faults(value)
    return (None, found[0]) if found else (value, "")


def file_name(result):
    """Sorts by date; of one stage at one time there is one."""
    return f"{re.sub('[-:]', '', result['date'])}-{result['commit'][:8] or 'nocommit'}-{result['stage']}.json"


def write_whole(path, text):
    """Writes a file that a reader finds whole or not at all, even when this process is killed."""
    path = pathlib.Path(path)
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise ValueError(f"{clean(path)}: not a regular file: not replaced")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write(folder, result):
    found = faults(result)
    if found:
        raise ValueError(f"stage {result.get('stage')}: {found[0]}")
    path = pathlib.Path(folder) / file_name(result)
    write_whole(path, json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    return path
