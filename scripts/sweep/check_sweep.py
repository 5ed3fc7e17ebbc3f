#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps with a program in place of tern: files, resuming, tables; and on a real Slurm, a cluster of this machine alone.

Usage: check_sweep.py [--slurm]. With --slurm only the part that needs Slurm's daemons; without them it is skipped.
"""
import csv
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "regression")]
from sample_cluster import Cluster, missing, wait_for  # noqa: E402

GUARD_SECONDS = 300
# A stand-in for tern: it records each call, refuses some input, crashes on request, and waits for a file.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
words = dict(word[2:].split("=", 1) for word in sys.argv[3:] if "=" in word)
with open(os.path.join(folder, "calls"), "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
if words["pattern"] == "spiral":
    sys.exit(print("tern: --pattern: expected all-to-all, got 'spiral'", file=sys.stderr) or 2)
if words["pattern"] == "crash" and not os.path.exists(os.path.join(folder, "mended")):
    os.abort()
while words["pattern"] == "wait" and not os.path.exists(os.path.join(folder, "go")):
    time.sleep(0.05)
size = {"4K": 4096, "8K": 8192}[words["bytes"]]
print(json.dumps({"us": size / 1000, "bound_us": size / 2000, "gb_per_s_chip": 1.5, "median_us": 1, "p99_us": 2, "longest_us": 3, "transfers": 9,
                  "lost": 1, "hottest": [{"link": "=a to b", "use": 0.5}],
                  "classes": [{"class": n, "transfers": 9, "median_us": 7, "p99_us": 8 + n} for n in ((0, 2) if "also" in words else (2,))]}))
sys.exit(1)
"""


