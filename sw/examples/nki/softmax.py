# SPDX-License-Identifier: Apache-2.0
"""Softmax of rows, twice: as one would write it down, and with the work where it is free.

    tern nki run sw/examples/nki/softmax.py::slow --arg x=2048x2048:float32:random --report out
    tern nki run sw/examples/nki/softmax.py::fast --arg x=2048x2048:float32:random --report out
"""
import nki
import nki.isa as nisa
import nki.language as nl

P = 128  # partitions


@nki.jit
def slow(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(x.shape[0] // P):
        rows = nl.ds(t * P, P)
        tile = nl.ndarray((P, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        top = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        sums = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows, :])
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tile, axis=1)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.subtract, operand0=top)
        nisa.activation(dst=tile, op=nl.exp, data=tile)
        nisa.tensor_reduce(dst=sums, op=nl.add, data=tile, axis=1)
        nisa.reciprocal(dst=sums, data=sums)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=sums)
        nisa.dma_copy(dst=out[rows, :], src=tile)
    return out


@nki.jit
def fast(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(x.shape[0] // P):
        rows = nl.ds(t * P, P)
        tile = nl.ndarray((P, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        top = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        sums = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows, :])
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tile, axis=1, negate=True)
        # Scalar subtracts and sums while it computes exp.
        nisa.activation_reduce(dst=tile, op=nl.exp, data=tile, bias=top, reduce_op=nl.add, reduce_res=sums)
        nisa.reciprocal(dst=sums, data=sums)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=sums)
        nisa.dma_copy(dst=out[rows, :], src=tile)
    return out
