# SPDX-License-Identifier: Apache-2.0
"""Functions of several instructions."""
import math

from .. import _core, isa
from ..dtype import dtype_of
from ..tensor import HBM, new_tensor, sbuf
from ._math import OPERATORS, _axes, _result, mean, min as _min, multiply_by

# A turn in parts of five bits, whose products with up to 2^19 turns are exact, and a rest.
_TWO_PI = (25 / 4, 17 / 512, 2 * math.pi - 25 / 4 - 17 / 512)
_FOLDED = 4.7  # below three quarters of a turn


def divide(x, y, dtype=None):
    """x times the reciprocal of y."""
    if not hasattr(y, "buffer"):
        return multiply_by(x, 1.0 / y, dtype)
    inverse = new_tensor(y.shape, "float32", sbuf)
    isa.reciprocal(dst=inverse, data=y)
    return OPERATORS["multiply"](inverse, x, dtype=dtype or y.dtype)


def logical_not(x, dtype=None):
    result = _result(x, dtype)
    isa.tensor_scalar(dst=result, data=x, op0="equal", operand0=0.0)
    return result


def where(condition, x, y, dtype=None):
    """x where condition is not zero (an integer tile), y elsewhere; numbers or tiles."""
    kind = dtype or next((t.dtype for t in (x, y) if hasattr(t, "buffer")), "float32")
    result = new_tensor(condition.shape, kind, sbuf)
    if hasattr(y, "buffer"):
        isa.tensor_copy(dst=result, src=y)
    else:
        isa.memset(dst=result, value=y)
    if hasattr(x, "buffer") and x.dtype != dtype_of(kind):
        same = new_tensor(x.shape, kind, sbuf)
        isa.tensor_copy(dst=same, src=x)
        x = same
    isa.tensor_copy_predicated(dst=result, src=x, predicate=condition)
    return result


def var(x, axis, dtype=None, keepdims=False):
    """Mean of the squared deviations from the mean."""
    axes = _axes(x, axis, "var")
    average = mean(x, axes, dtype="float32", keepdims=True)
    squares = new_tensor(x.shape, "float32", sbuf)
    if axes[0] == 0:
        raise _core.not_supported("nki.language.var over partitions (axis 0)")
    for d in axes:
        average = average.broadcast(d, x.shape[d])
    isa.tensor_tensor(dst=squares, data1=x, data2=average, op="subtract")
    isa.activation(dst=squares, op="square", data=squares)
    return mean(squares, axes, dtype=dtype or x.dtype, keepdims=keepdims)


def all(x, axis, dtype=None, keepdims=False):  # noqa: A001: the names of the interface
    present = new_tensor(x.shape, "uint8", sbuf)
    isa.tensor_scalar(dst=present, data=x, op0="not_equal", operand0=0.0)
    return _min(present, axis, dtype=dtype or x.dtype, keepdims=keepdims)


def rms_norm(x, w, axis, n, epsilon=1e-6, dtype=None, compute_dtype=None):
    """x / sqrt(sum(x^2) / n + epsilon) * w over the last axis of [P, F]; w of the same shape, or None."""
    if compute_dtype is not None and dtype_of(compute_dtype) != "float32":
        raise _core.not_supported(f"nki.language.rms_norm(compute_dtype={dtype_of(compute_dtype)})")
    squares = new_tensor(x.shape, "float32", sbuf)
    total = new_tensor((x.shape[0], 1), "float32", sbuf)
    isa.activation_reduce(dst=squares, op="square", data=x, reduce_op="add", reduce_res=total)
    isa.tensor_scalar(dst=total, data=total, op0="multiply", operand0=1.0 / n, op1="add", operand1=float(epsilon))
    isa.activation(dst=total, op="rsqrt", data=total)
    result = _result(x, dtype)
    if w is None:
        isa.tensor_scalar(dst=result, data=x, op0="multiply", operand0=total)
    else:
        isa.scalar_tensor_tensor(dst=result, data=x, op0="multiply", operand0=total, op1="multiply", operand1=w)
    return result


def dropout(x, rate, dtype=None):
    result = _result(x, dtype)
    isa.dropout(dst=result, data=x, prob=rate)
    return result


def rand(shape, dtype="float32", buffer=sbuf, name=""):
    """Uniform in [0, 1)."""
    result = new_tensor(shape, dtype, buffer, name)
    numbers = result
    if result.buffer != sbuf or result.dtype != "float32":
        numbers = new_tensor(shape, "float32", sbuf)
    isa.rand2(dst=numbers, min=0.0, max=1.0)
    if numbers is not result:
        move = isa.dma_copy if result.buffer in HBM else isa.tensor_copy
        move(dst=result, src=numbers)
    return result


def random_seed(seed):
    isa.set_rng_seed(seed)


