#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The nightly run on a real Slurm: a cluster of this machine alone is started for it. Without Slurm's daemons it is skipped."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sample_cluster import Cluster, missing, wait_for  # noqa: E402
from sample_tree import SampleTree  # noqa: E402


class OnSlurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The folder goes last, when the daemons have ended.
        cls.cluster = Cluster(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.enterClassContext(cls.cluster)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.tree = SampleTree(self.path)
        self.page = self.path / "page.html"
        log = self.path / "order"
        self.tree.stages(one=f"echo one begins >> {log}; sleep 1; echo one ends >> {log}",
                         two=f"echo two >> {log}; exit 3", three=f"test -f {self.path}/go || echo $$ > {self.path}/waits; "
                         f"while ! test -f {self.path}/go; do sleep 0.1; done", four="true")
        text = self.tree.extra.read_text()
        for name, more in (("two", 'after = ["one"]'), ("three", "alone = true"), ("four", 'after = ["three"]')):
            text = text.replace(f'name = "{name}"', f'name = "{name}"\n{more}')
        self.tree.extra.write_text(text)

    def nightly(self, *words):
        environment = {key: self.cluster.environment[key] for key in ("PATH", "SLURM_CONF")}
        return self.tree.run(*words, **environment)

    def states(self):
        return {r["stage"]: r["status"] for r in self.tree.found()}

    def logs(self):
        return "\n".join(path.read_text() for path in sorted(self.tree.results.glob("slurm-*.txt")))

    def test_stages_as_jobs(self):
        run = self.nightly("--stages", "one,two", "--slurm", "--page", self.page, "--seed", "5")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("2 jobs submitted", run.stdout)
        self.cluster.wait_for_jobs()
        self.assertEqual(self.states(), {"one": "passed", "two": "failed"}, self.logs())
        self.assertEqual({r["seed"] for r in self.tree.found()}, {5})
        # The second one has waited for the end of the first, although that is no reason to skip it.
        self.assertEqual((self.path / "order").read_text().splitlines(), ["one begins", "one ends", "two"])
        self.assertIn("exit code 3", self.page.read_text())
        # The same command without --slurm finds the results and repeats nothing.
        run = self.nightly("--stages", "one,two", "--seed", "5")
        self.assertEqual(run.returncode, 1)
        self.assertIn("stages: 1 passed, 1 failed, 0 not run", run.stdout)
        self.assertEqual(len(self.tree.found()), 2)

    def test_cancelled_job_leaves_no_result(self):
        self.assertEqual(self.nightly("--stages", "three", "--slurm").returncode, 0)
        wait_for("the stage", (self.path / "waits").exists, self.cluster.dead)
        self.cluster.command("scancel", "--name=tern-three")
        self.cluster.wait_for_jobs()
        self.assertEqual(self.states(), {})
        self.assertFalse([p for p in self.tree.results.iterdir() if p.is_dir() or p.name.endswith(".partial")])
        (self.path / "go").touch()
        self.nightly("--stages", "three", "--slurm")
        self.cluster.wait_for_jobs()
        self.assertEqual(self.states(), {"three": "passed"}, self.logs())

    def test_tree_must_be_the_one_submitted(self):
        (self.tree.root / "new").touch()
        run = self.nightly("--stages", "one", "--slurm")
        self.assertEqual((run.returncode, len(run.stderr.strip().splitlines())), (2, 1), run.stderr)
        self.assertIn("the tree has changes", run.stderr)
        self.tree.commit("second")
        self.nightly("--stages", "three,four", "--slurm")
        wait_for("the stage", (self.path / "waits").exists, self.cluster.dead)
        # While the first job runs, the tree goes on.
        self.tree.commit("third")
        (self.path / "go").touch()
        self.cluster.wait_for_jobs()
        self.assertEqual(self.states(), {"three": "passed"})
        self.assertIn("the stages were submitted for", self.logs())

    def test_refusal_of_slurm_is_one_line(self):
        run = self.tree.run("--stages", "one", "--slurm", PATH=self.cluster.environment["PATH"], SLURM_CONF="/dev/null/none")
        self.assertEqual((run.returncode, len(run.stderr.strip().splitlines())), (2, 1), run.stderr)
        self.assertIn("sbatch refused the stage one", run.stderr)


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(0)
    unittest.main()
