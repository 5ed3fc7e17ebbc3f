# SPDX-License-Identifier: Apache-2.0
"""Operators by name: functions of nki.language, functions of numpy, strings."""
from .. import _core

_NUMPY = {"max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum", "sum": "add", "absolute": "abs",
          "negative": "negative", "sqrt": "sqrt", "equal": "equal"}
UNARY = ("abs", "square", "relu", "rsqrt", "reciprocal", "invert")
BITWISE = ("invert", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")


def op_name(op, argument="op"):
    if isinstance(op, str):
        return op
    name = getattr(op, "nki_operator", None)
    if name is None:
        name = getattr(op, "__name__", None)
        name = _NUMPY.get(name, name)
    if not isinstance(name, str):
        raise _core.validation_error(f"{argument}={op!r} is no operator")
    return name
