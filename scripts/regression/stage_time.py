# SPDX-License-Identifier: Apache-2.0
"""Stages that measure time: speed of the simulator, a build from nothing."""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import time

from results import is_number
from stage import Outcome, Stage

STEP = re.compile(r"^\[(\d+)/(\d+)\]")


def load_bench_table():
    path = pathlib.Path(__file__).resolve().parent.parent / "bench-table"
    loader = importlib.machinery.SourceFileLoader("bench_table", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_table", loader))
    loader.exec_module(module)
    return module


def judge_speed(figures, code):
    """Outcome of the figures of scripts/bench: a missed target is shown, and fails nothing."""
    targets = [(name, goal, kind) for name, goal, kind, _ in load_bench_table().TARGETS]
    measured = {name: value for name, value in figures.items() if is_number(value)}
    missed = [name for name, goal, kind in targets if goal is not None and name in measured
              and not (measured[name] >= goal if kind == "min" else measured[name] <= goal)]
    absent = [name for name, *_ in targets if name not in measured]
    counts = {"measured": len(measured), "missed": len(missed), "not_measured": len(absent)}
    return Outcome("passed" if code == 0 else "failed", "" if code == 0 else "a benchmark could not be run", counts, measured)


class Speed(Stage):
    name = "speed"
    after = ("tests", "faults", "mutants")
    alone = True

    def configuration(self, options):
        return {"quick": options.quick, "bench": options.bench}

    def run(self, context):
        figures = context.folder / "figures.json"
        quick = ["--quick"] if context.options.quick else []
        only = ["--only", context.options.bench] if context.options.bench else []
        code = context.run(self.name, "scripts/bench", "--json", figures, *quick, *only)
        if not figures.exists():
            return context.failed_command(f"scripts/bench ended with exit code {code} and without figures")
        context.files["figures"] = "figures.json"
        outcome = judge_speed(json.loads(figures.read_text()), code)
        if code != 0:
            outcome.failures = context.failed_command(outcome.reason).failures
        return outcome


class Build(Stage):
    name = "build"
    alone = True

    def configuration(self, options):
        return {"target": options.target, "jobs": options.jobs}

    def run(self, context):
        folder = context.folder / "tree"
        environment = {"CCACHE_DISABLE": "1"}
        try:
            begin = time.monotonic()
            if context.run("build: configure", "cmake", "--preset", "release", "-B", folder, **environment) != 0:
                return context.failed_command("cmake failed")
            configured = time.monotonic()
            if context.run("build", "ninja", "-C", folder, "-j", context.options.jobs, context.options.target, **environment) != 0:
                return context.failed_command("the build failed")
            built = time.monotonic()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        log = (context.folder / "log.txt").read_text(encoding="utf-8").splitlines()
        steps = max((int(match[2]) for match in map(STEP.match, log) if match), default=0)
        return Outcome("passed", counts={"steps": steps},
                       figures={"configure_seconds": round(configured - begin, 1), "build_seconds": round(built - configured, 1)})
