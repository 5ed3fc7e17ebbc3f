# SPDX-License-Identifier: Apache-2.0
"""Arrays of element types that numpy lacks.

They hold bits, with which numpy must not compute: it moves and compares them, everything else is refused.
"""
import numpy as np

from . import _core

# Functions of numpy that move elements of their first argument, which may be a list of arrays of one type.
_JOIN = (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack)
_MOVE = _JOIN + (np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims, np.broadcast_to,
                 np.split, np.array_split, np.vsplit, np.hsplit, np.tile, np.repeat, np.roll, np.flip, np.rot90, np.take,
                 np.take_along_axis, np.copy, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.delete)
_STORE = (np.save, np.savez, np.savez_compressed)  # the bits
# Those whose results come from the values and are none of them.
_JUDGE = (np.allclose, np.isclose, np.array_equal, np.array_equiv, np.argmax, np.argmin, np.argsort, np.argwhere,
           np.nonzero, np.flatnonzero, np.count_nonzero, np.any, np.all)
_SHOW = (np.array_repr, np.array_str, np.array2string)
_ABOUT = (np.shape, np.ndim, np.size, np.may_share_memory, np.shares_memory, np.zeros_like, np.empty_like)
_COMPARE = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan, np.isinf, np.isfinite,
            np.signbit)


class TypedArray(np.ndarray):
    """The bits of elements of a type that numpy lacks, as unsigned integers. float() gives their values."""

    nki_dtype = None

    @classmethod
    def of(cls, bits, dtype):
        result = bits.view(cls)
        result.nki_dtype = dtype
        return result

    def __array_finalize__(self, other):
        self.nki_dtype = getattr(other, "nki_dtype", None)

    def bits(self):
        return np.ndarray.view(self, np.ndarray)

    def float(self):
        if not self.has_values:
            raise TypeError(f"elements of {self.nki_dtype} have no values in numpy: np.asarray(array) has their bits")
        values = _core.widen(np.ascontiguousarray(self.bits()).tobytes(), str(self.nki_dtype))
        return values.reshape(self.shape)

    @property
    def has_values(self):
        """Not of four elements in one, nor of scales."""
        return not str(self.nki_dtype).endswith(("_x4", "_e8m0fnu"))

    def shown(self):
        return self.float() if self.has_values else self.bits()

    def _refuse(self, what):
        raise TypeError(f"{what} of an array of {self.nki_dtype}, with which numpy does not compute: nki.as_float(array) has "
                        f"the values as float32, nki.array(values, '{self.nki_dtype}') makes such an array of them")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if ufunc not in _COMPARE or method != "__call__" or out is not None:
            _refusing(inputs + tuple(out or ()))._refuse(f"numpy.{ufunc.__name__}")
        return ufunc(*_comparable(ufunc in (np.equal, np.not_equal), inputs), **options)

    def __array_function__(self, function, types, args, kwargs):
        if function in _ABOUT:
            return super().__array_function__(function, types, args, kwargs)
        if function in _JUDGE:
            equality = function in (np.array_equal, np.array_equiv)
            return function(*_comparable(equality, args), **_values(kwargs))
        if function in _SHOW:
            return function(*_shown(args), **_shown(kwargs))
        if function in _STORE:
            return function(*_bits(args), **_bits(kwargs))
        moved = (args[0] if function in _JOIN else args[:1]) if args else ()
        if function not in _MOVE or kwargs.get("out") is not None or not moved or any(
                getattr(array, "nki_dtype", None) != self.nki_dtype for array in moved):
            self._refuse(f"numpy.{function.__name__}")
        return _typed(function(*_bits(args), **_bits(kwargs)), self.nki_dtype)

    def __getitem__(self, key):
        result = super().__getitem__(key)
        return result if isinstance(result, TypedArray) else TypedArray.of(np.asarray(result), self.nki_dtype)

    def __setitem__(self, key, value):
        if not isinstance(value, TypedArray):
            value = np.asarray(value, dtype=np.float32)
        elif value.nki_dtype != self.nki_dtype:
            value = value.float()
        if not isinstance(value, TypedArray):
            bits = np.frombuffer(_core.narrow(value.ravel(), str(self.nki_dtype)), dtype=self.dtype)
            value = bits.reshape(value.shape)
        self.bits()[key] = value

    def view(self, *args, **kwargs):
        """As another type these are the plain bits."""
        if not args and not kwargs:
            return super().view()
        return self.bits().view(*args, **kwargs)

    def astype(self, dtype, *args, **kwargs):
        """The values as elements of a type of numpy."""
        return self.float().astype(dtype, *args, **kwargs)

    def tolist(self):
        return self.float().tolist()

    def item(self, *index):
        return self.float().item(*index)

    def __float__(self):
        return float(self.float())

    def __int__(self):
        return int(self.float())

    def __bool__(self):
        return bool(self.float())

    def __index__(self):
        self._refuse("an index")

    __complex__ = __index__

    def __contains__(self, value):
        return _values(value) in self.float()

    def __repr__(self):
        text = np.array2string(self.shown(), separator=", ", prefix="nki.array(")
        return f"nki.array({text}, dtype={self.nki_dtype})"

    def __str__(self):
        return str(self.shown())

    def __format__(self, spec):
        return format(self.shown() if self.ndim else float(self), spec)

    def __reduce__(self):
        return TypedArray.of, (self.bits(), self.nki_dtype)

    # Of which numpy asks nobody.
    def argmax(self, *args, **kwargs):
        return self.float().argmax(*args, **kwargs)

    def argmin(self, *args, **kwargs):
        return self.float().argmin(*args, **kwargs)

    def argsort(self, *args, **kwargs):
        return self.float().argsort(*args, **kwargs)


def _refused(name):
    def call(self, *_, **__):
        self._refuse(f"{name}()")
    call.__name__ = name
    return call


for _name in ("argpartition", "choose", "clip", "cumprod", "cumsum", "dot", "fill", "max", "mean", "min", "partition", "prod",
              "ptp", "round", "searchsorted", "sort", "std", "sum", "trace", "var", "byteswap", "__divmod__",
              "__rdivmod__"):
    if hasattr(np.ndarray, _name):
        setattr(TypedArray, _name, _refused(_name))


def _refusing(values):
    return next(value for value in values if isinstance(value, TypedArray))


def _mapped(change):
    """A function that changes the arrays in arguments."""
    def call(value):
        if isinstance(value, TypedArray):
            return change(value)
        if isinstance(value, (list, tuple)):
            return type(value)(call(item) for item in value)
        return {k: call(item) for k, item in value.items()} if isinstance(value, dict) else value
    return call


_values = _mapped(lambda array: array.float())
_bits = _mapped(lambda array: array.bits())
_shown = _mapped(lambda array: array.shown())


def _comparable(equality, arrays):
    """Values; whether arrays are equal their bits say, where they have no values."""
    typed = [array for array in arrays if isinstance(array, TypedArray)]
    same = len(typed) == 2 and typed[0].nki_dtype == typed[1].nki_dtype
    return _bits(arrays) if equality and same and not typed[0].has_values else _values(arrays)


def _typed(result, dtype):
    if isinstance(result, (list, tuple)):
        return type(result)(_typed(item, dtype) for item in result)
    return TypedArray.of(result, dtype)

