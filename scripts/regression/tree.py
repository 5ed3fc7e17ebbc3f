# SPDX-License-Identifier: Apache-2.0
"""What a result depends on beside its options: the commit in the tree and the machine."""
import datetime
import os
import pathlib
import subprocess

from results import clean

ROOT = pathlib.Path(__file__).resolve().parents[2]


def git(*arguments, root=ROOT):
    run = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), *arguments], capture_output=True,
                         text=True, errors="replace", check=False)
    return run.stdout.strip() if run.returncode == 0 else None


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def commit(results, root=ROOT):
    """commit, commit_date, subject, changed; a tree without git counts as changed: it has no name."""
    shown = git("log", "-1", "--format=%H%n%ct%n%s", root=root)
    if not shown:
        return {"commit": "", "commit_date": "", "subject": "", "changed": True}
    name, seconds, subject = (shown.splitlines() + [""])[:3]
    # The results may be in the tree; they are no change of it.
    outside = os.path.relpath(results, root).startswith("..")
    paths = [] if outside else ["--", ".", f":(exclude){os.path.relpath(results, root)}"]
    changed = git("status", "--porcelain", *paths, root=root) != ""
    return {"commit": name, "commit_date": utc(int(seconds)), "subject": clean(subject), "changed": changed}


def machine():
    model = "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    except OSError:
        pass
    return {"cpu": clean(model), "cpus": len(os.sched_getaffinity(0))}
