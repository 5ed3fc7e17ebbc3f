# SPDX-License-Identifier: Apache-2.0
"""Arrays that --arg describes by shape, type, and what fills them.

They are made empty, which takes no memory, and filled when the kernel has been built: a wrong one is refused at once.
"""
import functools

import numpy as np

from . import _arrays, _core
from ._files import Refused
from .dtype import NUMPY

FILLS = ("random", "zeros", "ones")
_PART = 1 << 20  # elements at a time
_SCALES = (120, 135)  # exponents of random scales: 2^-7 to 2^7
_FP4, _SCALE = "float4_e2m1fn_x4", "float8_e8m0fnu"


class Made:
    """An array of zeros, and its fill()."""

    def __init__(self, shape, dtype, fill, random):
        self._storage = np.zeros(shape, NUMPY.get(dtype) or _arrays.bits_of(dtype))
        self.array = _arrays.of_bits(self._storage, dtype)
        self._values = {"zeros": None, "ones": functools.partial(_ones, dtype), "random": functools.partial(_random, dtype, random)}[fill]

    def fill(self, name):
        if self._values is None:
            return
        size, free = self._storage.nbytes, _free_bytes()
        if size > free:
            raise Refused(f"--arg {name}: {size} bytes, {free} are free on this machine")
        flat = self._storage.reshape(-1)
        for start in range(0, flat.size, _PART):
            part = flat[start:start + _PART]
            part[...] = self._values(part.size)


def _free_bytes():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:"))


def _narrow(floats, dtype):
    kind = _arrays.bits_of(dtype)
    return np.frombuffer(_core.narrow(floats.astype(np.float32), str(dtype).removesuffix("_x4")), dtype=kind)


def _elements(dtype):
    """In one of numpy."""
    return 4 if str(dtype).endswith("_x4") else 1


def _ones(dtype, count):
    if dtype in NUMPY:
        return np.ones(count, NUMPY[dtype])
    if dtype == _FP4:
        return np.full(count, 0x2222, np.uint16)
    return np.full(count, 127, np.uint8) if dtype == _SCALE else _narrow(np.ones(count * _elements(dtype)), dtype)


def _random(dtype, random, count):
    if dtype == "bool":
        return random.integers(0, 2, count).astype(bool)
    if str(dtype).startswith(("int", "uint")):
        return random.integers(0, 100, count).astype(NUMPY[dtype])
    if dtype == _FP4:
        return random.integers(0, 1 << 16, count).astype(np.uint16)
    if dtype == _SCALE:
        return random.integers(*_SCALES, count).astype(np.uint8)
    values = random.standard_normal(count * _elements(dtype))
    return values.astype(np.float32).astype(NUMPY[dtype]) if dtype in NUMPY else _narrow(values, dtype)
