#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains with `tern` and reads the checkpoints as docs/reference/checkpoint.md says: they hold what the reports and the .npy files hold.

Usage: check_checkpoint.py TERN SOURCE_FOLDER
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


class Checkpoint:
    def __init__(self, data):
        body, (checksum,) = data[:-4], struct.unpack("<I", data[-4:])
        assert zlib.crc32(body) == checksum
        text, _, arrays = body.partition(b"\n\n")
        lines = text.decode("ascii").split("\n")
        assert lines[0] == "tern training checkpoint 3"
        pairs = [line.split("=", 1) for line in lines[1:]]
        end = [name for name, _ in pairs].index("step")
        self.settings = dict(pairs[:end])
        (step, changed, steps, evaluations), sizes = pairs[end:end + 4], pairs[end + 4:]
        assert [step[0], changed[0], steps[0], evaluations[0]] == ["step", "changed", "steps", "evaluations"]
        self.step, self.changed = int(step[1]), float(changed[1])
        assert int(steps[1]) == self.step and all(name == "tensor" for name, _ in sizes)
        self.tensors = []
        for _, size in sizes:
            self.tensors.append(arrays[:int(size)])
            arrays = arrays[int(size):]

        def take(form, count):
            nonlocal arrays
            size = struct.calcsize("<" + form)
            values = list(struct.iter_unpack("<" + form, arrays[:count * size]))
            arrays = arrays[count * size:]
            return values
        self.losses = [x for x, in take("f", self.step)]
        self.correct = [x for x, in take("I", self.step)]
        self.evaluations = take("Qd", int(evaluations[1]))
        assert not arrays


def npy_values(path):
    """The FP32 values of a .npy file of version 1, as bytes."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00" and b"'<f4'" in data[10:138]
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


def widened(bf16):
    """BF16 as FP32: the upper half of the word."""
    return b"".join(b"\0\0" + bf16[i:i + 2] for i in range(0, len(bf16), 2))


def main():
    tern, source = map(os.path.realpath, sys.argv[1:3])
    data = os.path.join(source, "sw/examples/digits/data")
    images = "{images: %s/t10k-images-idx3-ubyte.gz, labels: %s/t10k-labels-idx1-ubyte.gz, count: 200}" % (data, data)
    sgd, adamw = "{kind: sgd, learning_rate: 0.1}", "{kind: adamw, learning_rate: 0.003}"
    head = f"kind: train\nnetwork: {{hidden: [16], classes: 10}}\nbatch: 40\nepochs: 2\ndata: {{training: {images}, test: {images}}}\n"
    shapes = [(784, 16), (16, 10)]
    with tempfile.TemporaryDirectory() as folder:
        def train(text):
            with open(os.path.join(folder, "w.yaml"), "w", encoding="utf-8") as file:
                file.write(text + "output: trained\n")
            command = [tern, "run", "w.yaml", "--json", "--quiet", "--report", "out"]
            result = subprocess.run(command, capture_output=True, cwd=folder, check=False)
            if result.returncode != 0:
                sys.exit(f"{text}\nexit code {result.returncode}\n{result.stderr}")
            with open(os.path.join(folder, "out/w.checkpoint"), "rb") as file:
                return Checkpoint(file.read()), json.loads(result.stdout)

        def weights(name):
            return npy_values(os.path.join(folder, "out/trained", name + ".npy"))

        for precision, optimiser, prune in (("bf16", sgd, False), ("fp32", adamw, False), ("stochastic", adamw, False), ("bf16", sgd, True)):
            text = head + f"precision: {precision}\noptimiser: {optimiser}\n"
            checkpoint, report = train(text + ("prune: {pattern: 4_16, after_epochs: 1}\n" if prune else ""))
            what = f"{precision}, {checkpoint.settings['optimiser']}{', pruned' if prune else ''}"
            check(checkpoint.settings["seed"] == "0" and checkpoint.settings["precision"] == precision, f"{what}: settings")
            check(checkpoint.step == report["steps"] == 10, f"{what}: steps")
            check(checkpoint.losses == report["loss"] and checkpoint.correct == report["correct"], f"{what}: losses, right answers")
            check(checkpoint.evaluations == [(e["step"], e["correct"]) for e in report["epochs"]], f"{what}: evaluations")
            check(checkpoint.changed == (round(report["pruning"]["accuracy_pruned"] * 200) if prune else 0), f"{what}: score when pruned")
            tensors = iter(checkpoint.tensors)
            moments = 1 if optimiser is sgd else 2
            for layer, (rows, columns) in enumerate(shapes, 1):
                weight = next(tensors)
                expected = weights(f"w{layer}")
                check(len(weight) == rows * columns * (2 if precision == "stochastic" else 4), f"{what}: size of weight {layer}")
                check((widened(weight) if precision == "stochastic" else weight) == expected, f"{what}: weight {layer}")
                check(all(len(next(tensors)) == 4 * rows * columns for _ in range(moments)), f"{what}: moments of weight {layer}")
                check(next(tensors) == weights(f"b{layer}"), f"{what}: bias {layer}")
                check(all(len(next(tensors)) == 4 * columns for _ in range(moments)), f"{what}: moments of bias {layer}")
                if prune and layer < len(shapes):
                    mask = [x for x, in struct.iter_unpack("<f", widened(next(tensors)))]
                    values = [x for x, in struct.iter_unpack("<f", weight)]
                    kept = sum(mask)
                    check(set(mask) == {0.0, 1.0} and kept == len(mask) / 4, f"{what}: mask")
                    check(all(m == 1 or v == 0 for m, v in zip(mask, values)), f"{what}: pruned weights are zero")
            if precision == "stochastic":
                check(len(next(tensors)) == 128 * 24 * 4, f"{what}: generators")
            check(not list(tensors), f"{what}: nothing else")

        with open(os.path.join(folder, "book.txt"), "w", encoding="ascii") as file:
            file.write("the whale and the ship and the sea. " * 100)
        checkpoint, report = train("kind: train\ndata: {text: book.txt, alphabet: ' =abcdefghijklmnopqrstuvwxyz.'}\n"
                                   "network: {width: 32, heads: 2, blocks: 1, context: 16}\nbatch: 8\nsteps: 5\n"
                                   f"evaluate: {{every: 5, windows: 4}}\noptimiser: {adamw}\n")
        check(checkpoint.settings["alphabet"] == " =abcdefghijklmnopqrstuvwxyz.", "text: settings")
        names = [file["result"] for file in report["written"]]
        check(len(checkpoint.tensors) == 3 * len(names) and
              all(checkpoint.tensors[3 * i] == weights(name) for i, name in enumerate(names)), "text: tensors, each with two moments")
        check(abs(checkpoint.evaluations[0][1] / 64 - report["evaluations"][0]["held_out_loss"]) < 1e-9, "text: evaluations")


if __name__ == "__main__":
    main()
