# SPDX-License-Identifier: Apache-2.0
"""Stages that change the RTL and expect a bench to notice: deliberate faults, mutants."""
import re

import results
from stage import Outcome, Stage

FAULT = re.compile(r"^(.{72,}?) +(killed|equal|SURVIVED|ERROR) +([\d.]+) s *(.*)$")
FAULTS_RATE = re.compile(r"^kill rate (\d+)/(\d+), (\d+) change nothing$")
# Block, mutants, killed, equivalent, survived, rate.
MUTANT_ROW = re.compile(r"^(\w+) +(\d+) +(\d+) +(\d+) +(\d+) +[\d.]+ %$")
SURVIVOR = re.compile(r"^(rtl/\S+:\d+: .*)$")
RATE = re.compile(r"^kill rate (?:(\d+)/(\d+)|([\d.]+) % of (\d+))")


def percent(killed, total):
    return round(100 * killed / total, 2) if total else 100.0


def judge_faults(lines, code):
    """Outcome of the lines of scripts/faults/run."""
    found = [match for match in map(FAULT.match, lines) if match]
    summary = next((match for match in map(FAULTS_RATE.match, lines) if match), None)
    if not summary:
        return Outcome("error", f"scripts/faults/run ended with exit code {code} and without a kill rate",
                       failures=[results.failure("scripts/faults/run", lines[-10:])])
    count = {verdict: sum(match[2] == verdict for match in found) for verdict in ("killed", "equal", "SURVIVED", "ERROR")}
    failures = [results.failure(match[1].strip(), [f"{match[2]} {match[4]}".strip()])
                for match in found if match[2] in ("SURVIVED", "ERROR")]
    total = int(summary[2])
    return Outcome("passed" if code == 0 else "failed",
                   counts={"faults": total, "killed": int(summary[1]), "equivalent": count["equal"],
                           "survived": count["SURVIVED"], "errors": count["ERROR"]},
                   figures={"kill_rate": percent(int(summary[1]), total - count["equal"])}, failures=failures)


def judge_mutants(lines, code):
    """Outcome of the lines of scripts/mutants/run."""
    rate = next((match for match in map(RATE.match, reversed(lines)) if match), None)
    if not rate:
        return Outcome("error", f"scripts/mutants/run ended with exit code {code} and without a kill rate",
                       failures=[results.failure("scripts/mutants/run", lines[-10:])])
    if rate[1]:
        counts, figures = {"mutants": int(rate[2]), "killed": int(rate[1])}, {"kill_rate": percent(int(rate[1]), int(rate[2]))}
    else:
        counts, figures = {"mutants": int(rate[4])}, {"kill_rate": float(rate[3])}
    table, blocks = False, {}
    for line in lines:
        if line.startswith(("block ", "kind ")):
            table = line.startswith("block ")
        row = MUTANT_ROW.match(line)
        if row and table:
            blocks[row[1]] = [int(number) for number in row.groups()[1:]]
    for block, (total, killed, equivalent, survived) in blocks.items():
        if block == "all":
            counts.update(mutants=total, killed=killed, equivalent=equivalent, survived=survived)
        else:
            figures[f"kill_rate/{block}"] = percent(killed, total - equivalent)
    failures = [results.failure(line, lines[at:at + 4]) for at, line in enumerate(lines) if SURVIVOR.match(line)]
    return Outcome("passed" if code == 0 else "failed", counts=counts, figures=figures, failures=failures)


class Faults(Stage):
    name = "faults"
    after = ("tests",)

    def configuration(self, options):
        return {"only": options.only, "every": options.every}

    def run(self, context):
        chosen = ["--every", context.options.every, "--only", context.options.only]
        if context.run(f"{self.name}: configure", "scripts/build", "release", "--configure", log="build.txt") != 0:
            return context.failed_command("the build failed", "build.txt")
        if context.run(f"{self.name}: find benches", "scripts/faults/run", *chosen, "--targets", log="targets.txt") != 0:
            return context.failed_command("the benches are not known", "targets.txt")
        targets = [line for line in context.log_tail("targets.txt", 1000) if line and not line.startswith("$ ")]
        del context.files["targets"]
        if not targets:
            return Outcome("error", "no fault has such a name")
        if context.run(f"{self.name}: build", "scripts/build", "release", *targets, log="build.txt") != 0:
            return context.failed_command("the build failed", "build.txt")
        code = context.run(self.name, "scripts/faults/run", "--jobs", context.options.jobs, *chosen)
        return judge_faults((context.folder / "log.txt").read_text(encoding="utf-8").splitlines(), code)


class Mutants(Stage):
    name = "mutants"
    after = ("tests", "faults")

    def configuration(self, options):
        return {"only": options.only, "seed": options.seed, **({"every": options.every} if options.every > 1 else {})}

    def missing(self, root):
        return "" if (root / "scripts/mutants/run").exists() else "this tree has no scripts/mutants/run"

    def run(self, context):
        if context.run(f"{self.name}: build", "scripts/build", "release", log="build.txt") != 0:
            return context.failed_command("the build failed", "build.txt")
        code = context.run(self.name, "scripts/mutants/run", "--resume", "--jobs", context.options.jobs, "--seed",
                           context.options.seed, "--only", context.options.only, "--every", context.options.every)
        return judge_mutants((context.folder / "log.txt").read_text(encoding="utf-8").splitlines(), code)
