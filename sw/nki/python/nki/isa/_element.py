# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions."""
from .. import _core
from ..dtype import DType
from ..tensor import new_tensor, sbuf
from ._call import axes_of, engine_name, is_number, record, scalar, tensor
from ._operators import UNARY, op_name
from .constants import engine as engines
from .constants import reduce_cmd as reduce_commands


def tensor_copy(dst, src, engine=engines.unknown, name=None):
    record("tensor_copy", [tensor(dst, "dst", "tensor_copy"), tensor(src, "src", "tensor_copy")],
           {"engine": engine_name(engine)}, name)


def memset(dst, value, engine=engines.unknown, name=None):
    operands = [tensor(dst, "dst", "memset")]
    if not is_number(value):
        raise _core.validation_error(f"memset: value must be a number, got {type(value).__name__}")
    integer = str(DType(dst.dtype)).startswith(("int", "uint"))
    if integer and not float(value).is_integer():
        raise _core.validation_error(f"memset: value {value} for a tensor of {dst.dtype}")
    if integer:
        unsigned, bits = str(dst.dtype).startswith("uint"), 8 * dst.itemsize
        low, high = (0, 2**bits - 1) if unsigned else (-2**(bits - 1), 2**(bits - 1) - 1)
        if not low <= value <= high:
            raise _core.validation_error(f"memset: value {value} for a tensor of {dst.dtype}: expected {low} to {high}")
    if str(dst.dtype) == "bool":
        value = bool(value)
    record("memset", operands, {"value0": float(value), "engine": engine_name(engine)}, name)


def tensor_tensor(dst, data1, data2, op, engine=engines.unknown, name=None):
    operands = [tensor(dst, "dst", "tensor_tensor"), tensor(data1, "data1", "tensor_tensor"),
                tensor(data2, "data2", "tensor_tensor")]
    record("tensor_tensor", operands, {"op0": op_name(op), "engine": engine_name(engine)}, name)


def _two_operators(function, operands, op0, operand0, reverse0, op1, operand1, reverse1):
    """Options of (data op0 operand0) op1 operand1; columns are appended to the operands."""
    options = {"op0": op_name(op0, "op0"), "reverse0": bool(reverse0)}
    if operand0 is None and options["op0"] not in UNARY:
        raise _core.validation_error(f"{function}: operand0 is missing for {options['op0']}")
    scalar(operand0, "operand0", function, operands, options, "value0", 0.0)
    if op1 is not None:
        options["op1"], options["reverse1"] = op_name(op1, "op1"), bool(reverse1)
        if operand1 is None and options["op1"] not in UNARY:
            raise _core.validation_error(f"{function}: operand1 is missing for {options['op1']}")
        scalar(operand1, "operand1", function, operands, options, "value1", 0.0)
    return options


def tensor_scalar(dst, data, op0, operand0=None, reverse0=False, op1=None, operand1=None, reverse1=False,
                  engine=engines.unknown, name=None):
    operands = [tensor(dst, "dst", "tensor_scalar"), tensor(data, "data", "tensor_scalar")]
    options = _two_operators("tensor_scalar", operands, op0, operand0, reverse0, op1, operand1, reverse1)
    options["engine"] = engine_name(engine)
    record("tensor_scalar", operands, options, name)


def _reduction(function, operands, options, reduce_op, reduce_res, command):
    options["reduce_op"] = op_name(reduce_op, "reduce_op")
    options["reduce_command"] = int(command)
    if reduce_res is not None:
        operands.append(tensor(reduce_res, "reduce_res", function))


def reduced(function, operands, options, reduce_op, reduce_res, command, start=None, negate=False, name=None):
    """Records a function with a reduction. load_reduce begins with `start`, a number or a column; the accumulators go
    through a column of their own where reduce_res is not what the chip writes."""
    loads = command == reduce_commands.load_reduce
    if not loads and not negate:
        _reduction(function, operands, options, reduce_op, reduce_res, command)
        return record(function, operands, options, name)
    sums = new_tensor((operands[0][1].shape[0], 1), "float32", sbuf, "sums")
    if loads and start is None:
        raise _core.validation_error(f"{function}: reduce_cmd load_reduce without what it begins with")
    if loads:
        memset(sums, start) if is_number(start) else tensor_copy(sums, start)
        operands.append(("reduce_init", sums._view))
    _reduction(function, operands, options, reduce_op, sums, command)
    record(function, operands, options, name)
    if reduce_res is not None:
        tensor_scalar(dst=reduce_res, data=sums, op0="multiply", operand0=-1.0 if negate else 1.0)


def _read_accumulators(reduce_res):
    """Of Scalar, which an idle instruction leaves alone: with a sum of nothing."""
    if reduce_res is None:
        return
    nothing = new_tensor((reduce_res.shape[0], 1), "float32", sbuf, "nothing")
    memset(nothing, 0.0)
    activation(dst=nothing, op="copy", data=nothing, reduce_op="add", reduce_res=reduce_res,
               reduce_cmd=reduce_commands.reduce)


def activation(dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_commands.idle,
               name=None):
    activation_with(dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, name)


def activation_with(dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_commands.idle,
                    name=None, slope=0.0):
    """slope: of prelu."""
    operands = [tensor(dst, "dst", "activation"), tensor(data, "data", "activation")]
    options = {"function": op_name(op)}
    scalar(scale, "scale", "activation", operands, options, "value0", 1.0)
    scalar(bias, "bias", "activation", operands, options, "value1", 0.0)
    options["value2"] = slope
    if reduce_op is None or reduce_cmd == reduce_commands.idle:
        record("activation", operands, options, name)
        return _read_accumulators(reduce_res)
    reduced("activation", operands, options, reduce_op, reduce_res, reduce_cmd, reduce_res, name=name)


def activation_reduce(dst, op, data, reduce_op, reduce_res, bias=None, scale=1.0, name=None):
    activation(dst, op, data, bias=bias, scale=scale, reduce_op=reduce_op, reduce_res=reduce_res,
               reduce_cmd=reduce_commands.reset_reduce, name=name)


def reciprocal(dst, data, name=None):
    record("reciprocal", [tensor(dst, "dst", "reciprocal"), tensor(data, "data", "reciprocal")], {}, name)


def tensor_reduce(dst, op, data, axis, negate=False, keepdims=False, name=None):
    operands = [tensor(dst, "dst", "tensor_reduce"), tensor(data, "data", "tensor_reduce")]
    axes = axes_of(axis, data.ndim, "tensor_reduce")
    if axes != list(range(data.ndim - len(axes), data.ndim)) or 0 in axes:
        raise _core.validation_error(
            f"tensor_reduce: axis {axis} of data{list(data.shape)}: expected the last free dimensions")
    record("tensor_reduce", operands,
           {"op0": op_name(op), "negate": bool(negate), "reduce_dimensions": len(axes)}, name)
