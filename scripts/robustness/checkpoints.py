# SPDX-License-Identifier: Apache-2.0
"""Checkpoints damaged under a right checksum. What the documentation says is refused must be; other numbers are taken."""
import re
import struct
import zlib


def parts(data):
    text, arrays = data[:-4].split(b"\n\n", 1)
    return text, arrays, [int(size) for size in re.findall(rb"\ntensor=(\d+)", text)]


def whole(text, arrays):
    body = text + b"\n\n" + arrays
    return body + struct.pack("<I", zlib.crc32(body))


def no_tensors(rng, data):
    text, arrays, sizes = parts(data)
    return whole(re.sub(rb"\ntensor=\d+", b"", text), arrays[sum(sizes):])


def tensor_less(rng, data):
    text, arrays, sizes = parts(data)
    return whole(text[:text.rindex(b"\ntensor=")], arrays[:sum(sizes[:-1])] + arrays[sum(sizes):])


def short_tensor(rng, data):
    text, arrays, sizes = parts(data)
    return whole(text.replace(b"\ntensor=%d" % sizes[0], b"\ntensor=1", 1), arrays[:1] + arrays[sizes[0]:])


def moved_byte(rng, data):
    text, arrays, sizes = parts(data)
    text = text.replace(b"\ntensor=%d" % sizes[0], b"\ntensor=%d" % (sizes[0] - 4), 1)
    return whole(text[::-1].replace((b"\ntensor=%d" % sizes[-1])[::-1], (b"\ntensor=%d" % (sizes[-1] + 4))[::-1], 1)[::-1], arrays)


def evaluation(rng, data):
    text, arrays, _ = parts(data)
    return whole(text, arrays[:-16] + struct.pack("<Q", rng.choice((1 << 40, 100000, (1 << 64) - 1, 0))) + arrays[-8:])


def step(rng, data):
    text, arrays, _ = parts(data)
    return whole(re.sub(rb"\nstep=\d+", b"\nstep=" + rng.choice((b"1000000000000", b"abc", b"", b"0", b"-1", b"999999999999999999", b"1.5")), text), arrays)


def count(rng, data):
    text, arrays, _ = parts(data)
    key = rng.choice((b"steps", b"evaluations"))
    return whole(re.sub(rb"\n%s=\d+(?=\n(?:evaluations|tensor))" % key, b"\n%s=%d" % (key, rng.choice((0, 1, 10 ** 6, 10 ** 17))), text), arrays)


def setting(rng, data):
    text, arrays, _ = parts(data)
    lines = text.split(b"\n")
    end = next(at for at, line in enumerate(lines) if line.startswith(b"step="))
    at = rng.randrange(1, end)
    lines[at] += rng.choice((b"1", b"x", b"\x1b[31m"))
    return whole(b"\n".join(lines), arrays)


def missing_line(rng, data):
    text, arrays, _ = parts(data)
    lines = text.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return whole(b"\n".join(lines), arrays)


def more(rng, data):
    text, arrays, _ = parts(data)
    return whole(text + b"\ntensor=1" * rng.choice((1, 100000)), arrays + b"x" * rng.choice((0, 1, 100000)))


def version(rng, data):
    text, arrays, _ = parts(data)
    return whole(text.replace(b"checkpoint 3", rng.choice((b"checkpoint 1", b"checkpoint 99999999999999999999", b"checkpoint \x1b[31m")), 1), arrays)


REFUSED = (no_tensors, tensor_less, short_tensor, moved_byte, evaluation, step, count, setting, missing_line, more, version)


def values(rng, data):
    """Numbers of tensors: nobody can notice that, and nothing may happen but a worse network."""
    text, arrays, sizes = parts(data)
    arrays = bytearray(arrays)
    for _ in range(20):
        arrays[rng.randrange(sum(sizes))] = rng.randrange(256)
    return whole(text, bytes(arrays))
