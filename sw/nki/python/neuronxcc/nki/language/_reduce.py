# SPDX-License-Identifier: Apache-2.0
"""Reductions over free dimensions, whose names are those of Python's own functions."""
from .. import isa
from ..isa._call import tile


def _reduction(name, op):
    def call(x, axis, dtype=None, mask=None, keepdims=False, **_):
        return isa.tensor_reduce(op, tile(x, "x", name), axis, mask=mask, dtype=dtype, keepdims=keepdims)
    call.__name__ = name
    return call


sum = _reduction("sum", "add")  # noqa: A001: the names of the interface
max = _reduction("max", "maximum")  # noqa: A001
min = _reduction("min", "minimum")  # noqa: A001
prod = _reduction("prod", "multiply")


def mean(x, axis, dtype=None, mask=None, keepdims=False, **_):
    total = sum(x, axis, dtype="float32", mask=mask, keepdims=keepdims)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    count = 1
    for a in axes:
        count *= x.shape[a]
    return isa.tensor_scalar(total, op0="multiply", operand0=1.0 / count, dtype=dtype or x.dtype)
