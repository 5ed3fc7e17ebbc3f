#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `tern` with --report and reads its pages as a browser would: well-formed, alone, with what was measured.

Usage: check_report.py TERN SOURCE_FOLDER
"""
import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

VOID = {"meta", "br", "hr", "img", "input", "link"}
NETWORK = re.compile(r"https?:|url\(|@import|<script|<link|<iframe|<object", re.I)


class Page(html.parser.HTMLParser):
    """Fails on tags that do not match; collects texts, tags and attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts, self.titles = [], [], [], [], []
        self.text = text
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append(data)
            if self.open[-1] in ("h1", "h2"):
                self.titles.append(data)

    def says(self, what):
        return what in " ".join(self.texts)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def run(tern, folder, workload, *options, code=0, report="report.html"):
    out = os.path.join(folder, f"out{len(os.listdir(folder))}")
    command = [tern, *workload, "--report", out, "--quiet", *options]
    result = subprocess.run(command, capture_output=True, cwd=folder, check=False)
    if result.returncode != code:
        sys.exit(f"{command}: exit code {result.returncode}\n{result.stdout}\n{result.stderr}")
    path = os.path.join(out, report)
    check(os.fsencode(path) in result.stdout, f"{report} of {workload[-1]!r} is printed")
    with open(path, "rb") as file:
        page = Page(file.read().decode("utf-8"))
    check(page.tags.count("html") == page.tags.count("body") == page.tags.count("h1") == 1 and "style" in page.tags,
          "it is well-formed")
    check(not NETWORK.search(page.text) and
          not [a for a in page.attributes if a[1] in ("src", "href") or a[1].startswith("on")],
          "it needs nothing from outside and runs nothing")
    with open(os.path.join(out, report.replace(".html", ".json")), encoding="utf-8") as file:
        return page, json.load(file), out


