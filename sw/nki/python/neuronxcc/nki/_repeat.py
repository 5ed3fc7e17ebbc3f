# SPDX-License-Identifier: Apache-2.0
"""A row repeated over partitions: the tensor engine multiplies it by ones, one PSUM bank at a time.

A row beside a tile of many partitions is read from the banks as they come. What broadcast_to() makes is copied to SBUF.
Measured kernels of both kinds take these times on Trainium 1 (docs/fidelity.md).
"""
from nki import isa as new
from nki import _trace
from nki.language._math import broadcast_to
from nki.tensor import HBM, NkiTensor, psum, sbuf

from . import _pending
from ._tile import Tile, new_tile

_TYPES = ("float32", "bfloat16", "float16")


class Repeated(Tile):
    """[1, F] as [P, F]; is_kept: in SBUF, before anything reads it."""

    __slots__ = ("row", "is_kept")

    def __init__(self, row, shape, is_kept):
        super().__init__(shape=shape, dtype=row.dtype, buffer=sbuf)
        self.row, self.is_kept = row, is_kept

    def root(self):
        if self._tensor is None:
            row = self.row
            if row.buffer == psum:
                row = new_tile(row.shape, row.dtype, sbuf)
                new.tensor_copy(dst=row.view(), src=self.row.view())
            self._tensor = broadcast_to(row.view(), self.shape)
        return self._tensor

    def settle(self):
        if self.is_banks():
            self.row.settle()
        else:
            self.root()

    def is_banks(self):
        """Whether instructions of two tiles read products from PSUM."""
        row = self.row
        return (not self.is_kept and self._tensor is None and str(row.dtype) in _TYPES and row.ndim == 2
                and row.buffer == sbuf)

    def banks(self):
        """First element and end of each part with its tile in PSUM."""
        partitions, columns = self.shape
        row, ones = self.row.view(), _ones(self.dtype, partitions)
        size = new_tile_columns()
        for first in range(0, columns, size):
            end = min(first + size, columns)
            bank = new_tile((partitions, end - first), "float32", psum).view()
            new.nc_matmul(dst=bank, stationary=ones, moving=row.slice(1, first, end), accumulate=False)
            yield first, end, bank


def new_tile_columns():
    from nki.language import tile_size
    return tile_size.psum_fmax


def _ones(dtype, partitions) -> NkiTensor:
    kept = _trace.current().__dict__.setdefault("rows_of_ones", {})
    if (dtype, partitions) not in kept:
        tile = new_tile((1, partitions), dtype, sbuf).view()
        new.memset(dst=tile, value=1)
        kept[dtype, partitions] = tile
    return kept[dtype, partitions]


def spread(view, shape):
    for d, (have, want) in enumerate(zip(view.shape, shape)):
        view = view if have == want else view.broadcast(d, want)
    return view


def repeat(src, shape, is_kept):
    """src with dimensions of one element repeated: in the free dimensions and in HBM a view."""
    if src.shape[0] == shape[0] or src.buffer in HBM:
        return Tile(spread(src.view(), shape))
    if src.shape[1:] == shape[1:]:
        return Repeated(src, shape, is_kept)
    return _pending.later(shape, src.dtype, lambda target: new.dma_copy(dst=target.view(), src=spread(src.view(), shape)),
                          [src], buffers=(sbuf,), in_place=False)


def tensor_tensor(dst, x, y, op, at, engine):
    """op of tiles, of which at most one is a repeated row; at: the part that a mask leaves."""
    x_rows, y_rows = (isinstance(t, Repeated) and t.is_banks() and at(t.row).shape == t.row.shape for t in (x, y))
    whole = tuple(dst.shape) == (y.shape if y_rows else x.shape)
    if x_rows == y_rows or not whole or tuple((y if x_rows else x).shape) != tuple(dst.shape):
        one, two = (_pending.spread(at(t), dst.shape, f"{op}") for t in (x, y))
        new.tensor_tensor(dst=dst, data1=one, data2=two, op=op, engine=engine)
        return
    other = at(y if x_rows else x)
    for first, end, bank in (x if x_rows else y).banks():
        part, target = other.slice(1, first, end), dst.slice(1, first, end)
        new.tensor_tensor(dst=target, data1=bank if x_rows else part, data2=part if x_rows else bank, op=op, engine=engine)
