# SPDX-License-Identifier: Apache-2.0
"""Transfers."""
from ._call import record, tensor
from .constants import dge_mode as dge_modes
from .constants import engine as engines
from .constants import oob_mode as oob_modes


def dma_copy(dst, src, priority=None, oob_mode=oob_modes.error, dge_mode=dge_modes.unknown, engine=engines.unknown,
             unique_indices=True, name=None):
    record("dma_copy", [tensor(dst, "dst", "dma_copy"), tensor(src, "src", "dma_copy")], {}, name)
