# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the page over all nights."""
import charts
import history
import markup
from headline import plural
from stage_time import load_bench_table

GREEN = {"passed": ("good", "passed"), "failed": ("bad", "failed"), "error": ("bad", "error"), "not run": ("", "not run")}


def count(name):
    return lambda result: result["counts"].get(name)


def figure(name, scale=1.0):
    return lambda result: None if name not in result["figures"] else result["figures"][name] / scale


def inputs(result):
    """Of all programs of the stage fuzz."""
    return sum(value for name, value in result["figures"].items() if name.startswith("inputs/"))


# Stage, title, explanation, unit, lines as (words, value of a result); no words: a bar for each result, which should be 0.
CHARTS = (
    ("tests", "Tests passed", "Tests of all tiers that passed. It rises as tests are added; a fall without a failure is a test that went.",
     "", (("passed", count("passed")),)),
    ("tests", "Tests failed", "Should be 0. A bar is a commit at which tests failed; a green mark is 0.", "", (("", count("failed")),)),
    ("faults", "Deliberate faults noticed", "The RTL is broken on purpose in one place at a time. This part of the faults made a test fail.",
     " %", (("kill rate", figure("kill_rate")),)),
    ("mutants", "Mutants noticed", "Like deliberate faults, but chosen by a program. What survives is a gap in the tests.",
     " %", (("kill rate", figure("kill_rate")),)),
    ("coverage", "Coverage of the C++", "The lines that tests ran.", " %", (("C++ lines", figure("cpp_lines/total")),)),
    ("rtl-coverage", "Coverage of the RTL", "The part that benches reached: lines, bits that changed (toggles), cover points.",
     " %", (("lines", figure("lines/total")), ("toggles", figure("toggles/total")), ("cover points", figure("cover_points/total")))),
    ("rtl-random", "Failed with random initial values", "Benches of RTL that used a value before it was reset or written. Should be 0.",
     "", (("", count("failed")),)),
    ("sanitizers", "Failed with sanitizers", "Tests that failed when each access and each undefined operation was checked. Should be 0.",
     "", (("", count("failed")),)),
    ("threads", "Failed with the thread sanitizer", "Tests in which two threads used the same memory without order. Should be 0.",
     "", (("", count("failed")),)),
    ("robustness", "Broken promises under hostile input", "Runs that crashed, hung, left files, or refused without saying where. Should be 0.",
     "", (("", count("violations")),)),
    ("fuzz", "Inputs tried by fuzzers", "Generated inputs that model and RTL both took in one night. More is better; depends on the machine.",
     "", (("inputs", inputs),)),
    ("build", "Time to build", "Minutes from an empty folder to all programs and tests, without the compiler cache.",
     " min", (("minutes", figure("build_seconds", 60)),)),
    ("build", "Steps of the build", "Commands that such a build runs. Grows with the tree.", "", (("steps", count("steps")),)),
)


def chart(found, stage, title, meaning, unit, lines):
    """A card; nothing if no stage had a result. Results of other options or processors are not in the line."""
    alike, others = history.series(found, stage)
    if not alike:
        return ""
    if not lines[0][0]:
        picture = charts.bar_chart(alike, [lines[0][1](r) or 0 for r in alike], "")
        keys = ""
    else:
        picture = charts.line_chart(alike, [("abc"[at], [value(r) for r in alike]) for at, (_, value) in enumerate(lines)], unit)
        shown = [(at, words) for at, (words, value) in enumerate(lines) if any(value(r) is not None for r in alike)]
        keys = "".join(f'<span class="key"><i class="{"abc"[at]}"></i>{markup.text(words)}</span>' for at, words in shown) if len(lines) > 1 else ""
    if not picture:
        return ""
    note = f" Not drawn: {plural(others, 'result')} with other options or of another machine." if others else ""
    return (f'<div class="card chart"><h3>{title}{f" ({unit.strip()})" if unit else ""}</h3><p>{meaning}{note}</p>{picture}<div>{keys}</div></div>')


