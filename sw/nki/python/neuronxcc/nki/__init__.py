# SPDX-License-Identifier: Apache-2.0
"""NKI 0.1 on Tern's simulated chips: its calls record the instructions of package nki (docs/nki.md)."""
from nki import NkiError, NkiNotSupportedError, NkiRunError, NkiValidationError  # noqa: F401

from . import compiler, isa, language, typing
from ._kernel import Kernel, baremetal, benchmark, jit, profile, simulate_kernel
from ._tile import Tile as tensor

trace = jit
__version__ = "0.1+tern"
__tern__ = True  # this package is no Neuron SDK

__all__ = ["Kernel", "baremetal", "benchmark", "compiler", "isa", "jit", "language", "profile", "simulate_kernel", "tensor",
           "trace", "typing"]
