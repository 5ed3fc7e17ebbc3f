# SPDX-License-Identifier: Apache-2.0
"""Submits each stage as a job of Slurm. Jobs that use the same build folder follow each other."""
import re
import shlex
import shutil
import subprocess

import terminal


def sbatch(name, command, output, folder, options):
    """Number of the new job that runs the command in the folder; ValueError with Slurm's reason if it is refused."""
    run = subprocess.run(["sbatch", "--parsable", f"--job-name={name}", f"--output={output}", f"--chdir={folder}", "--no-requeue",
                          "--signal=B:TERM@60", *options, f"--wrap=exec {shlex.join(map(str, command))}"],
                         capture_output=True, text=True, errors="replace", check=False)
    number = re.match(r"\d+", run.stdout.strip())
    if run.returncode != 0 or not number:
        raise ValueError((run.stderr.strip().splitlines() or ["no number of a job"])[-1])
    return number[0]


def submit(folder, root, name, command, after, alone):
    """Number of the new job; ValueError with one line if Slurm refuses it."""
    # Afterany: a stage that failed is no reason to leave out the next one.
    dependency = [f"--dependency=afterany:{':'.join(after)}"] if after else []
    try:
        return sbatch(f"tern-{name}", command, f"{folder}/slurm-%j-{name}.txt", root, [*(["--exclusive"] if alone else []), *dependency])
    except ValueError as error:
        raise ValueError(f"--slurm: sbatch refused the stage {name}: {error}") from None


def submit_all(stages, commands, page, folder, root):
    """One job a stage (commands: by name), and the page (a command or None) when all have ended; the numbers of the jobs by name."""
    if not shutil.which("sbatch"):
        raise ValueError("--slurm: there is no program sbatch: install Slurm, or run without --slurm")
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {}
    for stage in stages:
        after = [jobs[name] for name in stage.after if name in jobs]
        jobs[stage.name] = submit(folder, root, stage.name, commands[stage.name], after, stage.alone)
        terminal.say(f"job {jobs[stage.name]}: {stage.name}" + (f", after {', '.join(after)}" if after else ""))
    if page:
        jobs["page"] = submit(folder, root, "page", page, list(jobs.values()), False)
        terminal.say(f"job {jobs['page']}: page, after all")
    return jobs
