# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a campaign side by side, counts their ends, and saves what violates a promise."""
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import shlex
import shutil
import sys
import time

import execute
import judge


@dataclasses.dataclass
class Context:
    """What campaigns work with."""
    tern: pathlib.Path
    build: pathlib.Path
    root: pathlib.Path
    scratch: pathlib.Path
    saved: pathlib.Path
    seed: int
    jobs: int = 1


class Skip(Exception):
    """Why a campaign or a case cannot be run on this machine."""


@dataclasses.dataclass
class Count:
    cases: int = 0
    accepted: int = 0
    failed: int = 0
    refused: int = 0
    stopped: int = 0
    skipped: int = 0
    violations: int = 0


class Campaign:
    """One kind of hostile input. `make` returns a case, or does the work itself and returns (result, violations)."""
    name = ""
    meaning = ""
    cases = 100

    def prepare(self, context):
        """What all its cases need; Skip if there is no way."""

    def make(self, context, rng, number):
        raise NotImplementedError

    def perform(self, context, rng, number, folder):
        """(case, result, violations) of one case; campaigns of several processes for a case replace it."""
        case = self.make(context, rng, number)
        case.write(folder)
        result = execute.run_in(folder, case, context.tern)
        return case, result, judge.violations(case, result)


def printable(text, length=200):
    text = "".join(c if c.isprintable() else "\ufffd" for c in str(text))
    return text if len(text) <= length else text[:length - 3] + "..."


def save(context, campaign, number, case, result, found):
    """The case again in a folder that stays, with the command that repeats it."""
    folder = context.saved / f"{campaign.name}-{context.seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    case.write(folder / "work")
    (folder / "violations.txt").write_text("\n".join(found) + "\n", encoding="utf-8")
    (folder / "stdout").write_bytes(result.out)
    (folder / "stderr").write_bytes(result.err)
    (folder / "arguments.json").write_text(json.dumps([str(word) for word in case.arguments]), encoding="utf-8")
    script = folder / "repeat.sh"
    script.write_text(f"#!/usr/bin/env bash\n# {printable(case.name)}\n# scripts/robustness/run --only {campaign.name} --seed "
                      f"{context.seed} --case {number}\ncd \"$(dirname \"$0\")/work\" || exit\n"
                      f"{case.script('${TERN:-' + shlex.quote(str(context.tern)) + '}')}\n".replace("'${TERN:-", "${TERN:-").replace("}'", "}"),
                      encoding="utf-8", errors="surrogateescape")
    script.chmod(0o755)
    return folder


def one(context, campaign, number):
    folder = execute.fresh(context.scratch)
    try:
        return campaign.perform(context, random.Random(f"{context.seed} {campaign.name} {number}"), number, folder)
    except Skip as reason:
        return reason
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)


def record(context, campaign, count, number, outcome):
    count.cases += 1
    if isinstance(outcome, Skip):
        count.skipped += 1
        return
    case, result, found = outcome
    if result.stopped:
        count.stopped += 1
    elif result.code == 0:
        count.accepted += 1
    elif result.code == 2:
        count.refused += 1
    else:
        count.failed += 1
    if found:
        count.violations += 1
        place = save(context, campaign, number, case, result, found)
        print(f"VIOLATION {campaign.name} {number}: {printable(case.name)}: {printable('; '.join(found))}\n"
              f"   message: {printable(result.err.decode('utf-8', 'replace').strip()[-300:], 160)}\n   repeat:  {place}/repeat.sh", flush=True)


def run(context, campaign, numbers):
    """Counts of the cases with these numbers."""
    campaign.prepare(context)
    count, last = Count(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(context.jobs) as pool:
        futures = {pool.submit(one, context, campaign, number): number for number in numbers}
        try:
            for future in concurrent.futures.as_completed(futures):
                record(context, campaign, count, futures[future], future.result())
                if time.monotonic() - last > 10:
                    last = time.monotonic()
                    print(f".. {campaign.name}: {count.cases} of {len(futures)}, {count.violations} violations", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            execute.end_all()
            raise
    return count
