# SPDX-License-Identifier: Apache-2.0
"""Which mutants of the RTL a campaign tries: some of every file and kind, chosen by a seed."""
import random

from mutations import KINDS, mutants_of

# Of a file: one for this many candidates, within bounds.
CANDIDATES = 45
FEWEST, MOST = 4, 9


def choose(file, source, seed, number=None):
    """`number` mutants of a file; by default as many as its size asks for. A choice depends on the file's text and the seed only."""
    candidates = mutants_of(file, source)
    if number is None:
        number = min(MOST, max(FEWEST, len(candidates) // CANDIDATES))
    generator = random.Random(f"{seed} {file}")
    piles = {kind: [m for m in candidates if m.kind == kind] for kind in KINDS}
    for pile in piles.values():
        generator.shuffle(pile)
    order = list(KINDS)
    generator.shuffle(order)
    chosen, lines = [], set()
    # By kinds in rotation. First one for a line at most, then what is left.
    for spread in (True, False):
        progress = True
        while progress and len(chosen) < number:
            progress = False
            for kind in order:
                for mutant in piles[kind]:
                    line = source.count("\n", 0, mutant.start)
                    if (spread and line in lines) or len(chosen) >= number:
                        continue
                    piles[kind].remove(mutant)
                    chosen.append(mutant)
                    lines.add(line)
                    progress = True
                    break
    return sorted(chosen, key=lambda m: (m.start, m.end, m.text))


def statement_of(mutant, source):
    """The lines around what is replaced, in one."""
    begin = source.rfind("\n", 0, mutant.start) + 1
    end = source.find("\n", mutant.end)
    return " ".join(source[begin:end if end >= 0 else len(source)].split())


def described(mutants, source):
    """For each mutant of a file what people read, and what names it without a line number."""
    seen = {}
    for mutant in mutants:
        entry = {"file": mutant.file, "line": source.count("\n", 0, mutant.start) + 1, "kind": mutant.kind,
                 "code": statement_of(mutant, source), "original": mutant.original(source), "mutated": mutant.shown}
        name = (entry["code"], entry["original"], entry["mutated"])
        entry["copy"] = seen[name] = seen.get(name, 0) + 1
        yield entry
