# SPDX-License-Identifier: Apache-2.0
"""Trainings killed at random moments, several times in a row, and resumed: the checkpoint has the bytes of an uninterrupted run."""
import os
import signal
import subprocess
import time

import data_files
import seeds
from campaign import Campaign, Skip
from case import Case, Result

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
TRAINING = {**seeds.TRAIN, "network": {"hidden": [48], "classes": 10}, "epochs": 40, "checkpoint_every": 3}
WORKLOADS = {
    "images": (TRAINING, data_files.DIGITS),
    "pruned": ({**TRAINING, "prune": {"pattern": "4_16", "after_epochs": 20, "most_lost": 1.0}}, data_files.DIGITS),
    "stochastic": ({**TRAINING, "precision": "stochastic"}, data_files.DIGITS),
    "text": ({**seeds.TRAIN_TEXT, "steps": 60, "evaluate": {"every": 20, "windows": 2}, "checkpoint_every": 4}, data_files.TEXT),
}


def is_caught(pid, number):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            mask = next((line.split()[1] for line in file if line.startswith("SigCgt:")), "0")
    except OSError:
        return True
    return bool(int(mask, 16) >> (number - 1) & 1)


class Kills(Campaign):
    name = "kills"
    meaning = "trainings killed at random moments and resumed"
    cases = 60

    def prepare(self, context):
        self.whole, self.seconds = {}, {}
        for kind, (tree, files) in WORKLOADS.items():
            folder = context.scratch / f"whole_{kind}"
            Case("", [], {**files, "w.yaml": seeds.dump(tree)}).write(folder)
            begin = time.monotonic()
            run = subprocess.run(self.command(context, False), cwd=folder, capture_output=True, check=False)
            if run.returncode != 0:
                raise Skip(f"a training of kind {kind} does not pass: {run.stderr.decode(errors='replace').strip()}")
            self.seconds[kind] = time.monotonic() - begin
            self.whole[kind] = (folder / "c.ck").read_bytes()

    def command(self, context, resume):
        return [context.tern, "run", "w.yaml", "--quiet", "--checkpoint", "c.ck", *(["--resume"] if resume else [])]

    def killed(self, context, folder, number, after):
        """(exit code, output) of a run that gets a signal."""
        process = subprocess.Popen(self.command(context, (folder / "c.ck").exists()), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        try:
            out, _ = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            # Before the training has begun nothing is caught, and there is nothing to keep.
            begun = number == signal.SIGKILL or is_caught(process.pid, number)
            os.kill(process.pid, number)
            try:
                out, _ = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                out, _ = process.communicate()
                return None, out
            return (0 if not begun and process.returncode == -number else process.returncode), out
        return process.returncode, out

    def perform(self, context, rng, number, folder):
        kind = rng.choice(sorted(WORKLOADS))
        tree, files = WORKLOADS[kind]
        kills = [(rng.choice(SIGNALS), rng.random() * self.seconds[kind] * 1.1) for _ in range(rng.choice((1, 1, 2, 5)))]
        case = Case(f"{kind}, killed by {', '.join(f'{number.name} after {after:.3f} s' for number, after in kills)}",
                    ["run", "w.yaml", "--quiet", "--checkpoint", "c.ck", "--resume"], {**files, "w.yaml": seeds.dump(tree)})
        case.write(folder)
        found, hard = [], False
        for which, after in kills:
            code, out = self.killed(context, folder, which, after)
            hard = which == signal.SIGKILL
            if code is None:
                found.append(f"did not end within 60 s of {which.name}")
            elif code not in ((0, -which) if hard else (0, 1)):
                found.append(f"{which.name} after {after:.3f} s: exit code {code}: {out[-200:].decode('utf-8', 'replace').strip()}")
            left = sorted(set(os.listdir(folder)) - set(case.files) - {"c.ck"})
            if left and not (hard and all(".partial" in name for name in left)):
                found.append(f"left behind: {left[0]}")
        end = subprocess.run(self.command(context, (folder / "c.ck").exists()), cwd=folder, capture_output=True, check=False)
        if end.returncode != 0:
            found.append(f"the last run ends with exit code {end.returncode}")
        elif (folder / "c.ck").read_bytes() != self.whole[kind]:
            found.append("the checkpoint is not that of an uninterrupted run")
        # What a killed run has left is replaced by the next one.
        left = sorted(set(os.listdir(folder)) - set(case.files) - {"c.ck"})
        if left:
            found.append(f"left behind in the end: {left[0]}")
        return case, Result(end.returncode, end.stdout, end.stderr), found
