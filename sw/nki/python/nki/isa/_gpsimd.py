# SPDX-License-Identifier: Apache-2.0
"""What only GpSimd has."""
from .. import _core, _messages
from ..tensor import new_tensor, sbuf
from ._call import record, tensor
from ._element import tensor_scalar
from ._operators import op_name


def _pattern(function, pattern, offset, channel_multiplier):
    pairs = (list, tuple)
    if not isinstance(pattern, pairs) or any(not isinstance(pair, pairs) or len(pair) != 2 for pair in pattern):
        raise _core.validation_error(f"{function}: pattern {_messages.shortened(pattern)}: expected pairs of step and count, as in "
                                     "[[1, 512]]")
    numbers = [int(offset), int(channel_multiplier)]
    if not 1 <= len(pattern) <= 4:
        raise _core.validation_error(f"{function}: a pattern has one to four [step, num] pairs, got {len(pattern)}")
    for step, count in pattern:
        numbers += [int(step), int(count)]
    return numbers


def iota(dst, pattern, offset=0, channel_multiplier=0, name=None):
    record("iota", [tensor(dst, "dst", "iota")], {"numbers": _pattern("iota", pattern, offset, channel_multiplier)}, name)


def affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op="equal", offset=0, name=None):
    record("affine_select", [tensor(dst, "dst", "affine_select"), tensor(on_true_tile, "on_true_tile", "affine_select")],
           {"numbers": _pattern("affine_select", pattern, offset, channel_multiplier), "op0": op_name(cmp_op, "cmp_op"),
            "value0": float(on_false_value)}, name)


def local_gather(dst, src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, name=None):
    if num_valid_indices is not None and num_valid_indices * num_elem_per_idx != dst.size // dst.shape[0]:
        raise _core.not_supported("local_gather(num_valid_indices=) with a dst of other elements")
    function = "local_gather"
    record(function, [tensor(dst, "dst", function), tensor(src_buffer, "src_buffer", function),
                      tensor(index, "index", function)], {"value0": float(num_elem_per_idx)}, name)


def nonzero_with_count(dst, src, index_offset=0, padding_val=-1, name=None):
    function = "nonzero_with_count"
    record(function, [tensor(dst, "dst", function), tensor(src, "src", function)],
           {"value0": float(padding_val), "value1": float(index_offset)}, name)


def tensor_partition_reduce(dst, op, data, name=None):
    function = "tensor_partition_reduce"
    if op_name(op) == "average":
        total = new_tensor(dst.shape, "float32", sbuf)
        record(function, [tensor(total, "dst", function), tensor(data, "data", function)], {"op0": "add"}, name)
        return tensor_scalar(dst=dst, data=total, op0="multiply", operand0=1.0 / data.shape[0])
    record(function, [tensor(dst, "dst", function), tensor(data, "data", function)], {"op0": op_name(op)}, name)


_TOPK = {"least": 8, "most": 65535, "results": 32767}


def topk(val_dst, idx_dst, src, n, name=None):
    """The chip leaves the results of 16 partitions where the elements are, in a list; here each partition gets all."""
    from . import _snake
    function, n = "topk", int(n)
    for given, role, kind in ((val_dst, "val_dst", "bfloat16"), (idx_dst, "idx_dst", "uint32"), (src, "src", "bfloat16")):
        tensor(given, role, function)
        if str(given.dtype) != kind or given.buffer != sbuf:
            raise _core.validation_error(f"{function}: {role} of {given.dtype} in '{given.buffer}': expected {kind} in 'sbuf'")
    partitions, count = val_dst.shape[0], val_dst.size // val_dst.shape[0]
    if partitions % _snake.CORE or src.shape[0] != partitions or tuple(idx_dst.shape) != tuple(val_dst.shape):
        raise _core.validation_error(f"{function}: val_dst{list(val_dst.shape)}, idx_dst{list(idx_dst.shape)} and "
                                     f"src{list(src.shape)}: expected equal results, and as many partitions in multiples of 16")
    if not _TOPK["least"] <= n <= _TOPK["most"] or not 1 <= count <= min(n, _TOPK["results"]):
        raise _core.validation_error(f"{function}: {count} of {n} elements: expected 8 to 65535, and at most as many results, "
                                     "no more than 32767")
    if src.ndim != 2 or src.shape[1] < _snake.columns_of(n):
        raise _core.validation_error(f"{function}: src{list(src.shape)} for {n} elements: expected {_snake.columns_of(n)} "
                                     "columns or more")
    values = new_tensor((partitions, _snake.columns_of(count)), "bfloat16", sbuf, "values")
    indices = new_tensor(values.shape, "uint32", sbuf, "indices")
    source = _snake.at_first_partition(src[:, 0:_snake.columns_of(n)])
    record(function, [tensor(values, "dst", function), tensor(source, "src", function), tensor(indices, "indices", function)],
           {"numbers": [n, count]}, name)
    for dst, lists in ((val_dst, values), (idx_dst, indices)):
        _snake.spread(dst if dst.ndim == 2 else dst.reshape(partitions, count), lists)
