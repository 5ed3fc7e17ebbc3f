# SPDX-License-Identifier: Apache-2.0
"""Damaged bytes, whatever the format."""
import gzip
import struct

SIZES = [0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]


def flip(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 10))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def head(rng, data):
    """Headers are where sizes are."""
    data = bytearray(data)
    at = rng.randrange(min(len(data), 140))
    data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return bytes(data)


def size(rng, data):
    at = rng.randrange(min(len(data), 64))
    return data[:at] + struct.pack(rng.choice("<>") + "I", rng.choice(SIZES)) + data[at + 4:]


def cut(rng, data):
    return data[:rng.randrange(len(data))]


def longer(rng, data):
    return data + bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 1000)))) if rng.random() < 0.7 else data * rng.choice((2, 50))


def drop(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 8)):]


def empty(rng, data):
    return b""


def noise(rng, data):
    return bytes(rng.randrange(256) for _ in range(rng.choice((1, 16, 300, 5000))))


def escape(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + rng.choice((b"\x1b[31m", b"\x00", b"\n\n", b"\xff\xfe", b"\xe2\x80\xae", b"\x9b", b"-", b"99999999999999999999")) + data[at:]


def number(rng, data):
    """A decimal number of a text, or of a header, becomes another."""
    places = [at for at, byte in enumerate(data[:4000]) if 48 <= byte <= 57]
    if not places:
        return flip(rng, data)
    at = rng.choice(places)
    end = at
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    other = rng.choice((b"0", b"-1", b"1.5", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"1e9", b"nan", b"", b"x", b"100000"))
    return data[:at] + other + data[end:]


def bomb(rng, data):
    """A few KB of gzip that claim much more."""
    return gzip.compress(bytes(rng.choice((1 << 20, 1 << 26))), 9, mtime=0)


def repacked(rng, data):
    if data[:2] == b"\x1f\x8b":
        return gzip.compress(flip(rng, gzip.decompress(data)), mtime=0)
    return gzip.compress(data, mtime=0)


ALL = (flip, head, head, size, size, cut, longer, drop, empty, noise, escape, escape, number, number, bomb, repacked)


def mutate(rng, data):
    change = rng.choice(ALL)
    return change.__name__, change(rng, data)
