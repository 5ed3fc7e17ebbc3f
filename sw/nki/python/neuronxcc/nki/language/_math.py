# SPDX-License-Identifier: Apache-2.0
"""Operators and functions of tiles; tiles of one column, one row or one element are repeated."""
from nki import _core
from nki import language as new_language
from nki.language._math import ACTIVATIONS, BINARY, check_integers

from .. import _pending
from .. import isa
from .._tile import OPERATORS, Tile
from ..isa._call import element_wise, is_number, leaves_nothing, number_or_tile, promoted, tile
from .._repeat import repeat, tensor_tensor

_COMPARISONS = ("equal", "not_equal", "greater_equal", "greater", "less_equal", "less", "logical_and", "logical_or",
                "logical_xor")


def _is_column(x):
    return x.size == x.shape[0]


def _shape_of(x, y, name):
    ndim = max(x.ndim, y.ndim)
    shapes = [(1,) * (ndim - t.ndim) + t.shape for t in (x, y)]
    if any(a != b and 1 not in (a, b) for a, b in zip(*shapes)) or x.ndim != y.ndim and x.size != 1 and y.size != 1:
        raise _core.validation_error(f"nki.language.{name}: shapes {list(x.shape)} and {list(y.shape)} differ")
    return tuple(max(a, b) for a, b in zip(*shapes))


def _default(name, x, y):
    return "uint8" if name in _COMPARISONS else promoted(x, y)


def _binary(name):
    def call(x, y, dtype=None, mask=None, **_):
        x, y = number_or_tile(x, "x", name), number_or_tile(y, "y", name)
        if not isinstance(x, Tile) and not isinstance(y, Tile):
            raise _core.validation_error(f"nki.language.{name}: expected a tile, got {type(x).__name__} and {type(y).__name__}")
        check_integers(name, x, y)
        kind = dtype or _default(name, x, y)
        if is_number(y):
            return isa.tensor_scalar(x, op0=name, operand0=y, dtype=kind, mask=mask)
        if is_number(x):
            return isa.tensor_scalar(y, op0=name, operand0=x, reverse0=True, dtype=kind, mask=mask)
        shape = _shape_of(x, y, name)
        if shape[0] > 1:
            x, y = (repeat(t, (shape[0],) + t.shape[1:], is_kept=False) if t.shape[0] == 1 else t for t in (x, y))
        if x.shape != y.shape and _is_column(y) and x.shape == shape:
            return isa.tensor_scalar(x, op0=name, operand0=y, dtype=kind, mask=mask)
        if x.shape != y.shape and _is_column(x) and y.shape == shape:
            return isa.tensor_scalar(y, op0=name, operand0=x, reverse0=True, dtype=kind, mask=mask)

        def record(dst, at):
            tensor_tensor(dst, x, y, name, at, isa.unknown_engine)
        return element_wise(shape, kind, mask, [x, y], record)
    return _named(call, name)


def _named(call, name):
    call.nki_operator = call.__name__ = name
    OPERATORS[name] = call
    return call


def _activation(name):
    def call(x, dtype=None, mask=None, **_):
        return isa.activation(name, tile(x, "x", name), dtype=dtype, mask=mask)
    return _named(call, name)


def _copy(src, mask=None, dtype=None, **_):
    return isa.tensor_copy(src, mask=mask, dtype=dtype)


def _reciprocal(x, dtype=None, mask=None, **_):
    return isa.reciprocal(x, dtype=dtype, mask=mask)


def _invert(x, dtype=None, mask=None, **_):
    check_integers("invert", x)
    return isa.tensor_scalar(x, op0="invert", operand0=None, dtype=dtype, mask=mask)


def _negative(x, dtype=None, mask=None, **_):
    return isa.tensor_scalar(x, op0="multiply", operand0=-1.0, dtype=dtype, mask=mask)


