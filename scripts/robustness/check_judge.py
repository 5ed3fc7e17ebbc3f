#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Self test: the judge recognises every kind of violation and accuses nobody else, first with programs that misbehave on purpose, then
with a few cases of the tern program.

Usage: check_judge.py [TERN]
"""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import campaign  # noqa: E402
import checkpoints  # noqa: E402
import execute  # noqa: E402
import judge  # noqa: E402
import seeds  # noqa: E402
import yaml_mutations  # noqa: E402
from campaigns import CAMPAIGNS  # noqa: E402
from case import Case, Result  # noqa: E402

TERN = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
ROOT = HERE.parent.parent
REFUSE = "echo 'w.yaml:1: no' >&2; exit 2"
# Shell text, and what the judge says about it.
MISBEHAVIOUR = (
    ("exit 0", ""), (REFUSE, ""), ("echo FAILED; exit 1", ""), ("echo 'tern: warning: x' >&2; " + REFUSE, ""),
    ("exit 3", "exit code 3"), ("kill -SEGV $$", "killed by SIGSEGV"), ("kill -ABRT $$", "killed by SIGABRT"),
    ("exit 1", "exit code 1 without a word"), ("exit 2", "a refusal of 0 lines"), ("echo 'w.yaml: a\n b' >&2; exit 2", "a refusal of 2 lines"),
    ("echo 'bad number' >&2; exit 2", "a refusal without file, key or option"),
    ("head -c 2000 /dev/zero | tr '\\0' x >&2; echo w.yaml >&2; exit 2", "a refusal of 2006 bytes"),
    ("printf '\\033[2J'", "raw control characters"), ("printf 'w.yaml: \\302\\233' >&2; exit 2", "raw control characters"),
    ("echo 'std::bad_alloc' >&2; exit 1", "internal wording 'std::'"), ("echo 'Error: (E549) x' >&2; exit 1", "internal wording '(E549)'"),
    ("mkdir out; " + REFUSE, "left behind by a refusal: out"), ("touch t.json.partial", "partial file left: t.json.partial"),
    ("touch w.fst.partial; echo 'waveform up to the stop: w.fst.partial' >&2; exit 1", ""),
    ("echo x > w.yaml", "input changed: w.yaml"), ("rm w.yaml", "input changed: w.yaml"),
    ("trap '' INT; sleep 9 & wait; sleep 9 & wait; sleep 9", "did not end when it was interrupted"),
    ("trap 'echo interrupted; exit 1' INT; sleep 9 & wait", ""),
    ("sleep 9", "killed by SIGINT"),
)


def judged(text, **options):
    with tempfile.TemporaryDirectory() as folder:
        case = Case("", [], {"w.yaml": "x: 1\n"}, wrap=text + " # {}", **options)
        place = pathlib.Path(folder) / "case/work"
        case.write(place)
        return judge.violations(case, execute.run_in(place, case, "true"))


class Judge(unittest.TestCase):
    def setUp(self):
        self.grace, execute.GRACE_SECONDS = execute.GRACE_SECONDS, 1

    def tearDown(self):
        execute.GRACE_SECONDS = self.grace

    def test_every_violation(self):
        for text, expected in MISBEHAVIOUR:
            with self.subTest(text):
                found = judged(text, seconds=0.5 if "sleep" in text else 60)
                self.assertEqual(len(found), int(bool(expected)), found)
                self.assertIn(expected, "".join(found))

    def test_expected_codes_and_ends(self):
        self.assertEqual(judged("exit 0", codes=(2,)), ["exit code 0, expected 2"])
        self.assertEqual(judged("trap 'exit 0' INT; sleep 9 & wait", bounded=True, seconds=0.5), ["small input, stopped for its time"])
        self.assertEqual(judged("exit 2", redirect="2>&-"), [])

    def test_costs_of_a_refusal(self):
        case = Case("", [], {"w.yaml": ""})
        self.assertEqual(judge.violations(case, Result(2, b"", b"w.yaml: no\n", 1, 1 << 30)), [])
        self.assertEqual(judge.violations(case, Result(2, b"", b"w.yaml: no\n", 1, 2 << 30)), ["2048 MiB of memory for a refusal"])
        self.assertEqual(judge.violations(case, Result(2, b"", b"w.yaml: no\n", 60, 1)), ["60 s of processor time for a refusal"])
        self.assertEqual(judge.violations(case, Result(0, b"", b"", 60, 4 << 30)), [])

    def test_a_case_repeats(self):
        for each in CAMPAIGNS:
            if each.name in ("workloads", "disks"):
                each.mounts = True
                context = campaign.Context(None, None, ROOT, None, None, 3)
                one, two = (each.make(context, random.Random("3"), 4) for _ in range(2))
                self.assertEqual(one, two)

    def test_a_saved_case_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            context = campaign.Context(pathlib.Path("/bin/echo"), None, ROOT, None, pathlib.Path(folder), 0)
            case = Case("odd \x1b[2J", ["a b", "\udcff", "it's"], {"w.yaml": "x"}, ("touch prepared",))
            place = campaign.save(context, CAMPAIGNS[0], 7, case, Result(0, b"", b""), ["what"])
            run = subprocess.run([place / "repeat.sh"], capture_output=True, check=True)
            self.assertEqual(run.stdout, b"a b \xff it's\n")
            self.assertTrue((place / "work/prepared").exists())


@unittest.skipUnless(TERN, "no tern program given")
class Tern(unittest.TestCase):
    def run_case(self, folder, case):
        place = execute.fresh(folder)
        case.write(place)
        result = execute.run_in(place, case, TERN)
        self.assertEqual(judge.violations(case, result), [], result.err)
        return result, place

    def test_seeds_are_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("mlp", "matmul", "norm", "qos", "train_pruned"):
                tree, files = seeds.SEEDS[kind]
                self.run_case(folder, Case(kind, ["run", "w.yaml", "--quiet"], {**files, "w.yaml": seeds.dump(tree)}, codes=(0,), seconds=120))

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(6):
                _, text = yaml_mutations.mutate(random.Random(number), seeds.SEEDS["matmul"][0], seeds.dump)
                self.run_case(folder, Case(str(number), ["run", "w.yaml", "--quiet"], {**seeds.SEEDS["matmul"][1], "w.yaml": text}))
            self.run_case(folder, Case("pipe", ["run", "w.yaml"], {}, ("mkfifo w.yaml",), codes=(2,), bounded=True, places=("w.yaml",)))

    def test_a_checkpoint_that_does_not_fit(self):
        tree, files = seeds.SEEDS["train"]
        files = {**files, "w.yaml": seeds.dump(tree)}
        with tempfile.TemporaryDirectory() as folder:
            _, place = self.run_case(folder, Case("", ["run", "w.yaml", "--quiet", "--checkpoint", "c.ck"], files, codes=(0,), seconds=120))
            good = (place / "c.ck").read_bytes()
            for change in checkpoints.REFUSED:
                files["c.ck"] = change(random.Random(1), good)
                self.assertNotEqual(files["c.ck"], good)
                self.run_case(folder, Case(change.__name__, ["run", "w.yaml", "--quiet", "--resume", "--checkpoint", "c.ck"], files, codes=(2,)))


if __name__ == "__main__":
    unittest.main()
