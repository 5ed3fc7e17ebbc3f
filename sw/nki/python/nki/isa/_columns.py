# SPDX-License-Identifier: Apache-2.0
"""Columns of a tensor on chip by a list of offsets (view.indirect): gathered before the instruction that reads them,
scattered after the one that writes them."""
from .. import _core, _trace
from ..tensor import NkiTensor, new_tensor, sbuf
from . import _snake
from ._element import tensor_copy, tensor_scalar
from ._gpsimd import iota, local_gather
from ._select import tensor_copy_predicated
from ._special import nc_stream_shuffle

_TENSOR_ENGINE = ("nc_matmul",)
_HALVES = 2  # lists of the tensor engine are in 32 partitions, those of GpSimd in 16
# Functions of other operands than tiles of an engine.
_WITHOUT = ("dma_copy", "dma_transpose", "dma_compute", "sendrecv", "core_barrier", "nc_matmul_mx", "nc_transpose",
            "quantize_mx", "nc_stream_shuffle", "topk")


def columns(tensor, index, count):
    """What view.indirect() checks: how many columns there are."""
    if _trace.current("indirect()").target.generation < 4:
        raise _core.validation_error("indirect() needs a NeuronCore-v4 (trn3)")
    if not isinstance(index, NkiTensor):
        raise _core.validation_error(f"indirect(): index must be a tensor, got {type(index).__name__}")
    if index.ndim != 2 or index.shape[0] != tensor.shape[0]:
        raise _core.validation_error(f"indirect(): index{list(index.shape)} of offsets for `{tensor.name}`"
                                     f"{list(tensor.shape)}: expected one row for each partition")
    if str(index.dtype) not in ("uint16", "uint32", "int32") or index.buffer != sbuf:
        raise _core.validation_error(f"indirect(): index of {index.dtype} in '{index.buffer}': expected uint16, uint32 or "
                                     "int32 in 'sbuf'")
    most = min(_snake.CORE * _HALVES, tensor.shape[0]) * index.shape[1]
    count = min(_snake.CORE, tensor.shape[0]) * index.shape[1] if count is None else int(count)
    if not 1 <= count <= most:
        raise _core.validation_error(f"indirect(): {count} of the offsets in index{list(index.shape)}: expected 1 to {most}")
    return count


def operand(value, role, function):
    """The tensor in place of an indirect one."""
    if function in _WITHOUT or (role == "dst" and function in _TENSOR_ENGINE):
        raise _core.not_supported(f"a view with indirect() as '{role}' of '{function}'")
    base, index, count = value.columns
    numbers = _offsets(base, index, count, function)
    if role != "dst":
        return _gathered(base, numbers, count)
    made = _gathered(base, numbers, count) if function == "tensor_copy_predicated" else (
        new_tensor((base.shape[0], count), base.dtype, sbuf, "columns"))
    _trace.current().scatters.append(lambda: _scatter(base, numbers, made))
    return made


def _offsets(base, index, count, function):
    """uint16 from partition 0 on, a list in each 16 partitions."""
    group = _snake.CORE * (_HALVES if function in _TENSOR_ENGINE else 1)
    if base.shape[0] % group:
        raise _core.not_supported(f"indirect() of `{base.name}`{list(base.shape)} for '{function}': other than multiples of "
                                  f"{group} partitions")
    if count > group * index.shape[1]:
        raise _core.validation_error(f"indirect(): {count} offsets for '{function}': index{list(index.shape)} has "
                                     f"{group * index.shape[1]} in {group} partitions")
    if str(index.dtype) != "uint16" or index._view.first_partition != 0:
        short = new_tensor(index.shape, "uint16", sbuf, "offsets")
        tensor_copy(dst=short, src=index)
        index = short
    if function not in _TENSOR_ENGINE:
        return index
    # Column c of 32 partitions are columns 2 c and 2 c + 1 of 16, on both halves.
    pairs = new_tensor(tuple(index.shape) + (_HALVES,), "uint16", sbuf, "offsets")
    for half in range(_HALVES):
        moved = new_tensor(index.shape, "uint16", sbuf, "offsets")
        nc_stream_shuffle(dst=moved, src=index,
                          shuffle_mask=[half * _snake.CORE + i % _snake.CORE for i in range(group)])
        tensor_copy(dst=pairs[:, :, half], src=moved)
    return pairs.reshape(index.shape[0], -1)


def _flat(base):
    return base if base.ndim == 2 else base.reshape(base.shape[0], -1)


def _gathered(base, numbers, count):
    made = new_tensor((base.shape[0], count), base.dtype, sbuf, "columns")
    local_gather(dst=made, src_buffer=_snake.at_first_partition(_flat(base)), index=numbers)
    return made


def _scatter(base, numbers, values):
    """Column by column, where the position is the offset; of equal offsets the last one stays."""
    (partitions, count), flat = values.shape, _flat(base)
    short = new_tensor((partitions, count), "uint16", sbuf, "offsets")
    _snake.spread(short, numbers)
    offsets = new_tensor((partitions, count), "float32", sbuf, "offsets")
    tensor_copy(dst=offsets, src=short)
    positions = new_tensor(flat.shape, "float32", sbuf, "positions")
    iota(dst=positions, pattern=[[1, flat.shape[1]]])
    for i in range(count):
        there = new_tensor(flat.shape, "uint8", sbuf, "there")
        tensor_scalar(dst=there, data=positions, op0="equal", operand0=offsets[:, i:i + 1])
        tensor_copy_predicated(dst=flat, src=values[:, i:i + 1].broadcast(1, flat.shape[1]), predicate=there)
