# SPDX-License-Identifier: Apache-2.0
"""Stages that run CTest: all tests, the same with sanitizers, and with coverage counters."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import xml.etree.ElementTree as ElementTree

import results
from stage import Outcome, Stage

RUN_CTEST = pathlib.Path(__file__).resolve().parent.parent / "run-ctest"
# Whole campaigns that are stages of their own.
OTHER_STAGES = "^rtl faults: .* every |^rtl mutants: the benches"


def load_run_ctest():
    loader = importlib.machinery.SourceFileLoader("run_ctest", str(RUN_CTEST))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_ctest", loader))
    loader.exec_module(module)
    return module


def judge(junit):
    """Outcome of the tests in a file of CTest."""
    run_ctest = load_run_ctest()
    try:
        cases = [run_ctest.Case(e, {}) for e in ElementTree.parse(junit).getroot().iter("testcase")]
    except (OSError, ElementTree.ParseError) as error:
        return Outcome("error", f"no results of CTest: {results.clean(error, 80)}")
    if not cases:
        return Outcome("error", "no test has such a name")
    counts = {state: sum(case.state == state for case in cases) for state in ("passed", "failed", "skipped")}
    failures = [results.failure(case.name, case.output) for case in cases if case.state == "failed"]
    return Outcome("failed" if failures else "passed", counts=counts, failures=failures)


class CTestStage(Stage):
    preset = "release"

    def configuration(self, options):
        return {"tests": options.regex, "seed": options.seed}

    def build(self, context, regex):
        """Exit code of the build: of what the chosen tests need, or of everything."""
        code = context.run(f"{self.name}: configure", "scripts/build", self.preset, "--configure", log="build.txt")
        if code != 0:
            return code
        targets = ["all", "netlists"]
        if regex:
            code = context.run(f"{self.name}: find tests", "scripts/find-tests", f"build/{self.preset}", "-R", regex, "--targets",
                               log="targets.txt")
            targets = [line for line in context.log_tail("targets.txt", 1000) if line and not line.startswith("$ ")]
            del context.files["targets"]
            if code != 0 or not targets:
                return 0  # none of these tests needs a program
        return context.run(f"{self.name}: build", "scripts/build", self.preset, *targets, log="build.txt")

    def select(self, options):
        return ["-R", options.regex] if options.regex else ["-E", OTHER_STAGES]

    def run(self, context):
        if self.build(context, context.options.regex) != 0:
            return context.failed_command("the build failed", "build.txt")
        context.run(self.name, "python3", RUN_CTEST, f"build/{self.preset}", context.folder, "-j", context.options.jobs,
                    *self.select(context.options))
        outcome = judge(context.folder / "test.xml")
        if outcome.status == "error":
            return context.failed_command(outcome.reason)
        context.files["junit"] = "test.xml"
        return outcome


class Tests(CTestStage):
    name = "tests"


class Sanitizers(CTestStage):
    name = "sanitizers"
    preset = "asan"

    def select(self, options):
        return ["-R", options.regex] if options.regex else ["-L", "^smoke$", "-E", "^lint"]


class Threads(Sanitizers):
    name = "threads"
    preset = "tsan"


class Coverage(CTestStage):
    name = "coverage"
    preset = "coverage"

    def run(self, context):
        select = ["-R", context.options.regex] if context.options.regex else []
        figures = context.folder / "coverage.json"
        code = context.run(self.name, "scripts/coverage", "--json", figures, *select)
        junit = context.root / "build/logs/coverage/test.xml"
        if not figures.exists() or not junit.exists():
            return context.failed_command(f"scripts/coverage ended with exit code {code} and without figures")
        shutil.copy(junit, context.folder / "test.xml")
        context.files.update(junit="test.xml", figures="coverage.json")
        outcome = judge(context.folder / "test.xml")
        for kind, blocks in json.loads(figures.read_text()).items():
            outcome.figures.update({f"{kind}/{block}": round(100 * covered / count, 2)
                                    for block, (covered, count) in blocks.items() if count})
        return outcome
