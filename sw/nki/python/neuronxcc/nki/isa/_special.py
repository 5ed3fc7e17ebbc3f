# SPDX-License-Identifier: Apache-2.0
"""Index patterns, statistics, searches, shuffles, transfers."""
from nki import _core, isa as new
from nki.isa._operators import op_name
from nki.isa.constants import dge_mode as dge_modes
from nki.isa.constants import oob_mode as oob_modes
from nki.tensor import sbuf

from .. import _pending
from .._index import Index, Mask
from .._tile import Tile
from ._call import at_once, box_of, element_wise, leaves_nothing, number_or_tile, tile


def _pattern(index, shape, what):
    """[step, count] of the free dimensions, the step of partitions, the constant."""
    terms = index.terms
    steps = [terms[p].step if p in terms and terms[p].count > 1 else 0 for p in range(-len(shape), 0)]
    for position, term in terms.items():
        if -position > len(shape) or term.count not in (1, shape[position]):
            raise _core.validation_error(f"{what}: an index grid of {list(index.shape)} for a tile of {list(shape)}")
    return [[step, n] for step, n in zip(steps[1:], shape[1:])], steps[0], index.const


def iota(expr, dtype, mask=None, **_):
    if not isinstance(expr, Index) or expr.ndim < 2:
        raise _core.validation_error(f"iota: expected an index grid of two dimensions or more, got {type(expr).__name__}")
    pattern, multiplier, offset = _pattern(expr, expr.shape, "iota")
    leaves_nothing(mask, "iota")
    return element_wise(expr.shape, dtype, mask, [], lambda dst, at: new.iota(
        dst=dst, pattern=pattern, offset=offset, channel_multiplier=multiplier), buffers=(sbuf,))


def _unless(mask, what, record):
    """The instruction, or nothing where the mask leaves nothing."""
    return (lambda target: None) if leaves_nothing(mask, what) else record


def affine_select(pred, on_true_tile, on_false_value, mask=None, dtype=None, **_):
    tile(on_true_tile, "on_true_tile", "affine_select")
    leaves_nothing(mask, "affine_select")
    if not isinstance(pred, Mask) or len(pred.conditions) != 1:
        raise _core.not_supported("affine_select with another predicate than one comparison of index grids")
    (index, is_equal), = pred.conditions
    pattern, multiplier, offset = _pattern(index, on_true_tile.shape, "affine_select")

    def record(dst, at):
        new.affine_select(dst=dst, pattern=pattern, offset=offset, channel_multiplier=multiplier,
                          on_true_tile=_pending.in_sbuf(at(on_true_tile)), on_false_value=on_false_value,
                          cmp_op="equal" if is_equal else "greater_equal")
    return element_wise(on_true_tile.shape, dtype or on_true_tile.dtype, mask, [on_true_tile], record, buffers=(sbuf,))


def _of_data(name, shape_of, kind=None, role="data"):
    """A function of one tile whose result has another shape."""
    function = getattr(new, name)

    def call(*args, mask=None, dtype=None, **values):
        if len(args) == 1 and role not in values:
            values[role] = args[0]
        data = tile(values.get(role), role, name)
        box = box_of(mask, data.shape)

        def record(target):
            if box.is_empty:
                return
            parts = box.of(data.ndim, data.shape)
            rows = {0: parts[0]} if 0 in parts else {}
            views = {k: v.view(parts if v is data else rows) if isinstance(v, Tile) else v for k, v in values.items()}
            function(target.view(rows), **views)
        return _pending.later(shape_of(data, values), dtype or kind or data.dtype, record, list(values.values()),
                              buffers=(sbuf,), in_place=False)
    call.__name__ = name
    return call


bn_stats = _of_data("bn_stats", lambda data, _: (data.shape[0], 6), "float32")
bn_aggr = _of_data("bn_aggr", lambda data, _: (data.shape[0], 2), "float32")
max8 = _of_data("max8", lambda data, _: (data.shape[0], 8), role="src")
nc_find_index8 = _of_data("nc_find_index8", lambda data, _: (data.shape[0], 8), "uint32")
nc_match_replace8 = _of_data("nc_match_replace8", lambda data, _: data.shape)


