#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speeds of two builds (scripts/bench-compare): ratios of pairs, names of failures. The benchmarks are shell scripts."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "bench-compare"
sys.path.insert(0, str(SCRIPT.parent))
from json_file import write_json  # noqa: E402

# Ratios and what they are taken against are no speeds of Tern's.
FIGURES = {"hbm_stream_req_per_s": 100.0, "hbm_over_bound": 1.0, "sgemm_macs_per_s": 7.0, "libm_log_per_s": 3.0}


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def bench(self, build, lines):
        path = self.path / build / "tb/bench/bench_hbm"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n" + lines)
        path.chmod(0o755)

    def figures(self, build, **changed):
        self.bench(build, f"echo {build} >> {self.path}/order\nprintf '%s' '{json.dumps(FIGURES | changed)}' > \"$4\"\n")

    def run_script(self, *words):
        return subprocess.run([sys.executable, str(SCRIPT), "release", "other", "--only", "bench_hbm", *words], cwd=self.path,
                              capture_output=True, text=True, check=False)

    def test_ratio_of_alternating_pairs(self):
        self.figures("release")
        self.figures("other", hbm_stream_req_per_s=50.0, sgemm_macs_per_s=1.0)
        run = self.run_script("--rounds", "2", "--json", "out.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.path / "order").read_text().split(), ["release", "other", "other", "release"])
        self.assertRegex(run.stdout, r"hbm_stream_req_per_s +100.0 +50.000 +0.500 +0.500 to 0.500")
        self.assertIn("speed ratio other over release: 0.500 (geometric mean of 1)", run.stdout)
        self.assertEqual(json.loads((self.path / "out.json").read_text()), {"hbm_stream_req_per_s": 0.5})

    def test_a_pipe_is_written_and_stays_one(self):
        pipe, heard = self.path / "pipe", []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
        reader.start()
        write_json(pipe, {"a": 1})
        reader.join()
        self.assertEqual(json.loads(heard[0]), {"a": 1})
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_what_cannot_be_written_leaves_nothing(self):
        with self.assertRaises(OSError):
            write_json(self.path / "none/x.json", {})
        (self.path / "folder").mkdir()
        with self.assertRaises(OSError):
            write_json(self.path / "folder", {})
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["folder"])

    def test_failures_are_named(self):
        self.figures("release")
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, re.escape(f"error: {self.path}/other/tb/bench/bench_hbm: No such file or directory"))
        self.bench("other", "echo first; echo no memory; exit 3\n")
        run = self.run_script("--rounds", "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("bench_hbm: exit code 3: no memory", run.stderr)
        for rounds in ("0", "-1", "x", "10000"):
            self.assertEqual(self.run_script("--rounds", rounds).returncode, 2)


if __name__ == "__main__":
    unittest.main()
