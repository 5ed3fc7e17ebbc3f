# SPDX-License-Identifier: Apache-2.0
"""nki.language of NKI 0.1: tiles, index grids, masks, loops, functions that return tiles."""
from nki import _core
from nki.dtype import _ALL as _dtypes, dtype_of as _dtype_of
from nki.language import ds, fp32, no_reorder, tile_size, ts  # noqa: F401
from nki.tensor import hbm, private_hbm, psum, sbuf, shared_hbm  # noqa: F401

from .._index import arange, mgrid  # noqa: F401
from .._kernel import NeuronCores as nc, spmd_dim  # noqa: F401
from .._tile import OPERATORS as _OPERATORS
from ._grid import (affine_range, loop_reduce, num_programs, par_dim, program_id, program_ndim,  # noqa: F401
                    sequential_range, static_range)
from ._math import COMPOSED as _COMPOSED, broadcast_to, expand_dims, matmul, transpose  # noqa: F401
from ._memory import (atomic_rmw, device_print, empty_like, full, load, load_transpose2d, ndarray, ones, shared_constant,  # noqa: F401
                      shared_identity_matrix, static_cast, store, zeros, zeros_like)
from ._reduce import max, mean, min, prod, sum  # noqa: F401

globals().update(_dtypes)
globals().update(_OPERATORS)
globals().update(_COMPOSED)



class finfo:
    """nl.finfo(dtype).min and .max."""

    def __init__(self, dtype):
        self.dtype = _dtype_of(dtype)
        largest = {"float32": 3.4028234663852886e38, "bfloat16": 3.3895313892515355e38, "float16": 65504.0,
                   "float8_e4m3": 240.0, "float8_e5m2": 57344.0}.get(str(self.dtype))
        if largest is None:
            raise _core.validation_error(f"finfo: {self.dtype} is no float type")
        self.min, self.max = -largest, largest


_ALIASES = {"bool_": "bool", "float8e4": "float8_e4m3", "float8e5": "float8_e5m2"}
_MISSING = ("mod", "fmod", "all_reduce", "gemm_grid", "gemm_stationary_grid",
            "dynamic_range", "while_loop", "fori_loop")


def __getattr__(name):
    if name in _ALIASES:
        return _dtypes[_ALIASES[name]]
    if name not in _MISSING:
        raise AttributeError(f"module 'neuronxcc.nki.language' has no attribute '{name}'")

    def call(*_, **__):
        raise _core.not_supported(f"neuronxcc.nki.language.{name}")
    call.__name__ = name
    return call
