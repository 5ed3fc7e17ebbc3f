# SPDX-License-Identifier: Apache-2.0
"""Transfers."""
from .. import _core, _trace
from ..tensor import new_tensor, sbuf
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


def _by_gpsimd():
    """Who makes the descriptors where the author leaves it open: on Trainium2 GpSimd (docs/fidelity.md)."""
    return _trace.current().target.generation == 3


def dma_copy(dst, src, priority=None, oob_mode=oob_modes.error, dge_mode=dge_modes.unknown, engine=engines.unknown,
             name=None, unique_indices=True):
    operands = [tensor(dst, "dst", "dma_copy"), tensor(src, "src", "dma_copy")]
    if _goes_through_sbuf(dst, src, oob_mode):
        return
    options = {"skip_out_of_bounds": oob_mode == oob_modes.skip}
    _rows(dst, "dst", operands, options)
    _rows(src, "src", operands, options)
    if len(operands) == 2:
        options["descriptors_by_host"] = dge_mode == dge_modes.none
        options["descriptors_by_gpsimd"] = dge_mode == dge_modes.swdge or (dge_mode == dge_modes.unknown and _by_gpsimd())
    record("dma_copy", operands, options, name)


def _is_run(value):
    """Whether the free dimensions are neighbouring elements."""
    step = 1
    for stride, count in reversed(list(zip(value.strides[1:], value.shape[1:]))):
        if count != 1 and stride != step:
            return False
        step *= count
    return True


def _goes_through_sbuf(dst, src, oob_mode):
    """Transfers by index are of runs between HBM and a tile of the same type: others go through such a tile."""
    if dst.row_index is None and src.row_index is None:
        return False
    if dst.size != src.size:
        raise _core.validation_error(f"dma_copy: dst{list(dst.shape)} and src{list(src.shape)} have different numbers of "
                                     "elements")
    indexed, other = (src, dst) if src.row_index is not None else (dst, src)
    is_tile = other.buffer == sbuf and str(other.dtype) == str(indexed.dtype) and _is_run(other)
    if is_tile and _is_run(indexed) and other.shape[0] == indexed.shape[0]:
        return False
    skips = oob_mode == oob_modes.skip
    if indexed is dst:
        if not _is_run(dst):
            raise _core.not_supported(f"dma_copy to rows of `{dst.name}` that are no neighbouring elements")
        tile = new_tensor((dst.shape[0], dst.size // dst.shape[0]), dst.dtype, sbuf, "rows")
        dma_copy(dst=tile, src=src)
        dma_copy(dst=dst, src=tile, oob_mode=oob_mode)
        return True
    if skips and dst.row_index is not None:
        raise _core.not_supported("dma_copy with vector_offset on both sides and oob_mode.skip")
    tile, part, wanted = _tile_for(src)
    if skips:  # rows that are left out keep what is there
        dma_copy(dst=part, src=dst)
    dma_copy(dst=tile, src=wanted, oob_mode=oob_mode)
    dma_copy(dst=dst, src=part)
    return True


def _tile_for(src):
    """A tile, the part of it that has the elements of src, and the rows of which src is a part."""
    steps = list(zip(src.strides[1:], src.shape[1:]))
    if any(step < 0 for step, _ in steps):
        raise _core.not_supported(f"dma_copy of rows of `{src.name}` backwards")
    length = src.size // src.shape[0] if _is_run(src) else 1 + sum(step * (count - 1) for step, count in steps)
    tile = new_tensor((src.shape[0], length), src.dtype, sbuf, "rows")
    wanted = src._rows_of([(1, length)])
    return tile, tile.ap([[length, src.shape[0]]] + [list(pair) for pair in steps]), wanted


_ORDERS = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


def dma_transpose(dst, src, axes=None, priority=None, dge_mode=dge_modes.unknown, oob_mode=oob_modes.error, name=None):
    if src.ndim not in _ORDERS or (axes is not None and tuple(axes) != _ORDERS[src.ndim]):
        raise _core.validation_error(f"dma_transpose: axes {axes} of src{list(src.shape)}: expected {_ORDERS.get(src.ndim)}")
    wanted = tuple(src.shape[a] for a in _ORDERS[src.ndim])
    if tuple(dst.shape) != wanted:
        raise AssertionError(f"dma_transpose: dst has shape {tuple(dst.shape)}, expected {wanted}")
    if src.row_index is not None:
        return _transpose_rows(dst, src, oob_mode)
    record("dma_transpose", [tensor(dst, "dst", "dma_transpose"), tensor(src, "src", "dma_transpose")], {}, name)


def _transpose_rows(dst, src, oob_mode):
    """Rows by a tile of indices, column after column of it: gathered, then transposed."""
    index, count = src.row_index, src.shape[0]
    partitions = index.shape[0]
    columns = index.shape[1] if index.ndim == 2 else 0
    if str(index.dtype) not in ("uint32", "int32") or index.buffer != sbuf or columns == 0:
        raise _core.validation_error(f"dma_transpose: indices{list(index.shape)} of {index.dtype} in '{index.buffer}': expected "
                                     "two dimensions of uint32 in 'sbuf'")
    if partitions * columns < count or (columns > 1 and partitions != 128):
        raise _core.validation_error(f"dma_transpose: indices{list(index.shape)} for {count} rows: expected as many or more, on "
                                     "128 partitions if there is more than one column")
    if str(dst.dtype) != str(src.dtype):
        raise _core.validation_error(f"dma_transpose: dst of {dst.dtype} for src of {src.dtype}: expected the same type")
    for column in range(columns):
        first = column * partitions
        rows = min(partitions, count - first)
        if rows <= 0:
            break
        tile = new_tensor((rows,) + tuple(src.shape[1:]), src.dtype, sbuf, "rows")
        part = dst.slice(dst.ndim - 1, first, first + rows)
        if oob_mode == oob_modes.skip:  # columns that are left out keep what is there
            dma_transpose(dst=tile, src=part)
        wanted = src._rows_of(list(zip(src.strides[1:], src.shape[1:])), index[0:rows, column:column + 1])
        dma_copy(dst=tile, src=wanted, oob_mode=oob_mode)
        dma_transpose(dst=part, src=tile)


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