def shared_identity_matrix(n, dtype="uint8", dst=None):
    """[n, n] in SBUF."""
    result = dst if dst is not None else new_tensor((n, n), dtype, sbuf)
    ones = new_tensor((n, n), result.dtype, sbuf)
    isa.memset(dst=ones, value=1)
    isa.affine_select(dst=result, pattern=[[-1, n]], channel_multiplier=1, on_true_tile=ones, on_false_value=0.0)
    return result


def load_transpose2d(src, dtype=None):
    """A tensor [R, C] in HBM as [C, R] in SBUF, by DMA."""
    result = new_tensor((src.shape[1], src.shape[0]), src.dtype, sbuf)
    isa.dma_transpose(dst=result, src=src)
    return result if dtype is None or dtype_of(dtype) == src.dtype else OPERATORS["copy"](result, dtype=dtype)


def gather_flattened(data, indices, axis=0, dtype=None):
    if axis != 0:
        raise _core.not_supported(f"nki.language.gather_flattened(axis={axis})")
    result = new_tensor(indices.shape, dtype or data.dtype, sbuf)
    isa.nc_n_gather(dst=result, data=data, indices=indices)
    return result


def _nearest(x):
    """The nearest integers as float32; |x| < 2^31."""
    integers = new_tensor(x.shape, "int32", sbuf)
    isa.tensor_copy(dst=integers, src=x)
    result = new_tensor(x.shape, "float32", sbuf)
    isa.tensor_copy(dst=result, src=integers)
    return result


def _corrected(x, comparison, op, dtype):
    """The nearest integer, and one less or more where it lies on the wrong side of x."""
    near = _nearest(x)
    wrong = new_tensor(x.shape, "float32", sbuf)
    isa.tensor_tensor(dst=wrong, data1=near, data2=x, op=comparison)
    result = _result(x, dtype)
    isa.tensor_tensor(dst=result, data1=near, data2=wrong, op=op)
    return result


def floor(x, dtype=None):
    return _corrected(x, "greater", "subtract", dtype)


def ceil(x, dtype=None):
    return _corrected(x, "less", "add", dtype)


def trunc(x, dtype=None):
    magnitude, sign = new_tensor(x.shape, "float32", sbuf), new_tensor(x.shape, "float32", sbuf)
    isa.activation(dst=magnitude, op="abs", data=x)
    isa.activation(dst=sign, op="sign", data=x)
    return OPERATORS["multiply"](floor(magnitude, dtype="float32"), sign, dtype=dtype or x.dtype)


def _turned(x):
    """x less the nearest number of whole turns: within half of one, and a little more far from 0."""
    angle, turns = new_tensor(x.shape, "float32", sbuf), new_tensor(x.shape, "float32", sbuf)
    isa.tensor_scalar(dst=turns, data=x, op0="multiply", operand0=1 / (2 * math.pi))
    turns = _nearest(turns)
    for i, part in enumerate(_TWO_PI):
        isa.scalar_tensor_tensor(dst=angle, data=turns, op0="multiply", operand0=-part, op1="add",
                                 operand1=x if i == 0 else angle)
    isa.tensor_scalar(dst=angle, data=angle, op0="minimum", operand0=_FOLDED, op1="maximum", operand1=-_FOLDED)
    return angle


def sin(x, dtype=None):
    """Folded into a quarter of a turn: sin a = sin(pi - a)."""
    angle = _turned(x)
    for op, half_turn in (("minimum", math.pi), ("maximum", -math.pi)):
        isa.scalar_tensor_tensor(dst=angle, data=angle, op0="subtract", operand0=half_turn, reverse0=True, op1=op,
                                 operand1=angle)
    result = _result(x, dtype)
    isa.activation(dst=result, op="sin", data=angle)
    return result


def cos(x, dtype=None):
    """sin(pi / 2 - |a|)."""
    angle = _turned(x)
    isa.activation(dst=angle, op="abs", data=angle)
    isa.tensor_scalar(dst=angle, data=angle, op0="subtract", operand0=math.pi / 2, reverse0=True)
    result = _result(x, dtype)
    isa.activation(dst=result, op="sin", data=angle)
    return result


def tan(x, dtype=None):
    return divide(sin(x, "float32"), cos(x, "float32"), dtype=dtype or x.dtype)


def _remainder(name, whole):
    def call(x, y, dtype=None):
        kind = dtype or (x if hasattr(x, "buffer") else y).dtype
        if not hasattr(x, "buffer"):
            filled = new_tensor(y.shape, "float32", sbuf)
            isa.memset(dst=filled, value=float(x))
            x = filled
        turns = whole(divide(x, y, dtype="float32"), dtype="float32")
        product = OPERATORS["multiply"](turns, y, dtype="float32")
        return OPERATORS["subtract"](x, product, dtype=kind)
    call.__name__ = name
    return call


mod, fmod = _remainder("mod", floor), _remainder("fmod", trunc)
