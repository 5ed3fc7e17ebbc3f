# SPDX-License-Identifier: Apache-2.0
"""Rows of a tensor in HBM by the numbers in a tile: x[index[i_p, 0], i_f]."""
from nki import _core
from nki.tensor import HBM

from ._index import Index, is_integer
from ._tile import Tile


class Rows(Tile):
    """Row index[p] of the tensor for partition p; the other dimensions by a grid."""

    __slots__ = ("index",)

    def __init__(self, tensor, index, keys):
        others = [k if isinstance(k, Index) else Index(int(k), {}, 2) for k in keys]
        ndim = max([2] + [k.ndim for k in others])
        counts = [1] * ndim
        for key in others:
            for position, term in key.terms.items():
                counts[position] = max(counts[position], term.count)
        if counts[0] != 1:
            raise _core.not_supported("rows by a tile, and another index along the partitions")
        counts[0] = index.shape[0]
        super().__init__(tensor, others, counts, tensor.dtype, tensor.buffer)
        self.index = index

    def view(self, parts=None):
        parts = parts or {}
        tensor = self.root()
        index = self.index.view({0: parts[0]} if 0 in parts else None)
        # The rows are the index tile's: its part has been taken above.
        offset, steps = self._offset_and_steps(tensor, {d: part for d, part in parts.items() if d > 0}, first=1)
        counts = [parts[d][1] - parts[d][0] if d in parts else n for d, n in enumerate(self._shape)]
        return tensor.ap([[step, count] for step, count in zip(steps, counts)], offset=offset, vector_offset=index)


def rows(tensor, keys):
    """The view that a subscript with a tile means."""
    index = keys[0]
    if not isinstance(index, Tile) or any(not isinstance(k, Index) and not is_integer(k) for k in keys[1:]):
        raise _core.not_supported("a tile as index, other than of the first dimension beside index grids")
    if tensor.buffer not in HBM or len(keys) != tensor.ndim or tensor.offset != 0:
        raise _core.not_supported("a tile as index, other than of the first dimension of a tensor in HBM")
    if index.size != index.shape[0] or str(index.dtype) not in ("int32", "uint32"):
        raise _core.validation_error(f"rows by {index}: expected one int32 or uint32 a partition")
    return Rows(tensor, index, keys[1:])
