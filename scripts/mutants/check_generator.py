#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the generator of mutants: what it changes, what it never does, and that a seed always gives the same ones.

Usage: scripts/mutants/check_generator.py
"""
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from instrument import instrument  # noqa: E402
from mutations import KINDS, Mutant, mutants_of  # noqa: E402
from results import explanations  # noqa: E402
from selection import choose, described  # noqa: E402

RTL = pathlib.Path(__file__).resolve().parent.parent.parent / "rtl"


def inside(body):
    return f"module m (input logic clk_i, input logic rst_ni);\n{body}\nendmodule\n"


def changes(body):
    """(kind, original, mutated text) of all mutants of a module's body."""
    source = inside(body)
    return {(m.kind, m.original(source), m.shown) for m in mutants_of("m.sv", source)}


def originals(body):
    return {original for _, original, _ in changes(body)}


class WhatIsChanged(unittest.TestCase):
    def test_operators(self):
        found = changes("assign y = a + b < c && !d;")
        for change in (("operator", "a + b", "a - b"), ("operator", "a + b < c", "a + b <= c"),
                       ("operator", "a + b < c && !d", "a + b < c || !d"), ("operator", "!d", "d"),
                       ("condition", "a + b < c && !d", "a + b < c"), ("condition", "a + b < c && !d", "!d")):
            self.assertIn(change, found)

    def test_precedence(self):
        self.assertIn(("operator", "b * c", "b + c"), changes("assign y = a - b * c;"))
        self.assertIn(("operator", "a - b", "a + b"), changes("assign y = a - b - c;"))
        self.assertNotIn("b - c", originals("assign y = a - b - c;"))
        self.assertIn(("operator", "a & b", "a | b"), changes("assign y = a & b | c;"))
        self.assertIn(("operator", "~a", "a"), changes("assign y = ~a & b;"))
        self.assertIn(("operator", "&a", "|a"), changes("assign y = &a;"))

    def test_constants_keep_their_width(self):
        found = changes("assign y = {4'd9, 8'hA0, 1'b0, pkg::Limit} + 3'd7;")
        for change in (("4'd9", "4'd8"), ("4'd9", "4'd10"), ("8'hA0", "8'hA1"), ("8'hA0", "8'h20"), ("1'b0", "1'b1"),
                       ("pkg::Limit", "pkg::Limit ^ 1'b1"), ("3'd7", "3'd0")):
            self.assertIn(("constant", *change), found)
        self.assertIn(("constant", "'0", "'1"), changes("assign y = a == '0;"))

    def test_conditions(self):
        found = changes("always_comb begin y = 0; if (a) y = b ? c : d; end")
        for change in (("a", "1'b1"), ("a", "1'b0"), ("a", "!(a)"), ("b", "1'b1"), ("b", "1'b0")):
            self.assertIn(("condition", *change), found)

    def test_enables(self):
        found = changes("always_ff @(posedge clk_i) if (en) q <= d;")
        self.assertIn(("enable", "en", "1'b1"), found)
        self.assertIn(("enable", "q <= d;", "no update"), found)

    def test_stuck_bits(self):
        for body in ("assign y[3:0] = a;", "always_ff @(posedge clk_i) q <= a;", "n u_n (.a_i(a));"):
            self.assertIn(("stuck bit", "a", "lowest bit stuck at 1"), changes(body))
        source = inside("assign y[3:0] = a;")
        stuck = next(m for m in mutants_of("m.sv", source) if m.shown == "highest bit stuck at 0")
        self.assertEqual(stuck.text, "(a) & $signed({$bits(y[3:0]){1'b1}} >> 1)")

    def test_functions_tasks_loops_cases(self):
        body = """
          function automatic logic f(input logic a, input logic b); f = a & b; endfunction
          task automatic t(input logic a, output logic y); for (int unsigned i = 0; i < 9; i++) y = y ^ a; endtask
          always_comb begin t(p + 1, r); case (s + 2) 4'd3: u = v | w; default: u = '0; endcase end
          assign z = f(g, h);
          for (genvar i = 0; i < 4; i++) begin : gen_x if (i > 1) begin : gen_y assign k[i] = l - m; end end"""
        self.assertLessEqual({"a & b", "y ^ a", "p + 1", "s + 2", "v | w", "l - m"}, originals(body))


