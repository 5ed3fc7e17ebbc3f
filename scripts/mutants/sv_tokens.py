# SPDX-License-Identifier: Apache-2.0
"""The words of a SystemVerilog source, with their positions.

Left out: comments, attributes, directives, the text between `ifdef and `endif, and macros with arguments (assertions).
Of a macro that states a range the word is left, in a bracket that begins with the macro's name (rtl/common/tern_range.svh).
"""
import dataclasses
import re

OPERATORS = ("<<<=", ">>>=", "===", "!==", "==?", "!=?", "<<<", ">>>", "<<=", ">>=", "|->", "|=>", "&&", "||", "==", "!=", "<=", ">=",
             "<<", ">>", "**", "++", "--", "+=", "-=", "~&", "~|", "~^", "^~", "::", "+:", "-:", "->", "'{")
WORD = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|\(\*(?!\s*\)).*?\*\))
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<number>(?:\d[\d_]*\s*)?'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+|'[01xz](?![\w'])|\d[\d_]*)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<macro>`\w+)
  | (?P<operator>""" + "|".join(re.escape(o) for o in OPERATORS) + r"""|[^\w\s])
""", re.X | re.S)


RANGES = ("`TERN_UNSIGNED", "`TERN_SIGNED")  # (bits, word)


@dataclasses.dataclass
class Token:
    kind: str  # string, number, name or operator
    text: str
    start: int
    end: int


def end_of_parentheses(source, begin):
    """The position after the bracket that closes the one at `begin`."""
    depth = 0
    for match in WORD.finditer(source, begin):
        if match.lastgroup == "operator":
            depth += {"(": 1, ")": -1}.get(match.group(), 0)
            if depth == 0:
                return match.end()
    raise ValueError(f"no end of the bracket at {begin}")


def tokens_of(source):
    """(words, names called in the arguments of macros)"""
    result, in_macros = [], set()
    position, ifdefs = 0, 0
    while position < len(source):
        match = WORD.match(source, position)
        kind, text = match.lastgroup, match.group()
        position = match.end()
        if kind == "macro":
            if text in ("`ifdef", "`ifndef"):
                ifdefs += 1
            elif text == "`endif":
                ifdefs -= 1
            if text in ("`include", "`define", "`ifdef", "`ifndef", "`elsif", "`timescale"):
                position = source.find("\n", position) % (len(source) + 1)
            elif text in RANGES and not ifdefs:
                begin = source.index("(", position)
                result.append(Token("operator", "(", match.start(), begin + 1))
                position = source.index(",", begin) + 1
            elif re.match(r"\s*\(", source[position:]):
                begin = source.index("(", position)
                position = end_of_parentheses(source, begin)
                in_macros.update(re.findall(r"(\w+)\s*\(", source[begin:position]))
            continue
        if kind != "space" and not ifdefs:
            result.append(Token(kind, text, match.start(), match.end()))
    return result, in_macros
