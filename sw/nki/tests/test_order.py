# SPDX-License-Identifier: Apache-2.0
"""Orders of instructions that the author gives: with_schedule, depends_on."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

F32 = nl.float32


def tile(shape=(128, 512)):
    return nl.ndarray(shape, dtype=F32, buffer=nl.sbuf)


def stored(*tiles):
    outs = []
    for t in tiles:
        outs.append(nl.ndarray(t.shape, dtype=F32, buffer=nl.shared_hbm))
        nisa.dma_copy(dst=outs[-1], src=t)
    return tuple(outs)


@nki.jit
def two(x):
    a, b, c = tile(), tile(), tile()
    nisa.dma_copy(dst=a, src=x, name="load")
    nisa.reciprocal(dst=b, data=a, name="recip")
    nisa.activation(dst=c, op=nl.copy, data=a, scale=2.0, name="twice")
    return stored(b, c)


def spans(kernel, *arrays):
    """Begin and end of the instructions, by function."""
    executable, given = kernel.build(*arrays)
    results, profile = executable.run(given, wants_spans=True)
    found = {}
    for span in profile.spans:
        for name in ("reciprocal", "activation", "tensor_scalar", "tensor_copy"):
            if name in span.name:
                found.setdefault(name, (span.begin_ns, span.end_ns))
    return results, found


class Order(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(2).random((128, 512)).astype(np.float32) + 1

    def check(self, results):
        np.testing.assert_allclose(results[0], 1 / self.x, rtol=1e-6)
        np.testing.assert_array_equal(results[1], 2 * self.x)

    def test_without(self):
        results, found = spans(two, self.x)
        self.check(results)
        self.assertLess(found["activation"][0], found["reciprocal"][1])  # they overlap

    def test_one_after_the_other_on_two_engines(self):
        for first, second, pairs in (("reciprocal", "activation", [("twice", "recip")]),
                                     ("reciprocal", "activation", [("twice", ["recip", "load"])]),
                                     ("activation", "reciprocal", [("recip", "twice")])):
            for schedule in ("list", "program"):
                kernel = nki.jit(two.func, schedule=schedule).with_schedule(pairs)
                results, found = spans(kernel, self.x)
                self.check(results)
                self.assertGreaterEqual(found[second][0], found[first][1])
        self.check(two(self.x))  # as it was

    def test_transfers_wait(self):
        @nki.jit
        def kernel(x, waits):
            a, b = tile(), tile()
            first = nisa.dma_copy(dst=a, src=x)
            slow = nisa.reciprocal(dst=a, data=a)
            second = nisa.dma_copy(dst=b, src=x)
            if waits:
                second.depends_on(first, slow)
            return stored(a, b)
        times = []
        for waits in (False, True):
            np.testing.assert_array_equal(kernel(self.x, waits)[1], self.x)
            times.append(kernel.last_run.latency_us)
        self.assertGreater(times[1], times[0] + 0.5)

    def test_chain(self):
        @nki.jit
        def kernel(x):
            a = tile()
            nisa.dma_copy(dst=a, src=x)
            tiles, calls = [], []
            for i in range(4):
                tiles.append(tile())
                engine = nisa.engine.vector if i % 2 else nisa.engine.scalar
                calls.append(nisa.tensor_copy(dst=tiles[-1], src=a, engine=engine))
            self.assertIs(calls[0].depends_on(calls[1]).depends_on(calls[2], calls[3]), calls[0])
            calls[2].depends_on(calls[3])
            return stored(*tiles)
        for result in kernel(self.x):
            np.testing.assert_array_equal(result, self.x)

    def test_in_a_loop(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((128, 512), dtype=F32, buffer=nl.shared_hbm)
            for _ in nl.dynamic_range(0, 3):
                a, b, c = tile(), tile(), tile()
                nisa.dma_copy(dst=a, src=x)
                first = nisa.reciprocal(dst=b, data=a)
                second = nisa.activation(dst=c, op=nl.copy, data=a, scale=2.0)
                second.depends_on(first)
                nisa.tensor_tensor(dst=c, data1=b, data2=c, op=nl.add)
                nisa.dma_copy(dst=out, src=c)
            return out
        np.testing.assert_allclose(kernel(self.x), 1 / self.x + 2 * self.x, rtol=1e-6)

    def test_messages(self):
        with self.assertRaisesRegex(nki.NkiValidationError, "no instruction is named 'tree'; there are: load, recip, twice"):
            two.with_schedule([("tree", "load")])(self.x)
        for pair in (("recip",), ("recip", 3), ("recip", ["load", None]), ("a", "b", "c")):
            with self.assertRaisesRegex(nki.NkiValidationError, "expected the name of an instruction"):
                two.with_schedule([pair])
        with self.assertRaisesRegex(nki.NkiValidationError, "`load` cannot wait for `recip`, which needs its results"):
            two.with_schedule([("load", "recip")])(self.x)
        with self.assertRaisesRegex(nki.NkiValidationError, "cannot wait for"):
            two.with_schedule([("twice", "recip"), ("recip", "twice")])(self.x)

        @nki.jit
        def out_of_a_loop(x):
            a, b = tile(), tile()
            for _ in nl.dynamic_range(0, 2):
                inside = nisa.dma_copy(dst=a, src=x)
            nisa.memset(dst=b, value=0.0).depends_on(inside)
            return stored(b)
        with self.assertRaisesRegex(nki.NkiValidationError, "in a dynamic loop that it is not in"):
            out_of_a_loop(self.x)

        @nki.jit
        def no_instruction(x):
            nisa.dma_copy(dst=tile(), src=x).depends_on("load")
        with self.assertRaisesRegex(nki.NkiValidationError, "depends_on: str is no instruction"):
            no_instruction(self.x)


if __name__ == "__main__":
    unittest.main()
