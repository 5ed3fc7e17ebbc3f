# SPDX-License-Identifier: Apache-2.0
"""Arguments and results: arrays of numpy, also of types that numpy does not have."""
import numpy as np

from . import _core
from ._typed import TypedArray
from .dtype import NUMPY, dtype_of

_USER_TYPES = 256  # numbers of types from here on are those of other packages
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


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
    values = values.float() if isinstance(values, TypedArray) else np.asarray(values)
    if dtype in NUMPY:
        return values.astype(NUMPY[dtype])
    floats = values.astype(np.float32)
    return from_bytes(_core.narrow(floats.ravel(), str(dtype)), floats.shape, dtype)


def as_float(values):
    """The values of an array of any element type as float32."""
    return values.float() if isinstance(values, TypedArray) else np.asarray(values).astype(np.float32)


def from_bytes(data, shape, dtype):
    dtype = dtype_of(dtype)
    if dtype == "bool":  # a kernel may have made bytes that are no bool of numpy
        return (np.frombuffer(data, dtype=np.uint8) != 0).reshape(shape)
    if dtype in NUMPY:
        return np.frombuffer(bytearray(data), dtype=NUMPY[dtype]).reshape(shape)
    return of_bits(np.frombuffer(bytearray(data), dtype=bits_of(dtype)).reshape(shape), dtype)


def bits_of(dtype):
    """The type of numpy for the bits of elements that it lacks."""
    return _BITS[dtype.itemsize]


def of_bits(bits, dtype):
    """Such bits as elements, without a copy."""
    if dtype in NUMPY:
        return bits
    other = _ml_dtype(str(dtype))
    return TypedArray.of(bits, dtype) if other is None else bits.view(other)


def of_type(values, dtype):
    """The bits of an array as elements of a type, which a file of numpy cannot name: uint16 as bfloat16."""
    dtype = dtype_of(dtype)
    if values.dtype.itemsize != dtype.itemsize:
        raise _core.validation_error(f"an array of {values.dtype} does not hold elements of {dtype}, which have "
                                     f"{dtype.itemsize} bytes")
    return from_bytes(to_bytes(values).tobytes(), values.shape, dtype)


def storable(values):
    """For a .npy file, which names only types of numpy itself: of others the bits, as unsigned integers."""
    values = np.asarray(values)  # of a TypedArray the bits
    return values if values.dtype.num < _USER_TYPES else values.view(_BITS[values.dtype.itemsize])


def is_array(value):
    return isinstance(value, np.ndarray) or (type(value).__module__.split(".")[0] in ("torch", "jax", "jaxlib") and
                                             hasattr(value, "shape") and hasattr(value, "dtype"))


def dtype_of_array(value):
    if isinstance(value, TypedArray) and value.nki_dtype is not None:
        return value.nki_dtype
    name = str(getattr(value.dtype, "name", value.dtype))
    narrower = {"float64": "float32", "int64": "int32", "uint64": "uint32"}.get(name.rsplit(".", 1)[-1])
    if narrower is not None:
        raise _core.validation_error(f"{name} is not supported: use {narrower}")
    return dtype_of(value.dtype)


def to_bytes(value):
    """An array as a run of bytes, without a copy if it is one."""
    if _is_torch(value):
        value = value.detach().contiguous().cpu().view(_torch().uint8).numpy()
    value = np.asarray(np.ascontiguousarray(value))
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    return value.reshape(-1).view(np.uint8)


def can_update(value):
    """Whether an argument can take values in place."""
    if isinstance(value, np.ndarray):
        return bool(value.flags.writeable)
    return _is_torch(value)  # arrays of jax are immutable


def update(value, result):
    """Writes a result into an argument."""
    if not _is_torch(value):
        value[...] = result.reshape(value.shape)
        return
    torch = _torch()
    bits = torch.from_numpy(to_bytes(result).copy())
    with torch.no_grad():
        value.copy_(bits.view(value.dtype).reshape(value.shape))


def _is_torch(value):
    return type(value).__module__.split(".")[0] == "torch"


def _torch():
    import torch
    return torch
