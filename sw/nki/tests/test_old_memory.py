# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1: memory that the compiler chooses: tiles that SBUF does not hold, tiles in PSUM, tiles that are kept. Against numpy."""
import os
import re
import sys
import unittest

import numpy as np

import nki as new_style
from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

SEED = int(os.environ.get("TERN_SEED", "0"))
RANDOM = np.random.default_rng(SEED)
WIDE = 4096  # elements of FP32: 16 KiB of the 192 KiB of a partition


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def after(kernel, name, *arrays):
    """The kernel as text after a pass."""
    texts = {}
    kernel.build(*arrays, after_pass=lambda passed, text: texts.setdefault(passed, text))
    return texts[name]


def squares_and_sums(**options):
    """All squares are computed before any of them is used."""
    @nki.jit(platform_target="trn1", **options)
    def kernel(x):
        count = x.shape[0]
        out = nl.ndarray((count - 1, 128, WIDE), dtype=x.dtype, buffer=nl.shared_hbm)
        squares = nl.ndarray((count, nl.par_dim(128), WIDE), dtype=x.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(count):
            squares[i] = nl.multiply(nl.load(x[i]), nl.load(x[i]))
        for i in nl.affine_range(count - 1):
            nl.store(out[i], nl.add(squares[i], squares[count - 1 - i]))
        return out
    return kernel


class Spills(unittest.TestCase):
    def test_tiles_of_one_and_a_half_times_the_memory(self):
        x = normal(18, 128, WIDE)
        kernel = squares_and_sums()
        expected = np.stack([x[i] * x[i] + x[17 - i] * x[17 - i] for i in range(17)])
        np.testing.assert_array_equal(kernel(x), expected)
        run, tile = kernel.last_run, 128 * WIDE * 4
        self.assertEqual(run.spilled_bytes % tile, 0)
        # 11 tiles fit into 176 KiB, one of them the product in the making.
        self.assertGreaterEqual(run.spilled_bytes, 7 * tile)
        self.assertGreaterEqual(run.reloaded_bytes, run.spilled_bytes)

    def test_what_fits_is_not_spilled(self):
        kernel = squares_and_sums()
        kernel(normal(6, 128, WIDE))
        self.assertEqual((kernel.last_run.spilled_bytes, kernel.last_run.repeated_bytes), (0, 0))

    def test_the_listing_shows_transfers_of_the_compiler(self):
        x = np.zeros((18, 128, WIDE), np.float32)
        text = after(squares_and_sums(), "spill", x)
        self.assertRegex(text, r'dma_copy \(-\) "spill" dst=.*\.spilled')
        self.assertRegex(text, r'dma_copy \(-\) "reload" dst=.*\.again')
        self.assertNotIn('"spill"', after(squares_and_sums(), "legalize", x))

    def test_switched_off_it_is_an_error_with_the_line(self):
        with self.assertRaisesRegex(new_style.NkiError, r"SBUF exhausted: tensor `.*\n(.*\n)*.*test_old_memory.py:\d+"):
            squares_and_sums(spill=False)(np.zeros((18, 128, WIDE), np.float32))

    def test_an_instruction_that_needs_more_alone_is_an_error(self):
        @nki.jit(platform_target="trn1")
        def kernel(x):
            out = nl.ndarray((128, 20000), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.add(nl.load(x[0]), nl.load(x[1])))
            return out
        with self.assertRaisesRegex(new_style.NkiError, "SBUF exhausted"):
            kernel(np.zeros((2, 128, 20000), np.float32))

    def test_kernels_at_random_have_the_bits_of_numpy(self):
        for number in range(4):
            with self.subTest(TERN_SEED=SEED, number=number):
                self.at_random(np.random.default_rng([SEED, number]))

    def at_random(self, random):
        """Loads, sums and maxima over tiles that take 1.5 times the memory, some written again, in parts, read late."""
        count, rows = 18, 16
        steps = []
        for _ in range(60):
            kind = random.choice(["load", "add", "maximum", "part", "store"])
            a, b, c = (int(n) for n in random.integers(0, count, 3))
            steps.append((kind, a, b, c))

        @nki.jit(platform_target="trn1")
        def kernel(x):
            out = nl.ndarray((count + 1, rows, WIDE), dtype=x.dtype, buffer=nl.shared_hbm)
            tiles = nl.ndarray((count, nl.par_dim(rows), WIDE), dtype=x.dtype, buffer=nl.sbuf)
            for i in nl.affine_range(count):
                tiles[i] = nl.load(x[i])
            for kind, a, b, c in steps:
                if kind == "load":
                    tiles[a] = nl.load(x[b])
                elif kind == "part":
                    tiles[a][:, 64:192] = nl.add(tiles[b][:, 0:128], tiles[c][:, 128:256])
                elif kind == "store":
                    nl.store(out[count], tiles[a])
                else:
                    tiles[a] = getattr(nl, kind)(tiles[b], tiles[c])
            nl.store(out[count], tiles[0])
            for i in nl.affine_range(count):
                nl.store(out[i], tiles[i])
            return out
        x = random.integers(-1000, 1000, (count, rows, WIDE)).astype(np.float32)
        tiles = list(x.copy())
        for kind, a, b, c in steps:
            if kind == "load":
                tiles[a] = x[b].copy()
            elif kind == "part":
                tiles[a] = tiles[a].copy()
                tiles[a][:, 64:192] = tiles[b][:, 0:128] + tiles[c][:, 128:256]
            elif kind != "store":
                tiles[a] = np.add(tiles[b], tiles[c]) if kind == "add" else np.maximum(tiles[b], tiles[c])
        np.testing.assert_array_equal(kernel(x), np.stack(tiles + [tiles[0]]))
        self.assertGreater(kernel.last_run.spilled_bytes + kernel.last_run.repeated_bytes, 0)
        self.assertEqual(kernel.last_run.spilled_bytes % (4 * rows * WIDE), 0)


def product_of_a_block(**options):
    """A block that is loaded before the loop over rows, and used twice in each iteration."""
    @nki.jit(platform_target="trn1", **options)
    def kernel(x, w):
        rows, columns = x.shape[0], w.shape[2]
        out = nl.ndarray((rows, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        block = nl.ndarray((w.shape[0], nl.par_dim(128), columns), dtype=w.dtype, buffer=nl.sbuf)
        for i in nl.affine_range(w.shape[0]):
            block[i] = nl.load(w[i])
        for r in nl.affine_range(rows):
            total = nl.ndarray((nl.par_dim(128), columns), dtype=x.dtype, buffer=nl.sbuf)
            total[...] = nl.load(x[r])
            for _ in nl.affine_range(2):
                for i in nl.affine_range(w.shape[0]):
                    total[...] = nl.add(total, block[i])
            nl.store(out[r], total)
        return out
    return kernel


class RepeatedLoads(unittest.TestCase):
    def test_a_block_that_does_not_fit_beside_an_iteration_is_loaded_in_each(self):
        # 10 tiles of 16 KiB and the sum fill 176 KiB; the eleventh is too much.
        x, w = RANDOM.integers(-9, 9, (3, 128, WIDE)), RANDOM.integers(-9, 9, (11, 128, WIDE))
        x, w = x.astype(np.float32), w.astype(np.float32)
        kernel = product_of_a_block()
        np.testing.assert_array_equal(kernel(x, w), x + 2 * w.sum(0))
        run = kernel.last_run
        self.assertEqual(run.spilled_bytes, 0)  # what is loaded needs no store
        self.assertGreaterEqual(run.repeated_bytes, 2 * w.nbytes)
        self.assertIn('"load again"', after(kernel, "spill", x, w))

    def test_a_block_that_fits_is_loaded_once(self):
        x, w = normal(3, 128, WIDE), normal(8, 128, WIDE)
        kernel = product_of_a_block()
        kernel(x, w)
        self.assertEqual(kernel.last_run.repeated_bytes, 0)


class Reuse(unittest.TestCase):
    def test_loads_and_results_of_each_iteration_are_made_once(self):
        @nki.jit(platform_target="trn1")
        def kernel(x, y, row):
            out = nl.ndarray((4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
            for i in nl.affine_range(4):
                product = nisa.tensor_tensor(nl.load(x), nl.load(y), op=nl.multiply)
                rows = nl.load(row).broadcast_to((128, 512))
                nl.store(out[i], nisa.tensor_tensor(product, rows, op=nl.add))
            return out
        x, y, row = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((128, 512), (128, 512), (1, 512)))
        np.testing.assert_array_equal(kernel(x, y, row), np.stack([x * y + row] * 4))
        before, then = after(kernel, "engines", x, y, row), after(kernel, "reuse", x, y, row)
        self.assertEqual((before.count(" nc_matmul "), then.count(" nc_matmul ")), (4, 1))
        self.assertEqual((before.count(" dma_copy "), then.count(" dma_copy ")), (16, 7))

    def test_a_tile_that_changes_is_not_reused(self):
        @nki.jit(platform_target="trn1")
        def kernel(x):
            out = nl.ndarray((4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
            total = nl.ndarray((nl.par_dim(128), 512), dtype=x.dtype, buffer=nl.sbuf)
            total[...] = nl.load(x)
            for i in nl.affine_range(4):
                twice = nl.add(total, total)
                total[...] = nl.add(twice, 1.0)
                nl.store(out[i], twice)
            return out
        x, expected = RANDOM.integers(-9, 9, (128, 512)).astype(np.float32), []
        total = x
        for _ in range(4):
            expected.append(total * 2)
            total = total * 2 + 1
        np.testing.assert_array_equal(kernel(x), np.stack(expected))

    def test_what_the_kernel_writes_is_loaded_again(self):
        @nki.jit(platform_target="trn1")
        def kernel(x):
            out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.load(x))
            for _ in nl.affine_range(3):
                nl.store(out, nl.add(nl.load(out), nl.load(out)))
            return out
        x = RANDOM.integers(-9, 9, (128, 512)).astype(np.float32)
        np.testing.assert_array_equal(kernel(x), 8 * x)


class TilesInPsum(unittest.TestCase):
    @staticmethod
    def scaled_difference(columns=512):
        @nki.jit(platform_target="trn1")
        def kernel(x, y):
            out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
            a = nl.load(x)
            scaled = nisa.tensor_scalar(nl.load(y), op0=nl.multiply, operand0=0.5)
            nl.store(out, nl.subtract(a, scaled))
            return out
        return kernel

    def memory_of_scaled(self, columns):
        x, y = normal(128, columns), normal(128, columns)
        kernel = self.scaled_difference(columns)
        np.testing.assert_array_equal(kernel(x, y), x - y * np.float32(0.5))
        text = after(kernel, "psum_tiles", x, y)
        scaled = re.search(r"tensor_scalar \(scalar\) dst=([\w.]+)\[", text).group(1)
        return re.search(rf"tensor {re.escape(scaled)}\[.* float32 (\w+)", text).group(1)

    def test_what_scalar_computes_for_the_next_instruction_of_two_tiles(self):
        self.assertEqual(self.memory_of_scaled(512), "psum")

    def test_not_over_several_banks(self):
        self.assertEqual(self.memory_of_scaled(640), "sbuf")

    def test_rows_of_one_bank_stay_there_and_longer_ones_are_copied(self):
        for columns, copies in ((512, 0), (1024, 2)):
            @nki.jit(platform_target="trn1")
            def kernel(x, row):
                out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
                rows = nl.load(row).broadcast_to(x.shape)
                nl.store(out, nisa.tensor_tensor(nl.load(x), rows, op=nl.multiply))
                return out
            x, row = (RANDOM.integers(-9, 9, s).astype(np.float32) for s in ((128, columns), (1, columns)))
            with self.subTest(columns=columns):
                np.testing.assert_array_equal(kernel(x, row), x * row)
                self.assertEqual(after(kernel, "psum_tiles", x, row).count(" tensor_copy "), copies)


if __name__ == "__main__":
    sys.exit(unittest.main())
