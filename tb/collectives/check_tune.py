#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/tune-collectives: what it writes tern reads, and bad input is one line. Arguments: script, tern."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SCRIPT, TERN = sys.argv[1:3]
HEAD = "# Written by scripts/tune-collectives: the fastest algorithm of each group, operation and size, as tern cc measures it.\n"
ONE = "inf2:0-1"


def run(*arguments, tern=TERN):
    return subprocess.run([SCRIPT, "--tern", tern, *arguments], capture_output=True, text=True, check=False)


def expect(what, condition, done=None):
    if not condition:
        sys.exit(f"FAILED: {what}\n{done.stdout + done.stderr if done else ''}")


def refused(message, *arguments, tern=TERN):
    done = run(*arguments, tern=tern)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("usage:", " "))]
    expect(f"{arguments}: refused with '{message}'", done.returncode != 0 and message in done.stderr and len(lines) == 1, done)


def writes_and_checks():
    done = run("-o", "mine.yaml", "--level", "packet", ONE)
    expect("a table", done.returncode == 0, done)
    lines = pathlib.Path("mine.yaml").read_text(encoding="utf-8").splitlines()
    expect("its group", lines[2:6] == ["- system: inf2", "  axes: [2]", "  level: packet", "  sizes: [1024, 262144]"])
    done = run("-o", "mine.yaml", "--check", "--seed", "3")
    expect("checked at sizes of a seed", done.returncode == 0 and "seed 3\nok: inf2:0-1 --level packet" in done.stdout, done)
    done = run("-o", "mine.yaml", "--check", "--level", "packet", "inf2:0-2")
    expect("a group that is not there fails", done.returncode == 1 and "does not have this group" in done.stdout, done)
    before = len(lines)
    done = run("-o", "mine.yaml", "--up-to", "4K")
    expect("small sizes anew", done.returncode == 0, done)
    expect("the others stay", len(pathlib.Path("mine.yaml").read_text(encoding="utf-8").splitlines()) >= before)


def wrong_choices_fail():
    """Of a table with the slowest algorithm."""
    text = pathlib.Path("mine.yaml").read_text(encoding="utf-8")
    pathlib.Path("slow.yaml").write_text(text[:text.index("  broadcast:")] + "  broadcast:\n  - {algorithm: tree}\n"
                                         "  permute:\n  - {algorithm: mesh}\n  barrier:\n  - {algorithm: doubling}\n", encoding="utf-8")
    done = run("-o", "slow.yaml", "--check")
    expect("a slow algorithm", done.returncode == 1 and "tree takes" in done.stdout, done)


def programs_too():
    text = HEAD + "groups:\n- system: inf2\n  axes: [2]\n  level: cores\n  sizes: [1024, 1048576]\n  all_gather:\n  - {algorithm: doubling}\n"
    pathlib.Path("cores.yaml").write_text(text, encoding="utf-8")
    done = run("-o", "cores.yaml", "--up-to", "1K")
    written = pathlib.Path("cores.yaml").read_text(encoding="utf-8")
    expect("programs of collective cores", done.returncode == 0 and "  level: cores\n" in written and "  all_reduce:\n" in written, done)


def names_of_files():
    pathlib.Path("rack #2.yaml").write_text("preset: trn1-nl16\n", encoding="utf-8")
    expect("a system of a file", run("-o", "rack.yaml", "--level", "packet", "rack #2.yaml:0-1").returncode == 0)
    done = run("-o", "rack.yaml", "--check")
    expect("it is found again", done.returncode == 0 and "ok: rack #2.yaml:0-1" in done.stdout, done)


def keeps_links_and_modes():
    os.chmod("mine.yaml", 0o640)
    os.symlink("mine.yaml", "link.yaml")
    expect("through a link", run("-o", "link.yaml", "--level", "packet", ONE).returncode == 0)
    expect("which stays, with the mode of its file", os.path.islink("link.yaml") and os.stat("mine.yaml").st_mode & 0o777 == 0o640)


def refuses():
    refused("expected SYSTEM", "-o", "n.yaml", "inf2*")
    refused("expected SYSTEM", "-o", "n.yaml", "inf2:")
    refused("expected bytes", "--up-to", "1T")
    refused("1024 bytes or more", "--up-to", "0")
    refused("without --check", "--check", "--up-to", "4K")
    refused("no such group at level flow", "-o", "n.yaml", "--up-to", "256K", ONE)
    refused("/nonexistent/x.yaml: its folder", "-o", "/nonexistent/x.yaml", ONE)
    refused("n.yaml: no such file", "-o", "n.yaml", "--check")
    refused("its output is not", "-o", "n.yaml", ONE, tern="/bin/echo")
    for line, body in ((1, ""), (3, "  foo: 1\n"), (4, "- system: a\n  axes: 2x2\n"),
                       (6, "- system: a\n  axes: [2]\n  all_reduce:\n  - {up_to: 4K, algorithm: ring}\n")):
        text = HEAD + "groups:\n" + body if body else "groups: []\n"
        pathlib.Path("bad.yaml").write_text(text, encoding="utf-8")
        refused(f"bad.yaml:{line}: not a table", "-o", "bad.yaml", ONE)
        expect("it stays", pathlib.Path("bad.yaml").read_text(encoding="utf-8") == text)


def has_child(pid):
    return any(path.read_text(encoding="utf-8").strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"))


def ends_when_interrupted(by=signal.SIGINT):
    before = pathlib.Path("mine.yaml").read_bytes()
    with subprocess.Popen([SCRIPT, "--tern", TERN, "-o", "mine.yaml", "--level", "packet", "trn2-nl64"],
                          stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not has_child(process.pid):
            time.sleep(0.01)
        process.send_signal(by)  # to the script alone
        _, err = process.communicate()
    expect("interrupted", process.returncode == 1 and err.splitlines()[-1].startswith("interrupted"))
    expect("the file stays", pathlib.Path("mine.yaml").read_bytes() == before)


def ends_when_terminated():
    ends_when_interrupted(signal.SIGTERM)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (writes_and_checks, wrong_choices_fail, programs_too, names_of_files, keeps_links_and_modes, refuses, ends_when_interrupted,
                 ends_when_terminated):
        test()
        print(f"ok: {test.__name__}")
