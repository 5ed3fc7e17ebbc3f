# SPDX-License-Identifier: Apache-2.0
"""Firmware of every kind on the management core: damaged files, boards and snapshots, random programs, random options."""
import re
import struct
import subprocess
import zlib

import byte_mutations
import firmware
import seeds
import yaml_mutations
from campaign import Campaign
from case import Case
from command_line import VALUES, options_of

BOARD = {"preset": "mgmt", "harts": 2, "isa": "rv64imafdc", "modes": "msu", "clock_ghz": 0.5, "cpi": 1, "quantum_us": 100,
         "timebase_hz": 10000000, "ram_mib": 16, "plic_sources": 95, "uart": {"clock_hz": 3686400, "baud_timing": True, "poll_us": 1000}}
SERIAL = ["--uart", "file:log.txt"]
SHORT = ["--max-time", "1ms"]
# Of a snapshot file: what it begins with, its version and its size unpacked.
SNAPSHOT_HEAD = struct.Struct("<8sIQ")


def repacked(rng, snapshot):
    """Damage under a right checksum."""
    magic, version, _ = SNAPSHOT_HEAD.unpack_from(snapshot)
    plain = bytearray(zlib.decompress(snapshot[SNAPSHOT_HEAD.size:]))
    for _ in range(rng.choice((1, 1, 2, 8))):
        # Harts and devices are in front, pages of memory behind.
        at = rng.randrange(min(len(plain), rng.choice((400, 6000, len(plain)))))
        plain[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    if rng.random() < 0.1:
        plain = plain[:rng.randrange(len(plain))]
    return SNAPSHOT_HEAD.pack(magic, version, len(plain)) + zlib.compress(bytes(plain))


class Boot(Campaign):
    name = "boot"
    meaning = "firmware that is damaged or random, boards, snapshots and options of tern boot"
    cases = 900

    def prepare(self, context):
        self.options = options_of(context, "boot")
        folder = context.scratch / "boot"
        Case("", [], {"fw.bin": firmware.endless()}).write(folder)
        subprocess.run([context.tern, "boot", "fw.bin", "--uart", "none", "--max-time", "20us", "--save", "s"], cwd=folder, check=True, capture_output=True)
        self.snapshot = (folder / "s").read_bytes()

    def image(self, rng):
        return rng.choice((firmware.hello, firmware.endless, firmware.asleep, lambda: firmware.noise(rng)))()

    def damaged_image(self, rng):
        bits = rng.choice((64, 64, 32))
        what, data = byte_mutations.mutate(rng, firmware.elf(self.image(rng), bits=bits))
        isa = rng.choice(([], ["--isa", f"rv{bits}"]))
        return Case(f"image: {what}", ["boot", "fw.elf", *isa, *SERIAL, *SHORT], {"fw.elf": data})

    def random_program(self, rng):
        isa = rng.choice(([], [], ["--isa", "rv32"]))
        harts = rng.choice(([], ["--harts", "3"]))
        return Case("random program", ["boot", "fw.bin", *isa, *harts, *SERIAL, *SHORT], {"fw.bin": firmware.noise(rng)}, codes=(0, 1))

    def damaged_board(self, rng):
        what, text = yaml_mutations.mutate(rng, BOARD, seeds.dump)
        return Case(f"board: {what}", ["boot", "fw.bin", "--board", "./b.yaml", *SERIAL, *SHORT], {"fw.bin": self.image(rng), "b.yaml": text})

    def damaged_snapshot(self, rng):
        if rng.random() < 0.7:
            what, data = "repacked", repacked(rng, self.snapshot)
        else:
            what, data = byte_mutations.mutate(rng, self.snapshot)
        return Case(f"snapshot: {what}", ["boot", "fw.bin", "--restore", "s", *SERIAL, *SHORT], {"fw.bin": firmware.endless(), "s": data})

    def typed(self, rng):
        _, data = byte_mutations.mutate(rng, b"version\nhelp\\n\nmd 80200000 4\n")
        how = rng.choice((["--type-file", "t"], ["--uart", "file:log.txt,t"], ["--type-file", "t", "--until", "hello"]))
        return Case(f"typed: {how[0]}", ["boot", "fw.bin", *([] if "--uart" in how else SERIAL), *how, *SHORT], {"fw.bin": self.image(rng), "t": data})

    def options_of_all_kinds(self, rng):
        words = ["boot", "fw.bin"]
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            # Not a debugger's port, which waits for one, nor the line of a terminal.
            option = rng.choice([each for each in self.options if each not in ("--gdb", "--uart")] + ["--nothing", "-x"])
            words += [option] + ([rng.choice((*VALUES, "1ms", "rv32", "rv64", "2", "16MiB", "1KiB", "s", "mgmt", "fw.bin"))] if rng.random() < 0.8 else [])
        words += rng.choice((SERIAL, ["--uart", "none"], ["--uart", rng.choice(VALUES + ("file:", "file:log.txt,fw.bin", "tcp:", "tcp:x", "tcp:99999", "pty:fw.bin"))]))
        if "--max-time" not in words:
            words += SHORT
        places = tuple(word[:20] for word in words if len(word) > 1) + ("tern: ",)
        return Case(" ".join(words), words, {"fw.bin": self.image(rng), "s": self.snapshot}, places=places, seconds=20)

    def make(self, context, rng, number):
        kinds = (self.damaged_image, self.random_program, self.random_program, self.damaged_board, self.damaged_snapshot, self.typed,
                 self.options_of_all_kinds)
        case = kinds[number % len(kinds)](rng)
        if case.seconds == 10:
            case.bounded, case.seconds = True, 60
        return case
