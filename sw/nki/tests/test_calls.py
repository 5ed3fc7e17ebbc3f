# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels: which of them share a program, grids, methods, objects with arrays, threads, tensors of others."""
import collections
import dataclasses
import enum
import functools
import logging
import threading
import types
import typing
import unittest
import unittest.mock

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from nki import _jit

X = np.arange(32, dtype=np.float32).reshape(4, 8)
FACTOR = 2.0
settings = types.ModuleType("settings")
settings.FACTOR = 2.0


def scaled(x, factor):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.multiply(nl.load(x), float(factor)))
    return out


def factor_of(result):
    return float(result[0, 1])


def by_helper(x):
    return scaled(x, FACTOR)


@nki.jit
def by_global(x):
    return by_helper(x)


@nki.jit
def by_module(x):
    return scaled(x, settings.FACTOR)


class SharedPrograms(unittest.TestCase):
    """Calls whose constants differ get programs of their own."""

    def test_changed_objects(self):
        class Config:
            factor = 2.0

        class Numbers(list):
            __hash__ = object.__hash__
        kernel = nki.jit(lambda x, c: scaled(x, c.factor))
        config = Config()
        self.assertEqual(factor_of(kernel(X, config)), 2)
        config.factor = 3.0
        self.assertEqual(factor_of(kernel(X, config)), 3)
        Config.factor, other = 4.0, Config()
        self.assertEqual(factor_of(kernel(X, other)), 4)
        kernel = nki.jit(lambda x, c: scaled(x, c[0]))
        numbers = Numbers([2.0])
        self.assertEqual(factor_of(kernel(X, numbers)), 2)
        numbers[0] = 3.0
        self.assertEqual(factor_of(kernel(X, numbers)), 3)

    def test_globals_and_closures(self):
        global FACTOR
        factor = 2.0
        by_closure = nki.jit(lambda x: scaled(x, factor))
        for wanted in (2.0, 3.0):
            FACTOR = settings.FACTOR = factor = wanted
            for kernel in (by_global, by_module, by_closure):
                self.assertEqual(factor_of(kernel(X)), wanted, kernel.__name__)
        FACTOR = settings.FACTOR = 2.0

    def test_structure(self):
        def shape_of(c):
            return 10 * len(c) + isinstance(c, dict) + (len(c) and sum(map(len, c)) or 0) * 100
        kernel = nki.jit(lambda x, c: scaled(x, 1 + shape_of(c)))
        for c in ([], [[]], [[], []], [[[]]], {}, ()):
            self.assertEqual(factor_of(kernel(X, c)), 1 + shape_of(c), c)
        kernel = nki.jit(lambda x, c: scaled(x, 2 if "a_b" in c else 3))
        self.assertEqual([factor_of(kernel(X, c)) for c in ({"a_b": 1}, {"a": {"b": 1}})], [2, 3])

    def test_numbers(self):
        @nki.jit
        def kernel(x, value):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.full(x.shape, value, dtype=x.dtype))
            return out
        self.assertEqual([bool(np.signbit(kernel(X, v)[0, 0])) for v in (0.0, -0.0, 0)], [False, True, False])

    def test_equal_calls_share(self):
        @dataclasses.dataclass
        class Config:
            factor: float
        kernel = nki.jit(lambda x, c: scaled(x, c.factor))
        with unittest.mock.patch.object(_jit, "_build", wraps=_jit._build) as build:
            for factor in (2.0, 2.0, 3.0, 2.0):
                kernel(X, Config(factor))
                by_global(X)
        self.assertLessEqual(build.call_count, 3)

    def test_objects_that_can_be_compared(self):
        class Mode(enum.Enum):
            TWO = 2.0

        @dataclasses.dataclass
        class Config:
            mode: typing.Optional[Mode] = Mode.TWO
            names: list = dataclasses.field(default_factory=lambda: ["a"])

            @property
            def value(self):
                return self.mode.value
        point = collections.namedtuple("point", "x y")
        log = logging.getLogger("test")
        half = functools.partial(max, 0.5)

        @functools.lru_cache
        def known(value):
            return value

        def body(x, config, weights, more):
            log.debug(typing.cast(typing.Optional[int], 1))
            return scaled(x, config.value * known(1.0) * half(1.0) * (more.x if config.mode is Mode.TWO else more.y))
        kernel = nki.jit(body)
        for more in (point(1.0, 2), types.SimpleNamespace(x=1.0)):
            with unittest.mock.patch.object(_jit, "_build", wraps=_jit._build) as build:
                for _ in range(3):
                    kernel(X, Config(), Weights(X, {"b": X}), more)
            self.assertEqual(build.call_count, 1, more)
        with unittest.mock.patch.object(_jit, "_build", wraps=_jit._build) as build:
            for _ in range(2):  # nobody knows what an iterator has left
                kernel(X, Config(), Weights(X, {"b": X}), types.SimpleNamespace(x=1.0, y=iter(())))
        self.assertEqual(build.call_count, 2)


