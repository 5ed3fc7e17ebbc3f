# SPDX-License-Identifier: Apache-2.0
"""Chips at the bounds of their settings, and random combinations of values that are accepted one by one."""
import json
import re
import subprocess

import seeds
from campaign import Campaign
from case import Case

RANGE = re.compile(r"expected (?:a (?:whole )?number from )?(-?[\d.e+]+) to (-?[\d.e+]+)")
CHOICE = re.compile(r"expected (?:one of )?([a-z_]+(?:, [a-z_]+)*(?:,? or [a-z_]+)?)(?:,|$)")
SHARES = ("[0, 0, 0, 0]", "[1, 0, 0, 0]", "[0.25, 0.25, 0.25, 0.25]", "[0.6, 0, 0.2, 0.2]")
RUNS = (["run", "w.yaml", "--quiet"], ["run", "w.yaml", "--quiet", "--tensor", "both"], ["dma", "--quiet"], ["dma", "--bytes", "64", "--quiet"],
        ["hbm", "--random", "300", "--writes", "40", "--quiet"], ["hbm", "--stream", "300", "--quiet"])
WORKLOADS = ("matmul", "sweep", "kernel", "norm", "qos", "train", "moe", "train_scaling")


class Chips(Campaign):
    name = "chips"
    meaning = "settings at their bounds, and random combinations of accepted ones"
    cases = 600

    def ask(self, context, *words):
        return subprocess.run([context.tern, "config", "show", *words], capture_output=True, text=True, check=False, errors="replace")

    def prepare(self, context):
        """The values of each key: its bounds are what a refusal says."""
        self.values, self.choices = {}, []
        for entry in keys_of(json.loads(self.ask(context, "trn3", "--json").stdout)):
            key, value = entry
            if key == "name":
                continue
            if value in ("true", "false"):
                self.values[key] = ["true", "false"]
            elif value.startswith("["):
                self.values[key] = list(SHARES)
            else:
                number = re.fullmatch(r"[\d.e+-]+", value)
                said = self.ask(context, "--set", f"{key}={'1e300' if number else 'nothing'}").stderr
                bounds, words = RANGE.search(said), CHOICE.search(said)
                if bounds:
                    low, high = float(bounds[1]), float(bounds[2])
                    self.values[key] = [low, high, (low, high, "whole number" in said)]
                elif words:
                    self.values[key] = re.findall(r"[a-z_]+", words[1].replace(" or ", " "))
        if len(self.values) < 40:
            raise ValueError("tern config show: the settings have another form than this campaign expects")
        self.keys = sorted(self.values)

    def value(self, rng, key):
        value = rng.choice(self.values[key])
        if isinstance(value, tuple):
            low, high, whole = value
            # As many small ones as large ones.
            value = low + (high - low) * rng.random() ** rng.choice((1, 4, 16))
            return str(round(value)) if whole else repr(value)
        return f"{value:.17g}" if isinstance(value, float) else value

    def make(self, context, rng, number):
        chosen = [self.keys[number % len(self.keys)]] if rng.random() < 0.5 else rng.sample(self.keys, rng.choice((2, 3, 5, 12)))
        settings = {key: self.value(rng, key) for key in chosen}
        preset, kind = rng.choice(("trn1", "trn2", "trn3", "trn3")), rng.choice(WORKLOADS)
        tree, files = seeds.SEEDS[kind]
        arguments = list(rng.choice(RUNS))
        if kind == "qos" or kind.startswith("train") or "matmul" not in kind:
            arguments = [word for word in arguments if word not in ("--tensor", "both")]
        if arguments[0] == "run":
            files = {**files, "w.yaml": seeds.dump(tree)}
        else:
            files = {}
        if rng.random() < 0.5:
            files["c.yaml"] = f"preset: {preset}\n" + nested(settings)
            arguments += ["--chip", "./c.yaml"]
        else:
            arguments += ["--chip", preset] + [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        what = f"{preset} {kind if arguments[0] == 'run' else arguments[0]} " + " ".join(f"{key}={value}" for key, value in settings.items())
        return Case(what, arguments, files, places=tuple(chosen), address_gb=48)


def keys_of(shown):
    """(key, value) of the settings in the JSON of `tern config show`."""
    if isinstance(shown, dict) and "settings" in shown:
        shown = shown["settings"]
    if isinstance(shown, list):
        return [(entry["key"], entry["value"]) for entry in shown]
    return [(key, entry.get("value") if isinstance(entry, dict) else entry) for key, entry in shown.items()]


def nested(settings):
    tree = {}
    for key, value in settings.items():
        at = tree
        *path, last = key.split(".")
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value

    def text(node):
        return "{" + ", ".join(f"{key}: {text(value) if isinstance(value, dict) else value}" for key, value in node.items()) + "}"
    return "".join(f"{key}: {text(value) if isinstance(value, dict) else value}\n" for key, value in tree.items())
