# SPDX-License-Identifier: Apache-2.0
"""The Neuron Kernel Interface on Tern's simulated chips (docs/nki.md)."""
import os as _os

from . import _errors, _packages
from ._arrays import TypedArray, array, as_float
from ._errors import NkiError, NkiNotSupportedError, NkiRunError, NkiValidationError
from ._jit import Kernel, jit
from ._measure import benchmark, cpu_simulate, simulate, simulate_kernel
from ._ranks import run_ranks
from . import collectives, compiler, dtype, isa, language, tensor, typing  # noqa: E402
from .meta import tensor as _meta  # noqa: F401

for _error in (NkiError, NkiNotSupportedError, NkiRunError, NkiValidationError, _errors.NkiAssertionError):
    _error.__module__ = "nki"  # what tracebacks show

_packages.tell_of_hidden(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))

__version__ = "0.6+tern"
__tern__ = True  # this package is no Neuron SDK

__all__ = ["Kernel", "NkiError", "NkiNotSupportedError", "NkiRunError", "NkiValidationError", "TypedArray", "array",
           "as_float", "benchmark", "collectives", "compiler", "cpu_simulate", "dtype", "isa", "jit", "language",
           "run_ranks", "simulate", "simulate_kernel", "tensor", "typing"]
