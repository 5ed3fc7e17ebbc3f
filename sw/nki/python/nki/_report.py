# SPDX-License-Identifier: Apache-2.0
"""tern nki run --report DIR: where the time of a run went, by engine and by line of the kernel."""
import csv
import html
import io
import json
import linecache
import os

_QUEUES = ("tensor", "vector", "scalar", "gpsimd", "sync")
_CONTROL = ("nop", "halt", "extend")
_STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:90%}"""


def _write(folder, name, text):
    """A whole file, or the old one."""
    path = os.path.join(folder, name)
    with open(path + ".partial", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".partial", path)


def _busy(spans):
    """Time in which at least one of the spans runs."""
    total, end = 0.0, float("-inf")
    for span in sorted(spans, key=lambda s: s.begin_ns):
        total += max(0.0, span.end_ns - max(span.begin_ns, end))
        end = max(end, span.end_ns)
    return total


def _place(source):
    """("softmax.py", 12) of "softmax.py:12: activation"."""
    file, _, line = source.partition(": ")[0].rpartition(":")
    return file, int(line) if line.isdigit() else 0


def by_engine(profile):
    result = []
    dma = [s for s in profile.spans if s.lane.startswith("dma")]
    for queue in _QUEUES:
        spans = [s for s in profile.spans if s.lane == queue and s.name not in _CONTROL]
        result.append({"engine": queue, "instructions": len(spans), "busy_us": _busy(spans) / 1e3})
    result.append({"engine": "dma", "instructions": len(dma), "busy_us": _busy(dma) / 1e3})
    return result


def by_line(profile):
    """Busy time of the engines for each line of the kernel, the longest first."""
    lines = {}
    for span in profile.spans:
        if span.lane not in _QUEUES or span.name in _CONTROL or not span.source:
            continue
        entry = lines.setdefault((_place(span.source), span.lane), [])
        entry.append(span)
    result = [{"file": file, "line": line, "engine": lane, "instructions": len(spans), "busy_us": _busy(spans) / 1e3,
               "source": linecache.getline(file, line).strip()}
              for ((file, line), lane), spans in lines.items()]
    return sorted(result, key=lambda entry: -entry["busy_us"])


def _row(*cells):
    return "<tr>" + "".join(f"<td class=n>{c:.3f}</td>" if isinstance(c, float) else f"<td>{c}</td>"
                            for c in cells) + "</tr>"


def _page(title, profile, engines, lines):
    parts = [f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{_STYLE}</style>",
             f"<h1>{html.escape(title)}</h1><p>{profile.latency_us:.3f} us, of which the start of the kernel takes "
             f"{profile.start_us:.3f} us and its end {profile.end_us:.3f} us.</p>",
             "<h2>Engines</h2><table><tr><th>engine<th>instructions<th>busy, us<th>share</tr>"]
    parts += [_row(e["engine"], e["instructions"], e["busy_us"], f"{100 * e['busy_us'] / profile.latency_us:.1f} %")
              for e in engines]
    parts.append("</table><h2>Lines</h2><p>Time in which the engine works for the line; that of a transfer is the time "
                 "of its start.</p><table><tr><th>line<th>engine<th>instructions<th>busy, us<th>source</tr>")
    parts += [_row(f"{html.escape(os.path.basename(e['file']))}:{e['line']}", e["engine"], e["instructions"],
                   e["busy_us"], f"<code>{html.escape(e['source'][:120])}</code>") for e in lines]
    return "\n".join(parts) + "</table>\n"


def write(folder, name, target, profile):
    os.makedirs(folder, exist_ok=True)
    engines, lines = by_engine(profile), by_line(profile)
    _write(folder, "report.json", json.dumps({"kernel": name, "chip": target.preset, "latency_us": profile.latency_us,
                                              "start_us": profile.start_us, "end_us": profile.end_us,
                                              "engines": engines, "lines": lines}, indent=1) + "\n")
    _write(folder, "report.html", _page(f"{name} on {target.preset}", profile, engines, lines))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("lane", "instruction", "begin_ns", "end_ns", "source"))
    for span in profile.spans:
        if span.lane in _QUEUES and span.name not in _CONTROL:
            writer.writerow((span.lane, span.name, f"{span.begin_ns:.3f}", f"{span.end_ns:.3f}", span.source))
    _write(folder, "instructions.csv", text.getvalue())
