#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waveforms of the RTL benches.

Usage: check_waves.py BUILD_FOLDER layouts    the test that a GTKWave layout names records all its signals
       check_waves.py BUILD_FOLDER programs   every program that contains RTL records a waveform that a layout fits
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("wave_layout", str(ROOT / "scripts/wave-layout"))
wave_layout = importlib.util.module_from_spec(importlib.util.spec_from_loader("wave_layout", LOADER))
sys.dont_write_bytecode = True
LOADER.exec_module(wave_layout)

LAYOUT_SECONDS, PROGRAM_SECONDS = 300, 10
BLOCKS = ["tensor", "exp", "mx_quantize0", "mx_dequantize0", "near_memory", "dma0"]  # of a chip
CASES = 10  # of a program, until one records


def programs(build):
    """{program: (file, reason why it records nothing)}"""
    found = {}
    for line in (build / "rtl_tests.txt").read_text().splitlines():
        program, folder, reason = line.split("|")
        found[program] = (build / folder / program, reason)
    return found


def record(program, case, fst, seconds):
    """Runs one case; True if it ended with a waveform, False if it still records after a time."""
    name = re.sub(r"([,\[\\])", r"\\\1", case)
    run = subprocess.Popen([program, name], env={**os.environ, "TERN_WAVE": str(fst)}, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    end = time.monotonic() + seconds
    while run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    if run.poll() is None:
        run.kill()
        run.wait()
        return not pathlib.Path(f"{fst}.partial").exists()
    return True


def check_chip_layout(build, folder):
    """Each of its signals is in one of the runs that it names; the sessions have blocks of all kinds."""
    layout, names = wave_layout.CHIP, set()
    runs = re.search(r"^\[\*\] runs: (.*)$", layout.read_text(), re.M)[1].split()
    for number, run in enumerate(runs):
        fst = folder / f"run{number}.fst"
        subprocess.run([build / "bin/tern", "run", ROOT / run, "--rtl", "all", "--wave", fst, "--wave-to", "100", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        found = wave_layout.signals_of(fst)
        names |= found
        session = folder / f"run{number}.gtkw"
        wave_layout.session(layout, fst, session, None)
        shown = wave_layout.layout_signals(session)
        blocks = [b for b in BLOCKS if not any(f".{b}." in s for s in shown)]
        if blocks:
            return [f"{run}: the session shows no signal of {', '.join(blocks)}"]
    print(f"{layout.relative_to(ROOT)}: {len(wave_layout.layout_signals(layout))} signals")
    return [f"{layout.name}: no signal {signal}" for signal in wave_layout.missing(layout, names)]


def check_layouts(build, folder):
    known, layouts = programs(build), wave_layout.block_layouts()
    errors = check_chip_layout(build, folder)
    for number, layout in enumerate(layouts):
        text = layout.read_text()
        test = re.search(r"^\[\*\] test: (\w+): (.*)$", text, re.M)
        if not test or test[1] not in known:
            errors.append(f"{layout.name}: no line '[*] test: PROGRAM: CASE' with a program that contains RTL")
            continue
        fst = folder / f"{number}.fst"
        record(known[test[1]][0], test[2], fst, LAYOUT_SECONDS)
        if not fst.exists():
            errors.append(f"{layout.name}: '{test[2]}' of {test[1]} records no waveform")
            continue
        lost = wave_layout.missing(layout, wave_layout.signals_of(fst))
        errors += [f"{layout.name}: no signal {signal}" for signal in lost]
        if not lost:
            wave_layout.session(layout, fst, folder / f"{number}.gtkw", 5)  # the names of its values exist
            print(f"{layout.relative_to(ROOT)}: {len(wave_layout.layout_signals(layout))} signals")
    if len(layouts) < 10:
        errors.append("where are the layouts?")
    return errors


def check_programs(build, folder):
    errors = []
    for program, (file, reason) in programs(build).items():
        if reason:
            print(f"{program}: none, {reason}")
            continue
        cases = subprocess.run([file, "--list-test-names-only"], capture_output=True, text=True).stdout.splitlines()
        fst = folder / f"{program}.fst"
        for case in cases[:CASES]:
            ended = record(file, case, fst, PROGRAM_SECONDS)
            if fst.exists() or not ended:
                break
        if fst.exists():
            layout = wave_layout.choose(wave_layout.signals_of(fst))
            if layout is None:
                errors.append(f"{program}: no layout in tb fits the waveform of '{case}'")
            else:
                print(f"{program}: {layout.relative_to(ROOT)}")
        elif ended:
            errors.append(f"{program}: contains RTL and records no waveform: pass bench_wave() to its blocks, or give "
                          "tern_add_catch_test() NO_WAVE with a reason")
        else:
            print(f"{program}: records")
    return errors


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("layouts", "programs"):
        sys.exit(__doc__)
    check = check_layouts if sys.argv[2] == "layouts" else check_programs
    with tempfile.TemporaryDirectory() as folder:
        errors = check(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
