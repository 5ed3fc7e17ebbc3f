# SPDX-License-Identifier: Apache-2.0
"""The tensor class under an older path."""
from ..tensor import NkiTensor  # noqa: F401

Tensor = NkiTensor
