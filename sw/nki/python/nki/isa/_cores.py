# SPDX-License-Identifier: Apache-2.0
"""Programs of two cores: data for each other, barriers."""
from .. import _core, _trace
from ..tensor import HBM
from ._call import record, tensor
from .constants import dma_engine as dma_engines
from .constants import engine as engines


def _two(function):
    trace = _trace.current(f"nki.isa.{function}")
    if trace.cores != 2:
        raise _core.validation_error(f"{function} belongs into a kernel on two cores: launch it as kernel[2](..)")
    return trace


def sendrecv(src, dst, send_to_rank, recv_from_rank, pipe_id, dma_engine=dma_engines.dma, name=None):
    other = 1 - _two("sendrecv").program
    if send_to_rank != other or recv_from_rank != other:
        raise _core.validation_error(f"sendrecv: send_to_rank {send_to_rank} and recv_from_rank {recv_from_rank} on core "
                                     f"{1 - other}: expected {other}")
    if str(src.dtype) != str(dst.dtype) or tuple(src.shape) != tuple(dst.shape):
        raise _core.validation_error(f"sendrecv: src{list(src.shape)} of {src.dtype} and dst{list(dst.shape)} of "
                                     f"{dst.dtype} must have the same type and shape")
    if dma_engine == dma_engines.gpsimd_dma:
        limit = 256 * src.itemsize
        if src.size // src.shape[0] * src.itemsize > limit:
            raise _core.validation_error(f"sendrecv: gpsimd_dma moves at most {limit} bytes per partition of {src.dtype}")
    record("sendrecv", [tensor(dst, "dst", "sendrecv"), tensor(src, "src", "sendrecv")], {"value": int(pipe_id)}, name)


def core_barrier(data, cores, engine=engines.gpsimd, name=None):
    _two("core_barrier")
    if tuple(cores) != (0, 1):
        raise _core.validation_error(f"core_barrier: cores {tuple(cores)}: expected (0, 1)")
    if data.buffer not in HBM:
        raise _core.validation_error(f"core_barrier: data must be in shared_hbm, tensor `{data.name}` is in "
                                     f"'{data.buffer}'")
    record("core_barrier", [tensor(data, "data", "core_barrier")], {}, name)
