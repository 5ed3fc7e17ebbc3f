# SPDX-License-Identifier: Apache-2.0
"""nki.isa: one function for each instruction of the chip."""
from .. import _core, _target, _trace
from .._errors import NkiValidationError  # noqa: F401
from . import constants  # noqa: F401
from ._dma import dma_copy  # noqa: F401
from ._element import (activation, activation_reduce, memset, reciprocal, tensor_copy, tensor_reduce,  # noqa: F401
                       tensor_scalar, tensor_tensor)
from ._tensor_engine import nc_matmul, nc_transpose  # noqa: F401
from .constants import (dge_mode, dma_engine, engine, gpsimd_engine, matmul_perf_mode, nc_version, oob_mode,  # noqa: F401
                        reduce_cmd, scalar_engine, tensor_engine, unknown_engine, vector_engine)

# What the interface has and this package has not: refused where it is called, with the place.
_MISSING = ("dma_transpose", "dma_compute", "tensor_copy_predicated", "nc_stream_shuffle", "nc_n_gather", "local_gather",
            "sendrecv", "core_barrier", "nc_matmul_mx", "quantize_mx", "activate2", "exponential",
            "scalar_tensor_tensor", "tensor_scalar_reduce", "tensor_tensor_scan", "tensor_scalar_cumulative", "dropout",
            "tensor_partition_reduce", "bn_stats", "bn_aggr", "select_reduce", "range_select", "affine_select", "iota",
            "max8", "nc_find_index8", "nc_match_replace8", "nonzero_with_count", "sequence_bounds", "topk", "rng",
            "rand2", "set_rng_seed", "rand_set_state", "rand_get_state", "register_alloc", "register_move",
            "register_load", "register_store", "tensor_copy_dynamic_src", "tensor_copy_dynamic_dst", "VirtualRegister",
            "NkiInstruction")


def get_nc_version():
    """Of the chip that the kernel is built for."""
    target = _trace.current().target if _trace.is_tracing() else _target.chosen()
    return nc_version(target.generation)


def get_nc_sub_version():
    return 0


def __getattr__(name):
    if name not in _MISSING:
        raise AttributeError(f"module 'nki.isa' has no function '{name}'")

    def call(*_, **__):
        raise _core.not_supported(f"nki.isa.{name}")
    call.__name__ = name
    return call
