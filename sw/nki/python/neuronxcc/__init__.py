# SPDX-License-Identifier: Apache-2.0
"""The package of NKI 0.1; only its nki is here (docs/nki.md)."""
__tern__ = True  # this package is no Neuron SDK
