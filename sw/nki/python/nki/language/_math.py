# SPDX-License-Identifier: Apache-2.0
"""Operators, which are names for nki.isa and functions of tiles here."""
import builtins
import inspect

from .. import _core, isa
from ..dtype import dtype_of
from ..isa._call import axes_of, is_number
from ..isa._operators import BITWISE
from ..tensor import NkiTensor, new_tensor, psum, sbuf

_BANK = 512  # FP32 elements of a PSUM bank


def _result(x, dtype, shape=None):
    return new_tensor(x.shape if shape is None else shape, dtype_of(dtype) if dtype is not None else x.dtype, sbuf)


class Operator:
    """An operator by name; called with tiles, the instruction that computes it."""

    def __init__(self, name, function=None):
        self.nki_operator = self.__name__ = name
        self._function = function
        if function is not None:
            self.__signature__ = inspect.signature(function)

    def __call__(self, *args, **kwargs):
        if self._function is None:
            raise _core.not_supported(f"nki.language.{self.nki_operator}() as a function")
        return self._function(*args, **kwargs)

    def __repr__(self):
        return f"nki.language.{self.nki_operator}"


def check_integers(name, *operands):
    """Of functions that work on bits."""
    for operand in operands:
        if name in BITWISE and hasattr(operand, "buffer") and not str(operand.dtype).startswith(("int", "uint", "bool")):
            raise _core.validation_error(f"nki.language.{name}: expected integers, tensor `{operand.name}` is of "
                                         f"{operand.dtype}")


def _binary(name):
    def call(x, y, dtype=None, **unknown):
        if unknown:
            raise _core.not_supported(f"nki.language.{name}({sorted(unknown)[0]}=)")
        check_integers(name, x, y)
        if is_number(y) and isinstance(x, NkiTensor):
            result = _result(x, dtype)
            isa.tensor_scalar(dst=result, data=x, op0=name, operand0=y)
        elif is_number(x) and isinstance(y, NkiTensor):
            result = _result(y, dtype)
            isa.tensor_scalar(dst=result, data=y, op0=name, operand0=x, reverse0=True)
        elif not isinstance(x, NkiTensor) or not isinstance(y, NkiTensor):
            odd = y if isinstance(x, NkiTensor) or (is_number(x) and not is_number(y)) else x
            raise _core.validation_error(f"nki.language.{name}: expected a tensor, and a tensor or a number; "
                                         f"got {type(odd).__name__}")
        elif tuple(x.shape) == tuple(y.shape):
            result = _result(x, dtype)
            isa.tensor_tensor(dst=result, data1=x, data2=y, op=name)
        else:
            raise _core.validation_error(f"nki.language.{name}: shapes {list(x.shape)} and {list(y.shape)} differ")
        return result
    return Operator(name, call)


def _activation(name):
    def call(x, dtype=None, **unknown):
        if unknown:
            raise _core.not_supported(f"nki.language.{name}({sorted(unknown)[0]}=)")
        result = _result(x, dtype)
        isa.activation(dst=result, op=name, data=x)
        return result
    return Operator(name, call)


def _reciprocal(x, dtype=None):
    result = _result(x, dtype)
    isa.reciprocal(dst=result, data=x)
    return result


def _invert(x, dtype=None):
    check_integers("invert", x)
    result = _result(x, dtype)
    if str(x.dtype) == "bool":
        isa.tensor_scalar(dst=result, data=x, op0="equal", operand0=0.0)
    else:
        isa.tensor_scalar(dst=result, data=x, op0="invert")
    return result


BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "greater_equal", "greater",
          "less_equal", "less", "logical_and", "logical_or", "logical_xor", "abs_max", "abs_min", "power", "bitwise_and",
          "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
ACTIVATIONS = ("square", "sigmoid", "relu", "prelu", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid",
               "gelu_apprx_sigmoid_dx", "silu", "silu_dx", "tanh", "softplus", "mish", "erf", "erf_dx", "exp", "log",
               "sin", "arctan", "sqrt", "rsqrt", "sign", "abs")
OPERATORS = {name: _binary(name) for name in BINARY}
OPERATORS.update({name: _activation(name) for name in ACTIVATIONS})
OPERATORS["copy"] = _activation("copy")
OPERATORS["reciprocal"] = Operator("reciprocal", _reciprocal)
OPERATORS["invert"] = Operator("invert", _invert)
OPERATORS.update({name: Operator(name) for name in ("bypass", "average")})


def multiply_by(x, number, dtype=None):
    result = _result(x, dtype)
    isa.tensor_scalar(dst=result, data=x, op0="multiply", operand0=number)
    return result


def negative(x, dtype=None):
    return multiply_by(x, -1.0, dtype)


def _axes(x, axis, name):
    axes = axes_of(axis, x.ndim, name)
    if not axes:
        raise _core.validation_error("a reduction over no axis")
    return axes


def _reduced_shape(x, axes, keepdims):
    if keepdims:
        return [1 if d in axes else n for d, n in enumerate(x.shape)]
    shape = [n for d, n in enumerate(x.shape) if d not in axes]
    return shape if len(shape) > 1 else shape + [1]


