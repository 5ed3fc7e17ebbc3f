# SPDX-License-Identifier: Apache-2.0
"""What only GpSimd has."""
from .. import _core
from ..tensor import new_tensor, sbuf
from ._call import record, tensor
from ._element import tensor_scalar
from ._operators import op_name


def _pattern(function, pattern, offset, channel_multiplier):
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
