# SPDX-License-Identifier: Apache-2.0
"""Tensor objects of NKI 0.1: tiles, views of them by index grids, arrays of tiles."""
import numpy as np

from nki import _core
from nki.dtype import dtype_of
from nki.tensor import HBM, Slice, new_tensor

from . import _pending
from ._index import Index, is_integer

OPERATORS = {}  # functions of nki.language for operators of Python, by name


def _operator(name, swapped=False):
    def call(self, other):
        return OPERATORS[name](other, self) if swapped else OPERATORS[name](self, other)
    return call


class Tile:
    """A tensor, a part of one by an index grid, or a result whose instruction is not yet recorded."""

    __slots__ = ("_tensor", "_grid", "_shape", "_dtype", "_buffer", "pending", "is_stored")
    __array_priority__ = 1000
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, tensor=None, grid=None, shape=None, dtype=None, buffer=None):
        self._tensor, self._grid = tensor, grid
        self._shape = tuple(shape if shape is not None else tensor.shape)
        self._dtype = dtype if dtype is not None else tensor.dtype
        self._buffer = buffer if buffer is not None else tensor.buffer
        self.pending = None
        self.is_stored = False  # what += returns: its value is in place

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    buffer = property(lambda self: self._buffer)
    ndim = property(lambda self: len(self._shape))
    itemsize = property(lambda self: self._dtype.itemsize)
    name = property(lambda self: self.root().name)
    size = property(lambda self: int(np.prod(self._shape)))

    def root(self):
        if self._tensor is None:
            _pending.flush_of(self.pending)
        return self._tensor

    def settle(self):
        """Records what has to come before an instruction that reads it."""
        self.root()

    def becomes(self, tensor):
        """Its instruction writes this tensor."""
        self._tensor, self.pending = tensor, None

    def origins(self, dimension):
        """The nl.arange calls behind a dimension."""
        position = dimension - self.ndim
        found = [i.terms[position].origins for i in self._grid or () if isinstance(i, Index) and position in i.terms]
        return frozenset().union(*found)

    def _offset_and_steps(self, tensor, parts, first=0):
        """Where the grid begins in a tensor and its step along each dimension of the grid; its indices are those of the
        tensor's dimensions from `first` on."""
        by_position = {d - self.ndim: (low, high - 1) for d, (low, high) in parts.items()}
        offset, steps = tensor.offset, [0] * self.ndim
        for dimension, (index, stride) in enumerate(zip(self._grid, tensor.strides[first:]), first):
            index = index if isinstance(index, Index) else Index(int(index), {}, 1)
            low, high = index.bounds(by_position)
            if low < 0 or high >= tensor.shape[dimension]:
                raise _core.validation_error(
                    f"Out-of-bound access for tensor `{tensor.name}` on dimension {dimension}: index range [{low}, {high}] "
                    f"exceed dimension size of {tensor.shape[dimension]}")
            offset += index.const * stride
            for position, term in index.terms.items():
                steps[self.ndim + position] += term.step * stride
                offset += by_position.get(position, (0, 0))[0] * term.step * stride
        return offset, steps

    def view(self, parts=None):
        """As a view; parts: first place and end of some dimensions."""
        parts = parts or {}
        tensor = self.root()
        if self._grid is None:
            for dimension, (low, high) in parts.items():
                tensor = tensor.slice(dimension, low, high)
            return tensor
        offset, steps = self._offset_and_steps(tensor, parts)
        counts = [parts[d][1] - parts[d][0] if d in parts else n for d, n in enumerate(self._shape)]
        if self._buffer not in HBM:
            self._check_partitions(steps, counts)
        return tensor.ap([[step, count] for step, count in zip(steps, counts)], offset=offset)

    def _check_partitions(self, steps, counts):
        """The grid's first dimension is that of the partitions, and no other."""
        partitions = self._grid[0]
        spread = [self.ndim + p for p, t in partitions.terms.items() if t.count > 1] if isinstance(partitions, Index) else []
        if spread not in ([], [0]):
            raise _core.not_supported("partitions indexed by another dimension of the grid than its first")
        if counts[0] == 1:
            steps[0] = self._tensor.strides[0]
        elif not spread:
            raise _core.not_supported("one partition read by many")

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, Tile) for k in keys):
            from ._rows import rows
            return rows(self.root() if self._grid is None else self.view(), keys)
        if not any(isinstance(k, Index) for k in keys):
            plain = tuple(_pair(k) for k in keys)
            base = self.root() if self._grid is None else self.view()
            return Tile(base[plain if isinstance(key, tuple) else plain[0]])
        base = self.root() if self._grid is None else self.view()
        if len(keys) != base.ndim or any(not isinstance(k, Index) and not is_integer(k) for k in keys):
            raise _core.validation_error(f"tensor `{base.name}` of {base.ndim} dimensions: index grids need a grid or an "
                                         "integer for each, and no slices")
        ndim = max(k.ndim for k in keys if isinstance(k, Index))
        if ndim < 2:
            raise _core.validation_error("an index grid of one dimension: expected nl.arange(n)[:, None] or the like")
        counts = [1] * ndim
        for index in keys:
            for position, term in getattr(index, "terms", {}).items():
                if counts[position] not in (1, term.count) and term.count != 1:
                    raise _core.validation_error(f"index grids of {counts[position]} and {term.count} elements in one "
                                                 "dimension")
                counts[position] = max(counts[position], term.count)
        return Tile(base, keys, counts, base.dtype, base.buffer)

    def __setitem__(self, key, value):
        if isinstance(value, Tile) and value.is_stored:
            value.is_stored = False
            return
        _pending.assign(self[key], value)

    def __iadd__(self, value):
        return _pending.add_to(self, value)

    def __isub__(self, value):
        return _pending.update(self, OPERATORS["subtract"], value)

    def __imul__(self, value):
        return _pending.update(self, OPERATORS["multiply"], value)

    def __bool__(self):
        raise _core.validation_error("the values of a tile are not known while a kernel is built")

    def __len__(self):
        return self._shape[0]

    def __iter__(self):
        raise _core.validation_error("a tile cannot be iterated: use its indices")

    def __repr__(self):
        return f"tile{list(self._shape)} of {self._dtype} in {self._buffer}"

    def __neg__(self):
        return OPERATORS["negative"](self)

    def __abs__(self):
        return OPERATORS["abs"](self)

    def broadcast_to(self, shape, **_):
        return OPERATORS["broadcast_to"](self, shape=shape)

    def astype(self, dtype):
        return OPERATORS["copy"](self, dtype=dtype)

    def reshape(self, *sizes, shape=None):
        shape = sizes if shape is None else shape
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return Tile(self.view().reshape(tuple(int(n) for n in shape)))

    def reinterpret_cast(self, dtype):
        return Tile(self.view().view(dtype))

    def expand_dims(self, axis):
        return Tile(self.view().expand_dim(axis % (self.ndim + 1)))


