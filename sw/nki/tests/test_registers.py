# SPDX-License-Identifier: Apache-2.0
"""Registers, offsets that they move, and loops whose iterations the chip counts."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

F32, I32 = nl.float32, nl.int32


def word(value):
    return np.array([[value]], np.int32)


def loaded(x, dtype=None):
    tile = nl.ndarray(x.shape, dtype=dtype or x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def register_of(x):
    register = nisa.register_alloc()
    nisa.register_load(register, loaded(x))
    return register


class Registers(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(21)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_load_move_store(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((1, 4), dtype=I32, buffer=nl.shared_hbm)
            words = nl.ndarray((1, 4), dtype=I32, buffer=nl.sbuf)
            first = nisa.register_alloc(-7)
            nisa.register_store(words[:, 0:1], first)
            second = nisa.register_alloc()
            nisa.register_load(second, x)  # in HBM
            nisa.register_store(words[:, 1:2], second)
            nisa.register_move(first, second)
            nisa.register_move(second, 5)
            nisa.register_store(words[:, 2:3], first)
            nisa.register_store(words[:, 3:4], second)
            nisa.dma_copy(dst=out, src=words)
            return out
        np.testing.assert_array_equal(kernel(word(1234567)), [[-7, 1234567, 1234567, 5]])

    def test_store_to_hbm_and_other_types(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((1, 1), dtype=I32, buffer=nl.shared_hbm)
            nisa.register_store(out, nisa.register_alloc(x))
            return out
        for dtype in (np.int8, np.int16, np.uint32, np.int32):
            self.assertEqual(kernel(np.array([[99]], dtype))[0, 0], 99)

    def test_operands_that_registers_move(self):
        @nki.jit
        def kernel(x, n, by_word):
            rows, columns = x.shape
            out = nl.ndarray((rows, 64), dtype=F32, buffer=nl.shared_hbm)
            a = loaded(x)
            by = loaded(n) if by_word else register_of(n)
            part = a.ap([[columns, rows], [1, 64]], offset=0, scalar_offset=by, indirect_dim=1)
            b = nl.ndarray((rows, columns), dtype=F32, buffer=nl.sbuf)
            nisa.memset(dst=b, value=1.0)
            c = nl.ndarray((rows, 64), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=c, data1=part, data2=b.ap([[columns, rows], [1, 64]], scalar_offset=by,
                                                             indirect_dim=1), op=nl.add)
            moved = b.ap([[columns, rows], [1, 64]], offset=0, scalar_offset=by, indirect_dim=1)
            nisa.activation(dst=moved, op=nl.copy, data=c, scale=2.0)
            nisa.tensor_copy(dst=c, src=moved, engine=nisa.gpsimd_engine)
            nisa.dma_copy(dst=out, src=c)
            return out
        x = self.normal(128, 512)
        for by_word in (False, True):
            for n in (0, 3, 448):
                np.testing.assert_array_equal(kernel(x, word(n), by_word), 2 * (x[:, n:n + 64] + 1))

    def test_products_that_registers_move(self):
        @nki.jit
        def kernel(x, y, n):
            out = nl.ndarray((64, 128), dtype=F32, buffer=nl.shared_hbm)
            a, b, by = loaded(x), loaded(y), register_of(n)
            sums = nl.ndarray((64, 128), dtype=F32, buffer=nl.psum)
            nisa.nc_matmul(sums, a.ap([[256, 128], [1, 64]], scalar_offset=by, indirect_dim=1),
                           b.ap([[256, 128], [1, 128]], scalar_offset=by, indirect_dim=1))
            c = nl.ndarray((64, 128), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=c, src=sums)
            nisa.dma_copy(dst=out, src=c)
            return out
        x, y = (np.round(self.normal(128, 256) * 4).astype(np.float32) for _ in range(2))
        for n in (0, 32, 128):
            np.testing.assert_array_equal(kernel(x, y, word(n)), x[:, n:n + 64].T @ y[:, n:n + 128])

    def test_rows_in_hbm_by_select(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=x)
            by = register_of(n)
            tile = nl.ndarray((1, x.shape[1]), dtype=F32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x.ap([[x.shape[1], 1], [1, x.shape[1]]], scalar_offset=by))
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=10.0)
            nisa.dma_copy(dst=out.select(0, by), src=tile.reshape((1, x.shape[1])))
            return out
        x = self.normal(20, 256)
        expected = x.copy()
        expected[13] *= 10
        np.testing.assert_array_equal(kernel(x, word(13)), expected)

    def test_offset_out_of_bounds(self):
        @nki.jit
        def on_chip(x, n):
            out = nl.ndarray((128, 64), dtype=F32, buffer=nl.shared_hbm)
            a, by = loaded(x), register_of(n)
            c = nl.ndarray((128, 64), dtype=F32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=c, src=a.ap([[512, 128], [1, 64]], scalar_offset=by, indirect_dim=1))
            nisa.dma_copy(dst=out, src=c)
            return out

        @nki.jit
        def in_hbm(x, n):
            out = nl.ndarray((1, 512), dtype=F32, buffer=nl.shared_hbm)
            tile = nl.ndarray((1, 512), dtype=F32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x.ap([[512, 1], [1, 512]], scalar_offset=loaded(n), indirect_dim=0))
            nisa.dma_copy(dst=out, src=tile)
            return out
        x = self.normal(128, 512)
        for kernel, last in ((on_chip, 448), (in_hbm, 127)):
            kernel(x, word(last))
            for n in (last + 1, -1, 2**30):
                with self.assertRaisesRegex(nki.NkiRunError, r"Out-of-bound access for tensor .*\[0, %d\]" % last):
                    kernel(x, word(n))

    def test_offset_out_of_bounds_is_skipped(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray((20, 64), dtype=F32, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=nl.zeros((20, 64), dtype=F32, buffer=nl.sbuf))
            rows = loaded(n)
            for i in range(20):  # more than the semaphores of a ring
                tile = nl.zeros((1, 64), dtype=F32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=x.ap([[64, 1], [1, 64]], scalar_offset=rows[:, i:i + 1]),
                              oob_mode=nisa.oob_mode.skip)
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
                nisa.dma_copy(dst=out.select(0, rows[:, 20 + i:21 + i]), src=tile, oob_mode=nisa.oob_mode.skip)
            return out
        x = self.normal(10, 64)
        sources, targets = self.random.integers(-5, 15, 20), self.random.permutation(20)
        targets[3] = targets[11] = -1
        expected = np.zeros((20, 64), np.float32)
        for source, target in zip(sources, targets):
            if target >= 0:
                expected[target] = (x[source] if 0 <= source < 10 else 0) + np.float32(1)
        np.testing.assert_array_equal(kernel(x, np.concatenate([sources, targets])[None].astype(np.int32)), expected)

    def test_value_is_not_known(self):
        @nki.jit
        def kernel(x):
            if register_of(x):
                return x
        with self.assertRaisesRegex(TypeError, "not known while a kernel is built"):
            kernel(word(1))


class Loops(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(22)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_range_of_registers(self):
        @nki.jit
        def kernel(x, begin, end):
            columns = x.shape[1]
            out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=x)
            for i in nl.dynamic_range(register_of(begin), register_of(end), 128):
                tile = nl.ndarray((128, columns), dtype=F32, buffer=nl.sbuf)
                result = nl.ndarray((128, columns), dtype=F32, buffer=nl.sbuf)
                pattern = [[columns, 128], [1, columns]]
                nisa.dma_copy(dst=tile, src=x.ap(pattern, scalar_offset=i))
                nisa.activation(dst=result, op=nl.square, data=tile)
                nisa.tensor_scalar(dst=result, data=result, op0=nl.add, operand0=2.0)
                nisa.dma_copy(dst=out.ap(pattern, scalar_offset=i), src=result)
            return out
        x = self.normal(1024, 256)
        for begin, end in ((0, 1024), (128, 130), (256, 256), (512, 100), (384, 897)):
            expected = x.copy()
            for i in range(begin, end, 128):
                expected[i:i + 128] = np.square(x[i:i + 128]) + 2
            np.testing.assert_array_equal(kernel(x, word(begin), word(end)), expected)

    def test_sums_carried_by_nested_loops(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray((128, 64), dtype=F32, buffer=nl.shared_hbm)
            a = loaded(x)
            total = nl.zeros((128, 64), dtype=F32, buffer=nl.sbuf)
            count = register_of(n)

            def outer(i):
                part = nl.zeros((128, 64), dtype=F32, buffer=nl.sbuf)

                def inner(j):
                    nisa.tensor_tensor(dst=part, data1=part, data2=a.ap([[256, 128], [1, 64]], scalar_offset=j,
                                                                        indirect_dim=1), op=nl.add)
                nl.fori_loop(0, count, inner)
                nisa.tensor_scalar(dst=part, data=part, op0=nl.multiply, operand0=0.5)
                nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add, engine=nisa.gpsimd_engine)
            nl.fori_loop(0, 3, outer)
            nisa.dma_copy(dst=out, src=total)
            return out
        x = self.normal(128, 256)
        for n in (0, 1, 5):
            part = np.zeros((128, 64), np.float32)
            for j in range(n):
                part = part + x[:, j:j + 64]
            part = part * np.float32(0.5)
            np.testing.assert_array_equal(kernel(x, word(n)), (part + part) + part)

    def test_products_in_a_loop(self):
        @nki.jit
        def kernel(x, y, n):
            out = nl.ndarray((128, 512), dtype=F32, buffer=nl.shared_hbm)
            total = nl.zeros((128, 512), dtype=F32, buffer=nl.sbuf)
            for k in nl.dynamic_range(0, register_of(n), 128):
                a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
                b = nl.ndarray((128, 512), dtype=y.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=a, src=x.ap([[128, 128], [1, 128]], scalar_offset=k))
                nisa.dma_copy(dst=b, src=y.ap([[512, 128], [1, 512]], scalar_offset=k))
                sums = nl.ndarray((128, 512), dtype=F32, buffer=nl.psum)
                for _ in range(2):
                    nisa.nc_matmul(sums, a, b)
                nisa.tensor_tensor(dst=total, data1=total, data2=sums, op=nl.add)
            nisa.dma_copy(dst=out, src=total)
            return out
        x, y = (np.round(self.normal(1024, n) * 4).astype(np.float32) for n in (128, 512))
        for n in (0, 128, 1024):
            np.testing.assert_array_equal(kernel(x, y, word(n)), 2 * (x[:n].T @ y[:n]))

    def test_while_a_flag_is_set(self):
        def countdown(n, loop):
            @nki.jit
            def kernel(n):
                out = nl.ndarray((1, 1), dtype=F32, buffer=nl.shared_hbm)
                acc = nl.zeros((1, 1), dtype=F32, buffer=nl.sbuf)
                count = loaded(n)
                loop(acc, count, register_of(n))
                nisa.dma_copy(dst=out, src=acc)
                return out
            return kernel(n)[0, 0]

        def step(acc, count, register):
            nisa.tensor_scalar(dst=acc, data=acc, op0=nl.add, operand0=3.0)
            nisa.tensor_scalar(dst=count, data=count, op0=nl.subtract, operand0=1)
            nisa.register_load(register, count)
            return register

        def structured(acc, count, register):
            nl.while_loop(register, lambda r: step(acc, count, r))

        def plain(acc, count, register):
            while register:
                step(acc, count, register)
        for loop in (structured, plain):
            for n in (0, 1, 9):
                self.assertEqual(countdown(word(n), loop), 3 * n)

    def test_many_iterations_and_transfers(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
            for i in nl.dynamic_range(register_of(n)):
                for part in range(10):  # more than the semaphores of a ring
                    tile = nl.ndarray((1, 64), dtype=F32, buffer=nl.sbuf)
                    pattern = [[640, 1], [1, 64]]
                    nisa.dma_copy(dst=tile, src=x.ap(pattern, offset=64 * part, scalar_offset=i))
                    nisa.dma_copy(dst=out.ap(pattern, offset=64 * part, scalar_offset=i), src=tile)
            return out
        x = self.normal(100, 640)
        np.testing.assert_array_equal(kernel(x, word(100)), x)

    def test_conversions_and_transposes_in_a_loop(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
            for _ in nl.dynamic_range(register_of(n)):
                narrow = loaded(x, nl.bfloat16)
                turned = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
                nisa.dma_transpose(dst=turned, src=narrow)
                nisa.dma_copy(dst=out, src=turned)
            return out
        x = np.arange(128 * 64, dtype=np.float32).reshape(128, 64) % 251
        np.testing.assert_array_equal(kernel(x, word(2)), x.T)

    def test_refused(self):
        @nki.jit
        def ordered(n):
            with nl.no_reorder():
                for _ in nl.dynamic_range(register_of(n)):
                    pass

        @nki.jit
        def left(n):
            for _ in nl.dynamic_range(register_of(n)):
                break

        @nki.jit
        def written(n):
            for i in nl.dynamic_range(4):
                nisa.register_move(i, 0)

        @nki.jit
        def steps(n):
            for _ in nl.dynamic_range(0, 4, register_of(n)):
                pass

        @nki.jit
        def summed(n):
            sums = nl.ndarray((128, 128), dtype=F32, buffer=nl.psum)
            a = nl.zeros((128, 128), dtype=F32, buffer=nl.sbuf)
            for _ in nl.dynamic_range(4):
                nisa.nc_matmul(sums, a, a)
        for kernel, error, text in ((ordered, nki.NkiValidationError, "no_reorder"),
                                    (left, nki.NkiValidationError, "leaves a dynamic loop"),
                                    (written, AssertionError, "cannot be written"),
                                    (steps, AssertionError, "positive integer"),
                                    (summed, nki.NkiNotSupportedError, "give accumulate=")):
            with self.assertRaisesRegex(error, text):
                kernel(word(1))


if __name__ == "__main__":
    unittest.main()
