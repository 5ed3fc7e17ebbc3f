#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The nightly run repeats nothing that has a result, and an interruption leaves whole results only. Stages are shell commands."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sample_tree import SampleTree  # noqa: E402

GUARD_SECONDS = 900  # a process at lowest priority on a busy machine may get a hundredth of a processor


class Resume(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.tree = SampleTree(self.path)
        self.tree.stages(one=f"echo x >> {self.path}/one", two=f"echo x >> {self.path}/two; echo FAILED two; exit 3")

    def times(self, name):
        path = self.path / name
        return len(path.read_text().split()) if path.exists() else 0

    def nightly(self, *words):
        return self.tree.run("--stages", "one,two", *words)

    def wait_for(self, condition, process):
        end = time.monotonic() + GUARD_SECONDS
        while not condition():
            self.assertIsNone(process.poll(), "ended early")
            self.assertLess(time.monotonic(), end, "nothing happens")
            time.sleep(0.02)

    def test_stage_with_result_is_not_repeated(self):
        first, second = self.nightly(), self.nightly()
        self.assertEqual((self.times("one"), self.times("two")), (1, 1))
        self.assertEqual((first.returncode, second.returncode), (1, 1))  # a failure stays one
        self.assertIn("stages: 1 passed, 1 failed, 0 not run", second.stdout)
        lines = first.stdout.splitlines()
        self.assertRegex(lines[0], r"^ok +one +1 passed, 0 failed")
        self.assertRegex(lines[1], r"^FAILED +two +0 passed, 1 failed")

    def test_options_commit_and_fresh_decide(self):
        self.nightly()
        self.nightly("--seed", "3")
        self.assertEqual(self.times("one"), 2)
        self.nightly("--seed", "3", "--resume")
        self.assertEqual(self.times("one"), 2)
        self.nightly("--fresh")
        self.assertEqual(self.times("one"), 3)
        self.tree.commit("second")
        self.nightly()
        self.assertEqual(self.times("one"), 4)
        self.assertEqual(len({r["commit"] for r in self.tree.found()}), 2)

    def test_changed_tree_has_no_kept_result(self):
        self.nightly()
        (self.tree.root / "new.txt").write_text("a change")
        self.nightly()
        self.nightly()
        self.assertEqual(self.times("one"), 3)
        self.assertEqual([r["changed"] for r in self.tree.found() if r["stage"] == "one"], [False, True, True])

    def test_page_may_be_in_the_folder_of_results_that_a_run_makes(self):
        run = self.nightly("--page", str(self.tree.results / "index.html"))
        self.assertEqual(run.returncode, 1, run.stderr)  # of stage two
        self.assertIn("page of 2 results", run.stdout)
        self.assertTrue((self.tree.results / "index.html").is_file())

    def test_results_inside_the_tree_are_no_change(self):
        self.tree.results = self.tree.root / "night"
        self.nightly()
        self.nightly()
        self.assertEqual(self.times("one"), 1)

    def interrupted(self, number):
        """Interrupts the second stage, which has started a process that would go on for ever."""
        self.tree.stages(one=f"echo x >> {self.path}/one", two=f"sleep 1000 & echo $! > {self.path}/pid.new; "
                         f"mv {self.path}/pid.new {self.path}/pid; wait")
        process = subprocess.Popen(self.tree.command("--stages", "one,two"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.wait_for((self.path / "pid").exists, process)
        process.send_signal(number)
        output = process.communicate(timeout=GUARD_SECONDS)[0]
        return process.returncode, output, int((self.path / "pid").read_text())

    def ends(self, pid):
        """On a busy machine a process that was killed is there for a while."""
        deadline = time.monotonic() + GUARD_SECONDS
        while time.monotonic() < deadline:
            try:
                if pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
                    return True
            except OSError:
                return True
            time.sleep(0.02)
        return False

    def test_interruption_keeps_what_is_finished(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.setUp()
                code, output, pid = self.interrupted(number)
                self.assertEqual(code, 130, output)
                self.assertTrue(self.ends(pid), "the stage's process goes on")
                self.assertEqual([r["stage"] for r in self.tree.found()], ["one"])
                # One folder of logs: of the stage that has a result.
                self.assertEqual(len([p for p in self.tree.results.iterdir() if p.is_dir()]), 1)
                self.assertFalse(list(self.tree.results.glob("*.partial")) + list(self.tree.results.glob(".*")))
                self.assertRegex(output, r"- +two +interrupted")
                self.tree.stages(one=f"echo x >> {self.path}/one", two=f"echo x >> {self.path}/two")
                self.assertEqual(self.nightly().returncode, 0)
                self.assertEqual((self.times("one"), self.times("two")), (1, 1))

    def on_small_disk(self, kilobytes):
        self.tree.results = self.path / "disk/results"
        self.tree.results.parent.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(self.tree.results.parent)], capture_output=True,
                               check=False)
        if mount.returncode != 0:
            self.skipTest("only root mounts a small disk")
        self.addCleanup(subprocess.run, ["umount", str(self.tree.results.parent)], check=False)

    def test_logs_that_fill_the_disk_cost_one_stage(self):
        self.on_small_disk(40)
        self.tree.stages(one="seq 100000", two=f"echo x >> {self.path}/two")
        run = self.nightly()
        self.assertEqual((run.returncode, self.times("two")), (1, 1), run.stderr)
        self.assertEqual([(r["stage"], r["status"]) for r in self.tree.found()], [("one", "error"), ("two", "passed")])
        self.assertIn("No space left on device", run.stdout)

    def test_disk_without_room_for_results_ends_the_night_in_words(self):
        self.on_small_disk(40)
        (self.tree.results.parent / "others").write_bytes(bytes(40 << 10))
        run = self.nightly()
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"error: no result of stage one in \S*/disk/results: No space left on device\n$")
        self.assertRegex(run.stdout, "- +two +not reached")
        self.assertEqual(self.tree.found(), [])

    def test_killed_run_leaves_no_half_result(self):
        code, _, pid = self.interrupted(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual([r["stage"] for r in self.tree.found()], ["one"])
        # What it has left running would work in the same folders: the next run waits for its end, and removes its logs.
        self.assertEqual(len([p for p in self.tree.results.iterdir() if p.is_dir()]), 2)
        self.tree.stages(one=f"echo x >> {self.path}/one", two=f"echo x >> {self.path}/two")
        process = subprocess.Popen(self.tree.command("--stages", "one,two"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertIn("two: commands of another run, perhaps of a killed one, still work", process.stderr.readline())
        self.assertEqual(self.times("two"), 0)
        os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=GUARD_SECONDS)
        self.assertEqual((process.returncode, self.times("two")), (0, 1))
        self.assertEqual([r["stage"] for r in self.tree.found()], ["one", "two"])
        self.assertFalse([p for p in self.tree.results.iterdir() if p.is_dir() and not p.with_suffix(".json").exists()])
        self.tree.stages(one=f"echo x >> {self.path}/one", two=f"echo x >> {self.path}/two")
        self.assertEqual(self.nightly().returncode, 0)
        self.assertEqual((self.times("one"), self.times("two")), (1, 1))

    def test_absent_script_is_not_run(self):
        run = self.tree.run("--stages", "one,mutants")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"not run +mutants +this tree has no scripts/mutants/run")
        self.assertIn("stages: 1 passed, 0 failed, 1 not run", run.stdout)

    def test_no_stage_is_not_all(self):
        run = self.tree.run("--stages", "")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no stage ''", run.stderr)
        self.assertEqual(self.tree.found(), [])

    def test_error_is_tried_again(self):
        # No scripts/coverage in the sample tree: the stage cannot do its work.
        first = self.tree.run("--stages", "coverage")
        second = self.tree.run("--stages", "coverage")
        self.assertEqual((first.returncode, second.returncode), (1, 1))
        self.assertEqual([r["status"] for r in self.tree.found()], ["error", "error"])
        self.assertIn("ERROR", second.stdout)

    def test_terminal_gets_no_control_characters(self):
        self.tree.stages(one=r"printf 'FAILED \033]0;title\007 \033[2J \302\233 evil\n\r'; exit 1")
        run = self.tree.run("--stages", "one")
        for text in (run.stdout, run.stderr):
            self.assertFalse([c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160], text)
        self.assertIn("evil", run.stderr)

    def test_refusals_are_one_line(self):
        for words, what in ((["--stages", "none"], "no stage 'none'"), (["--fresh", "--resume"], "exclude each other"),
                            (["--stages", "one", "--commit", "0" * 40], "the tree is at"),
                            (["--stages", "one", "--slurm"], "there is no program sbatch")):
            run = self.tree.run(*words, PATH=self.path_without_slurm())
            self.assertEqual(run.returncode, 2, words)
            self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
            self.assertIn(what, run.stderr)

    def path_without_slurm(self):
        folder = self.path / "bin"
        folder.mkdir(exist_ok=True)
        for name in ("git", "sh"):
            if not (folder / name).exists():
                (folder / name).symlink_to(subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True,
                                                          check=True).stdout.strip())
        return str(folder)


if __name__ == "__main__":
    unittest.main()
