# SPDX-License-Identifier: Apache-2.0
"""One page of all results of a folder: self-contained HTML without scripts, with links to the logs next to it."""
import os
import pathlib

import history
import markup
import page_history
import results
from headline import headline
from meanings import MEANINGS, OWN
from page_style import CSS
from terminal import duration

def sentence(words):
    return markup.text(words[0].upper() + words[1:] + ".")


def pill(status):
    kind, words = page_history.GREEN[status]
    return f'<span class="pill {kind}">{words}</span>'


def files_of(result, folder, base):
    return "".join(markup.link(base, os.path.join(folder, path), name) + " " for name, path in result["files"].items())


def card(result, folder, base):
    lines = [f"<b>{markup.text(headline(result))}</b>", f"<p>{sentence(MEANINGS.get(result['stage'], OWN))}</p>"]
    options = ", ".join(name if value is True else f"{name} {value}" for name, value in result["configuration"].items()
                        if value is not False and value != "")
    when = f"{result['date'][:16].replace('T', ' ')} UTC, {duration(result['seconds'])}" + (f"; {options}" if options else "")
    lines.append(f"<p>{markup.text(when)}</p>")
    links = files_of(result, folder, base)
    if links.strip():
        lines.append(f"<p>{links}</p>")
    return (f'<div class="card"><header><h3>{markup.text(result["stage"])}</h3>{pill(result["status"])}</header>'
            f"{''.join(lines)}</div>")


def failures_section(last, found, folder, base):
    parts = []
    for stage, result in last.items():
        if result["status"] not in ("failed", "error"):
            continue
        alike, _ = history.series(found, stage)
        parts.append(f"<h3>{markup.text(stage)}</h3>")
        if not result["failures"]:
            parts.append(f"<p>{markup.text(result['reason'] or 'no more is known')}</p>")
        for failure in result["failures"]:
            first = history.failing_since(alike, failure["name"])
            since = ""
            if first and len(alike) > 1:
                since = " since this commit" if first is alike[-1] else f" since {first['commit'][:8]}, {first['date'][:10]}"
            output = "\n".join(markup.text(line) for line in failure["lines"])
            parts.append(f'<details><summary>{markup.text(failure["name"] or "(no name)")}<small>{markup.text(since)}</small></summary>'
                         f"<pre>{output or 'no output'}</pre></details>")
        if result["failures_left_out"]:
            parts.append(f"<p>{result['failures_left_out']} more are in the log.</p>")
        parts.append(f"<p>{files_of(result, folder, base)}</p>")
    return "<h2>Failures</h2><p>Of the last commit, each with the end of its output.</p>" + "".join(parts) if parts else ""


def render(folder, base):
    """(HTML, number of results)"""
    found, refused = history.load(folder)
    body = []
    if found:
        rows = history.commits(found)
        present = {r["stage"] for r in found}
        stages = [s for s in MEANINGS if s in present] + sorted(present - set(MEANINGS))
        last = {stage: rows[-1][stage] for stage in stages if stage in rows[-1]}
        newest = max(last.values(), key=lambda r: r["date"])
        ran = any(result["status"] != "not run" for result in last.values())
        bad = [stage for stage, result in last.items() if result["status"] in ("failed", "error")]
        machine = newest["machine"]
        changed = ", with changes" if newest["changed"] else ""
        body += [f"<h1>Tern, nightly</h1>{pill('failed' if bad else 'passed' if ran else 'not run')}",
                 f"<p>Commit <code>{markup.text(newest['commit'][:12] or 'none')}</code>{changed}: {markup.text(newest['subject'])}</p>",
                 f'<p class="note">{markup.text(newest["date"][:16].replace("T", " "))} UTC; {markup.text(machine["cpu"])}, '
                 f"{machine['cpus']} processors; seed {newest['seed']}; {len(found)} results of {len(rows)} commits</p>",
                 "<h2>Last commit</h2>"]
        without = [s for s in stages if s not in last]
        if without:
            body.append(f"<p class=note>Not run at this commit: {markup.text(', '.join(without))}.</p>")
        body.append(f'<div class="cards">{"".join(card(r, folder, base) for r in last.values())}</div>')
        body += [failures_section(last, found, folder, base), page_history.charts_section(found), page_history.coverage_section(found),
                 page_history.speed_section(found), page_history.commits_section(found, stages)]
    else:
        body.append("<h1>Tern, nightly</h1><p>There are no results in this folder yet: scripts/nightly makes them.</p>")
    if refused:
        body.append("<h2>Not read</h2><p>Files that are no results.</p><ul>"
                    + "".join(f"<li><code>{markup.text(name)}</code>: {markup.text(problem)}</li>" for name, problem in refused) + "</ul>")
    body.append('<p class="note">Made by scripts/nightly --page. Every number is that of a result file in this history.</p>')
    # No script, no picture from elsewhere: a browser holds the page to it.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Tern, nightly</title>'
            f"<style>{CSS}</style></head><body><main>\n" + "\n".join(part for part in body if part) + "\n</main></body></html>\n"), len(found)


def write(folder, out):
    """Makes the page of the results in `folder`; returns how many there are."""
    out = pathlib.Path(out)
    page, count = render(folder, str(out.parent))
    results.write_whole(out, page)
    return count