def tensor_partition_reduce(op, data, mask=None, dtype=None, **_):
    tile(data, "data", "tensor_partition_reduce")
    return _pending.later((1,) + tuple(data.shape[1:]), dtype or data.dtype,
                          _unless(mask, "tensor_partition_reduce", lambda target: new.tensor_partition_reduce(
                              dst=target.view(), op=op, data=_pending.in_sbuf(data.view()))),
                          [data], buffers=(sbuf,), in_place=False)


def local_gather(src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, mask=None):
    tile(src_buffer, "src_buffer", "local_gather")
    tile(index, "index", "local_gather")
    count = num_valid_indices or index.size // index.shape[0] * 16
    return _pending.later((src_buffer.shape[0], count * num_elem_per_idx), src_buffer.dtype,
                          _unless(mask, "local_gather", lambda target: new.local_gather(
                              dst=target.view(), src_buffer=src_buffer.view(), index=index.view(),
                              num_elem_per_idx=num_elem_per_idx)),
                          [src_buffer, index], buffers=(sbuf,), in_place=False)


def sequence_bounds(segment_ids, dtype=None):
    tile(segment_ids, "segment_ids", "sequence_bounds")
    shape = (segment_ids.shape[0], 2) + tuple(segment_ids.shape[1:])
    return _pending.later(shape, dtype or segment_ids.dtype,
                          lambda target: new.sequence_bounds(dst=target.view(), segment_ids=segment_ids.view()),
                          [segment_ids], buffers=(sbuf,), in_place=False)


def dropout(data, prob, mask=None, dtype=None, **_):
    tile(data, "data", "dropout")
    prob = number_or_tile(prob, "prob", "dropout")
    return element_wise(data.shape, dtype or data.dtype, mask, [data, prob],
                        lambda dst, at: new.dropout(dst=dst, data=at(data), prob=at(prob)))


def nc_stream_shuffle(src, dst, shuffle_mask, dtype=None, mask=None, **_):
    at_once(mask, tile(dst, "dst", "nc_stream_shuffle").shape,
            lambda at: new.nc_stream_shuffle(dst=at(dst), src=at(src), shuffle_mask=shuffle_mask))
    return dst


def add_in_place(dst, src, op, mask, what, oob_mode=oob_modes.error):
    """dst += src, for elements in HBM: by rows near the memory."""
    if op_name(op) != "add":
        raise _core.not_supported(f"{what} with {op_name(op)}")
    at_once(mask, dst.shape, lambda at: new.dma_compute(dst=at(dst), srcs=[at(dst), at(src)], reduce_op="add",
                                                        oob_mode=oob_mode))


def dma_copy(*, dst, src, mask=None, dst_rmw_op=None, oob_mode=oob_modes.error, dge_mode=dge_modes.unknown):
    tile(dst, "dst", "dma_copy")
    tile(src, "src", "dma_copy")
    _pending.flush_loads()
    if dst_rmw_op is not None:
        add_in_place(dst, src, dst_rmw_op, mask, "dma_copy(dst_rmw_op=)", oob_mode)
        return dst
    at_once(mask, dst.shape, lambda at: new.dma_copy(dst=at(dst), src=at(src), oob_mode=oob_mode))
    return dst


def dma_transpose(src, axes=None, mask=None, dtype=None, **_):
    tile(src, "src", "dma_transpose")
    orders = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
    shape = tuple(src.shape[a] for a in orders.get(src.ndim, range(src.ndim)))
    return _pending.later(shape, src.dtype if dtype is None else dtype,
                          _unless(mask, "dma_transpose", lambda target: new.dma_transpose(
                              dst=target.view(), src=src.view(), axes=axes)), [src],
                          buffers=(sbuf,), in_place=False)