def charts_section(found):
    cards = [card for card in (chart(found, *row) for row in CHARTS) if card]
    extra = {r["stage"] for r in found} - {row[0] for row in CHARTS} - {"speed"}
    cards += [chart(found, name, f"{markup.text(name)}: failed", "A stage of your own. Should be 0.", "", (("", count("failed")),))
              for name in sorted(extra)]
    if not any(cards):
        return ""
    return ("<h2>History</h2><p class=note>From left to right: commits, the oldest first. Point at a mark to see its commit.</p>"
            f'<div class="cards">{"".join(cards)}</div>')


def change(values, unit):
    """From the first to the last known value."""
    known = [v for v in values if v is not None]
    if len(known) < 2 or known[0] == known[-1]:
        return ""
    return f"{'+' if known[-1] > known[0] else '−'}{markup.number(abs(known[-1] - known[0]))}{unit}"


def coverage_section(found):
    parts = []
    for stage, kind, words in (("coverage", "cpp_lines", "C++ lines"), ("rtl-coverage", "lines", "RTL lines"),
                               ("rtl-coverage", "toggles", "RTL toggles"), ("rtl-coverage", "cover_points", "RTL cover points")):
        alike, _ = history.series(found, stage)
        if not alike:
            continue
        names = sorted(name for name in alike[-1]["figures"] if name.startswith(kind + "/") and not name.endswith("/total"))
        rows = []
        for name in names:
            values = [figure(name)(r) for r in alike]
            rows.append([f"<code>{markup.text(name.split('/', 1)[1])}</code>", f"{values[-1]:.1f} %", change(values, " %"), charts.spark(values)])
        if rows:
            title = f"{words} by folder: {len(rows)}, lowest {min(alike[-1]['figures'][n] for n in names):.1f} %"
            parts.append(f"<details><summary>{title}</summary>"
                         + markup.table(["folder", "reached", "change", "history"], rows, (1, 2)) + "</details>")
    if not parts:
        return ""
    return ("<h2>Coverage by block</h2><p>The part of each folder that tests reached, at the last commit with a result; the change is "
            "against the first in this history.</p>" + "".join(parts))


def speed_rows(alike):
    """All figures with a meaning, in their order: some are explained as the one above."""
    table = load_bench_table()
    for name, goal, kind, meaning in table.TARGETS:
        values = [figure(name)(r) for r in alike]
        last = values[-1]
        met = last is not None and (goal is None or (last >= goal if kind == "min" else last <= goal))
        target = "" if goal is None else f"{'≥' if kind == 'min' else '≤'} {markup.number(goal)}"
        verdict = "" if goal is None or last is None else '<span class="good">ok</span>' if met else '<span class="bad">missed</span>'
        against = table.BASELINES.get(name, ("", ""))[1]
        words = markup.text(meaning) + (f"<small>ratio, against: {markup.text(against)}</small>" if against else "")
        yield [words, "–" if last is None else markup.number(last), target + (f"<small>{verdict}</small>" if verdict else ""),
               charts.spark(values)]


def speed_section(found):
    alike, others = history.series(found, "speed")
    if not alike:
        return ""
    note = f" Left out: {plural(others, 'result')} with other options or of another processor." if others else ""
    return ("<h2>Speed of the simulator</h2><p>Ratios are measured in one process against a baseline, so they hold on a busy machine, too. "
            f"All other figures are of this machine. A dash: not measured in the last run, which may have been a quick one.{note}</p>"
            + markup.table(["figure", "value", "target", "history"], speed_rows(alike), (1, 2)))


def commits_section(found, stages):
    """Newest first."""
    rows = []
    for row in reversed(history.commits(found)[-charts.POINTS:]):
        last = max(row.values(), key=lambda r: r["date"])
        cells = [f"<code>{markup.text(last['commit'][:8] or 'none')}</code>{'<small>with changes</small>' if last['changed'] else ''}",
                 markup.text((last["commit_date"] or last["date"])[:10]), markup.text(last["subject"])]
        for stage in stages:
            kind, words = GREEN[row[stage]["status"]] if stage in row else ("", "")
            cells.append(f'<span class="{kind}">{words}</span>')
        rows.append(cells)
    return ("<h2>Commits</h2><p>The last result of each stage at each commit, the newest commit first. An empty field: no result.</p>"
            + markup.table(["commit", "date", "subject", *map(markup.text, stages)], rows))
