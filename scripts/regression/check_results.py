#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of the nightly run: the checker refuses what is none, the page documents every key, the writer leaves no half file."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import results  # noqa: E402
from meanings import MEANINGS  # noqa: E402
from sample_history import HOSTILE, history, result  # noqa: E402

PAGE = HERE.parents[1] / "docs/reference/nightly-results.md"


class Checker(unittest.TestCase):
    def test_history_is_accepted(self):
        for value in history():
            self.assertEqual(results.faults(value), [])

    def test_each_key_is_needed_and_no_other_allowed(self):
        for key in results.KEYS:
            value = result("tests")
            del value[key]
            self.assertEqual(results.faults(value), [f"no key '{key}'"])
        self.assertEqual(results.faults(result("tests", more=1)), ["unknown key 'more'"])

    def test_values(self):
        failure = {"name": "n", "lines": ["l"]}
        wrong = {
            "format": [0, 2, "1", True, None], "stage": ["", "Tests", "../x", "a b", "x" * 40, 1], "status": ["ok", "", None, []],
            "reason": [None, "a\nb", "\x1b[2J", "x" * 400], "date": ["2026-03-01", "yesterday", 0, "2026-03-01T00:00:00Z\n"],
            "seconds": [-1, "1", None, True, float("inf")], "commit": ["abc", "x" * 40, None], "commit_date": ["now", None],
            "subject": [3, "\u202ex", "a\tb"], "changed": [0, "no"], "machine": [{}, {"cpu": "x", "cpus": "2"}, {"cpu": "x", "cpus": 1, "host": "h"}],
            "seed": [-1, 1.5, "0"], "configuration": [[], {"a": []}, {"a": None}], "counts": [{"a": -1}, {"a": 1.5}, {"a": True}, []],
            "figures": [{"a": "1"}, {"a": None}, {"a": float("nan")}, {"a\n": 1}],
            "failures": [{}, [{"name": "x"}], [{**failure, "more": 1}], [{**failure, "lines": "text"}], [failure] * 51,
                         [{**failure, "lines": ["l"] * 41}], [{**failure, "name": "\x00"}]],
            "failures_left_out": [-1, None],
            "files": [{"a": "/etc/passwd"}, {"a": "../x"}, {"a": "x/../../y"}, {"a": "javascript:alert(1)"}, {"a": "http://x"}, {"a": "a//b"},
                      {"a": ".hidden"}, {"a": "x\n"}, {"a": 1}, []]}
        self.assertEqual(set(wrong), set(results.KEYS))
        for key, values in wrong.items():
            for value in values:
                found = results.faults({**result("tests"), key: value})
                self.assertEqual(len(found), 1, f"{key} {value!r}: {found}")
                self.assertTrue(found[0].startswith(key + ": "), found)
                self.assertEqual(found[0], results.clean(found[0]))

    def test_no_object(self):
        for value in (None, [], "x", 1):
            self.assertEqual(results.faults(value), ["not an object"])

    def test_files_that_are_no_results(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.json"
            good = json.dumps(result("tests"))
            for text in ("", "{", good[:-5], good.replace("12.5", "NaN"), good.replace("12.5", "1e999"), good.replace("12.5", "9" * 400),
                         good.replace("12.5", "1e300"), "[" * 100000, "\xff"):
                path.write_bytes(text.encode("latin-1"))
                value, problem = results.read(path)
                self.assertIsNone(value)
                self.assertTrue(problem)
            path.write_text(good)
            self.assertEqual(results.read(path), (result("tests"), ""))
            self.assertIsNone(results.read(pathlib.Path(folder))[0])

    def test_what_is_no_file_is_neither_read_nor_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe, link, kept = (pathlib.Path(folder) / name for name in ("p.json", "l.json", "kept"))
            kept.write_text("kept")
            os.mkfifo(pipe)
            link.symlink_to(kept)
            for path in (pipe, link):
                self.assertEqual(results.read(path), (None, "not a regular file"))
                with self.assertRaises(ValueError):
                    results.write_whole(path, "new")
            self.assertEqual(kept.read_text(), "kept")
            self.assertTrue(pipe.is_fifo())

    def test_clean(self):
        for text in HOSTILE:
            shown = results.clean(text)
            self.assertEqual(results.clean(shown), shown)
            self.assertLessEqual(len(shown), results.COLUMNS)
            self.assertFalse([c for c in shown if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200f"])
        self.assertEqual(results.clean("naïve 漢字, 1 < 2"), "naïve 漢字, 1 < 2")


class Documentation(unittest.TestCase):
    def test_page_has_every_key_and_state(self):
        page = PAGE.read_text(encoding="utf-8")
        for key in results.KEYS:
            self.assertIn(f"| `{key}` |", page)
        for word in results.STATES:
            self.assertIn(f"`{word}`", page)
        self.assertIn(f"now {results.FORMAT}.", page)

    def test_page_has_every_stage_and_its_figures(self):
        page = PAGE.read_text(encoding="utf-8")
        rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| `")}
        for stage in MEANINGS:
            self.assertIn(f"`{stage}`", rows)
        for value in history():
            for kind in ("counts", "figures"):
                for name in value[kind] if value["stage"] in MEANINGS and value["stage"] != "speed" else ():
                    self.assertIn(f"`{name.split('/')[0]}", rows[f"`{value['stage']}`"], f"{value['stage']} {name}")


class Writer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_writes_and_reads(self):
        path = results.write(self.folder, result("tests"))
        self.assertEqual(path.name, "20260301T010203Z-11111111-tests.json")
        self.assertEqual(results.read(path), (result("tests"), ""))
        self.assertEqual(list(self.folder.iterdir()), [path])

    def test_refuses_what_is_no_result(self):
        with self.assertRaises(ValueError):
            results.write(self.folder, result("tests", seed=-1))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_error_while_writing_leaves_the_old_file(self):
        path = self.folder / "x"
        results.write_whole(path, "old")
        for name in ("fsync", "replace"):
            for error in (OSError("full"), KeyboardInterrupt()):
                with mock.patch(f"os.{name}", side_effect=error), self.assertRaises(type(error)):
                    results.write_whole(path, "new")
                self.assertEqual(path.read_text(), "old")
                self.assertEqual(list(self.folder.iterdir()), [path])

    def test_killed_while_writing(self):
        """A process that dies between writing and renaming: no reader takes what it left for a result."""
        child = os.fork()
        if child == 0:
            with mock.patch("os.replace", side_effect=lambda *_: os.kill(os.getpid(), signal.SIGKILL)):
                results.write(self.folder, result("tests"))
            os._exit(0)
        self.assertEqual(os.WTERMSIG(os.waitpid(child, 0)[1]), signal.SIGKILL)
        self.assertEqual(list(self.folder.glob("*.json")), [])
        self.assertEqual(len(list(self.folder.iterdir())), 1)


if __name__ == "__main__":
    unittest.main()