def rows_of(out, name):
    """A CSV file as dictionaries; every row is as long as the header, and no cell is a formula."""
    with open(os.path.join(out, name), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    check(rows and all(len(row) == len(rows[0]) for row in rows), f"{name} is a table")
    for cell in (cell for row in rows for cell in row if cell[:1] in tuple("=+-@")):
        float(cell)
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def check_files(page, out, tables, pictures):
    """Tables and pictures of a report: on the page, and each as a file."""
    for name, count in tables.items():
        check(len(rows_of(out, name)) == count and page.says(name), f"{name} has {count} rows")
    for name in pictures:
        with open(os.path.join(out, name), encoding="utf-8") as file:
            check("svg" in Page(file.read()).tags, f"{name} is a picture")
    check(page.tags.count("figure") >= len(pictures), "the pictures are on the page")
    check(sorted(n for n in os.listdir(out) if n.endswith((".csv", ".svg"))) == sorted([*tables, *pictures]), "no other files")


def grouped(value):
    return f"{value:,}"


def main():
    tern, source = map(os.path.realpath, sys.argv[1:3])
    example = lambda name: os.path.join(source, "sw/examples", name)
    with tempfile.TemporaryDirectory() as folder:
        def put(name, text):
            with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:
                file.write(os.fsencode(text))
            return name

        page, report, out = run(tern, folder, ["run", example("digits/digits.yaml")])
        first = report["executions"][0]
        check(page.says("PASSED") and report["passed"], "verdict")
        for value in (f"{report['accuracy'] * 100:.2f} %", f"{grouped(report['correct'])} of {grouped(report['judged'])}",
                      f"{first['simulated_us']:.3f} us", grouped(first["tensor_cycles"]),
                      f"{first['tensor_utilisation'] * 100:.1f} %", grouped(first["macs"]),
                      grouped(report["comparisons"][0]["words"])):
            check(page.says(value), f"figure {value}")
        for engine in first["engines"]:
            check(page.says(engine["name"]) and page.says(grouped(engine["instructions"])) and
                  page.says(f"{engine['busy_us']:.3f} us"), f"engine {engine['name']}")
        for phase in first["phases"]:
            check(page.says(f"{phase['us']:.2f} us") and page.says(phase["bound"]), f"phase {phase['name']}")
        check([p["name"] for p in report["parts"]] == ["input", "layer 1", "layer 2, softmax"] and
              all(page.says(p["name"]) for p in report["parts"]), "parts of the network")
        busy = {e["name"]: e["busy_us"] for e in first["engines"]}
        for engine, us in busy.items():
            lines = sum(line["busy_us"] for line in report["lines"] if line["engine"] == engine)
            check(abs(lines - us) < 0.02 * us + 0.01, f"the lines of {engine} add up to its busy time")
        weights = 2 * (784 * 128 + 128 * 10) + 4 * 138
        check(first["memory"]["dma_bytes"] > 2 * 784 * 10000 + weights + 2 * 4 * 10 * 10000, "DMA moved all operands")
        check_files(page, out, {"engines.csv": len(first["engines"]), "phases.csv": len(first["phases"]),
                                "parts.csv": len(report["parts"]), "lines.csv": len(report["lines"])}, ["power.svg", "timeline.svg"])
        engines = {row["engine"]: float(row["busy_us"]) for row in rows_of(out, "engines.csv")}
        check(engines == busy, "engines.csv has the numbers of report.json")
        # What is called busy is one number: of an engine in the timeline, the table of the engines and the sum of the phases.
        with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
            markdown = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in file if line.startswith("|")]
        for engine in ("tensor", "vector", "scalar", "gpsimd"):
            share = f"{100 * busy[engine] / first['simulated_us']:.1f} %"
            said = [row for row in markdown if row[0] in (engine, engine + " busy")][:3]
            check(len(said) == 3 and said[0][1] == share + " busy" and said[1][-1] == share and said[2][-1] == share, f"{engine} is busy {share}")
        check(re.search(r"\d % in flight", " ".join(page.texts)) and page.says("DMA engines, of their rate"), "two numbers of the DMA engines have two names")
        text = subprocess.run([tern, "run", example("attention/attention.yaml"), "--quiet"], capture_output=True, text=True, check=True).stdout
        lines = text.splitlines()
        bounds = [i for i, line in enumerate(lines) if line.startswith("  bound by")][0]
        check(all(len(line) <= 100 for line in lines[bounds:bounds + 3]) and text.count("bound by") == 1, "bound by is short, and said once")
        check(page.says("tern run ") and page.says(report["workload_file"]) and "details" in page.tags, "how to repeat it")

        page, report, _ = run(tern, folder, ["run", example("attention/attention.yaml")])
        check(page.says("Cost model") and all(page.says(c["formula"]) for c in report["cost"]), "cost model of a kernel")
        check(page.says(f"{report['outputs'][0]['largest_error']:.3g}"), "its error")

        evil = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\" ' & \u00e9"
        name = put("a b'$(touch owned).yaml", f"name: {json.dumps(evil)}\nkind: matmul\na: {{random: [64, 32]}}\nb: {{random: [64, 48]}}\n")
        page, report, out = run(tern, folder, ["run", name])
        check(page.titles[0] == evil == report["workload"], "a hostile name is text")
        check(page.says("'a b'\\''$(touch owned).yaml'"), "the command is quoted for a shell")
        with open(os.path.join(out, "timeline.svg"), encoding="utf-8") as file:
            Page(file.read())

        name = put(os.fsdecode(b"\xff\x01.yaml"), "kind: matmul\na: {random: [2, 3]}\nb: {random: [2, 3]}\n")
        page, _, _ = run(tern, folder, ["run", name])
        check("\ufffd" in page.text and "\x01" not in page.text, "file names are bytes, the page is UTF-8")

        put("c.csv", "")
        name = put("wrong.yaml", "kind: mlp\ninput: {images: " + example("digits/data/t10k-images-idx3-ubyte.gz") +
                   ", labels: " + example("digits/data/t10k-labels-idx1-ubyte.gz") + ", count: 1000}\nlayers:\n"
                   "  - {weight: " + example("digits/weights/w1.npy") + ", bias: " + example("digits/weights/b1.npy") + ", activation: relu}\n"
                   "  - {weight: " + example("digits/weights/w2.npy") + ", bias: " + example("digits/weights/b2.npy") + ", activation: softmax}\n"
                   "expect: {accuracy: 1.0}\n")
        page, report, _ = run(tern, folder, ["run", name], code=1)
        check(page.says("FAILED") and not page.says("PASSED") and not report["passed"], "a failed run says so")

        name = put("sweep.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 128\nformats: [bf16, mxfp8_e4m3fn, sparse_4_16]\n")
        page, report, out = run(tern, folder, ["run", name])
        check_files(page, out, {"sweep.csv": 3}, ["error.svg", "sweep.svg"])
        check(all(page.says(row["format"]) and page.says(grouped(row["tensor_cycles"])) for row in report["rows"]), "sweep")
        page, report, _ = run(tern, folder, ["run", name], "--chip", "trn2")
        check([row for row in report["rows"] if "refused" in row and page.says(row["refused"])], "what a chip refuses")

        name = put("qos.yaml", "kind: qos\nbatches: [8]\nlayers: 8\npolicies: [off, strict]\n")
        page, report, out = run(tern, folder, ["run", name])
        check_files(page, out, {"qos.csv": sum(len(r["classes"]) for r in report["runs"])}, ["qos.svg"])
        check(all(page.says(f"{r['layer_us']:.2f}") for r in report["runs"]) and "svg" in page.tags, "classes of service")

        page, report, out = run(tern, folder, ["dma", "--bytes", "4096"], report="dma.html")
        check(all(page.says(step["what"]) for step in report["chips"][0]["steps"]), "a transfer moment by moment")
        check_files(page, out, {"dma.csv": len(report["chips"][0]["steps"])}, [])

        page, report, out = run(tern, folder, ["traffic", "trn3-nl16-2d", "--also", "pattern=incast,class=0"], report="traffic.html")
        links_of_torus = 32
        check_files(page, out, {"links.csv": 2 * links_of_torus, "classes.csv": sum(len(c["buckets"]) for c in report["classes"])},
                    ["heat.svg", "latency.svg"])
        check(all(page.says(f"{c['p99_us']:.3f} us") for c in report["classes"]), "latency of each class")
        check(all(page.says(link["link"]) for link in report["hottest"] + report["stalled"]), "links that are busy, links that wait")

        page, report, out = run(tern, folder, ["hbm", "--random", "20000", "--writes", "30"], report="hbm.html")
        latencies = len(report["read_latency"]["buckets"]) + len(report["write_latency"]["buckets"])
        check_files(page, out, {"hbm.csv": len(report["stacks"]), "bandwidth.csv": len(report["bandwidth"]), "latency.csv": latencies},
                    ["bandwidth.svg", "latency.svg"])
        spans = report["bandwidth"]
        length = (spans[1]["from_us"] - spans[0]["from_us"]) * 1e3
        moved = sum((s["read_gb_per_s"] + s["write_gb_per_s"]) * length for s in spans)
        check(0.97 * report["bytes"] <= moved <= 1.03 * report["bytes"], "the bandwidth over time is that of all bytes")

        name = put("moe.yaml", "kind: moe\ntokens: 256\nwidth: 256\nhidden: 256\nexperts: 4\ntop_k: 2\n")
        page, report, out = run(tern, folder, ["run", name])
        passes = sum(len(v["passes"]) for r in report["routings"] for v in r["variants"].values())
        check_files(page, out, {"moe.csv": passes}, ["moe.svg"])

        data = "{images: %s, labels: %s, count: 200}" % tuple(example(f"digits/data/t10k-{part}-ubyte.gz")
                                                             for part in ("images-idx3", "labels-idx1"))
        training = ("kind: train\nnetwork: {hidden: [16], classes: 10}\noptimiser: {kind: sgd, learning_rate: 0.1}\nepochs: 2\n"
                    f"batch: 40\ndata: {{training: {data}, test: {data}}}\n")
        page, report, out = run(tern, folder, ["run", put("train.yaml", training)])
        check_files(page, out, {"steps.csv": 10, "epochs.csv": 2}, ["accuracy.svg", "loss.svg", "power.svg", "timeline.svg"])
        check([float(row["loss"]) for row in rows_of(out, "steps.csv")] == report["loss"], "steps.csv has every loss")
        name = put("scaling.yaml", training + "scaling: {cores: [1, 2], batch_per_core: 20, steps: 2}\n")
        page, report, out = run(tern, folder, ["run", name])
        check_files(page, out, {"scaling.csv": len(report["points"])}, ["speed.svg", "step.svg"])

        put("mine.yaml", "preset: trn2\nhbm: {pin_gbps: 5.5}\n")
        page, report, out = run(tern, folder, ["run", example("matmul/matmul.yaml")], "--chip", "mine.yaml", "--set", "cores=2")
        check(page.says("2 values differ from the preset trn2") and page.says("mine.yaml:2") and page.says("Chip values"),
              "the page says which chip it was")


if __name__ == "__main__":
    main()
