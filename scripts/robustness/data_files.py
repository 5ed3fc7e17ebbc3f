# SPDX-License-Identifier: Apache-2.0
"""Small valid files of the formats that workloads name, from Python's standard library alone."""
import gzip
import random
import struct


def npy(shape, values=None, kind="<f4", seed=0):
    """Version 1 of the format; normal random numbers unless values are given."""
    total = 1
    for size in shape:
        total *= size
    rng = random.Random(seed)
    values = values if values is not None else [rng.gauss(0, 1) for _ in range(total)]
    code = {"<f4": "f", "<f8": "d", "<f2": "e", "|u1": "B"}[kind]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{total}{code}", *values)


def idx(shape, seed=0, below=256):
    rng = random.Random(seed)
    total = 1
    for size in shape:
        total *= size
    return bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + bytes(rng.randrange(below) for _ in range(total))


def packed(data):
    return gzip.compress(data, 6, mtime=0)


def text(letters=2000, seed=0):
    rng = random.Random(seed)
    words = [rng.choice("the whale ship sea captain of and harpoon a white man".split()) for _ in range(letters // 5)]
    return (" ".join(words) + ".\n").encode()


def hbm_trace(lines=200, seed=0):
    rng = random.Random(seed)
    return "".join(f"{5 * n} {rng.choice('RW')} 0x{64 * rng.randrange(1 << 20):x} {rng.choice((64, 128, 1024))} {rng.randrange(4)}\n"
                   for n in range(lines)).encode()


DIGITS = {"img.idx": idx([48, 4, 8], 1), "lab.idx": idx([48], 2, 4), "t_img.idx.gz": packed(idx([24, 4, 8], 3)),
          "t_lab.idx.gz": packed(idx([24], 4, 4))}
PRODUCT = {"a.npy": npy([32, 16], seed=5), "b.npy": npy([32, 8], seed=6)}
NETWORK = {"x.npy": npy([8, 32], seed=7), "y.npy": npy([8], [0, 1, 2, 3, 0, 1, 2, 3], "|u1"), "w1.npy": npy([32, 12], seed=8),
           "b1.npy": npy([12], seed=9), "w2.npy": npy([12, 4], seed=10), "b2.npy": npy([4], seed=11)}
TEXT = {"text.txt": text()}
