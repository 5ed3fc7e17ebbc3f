#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the nightly run: well-formed, self-contained, escaped, and what it says is in the results."""
import html.parser
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import charts  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
from sample_history import HOSTILE, history, result  # noqa: E402

VOID = {"meta", "br", "img", "link", "hr", "input"}
KNOWN = {"html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "span", "div", "b", "i", "a", "small", "code",
         "pre", "ul", "li", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "svg", "line", "text", "polyline", "circle", "rect"}
ATTRIBUTES = {"class", "href", "lang", "charset", "name", "content", "http-equiv", "viewbox", "role", "aria-hidden", "x", "y", "x1", "x2", "y1",
              "y2", "cx", "cy", "r", "width", "height", "points", "text-anchor"}


class Page(html.parser.HTMLParser):
    """Nesting, tags, attributes, links and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.links, self.texts, self.points, self.numbers = [], [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += [f"{tag} is not closed" for tag in self.open]
        self.words = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attributes):
        self.wrong += [f"tag {tag}"] * (tag not in KNOWN)
        self.wrong += [f"attribute {name} of {tag}" for name, _ in attributes if name not in ATTRIBUTES]
        for name, value in attributes:
            if name == "href":
                self.links.append(value)
            if name == "points":
                self.points.append([tuple(map(float, point.split(","))) for point in value.split()])
            if name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
                self.numbers += [float(value)] if tag != "meta" else []
        if tag not in VOID and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, found, out="page.html"):
        for number, value in enumerate(found):
            results.write_whole(self.folder / f"{number:03d}.json", json.dumps(value))
        path = self.folder / out
        path.parent.mkdir(exist_ok=True)
        self.assertEqual(page.write(self.folder, path), len(found))
        self.text = path.read_text(encoding="utf-8")
        return Page(self.text)

    def check_sound(self, shown):
        self.assertEqual(shown.wrong, [])
        self.assertFalse(re.search(r"https?:|url\(|@import|<script|javascript:", self.text.replace("&", "")), "something from elsewhere")
        self.assertFalse([c for c in self.text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in "\u202e\u2066"])
        self.assertTrue(all(math.isfinite(n) and -1 <= n <= charts.WIDTH + 1 for n in shown.numbers))
        for points in shown.points:
            self.assertTrue(all(0 <= x <= charts.WIDTH and 0 <= y <= charts.HEIGHT for x, y in points))

    def test_history_with_hostile_names(self):
        shown = self.make(history())
        self.check_sound(shown)
        for name in HOSTILE[:4]:
            self.assertIn(" ".join(results.clean(name).split()), shown.words)
        for word in ("Tests passed", "Tests failed", "Deliberate faults noticed", "Coverage", "Time to build", "Steps of the build",
                     "Coverage by block", "Speed of the simulator", "Commits", "own: failed"):
            self.assertIn(word, shown.words)

    def test_says_what_is_in_the_results(self):
        shown = self.make(history())
        self.assertIn("103 passed, 11 failed, 1 skipped", shown.words)
        self.assertIn("kill rate 99.0 % of 50 faults", shown.words)
        self.assertIn("C++ lines 93.0 %", shown.words)
        self.assertIn("2,003 steps in 30 min 0 s", shown.words)
        self.assertIn("3 figures, 1 below target", shown.words)
        self.assertIn("b since 22222222, 2026-03-02", shown.words)  # fails since the second commit
        self.assertIn("there are none", shown.words)
        # The result with other options is in no line: four commits, four points.
        self.assertIn("Not drawn: 1 result with other options", shown.words)
        self.assertEqual({len(points) for points in shown.points}, {4})

    def test_line_is_to_scale(self):
        values = [10.0, 30.0, 20.0]
        found = [result("tests", n) for n in range(3)]
        shown = Page(charts.line_chart(found, [("a", values)], ""))
        (x0, y0), (x1, y1), (x2, y2) = shown.points[0]
        self.assertAlmostEqual(y0 - y1, 2 * (y2 - y1), delta=0.3)
        self.assertAlmostEqual(x1 - x0, x2 - x1, delta=0.3)
        self.assertGreater(y0, y2)

    def test_gaps_and_single_points(self):
        found = [result("tests", n) for n in range(5)]
        shown = Page(charts.line_chart(found, [("a", [1.0, 2.0, None, 4.0, 5.0])], ""))
        self.assertEqual([len(points) for points in shown.points], [2, 2])
        self.assertIn("<circle", charts.line_chart(found[:1], [("a", [3.0])], ""))
        self.assertEqual(charts.line_chart(found, [("a", [None] * 5)], ""), "")

    def test_ticks_enclose(self):
        for low, high in ((0, 1), (3, 3), (0, 0), (-5, 7), (1e-9, 2e-9), (98.7, 99.1), (1e12, 1.1e12), (2417, 2419)):
            marks = charts.ticks(low, high)
            self.assertTrue(marks[0] <= low + 1e-12 and marks[-1] >= high - 1e-12 and 2 <= len(marks) <= 7, (low, high, marks))

    def test_links_lead_to_files(self):
        (self.folder / "tests-3").mkdir()
        (self.folder / "tests-3/test.xml").write_text("<x/>")
        shown = self.make(history(), "out/page.html")
        self.assertTrue(shown.links)
        for link in shown.links:
            self.assertTrue((self.folder / "out" / link).is_file(), link)

    def test_folder_without_results_and_with_other_files(self):
        (self.folder / "broken<b>.json").write_text("{")
        shown = self.make([])
        self.check_sound(shown)
        self.assertIn("no results in this folder yet", shown.words)
        self.assertIn("broken<b>.json", shown.words)

    def test_nothing_run_is_not_passed(self):
        shown = self.make([result("mutants", 3, status="not run", reason="there are none")])
        self.assertTrue(shown.words.startswith("Tern, nightly Tern, nightly not run Commit"), shown.words[:80])

    def test_one_result(self):
        for value in history():
            for path in self.folder.glob("*.json"):
                path.unlink()
            self.check_sound(self.make([value]))


if __name__ == "__main__":
    unittest.main()
