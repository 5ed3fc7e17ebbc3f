# SPDX-License-Identifier: Apache-2.0
"""Damaged data files of every format, and pipes, devices, folders and sparse files in their place."""
import subprocess

import byte_mutations
import checkpoints
import data_files
import seeds
from campaign import Campaign
from case import Case

TRACE = {"trace.txt": data_files.hbm_trace()}
CHIP = {"c.yaml": "preset: trn3\nhbm: {pin_gbps: 8}\n"}
SPECIAL = {"pipe": "rm -f {0}; mkfifo {0}", "zeros": "ln -sf /dev/zero {0}", "nothing": "ln -sf /dev/null {0}",
           "random": "ln -sf /dev/urandom {0}", "sparse": "rm -f {0}; truncate -s 2G {0}", "folder": "rm -f {0}; mkdir {0}",
           "itself": "rm -f {0}; ln -s {0} {0}", "absent": "rm -f {0}", "dangling": "ln -sf nowhere {0}", "memory": "ln -sf /proc/self/mem {0}"}
# Seed workloads with the files to damage.
USERS = ("mlp", "mlp_images", "matmul", "train", "train_text")


class Data(Campaign):
    name = "data"
    meaning = "mutated data files and checkpoints; pipes, devices, folders in their place"
    cases = 900

    def prepare(self, context):
        self.checkpoint = {}
        for kind in ("train", "train_text"):
            folder = context.scratch / f"good_{kind}"
            folder.mkdir()
            tree, files = seeds.SEEDS[kind]
            Case("", [], {**files, "w.yaml": seeds.dump(tree)}).write(folder / "w")
            subprocess.run([context.tern, "run", "w.yaml", "--quiet", "--checkpoint", "good.ck"], cwd=folder / "w", check=True, capture_output=True)
            self.checkpoint[kind] = (folder / "w/good.ck").read_bytes()

    def slot(self, context, rng):
        """(arguments, files, name of the file to damage, commands first)."""
        kind = rng.choice(("user",) * 6 + ("checkpoint", "checkpoint", "trace", "trace", "chip", "workload", "search"))
        if kind == "trace":
            return ["hbm", "--trace", "trace.txt", "--quiet"], dict(TRACE), "trace.txt", ()
        if kind == "chip":
            return ["dma", "--chip", "./c.yaml", "--quiet"], dict(CHIP), "c.yaml", ()
        if kind == "workload":
            return ["run", "w.yaml", "--quiet"], {"w.yaml": seeds.dump(seeds.SEEDS["sweep"][0])}, "w.yaml", ()
        if kind == "search":
            found = seeds.search(context.root)
            if found:
                tree, files, model = found
                name = rng.choice(("model.json", "vocab.json", "text.txt", "group1-shard1of7"))
                links = f"mkdir model; ln -s {model}/* model"
                if name == "text.txt":
                    return ["run", "w.yaml", "--quiet", "--no-index"], {**files, "w.yaml": seeds.dump(tree)}, name, (links,)
                data = (model / name).read_bytes()
                return (["run", "w.yaml", "--quiet", "--no-index"], {**files, "w.yaml": seeds.dump(tree), f"new/{name}": data}, f"new/{name}",
                        (links, f"rm -f model/{name}; ln -s ../new/{name} model/{name}"))
        if kind == "checkpoint":
            name = rng.choice(("train", "train_text"))
            tree, files = seeds.SEEDS[name]
            return (["run", "w.yaml", "--quiet", "--resume", "--checkpoint", "c.ck"],
                    {**files, "w.yaml": seeds.dump(tree), "c.ck": self.checkpoint[name]}, "c.ck", ())
        name = rng.choice(USERS)
        tree, files = seeds.SEEDS[name]
        return ["run", "w.yaml", "--quiet"], {**files, "w.yaml": seeds.dump(tree)}, rng.choice(sorted(files)), ()

    def make(self, context, rng, number):
        arguments, files, name, first = self.slot(context, rng)
        files = {each: data.encode() if isinstance(data, str) else data for each, data in files.items()}
        case = Case(name, arguments, files, first, bounded=True, seconds=60)
        if rng.random() < 0.15:
            # A text may be long, and is read whole.
            kind = rng.choice(sorted(set(SPECIAL) - ({"sparse"} if name == "text.txt" else set())))
            target = name
            case.prepare = (*first, SPECIAL[kind].format(target))
            case.name, case.places = f"{name}: {kind}", (target,)
        elif name == "c.ck" and rng.random() < 0.8:
            change = rng.choice((*checkpoints.REFUSED, checkpoints.values))
            files[name] = change(rng, files[name])
            case.name = f"checkpoint: {change.__name__}"
            if change is not checkpoints.values:
                case.codes = (2,)
        else:
            what, files[name] = byte_mutations.mutate(rng, files[name])
            case.name = f"{name}: {what}"
        return case
