#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classifies digits with `tern run --tensor fpga` on a simulated board behind a pseudo-terminal, as with a real one.

Usage: check_board.py TERN FPGA_BOARD SOURCE_FOLDER rtl|netlist

After the RTL boards that fail: one that is silent, one whose frames are all corrupted, and a file that is no serial device.
Each ends the run with one line and an exit code.
"""
import json
import os
import select
import subprocess
import sys
import threading
import tty

TERN, BOARD, SOURCES, KIND = sys.argv[1:]
LIMIT = 1200  # Seconds after which something hangs


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}", flush=True)


def run(port):
    command = [TERN, "run", f"{SOURCES}/sw/examples/digits/fpga.yaml", "--tensor", "fpga", "--fpga-port", port, "--json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)


def error_lines(done):
    return [line for line in done.stderr.splitlines() if line.startswith("tern: ")]


def digits_on_the_board():
    with subprocess.Popen([BOARD, KIND], stdout=subprocess.PIPE, text=True) as board:
        try:
            port = board.stdout.readline().strip()
            check(port.startswith("/dev/"), f"the board says where it is: {port}")
            done = run(port)
        finally:
            board.kill()
    check(done.returncode == 0, f"exit code 0 {done.stderr}")
    report = json.loads(done.stdout)
    check(report["passed"] and report["correct"] == report["judged"] == 32, "32 of 32 digits are right")
    compared = {c["what"]: (c["words"], c["mismatches"]) for c in report["comparisons"]}
    for what in ("fpga = model", "fpga = host reference"):
        check(compared.get(what) == (640, 0), f"{what}: 640 words, every bit")
    check(report["executions"][0]["backend"] == "fpga", "the products were the board's")


def answered_by(answer):
    """A run with a board that answers what it receives by answer(bytes)."""
    near, far = os.openpty()
    tty.setraw(far)
    ended = threading.Event()

    def serve():
        while not ended.is_set():
            if select.select([near], [], [], 0.05)[0]:
                os.write(near, answer(os.read(near, 4096)))

    server = threading.Thread(target=serve)
    server.start()
    try:
        return run(os.ttyname(far))
    finally:
        ended.set()
        server.join()
        os.close(near)
        os.close(far)


def boards_that_fail():
    # A frame of the right form whose CRC is wrong: bytes between two C0 (fpga/README.md).
    corrupted = bytes([0xC0, 0x81, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xC0])
    for name, answer in (("silent", lambda _: b""), ("with corrupted frames", lambda _: corrupted)):
        done = answered_by(answer)
        lines = error_lines(done)
        check(done.returncode == 1 and len(lines) == 1 and "FPGA" in lines[0], f"a board {name}: {done.returncode} {lines}")
        check(done.stdout == "", f"a board {name}: no report")
    done = subprocess.run([TERN, "run", f"{SOURCES}/sw/examples/digits/fpga.yaml", "--fpga-port", "/dev/null"], capture_output=True,
                          text=True, timeout=LIMIT, check=False)
    check(done.returncode == 2 and "add --tensor fpga" in done.stderr, "a port without a board")
    done = run("/dev/null")
    check(done.returncode == 2 and error_lines(done) == ["tern: FPGA at '/dev/null': no serial device"], "no serial device")


digits_on_the_board()
if KIND == "rtl":
    boards_that_fail()
