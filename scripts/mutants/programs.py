# SPDX-License-Identifier: Apache-2.0
"""The benches, each built once with the mutants of all its RTL."""
import hashlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
from benches import BENCHES, Builder, ROOT, build_folder, whole  # noqa: E402, F401

# For mutants that survive all of BENCHES: longer tests of the same libraries, and the FPGA's engine, which shares arithmetic.
MORE = {
    "tb/fpga/test_fpga_rtl": ["tern_rtl_fpga", "tern_rtl_fpga_4x4"],
    "tb/qos/test_qos_long": ["tern_rtl_qos"],
    "tb/datalink/test_datalink_long": ["tern_rtl_link", "tern_rtl_link_small"],
    "tb/mx/test_mx_lockstep": ["tern_rtl_mx_quantize", "tern_rtl_mx_dequantize"],
    "tb/exp/test_exp_lockstep": ["tern_rtl_exp"],
    "tb/dma/rtl/test_dma_rtl_chaos": ["tern_rtl_dma"],
    "tb/dma/model/test_dma_against_rtl": ["tern_rtl_dma"],
    "tb/dma/model/test_dma_hostile": ["tern_rtl_dma"],
    "tb/tensor/top/test_tensor_lockstep": ["tern_rtl_tensor_tiny"],
}
PROGRAMS = {**BENCHES, **MORE}
# A guard against mutants that hang, in CPU time: other load on the machine changes no verdict.
TIMES_LONGER, SECONDS_AT_LEAST = 15, 60
# A mutated value of an enumeration has none of its names; a task for a row reads the number of the mutant.
WARNINGS = ["-Wno-IMPURE", "-Wno-ENUMVALUE", "-Wno-WIDTHCONCAT"]


class Bench:
    """A test program whose RTL contains mutants."""

    def __init__(self, build, path):
        self.builder = Builder(build, path, PROGRAMS[path])
        self.build = build
        self.path = path
        self.name = self.builder.name
        self.program = None
        self.seconds = 0.0

    def contains(self, file):
        return self.builder.contains(file)

    def missing(self):
        """A file to link that is not built; none: empty."""
        own = {f"lib{library.name}.a" for library in self.builder.libraries}
        files = [self.build / word for link in self.builder.links for word in link if word.endswith((".o", ".a"))]
        return next((str(f) for f in files if f.name not in own and not f.exists()), "")

    def make(self, copy, work, made):
        """Builds the program in `work` from the RTL in `copy`; `made`: names of libraries that are there. Returns an error text."""
        builder = self.builder
        for library in builder.libraries:
            if library.name in made:
                continue
            command = library.verilator
            first = next(i for i, word in enumerate(command) if word.endswith(".sv"))
            command[first:first] = [*WARNINGS, str(ROOT / "rtl" / "common" / "tern_mutant_pkg.sv")]
            # Registers begin with ones (TERN_RTL_SEED), so that a dropped reset shows.
            for option in ("--x-assign", "--x-initial"):
                command[command.index(option) + 1] = "unique"
            problem = make_library(library, copy, work, builder.run)
            if problem:
                return problem
            made.add(library.name)
        for link in builder.links:
            output = work / pathlib.Path(link[link.index("-o") + 1]).name
            words = [word for part in link for word in builder.replaced(part, work)] + [str(work / "switch.o")]
            words[words.index("-o") + 1] = str(output)
            result = builder.run(words)
            if result.returncode != 0:
                return result.stderr
        self.program = work / self.name
        return ""

    def run(self, number, work, start="ones"):
        """(survived, killed or untested; what noticed it). start: what registers without a reset begin with, ones or zeros."""
        limit = max(SECONDS_AT_LEAST, round(TIMES_LONGER * self.seconds))
        environment = {**os.environ, "TERN_WAVE": "", "TERN_RTL_DIR": str(work), "TERN_MUTANT": str(number),
                       "TERN_SEED": "0", "TERN_RTL_SEED": "ones"}
        if start == "zeros":
            del environment["TERN_RTL_SEED"]
        folder = work / f"run{number}"
        folder.mkdir(exist_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(["sh", "-c", 'ulimit -S -t "$1"; exec "$2" --abort', "sh", str(limit), str(self.program)], cwd=folder,
                             capture_output=True, text=True, check=False, errors="replace", env=environment)
        shutil.rmtree(folder, ignore_errors=True)
        if number == 0:
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if run.returncode == 0:
            return "survived", ""
        if run.returncode == -signal.SIGXCPU:
            return "killed", f"{self.name}: no end after {limit} s"
        if run.returncode in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT):
            return "untested", f"{self.name} was stopped by signal {-run.returncode}"
        return "killed", f"{self.name}: {first_failure(run.stdout + run.stderr)}"


def first_failure(output):
    """The name of the first test case that failed (tb/common/reporter.h prints it)."""
    for line in output.splitlines():
        if line.startswith("FAILED "):
            return line.split(":", 1)[1].strip()
    return "an assertion of the RTL" if "ssertion" in output or "%Error" in output else "?"


def make_library(library, copy, work, run):
    """Builds a library, unless `work` has it from the same sources."""
    sources = [copy / pathlib.Path(word).relative_to(ROOT / "rtl") for word in library.verilator if word.startswith(f"{ROOT}/rtl/")]
    text = "\n".join([*library.verilator, *library.flags, *(path.read_text() for path in sources)])
    stamp, digest = work / f"{library.name}.stamp", hashlib.sha256(text.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest and all(pathlib.Path(o).exists() for o in library.objects(work)):
        return ""
    stamp.unlink(missing_ok=True)
    shutil.rmtree(work / library.name, ignore_errors=True)  # Verilator leaves files of an earlier version there
    problem = library.make(copy, work, run)
    if not problem:
        stamp.write_text(digest)
    return problem


def compile_switch(bench, text, work):
    """The object that gives the mutant's number. Returns an error text."""
    source = work / "switch.cpp"
    source.write_text(text)
    compiler = bench.builder.libraries[0].compiler
    result = bench.builder.run([compiler, "-O1", "-fPIC", "-c", str(source), "-o", str(work / "switch.o")])
    return result.stderr if result.returncode != 0 else ""