def _over_partitions(name, op, x, axes, dtype, keepdims):
    """By GpSimd, after the free axes: [1, ..]; without the other axes unless they are kept."""
    if op not in ("add", "maximum", "minimum"):
        raise _core.not_supported(f"nki.language.{name} over partitions (axis 0)")
    sign = -1.0 if op == "minimum" else 1.0
    rest = [d for d in axes if d != 0]
    part = new_tensor([n if d not in rest else 1 for d, n in enumerate(x.shape)], "float32", sbuf)
    if rest:
        isa.tensor_reduce(dst=part, op=op, data=x, axis=rest, keepdims=True)
    if not rest or sign < 0:
        isa.tensor_scalar(dst=part, data=part if rest else x, op0="multiply", operand0=sign)
    total = new_tensor([1] + list(part.shape[1:]), "float32", sbuf)
    isa.tensor_partition_reduce(dst=total, op="maximum" if sign < 0 else op, data=part)
    shape = list(total.shape)
    if not keepdims:
        shape = [1] + [n for d, n in enumerate(total.shape) if d and d not in rest]
    result = _result(x, dtype, shape if len(shape) > 1 else shape + [1])
    isa.tensor_scalar(dst=result, data=total.reshape(result.shape), op0="multiply", operand0=sign)
    return result


def _reduction(name, op):
    def call(x, axis, dtype=None, keepdims=False, **unknown):
        if unknown:
            raise _core.not_supported(f"nki.language.{name}({sorted(unknown)[0]}=)")
        axes = _axes(x, axis, name)
        if axes[0] == 0:
            return _over_partitions(name, op, x, axes, dtype, keepdims)
        result = _result(x, dtype, _reduced_shape(x, axes, keepdims))
        isa.tensor_reduce(dst=result, op=op, data=x, axis=axes)
        return result
    call.__name__ = name
    return call


sum = _reduction("sum", "add")  # noqa: A001: the names of the interface
max = _reduction("max", "maximum")  # noqa: A001
min = _reduction("min", "minimum")  # noqa: A001
prod = _reduction("prod", "multiply")


def mean(x, axis, dtype=None, keepdims=False):
    axes = _axes(x, axis, "mean")
    count = 1
    for d in axes:
        count *= x.shape[d]
    total = sum(x, axes, dtype="float32", keepdims=keepdims)
    result = _result(total, dtype or x.dtype)
    isa.tensor_scalar(dst=result, data=total, op0="multiply", operand0=1.0 / count)
    return result


def softmax(x, axis=-1, dtype=None):
    """exp(x - max) / sum over the last axis."""
    if axes_of(axis, x.ndim, "softmax") != [1] or x.ndim != 2:
        raise _core.not_supported("softmax() of more than [partitions, elements]")
    top = new_tensor((x.shape[0], 1), "float32", sbuf)
    isa.tensor_reduce(dst=top, op="maximum", data=x, axis=1, negate=True)
    total = new_tensor((x.shape[0], 1), "float32", sbuf)
    shifted = new_tensor(x.shape, "float32", sbuf)
    isa.activation(dst=shifted, op="exp", data=x, bias=top, reduce_op="add", reduce_res=total,
                   reduce_cmd=isa.reduce_cmd.reset_reduce)
    isa.reciprocal(dst=total, data=total)
    result = _result(x, dtype)
    isa.tensor_scalar(dst=result, data=shifted, op0="multiply", operand0=total)
    return result


def expand_dims(x, axis):
    return x.expand_dim(axis)


def broadcast_to(x, shape, dtype=None):
    """Dimensions of size 1 repeated: a new tile.

    One row becomes many as a product with ones, where the tensor engine takes its type, else by DMA.
    """
    if tuple(x.shape) == tuple(shape) and dtype is None:
        return x
    repeated = x
    for d, (have, want) in enumerate(zip(x.shape, shape)):
        if have != want:
            repeated = repeated.broadcast(d, want)
    result = _result(x, dtype, shape)
    if x.shape[0] == shape[0]:
        isa.tensor_copy(dst=result, src=repeated)
    elif _is_row_for_product(x, shape):
        _repeat_row(result, x)
    elif dtype is None or dtype_of(dtype) == x.dtype:
        isa.dma_copy(dst=result, src=repeated)
    else:
        isa.dma_copy(dst=result, src=_cast(x, dtype).broadcast(0, shape[0]))
    return result


_PRODUCT_ROWS = 32  # a row of a product begins at a multiple of these partitions
_PRODUCT_TYPES = ("float32", "bfloat16", "float16")


def _is_row_for_product(x, shape):
    row_elements = 1
    for size in x._view.storage_shape[1:]:
        row_elements *= size
    return (x.buffer is sbuf and x.ndim == 2 and x.shape[1] == shape[1] and str(x.dtype) in _PRODUCT_TYPES
            and x.offset // row_elements % _PRODUCT_ROWS == 0)


def _repeat_row(result, x):
    """The value of every element is kept: 1 x + 0 (-0 becomes 0)."""
    rows, columns = result.shape
    ones = new_tensor((1, rows), x.dtype, sbuf)
    isa.memset(dst=ones, value=1.0, engine=isa.engine.gpsimd)
    for start in range(0, columns, _BANK):
        part = (slice(None), slice(start, builtins.min(start + _BANK, columns)))
        product = new_tensor((rows, x[part].shape[1]), "float32", psum)
        isa.nc_matmul(dst=product, stationary=ones, moving=x[part])
        isa.tensor_copy(dst=result[part], src=product, engine=isa.engine.scalar)


def _cast(x, dtype):
    result = _result(x, dtype)
    isa.tensor_copy(dst=result, src=x)
    return result


def transpose(x, dtype=None):
    """[P, F] to [F, P], in PSUM."""
    result = new_tensor((x.shape[1], x.shape[0]), x.dtype, "psum")
    isa.nc_transpose(dst=result, data=x)
    return result


def matmul(x, y, transpose_x=False):
    """x^T y for x as [K, M]; in PSUM."""
    if not transpose_x:
        raise _core.not_supported("matmul(transpose_x=False)")
    result = new_tensor((x.shape[1], y.shape[1]), "float32", "psum")
    isa.nc_matmul(dst=result, stationary=x, moving=y)
    return result
