# SPDX-License-Identifier: Apache-2.0
"""The stage of libFuzzer: every program fuzz_* of the preset fuzz, for a time; what it finds new is kept for the next night."""
import re

import results
from stage import Outcome, Stage

DONE = re.compile(r"^Done (\d+) runs in (\d+) second", re.M)
STATUS = re.compile(r"^#\d+\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)/", re.M)
MAX_INPUT = 2400  # bytes


def judge_program(name, code, text, new_inputs):
    """(figures, failure or None) of one program's output."""
    done, states = DONE.search(text), STATUS.findall(text)
    figures = {f"inputs/{name}": int(done[1])} if done else {}
    if states:
        figures.update({f"edges/{name}": int(states[-1][0]), f"corpus/{name}": int(states[-1][2])})
    figures[f"new/{name}"] = new_inputs
    return figures, None if code == 0 else results.failure(name, text)


class Fuzz(Stage):
    name = "fuzz"

    def configuration(self, options):
        return {"seconds": options.fuzz_seconds, "seed": options.seed, **({"programs": options.fuzzers} if options.fuzzers else {})}

    def programs(self, context):
        """The names of the programs that the preset builds."""
        if context.run("fuzz: find programs", "ninja", "-C", "build/fuzz", "-t", "targets", "all", log="targets.txt") != 0:
            return []
        del context.files["targets"]
        text = (context.folder / "targets.txt").read_text(encoding="utf-8")
        return sorted(name for name in set(re.findall(r"^(fuzz_\w+): phony$", text, re.M)) if context.options.fuzzers in name)

    def run(self, context):
        if context.run("fuzz: configure", "cmake", "--preset", "fuzz", log="build.txt") != 0:
            return context.failed_command("cmake failed", "build.txt")
        programs = self.programs(context)
        if not programs:
            return Outcome("error", f"the preset fuzz has no program fuzz_*{results.clean(context.options.fuzzers, 80)}*")
        if context.run("fuzz: build", "ninja", "-C", "build/fuzz", "-j", context.options.jobs, *programs, log="build.txt") != 0:
            return context.failed_command("the build failed", "build.txt")
        outcome = Outcome("passed", counts={"programs": len(programs), "failed": 0})
        for name in programs:
            self.fuzz(context, outcome, name)
        outcome.counts["failed"] = len(outcome.failures)
        outcome.status = "failed" if outcome.failures else "passed"
        return outcome

    def fuzz(self, context, outcome, name):
        corpus, log = context.kept / "corpus" / name, f"{name}.txt"
        corpus.mkdir(parents=True, exist_ok=True)
        before = sum(1 for _ in corpus.iterdir())
        # In the tree, the inputs of fuzz_NAME are in a folder corpus_NAME.
        seeds = sorted((context.root / "tb").rglob(name.replace("fuzz_", "corpus_", 1)))
        program = next((path for path in (context.root / "build/fuzz/tb").rglob(name) if path.is_file()), name)
        code = context.run(name, program, f"-max_total_time={context.options.fuzz_seconds}", f"-max_len={MAX_INPUT}",
                           f"-seed={context.options.seed + 1}", f"-artifact_prefix={context.folder}/", "-print_final_stats=1",
                           corpus, *seeds, log=log)
        text = (context.folder / log).read_text(encoding="utf-8")
        figures, failure = judge_program(name, code, text, sum(1 for _ in corpus.iterdir()) - before)
        outcome.figures.update(figures)
        if failure:
            outcome.failures.append(failure)
        for kind in ("crash", "timeout", "oom", "leak"):
            for number, path in enumerate(sorted(context.folder.glob(f"{kind}-*"))):
                context.files[f"{name} {kind} {number + 1}"] = path.name
