# SPDX-License-Identifier: Apache-2.0
"""C = A^T B in BF16, twice: every operand loaded for every product, and each once.

    tern nki run sw/examples/nki/matmul.py::slow --arg at=1024x1024:bfloat16:random --arg b=1024x2048:bfloat16:random --report out
    tern nki run sw/examples/nki/matmul.py::fast --arg at=1024x1024:bfloat16:random --arg b=1024x2048:bfloat16:random --report out
"""
import nki
import nki.isa as nisa
import nki.language as nl

K, M, N = 128, 128, 512  # of a product: rows and columns of the array, columns of a PSUM bank


def store(out, sums, m, n):
    tile = nl.ndarray((M, N), dtype=out.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=sums)
    nisa.dma_copy(dst=out[nl.ds(m * M, M), nl.ds(n * N, N)], src=tile)


@nki.jit
def slow(at, b):
    out = nl.ndarray((at.shape[1], b.shape[1]), dtype=at.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(at.shape[1] // M):
        for n in nl.affine_range(b.shape[1] // N):
            sums = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(at.shape[0] // K):
                a_tile = nl.ndarray((K, M), dtype=at.dtype, buffer=nl.sbuf)
                b_tile = nl.ndarray((K, N), dtype=b.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=a_tile, src=at[nl.ds(k * K, K), nl.ds(m * M, M)])
                nisa.dma_copy(dst=b_tile, src=b[nl.ds(k * K, K), nl.ds(n * N, N)])
                nisa.nc_matmul(dst=sums, stationary=a_tile, moving=b_tile)
            store(out, sums, m, n)
    return out


@nki.jit
def fast(at, b):
    out = nl.ndarray((at.shape[1], b.shape[1]), dtype=at.dtype, buffer=nl.shared_hbm)
    slabs = at.shape[0] // K
    # Whole rows: long descriptors, and all of it fits into SBUF.
    a_rows = [nl.ndarray((K, at.shape[1]), dtype=at.dtype, buffer=nl.sbuf) for _ in range(slabs)]
    b_rows = [nl.ndarray((K, b.shape[1]), dtype=b.dtype, buffer=nl.sbuf) for _ in range(slabs)]
    for k in nl.affine_range(slabs):
        nisa.dma_copy(dst=a_rows[k], src=at[nl.ds(k * K, K), :])
        nisa.dma_copy(dst=b_rows[k], src=b[nl.ds(k * K, K), :])
    for m in nl.affine_range(at.shape[1] // M):
        for n in nl.affine_range(b.shape[1] // N):
            sums = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(slabs):
                nisa.nc_matmul(dst=sums, stationary=a_rows[k][:, nl.ds(m * M, M)], moving=b_rows[k][:, nl.ds(n * N, N)])
            store(out, sums, m, n)
    return out
