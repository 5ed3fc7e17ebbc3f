# SPDX-License-Identifier: Apache-2.0
"""A copy of a file that contains mutants, of which at most one acts: the one whose number the environment variable TERN_MUTANT
gives when the simulation starts."""

NUMBER = "tern_mutant_pkg::number"

PACKAGE = """\
// The number of the mutant that acts; 0: none.
package tern_mutant_pkg;
  import "DPI-C" function int unsigned tern_mutant_number();
  int unsigned number = tern_mutant_number();
endpackage
"""

# Linked into each bench.
SWITCH = """\
#include <cstdlib>

extern "C" unsigned tern_mutant_number() {
  const char* number = std::getenv("TERN_MUTANT");
  return number == nullptr ? 0 : static_cast<unsigned>(std::strtoul(number, nullptr, 10));
}
"""


def instrument(source, numbered):
    """`numbered`: pairs of a number and a mutant."""
    spans = {}
    for number, mutant in numbered:
        spans.setdefault((mutant.start, mutant.end), []).append((number, mutant))

    def rendered(begin, end, inside):
        """The text between two positions, with the mutants of these spans, outer ones first."""
        text, position = "", begin
        while inside:
            span = inside[0]
            within = [s for s in inside[1:] if s[1] <= span[1]]
            inside = [s for s in inside[1:] if s[1] > span[1]]
            text += source[position:span[0]] + wrapped(spans[span], rendered(span[0], span[1], within))
            position = span[1]
        return text + source[position:end]

    return rendered(0, len(source), sorted(spans, key=lambda s: (s[0], -s[1])))


def wrapped(mutants, text):
    for number, mutant in mutants:
        if mutant.text:
            text = f"(({NUMBER} == 32'd{number}) ? ({mutant.text}) : ({text}))"
        else:  # a statement that is left out
            text = f"begin if ({NUMBER} != 32'd{number}) {text} end"
    return text
