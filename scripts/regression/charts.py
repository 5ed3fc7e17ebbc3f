# SPDX-License-Identifier: Apache-2.0
"""Pictures of a history as inline SVG: no script, no network, colours from the page's style."""
import math

import markup

POINTS = 60  # the last ones of a history
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 150, 46, 10, 10, 24


def ticks(low, high, count=3, least=0.0, most=None):
    """Round numbers that enclose a range; `least`: the smallest step; `most`: what values cannot exceed."""
    if high <= low:
        pad = max(abs(low) * 0.02, least) or 1
        low, high = (low - pad if low else 0), high + pad
    step = max((high - low) / count, least)
    unit = 10 ** math.floor(math.log10(step))
    step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= step * 0.999)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    marks = [round(step * at, 10) for at in range(first, last + 1)]
    return [mark for mark in marks if most is None or mark <= max(most, marks[1])]


def point_text(result, value, unit):
    """What the pointer shows."""
    return markup.text(f"{markup.number(value)}{unit}  {result['commit'][:8]}  {result['date'][:10]}  {result['subject']}")


def x_of(at, count):
    room = WIDTH - LEFT - RIGHT
    return LEFT + (room / 2 if count == 1 else 8 + (room - 16) * at / (count - 1))


def frame(marks, results, unit):
    """(axis as SVG, function from values to y)"""
    low, high = marks[0], marks[-1]

    def y_of(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)
    svg = [f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_of(m):.1f}" y2="{y_of(m):.1f}"/>'
           f'<text x="{LEFT - 6}" y="{y_of(m) + 4:.1f}" text-anchor="end">{markup.number(m)}{unit.strip() if unit == " %" else ""}</text>'
           for m in marks]
    ends = [(0, "start" if len(results) > 1 else "middle")] + ([(len(results) - 1, "end")] if len(results) > 1 else [])
    for at, anchor in ends:
        x = x_of(at, len(results)) if anchor == "middle" else LEFT if anchor == "start" else WIDTH - RIGHT
        svg.append(f'<text x="{x:.1f}" y="{HEIGHT - 7}" text-anchor="{anchor}">'
                   f'{markup.text((results[at]["commit"] or "no commit")[:8] + ", " + results[at]["date"][5:10])}</text>')
    return svg, y_of


def whole(lines):
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{"".join(lines)}</svg>'


def line_chart(results, series, unit):
    """One line for each of `series`: (class of its colour, a value or None for each result)."""
    results = results[-POINTS:]
    series = [(kind, values[-POINTS:]) for kind, values in series]
    known = [v for _, values in series for v in values if v is not None]
    if not known:
        return ""
    marks = ticks(min(known), max(known), most=100 if unit == " %" else None, least=0.02 if unit == " %" else 1 if all(v == int(v) for v in known) else 0)
    svg, y_of = frame(marks, results, unit)
    for kind, values in series:
        points, pieces = [], [[]]
        for at, value in enumerate(values):
            if value is None:
                pieces.append([])
                continue
            x, y = x_of(at, len(values)), y_of(value)
            pieces[-1].append(f"{x:.1f},{y:.1f}")
            points.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{3 if len(values) < 30 else 2}">'
                          f"<title>{point_text(results[at], value, unit)}</title></circle>")
        svg += [f'<polyline class="{kind}" points="{" ".join(piece)}"/>' for piece in pieces if len(piece) > 1]
        svg += points
    return whole(svg)


def bar_chart(results, values, unit):
    """For counts that should be zero: a bar each, red; a zero is a mark on the axis."""
    results, values = results[-POINTS:], values[-POINTS:]
    svg, y_of = frame(ticks(0, max([*values, 1]), least=1), results, unit)
    wide = min(18.0, (WIDTH - LEFT - RIGHT) / max(1, len(values)) * 0.7)
    for at, value in enumerate(values):
        x = min(max(x_of(at, len(values)) - wide / 2, LEFT), WIDTH - RIGHT - wide)
        y = y_of(value) if value else y_of(0) - 2
        svg.append(f'<rect class="{"bad" if value else "good"}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" '
                   f'height="{y_of(0) - y:.1f}"><title>{point_text(results[at], value, unit)}</title></rect>')
    return whole(svg)


def spark(values):
    """A line as high as a line of text."""
    values = values[-POINTS:]
    known = [v for v in values if v is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    room = (high - low) or 1
    at = [(4 + 82 * (i / max(1, len(values) - 1)), 16 - 12 * ((v - low) / room if high > low else 0.5)) for i, v in enumerate(values)
          if v is not None]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    return (f'<svg class="spark" viewBox="0 0 90 20" aria-hidden="true"><polyline class="a" points="{line}"/>'
            f'<circle class="a" cx="{at[-1][0]:.1f}" cy="{at[-1][1]:.1f}" r="2.5"/></svg>')
