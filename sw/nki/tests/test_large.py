# SPDX-License-Identifier: Apache-2.0
"""Thousands of products: results, and how memory grows with them, in both processes."""
import os
import resource
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

K, M, N = 128, 128, 512  # of a product


@nki.jit
def products(at, b, repeats):
    """repeats * at^T b, every operand loaded for every product in rows of less than 2 KiB."""
    out = nl.ndarray((at.shape[1], b.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in nl.affine_range(at.shape[1] // M):
        for n in nl.affine_range(b.shape[1] // N):
            sums = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(repeats * (at.shape[0] // K)):
                k %= at.shape[0] // K
                a_tile = nl.ndarray((K, M), dtype=at.dtype, buffer=nl.sbuf)
                b_tile = nl.ndarray((K, N), dtype=b.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=a_tile, src=at[nl.ds(k * K, K), nl.ds(m * M, M)])
                nisa.dma_copy(dst=b_tile, src=b[nl.ds(k * K, K), nl.ds(n * N, N)])
                nisa.nc_matmul(dst=sums, stationary=a_tile, moving=b_tile)
            tile = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile, src=sums)
            nisa.dma_copy(dst=out[nl.ds(m * M, M), nl.ds(n * N, N)], src=tile)
    return out


def memory():
    """The most that this process has held, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024


def in_child(function):
    """Its numbers, from a process of its own: what others have held does not count."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, " ".join(str(int(number)) for number in function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return [int(number) for number in text.split()]


class Large(unittest.TestCase):
    def run_products(self, repeats):
        """32 products for each repetition; the small integers make every sum exact."""
        random = np.random.default_rng(7)
        at, b = (random.integers(-3, 4, size=shape).astype(np.float32) for shape in ((512, 256), (512, 2048)))
        before = memory()
        executable, arrays = products.build(*(nki.array(values, nl.bfloat16) for values in (at, b)), repeats)
        result, _ = executable.run(arrays)
        np.testing.assert_array_equal(result, repeats * (at.T @ b))
        compiled = executable._compiled
        worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        return (memory() - before, worker, compiled.descriptors, compiled.descriptor_bytes, compiled.program_bytes)

    def test_memory_for_each_product(self):
        few, many = (in_child(lambda repeats=repeats: self.run_products(repeats)) for repeats in (16, 128))
        self.assertEqual((len(few), len(many)), (5, 5), "a child failed")
        caller, worker, descriptors, descriptor_bytes, program = ((y - x) / (112 * 32) for x, y in zip(few, many))
        self.assertEqual(descriptors, 2 * (128 + 16))  # rows of a load, and the word that ends it on each engine
        self.assertLess(descriptor_bytes, 5 * descriptors)
        self.assertLess(program, 1600)
        self.assertLess(caller, 10000)
        self.assertLess(worker, 14000)  # 32 bytes of HBM for each descriptor


if __name__ == "__main__":
    unittest.main()