class Sample:
    """A folder with the program and a sweep."""

    def __init__(self, folder, environment=None):
        self.path, self.environment = pathlib.Path(folder), environment
        self.tern, self.results, self.file = self.path / "tern", self.path / "out", self.path / "sweep.yaml"
        self.tern.write_text(PROGRAM)
        self.tern.chmod(0o755)
        self.put("systems: [a, b]\npatterns: ring\nbytes: [4K, 8K]\n")

    def put(self, text):
        self.file.write_text(text)

    def command(self, *words):
        return [HERE / "run", self.file, "--results", self.results, "--tern", self.tern, *words]

    def run(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=False, timeout=GUARD_SECONDS, env=self.environment)

    def calls(self):
        path = self.path / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def rows(self):
        with open(self.results / "sweep.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def logs(self):
        return "\n".join(path.read_text() for path in sorted(self.results.glob("slurm-*.txt")))


class WithFolder(unittest.TestCase):
    environment = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sample = Sample(folder.name, self.environment)


class Local(WithFolder):
    def test_every_combination_once(self):
        run = self.sample.run("--local")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = self.sample.rows()
        self.assertEqual([(r["system"], r["bytes"]) for r in rows], [("a", "4K"), ("a", "8K"), ("b", "4K"), ("b", "8K")])
        self.assertEqual([float(r["us"]) for r in rows], [4.096, 8.192, 4.096, 8.192])
        self.assertEqual({r["class2_median_us"] for r in rows}, {"7"})
        self.assertEqual({r["hottest_link"] for r in rows}, {"'=a to b"})  # no formula
        self.assertEqual(len(run.stdout.splitlines()), 6)
        self.assertIn("50.0 %", run.stdout)
        self.assertEqual(len(self.sample.calls()), 4)
        # The same again, and another value more: only that one runs.
        self.sample.run("--local")
        self.sample.put("systems: [a, b]\npatterns: [ring, incast]\nbytes: [4K, 8K]\n")
        self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 8)
        # Another program: all of them.
        self.sample.tern.write_text(PROGRAM + "# new\n")
        self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 16)
        self.sample.run("--local", "--fresh")
        self.assertEqual(len(self.sample.calls()), 24)

    def test_files_of_the_sweep(self):
        (self.sample.path / "mine.yaml").write_text("preset: a\n")
        (self.sample.path / "f.yaml").write_text("faults: []\n")
        self.sample.put("systems: mine.yaml\nbytes: 4K\nfaults: f.yaml\nalso: [\"pattern=ring,class=0\", \"pattern=pair,class=1\"]\n")
        self.assertEqual(self.sample.run("--local").returncode, 0)
        words = self.sample.calls()[0].split(" ")
        for word in (str(self.sample.path.resolve() / "mine.yaml"), f"--faults={self.sample.path.resolve() / 'f.yaml'}",
                     "--also=pattern=ring,class=0", "--also=pattern=pair,class=1", "--level=packet", "--json"):
            self.assertIn(word, words)
        again = self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 1)
        # Several classes: a column of each.
        self.assertEqual([again.stdout.count(text) for text in ("class 0 99 % us", "class 2 99 % us", "median us")], [1, 1, 0])
        # What the file says decides, not its name.
        (self.sample.path / "mine.yaml").write_text("preset: b\n")
        self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 2)

    def test_refused_and_crashed(self):
        self.sample.put("systems: [a]\npatterns: [ring, spiral, crash]\nbytes: [4K]\n")
        run = self.sample.run("--local")
        self.assertEqual(run.returncode, 1)
        self.assertIn("3 combinations, 2 without numbers", run.stdout)
        self.assertIn("tern: --pattern: expected all-to-all, got 'spiral'", run.stdout)
        self.assertIn("no result", run.stdout)
        # A refusal is a result; a crash is tried again.
        (self.sample.path / "mended").touch()
        run = self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 4)
        self.assertIn("3 combinations, 1 without numbers", run.stdout)

    def test_damaged_result_is_none(self):
        self.sample.run("--local")
        for n, path in enumerate(sorted(self.sample.results.glob("point-*.json"))):
            path.write_bytes([b"", b"\xff{", b"[]", b'{"key": 1}'][n])
        self.sample.run("--local")
        self.assertEqual(len(self.sample.calls()), 8)

    def test_interrupted(self):
        self.sample.put("systems: [a]\npatterns: [ring, wait]\nbytes: [4K]\n")
        process = subprocess.Popen(self.sample.command("--local"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for("the second one", lambda: len(self.sample.calls()) == 2)
        busy = self.sample.run("--local")
        self.assertEqual((busy.returncode, len(busy.stderr.splitlines())), (2, 1), busy.stderr)
        self.assertIn("another sweep writes there now", busy.stderr)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=GUARD_SECONDS)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("the same command continues", err)
        self.assertNotIn("Traceback", err)
        self.assertEqual(len(list(self.sample.results.glob("point-*.json"))), 1)
        (self.sample.path / "go").touch()
        self.assertEqual(self.sample.run("--local").returncode, 0)
        self.assertEqual(len(self.sample.calls()), 3)

    def test_bad_files_are_one_line(self):
        for text, message in (("", ":1: expected keys"), ("- a\n", ":1: expected keys"), ("patterns: ring\n", ":1: no key 'systems'"),
                              ("systems: a\ncolour: red\n", ":2: unknown key 'colour'"), ("systems: a\nsystems: b\n", ":2: key 'systems' is there twice"),
                              ("systems: []\n", ":1: key 'systems': expected a value"), ("systems: [a, a]\n", ":1: systems: 'a' is there twice"),
                              ("systems: a\nbytes: {x: 1}\n", ":2: key 'bytes': expected a value"), ("systems: [a\n", ":2: "),
                              ("systems: \"\\e[31m\"\nbytes: [1, 1]\n", ":2: bytes: '1' is there twice"),
                              ("systems: none.yaml\n", ":1: systems: cannot read"), ("systems: a\nfaults: none.yaml\n", ":2: faults: cannot read"),
                              (f"systems: a\nseeds: [{', '.join(map(str, range(400)))}]\nbytes: [{', '.join(map(str, range(400)))}]\n",
                               "160000 combinations: at most 100000")):
            with self.subTest(text[:60]):
                self.sample.put(text)
                run = self.sample.run("--local")
                self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
                self.assertIn(message, run.stderr)
        self.sample.put("systems: a\n")
        for words, message in ((["--local", "--slurm"], "exclude each other"), (["--at-once", "0"], "--at-once: expected a whole number"),
                               (["--tern", "/nowhere"], "--tern: cannot read '/nowhere'")):
            run = self.sample.run(*words)
            self.assertEqual(run.returncode, 2)
            self.assertIn(message, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    def test_list_runs_nothing(self):
        run = self.sample.run("--list")
        self.assertEqual(len(run.stdout.splitlines()), 4)
        self.assertFalse(self.sample.results.exists())
        self.assertEqual(self.sample.calls(), [])


class OnSlurm(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.enterClassContext(cls.cluster)
        cls.environment = {**cls.cluster.environment, "LC_ALL": "C.UTF-8"}

    def test_array_of_jobs(self):
        self.sample.put("systems: [a, b]\npatterns: [ring, spiral]\nbytes: [4K, 8K]\n")
        run = self.sample.run("--at-once", "3", "--sbatch=--comment=sweep")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("8 combinations, 4 without numbers", run.stdout, run.stderr + self.sample.logs())
        self.assertEqual(len(self.sample.calls()), 8)
        self.assertEqual(len(list(self.sample.results.glob("slurm-*.txt"))), 8)
        # Locally it finds the same results: the table does not depend on where they come from.
        local = self.sample.run("--local")
        self.assertEqual(local.stdout, run.stdout)
        self.assertEqual(len(self.sample.calls()), 8)

    def test_call_ends_jobs_go_on(self):
        self.sample.put("systems: [a]\npatterns: [ring, wait]\nbytes: [4K, 8K]\n")
        process = subprocess.Popen(self.sample.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        wait_for("the jobs", lambda: any("wait" in call for call in self.sample.calls()), self.cluster.dead)
        wait_for("a result", lambda: list(self.sample.results.glob("point-*.json")), self.cluster.dead)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=GUARD_SECONDS)
        self.assertEqual(process.returncode, 130, err)
        later = subprocess.Popen(self.sample.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        said = [later.stderr.readline(), later.stderr.readline()]
        self.assertIn("of an earlier call is still there", said[1], said)
        (self.sample.path / "go").touch()
        out, err = later.communicate(timeout=GUARD_SECONDS)
        self.assertEqual(later.returncode, 0, err + self.sample.logs())
        self.assertIn("4 combinations: ", out)
        self.assertEqual(len(self.sample.calls()), 4)  # nothing twice

    def test_cancelled_element_is_run_again(self):
        self.sample.put("systems: [a]\npatterns: [ring, wait]\nbytes: [4K]\n")
        process = subprocess.Popen(self.sample.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        wait_for("the jobs", lambda: len(self.sample.calls()) == 2, self.cluster.dead)
        wait_for("a result", lambda: list(self.sample.results.glob("point-*.json")), self.cluster.dead)
        self.cluster.command("scancel", "--name=tern-sweep")
        out, err = process.communicate(timeout=GUARD_SECONDS)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("2 combinations, 1 without numbers", out)
        (self.sample.path / "go").touch()
        self.assertEqual(self.sample.run().returncode, 0)
        self.assertEqual(len(self.sample.calls()), 3)

    def test_program_must_be_the_one_submitted(self):
        self.sample.put("systems: [a]\npatterns: [wait]\nbytes: [4K, 8K]\n")
        process = subprocess.Popen(self.sample.command("--at-once", "1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment)
        wait_for("the first job", lambda: len(self.sample.calls()) == 1, self.cluster.dead)
        self.sample.tern.write_text(PROGRAM + "# another one\n")
        (self.sample.path / "go").touch()
        out, err = process.communicate(timeout=GUARD_SECONDS)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("2 combinations, 1 without numbers", out)
        self.assertIn("another program than the one that was submitted", self.sample.logs())
        self.assertEqual(len(self.sample.calls()), 1)

    def test_refusal_is_one_line(self):
        run = self.sample.run("--sbatch=--partition=none")
        self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
        self.assertIn("sbatch refused the sweep: ", run.stderr)
        run = subprocess.run(self.sample.command("--slurm"), capture_output=True, text=True, check=False,
                             env={**self.environment, "SLURM_CONF": "/dev/null/none"})
        self.assertEqual((run.returncode, len(run.stderr.splitlines())), (2, 1), run.stderr)
        self.assertIn("--slurm: ", run.stderr)


if __name__ == "__main__":
    on_slurm = "--slurm" in sys.argv[1:]
    if on_slurm and missing():
        print(f"skipped: {missing()}")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], defaultTest="OnSlurm" if on_slurm else "Local")
