# SPDX-License-Identifier: Apache-2.0
"""The stage of hostile input: scripts/robustness/run, whose every violation is saved with a script that repeats it."""
import re

import results
from stage import Outcome, Stage

# Campaign, cases, accepted, failed, refused, stopped, skipped, violations, seconds.
ROW = re.compile(r"^([a-z]+) +(\d+) +\d+ +\d+ +\d+ +\d+ +(\d+) +(\d+) +\d+$", re.M)
TOTAL = re.compile(r"^robustness: (\d+) cases, (\d+) violations$", re.M)
VIOLATION = re.compile(r"^VIOLATION (.*)$")
SKIPPED = re.compile(r"^skipped ([a-z]+): ", re.M)
# With the Verilated blocks: one that is missing would be built during a case.
PROGRAMS = ("tern", "test_gpsimd_random", "tensor_full", "tensor_full_trace", "tensor_mid", "tensor_tiny")


def judge(text, code, log_tail):
    """Outcome of the output of scripts/robustness/run."""
    total = TOTAL.search(text)
    if not total or code not in (0, 1) or (code == 1) != (int(total[2]) > 0) or int(total[1]) == 0:
        what = f"scripts/robustness/run ended with exit code {code} and without a verdict"
        return Outcome("error", what, failures=[results.failure(what, log_tail)])
    rows = ROW.findall(text)
    outcome = Outcome("failed" if code else "passed", counts={"cases": int(total[1]), "violations": int(total[2]),
                                                               "skipped": sum(int(skipped) for _, _, skipped, _ in rows),
                                                               "campaigns_skipped": len(SKIPPED.findall(text))})
    for name, cases, _, violations in rows:
        outcome.figures.update({f"cases/{name}": int(cases), f"violations/{name}": int(violations)})
    lines = text.splitlines()
    for at, line in enumerate(lines):
        match = VIOLATION.match(line)
        if match:
            outcome.failures.append(results.failure(match[1], [line, *(more.strip() for more in lines[at + 1:at + 3])]))
    return outcome


class Robustness(Stage):
    name = "robustness"

    def configuration(self, options):
        return {"seed": options.seed, **({"cases": options.cases} if options.cases else {})}

    def run(self, context):
        if context.run(f"{self.name}: build", "scripts/build", "release", *PROGRAMS, log="build.txt") != 0:
            return context.failed_command("the build failed", "build.txt")
        code = context.run(self.name, "scripts/robustness/run", "--seed", context.options.seed, "--jobs", context.options.jobs,
                           "--saved", context.folder / "violations", *(["--cases", context.options.cases] if context.options.cases else []))
        return judge((context.folder / "log.txt").read_text(encoding="utf-8", errors="replace"), code, context.log_tail())
