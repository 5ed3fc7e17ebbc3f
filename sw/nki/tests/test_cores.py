# SPDX-License-Identifier: Apache-2.0
"""Kernels on two cores: programs, shared memory, data for each other, barriers."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

F32 = nl.float32


def sbuf(shape, dtype=F32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def loaded(x):
    tile = sbuf(x.shape, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def halves(x):
    out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
    rows = x.shape[0] // nl.num_programs()
    mine = nl.ds(rows * nl.program_id(0), rows)
    tile = loaded(x[mine, :])
    nisa.activation(dst=tile, op=nl.square, data=tile)
    nisa.dma_copy(dst=out[mine, :], src=tile)
    return out


@nki.jit
def swapped(x, times):
    out = nl.ndarray((2,) + tuple(x.shape), dtype=F32, buffer=nl.shared_hbm)
    me = nl.program_id()
    tile = loaded(x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=100.0 * (me + 1))
    for pipe in range(times):
        other = sbuf(x.shape)
        nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=pipe % 3)
        tile = other
    nisa.dma_copy(dst=out[me], src=tile)
    return out


@nki.jit
def turned(x):
    """Each core writes a half of a table and reads the other's."""
    me, rows = nl.program_id(), x.shape[0] // 2
    table = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
    own, others = nl.ds(rows * me, rows), nl.ds(rows * (1 - me), rows)
    tile = loaded(x[own, :])
    for _ in range(5 * me):  # one core is late
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=table[own, :], src=tile)
    nisa.core_barrier(data=table, cores=(0, 1))
    nisa.dma_copy(dst=out[own, :], src=loaded(table[others, :]))
    return out


class Cores(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(31)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_programs_share_their_tensors(self):
        x = self.normal(256, 512)
        np.testing.assert_array_equal(halves[2](x), np.square(x))
        two = halves.last_run.latency_us
        np.testing.assert_array_equal(halves[1](x[:128]), np.square(x[:128]))
        self.assertLess(two, 3 * halves.last_run.latency_us)

    def test_private_tensors_and_constants(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((2,) + tuple(x.shape), dtype=F32, buffer=nl.shared_hbm)
            me = nl.program_id()
            own = nl.ndarray(x.shape, dtype=F32, buffer=nl.hbm)
            shift = nl.shared_constant(np.full(x.shape, 10.0 * (me + 1), np.float32))
            tile = loaded(x)
            nisa.tensor_tensor(dst=tile, data1=tile, data2=loaded(shift), op=nl.add)
            nisa.dma_copy(dst=own, src=tile)
            nisa.dma_copy(dst=out[me], src=own)
            return out
        x = self.normal(64, 32)
        np.testing.assert_array_equal(kernel[2](x), np.stack([x + 10, x + 20]))

    def test_sent_to_each_other(self):
        x = self.normal(128, 96)
        for times in (1, 2, 7):
            got = swapped[2](x, times)
            for core in range(2):
                source = (core + times) % 2
                np.testing.assert_array_equal(got[core], x + np.float32(100 * (source + 1)))

    def test_in_place_into_another_part(self):
        @nki.jit
        def kernel(x):
            out = nl.ndarray((2, 128, 64), dtype=F32, buffer=nl.shared_hbm)
            me = nl.program_id()
            both = sbuf((128, 64))
            nisa.dma_copy(dst=both[:, nl.ds(32 * me, 32)], src=x[me])
            nisa.sendrecv(src=both[:, nl.ds(32 * me, 32)], dst=both[:, nl.ds(32 * (1 - me), 32)],
                          send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0,
                          dma_engine=nisa.dma_engine.gpsimd_dma)
            nisa.dma_copy(dst=out[me], src=both)
            return out
        x = self.normal(2, 128, 32)
        expected = np.concatenate([x[0], x[1]], axis=1)
        np.testing.assert_array_equal(kernel[2](x), np.stack([expected, expected]))

    def test_barrier(self):
        x = self.normal(128, 200)
        expected = np.concatenate([x[64:] * 32, x[:64]])
        np.testing.assert_array_equal(turned[2](x), expected)

    def test_updated_argument(self):
        @nki.jit
        def kernel(x):
            me = nl.program_id()
            tile = loaded(x[me])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0 + me)
            nisa.dma_copy(dst=x[me], src=tile)
            return x
        x = self.normal(2, 32, 32)
        before = x.copy()
        kernel[2](x)
        np.testing.assert_array_equal(x, np.stack([before[0] + 1, before[1] + 2]))

    def test_refused(self):
        def kernel_of(body):
            @nki.jit
            def kernel(x):
                out = nl.ndarray(x.shape, dtype=F32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=out, src=x)
                body(loaded(x), out, nl.program_id())
                return out
            return kernel
        x = self.normal(16, 16)

        def send(tile, rank, shape=(16, 16), **more):
            nisa.sendrecv(src=tile, dst=sbuf(shape), send_to_rank=rank, recv_from_rank=rank, pipe_id=0, **more)
        for grid, body, text in (
                (1, lambda t, o, me: send(t, 0), "on two cores"),
                (2, lambda t, o, me: send(t, me), "expected 1"),
                (2, lambda t, o, me: send(t, 1 - me, (16, 8)), "same type and shape"),
                (2, lambda t, o, me: send(t, 1 - me) if me == 0 else None, "the other core has none"),
                (2, lambda t, o, me: nisa.core_barrier(t, (0, 1)), "shared_hbm"),
                (2, lambda t, o, me: nisa.core_barrier(o, (0, 2)), r"expected \(0, 1\)"),
                (2, lambda t, o, me: nl.ndarray((me + 1, 2), F32, buffer=nl.shared_hbm), "the same ones")):
            with self.assertRaisesRegex(nki.NkiValidationError, text):
                kernel_of(body)[grid](x)
        with self.assertRaisesRegex(nki.NkiNotSupportedError, "3 cores"):
            halves[3](x)

    def test_loops_on_two_cores(self):
        @nki.jit
        def kernel(x, n):
            out = nl.ndarray((2, 128, 64), dtype=F32, buffer=nl.shared_hbm)
            me = nl.program_id()
            total = nl.zeros((128, 64), dtype=F32, buffer=nl.sbuf)
            for i in nl.dynamic_range(nisa.register_alloc(n)):
                tile = sbuf((128, 64))
                nisa.dma_copy(dst=tile, src=x.ap([[64, 128], [1, 64]], scalar_offset=i, indirect_dim=0))
                nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
            other = sbuf((128, 64))
            nisa.sendrecv(src=total, dst=other, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
            nisa.tensor_scalar(dst=other, data=other, op0=nl.add, operand0=float(me))
            nisa.dma_copy(dst=out[me], src=other)
            return out
        x = self.normal(4, 128, 64)
        expected = np.zeros((128, 64), np.float32)
        for i in range(3):
            expected = expected + x[i]
        np.testing.assert_array_equal(kernel[2](x, np.array([[3]], np.int32)), np.stack([expected, expected + 1]))


if __name__ == "__main__":
    unittest.main()
