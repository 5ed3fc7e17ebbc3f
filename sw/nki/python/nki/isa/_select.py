# SPDX-License-Identifier: Apache-2.0
"""Two operators and more, selections, scans."""
import math

from .. import _core
from ..tensor import new_tensor, sbuf
from ._call import engine_name, is_number, record, scalar, tensor
from ._element import _two_operators, activation, activation_with, memset, reduced, tensor_copy, tensor_reduce, tensor_scalar
from ._operators import op_name
from .constants import engine as engines
from .constants import reduce_cmd as reduce_commands

_FP32_MIN = -3.4028234663852886e38
# What an accumulator begins with.
_NEUTRAL = {"add": 0.0, "subtract": 0.0, "multiply": 1.0, "maximum": -math.inf, "minimum": math.inf}


def tensor_copy_predicated(dst, src, predicate, reverse_pred=False, name=None):
    if is_number(src):
        filled = new_tensor(dst.shape, dst.dtype, "sbuf")
        memset(filled, src)
        src = filled
    record("tensor_copy_predicated", [tensor(dst, "dst", "tensor_copy_predicated"),
                                      tensor(src, "src", "tensor_copy_predicated"),
                                      tensor(predicate, "predicate", "tensor_copy_predicated")],
           {"reverse_predicate": bool(reverse_pred)}, name)


def scalar_tensor_tensor(dst, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, name=None, dtype=None):
    function = "scalar_tensor_tensor"
    operands = [tensor(dst, "dst", function), tensor(data, "data", function)]
    options = {"op0": op_name(op0, "op0"), "op1": op_name(op1, "op1"), "reverse0": bool(reverse0),
               "reverse1": bool(reverse1)}
    scalar(operand0, "operand0", function, operands, options, "value0", 0.0)
    operands.append(tensor(operand1, "operand1", function))
    record(function, operands, options, name)


def tensor_scalar_reduce(dst, data, op0, operand0, reduce_op, reduce_res=None, reverse0=False,
                         reduce_cmd=reduce_commands.reset_reduce, reduce_init=None, reduce_res_negate=False, name=None):
    function = "tensor_scalar_reduce"
    if (reduce_init is not None) != (reduce_cmd == reduce_commands.load_reduce):
        raise _core.validation_error(f"{function}: reduce_init belongs to reduce_cmd load_reduce, and to no other")
    if op_name(reduce_op) == "multiply":
        return _product(dst, data, op0, operand0, reverse0, reduce_res, reduce_cmd, reduce_init, reduce_res_negate)
    operands = [tensor(dst, "dst", "tensor_scalar"), tensor(data, "data", "tensor_scalar")]
    options = _two_operators(function, operands, op0, operand0, reverse0, None, None, False)
    options["engine"] = "vector"
    reduced("tensor_scalar", operands, options, reduce_op, reduce_res, reduce_cmd, reduce_init, reduce_res_negate, name)


def _product(dst, data, op0, operand0, reverse0, reduce_res, reduce_cmd, reduce_init, negate):
    """A reduction that the accumulators do not have: of the results, in FP32, by an instruction of its own."""
    if reduce_cmd not in (reduce_commands.reset_reduce, reduce_commands.load_reduce) or reduce_res is None:
        raise _core.not_supported("tensor_scalar_reduce(reduce_op=multiply) that goes on in the accumulators")
    results = new_tensor(data.shape, "float32", sbuf, "results")
    tensor_scalar(dst=results, data=data, op0=op0, operand0=operand0, reverse0=reverse0, engine=engines.vector)
    total = new_tensor((data.shape[0], 1), "float32", sbuf, "product")
    tensor_reduce(dst=total, op="multiply", data=results, axis=tuple(range(1, data.ndim)))
    tensor_copy(dst=dst, src=results)
    tensor_scalar(dst=reduce_res, data=total, op0="multiply", operand0=1.0 if reduce_init is None else reduce_init,
                  op1="multiply", operand1=-1.0 if negate else 1.0)


