# SPDX-License-Identifier: Apache-2.0
"""The C++ core, with the package's classes of errors."""
import _tern_nki
from _tern_nki import Kernel, compile, element_bytes, most_ranks, narrow, passes, presets, widen

from . import _errors, _site

_tern_nki._register_errors(_errors.NkiValidationError, _errors.NkiAssertionError, _errors.NkiNotSupportedError,
                           _errors.NkiRunError, _site.frames)

__all__ = ["Kernel", "compile", "element_bytes", "error_at", "error_of",
           "most_ranks", "narrow", "not_supported", "operator_error", "passes", "presets", "validation_error", "widen"]


def _with_place(message):
    place = _tern_nki.describe(_site.frames())
    return f"{message}\n{place}" if place else message


def validation_error(message):
    return _errors.NkiValidationError(_with_place(message))


class _OperatorError(_errors.NkiValidationError, TypeError):
    """An operator that tensors do not have: Python's class of error, too."""


_OperatorError.__module__ = "nki"


def operator_error(message):
    return _OperatorError(_with_place(message))


def error_of(frames, message):
    """An error of a place that the kernel has left."""
    return _errors.NkiValidationError(f"{message}\n{_tern_nki.describe(frames)}")


def error_at(function, message):
    """An error of a whole kernel: its first line."""
    code = getattr(function, "__code__", None)
    if code is None:
        return validation_error(message)
    place = _tern_nki.describe([(code.co_filename, code.co_name, code.co_firstlineno, code.co_firstlineno, -1, -1)])
    return _errors.NkiValidationError(f"{message}\n{place}")


def not_supported(what):
    return _errors.NkiNotSupportedError(_with_place(f"{what} is not supported by Tern"))
