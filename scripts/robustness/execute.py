# SPDX-License-Identifier: Apache-2.0
"""Runs one case in a new folder, within limits of time, memory and address space."""
import hashlib
import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import threading
import time

from case import Result

GRACE_SECONDS = 30  # for the end after an interruption, on a machine that is busy
MAX_MEMORY = 5 << 30  # of a run that has been accepted: the machine's other work goes first
MAX_OUTPUT = 1 << 24
MAX_DIGEST = 1 << 28
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


_running = set()


def end_all():
    """Kills what still runs: each case is in a session of its own, which an interruption does not reach."""
    for process in list(_running):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def names_in(folder):
    found = set()
    for place, folders, files in os.walk(folder):
        found |= {os.path.relpath(os.path.join(place, name), folder) for name in folders + files}
    return found


def digests(folder, case):
    """Of regular files; what a case has put in their place (pipes, links, 2 GB of nothing) is not read."""
    there = {name: (folder / name).lstat() for name in case.files if os.path.lexists(folder / name)}
    plain = [name for name, info in there.items() if stat.S_ISREG(info.st_mode) and info.st_size < MAX_DIGEST]
    return {name: hashlib.sha256((folder / name).read_bytes()).digest() for name in plain}


def memory_of(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def wait(process, case):
    """(exit code, resources, stopped, hung) of a process in a group of its own."""
    stopped, hung, end = "", False, time.monotonic() + case.seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage, stopped, hung
        now = time.monotonic()
        if memory_of(process.pid) > MAX_MEMORY and stopped != "memory":
            stopped = "memory"
            os.killpg(process.pid, signal.SIGKILL)
        elif now > end and not stopped:
            stopped, end = "time", now + GRACE_SECONDS
            os.killpg(process.pid, signal.SIGINT)
        elif now > end and not hung:
            hung = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.005)


def run_in(folder, case, tern):
    """The result of a case whose files are in the folder."""
    if case.prepare:
        # As part of the script, too, so that saved cases repeat; here it must not count as new.
        subprocess.run(["bash", "-c", "\n".join(case.prepare)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    before, digest = names_in(folder), digests(folder, case)
    script = "\n".join(case.script(tern).split("\n")[len(case.prepare):])
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**ENVIRONMENT, "HOME": str(home)}, start_new_session=True)
        _running.add(process)
        try:
            code, usage, stopped, hung = wait(process, case)
        finally:
            _running.discard(process)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(MAX_OUTPUT))
    new = tuple(sorted(names_in(folder) - before))
    after = digests(folder, case)
    return Result(code, texts[0], texts[1], usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, stopped, hung, new,
                  tuple(name for name in digest if after.get(name) != digest[name]))


_lock, _number = threading.Lock(), [0]


def fresh(scratch):
    with _lock:
        _number[0] += 1
        return pathlib.Path(scratch) / f"case{_number[0]}" / "work"
