# SPDX-License-Identifier: Apache-2.0
"""Arguments and results: arrays of numpy, also of types that numpy does not have."""
import numpy as np

from . import _core
from .dtype import NUMPY, dtype_of

_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class TypedArray(np.ndarray):
    """The bits of elements of a type that numpy lacks, as unsigned integers. float() gives their values."""

    nki_dtype = None

    def __array_finalize__(self, other):
        self.nki_dtype = getattr(other, "nki_dtype", None)

    def float(self):
        values = _core.widen(np.ascontiguousarray(self).tobytes(), str(self.nki_dtype))
        return values.reshape(self.shape)


def _ml_dtype(name):
    """The type of ml_dtypes with this name, when that package is there."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return getattr(ml_dtypes, name, None)


def array(values, dtype):
    """An array of any element type from values that numpy has: nki.array([1.5, 2], nl.bfloat16)."""
    dtype = dtype_of(dtype)
    if dtype in NUMPY:
        return np.asarray(values).astype(NUMPY[dtype])
    floats = np.asarray(values, dtype=np.float32)
    return from_bytes(_core.narrow(floats.ravel(), str(dtype)), floats.shape, dtype)


def as_float(values):
    """The values of an array of any element type as float32."""
    return values.float() if isinstance(values, TypedArray) else np.asarray(values).astype(np.float32)


def from_bytes(data, shape, dtype):
    dtype = dtype_of(dtype)
    if dtype in NUMPY:
        return np.frombuffer(bytearray(data), dtype=NUMPY[dtype]).reshape(shape)
    other = _ml_dtype(str(dtype))
    if other is not None:
        return np.frombuffer(bytearray(data), dtype=other).reshape(shape)
    result = np.frombuffer(bytearray(data), dtype=_BITS[dtype.itemsize]).reshape(shape).view(TypedArray)
    result.nki_dtype = dtype
    return result


def is_array(value):
    return isinstance(value, np.ndarray) or (type(value).__module__.split(".")[0] in ("torch", "jax", "jaxlib") and
                                             hasattr(value, "shape") and hasattr(value, "dtype"))


def dtype_of_array(value):
    if isinstance(value, TypedArray) and value.nki_dtype is not None:
        return value.nki_dtype
    name = str(value.dtype)
    narrower = {"float64": "float32", "int64": "int32", "uint64": "uint32"}.get(name.rsplit(".", 1)[-1])
    if narrower is not None:
        raise _core.validation_error(f"arguments of {name} are not supported: use {narrower}")
    return dtype_of(value.dtype)


def to_bytes(value):
    """An array as a run of bytes, without a copy if it is one."""
    if type(value).__module__.startswith("torch"):
        value = value.detach().contiguous().cpu().view(_torch_bytes()).numpy()
    return np.asarray(np.ascontiguousarray(value)).reshape(-1).view(np.uint8)


def _torch_bytes():
    import torch
    return torch.uint8
