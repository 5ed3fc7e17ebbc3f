#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debugs a program on `tern boot` with the real GDB, and compares what it says.

Usage: check_gdb.py TERN PROGRAM.elf CORRUPT.elf
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

GDB = "gdb-multiarch"
TIMEOUT = 60  # s: a hang, not a measure

# What is said to GDB, and expressions of what it answers, in order.
SESSIONS = {
    "breakpoints, watchpoints, source lines": (
        ["info threads", "break add", "continue", "backtrace", "print a + b", "delete", "watch counter", "continue",
         "print counter", "print/x $mcause", "print $priv", "delete", "tbreak add", "continue", "finish", "continue"],
        [r"Thread 1 \(hart 0: M mode\)", r"Thread 2 \(hart 1: M mode\)", r"Breakpoint 1, add \(a=0, b=1\)",
         r"#1 .* in main \(\)", r"\$1 = 1", r"Hardware watchpoint 2: counter", r"Old value = 0\nNew value = 1", r"\$2 = 1",
         r"\$3 = 0x0", r"\$4 = 3", r"add \(a=1, b=2\)", r"Value returned is \$5 = 3", r"exited normally"]),
    "a step is one instruction of one hart": (
        ["thread 2", "stepi", "stepi", "print/x $pc", "thread 1", "print/x $pc", "stepi 3", "monitor time"],
        [r"\$1 = 0x1008", r"\$2 = 0x1000", r"hart 0: 0\.000000003 s, 3 instructions\nhart 1: 0\.000000002 s, 2 instructions"]),
    "registers and memory can be written, load, monitor": (
        ["break add", "continue", "set var table[2] = 30", "print $a1 = 100", "delete", "break program.c:20", "continue",
         "print sum", "monitor irq", "monitor devices", "monitor nonsense", "monitor snapshot", "set var counter = 77",
         "monitor restore", "maintenance flush register-cache", "print counter", "load", "print/x $pc",
         "print table[2]", "monitor reset", "maintenance flush register-cache", "print/x $pc"],
        [r"\$1 = 100", r"\$2 = 136", r"hart 1: pending none", r"0x80000000 \.\. 0x8fffffff  memory", r"no command 'nonsense'",
         r"kept", r"\$3 = 4", r"Loading section \.text", r"\$4 = 0x80000000", r"\$5 = 3", r"\$6 = 0x1000"]),
}

# As GDB 13 and 16 say it.
HISTORY_ENDS = r"No more reverse-execution history|Reached end of recorded history"

# Likewise, with the program that corrupts a variable.
BACKWARDS = {
    "back to the write that corrupted a variable": (
        ["break failed", "continue", "watch state.limit", "reverse-continue", "print value", "print state.limit",
         "reverse-finish", "reverse-next", "print i", "reverse-stepi", "print/x $pc", "stepi", "delete", "continue"],
        [r"failed \(\) at", r"Hardware watchpoint 2: state\.limit", r"Old value = 21131\nNew value = 1000",
         r"in note \(value=", r"\$1 = 21131", r"\$2 = 1000", r"in main \(\)", r"\$3 = 12345[56]", r"\$4 = 0x80000[01]", r"with code 01"]),
    "to the begin and forth again": (
        ["break failed", "continue", "print/x $sp", "monitor time", "delete", "reverse-continue", "print/x $pc", "monitor time",
         "monitor history", "reverse-stepi", "break failed", "continue", "print/x $sp", "monitor time"],
        [r"\$1 = (0x[0-9a-f]+)", HISTORY_ENDS, r"\$2 = 0x1000", HISTORY_ENDS,
         r"hit Breakpoint 2, failed", r"\$3 = (0x[0-9a-f]+)"]),
    "back from the end": (
        ["monitor stay", "continue", "reverse-stepi", "print/x *(int*)$sp", "break failed", "reverse-continue", "continue", "reverse-continue",
         "delete", "continue", "continue"],
        [r"SIGINT", r"in finish", r"hit Breakpoint 1, failed", r"SIGINT", r"hit Breakpoint 1, failed", r"SIGINT", r"exited with code 01"]),
    "a write in the past is a new present": (
        ["break note", "continue", "delete", "reverse-stepi", "reverse-stepi", "monitor history", "set var state.ring[0] = 7",
         "monitor history", "break failed", "continue", "print state.ring[0]", "reverse-continue", "print state.ring[0]",
         "thread 2", "stepi", "stepi", "thread 1", "continue"],
        [r"hit Breakpoint 2, failed", r"\$1 = 7", HISTORY_ENDS, r"\$2 = 0", r"hit Breakpoint 2, failed"]),
}


