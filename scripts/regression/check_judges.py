#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stages make of the output of the tools they run: CTest, faults, mutants, benchmarks, libFuzzer, coverage, own stages."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import results  # noqa: E402
import stage_extra  # noqa: E402
import stage_fuzz  # noqa: E402
import stage_rtl  # noqa: E402
import stage_kills  # noqa: E402
import stage_robustness  # noqa: E402
import stage_tests  # noqa: E402
import stage_time  # noqa: E402

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="5" failures="1">
  <testcase name="a: passes" classname="a" time="0.1" status="run"><system-out>fine</system-out></testcase>
  <testcase name="a: &lt;b&gt; fails" classname="a" time="0.1" status="fail"><failure message=""/><system-out>1
2
last</system-out></testcase>
  <testcase name="a: no data" classname="a" time="0.1" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="a: off" classname="a" time="0" status="disabled"/>
  <testcase name="b: no program" classname="b" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>
"""
FAULTS = """no fault, test_mx_rtl                                                    passed     11.2 s
mx_convert: scale of another block                                       killed      9.1 s  test_mx_rtl: mx rtl: all scales
mx_convert: adds nothing                                                 equal      10.0 s  the sum is zero there
mx_convert: one bit less, in a fault whose name is longer than the column of names is SURVIVED   12.0 s
mx_convert: a text that is not there                                     ERROR       0.1 s  the text to replace occurs 0 times
"""
LONG = "mx_convert: one bit less, in a fault whose name is longer than the column of names is"
MUTANTS = """
block        mutants  killed  equivalent  survived  kill rate
mx                10       8           1         1     88.9 %
qos                4       4           0         0    100.0 %
all               14      12           1         1     92.3 %

kind         mutants  killed  equivalent  survived  kill rate
operator          14      12           1         1     92.3 %
all               14      12           1         1     92.3 %

rtl/mx/a.sv:12: operator, survived
  code:     assign x = a + b;
  original: a + b
  mutated:  a - b

kill rate 92.3 % of 14 mutants
"""
ROBUSTNESS = """seed 0
skipped gpsimd: test_gpsimd_random is missing
VIOLATION workloads 57: matmul: delete a: exit code 3
   message: tern: no
   repeat:  build/robustness/workloads-0-57/repeat.sh

