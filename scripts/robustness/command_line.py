# SPDX-License-Identifier: Apache-2.0
"""Random options and values of every command."""
import re
import subprocess

import data_files
import seeds
from campaign import Campaign
from case import Case

COMMANDS = ("run", "dma", "hbm", "kernels", "config show", "config diff", "config validate")
VALUES = ("", "0", "1", "-1", "2", "7", "64", "65", "1e9", "4294967296", "18446744073709551616", "nan", "inf", "0.5", "x", "..", ".", "/", "/dev/null",
          "trn1", "trn2", "trn3", "trn9", "model", "rtl", "both", "all", "tensor,exp", "tensor,tensor", ",", "0,1", "1,0,1", "hbm-sbuf", "sbuf-sbuf",
          "host", "hardware", "software", "bytes", "element", "a=b", "cores=1", "cores=1,2", "dma.shares=[0,0,0,0]", "dma.shares=[0", "=", "cores", "cores=",
          "\x1b[31mx", "a\nb", "\u00e9", "\udcff", "x" * 3000, "w.yaml", "a.npy", "out", "out/x/y", "w.fst", "core0.vector instruction 3", "core0", "--", "-",
          "--help", "--json", "matmul", "softmax")
SMALL = {"--stream": "300", "--random": "300"}


def options_of(context, command):
    text = subprocess.run([context.tern, *command.split(), "--help"], capture_output=True, text=True, check=False).stdout
    return sorted(set(re.findall(r"^ +(?:-h,)?(--[a-z-]+)", text, re.M)))


class CommandLine(Campaign):
    name = "options"
    meaning = "random options and values on the command line"
    cases = 800

    def prepare(self, context):
        self.options = {command: options_of(context, command) for command in COMMANDS}
        if not all(self.options.values()):
            raise ValueError("tern COMMAND --help: options are not found in it")

    def make(self, context, rng, number):
        command = rng.choice(COMMANDS + ("run",) * 4)
        words = command.split()
        kind = rng.choice(("matmul", "matmul", "norm", "sweep", "train", "qos", "moe"))
        tree, files = seeds.SEEDS[kind]
        files = {**data_files.PRODUCT, **files, "w.yaml": seeds.dump(tree)}
        if command == "run" and rng.random() < 0.9:
            words.append("w.yaml")
        if command == "hbm" and rng.random() < 0.7:
            words += rng.choice((["--stream", "200"], ["--random", "200"]))
        for _ in range(rng.choice((1, 1, 2, 2, 3, 6))):
            option = rng.choice(self.options[command] + ["--nothing", "-x", "--"])
            words.append(option)
            if rng.random() < 0.7:
                words.append(SMALL.get(option) if option in SMALL and rng.random() < 0.5 else rng.choice(VALUES))
        if rng.random() < 0.05:
            words = [rng.choice(VALUES), *words]
        # A value may be what is wrong, and so locate the refusal, as may the name of a command.
        places = tuple(word[:20] for word in words if len(word) > 1) + ("tern: ", )
        return Case(" ".join(words), words, files, places=places, seconds=15)
