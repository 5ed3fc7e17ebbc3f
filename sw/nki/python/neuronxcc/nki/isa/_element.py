# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions and reductions."""
from nki import _core, isa as new
from nki.isa._call import axes_of
from nki.isa.constants import engine as engines
from nki.isa.constants import reduce_cmd as reduce_commands

from .. import _pending
from .. import _repeat as repeat
from ._call import at_once, box_of, element_wise, number_or_tile, promoted, tile


def tensor_copy(src, mask=None, dtype=None, engine=engines.unknown, **_):
    tile(src, "src", "tensor_copy")
    return element_wise(src.shape, dtype or src.dtype, mask, [src],
                        lambda dst, at: new.tensor_copy(dst=dst, src=at(src), engine=engine))


def memset(shape, value, dtype, mask=None, engine=engines.unknown, **_):
    shape = tuple(int(n) for n in shape)
    return element_wise(shape, dtype, mask, [], lambda dst, at: new.memset(dst=dst, value=value, engine=engine))


def tensor_tensor(data1, data2, op, dtype=None, mask=None, engine=engines.unknown, **_):
    tile(data1, "data1", "tensor_tensor")
    tile(data2, "data2", "tensor_tensor")
    shape = data1.shape if data1.size >= data2.size else data2.shape

    def record(dst, at):
        repeat.tensor_tensor(dst, data1, data2, op, at, engine)
    return element_wise(shape, dtype or promoted(data1, data2), mask, [data1, data2], record)


def tensor_scalar(data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, dtype=None, mask=None,
                  engine=engines.unknown, **_):
    tile(data, "data", "tensor_scalar")
    operand0 = number_or_tile(operand0, "operand0", "tensor_scalar")
    operand1 = number_or_tile(operand1, "operand1", "tensor_scalar")

    def record(dst, at):
        new.tensor_scalar(dst=dst, data=at(data), op0=op0, operand0=at(operand0), reverse0=reverse0, op1=op1,
                          operand1=at(operand1), reverse1=reverse1, engine=engine)
    return element_wise(data.shape, dtype or data.dtype, mask, [data, operand0, operand1], record)


def scalar_tensor_tensor(data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, dtype=None, mask=None, **_):
    tile(data, "data", "scalar_tensor_tensor")
    operand0 = number_or_tile(operand0, "operand0", "scalar_tensor_tensor")
    tile(operand1, "operand1", "scalar_tensor_tensor")

    def record(dst, at):
        new.scalar_tensor_tensor(dst=dst, data=at(data), op0=op0, operand0=at(operand0), op1=op1, operand1=at(operand1),
                                 reverse0=reverse0, reverse1=reverse1)
    return element_wise(data.shape, dtype or data.dtype, mask, [data, operand0, operand1], record)


def reciprocal(data, dtype=None, mask=None, **_):
    tile(data, "data", "reciprocal")
    return element_wise(data.shape, dtype or data.dtype, mask, [data],
                        lambda dst, at: new.reciprocal(dst=dst, data=at(data)))


def activation(op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_commands.idle, mask=None,
               dtype=None, **_):
    tile(data, "data", "activation")
    bias = number_or_tile(bias, "bias", "activation")
    scale = number_or_tile(scale, "scale", "activation")

    def record(dst, at):
        new.activation(dst=dst, op=op, data=at(data), bias=at(bias), scale=at(scale), reduce_op=reduce_op,
                       reduce_res=at(reduce_res), reduce_cmd=reduce_cmd)
    made = element_wise(data.shape, dtype or data.dtype, mask, [data, bias, scale, reduce_res], record)
    return made


def activation_reduce(op, data, reduce_op, reduce_res, bias=None, scale=1.0, mask=None, dtype=None, **_):
    tile(reduce_res, "reduce_res", "activation_reduce")
    return activation(op, data, bias=bias, scale=scale, reduce_op=reduce_op, reduce_res=reduce_res,
                      reduce_cmd=reduce_commands.reset_reduce, mask=mask, dtype=dtype)