for _name, _function in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"),
                         ("pow", "power"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"),
                         ("lshift", "left_shift"), ("rshift", "right_shift")):
    setattr(Tile, f"__{_name}__", _operator(_function))
    setattr(Tile, f"__r{_name}__", _operator(_function, swapped=True))
for _name, _function in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"),
                         ("eq", "equal"), ("ne", "not_equal")):
    setattr(Tile, f"__{_name}__", _operator(_function))


def _compared(function, with_none):
    def call(self, other):
        return with_none if other is None else function(self, other)
    return call


# Kernels ask whether there is a tile.
Tile.__eq__, Tile.__ne__ = _compared(Tile.__eq__, False), _compared(Tile.__ne__, True)


def _pair(key):
    """A key of basic indexing for nki.tensor."""
    if isinstance(key, slice):
        return slice(*(None if part is None else int(part) for part in (key.start, key.stop, key.step)))
    return key if key is Ellipsis or isinstance(key, Slice) else int(key)


class Blocks:
    """A tensor with dimensions before that of the partitions: an array of tiles, each made when it is first named."""

    def __init__(self, blocks, make, tile_shape, dtype, buffer, tiles=None, prefix=()):
        self._blocks, self._make, self._tile_shape = tuple(blocks), make, tuple(tile_shape)
        self._tiles, self._prefix = {} if tiles is None else tiles, prefix
        self.dtype, self.buffer = dtype_of(dtype), buffer

    shape = property(lambda self: self._blocks[len(self._prefix):] + self._tile_shape)
    ndim = property(lambda self: len(self.shape))

    def _find(self, key):
        """The tile, and what is left of the key."""
        keys = key if isinstance(key, tuple) else (key,)
        wanted = len(self._blocks) - len(self._prefix)
        numbers = []
        for at, item in enumerate(keys[:wanted]):
            if isinstance(item, Index) and not item.terms:
                item = item.const
            if not is_integer(item):
                raise _core.not_supported(f"dimension {at} before par_dim indexed by a range: tiles are taken one by one")
            size = self._blocks[len(self._prefix) + at]
            if not 0 <= int(item) < size:
                raise _core.validation_error(f"Out-of-bound access on dimension {at}: index range [{int(item)}, {int(item)}] "
                                             f"exceed dimension size of {size}")
            numbers.append(int(item))
        place = self._prefix + tuple(numbers)
        if len(place) < len(self._blocks):
            return Blocks(self._blocks, self._make, self._tile_shape, self.dtype, self.buffer, self._tiles, place), None
        if place not in self._tiles:
            self._tiles[place] = self._make()
        return self._tiles[place], keys[wanted:]

    def __getitem__(self, key):
        tile, rest = self._find(key)
        return tile[rest if len(rest) > 1 else rest[0]] if rest else tile

    def __setitem__(self, key, value):
        tile, rest = self._find(key)
        if rest is None:
            raise _core.not_supported("assignment to several tiles")
        tile[rest if rest else ...] = value


def new_tile(shape, dtype, buffer, name=""):
    return Tile(new_tensor(shape, dtype, buffer, name))
