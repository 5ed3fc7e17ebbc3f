# SPDX-License-Identifier: Apache-2.0
"""Element types: strings, so that kernels may compare them with names."""
import numpy as np

from . import _core


class DType(str):
    """An element type by its name: float32, bfloat16, float8_e4m3, ..."""

    @property
    def itemsize(self):
        return _core.element_bytes(str(self))

    @property
    def name(self):
        return str(self)

    def __repr__(self):
        return f"nki.language.{str(self)}"


_NAMES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "tfloat32", "float32",
          "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float8_e4m3fn_x4", "float8_e5m2_x4",
          "float4_e2m1fn_x4", "bool")
_ALL = {name: DType(name) for name in _NAMES}
_OTHERS = {"bool_": "bool", "float8e4": "float8_e4m3", "float8e5": "float8_e5m2", "float8_e4m3b11fnuz": None,
           "float": "float32", "int": "int32"}
# What numpy computes with; the others need ml_dtypes, or are bytes.
NUMPY = {"int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32,
         "uint32": np.uint32, "float16": np.float16, "float32": np.float32, "tfloat32": np.float32, "bool": np.bool_}


def dtype_of(value):
    """The element type that a name, a type of numpy, ml_dtypes, torch or jax means."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        name = value
    elif isinstance(value, np.dtype):  # which equals float, int or bool
        name = value.name
    elif value in (float, int, bool):
        name = {float: "float32", int: "int32", bool: "bool"}[value]
    elif isinstance(value, type) and issubclass(value, np.generic):
        name = np.dtype(value).name
    else:
        name = getattr(value, "name", None) or getattr(value, "__name__", None) or str(value)
    name = str(name).rsplit(".", 1)[-1]
    name = _OTHERS.get(name, name)
    if name in _ALL:
        return _ALL[name]
    raise _core.validation_error(f"unknown dtype {value!r}")


def __getattr__(name):
    known = _OTHERS.get(name, name)
    if known in _ALL:
        return _ALL[known]
    raise AttributeError(f"module 'nki.dtype' has no attribute '{name}'")
