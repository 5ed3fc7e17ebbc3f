# SPDX-License-Identifier: Apache-2.0
"""Stages of your own, from a TOML file: a command whose exit code is the verdict and whose output may state figures."""
import re
import tomllib

import results
from stage import Outcome, Stage

FIGURE = re.compile(r"^figure: (\S[^=]{0,60}?) *= *(-?\d+(?:\.\d+)?(?:e-?\d+)?)$")
KEYS = {"name", "command", "after", "alone", "configuration"}


class Extra(Stage):
    def __init__(self, entry):
        self.name, self.command = entry["name"], entry["command"]
        self.after, self.alone = tuple(entry.get("after", ())), entry.get("alone", False)
        self.options = entry.get("configuration", {})

    def configuration(self, options):
        return {"command": results.clean(" ".join(self.command)), "seed": options.seed, **self.options}

    def run(self, context):
        code = context.run(self.name, *self.command)
        lines = (context.folder / "log.txt").read_text(encoding="utf-8").splitlines()
        figures = {results.clean(match[1]): float(match[2]) for match in map(FIGURE.match, lines) if match}
        failures = [] if code == 0 else [results.failure(f"exit code {code}", context.log_tail())]
        return Outcome("passed" if code == 0 else "failed", counts={"passed": int(code == 0), "failed": int(code != 0)},
                       figures={name: value for name, value in figures.items() if results.is_number(value)}, failures=failures)


def load(path, taken):
    """Stages of a file; ValueError with one line about what is wrong."""
    try:
        with open(path, "rb") as file:
            entries = tomllib.load(file).get("stage", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    stages = []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"{path}: stage: expected tables [[stage]]")
    for entry in entries:
        name = entry.get("name", "")
        problem = next((key for key, kind in (("name", str), ("after", list), ("alone", bool), ("configuration", dict))
                        if not isinstance(entry.get(key, kind()), kind)), None)
        if not problem and not all(isinstance(v, str) for v in entry.get("after", [])):
            problem = "after"
        if not problem and not all(isinstance(v, (bool, str)) or results.is_number(v) for v in entry.get("configuration", {}).values()):
            problem = "configuration"
        if problem:
            raise ValueError(f"{path}: stage: {problem}: another kind of value was expected")
        if set(entry) - KEYS:
            raise ValueError(f"{path}: stage '{name}': unknown key '{min(set(entry) - KEYS)}'")
        if not re.fullmatch(results.NAME, name) or name in taken:
            raise ValueError(f"{path}: stage '{name}': expected a new name of small letters")
        command = entry.get("command")
        if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
            raise ValueError(f"{path}: stage '{name}': command: expected a list of words")
        stages.append(Extra(entry))
        taken = {*taken, name}
    return stages
