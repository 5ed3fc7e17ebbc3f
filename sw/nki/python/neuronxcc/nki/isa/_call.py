# SPDX-License-Identifier: Apache-2.0
"""Element-wise results: masks, operands, types."""
import numpy as np

from nki import _core
from nki.dtype import dtype_of
from nki.isa._call import is_number

from .. import _pending
from .._index import Box
from .._tile import Blocks, Tile

_ORDER = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float8_e5m2", "float8_e4m3", "float16", "bfloat16", "float32")


def promoted(a, b):
    """The wider type of two operands; a number has that of the other."""
    kinds = [str(t.dtype) for t in (a, b) if isinstance(t, Tile)]
    if set(kinds) == {"float16", "bfloat16"}:
        return dtype_of("float32")
    return dtype_of(max(kinds, key=lambda k: _ORDER.index(k) if k in _ORDER else -1))


def tile(value, role, function):
    if isinstance(value, Blocks):
        raise _core.validation_error(f"operand '{role}' of '{function}' is an array of tiles: expected indices of its "
                                     f"dimensions before par_dim, shape {list(value.shape)}")
    if not isinstance(value, Tile):
        raise _core.validation_error(f"operand '{role}' of '{function}' must be a tensor, got {type(value).__name__}")
    return value


def number_or_tile(value, role, function):
    if value is None or is_number(value):
        return value
    if isinstance(value, np.ndarray) and value.size == 1:
        return float(value)
    return tile(value, role, function)


def box_of(mask, shape):
    return Box(mask, lambda position: shape[position] if -position <= len(shape) else None)


def element_wise(shape, dtype, mask, sources, record, **more):
    """record(dst, at): dst and at(operand) are views of what the mask leaves."""
    box = box_of(mask, shape)

    def at(operand):
        return operand.view(box.of(operand.ndim, operand.shape)) if isinstance(operand, Tile) else operand

    def run(target):
        if not box.is_empty:
            record(at(target), at)
    return _pending.later(shape, dtype, run, sources, **more)


def leaves_nothing(mask, what):
    """Of what takes only masks that leave all or nothing."""
    box = Box(mask, lambda position: None)
    if any(part != (0, term.count) for part, term in _cut_terms(mask, box)):
        raise _core.not_supported(f"{what}(mask=) that cuts")
    return box.is_empty


def _cut_terms(mask, box):
    for index, _ in getattr(mask, "conditions", ()):
        for position, term in index.terms.items():
            if position in box.parts and term.count > 1:
                yield box.parts[position], term


def at_once(mask, shape, record):
    """An instruction whose destination is an argument."""
    box = box_of(mask, shape)
    _pending.flush()
    if not box.is_empty:
        record(lambda operand: operand.view(box.of(operand.ndim, operand.shape)) if isinstance(operand, Tile) else operand)
