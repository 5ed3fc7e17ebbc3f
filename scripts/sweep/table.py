# SPDX-License-Identifier: Apache-2.0
"""What a sweep found: one CSV file with all columns, and a table for people."""
import csv
import io

from plan import VARIED
from results import clean

NUMBERS = ("us", "bound_us", "flow_us", "gb_per_s_chip", "median_us", "p99_us", "longest_us", "transfers", "lost")
MAX_CLASSES = 4


def singular(key):
    return {"classes": "class", "bytes": "bytes"}.get(key, key.removesuffix("s"))


def row_of(point, result):
    """A dictionary of CSV columns. Without a result only what it would be of."""
    row = {singular(key): text for key, text in point.values.items()}
    report = result["report"] if result else {}
    for name in NUMBERS:
        row[name] = report.get(name, "")
    hottest = (report.get("hottest") or [{}])[0]
    row["hottest_link"], row["hottest_use"] = hottest.get("link", ""), hottest.get("use", "")
    stalled = (report.get("stalled") or [{}])[0]
    row["stalled_link"], row["stalled_time"] = stalled.get("link", ""), stalled.get("time", "")
    of_class = {c.get("class"): c for c in report.get("classes", []) if isinstance(c, dict)}
    for number in range(MAX_CLASSES):
        for name in ("transfers", "median_us", "p99_us", "longest_us"):
            row[f"class{number}_{name}"] = of_class.get(number, {}).get(name, "")
    row["wall_s"] = result["seconds"] if result else ""
    row["error"] = result["error"] if result else "no result"
    return row


def csv_of(rows):
    """A cell that a spreadsheet would run as a formula begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(["'" + clean(v) if isinstance(v, str) and v[:1] in ("=", "+", "-", "@") else clean(v) for v in row.values()])
    return out.getvalue()


def text_of(rows):
    """Columns whose values differ, then the figures."""
    varied = [singular(key) for key in VARIED]
    shown = [name for name in varied if name == "system" or len({row[name] for row in rows}) > 1]

    def number(value, digits):
        return f"{value:,.{digits}f}" if isinstance(value, (int, float)) else "-"

    # With several classes those of each, for the share of one among all transfers says little.
    classes = [n for n in range(MAX_CLASSES) if any(isinstance(row[f"class{n}_p99_us"], (int, float)) for row in rows)]
    latencies = [("median us", "median_us"), ("99 % us", "p99_us")]
    if len(classes) > 1:
        latencies = [(f"class {n} 99 % us", f"class{n}_p99_us") for n in classes]

    def figures(row):
        if row["error"]:
            return [clean(row["error"], 90)]
        us, bound = row["us"], row["bound_us"]
        share = f"{100 * bound / us:.1f} %" if isinstance(bound, (int, float)) and us else "-"
        return [number(us, 3), share, number(row["gb_per_s_chip"], 2), *(number(row[key], 3) for _, key in latencies), number(row["lost"], 0)]

    titles = [*shown, "time us", "bound", "GB/s a chip", *(title for title, _ in latencies), "lost"]
    lines = [titles] + [[*(clean(row[name], 40) for name in shown), *figures(row)] for row in rows]
    widths = [max(len(line[c]) for line in lines if c < len(line) and len(line) == len(titles)) for c in range(len(titles))]
    out = ""
    for line in lines:
        cells = [cell.ljust(width) if c < len(shown) or len(line) < len(titles) else cell.rjust(width)
                 for c, (cell, width) in enumerate(zip(line, widths))]
        out += "  ".join(cells).rstrip() + "\n"
    return out