def start(tern, program, options=()):
    """tern boot with a free port; the process and the port."""
    process = subprocess.Popen([tern, "boot", program, "--gdb", "0", "--harts", "2", "--uart", "none", *options],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    found = re.fullmatch(r"gdb: target remote 127\.0\.0\.1:(\d+)\n", line)
    if not found:
        process.kill()
        raise SystemExit(f"tern boot began with {line!r}")
    return process, int(found.group(1))


def end(process):
    process.terminate()
    process.communicate(timeout=TIMEOUT)


def converse(tern, program, name, commands, answers):
    process, port = start(tern, program)
    try:
        said = ["-ex", "set confirm off", "-ex", f"target remote 127.0.0.1:{port}"]
        for command in commands:
            said += ["-ex", command]
        gdb = subprocess.run([GDB, "-batch", "-nx", *said, program], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    finally:
        end(process)
    text = gdb.stdout + gdb.stderr
    out, at = gdb.stdout, 0
    for answer in answers:
        found = re.search(answer, out[at:])
        if found:
            at += found.end()
        elif not re.search(answer, gdb.stderr):  # what monitor prints
            print(f"FAILED {name}: no {answer!r} in\n{text}")
            return False
    return True


def vanishes(tern, program, rubbish):
    """A client that goes away in mid-packet: the board runs on without it, here to its end."""
    process, port = start(tern, program)
    out = ""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as client:
            client.sendall(rubbish)
        out, _ = process.communicate(timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        process.kill()
        out = str(error)
    if process.returncode == 0 and "power off, pass" in out:
        return True
    print(f"FAILED a client vanishes after {rubbish[:20]!r}: exit code {process.returncode}\n{out}")
    return False


class Client:
    """The protocol itself, for what GDB does on its own account only."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        self.text = b""

    def say(self, packet):
        self.socket.sendall(b"$" + packet + b"#%02x" % (sum(packet) % 256))

    def hear(self):
        """The next packet without its frame; nothing: the connection has ended."""
        while True:
            found = re.search(rb"\$([^#]*)#..", self.text)
            if found:
                self.text = self.text[found.end():]
                return found.group(1)
            more = self.socket.recv(4096)
            if not more:
                return None
            self.text += more

    def ask(self, packet):
        self.say(packet)
        return self.hear()


def symbol(program, name):
    """The address of a variable, as the protocol writes it."""
    said = subprocess.run([GDB, "-batch", "-nx", "-ex", f"print/x (long)&{name}", program],
                          capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return said.stdout.strip().rpartition("0x")[2].encode()


def interrupts(tern, program, quantum_us):
    """A program without end: an interrupt stops it, and it can go on and back; a signal to tern is told to the client."""
    with tempfile.TemporaryDirectory() as folder:
        board = os.path.join(folder, "board.yaml")
        with open(board, "w", encoding="utf-8") as file:
            file.write(f"preset: mgmt\nquantum_us: {quantum_us}\n")
        heard = []
        for standing in (False, True):
            process, port = start(tern, program, ["--board", board])
            try:
                client = Client(port)
                heard.append(client.ask(b"M" + symbol(program, "spin") + b",4:01000000"))
                for _ in range(3):
                    client.say(b"vCont;c")
                    client.socket.sendall(b"\x03")
                    heard.append(client.hear())
                heard += [client.ask(b"bs"), client.ask(b"vCont;s:1")]
                if not standing:
                    client.say(b"vCont;c")
                process.send_signal(signal.SIGINT)
                heard += [client.hear(), client.hear()]
            except OSError as error:
                heard.append(str(error))
            finally:
                end(process)
    one = [b"OK", b"T02thread:1;", b"T02thread:1;", b"T02thread:1;", b"T05thread:1;", b"T05thread:1;", b"X02", None]
    if heard == one + one:
        return True
    print(f"FAILED interrupts with a quantum of {quantum_us} us: {heard}")
    return False


def main():
    tern, program, corrupt = sys.argv[1:]
    if shutil.which(GDB) is None:
        print(f"skipped: no {GDB}")
        return 0
    good = [converse(tern, program, name, *session) for name, session in SESSIONS.items()]
    for rubbish in (b"", b"$m8000", b"\x03\x03$", b"$" + b"x" * 100000, b"+$g#67"):
        good.append(vanishes(tern, program, rubbish))
    good += [converse(tern, corrupt, name, *session) for name, session in BACKWARDS.items()]
    good += [interrupts(tern, corrupt, quantum_us) for quantum_us in (10, 1000000)]
    print(f"{sum(good)} of {len(good)} passed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
