#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks scripts/synth: which RTL lacks a row, what is extrapolated, which changes are reported.

Usage: scripts/synthesis/check_synth.py
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))
loader = importlib.machinery.SourceFileLoader("synth", str(SCRIPTS / "synth"))
synth = importlib.util.module_from_spec(importlib.util.spec_from_loader("synth", loader))
loader.exec_module(synth)
modules = synth.modules


def table_of_the_tree():
    blocks = tomllib.loads((SCRIPTS / "synthesis/blocks.toml").read_text())
    return blocks, blocks.pop("excused", {})


class Rows(unittest.TestCase):
    def test_all_rtl_has_one(self):
        self.assertEqual(list(synth.without_row(*table_of_the_tree())), [])

    def test_a_folder_without_one_is_named(self):
        blocks, excused = table_of_the_tree()
        blocks = {name: block for name, block in blocks.items() if not name.startswith("cdc_")}
        found = list(synth.without_row(blocks, excused))
        self.assertIn("rtl/cdc has no row in scripts/synthesis/blocks.toml", found)
        self.assertIn("cdc_fifo has no row in scripts/synthesis/blocks.toml", found)

    def test_a_reason_excuses(self):
        blocks, excused = table_of_the_tree()
        del blocks["qos"]
        self.assertEqual(list(synth.without_row(blocks, {**excused, "rtl/qos": "soon", "qos_arbiter": "soon"})), [])

    def test_an_excuse_is_needed_and_has_a_reason(self):
        blocks, excused = table_of_the_tree()
        for more in ({"rtl/qos": "it has a row by now"}, {"nothing": "there is none"}, {"axi_read_checker": " "}):
            with self.subTest(more):
                self.assertEqual(len(list(synth.without_row(blocks, {**excused, **more}))), 1)


class File(unittest.TestCase):
    def refused(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "scripts/synthesis").mkdir(parents=True)
            (root / "rtl/qos").mkdir(parents=True)
            (root / "rtl/qos/qos_arbiter.sv").touch()
            (root / "scripts/synthesis/blocks.toml").write_bytes(text)
            with unittest.mock.patch.object(synth, "ROOT", root), self.assertRaises(synth.Failed) as caught:
                synth.read_blocks()
            self.assertNotIn("\n", str(caught.exception))
            return str(caught.exception)

    def test_what_is_wrong_is_named(self):
        good = 'top = "qos_arbiter"\nsizes = [4]\n'
        for text, what in (("[a\n", "line 1"), ("fma = 3", "name and the keys"), ('["../a"]\n' + good, "name and the keys"),
                           ("[a]\nsizes = [4]\n", "'top'"), ('[a]\ntop = "none"\nsizes = [4]\n', "'top'"),
                           ('[a]\ntop = "qos_arbiter"\nsizes = []\n', "'sizes'"), ("[a]\n" + good + "flta = false", "'flta'"),
                           ('[a]\ntop = "qos_arbiter"\nsizes = [4, 4]\n', "'sizes'"), ("[a]\n" + good + "full = 9", "two sizes"),
                           ('[a]\ntop = "qos_arbiter"\nsizes = 1\n', "'sizes'")):
            with self.subTest(text):
                self.assertIn(what, self.refused(text.encode()))
        self.assertIn("utf-8", self.refused(b"\xff"))


class Extrapolation(unittest.TestCase):
    BLOCK = {"top": "row", "scales": "Cols", "with": "Banks=2", "full": 100, "each": "a cell", "copies": 3, "whole": "three rows"}

    def test_line_through_two_sizes(self):
        found = dict(synth.extrapolations(self.BLOCK, [(4, {"cells": 140, "depth": 7}), (8, {"cells": 180, "depth": 7})]))
        self.assertEqual(found, {"a cell, for each of Cols": {"cells": 10}, "Cols=100 Banks=2": {"cells": 1100},
                                 "three rows, 3 times Cols=100 Banks=2": {"cells": 3300}})

    def test_copies_of_one_size(self):
        block = {"top": "lane", "scales": "Lanes", "copies": 32, "whole": "a quadrant"}
        self.assertEqual(dict(synth.extrapolations(block, [(2, {"cells": 11, "depth": 7})])),
                         {"a quadrant, 32 times Lanes=2": {"cells": 352}})

    def test_nothing_unasked(self):
        block = {"top": "row", "scales": "Cols"}
        self.assertEqual(list(synth.extrapolations(block, [(1, {"cells": 1}), (2, {"cells": 2})])), [])
        self.assertEqual(list(synth.extrapolations({**block, "full": 4}, [(1, {"cells": 1})])), [])
        self.assertEqual(list(synth.extrapolations({**block, "copies": 4, "whole": "all"}, [])), [])


class Changes(unittest.TestCase):
    RECORDS = {("row", 4): {"commit": "abc", "figures": {"cells": 100, "depth": 10}}}

    def found(self, **figures):
        return list(synth.differences(self.RECORDS, {("row", 4): figures}))

    def test_two_percent(self):
        self.assertEqual(self.found(cells=102, depth=10), [])
        self.assertEqual(self.found(cells=103, depth=10), ["row 4: cells was 100 at abc, is 103"])
        self.assertEqual(self.found(cells=100, depth=9), ["row 4: depth was 10 at abc, is 9"])

    def test_a_size_without_record(self):
        self.assertEqual(list(synth.differences({}, {("row", 4): {"cells": 1}})), ["row 4: not in the trend file"])


