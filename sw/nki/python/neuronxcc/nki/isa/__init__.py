# SPDX-License-Identifier: Apache-2.0
"""nki.isa of NKI 0.1: functions that return their result."""
from nki import _core
from nki.isa import get_nc_version  # noqa: F401
from nki.isa.constants import (dge_mode, dma_engine, engine, gpsimd_engine, matmul_perf_mode, nc_version,  # noqa: F401
                               oob_mode, reduce_cmd, scalar_engine, tensor_engine, unknown_engine, vector_engine)

from ._element import (activation, activation_reduce, memset, range_select, reciprocal, scalar_tensor_tensor,  # noqa: F401
                       select_reduce, tensor_copy, tensor_copy_predicated, tensor_reduce, tensor_scalar,
                       tensor_scalar_reduce, tensor_tensor, tensor_tensor_scan)
from ._special import (affine_select, bn_aggr, bn_stats, dma_copy, dma_transpose, dropout, iota, local_gather,  # noqa: F401
                       max8, nc_find_index8, nc_match_replace8, nc_stream_shuffle, sequence_bounds,
                       tensor_partition_reduce)
from ._tensor_engine import nc_matmul, nc_transpose  # noqa: F401

_MISSING = ("builtin_custom_op", "tensor_copy_dynamic_src", "tensor_copy_dynamic_dst")


def __getattr__(name):
    if name not in _MISSING:
        raise AttributeError(f"module 'neuronxcc.nki.isa' has no attribute '{name}'")

    def call(*_, **__):
        raise _core.not_supported(f"neuronxcc.nki.isa.{name}")
    call.__name__ = name
    return call
