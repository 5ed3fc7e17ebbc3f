# SPDX-License-Identifier: Apache-2.0
"""Lists in 16 partitions, which a processor of GpSimd shares: element i is in partition i % 16, column i // 16."""
from ..tensor import new_tensor, sbuf
from ._element import tensor_copy
from ._special import nc_stream_shuffle

CORE = 16
_GROUP = 32  # partitions that a shuffle exchanges


def columns_of(count):
    return -(-count // CORE)


def spread(dst, lists):
    """dst [P, count] = the whole list of its 16 partitions on each of them; lists: [P, columns], from partition 0 on."""
    (partitions, columns), count = lists.shape, dst.shape[1]
    parts = new_tensor((partitions, CORE, columns), lists.dtype, sbuf, "lists")
    for j in range(min(CORE, count)):
        nc_stream_shuffle(dst=parts[:, j, :], src=lists, shuffle_mask=[i // CORE * CORE + j for i in range(_GROUP)])
    whole, rest = divmod(count, CORE)
    if whole:
        tensor_copy(dst=dst[:, 0:whole * CORE], src=parts[:, :, 0:whole].permute((0, 2, 1)))
    if rest:
        tensor_copy(dst=dst[:, whole * CORE:count], src=parts[:, 0:rest, whole:whole + 1])


def at_first_partition(tensor):
    """The tensor, or a copy of it in SBUF that begins in partition 0: GpSimd wants its operands in the same partitions."""
    if tensor.buffer == sbuf and tensor._view.first_partition == 0:
        return tensor
    copied = new_tensor(tensor.shape, tensor.dtype, sbuf, "moved")
    tensor_copy(dst=copied, src=tensor)
    return copied