class WhatIsNever(unittest.TestCase):
    def unchanged(self, body):
        self.assertEqual(changes(body), set())

    def test_constants_of_elaboration(self):
        for body in ("localparam int unsigned P = 4 + 1;", "parameter int Q = 3;", "logic [P-1:0] a, b [2*P];",
                     "typedef struct packed { logic [P-1:0] a; logic b; } t;", "typedef enum logic [1:0] { A = 1 + 1 } e;",
                     "for (genvar i = 0; i < 4 + P; i++) begin : gen_a end", "if (P > 3 + 1) begin : gen_b end",
                     "n #(.W(P + 1)) u_n (.clk_i(clk_i));"):
            self.unchanged(body)

    def test_widths_and_counts(self):
        found = originals("assign y = {(P-1){a}} | b[P+2:1] | c[d+:P-3] | 9'(e) | $bits(f + 1) | $clog2(P * 2);")
        self.assertFalse(found & {"P-1", "P", "P+2", "1", "2", "P-3", "3", "9", "f + 1", "P * 2"}, found)

    def test_indices_of_loops(self):
        body = "always_comb for (int unsigned i = 0; i < 4; i++) y[i*2+:2] = a[i*2+:2] & b[c + 1];"
        self.assertNotIn("i*2", originals(body))
        self.assertNotIn("4", originals(body))
        self.assertIn("c + 1", originals(body))

    def test_labels_of_a_case(self):
        self.assertFalse(originals("always_comb case (a) 4'd3, P | 4'd4: ; default: ; endcase") & {"4'd3", "4'd4", "P | 4'd4", "P"})

    def test_targets(self):
        found = originals("assign y[a + 1] = b; always_ff @(posedge clk_i) {c[d + 2], e} <= f; n u_n (.g_o(h[k - 1]));")
        self.assertFalse(found & {"a + 1", "d + 2", "k - 1", "{c[d + 2], e}"}, found)

    def test_arguments_that_are_no_values(self):
        body = """
          task automatic t(`TERN_ROW_IN row_t x, input logic a, output row_t y); y = x; endtask
          always_comb t(m[n + 1], o + 2, p[q + 3]);"""
        self.assertIn("o + 2", originals(body))
        self.assertFalse(originals(body) & {"n + 1", "q + 3"})

    def test_constant_functions(self):
        function = "function automatic logic [3:0] f(input int a); f = a + 1; endfunction"
        self.assertIn("a + 1", originals(function + " assign y = f(b);"))
        self.unchanged(function + " localparam logic [3:0] P = f(3);")

    def test_assertions(self):
        function = "function automatic logic ok(input logic [3:0] a); ok = a > 4'd1; endfunction"
        self.unchanged(function + " `TERN_ASSERT(Good, !valid_i || ok(a) && (b + 1 == c))")
        self.unchanged("`TERN_ASSERT_INIT(Size, P >= 2 && P <= 8)\n`TERN_ASSERT(A,\n !b || (c == d) || (e + 1 > f))")

    def test_ranges(self):
        found = changes("assign y = `TERN_UNSIGNED(5, a + b); assign z = `TERN_SIGNED(12, c);")
        self.assertIn("a + b", {original for _, original, _ in found})
        self.assertFalse({original for _, original, _ in found} & {"5", "12"})
        self.assertIn(("stuck bit", "`TERN_UNSIGNED(5, a + b)", "lowest bit stuck at 1"), found)

    def test_comments_strings_regions(self):
        self.unchanged("// assign y = a + b;\n/* assign y = a + b; */\n`ifdef FORMAL\nassign y = a + b;\n`endif\n`include \"a + b.svh\"")
        self.unchanged("(* keep = 1 + 1 *) logic a;  // \"unpaired")
        self.assertIn("c - d", originals("`TERN_LANES\nlogic c, d;\n`TERN_LANES_END\nassign y = c - d;"))

    def test_clock_and_reset(self):
        found = changes("n u_n (.clk_i(clk_i), .rst_ni(rst_ni)); always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) q <= '0;")
        self.assertFalse({original for _, original, _ in found} & {"clk_i", "rst_ni"})
        self.assertEqual({shown for _, original, shown in found if original == "!rst_ni"}, {"1'b0"})