def tensor_scalar_reduce(data, op0, operand0, reduce_op, reduce_res, reverse0=False, dtype=None, mask=None, **_):
    tile(data, "data", "tensor_scalar_reduce")
    operand0 = number_or_tile(operand0, "operand0", "tensor_scalar_reduce")

    def record(dst, at):
        new.tensor_scalar_reduce(dst=dst, data=at(data), op0=op0, operand0=at(operand0), reduce_op=reduce_op,
                                 reduce_res=at(reduce_res), reverse0=reverse0)
    return element_wise(data.shape, dtype or data.dtype, mask, [data, operand0, reduce_res], record)


def _axes(data, axis):
    axes = axes_of(axis, data.ndim, "tensor_reduce")
    if not axes or axes[0] == 0:
        raise _core.not_supported("a reduction over partitions (axis 0)")
    return axes


def tensor_reduce(op, data, axis, mask=None, dtype=None, negate=False, keepdims=False, **_):
    tile(data, "data", "tensor_reduce")
    axes = _axes(data, axis)
    kept = [d for d in range(data.ndim) if d not in axes]
    shape = [1 if d in axes else n for d, n in enumerate(data.shape)]
    if not keepdims:
        shape = [data.shape[d] for d in kept] if len(kept) > 1 else [data.shape[0], 1]
    box = box_of(mask, data.shape)

    def record(target):
        if box.is_empty:
            return
        parts = box.of(data.ndim, data.shape)
        places = {d: d if keepdims else kept.index(d) for d in kept}
        dst = target.view({places[d]: part for d, part in parts.items() if d in places})
        view = data.view(parts)
        order = kept + axes
        if order != list(range(data.ndim)):
            view = view.permute(order)
        new.tensor_reduce(dst=dst, op=op, data=view, axis=list(range(len(kept), data.ndim)), negate=negate)
    return _pending.later(shape, dtype or data.dtype, record, [data], in_place=False)


def tensor_tensor_scan(data0, data1, initial, op0, op1, reverse0=False, reverse1=False, dtype=None, mask=None, **_):
    tile(data0, "data0", "tensor_tensor_scan")
    tile(data1, "data1", "tensor_tensor_scan")
    initial = number_or_tile(initial, "initial", "tensor_tensor_scan")

    def record(dst, at):
        new.tensor_tensor_scan(dst=dst, data0=at(data0), data1=at(data1), initial=at(initial), op0=op0, op1=op1,
                               reverse0=reverse0, reverse1=reverse1)
    return element_wise(data0.shape, dtype or promoted(data0, data1), mask, [data0, data1, initial], record)


def tensor_copy_predicated(src, dst, predicate, reverse_pred=False, mask=None, dtype=None, **_):
    tile(dst, "dst", "tensor_copy_predicated")
    tile(predicate, "predicate", "tensor_copy_predicated")
    at_once(mask, dst.shape, lambda at: new.tensor_copy_predicated(
        dst=at(dst), src=at(src), predicate=at(predicate), reverse_pred=reverse_pred))
    return dst


def select_reduce(dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=reduce_commands.idle, reduce_op="maximum",
                  reverse_pred=False, mask=None, dtype=None, **_):
    at_once(mask, tile(dst, "dst", "select_reduce").shape, lambda at: new.select_reduce(
        dst=at(dst), predicate=at(predicate), on_true=at(on_true), on_false=at(on_false), reduce_res=at(reduce_res),
        reduce_cmd=reduce_cmd, reduce_op=reduce_op, reverse_pred=reverse_pred))
    return dst


def range_select(on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=reduce_commands.idle, reduce_res=None,
                 reduce_op="maximum", range_start=0, on_false_value=-3.4028234663852886e38, mask=None, dtype=None, **_):
    tile(on_true_tile, "on_true_tile", "range_select")

    def record(dst, at):
        new.range_select(dst=dst, on_true_tile=at(on_true_tile), comp_op0=comp_op0, comp_op1=comp_op1, bound0=at(bound0),
                         bound1=at(bound1), reduce_cmd=reduce_cmd, reduce_res=at(reduce_res), reduce_op=reduce_op,
                         range_start=range_start, on_false_value=on_false_value)
    return element_wise(on_true_tile.shape, dtype or on_true_tile.dtype, mask,
                        [on_true_tile, bound0, bound1, reduce_res], record)


