# SPDX-License-Identifier: Apache-2.0
"""Small RISC-V programs for the management core: valid ones, random ones, and ELF files around them."""
import struct

MEMORY = 0x80000000
UART, FINISHER = 0x10000, 0x100  # upper 20 bits
PASS = 0x5555
# A word of each kind of instruction, whose registers and immediates are then random: opcode and funct3 stay.
OPCODES = (0x03, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x3b, 0x43, 0x53, 0x63, 0x67, 0x6f, 0x73)
# Addresses that programs may well have in a register: memory, its end, devices, nothing.
PLACES = (0x80000000, 0x80000800, 0x8ffff000, 0x10000000, 0x100000, 0x101000, 0x02000000, 0x0c000000, 0x1000, 0, 0xfffff000)


def lui(register, upper):
    return upper << 12 | register << 7 | 0x37


def addi(register, source, value):
    return (value & 0xfff) << 20 | source << 15 | register << 7 | 0x13


def store(width, value, base):
    return value << 20 | base << 15 | width << 12 | 0x23


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def hello():
    """Prints a line and powers off with success."""
    program = [lui(5, UART)]
    for byte in b"hello\n":
        program += [addi(6, 0, byte), store(0, 6, 5)]
    return words(*program, lui(5, FINISHER), lui(6, PASS + 0x800 >> 12), addi(6, 6, PASS), store(2, 6, 5), 0x6f)


def endless():
    return words(0x6f)


def asleep():
    return words(0x10500073, 0xffdff06f)  # wfi; j .-4


def register_setup(rng):
    program = []
    for register in range(5, 16):
        program += [lui(register, rng.choice(PLACES) >> 12), addi(register, register, rng.choice((0, 1, 4, 8, -1, 0x7f8)))]
    return program


def instruction(rng):
    if rng.random() < 0.1:
        return rng.getrandbits(32)
    return rng.getrandbits(25) << 7 | rng.choice(OPCODES)


def noise(rng):
    """Instructions of every kind, whatever they do."""
    program = register_setup(rng) if rng.random() < 0.8 else []
    count = rng.choice((4, 50, 500))
    return words(*program, *(instruction(rng) for _ in range(count)))


def elf(code, entry=MEMORY, at=MEMORY, bits=64):
    """One loadable segment."""
    if bits == 64:
        head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 243, 1, entry, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        return head + struct.pack("<IIQQQQQQ", 1, 7, 120, at, at, len(code), len(code) + 64, 4) + code
    head = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 243, 1, entry, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    return head + struct.pack("<IIIIIIII", 1, 84, at, at, len(code), len(code) + 64, 7, 4) + code
