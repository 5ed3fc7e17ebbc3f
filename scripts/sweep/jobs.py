# SPDX-License-Identifier: Apache-2.0
"""The combinations of a sweep as arrays of Slurm jobs."""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import point
import slurm
import terminal
from results import clean, write_whole

MAX_ARRAY = 1000  # elements; Slurm's MaxArraySize is 1001 unless a site sets it
LOOK_SECONDS, MAX_SILENT_LOOKS = 1, 60


def problem():
    """Why there is no Slurm to use; empty: there is one."""
    for name in ("sbatch", "squeue", "sinfo"):
        if not shutil.which(name):
            return f"there is no program {name}"
    run = subprocess.run(["sinfo", "-h"], capture_output=True, text=True, errors="replace", check=False)
    if run.returncode == 0:
        return "" if run.stdout.strip() else "it has no nodes"
    return clean((run.stderr.strip().splitlines() or ["sinfo fails"])[-1])


def queued(numbers):
    """Those of the jobs that wait or run; None: Slurm does not answer."""
    run = subprocess.run(["squeue", "-h", "-o", "%F"], capture_output=True, text=True, errors="replace", check=False)
    return None if run.returncode != 0 else sorted(set(numbers) & set(run.stdout.split()))


class Jobs:
    def __init__(self, options, digest):
        self.folder, self.tern, self.digest, self.options = options.results, options.tern, digest, options
        self.file = self.folder / "jobs.json"

    def earlier(self):
        """Numbers of an earlier call's jobs, as far as they are still queued."""
        try:
            numbers = [number for number in json.loads(self.file.read_text()) if re.fullmatch(r"\d+", number)]
        except (OSError, ValueError, TypeError):
            return []
        return queued(numbers) or []

    def submit(self, points):
        numbers = []
        for first in range(0, len(points), MAX_ARRAY):
            part = points[first:first + MAX_ARRAY]
            tasks = self.folder / f"tasks-{first}.json"
            write_whole(tasks, json.dumps({"tern": self.digest, "points": [[p.key, p.words] for p in part]}))
            limit = f"%{self.options.at_once}" if self.options.at_once else ""
            command = [sys.executable, pathlib.Path(__file__).resolve().parent / "run", "--task", tasks, "--results", self.folder, "--tern", self.tern]
            try:
                numbers.append(slurm.sbatch("tern-sweep", command, f"{self.folder}/slurm-%A-%a.txt", self.folder,
                                            [f"--array=0-{len(part) - 1}{limit}", *self.options.sbatch]))
            except ValueError as error:
                raise ValueError(f"sbatch refused the sweep: {error}") from None
            write_whole(self.file, json.dumps(numbers))
            terminal.say(f"job {numbers[-1]}: {len(part)} combinations")
        return numbers

    def wait(self, numbers, points):
        progress, silent = terminal.Progress(f"job {', '.join(numbers)}"), 0
        while True:
            left = queued(numbers)
            if left == []:
                break
            silent = silent + 1 if left is None else 0
            if silent > MAX_SILENT_LOOKS:
                raise ValueError("squeue does not answer any more: the same command continues when it does")
            done = sum(point.path_of(self.folder, p.key).exists() for p in points)
            progress.text = f"{done} of {len(points)}"
            progress.draw()
            time.sleep(LOOK_SECONDS)
        self.file.unlink(missing_ok=True)
