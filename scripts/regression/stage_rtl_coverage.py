# SPDX-License-Identifier: Apache-2.0
"""The stage of the RTL's coverage: lines, toggles and cover points of each block (scripts/coverage --rtl)."""
import json

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


class RtlCoverage(Stage):
    name = "rtl-coverage"

    def configuration(self, options):
        return {"seed": options.seed}

    def run(self, context):
        figures = context.folder / "coverage.json"
        code = context.run(self.name, "scripts/coverage", "--rtl", "--check", "--holes", "--seed", context.options.seed, "--json", figures)
        if not figures.exists():
            return context.failed_command(f"scripts/coverage --rtl ended with exit code {code} and without figures")
        context.files["figures"] = "coverage.json"
        return judge(json.loads(figures.read_text()), code, lambda what: context.failed_command(what).failures[0])
