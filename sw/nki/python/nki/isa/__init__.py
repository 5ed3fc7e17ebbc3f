# SPDX-License-Identifier: Apache-2.0
"""nki.isa: one function for each instruction of the chip."""
from .. import _core, _target, _trace
from .._errors import NkiValidationError  # noqa: F401
from . import constants  # noqa: F401
from ._dma import dma_compute, dma_copy, dma_transpose  # noqa: F401
from ._cores import core_barrier, sendrecv  # noqa: F401
from ._calls import NkiInstruction, noted
from ._element import (activation, activation_reduce, memset, reciprocal, tensor_copy, tensor_reduce,  # noqa: F401
                       tensor_scalar, tensor_tensor)
from ._gpsimd import (affine_select, iota, local_gather, nonzero_with_count, tensor_partition_reduce,  # noqa: F401
                      topk)
from ._registers import (VirtualRegister, register_alloc, register_load, register_move,  # noqa: F401
                         register_store)
from ._select import (activate2, exponential, range_select, scalar_tensor_tensor, select_reduce,  # noqa: F401
                      tensor_copy_predicated, tensor_scalar_cumulative, tensor_scalar_reduce, tensor_tensor_scan)
from ._special import (bn_aggr, bn_stats, dropout, max8, nc_find_index8, nc_match_replace8, nc_n_gather,  # noqa: F401
                       nc_stream_shuffle, rand2, rand_get_state, rand_set_state, rng, sequence_bounds, set_rng_seed)
from ._tensor_engine import nc_matmul, nc_matmul_mx, nc_transpose, quantize_mx  # noqa: F401
from .constants import (dge_mode, dma_engine, engine, gpsimd_engine, matmul_perf_mode, nc_version, oob_mode,  # noqa: F401
                        reduce_cmd, scalar_engine, tensor_engine, unknown_engine, vector_engine)

# Calls whose instructions others can wait for.
for _name in ("activate2", "activation", "activation_reduce", "affine_select", "bn_aggr", "bn_stats", "core_barrier",
              "dma_compute", "dma_copy", "dma_transpose", "dropout", "exponential", "iota", "local_gather", "max8", "memset",
              "nc_find_index8", "nc_match_replace8", "nc_matmul", "nc_matmul_mx", "nc_n_gather", "nc_stream_shuffle",
              "nc_transpose", "nonzero_with_count", "quantize_mx", "rand2", "rand_get_state", "rand_set_state", "range_select",
              "reciprocal", "rng", "scalar_tensor_tensor", "select_reduce", "sendrecv", "sequence_bounds", "set_rng_seed",
              "tensor_copy", "tensor_copy_predicated", "tensor_partition_reduce", "tensor_reduce", "tensor_scalar",
              "tensor_scalar_cumulative", "tensor_scalar_reduce", "tensor_tensor", "tensor_tensor_scan", "topk"):
    globals()[_name] = noted(globals()[_name])

# What the interface has and this package has not: refused where it is called, with the place.
_MISSING = ("tensor_copy_dynamic_src", "tensor_copy_dynamic_dst")


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