class Launches(unittest.TestCase):
    def test_axes_of_a_grid(self):
        seen = []

        @nki.jit
        def kernel(x):
            seen.append((nl.program_id(0), nl.program_id(1), nl.num_programs(0), nl.num_programs(1), nl.program_ndim()))
            out = nl.ndarray((2,) + x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out[nl.program_id(1)], nl.add(nl.load(x), float(nl.program_id(1))))
            return out
        np.testing.assert_array_equal(kernel[1, 2](X), np.stack([X, X + 1]))
        self.assertEqual(seen, [(0, 0, 1, 2, 2), (0, 1, 1, 2, 2)])
        with self.assertRaisesRegex(nki.NkiValidationError, r"program_id\(1\): the launch grid has 1 dimension"):
            kernel[2](X)

    def test_refused_grids(self):
        kernel = nki.jit(lambda x: scaled(x, 2))
        for grid in ((2, 2), 3, 0, (1, 4)):
            with self.assertRaisesRegex(NotImplementedError, "a launch on [0-9]+ cores or programs"):
                kernel[grid]
        for grid in (1.5, "2", (1, 1.5)):
            with self.assertRaisesRegex(nki.NkiValidationError, "expected integers"):
                kernel[grid]

    def test_launch_in_a_kernel(self):
        inner = nki.jit(lambda x: scaled(x, 2))
        outer = nki.jit(lambda x: inner[1](x))
        with self.assertRaisesRegex(NotImplementedError, "a launch inside a kernel"):
            outer(X)

    def test_threads(self):
        @nki.jit
        def kernel(x, n):
            tile = nl.load(x)
            for _ in range(400):
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=float(n))
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile)
            return out
        found = {}

        def call(n):
            found[n] = float(kernel(X, n)[0, 0])
        threads = [threading.Thread(target=call, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {0: 0.0, 1: 400.0, 2: 800.0})


class Pair(collections.namedtuple("Pair", "a b")):
    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class Weights:
    a: object
    more: dict
    factor: float = 3.0


class Block(nl.NKIObject):
    a: object
    factor: float = 3.0


class Objects(unittest.TestCase):
    def test_arrays_in_them(self):
        kernel = nki.jit(lambda p: scaled(p.a, p.factor))
        np.testing.assert_array_equal(kernel(Weights(X, {})), X * 3)
        np.testing.assert_array_equal(kernel(Weights(X, {}, 4.0)), X * 4)
        np.testing.assert_array_equal(kernel(Block(X)), X * 3)
        np.testing.assert_array_equal(nki.jit(lambda p: scaled(p.more["w"][0], p.factor))(Weights(1, {"w": [X]})), X * 3)
        np.testing.assert_array_equal(nki.jit(lambda p: scaled(p.b, 2))(Pair(X, X + 1)), (X + 1) * 2)

    def test_arguments_stay_as_they_are(self):
        block = Block(X)
        nki.jit(lambda p: scaled(p.a, p.factor))(block)
        self.assertIs(block.a, X)

    def test_methods(self):
        class Layer:
            def __init__(self, factor):
                self.factor = factor

            @nki.jit
            def kernel(self, x):
                return scaled(x, self.factor * nl.num_programs())
        layer = Layer(2)
        np.testing.assert_array_equal(layer.kernel(X), X * 2)
        layer.factor = 5
        np.testing.assert_array_equal(layer.kernel(X), X * 5)
        np.testing.assert_array_equal(layer.kernel[2](X), X * 10)
        np.testing.assert_array_equal(Layer.kernel(Layer(3), X), X * 3)
        self.assertGreater(layer.kernel.last_run.latency_us, 0)


class TensorsOfOthers(unittest.TestCase):
    def test_refused(self):
        kept = []

        @nki.jit
        def keeps(x):
            tile = nl.load(x)
            kept.extend((tile, x, scaled(x, 1)))
            return kept[2]
        keeps(X)

        @nki.jit
        def uses(x, n):
            tile = nl.load(x)
            return scaled(kept[1], 2) if n else (nl.add(tile, kept[0]), scaled(x, 2))[1]
        for n, name in ((0, "tile"), (1, "x")):
            with self.assertRaisesRegex(nki.NkiValidationError, rf"tensor `{name}\[4, 8\]` belongs to another kernel, or to "
                                                                "another call of this one"):
                uses(X, n)
        returns = nki.jit(lambda x: kept[2])
        with self.assertRaisesRegex(nki.NkiValidationError, "returns tensor `out`, which belongs to another kernel or call"):
            returns(X)


if __name__ == "__main__":
    unittest.main()
