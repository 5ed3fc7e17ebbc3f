# SPDX-License-Identifier: Apache-2.0
"""Results of a campaign: one line of JSON for each mutant while it runs, a TOML file to keep, explanations of survivors."""
import collections
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
EXPLANATIONS = HERE / "equivalent.toml"
RECORD = HERE / "results.toml"
RATE = 95.0  # per cent of those that are not equivalent
KEYS = ("file", "code", "original", "mutated")


class Log:
    """What is known of mutants, by a key of the file's text and the mutant. Survives an interruption."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry.pop("key")] = entry

    def add(self, key, entry, keep):
        self.known[key] = entry
        if not keep:
            return
        with self.path.open("a") as file:
            file.write(json.dumps({"key": key, **entry}) + "\n")

    def forget(self, keys):
        self.known = {k: v for k, v in self.known.items() if k not in keys}
        partial = self.path.with_suffix(".partial")
        partial.write_text("".join(json.dumps({"key": k, **v}) + "\n" for k, v in self.known.items()))
        os.replace(partial, self.path)


def key_of(source, described):
    return hashlib.sha256("\n".join([source, *(described[k] for k in KEYS), str(described["copy"])]).encode()).hexdigest()[:16]


def explanations():
    """By file, code, original and mutated text: why the mutant changes nothing."""
    entries = tomllib.loads(EXPLANATIONS.read_text())["equivalent"] if EXPLANATIONS.exists() else []
    return {tuple(e[k] for k in KEYS): e["reason"] for e in entries}


def verdict_of(entry, reasons):
    """killed, equivalent, SURVIVED, ERROR (an explanation that is wrong), untested"""
    explained = tuple(entry[k] for k in KEYS) in reasons
    if entry["verdict"] == "survived":
        return "equivalent" if explained else "SURVIVED"
    if entry["verdict"] == "untested":
        return "untested"
    return "ERROR" if explained else "killed"


def rate(tally):
    judged = tally["killed"] + tally["SURVIVED"] + tally["ERROR"]
    return 100.0 * tally["killed"] / judged if judged else 100.0


def table(entries, reasons, group):
    """Rows of a table: what `group` gives of an entry, and its numbers."""
    groups = collections.defaultdict(collections.Counter)
    for entry in entries:
        for name in (group(entry), "all"):
            groups[name][verdict_of(entry, reasons)] += 1
    for name in sorted(groups, key=lambda n: (n == "all", n)):
        tally = groups[name]
        yield (name, sum(tally.values()), tally["killed"], tally["equivalent"], tally["SURVIVED"] + tally["ERROR"], tally["untested"],
               rate(tally))


def block_of(entry):
    return entry["file"].split("/")[0]


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def record(entries, reasons, seed, seconds):
    """Writes the file that is kept under version control."""
    shown = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    now = (datetime.date.today(), shown.stdout.strip())
    total = list(table(entries, reasons, block_of))[-1]
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             "# Written by scripts/mutants/run --record: the last campaign, and what noticed each mutant. Lines are those of the commit.",
             "# A file with an entry of its own has not changed since the campaign of that entry.",
             f"date = {now[0].isoformat()}", f"commit = {quoted(now[1])}", f"seed = {seed}",
             f"run_seconds = {seconds:.0f}  # sum over the mutants that were tried then", f"mutants = {total[1]}", f"killed = {total[2]}",
             f"equivalent = {total[3]}", f"survived = {total[4]}", f"untested = {total[5]}", f"kill_rate = {total[6]:.1f}"]
    for key, group in (("block", block_of), ("kind", lambda e: e["kind"])):
        for name, count, killed, equal, survived, untested, percent in table(entries, reasons, group):
            if name != "all":
                lines += ["", f"[[{key}]]", f"name = {quoted(name)}", f"mutants = {count}", f"killed = {killed}",
                          f"equivalent = {equal}", f"survived = {survived}", f"untested = {untested}", f"kill_rate = {percent:.1f}"]
    older = {e["file"]: (e["date"], e["commit"]) for e in entries if "commit" in e}
    for name, (date, commit) in sorted(older.items()):
        if (date, commit) != now:
            lines += ["", "[[file]]  # not changed since it was tried", f"name = {quoted(name)}", f"date = {date.isoformat()}",
                      f"commit = {quoted(commit)}"]
    for entry in entries:
        verdict = verdict_of(entry, reasons)
        lines += ["", "[[mutant]]", f"at = {quoted('rtl/' + entry['file'] + ':' + str(entry['line']))}",
                  f"kind = {quoted(entry['kind'])}", f"original = {quoted(entry['original'])}", f"mutated = {quoted(entry['mutated'])}",
                  f"{verdict.lower()} = {quoted(entry['by'] if verdict == 'killed' else reasons.get(tuple(entry[k] for k in KEYS), ''))}"]
    partial = RECORD.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n")
    os.replace(partial, RECORD)
