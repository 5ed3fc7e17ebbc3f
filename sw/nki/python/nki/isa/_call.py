# SPDX-License-Identifier: Apache-2.0
"""Arguments of nki.isa functions for the core."""
import numbers

import numpy as np

from .. import _core, _trace
from ..tensor import NkiTensor


# Functions that take views whose addresses are data.
_INDEXED = ("dma_copy", "dma_compute")
_MOVED = ("dma_copy", "tensor_copy", "memset", "tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "activation",
          "reciprocal", "tensor_reduce", "tensor_copy_predicated", "select_reduce", "exponential", "nc_matmul",
          "nc_transpose")


def tensor(value, role, function):
    if isinstance(value, NkiTensor):
        if value.columns is not None:
            from . import _columns
            return role, _columns.operand(value, role, function)._view
        if value.row_index is not None and function not in _INDEXED:
            raise _core.not_supported(f"a view with vector_offset as '{role}' of '{function}'")
        if value._view.is_moved and function not in _MOVED:
            raise _core.not_supported(f"a view with scalar_offset as '{role}' of '{function}'")
        return role, value._view
    raise _core.validation_error(f"operand '{role}' of '{function}' must be a tensor, got {type(value).__name__}")


def axes_of(axis, ndim, function):
    """Axes as numbers from 0 on, in order."""
    result = []
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        try:
            number = a.__index__()
        except AttributeError:
            raise _core.validation_error(f"{function}: axis {a!r}: expected an integer") from None
        if not -ndim <= number < ndim:
            raise _core.validation_error(f"{function}: axis {number} of a tensor with {ndim} dimensions")
        result.append(number % ndim)
    if len(set(result)) != len(result):
        raise _core.validation_error(f"{function}: axis {axis} names a dimension twice")
    return sorted(result)


def is_number(value):
    return isinstance(value, (numbers.Number, np.generic)) and not isinstance(value, complex)


def scalar(value, role, function, operands, options, option, default=None):
    """A number goes into the options, a column into the operands."""
    if value is None:
        if default is not None:
            options[option] = default
    elif isinstance(value, NkiTensor):
        if value.columns is not None or value.row_index is not None:
            raise _core.not_supported(f"an indirect view as '{role}' of '{function}'")
        if value._view.is_moved:
            raise _core.not_supported(f"a view with scalar_offset as '{role}' of '{function}'")
        operands.append((role, value._view))
    elif is_number(value):
        options[option] = float(value)
    else:
        raise _core.validation_error(
            f"operand '{role}' of '{function}' must be a number or a tensor, got {type(value).__name__}")


def record(function, operands, options, name):
    trace = _trace.current(f"nki.isa.{function}")
    trace.record(function, operands, options, name)
    while trace.scatters:
        trace.scatters.pop()()


def engine_name(engine):
    text = getattr(engine, "name", engine)
    return str(text) if text is not None else "unknown"
