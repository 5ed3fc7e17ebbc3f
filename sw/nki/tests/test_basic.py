# SPDX-License-Identifier: Apache-2.0
"""Whole kernels on the simulated chip against numpy."""
import contextlib
import os
import unittest

import numpy as np

import kernels_basic as kernels
import nki
import nki.isa as nisa
import nki.language as nl


def bf16(values):
    """The nearest bfloat16 of each value, as float32: by integers, apart from the package."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


class Basic(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_add(self):
        a, b = self.normal(128, 512), self.normal(128, 512)
        np.testing.assert_array_equal(kernels.add(a, b), a + b)

    def test_open_files_do_not_matter(self):
        a = self.normal(8, 8)
        with contextlib.ExitStack() as stack:
            for _ in range(12):
                np.testing.assert_array_equal(kernels.add(a, a), a + a)
                stack.enter_context(open(os.devnull, encoding="ascii"))

    def test_add_integers(self):
        a = self.random.integers(-2**31, 2**31, (64, 40), dtype=np.int64).astype(np.int32)
        b = self.random.integers(-2**31, 2**31, (64, 40), dtype=np.int64).astype(np.int32)
        np.testing.assert_array_equal(kernels.add(a, b), a + b)  # modulo 2^32

    def test_add_bfloat16(self):
        a, b = bf16(self.normal(128, 64)), bf16(self.normal(128, 64))
        result = kernels.add(nki.array(a, nl.bfloat16), nki.array(b, nl.bfloat16))
        np.testing.assert_array_equal(nki.as_float(result), bf16(a + b))

    def test_copy_with_strides(self):
        x = self.normal(100, 96)
        picked = x[::2, ::3]
        expected = np.concatenate([picked[:, 16:], picked[:, :16]], axis=1)
        np.testing.assert_array_equal(kernels.copy_strided(x, 2, 3), expected)

    def test_softmax(self):
        x = self.normal(200, 300)
        exponentials = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        expected = exponentials / exponentials.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(kernels.softmax(x), expected, rtol=2e-6)

    def test_layer_norm(self):
        x, gamma, beta = self.normal(96, 256), self.normal(1, 256), self.normal(1, 256)
        wide = x.astype(np.float64)
        centred = wide - wide.mean(axis=1, keepdims=True)
        expected = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5) * gamma + beta
        np.testing.assert_allclose(kernels.layer_norm(x, gamma, beta, 1e-5), expected, rtol=1e-4, atol=2e-5)

    def test_matmul_float32(self):
        a, b = self.normal(256, 256), self.normal(256, 1024)
        expected = a.astype(np.float64).T @ b.astype(np.float64)
        np.testing.assert_allclose(kernels.matmul_tiled(a, b), expected, rtol=1e-4, atol=1e-4)

    def test_matmul_bfloat16(self):
        a, b = bf16(self.normal(384, 128)), bf16(self.normal(384, 512))
        result = kernels.matmul_tiled(nki.array(a, nl.bfloat16), nki.array(b, nl.bfloat16))
        expected = a.astype(np.float64).T @ b.astype(np.float64)
        np.testing.assert_allclose(nki.as_float(result), expected, rtol=2**-8, atol=1e-3)

    def test_loads_ahead_give_way_to_memory(self):
        @nki.jit
        def sums(x):
            """Loads of one tensor each, of which four fit at a time."""
            out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
            total = nl.zeros((128, 1), dtype=nl.float32)
            for i in range(x.shape[0]):
                tile = nl.load(x[i])
                nisa.tensor_tensor(dst=total, data1=total, data2=nl.max(tile, axis=1), op=nl.add)
            nl.store(out, total)
            return out
        x = self.normal(12, 128, 14000)
        expected = np.zeros(128, np.float32)
        for plane in x:
            expected += plane.max(axis=1)
        np.testing.assert_array_equal(sums(x)[:, 0], expected)
        in_order = nki.jit(sums.func, schedule="program")
        np.testing.assert_array_equal(in_order(x)[:, 0], expected)
        self.assertLess(sums.last_run.latency_us, in_order.last_run.latency_us + 1)

    def test_start_and_end(self):
        """They are part of the latency; without them the kernel is as long as its instructions."""
        x = self.normal(128, 64)
        kernels.add(x, x)
        whole = kernels.add.last_run
        self.assertGreater(whole.start_us, 10)
        self.assertGreater(whole.end_us, 1)
        os.environ["TERN_NKI_SET"] = "core.kernel_start_ns=0,core.kernel_end_ns=0"
        try:
            kernels.add(x, x)
        finally:
            del os.environ["TERN_NKI_SET"]
        bare = kernels.add.last_run
        self.assertEqual((bare.start_us, bare.end_us), (0, 0))
        self.assertAlmostEqual(whole.latency_us, whole.start_us + bare.latency_us + whole.end_us, delta=0.6)  # refresh

    def test_descriptors_by_the_host(self):
        @nki.jit
        def kernel(x, mode):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x, dge_mode=mode)
            nisa.dma_copy(dst=out, src=tile, dge_mode=mode)
            return out
        x = self.normal(128, 1024)
        for mode, by_host in ((nisa.dge_mode.none, True), (nisa.dge_mode.unknown, False), (nisa.dge_mode.hwdge, False)):
            np.testing.assert_array_equal(kernel(x, mode), x)
            executable, arrays = kernel.build(x, mode)
            _, profile = executable.run(arrays, wants_spans=True)
            self.assertEqual(not any(s.lane.startswith("dge") for s in profile.spans), by_host)

    def test_descriptors_by_gpsimd(self):
        x, wide = self.normal(128, 256), self.normal(128, 4, 96)
        for target, open_to in (("trn2", "dge gpsimd"), ("trn3", None)):
            @nki.jit(platform_target=target)
            def kernel(x, wide, mode):
                tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
                part = nl.ndarray((128, 4, 64), dtype=wide.dtype, buffer=nl.sbuf)
                out, cut = (nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.shared_hbm) for t in (x, part))
                nisa.dma_copy(dst=tile, src=x, dge_mode=mode)
                nisa.dma_copy(dst=part, src=wide[:, :, 0:64], dge_mode=mode)
                nisa.dma_copy(dst=out, src=tile, dge_mode=mode)
                nisa.dma_copy(dst=cut, src=part, dge_mode=mode)
                return out, cut
            for mode, lane in ((nisa.dge_mode.unknown, open_to), (nisa.dge_mode.swdge, "dge gpsimd"), (nisa.dge_mode.none, None),
                               (nisa.dge_mode.hwdge, None)):
                for result, expected in zip(kernel(x, wide, mode), (x, wide[:, :, 0:64])):
                    np.testing.assert_array_equal(result, expected)
                executable, arrays = kernel.build(x, wide, mode)
                _, profile = executable.run(arrays, wants_spans=True)
                made = [s.lane for s in profile.spans if s.lane.startswith("dge")]
                self.assertEqual(made, [lane] * 4 if lane else [])

    def test_transpose(self):
        for dtype in (np.float32, np.int32, np.float16, np.int16):
            x = (self.normal(48, 128) * 100).astype(dtype)
            np.testing.assert_array_equal(kernels.transpose(x), x.T)

    def test_transpose_by_a_view(self):
        x = self.normal(128, 6 * 10)
        expected = x.reshape(128, 10, 6).transpose(0, 2, 1).reshape(128, 60)
        np.testing.assert_array_equal(kernels.transpose_last(x, 6), expected)


if __name__ == "__main__":
    unittest.main()