def tensor_tensor_scan(dst, data0, data1, initial, op0, op1, reverse0=False, reverse1=False, name=None):
    function = "tensor_tensor_scan"
    operands = [tensor(dst, "dst", function), tensor(data0, "data0", function), tensor(data1, "data1", function)]
    options = {"op0": op_name(op0, "op0"), "op1": op_name(op1, "op1"), "reverse0": bool(reverse0),
               "reverse1": bool(reverse1)}
    scalar(initial, "initial", function, operands, options, "value0", 0.0)
    record(function, operands, options, name)


def tensor_scalar_cumulative(dst, src, op0, op1, imm0, imm1=None, reduce_cmd=reduce_commands.reset_reduce, name=None):
    function = "tensor_scalar_cumulative"
    operands = [tensor(dst, "dst", function), tensor(src, "src", function)]
    options = {"op0": op_name(op0, "op0"), "op1": op_name(op1, "op1")}
    if options["op1"] not in _NEUTRAL:
        raise _core.validation_error(f"{function}: op1 {options['op1']}: expected add, subtract, multiply, maximum or minimum")
    if reduce_cmd not in (reduce_commands.reset_reduce, reduce_commands.reduce, reduce_commands.load_reduce):
        raise _core.validation_error(f"{function}: reduce_cmd {reduce_commands(reduce_cmd).name}: expected reset_reduce, reduce "
                                     "or load_reduce")
    if options["op1"] == "subtract":
        return _alternating(dst, src, op0, imm0, imm1, reduce_cmd)
    scalar(imm0, "imm0", function, operands, options, "value0", 0.0)
    if reduce_cmd == reduce_commands.load_reduce:
        scalar(imm1, "imm1", function, operands, options, "value1", 0.0)
    else:
        options["value1"] = _NEUTRAL[options["op1"]]
    # The accumulators get the last result, and begin with it if the chain goes on.
    goes_on = reduce_cmd == reduce_commands.reduce
    options["reduce_command"] = int(reduce_commands.reduce if goes_on else reduce_commands.reset_reduce)
    record(function, operands, options, name)


def _alternating(dst, src, op0, imm0, imm1, reduce_cmd):
    """The interface subtracts the sum so far from the element, the chip the element from the sum: y[i] = -y[i-1] + v[i]
    is a scan. The accumulators are read and written by sums of one element."""
    partitions, count = src.shape[0], src.size // src.shape[0]
    start = 0.0 if reduce_cmd == reduce_commands.reset_reduce else imm1
    ignored = new_tensor((partitions, 1), "float32", sbuf, "ignored")
    if reduce_cmd == reduce_commands.reduce:
        start, nothing = (new_tensor((partitions, 1), "float32", sbuf, "sums") for _ in range(2))
        memset(nothing, 0.0)
        tensor_scalar_reduce(ignored, nothing, "add", 0.0, "add", start, reduce_cmd=reduce_commands.reduce)
    values, results = (new_tensor((partitions, count), "float32", sbuf, "values") for _ in range(2))
    tensor_scalar(dst=values, data=src, op0=op0, operand0=imm0, engine=engines.vector)
    minus = new_tensor((partitions, 1), "float32", sbuf, "minus")
    memset(minus, -1.0)
    tensor_tensor_scan(dst=results, data0=minus.broadcast(1, count), data1=values, initial=0.0 if start is None else start,
                       op0="multiply", op1="add")
    tensor_copy(dst=dst, src=results)
    tensor_scalar_reduce(ignored, results[:, count - 1:count], "add", 0.0, "add")


def exponential(dst, src, max_value=0.0, reduce_res=None, reduce_cmd=reduce_commands.idle, reduce_init=0.0, name=None):
    operands = [tensor(dst, "dst", "exponential"), tensor(src, "src", "exponential")]
    options = {}
    scalar(max_value, "max_value", "exponential", operands, options, "value0", 0.0)
    if reduce_cmd == reduce_commands.idle:
        return record("exponential", operands, options, name)
    reduced("exponential", operands, options, "add", reduce_res, reduce_cmd, reduce_init, name=name)