# Two instances of `leaf`, an AND gate and a register: one in `top`, one in `middle` inside of it. Nothing uses `never`.
DESIGN = r"""
attribute \top 1
module \top
  wire input 1 \clk
  wire width 2 input 2 \a
  wire width 2 output 3 \y
  cell \middle \one
    connect \clk \clk
    connect \a \a [0]
    connect \y \y [0]
  end
  cell $paramod\leaf\Bits=32'00000000000000000000000000000001 \two
    connect \clk \clk
    connect \a \a [1]
    connect \y \y [1]
  end
end
module \middle
  wire input 1 \clk
  wire input 2 \a
  wire output 3 \y
  cell $paramod\leaf\Bits=32'00000000000000000000000000000001 \inside
    connect \clk \clk
    connect \a \a
    connect \y \y
  end
end
module $paramod\leaf\Bits=32'00000000000000000000000000000001
  wire input 1 \clk
  wire input 2 \a
  wire output 3 \y
  wire \d
  cell $and $1
    parameter \A_SIGNED 0
    parameter \A_WIDTH 1
    parameter \B_SIGNED 0
    parameter \B_WIDTH 1
    parameter \Y_WIDTH 1
    connect \A \a
    connect \B \y
    connect \Y \d
  end
  cell $dff $2
    parameter \CLK_POLARITY 1'1
    parameter \WIDTH 1
    connect \CLK \clk
    connect \D \d
    connect \Q \y
  end
end
module \never
end
"""


class Modules(unittest.TestCase):
    LEAF = r"$paramod\leaf\Bits=32'00000000000000000000000000000001"

    def setUp(self):
        self.design = modules.modules_of(DESIGN)

    def test_instances(self):
        self.assertEqual(modules.instances(self.design, "\\top"), {"\\top": 1, "\\middle": 1, self.LEAF: 2})

    def test_names_and_ports(self):
        self.assertEqual(modules.plain(self.LEAF), "leaf")
        self.assertEqual(modules.plain("$paramod$0123abc\\link_tx"), "link_tx")
        self.assertEqual(self.design["\\top"].width("a"), 2)
        self.assertEqual(self.design["\\top"].width("clk"), 1)
        self.assertEqual(self.design["\\top"].width("none"), 0)

    def test_memories_that_are_written(self):
        dump = "cell $mem_v2 \\{}\n parameter \\SIZE {}\n parameter \\WIDTH 8\n parameter signed \\WR_PORTS 32'{:032b}\n end\n"
        self.assertEqual(list(modules.memory_bits(dump.format("a", 4, 1) + dump.format("b", 16, 0))), [32])

    @unittest.skipUnless(shutil.which("yosys"), "Debian's Yosys is missing")
    def test_gates_of_all_instances(self):
        # An AND and a register each, on a path of one gate.
        self.assertEqual(modules.figures(self.design, "\\top"),
                         {"cells": 4, "registers": 2, "depth": 1, "memory_bits": 0, "macro_bits": 0})

    @unittest.skipUnless(shutil.which("yosys"), "Debian's Yosys is missing")
    def test_what_yosys_refuses_is_named(self):
        broken = modules.modules_of(DESIGN.replace("cell $and $1", "cell $and"))
        with self.assertRaisesRegex(modules.Refused, "^leaf: .*(syntax|ERROR)"):
            modules.figures(broken, "\\top")


    @unittest.skipUnless(shutil.which("yosys"), "Debian's Yosys is missing")
    def test_what_is_not_whole_is_not_kept(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(modules, "KEPT", pathlib.Path(folder)):
            # As on a full disk: Yosys ends well, and what it wrote last is empty.
            with unittest.mock.patch.object(modules, "run") as run, self.assertRaisesRegex(modules.Refused, "disk full"):
                def write(command):
                    for name in re.findall(r"-o (\S+?)(?:;| |$)", command[-1]):
                        pathlib.Path(name).write_text("")
                    return subprocess.CompletedProcess(command, 0, "", "")
                run.side_effect = write
                modules.kept("module \\top\nend\n", "tee -q -o {out}.counts stat", [".counts"], "tools")
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir() if "-" not in path.name], [])

    def test_rtl_of_a_netlist_is_inside_of_it(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(modules, "elaborated") as elaborated:
            elaborated.return_value = (self.design, "\\top")
            for word in ("top", "nobody"):
                with self.subTest(word), self.assertRaisesRegex(modules.Refused, f"--rtl={word}: no such module inside"):
                    modules.netlist(pathlib.Path(folder), "top", "", "-", [], [word])

    def test_a_module_that_stays_rtl(self):
        self.assertEqual(modules.wrapped(self.design["\\top"]), "")
        leaf = self.design[self.LEAF]
        leaf.lines.insert(1, "  parameter \\Bits 1")
        self.assertEqual(modules.wrapped(leaf), f"module \\{self.LEAF} (input [0:0] clk, input [0:0] a, output [0:0] y);\n"
                         "  leaf #(.Bits(1)) rtl (.*);\nendmodule\n")


if __name__ == "__main__":
    unittest.main()
