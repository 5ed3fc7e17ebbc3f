# SPDX-License-Identifier: Apache-2.0
"""Workload files of every kind, damaged: each is accepted, or refused in one line with file, line and key."""
import re

import seeds
import yaml_mutations
from campaign import Campaign
from case import Case

OUTPUTS = (["--report", "out"], ["--trace", "t.json"], ["--wave", "w.fst"], ["--json"], [])
# Numbers of a valid workload that decide how much there is to do; a file of the tree is made small by them.
SMALLER = {"count": 16, "epochs": 1, "steps": 2, "seq": 128, "m": 32, "k": 32, "n": 32, "tokens": 128, "width": 128, "layers": 8, "weights_kib": 64,
           "hidden": 128, "batch": 16, "batch_per_core": 16}


def example(rng, root):
    """A workload file of sw/examples with its comments, made small, changed in its text."""
    path = rng.choice(sorted((root / "sw/examples").rglob("*.yaml")))
    text = path.read_text(encoding="utf-8")
    for key, value in SMALLER.items():
        text = re.sub(rf"\b{key}: \d+", f"{key}: {value}", text)
    change = rng.choice(yaml_mutations.TEXT)
    return f"{path.name}: {change.__name__}", change(rng, text)


class Workloads(Campaign):
    name = "workloads"
    meaning = "mutated workload files of every kind"
    cases = 1200

    def make(self, context, rng, number):
        files, kind = {}, rng.choice(sorted(seeds.SEEDS))
        if rng.random() < 0.1:
            what, text = example(rng, context.root)
        else:
            tree, files = seeds.SEEDS[kind]
            what, text = yaml_mutations.mutate(rng, tree, seeds.dump)
            what = f"{kind}: {what}"
        return Case(what, ["run", "w.yaml", "--quiet", *rng.choice(OUTPUTS)], {**files, "w.yaml": text})
