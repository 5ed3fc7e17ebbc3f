# SPDX-License-Identifier: Apache-2.0
"""Tensors, loads, stores."""
from nki import _core, _trace
from nki import language as new
from nki.dtype import dtype_of
from nki.isa import _dma, _element
from nki.tensor import HBM, new_tensor, psum, sbuf, shared_hbm

from .. import _pending
from .._index import Box
from .._rows import Rows
from .._tile import Blocks, Tile, new_tile
from ..isa._call import leaves_nothing
from ._grid import par_dim


def ndarray(shape, dtype, buffer=None, name="", **unknown):
    return _tensor(shape, dtype, buffer, name, None, unknown)


def full(shape, fill_value, dtype, buffer=None, name="", **unknown):
    return _tensor(shape, dtype, buffer, name, fill_value, unknown)


def zeros(shape, dtype, buffer=None, name="", **unknown):
    return _tensor(shape, dtype, buffer, name, 0, unknown)


def ones(shape, dtype, buffer=None, name="", **unknown):
    return _tensor(shape, dtype, buffer, name, 1, unknown)


def empty_like(a, dtype=None, buffer=None, name="", **unknown):
    return _tensor(a.shape, dtype or a.dtype, buffer or a.buffer, name, None, unknown)


def zeros_like(a, dtype=None, buffer=None, name="", **unknown):
    return _tensor(a.shape, dtype or a.dtype, buffer or a.buffer, name, 0, unknown)


# What only helped the compiler.
_HINTS = {"lazy_initialization"}


def _tensor(shape, dtype, buffer, name, value, unknown):
    if set(unknown) - _HINTS:
        raise _core.validation_error(f"unexpected keyword argument '{sorted(set(unknown) - _HINTS)[0]}' of a tensor")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    buffer = sbuf if buffer is None else buffer
    if buffer in HBM:
        _pending.flush()
        program = _trace.current("a tensor").program

        def in_hbm():
            return new_tensor(shape, dtype, buffer, name)
        tensor = program.shared_tensor(in_hbm) if buffer == shared_hbm else in_hbm()
        if value is not None:
            raise _core.not_supported("a tensor in HBM with a value")
        return Tile(tensor)

    at = [d for d, n in enumerate(shape) if isinstance(n, par_dim)]
    if len(at) > 1:
        raise _core.validation_error(f"shape {list(shape)} has par_dim twice")
    blocks, own = (shape[:at[0]], shape[at[0]:]) if at else ((), shape)

    def on_chip():  # does not disturb a result that waits to be written into it
        tile = new_tile([int(n) for n in own], dtype, buffer, name)
        if value is not None:
            _element.memset(dst=tile.view(), value=value)
        return tile
    return Blocks([int(n) for n in blocks], on_chip, [int(n) for n in own], dtype, buffer) if blocks else on_chip()


def shared_constant(constant, dtype=None, **_):
    _pending.flush()
    return Tile(new.shared_constant(constant, dtype))


def shared_identity_matrix(n, dtype="uint8", **_):
    _pending.flush()
    return Tile(new.shared_identity_matrix(n, dtype))


def _in_hbm(value, role, function):
    if not isinstance(value, Tile):
        raise _core.validation_error(f"operand '{role}' of '{function}' must be a tensor, got {type(value).__name__}")
    if value.buffer not in HBM:
        raise _core.validation_error(f"Expected operand '{role}' of '{function}' to be in address space 'hbm', but got a tile "
                                     f"in '{value.buffer}' instead.")
    return value


def _box(mask, tile):
    return Box(mask, lambda position: tile.shape[position] if -position <= tile.ndim else None)


def on_chip_shape(shape):
    """That of a tile: a row of numbers is one for each partition."""
    return tuple(shape) if len(shape) > 1 else tuple(shape) + (1,)


def load(src, mask=None, dtype=None, **_):
    _in_hbm(src, "src", "load")
    _pending.flush()
    box = _box(mask, src)
    shape = on_chip_shape(src.shape)

    def record(target):
        if box.is_empty:
            return
        parts = box.of(src.ndim, src.shape)
        source = src.view(parts)
        _dma.dma_copy(dst=target.view(parts), src=source if src.ndim == len(shape) else source.reshape(shape))
    if isinstance(src, Rows):  # now: its index may change
        return _pending.later(shape, dtype or src.dtype, record, [src, src.index], buffers=(sbuf,), in_place=False)
    return _pending.load_later(shape, dtype or src.dtype, record, src)


def store(dst, value, mask=None, **_):
    _in_hbm(dst, "dst", "store")
    if not isinstance(value, Tile):
        raise _core.validation_error(f"operand 'value' of 'store' must be a tile, got {type(value).__name__}")
    _pending.flush_loads()
    box = _box(mask, dst)
    if box.is_empty:
        return
    if value.buffer == psum:
        moved = new_tile(value.shape, dst.dtype, sbuf)
        _element.tensor_copy(dst=moved.view(box.of(value.ndim, value.shape)), src=value.view(box.of(value.ndim, value.shape)))
        value = moved
    target, source = dst.view(box.of(dst.ndim, dst.shape)), value.view(box.of(value.ndim, value.shape))
    if tuple(target.shape) != tuple(source.shape) and target.size == source.size and not box.parts:
        source = source.reshape(tuple(target.shape))
    _dma.dma_copy(dst=target, src=source)


def atomic_rmw(dst, value, op, mask=None, **_):
    """dst = dst op value: sums of tiles, also of rows by index."""
    from ..isa._special import add_in_place
    _in_hbm(dst, "dst", "atomic_rmw")
    _pending.flush_loads()
    add_in_place(dst, value, op, mask, "atomic_rmw")


def load_transpose2d(src, mask=None, dtype=None, **_):
    _in_hbm(src, "src", "load_transpose2d")
    is_empty = leaves_nothing(mask, "load_transpose2d")

    def record(target):
        if is_empty:
            return
        if target.dtype == src.dtype:
            _dma.dma_transpose(dst=target.view(), src=src.view())
            return
        moved = new_tile(target.shape, src.dtype, sbuf)
        _dma.dma_transpose(dst=moved.view(), src=src.view())
        _element.tensor_copy(dst=target.view(), src=moved.view())
    return _pending.later((src.shape[1], src.shape[0]), dtype or src.dtype, record, [src], buffers=(sbuf,))



def device_print(print_prefix, x, mask=None, **_):
    """Of what the mask leaves."""
    if not isinstance(x, Tile):
        raise _core.validation_error(f"device_print of {type(x).__name__}: expected a tile")
    _pending.flush()
    box = _box(mask, x)
    if not box.is_empty:
        new.device_print(print_prefix, x.view(box.of(x.ndim, x.shape)))


def static_cast(input_data, dtype):
    from .._tile import OPERATORS
    return OPERATORS["copy"](input_data, dtype=dtype_of(dtype))
