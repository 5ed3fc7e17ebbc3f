# SPDX-License-Identifier: Apache-2.0
"""Stages of the RTL's own benches: what they reach of each block, and whether they pass with random initial values."""
import json
import re

import results
from stage import Outcome, Stage

KINDS = {"line": "lines", "toggle": "toggles", "cover": "cover_points"}


def judge(blocks, code, log_tail):
    """The outcome of {block: {kind: {"reached": n, "points": n}}}."""
    outcome = Outcome("passed" if code == 0 else "failed", counts={"blocks": len(blocks)})
    for kind, name in KINDS.items():
        total = [0, 0]
        for block, kinds in blocks.items():
            reached, points = kinds[kind]["reached"], kinds[kind]["points"]
            total = [total[0] + reached, total[1] + points]
            if points:
                outcome.figures[f"{name}/{block}"] = round(100 * reached / points, 2)
        if total[1]:
            outcome.figures[f"{name}/total"] = round(100 * total[0] / total[1], 2)
    if code != 0:
        outcome.failures.append(log_tail("a block is below its goal, a bench failed, or an excuse does not fit"))
    return outcome


def benches_of(options):
    return {"benches": options.benches} if options.benches else {}


class RtlCoverage(Stage):
    name = "rtl-coverage"

    def configuration(self, options):
        return {"seed": options.seed, **benches_of(options)}

    def run(self, context):
        figures = context.folder / "coverage.json"
        code = context.run(self.name, "scripts/coverage", "--rtl", "--check", "--holes", "--seed", context.options.seed, "--json", figures,
                           *(["--only", context.options.benches] if context.options.benches else []))
        if not figures.exists():
            return context.failed_command(f"scripts/coverage --rtl ended with exit code {code} and without figures")
        context.files["figures"] = "coverage.json"
        return judge(json.loads(figures.read_text()), code, lambda what: context.failed_command(what).failures[0])


def judge_random(text, code, log_tail):
    done = re.search(r"^random initial values: (\d+) benches, (\d+) seeds, (\d+) failed$", text, re.M)
    if not done:
        return None
    benches, seeds, failed = map(int, done.groups())
    outcome = Outcome("passed" if code == 0 else "failed", counts={"benches": benches, "seeds": seeds, "failed": failed})
    for name in re.findall(r"^FAILED (.*)$", text, re.M):
        outcome.failures.append(results.failure(name, log_tail()))
    return outcome


class RtlRandom(Stage):
    name = "rtl-random"

    def configuration(self, options):
        return benches_of(options)

    def run(self, context):
        code = context.run(self.name, "scripts/rtl-random", "--only", context.options.benches)
        outcome = judge_random((context.folder / "log.txt").read_text(encoding="utf-8", errors="replace"), code, context.log_tail)
        return outcome or context.failed_command(f"scripts/rtl-random ended with exit code {code} before it ran the benches")
