#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The verification scripts refuse wrong arguments, missing folders and files with words, not with a traceback, and at once.

The environment variable TERN_BUILD_DIR names a configured build folder (default: build/release).
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("TERN_BUILD_DIR", str(ROOT / "build/release"))
GUARD_SECONDS = 120
NOWHERE = "/nonexistent/folder"
# Command, exit code, what its output says.
REFUSED = (
    (f"mutants/run --build {NOWHERE} --only qos", 2, f"'{NOWHERE}' is no build folder"),
    (f"mutants/run --build {BUILD} --jobs 0", 2, "--jobs: expected a whole number of at least 1, not '0'"),
    ("mutants/run --list --per-file -1", 2, "--per-file: expected"),
    ("mutants/run --list --every 0", 2, "--every: expected a whole number of at least 1, not '0'"),
    ("mutants/run --list --seed x", 2, "--seed: expected a whole number of at least 0, not 'x'"),
    ("mutants/run --list --files rtl/qos/none.sv", 2, "--files: no file rtl/qos/none.sv"),
    ("mutants/run --list --recor", 2, "unrecognized arguments: --recor"),
    (f"faults/run --build {NOWHERE} --targets", 2, f"'{NOWHERE}' is no build folder"),
    (f"faults/run --build {BUILD} --every 0", 2, "--every: expected"),
    (f"faults/run --build {BUILD} --jobs -2", 2, "--jobs: expected"),
    (f"faults/run --build {BUILD} --only no_such_fault", 1, "no fault has 'no_such_fault' in its name or file"),
    (f"find-tests {NOWHERE}", 1, f"{NOWHERE}: no configured build folder"),
    (f"find-tests {BUILD} -R (", 1, "not a regular expression"),
    (f"rtl-coverage {NOWHERE}", 1, f"{NOWHERE}: no build folder"),
    (f"rtl-coverage {BUILD} --targets --only no_such_bench", 1, ""),
    (f"wave-layout {NOWHERE}.fst", 1, f"{NOWHERE}.fst: no such file"),
    (f"wave-layout {ROOT}/README.md", 1, "README.md: not a waveform (FST), or it has no signal"),
    (f"regression/run --stages tests --page {NOWHERE}/x.html", 2, f"--page: folder {NOWHERE} does not exist"),
    ("regression/run --list --stages none", 2, "no stage 'none': there are tests,"),
    ("regression/run --cases 0", 2, "--cases: expected a whole number, at least 1"),
    ("regression/run --short --fresh --resume", 2, "--fresh and --resume exclude each other"),
    ("synth none", 1, "unknown block 'none'; there are: fadd"),
    ("synth qos --generic --record why", 1, "--record wants a reason, and the areas of the cell library"),
    ("synth --jobs 0", 2, "--jobs: expected"),
    (f"bench-compare a b --json {NOWHERE}/x.json", 2, f"--json: folder {NOWHERE} does not exist"),
    (f"bench-compare {NOWHERE} {NOWHERE}", 1, f"{NOWHERE}/tb/bench/bench_rtl_tensor: No such file"),
)


class Arguments(unittest.TestCase):
    def test_refused_in_words(self):
        with tempfile.TemporaryDirectory() as folder:
            for line, code, text in REFUSED:
                with self.subTest(line):
                    script, *words = line.split(" ")
                    run = subprocess.run([str(ROOT / "scripts" / script), *words], capture_output=True, text=True, check=False, cwd=folder,
                                         timeout=GUARD_SECONDS)
                    output = run.stdout + run.stderr
                    self.assertEqual(run.returncode, code, output)
                    self.assertIn(text, output)
                    self.assertNotIn("Traceback", output)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
