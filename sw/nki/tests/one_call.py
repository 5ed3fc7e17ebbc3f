# SPDX-License-Identifier: Apache-2.0
"""A kernel around one call: arguments into SBUF, the call, results out."""
import nki
import nki.isa as nisa
import nki.language as nl


def loaded(array):
    """A tile with an array in HBM."""
    tile = nl.ndarray(array.shape, dtype=array.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=array)
    return tile


def run(call, inputs, shape, dtype, start=None, buffer=nl.sbuf):
    """call(dst, tile of each input); dst is [shape] of dtype, with the values of `start` or uninitialised."""
    arrays = tuple(inputs) + (() if start is None else (start,))

    @nki.jit
    def kernel(arrays):
        tiles = [loaded(array) for array in arrays]
        dst = nl.ndarray(shape, dtype=dtype, buffer=buffer)
        if start is not None:
            nisa.tensor_copy(dst=dst, src=tiles.pop())
        more = call(dst, *tiles)
        results = []
        for tile in (dst,) + (more if isinstance(more, tuple) else ()):
            out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile)
            results.append(out)
        return tuple(results)

    results = kernel(arrays)
    return results[0] if len(results) == 1 else results