def _logical_not(x, dtype=None, mask=None, **_):
    return isa.tensor_scalar(x, op0="equal", operand0=0.0, dtype=dtype or "uint8", mask=mask)


def _divide(x, y, dtype=None, mask=None, **_):
    """x times the reciprocal of y."""
    if is_number(y):
        return OPERATORS["multiply"](x, 1.0 / y, dtype=dtype, mask=mask)
    kind = dtype or promoted(x, y)
    if is_number(x) and x == 1:
        return isa.reciprocal(y, dtype=kind, mask=mask)
    return OPERATORS["multiply"](isa.reciprocal(y, dtype="float32", mask=mask), x, dtype=kind, mask=mask)


for _name in BINARY:
    _binary(_name)
for _name in ACTIVATIONS:
    _activation(_name)
for _name, _function in (("copy", _copy), ("reciprocal", _reciprocal), ("invert", _invert), ("negative", _negative),
                         ("logical_not", _logical_not), ("divide", _divide)):
    _named(_function, _name)


def broadcast_to(src, *, shape, **_):
    """Free dimensions: a view. Partitions: a new tile, by products with ones or by DMA."""
    tile(src, "src", "broadcast_to")
    shape = tuple(int(n) for n in shape)
    if src.shape == shape:
        return src
    if src.ndim != len(shape) or any(a not in (1, b) for a, b in zip(src.shape, shape)):
        raise _core.validation_error(f"broadcast_to: shape {list(src.shape)} to {list(shape)}")
    return repeat(src, shape, is_kept=True)


OPERATORS["broadcast_to"] = broadcast_to


def _of_views(name, function):
    """A function of nki.language that needs no more than views."""
    def call(*args, mask=None, compute_dtype=None, **kwargs):
        if leaves_nothing(mask, f"nki.language.{name}"):
            raise _core.not_supported(f"nki.language.{name}(mask=) that leaves nothing")
        _pending.flush()
        result = function(*(_view(a) for a in args), **{k: _view(v) for k, v in kwargs.items()})
        return Tile(result) if hasattr(result, "_view") else result
    call.__name__ = name
    return call


def _view(value):
    return value.view() if isinstance(value, Tile) else value


def _where(condition, x, y, dtype=None, mask=None, **_):
    """x or y by element; dimensions of one element are repeated."""
    tiles = [t for t in (condition, x, y) if isinstance(t, Tile)]
    shape = tiles[0].shape
    for t in tiles[1:]:
        shape = _shape_of(Tile(shape=shape, dtype=t.dtype, buffer=t.buffer), t, "where")
    condition, x, y = (broadcast_to(t, shape=shape) if isinstance(t, Tile) else t for t in (condition, x, y))
    return _select(condition, x, y, dtype=dtype, mask=mask)


_select = _of_views("where", new_language.where)
COMPOSED = {name: _of_views(name, getattr(new_language, name)) for name in (
    "all", "ceil", "cos", "dropout", "floor", "gather_flattened", "rand", "random_seed", "rms_norm", "softmax", "tan",
    "trunc", "var")}
COMPOSED["where"] = _where
# Called with tiles it takes any angle; as the function of an activation it is the instruction's.
_sine = _of_views("sin", getattr(new_language, "sin"))
_sine.nki_operator = "sin"
COMPOSED["sin"] = _sine


def expand_dims(data, axis):
    return tile(data, "data", "expand_dims").expand_dims(axis)


def transpose(x, dtype=None, mask=None, **_):
    return isa.nc_transpose(x, dtype=dtype, mask=mask)


def matmul(x, y, *, transpose_x=False, mask=None, **_):
    """x y, or x^T y for x as [K, M]; in PSUM."""
    tile(x, "x", "matmul")
    if not transpose_x:
        leaves_nothing(mask, "matmul(transpose_x=False)")
        x = isa.tensor_copy(isa.nc_transpose(x, mask=mask), mask=mask)
    return isa.nc_matmul(x, tile(y, "y", "matmul"), mask=mask)
