# SPDX-License-Identifier: Apache-2.0
"""Tensors, and loads and stores as wrappers of nki.isa."""
import os

import numpy as np

from .. import _arrays, _core, _files, _trace, isa
from ..dtype import dtype_of
from ..tensor import NkiTensor, Slice, hbm, new_tensor, psum, sbuf


def ndarray(shape, dtype, buffer=sbuf, name="", address=None, **unknown):
    if unknown:
        raise _core.validation_error(f"ndarray() got an unexpected keyword argument '{sorted(unknown)[0]}'")
    return new_tensor(shape, dtype, buffer, name, address)


def full(shape, fill_value, dtype, buffer=sbuf, name="", address=None):
    result = new_tensor(shape, dtype, buffer, name, address)
    isa.memset(dst=result, value=fill_value)
    return result


def zeros(shape, dtype, buffer=sbuf, name="", address=None):
    return full(shape, 0, dtype, buffer, name, address)


def ones(shape, dtype, buffer=sbuf, name="", address=None):
    return full(shape, 1, dtype, buffer, name, address)


def empty_like(x, dtype=None, buffer=None, name=""):
    return new_tensor(x.shape, dtype or x.dtype, buffer or x.buffer, name)


def zeros_like(x, dtype=None, buffer=None, name=""):
    return zeros(x.shape, dtype or x.dtype, buffer or x.buffer, name)


def shared_constant(constant, dtype=None):
    """A constant in HBM: an array, or a file of one."""
    trace = _trace.current("shared_constant()")
    if isinstance(constant, (str, os.PathLike)):
        constant = _constant_of_file(os.fspath(constant))
        trace.has_read_files = True
    array = constant if dtype is None else _arrays.array(constant, dtype)
    array = np.asarray(array) if not isinstance(array, np.ndarray) else array
    kind = str(_arrays.dtype_of_array(array))
    view = trace.core.hbm(_trace.assigned_name() or "constant", 4, kind, list(array.shape), trace.place())
    trace.constants[view.name] = _arrays.to_bytes(array)
    return NkiTensor(view, hbm, trace)


def _constant_of_file(path):
    try:
        _files.check_readable(path)
        return _files.load_array(path)
    except (_files.Refused, OSError, ValueError) as error:
        told = _files.reason(error)
        raise _core.validation_error(f"shared_constant: {told if path in told else f'{path}: {told}'}") from None


def ds(start, size):
    return Slice(start, size)


ts = ds


def _like(x, buffer=sbuf, dtype=None, shape=None):
    return new_tensor(x.shape if shape is None else shape, dtype or x.dtype, buffer)


def _check_tensor(value, role, function):
    if not isinstance(value, NkiTensor):
        raise _core.validation_error(f"operand '{role}' of '{function}' must be a tensor, got {type(value).__name__}")


def load(src, dtype=None, **unknown):
    if unknown:
        raise _core.not_supported(f"load({sorted(unknown)[0]}=)")
    _check_tensor(src, "src", "load")
    if src.buffer in (sbuf, psum):
        raise _core.validation_error("Expected operand 'src' of 'load' to be in address space 'hbm', but got a tile in "
                                     f"'{src.buffer}' instead.")
    result = _like(src, dtype=dtype_of(dtype) if dtype is not None else None)
    isa.dma_copy(dst=result, src=src)
    return result


def _sizes(tensor):
    return [n for n in tensor.shape if n != 1]


def store(dst, value, **unknown):
    if unknown:
        raise _core.not_supported(f"store({sorted(unknown)[0]}=)")
    _check_tensor(dst, "dst", "store")
    _check_tensor(value, "value", "store")
    if dst.buffer in (sbuf, psum):
        raise _core.validation_error("Expected operand 'dst' of 'store' to be in address space 'hbm', but got a tile in "
                                     f"'{dst.buffer}' instead.")
    same_rows = dst.shape[0] == value.shape[0] and dst.size == value.size
    if not same_rows and _sizes(dst) != _sizes(value):
        raise _core.validation_error(f"store: value{list(value.shape)} does not fit dst{list(dst.shape)}")
    if value.buffer == psum:
        moved = _like(value, dtype=dst.dtype)
        isa.tensor_copy(dst=moved, src=value)
        value = moved
    isa.dma_copy(dst=dst, src=value)


def copy(x, dtype=None):
    _check_tensor(x, "x", "copy")
    result = _like(x, dtype=dtype_of(dtype) if dtype is not None else None)
    isa.tensor_copy(dst=result, src=x)
    return result
