# SPDX-License-Identifier: Apache-2.0
"""One combination of a sweep: runs it, and keeps its result as a file."""
import json
import os
import pathlib
import subprocess
import time

import terminal
from results import clean, refuse_constant, write_whole

MAX_RESULT_BYTES = 1 << 30
# Of tern: all has arrived, something was lost, the input is bad. Others, as a signal, are no result: it is run again.
RESULTS = (0, 1, 2)


def path_of(folder, key):
    return pathlib.Path(folder) / f"point-{key[:24]}.json"


def read(folder, key):
    """The result of a combination, or None."""
    path = path_of(folder, key)
    try:
        if path.stat().st_size > MAX_RESULT_BYTES:
            return None
        with open(path, encoding="utf-8") as file:
            value = json.load(file, parse_constant=refuse_constant)
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(value, dict) and value.get("key") == key and isinstance(value.get("report"), dict) and \
        isinstance(value.get("error"), str)
    return value if whole else None


def run(folder, tern, key, words):
    """Runs it; True if there is a result now. Interrupted or killed, it leaves none."""
    begin = time.monotonic()
    process = subprocess.Popen([str(tern), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", start_new_session=True)
    try:
        out, err = process.communicate()
    finally:
        if process.poll() is None:
            terminal.end(process)
    report, error = {}, ""
    try:
        report = json.loads(out, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        error = clean((err.strip().splitlines() or [f"exit code {process.returncode}"])[-1])
    if process.returncode not in RESULTS or not isinstance(report, dict) or (error and process.returncode != 2):
        terminal.say(f"no result: tern {' '.join(words)}: exit code {process.returncode} {error}")
        return False
    result = {"key": key, "words": list(words), "seconds": round(time.monotonic() - begin, 3), "host": os.uname().nodename, "error": error,
              "report": report}
    write_whole(path_of(folder, key), json.dumps(result, ensure_ascii=False) + "\n")
    return True
