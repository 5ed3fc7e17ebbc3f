# SPDX-License-Identifier: Apache-2.0
"""The results of many nights: the files of a folder, in the order of the commits."""
import json
import pathlib

import results


def load(folder):
    """(results by commit and date, [(file, why it is none)]). Files that are being written are not seen."""
    found, refused = [], []
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        result, problem = results.read(path)
        if result:
            found.append(result)
        else:
            refused.append((results.clean(path.name), problem))
    return sorted(found, key=lambda r: (r["commit_date"] or r["date"], r["date"])), refused


def conditions(result):
    """Results with equal ones may be drawn in one line: options but the seed, and where time is measured the processor."""
    options = {name: value for name, value in result["configuration"].items() if name != "seed"}
    machine = result["machine"] if result["stage"] in ("speed", "build") else None
    return json.dumps([options, machine], sort_keys=True)


def series(found, stage):
    """(results of a stage that compare with its last one, how many others there are)."""
    of_stage = [r for r in found if r["stage"] == stage and r["status"] in ("passed", "failed")]
    alike = [r for r in of_stage if conditions(r) == conditions(of_stage[-1])]
    return alike, len(of_stage) - len(alike)


def commits(found):
    """[(results of a commit by stage, the newest of each)], oldest first; a changed tree is apart from its commit."""
    groups = {}
    for result in found:
        groups.setdefault((result["commit"], result["changed"]), {})[result["stage"]] = result
    return list(groups.values())


def failing_since(alike, name):
    """The first result of the unbroken row of failures of a name that ends with the last result."""
    first = None
    for result in reversed(alike):
        if name not in (failure["name"] for failure in result["failures"]):
            break
        first = result
    return first
