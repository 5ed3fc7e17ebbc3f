# SPDX-License-Identifier: Apache-2.0
"""nki.language: tensors, types, loops, operators."""
import builtins  # some of whose names are the interface's here

from .. import _core
from ..dtype import _ALL as _dtypes
from ..dtype import DType  # noqa: F401
from ..tensor import (HBM, MemoryRegion, NkiTensor, hbm, private_hbm, psum, sbuf, shared_hbm)  # noqa: F401
from ._composed import (all, ceil, cos, divide, dropout, floor, fmod, gather_flattened, load_transpose2d, mod,  # noqa: F401
                        logical_not, rand, random_seed, rms_norm, shared_identity_matrix, tan, trunc, var, where)
from ._composed import sin as _sin
from ._loops import (affine_range, dynamic_range, fori_loop, no_reorder, num_programs, program_id,  # noqa: F401
                     program_ndim, sequential_range, static_range, while_loop)
from ._math import (OPERATORS, Operator, broadcast_to, expand_dims, matmul, max, mean, min, negative, prod, softmax,  # noqa: F401
                    sum, transpose)
from ._memory import (copy, ds, empty_like, full, load, ndarray, ones, shared_constant, store, ts, zeros,  # noqa: F401
                      zeros_like)
from ._print import device_print  # noqa: F401
from ._sizes import fp32, tile_size  # noqa: F401


class NKIObject:
    """Base of classes that kernels pass around: as a dataclass, with or without the decorator.

    A field that nothing sets is None; an assignment in the class is a field, with or without a type.
    """

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        types = cls.__dict__.get("__annotations__", {})
        for name in types:
            if name not in cls.__dict__:
                setattr(cls, name, None)
        plain = (builtins.bool, int, float, str, type(None), MemoryRegion)
        types.update({name: object for name, value in cls.__dict__.items()
                      if isinstance(value, plain) and name not in types and not name.startswith("__")})
        cls.__annotations__ = types

    def __init__(self, *args, **kwargs):
        names = [name for cls in reversed(type(self).__mro__) for name in cls.__dict__.get("__annotations__", {})]
        if len(args) > len(names):
            raise TypeError(f"{type(self).__name__}() takes {len(names)} arguments, got {len(args)}")
        for name, value in list(zip(names, args)) + list(kwargs.items()):
            if name not in names:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{name}'")
            setattr(self, name, value)
        post = getattr(self, "__post_init__", None)
        if post is not None:
            post()


def is_sbuf(buffer):
    return getattr(buffer, "buffer", buffer) == sbuf


def is_psum(buffer):
    return getattr(buffer, "buffer", buffer) == psum


def is_hbm(buffer):
    return getattr(buffer, "buffer", buffer) in HBM


def is_on_chip(buffer):
    return is_sbuf(buffer) or is_psum(buffer)


_ALIASES = {"bool_": "bool", "float8e4": "float8_e4m3", "float8e5": "float8_e5m2"}
_MISSING = ("arange", "mgrid", "par_dim", "loop_reduce", "atomic_rmw", "spmd_dim", "nc",
            "all_reduce", "static_cast")

globals().update(_dtypes)
globals().update({name: operator for name, operator in OPERATORS.items() if name != "copy"})
# Called with tiles it takes any angle; as an operator of an activation it is the instruction's.
globals()["sin"] = Operator("sin", _sin)
copy.nki_operator = "copy"


def __getattr__(name):
    if name in _ALIASES:
        return _dtypes[_ALIASES[name]]
    if name not in _MISSING:
        raise AttributeError(f"module 'nki.language' has no attribute '{name}'")

    def call(*_, **__):
        raise _core.not_supported(f"nki.language.{name}")
    call.__name__ = name
    return call
