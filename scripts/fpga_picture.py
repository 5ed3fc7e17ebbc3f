# SPDX-License-Identifier: Apache-2.0
"""Draws what nextpnr has placed and routed (its --write file) on an iCE40: a square for each tile."""
import collections
import html
import json
import re

_BEL = re.compile(r"^X(\d+)/Y(\d+)/(\w+?)_?\d*$")
_WIRE = re.compile(r"^X(\d+)/Y(\d+)/")
SIDE, GAP, LEFT, TOP = 18, 24, 40, 56
LUTS = 8  # in a tile
COLOURS = {"ram": "#b45f06", "io": "#6aa84f", "spram": "#8e7cc3", "mac16": "#c27ba0"}
NAMES = {"ram": "block RAM", "io": "pin", "spram": "single-port RAM", "mac16": "DSP"}


def _count(design):
    """By tile: logic cells, other cells by kind, wires that carry a signal."""
    module = next(m for m in design["modules"].values() if m.get("attributes", {}).get("top") or len(design["modules"]) == 1)
    logic, others, wires = collections.Counter(), collections.defaultdict(set), collections.Counter()
    for cell in module["cells"].values():
        match = _BEL.match(cell.get("attributes", {}).get("NEXTPNR_BEL", ""))
        if not match:
            continue
        tile, kind = (int(match[1]), int(match[2])), match[3]
        if kind == "lc":
            logic[tile] += 1
        elif kind in COLOURS:
            others[tile].add(kind)
    for net in module["netnames"].values():
        for wire in net.get("attributes", {}).get("ROUTING", "").split(";")[::3]:
            match = _WIRE.match(wire)
            if match:
                wires[int(match[1]), int(match[2])] += 1
    return logic, others, wires


def _blend(part):
    """White to dark blue."""
    part = min(1.0, part)
    return "#" + "".join(f"{round(255 + (to - 255) * part):02x}" for to in (11, 60, 130))


def _panel(left, title, columns, rows, colour_of, text_of):
    parts = [f'<text x="{left}" y="{TOP - 10}" font-weight="bold">{html.escape(title)}</text>']
    for x in range(columns):
        for y in range(rows):
            at = f'x="{left + SIDE * x}" y="{TOP + SIDE * (rows - 1 - y)}"'
            parts.append(f'<rect {at} width="{SIDE - 1}" height="{SIDE - 1}" fill="{colour_of((x, y))}">'
                         f"<title>{html.escape(text_of((x, y)))}</title></rect>")
    return parts


def draw(source, title):
    """The picture as SVG; `source`: nextpnr's file."""
    logic, others, wires = _count(json.loads(source.read_text()))
    tiles = set(logic) | set(others) | set(wires)
    columns, rows = (1 + max(tile[d] for tile in tiles) for d in (0, 1))
    most = max(wires.values())

    def cell_colour(tile):
        return COLOURS[min(others[tile])] if tile in others else _blend(logic[tile] / LUTS) if logic[tile] else "#f2f2f2"

    def cell_text(tile):
        kinds = ", ".join(NAMES[kind] for kind in sorted(others[tile])) if tile in others else f"{logic[tile]} logic cells"
        return f"X{tile[0]} Y{tile[1]}: {kinds}"
    right = LEFT + SIDE * columns + GAP
    parts = _panel(LEFT, f"Cells: {sum(logic.values()):,} logic cells (dark: all {LUTS} of a tile)", columns, rows, cell_colour, cell_text)
    parts += _panel(right, f"Wires that carry a signal, by tile (dark: {most})", columns, rows,
                    lambda tile: _blend(wires[tile] / most) if wires[tile] else "#f2f2f2",
                    lambda tile: f"X{tile[0]} Y{tile[1]}: {wires[tile]} wires")
    bottom = TOP + SIDE * rows + 20
    x = LEFT
    for kind, colour in COLOURS.items():
        parts.append(f'<rect x="{x}" y="{bottom - 12}" width="14" height="14" fill="{colour}"/>'
                     f'<text x="{x + 20}" y="{bottom}">{NAMES[kind]}</text>')
        x += 140
    width, height = right + SIDE * columns + LEFT, bottom + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">'
            f'<rect width="100%" height="100%" fill="white"/><text x="{LEFT}" y="26" font-size="17">{html.escape(title)}</text>'
            + "".join(parts) + "</svg>\n")
