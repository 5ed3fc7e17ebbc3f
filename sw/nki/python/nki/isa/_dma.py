# SPDX-License-Identifier: Apache-2.0
"""Transfers."""
from .. import _core
from ._call import record, tensor
from ._operators import op_name
from .constants import dge_mode as dge_modes
from .constants import engine as engines
from .constants import oob_mode as oob_modes


_MOST_SOURCES = 16


def _rows(value, role, operands, options):
    """Rows of a tensor in HBM by indices (ap with vector_offset)."""
    if value.row_index is None:
        return
    operands.append((f"{role}_index", value.row_index._view))
    options["numbers"] = list(value.rows)


def dma_copy(dst, src, priority=None, oob_mode=oob_modes.error, dge_mode=dge_modes.unknown, engine=engines.unknown,
             unique_indices=True, name=None):
    operands = [tensor(dst, "dst", "dma_copy"), tensor(src, "src", "dma_copy")]
    options = {"skip_out_of_bounds": oob_mode == oob_modes.skip}
    if dst.row_index is not None and src.row_index is not None:
        raise _core.not_supported("dma_copy with vector_offset on both sides")
    _rows(dst, "dst", operands, options)
    _rows(src, "src", operands, options)
    if dge_mode == dge_modes.none and len(operands) == 2:
        options["descriptors_by_host"] = True
    record("dma_copy", operands, options, name)


def dma_transpose(dst, src, axes=None, priority=None, dge_mode=dge_modes.unknown, oob_mode=oob_modes.error, name=None):
    if src.row_index is not None:
        raise _core.not_supported("dma_transpose of indexed rows")
    orders = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
    if src.ndim not in orders or (axes is not None and tuple(axes) != orders[src.ndim]):
        raise _core.validation_error(f"dma_transpose: axes {axes} of src{list(src.shape)}: expected {orders.get(src.ndim)}")
    wanted = tuple(src.shape[a] for a in orders[src.ndim])
    if tuple(dst.shape) != wanted:
        raise AssertionError(f"dma_transpose: dst has shape {tuple(dst.shape)}, expected {wanted}")
    record("dma_transpose", [tensor(dst, "dst", "dma_transpose"), tensor(src, "src", "dma_transpose")], {}, name)


def dma_compute(dst, srcs, reduce_op, scales=None, unique_indices=True, oob_mode=oob_modes.error, name=None):
    if op_name(reduce_op) != "add" or any(float(scale) != 1.0 for scale in scales or ()):
        raise _core.not_supported("dma_compute other than a sum with scales of 1.0")
    if not 1 <= len(srcs) <= _MOST_SOURCES:
        raise _core.validation_error(f"dma_compute: {len(srcs)} sources: expected 1 to {_MOST_SOURCES}")
    options = {"skip_out_of_bounds": oob_mode == oob_modes.skip}
    operands = [tensor(dst, "dst", "dma_compute")]
    indexed = [src for src in srcs if src.row_index is not None]
    if dst.row_index is not None or indexed:
        # dst += src near the memory, rows of one side by index; the other source is dst.
        others = [src for src in srcs if src._view.storage != dst._view.storage]
        if len(srcs) != 2 or len(others) != 1:
            raise _core.validation_error("dma_compute with vector_offset: expected two sources, one of them dst")
        operands.append(tensor(others[0], "src0", "dma_compute"))
        _rows(dst, "dst", operands, options)
        if dst.row_index is None:
            _rows(others[0], "src", operands, options)
    else:
        operands += [(f"src{i}", tensor(src, "src", "dma_compute")[1]) for i, src in enumerate(srcs)]
    record("dma_compute", operands, options, name)