campaign         cases    accepted      failed     refused     stopped     skipped  violations     seconds
workloads           60           6           0          54           0           0           1           3
disks               50          30           5           8           0           7           0          12
robustness: 110 cases, 1 violations
"""
FUZZ = """INFO: Seed: 1
#2\tINITED cov: 100 ft: 120 corp: 5/300b exec/s: 0 rss: 40Mb
#2097152\tpulse  cov: 412 ft: 900 corp: 77/9000b lim: 2400 exec/s: 1000 rss: 90Mb
#3000000\tDONE   cov: 415 ft: 905 corp: 80/9100b lim: 2400 exec/s: 1000 rss: 90Mb
Done 3000000 runs in 301 second(s)
"""


def load_run():
    loader = importlib.machinery.SourceFileLoader("nightly_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly_run", loader))
    loader.exec_module(module)
    return module


class Options(unittest.TestCase):
    def test_a_short_night_is_never_taken_for_a_whole_one(self):
        run = load_run()
        whole, short = run.parse([]), run.parse(["--short"])
        for stage in run.STAGES:
            with self.subTest(stage.name):
                self.assertNotEqual(stage.configuration(short), stage.configuration(whole))

    def test_the_command_line_comes_before_the_samples(self):
        run = load_run()
        for words in (["--short", "--cases", "7", "-R", "x"], ["-R", "x", "--cases", "7", "--short"]):
            options = run.parse(words)
            self.assertEqual((options.cases, options.regex, options.fuzz_seconds), (7, "x", run.SHORT["fuzz_seconds"]))

    def test_old_results_keep_their_configuration(self):
        run = load_run()
        found = {stage.name: stage.configuration(run.parse([])) for stage in run.STAGES}
        self.assertEqual({name: found[name] for name in ("mutants", "rtl-coverage", "rtl-random", "robustness", "fuzz")},
                         {"mutants": {"only": "", "seed": 0}, "rtl-coverage": {"seed": 0}, "rtl-random": {}, "robustness": {"seed": 0},
                          "fuzz": {"seconds": 600, "seed": 0}})


class Judges(unittest.TestCase):
    def test_ctest(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "test.xml"
            self.assertEqual(stage_tests.judge(path).status, "error")
            path.write_text(JUNIT)
            outcome = stage_tests.judge(path)
            path.write_text('<testsuite name="x"></testsuite>')
            self.assertEqual(stage_tests.judge(path).reason, "no test has such a name")
        self.assertEqual(outcome.status, "failed")
        # A test whose program is missing has failed.
        self.assertEqual(outcome.counts, {"passed": 1, "failed": 2, "skipped": 2})
        self.assertEqual(outcome.failures[0], {"name": "a: <b> fails", "lines": ["1", "2", "last"]})

    def test_faults(self):
        lines = [*FAULTS.splitlines(), "kill rate 1/4, 1 change nothing"]
        outcome = stage_kills.judge_faults(lines, 1)
        self.assertEqual(outcome.status, "failed")
        self.assertEqual(outcome.counts, {"faults": 4, "killed": 1, "equivalent": 1, "survived": 1, "errors": 1})
        self.assertEqual(outcome.figures, {"kill_rate": 33.33})
        self.assertEqual([f["name"] for f in outcome.failures], [LONG, "mx_convert: a text that is not there"])
        outcome = stage_kills.judge_faults(lines[:2] + ["kill rate 1/1, 0 change nothing"], 0)
        self.assertEqual((outcome.status, outcome.figures), ("passed", {"kill_rate": 100.0}))
        self.assertEqual(stage_kills.judge_faults(["x is missing: build it first"], 1).status, "error")

    def test_mutants(self):
        outcome = stage_kills.judge_mutants(MUTANTS.splitlines(), 1)
        self.assertEqual(outcome.counts, {"mutants": 14, "killed": 12, "equivalent": 1, "survived": 1})
        self.assertEqual(outcome.figures, {"kill_rate": 92.3, "kill_rate/mx": 88.89, "kill_rate/qos": 100.0})
        self.assertEqual(outcome.failures, [results.failure("rtl/mx/a.sv:12: operator, survived", ["rtl/mx/a.sv:12: operator, survived", "  code:     assign x = a + b;", "  original: a + b",
                                                             "  mutated:  a - b"])])
        outcome = stage_kills.judge_mutants(["kill rate 19/20"], 0)
        self.assertEqual((outcome.status, outcome.counts, outcome.figures), ("passed", {"mutants": 20, "killed": 19}, {"kill_rate": 95.0}))
        self.assertEqual(stage_kills.judge_mutants(["Traceback"], 1).status, "error")

    def test_speed(self):
        outcome = stage_time.judge_speed({"rtl_exp_over_scalar": 0.5, "dma_unit_gib_seconds": 0.5, "matmul_hbm_over_bound": 2,
                                          "other": 1.5, "odd": "x"}, 0)
        self.assertEqual(outcome.status, "passed")  # a missed target fails nothing
        self.assertEqual((outcome.counts["measured"], outcome.counts["missed"]), (4, 2))
        self.assertNotIn("odd", outcome.figures)
        self.assertEqual(stage_time.judge_speed({}, 1).status, "failed")

    def test_fuzz(self):
        figures, failure = stage_fuzz.judge_program("fuzz_a", 0, FUZZ, 3)
        self.assertIsNone(failure)
        self.assertEqual(figures, {"inputs/fuzz_a": 3000000, "edges/fuzz_a": 415, "corpus/fuzz_a": 80, "new/fuzz_a": 3})
        figures, failure = stage_fuzz.judge_program("fuzz_a", 77, FUZZ[:100] + "\nSUMMARY: libFuzzer: deadly signal\n", 0)
        self.assertEqual(failure["lines"][-1], "SUMMARY: libFuzzer: deadly signal")
        self.assertEqual(figures, {"edges/fuzz_a": 100, "corpus/fuzz_a": 5, "new/fuzz_a": 0})

    def test_coverage_table(self):
        export = {"data": [{"files": [{"filename": "/r/sw/x/a.h", "summary": {"lines": {"covered": 3, "count": 4}}},
                                      {"filename": "/r/sw/x/b.h", "summary": {"lines": {"covered": 1, "count": 6}}},
                                      {"filename": "/r/sw/y/c.h", "summary": {"lines": {"covered": 0, "count": 0}}}]}]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            run = subprocess.run([HERE.parent / "coverage-table", "/r", "--json", path],
                                 input=json.dumps(export), capture_output=True, text=True, check=True)
            found = json.loads(path.read_text())
        self.assertEqual(found, {"cpp_lines": {"sw/x": [4, 10], "sw/y": [0, 0], "total": [4, 10]}})
        self.assertRegex(run.stdout, r"sw/x +40.0 %  of 10")

    def test_rtl_coverage(self):
        blocks = {block: {"line": {"reached": reached, "points": 10}, "toggle": {"reached": 1, "points": 4}, "cover": {"reached": 0, "points": 0}}
                  for block, reached in (("exp", 9), ("qos", 10))}
        outcome = stage_rtl.judge(blocks, 0, str)
        self.assertEqual((outcome.status, outcome.failures), ("passed", []))
        self.assertEqual(outcome.figures, {"lines/exp": 90, "lines/qos": 100, "lines/total": 95, "toggles/exp": 25, "toggles/qos": 25,
                                           "toggles/total": 25})
        outcome = stage_rtl.judge(blocks, 1, str)
        self.assertEqual((outcome.status, len(outcome.failures)), ("failed", 1))

    def test_rtl_random(self):
        text = "ok test_a, initial values 1\nFAILED test_b, initial values 1\n   a line\nrandom initial values: 2 benches, 1 seeds, 1 failed\n"
        outcome = stage_rtl.judge_random(text, 1, lambda: "end")
        self.assertEqual((outcome.status, outcome.counts), ("failed", {"benches": 2, "seeds": 1, "failed": 1}))
        self.assertEqual(outcome.failures[0]["name"], "test_b, initial values 1")
        self.assertIsNone(stage_rtl.judge_random("no such file\n", 1, str))

    def test_robustness(self):
        outcome = stage_robustness.judge(ROBUSTNESS, 1, [])
        self.assertEqual((outcome.status, outcome.counts), ("failed", {"cases": 110, "violations": 1, "skipped": 7, "campaigns_skipped": 1}))
        self.assertEqual(outcome.figures, {"cases/workloads": 60, "violations/workloads": 1, "cases/disks": 50, "violations/disks": 0})
        self.assertEqual(outcome.failures, [{"name": "workloads 57: matmul: delete a: exit code 3", "lines": [
            "VIOLATION workloads 57: matmul: delete a: exit code 3", "message: tern: no", "repeat:  build/robustness/workloads-0-57/repeat.sh"]}])
        outcome = stage_robustness.judge(ROBUSTNESS.replace("1 violations", "0 violations").split("VIOLATION")[0] + "robustness: 9 cases, 0 violations", 0, [])
        self.assertEqual((outcome.status, outcome.failures), ("passed", []))
        # Violations and exit code contradict one another, or it ended early: no verdict.
        self.assertEqual(stage_robustness.judge("robustness: 9 cases, 0 violations", 1, []).status, "error")
        self.assertEqual(stage_robustness.judge("Traceback", 1, []).status, "error")
        self.assertEqual(stage_robustness.judge("skipped gpsimd: x\nrobustness: 0 cases, 0 violations", 0, []).status, "error")

    def test_own_stages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.toml"
            for text, what in (("[[stage]]\n", "expected a new name"), ('[[stage]]\nname = "tests"\ncommand = ["x"]\n', "expected a new name"),
                               ('[[stage]]\nname = "a"\n', "expected a list of words"), ('[[stage]]\nname = "a"\nfoo = 1\n', "unknown key 'foo'"),
                               ("[[stage", "x.toml: ")):
                path.write_text(text)
                with self.assertRaisesRegex(ValueError, what):
                    stage_extra.load(path, {"tests"})
        for line, expected in (("figure: rate of x = 1.5", ("rate of x", 1.5)), ("figure: n = -2e-3", ("n", -0.002)), ("figure: n = x", None),
                               ("figure n = 1", None)):
            match = stage_extra.FIGURE.match(line)
            self.assertEqual(match and (match[1], float(match[2])), expected)


if __name__ == "__main__":
    unittest.main()