class Instrumentation(unittest.TestCase):
    def test_nested(self):
        source = "y = a + (b & c);"
        outer = Mutant("m.sv", "operator", 4, 15, "a - (b & c)", "")
        inner = Mutant("m.sv", "operator", 9, 14, "b | c", "")
        number = "tern_mutant_pkg::number"
        self.assertEqual(instrument(source, [(1, outer), (2, inner)]),
                         f"y = (({number} == 32'd1) ? (a - (b & c)) : (a + ((({number} == 32'd2) ? (b | c) : (b & c)))));")

    def test_one_place_twice(self):
        source = "y = a;"
        both = [(n, Mutant("m.sv", "constant", 4, 5, text, "")) for n, text in ((3, "b"), (4, "c"))]
        text = instrument(source, both)
        self.assertEqual(text.count("a"), 1 + 2 * "tern_mutant_pkg".count("a"))
        self.assertTrue(re.search(r"32'd4\) \? \(c\).*32'd3\) \? \(b\) : \(a\)", text), text)

    def test_statement_in_an_if(self):
        source = "if (a) q <= d; else r <= e;"
        text = instrument(source, [(7, Mutant("m.sv", "enable", 7, 14, "", "no update"))])
        self.assertEqual(text, "if (a) begin if (tern_mutant_pkg::number != 32'd7) q <= d; end else r <= e;")

    def test_without_mutants(self):
        for path in RTL.rglob("*.sv"):
            self.assertEqual(instrument(path.read_text(), []), path.read_text())


class Choice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {str(p.relative_to(RTL)): p.read_text() for p in sorted(RTL.rglob("*.sv"))}
        cls.chosen = {f: choose(f, t, 0) for f, t in cls.texts.items()}

    def test_every_file(self):
        for file, text in self.texts.items():
            if re.search(r"^\s*(module|function)\b", text, re.M):
                self.assertGreaterEqual(len(self.chosen[file]), 4, file)

    def test_enough_of_each_kind(self):
        kinds = [m.kind for mutants in self.chosen.values() for m in mutants]
        self.assertGreaterEqual(len(kinds), 400)
        for kind in KINDS:
            self.assertGreater(kinds.count(kind), 50, kind)

    def test_seed(self):
        for file in ("dma/dma_front.sv", "arith/fp_pkg.sv"):
            text = self.texts[file]
            self.assertEqual(self.chosen[file], choose(file, text, 0))
            self.assertNotEqual(self.chosen[file], choose(file, text, 1))
            self.assertEqual(len(choose(file, text, 0, 30)), 30)

    def test_names_are_distinct(self):
        for file, text in self.texts.items():
            names = [(e["code"], e["original"], e["mutated"], e["copy"]) for e in described(mutants_of(file, text), text)]
            self.assertEqual(len(names), len(set(names)), file)

    def test_explanations_fit(self):
        for file, code, original, mutated in explanations():
            self.assertIn(file, self.texts)
            known = {(e["code"], e["original"], e["mutated"]) for e in described(mutants_of(file, self.texts[file]), self.texts[file])}
            self.assertTrue((code, original, mutated) in known, f"{file}: no such mutant: {code}, {original}, {mutated}")


if __name__ == "__main__":
    unittest.main()
