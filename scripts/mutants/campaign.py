# SPDX-License-Identifier: Apache-2.0
"""Builds the benches with all mutants and runs them, one mutant at a time."""
import concurrent.futures
import itertools
import shutil
import sys
import time

from instrument import PACKAGE, SWITCH, instrument
from programs import PROGRAMS, ROOT, Bench, compile_switch
from results import verdict_of
from selection import choose, described

RTL = ROOT / "rtl"


def select(seed, per_file):
    """Number -> (mutant, entry, text of its file), over all of rtl/."""
    chosen = {}
    for path in sorted(RTL.rglob("*.sv")):
        file, source = str(path.relative_to(RTL)), path.read_text()
        mutants = choose(file, source, seed, per_file)
        for mutant, entry in zip(mutants, described(mutants, source)):
            chosen[len(chosen) + 1] = (mutant, entry, source)
    return chosen


def write_copy(chosen, copy):
    """rtl/ with its mutants."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(RTL, copy)
    files = {}
    for number, (mutant, _, source) in chosen.items():
        files.setdefault(mutant.file, (source, []))[1].append((number, mutant))
    for file, (source, numbered) in files.items():
        (copy / file).write_text(instrument(source, numbered))
    (copy / "common" / "tern_mutant_pkg.sv").write_text("// SPDX-License-Identifier: Apache-2.0\n" + PACKAGE)


class Progress:
    """One line on a terminal; elsewhere a line now and then."""

    def __init__(self, total):
        self.total, self.done, self.survived, self.begin = total, 0, 0, time.time()

    def step(self, entry, verdict):
        self.done += 1
        self.survived += verdict not in ("killed", "equivalent")
        minutes = (time.time() - self.begin) / self.done * (self.total - self.done) / 60
        line = f"mutant {self.done}/{self.total}, {self.survived} survived, {minutes:.0f} min to go"
        if verdict not in ("killed", "equivalent"):
            self.say(f"{verdict}  rtl/{entry['file']}:{entry['line']}  {entry['original']}  ->  {entry['mutated']}")
        if sys.stdout.isatty():
            print(f"\r{line}\033[K", end="", flush=True)
        elif self.done % 20 == 0 or self.done == self.total:
            print(line, flush=True)

    @staticmethod
    def say(text):
        print(("\r\033[K" if sys.stdout.isatty() else "") + text, flush=True)

    @staticmethod
    def end():
        if sys.stdout.isatty():
            print("\r\033[K", end="", flush=True)


class Campaign:
    def __init__(self, build, chosen, jobs, benches=""):
        self.work = build / "mutants"
        self.work.mkdir(exist_ok=True)
        self.chosen, self.jobs = chosen, jobs
        self.benches = [Bench(build, path) for path in PROGRAMS if benches in path]

    def benches_of(self, file):
        return [bench for bench in self.benches if bench.contains(file)]

    def prepare(self, files):
        """Builds the benches that contain these files and runs them without a mutant; returns an error text."""
        needed = [b for b in self.benches if any(b in self.benches_of(f) for f in files)]
        for bench in needed:
            if bench.missing():
                return f"{bench.missing()} is missing: build {bench.name} first (scripts/build)"
        if not needed:
            return ""
        write_copy(self.chosen, self.work / "rtl")
        problem = compile_switch(needed[0], SWITCH, self.work)
        made = set()
        for bench in needed:
            if problem:
                return problem
            begin = time.time()
            problem = bench.make(self.work / "rtl", self.work, made)
            if problem:
                return f"{bench.name}: {problem}"
            built = time.time() - begin
            # Without a mutant it must pass, or the kills mean nothing.
            verdict, what = bench.run(0, self.work)
            if verdict != "survived":
                return f"fails without any mutant: {what}"
            Progress.say(f"no mutant, {bench.name:<30} built in {built:5.1f} s, passed in {bench.seconds:5.1f} s")
        self.benches = needed
        return ""

    def judge(self, number):
        """The entry of a mutant with its verdict."""
        mutant, entry, _ = self.chosen[number]
        begin = time.time()
        verdict, by = "untested", "no bench contains the file"
        # A register that is never written may have begun with the right value.
        starts = ("ones", "zeros") if entry.get("mutated") == "no update" else ("ones",)
        for start, bench in itertools.product(starts, self.benches_of(mutant.file)):
            verdict, by = bench.run(number, self.work, start)
            if verdict != "survived":
                break
        return {**entry, "verdict": verdict, "by": by, "seconds": round(time.time() - begin, 2)}

    def run(self, numbers, note, reasons):
        """Judges these mutants; `note(number, entry)` keeps each result."""
        progress = Progress(len(numbers))
        with concurrent.futures.ThreadPoolExecutor(max_workers=self.jobs) as pool:
            futures = {pool.submit(self.judge, number): number for number in numbers}
            try:
                for future in concurrent.futures.as_completed(futures):
                    entry = future.result()
                    note(futures[future], entry)
                    progress.step(entry, verdict_of(entry, reasons))
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                raise
        progress.end()