def activate2(dst, op, data, imm0, imm1, op0, op1, relu_param=0.0, reverse0=False, reverse1=False, reduce_op=None,
              reduce_res=None, reduce_cmd=reduce_commands.idle, name=None):
    plain = op_name(op) in ("copy", "bypass", "identity")
    if not plain:
        # The chip's instruction has no function: the linear part, then an activation.
        linear = new_tensor(data.shape, "float32", sbuf)
        activate2(linear, "copy", data, imm0, imm1, op0, op1, reverse0=reverse0, reverse1=reverse1, name=name)
        more = {} if reduce_op is None else {"reduce_op": reduce_op, "reduce_res": reduce_res, "reduce_cmd": reduce_cmd}
        if is_number(relu_param):
            return activation_with(dst=dst, op=op, data=linear, slope=float(relu_param), **more)
        if op_name(op) == "prelu":
            op, linear = "copy", _leaking(linear, relu_param)
        return activation(dst=dst, op=op, data=linear, **more)
    operands = [tensor(dst, "dst", "activate2"), tensor(data, "data", "activate2")]
    options = {"op0": op_name(op0, "op0"), "op1": op_name(op1, "op1"), "reverse0": bool(reverse0),
               "reverse1": bool(reverse1)}
    scalar(imm0, "imm0", "activate2", operands, options, "value0", 0.0)
    scalar(imm1, "imm1", "activate2", operands, options, "value1", 0.0)
    if reduce_op is None:
        return record("activate2", operands, options, name)
    reduced("activate2", operands, options, reduce_op, reduce_res, reduce_cmd, reduce_res, name=name)


def _leaking(values, slopes):
    """prelu with a slope for each partition: the chip's has one number."""
    below, result = (new_tensor(values.shape, "float32", sbuf) for _ in range(2))
    tensor_scalar(dst=below, data=values, op0="minimum", operand0=0.0, op1="multiply", operand1=slopes)
    scalar_tensor_tensor(dst=result, data=values, op0="maximum", operand0=0.0, op1="add", operand1=below)
    return result


def _largest(function, operands, options, reduce_op, reduce_res, reduce_cmd):
    """The accumulators of selections: their largest result."""
    if reduce_cmd == reduce_commands.idle:
        return
    if op_name(reduce_op) != "maximum" or reduce_cmd not in (reduce_commands.reset_reduce, reduce_commands.reduce):
        raise _core.validation_error(f"{function} with reduce_op {op_name(reduce_op)} and reduce_cmd "
                                     f"{reduce_commands(reduce_cmd).name}: expected maximum, and reset_reduce or reduce")
    options["reduce_command"] = int(reduce_cmd)
    if reduce_res is not None:
        operands.append(tensor(reduce_res, "reduce_res", function))


def select_reduce(dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=reduce_commands.idle,
                  reduce_op="maximum", reverse_pred=False, name=None):
    operands = [tensor(dst, "dst", "select_reduce"), tensor(on_true, "on_true", "select_reduce"),
                tensor(predicate, "predicate", "select_reduce")]
    options = {"reverse_predicate": bool(reverse_pred)}
    scalar(on_false, "on_false", "select_reduce", operands, options, "value0", 0.0)
    _largest("select_reduce", operands, options, reduce_op, reduce_res, reduce_cmd)
    record("select_reduce", operands, options, name)


def range_select(dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=reduce_commands.reset_reduce,
                 reduce_res=None, reduce_op="maximum", range_start=0, on_false_value=_FP32_MIN, name=None):
    if not is_number(on_false_value) or float(on_false_value) > -3.4e38:
        raise _core.validation_error("range_select: on_false_value must be the smallest float32")
    operands = [tensor(dst, "dst", "range_select"), tensor(on_true_tile, "on_true_tile", "range_select")]
    options = {"op0": op_name(comp_op0, "comp_op0"), "op1": op_name(comp_op1, "comp_op1"), "value2": float(range_start)}
    scalar(bound0, "bound0", "range_select", operands, options, "value0", 0.0)
    scalar(bound1, "bound1", "range_select", operands, options, "value1", 0.0)
    _largest("range_select", operands, options, reduce_op, reduce_res, reduce_cmd)
    record("range_select", operands, options, name)
