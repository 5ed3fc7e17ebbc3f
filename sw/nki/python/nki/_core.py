# SPDX-License-Identifier: Apache-2.0
"""The C++ core, with the package's classes of errors."""
import _tern_nki
from _tern_nki import Kernel, compile, element_bytes, narrow, presets, widen

from . import _errors, _site

_tern_nki._register_errors(_errors.NkiValidationError, _errors.NkiAssertionError, _errors.NkiNotSupportedError,
                           _errors.NkiRunError, _site.frames)

__all__ = ["Kernel", "compile", "element_bytes", "narrow", "not_supported", "presets", "validation_error", "widen"]


def _with_place(message):
    return f"{message}\n{_tern_nki.describe_place()}"


def validation_error(message):
    return _errors.NkiValidationError(_with_place(message))


def not_supported(what):
    return _errors.NkiNotSupportedError(_with_place(f"{what} is not supported by Tern"))
