# SPDX-License-Identifier: Apache-2.0
"""What may be changed in a SystemVerilog file, and how: every mutant that there could be."""
import dataclasses
import re

from sv_tree import Reader

KINDS = ("operator", "constant", "condition", "stuck bit", "enable")

OTHER_OPERATORS = {
    "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",),
    "&": ("|", "^"), "|": ("&",), "^": ("|", "&"), "&&": ("||",), "||": ("&&",),
    "==": ("!=",), "!=": ("==",), "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
    "<<": (">>",), ">>": ("<<",), "<<<": (">>>",), ">>>": (">>",),
}
OTHER_REDUCTIONS = {"&": "|", "|": "&", "^": "|", "~&": "~|", "~|": "~&"}
NUMBER = re.compile(r"(\d*)'([sS]?)([bodhBODH])([0-9a-fA-F_]+)$")
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}

# The value of an assignment with one bit stuck. {x}: the value, {t}: what has its width.
STUCK = (
    ("lowest bit stuck at 0", "({x}) & $signed({{$bits({t}){{1'b1}}}} << 1)"),
    ("lowest bit stuck at 1", "({x}) | $signed(~({{$bits({t}){{1'b1}}}} << 1))"),
    ("highest bit stuck at 0", "({x}) & $signed({{$bits({t}){{1'b1}}}} >> 1)"),
    ("highest bit stuck at 1", "({x}) | $signed(~({{$bits({t}){{1'b1}}}} >> 1))"),
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str      # below rtl/
    kind: str
    start: int     # of what is replaced
    end: int
    text: str      # the code; empty: the statement is left out
    shown: str     # for people

    def original(self, source):
        return " ".join(source[self.start:self.end].split())


def other_numbers(text):
    """Numbers of the same width."""
    if text in ("'0", "'1"):
        return ["'1" if text == "'0" else "'0"]
    match = NUMBER.match(text)
    if not match:
        return [str(int(text) + 1)] + ([str(int(text) - 1)] if int(text) > 0 else []) if text.isdigit() else []
    width, sign, base, digits = match.groups()
    value, base = int(digits, BASES[base.lower()]), base.lower()
    limit = 1 << int(width or 32)
    if base == "h":  # a mask or pattern: other lowest and highest bit
        others = {value ^ 1, value ^ (1 << max(0, value.bit_length() - 1))}
    else:
        others = {(value + 1) % limit, (value - 1) % limit}
    spell = {"b": "b", "o": "o", "d": "d", "h": "X"}[base]
    return [f"{width}'{sign}{base}{other:{spell}}" for other in sorted(others - {value})]


def of_node(node, source):
    """(kind, node replaced, its new text, text for people) for an expression and what is in it. The new text has its width and sign."""
    text = source[node.start:node.end]
    part = [source[p.start:p.end] for p in node.parts]
    if node.kind == "number":
        for other in other_numbers(text):
            yield "constant", node, other, other
    elif node.kind == "name":
        if re.search(r"(^|:)[A-Z]\w*$", text):
            yield "constant", node, f"{text} ^ 1'b1", f"{text} ^ 1'b1"
    elif node.kind == "unary":
        if node.operator == "!":
            yield "operator", node, f"|({part[0]})", part[0]
        elif node.operator in ("~", "-"):
            yield "operator", node, part[0], part[0]
        elif node.operator in OTHER_REDUCTIONS:
            other = OTHER_REDUCTIONS[node.operator] + part[0]
            yield "operator", node, other, other
    elif node.kind == "binary":
        left, right = node.parts
        for other in OTHER_OPERATORS.get(node.operator, ()):
            gap = source[left.end:right.start].replace(node.operator, other, 1)
            new = source[node.start:left.end] + gap + source[right.start:node.end]
            yield "operator", node, new, new
        if node.operator in ("&&", "||"):
            for side in part:
                yield "condition", node, f"|({side})", side
    elif node.kind == "choice":
        for value in ("1'b1", "1'b0"):
            yield "condition", node.parts[0], value, value
    for inner in node.parts:
        yield from of_node(inner, source)


def of_place(place, source):
    """(kind, node replaced, its new text, text for people)"""
    node = place.node
    text = source[node.start:node.end]
    if place.kind == "update":
        yield "enable", node, "", "no update"
        return
    if place.kind == "condition":
        if text == "!rst_ni":
            yield "condition", node, "1'b0", "1'b0"
            return
        yield "enable" if place.block == "clocked" else "condition", node, "1'b1", "1'b1"
        yield "condition", node, "1'b0", "1'b0"
        yield "condition", node, f"!({text})", f"!({text})"
    if place.block == "combinational" and text in ("'0", "'1"):
        return  # a default for branches that do not need the value
    if place.kind in ("value", "port") and "'{" not in text:
        target = place.target or text
        if node.kind != "number" and target and not target.startswith("{"):
            for name, form in STUCK:
                if place.block == "subroutine" and name == "highest bit stuck at 0":
                    continue  # rows compute in words of 32 bits, which are wider than their numbers
                yield "stuck bit", node, form.format(x=text, t=target), name
    for kind, part, new, shown in of_node(node, source):
        yield kind, part, new, " ".join(shown.split())


def mutants_of(file, source):
    """All mutants of a file of rtl/, in the order of the text."""
    found = {}
    for place in Reader(source).places:
        for kind, node, text, shown in of_place(place, source):
            found.setdefault((node.start, node.end, text), Mutant(file, kind, node.start, node.end, text, shown))
    return [found[key] for key in sorted(found)]
