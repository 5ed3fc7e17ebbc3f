# SPDX-License-Identifier: Apache-2.0
"""What the recorded campaigns say of files that have not changed since."""
import collections
import subprocess
import tomllib

from results import RECORD
from programs import ROOT


def text_at(commit, file):
    """A file of rtl/ as it was; None if that is not known here."""
    shown = subprocess.run(["git", "-C", str(ROOT), "show", f"{commit}:rtl/{file}"], capture_output=True, text=True, check=False)
    return shown.stdout if shown.returncode == 0 else None


def entries_of(chosen, seed):
    """Number -> entry with verdict, commit and date, for mutants of files that are as they were when they were tried."""
    if not RECORD.exists():
        return {}
    record = tomllib.loads(RECORD.read_text())
    if record["seed"] != seed:
        return {}
    tried = {f["name"]: f for f in record.get("file", [])}
    numbers = collections.defaultdict(list)
    for number, (_, entry, _) in chosen.items():
        numbers[entry["file"]].append(number)
    results = collections.defaultdict(list)
    for mutant in record["mutant"]:
        results[mutant["at"].removeprefix("rtl/").rpartition(":")[0]].append(mutant)
    kept = {}
    for file, of_file in numbers.items():
        source = chosen[of_file[0]][2]
        when = tried.get(file, record)
        if len(results[file]) != len(of_file) or text_at(when["commit"], file) != source:
            continue
        found = {}
        for number, result in zip(of_file, results[file]):
            entry = chosen[number][1]
            same = all(entry[key] == result[key] for key in ("kind", "original", "mutated"))
            if not same or not {"killed", "equivalent"} & result.keys():
                break
            verdict = "killed" if "killed" in result else "survived"
            found[number] = {**entry, "verdict": verdict, "by": result.get("killed", ""), "seconds": 0.0,
                             "date": when["date"], "commit": when["commit"]}
        else:
            kept |= found
    return kept
