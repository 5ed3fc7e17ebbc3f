#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debugs programs of GpSimd with the real GDB, and compares what it says.

Usage: check_gpsimd_gdb.py DEBUGGED TIMED.elf MISBEHAVE.elf TERN
"""
import json
import re
import shutil
import subprocess
import sys

GDB = "gdb-multiarch"
TIMEOUT = 60  # s: a hang, not a measure


def run(debugged, elf, commands):
    """What GDB says, and what the program has printed."""
    with subprocess.Popen(debugged, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            port = re.fullmatch(r"gdb: target remote 127\.0\.0\.1:(\d+)\n", process.stderr.readline()).group(1)
            said = ["-ex", "set confirm off", "-ex", f"target remote 127.0.0.1:{port}"]
            for command in commands:
                said += ["-ex", command]
            gdb = subprocess.run([GDB, "-batch", "-nx", *said, elf], capture_output=True, text=True, timeout=TIMEOUT, check=False)
            out, _ = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    return gdb.stdout + gdb.stderr, out


def find_all(name, text, answers):
    at = 0
    for answer in answers:
        found = re.search(answer, text[at:])
        if not found:
            print(f"FAILED {name}: no {answer!r} after {at} in\n{text}")
            return False
        at += found.end()
    return True


def main():
    program, timed, misbehave, tern = sys.argv[1:]
    debugged = [program]
    if shutil.which(GDB) is None:
        print(f"skipped: no {GDB}")
        return 0
    _, plain = run(debugged, timed, ["detach"])
    text, printed = run(debugged, timed, [
        "info threads", "break tern_main", "continue", "print $a0", "stepi", "watch *(int*)0x20040000", "continue",
        "x/1dw 0x20040000", "delete 2", "continue", "info threads", "x/1dw 0x10000000", "set var *(int*)0x20080000 = 0",
        "tbreak *($pc + 4)", "continue", "delete", f"file {misbehave}", "continue", "backtrace", "x/1i $pc", "continue"])
    good = find_all("session", text, [
        r"Thread 2 \(processor 1: M mode\)", r"Breakpoint 1, tern_main", r"\$1 = 100", r"Hardware watchpoint 2",
        r"Old value = 0\nNew value = [1-9]", r"0x20040000:\s+[1-9]", r"hit Breakpoint 1, tern_main",
        r"Thread 7 \(processor 6: M mode\)", r"0x10000000:\s+6", r"Temporary breakpoint 3",
        r"SIGSEGV", r"stray_store", r"#1 .* tern_main", r"=> .*sw", r"exited with code 01"])
    same = printed == plain and "timed: " in plain and "fault 0, marked 0" in plain
    if not same:
        print(f"FAILED: with the debugger\n{printed}without\n{plain}")
    command = [tern, "gpsimd", timed, "--args", "100", "--processors", "1,6", "--json"]
    alone = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout)
    text, printed = run([*command, "--gdb", "0"], timed, ["break tern_main", "continue", "info threads", "delete", "continue"])
    good = find_all("tern gpsimd --gdb", text, [r"Breakpoint 1, tern_main", r"Thread 2 \(processor 1: M mode\)"]) and good
    if json.loads(printed)["cycles"] != alone["cycles"]:
        print(f"FAILED: tern gpsimd with the debugger\n{printed}without: {alone['cycles']} cycles")
        same = False
    print("passed" if good and same else "failed")
    return 0 if good and same else 1


if __name__ == "__main__":
    sys.exit(main())
